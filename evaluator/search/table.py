"""A transposition table: what is known of positions that come up again.

Holds   an entry is an interval that the value lies in. ``sure`` ones are proved; the others rest
        on heuristics, ``depth`` moves further down.
        A full table keeps, of two positions that want one place, the one searched deeper.

Greenblatt, Eastlake and Crocker, "The Greenblatt chess program" (1967); Marsland, "A review of
game-tree pruning" (1986), with bounds instead of flags.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from .position import Exact

Number = Exact | float  # float only for infinities


class Entry(NamedTuple):
    """What a search of a position found.

    ``final`` says that a search to this depth can find no more: what keeps the interval wide
    is the depth, not the window of the search.
    """

    low: Number
    high: Number
    depth: float
    sure: bool
    final: bool
    move: int


class Table:
    """Positions by key, at most ``room`` of them."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.entries: dict[Hashable, Entry] = {}
        self.places: list[Hashable] = []

    def get(self, key: Hashable) -> Entry | None:
        """What is known of a position."""
        return self.entries.get(key)

    def put(self, key: Hashable, entry: Entry) -> None:
        """Keep what was found, unless the place is taken by something deeper."""
        if key in self.entries:
            self.entries[key] = entry
        elif len(self.places) < self.room:
            self.places.append(key)
            self.entries[key] = entry
        elif self.room:
            place = hash(key) % self.room
            if self.entries[self.places[place]].depth <= entry.depth:
                del self.entries[self.places[place]]
                self.places[place] = key
                self.entries[key] = entry
