"""Which nodes of a DAG a picture shows, and where it meets them again.

Holds   depth first, edges in written order, as a reader walks the tree. What is too large is
        cut below the last level that fits, and each node is then drawn where it is nearest to
        the root. No recursion; no more of the DAG is looked at than is drawn, except to find
        equal subtrees (``equal_subtrees``) and to count what is left out (``below``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..compiler.dag import AnyDag, Kind
from ..evaluator.solution import Solution
from ..spec.diagnostics import UsageError

DEEPEST = 1_000  # levels; the layout is quadratic in the depth, and recursive
MOST_EDGES = 100_000  # that a picture has; each is a line of text at least
MAX_COLLAPSED = 200_000  # nodes among which equal subtrees are looked for


class Spot(NamedTuple):
    """A node to be drawn: positions are those in the list that it is in."""

    node: int
    parent: int
    edge: int
    depth: int
    stub_of: int


def whole(
    dag: AnyDag, equal: Sequence[int] | None, most: int, *, stubs: bool = True
) -> list[Spot] | None:
    """All of ``dag``, depth first; None if that is more than ``most`` nodes, or too deep.

    Without ``stubs`` a node counts once, however often it is met.
    """
    found: list[Spot] = []
    first_at: dict[int, int] = {}
    waiting = [(0, -1, -1, 0)]
    least = 0  # of what is to be counted, those known so far
    while waiting:
        node, parent, edge, depth = waiting.pop()
        here = len(found)
        stub_of = first_at.setdefault(node if equal is None else equal[node], here)
        found.append(Spot(node, parent, edge, depth, -1 if stub_of == here else stub_of))
        edges = dag.edges(node) if stub_of == here else range(0)
        least = here + 1 + len(waiting) + len(edges) if stubs else len(first_at)
        if least > most or depth > DEEPEST or here + len(edges) > MOST_EDGES + most:
            return None
        waiting += [(int(dag.child[edge]), here, edge, depth + 1) for edge in reversed(edges)]
    return found


def levels(
    dag: AnyDag, equal: Sequence[int] | None, most: int, *, stubs: bool = True
) -> list[Spot]:
    """The first whole levels that come to ``most`` nodes at most, breadth first; then sorted.

    A node is drawn in full where it is nearest to the root.
    """
    found = [Spot(0, -1, -1, 0, -1)]
    first_at = {0 if equal is None else equal[0]: 0}
    level = range(1)
    for depth in range(1, DEEPEST + 1):
        below = _below_level(dag, [found[here] for here in level], level.start)
        names = {node if equal is None else equal[node] for node, _, _ in below}
        count = len(found) + len(below) if stubs else len(first_at.keys() | names)
        if not below or count > most or len(found) + len(below) > MOST_EDGES + most:
            break
        for node, parent, edge in below:
            here = len(found)
            stub_of = first_at.setdefault(node if equal is None else equal[node], here)
            found.append(Spot(node, parent, edge, depth, -1 if stub_of == here else stub_of))
        level = range(len(found) - len(below), len(found))
    return _in_preorder(found)


def _below_level(dag: AnyDag, level: list[Spot], start: int) -> list[tuple[int, int, int]]:
    """What the nodes of a level lead to: the node, the position of its parent, the edge."""
    return [
        (int(dag.child[edge]), parent, edge)
        for parent, spot in enumerate(level, start)
        if spot.stub_of < 0
        for edge in dag.edges(spot.node)
    ]


def _in_preorder(spots: list[Spot]) -> list[Spot]:
    children: list[list[int]] = [[] for _ in spots]
    for here, spot in enumerate(spots[1:], 1):
        children[spot.parent].append(here)
    order: list[int] = []
    waiting = [0]
    while waiting:
        here = waiting.pop()
        order.append(here)
        waiting += reversed(children[here])
    number = {here: position for position, here in enumerate(order)} | {-1: -1}
    return [
        spots[here]._replace(parent=number[spots[here].parent], stub_of=number[spots[here].stub_of])
        for here in order
    ]


def equal_subtrees(dag: AnyDag, solution: Solution | None = None) -> list[int]:
    """For each node the last one of those with the same subtree.

    The same kinds, numbers and labels, and the same choices and values all the way down; where
    the nodes came from, and what they are called, does not matter.

    Raises:
        UsageError: If ``dag`` has more than ``MAX_COLLAPSED`` nodes.
    """
    if len(dag) > MAX_COLLAPSED:
        raise UsageError(
            f"equal subtrees are looked for in games of up to {MAX_COLLAPSED:,} nodes,"
            f" and this one has {len(dag):,}",
            "leave out --collapse",
        )
    number_of: dict[object, int] = {}
    same = [0] * len(dag)
    for node in range(len(dag) - 1, -1, -1):
        edges = dag.edges(node)
        weights = [dag.weight[edge] for edge in edges]
        played = () if solution is None else solution.chosen[node]
        key = (
            (dag.kind[node], dag.offset[node], *weights),
            sum(weights) if dag.kind[node] == Kind.CHANCE else 1,
            tuple(dag.origin[node].labels()),
            tuple(same[int(dag.child[edge])] for edge in edges),
            tuple(edge - edges.start for edge in played),
            None if solution is None else solution.pairs[node][0],
        )
        same[node] = number_of.setdefault(key, node)
    return same


def below(dag: AnyDag, shown: set[int]) -> dict[int, int]:
    """For each shown node with a child that is not, how many such nodes lie below it.

    One pass, a bit for each such node: bits run down the edges among what is not shown.
    """
    edge_of_picture = [n for n in sorted(shown) if any(c not in shown for c in dag.children(n))]
    if not edge_of_picture:
        return {}
    above = dict[int, int]()
    for bit, node in enumerate(edge_of_picture):
        for child in dag.children(node):
            if child not in shown:
                above[child] = above.get(child, 0) | 1 << bit
    counts = dict[int, int]()
    for node in range(len(dag)):
        bits = above.pop(node, 0)
        if not bits:
            continue
        counts[bits] = counts.get(bits, 0) + 1
        for child in dag.children(node):
            if child not in shown:
                above[child] = above.get(child, 0) | bits
    return {
        node: sum(count for bits, count in counts.items() if bits >> bit & 1)
        for bit, node in enumerate(edge_of_picture)
    }
