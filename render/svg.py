"""A drawing as SVG: one file that needs nothing else, and no Graphviz.

Holds   text is text: it can be searched, copied and read aloud, and whatever a label holds, it
        is shown as it is. ``<title>`` and ``<desc>`` say what the picture shows. Its colours are
        its own, and turn dark where the reader's screen is, never on paper. No script, no link,
        nothing from elsewhere. The same drawing gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

from ..compiler.dag import Kind
from .drawn import FONT_SIZE, SMALL, Drawing, Point
from .scene import HEADING, Edge, Group, Outline, Words, corners, scene
from .shapes import DARK, FONT, KINDS, LIGHT, Palette
from .spoken import description

_UNFIT = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # for XML 1.0


def svg(drawing: Drawing, *, title: str = "", legend: bool = False) -> str:
    """``drawing`` as an SVG document, ending in a line break.

    Args:
        drawing: What to draw.
        title: A line above the picture, and what a screen reader calls it.
        legend: Whether to explain the shapes that occur.
    """
    shown = scene(drawing, title, legend=legend)
    width, height = _short(shown.width), _short(shown.height)
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gametree" role="img" {size}>',
        f"<title>{_text(title or 'a game tree')}</title>",
        f"<desc>{_text(description(drawing))}</desc>",
        f"<style>\n{_styles(drawing)}</style>",
        '<rect class="paper" width="100%" height="100%"/>',
        *map(_item, shown.items),
    ]
    return "\n".join([*lines, "</svg>", ""])


# --- colours ---------------------------------------------------------------------------------

_FIXED = f"""\
.gametree text {{ font: {SMALL:g}px {FONT}; text-anchor: middle; unicode-bidi: plaintext; }}
.gametree .start {{ text-anchor: start; }}
.gametree .heading {{ font-size: {HEADING:g}px; font-weight: 600; }}
.gametree .figure {{ font-size: {FONT_SIZE:g}px; }}
.gametree .title {{ font-style: italic; }}
.gametree .edge {{ fill: none; stroke-width: 1.2; stroke-linejoin: round; }}
.gametree .bold {{ stroke-width: 3; }}
.gametree .shape {{ stroke-width: 1.5; }}
.gametree .stub .shape {{ stroke-dasharray: 4 3; }}
.gametree .current .shape {{ stroke-width: 4; }}
"""


def _styles(drawing: Drawing) -> str:
    """The style sheet, for light screens and for dark ones."""
    kinds = sorted({KINDS[drawn.kind] for drawn in drawing.nodes})
    dark = "".join(_sheet(DARK, kinds))
    light = "".join(_sheet(LIGHT, kinds))
    return f"{_FIXED}{light}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _sheet(palette: Palette, kinds: Iterable[Kind]) -> Iterator[str]:
    yield f".gametree .paper {{ fill: {palette.paper}; }}\n"
    yield f".gametree text {{ fill: {palette.ink}; }}\n"
    yield f".gametree .remark {{ fill: {palette.faded}; }}\n"
    yield f".gametree .odds {{ fill: {palette.odds}; }}\n"
    yield f".gametree .edge {{ stroke: {palette.edge}; }}\n"
    yield f".gametree .bold {{ stroke: {palette.chosen_else}; }}\n"
    for kind in kinds:
        name, chosen = kind.name.lower(), palette.chosen.get(kind, palette.chosen_else)
        fill, line = palette.fill[kind], palette.line[kind]
        yield f".gametree .{name} .shape {{ fill: {fill}; stroke: {line}; }}\n"
        if kind is not Kind.TERMINAL:
            yield f".gametree .by-{name} {{ stroke: {chosen}; }}\n"
            yield f".gametree text.by-{name} {{ fill: {chosen}; stroke: none; }}\n"
    yield f".gametree .faint .shape {{ fill: {palette.paper}; stroke: {palette.faint}; }}\n"
    yield f".gametree .faint text {{ fill: {palette.faint_ink}; }}\n"
    yield f".gametree .faint.edge {{ stroke: {palette.faint}; }}\n"
    yield f".gametree .current .shape {{ stroke: {palette.current}; }}\n"


# --- elements --------------------------------------------------------------------------------


def _item(item: Words | Edge | Group) -> str:
    if isinstance(item, Words):
        return _words(item)
    return _edge(item) if isinstance(item, Edge) else _group(item)


def _group(group: Group) -> str:
    flags = (("stub", group.stub), ("faint", group.faint), ("current", group.current))
    classes = ["node", group.kind, *(name for name, holds in flags if holds)]
    items = "".join(_words(i) if isinstance(i, Words) else _outline(i) for i in group.items)
    about = f"<title>{_text(group.details)}</title>" if group.details else ""
    return f'<g class="{" ".join(classes)}">{about}{items}</g>'


def _edge(edge: Edge) -> str:
    classes = ["edge"]
    classes += ["bold", f"by-{edge.by}"] if edge.by else []
    classes += ["faint"] if edge.faint else []
    return f'<path class="{" ".join(classes)}" d="{"".join(map(_path, edge.strokes))}"/>'


def _path(points: list[Point]) -> str:
    return "M" + "L".join(f"{_short(x)} {_short(y)}" for x, y in points)


def _words(words: Words) -> str:
    classes = [words.role]
    classes += [f"by-{words.by}"] if words.by else []
    classes += ["start"] if words.start else []
    at = f'x="{_short(words.x)}" y="{_short(words.y)}"'
    return f'<text class="{" ".join(classes)}" {at}>{_text(words.text)}</text>'


def _outline(outline: Outline) -> str:
    shape, x, y, width, height = outline
    left, top = _short(x - width / 2), _short(y - height / 2)
    if shape == "circle":
        radii = f'rx="{_short(width / 2)}" ry="{_short(height / 2)}"'
        return f'<ellipse class="shape" cx="{_short(x)}" cy="{_short(y)}" {radii}/>'
    if shape in ("box", "square"):
        size = f'width="{_short(width)}" height="{_short(height)}"'
        round_corners = ' rx="3"' if shape == "box" else ""
        return f'<rect class="shape" x="{left}" y="{top}" {size}{round_corners}/>'
    points = " ".join(f"{_short(x)},{_short(y)}" for x, y in corners(outline))
    return f'<polygon class="shape" points="{points}"/>'


def _text(text: str) -> str:
    """``text`` as the content of an element."""
    return escape(_UNFIT.sub("\ufffd", text))


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
