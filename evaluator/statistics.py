"""How large a game is: as the graph that is kept, and as the tree that it stands for.

Input   a DAG of either engine.
Output  ``Statistics``.
Holds   counts are exact, however large the tree. They are computed digit by digit, as on paper:
        one pass over the graph for each digit of a large base, with a carry for each node. So
        memory is O(n) whatever the number of digits, and time O(m) for each of them. Where a
        tree is so large that this would take too long, its size is known by its logarithm only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from ..compiler.dag import AnyDag, Dag, Kind, Size
from ..compiler.progress import Progress, Step

_T = TypeVar("_T")
_BITS = 4096  # of a digit in Python
_WORK = 20_000_000  # edges over all passes: some ten seconds
_LEVEL_WORK = 2_000_000  # edges over all levels: one to four seconds
_MOST_LEVELS = 10_000


class Count(NamedTuple):
    """A number that may be huge: ``exact`` is None where only its logarithm is known."""

    exact: int | None
    log10: float


class Level(NamedTuple):
    """The nodes of the tree at one depth.

    ``least`` and ``most`` are the fewest and the most branches of those that have any (0 where
    none has); ``edges`` are all of their branches.
    """

    depth: int
    nodes: int
    terminals: int
    edges: int
    least: int
    most: int

    @property
    def mean(self) -> float:
        """Branches of a node that has some, on average."""
        inner = self.nodes - self.terminals
        return self.edges / inner if inner else 0.0


@dataclass(frozen=True, slots=True)
class Statistics:
    """The size of a game.

    ``size`` is the graph's, ``kinds`` how many nodes of each kind it has; ``nodes`` and
    ``terminals`` are the tree's, which has one edge less than nodes. ``levels`` are the tree's
    from the root down; where ``complete`` is false, those below are missing.
    """

    size: Size
    kinds: dict[str, int]
    nodes: Count
    terminals: Count
    levels: tuple[Level, ...]
    complete: bool


def statistics(dag: AnyDag, progress: Progress | None = None) -> Statistics:
    """Measure ``dag``.

    A node with several parents is, in the tree, one for each way that leads to it.

    Time O(m) for each digit: of 4096 bits in Python, of 32 bits for a large game, where a pass
    takes nanoseconds an edge; levels take time in proportion to the edges between them, and end
    after two million of those.
    """
    size = dag.size()
    levels, complete = _levels(dag)
    leaves = size.terminals
    kinds = {kind.name.lower(): _number_of(dag, kind) for kind in Kind}
    kinds["terminal"] = leaves
    nodes, terminals = _counts(dag, progress)
    return Statistics(
        size,
        {name: count for name, count in kinds.items() if count},
        nodes,
        terminals,
        levels,
        complete,
    )


def _number_of(dag: AnyDag, kind: Kind) -> int:
    if isinstance(dag, Dag):
        return dag.kind.count(kind)
    return int((dag.kind == kind).sum())


def _counts(dag: AnyDag, progress: Progress | None) -> tuple[Count, Count]:
    """The nodes and the terminals of the tree."""
    if not isinstance(dag, Dag):
        from .statistics_arrays import counts

        return counts(dag, progress)
    children = [tuple(dag.children(node)) for node in range(len(dag))]
    everywhere = [1] * len(dag)
    at_the_end = [int(kind == Kind.TERMINAL) for kind in dag.kind]
    passes = max(2, _WORK // (len(dag) + len(dag.child)))

    def count(own: list[int]) -> Count:
        def one_pass(carry: list[int]) -> tuple[int, bool]:
            return _pass(children, carry, progress)

        return counted(own.copy(), one_pass, _BITS, passes, lambda: _log2(children, own))

    return count(everywhere), count(at_the_end)


def counted(
    carry: _T,
    one_pass: Callable[[_T], tuple[int, bool]],
    bits: int,
    passes: int,
    log2: Callable[[], float],
) -> Count:
    """Add up a number from its digits, the lowest first.

    Args:
        carry: What each node adds to its own count; ``one_pass`` turns it into the next carries.
        one_pass: Computes a digit of every node; gives the root's and whether anything is
            carried on.
        bits: Of a digit.
        passes: How many there is time for.
        log2: The logarithm of the number, where that was not enough.
    """
    total = 0
    for number in range(passes):
        digit, more = one_pass(carry)
        total |= digit << (bits * number)
        if not more:
            return Count(total, _log10(total))
        if number == 0 and log2() > bits * passes:
            break
    return Count(None, log2() * math.log10(2))


def _log10(number: int) -> float:
    shift = max(0, number.bit_length() - 64)
    return math.log10(number >> shift) + shift * math.log10(2) if number else -math.inf


def _pass(
    children: Sequence[tuple[int, ...]], carry: list[int], progress: Progress | None
) -> tuple[int, bool]:
    """One digit of every node's count, from its children's digits and its own carry."""
    mask, more = (1 << _BITS) - 1, False
    digit = [0] * len(carry)
    for node in range(len(carry) - 1, -1, -1):
        total = carry[node]
        for child in children[node]:
            total += digit[child]
        digit[node] = total & mask
        carry[node] = above = total >> _BITS
        more = more or above > 0
        if not node & 0xFFFF and progress is not None:
            progress(Step(True, len(carry), node))
    return digit[0], more


def _log2(children: Sequence[tuple[int, ...]], own: Sequence[int]) -> float:
    """The binary logarithm of the root's count, in floats that cannot overflow."""
    logs = [-math.inf] * len(children)
    for node in range(len(children) - 1, -1, -1):
        found = [logs[child] for child in children[node]]
        if own[node]:
            found.append(0.0)
        top = max(found, default=-math.inf)
        if math.isfinite(top):
            logs[node] = top + math.log2(sum(2.0 ** (log - top) for log in found))
    return logs[0]


def _levels(dag: AnyDag) -> tuple[tuple[Level, ...], bool]:
    """The levels of the tree as far as there is time for them, and whether these are all."""
    levels: list[Level] = []
    layer, work = {0: 1}, 0
    while layer and work < _LEVEL_WORK and len(levels) < _MOST_LEVELS:
        below: dict[int, int] = {}
        fewest, most, edges, terminals = math.inf, 0, 0, 0
        for node, ways in layer.items():
            count = len(dag.edges(node))
            if not count:
                terminals += ways
                continue
            work += count
            fewest, most, edges = min(fewest, count), max(most, count), edges + ways * count
            if work > _LEVEL_WORK:
                return tuple(levels), False
            for child in dag.children(node):
                below[child] = below.get(child, 0) + ways
        nodes = sum(layer.values())
        least = int(fewest) if most else 0
        levels.append(Level(len(levels), nodes, terminals, edges, least, most))
        layer = below
    return tuple(levels), not layer
