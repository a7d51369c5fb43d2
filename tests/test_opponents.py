"""Other opponents: where the best first move changes, and what it costs to be wrong."""

from __future__ import annotations

import json
import math
import os
import xml.etree.ElementTree as ET
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import gametree
import pytest
from gametree.evaluator import engines, sweep
from gametree.evaluator.game import Game
from gametree.evaluator.opponents import opponents
from gametree.evaluator.piecewise import Meter, Piecewise, TooMuch, best, flat
from gametree.evaluator.polynomial import (
    Polynomial,
    Root,
    before,
    between,
    combination,
    constant,
    difference,
    roots,
    same,
    slip,
)
from gametree.render.curves import picture
from gametree.render.opponents import opponents_json, opponents_text
from gametree.spec.diagnostics import SpecError, UsageError
from gametree.spec.document import Document
from gametree.spec.reader import read_bytes
from gametree.spec.source import Source
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .game_strategies import stateful_games
from .strategies import games

GOLDEN = Path(__file__).parent / "golden"

TWO_SLIPS = """\
game: two slips
root:
  max:
    risky: {min: [0, {min: [0, 4]}]}
    safe: 1/2
"""


def game_in(text, notation="yaml"):
    return Game.from_document(read_bytes(f"x.{notation}", text.encode(), notation).document)


def made(data):
    return Game.from_document(Document(Source("made", ""), "yaml", data, dict))


def changes(found):
    """``[(threshold, best moves up to there)]``, and what is best at the end."""
    return [
        (str(stretch.high.at), [found.moves[i] for i in stretch.best])
        for stretch in found.sweep.stretches
    ]


# --- numbers that must come out --------------------------------------------------------------


def test_the_random_opponent_tree_has_the_thresholds_that_are_derived_here():
    """MIN chooses the smallest payoff with probability 1 - E, and else each of three alike.

    A: 3, 12, 9 has the minimum 3 and the mean 8, so it is worth (1 - E) 3 + E 8 = 3 + 5 E.
    B: 5, 6, 4: minimum 4, mean 5: 4 + E.
    C: 1, 20, 15: minimum 1, mean 12: 1 + 11 E.

    At E = 0 B is best with 4. It meets A where 4 + E = 3 + 5 E, at E = 1/4, and C where
    4 + E = 1 + 11 E, at E = 3/10, which is later. So A takes over at 1/4. A meets C where
    3 + 5 E = 1 + 11 E, at E = 1/3; from there on C, the steepest of the three, stays best.
    """
    found = gametree.load("random-opponent-min").opponents()

    assert changes(found) == [("1/4", ["B"]), ("1/3", ["A"]), ("1", ["C"])]
    assert found.sweep.exact
    assert found.sweep.degree == 1


def test_tic_tac_toe_begins_in_the_centre_against_few_slips_and_in_a_corner_against_many():
    """All moves draw against perfect play; the threshold is 1/2, as values beside it confirm."""
    game = gametree.load("tic-tac-toe")
    found = game.opponents()
    corners, every = ["1", "3", "7", "9"], [str(cell) for cell in range(1, 10)]

    assert changes(found) == [("0", every), ("1/2", ["5"]), ("1", corners)]
    assert list(game.evaluate(play={"min": "mistake:0.499"}).best) == ["5"]
    assert list(game.evaluate(play={"min": "mistake:0.5"}).best) == ["1", "3", "5", "7", "9"]
    assert list(game.evaluate(play={"min": "mistake:0.501"}).best) == corners


def test_a_threshold_that_is_no_fraction_comes_with_its_polynomial():
    """Risky pays E squared: MIN has to slip twice. So safe, 1/2, is left at the root of 1/2."""
    found = game_in(TWO_SLIPS).opponents()
    threshold = found.sweep.stretches[0].high

    assert [stretch.best for stretch in found.sweep.stretches] == [(1,), (0,)]
    assert threshold.at == pytest.approx(math.sqrt(1 / 2), abs=1e-15)
    assert threshold.equation == (-1, 0, 2)
    assert threshold.low**2 < Fraction(1, 2) < threshold.high**2
    assert "≈ 0.7071067812 is a root of 2 E^2 - 1" in opponents_text(found)


