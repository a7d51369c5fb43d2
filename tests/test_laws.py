"""Laws of evaluation, on random games: against a slow evaluator, and against themselves."""

from __future__ import annotations

import json
from array import array
from fractions import Fraction

import pytest
from gametree.compiler.dag import Kind
from gametree.evaluator.behaviour import ALGORITHMS as PRESETS
from gametree.evaluator.game import Game
from gametree.spec.reader import read_bytes
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from .game_strategies import stateful_games
from .oracle import ALGORITHMS, EXPECTIMINIMAX, PLAYS, Oracle
from .strategies import games

LAW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def game_of(data):
    """A game from plain data."""
    reading = read_bytes("random.json", json.dumps(data).encode(), "json")
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document)


def game_in(text, notation="yaml"):
    reading = read_bytes("game." + notation, text.encode(), notation)
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document)


def recursive_value(node, rules):
    """The ten-line evaluator of explicit trees."""
    if isinstance(node, str):
        return Fraction(node)
    if "then" in node:
        return recursive_value(node["then"], rules)
    [kind] = {"max", "min", "chance"} & set(node)
    items = list(node[kind].values()) if isinstance(node[kind], dict) else node[kind]
    said = [item.get("p", item.get("weight")) if isinstance(item, dict) else None for item in items]
    left = 1 - sum(Fraction(p) for p in said if p not in {None, "rest"})
    odds = [1 if p is None else left if p == "rest" else Fraction(p) for p in said]
    return rules[kind]([recursive_value(item, rules) for item in items], odds)


def mapped(node, function):
    """The tree with ``function`` applied to every payoff."""
    if isinstance(node, str):
        return str(function(Fraction(node)))
    if isinstance(node, list):
        return [mapped(item, function) for item in node]
    odds = {"p", "weight"}
    return {key: item if key in odds else mapped(item, function) for key, item in node.items()}


def invariants(dag):
    """What holds of every DAG."""
    edges = 0
    assert len(dag.kind) == len(dag.divisor) == len(dag.offset) == len(dag.origin) == len(dag)
    assert dag.first[0] == 0
    assert dag.first[len(dag)] == len(dag.child) == len(dag.weight)
    assert isinstance(dag.child, array)
    for node in range(len(dag)):
        children = list(dag.children(node))
        edges += len(children)
        assert all(child > node for child in children)
        assert (dag.kind[node] == Kind.TERMINAL) is (not children)
        weights = [dag.weight[edge] for edge in dag.edges(node)]
        if dag.kind[node] == Kind.CHANCE:
            assert all(type(weight) is int and weight > 0 for weight in weights)
            assert sum(weights) == dag.divisor[node]
            assert sum(dag.probability(node, edge) for edge in dag.edges(node)) == 1
        else:
            assert dag.divisor[node] == 1
        if dag.kind[node] in {Kind.MAX, Kind.MIN}:
            assert weights == [1] * len(children)
        if dag.kind[node] in {Kind.MAX, Kind.MIN, Kind.CHANCE}:
            assert len(dag.origin[node].labels()) == len(children)
    reached = {0}
    for node in range(len(dag)):
        if node in reached:
            reached |= set(dag.children(node))
    assert len(reached) == len(dag)
    size = dag.size()
    assert (size.nodes, size.edges) == (len(dag), edges)
    assert size.terminals == dag.kind.count(Kind.TERMINAL)


def states_of(dag):
    return {(node.name, *env) for origin in dag.origin for node, env in origin.states}


# --- against slow evaluators -----------------------------------------------------------------


@LAW
@given(games(), st.sampled_from(sorted(ALGORITHMS)))
def test_explicit_trees_have_the_value_of_ten_lines_of_recursion(data, algorithm):
    answer = game_of(data).evaluate(algorithm)

    assert answer.value == recursive_value(data["root"], ALGORITHMS[algorithm])
    assert answer.error_bound == 0.0


@LAW
@given(games(), st.sampled_from(sorted(PLAYS)), st.sampled_from(["max", "min", "chance"]))
def test_behaviours_have_the_value_of_ten_lines_of_recursion(data, play, kind):
    answer = game_of(data).evaluate(play={kind: play})

    rules = {**EXPECTIMINIMAX, kind: PLAYS[play][kind]}
    assert answer.value == recursive_value(data["root"], rules)


@LAW
@given(stateful_games(), st.sampled_from(sorted(ALGORITHMS)))
def test_games_with_state_agree_with_an_interpreter_of_the_document(data, algorithm):
    game = game_of(data)
    oracle = Oracle(data, ALGORITHMS[algorithm])
    answer = game.evaluate(algorithm)

    assert answer.value == oracle.value()
    assert [branch.value for branch in answer.branches] == oracle.branches()
    assert {tuple(state) for state in oracle.states} == states_of(game.dag())


