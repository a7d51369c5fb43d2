"""The size of a game, as a graph and as the tree that it stands for."""

from __future__ import annotations

import json
import math
from collections import Counter

import gametree
import pytest
from gametree.evaluator import engines, statistics_arrays
from gametree.evaluator import statistics as module
from gametree.evaluator.game import Game
from gametree.evaluator.statistics import Count, statistics
from gametree.render.statistics import statistics_json, statistics_text
from gametree.spec.document import Document
from gametree.spec.reader import read_bytes
from gametree.spec.source import Source
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .game_strategies import stateful_games
from .strategies import games

DOUBLING = """\
game: doubling
params: {{n: {n}}}
nodes:
  "f(n: 0..{n})": {{if: n == 0, then: 1, else: {{max: {{a: f(n - 1), b: f(n - 1)}}}}}}
root: f(n)
"""


def game_in(text):
    return Game.from_document(read_bytes("x.yaml", text.encode(), "yaml").document)


MOST = 20_000  # nodes of a tree that is unrolled


def unrolled(dag):
    """The tree, node by node: for each depth the number of branches of each of its nodes."""
    levels, layer = [], [0]
    while layer and sum(map(len, levels)) <= MOST:
        levels.append([len(dag.edges(node)) for node in layer])
        layer = [child for node in layer for child in dag.children(node)]
    return levels


def check(dag):
    tree = unrolled(dag)
    if sum(map(len, tree)) > MOST:
        return False
    found = statistics(dag)

    assert found.complete
    assert found.size == dag.size()
    assert found.nodes.exact == sum(map(len, tree))
    assert found.terminals.exact == sum(level.count(0) for level in tree)
    assert sum(found.kinds.values()) == found.size.nodes
    assert len(found.levels) == len(tree) == found.size.depth + 1
    for level, counts in zip(found.levels, tree, strict=True):
        inner = [count for count in counts if count]
        assert (level.nodes, level.terminals) == (len(counts), counts.count(0))
        assert level.edges == sum(counts)
        assert (level.least, level.most) == (min(inner, default=0), max(inner, default=0))
        assert level.mean == (sum(inner) / len(inner) if inner else 0)
    return True


@settings(max_examples=40)
@given(st.one_of(games(depth=4), stateful_games()))
def test_counts_are_those_of_the_tree_unrolled(data):
    """Node by node, level by level, against a tree that is written out."""
    assume(check(Game.from_document(Document(Source("made", ""), "yaml", data, dict)).dag()))


def test_tic_tac_toe_has_as_many_nodes_as_everybody_says():
    """255,168 games in 549,946 nodes, from 5,478 positions."""
    found = statistics(gametree.load("tic-tac-toe").dag())

    assert (found.size.nodes, found.nodes.exact) == (5_478, 549_946)
    assert found.terminals.exact == 255_168
    assert [level.most for level in found.levels] == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize("n", [1, 100, 5000, 9000])
def test_a_chain_of_n_doublings_has_a_tree_of_two_to_the_n(n):
    """2**(n + 1) - 1 nodes and 2**n terminals: more than 10**30, and more than a digit holds."""
    found = statistics(game_in(DOUBLING.format(n=n)).dag(numbers="exact"))

    assert found.size.nodes == n + 1
    assert found.nodes.exact == 2 ** (n + 1) - 1
    assert found.terminals.exact == 2**n
    assert found.nodes.log10 == pytest.approx((n + 1) * math.log10(2), rel=1e-12, abs=1)
    assert [level.nodes for level in found.levels] == [2**depth for depth in range(n + 1)]


def test_machine_code_counts_the_same(monkeypatch):
    exact = statistics(gametree.load("tic-tac-toe").dag())
    monkeypatch.setattr(engines, "EXACT_NODES", 50)
    dag = gametree.load("tic-tac-toe").dag()
    assert type(dag).__name__ == "ArrayDag"

    assert statistics(dag) == exact
    found = statistics(game_in(DOUBLING.format(n=300)).dag())
    assert found.nodes.exact == 2**301 - 1
    assert found.terminals.exact == 2**300
    assert found.complete


def test_a_tree_that_is_too_large_to_count_has_a_logarithm(monkeypatch):
    monkeypatch.setattr(module, "_WORK", 100)
    found = statistics(game_in(DOUBLING.format(n=9000)).dag(numbers="exact"))
    assert found.nodes.exact is None
    assert found.nodes.log10 == pytest.approx(9001 * math.log10(2), rel=1e-12)
    assert "≈ 10^2709.6" in statistics_text(found)
    assert statistics_json(found)["tree"]["nodes"]["count"] is None

    monkeypatch.setattr(engines, "EXACT_NODES", 50)
    monkeypatch.setattr(statistics_arrays, "_WORK", 100)
    found = statistics(game_in(DOUBLING.format(n=300)).dag())
    assert found.nodes == Count(None, pytest.approx(301 * math.log10(2), rel=1e-12))


def test_levels_end_where_they_would_take_too_long(monkeypatch):
    monkeypatch.setattr(module, "_LEVEL_WORK", 100)
    found = statistics(gametree.load("tic-tac-toe").dag())

    assert not found.complete
    assert [level.nodes for level in found.levels] == [1, 9]
    assert "… and more, down to depth 9" in statistics_text(found)


def test_sums_and_shared_terms_are_nodes_of_the_tree():
    """die() + die() is one sum over one die, twice in the tree."""
    dag = game_in("game: x\nnodes: {die: {chance: {for n in 1..6: n}}}\nroot: die + die").dag()
    found = statistics(dag)

    assert check(dag)
    assert found.kinds["sum"] == 1
    assert found.nodes.exact == 15


def test_the_text_says_what_sharing_saves():
    text = statistics_text(statistics(gametree.load("tic-tac-toe").dag()))
    alone = statistics_text(statistics(gametree.load("dice").dag()))

    assert "sharing saves 544,468 nodes: each stands for 100 of the tree, on average" in text
    assert "nothing is shared: the graph is the tree" in alone


def test_json_has_every_digit():
    found = statistics(game_in(DOUBLING.format(n=5000)).dag(numbers="exact"))
    data = json.loads(json.dumps(statistics_json(found)))
    tree = data["tree"]["nodes"]

    assert tree["count_float"] is None
    assert tree["log10"] == pytest.approx(1505.4, abs=0.1)
    assert len(tree["count"]) == 1506
    assert tree["count"].isdecimal()
    assert Counter(map(type, data["levels"][3].values())) == {int: 1, str: 2, dict: 1}


def test_the_option_adds_to_the_answer(run):
    said = run("eval", "tic-tac-toe", "--stats")
    data = json.loads(run("eval", "dice", "--stats", "--format", "json").stdout)

    assert said.returncode == 0
    assert "549,946" in said.stdout
    assert data["statistics"]["tree"]["nodes"]["count"] == "15"
    assert data["statistics"]["kinds"] == {"terminal": 8, "max": 1, "min": 4, "chance": 2}
    assert "statistics" not in json.loads(run("eval", "dice", "--format", "json").stdout)
