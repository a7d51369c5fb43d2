"""Values that are known from elsewhere, of games at the sizes that machine code is for."""

from __future__ import annotations

import gametree
import pytest

pytest.importorskip("llvmlite")

from gametree.compiler.native.engine import unfold_native
from gametree.evaluator.behaviour import ALGORITHMS
from gametree.evaluator.fast import solve_arrays

TARGETS = {
    10: 0.7121377095787226,
    20: 0.6197137724022062,
    100: 0.5338613876961487,
    200: 0.524060823337483,
}


def solved(name, **settings):
    """A bundled game, unfolded and solved by machine code."""
    program = gametree.load(name, **settings).program
    return solve_arrays(unfold_native(program), ALGORITHMS["expectiminimax"])


@pytest.mark.parametrize("target", list(TARGETS))
def test_the_first_player_of_pig_race_wins_as_often_as_is_known(target):
    solution = solved("pig-race", target=str(target))

    assert abs(solution.value(0) - TARGETS[target]) <= solution.error_bound(0) + 1e-13
    assert solution.error_bound(0) < 1e-11


def test_pushing_to_a_million_is_worth_six_less():
    """A million levels, and every digit that the bound leaves is right."""
    solution = solved("push-to-21", target="1_000_000")

    assert abs(solution.value(0) - 999_994) <= solution.error_bound(0) < 1e-3
