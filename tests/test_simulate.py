"""Simulations: reproducible to the last bit, and true to the values and the odds."""

from __future__ import annotations

import itertools
import json
import math
import signal
import statistics
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from array import array
from fractions import Fraction

import gametree
import numpy as np
import pytest
from gametree.compiler.dag import Kind
from gametree.compiler.native.engine import Unsure, unfold_native
from gametree.compiler.native.values import Unsupported
from gametree.evaluator import sampler, tally
from gametree.evaluator import simulate as module
from gametree.evaluator.fast import solve_arrays
from gametree.evaluator.game import Game
from gametree.evaluator.simulate import sample, simulate
from gametree.evaluator.tally import Block, Tally, quantile
from gametree.render import chart, plot
from gametree.render.histogram import ASCII, Bar, bar_text, bars, histogram_lines, share_text
from gametree.render.paint import Paint
from gametree.render.simulation import simulation_json, simulation_text
from gametree.spec.diagnostics import UsageError
from gametree.spec.reader import bundled_names, read_bytes
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .game_strategies import stateful_games

SURE = 3.2905  # standard errors: 99.9 % of a normal distribution


def game_in(text, notation="tree"):
    reading = read_bytes(f"game.{notation}", text.encode(), notation)
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document)


def near(simulation, errors=SURE):
    """Whether the mean is as near to the value as it should be."""
    away = abs(simulation.mean - float(simulation.value))
    return away <= errors * simulation.standard_error + 1e-12 * abs(simulation.mean)


def chi_square(counts, odds):
    total = sum(counts)
    return sum((n - total * p) ** 2 / (total * p) for n, p in zip(counts, odds, strict=True))


# --- the same again --------------------------------------------------------------------------


def test_the_seed_decides_and_the_number_of_threads_does_not():
    """Five blocks on one, two and five threads: the same to the last bit."""
    game = gametree.load("push-to-21")
    first = simulate(game, 300_000, seed=5, threads=1)

    assert simulate(game, 300_000, seed=5, threads=2) == first
    assert simulate(game, 300_000, seed=5, threads=5) == first
    assert simulate(game, 300_000, seed=6, threads=2) != first


def test_a_block_goes_on_where_it_was_interrupted(monkeypatch):
    game = gametree.load("push-to-21")
    first = simulate(game, 3000, seed=5, policy="hit until 17")
    monkeypatch.setattr(module, "SLICE", 7)

    assert simulate(game, 3000, seed=5, policy="hit until 17") == first


def test_a_seed_stays_what_it_is():
    """Changed only with a note in the changelog: people publish seeds."""
    found = simulate(gametree.load("push-to-21"), 1000, seed=1)

    assert found.mean == 15.84
    assert found.draws == 3083


def test_generators_of_blocks_and_seeds_differ():
    states = {
        tuple(sampler.block_state(seed, block).tolist())
        for seed in (0, 1, 2**64 - 1)
        for block in range(200)
    }

    assert len(states) == 600
    assert len(set(itertools.chain(*states))) == 2400


# --- true to the value -----------------------------------------------------------------------


@pytest.mark.parametrize("name", bundled_names())
def test_the_interval_of_a_bundled_game_holds_its_value(name):
    found = simulate(gametree.load(name), 100_000, seed=2)

    assert near(found)
    assert found.plays == found.counted == sum(found.counts) == 100_000


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("push-to-21", {"policy": "hit until 17"}),
        ("push-to-21", {"play": {"max": "hit until 17"}}),
        ("push-to-21", {"play": {"max": "mistake:0.3"}}),
        ("push-to-21", {"play": {"max": "softmax:2"}}),
        ("push-to-21", {"play": {"max": "worst"}}),
        ("push-to-21", {"algorithm": "minimax"}),
        ("push-to-21", {"at": "turn(12)"}),
        ("push-to-21", {"policy": "hit until 17", "play": {"max": "mistake:0.3"}}),
        ("random-opponent", {"algorithm": "expectimax"}),
        ("random-opponent-min", {"play": {"min": "random"}}),
        ("tic-tac-toe", {"play": {"max": "random", "min": "mistake:1/10"}}),
        ("tic-tac-toe", {"play": {"max": "softmax:0.5", "min": "softmax:0.5"}, "numbers": "float"}),
        ("oil-wildcatter", {"play": {"chance": "random"}}),
    ],
)
def test_behaviours_and_policies_play_what_is_solved(name, options):
    assert near(simulate(gametree.load(name), 100_000, seed=3, **options))


