"""What evaluating a DAG gives: a ``Solution`` of every node and an ``Answer`` to print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..compiler.dag import AnyDag, Kind, Size
from .shown import Shown

if TYPE_CHECKING:
    from .against import Against

Value = Fraction | float
Numbers = Literal["exact", "float"]
Mixture = tuple[tuple[int, Fraction], ...]  # (edge, probability), probabilities summing to 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Solution(Shown):
    """The value of every node of ``dag`` and what is chosen there.

    ``chosen[i]`` are the edges that node i chooses, ties in written order (empty where it
    does not choose: terminals, sums, and nodes whose behaviour mixes or averages). The first
    one is taken. ``pairs`` are the values as the solver keeps them: numerator and denominator
    in exact numbers, value and error bound in floats.
    """

    dag: AnyDag
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


class Branch(NamedTuple):
    """A branch of the root: its label, its value, and its odds where chance decides."""

    label: str
    value: Value
    p: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Answer(Shown):
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


def answer(game: str, solution: Solution) -> Answer:
    """Sum up ``solution`` as seen from the root of ``game``.

    A root that only adds to or scales one node (a fee paid before the game) shows that
    node's branches, with their values as the root sees them.
    """
    dag = solution.dag
    node, factor, constant = first_branching(dag)

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
    dag = solution.dag
    return [dag.origin[node].labels()[edge - dag.first[node]] for node, edge in _line(solution)]


def line_edges(solution: Solution) -> list[int]:
    """The edges of the chosen branches from the root until chance decides or play ends."""
    return [edge for _, edge in _line(solution)]


def _line(solution: Solution) -> Iterator[tuple[int, int]]:
    """The nodes on the line that choose, and the edges they choose."""
    dag, node = solution.dag, 0
    while True:
        if solution.chosen[node]:
            edge = solution.chosen[node][0]
            yield node, edge
            node = dag.child[edge]
        elif _has_one_term(dag, node):
            node = dag.child[dag.first[node]]
        else:
            return


def first_branching(dag: AnyDag) -> tuple[int, Fraction, Fraction]:
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


def _has_one_term(dag: AnyDag, node: int) -> bool:
    return dag.kind[node] == Kind.SUM and dag.first[node + 1] - dag.first[node] == 1
