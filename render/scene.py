"""A drawing as shapes, lines and words, each with its place: what SVG and TikZ write down.

Coordinates are pixels from the top left corner, y down. A text's y is that of its baseline.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from .drawn import CLEAR, END, FONT_SIZE, LINE, SMALL, Drawing, DrawnNode, Point, Role
from .shapes import KINDS, SHAPES, Shape, text_width
from .spoken import details
from .width import safe
from .wrap import wrapped

HEADING = 17.0  # pixels of the title's font
_MARGIN = 16.0
_LEAST = 240.0  # pixels of width
_SINK: dict[Shape, float] = {"triangle up": 0.18, "triangle down": -0.18}  # of the height


class Words(NamedTuple):
    """A text in the middle of ``x``, or from there on (``start``); ``by`` is who chose it."""

    text: str
    x: float
    y: float
    role: Role | Literal["heading", "remark", "figure", "key"]
    start: bool = False
    by: str = ""


class Outline(NamedTuple):
    """A shape around its centre; a triangle of a negative width points to the right."""

    shape: Shape
    x: float
    y: float
    width: float
    height: float


def corners(outline: Outline) -> list[Point]:
    """The corners of a shape that is neither round nor upright."""
    shape, x, y, width, height = outline
    left, top, right, bottom = x - width / 2, y - height / 2, x + width / 2, y + height / 2
    if shape == "triangle up":
        return [(x, top), (right, bottom), (left, bottom)]
    if shape == "triangle down":
        return [(left, top), (right, top), (x, bottom)]
    if shape == "triangle":
        return [(left, y), (right, top), (right, bottom)]
    return [(x, top), (right, y), (x, bottom), (left, y)]


class Edge(NamedTuple):
    """The lines of an edge; ``by`` is who chose it, ``""`` where nobody did."""

    strokes: list[list[Point]]
    by: str = ""
    faint: bool = False


class Group(NamedTuple):
    """A node: its shape and its words, and ``details`` for who points at it."""

    kind: str
    items: list[Words | Outline]
    details: str = ""
    stub: bool = False
    faint: bool = False
    current: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """All there is to draw, what lies below first."""

    width: float
    height: float
    items: list[Words | Edge | Group]


def scene(drawing: Drawing, title: str = "", *, legend: bool = False) -> Scene:
    """``drawing`` below its ``title`` and what there is to remark, the legend below it."""
    keys = _keys(drawing) if legend else []
    width = max(drawing.width, _LEAST, 2 * _MARGIN + sum(_key_width(said) for _, said in keys))
    head = [*_head(drawing, title, width)]
    top = head[-1].y + 2 if head else 0.0
    left = (width - drawing.width) / 2
    bottom = top + drawing.height
    items: list[Words | Edge | Group] = [*head, *_body(drawing, left, top)]
    items += _legend(drawing, keys, bottom + LINE)
    return Scene(width, bottom + (2.6 * LINE if legend else 0.0), items)


# --- above and below -------------------------------------------------------------------------


def _head(drawing: Drawing, title: str, width: float) -> Iterator[Words]:
    room, y = width - 2 * _MARGIN, _MARGIN / 2
    for text in wrapped(title, max(10, int(room / (0.75 * HEADING))), 2):
        y += HEADING * 1.4
        yield Words(text, _MARGIN, y, "heading", start=True)
    for remark in (drawing.caption, drawing.cut):
        for text in wrapped(remark, max(16, int(room / (0.66 * SMALL))), 4):
            y += LINE
            yield Words(text, _MARGIN, y, "remark", start=True)


def _keys(drawing: Drawing) -> list[tuple[str, str]]:
    """What is explained: a kind of node, a stub's kind or ``bold``, and what is said of it."""
    kinds = {drawn.kind for drawn in drawing.nodes}
    keys = [(name, drawing.meaning(name)) for name in KINDS if name in kinds]
    stub = next((drawn.kind for drawn in drawing.nodes if drawn.is_stub), None)
    if stub is not None:
        keys.append((f"{stub} stub", "drawn elsewhere"))
    if any(drawn.bold for drawn in drawing.nodes):
        keys.append(("bold", "chosen"))
    return keys


def _key_width(said: str) -> float:
    return 58.0 + text_width(said, SMALL)


def _legend(
    drawing: Drawing, keys: list[tuple[str, str]], top: float
) -> Iterator[Words | Edge | Group]:
    """One row: each shape that occurs, and its meaning."""
    x, y = _MARGIN + 14, top + LINE / 2
    for name, said in keys:
        words = Words(said, x + 20, y + 4, "key", start=True)
        kind, _, stub = name.partition(" ")
        if kind == "bold":
            yield Edge([[(x - 14, y), (x + 14, y)]], "sum")
            yield words
        else:
            shape = SHAPES[drawing.style][KINDS[kind]]
            width = 26.0 if shape in ("box", "triangle up", "triangle down") else 20.0
            outline = Outline(shape, x, y, width, 16.0 if shape == "box" else 20.0)
            yield Group(kind, [outline, words], stub=bool(stub))
        x += _key_width(said)