def test_the_least_regret_is_named_with_the_opponents_it_was_taken_over():
    """B loses 14 if MIN is worst (6 instead of 20); C at most what softmax makes it lose to B."""
    found = gametree.load("random-opponent-min").opponents()

    assert [column.opponent for column in found.columns] == [
        "optimal", "mistake:0.1", "softmax:1", "random", "worst",
    ]  # fmt: skip
    assert found.columns[1].values == (Fraction(7, 2), Fraction(41, 10), Fraction(21, 10))
    assert found.columns[1].regrets == (Fraction(3, 5), 0, 2)
    assert found.regrets[:2] == (8, 14)
    assert [found.moves[i] for i in found.safest] == ["C"]


def test_policies_of_the_opponent_are_opponents_too():
    found = game_in("""\
game: x
root: {max: {a: turn(1), b: turn(2)}}
nodes:
  turn(n): {min: {low: n, high: 10 / n}}
policies:
  generous: {turn(n): '"high"'}
  mine: {root: '"a"'}
""").opponents()
    column = found.columns[-1]

    assert [c.opponent for c in found.columns[5:]] == ["generous"]
    assert column.values == (10, 5)
    assert column.regrets == (0, 5)


def test_where_min_moves_first_the_lowest_is_best():
    found = game_in("game: x\nroot: {min: {a: {max: [0, 4]}, b: 3}}").opponents()

    assert (found.opponent, found.mover) == ("max", "min")
    assert changes(found) == [("1/2", ["b"]), ("1", ["a"])]
    assert found.columns[3].values == (2, 3)
    assert found.regrets == (1, 3)


def test_a_first_move_behind_a_change_of_sides_is_seen_by_the_root():
    """The root is 1 - 2 v: what MIN likes is what the root wants to be high."""
    game = game_in("""\
game: x
nodes:
  theirs: {min: {a: {max: [0, 4]}, b: 3}}
root: 1 - 2 * theirs
""")
    found = game.opponents("max")

    assert found.mover == "min"
    assert found.columns[0].values == (-7, -5)
    assert changes(found) == [("1/2", ["b"]), ("1", ["a"])]
    assert found.columns[0].best == (1,)
    assert found.columns[0].regrets == (2, 0)


def test_others_play_as_they_are_told():
    game = gametree.load("dice")
    blind = game.opponents(play={"chance": "random"})
    hostile = game.opponents(algorithm="minimax", play={"max": "mistake:1/2"})

    for found, how in (
        (blind, {"play": {"chance": "random", "min": "mistake:0.1"}}),
        (hostile, {"algorithm": "minimax", "play": {"max": "mistake:1/2", "min": "mistake:0.1"}}),
    ):
        expected = [branch.value for branch in game.evaluate(**how).branches]
        assert list(found.columns[1].values) == expected
    with pytest.raises(UsageError, match="the play of min is what is asked about"):
        game.opponents(play={"min": "random"})


# --- laws ------------------------------------------------------------------------------------


def values_at(game, kind, how, **more):
    """The first moves' values by ``evaluate``, whatever ``opponents`` does."""
    answer = game.evaluate(play={kind: how}, **more)
    return [branch.value for branch in answer.branches]


def winners(found, values):
    top = (max if found.mover == "max" else min)(values)
    return [i for i, value in enumerate(values) if value == top]


def inside(stretch):
    """E just behind the start, in the middle and just before the end of a stretch."""
    low, high = Fraction(stretch.low.high), Fraction(stretch.high.low)
    step = (high - low) / 1_000_000
    return (low + step, (low + high) / 2, high - step)


