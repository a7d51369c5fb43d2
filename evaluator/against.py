"""A policy against optimal play: what it loses, and where it chooses worse.

Input   the solution of the optimum, and what the policy chooses on the same DAG.
Output  an ``Against`` for the answer.
Holds   a state differs only where the policy may take a branch that is strictly worse than the
        best one; a choice among tied branches is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..compiler.origin import NodeOrigin, state_title
from ..compiler.program import Policy
from .policy import state_of
from .solution import Mixture, Solution, Value


@dataclass(frozen=True, slots=True)
class Against:
    """A policy against optimal play.

    ``loss`` is the optimum's value less the policy's; ``differs`` names the states where the
    policy may choose a branch that is worse than the best one, in the order of play.
    """

    name: str
    optimum: Value
    loss: Value
    differs: tuple[str, ...]
    count: int = 0


NAMED = 1_000  # states that ``differs`` names


def against(
    policy: Policy, solution: Solution, optimum: Solution, choices: Mapping[int, Mixture]
) -> Against:
    """Compare ``solution``, in which ``policy`` was followed, with the ``optimum``.

    Time O(n), and the titles of the states that differ.
    """
    differing = _differing(optimum, choices)
    titles = tuple(_title(policy, optimum, node) for node in differing[:NAMED])
    loss = _loss(solution, optimum)
    return Against(policy.name, optimum.value(0), loss, titles, len(differing))


def _loss(solution: Solution, optimum: Solution) -> Value:
    best, value = optimum.value(0), solution.value(0)
    if isinstance(best, Fraction) and isinstance(value, Fraction):
        return best - value
    loss = float(best) - float(value)
    within = optimum.error_bound(0) + solution.error_bound(0)
    return 0.0 if abs(loss) <= within else loss


def _differing(optimum: Solution, choices: Mapping[int, Mixture]) -> Sequence[int]:
    """The nodes where a branch is taken that is not one of the best, in the order of play."""
    if not isinstance(choices, dict):  # of a large game: choices that never mix
        from .play_arrays import worse_choices

        return worse_choices(optimum, choices)
    return [
        node
        for node, mixture in sorted(choices.items())
        if optimum.chosen[node]
        and not {edge for edge, odds in mixture if odds} <= set(optimum.chosen[node])
    ]


def _title(policy: Policy, optimum: Solution, node: int) -> str:
    origin = optimum.dag.origin[node]
    if isinstance(origin, NodeOrigin):
        for rule in policy.rules:
            env = state_of(rule, node, origin)
            if env is not None and rule.node is not None:
                return state_title(rule.node, env)
    return origin.title() or "root"
