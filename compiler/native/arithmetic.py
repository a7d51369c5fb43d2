"""Arithmetic in machine code: whole numbers checked for overflow, doubles with their errors.

A double's error is what its operands were off by and what the operation rounds off, which
Knuth's TwoSum and fused multiply-add tell exactly; small quotients stay exact.
"""

# pyright: basic
from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir

from .constants import (
    FAULT,
    RATIO,
    UNIT,
    UNSURE,
    Ratio,
)
from .emitter import Emitter
from .values import (
    F64,
    I64,
    INT_HIGH,
    INT_LOW,
    Int,
    Real,
    Unsupported,
    const,
)


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


class Arithmetic(Emitter):
    """Operators on numbers."""

    def arithmetic(self, sign: str, left: Any, right: Any) -> Any:
        """``left OPERATOR right``."""
        if sign in _BITS:
            return self.bitwise(_BITS[sign], left, right)
        if sign in {"<<", ">>"}:
            return self.shift(left, right, up=sign == "<<")
        return getattr(self, _OPERATIONS[sign])(left, right)

    def whole(
        self, operation: str, left: Int, right: Int, low: int | None, high: int | None
    ) -> Int:
        """Add, subtract or multiply; checked for overflow where the interval allows one."""
        safe = low is not None and high is not None and low >= INT_LOW and high <= INT_HIGH
        if safe:
            return Int(getattr(self.b, operation)(left.v, right.v), low, high)
        result = getattr(self.b, f"s{operation}_with_overflow")(left.v, right.v)
        self.stop_if(self.b.extract_value(result, 1), UNSURE)
        return Int(self.b.extract_value(result, 0))

    def add(self, left: Any, right: Any) -> Any:
        """``left + right``."""
        left, right = self.numeric(left), self.numeric(right)
        if isinstance(left, Int) and isinstance(right, Int):
            low = _sum(left.low, right.low)
            return self.whole("add", left, right, low, _sum(left.high, right.high))
        return self.real_sum(left, right)

    def subtract(self, left: Any, right: Any) -> Any:
        """``left - right``."""
        left, right = self.numeric(left), self.numeric(right)
        if isinstance(left, Int) and isinstance(right, Int):
            low = None if left.low is None or right.high is None else left.low - right.high
            high = None if left.high is None or right.low is None else left.high - right.low
            return self.whole("sub", left, right, low, high)
        return self.real_sum(left, right, minus=True)

    def real_sum(self, left: Any, right: Any, *, minus: bool = False) -> Real:
        """A sum and what it rounded off, by Knuth's TwoSum: nothing where it is exact."""
        a, b = self.real(left), self.real(right)
        second = self.b.fneg(b.v) if minus else b.v
        v = self.b.fadd(a.v, second)
        back = self.b.fsub(v, a.v)
        lost = self.b.fadd(self.b.fsub(a.v, self.b.fsub(v, back)), self.b.fsub(second, back))
        error = self.error(self.b.fadd(a.e, b.e), self.fabs(lost))
        return Real(v, error, self.sum_of_ratios(a.ratio, b.ratio, "sub" if minus else "add"))

    def sum_of_ratios(self, a: Ratio | None, b: Ratio | None, operation: str) -> Ratio | None:
        """The quotient that a sum or difference of two quotients is, while it is small."""
        if a is None or b is None:
            return None
        if a[1].low == a[1].high == b[1].low == b[1].high is not None:
            return self.ratio_of(self.small(operation, a[0], b[0]), a[1])
        left, right = self.small("mul", a[0], b[1]), self.small("mul", b[0], a[1])
        return self.ratio_of(self.small(operation, left, right), self.small("mul", a[1], b[1]))

    def ratio_of(self, top: Int | None, bottom: Int | None) -> Ratio | None:
        """A quotient, if both its parts are known and small."""
        return None if top is None or bottom is None else (top, bottom)

    def small(self, operation: str, a: Int | None, b: Int | None) -> Int | None:
        """A whole number that surely stays small, or None."""
        if a is None or b is None or not a.bounded or not b.bounded:
            return None
        apply = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}[operation]
        ends = [apply(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        if min(ends) < -RATIO or max(ends) > RATIO:
            return None
        return Int(getattr(self.b, operation)(a.v, b.v), min(ends), max(ends))

    def error(self, inherited: Any, rounding: Any) -> Any:
        """A bound from its parts, itself rounded up."""
        return self.b.fmul(self.b.fadd(inherited, rounding), ir.Constant(F64, 1 + 2**-40))

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        """``a * b + c``, rounded once."""
        return self.b.fma(a, b, c)

    def with_rounding(self, error: Any, v: Any) -> Any:
        """``error`` and what one rounding of ``v`` may add."""
        rounding = self.b.fmul(self.fabs(v), ir.Constant(F64, UNIT * (1 + 2**-40)))
        return self.error(error, rounding)

    def multiply(self, left: Any, right: Any) -> Any:
        """``left * right``."""
        left, right = self.numeric(left), self.numeric(right)
        if isinstance(left, Int) and isinstance(right, Int):
            low = high = None
            if left.bounded and right.bounded:
                ends = [x * y for x in (left.low, left.high) for y in (right.low, right.high)]  # type: ignore[operator]
                low, high = min(ends), max(ends)
            return self.whole("mul", left, right, low, high)
        a, b = self.real(left), self.real(right)
        v = self.b.fmul(a.v, b.v)
        spread = self.b.fadd(
            self.b.fmul(self.fabs(a.v), b.e),
            self.b.fmul(a.e, self.b.fadd(self.fabs(b.v), b.e)),
        )
        self.not_tiny(v, a.v, b.v)
        lost = self.fabs(self.fma(a.v, b.v, self.b.fneg(v)))
        ratio = None
        if a.ratio is not None and b.ratio is not None:
            top = self.small("mul", a.ratio[0], b.ratio[0])
            ratio = self.ratio_of(top, self.small("mul", a.ratio[1], b.ratio[1]))
        return Real(v, self.error(spread, lost), ratio)

    def divide(self, left: Any, right: Any) -> Any:
        """``left / right``; a fault where that is a division by zero."""
        left, right = self.numeric(left), self.numeric(right)
        if isinstance(right, Int):
            self.stop_if(self.b.icmp_signed("==", right.v, ir.Constant(I64, 0)), FAULT)
        a, b = self.real(left), self.real(right)
        if isinstance(right, Real):  # what cannot be told from 0 must not be divided by
            near = self.b.fcmp_ordered("<=", self.fabs(b.v), b.e)
            self.stop_if(near, UNSURE)
        v = self.b.fdiv(a.v, b.v)
        spread = self.b.fdiv(
            self.b.fadd(a.e, self.b.fmul(self.fabs(v), b.e)), self.b.fsub(self.fabs(b.v), b.e)
        )
        ratio: Ratio | None = None
        if isinstance(left, Int) and isinstance(right, Int):
            ratio = (left, right)
        if ratio is not None and not (ratio[0].bounded and ratio[1].bounded):
            # the lowest number divided by -1 overflows
            self.stop_if(self.b.icmp_signed("==", right.v, ir.Constant(I64, -1)), UNSURE)
        self.not_tiny(v, a.v)
        lost = self.fabs(self.b.fdiv(self.fma(self.b.fneg(v), b.v, a.v), b.v))
        if ratio is None and a.ratio is not None and b.ratio is not None:
            top = self.small("mul", a.ratio[0], b.ratio[1])
            ratio = self.ratio_of(top, self.small("mul", a.ratio[1], b.ratio[0]))
        return Real(v, self.error(spread, lost), ratio)

    def floor_divide(self, left: Any, right: Any) -> Int:
        """``left // right``."""
        a, b = self.integer(left), self.integer(right)
        self.check_divisor(a, b)
        quotient, remainder = self.b.sdiv(a.v, b.v), self.b.srem(a.v, b.v)
        down = self.rounds_down(remainder, b)
        v = self.b.sub(quotient, self.b.zext(down, I64))
        if a.bounded and b.bounded and b.low > 0:  # type: ignore[operator]
            ends = [x // y for x in (a.low, a.high) for y in (b.low, b.high)]  # type: ignore[operator]
            return Int(v, min(ends), max(ends))
        return Int(v)

    def remainder(self, left: Any, right: Any) -> Int:
        """``left % right``, with the sign of ``right``."""
        a, b = self.integer(left), self.integer(right)
        self.check_divisor(a, b)
        remainder = self.b.srem(a.v, b.v)
        down = self.rounds_down(remainder, b)
        v = self.b.add(remainder, self.pick(down, b.v, ir.Constant(I64, 0)))
        if b.low is not None and b.low > 0 and b.high is not None:
            return Int(v, 0, b.high - 1)
        return Int(v)

    def check_divisor(self, a: Int, b: Int) -> None:
        """A fault where ``b`` is 0; unsure where the quotient may overflow."""
        if b.low is None or b.low <= 0:
            self.stop_if(self.b.icmp_signed("==", b.v, ir.Constant(I64, 0)), FAULT)
            if not a.bounded:
                self.stop_if(self.b.icmp_signed("==", b.v, ir.Constant(I64, -1)), UNSURE)

    def rounds_down(self, remainder: Any, b: Int) -> Any:
        """Whether the quotient that was cut must be one less: signs differ, and a rest."""
        zero = ir.Constant(I64, 0)
        differ = self.b.icmp_signed("<", self.b.xor(remainder, b.v), zero)
        return self.b.and_(differ, self.b.icmp_signed("!=", remainder, zero))

    def power(self, left: Any, right: Any) -> Any:
        """``left ** right``."""
        exponent = self.integer(right)
        if exponent.low is None or exponent.low != exponent.high:
            return self.power_loop(left, exponent)
        n = exponent.low
        if not -64 <= n <= 64:
            raise Unsupported("a power below -64 or above 64")
        if n < 0:
            return self.divide(const(1), self.power(left, const(-n)))
        result: Any = const(1)
        for _ in range(n):
            result = self.multiply(result, left)
        return result

    def power_loop(self, left: Any, exponent: Int) -> Any:
        """A power whose exponent is known when it runs."""
        if isinstance(left, Real):
            return self.real_power_loop(left, exponent)
        base = self.integer(left)
        self.stop_if(self.b.icmp_signed("<", exponent.v, ir.Constant(I64, 0)), UNSURE)
        product = self.slot(I64)
        self.b.store(ir.Constant(I64, 1), product)
        with self.loop(ir.Constant(I64, 0), exponent.v):
            longer = self.whole("mul", Int(self.b.load(product)), base, None, None)
            self.b.store(longer.v, product)
        return Int(self.b.load(product))

    def real_power_loop(self, base: Real, exponent: Int) -> Real:
        """The same of a double."""
        zero, one = ir.Constant(F64, 0.0), ir.Constant(F64, 1.0)
        self.stop_if(self.b.icmp_signed("<", exponent.v, ir.Constant(I64, 0)), UNSURE)
        v, e = self.slot(F64), self.slot(F64)
        self.b.store(one, v)
        self.b.store(zero, e)
        with self.loop(ir.Constant(I64, 0), exponent.v):
            longer = self.multiply(Real(self.b.load(v), self.b.load(e)), base)
            self.b.store(longer.v, v)
            self.b.store(longer.e, e)
        return Real(self.b.load(v), self.b.load(e))

    def bitwise(self, operation: str, left: Any, right: Any) -> Int:
        """``&``, ``|`` or ``^``."""
        a, b = self.integer(left), self.integer(right)
        v = getattr(self.b, operation)(a.v, b.v)
        if a.low is None or b.low is None or a.low < 0 or b.low < 0:
            return Int(v)
        if a.high is None or b.high is None:
            return Int(v)
        if operation == "and_":
            return Int(v, 0, min(a.high, b.high))
        return Int(v, 0, (1 << max(a.high.bit_length(), b.high.bit_length())) - 1)

    def shift(self, left: Any, right: Any, *, up: bool) -> Int:
        """``<<`` (``up``) or ``>>``."""
        a, n = self.integer(left), self.integer(right)
        if n.low is None or n.low < 0:
            self.stop_if(self.b.icmp_signed("<", n.v, ir.Constant(I64, 0)), FAULT)
        if n.high is None or n.high > 62:
            self.stop_if(self.b.icmp_signed(">", n.v, ir.Constant(I64, 62)), UNSURE)
        if not up:
            low = 0 if a.low is not None and a.low >= 0 else None
            return Int(self.b.ashr(a.v, n.v), low, a.high if low == 0 else None)
        v = self.b.shl(a.v, n.v)
        if a.bounded and n.high is not None and a.low is not None and a.low >= 0:
            high = (a.high or 0) << min(n.high, 63)
            if high <= INT_HIGH:
                return Int(v, 0, high)
        self.stop_if(self.b.icmp_signed("!=", self.b.ashr(v, n.v), a.v), UNSURE)
        return Int(v)


_OPERATIONS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "//": "floor_divide",
    "%": "remainder",
    "**": "power",
}
_BITS = {"&": "and_", "|": "or_", "^": "xor"}
