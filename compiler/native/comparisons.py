"""Comparisons in machine code; the exact engine does those that rounding could turn round."""

# pyright: basic
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from .arithmetic import Arithmetic
from .constants import (
    UNSURE,
)
from .values import (
    F64,
    I1,
    I64,
    Int,
    List,
    Odds,
    Real,
    Span,
    Truth,
    Unsupported,
    least,
    most,
)


class Comparisons(Arithmetic):
    """Comparisons, membership, the better of two."""

    def test(self, operator: str, left: Any, right: Any) -> Any:
        """One comparison, as one bit."""
        if operator in {"in", "not in"}:
            found = self.member(left, right)
            return found if operator == "in" else self.b.not_(found)
        if isinstance(left, List) or isinstance(right, List):
            return self.same_lists(operator, self.listed(left), self.listed(right))
        if isinstance(left, Truth) and isinstance(right, Truth):
            return self.b.icmp_signed(operator, left.v, right.v)
        left, right = self.numeric(left), self.numeric(right)
        if isinstance(left, Int) and isinstance(right, Int):
            return self.b.icmp_signed(operator, left.v, right.v)
        return self.compare_reals(operator, left, right)

    def compare_reals(self, operator: str, left: Any, right: Any) -> Any:
        """Compare two numbers of which one is a double."""
        a, b = self.real(left), self.real(right)
        if a.ratio is not None and b.ratio is not None:
            return self.compare_ratios(operator, a.ratio, b.ratio)
        gap = self.fabs(self.b.fsub(a.v, b.v))
        slack = self.b.fmul(self.b.fadd(a.e, b.e), ir.Constant(F64, 1 + 2**-30))
        close = self.b.fcmp_unordered("<=", gap, slack)
        inexact = self.b.fcmp_unordered(">", slack, ir.Constant(F64, 0.0))
        self.stop_if(self.b.and_(close, inexact), UNSURE)
        return self.b.fcmp_ordered(operator, a.v, b.v)

    def compare_ratios(self, operator: str, a: tuple[Int, Int], b: tuple[Int, Int]) -> Any:
        """a/b against c/d as a·d against c·b, the sides changed where a denominator is negative."""
        left, right = self.multiply(a[0], b[1]), self.multiply(b[0], a[1])
        zero = ir.Constant(I64, 0)
        flip = self.b.xor(
            self.b.icmp_signed("<", a[1].v, zero), self.b.icmp_signed("<", b[1].v, zero)
        )
        x, y = self.pick(flip, right.v, left.v), self.pick(flip, left.v, right.v)
        return self.b.icmp_signed(operator, x, y)

    def same_lists(self, operator: str, left: Any, right: Any) -> Any:
        """Whether two lists are equal, or differ."""
        if not (isinstance(left, List) and isinstance(right, List)):
            raise Unsupported("a list compared with something else")
        if operator not in {"==", "!="}:
            raise Unsupported("lists that are ordered")
        if left.length != right.length or left.item.words != right.item.words:
            return ir.Constant(I1, int(operator == "!="))
        differ: Any = ir.Constant(I1, 0)
        for i in range(left.length * left.item.words):
            a, b = self.word(left.p, i), self.word(right.p, i)
            differ = self.b.or_(differ, self.b.icmp_signed("!=", a, b))
        return differ if operator == "!=" else self.b.not_(differ)

    def member(self, item: Any, group: Any) -> Any:
        """Whether ``item`` is in ``group``."""
        if isinstance(group, Odds) and group.values is None:
            raise Unsupported("`in` over dice whose number varies")
        if isinstance(group, Span):
            number = self.integer(item)
            above = self.b.icmp_signed(">=", number.v, group.low.v)
            return self.b.and_(above, self.b.icmp_signed("<=", number.v, group.high.v))
        item = self.listed(item)
        found = self.slot(I1)
        self.b.store(ir.Constant(I1, 0), found)
        with self.each(group) as one:
            same = self.test("==", item, one)
            self.b.store(self.b.or_(self.b.load(found), same), found)
        return self.b.load(found)

    def extreme(self, values: Sequence[Any], *, largest: bool) -> Any:
        """The largest or smallest of some numbers."""
        result = self.numeric(values[0])
        for value in values[1:]:
            result = self.better(result, self.numeric(value), largest=largest)
        return result

    def better(self, left: Any, right: Any, *, largest: bool) -> Any:
        """The larger or the smaller of two numbers."""
        if isinstance(left, Int) and isinstance(right, Int):
            better = self.b.icmp_signed(">" if largest else "<", right.v, left.v)
            choose = max if largest else min
            low = None if left.low is None or right.low is None else choose(left.low, right.low)
            high = (
                None if left.high is None or right.high is None else choose(left.high, right.high)
            )
            return Int(self.pick(better, right.v, left.v), low, high)
        a, b = self.real(left), self.real(right)
        better = self.b.fcmp_ordered(">" if largest else "<", b.v, a.v)
        worse_error = self.b.fcmp_ordered(">", a.e, b.e)
        ratio = None
        if a.ratio is not None and b.ratio is not None:
            first = self.compare_reals(">" if largest else "<", b, a)  # in whole numbers
            ratio = (
                self.one_of(first, b.ratio[0], a.ratio[0]),
                self.one_of(first, b.ratio[1], a.ratio[1]),
            )
        return Real(self.pick(better, b.v, a.v), self.pick(worse_error, a.e, b.e), ratio)

    def one_of(self, condition: Any, yes: Int, no: Int) -> Int:
        """One of two whole numbers."""
        v = self.pick(condition, yes.v, no.v)
        if not yes.bounded or not no.bounded:
            return Int(v)
        return Int(v, least(yes.low, no.low), most(yes.high, no.high))
