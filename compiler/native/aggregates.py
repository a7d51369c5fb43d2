"""What `sum`, `any` and their like keep while a loop goes round."""

# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from .comparisons import Comparisons
from .constants import (
    FAULT,
    WORK_PER_STATE,
)
from .values import (
    F64,
    I1,
    I64,
    INT_HIGH,
    INT_LOW,
    Int,
    Real,
    Truth,
    least,
    most,
)


class _Sum:
    most: int | None = None  # rounds that there may be

    def __init__(self, emitter: Comparisons) -> None:
        self.m = emitter
        self.low: int | None = 0
        self.high: int | None = 0
        self.whole = emitter.slot(I64)
        self.v, self.e = emitter.slot(F64), emitter.slot(F64)
        emitter.b.store(ir.Constant(I64, 0), self.whole)
        for place in (self.v, self.e):
            emitter.b.store(ir.Constant(F64, 0.0), place)
        self.is_real = False

    def take(self, item: Any) -> None:
        m = self.m
        if isinstance(item, Real):
            self.is_real = True
            total = m.add(Real(m.b.load(self.v), m.b.load(self.e)), item)
            m.b.store(total.v, self.v)
            m.b.store(total.e, self.e)
            return
        number = m.integer(item)
        self.low, self.high = least(self.low, number.low), most(self.high, number.high)
        total = m.whole("add", Int(m.b.load(self.whole)), number, None, None)
        m.b.store(total.v, self.whole)

    def result(self) -> Any:
        whole = Int(self.m.b.load(self.whole), *self.bounds())
        if not self.is_real:
            return whole
        return Real(self.m.b.load(self.v), self.m.b.load(self.e))

    def bounds(self) -> tuple[int | None, int | None]:
        """The interval of a whole sum, where it is known."""
        if self.most is None or self.low is None or self.high is None:
            return None, None
        low, high = self.most * self.low, self.most * self.high
        return (low, high) if low >= INT_LOW and high <= INT_HIGH else (None, None)


class _Count:
    most: int | None = None

    def __init__(self, emitter: Comparisons) -> None:
        self.m = emitter
        self.total = emitter.slot(I64)
        emitter.b.store(ir.Constant(I64, 0), self.total)

    def take(self, item: Any) -> None:
        more = self.m.b.zext(self.m.truth(item), I64)
        self.m.b.store(self.m.b.add(self.m.b.load(self.total), more), self.total)

    def result(self) -> Int:
        return Int(
            self.m.b.load(self.total),
            0,
            WORK_PER_STATE if self.most is None else min(self.most, WORK_PER_STATE),
        )


class _Any(_Count):
    def result(self) -> Any:
        count = super().result()
        return Truth(self.m.b.icmp_signed(">", count.v, ir.Constant(I64, 0)))


class _All(_Count):
    def take(self, item: Any) -> None:
        super().take(Truth(self.m.b.not_(self.m.truth(item))))

    def result(self) -> Any:
        count = super().result()
        return Truth(self.m.b.icmp_signed("==", count.v, ir.Constant(I64, 0)))


class _Extreme:
    largest = True
    most: int | None = None

    def __init__(self, emitter: Comparisons) -> None:
        self.m = emitter
        self.started = emitter.slot(I1)
        emitter.b.store(ir.Constant(I1, 0), self.started)
        self.best = emitter.slot(I64)
        emitter.b.store(ir.Constant(I64, 0), self.best)
        self.low: int | None = None
        self.high: int | None = None
        self.seen = False
        self.error: Any = None  # where it is no whole number

    def take_real(self, item: Real) -> None:
        m, zero = self.m, ir.Constant(F64, 0.0)
        if self.error is None:
            self.real, self.error = m.slot(F64, zero), m.slot(F64, zero)
            m.b.store(zero, self.error)  # a loop may come by again
        best, error = m.b.load(self.real), m.b.load(self.error)
        better = m.b.fcmp_ordered(">" if self.largest else "<", item.v, best)
        first = m.b.not_(m.b.load(self.started))
        m.b.store(m.pick(m.b.or_(first, better), item.v, best), self.real)
        m.b.store(m.pick(m.b.fcmp_ordered(">", item.e, error), item.e, error), self.error)
        m.b.store(ir.Constant(I1, 1), self.started)

    def take(self, item: Any) -> None:
        if isinstance(item, Real):
            self.take_real(item)
            return
        m, value = self.m, self.m.integer(item)
        known = self.seen
        self.low = value.low if not known else least(self.low, value.low)
        self.high = value.high if not known else most(self.high, value.high)
        self.seen = True
        best = m.b.load(self.best)
        better = m.b.icmp_signed(">" if self.largest else "<", value.v, best)
        first = m.b.not_(m.b.load(self.started))
        m.b.store(m.pick(m.b.or_(first, better), value.v, best), self.best)
        m.b.store(ir.Constant(I1, 1), self.started)

    def result(self) -> Any:
        self.m.stop_if(self.m.b.not_(self.m.b.load(self.started)), FAULT)
        if self.error is not None:
            return Real(self.m.b.load(self.real), self.m.b.load(self.error))
        return Int(self.m.b.load(self.best), self.low, self.high)


class _Smallest(_Extreme):
    largest = False


GATHERS: dict[str, Callable[[Comparisons], Any]] = {
    "sum": _Sum,
    "count": _Count,
    "any": _Any,
    "all": _All,
    "max": _Extreme,
    "min": _Smallest,
}
