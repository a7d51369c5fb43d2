"""A simulation's histogram as a picture: SVG by hand, PNG by matplotlib.

Holds   the picture replaces the file at its path in one step, or the path is left as it was.
        The SVG is the same, byte for byte, for the same simulation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape

from ..evaluator.simulate import Simulation
from .chart import (
    BOTTOM,
    GRID,
    INK,
    LEFT,
    LETTER,
    RIGHT,
    TOP,
    as_png,
    figure,
    plain,
    svg_head,
    svg_line,
    svg_names,
    svg_text,
    ticks,
)
from .histogram import Bar, bars, round_step, share_text
from .numbers import picture_text, table_text
from .simulation import heading, mean_text
from .width import cut, safe

_BARS = 60
_FILL, _MEAN = "#4477aa", "#cc3311"
_STYLES = [  # of the mean, and of the value above it
    (_MEAN, ' stroke-width="3"'),
    (INK, ' stroke-width="1.5" stroke-dasharray="6 4"'),
]


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


def _share(share: float) -> str:
    return f"{100 * share:.4g} %"


# --- SVG -------------------------------------------------------------------------------------


def _svg(chart: _Chart) -> Iterator[str]:
    def x(outcome: float) -> float:
        return LEFT + (outcome - chart.low) / (chart.high - chart.low) * (RIGHT - LEFT)

    def y(share: float) -> float:
        return BOTTOM - share / chart.top * (BOTTOM - TOP)

    yield from svg_head(chart.title, chart.subtitle)
    for share in ticks(0, chart.top, chart.y_step):
        yield svg_line(LEFT, y(share), RIGHT, y(share), GRID)
        yield svg_text(LEFT - 8, y(share) + 4, _share(share), "end")
    for span in chart.spans:
        left, right = x(span.left), x(span.right)
        yield (
            f'<rect x="{left:.2f}" y="{y(span.share):.2f}" width="{max(right - left, 1):.2f}"'
            f' height="{BOTTOM - y(span.share):.2f}" fill="{_FILL}" stroke="#ffffff"'
            f' stroke-width="0.5"><title>{escape(span.name)}</title></rect>'
        )
    yield svg_line(LEFT, BOTTOM, RIGHT, BOTTOM, INK)
    for outcome in ticks(chart.low, chart.high, chart.x_step):
        yield svg_line(x(outcome), BOTTOM, x(outcome), BOTTOM + 5, INK)
        yield svg_text(x(outcome), BOTTOM + 20, table_text(outcome), "middle")
    yield from svg_names("outcome", "share of plays")
    at = float(RIGHT)
    for (name, _), style in reversed(list(zip(chart.marks, _STYLES, strict=True))):
        yield svg_text(at, TOP - 14, name, "end")
        at -= LETTER * len(name) + 6
        yield svg_line(at - 24, TOP - 18, at, TOP - 18, *style)
        at -= 44
    for (_, outcome), style in zip(chart.marks, _STYLES, strict=True):
        yield svg_line(x(outcome), TOP - 6, x(outcome), BOTTOM, *style)
    yield "</svg>"


# --- PNG -------------------------------------------------------------------------------------


def _png(chart: _Chart) -> bytes:
    drawn = figure()
    axes = drawn.subplots()
    axes.bar(
        [span.left for span in chart.spans],
        [100 * span.share for span in chart.spans],
        [span.right - span.left for span in chart.spans],
        align="edge", color=_FILL, edgecolor="white", linewidth=0.5,
    )  # fmt: skip
    for (name, outcome), (colour, style) in zip(
        chart.marks, [(_MEAN, "-"), (INK, "--")], strict=True
    ):
        axes.axvline(outcome, color=colour, linestyle=style, label=plain(name))
    axes.set(xlabel="outcome", ylabel="share of plays, %", xlim=(chart.low, chart.high))
    axes.set_title(plain(f"{chart.title}\n{chart.subtitle}"), loc="left")
    axes.legend(loc="upper left")
    return as_png(drawn)
