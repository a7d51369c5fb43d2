"""Rows as aligned lines, for tables on a terminal."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from .paint import Paint
from .width import pad, width


def grid_lines(
    rows: Sequence[Sequence[str]], paint: Paint, *, right: Container[int] = (), indent: str = "  "
) -> Iterator[str]:
    """A line for each row, the first of which is the heads; columns in ``right`` end together.

    The cells are safe to print already.
    """
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = (pad(cell, widths[i], right=i in right) for i, cell in enumerate(row))
        line = f"{indent}{'  '.join(cells)}".rstrip()
        yield line if number else paint("dim", line)
