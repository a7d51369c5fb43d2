"""A tree written out goes straight to its DAG: the same one that the compiler makes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from gametree.compiler.check import check
from gametree.compiler.dag import Dag
from gametree.compiler.explicit import explicit_dag
from gametree.compiler.unfold import unfold
from gametree.evaluator.behaviour import ALGORITHMS, with_play
from gametree.evaluator.levels import solve_levels
from gametree.evaluator.solve import solve
from gametree.spec.document import Document
from gametree.spec.reader import bundled, read_bytes
from hypothesis import given

from .strategies import games

RANDOM = {"chance": "random", "max": "worst", "min": "random"}
BEHAVIOURS = [*ALGORITHMS.values(), with_play(ALGORITHMS["minimax"], RANDOM)]


def document(data: object) -> Document:
    reading = read_bytes("game.json", json.dumps(data).encode(), "json")
    assert reading.document is not None
    return reading.document


def compiled(game: Document) -> Dag:
    program = check(game).program
    assert program is not None
    return unfold(program)


def told(dag: Dag) -> list[object]:
    """All that a DAG says, node by node."""
    odds = [
        [dag.probability(node, edge) for edge in dag.edges(node)] if dag.kind[node] == 3 else []
        for node in range(len(dag))
    ]
    labels = [origin.labels() for origin in dag.origin]
    return [bytes(dag.kind), list(dag.first), list(dag.child), list(dag.offset), odds, labels]


@given(games(4))
def test_a_tree_is_the_same_both_ways(data):
    game = document(data)
    straight = explicit_dag(game)

    assert straight is not None
    assert told(straight) == told(compiled(game))
    assert straight.size() == compiled(game).size()
    for behaviour in BEHAVIOURS:
        ours, theirs = (solve(dag, behaviour) for dag in (straight, compiled(game)))
        assert all_of(ours) == all_of(theirs)


@pytest.mark.parametrize("labels", [("0.9", "0.1"), ("1/3", "2/3"), ("60%", "40%")])
def test_labels_that_look_like_odds_are_left_to_the_checks(labels):
    """Which warn of them; other numbers may be labels."""
    root = {"chance": dict.fromkeys(labels, "1")}
    assert explicit_dag(document({"game": "x", "root": root})) is None

    root = {"chance": dict.fromkeys((*labels, "5"), "1")}
    assert explicit_dag(document({"game": "x", "root": root})) is not None


def all_of(solution):
    """Every value and every choice."""
    values = [solution.value(node) for node in range(len(solution.dag))]
    return values, list(solution.chosen), len(solution.chosen), len(solution.pairs)


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=str)
def test_large_numbers_are_solved_the_general_way(behaviour):
    """A common denominator of all payoffs may be far too long; the answers are the same."""
    payoffs = [f"{i}/{p}" for i, p in enumerate(primes(150))]
    root = {"chance": [{"p": "1/97", "then": {"min": payoffs}}, {"p": "rest", "max": payoffs}]}
    game = document({"game": "x", "root": root})
    straight = explicit_dag(game)

    assert straight is not None
    assert solve_levels(straight, behaviour) is None
    assert all_of(solve(straight, behaviour)) == all_of(solve(compiled(game), behaviour))


def primes(count):
    """The first prime numbers."""
    found = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


@pytest.mark.parametrize(
    "root",
    [
        "fee",
        "2 * 3",
        {"max": []},
        {"max": ["010"]},
        {"max": {"for x in 1..3": "x"}},
        {"max": ["1"], "min": ["2"]},
        {"max": ["1"], "cost": "3"},
        {"label": "a", "max": ["1"]},
        {"chance": {"a": {"p": "1/3", "then": "1"}, "b": {"p": "1/3", "then": "2"}}},
        {"chance": {"a": {"p": "0", "then": "1"}, "b": {"p": "1", "then": "2"}}},
        {"chance": [{"p": "2", "then": "1"}, {"p": "-1", "then": "1"}]},
        {"chance": [{"p": "1/2", "weight": "1", "then": "1"}, "2"]},
        {"max": [{"p": "1/2", "then": "1"}]},
    ],
    ids=str,
)
def test_whatever_is_more_than_a_tree_is_left_to_the_compiler(root):
    """Names, loops, fees, outcomes that are not visited, and every mistake."""
    assert explicit_dag(document({"game": "x", "root": root})) is None


def test_a_bundled_tree_needs_no_compiler():
    """The start of a small command is most of its time."""
    program = (
        "import sys, gametree; gametree.load('dice').evaluate(); "
        "print([m for m in ('check', 'unfold', 'nodes') if f'gametree.compiler.{m}' in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert bundled("dice")
    assert done.stdout.strip() == "[]"
