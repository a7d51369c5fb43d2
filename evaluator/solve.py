"""Value every node of a DAG by backward induction.

Input   a ``Dag``, a ``Behaviour``, and what policies choose.
Output  a ``Solution``.
Holds   exact values are exact; a float's bound holds the exact value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..compiler.dag import Amount, Dag, Kind, Origin
from ..compiler.explicit import TreeDag
from ..compiler.progress import Progress, Step
from ..spec.collector import collector_paused
from ..spec.diagnostics import Code, Diagnostic, SpecError
from ..spec.source import Place, Source
from .behaviour import EXPECTIMINIMAX, Behaviour, Play, Rule
from .numbers import Arithmetic, ExactNumbers, FloatNumbers
from .solution import Mixture, Numbers, Solution


def solve(
    dag: Dag,
    behaviour: Behaviour = EXPECTIMINIMAX,
    *,
    numbers: Numbers = "exact",
    policies: Mapping[int, Mixture] | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Value every node of ``dag`` by backward induction.

    Args:
        dag: ``n`` nodes and ``m`` edges in topological order.
        behaviour: How MAX, MIN and CHANCE nodes choose.
        numbers: ``"exact"`` rationals or ``"float"`` with error bounds.
        policies: What is chosen at some nodes, whatever ``behaviour`` says.
        progress: Called now and then.

    Returns:
        The value of every node, in the payoff units of the game, and what it chooses.

    Time O(n + m) operations, no recursion; exact operations cost what their digits cost.
    Russell and Norvig, *Artificial Intelligence: A Modern Approach*, 4th edition, 6.2 and 6.5.
    """
    arithmetic: Arithmetic[Any] = ExactNumbers() if numbers == "exact" else FloatNumbers()
    if numbers == "exact" and not policies and isinstance(dag, TreeDag):
        from .levels import solve_levels

        with collector_paused():
            solution = solve_levels(dag, behaviour, progress)
        if solution is not None:
            return solution
    with collector_paused():
        chosen, pairs = _Pass(dag, behaviour, arithmetic, policies or {}).run(progress)
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

    def run(self, progress: Progress | None) -> tuple[list[tuple[int, ...]], list[Any]]:
        for node in range(len(self.dag) - 1, -1, -1):
            try:
                self.values[node] = self.value(node)
            except OverflowError:
                raise _beyond_floats(self.dag.origin[node]) from None
            if not node & 0x3FF and progress is not None:
                progress(Step(True, len(self.dag), node))
        return self.chosen, self.values

    def value(self, node: int) -> object:
        """The value of ``node``, whose children have theirs."""
        dag, arithmetic = self.dag, self.arithmetic
        kind = dag.kind[node]
        if kind == Kind.TERMINAL:
            return arithmetic.constant(dag.offset[node])
        start, end = dag.first[node], dag.first[node + 1]
        items = [self.values[c] for c in dag.child[start:end]]
        if kind == Kind.SUM:
            return arithmetic.mix(items, dag.weight[start:end], 1, dag.offset[node])
        if node in self.policies:
            return self.by_policy(node, self.policies[node])
        return self.by_rule(node, self.behaviour.of(kind), items)

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
        best = arithmetic.value_of(items, tied, up=up)
        if play.rule is Rule.MISTAKE:  # right but for `amount`, when each branch is as likely
            slips: list[Amount] = [play.amount / len(items)] * len(items)
            return arithmetic.mix([*items, best], [*slips, 1 - play.amount], 1, offset)
        return arithmetic.plus(best, offset)


def _beyond_floats(origin: Origin) -> SpecError:
    from ..compiler.origin import NodeOrigin

    place = origin.place() if isinstance(origin, NodeOrigin) else Place(Source("", ""), 0, 0)
    return SpecError(
        [
            Diagnostic(
                Code.NOT_FINITE,
                place,
                "the value of this node is too large for a float",
                help="exact numbers have no such limit: leave out --float and softmax",
            )
        ]
    )
