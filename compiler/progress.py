"""What long work tells of where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Step(NamedTuple):
    """Where a game's unfolding, or then its solving, is.

    While it unfolds, ``nodes`` have been found and ``still_open`` of them wait for their
    children; ``edges`` is None where they are not counted yet. While it is solved, ``nodes``
    are all there are, and ``still_open`` those without a value.
    """

    solving: bool
    nodes: int
    still_open: int
    edges: int | None = None


Progress = Callable[[Step], None]  # called some ten times a second
