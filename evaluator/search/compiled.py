"""Search by machine code: a game's own, and the compiled loop of ``kernel``.

Input   a ``Program``, a root form, and what to search for.
Output  intervals in floats with a bound on their rounding error; what was looked at.
Errors  ``Unsupported`` and ``Unsure`` where exact numbers must do it; ``SpecError`` for what is
        wrong with the game.
"""

# pyright: basic
from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...compiler.endless import round_in_circles, too_much_memory
from ...compiler.limits import Limits
from ...compiler.native.constants import FAULT
from ...compiler.native.engine import States, Unsure
from ...compiler.native.kernels import Kernel, addresses
from ...compiler.native.machine import build
from ...compiler.native.memory import zeros
from ...compiler.origin import state_title
from ...compiler.program import Form, Program
from ...compiler.unfold import examine
from ...spec.diagnostics import SpecError
from . import kernel_layout as at
from .budget import Clock
from .position import Roles

_search = Kernel("gametree.evaluator.search.kernel", "search", arguments=4)
STEPS = 1 << 14  # edges between two looks at the clock: some milliseconds
TABLE = 1 << 21  # places of the table
ENTRIES, LEVELS = 1 << 12, 1 << 10
MOST_LEVELS = 1 << 22


class Ask(NamedTuple):
    """What to search for: see ``walk.Plan``."""

    cuts: bool
    scouts: bool
    probes: bool
    low: float
    high: float
    table: int | None


class Reply(NamedTuple):
    """What one pass found: the root's interval, how far it is off, and its branches'."""

    low: float
    high: float
    off: float
    move: int
    branches: list[tuple[float, float]]
    horizon: bool
    depth: int


@dataclass(slots=True)
class Tables:
    """The transposition table."""

    keys: np.ndarray
    marks: np.ndarray
    depths: np.ndarray
    moves: np.ndarray
    low: np.ndarray
    high: np.ndarray
    off: np.ndarray


@dataclass(slots=True)
class Stack:
    """Entries of the open nodes, and the open nodes."""

    definition: np.ndarray
    weight: np.ndarray
    words: np.ndarray
    low: np.ndarray
    high: np.ndarray
    off: np.ndarray
    order: np.ndarray
    ints: np.ndarray = field(default_factory=lambda: zeros(LEVELS * at.I_SIZE, np.int64))
    doubles: np.ndarray = field(default_factory=lambda: zeros(LEVELS * at.D_SIZE, np.float64))


