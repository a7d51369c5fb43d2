"""What evaluating a DAG gives: a ``Solution`` of every node and an ``Answer`` to print."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from ..compiler.dag import Dag, Kind, Size
from ..spec.records import dataclass

Value = Fraction | float
Numbers = Literal["exact", "float"]


@dataclass(frozen=True, slots=True)
class Solution:
    """The value of every node of ``dag`` and what is chosen there.

    ``chosen[i]`` are the edges that node i chooses, ties in written order (empty where it
    does not choose: terminals, sums, and nodes whose behaviour mixes or averages). The first
    one is taken. ``pairs`` are the values as the solver keeps them: numerator and denominator
    in exact numbers, value and error bound in floats.
    """

    dag: Dag
    algorithm: str
    numbers: Numbers
    chosen: Sequence[tuple[int, ...]]
    pairs: Sequence[tuple[int, int] | tuple[float, float]]

    def value(self, node: int) -> Value:
        """The value of ``node``: a ``Fraction`` in exact numbers, else a float."""
        first, second = self.pairs[node]
        if self.numbers == "exact":
            return Fraction(int(first), int(second))
        return float(first)

    def error_bound(self, node: int) -> float:
        """How far ``value(node)`` can be off: 0.0 in exact numbers."""
        return 0.0 if self.numbers == "exact" else float(self.pairs[node][1])


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of the root: its label, its value, and its odds where chance decides."""

    label: str
    value: Value
    p: Fraction | None = None


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


@dataclass(frozen=True, slots=True)
class Answer:
    """What ``gametree eval`` prints.

    ``best`` names all tied branches in written order (empty where the root does not choose);
    ``line`` follows the chosen branches from the root until chance decides. ``policy`` is there
    where a policy was asked about.
    """

    game: str
    algorithm: str
    numbers: Numbers
    value: Value
    error_bound: float
    best: tuple[str, ...]
    branches: tuple[Branch, ...]
    line: tuple[str, ...]
    size: Size
    policy: Against | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """What is chosen at one choice node: all tied branches, in written order."""

    node: int
    title: str
    kind: str
    labels: tuple[str, ...]
    value: Value


def answer(game: str, solution: Solution) -> Answer:
    """Sum up ``solution`` as seen from the root of ``game``.

    A root that only adds to or scales one node (a fee paid before the game) shows that
    node's branches, with their values as the root sees them.
    """
    dag = solution.dag
    node, factor, constant = _first_branching(dag)

    def seen(child: int) -> Value:
        value = solution.value(child)
        if isinstance(value, Fraction):
            return factor * value + constant
        return float(factor) * value + float(constant)

    labels = dag.origin[node].labels()
    by_chance = dag.kind[node] == Kind.CHANCE
    branches = tuple(
        Branch(label, seen(dag.child[edge]), dag.probability(node, edge) if by_chance else None)
        for label, edge in zip(labels, dag.edges(node) if labels else (), strict=True)
    )
    return Answer(
        game=game,
        algorithm=solution.algorithm,
        numbers=solution.numbers,
        value=solution.value(0),
        error_bound=solution.error_bound(0),
        best=tuple(labels[edge - dag.first[node]] for edge in solution.chosen[node]),
        branches=branches,
        line=tuple(principal_line(solution)),
        size=dag.size(),
    )


def principal_line(solution: Solution) -> list[str]:
    """The labels of the chosen branches from the root until chance decides or play ends."""
    dag, node, line = solution.dag, 0, list[str]()
    while True:
        if solution.chosen[node]:
            edge = solution.chosen[node][0]
            line.append(dag.origin[node].labels()[edge - dag.first[node]])
            node = dag.child[edge]
        elif _has_one_term(dag, node):
            node = dag.child[dag.first[node]]
        else:
            return line


def strategy(solution: Solution) -> list[Choice]:
    """What is chosen at every node that chooses, the root first."""
    dag = solution.dag
    return [
        Choice(
            node,
            dag.origin[node].title() or ("root" if node == 0 else f"node {node}"),
            _KIND_NAMES[Kind(dag.kind[node])],
            _labels(solution, node),
            solution.value(node),
        )
        for node in range(len(dag))
        if solution.chosen[node]
    ]


_KIND_NAMES = {Kind.MAX: "max", Kind.MIN: "min", Kind.CHANCE: "chance"}


def _labels(solution: Solution, node: int) -> tuple[str, ...]:
    labels = solution.dag.origin[node].labels()
    return tuple(labels[edge - solution.dag.first[node]] for edge in solution.chosen[node])


def _first_branching(dag: Dag) -> tuple[int, Fraction, Fraction]:
    """The first node from the root that is no sum of one term, and how the root sees it.

    The root's value is ``factor * v + constant``, where ``v`` is the best (or average) of that
    node's children.
    """
    node, factor, constant = 0, Fraction(1), Fraction(0)
    while _has_one_term(dag, node):
        edge = dag.first[node]
        constant += factor * Fraction(dag.offset[node])
        factor *= Fraction(dag.weight[edge])
        node = dag.child[edge]
    return node, factor, constant + factor * Fraction(dag.offset[node])


def _has_one_term(dag: Dag, node: int) -> bool:
    return dag.kind[node] == Kind.SUM and dag.first[node + 1] - dag.first[node] == 1
