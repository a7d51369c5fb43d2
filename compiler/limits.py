"""How far a game may unfold before it is stopped."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

EXACT_STATES, NATIVE_STATES = 1_000_000, 100_000_000
UNBOUNDED_STATES = 4_000_000  # of a game whose states have no declared ranges: it may be endless
MOST_MEMORY = 8 << 30  # bytes that a game may take if nobody says otherwise
EXACT_NODE = 1 << 10  # bytes that the exact engine takes for a node, its edges and its value


class Limits(NamedTuple):
    """Limits of one unfolding."""

    states: int | None = None  # nodes of the DAG; None: as many as suit the engine
    work: int = 20_000_000  # loop rounds and calls of definitions
    memory: int | None = None  # bytes; None: what suits the machine
    native: int = NATIVE_STATES  # nodes for machine code, where ``states`` says nothing

    @property
    def exact_states(self) -> int:
        """The limit of the exact engine, which takes some kilobyte a node."""
        return min(self.exact_room, EXACT_STATES if self.states is None else self.states)

    @property
    def exact_room(self) -> int:
        """How many nodes of the exact engine the memory has room for."""
        return max(1, self.bytes // EXACT_NODE)

    def native_states(self, *, bounded: bool) -> int:
        """The limit of machine code, which takes some thirty bytes a node.

        ``bounded``: all states lie in declared ranges, so that the game is sure to end.
        """
        if self.states is not None:
            return self.states
        return self.native if bounded else min(self.native, UNBOUNDED_STATES)

    @property
    def bytes(self) -> int:
        """The memory that a game may take."""
        return usual_memory() if self.memory is None else self.memory

    def within(self, states: int) -> Limits:
        """These limits, with at most so many states."""
        return self._replace(states=min(states, self.exact_states))


@cache
def usual_memory() -> int:
    """What a game may take on this machine: three quarters of its memory, and at most 8 GiB."""
    known = [size for size in (_physical_memory(), _container_memory()) if size]
    return min(MOST_MEMORY, *(size * 3 // 4 for size in known)) if known else MOST_MEMORY


def _physical_memory() -> int:
    """The bytes of memory that the machine has; 0 where the system does not say."""
    import os

    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0


def _container_memory() -> int:
    """What a container may take of it (Linux control groups); 0 where there is no such limit."""
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path, encoding="ascii") as file:
                return int(file.read())
        except (OSError, ValueError):
            continue
    return 0
