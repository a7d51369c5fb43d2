"""The value of each first move as an opponent gets worse: curves on a terminal, as SVG or PNG.

Holds   moves whose values agree everywhere share a curve, and at most ``MOST`` are drawn: those
        that are best somewhere first. The SVG is the same, byte for byte, for the same sweep.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..evaluator.opponents import Opponents
from ..evaluator.sweep import Stretch
from .chart import (
    BOTTOM,
    GRID,
    INK,
    LEFT,
    RIGHT,
    TOP,
    PlotError,
    as_png,
    figure,
    plain,
    svg_head,
    svg_line,
    svg_names,
    svg_text,
    ticks,
)
from .histogram import round_step
from .numbers import as_float, table_text
from .paint import Paint
from .width import cut, safe, short_label, width

MOST = 8
LINES = "│┤└─"
ASCII = "|+`-"
_ROWS, _COLUMNS = 13, 61
_NAMED = 4  # moves in the name of a curve
_NAME, _TITLE = 40, 60  # columns
_COLOURS = (  # of Okabe and Ito, which people of all kinds of colour vision can tell apart
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#888888",
)  # fmt: skip
_DASHES = ("", "9 4", "2 3", "9 3 2 3")


@dataclass(frozen=True, slots=True)
class Curve:
    """Moves that are worth the same everywhere: their name, a letter, and their values."""

    name: str
    letter: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Curves:
    """What a plot shows. ``places`` are E, or the decimal logarithm of T."""

    title: str
    subtitle: str
    axis: str
    logarithmic: bool
    places: tuple[float, ...]
    curves: tuple[Curve, ...]
    left_out: int
    marks: tuple[float, ...]
    low: float
    high: float
    up: bool


def curves_of(found: Opponents) -> Curves | None:
    """The curves of a sweep; None where values are beyond floats."""
    if any(as_float(value) is None for s in found.sweep.samples for value in s.values):
        return None
    sweep, logarithmic = found.sweep, found.sweep.model == "softmax"

    def place(at: object) -> float:
        number = float(at)  # pyright: ignore[reportArgumentType]
        return math.log10(number) if logarithmic else number

    groups = _groups(found)
    shown = sorted(groups, key=lambda group: _rank(group, found))[:MOST]
    shown.sort()
    values = [tuple(float(s.values[group[0]]) for s in sweep.samples) for group in shown]
    low, high = min(map(min, values)), max(map(max, values))
    if not math.isfinite(high - low):
        return None
    if low == high:
        low, high = low - 1, high + 1
    letters = _letters([found.moves[group[0]] for group in shown])
    names = [_name([found.moves[i] for i in group]) for group in shown]
    what = "E of mistake:E" if not logarithmic else "T of softmax:T"
    return Curves(
        cut(safe(found.game), _TITLE),
        f"value of each first move; {who(found)} from optimal to random",
        what,
        logarithmic,
        tuple(place(sample.at) for sample in sweep.samples),
        tuple(map(Curve, names, letters, values)),
        len(groups) - len(shown),
        tuple(place(stretch.high.at) for stretch in inner(sweep.stretches)),
        low,
        high,
        found.mover == "max",
    )


def who(found: Opponents) -> str:
    """What the opponent is called."""
    return short_label(found.players.get(found.opponent, found.opponent))


def inner(stretches: Sequence[Stretch]) -> list[Stretch]:
    """The stretches whose end is a change of the best moves."""
    return [stretch for stretch, _ in pairwise(stretches)]


def _groups(found: Opponents) -> list[list[int]]:
    """Moves that agree in all samples, in written order."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for number in range(len(found.moves)):
        key = tuple(f"{float(sample.values[number]):.10g}" for sample in found.sweep.samples)
        groups.setdefault(key, []).append(number)
    return list(groups.values())


def _rank(group: Sequence[int], found: Opponents) -> tuple[bool, float]:
    """Moves that are best somewhere come first, then those that are worth most on average."""
    best = any(set(group) & set(stretch.best) for stretch in found.sweep.stretches)
    total = sum(float(sample.values[group[0]]) for sample in found.sweep.samples)
    return not best, -total if found.mover == "max" else total


def _letters(labels: Sequence[str]) -> list[str]:
    """The labels themselves where they are single letters, else a, b, c and so on."""
    if all(len(label) == 1 and label.isalnum() and width(label) == 1 for label in labels):
        return list(labels)
    return [chr(ord("a") + number) for number in range(len(labels))]


def _name(labels: Sequence[str]) -> str:
    listed = ", ".join(map(short_label, labels[:_NAMED]))
    more = len(labels) - _NAMED
    return cut(f"{listed} and {more} more" if more > 0 else listed, _NAME)


# --- terminal --------------------------------------------------------------------------------


