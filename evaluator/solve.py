"""Value every node of a DAG by backward induction.

Input   a ``Dag``, a ``Behaviour``, and what policies choose.
Output  a ``Solution``.
Holds   exact values are exact; a float's bound holds the exact value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..compiler.dag import Amount, Dag, Kind
from ..spec.collector import collector_paused
from .behaviour import EXPECTIMINIMAX, Behaviour, Play, Rule
from .numbers import Arithmetic, ExactNumbers, FloatNumbers
from .policy import Mixture
from .solution import Numbers, Solution


def solve(
    dag: Dag,
    behaviour: Behaviour = EXPECTIMINIMAX,
    *,
    numbers: Numbers = "exact",
    policies: Mapping[int, Mixture] | None = None,
) -> Solution:
    """Value every node of ``dag`` by backward induction.

    Args:
        dag: ``n`` nodes and ``m`` edges in topological order.
        behaviour: How MAX, MIN and CHANCE nodes choose.
        numbers: ``"exact"`` rationals or ``"float"`` with error bounds.
        policies: What is chosen at some nodes, whatever ``behaviour`` says.

    Returns:
        The value of every node, in the payoff units of the game, and what it chooses.

    Time O(n + m) operations, no recursion; exact operations cost what their digits cost.
    Russell and Norvig, *Artificial Intelligence: A Modern Approach*, 4th edition, 6.2 and 6.5.
    """
    arithmetic: Arithmetic[Any] = ExactNumbers() if numbers == "exact" else FloatNumbers()
    with collector_paused():
        chosen, pairs = _Pass(dag, behaviour, arithmetic, policies or {}).run()
    return Solution(dag, behaviour.name, numbers, chosen, pairs)


class _Pass:
    """One pass over the nodes, children first."""

    def __init__(
        self,
        dag: Dag,
        behaviour: Behaviour,
        arithmetic: Arithmetic[Any],
        policies: Mapping[int, Mixture],
    ) -> None:
        self.dag = dag
        self.behaviour = behaviour
        self.arithmetic = arithmetic
        self.policies = policies
        self.values: list[Any] = [None] * len(dag)
        self.chosen: list[tuple[int, ...]] = [()] * len(dag)

    def run(self) -> tuple[list[tuple[int, ...]], list[Any]]:
        dag, values, arithmetic = self.dag, self.values, self.arithmetic
        kinds, first, child = dag.kind, dag.first, dag.child
        for node in range(len(dag) - 1, -1, -1):
            kind = kinds[node]
            if kind == Kind.TERMINAL:
                values[node] = arithmetic.constant(dag.offset[node])
                continue
            start, end = first[node], first[node + 1]
            items = [values[c] for c in child[start:end]]
            if kind == Kind.SUM:
                weights = dag.weight[start:end]
                values[node] = arithmetic.mix(items, weights, 1, dag.offset[node])
            elif node in self.policies:
                values[node] = self.by_policy(node, self.policies[node])
            else:
                values[node] = self.by_rule(node, self.behaviour.of(kind), items)
        return self.chosen, values

    def by_policy(self, node: int, mixture: Mixture) -> object:
        """Follow a policy; a choice of one branch counts as chosen."""
        if len(mixture) == 1:
            self.chosen[node] = (mixture[0][0],)
        items = [self.values[self.dag.child[edge]] for edge, _ in mixture]
        odds = [p for _, p in mixture]
        return self.arithmetic.mix(items, odds, 1, self.dag.offset[node])

    def by_rule(self, node: int, play: Play, items: Sequence[Any]) -> object:
        """Choose or average as ``play`` says."""
        dag, arithmetic, offset = self.dag, self.arithmetic, self.dag.offset[node]
        if play.rule is Rule.EXPECTED:
            weights = dag.weight[dag.first[node] : dag.first[node + 1]]
            return arithmetic.mix(items, weights, dag.divisor[node], offset)
        if play.rule is Rule.UNIFORM:
            return arithmetic.mix(items, [1] * len(items), len(items), offset)
        if play.rule is Rule.SOFTMAX:
            value = arithmetic.softmax(items, play.amount, up=play.up)
            return arithmetic.plus(value, offset)
        up = play.up if play.rule in {Rule.MISTAKE, Rule.POLICY} else play.rule is Rule.HIGHEST
        tied = arithmetic.best(items, up=up)
        self.chosen[node] = tuple(dag.first[node] + i for i in tied)
        if play.rule is Rule.MISTAKE:
            return arithmetic.mix(items, _mistaken(play.amount, tied[0], len(items)), 1, offset)
        return arithmetic.plus(items[tied[0]], offset)


def _mistaken(error: Fraction, best: int, count: int) -> list[Amount]:
    """The odds of a player who is right but for ``error``, when each branch is as likely."""
    odds: list[Amount] = [error / count] * count
    odds[best] = 1 - error + error / count
    return odds
