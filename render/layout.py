"""Where the nodes of a tree are drawn.

Holds   nothing overlaps: each node has a slot for its shape and for the text at the edge that
        leads to it, and no two slots meet. Two drawings of one tree are the same.

The layout is igraph's (Reingold and Tilford, Tidier Drawings of Trees, 1981), which knows nodes
of one size only. So a slot of several units is a node between leaves that are not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any, NamedTuple

from .drawn import CLEAR, LINE, SMALL, DrawnNode, RankDir
from .shapes import text_width

_GAP = 14.0  # between slots side by side
_MARGIN = 16.0
_FAN = 34.0  # from a node to the texts of its children, at least
_FLATTEST = 0.14  # an edge falls this much of its width, at least
_UNIT = 8.0  # what slots are rounded to, for no more than _FINE nodes
_FINE = 1_000
_COLUMN = 50_000  # nodes times levels up to which payoffs are put in one column


def place(nodes: list[DrawnNode], rankdir: RankDir, *, column: bool = False) -> tuple[float, float]:
    """Set where nodes and their texts are; the size of the whole.

    *Across* is the direction in which siblings follow one another, *along* the one of play.
    ``column`` puts all payoffs at the last level, as long as they are not too many.
    """
    sideways = rankdir in ("LR", "RL")
    last = max(drawn.depth for drawn in nodes)
    column = column and last * len(nodes) <= _COLUMN
    levels = [last if column and drawn.kind == "terminal" else drawn.depth for drawn in nodes]
    across = _across(nodes, levels, sideways)
    bands = [*_bands(nodes, levels, across, sideways)]
    extent = bands[-1].end + _MARGIN
    for drawn, level, at in zip(nodes, levels, across, strict=True):
        own, band = bands[drawn.depth], bands[level]
        shape = band.shape
        if column and sideways and drawn.kind == "terminal":  # one below the other, to the pixel
            shape += (drawn.width - band.width) / 2
        spots = [own.bend, own.text, shape, band.out]
        if rankdir in ("BT", "RL"):
            spots = [extent - spot for spot in spots]
        _put(drawn, spots, at, sideways=sideways)
    breadth = max(at + _slot(drawn, sideways) / 2 for at, drawn in zip(across, nodes, strict=True))
    breadth += _MARGIN
    return (extent, breadth) if sideways else (breadth, extent)


def _put(drawn: DrawnNode, spots: list[float], at: float, *, sideways: bool) -> None:
    bend, text, shape, out = spots
    if sideways:
        drawn.text_y = drawn.y = at
        drawn.bend, drawn.text_x, drawn.x, drawn.out = (bend, at), text, shape, (out, at)
    else:
        drawn.text_x = drawn.x = at
        drawn.bend, drawn.text_y, drawn.y, drawn.out = (at, bend), text, shape, (at, out)


def _slot(drawn: DrawnNode, sideways: bool) -> float:
    """How much room a node takes across."""
    if sideways:
        return max(drawn.height, drawn.text_height)
    below = text_width(drawn.hidden_text, SMALL)
    return max(drawn.width, drawn.text_width, below)


def _across(nodes: list[DrawnNode], levels: list[int], sideways: bool) -> list[float]:
    """The middle of each node's slot, by Reingold and Tilford's layout."""
    unit = _unit(nodes, sideways)
    number = [0] * len(nodes)
    edges: list[tuple[int, int]] = []
    count = 1
    for drawn in nodes:
        for child in drawn.children:
            size = _slot(nodes[child], sideways) + _GAP
            aside = max(0, ceil((size - unit) / (2 * unit)))
            above = number[drawn.number]
            number[child] = above  # until the way there has its vertices
            for _ in range(drawn.depth, levels[child]):
                edges += [(number[child], count + leaf) for leaf in range(2 * aside + 1)]
                number[child] = count + aside
                count += 2 * aside + 1
    columns = _reingold_tilford(count, edges)
    found = [columns[vertex] * unit for vertex in number]
    left = min(at - _slot(drawn, sideways) / 2 for at, drawn in zip(found, nodes, strict=True))
    return [at - left + _MARGIN for at in found]


def _unit(nodes: list[DrawnNode], sideways: bool) -> float:
    """What slots are rounded to: in a large tree, for speed, most are one unit."""
    if len(nodes) <= _FINE:
        return _UNIT
    slots = sorted(_slot(drawn, sideways) + _GAP for drawn in nodes)
    return slots[len(slots) * 3 // 4]


def _reingold_tilford(count: int, edges: list[tuple[int, int]]) -> list[float]:
    """Where each vertex of the tree is across; neighbours are at least 1 apart."""
    from igraph import Graph  # pyright: ignore[reportMissingTypeStubs]

    graph: Any = Graph(n=count, edges=edges, directed=True)
    return [row[0] for row in graph.layout_reingold_tilford(mode="out", root=[0])]


class _Band(NamedTuple):
    """Where a level is along: its edges' bends, the middles of texts and shapes, and so on."""

    bend: float
    text: float
    shape: float
    width: float  # of the widest shape, along
    out: float  # where edges leave it
    end: float


def _bands(
    nodes: list[DrawnNode], level_of: list[int], across: list[float], sideways: bool
) -> Iterator[_Band]:
    """A band for each level, the root's first."""
    levels = 1 + max(drawn.depth for drawn in nodes)
    texts, shapes, fans = [0.0] * levels, [0.0] * levels, [_FAN] * levels
    tails = [0.0] * levels
    for drawn in nodes:
        level, end = drawn.depth, level_of[drawn.number]
        texts[level] = max(texts[level], drawn.text_width if sideways else drawn.text_height)
        shapes[end] = max(shapes[end], drawn.width if sideways else drawn.height)
        if drawn.hidden_text:
            tail = text_width(drawn.hidden_text, SMALL) + 8 if sideways else LINE
            tails[level] = max(tails[level], tail)
        if drawn.parent >= 0:
            away = abs(across[drawn.number] - across[drawn.parent])
            fans[level] = max(fans[level], min(away * _FLATTEST, 4 * _FAN))
    at, fans[0] = _MARGIN, 0.0
    for text, shape, fan, tail in zip(texts, shapes, fans, tails, strict=True):
        bend = at + fan
        start = bend + (CLEAR if text else 0.0)
        left = start + text + (2 * CLEAR if text else 0.0)
        at = left + shape + tail
        yield _Band(bend, start + text / 2, left + shape / 2, shape, left + shape, at)
