"""Source texts and places in them.

A ``Source`` is a text with a name; a ``Place`` is a stretch of one. Offsets count code
points from 0; lines and columns, which people and editors read, count from 1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

# The line breaks of YAML 1.1, and no others: `str.splitlines` also splits at form feeds
# and separators, which would shift every later line.
_LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


class Source:
    """A text and the name it is shown by (a path, ``<stdin>``, a bundled tree's name)."""

    __slots__ = ("_starts", "name", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self._starts: list[int] | None = None

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _LINE_BREAK.finditer(self.text))]
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of ``offset``."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of 1-based line ``number``, without its line break."""
        starts = self._line_starts()
        start = starts[number - 1]
        end = starts[number] if number < len(starts) else len(self.text)
        return _LINE_BREAK.sub("", self.text[start:end])

    def place(self, start: int, end: int | None = None) -> Place:
        """The stretch from ``start`` up to ``end`` (one character long if left out)."""
        return Place(self, start, start + 1 if end is None else end)


@dataclass(frozen=True, slots=True)
class Place:
    """The stretch ``start`` to ``end`` (exclusive) of a source, in code points."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """The first line, from 1."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """The first column, from 1."""
        return self.source.position(self.start)[1]

    @property
    def end_line(self) -> int:
        """The line of the end, from 1."""
        return self.source.position(self.end)[0]

    @property
    def end_column(self) -> int:
        """The column after the last character, from 1."""
        return self.source.position(self.end)[1]

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]
