"""A simulation's histogram as a picture: SVG by hand, PNG by matplotlib.

Holds   the picture replaces the file at its path in one step, or the path is left as it was.
        The SVG is the same, byte for byte, for the same simulation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from xml.sax.saxutils import escape

from ..evaluator.simulate import Simulation
from .histogram import Bar, bars, round_step, share_text
from .numbers import picture_text, table_text
from .simulation import heading, mean_text
from .width import cut, safe

FORMATS = ("svg", "png")
_BARS = 60
_WIDTH, _HEIGHT = 760, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 736, 84, 386
_LETTER = 6.8  # about as wide as a letter of the legend
_INK, _FILL, _MEAN = "#222222", "#4477aa", "#cc3311"
_STYLES = [  # of the mean, and of the value above it
    (_MEAN, ' stroke-width="3"'),
    (_INK, ' stroke-width="1.5" stroke-dasharray="6 4"'),
]
_INSTALL = (
    "a PNG picture needs matplotlib, which is not installed: `pip install 'gametree[plot]'`, or"
    " `pip install matplotlib`; an .svg picture needs nothing"
)


class PlotError(Exception):
    """No picture can be made; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class _Span:
    """A bar in the picture: from ``left`` to ``right`` in outcomes."""

    left: float
    right: float
    share: float
    name: str


@dataclass(frozen=True, slots=True)
class _Chart:
    """What a picture shows, in the units of the axes: outcomes, and shares of plays."""

    title: str
    subtitle: str
    spans: list[_Span]
    low: float
    high: float
    top: float
    x_step: float
    y_step: float
    marks: list[tuple[str, float]]  # the mean and the value


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


def picture(simulation: Simulation, suffix: str) -> bytes:
    """The histogram as ``svg`` or ``png``."""
    chart = _chart(simulation)
    if suffix == "png":
        return _png(chart)
    return ("\n".join(_svg(chart)) + "\n").encode()


def _chart(simulation: Simulation) -> _Chart:
    found = bars(simulation.outcomes, simulation.counts, _BARS)
    spans = list(_spans(found, simulation.counted))
    marks = [(f"mean {mean_text(simulation)}", simulation.mean)]
    marks.append((f"value {picture_text(simulation.value)}", float(simulation.value)))
    low, high = min(span.left for span in spans), max(span.right for span in spans)
    if len(spans) == 1:  # a bar, not a wall
        low, high = low - 5 * (high - low), high + 5 * (high - low)
    for _, at in marks:
        low, high = min(low, at), max(high, at)
    margin = (high - low) / 50
    low, high = low - margin, high + margin
    top = max(span.share for span in spans) * 1.08
    return _Chart(
        cut(safe(simulation.game), 60),
        heading(simulation),
        spans, low, high, top, round_step((high - low) / 10), round_step(top / 6), marks,
    )  # fmt: skip


def _spans(found: list[Bar], total: int) -> Iterator[_Span]:
    """Bars with ends: an outcome's own bar gets a width, and an open one that of the others."""
    single = found[0].low == found[0].high
    lows = [bar.low for bar in found]
    gaps = [after - before for before, after in pairwise(lows)]
    usual = min((gap for gap in gaps if math.isfinite(gap)), default=max(1.0, abs(lows[0]) / 1e6))
    across = lows[-1] - lows[0] or usual
    half = min(max(0.4 * usual, across / 250), across / 20)
    for bar in found:
        name = f"{bar.label()}: {share_text(bar.plays, total)}, {bar.plays:,} plays"
        left, right = (bar.low - half, bar.high + half) if single else (bar.low, bar.high)
        left = right - usual if math.isinf(left) else left
        right = left + usual if math.isinf(right) else right
        yield _Span(left, right, bar.plays / total, name)


def _ticks(low: float, high: float, step: float) -> Iterator[float]:
    for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        yield number * step


def _share(share: float) -> str:
    return f"{100 * share:.4g} %"


# --- SVG -------------------------------------------------------------------------------------


