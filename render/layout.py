"""Where the nodes of a tree are drawn.

Holds   nothing overlaps: each node has a slot for its shape and for the text at the edge that
        leads to it, and no two slots meet. Two drawings of one tree are the same.

The layout is igraph's (Reingold and Tilford, Tidier Drawings of Trees, 1981), which knows nodes
of one size only. So a slot of several units is a node between leaves that are not drawn.
"""

from __future__ import annotations

from typing import Any

from .drawn import LINE, SMALL, DrawnNode, RankDir
from .shapes import text_width

_GAP = 14.0  # between slots side by side
_MARGIN = 16.0
_FAN = 34.0  # from a node to the texts of its children, at least
_FLATTEST = 0.14  # an edge falls this much of its width, at least
_UNIT, _ROUGH_UNIT = 8.0, 24.0  # what slots are rounded to; rough for more nodes than _FINE
_FINE = 1_000


def place(nodes: list[DrawnNode], rankdir: RankDir) -> tuple[float, float]:
    """Set where nodes and their texts are; the size of the whole.

    *Across* is the direction in which siblings follow one another, *along* the one of play.
    """
    sideways = rankdir in ("LR", "RL")
    across = _across(nodes, sideways)
    bend_at, text_at, shape_at, extent = _along(nodes, across, sideways)
    backwards = rankdir in ("BT", "RL")
    for drawn in nodes:
        at = across[drawn.number]
        spots = (bend_at[drawn.depth], text_at[drawn.depth], shape_at[drawn.depth])
        bend, text, shape = (extent - spot for spot in spots) if backwards else spots
        if sideways:
            drawn.bend, drawn.text_x, drawn.x = (bend, at), text, shape
            drawn.text_y = drawn.y = at
        else:
            drawn.bend, drawn.text_y, drawn.y = (at, bend), text, shape
            drawn.text_x = drawn.x = at
    breadth = max(at + _slot(drawn, sideways) / 2 for at, drawn in zip(across, nodes, strict=True))
    breadth += _MARGIN
    return (extent, breadth) if sideways else (breadth, extent)


def _slot(drawn: DrawnNode, sideways: bool) -> float:
    """How much room a node takes across."""
    if sideways:
        return max(drawn.height, drawn.text_height)
    below = text_width(drawn.hidden_text, SMALL)
    return max(drawn.width, drawn.text_width, below)


def _across(nodes: list[DrawnNode], sideways: bool) -> list[float]:
    """The middle of each node's slot, by Reingold and Tilford's layout."""
    unit = _UNIT if len(nodes) <= _FINE else _ROUGH_UNIT
    number = [0] * len(nodes)
    edges: list[tuple[int, int]] = []
    count = 1
    for drawn in nodes:
        for child in drawn.children:
            size = _slot(nodes[child], sideways) + _GAP
            aside = max(0, -(-int(size - unit + 1) // int(2 * unit)))
            number[child] = count + aside
            above = number[drawn.number]
            edges += [(above, count + leaf) for leaf in range(2 * aside + 1)]
            count += 2 * aside + 1
    columns = _reingold_tilford(count, edges)
    found = [columns[vertex] * unit for vertex in number]
    left = min(at - _slot(drawn, sideways) / 2 for at, drawn in zip(found, nodes, strict=True))
    return [at - left + _MARGIN for at in found]


def _reingold_tilford(count: int, edges: list[tuple[int, int]]) -> list[float]:
    """Where each vertex of the tree is across; neighbours are at least 1 apart."""
    from igraph import Graph  # pyright: ignore[reportMissingTypeStubs]

    graph: Any = Graph(n=count, edges=edges, directed=True)
    return [row[0] for row in graph.layout_reingold_tilford(mode="out", root=[0])]


def _along(
    nodes: list[DrawnNode], across: list[float], sideways: bool
) -> tuple[list[float], list[float], list[float], float]:
    """For each level where edges bend, the middle of texts and of shapes; and the whole size."""
    levels = 1 + max(drawn.depth for drawn in nodes)
    texts, shapes, fans = [0.0] * levels, [0.0] * levels, [_FAN] * levels
    tails = [0.0] * levels
    for drawn in nodes:
        level = drawn.depth
        texts[level] = max(texts[level], drawn.text_width if sideways else drawn.text_height)
        shapes[level] = max(shapes[level], drawn.width if sideways else drawn.height)
        if drawn.hidden_text:
            tail = text_width(drawn.hidden_text, SMALL) + 8 if sideways else LINE
            tails[level] = max(tails[level], tail)
        if drawn.parent >= 0:
            away = abs(across[drawn.number] - across[drawn.parent])
            fans[level] = max(fans[level], min(away * _FLATTEST, 4 * _FAN))
    fans[0] = 0.0
    at, bend_at, text_at, shape_at = _MARGIN, list[float](), list[float](), list[float]()
    for text, shape, fan, tail in zip(texts, shapes, fans, tails, strict=True):
        at += fan
        bend_at.append(at)
        text_at.append(at + text / 2)
        at += text + (8.0 if text else 0.0)
        shape_at.append(at + shape / 2)
        at += shape + tail
    return bend_at, text_at, shape_at, at + _MARGIN