def check_against_evaluation(game, kind):
    try:
        found = game.opponents(kind)
    except UsageError:
        assume(False)
    assume(found.sweep.exact)
    stretches = found.sweep.stretches
    assert stretches[0].low.at == 0
    assert stretches[-1].high.at == 1
    for left, right in pairwise(stretches):
        assert left.high == right.low
        assert left.best != right.best
    for stretch in stretches:
        if stretch.low.at == stretch.high.at:
            values = values_at(game, kind, f"mistake:{stretch.low.at}")
            assert winners(found, values) == list(stretch.best)
            continue
        for e in inside(stretch):
            values = values_at(game, kind, f"mistake:{e}")
            assert winners(found, values) == list(stretch.best)
    for sample in found.sweep.samples[:: len(found.sweep.samples) // 4]:
        assert list(sample.values) == values_at(game, kind, f"mistake:{sample.at}")
    optimal, random = found.columns[0], found.columns[3]
    assert found.sweep.samples[0].values == optimal.values
    assert found.sweep.samples[-1].values == random.values
    assert min(found.regrets) >= 0


@settings(max_examples=60)
@given(games(depth=4), st.sampled_from(["max", "min", "chance"]))
def test_evaluation_beside_each_threshold_names_the_move_that_the_sweep_says(data, kind):
    """Just behind its start, in its middle and just before its end, a stretch's moves are best."""
    check_against_evaluation(made(data), kind)


@settings(max_examples=30)
@given(stateful_games(), st.sampled_from(["max", "min", "chance"]))
def test_the_same_for_games_with_state(data, kind):
    check_against_evaluation(made(data), kind)


@st.composite
def factors(draw):
    """A polynomial as a product of linear factors with known roots, and of one without."""
    found = sorted(draw(st.lists(st.fractions(-1, 2, max_denominator=9), max_size=4)))
    p = constant(Fraction(draw(st.sampled_from([-3, 1, 2]))))
    for root in found:  # (x - root) p: slip(-root p, (1 - root) p)
        p = slip(combination([p], [-root], Fraction(0)), combination([p], [1 - root], Fraction(0)))
    if draw(st.booleans()):  # times 2 x² - 1, whose root is no fraction
        square = slip(constant(Fraction(0)), slip(constant(Fraction(0)), constant(Fraction(2))))
        p = _times(p, difference(square, constant(Fraction(1))))
        return p, [root for root in dict.fromkeys(found) if 0 < root < 1], True
    return p, [root for root in dict.fromkeys(found) if 0 < root < 1], False


def _times(p, q):
    over = [0] * (p.degree + q.degree + 1)
    for i, a in enumerate(p.over):
        for j, b in enumerate(q.over):
            over[i + j] += a * b
    return Polynomial(tuple(over), p.divisor * q.divisor)


@given(factors())
def test_all_roots_are_found_and_rational_ones_as_fractions(made_of):
    """Repeated roots once, in order, and none at the ends."""
    p, known, irrational = made_of
    found = roots(p)
    rational = [root for root in found if isinstance(root, Fraction)]

    assert rational == known
    assert len(found) == len(known) + irrational
    for left, right in pairwise(found):
        assert before(left, right)
        assert not before(right, left)
        middle = between(left, right)
        assert before(left, middle)
        assert before(middle, right)
    for root in found:
        if isinstance(root, Root):
            assert float(root) == pytest.approx(math.sqrt(1 / 2), abs=1e-15)


def test_a_root_of_two_polynomials_is_recognised_as_one():
    """2 x² - 1, and its product with x - 1/3, have a root in common: no bisection can tell."""
    p = Polynomial((-1, -2, 1), 1)
    q = _times(p, Polynomial((-1, 2), 1))
    [one], [_, two] = roots(p), roots(q)

    assert same(one, two)
    assert not before(one, two)
    assert not before(two, one)
    assert not same(one, roots(Polynomial((-1, -2, 2), 1))[0])


@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 4), min_size=1, max_size=5), st.booleans())
def test_an_envelope_is_the_best_everywhere(lines, up):
    items = [
        Piecewise((), (combination([Polynomial(over, 1)], [Fraction(1)], Fraction(0)),))
        for over in lines
    ]
    envelope = best(items, Meter(10**9), up=up)

    for i in range(51):
        x = Fraction(i, 50)
        assert envelope.at(x) == (max if up else min)(item.at(x) for item in items)


def test_what_takes_too_long_stops():
    with pytest.raises(TooMuch):
        best([Piecewise((), (Polynomial((1, -1), 1),)), flat(Fraction(0))], Meter(20), up=True)


