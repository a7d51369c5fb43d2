"""The DAG: a game as arrays, children after their parents.

Nothing here is a Python object per edge. Labels, states and source places are found again
from each node's ``origin`` when someone asks.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

Amount = int | Fraction | float  # exact; float only in games with `sqrt`, `exp` or `log`


class Kind(IntEnum):
    """What a node does with its children's values."""

    TERMINAL = 0  # nothing: its value is its offset
    MAX = 1  # offset + the best
    MIN = 2  # offset + the worst
    CHANCE = 3  # offset + the sum of odds * value / divisor
    SUM = 4  # offset + the sum of factor * value


class Origin(Protocol):
    """What can say again where a node came from."""

    states: list[tuple[Any, tuple[Any, ...]]]  # the states it stands for

    def labels(self) -> list[str]:
        """The label of each edge, in order."""
        ...

    def title(self) -> str:
        """The node's own label, or its state such as ``turn(16)``, or ``""``."""
        ...

    def note(self) -> str:
        """The node's ``note``, or ``""``."""
        ...


class Size(NamedTuple):
    """How large a DAG is; ``depth`` is the longest path's number of edges."""

    nodes: int
    edges: int
    terminals: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dag:
    """``n`` nodes and ``m`` edges in topological order; node 0 is the root.

    ========== ============ ==================================================================
    kind       n            a ``Kind``
    first      n + 1        node i's edges are ``first[i]`` to ``first[i + 1]``
    child      m            the node an edge leads to; always larger than the edge's own
    weight     m            CHANCE: integer odds, above 0; SUM: exact factor; else 1
    divisor    n            CHANCE: what its odds sum to; else 1
    offset     n            payoff (TERMINAL), constant (SUM), reward (others), exact
    origin     n            where it came from
    ========== ============ ==================================================================
    """

    kind: bytearray
    first: array[int]
    child: array[int]
    weight: list[Amount]
    divisor: list[int]
    offset: list[Amount]
    origin: Sequence[Origin]
    levels: tuple[int, ...] = ()  # the first node of each level, where a ``TreeDag`` has them

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.kind)

    def edges(self, node: int) -> range:
        """The edges of ``node``, in the order they were written."""
        return range(self.first[node], self.first[node + 1])

    def children(self, node: int) -> Iterator[int]:
        """The children of ``node``, in the order they were written."""
        return iter(self.child[self.first[node] : self.first[node + 1]])

    def probability(self, node: int, edge: int) -> Fraction:
        """The odds of ``edge`` at chance node ``node``, as a probability."""
        return Fraction(self.weight[edge]) / self.divisor[node]

    def states_of(self, node: object) -> tuple[list[int], list[tuple[Any, ...]]]:
        """The states of a named node that play can reach, sorted by their arguments.

        Returns:
            Their nodes in the DAG, and their arguments.
        """
        found = [
            (arguments, number)
            for number, origin in enumerate(self.origin)
            for named, arguments in origin.states
            if named is node
        ]
        found.sort()
        return [number for _, number in found], [arguments for arguments, _ in found]

    def size(self) -> Size:
        """Count it: time O(n + m)."""
        depth = [0] * len(self)
        for node in range(len(self) - 1, -1, -1):
            below = [depth[child] for child in self.children(node)]
            depth[node] = 1 + max(below) if below else 0
        return Size(
            len(self), len(self.child), self.kind.count(Kind.TERMINAL), depth[0] if depth else 0
        )


if TYPE_CHECKING:
    from .native.engine import ArrayDag

    AnyDag = Dag | ArrayDag
else:
    AnyDag = Dag  # what is said for the type checker; machine code is imported when needed