def moments(dag, solution):
    """The mean, variance, least and largest outcome of each node, by the textbook."""
    found = [None] * len(dag)
    for node in range(len(dag) - 1, -1, -1):
        below = [found[child] for child in dag.children(node)]
        weights = [Fraction(dag.weight[edge]) for edge in dag.edges(node)]
        kind, own = dag.kind[node], Fraction(dag.offset[node])
        if kind == Kind.CHANCE:
            odds = [weight / dag.divisor[node] for weight in weights]
            mean = sum(p * m for p, (m, *_) in zip(odds, below, strict=True))
            variance = sum(
                p * (v + (m - mean) ** 2) for p, (m, v, *_) in zip(odds, below, strict=True)
            )
            low, high = min(b[2] for b in below), max(b[3] for b in below)
        elif kind in {Kind.MAX, Kind.MIN}:
            mean, variance, low, high = below[solution.chosen[node][0] - dag.first[node]]
        else:
            terms = list(zip(weights, below, strict=True))
            mean = sum(f * m for f, (m, *_) in terms)
            variance = sum(f * f * v for f, (_, v, *_) in terms)
            low = sum(min(f * a, f * b) for f, (_, _, a, b) in terms)
            high = sum(max(f * a, f * b) for f, (_, _, a, b) in terms)
        found[node] = own + mean, variance, own + low, own + high
    return found[0]


def agrees(found, mean, variance, low, high):
    """Bernstein's inequality: beyond this bound in one of 10 ** 9 simulations."""
    logarithm = math.log(2e9)
    wide = float(high - low)
    allowed = (
        math.sqrt(2 * float(variance) * logarithm / found.plays) + wide * logarithm / found.plays
    )
    rounding = 1e-9 * (1 + max(abs(float(low)), abs(float(high))))
    assert abs(found.mean - float(mean)) <= allowed + rounding
    least, largest = found.quantiles[0][1], found.quantiles[-1][1]
    assert float(low) - rounding <= least <= largest <= float(high) + rounding


@settings(deadline=None)
@given(stateful_games(), st.integers(0, 2**64 - 1))
def test_random_games_come_to_their_value_in_both_engines(data, seed):
    """Sums of several nodes, rewards, factors, odds: the mean of the plays is the value."""
    game = game_in(json.dumps(data), "json")
    solution = game.solution(numbers="exact")
    expected = moments(solution.dag, solution)
    assert expected[0] == solution.value(0)

    agrees(simulate(game, 2000, seed=seed), *expected)
    try:
        dag = unfold_native(game.program)
    except (Unsupported, Unsure):
        return
    behaviour = game.behaviour("expectiminimax")
    agrees(
        sample("", solve_arrays(dag, behaviour), behaviour, {}, plays=2000, seed=seed),
        *wider(*expected),
    )


def wider(mean, _, low, high):
    """Ties that floats cannot tell apart may be played otherwise: only the mean is sure then."""
    wide = max(abs(low), abs(high), 10**4)
    return mean, Fraction(wide) ** 2, -10 * wide, 10 * wide


def test_both_engines_play_the_same():
    game = gametree.load("push-to-21", target=100)
    behaviour = game.behaviour("expectiminimax")
    arrays = solve_arrays(unfold_native(game.program), behaviour)
    exact = simulate(game, 50_000, seed=8)
    fast = sample(game.name, arrays, behaviour, {}, plays=50_000, seed=8)

    assert (fast.mean, fast.outcomes, fast.counts) == (exact.mean, exact.outcomes, exact.counts)
    assert fast.branches == exact.branches


def test_the_spread_is_the_true_one():
    game = gametree.load("push-to-21")
    solution = game.solution()
    _, variance, _, _ = moments(solution.dag, solution)
    found = simulate(game, 1_000_000, seed=9)

    assert found.deviation == pytest.approx(math.sqrt(variance), rel=0.005)
    assert found.standard_error == found.deviation / 1000


# --- odds ------------------------------------------------------------------------------------


def test_branches_come_up_by_their_odds():
    """Chi-square with 6 degrees of freedom: 27.9 is passed once in 10,000 times."""
    game = game_in('game "g"\nroot chance { for d in 1..7 @ weight d * d: d }')
    found = simulate(game, 400_000, seed=4)
    odds = [branch.p for branch in found.branches]

    assert odds == [Fraction(d * d, 140) for d in range(1, 8)]
    assert chi_square([branch.plays for branch in found.branches], map(float, odds)) < 27.9


