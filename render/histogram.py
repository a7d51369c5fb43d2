"""A histogram of outcomes: its bars, and how they look on a terminal.

Holds   each outcome is in one bar, and the bars are in increasing order. A few outcomes have a
        bar each; many share bars of a round width, and if a few stragglers would squeeze all
        others into one bar, the bars at the ends are open.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from .numbers import table_text
from .paint import Paint
from .width import pad, width

BLOCKS = " ▏▎▍▌▋▊▉█"
ASCII = " #"
_STRAGGLERS = 0.005  # of the plays, at either end
_SQUEEZED = 4  # times as wide as the plays between them


@dataclass(frozen=True, slots=True)
class Bar:
    """So many plays with an outcome in [low, high), or with the outcome ``low`` if they agree."""

    low: float
    high: float
    plays: int

    def label(self) -> str:
        """``16``, ``[10, 12)``, or ``≥ 100`` at an open end."""
        if self.low == self.high:
            return table_text(self.low)
        if math.isinf(self.low):
            return f"< {table_text(self.high)}"
        if math.isinf(self.high):
            return f"≥ {table_text(self.low)}"
        return f"[{table_text(self.low)}, {table_text(self.high)})"


def bars(outcomes: Sequence[float], counts: Sequence[int], most: int) -> list[Bar]:
    """Some ``most`` bars, half as many or more where outcomes share them.

    ``outcomes`` are distinct and increase, ``counts`` say how often each came.
    """
    if len(outcomes) <= most:
        return [Bar(value, value, plays) for value, plays in zip(outcomes, counts, strict=True)]
    low, high = _between(outcomes, counts)
    step = round_step((high - low) / most)
    first, last = math.floor(low / step), math.floor(high / step) + 1
    edges = [number * step for number in range(first, last + 1)]
    if low > outcomes[0]:
        edges.insert(0, -math.inf)
    if high < outcomes[-1]:
        edges.append(math.inf)
    at = [bisect_left(outcomes, edge) for edge in edges]
    upto = [0, *accumulate(counts)]
    found = [
        Bar(edge, after, upto[end] - upto[start])
        for edge, after, start, end in zip(edges, edges[1:], at, at[1:], strict=False)
    ]
    kept = [number for number, bar in enumerate(found) if bar.plays]
    return found[kept[0] : kept[-1] + 1]


def round_step(least: float) -> float:
    """The least of 1, 2 and 5 times a power of ten that is not below ``least``, above 0."""
    power = 10.0 ** math.floor(math.log10(least))
    if power == 0 or not math.isfinite(power):
        return least
    return next((m * power for m in (1.0, 2.0, 5.0) if m * power >= least), 10.0 * power)


def _between(outcomes: Sequence[float], counts: Sequence[int]) -> tuple[float, float]:
    """The range of the outcomes, without stragglers where they would squeeze the others."""
    upto = list(accumulate(counts))
    low = outcomes[bisect_left(upto, upto[-1] * _STRAGGLERS)]
    high = outcomes[bisect_left(upto, upto[-1] * (1 - _STRAGGLERS))]
    if high > low and outcomes[-1] - outcomes[0] > _SQUEEZED * (high - low):
        return low, high
    return outcomes[0], outcomes[-1]


def histogram_lines(
    found: Iterable[Bar], paint: Paint, *, columns: int = 40, blocks: str = BLOCKS
) -> Iterator[str]:
    """A line for each bar: what it stands for, its share and number of plays, and the bar.

    Args:
        found: The bars.
        paint: For the heads.
        columns: How wide the longest bar is.
        blocks: What to fill a column with, from empty to full: ``BLOCKS`` or ``ASCII``.
    """
    listed = list(found)
    total, peak = sum(bar.plays for bar in listed), max(bar.plays for bar in listed)
    rows = [("outcome", "share", "plays")]
    rows += [(bar.label(), share_text(bar.plays, total), f"{bar.plays:,}") for bar in listed]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    drawn = ["", *(bar_text(bar.plays / peak, columns, blocks) for bar in listed)]
    for number, (row, bar) in enumerate(zip(rows, drawn, strict=True)):
        cells = [pad(cell, w, right=True) for cell, w in zip(row, widths, strict=True)]
        text = f"  {'  '.join(cells)}  {bar}".rstrip()
        yield text if number else paint("dim", text)


def bar_text(share: float, columns: int, blocks: str = BLOCKS) -> str:
    """A bar of ``share`` times ``columns``; what is above 0 can be seen."""
    parts = len(blocks) - 1
    filled = max(round(share * columns * parts), 1 if share else 0)
    whole, rest = divmod(filled, parts)
    return blocks[-1] * whole + (blocks[rest] if rest else "")


def share_text(plays: int, total: int) -> str:
    """``12.34 %``; ``< 0.01 %`` for what rounds to nothing, and ``100 %`` only for all."""
    if plays in {0, total}:
        return "100 %" if plays else "0 %"
    percent = 100 * plays / total
    if percent < 0.005:
        return "< 0.01 %"
    return f"{min(percent, 99.99):.2f} %"
