"""How much a search may look at: seconds, nodes or playouts.

Holds   a search under a budget of nodes or playouts ends after exactly so many, wherever it
        runs; one under a budget of seconds within a tenth of it.
"""

from __future__ import annotations

import re
import time
from typing import NamedTuple

from ...spec.diagnostics import UsageError

_UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0}
_LONGEST = 1e9  # seconds


class Budget(NamedTuple):
    """What a search may take; None where nothing is said."""

    seconds: float | None = None
    nodes: int | None = None
    playouts: int | None = None


def parse_budget(text: str) -> Budget:
    """``1s``, ``500ms``, ``2min``, ``100000n`` (nodes) or ``200000p`` (playouts).

    Raises:
        UsageError: For anything else, and for a budget of nothing.
    """
    match = re.fullmatch(r"\s*([0-9][0-9_,]*(?:\.[0-9]+)?|\.[0-9]+)\s*([a-z]+)\s*", text)
    number = float(match[1].replace(",", "").replace("_", "")) if match else 0.0
    unit = match[2] if match else ""
    if unit in _UNITS and 0 < number * _UNITS[unit] <= _LONGEST:
        return Budget(seconds=number * _UNITS[unit])
    if unit in {"n", "p"} and number >= 1 and number.is_integer() and number < 2**53:
        count = int(number)
        return Budget(nodes=count) if unit == "n" else Budget(playouts=count)
    raise UsageError(
        f"`{text}` is no budget; write seconds such as 1s or 0.5s, nodes such as 100000n, "
        "or for mcts playouts such as 10000p"
    )


class Clock:
    """Counts what a search looks at and says when to stop."""

    def __init__(self, budget: Budget, most: int, *, share: float = 1.0) -> None:
        self.most = most if budget.nodes is None else budget.nodes
        self.nodes = 0
        self.stopped = False
        self.begun = time.perf_counter()
        self.end = None if budget.seconds is None else self.begun + budget.seconds * share

    def spend(self) -> bool:
        """Look at one more node; False where the budget does not allow it."""
        timed = self.end is not None and not self.nodes & 0xF
        if self.nodes >= self.most or (timed and time.perf_counter() > (self.end or 0.0)):
            self.stopped = True
        if self.stopped:
            return False
        self.nodes += 1
        return True

    def restart(self, most: int) -> None:
        """Begin again with what is left of the time, and so many nodes."""
        self.nodes, self.most, self.stopped = 0, most, False

    def leave_out(self, seconds: float) -> None:
        """Do not count some of the time: getting ready to search is no searching."""
        self.begun += seconds
        if self.end is not None:
            self.end += seconds

    @property
    def seconds(self) -> float:
        """How long it has been."""
        return time.perf_counter() - self.begun
