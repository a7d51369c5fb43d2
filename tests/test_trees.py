"""The bundled games: both notations say the same, and the known values come out."""

from fractions import Fraction
from pathlib import Path

import gametree
import pytest
from gametree.spec.canonical import canonical
from gametree.spec.format import format_document
from gametree.spec.reader import bundled_names, read_path

TREES = Path(__file__).parent.parent / "trees"
NAMES = sorted({path.stem for path in TREES.iterdir() if path.suffix in {".yaml", ".tree"}})
FILES = sorted(path for path in TREES.iterdir() if path.suffix in {".yaml", ".tree"})


def document(path):
    """The document of a file without problems."""
    reading = read_path(str(path), comments=True)
    assert reading.diagnostics == []
    return reading.document


def by_label(answer):
    """The values of the root's branches."""
    return {branch.label: branch.value for branch in answer.branches}


def test_the_games_asked_for_are_there():
    wanted = (
        "random-opponent random-opponent-min rescaled dice push-to-21 tic-tac-toe "
        "oil-wildcatter sign-contract monty-hall nim"
    ).split()

    assert set(wanted) <= set(NAMES)
    assert bundled_names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_both_notations_say_the_same(name):
    yaml, text = (document(TREES / f"{name}.{suffix}") for suffix in ("yaml", "tree"))

    assert canonical(yaml) == canonical(text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_bundled_game_is_formatted(path):
    assert format_document(document(path)) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_bundled_game_keeps_its_expectations(path):
    """Every game has some, all of them hold, and nothing is worth a warning."""
    game = gametree.load(str(path))
    expected = game.expectations()

    assert expected
    assert [entry.title for entry in expected if not entry.ok] == []
    assert game.warnings == []


@pytest.mark.parametrize(
    ("name", "algorithm", "value", "best", "branches"),
    [
        ("random-opponent", "minimax", 4, ("B",), {"A": 3, "B": 4, "C": 1}),
        ("random-opponent", "expectiminimax", 12, ("C",), {"A": 8, "B": 5, "C": 12}),
        ("random-opponent-min", "minimax", 4, ("B",), {"A": 3, "B": 4, "C": 1}),
        ("random-opponent-min", "expectimax", 12, ("C",), {"A": 8, "B": 5, "C": 12}),
        ("rescaled", "minimax", 7, ("B",), {"A": 6, "B": 7, "C": 0}),
        ("rescaled", "expectiminimax", 9, ("A",), {"A": 9, "B": 8, "C": Fraction(25, 3)}),
        ("dice", "expectiminimax", 5, ("B",), {"A": 4, "B": 5}),
        ("dice", "minimax", 3, ("A", "B"), {"A": 3, "B": 3}),
    ],
)
def test_the_trees_of_the_textbooks(name, algorithm, value, best, branches):
    answer = gametree.load(name).evaluate(algorithm=algorithm)

    assert (answer.value, answer.best, by_label(answer)) == (value, best, branches)


def test_dice_is_counted_as_it_is_drawn():
    size = gametree.load("dice").evaluate().size

    assert (size.nodes, size.edges, size.terminals, size.depth) == (15, 14, 8, 3)


def stands(algorithm="expectiminimax", **settings):
    """The totals at which Push to 21 stands."""
    game = gametree.load("push-to-21", **settings)
    return [
        total
        for total in range(22)
        if game.evaluate(algorithm=algorithm, at=f"turn({total})").best[0] == "stand"
    ]


def test_push_to_21_stands_from_14_on_and_against_an_enemy_from_12_on():
    assert stands() == list(range(14, 22))
    assert stands(algorithm="minimax") == list(range(12, 22))


def test_push_to_21_is_worth_what_two_other_programs_computed():
    game = gametree.load("push-to-21")

    assert game.evaluate().value == Fraction(79292566171467, 5000000000000)
    assert game.evaluate(algorithm="minimax").value == 12
    assert by_label(game.evaluate(at="turn(16)")) == {"stand": 16, "hit": Fraction(19, 2)}


def test_push_to_21_by_habit_costs_two_points_and_is_wrong_at_three_totals():
    game = gametree.load("push-to-21")
    habit = game.evaluate(policy="hit until 17").value
    differs = set(stands()) ^ set(range(17, 22))

    assert habit == Fraction(274348372063671059, 20000000000000000)
    assert round(float(game.evaluate().value - habit), 2) == 2.14
    assert differs == {14, 15, 16}


def test_tic_tac_toe_has_one_node_for_each_position_and_is_a_draw():
    game = gametree.load("tic-tac-toe")
    answer = game.evaluate()

    assert (answer.value, answer.size.nodes, answer.size.edges) == (0, 5478, 16167)
    assert game.evaluate(play={"min": "random"}).value == Fraction(191, 192)


@pytest.mark.parametrize(
    ("name", "settings", "value", "best"),
    [
        ("oil-wildcatter", {}, 123, ("survey",)),
        ("oil-wildcatter", {"survey_fee": "60"}, 100, ("no survey",)),
        ("sign-contract", {"fee": "0"}, 960_000, ("sign with film company",)),
        ("sign-contract", {"fee": "60_001"}, 900_000, ("sign with network",)),
        ("nim", {}, 1, ("2 from left",)),
        ("nim", {"left": "1", "middle": "2", "right": "3"}, -1, None),
    ],
)
def test_games_with_parameters(name, settings, value, best):
    answer = gametree.load(name, **settings).evaluate()

    assert answer.value == value
    assert best is None or answer.best == best


def test_switching_doors_wins_two_times_in_three():
    game = gametree.load("monty-hall")

    assert game.evaluate().value == Fraction(2, 3)
    assert game.evaluate(policy="stay").value == Fraction(1, 3)
