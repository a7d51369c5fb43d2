"""What pictures of numbers share: a frame with a heading, axes and their marks, as SVG or PNG.

An SVG is written by hand and needs nothing; a PNG is drawn by matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

FORMATS = ("svg", "png")
WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 72, 736, 84, 386  # of what the axes enclose
LETTER = 6.8  # about as wide as a letter
INK, GRID = "#222222", "#dddddd"
_INSTALL = (
    "a PNG picture needs matplotlib, which is not installed: `pip install 'gametree[plot]'`, or"
    " `pip install matplotlib`; an .svg picture needs nothing"
)


class PlotError(Exception):
    """No picture can be made; the text says why and what to do."""


def check_format(path: str) -> str:
    """The format of a picture to be written to ``path``, by its suffix.

    Raises:
        PlotError: If there is none of that suffix, or what it needs is missing.
    """
    suffix = path.rpartition(".")[2].lower() if "." in path else ""
    if suffix not in FORMATS:
        raise PlotError(f"cannot tell the format of `{path}` by its name: use .svg or .png")
    if suffix == "png":
        from importlib.util import find_spec

        if find_spec("matplotlib") is None:
            raise PlotError(_INSTALL)
    return suffix


def ticks(low: float, high: float, step: float) -> Iterator[float]:
    """The multiples of ``step`` from ``low`` to ``high``."""
    for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        yield number * step


# --- SVG -------------------------------------------------------------------------------------


def svg_head(title: str, subtitle: str) -> Iterator[str]:
    """The beginning of a picture, with its heading."""
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}" role="img"'
        f' font-family="Helvetica, Arial, sans-serif" font-size="13" fill="{INK}">'
    )
    yield f"<title>{escape(title)}: {escape(subtitle)}</title>"
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    yield f'<text x="{LEFT}" y="30" font-size="18" font-weight="bold">{escape(title)}</text>'
    yield f'<text x="{LEFT}" y="50">{escape(subtitle)}</text>'


def svg_names(across: str, up: str) -> Iterator[str]:
    """The names of the axes."""
    yield svg_text((LEFT + RIGHT) / 2, HEIGHT - 12, across, "middle")
    middle = (TOP + BOTTOM) / 2
    yield svg_text(18, middle, up, "middle", f' transform="rotate(-90 18 {middle:g})"')


def svg_line(x1: float, y1: float, x2: float, y2: float, colour: str, style: str = "") -> str:
    """A straight line."""
    ends = f'x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}"'
    return f'<line {ends} stroke="{colour}"{style}/>'


def svg_text(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    """Text at a place, which ``anchor`` (start, middle, end) says more of."""
    return f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


# --- PNG -------------------------------------------------------------------------------------


def figure() -> Any:
    """A figure of matplotlib, as large as the SVG.

    Raises:
        PlotError: If matplotlib is not installed.
    """
    from importlib import import_module

    try:
        figures: Any = import_module("matplotlib.figure")  # by name: nobody needs its types
    except ImportError:
        raise PlotError(_INSTALL) from None
    return figures.Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=200, layout="tight")


def as_png(drawn: Any) -> bytes:
    """A figure as the content of a file."""
    from io import BytesIO

    found = BytesIO()
    drawn.savefig(found, format="png")
    return found.getvalue()


def plain(text: str) -> str:
    """Text in which a dollar sign begins no formula."""
    return text.replace("$", r"\$")
