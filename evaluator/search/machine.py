"""Search by machine code, deeper and deeper, and what it came to."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from typing import TYPE_CHECKING

from ...compiler.dag import Kind
from ...compiler.limits import NATIVE_STATES
from ...spec.diagnostics import SpecError
from .bounds import outside_somewhere
from .budget import Clock
from .compiled import Ask, Machinery, Reply
from .found import Certainty, Found, Value
from .position import Rules, exact

if TYPE_CHECKING:
    from .run import Ground

CLOSE = 1e-9  # a value known as closely as this, relative to its size, is known


def by_machine(ground: Ground, clock: Clock) -> Found:
    """Search depth first in floats with error bounds: see ``run.by_walking``.

    Raises:
        Unsupported: Where machine code cannot express the game.
        Unsure: Where a number outgrows 64 bits or a double cannot tell two numbers apart.
        SpecError: For what is wrong with the game.
    """
    begun = time.perf_counter()
    machinery = _machinery(ground, clock)
    clock.leave_out(time.perf_counter() - begun)
    budget = ground.request.budget
    nodes = None if budget is None else budget.nodes
    clock.restart(NATIVE_STATES if nodes is None else nodes)
    best, reply, depth = -1, None, 0
    low, high, off = machinery.ask.low, machinery.ask.high, 0.0
    for limit in ground.depths():
        reply = machinery.run(limit)
        gained = reply.low > low if ground.first.kind is not Kind.MIN else reply.high < high
        if not clock.stopped or (gained and reply.move >= 0):
            best = reply.move
        low, high, off = max(low, reply.low), min(high, reply.high), max(off, reply.off)
        depth = max(depth, reply.depth)
        if clock.stopped or not reply.horizon or _is_close(low, high):
            break
    assert reply is not None
    return _sum_up(ground, clock, machinery, reply, (low, high, off), best, depth)


def _machinery(ground: Ground, clock: Clock) -> Machinery:
    source, plan = ground.source, ground.plan
    assert isinstance(source, Rules)
    low, high = (float(end) for end in ground.bounds or (-math.inf, math.inf))
    ask = Ask(plan.cuts, plan.scouts, plan.probes, low, high, ground.request.table)
    machinery = Machinery(source.program, source.form, source.limits, source.roles, ask, clock)

    def outside(value: float, low: float, high: float) -> SpecError:
        return outside_somewhere(ground.game, exact(value), exact(low), exact(high))

    machinery.outside = outside
    return machinery


def _is_close(low: float, high: float) -> bool:
    return math.isfinite(high - low) and high - low <= CLOSE * max(1.0, abs(low))


def _sum_up(
    ground: Ground,
    clock: Clock,
    machinery: Machinery,
    reply: Reply,
    ends: tuple[float, float, float],
    best: int,
    depth: int,
) -> Found:
    low, high, off = ends
    up = ground.first.kind is not Kind.MIN
    certainty: Certainty = "exact" if _is_close(low, high) else "bound"
    value: Value | None = low if up else high
    numbers = [best] if best >= 0 else []
    if certainty == "exact":
        off += abs(high - low)
        numbers = _tied(reply, off, up=up) or numbers
    is_whole = certainty == "exact" and off == 0.0  # nothing was rounded: the number is the value
    ask = machinery.ask  # the file's own bounds are not rounded
    lower = _end(low if low == ask.low else low - off)
    upper = _end(high if high == ask.high else high + off)
    if is_whole:
        value = lower = upper = Fraction(low)
    elif not math.isfinite(value):
        value = None
    return ground.found(
        clock,
        certainty=certainty,
        value=value,
        low=lower,
        high=upper,
        error_bound=off if certainty == "exact" else 0.0,
        best=ground.labels(numbers),
        nodes=machinery.nodes,
        terminals=machinery.terminals,
        cut=machinery.cut,
        depth=depth,
        numbers="exact" if is_whole else "float",
        chance=machinery.chance,
    )


def _end(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _tied(reply: Reply, off: float, *, up: bool) -> list[int]:
    """The branches that are known to be as good as the best."""
    if not reply.branches:
        return []
    best = max(low for low, _ in reply.branches) if up else min(h for _, h in reply.branches)
    if not math.isfinite(best):
        return []
    close = 2 * off
    return [
        number
        for number, (low, high) in enumerate(reply.branches)
        if (low >= best - close if up else high <= best + close)
    ]
