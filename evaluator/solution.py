"""What evaluating a DAG gives: a ``Solution`` of every node and an ``Answer`` to print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ..compiler.dag import Dag, Size

Value = Fraction | float
Numbers = Literal["exact", "float"]


@dataclass(frozen=True, slots=True)
class Solution:
    """The value of every node of ``dag`` and what is chosen there.

    ``chosen[i]`` are the edges that node i chooses, ties in written order (empty where it
    does not choose: terminals, sums, and nodes whose behaviour mixes or averages). The first
    one is taken. ``bound[i]`` is how far the value can be off (0 in exact numbers).
    """

    dag: Dag
    numbers: Numbers
    chosen: Sequence[tuple[int, ...]]
    raw: Sequence[object]  # values as the solver keeps them; use ``value``
    bound: Sequence[float] | None = None

    def value(self, node: int) -> Value:
        """The value of ``node``: a ``Fraction`` in exact numbers, else a float."""
        raise NotImplementedError

    def error_bound(self, node: int) -> float:
        """How far ``value(node)`` can be off: 0.0 in exact numbers."""
        return 0.0 if self.bound is None else self.bound[node]


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of the root: its label, its value, and its odds where chance decides."""

    label: str
    value: Value
    p: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What ``gametree eval`` prints.

    ``best`` names all tied branches in written order (empty where the root does not choose);
    ``line`` follows the chosen branches from the root until chance decides.
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