def _svg(chart: _Chart) -> Iterator[str]:
    def x(outcome: float) -> float:
        return _LEFT + (outcome - chart.low) / (chart.high - chart.low) * (_RIGHT - _LEFT)

    def y(share: float) -> float:
        return _BOTTOM - share / chart.top * (_BOTTOM - _TOP)

    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        f' width="{_WIDTH}" height="{_HEIGHT}" role="img"'
        f' font-family="Helvetica, Arial, sans-serif" font-size="13" fill="{_INK}">'
    )
    yield f"<title>{escape(chart.title)}: {escape(chart.subtitle)}</title>"
    yield f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>'
    yield f'<text x="{_LEFT}" y="30" font-size="18" font-weight="bold">{escape(chart.title)}</text>'
    yield f'<text x="{_LEFT}" y="50">{escape(chart.subtitle)}</text>'
    for share in _ticks(0, chart.top, chart.y_step):
        yield _line(_LEFT, y(share), _RIGHT, y(share), "#dddddd")
        yield _text(_LEFT - 8, y(share) + 4, _share(share), "end")
    for span in chart.spans:
        left, right = x(span.left), x(span.right)
        yield (
            f'<rect x="{left:.2f}" y="{y(span.share):.2f}" width="{max(right - left, 1):.2f}"'
            f' height="{_BOTTOM - y(span.share):.2f}" fill="{_FILL}" stroke="#ffffff"'
            f' stroke-width="0.5"><title>{escape(span.name)}</title></rect>'
        )
    yield _line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, _INK)
    for outcome in _ticks(chart.low, chart.high, chart.x_step):
        yield _line(x(outcome), _BOTTOM, x(outcome), _BOTTOM + 5, _INK)
        yield _text(x(outcome), _BOTTOM + 20, table_text(outcome), "middle")
    yield _text((_LEFT + _RIGHT) / 2, _HEIGHT - 12, "outcome", "middle")
    middle = (_TOP + _BOTTOM) / 2
    yield _text(18, middle, "share of plays", "middle", f' transform="rotate(-90 18 {middle:g})"')
    at = float(_RIGHT)
    for (name, _), style in reversed(list(zip(chart.marks, _STYLES, strict=True))):
        yield _text(at, _TOP - 14, name, "end")
        at -= _LETTER * len(name) + 6
        yield _line(at - 24, _TOP - 18, at, _TOP - 18, *style)
        at -= 44
    for (_, outcome), style in zip(chart.marks, _STYLES, strict=True):
        yield _line(x(outcome), _TOP - 6, x(outcome), _BOTTOM, *style)
    yield "</svg>"


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, style: str = "") -> str:
    ends = f'x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}"'
    return f'<line {ends} stroke="{colour}"{style}/>'


def _text(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    return f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


# --- PNG -------------------------------------------------------------------------------------


def _png(chart: _Chart) -> bytes:
    from importlib import import_module
    from io import BytesIO

    try:
        figures: Any = import_module("matplotlib.figure")  # by name: nobody needs its types
    except ImportError:
        raise PlotError(_INSTALL) from None
    figure = figures.Figure(figsize=(_WIDTH / 100, _HEIGHT / 100), dpi=200, layout="tight")
    axes = figure.subplots()
    axes.bar(
        [span.left for span in chart.spans],
        [100 * span.share for span in chart.spans],
        [span.right - span.left for span in chart.spans],
        align="edge", color=_FILL, edgecolor="white", linewidth=0.5,
    )  # fmt: skip
    for (name, outcome), (colour, style) in zip(
        chart.marks, [(_MEAN, "-"), (_INK, "--")], strict=True
    ):
        axes.axvline(outcome, color=colour, linestyle=style, label=_plain(name))
    axes.set(xlabel="outcome", ylabel="share of plays, %", xlim=(chart.low, chart.high))
    axes.set_title(_plain(f"{chart.title}\n{chart.subtitle}"), loc="left")
    axes.legend(loc="upper left")
    found = BytesIO()
    figure.savefig(found, format="png")
    return found.getvalue()


def _plain(text: str) -> str:
    """Text in which a dollar sign begins no formula."""
    return text.replace("$", r"\$")
