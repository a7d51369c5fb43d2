"""Games whose values are known from elsewhere come out as known, exactly where they are exact.

``oracles/`` holds the games; those that are bundled are set to the parameters of each value.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import gametree
import pytest
from gametree.evaluator.game import Game
from gametree.spec.reader import read_bytes

FILES = sorted((Path(__file__).parent / "oracles").iterdir())
ULPS = 16  # that a value computed elsewhere in floats may be off by


def assert_close(answer, value):
    """``value`` is a fraction, or a float that was computed elsewhere."""
    if isinstance(value, float):
        slack = ULPS * math.ulp(value)
    else:
        value, slack = Fraction(value), 0
        assert (answer.numbers, answer.error_bound) == ("exact", 0)
    assert abs(Fraction(answer.value) - Fraction(value)) <= answer.error_bound + slack


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_known_value_comes_out(path):
    game = gametree.load(str(path))
    expected = game.expectations()

    assert expected
    assert [(e.title, e.diagnostic and e.diagnostic.message) for e in expected if not e.ok] == []
    assert [warning.message for warning in game.warnings] == []


EXACT = [
    ("push-to-21", {}, "79292566171467/5000000000000"),
    ("push-to-21", {"faces": 6}, "16608276579265/940369969152"),
    ("push-to-21", {"target": 100}, 94.00000002395394),
    ("push-to-21", {"target": 1000}, 994.0),
    ("dots-and-boxes", {"rows": 1, "columns": 1}, -1),
    ("dots-and-boxes", {"rows": 1, "columns": 2}, 0),
    ("dots-and-boxes", {"rows": 1, "columns": 3}, -1),
    ("dots-and-boxes", {}, 2),
    ("secretary", {"candidates": 3}, "1/2"),
    ("secretary", {"candidates": 5}, "13/30"),
    ("secretary", {"candidates": 10}, "3349/8400"),
    ("secretary", {"candidates": 20}, "3407275/8868288"),
    ("secretary", {"candidates": 100}, 0.371042778712643),
    ("red-black-cards", {"cards": 1}, "1/2"),
    ("red-black-cards", {"cards": 2}, "2/3"),
    ("red-black-cards", {"cards": 3}, "17/20"),
    ("red-black-cards", {"cards": 5}, "47/42"),
    ("red-black-cards", {"cards": 10}, "26995/16796"),
    ("red-black-cards", {"cards": 26}, "41984711742427/15997372030584"),
    ("2048-2x2", {"target": 3}, 1),
    ("2048-2x2", {"target": 4}, "770009003/800000000"),
    ("2048-2x2", {"target": 5}, "663098312572433/8000000000000000"),
    ("blackjack", {}, "-2220691644539301303808782629/91733330193268616658399616009"),
    (
        "blackjack",
        {"doubling": "true"},
        "-996904879054174808776793721/91733330193268616658399616009",
    ),
    (
        "blackjack",
        {"natural_pays": 1, "peek": "false"},
        "-3954908734551683826282634489/91733330193268616658399616009",
    ),
    ("yahtzee-small", {"sheet": [13]}, "8697425/3779136"),
    ("yahtzee-small", {"sheet": [12]}, "70/3"),
    ("yahtzee-small", {"sheet": [11]}, "1598475995/153055008"),
    ("yahtzee-small", {"sheet": [9]}, "137138375/15116544"),
    ("yahtzee-small", {"sheet": [13, 12]}, "1167963082189405/42845606719488"),
    ("yahtzee-small", {"size": 3, "sheet": [12, 7, 6]}, "317550992015467/11284439629824"),
    ("bandit", {"pulls": 1}, "1/2"),
    ("bandit", {"pulls": 2}, "13/12"),
    ("bandit", {"pulls": 3}, "5/3"),
    ("bandit", {"pulls": 5}, "26/9"),
    ("bandit", {"pulls": 10}, "16861/2800"),
    ("bandit", {"pulls": 16}, "298272833/30270240"),
    (
        "hog",
        {"goal": 10, "most": 3},
        "324628284355788547438506248421103/481229803398374426442198455156736",
    ),
]


def set_to(name, settings):
    """A bundled game, or one of the files here, with its parameters set."""
    path = next((str(path) for path in FILES if path.stem == name), name)
    return gametree.load(path, **{key: str(value) for key, value in settings.items()})


@pytest.mark.parametrize(
    ("name", "settings", "value"), EXACT, ids=[f"{n} {s or ''}" for n, s, _ in EXACT]
)
def test_a_bundled_game_has_the_value_computed_elsewhere(name, settings, value):
    assert_close(set_to(name, settings).evaluate(), value)


LARGE = [
    ("2048-2x2", {"rows": 3, "target": 5}, 0.9998967634246633),
    ("2048-2x2", {"rows": 3, "target": 6}, 0.9392636924308086),
    ("yahtzee-small", {"sheet": [13, 12, 11]}, 47.23764725187061),
    ("yahtzee-small", {"sheet": [1, 2, 3]}, 15.215186473691851),
    ("yahtzee", {"sheet": [1, 2]}, 16.754955416455402),
    ("yahtzee", {"sheet": [1, 2, 3]}, 24.7019374035366),
    ("hog", {"goal": 20, "most": 6}, 0.5981473394816713),
    ("hog", {"goal": 50, "most": 6}, 0.5556979564273109),
    ("pig-race", {"target": 100}, 0.5338613876961487),
    ("bandit", {"pulls": 36}, 22.832802509358732),
    ("red-black-cards", {"cards": 300}, 9.018086894484938),
    ("chow-robbins", {"n": 450}, 0.7897935018519592),
    ("dice-nim", {"n": 20}, 0.500000001945618),
    ("cant-stop", {"turns": 5}, 0.7463235506020001),
    ("cant-stop", {"turns": 8}, 0.983051977528085),
    ("cant-stop", {"turns": 60, "win": 0, "each_turn": 1}, -4.928306177380092),
]


@pytest.mark.parametrize(
    ("name", "settings", "value"), LARGE, ids=[f"{n} {s}" for n, s, _ in LARGE]
)
def test_machine_code_gives_the_value_computed_elsewhere(name, settings, value):
    """Within its own bound; the exact engine is not asked."""
    pytest.importorskip("llvmlite")
    from gametree.compiler.native.engine import unfold_native
    from gametree.evaluator.fast import solve_arrays

    game = set_to(name, settings)
    behaviour = game.behaviour("expectiminimax")
    answer = game.answer(solve_arrays(unfold_native(game.program), behaviour))

    assert answer.error_bound < 1e-10
    assert_close(answer, value)


def random_tree(seed, width, depth):
    """A tree whose weights and payoffs come from a linear congruential generator, in preorder."""

    def draw():
        nonlocal seed
        seed = (1103515245 * seed + 12345) % 2**31
        return seed >> 16

    def node(level):
        if level == depth:
            return str(draw() % 21 - 10)
        kind = ("max", "chance", "min", "chance")[level % 4]
        weights = [str(1 + draw() % 5) for _ in range(width)] if kind == "chance" else []
        children = [node(level + 1) for _ in range(width)]
        if kind == "chance":
            return {
                kind: [{"weight": w, "then": c} for w, c in zip(weights, children, strict=True)]
            }
        return {kind: children}

    return {"game": "random", "root": node(0)}


@pytest.mark.parametrize(
    ("seed", "width", "depth", "value"),
    [
        (1, 3, 4, "-6898/1485"),
        (2, 3, 4, "-104/105"),
        (3, 3, 4, "-23/96"),
        (4, 3, 4, "-961/392"),
        (5, 3, 4, "237/308"),
        (1, 2, 8, "-7097/6720"),
        (2, 2, 8, "-507/980"),
        (3, 2, 8, "-97801/61740"),
    ],
)
def test_random_trees_have_the_values_computed_elsewhere(seed, width, depth, value):
    raw = json.dumps(random_tree(seed, width, depth)).encode()
    answer = Game.from_document(read_bytes("random.json", raw, "json").document).evaluate()

    assert answer.value == Fraction(value)
    assert answer.size.nodes == (width ** (depth + 1) - 1) // (width - 1)


def test_a_large_random_tree_has_the_value_computed_elsewhere():
    raw = json.dumps(random_tree(1, 4, 8)).encode()
    answer = Game.from_document(read_bytes("random.json", raw, "json").document).evaluate()

    assert float(answer.value) == pytest.approx(-2.434198973656518, abs=1e-13)
    assert answer.size.nodes == 87_381
