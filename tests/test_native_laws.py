"""The fast engine agrees with the exact one: on random games of every construct."""

from __future__ import annotations

from fractions import Fraction

import pytest
from gametree.compiler.dag import Kind
from gametree.compiler.unfold import Limits, unfold
from gametree.evaluator.behaviour import ALGORITHMS
from gametree.evaluator.fast import solve_arrays
from gametree.evaluator.game import Game
from gametree.evaluator.solve import solve
from gametree.spec.diagnostics import SpecError
from gametree.spec.reader import bundled, bundled_names, read_bytes, read_path
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .native_strategies import native_games

pytest.importorskip("llvmlite")

from gametree.compiler.native.engine import Unsure, unfold_native
from gametree.compiler.native.values import Unsupported

LIMITS = Limits(states=20_000, work=3_000_000)
PLAYS = [
    {},
    {"max": "worst"},
    {"max": "random", "min": "worst"},
    {"max": "mistake:1/7", "min": "mistake:0.3"},
    {"chance": "random"},
    {"chance": "worst"},
]


def game_in(text):
    reading = read_bytes("game.yaml", text.encode(), "yaml")
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document)


def both_dags(game, at=None):
    """The game unfolded by both engines, or not at all where one cannot."""
    try:
        exact = unfold(game.program, at=at, limits=LIMITS)
    except SpecError:
        assume(False)
        raise
    try:
        return exact, unfold_native(game.program, at=at, limits=LIMITS)
    except (Unsure, Unsupported):
        assume(False)
        raise


def largest(exact):
    """The largest value of any node: what errors are to be measured by."""
    return max([1.0, *(abs(float(exact.value(node))) for node in range(len(exact.dag)))])


def near(found, value, bound):
    return abs(Fraction(found) - value) <= Fraction(bound)


def agree(game, exact_dag, fast_dag, algorithm, play):
    """Values within the bound, the same best moves, the same states."""
    behaviour = game.behaviour(algorithm, play)
    exact, fast = solve(exact_dag, behaviour), solve_arrays(fast_dag, behaviour)
    scale = largest(exact)
    assert near(fast.value(0), exact.value(0), fast.error_bound(0))
    assert fast.error_bound(0) <= 1e-7 * scale
    one, other = game.answer(exact), game.answer(fast)
    assert [b.label for b in one.branches] == [b.label for b in other.branches]
    for a, b in zip(one.branches, other.branches, strict=True):
        assert abs(float(a.value) - b.value) <= 1e-7 * scale
        assert a.p is None or abs(a.p - b.p) < 1e-12
    assert set(one.best) <= set(other.best)
    for node in game.program.nodes.values():
        values = {tuple(s): exact.value(int(n)) for n, s in pairs(exact_dag, node)}
        found = {tuple(s): int(n) for n, s in pairs(fast_dag, node)}
        assert set(values) == set(found)
        for state, value in values.items():
            assert near(fast.value(found[state]), value, fast.error_bound(found[state]))


def pairs(dag, node):
    return zip(*dag.states_of(node), strict=True)


def origins(dag):
    """What choices are called and where they came from, in no order."""
    return sorted(
        (
            int(dag.kind[node]),
            tuple(dag.origin[node].labels()),
            tuple(sorted((named.name, env) for named, env in dag.origin[node].states)),
        )
        for node in range(len(dag))
        if dag.kind[node] in {Kind.MAX, Kind.MIN, Kind.CHANCE}
    )


@settings(deadline=None, max_examples=60)
@given(native_games(), st.sampled_from(sorted(ALGORITHMS)), st.sampled_from(PLAYS))
def test_random_games_have_the_same_values(text, algorithm, play):
    game = game_in(text)
    exact, fast = both_dags(game)

    assert fast.size() == exact.size()
    agree(game, exact, fast, algorithm, play)


@settings(deadline=None, max_examples=25)
@given(native_games())
def test_random_games_have_the_same_labels_and_states(text):
    game = game_in(text)
    exact, fast = both_dags(game)

    assert origins(fast) == origins(exact)


@settings(deadline=None, max_examples=15)
@given(native_games(), st.sampled_from(["1/10", "2", "50"]))
def test_softmax_is_the_same_within_the_bounds(text, temperature):
    game = game_in(text)
    exact, fast = both_dags(game)
    behaviour = game.behaviour("expectiminimax", {"max": f"softmax:{temperature}"})
    slow, quick = (
        solve(exact, behaviour, numbers="float"),
        solve_arrays(fast, behaviour),
    )

    assert abs(slow.value(0) - quick.value(0)) <= slow.error_bound(0) + quick.error_bound(0)


@settings(deadline=None, max_examples=25)
@given(native_games())
def test_mistakes_of_states_are_found_by_both(text):
    """Where one engine finds fault, the other does, and says the same or less."""
    game = game_in(text)
    try:
        unfold(game.program, limits=LIMITS)
        exact = set()
    except SpecError as error:
        exact = {(found.code, found.place.start) for found in error.diagnostics}
    try:
        unfold_native(game.program, limits=LIMITS)
        fast = set()
    except SpecError as error:
        fast = {(found.code, found.place.start) for found in error.diagnostics}
    except (Unsure, Unsupported):
        return
    assert fast <= exact
    assert bool(fast) is bool(exact)


SMALLER = {  # parameters with which the exact engine can do them in a moment, or which make a difference
    "push-to-21": [{"target": "7"}, {"target": "60"}],
    "pig-race": [{"target": "6"}, {"target": "12"}],
    "hog": [{"goal": "12", "most": "3"}],
    "dots-and-boxes": [{"rows": "1"}],
    "yahtzee-small": [{"sheet": "[11, 12]", "size": "3"}],
    "red-black-cards": [{"cards": "5"}],
    "blackjack": [{"doubling": "true"}, {"peek": "false"}],
}


def cases():
    names = bundled_names()
    for name in names:
        yield pytest.param(name, {}, id=name)
    for name in (name for name in SMALLER if name in names):
        for settings_ in SMALLER[name]:
            yield pytest.param(name, settings_, id=f"{name} {settings_}")


@pytest.mark.parametrize(("name", "parameters"), list(cases()))
def test_bundled_games_have_the_same_values(name, parameters):
    document = read_path(str(bundled(name))).document
    game = Game.from_document(document, parameters)
    try:
        exact = unfold(game.program, limits=Limits(states=6_000))
    except SpecError:
        pytest.skip("too large for the exact engine in a test")
    try:
        fast = unfold_native(game.program)
    except (Unsupported, Unsure) as problem:
        pytest.skip(f"left to the exact engine: {problem}")

    assert fast.size() == exact.size()
    assert origins(fast) == origins(exact)
    for algorithm in ALGORITHMS:
        agree(game, exact, fast, algorithm, {})
    for play in PLAYS:
        agree(game, exact, fast, "expectiminimax", play)