@LAW
@given(stateful_games(), st.sampled_from(sorted(PLAYS)), st.sampled_from(["max", "min", "chance"]))
def test_behaviours_agree_with_an_interpreter_of_the_document(data, play, kind):
    rules = {**EXPECTIMINIMAX, kind: PLAYS[play][kind]}

    assert game_of(data).evaluate(play={kind: play}).value == Oracle(data, rules).value()


@LAW
@given(st.one_of(games(), stateful_games()))
def test_every_dag_keeps_its_promises(data):
    invariants(game_of(data).dag())


@LAW
@given(st.one_of(games(), stateful_games()))
def test_the_principal_line_ends_at_the_value(data):
    """Where every node chooses and nothing is added, the line leads to a payoff of the value."""
    game = game_of(data)
    solution = game.solution(algorithm="minimax")
    dag, node, line = solution.dag, 0, list(game.answer(solution).line)
    for label in line:
        assert (
            solution.value(node)
            == solution.value(dag.child[solution.chosen[node][0]]) + dag.offset[node]
        )
        assert label == dag.origin[node].labels()[solution.chosen[node][0] - dag.first[node]]
        node = dag.child[solution.chosen[node][0]]
        while dag.kind[node] == Kind.SUM and len(dag.edges(node)) == 1:
            node = dag.child[dag.first[node]]
    assert not solution.chosen[node]


# --- floats ----------------------------------------------------------------------------------


def within_bound(game, **how):
    exact, rounded = game.solution(numbers="exact", **how), game.solution(numbers="float", **how)
    for node in range(len(exact.dag)):
        error = abs(Fraction(rounded.value(node)) - exact.value(node))
        assert error <= Fraction(rounded.error_bound(node)), (node, exact.value(node))


@LAW
@given(
    st.one_of(games(), stateful_games()),
    st.sampled_from(sorted(ALGORITHMS)),
    st.sampled_from(["optimal", "worst", "random", "mistake:1/3"]),
)
def test_floats_are_off_by_no_more_than_they_say(data, algorithm, play):
    within_bound(game_of(data), algorithm=algorithm, play={"max": play})


near = st.builds(
    lambda base, a, b, c: str(Fraction(base) + Fraction(a, 3 * 10**b) + Fraction(c, 10**17)),
    st.sampled_from([0, 1, -1, 10**16, -(10**16), Fraction(1, 3)]),
    st.integers(-2, 2),
    st.integers(14, 18),
    st.integers(-9, 9),
)


@st.composite
def cancelling(draw, depth=3):
    """Trees whose payoffs are huge and of both signs, or almost equal."""
    if depth == 0:
        return draw(near)
    kind = draw(st.sampled_from(["max", "min", "chance"]))
    return {kind: draw(st.lists(cancelling(depth=depth - 1), min_size=1, max_size=3))}


@LAW
@given(cancelling(), st.sampled_from(["optimal", "mistake:1/7"]))
def test_floats_know_when_they_cannot_tell_branches_apart(tree, play):
    """Near ties and cancellations: the bound holds whichever branch is the best in truth."""
    within_bound(game_of({"game": "near", "root": tree}), play={"max": play, "min": play})


def test_payoffs_next_to_zero_have_a_bound():
    within_bound(game_of({"game": "tiny", "root": {"chance": ["1e-400", "3e-320", "1e-323", "0"]}}))


@LAW
@given(cancelling(), st.sampled_from(["1/1000", "1", "1e6", "1e-300", "1e300"]))
def test_softmax_lies_between_its_branches(tree, temperature):
    answer = game_of({"game": "soft", "root": {"max": [tree, "0"]}}).evaluate(
        play={"max": f"softmax:{temperature}", "min": "random"}
    )
    values = [branch.value for branch in answer.branches]

    assert answer.numbers == "float"
    assert min(values) - answer.error_bound <= answer.value <= max(values) + answer.error_bound


# --- sharing ---------------------------------------------------------------------------------


def with_aliases(node, seen):
    """The tree in YAML's flow style, equal blocks written once and named by aliases after that."""
    if isinstance(node, str):
        return node
    text = json.dumps(node)
    if text in seen:
        return f"*{seen[text]}"
    seen[text] = name = f"n{len(seen)}"
    inner = dict(node)
    parts = []
    for key, item in inner.items():
        if key in {"p", "weight"}:
            parts.append(f"{key}: {item}")
        elif isinstance(item, dict) and key in {"max", "min", "chance"}:
            rows = ", ".join(
                f"{label}: {with_aliases(branch, seen)}" for label, branch in item.items()
            )
            parts.append(f"{key}: {{{rows}}}")
        elif isinstance(item, list):
            parts.append(f"{key}: [{', '.join(with_aliases(branch, seen) for branch in item)}]")
        else:
            parts.append(f"{key}: {with_aliases(item, seen)}")
    return f"&{name} {{{', '.join(parts)}}}"


@LAW
@given(games(depth=4), st.sampled_from(sorted(ALGORITHMS)))
def test_aliases_merge_nodes_and_change_no_value(data, algorithm):
    plain = game_of(data)
    shared = game_in(f"game: shared\nroot: {with_aliases(data['root'], {})}\n")

    assert shared.evaluate(algorithm).value == plain.evaluate(algorithm).value
    assert len(shared.dag()) <= len(plain.dag())
    invariants(shared.dag())


