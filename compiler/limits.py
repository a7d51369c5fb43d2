"""How far a game may unfold before it is stopped."""

from __future__ import annotations

from typing import NamedTuple

EXACT_STATES, NATIVE_STATES = 1_000_000, 100_000_000


class Limits(NamedTuple):
    """Limits of one unfolding."""

    states: int | None = None  # nodes of the DAG; None: as many as suit the engine
    work: int = 20_000_000  # loop rounds and calls of definitions
    memory: int = 8 << 30  # bytes, of games that machine code unfolds

    @property
    def exact_states(self) -> int:
        """The limit of the exact engine, which takes some kilobyte a node."""
        return EXACT_STATES if self.states is None else self.states

    @property
    def native_states(self) -> int:
        """The limit of machine code, which takes some thirty bytes a node."""
        return NATIVE_STATES if self.states is None else self.states

    def within(self, states: int) -> Limits:
        """These limits, with at most so many states."""
        return Limits(min(states, self.exact_states), self.work, self.memory)
