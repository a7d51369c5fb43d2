"""What a search found, and how far it is to be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Certainty = Literal["exact", "bound", "estimate"]
Value = Fraction | float


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found.

    ``exact``: ``value`` is the game's, up to ``error_bound`` (0.0 in exact numbers). ``bound``:
    the value lies between ``low`` and ``high`` (None where nothing is known on that side), and
    ``value`` is the end that the first player can be sure of. ``estimate``: neither is proved;
    ``standard_error`` says how far chance may have thrown it off, where chance had a part.

    ``best`` are branches of the first choice. ``nodes`` counts the positions looked at,
    ``terminals`` those of them where play ended, ``cut`` the branches and outcomes that were
    left out. ``depth`` is how many moves and chances deep it looked.
    """

    game: str
    algorithm: str
    certainty: Certainty
    value: Value | None
    low: Value | None
    high: Value | None
    best: tuple[str, ...]
    nodes: int
    terminals: int
    cut: int
    depth: int
    seconds: float
    standard_error: float | None = None
    error_bound: float = 0.0
    numbers: Literal["exact", "float"] = "exact"
    playouts: int | None = None
    chance: bool = False  # whether a chance node was met
    notes: tuple[str, ...] = ()