@LAW
@given(games(depth=2))
def test_a_named_node_is_one_node_however_often_it_is_called(data):
    assume(not isinstance(data["root"], str))
    once = game_of(data)
    node = data["root"]
    twice = game_of(
        {"game": "twice", "nodes": {"part": node}, "root": {"chance": ["part", "part", "part"]}}
    )
    copied = game_of({"game": "copied", "root": {"chance": [node, node, node]}})

    assert twice.evaluate().value == copied.evaluate().value == once.evaluate().value
    assert len(twice.dag()) == len(once.dag()) + 1
    assert len(copied.dag()) == 3 * len(once.dag()) + 1


def test_an_alias_is_one_node_for_each_state_it_depends_on():
    game = game_in("""\
game: shared
nodes:
  f(n, m):
    max:
      a: &part {chance: [n, 2]}
      b: *part
root: {max: ["f(1, 1)", "f(1, 2)", "f(2, 1)"]}
""")
    kinds = game.dag().kind

    assert kinds.count(Kind.CHANCE) == 2  # for n = 1 and n = 2; m makes no difference
    assert game.evaluate().value == 2


# --- maps of the payoffs ---------------------------------------------------------------------


@LAW
@given(games(), st.fractions(-3, 3, max_denominator=7), st.fractions(0, 5, max_denominator=7))
def test_an_affine_map_of_the_payoffs_maps_the_value(data, shift, scale):
    moved = {"game": "moved", "root": mapped(data["root"], lambda x: scale * x + shift)}

    before, after = game_of(data).evaluate(), game_of(moved).evaluate()
    assert after.value == scale * before.value + shift
    if scale:
        assert after.best == before.best


@LAW
@given(games())
def test_an_order_keeping_map_keeps_the_move_of_minimax(data):
    moved = {"game": "moved", "root": mapped(data["root"], lambda x: x**3 + x)}

    before, after = (game_of(d).evaluate("minimax") for d in (data, moved))
    assert after.best == before.best
    assert after.line == before.line
    assert after.value == before.value**3 + before.value


@LAW
@given(games())
def test_turning_every_sign_and_every_kind_turns_the_value(data):
    def turned(node):
        if isinstance(node, str):
            return str(-Fraction(node))
        if isinstance(node, list):
            return [turned(item) for item in node]
        other = {"max": "min", "min": "max"}
        return {other.get(k, k): v if k in {"p", "weight"} else turned(v) for k, v in node.items()}

    # labels A, B, C are no kinds of node, so turning keys is safe
    other = game_of({"game": "turned", "root": turned(data["root"])})
    assert other.evaluate().value == -game_of(data).evaluate().value


# --- size ------------------------------------------------------------------------------------


def test_a_chain_of_200_000_states():
    """No recursion anywhere: each state leads to the next, and the last to a payoff."""
    game = game_in("""\
game: chain
nodes:
  "walk(n: 0..200000)": {if: n == 0, then: 7, else: {max: {go: walk(n - 1)}}}
root: walk(200000)
""")
    answer = game.evaluate(numbers="exact")

    assert answer.value == 7
    assert (answer.size.nodes, answer.size.depth, len(answer.line)) == (200_001, 200_000, 200_000)


def test_a_chain_of_200_000_rewards():
    game = game_in(
        "game: chain\nnodes: {'walk(n)': 'if n == 0 then 0 else 1 + walk(n - 1)'}\nroot: walk(200000)\n"
    )

    answer = game.evaluate(numbers="exact")
    assert answer.value == 200_000
    assert answer.size.nodes == 200_001


def test_a_state_that_is_another_state_takes_no_node():
    """Two hundred thousand calls come to the one payoff at their end."""
    game = game_in(
        "game: chain\nnodes: {'walk(n)': 'if n == 0 then 3 else walk(n - 1)'}\nroot: walk(200000)\n"
    )

    answer = game.evaluate(numbers="exact")
    assert (answer.value, answer.size.nodes) == (3, 1)
    assert len(game.dag(numbers="exact").origin[0].states) == 200_001


def test_a_tree_of_65_536_leaves():
    """Eight levels of four, alternating between the kinds."""
    levels, leaves = ["max", "chance", "min", "chance"] * 2, 4**8

    def tree(level, number):
        if level == 8:
            return str(number * 7 % 101)
        return {levels[level]: [tree(level + 1, number * 4 + i) for i in range(4)]}

    root = tree(0, 0)
    answer = game_of({"game": "wide", "root": root}).evaluate(numbers="exact")

    assert answer.value == recursive_value(root, EXPECTIMINIMAX)
    assert answer.size.terminals == leaves
    assert answer.size.nodes == sum(4**level for level in range(9))
    assert answer.size.depth == 8


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_algorithm_is_compared(name):
    assert name in ALGORITHMS
