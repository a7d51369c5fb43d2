"""How often play comes to each node, and what a unit of value there is worth at the root.

Input   a ``Solution``, the behaviour it was made with, and what policies choose.
Output  ``Reach``: for each node its probability, and its weight.
Holds   the value of the root is linear in what each node is worth: a node's weight is the sum,
        over the ways of play to it, of the product of the odds and of the factors of sums. Where
        no node is scaled or negated, weight and probability are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..compiler.dag import Dag, Kind
from .behaviour import Behaviour, Rule
from .solution import Mixture, Solution, Value


@dataclass(frozen=True, slots=True)
class Reach:
    """For each node: ``odds``, the chance that play gets there; ``weight``, see the module.

    A node that adds up several others sends play to all of them: ``odds`` then counts the visits
    to expect.
    """

    odds: Sequence[Value]
    weight: Sequence[Value]


def reach(solution: Solution, behaviour: Behaviour, policies: Mapping[int, Mixture]) -> Reach:
    """One pass over the nodes, parents first: time O(n + m).

    Among tied branches, play takes the first.
    """
    dag = solution.dag
    if not isinstance(dag, Dag):
        from .reach_arrays import reach_arrays

        return reach_arrays(solution, behaviour, policies)
    zero, one = _unit(solution)
    odds: list[Any] = [zero] * len(dag)
    weight: list[Any] = [zero] * len(dag)
    odds[0] = weight[0] = one
    for node in range(len(dag)):
        if not odds[node]:
            continue
        for child, p, factor in _moves(solution, behaviour, policies, node):
            odds[child] += odds[node] * p
            weight[child] += weight[node] * factor
    return Reach(odds, weight)


def expected(solution: Solution, node: int, play: Sequence[tuple[int, Value]]) -> Value:
    """The value of ``node`` where its edges are taken with the odds of ``play``."""
    dag = solution.dag
    _, one = _unit(solution)
    total: Any = one * dag.offset[node]
    for edge, p in play:
        total += one * p * solution.value(dag.child[edge])
    return total


def edge_odds(
    solution: Solution, behaviour: Behaviour, policies: Mapping[int, Mixture], node: int
) -> Sequence[tuple[int, Value]]:
    """The edges that play takes at a node that is no sum, and their odds."""
    dag = solution.dag
    if node in policies:
        return policies[node]
    play, edges = behaviour.of(dag.kind[node]), dag.edges(node)
    if play.rule is Rule.EXPECTED:
        return [(edge, dag.probability(node, edge)) for edge in edges]
    if play.rule is Rule.UNIFORM:
        return [(edge, Fraction(1, len(edges))) for edge in edges]
    if play.rule is Rule.SOFTMAX:
        return _softmax(solution, edges, float(play.amount if play.up else -play.amount))
    best = solution.chosen[node][0]
    if play.rule is not Rule.MISTAKE:
        return [(best, Fraction(1))]
    slip = play.amount / len(edges)
    return [(edge, slip + (1 - play.amount if edge == best else 0)) for edge in edges]


def _moves(
    solution: Solution, behaviour: Behaviour, policies: Mapping[int, Mixture], node: int
) -> Iterator[tuple[int, Value, Value]]:
    """Each child that play may go to, its odds, and its factor in the value of ``node``."""
    dag = solution.dag
    _, one = _unit(solution)
    if dag.kind[node] == Kind.SUM:
        for edge in dag.edges(node):
            yield dag.child[edge], one, one * dag.weight[edge]
    elif dag.kind[node] != Kind.TERMINAL:
        for edge, p in edge_odds(solution, behaviour, policies, node):
            yield dag.child[edge], one * p, one * p


def _unit(solution: Solution) -> tuple[Any, Any]:
    """0 and 1 in the numbers of the solution."""
    return (Fraction(0), Fraction(1)) if solution.numbers == "exact" else (0.0, 1.0)


def _softmax(solution: Solution, edges: range, temperature: float) -> Sequence[tuple[int, Value]]:
    values = [float(solution.value(solution.dag.child[edge])) for edge in edges]
    peak = max(values) if temperature > 0 else min(values)
    powers = [math.exp((value - peak) / temperature) for value in values]
    mass = sum(powers)
    return [(edge, power / mass) for edge, power in zip(edges, powers, strict=True)]
