"""Behaviours: how each kind of node plays, and how that is asked for."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from gametree.compiler.unfold import Limits, unfold
from gametree.evaluator.behaviour import ALGORITHMS, Rule, algorithm, parse_play, with_play
from gametree.evaluator.game import Game
from gametree.evaluator.solve import solve
from gametree.spec.diagnostics import SpecError, UsageError
from gametree.spec.reader import read_bytes

TEXT = b"""\
game: x
root:
  max:
    a: {min: [1, 4, 7]}
    b: {chance: {low: {p: 1/4, then: 0}, high: {p: rest, then: 4}}}
    c: 2
policies:
  last: {root: '"c"'}
"""


@pytest.fixture
def game():
    return Game.from_document(read_bytes("x.yaml", TEXT, "yaml").document)


@pytest.mark.parametrize(
    ("how", "value", "branches"),
    [
        ({}, "3", "1 3 2"),
        ({"algorithm": "minimax"}, "2", "1 0 2"),
        ({"algorithm": "expectimax"}, "4", "4 3 2"),
        ({"play": {"max": "worst"}}, "1", "1 3 2"),
        ({"play": {"max": "random"}}, "2", "1 3 2"),
        ({"play": {"min": "worst"}}, "7", "7 3 2"),
        ({"play": {"min": "random"}}, "4", "4 3 2"),
        ({"play": {"min": "mistake:1/2"}}, "3", "5/2 3 2"),
        ({"play": {"max": "mistake:0"}}, "3", "1 3 2"),
        ({"play": {"max": "mistake:1"}}, "2", "1 3 2"),
        ({"play": {"max": "mistake:30%"}}, "27/10", "1 3 2"),
        ({"play": {"chance": "optimal"}}, "4", "1 4 2"),
        ({"play": {"chance": "worst"}}, "2", "1 0 2"),
        ({"play": {"chance": "random"}}, "2", "1 2 2"),
        ({"play": {"chance": "expected"}, "algorithm": "minimax"}, "3", "1 3 2"),
        ({"play": {"max": "last"}}, "2", "1 3 2"),
        ({"play": {"max": "last", "min": "random"}}, "2", "4 3 2"),
        ({"play": {"max": "optimal", "min": "optimal"}}, "3", "1 3 2"),
    ],
)
def test_each_kind_plays_as_it_is_told(game, how, value, branches):
    answer = game.evaluate(**how)

    assert answer.value == Fraction(value)
    assert [branch.value for branch in answer.branches] == [Fraction(b) for b in branches.split()]


def test_softmax_weighs_branches_by_their_values(game):
    answer = game.evaluate(play={"max": "softmax:2"})
    weights = [math.exp(v / 2) for v in (1, 3, 2)]
    expected = sum(w * v for w, v in zip(weights, (1, 3, 2), strict=True)) / sum(weights)

    assert answer.value == pytest.approx(expected, abs=1e-14)
    assert answer.best == ()
    low = game.evaluate(play={"min": "softmax:1/100"}).branches[0].value
    assert low == pytest.approx(1, abs=1e-12)


LADDER = b"""\
game "ladder"
param n = 300
node rung(i: 0..n) = min { stop: i * 7 % 11 / 3, up if i < n: lift(i), fee: 4 }
node lift(i: 0..n) = chance { on @ 2/3: rung(i + 1), off @ rest: 2 }
root rung(0)
"""


def ladder(temperature):
    """Its value in decimals of 60 digits, from the last rung down."""
    with localcontext(Context(prec=60)):
        t = Decimal(temperature.numerator) / temperature.denominator
        above = None
        for i in range(300, -1, -1):
            values = [Decimal(i * 7 % 11) / 3, Decimal(4)]
            values += [] if above is None else [(2 * above + 2) / 3]
            powers = [(min(values) - value) / t for value in values]
            odds = [power.exp() if power > -10_000 else Decimal(0) for power in powers]
            above = sum(o * v for o, v in zip(odds, values, strict=True)) / sum(odds)
        return Fraction(above)


@pytest.mark.parametrize("temperature", ["1e-300", "1e-9", "1/20", "3/10", "2", "1000"])
@pytest.mark.parametrize("native", [False, True])
def test_the_bound_of_softmax_holds_and_is_of_use_at_any_depth(native, temperature):
    game = Game.from_document(read_bytes("x.tree", LADDER, "text").document)
    behaviour = game.behaviour("expectiminimax", {"min": f"softmax:{temperature}"})
    if native:
        pytest.importorskip("numba")
        from gametree.compiler.native.engine import unfold_native
        from gametree.evaluator.fast import solve_arrays

        found = solve_arrays(unfold_native(game.program, limits=Limits()), behaviour)
    else:
        found = solve(unfold(game.program), behaviour, numbers="float")

    assert abs(Fraction(found.value(0)) - ladder(Fraction(temperature))) <= found.error_bound(0)
    assert found.error_bound(0) < 1e-12


def test_a_player_who_makes_mistakes_still_has_a_best_branch(game):
    answer = game.evaluate(play={"max": "mistake:1/3"})

    assert answer.best == ("b",)
    assert answer.line == ("b",)


@pytest.mark.parametrize("play", ["random", "softmax:1"])
def test_a_player_who_averages_chooses_nothing(game, play):
    answer = game.evaluate(play={"max": play})

    assert answer.best == answer.line == ()


def test_exact_numbers_are_refused_to_softmax(game):
    with pytest.raises(UsageError, match="softmax"):
        game.evaluate(play={"max": "softmax:1"}, numbers="exact")


@pytest.mark.parametrize(
    ("plays", "said"),
    [
        ({"max": "optimum"}, "did you mean `optimal`"),
        ({"max": "expected"}, "expected"),
        ({"mx": "random"}, "did you mean `max`"),
        ({"max": "softmax"}, "softmax"),
        ({"max": "softmax:-1"}, "above 0"),
        ({"max": "softmax:hot"}, "hot"),
        ({"max": "mistake:101%"}, "between 0 and 1"),
        ({"chance": "last"}, "last"),
        ({"max": ""}, "the behaviours are"),
    ],
)
def test_wrong_behaviours_say_what_is_right(plays, said):
    with pytest.raises(UsageError) as caught:
        with_play(ALGORITHMS["minimax"], plays, ["last"])

    assert said in str(caught.value)


def test_plays_are_read_from_the_command_line():
    assert parse_play(["min=random", " max = softmax:0.5"]) == {
        "min": "random",
        "max": "softmax:0.5",
    }
    for wrong in (["min"], ["min=random", "min=worst"]):
        with pytest.raises(UsageError):
            parse_play(wrong)


def test_algorithms_are_known_by_name():
    assert algorithm("minimax").chance.rule is Rule.LOWEST
    with pytest.raises(UsageError, match="did you mean `expectimax`"):
        algorithm("expectmax")
    with pytest.raises(UsageError, match="`alpha-beta` is a search, for `gametree search`"):
        algorithm("alpha-beta")


def test_a_state_with_a_root_in_it_is_approximate_and_no_other():
    """`sqrt` in the state to start at is asked of this evaluation only."""
    text = b'game: x\nnodes: {"turn(x: number)": {max: [x, 1]}}\nroot: turn(3)\n'
    game = Game.from_document(read_bytes("x.yaml", text, "yaml").document)

    assert game.evaluate(at="turn(sqrt(2))").numbers == "float"
    assert game.evaluate(at="turn(sqrt(2))").value == pytest.approx(math.sqrt(2))
    assert game.evaluate(at="turn(2)").numbers == "exact"
    assert game.evaluate().numbers == "exact"
    with pytest.raises(SpecError, match="`sqrt` has no exact value"):
        game.evaluate(at="turn(sqrt(2))", numbers="exact")