def curve_lines(drawn: Curves, paint: Paint, *, lines: str = LINES) -> Iterator[str]:
    """The curves in letters, the best move of each column on top.

    ``lines`` are what the axes are made of: ``LINES`` or ``ASCII``.
    """
    side, mark, corner, bottom = lines
    cells = _cells(drawn)
    named = {0: drawn.high, _ROWS // 2: (drawn.low + drawn.high) / 2, _ROWS - 1: drawn.low}
    names = {row: f"{value:.4g}" for row, value in named.items()}
    space = max(map(len, names.values()))
    for row, cell in enumerate(cells):
        edge = mark if row in names else side
        yield f"  {names.get(row, ''):>{space}} {paint('dim', edge)}{''.join(cell)}".rstrip()
    yield f"  {'':>{space}} {paint('dim', corner + bottom * _COLUMNS)}"
    start, end = _axis_text(drawn, drawn.places[0]), _axis_text(drawn, drawn.places[-1])
    middle = drawn.axis.center(_COLUMNS - len(start) - len(end))
    yield f"  {'':>{space}}  {start}{middle}{end}"
    for curve in drawn.curves:
        if curve.name != curve.letter:
            yield f"  {'':>{space}}  {paint('bold', curve.letter)} = {curve.name}"
    if drawn.left_out:
        yield f"  {'':>{space}}  (without {drawn.left_out} more, which are never best)"


def _axis_text(drawn: Curves, place: float) -> str:
    return f"{10**place:.6g}" if drawn.logarithmic else f"{place:g}"


def _cells(drawn: Curves) -> list[list[str]]:
    cells = [[" "] * _COLUMNS for _ in range(_ROWS)]
    first, last = drawn.places[0], drawn.places[-1]
    for column in range(_COLUMNS):
        at = first + (last - first) * column / (_COLUMNS - 1)
        here = [(_between(drawn.places, curve.values, at), curve.letter) for curve in drawn.curves]
        for value, letter in sorted(here, key=lambda pair: pair[0], reverse=not drawn.up):
            share = (drawn.high - value) / (drawn.high - drawn.low)
            cells[round(share * (_ROWS - 1))][column] = letter
    return cells


def _between(places: Sequence[float], values: Sequence[float], at: float) -> float:
    """The value at a place between two samples."""
    right = min(max(bisect_right(places, at), 1), len(places) - 1)
    left = right - 1
    part = (at - places[left]) / (places[right] - places[left])
    return values[left] + (values[right] - values[left]) * part


# --- pictures --------------------------------------------------------------------------------


def picture(found: Opponents, suffix: str) -> bytes:
    """The curves as ``svg`` or ``png``.

    Raises:
        PlotError: If the values are beyond floats, or a PNG needs what is not installed.
    """
    drawn = curves_of(found)
    if drawn is None:
        raise PlotError("the values are too large to be drawn")
    if suffix == "png":
        return _png(drawn)
    return ("\n".join(_svg(drawn)) + "\n").encode()


def _svg(drawn: Curves) -> Iterator[str]:
    first, last = drawn.places[0], drawn.places[-1]
    highest = TOP + 12  # of a curve

    def x(place: float) -> float:
        return LEFT + (place - first) / (last - first) * (RIGHT - LEFT)

    def y(value: float) -> float:
        return BOTTOM - (value - drawn.low) / (drawn.high - drawn.low) * (BOTTOM - highest)

    yield from svg_head(drawn.title, drawn.subtitle)
    for value in ticks(drawn.low, drawn.high, round_step((drawn.high - drawn.low) / 6)):
        yield svg_line(LEFT, y(value), RIGHT, y(value), GRID)
        yield svg_text(LEFT - 8, y(value) + 4, table_text(value), "end")
    for place in ticks(first, last, 1.0 if drawn.logarithmic else 0.1):
        yield svg_line(x(place), BOTTOM, x(place), BOTTOM + 5, INK)
        yield svg_text(x(place), BOTTOM + 20, _axis_text(drawn, round(place, 9)), "middle")
    for place in drawn.marks:
        yield svg_line(x(place), TOP - 6, x(place), BOTTOM, INK, ' stroke-dasharray="4 4"')
    for curve, (colour, dash) in zip(drawn.curves, _styles(), strict=False):
        points = " ".join(
            f"{x(p):.2f},{y(v):.2f}" for p, v in zip(drawn.places, curve.values, strict=True)
        )
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        yield (
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"'
            f"{dashed}><title>{_escaped(curve.name)}</title></polyline>"
        )
    yield from _legend(drawn)
    yield svg_line(LEFT, BOTTOM, RIGHT, BOTTOM, INK)
    yield from svg_names(drawn.axis, "value")
    yield "</svg>"


def _legend(drawn: Curves) -> Iterator[str]:
    """The names of the curves, in two rows under the heading."""
    half = math.ceil(len(drawn.curves) / 2) if len(drawn.curves) > 3 else len(drawn.curves)
    room = (RIGHT - LEFT) / half
    for number, (curve, (colour, dash)) in enumerate(zip(drawn.curves, _styles(), strict=False)):
        left, top = LEFT + number % half * room, TOP - 18 + 16 * (number // half)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        yield svg_line(left, top - 4, left + 26, top - 4, colour, f' stroke-width="2.5"{dashed}')
        yield svg_text(left + 32, top, cut(curve.name, max(4, int(room / 7) - 6)), "start")


def _styles() -> Iterator[tuple[str, str]]:
    for number, colour in enumerate(_COLOURS):
        yield colour, _DASHES[number % len(_DASHES)]


def _escaped(text: str) -> str:
    from xml.sax.saxutils import escape

    return escape(text)


def _png(drawn: Curves) -> bytes:
    made = figure()
    axes = made.subplots()
    for curve, (colour, dash) in zip(drawn.curves, _styles(), strict=False):
        style = (0, tuple(map(float, dash.split()))) if dash else "-"
        places = [10**p for p in drawn.places] if drawn.logarithmic else drawn.places
        axes.plot(places, curve.values, color=colour, linestyle=style, label=plain(curve.name))
    for place in drawn.marks:
        axes.axvline(10**place if drawn.logarithmic else place, color=INK, linestyle="--", lw=0.8)
    if drawn.logarithmic:
        axes.set_xscale("log")
    axes.set(xlabel=drawn.axis, ylabel="value")
    axes.set_title(plain(f"{drawn.title}\n{drawn.subtitle}"), loc="left")
    axes.legend()
    return as_png(made)
