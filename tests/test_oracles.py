"""Games whose values are known from elsewhere come out exactly as known."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import gametree
import pytest
from gametree.evaluator.game import Game
from gametree.spec.reader import read_bytes

FILES = sorted((Path(__file__).parent / "oracles").iterdir())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_known_value_comes_out(path):
    game = gametree.load(str(path))
    expected = game.expectations()

    assert expected
    assert [(e.title, e.diagnostic and e.diagnostic.message) for e in expected if not e.ok] == []
    assert [warning.message for warning in game.warnings] == []


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
