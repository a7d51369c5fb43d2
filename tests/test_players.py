"""Players by name: in `play`, on the command line, and in what is printed."""

from __future__ import annotations

import json

import pytest
from gametree.evaluator.game import Game
from gametree.render.answer import strategy_json, strategy_rows, strategy_text
from gametree.render.opponents import opponents_json, opponents_text
from gametree.spec.diagnostics import SpecError, UsageError
from gametree.spec.reader import read_bytes
from gametree.spec.text_writer import write_text

TREE = """\
game: x
players: {max: you, min: the dealer}
root: {max: {bet: {min: [1, 5]}, pass: 2}}
expect: {value: 3, play: {the dealer: random}}
"""


def game_in(text):
    return Game.from_document(read_bytes("x.yaml", text.encode(), "yaml").document)


def test_a_player_stands_for_the_kind_of_node():
    game = game_in(TREE)

    assert game.tree is not None  # it is still a tree written out
    assert game.evaluate(play={"the dealer": "random"}).value == 3
    assert game.evaluate(play={"you": "worst", "min": "worst"}).value == 2
    assert all(expected.ok for expected in game.expectations())
    assert game.opponents("the dealer").opponent == "min"


def test_reports_speak_of_the_players():
    game = game_in(TREE)
    rows = list(strategy_rows(game.solution()))
    found = game.opponents()

    assert "player" in strategy_text(rows, players=game.players)
    assert "the dealer" in strategy_text(rows, players=game.players)
    assert [row["player"] for row in strategy_json(rows, game.players)] == ["you", "the dealer"]
    assert "player" not in strategy_json(rows)[0]
    assert "the dealer from optimal to random" in opponents_text(found)
    assert opponents_json(found)["players"] == {"max": "you", "min": "the dealer"}


@pytest.mark.parametrize(
    ("play", "message"),
    [
        ({"the deeler": "random"}, "did you mean `the dealer`"),
        ({"nobody at all": "random"}, "and the players you and the dealer"),
        ({"min": "random", "the dealer": "worst"}, "the play of min is given twice"),
    ],
)
def test_a_player_who_is_not_there_is_reported(play, message):
    with pytest.raises(UsageError, match=message):
        game_in(TREE).evaluate(play=play)


@pytest.mark.parametrize(
    ("players", "message"),
    [
        ("{max: a, min: a}", "`a` is the player of both max and min"),
        ("{max: min}", "the player of max is called `min`, which is a kind of node"),
        ("{max: 'a=b'}", "`a=b` is no name for a player"),
        ("{max: ' '}", "is no name for a player"),
    ],
)
def test_names_that_do_not_tell_who_is_meant_are_reported(players, message):
    for root in ("{max: [1, 2]}", "{max: {for n in 1..2: n}}"):
        with pytest.raises(SpecError) as found:
            game_in(f"game: x\nplayers: {players}\nroot: {root}\n")
        [problem] = found.value.diagnostics
        assert message in problem.message
        assert problem.code.value == "GT212"


def test_an_expectation_of_a_player_who_is_not_there_is_reported():
    with pytest.raises(SpecError) as found:
        game_in(TREE.replace("the dealer: random", "mix: worst"))
    [problem] = found.value.diagnostics

    assert problem.code.value == "GT218"
    assert problem.message == "unknown kind of node `mix`"
    assert problem.place.text == "mix"


def test_the_text_notation_says_the_same():
    document = read_bytes("x.yaml", TREE.encode(), "yaml").document
    text = write_text(document)
    again = read_bytes("x.tree", text.encode(), "text").document

    assert 'players { max: "you", min: "the dealer" }' in text
    assert again.data["players"] == document.data["players"]


def test_the_command_knows_them(run, tmp_path):
    (tmp_path / "game.yaml").write_text(TREE, encoding="utf-8")
    done = run("eval", "game.yaml", "--play", "the dealer=random", "--format", "json")
    wrong = run("opponents", "game.yaml", "--kind", "dealer")

    assert json.loads(done.stdout)["value"] == "3"
    assert run("test", "game.yaml").returncode == 0
    assert wrong.returncode == 2
    assert "unknown kind of node `dealer`" in wrong.stderr
    assert "the dealer" in run("eval", "game.yaml", "--strategy").stdout