class Machinery:
    """A game compiled, and one search of it."""

    def __init__(
        self, program: Program, root: Form, limits: Limits, roles: Roles, ask: Ask, clock: Clock
    ) -> None:
        self.program, self.root, self.limits = program, root, limits
        self.machine = build(program, root)
        self.states = States(self.machine, root)
        self.ask, self.clock = ask, clock
        self.roles = np.array(
            [n for pair in zip(roles.kind, roles.alike, strict=True) for n in pair], np.int64
        )
        self.table = self.new_table(TABLE if ask.table is None else ask.table)
        self.stack = self.new_stack(ENTRIES)
        self.counts = np.zeros(at.C_SIZE, np.int64)
        self.floats = np.zeros(11, np.float64)
        self.key = np.zeros(max(self.states.layout.key_words, 1), np.int64)
        self.result = np.zeros(8, np.float64)
        self.outside: Callable[[float, float, float], SpecError]
        self.counts[at.C_STATE] = at.HAVE  # and nothing is open: the kernel is only loaded
        self.step()

    def new_table(self, room: int) -> Tables:
        """A table with room for so many positions, or a few more."""
        size = 1 << max(room - 1, 0).bit_length() if room else 1
        width = max(self.states.layout.key_words, 1)
        self.room = room
        self.check_memory(size * (width + 6) * 8)
        ints = [zeros(size * n, np.int64) for n in (width, 1, 1, 1)]
        return Tables(*ints, *(zeros(size, np.float64) for _ in range(3)))

    def check_memory(self, used: int) -> None:
        """Stop before the memory that is allowed is used up."""
        if used > self.limits.bytes:
            place = self.root.place()
            raise SpecError([too_much_memory(0, 0, used, self.limits.bytes, place)])

    def new_stack(self, entries: int) -> Stack:
        """A stack with room for so many entries."""
        return Stack(
            definition=zeros(entries, np.int32),
            weight=zeros(entries, np.float64),
            words=zeros(entries * self.machine.stride, np.int64),
            low=zeros(entries, np.float64),
            high=zeros(entries, np.float64),
            off=zeros(entries, np.float64),
            order=zeros(entries, np.int32),
        )

    def run(self, depth: int) -> Reply:
        """Search to a depth.

        Raises:
            Unsure: Where a number outgrows 64 bits or a double cannot tell two numbers apart.
            SpecError: For what is wrong with the game.
        """
        counts, floats = self.counts, self.floats
        counts[[at.C_OFF, at.C_STATE, at.C_SENT, at.C_MODE, at.C_HORIZON]] = 0
        counts[at.C_TOP], counts[at.C_DEPTH], counts[at.C_LEAST] = 1, depth, depth
        counts[at.C_WATCHED] = counts[at.C_WATCHED + 3] = -1
        counts[at.C_WATCHED + 2] = 0
        floats[:4] = -np.inf, np.inf, self.ask.low, self.ask.high
        self.stack.definition[0] = 0
        self.look_at_clock()  # passes may be shorter than a step
        while True:
            status = self.step()
            if status == at.DONE:
                break
            self.attend(status)
        self.clock.nodes = int(counts[at.C_NODES])
        self.clock.stopped = bool(counts[at.C_STOPPED])
        first, count = (int(counts[at.C_WATCHED + i]) for i in (1, 2))
        ends = self.stack.low[first : first + count], self.stack.high[first : first + count]
        branches = list(zip(*(end.tolist() for end in ends), strict=True))
        low, high, off = (float(number) for number in floats[8:11])
        move, horizon = int(counts[at.C_WATCHED + 3]), bool(counts[at.C_HORIZON])
        return Reply(low, high, off, move, branches, horizon, depth - int(counts[at.C_LEAST]))

    def step(self) -> int:
        """Let the kernel go on for a while."""
        layout, table, stack, ask = self.states.layout, self.table, self.stack, self.ask
        most = min(self.clock.most, 1 << 62)
        settings = np.zeros(13, np.int64)
        for where, number in {
            at.S_CUTS: ask.cuts,
            at.S_EXPAND: self.machine.address,
            at.S_KEY_WORDS: layout.key_words,
            at.S_LEVELS: len(stack.ints) // at.I_SIZE,
            at.S_MASK: len(table.marks) - 1,
            at.S_MOST: most,
            at.S_PROBES: ask.probes,
            at.S_ROOM: len(stack.order),
            at.S_SCOUTS: ask.scouts,
            at.S_STEPS: STEPS,
            at.S_STRIDE: self.machine.stride,
            at.S_TABLE_SIZE: self.room,
            at.S_WIDEST: layout.factor.shape[1],
        }.items():
            settings[where] = number
        arrays = [
            layout.keyed.astype(np.int64), layout.words, layout.base, layout.factor, layout.low,
            stack.definition, stack.weight, stack.words, stack.low, stack.high, stack.off,
            stack.order, stack.ints, stack.doubles, table.keys, table.marks, table.depths,
            table.moves, table.low, table.high, table.off, self.key, self.result, self.roles,
        ]  # fmt: skip
        return _search(settings, addresses(arrays), self.counts, self.floats)

    def attend(self, status: int) -> None:
        """Make room, look at the clock, or say what is wrong."""
        if status == at.PAUSE:
            self.look_at_clock()
        elif status == at.ENTRIES_FULL:
            self.grow("definition", "weight", "words", "low", "high", "off", "order")
        elif status == at.LEVELS_FULL:
            if len(self.stack.ints) >= MOST_LEVELS * at.I_SIZE:
                raise Unsure
            self.grow("ints", "doubles")
        elif status == at.AT_OUTSIDE:
            raise self.ask_outside()
        elif status == at.AT_CIRCLE:
            raise self.circle()
        else:
            if status == FAULT:
                self.look_closer()
            raise Unsure

    def look_at_clock(self) -> None:
        """Stop if the time is up."""
        end = self.clock.end
        if end is not None and time.perf_counter() > end:
            self.counts[at.C_STOPPED] = 1

    def grow(self, *names: str) -> None:
        """Twice the room in some arrays."""
        for name in names:
            old = getattr(self.stack, name)
            self.check_memory(2 * old.nbytes)
            new = zeros(2 * len(old), old.dtype)
            new[: len(old)] = old
            setattr(self.stack, name, new)

    def ask_outside(self) -> SpecError:
        """The report of a payoff outside the bounds."""
        low, high, value = (float(self.floats[i]) for i in (2, 3, 4))
        return self.outside(value, low, high)

    @property
    def nodes(self) -> int:
        """How many positions were looked at."""
        return int(self.counts[at.C_VISITED])

    @property
    def terminals(self) -> int:
        """How many of them ended a play."""
        return int(self.counts[at.C_TERMINALS])

    @property
    def cut(self) -> int:
        """How many branches and outcomes were left out."""
        return int(self.counts[at.C_CUT])

    @property
    def chance(self) -> bool:
        """Whether a chance node was met."""
        return bool(self.counts[at.C_CHANCE_MET])

    # --- the open nodes ---

    def state(self, entry: int) -> tuple[Form, tuple[Any, ...], Any]:
        """The form, local values and state of an entry."""
        definition = self.machine.definitions[int(self.stack.definition[entry])]
        start = entry * self.machine.stride
        words = self.stack.words[start : start + definition.words].tolist()
        env = self.states.values(definition, words)
        owner = (definition.node, env) if definition.node is not None else None
        return definition.form, env, owner

    def open_entries(self) -> list[int]:
        """The entries of the open nodes, and then the one at hand."""
        rows = range(int(self.counts[at.C_OFF]))
        found = [int(self.stack.ints[row * at.I_SIZE + at.I_SELF]) for row in rows]
        return [*found, int(self.counts[at.C_SENT])]

    def look_closer(self) -> None:
        """Say what is wrong with the state at hand, or the one before it."""
        owner = None
        seen = [self.state(entry) for entry in self.open_entries()]
        for form, env, own in seen[-2:]:
            owner = own or owner
            examine(self.program, form, env, owner, self.limits)

    def circle(self) -> SpecError:
        """The report of the circle that the state at hand closes."""
        seen = [self.state(entry) for entry in self.open_entries()]
        form, _, last = seen[-1]
        titles = [state_title(*owner) for _, _, owner in seen if owner is not None]
        start = max((i for i, title in enumerate(titles[:-1]) if title == titles[-1]), default=0)
        place = last[0].place() if last is not None else form.place()
        return SpecError([round_in_circles(place, titles[start:])])