# --- nodes and edges -------------------------------------------------------------------------


def _body(drawing: Drawing, left: float, top: float) -> Iterator[Edge | Group]:
    for drawn in drawing.nodes[1:]:
        parent = drawing.nodes[drawn.parent]
        lines = [[(x + left, y + top) for x, y in line] for line in strokes(drawing, drawn)]
        yield Edge(lines, parent.kind if drawn.bold else "", drawn.faint)
    for drawn in drawing.nodes:
        items = [item._replace(x=item.x + left, y=item.y + top) for item in _items(drawing, drawn)]
        flags = (drawn.is_stub, drawn.faint, drawn.current)
        yield Group(drawn.kind, items, details(drawing, drawn), *flags)


def _sign(drawing: Drawing) -> int:
    """Whether play leads to where coordinates grow, 1, or shrink, -1."""
    return 1 if drawing.rankdir in ("TB", "LR") else -1


def _shape_of(drawing: Drawing, drawn: DrawnNode) -> Shape:
    return SHAPES[drawing.style][KINDS[drawn.kind]]


def strokes(drawing: Drawing, child: DrawnNode) -> list[list[Point]]:
    """The lines of the edge to ``child``: to its text, and from there to itself.

    They end in the middle of the shapes, which lie over them.
    """
    sign, parent = _sign(drawing), drawing.nodes[child.parent]
    start, end = (parent.x, parent.y), (child.x, child.y)
    if drawing.is_sideways:
        away = sign * (child.text_width / 2 + CLEAR)
        before, after = (child.text_x - away, child.y), (child.text_x + away, child.y)
        if _shape_of(drawing, child) == "triangle":  # its payoff stands behind it
            end = (child.x + sign * (END - child.width / 2 - 2), child.y)
    else:
        away = sign * (child.text_height / 2 + CLEAR)
        before, after = (child.x, child.text_y - away), (child.x, child.text_y + away - sign)
        if _shape_of(drawing, child) == "triangle":
            end = (child.x, child.y - sign * LINE / 2)
    if not child.lines:
        return [[start, parent.out, child.bend, end]]
    return [[start, parent.out, child.bend, before], [after, end]]


def _items(drawing: Drawing, drawn: DrawnNode) -> Iterator[Words | Outline]:
    """The words at the edge that leads to a node, its shape, and what stands in it."""
    y = drawn.text_y - drawn.text_height / 2 - 3.5
    by = drawing.nodes[drawn.parent].kind if drawn.bold else ""
    for text, role in drawn.lines:
        y += LINE
        yield Words(text, drawn.text_x, y, role, by=by if role == "label" else "")
    if _shape_of(drawing, drawn) == "triangle":
        yield from _end(drawing, drawn)
    else:
        yield from _inner(drawn, _shape_of(drawing, drawn))
    if drawn.hidden_text:
        yield _hidden(drawing, drawn)


def _inner(drawn: DrawnNode, shape: Shape) -> Iterator[Words | Outline]:
    """A shape with a value in it."""
    yield Outline(shape, drawn.x, drawn.y, drawn.width, drawn.height)
    if drawn.text:
        y = drawn.y + _SINK.get(shape, 0.0) * drawn.height + FONT_SIZE * 0.35
        yield Words(safe(drawn.text), drawn.x, y, "figure")


def _end(drawing: Drawing, drawn: DrawnNode) -> Iterator[Words | Outline]:
    """A small triangle that points to where play comes from, the payoff beside or below it."""
    x, y, text = drawn.x, drawn.y, safe(drawn.text)
    sign = _sign(drawing)
    if not drawing.is_sideways:
        shape = "triangle up" if sign > 0 else "triangle down"
        yield Outline(shape, x, y - sign * LINE / 2, END, END)
        yield Words(text, x, y + sign * END / 2 + FONT_SIZE * 0.35, "figure")
        return
    x -= sign * (drawn.width - END) / 2
    yield Outline("triangle", x, y, sign * END, END)
    left = x + END / 2 + 6 if sign > 0 else drawn.x - drawn.width / 2
    yield Words(text, left, y + 4.5, "figure", start=True)


def _hidden(drawing: Drawing, drawn: DrawnNode) -> Words:
    """What says that there is more, behind the shape."""
    sign, x, y = _sign(drawing), drawn.x, drawn.y
    if not drawing.is_sideways:
        y += sign * (drawn.height / 2 + LINE / 2) + 4
        return Words(drawn.hidden_text, x, y, "remark")
    room = drawn.width / 2 + 6
    left = x + room if sign > 0 else x - room - text_width(drawn.hidden_text, SMALL)
    return Words(drawn.hidden_text, left, y + 4, "remark", start=True)
