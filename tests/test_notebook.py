"""What notebooks show."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import gametree
import pytest
from gametree.evaluator.compare import Stage
from gametree.evaluator.table import table
from gametree.render.notebook import MOST_ROWS

BAD = "<script>alert('&')</script>\"<b>\""


def bundle(shown):
    made = shown._repr_mimebundle_()
    assert made["text/plain"]
    return made


def cells(html):
    """The texts of a table's cells, row by row; the HTML is XML, too."""
    root = ET.fromstring(f"<div>{html}</div>")
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


def bad_game(tmp_path):
    path = tmp_path / "bad.json"
    tree = {BAD: 1, "b": {"min": {BAD: 2, "c": 3}}}
    path.write_text(json.dumps({"game": BAD, "root": {"max": tree}}), encoding="utf-8")
    return gametree.load(path)


def test_a_game_is_a_picture(tmp_path):
    made = bundle(bad_game(tmp_path))
    root = ET.fromstring(made["image/svg+xml"])

    assert root.find("{http://www.w3.org/2000/svg}title").text == BAD
    assert "value  2" in made["text/plain"]


def test_an_answer_is_a_table_with_the_best_branch_marked():
    made = bundle(gametree.load("dice").evaluate())

    assert cells(made["text/html"]) == [["", "branch", "value"], ["", "A", "4"], ["*", "B", "5"]]
    assert made["text/plain"].startswith("dice, expectiminimax")


def test_a_solution_is_its_strategy():
    made = bundle(gametree.load("dice").solution())

    assert cells(made["text/html"])[1:3] == [
        ["", "root", "max", "B", "5"],
        ["", "A → 1-2", "min", "1", "6"],
    ]


def test_a_table_of_states_marks_where_a_policy_differs():
    game = gametree.load("push-to-21")
    made = bundle(table(Stage.of(game), policy="hit until 17"))
    rows = cells(made["text/html"])

    assert [row[1] for row in rows if row[0] == "*"] == ["14", "15", "16"]
    assert len(rows) == 1 + 22


def test_labels_are_text_in_every_bundle(tmp_path):
    game = bad_game(tmp_path)
    for shown in (game, game.evaluate(), game.solution()):
        made = bundle(shown)
        for media, text in made.items():
            if media != "text/plain":
                assert "<script" not in text
                assert BAD in "".join(ET.fromstring(f"<div>{text}</div>").itertext())


@pytest.mark.parametrize("name", ["hog", "pig-race", "bandit"])
def test_a_large_game_is_named_and_not_solved(name):
    game = gametree.load(name)
    start = time.perf_counter()
    made = bundle(game)

    assert list(made) == ["text/plain"]
    assert "not drawn here" in made["text/plain"]
    assert time.perf_counter() - start < 10


def test_a_long_strategy_is_cut_and_says_so():
    made = bundle(gametree.load("tic-tac-toe").solution())

    assert len(cells(made["text/html"])) == 1 + MOST_ROWS
    assert "more" in made["text/html"]
    assert "more" in made["text/plain"]


def test_a_notebook_can_ask_for_some_media_types_only():
    game = gametree.load("dice")

    assert list(game._repr_mimebundle_(include={"text/plain"})) == ["text/plain"]
    assert list(game._repr_mimebundle_(exclude={"text/plain"})) == ["image/svg+xml"]


def test_nothing_is_imported_before_a_notebook_asks():
    program = (
        "import sys, gametree; gametree.load('dice').solution();"
        "print([m for m in sys.modules if 'render' in m or m == 'igraph'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout == "[]\n"