# --- sampled ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random-opponent-min", "tic-tac-toe"])
def test_a_sampled_sweep_finds_the_exact_thresholds_to_within_its_resolution(name, monkeypatch):
    exact = gametree.load(name).opponents()
    monkeypatch.setattr(sweep, "EXACT_WORK", 10)
    sampled = gametree.load(name).opponents()

    assert not sampled.sweep.exact
    assert sampled.sweep.evaluations <= sweep.EVALUATIONS
    assert [s.best for s in sampled.sweep.stretches] == [s.best for s in exact.sweep.stretches]
    for near, true in zip(sampled.sweep.stretches, exact.sweep.stretches, strict=True):
        assert near.high.at == pytest.approx(float(true.high.at), abs=sampled.sweep.resolution)


def test_a_large_game_is_sampled_by_machine_code(monkeypatch):
    exact = gametree.load("tic-tac-toe").opponents()
    monkeypatch.setattr(engines, "EXACT_NODES", 100)
    found = gametree.load("tic-tac-toe").opponents()

    assert not found.sweep.exact
    assert [s.best for s in found.sweep.stretches] == [s.best for s in exact.sweep.stretches]
    assert found.columns[3].values == pytest.approx([float(v) for v in exact.columns[3].values])


def test_softmax_is_searched_and_its_thresholds_are_where_evaluation_changes():
    game = gametree.load("random-opponent-min")
    found = game.opponents(model="softmax")
    first, second, last = found.sweep.stretches

    assert [found.moves[s.best[0]] for s in (first, second, last)] == ["B", "A", "C"]
    assert not found.sweep.exact
    for stretch in (first, second):
        below, above = stretch.high.low * 0.9999, stretch.high.high * 1.0001
        assert game.evaluate(play={"min": f"softmax:{below}"}).best == (
            found.moves[stretch.best[0]],
        )
        assert game.evaluate(play={"min": f"softmax:{above}"}).best != (
            found.moves[stretch.best[0]],
        )


def test_an_approximate_game_is_sampled():
    game = game_in("game: x\nroot: {max: {a: {min: [sqrt(2), 9]}, b: 3}}")
    with pytest.raises(SpecError, match="`sqrt` has no exact value"):
        game.opponents(numbers="exact")
    found = game.opponents()

    assert not found.sweep.exact
    assert found.sweep.stretches[0].high.at == pytest.approx(
        (3 - math.sqrt(2)) / ((9 - math.sqrt(2)) / 2), abs=1e-6
    )


def test_a_game_too_large_for_a_sweep_says_so(monkeypatch):
    monkeypatch.setattr(sweep, "EXACT_WORK", 10)
    monkeypatch.setattr(sweep, "EXACT_EDGES", 100)
    with pytest.raises(UsageError, match=r"12 edges, too many for a sweep of at least 16 eval"):
        gametree.load("random-opponent-min").opponents()


# --- what can be asked wrongly ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "how", "message"),
    [
        ("{max: {a: 1, b: 2}}", {}, "no min nodes to be an opponent's"),
        ("{max: {a: 1, b: 2}}", {"kind": "min"}, "no min nodes; it has max"),
        ("{max: {a: 1, b: 2}}", {"kind": "mni"}, "did you mean `min`"),
        ("{max: {a: 1, b: 2}}", {"model": "softmaxx"}, "did you mean `softmax`"),
        ("{chance: {a: {min: [1, 2]}, b: 2}}", {}, "chance decides first"),
        ("5", {}, "nobody chooses anything"),
    ],
)
def test_a_question_without_an_answer_says_why(text, how, message):
    with pytest.raises(UsageError, match=message):
        game_in(f"game: x\nroot: {text}").opponents(**how)


# --- what people see -------------------------------------------------------------------------