@pytest.mark.parametrize(("sides", "limit"), [(3, 18.5), (10, 33.8), (1000, 1175.0)])
def test_equal_branches_come_up_equally_often(sides, limit):
    game = game_in(f'game "g"\nroot chance {{ for d in 1..{sides}: d }}')
    found = simulate(game, 400_000, seed=5)

    assert chi_square([branch.plays for branch in found.branches], [1 / sides] * sides) < limit


@given(st.lists(st.floats(0, 1) | st.floats(1e-12, 1e-6), min_size=1, max_size=40))
def test_an_alias_table_has_the_odds_it_was_made_of(weights):
    assume(sum(weights) > 1e-6)
    odds = np.array(weights) / sum(weights)
    threshold, alias = np.empty(len(odds)), np.empty(len(odds), np.int32)
    sampler._vose(odds, threshold, alias)
    implied = threshold.copy()
    np.add.at(implied, alias, 1 - threshold)

    assert np.allclose(implied / len(odds), odds, rtol=1e-9, atol=1e-15)
    assert all(implied[odds == 0] == 0)


def test_a_mixture_is_drawn_by_its_odds():
    game = game_in(
        'game "g"\nroot max { a: 1, b: 2, c: 3 }\npolicy p { root: {"a": 1/4, "c": rest} }'
    )
    found = simulate(game, 100_000, seed=6, policy="p")

    a, b, c = (branch.plays for branch in found.branches)
    assert b == 0
    assert chi_square([a, c], [0.25, 0.75]) < 15.2
    assert found.branches[0].p is None
    assert found.policy == "p"


def test_the_first_of_tied_branches_is_taken():
    found = simulate(game_in('game "g"\nroot max { a: 1, b: 2, c: 2 }'), 100)

    assert [branch.plays for branch in found.branches] == [0, 100, 0]


# --- what a play adds up ---------------------------------------------------------------------

DIE = 'game "g"\nnode die() = chance { for d in 1..6: d }\n'


def test_two_calls_of_a_die_are_two_dice():
    """A sum plays each term: 2 to 12, and not twice one die."""
    found = simulate(game_in(f"{DIE}root die() + die()"), 200_000, seed=7)
    odds = [(6 - abs(7 - total)) / 36 for total in range(2, 13)]

    assert list(found.outcomes) == list(range(2, 13))
    assert chi_square(found.counts, odds) < 35.6
    assert found.branches == ()
    assert near(found)


def test_one_term_is_scaled_and_shifted():
    found = simulate(game_in(f"{DIE}root max {{ a: 3 - 2 * die() }}"), 10_000)

    assert list(found.outcomes) == [-9, -7, -5, -3, -1, 1]


def test_rewards_on_the_way_are_scaled_too():
    game = game_in('game "g"\nnode f() = cost 2 chance { 1, 5 }\nroot 10 - 3 * f()')
    found = simulate(game, 10_000)

    assert list(found.outcomes) == [1, 13]
    assert [branch.label for branch in found.branches] == ["1", "2"]
    assert sum(branch.plays for branch in found.branches) == 10_000


def test_sums_within_sums_are_played_to_the_end():
    """More open terms than the stack has room for at first."""
    game = game_in(
        'game "g"\nnode f(n: 0..8) = if n == 0 then chance { 0, 1 } else f(n - 1) + f(max(0, n - 2))\n'
        "root f(8)"
    )
    found = simulate(game, 20_000, seed=8)

    assert near(found)
    assert found.quantiles[-1][1] <= 55


def test_a_sum_of_too_many_nodes_is_refused(monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 1000)
    game = game_in(
        'game "g"\nnode f(n: 0..40) = if n == 0 then chance { 0, 1 } else f(n - 1) + f(max(0, n - 2))\n'
        "root f(40)"
    )
    with pytest.raises(UsageError, match="one play takes more than 1,"):
        simulate(game, 10)


def test_outcomes_that_only_rounding_parts_are_one():
    """0.1 + 0.2 is 0.3, however floats add it up."""
    game = game_in(
        'game "g"\nroot chance { reward 0.1 chance { reward 0.2 then 0 }, reward 0.3 then 0 }'
    )
    found = simulate(game, 1000)

    assert list(found.outcomes) == [0.3]


def test_a_game_without_chance_has_no_spread():
    found = simulate(game_in('game "g"\nroot max { a: 1/3, b: 1/4 }'), 70_000)

    assert (found.mean, found.deviation, found.standard_error) == (1 / 3, 0.0, 0.0)
    assert found.interval == (1 / 3, 1 / 3)
    assert found.holds
    assert found.draws == 0


