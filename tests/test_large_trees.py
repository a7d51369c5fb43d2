"""The bundled games that scale: known values at several sizes, by both engines."""

from __future__ import annotations

import math
from fractions import Fraction

import gametree
import pytest
from gametree.compiler.native.engine import unfold_native
from gametree.evaluator.behaviour import ALGORITHMS
from gametree.evaluator.fast import solve_arrays
from gametree.evaluator.solution import answer

EXACT = [
    ("pig-race", "target=5", "35196961759/44079842304"),
    ("blackjack", "", "-2220691644539301303808782629/91733330193268616658399616009"),
    ("blackjack", "doubling=true", "-996904879054174808776793721/91733330193268616658399616009"),
    (
        "blackjack",
        "natural_pays=1 peek=false",
        "-3954908734551683826282634489/91733330193268616658399616009",
    ),
    ("2048-2x2", "target=3", "1"),
    ("2048-2x2", "target=4", "770009003/800000000"),
    ("2048-2x2", "target=5", "663098312572433/8000000000000000"),
    ("red-black-cards", "cards=10", "26995/16796"),
    ("red-black-cards", "cards=26", "41984711742427/15997372030584"),
    ("secretary", "candidates=10", "3349/8400"),
    ("secretary", "candidates=20", "3407275/8868288"),
    ("bandit", "pulls=5", "26/9"),
    ("bandit", "pulls=10", "16861/2800"),
    ("bandit", "pulls=5 arms=3", "433/144"),
    (
        "hog",
        "goal=10 most=3",
        "324628284355788547438506248421103/481229803398374426442198455156736",
    ),
    ("yahtzee-small", "size=3 sheet=[12,7,6]", "317550992015467/11284439629824"),
    ("yahtzee-small", "sheet=[13]", "8697425/3779136"),
    ("dots-and-boxes", "rows=1 columns=1", "-1"),
    ("dots-and-boxes", "rows=1 columns=2", "0"),
    ("dots-and-boxes", "rows=1 columns=3", "-1"),
    ("dots-and-boxes", "rows=2 columns=2", "2"),
]

LARGE = [
    ("2048-2x2", "rows=3 target=5", 0.9998967634246633),
    ("2048-2x2", "rows=3 target=6", 0.9392636924308086),
    ("secretary", "candidates=100", 0.371042778712643),
    ("bandit", "pulls=16", 298272833 / 30270240),
    ("hog", "goal=20 most=6", 0.5981473394816713),
    ("yahtzee-small", "sheet=[12]", 70 / 3),
    ("yahtzee-small", "sheet=[11]", 1598475995 / 153055008),
    ("yahtzee-small", "sheet=[9]", 137138375 / 15116544),
    ("yahtzee-small", "sheet=[13,12]", 1167963082189405 / 42845606719488),
    ("yahtzee-small", "sheet=[13,12,11]", 47.23764725187061),
    ("yahtzee-small", "sheet=[1,2,3]", 15.215186473691851),
    ("dots-and-boxes", "rows=2 columns=3", -2),
    ("dots-and-boxes", "rows=3 columns=2", -2),
]


def loaded(name, settings):
    """The bundled game with the settings, which are written as on the command line."""
    return gametree.load(name, **dict(setting.split("=") for setting in settings.split()))


def fast(game):
    """The fast engine's answer, whatever the size of the game."""
    solution = solve_arrays(unfold_native(game.program), ALGORITHMS["expectiminimax"])
    return answer(game.name, solution)


def of(answer):
    """What must not depend on the engine."""
    size = answer.size
    return set(answer.best), size.nodes, size.edges, [branch.label for branch in answer.branches]


@pytest.mark.parametrize(("name", "settings", "value"), EXACT)
def test_both_engines_give_the_known_fraction(name, settings, value):
    game = loaded(name, settings)
    exact, floats = game.evaluate(numbers="exact"), fast(game)

    assert exact.value == Fraction(value)
    assert abs(Fraction(floats.value) - exact.value) <= floats.error_bound < 1e-11
    assert of(floats) == of(exact)


@pytest.mark.parametrize(("name", "settings", "value"), LARGE)
def test_the_fast_engine_gives_the_known_value(name, settings, value):
    floats = fast(loaded(name, settings))

    assert floats.value == pytest.approx(value, rel=1e-14, abs=floats.error_bound)
    assert floats.error_bound < 1e-11


@pytest.mark.parametrize("name", sorted({name for name, _, _ in EXACT}))
def test_the_game_as_it_comes_is_answered(name):
    """By the engine that its size asks for, and without a word of anything it cannot do."""
    game = gametree.load(name)

    assert game.evaluate().value is not None
    assert game.warnings == []


def test_the_secretary_of_many_candidates_wins_one_time_in_e():
    assert fast(loaded("secretary", "candidates=100_000")).value == pytest.approx(
        1 / math.e, abs=1e-5
    )


@pytest.mark.parametrize(("candidates", "first"), [(10, 4), (20, 8), (100, 38)])
def test_the_secretary_lets_about_37_in_a_hundred_go(candidates, first):
    game = loaded("secretary", f"candidates={candidates}")

    assert game.evaluate(at=f"decide({first - 1})").best == ("let go",)
    assert game.evaluate(at=f"decide({first})").best == ("accept",)


def test_holding_is_no_use_in_a_short_race_but_in_a_long_one():
    game = loaded("pig-race", "target=20")
    long = loaded("pig-race", "target=100")

    assert game.evaluate(policy="never hold").value == game.evaluate().value
    assert long.evaluate(at="race(0, 0, 40)").best == ("hold",)
    assert long.evaluate(at="race(0, 0, 10)").best == ("roll",)


def test_two_by_two_never_makes_64():
    assert loaded("2048-2x2", "target=6").evaluate().value == 0


@pytest.mark.parametrize(
    ("hand", "up", "best"),
    [
        ("16, false", 10, "hit"),
        ("16, false", 6, "stand"),
        ("12, false", 3, "hit"),
        ("12, false", 4, "stand"),
        ("8, true", 8, "stand"),
        ("8, true", 9, "hit"),
    ],
)
def test_blackjack_is_played_by_the_basic_strategy(hand, up, best):
    assert gametree.load("blackjack").evaluate(at=f"hand({hand}, {up})").best == (best,)