def golden(name, text):
    path = GOLDEN / name
    if os.environ.get("GAMETREE_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("model", ["mistake", "softmax"])
def test_the_text_is_what_was_read(model):
    found = gametree.load("random-opponent-min").opponents(model=model)

    golden(f"opponents_{model}.txt", opponents_text(found) + "\n")


def test_the_picture_is_what_was_looked_at():
    found = gametree.load("tic-tac-toe").opponents()

    golden("opponents.svg", picture(found, "svg").decode())


def test_json_has_every_number_exactly():
    data = json.loads(json.dumps(opponents_json(game_in(TWO_SLIPS).opponents())))
    cut = data["sweep"]["stretches"][0]["to"]

    assert data["sweep"]["exact"]
    assert cut["at"] is None
    assert cut["equation"] == ["-1", "0", "2"]
    assert Fraction(cut["low"]) < Fraction(cut["high"])
    assert data["against"][1]["values"][0] == {"value": "1/100", "value_float": 0.01}
    assert data["least_regret"] == ["risky"]


NASTY = '<script>"&$x$' + "é" * 300


def test_a_name_cannot_break_out_of_the_picture():
    game = made({"game": NASTY, "root": {"max": {NASTY: {"min": ["1", "2"]}, "b": "1"}}})
    found = game.opponents()
    svg = picture(found, "svg").decode()

    assert "<script>" not in svg
    ET.fromstring(svg)
    assert max(map(len, opponents_text(found).splitlines()[1:])) < 200


def test_many_moves_share_a_plot_of_a_few():
    game = game_in("game: x\nroot: {max: {for n in 1..40: {min: [n, 2 * n, 90 - n]}}}")
    found = game.opponents()
    text = opponents_text(found)

    assert "more, which are never best)" in text
    assert max(map(len, text.splitlines())) < 120
    ET.fromstring(picture(found, "svg").decode())


def test_a_png_is_a_png():
    pytest.importorskip("matplotlib")
    for model in ("mistake", "softmax"):
        found = gametree.load("random-opponent-min").opponents(model=model)
        assert picture(found, "png").startswith(b"\x89PNG")


def test_the_command_prints_draws_and_complains(run, tmp_path):
    done = run("opponents", "random-opponent-min", "-o", "out.svg")
    assert done.returncode == 0
    assert done.stdout == (GOLDEN / "opponents_mistake.txt").read_text(encoding="utf-8")
    ET.parse(tmp_path / "out.svg")

    plain = run("opponents", "random-opponent-min", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert plain.returncode == 0
    assert "│" not in plain.stdout
    assert "0.25 to 1/3" in plain.stdout

    wrong = run("opponents", "random-opponent", "-o", "out.svg")
    assert wrong.returncode == 2
    assert "--kind" in wrong.stderr
    assert run("opponents", "dice", "-o", "out.bmp").returncode == 2
    assert json.loads(run("opponents", "dice", "--format", "json").stdout)["opponent"] == "min"


def test_the_function_is_the_method():
    game = gametree.load("dice")

    assert opponents(game, kind="min") == game.opponents("min")


def test_values_beyond_floats_are_exact_and_not_drawn(run, tmp_path):
    huge = "9" * 400
    text = f"game: x\nroot: {{max: {{a: {{min: [0, {huge}]}}, b: 5}}}}\n"
    found = game_in(text).opponents()
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")

    assert found.sweep.stretches[0].high.at == Fraction(10, int(huge))
    assert [column.opponent for column in found.columns] == [
        "optimal", "mistake:0.1", "random", "worst",
    ]  # fmt: skip
    assert "least regret: a" in opponents_text(found)
    drawn = run("opponents", "x.yaml", "-o", "x.svg")
    assert (drawn.returncode, "too large to be drawn" in drawn.stderr) == (2, True)
    soft = run("opponents", "x.yaml", "--model", "softmax")
    assert (soft.returncode, "too large for floats" in soft.stderr) == (2, True)


def test_a_saved_game_and_a_state_can_be_asked_about(run):
    run("compile", "tic-tac-toe", "-o", "x.npz")
    saved = json.loads(run("opponents", "x.npz", "--format", "json").stdout)
    state = run(
        "opponents", "tic-tac-toe", "--at", "o_moves(1, 0)", "--kind", "max", "--format", "json"
    )

    assert saved["sweep"]["stretches"][1]["to"]["at"] == "1/2"
    assert json.loads(state.stdout)["first_move"] == "min"