def test_one_play_has_no_standard_error():
    found = simulate(gametree.load("dice"), 1)

    assert (found.standard_error, found.interval, found.holds) == (None, None, None)
    assert simulation_json(found)["interval"] is None
    assert "inside" not in simulation_text(found)


def test_payoffs_beyond_floats_are_refused():
    with pytest.raises(UsageError, match="too large for floats"):
        simulate(game_in('game "g"\nroot max { a: 10 ** 400, b: 1 }'), 10)
    with pytest.raises(UsageError, match="too large for floats"):
        simulate(game_in('game "g"\nroot chance { 10 ** 300, -(10 ** 300) }'), 10)


# --- adding up -------------------------------------------------------------------------------


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), min_size=1, max_size=5))
def test_blocks_add_up_to_what_statistics_says(blocks):
    total, everything = Tally(), sorted(itertools.chain(*blocks))
    for block in blocks:
        total.add(Block(np.array(block) + 0.0))
    scale = max(1.0, *map(abs, everything))

    assert total.mean == pytest.approx(statistics.fmean(everything), abs=1e-12 * scale)
    spread = float(statistics.pvariance(map(Fraction, everything))) * len(everything)
    assert total.squares == pytest.approx(spread, rel=1e-9, abs=1e-12 * scale**2)
    total.settle()
    assert total.value.tolist() == sorted({value + 0.0 for value in everything})
    assert total.times.sum() == len(everything)


def test_a_small_spread_on_a_large_mean_is_not_lost():
    total = Tally()
    for _ in range(10):
        total.add(Block(1e9 + np.array([0.0, 1.0] * 1000)))

    assert total.squares / total.plays == pytest.approx(0.25, rel=1e-9)


def test_more_outcomes_than_a_block_counts_one_by_one_are_sorted():
    values = np.random.default_rng(1).permutation(np.arange(9000.0)).repeat(2)
    block = Block(values)

    assert block.value.tolist() == list(range(9000))
    assert set(block.times.tolist()) == {2}


def test_too_many_outcomes_are_those_of_the_first_plays(monkeypatch):
    monkeypatch.setattr(tally, "KEPT", 100_000)
    game = game_in(
        'game "g"\nroot chance { for a in 1..2000: chance { for b in 1..1000: a + b / 1000 } }'
    )
    found = simulate(game, 400_000, seed=2)

    assert found.counted < found.plays == 400_000
    assert near(found)
    assert "the first" in simulation_text(found)


@given(st.lists(st.integers(0, 9), min_size=1), st.sampled_from(module.PERCENT))
def test_a_quantile_is_the_first_outcome_that_enough_plays_do_not_exceed(values, percent):
    outcome, times = np.unique(np.array(values, float), return_counts=True)
    found = quantile(outcome, times, percent)

    assert 100 * sum(value <= found for value in values) >= percent * len(values)
    assert percent == 0 or 100 * sum(value < found for value in values) < percent * len(values)


# --- the histogram ---------------------------------------------------------------------------


@given(
    st.dictionaries(
        st.integers(-(10**6), 10**6).map(lambda n: n / 8) | st.integers(0, 99),
        st.integers(1, 50),
        min_size=1,
    ),
    st.integers(1, 60),
)
def test_each_outcome_is_in_one_bar(counted, most):
    outcomes = sorted(counted)
    found = bars(outcomes, [counted[outcome] for outcome in outcomes], most)

    assert sum(bar.plays for bar in found) == sum(counted.values())
    assert all(bar.high <= after.low for bar, after in itertools.pairwise(found))
    assert len(found) <= most + 4
    for bar in found:
        inside = [n for x, n in counted.items() if x == bar.low or bar.low <= x < bar.high]
        assert sum(inside) == bar.plays


def test_stragglers_do_not_squeeze_the_others():
    outcomes = [*map(float, range(100)), 1e6]
    found = bars(outcomes, [100] * 100 + [1], 20)

    assert len(found) > 15
    assert found[-1].label() == "≥ 100"


def test_bars_can_be_drawn_in_ascii_and_whatever_happened_is_seen():
    lines = list(
        histogram_lines([Bar(1, 1, 1), Bar(2, 3, 10**6)], Paint(False), columns=8, blocks=ASCII)
    )

    assert lines == [
        "  outcome     share      plays",
        "        1  < 0.01 %          1  #",
        "   [2, 3)   99.99 %  1,000,000  ########",
    ]
    assert bar_text(0.5, 4) == "██"
    assert bar_text(0.0, 4) == ""


