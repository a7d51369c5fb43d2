"""The order of a DAG, and the cycle of a graph that is none."""

from __future__ import annotations

from collections.abc import Sequence


def in_topological_order(edges: Sequence[Sequence[int]]) -> list[int] | None:
    """Every node after all that lead to it, from node 0; None where there is a cycle.

    Kahn (1962), "Topological sorting of large networks". Time O(n + m).
    """
    if all(child > node for node, children in enumerate(edges) for child in children):
        return list(range(len(edges)))
    incoming = [0] * len(edges)
    for children in edges:
        for child in children:
            incoming[child] += 1
    order = [node for node, count in enumerate(incoming) if not count]
    for node in order:  # grows while it is read
        for child in edges[node]:
            incoming[child] -= 1
            if not incoming[child]:
                order.append(child)
    return order if len(order) == len(edges) else None


def find_cycle(edges: Sequence[Sequence[int]]) -> list[int]:
    """The nodes of one cycle, each leading to the next and the last to the first.

    Depth-first search with an explicit stack, from node 0. Time O(n + m).
    """
    done, on_path = bytearray(len(edges)), bytearray(len(edges))
    path, rest = [0], [iter(edges[0])]
    on_path[0] = 1
    while path:
        child = next(rest[-1], None)
        if child is None:
            node = path.pop()
            rest.pop()
            on_path[node], done[node] = 0, 1
        elif on_path[child]:
            return path[path.index(child) :]
        elif not done[child]:
            path.append(child)
            rest.append(iter(edges[child]))
            on_path[child] = 1
    return []