def test_a_share_says_all_or_nothing_only_where_it_is_so():
    shares = [share_text(plays, 100_000) for plays in (0, 1, 12_344, 99_999, 100_000)]

    assert shares == ["0 %", "< 0.01 %", "12.34 %", "99.99 %", "100 %"]


# --- pictures --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", bundled_names())
def test_the_svg_is_well_formed_and_labelled(name):
    found = simulate(gametree.load(name), 2000)
    picture = ET.fromstring(plot.picture(found, "svg"))
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    numbers = [
        float(rect.get("width")) for rect in picture.iter("{http://www.w3.org/2000/svg}rect")
    ]

    assert {"outcome", "share of plays"} <= set(texts)
    assert any(text.startswith("mean ") for text in texts)
    assert any(text.startswith("value ") for text in texts)
    assert all(0 < number <= 760 for number in numbers)


def test_a_name_cannot_break_out_of_the_svg():
    game = game_in('game "<script>&\\u0007"\nroot chance { 1, 2 }')
    picture = plot.picture(simulate(game, 100), "svg").decode()

    assert "<script>" not in picture
    ET.fromstring(picture)


def test_a_png_needs_matplotlib_and_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(chart.PlotError, match=r"pip install 'gametree\[plot\]'"):
        chart.check_format("out.png")
    with pytest.raises(chart.PlotError, match=r"use .svg or .png"):
        chart.check_format("out.bmp")
    assert chart.check_format("a.b/out.SVG") == "svg"


def test_a_png_is_a_png():
    pytest.importorskip("matplotlib")
    found = simulate(gametree.load("oil-wildcatter"), 2000)

    assert plot.picture(found, "png").startswith(b"\x89PNG")


# --- the command -----------------------------------------------------------------------------


def test_json_is_the_contract(run):
    done = run("simulate", "monty-hall", "-n", "1000", "--format", "json")
    content = json.loads(done.stdout)

    assert (
        list(content)
        == (
            "game algorithm policy seed plays draws numbers value value_float error_bound mean deviation"
            " standard_error interval quantiles branches distinct counted endings"
        ).split()
    )
    assert content["value"] == "2/3"
    assert list(content["interval"]) == ["level", "low", "high", "holds_value"]
    assert list(content["quantiles"]) == ["min", "5", "25", "50", "75", "95", "max"]
    assert content["branches"][0]["p"] == "1/2"
    assert sum(ending["plays"] for ending in content["endings"]) == 1000
    assert done.stderr == ""


def test_the_text_has_no_colour_in_a_pipe_and_no_blocks_where_they_cannot_be_shown(run):
    plain = run("simulate", "dice", "-n", "1000", NO_COLOR="1").stdout
    ascii_only = run("simulate", "dice", "-n", "1000", PYTHONUTF8="0", PYTHONIOENCODING="ascii")

    assert "█" in plain
    assert "\x1b" not in plain
    assert "####" in ascii_only.stdout
    assert ascii_only.stdout.isascii()


def test_a_picture_is_written_and_an_unknown_format_is_wrong_use(run, tmp_path):
    assert run("simulate", "dice", "-n", "100", "-o", "dice.svg").returncode == 0
    assert (tmp_path / "dice.svg").read_bytes().startswith(b"<svg")
    wrong = run("simulate", "dice", "-n", "100", "-o", "dice.bmp")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert run("simulate", "dice", "-n", "100", "-o", "nowhere/dice.svg").returncode == 2


@pytest.mark.parametrize(
    "wrong", [["-n", "0"], ["--seed", "-1"], ["--threads", "0"], ["--policy", "x"]]
)
def test_wrong_use_is_told(run, wrong):
    done = run("simulate", "dice", *wrong)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_a_long_simulation(tmp_path):
    command = [sys.executable, "-m", "gametree", "simulate", "push-to-21", "-n", str(10**15)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    time.sleep(6)
    process.send_signal(signal.SIGINT)
    said, complained = process.communicate(timeout=60)

    assert (process.returncode, said) == (130, b"")
    assert b"Traceback" not in complained


def test_a_simulation_is_plain_data():
    found = simulate(gametree.load("dice"), 100)

    assert isinstance(found.outcomes, array)
    json.dumps(simulation_json(found))


@pytest.mark.parametrize(
    ("away", "told"), [(1.0, "1 standard error off"), (1.3, "1.3 standard errors off")]
)
def test_one_standard_error_is_one(away, told):
    from dataclasses import replace

    found = simulate(gametree.load("oil-wildcatter"), 1000)
    moved = replace(found, mean=float(found.value) + away * found.standard_error, holds=True)

    assert told in simulation_text(moved)
