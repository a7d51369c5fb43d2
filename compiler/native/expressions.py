"""Expressions to machine code.

Input   a syntax tree, and the values of the local names.
Output  LLVM instructions at the builder's place, and the value they leave.
Holds   whatever has no value, or not surely the exact one, returns from the function being
        written with a status below 0: ``FAULT`` for a person's mistake, ``UNSURE`` where 64 bits
        or a rounding error could make a difference. The exact engine then decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from operator import add, mul as multiply, sub as subtract
from typing import Any

from llvmlite import ir

from ...spec.expressions import (
    Binary,
    Call,
    Clause,
    Compare,
    Comprehension,
    Dice,
    Expr,
    IfElse,
    Index,
    LetIn,
    Name,
    Number,
    Range,
    Table,
    Unary,
)
from ...spec.expressions import (
    Sequence as SequenceExpr,
)
from ...spec.expressions import (
    Truth as TruthExpr,
)
from .. import functions
from ..scope import Names
from ..values import LIST_ITEMS, Distribution, checked
from .values import (
    EXACT_DOUBLE,
    F64,
    I1,
    I64,
    INT_HIGH,
    INT_LOW,
    Int,
    Item,
    List,
    Odds,
    Real,
    Span,
    Truth,
    Unsupported,
    const,
    join_items,
)

GROW, FAULT, UNSURE = -1, -2, -3
UNIT = 2.0**-53
WORK_PER_STATE = 1 << 26  # loop rounds in one state
CODE_LIMIT = 200_000  # instructions in one function
LARGE, TINY = 1e290, 1e-290  # beyond these, errors would be lost
RATIO = 1 << 31  # numerators and denominators of quotients that are kept

Local = tuple[str, Any]  # a local name and its value
Scope = tuple[Local, ...]
Ratio = tuple[Int, Int]


class Emitter:
    """Writes one function's instructions."""

    def __init__(self, module: ir.Module, function: ir.Function, names: Names) -> None:
        self.module = module
        self.function = function
        self.names = names
        self.entry = function.append_basic_block("entry")
        body = function.append_basic_block("body")
        self.b = ir.IRBuilder(body)
        self.rounds = self.slot(I64, ir.Constant(I64, 0))
        self.size = 0

    def close(self) -> None:
        """End the entry block, which holds the stack slots."""
        ir.IRBuilder(self.entry).branch(self.function.blocks[1])

    # --- small things ---

    def slot(self, kind: ir.Type, start: Any = None, count: int = 1) -> Any:
        """Stack memory, taken once a call however often a loop comes by."""
        builder = ir.IRBuilder(self.entry)
        place = builder.alloca(kind, size=count)
        if start is not None:
            builder.store(start, place)
        return place

    def stop_if(self, condition: Any, status: int) -> None:
        """Return ``status`` where ``condition`` holds."""
        self.size += 1
        if self.size > CODE_LIMIT:
            raise Unsupported("expressions that come to too much code")
        with self.b.if_then(condition, likely=False):
            self.b.ret(ir.Constant(I64, status))

    def pick(self, condition: Any, yes: Any, no: Any) -> Any:
        """One of two values of the same kind."""
        return self.b.select(condition, yes, no)

    def spend(self) -> None:
        """Count a round of a loop."""
        count = self.b.add(self.b.load(self.rounds), ir.Constant(I64, 1))
        self.b.store(count, self.rounds)
        self.stop_if(self.b.icmp_signed(">", count, ir.Constant(I64, WORK_PER_STATE)), FAULT)

    @contextmanager
    def loop(self, start: Any, stop: Any) -> Iterator[Any]:
        """Count from ``start`` up to, not including, ``stop``."""
        counter = self.slot(I64)
        self.b.store(start, counter)
        head = self.function.append_basic_block("loop")
        body = self.function.append_basic_block("round")
        done = self.function.append_basic_block("done")
        self.b.branch(head)
        self.b.position_at_end(head)
        i = self.b.load(counter)
        self.b.cbranch(self.b.icmp_signed("<", i, stop), body, done)
        self.b.position_at_end(body)
        self.spend()
        yield i
        if not self.b.block.is_terminated:
            self.b.store(self.b.add(i, ir.Constant(I64, 1)), counter)
            self.b.branch(head)
        self.b.position_at_end(done)

    def branches(self, condition: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
        """Evaluate one of two sides; the value that it leaves, of their common type."""
        with self.b.if_else(condition) as (then, other):
            with then:
                left = yes()
                left_end = self.b.block
            with other:
                right = no()
                right_end = self.b.block
        return self.join(left, left_end, right, right_end)

    def join(self, left: Any, left_end: Any, right: Any, right_end: Any) -> Any:
        """The value of one of two blocks that meet here."""
        if isinstance(left, Int) and isinstance(right, Int):
            low = None if left.low is None or right.low is None else min(left.low, right.low)
            high = None if left.high is None or right.high is None else max(left.high, right.high)
            return Int(self._phi(I64, left.v, left_end, right.v, right_end), low, high)
        if isinstance(left, Truth) and isinstance(right, Truth):
            return Truth(self._phi(I1, left.v, left_end, right.v, right_end))
        if isinstance(left, Int | Real) and isinstance(right, Int | Real):
            return self._join_reals(left, left_end, right, right_end)
        if isinstance(left, List) and isinstance(right, List) and left.length == right.length:
            item = join_items(left.item, right.item)
            pointer = self._phi(I64.as_pointer(), left.p, left_end, right.p, right_end)
            return List(pointer, left.length, item)
        if isinstance(left, Span) and isinstance(right, Span):
            low = self.join(left.low, left_end, right.low, right_end)
            return Span(low, self.join(left.high, left_end, right.high, right_end))
        raise Unsupported("an `if` whose sides have different types")

    def _join_reals(self, left: Any, left_end: Any, right: Any, right_end: Any) -> Real:
        here = self.b.block
        pair: list[Real] = []
        for value, end in ((left, left_end), (right, right_end)):
            # the conversion belongs to the block that the value comes from
            self.b.position_before(end.terminator)
            pair.append(self.real(value, checked=False))
        self.b.position_at_end(here)
        v = self._phi(F64, pair[0].v, left_end, pair[1].v, right_end)
        e = self._phi(F64, pair[0].e, left_end, pair[1].e, right_end)
        ratio, (a, b) = None, (pair[0].ratio, pair[1].ratio)
        if a is not None and b is not None:
            top, bottom = (self.join(a[i], left_end, b[i], right_end) for i in (0, 1))
            ratio = (top, bottom)
        return Real(v, e, ratio)

    def _phi(self, kind: ir.Type, left: Any, left_end: Any, right: Any, right_end: Any) -> Any:
        phi = self.b.phi(kind)
        phi.add_incoming(left, left_end)
        phi.add_incoming(right, right_end)
        return phi

    # --- conversions ---

    def real(self, value: Any, *, checked: bool = True) -> Real:
        """A number as a double with its error."""
        if isinstance(value, Real):
            return value
        if isinstance(value, Truth):
            value = self.integer(value)
        if not isinstance(value, Int):
            raise Unsupported("a number made of something that is none")
        v = self.b.sitofp(value.v, F64)
        small = value.bounded and max(abs(value.low or 0), abs(value.high or 0)) <= EXACT_DOUBLE
        if small:
            return Real(v, ir.Constant(F64, 0.0), (value, const(1)))
        e = self.b.fmul(self.fabs(v), ir.Constant(F64, UNIT))
        return Real(v, e, (value, const(1)))

    def integer(self, value: Any) -> Int:
        """A whole number; a quotient that is none is a fault."""
        if isinstance(value, Int):
            return value
        if isinstance(value, Truth):
            return Int(self.b.zext(value.v, I64), 0, 1)
        if isinstance(value, Real) and value.ratio is not None:
            top, bottom = value.ratio
            remainder = self.b.srem(top.v, bottom.v)
            self.stop_if(self.b.icmp_signed("!=", remainder, ir.Constant(I64, 0)), FAULT)
            return Int(self.b.sdiv(top.v, bottom.v))
        raise Unsupported("a number that is not whole in the place of a whole one")

    def truth(self, value: Any) -> Any:
        """A condition as one bit."""
        if isinstance(value, Truth):
            return value.v
        if isinstance(value, Int):  # an undeclared argument that may hold either
            return self.b.icmp_signed("!=", value.v, ir.Constant(I64, 0))
        raise Unsupported("a condition that is neither true nor false")

    def fabs(self, v: Any) -> Any:
        """The absolute value of a double."""
        return self.b.call(self.module.declare_intrinsic("llvm.fabs", [F64]), [v])

    # --- constants ---

    def constant(self, value: Any) -> Any:
        """A constant of the exact engine in machine code."""
        if isinstance(value, bool):
            return Truth(ir.Constant(I1, int(value)))
        if isinstance(value, int | Fraction):
            return self._fraction(Fraction(value))
        if isinstance(value, float):
            return Real(ir.Constant(F64, value), ir.Constant(F64, abs(value) * UNIT))
        if isinstance(value, range):
            return Span(const(value.start), const(value.stop - 1))
        if isinstance(value, tuple):
            return self.constant_list(value)  # pyright: ignore[reportUnknownArgumentType]
        if isinstance(value, Distribution):
            return self.constant_odds(value)
        raise Unsupported("a label in a calculation")

    def _fraction(self, value: Fraction) -> Any:
        if value.denominator == 1 and value.numerator.bit_length() < 63:
            return const(value.numerator)
        number = real_constant(value)
        error = 0.0 if Fraction(number) == value else abs(number) * UNIT
        ratio = None
        if max(abs(value.numerator), value.denominator) < INT_HIGH:
            ratio = (const(value.numerator), const(value.denominator))
        return Real(ir.Constant(F64, number), ir.Constant(F64, error), ratio)

    def finite(self, v: Any) -> None:
        """Not sure where a double is too large to reckon with."""
        large = self.b.fcmp_unordered(">=", self.fabs(v), ir.Constant(F64, LARGE))
        self.stop_if(large, UNSURE)

    def not_tiny(self, v: Any, *parts: Any) -> None:
        """Not sure where a product is so small that its rounding error is lost."""
        tiny = self.b.fcmp_ordered("<", self.fabs(v), ir.Constant(F64, TINY))
        for part in parts:
            there = self.b.fcmp_ordered("!=", part, ir.Constant(F64, 0.0))
            tiny = self.b.and_(tiny, there)
        self.stop_if(tiny, UNSURE)

    def constant_list(self, items: Sequence[Any]) -> List:
        """A list that never changes, as global memory."""
        kind = item_of(items)
        real = kind.kind == "real"
        words = [word for item in items for word in words_of(item, real=real)]
        return List(self.globals(words), len(items), kind, static=True)

    def globals(self, words: Sequence[int]) -> Any:
        """Global memory that holds ``words``."""
        array = ir.ArrayType(I64, max(len(words), 1))
        data = ir.GlobalVariable(self.module, array, f"c{len(self.module.globals)}")
        data.initializer = ir.Constant(array, [w & (2**64 - 1) for w in words] or [0])
        data.global_constant = True
        data.linkage = "internal"
        return data.bitcast(I64.as_pointer())

    def constant_odds(self, given: Distribution) -> Odds:
        """A distribution that never changes."""
        odds = [bits(float(Fraction(weight, given.total))) for weight in given.odds]
        count = ir.Constant(I64, len(given.values))
        return Odds(self.constant_list(given.values), self.globals(odds), count)

    # --- expressions ---

    def compile(self, expr: Expr, scope: Scope) -> Any:
        """Any expression."""
        method = getattr(self, "_" + type(expr).__name__.lower(), None)
        if method is None:
            raise Unsupported("a label in a calculation")
        return method(expr, scope)

    def _number(self, expr: Number, _: Scope) -> Any:
        return self._fraction(expr.value)

    def _truth(self, expr: TruthExpr, _: Scope) -> Any:
        return Truth(ir.Constant(I1, int(expr.value)))

    def _dice(self, expr: Dice, _: Scope) -> Any:
        return self.constant_odds(functions.dice(expr.count, expr.sides))

    def _name(self, expr: Name, scope: Scope) -> Any:
        for name, value in reversed(scope):
            if name == expr.name:
                return value
        if expr.name in self.names.constants:
            return self.constant(self.names.constants[expr.name])
        return self._defined(expr.name, (), scope)

    def _defined(self, name: str, arguments: tuple[Expr, ...], scope: Scope) -> Any:
        definition = self.names.definitions[name]
        given = [self.compile(argument, scope) for argument in arguments]
        names = [argument.name for argument in definition.header.arguments]
        self.size += 10
        return self.compile(definition.body, tuple(zip(names, given, strict=True)))

    def _letin(self, expr: LetIn, scope: Scope) -> Any:
        value = self.compile(expr.value, scope)
        return self.compile(expr.body, (*scope, (expr.name, value)))

    def _ifelse(self, expr: IfElse, scope: Scope) -> Any:
        condition = self.truth(self.compile(expr.condition, scope))
        return self.branches(
            condition, lambda: self.compile(expr.yes, scope), lambda: self.compile(expr.no, scope)
        )

    def _unary(self, expr: Unary, scope: Scope) -> Any:
        value = self.compile(expr.operand, scope)
        if expr.operator == "not":
            return Truth(self.b.not_(self.truth(value)))
        if expr.operator == "+":
            return value
        if expr.operator == "~":
            return self._subtract(const(-1), self.integer(value))
        return self._subtract(const(0), value)

    def _binary(self, expr: Binary, scope: Scope) -> Any:
        if expr.operator in {"and", "or"}:
            return self._logic(expr, scope)
        left, right = self.compile(expr.left, scope), self.compile(expr.right, scope)
        return self.arithmetic(expr.operator, left, right)

    def arithmetic(self, operator: str, left: Any, right: Any) -> Any:
        """``left OPERATOR right``."""
        return _ARITHMETIC[operator](self, left, right)

    def _logic(self, expr: Binary, scope: Scope) -> Truth:
        left = self.truth(self.compile(expr.left, scope))

        def right() -> Truth:
            return Truth(self.truth(self.compile(expr.right, scope)))

        if expr.operator == "and":
            return self.branches(left, right, lambda: Truth(ir.Constant(I1, 0)))
        return self.branches(left, lambda: Truth(ir.Constant(I1, 1)), right)

    # --- arithmetic ---

    def _whole(
        self, operation: str, left: Int, right: Int, low: int | None, high: int | None
    ) -> Int:
        """Add, subtract or multiply; checked for overflow where the interval allows one."""
        safe = low is not None and high is not None and low >= INT_LOW and high <= INT_HIGH
        if safe:
            return Int(getattr(self.b, operation)(left.v, right.v), low, high)
        result = getattr(self.b, f"s{operation}_with_overflow")(left.v, right.v)
        self.stop_if(self.b.extract_value(result, 1), UNSURE)
        return Int(self.b.extract_value(result, 0))

    def _add(self, left: Any, right: Any) -> Any:
        left, right = self._numeric(left), self._numeric(right)
        if isinstance(left, Int) and isinstance(right, Int):
            low = _sum(left.low, right.low)
            return self._whole("add", left, right, low, _sum(left.high, right.high))
        return self._real_sum(left, right)

    def _subtract(self, left: Any, right: Any) -> Any:
        left, right = self._numeric(left), self._numeric(right)
        if isinstance(left, Int) and isinstance(right, Int):
            low = None if left.low is None or right.high is None else left.low - right.high
            high = None if left.high is None or right.low is None else left.high - right.low
            return self._whole("sub", left, right, low, high)
        return self._real_sum(left, right, minus=True)

    def _real_sum(self, left: Any, right: Any, *, minus: bool = False) -> Real:
        """A sum and what it rounded off, by Knuth's TwoSum: nothing where it is exact."""
        a, b = self.real(left), self.real(right)
        second = self.b.fneg(b.v) if minus else b.v
        v = self.b.fadd(a.v, second)
        back = self.b.fsub(v, a.v)
        lost = self.b.fadd(self.b.fsub(a.v, self.b.fsub(v, back)), self.b.fsub(second, back))
        error = self._error(self.b.fadd(a.e, b.e), self.fabs(lost))
        return Real(v, error, self._sum_of_ratios(a.ratio, b.ratio, "sub" if minus else "add"))

    def _sum_of_ratios(self, a: Ratio | None, b: Ratio | None, operation: str) -> Ratio | None:
        if a is None or b is None:
            return None
        if a[1].low == a[1].high == b[1].low == b[1].high is not None:
            return self._ratio(self._small(operation, a[0], b[0]), a[1])
        left, right = self._small("mul", a[0], b[1]), self._small("mul", b[0], a[1])
        return self._ratio(self._small(operation, left, right), self._small("mul", a[1], b[1]))

    def _ratio(self, top: Int | None, bottom: Int | None) -> Ratio | None:
        return None if top is None or bottom is None else (top, bottom)

    def _small(self, operation: str, a: Int | None, b: Int | None) -> Int | None:
        """A whole number that surely stays small, or None."""
        if a is None or b is None or not a.bounded or not b.bounded:
            return None
        apply = {"add": add, "sub": subtract, "mul": multiply}[operation]
        ends = [apply(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        if min(ends) < -RATIO or max(ends) > RATIO:
            return None
        return Int(getattr(self.b, operation)(a.v, b.v), min(ends), max(ends))

    def _error(self, inherited: Any, rounding: Any) -> Any:
        """A bound from its parts, itself rounded up."""
        return self.b.fmul(self.b.fadd(inherited, rounding), ir.Constant(F64, 1 + 2**-40))

    def _fma(self, a: Any, b: Any, c: Any) -> Any:
        return self.b.fma(a, b, c)

    def _with_rounding(self, error: Any, v: Any) -> Any:
        rounding = self.b.fmul(self.fabs(v), ir.Constant(F64, UNIT * (1 + 2**-40)))
        return self._error(error, rounding)

    def _multiply(self, left: Any, right: Any) -> Any:
        left, right = self._numeric(left), self._numeric(right)
        if isinstance(left, Int) and isinstance(right, Int):
            low = high = None
            if left.bounded and right.bounded:
                ends = [x * y for x in (left.low, left.high) for y in (right.low, right.high)]  # type: ignore[operator]
                low, high = min(ends), max(ends)
            return self._whole("mul", left, right, low, high)
        a, b = self.real(left), self.real(right)
        v = self.b.fmul(a.v, b.v)
        spread = self.b.fadd(
            self.b.fmul(self.fabs(a.v), b.e),
            self.b.fmul(a.e, self.b.fadd(self.fabs(b.v), b.e)),
        )
        self.not_tiny(v, a.v, b.v)
        lost = self.fabs(self._fma(a.v, b.v, self.b.fneg(v)))
        ratio = None
        if a.ratio is not None and b.ratio is not None:
            top = self._small("mul", a.ratio[0], b.ratio[0])
            ratio = self._ratio(top, self._small("mul", a.ratio[1], b.ratio[1]))
        return Real(v, self._error(spread, lost), ratio)

    def _divide(self, left: Any, right: Any) -> Any:
        left, right = self._numeric(left), self._numeric(right)
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
        ratio = (left, right) if isinstance(left, Int) and isinstance(right, Int) else None
        if ratio is not None and not (left.bounded and right.bounded):
            # the lowest number divided by -1 overflows
            self.stop_if(self.b.icmp_signed("==", right.v, ir.Constant(I64, -1)), UNSURE)
        self.not_tiny(v, a.v)
        lost = self.fabs(self.b.fdiv(self._fma(self.b.fneg(v), b.v, a.v), b.v))
        if ratio is None and a.ratio is not None and b.ratio is not None:
            top = self._small("mul", a.ratio[0], b.ratio[1])
            ratio = self._ratio(top, self._small("mul", a.ratio[1], b.ratio[0]))
        return Real(v, self._error(spread, lost), ratio)

    def _floor_divide(self, left: Any, right: Any) -> Int:
        a, b = self.integer(left), self.integer(right)
        self._check_divisor(a, b)
        quotient, remainder = self.b.sdiv(a.v, b.v), self.b.srem(a.v, b.v)
        down = self._rounds_down(remainder, b)
        v = self.b.sub(quotient, self.b.zext(down, I64))
        if a.bounded and b.bounded and b.low > 0:  # type: ignore[operator]
            ends = [x // y for x in (a.low, a.high) for y in (b.low, b.high)]  # type: ignore[operator]
            return Int(v, min(ends), max(ends))
        return Int(v)

    def _remainder(self, left: Any, right: Any) -> Int:
        a, b = self.integer(left), self.integer(right)
        self._check_divisor(a, b)
        remainder = self.b.srem(a.v, b.v)
        down = self._rounds_down(remainder, b)
        v = self.b.add(remainder, self.pick(down, b.v, ir.Constant(I64, 0)))
        if b.low is not None and b.low > 0 and b.high is not None:
            return Int(v, 0, b.high - 1)
        return Int(v)

    def _check_divisor(self, a: Int, b: Int) -> None:
        if b.low is None or b.low <= 0:
            self.stop_if(self.b.icmp_signed("==", b.v, ir.Constant(I64, 0)), FAULT)
            if not a.bounded:
                self.stop_if(self.b.icmp_signed("==", b.v, ir.Constant(I64, -1)), UNSURE)

    def _rounds_down(self, remainder: Any, b: Int) -> Any:
        """Whether the quotient that was cut must be one less: signs differ, and a rest."""
        zero = ir.Constant(I64, 0)
        differ = self.b.icmp_signed("<", self.b.xor(remainder, b.v), zero)
        return self.b.and_(differ, self.b.icmp_signed("!=", remainder, zero))

    def _power(self, left: Any, right: Any) -> Any:
        exponent = self.integer(right)
        if exponent.low is None or exponent.low != exponent.high:
            return self._power_loop(left, exponent)
        n = exponent.low
        if not -64 <= n <= 64:
            raise Unsupported("a power below -64 or above 64")
        if n < 0:
            return self._divide(const(1), self._power(left, const(-n)))
        result: Any = const(1)
        for _ in range(n):
            result = self._multiply(result, left)
        return result

    def _power_loop(self, left: Any, exponent: Int) -> Any:
        if isinstance(left, Real):
            return self._real_power_loop(left, exponent)
        base = self.integer(left)
        self.stop_if(self.b.icmp_signed("<", exponent.v, ir.Constant(I64, 0)), UNSURE)
        product = self.slot(I64)
        self.b.store(ir.Constant(I64, 1), product)
        with self.loop(ir.Constant(I64, 0), exponent.v):
            longer = self._whole("mul", Int(self.b.load(product)), base, None, None)
            self.b.store(longer.v, product)
        return Int(self.b.load(product))

    def _real_power_loop(self, base: Real, exponent: Int) -> Real:
        zero, one = ir.Constant(F64, 0.0), ir.Constant(F64, 1.0)
        self.stop_if(self.b.icmp_signed("<", exponent.v, ir.Constant(I64, 0)), UNSURE)
        v, e = self.slot(F64), self.slot(F64)
        self.b.store(one, v)
        self.b.store(zero, e)
        with self.loop(ir.Constant(I64, 0), exponent.v):
            longer = self._multiply(Real(self.b.load(v), self.b.load(e)), base)
            self.b.store(longer.v, v)
            self.b.store(longer.e, e)
        return Real(self.b.load(v), self.b.load(e))

    def _bits(self, operation: str, left: Any, right: Any) -> Int:
        a, b = self.integer(left), self.integer(right)
        v = getattr(self.b, operation)(a.v, b.v)
        if a.low is None or b.low is None or a.low < 0 or b.low < 0:
            return Int(v)
        if a.high is None or b.high is None:
            return Int(v)
        if operation == "and_":
            return Int(v, 0, min(a.high, b.high))
        return Int(v, 0, (1 << max(a.high.bit_length(), b.high.bit_length())) - 1)

    def _shift(self, left: Any, right: Any, *, up: bool) -> Int:
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

    def _numeric(self, value: Any) -> Any:
        return self.integer(value) if isinstance(value, Truth) else value

    # --- comparisons ---

    def _compare(self, expr: Compare, scope: Scope) -> Truth:
        values = [self.compile(operand, scope) for operand in expr.operands]
        result: Any = None
        for i, operator in enumerate(expr.operators):
            test = self.test(operator, values[i], values[i + 1])
            result = test if result is None else self.b.and_(result, test)
        return Truth(result)

    def test(self, operator: str, left: Any, right: Any) -> Any:
        """One comparison, as one bit."""
        if operator in {"in", "not in"}:
            found = self._member(left, right)
            return found if operator == "in" else self.b.not_(found)
        if isinstance(left, List) or isinstance(right, List):
            return self._same_lists(operator, left, right)
        if isinstance(left, Truth) and isinstance(right, Truth):
            return self.b.icmp_signed(operator, left.v, right.v)
        left, right = self._numeric(left), self._numeric(right)
        if isinstance(left, Int) and isinstance(right, Int):
            return self.b.icmp_signed(operator, left.v, right.v)
        return self._compare_reals(operator, left, right)

    def _compare_reals(self, operator: str, left: Any, right: Any) -> Any:
        a, b = self.real(left), self.real(right)
        if a.ratio is not None and b.ratio is not None:
            return self._compare_ratios(operator, a.ratio, b.ratio)
        gap = self.fabs(self.b.fsub(a.v, b.v))
        slack = self.b.fmul(self.b.fadd(a.e, b.e), ir.Constant(F64, 1 + 2**-30))
        close = self.b.fcmp_unordered("<=", gap, slack)
        inexact = self.b.fcmp_unordered(">", slack, ir.Constant(F64, 0.0))
        self.stop_if(self.b.and_(close, inexact), UNSURE)
        return self.b.fcmp_ordered(operator, a.v, b.v)

    def _compare_ratios(self, operator: str, a: tuple[Int, Int], b: tuple[Int, Int]) -> Any:
        """a/b against c/d as a·d against c·b, the sides changed where a denominator is negative."""
        left, right = self._multiply(a[0], b[1]), self._multiply(b[0], a[1])
        zero = ir.Constant(I64, 0)
        flip = self.b.xor(
            self.b.icmp_signed("<", a[1].v, zero), self.b.icmp_signed("<", b[1].v, zero)
        )
        x, y = self.pick(flip, right.v, left.v), self.pick(flip, left.v, right.v)
        return self.b.icmp_signed(operator, x, y)

    def _same_lists(self, operator: str, left: Any, right: Any) -> Any:
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

    def _member(self, item: Any, group: Any) -> Any:
        if isinstance(group, Odds):
            if group.values is None:
                raise Unsupported("`in` over dice whose number varies")
            group = group.values
        if isinstance(group, Span):
            number = self.integer(item)
            above = self.b.icmp_signed(">=", number.v, group.low.v)
            return self.b.and_(above, self.b.icmp_signed("<=", number.v, group.high.v))
        found = self.slot(I1)
        self.b.store(ir.Constant(I1, 0), found)
        with self.each(group) as one:
            same = self.test("==", item, one)
            self.b.store(self.b.or_(self.b.load(found), same), found)
        return self.b.load(found)

    # --- lists ---

    def word(self, pointer: Any, offset: Any) -> Any:
        """The word ``offset`` behind ``pointer``."""
        at = ir.Constant(I64, offset) if isinstance(offset, int) else offset
        return self.b.load(self.b.gep(pointer, [at]))

    def put_word(self, pointer: Any, offset: Any, word: Any) -> None:
        """Set the word ``offset`` behind ``pointer``."""
        at = ir.Constant(I64, offset) if isinstance(offset, int) else offset
        self.b.store(word, self.b.gep(pointer, [at]))

    def item_at(self, items: List, i: Any) -> Any:
        """Item ``i`` (a machine integer within the list)."""
        kind = items.item
        at = self.b.mul(i, ir.Constant(I64, kind.words))
        if kind.item is not None:
            return List(self.b.gep(items.p, [at]), kind.length, kind.item)
        word = self.word(items.p, at)
        if kind.kind == "truth":
            return Truth(self.b.trunc(word, I1))
        if kind.kind == "real":
            v = self.b.bitcast(word, F64)
            return Real(v, self.b.fmul(self.fabs(v), ir.Constant(F64, UNIT)))
        return Int(word, kind.low, kind.high)

    @contextmanager
    def each(self, group: Any) -> Iterator[Any]:
        """A loop over the values of a range, a list or a distribution."""
        if isinstance(group, Span):
            size = self.b.sub(group.high.v, group.low.v)
            self.stop_if(self.b.icmp_signed(">=", size, ir.Constant(I64, LIST_ITEMS)), FAULT)
            stop = self.b.add(group.high.v, ir.Constant(I64, 1))
            with self.loop(group.low.v, stop) as i:
                yield Int(i, group.low.low, group.high.high)
            return
        if isinstance(group, Odds):
            if group.values is None:
                with self.loop(ir.Constant(I64, 0), group.count) as i:
                    assert group.first is not None
                    yield Int(self.b.add(group.first.v, i), None, None)
                return
            group = group.values
        if not isinstance(group, List):
            raise Unsupported("a loop over something that is no list")
        with self.loop(ir.Constant(I64, 0), ir.Constant(I64, group.length)) as i:
            yield self.item_at(group, i)

    def _sequence(self, expr: SequenceExpr, scope: Scope) -> List:
        return self.new_list([self.compile(item, scope) for item in expr.items])

    def new_list(self, items: Sequence[Any]) -> List:
        """A list of values, in stack memory."""
        if not items:
            return List(self.slot(I64), 0, Item("int", 0, 0))
        kind = item_type(items[0])
        for item in items[1:]:
            kind = join_items(kind, item_type(item))
        memory = self.slot(I64, count=len(items) * kind.words)
        for i, item in enumerate(items):
            self.store_item(memory, ir.Constant(I64, i * kind.words), item)
        return List(memory, len(items), kind)

    def store_item(self, memory: Any, at: Any, item: Any) -> None:
        """Write an item's words from word ``at``."""
        for i, word in enumerate(self.words(item)):
            self.put_word(memory, self.b.add(at, ir.Constant(I64, i)), word)

    def words(self, value: Any) -> list[Any]:
        """A value as 64-bit words."""
        if isinstance(value, Int):
            return [value.v]
        if isinstance(value, Truth):
            return [self.b.zext(value.v, I64)]
        if isinstance(value, List):
            return [self.word(value.p, i) for i in range(value.length * value.item.words)]
        raise Unsupported("a list of numbers that are not whole")

    def _index(self, expr: Index, scope: Scope) -> Any:
        base = self.compile(expr.base, scope)
        i = self.integer(self.compile(expr.index, scope))
        if isinstance(base, Span):
            at = self._add(base.low, i)
            beyond = self.b.icmp_signed(">", at.v, base.high.v)
            below = self.b.icmp_signed("<", i.v, ir.Constant(I64, 0))
            self.stop_if(self.b.or_(beyond, below), FAULT)
            return at
        if not isinstance(base, List):
            raise Unsupported("an index into something that is no list")
        self.check_index(base, i)
        return self.item_at(base, i.v)

    def check_index(self, items: List, i: Int) -> None:
        """A fault where ``i`` is outside ``items``."""
        if i.bounded and i.low is not None and i.high is not None:
            if i.low >= 0 and i.high < items.length:
                return
        bad = self.b.icmp_unsigned(">=", i.v, ir.Constant(I64, items.length))
        self.stop_if(bad, FAULT)

    def _range(self, expr: Range, scope: Scope) -> Span:
        low = self.integer(self.compile(expr.low, scope))
        return Span(low, self.integer(self.compile(expr.high, scope)))

    def _table(self, expr: Table, scope: Scope) -> Odds:
        """A distribution written out: its values and odds in stack memory."""
        values = self.new_list([self.compile(key, scope) for key, _ in expr.entries])
        zero = ir.Constant(F64, 0.0)
        total: Any = Real(zero, zero)
        odds: list[Real | None] = []
        for _, given in expr.entries:
            p = None if given is None else self.real(self.compile(given, scope))
            odds.append(p)
            if p is not None:
                self.stop_if(self.b.fcmp_unordered("<", p.v, zero), FAULT)
                total = self._add(total, p)
        left = self._subtract(Real(ir.Constant(F64, 1.0), zero), total)
        sharers = odds.count(None)
        gap = left.v if sharers else self.b.fneg(self.fabs(left.v))
        self.stop_if(self.b.fcmp_unordered("<", gap, self.b.fneg(left.e)), FAULT)
        share = self._divide(left, const(max(sharers, 1)))
        count = len(odds)
        p_memory, e_memory = self.slot(I64, count=count), self.slot(I64, count=count)
        for i, p in enumerate(odds):
            self.put_word(p_memory, i, self.b.bitcast((p or share).v, I64))
            self.put_word(e_memory, i, self.b.bitcast((p or share).e, I64))
        return Odds(values, p_memory, ir.Constant(I64, count), e=e_memory)

    # --- comprehensions ---

    def _comprehension(self, expr: Comprehension, scope: Scope) -> Any:
        if expr.function == "":
            return self._list_comprehension(expr, scope)
        gather = _GATHERS[expr.function](self)
        self._rounds(
            list(expr.clauses), scope, lambda inner: gather.take(self.compile(expr.element, inner))
        )
        return gather.result()

    def _rounds(self, clauses: list[Clause], scope: Scope, body: Callable[[Scope], None]) -> None:
        if not clauses:
            body(scope)
            return
        clause, *rest = clauses
        with self.each(self.compile(clause.source, scope)) as value:
            inner = (*scope, (clause.name, value))
            self._guarded(
                list(clause.conditions), inner, lambda inner=inner: self._rounds(rest, inner, body)
            )

    def _guarded(self, conditions: list[Expr], scope: Scope, body: Callable[[], None]) -> None:
        """``body`` where all conditions hold; each is looked at only where those before it do."""
        if not conditions:
            body()
            return
        with self.b.if_then(self.truth(self.compile(conditions[0], scope))):
            self._guarded(conditions[1:], scope, body)

    def _list_comprehension(self, expr: Comprehension, scope: Scope) -> List:
        clause = expr.clauses[0]
        source = self.compile(clause.source, scope)
        length = _known_length(source)
        if len(expr.clauses) > 1 or clause.conditions or length is None:
            raise Unsupported("a list whose length depends on the state")
        if length > 64:
            raise Unsupported("a list of more than 64 items that is made anew")
        items: list[Any] = []
        for i in range(length):
            if isinstance(source, Span):
                value: Any = self._add(source.low, const(i))
            else:
                value = self.item_at(source, ir.Constant(I64, i))
            items.append(self.compile(expr.element, (*scope, (clause.name, value))))
        return self.new_list(items)

    # --- calls ---

    def _call(self, expr: Call, scope: Scope) -> Any:
        if expr.name in self.names.definitions:
            return self._defined(expr.name, expr.arguments, scope)
        if expr.name == "draw":
            known = [self._known(argument, scope) for argument in expr.arguments]
            return self.constant(functions.draw(*known))
        given = [self.compile(argument, scope) for argument in expr.arguments]
        function = _FUNCTIONS.get(expr.name)
        if function is None:
            raise Unsupported(f"the function `{expr.name}`")
        return function(self, *given)

    def _known(self, expr: Expr, scope: Scope) -> Any:
        """The value of an expression that needs no state."""
        if isinstance(expr, Number):
            return checked(expr.value)
        if isinstance(expr, SequenceExpr):
            return tuple(self._known(item, scope) for item in expr.items)
        if isinstance(expr, Name) and expr.name in self.names.constants:
            if all(name != expr.name for name, _ in scope):
                return self.names.constants[expr.name]
        raise Unsupported("`draw` from cards that vary")

    def _abs(self, value: Any) -> Any:
        value = self._numeric(value)
        if isinstance(value, Real):
            ratio = value.ratio and (self._abs(value.ratio[0]), self._abs(value.ratio[1]))
            return Real(self.fabs(value.v), value.e, ratio)
        negative = self.b.icmp_signed("<", value.v, ir.Constant(I64, 0))
        flipped = self._subtract(const(0), value)
        top = None if not value.bounded else max(abs(value.low or 0), abs(value.high or 0))
        return Int(self.pick(negative, flipped.v, value.v), 0, top)

    def _floor(self, value: Any, *, up: bool = False) -> Any:
        value = self._numeric(value)
        if isinstance(value, Int):
            return value
        if value.ratio is None:
            return self._floor_real(value, up=up)
        top, bottom = value.ratio
        if not up:
            return self._floor_divide(top, bottom)
        return self._subtract(const(0), self._floor_divide(self._subtract(const(0), top), bottom))

    def _floor_real(self, value: Real, *, up: bool) -> Int:
        """Of a number that is known but for its rounding error."""
        beyond = self.b.fcmp_unordered(">", self.fabs(value.v), ir.Constant(F64, 2.0**52))
        self.stop_if(beyond, UNSURE)
        slack = self.b.fmul(value.e, ir.Constant(F64, 1 + 2**-30))
        cut = self.module.declare_intrinsic("llvm.ceil" if up else "llvm.floor", [F64])
        ends = [
            self.b.call(cut, [end])
            for end in (self.b.fsub(value.v, slack), self.b.fadd(value.v, slack))
        ]
        self.stop_if(self.b.fcmp_unordered("!=", ends[0], ends[1]), UNSURE)
        return Int(self.b.fptosi(ends[0], I64), -(2**53), 2**53)

    def _popcount(self, value: Any) -> Int:
        number = self.integer(value)
        if number.low is None or number.low < 0:
            self.stop_if(self.b.icmp_signed("<", number.v, ir.Constant(I64, 0)), FAULT)
        v = self.b.call(self.module.declare_intrinsic("llvm.ctpop", [I64]), [number.v])
        return Int(v, 0, 63 if number.high is None else number.high.bit_length())

    def _len(self, items: Any) -> Any:
        if isinstance(items, List):
            return const(items.length)
        if isinstance(items, Span):
            size = self._add(self._subtract(items.high, items.low), const(1))
            return self.extreme([const(0), size], largest=True)
        raise Unsupported("the length of something that is no list")

    def _put(self, items: Any, index: Any, value: Any) -> List:
        if not isinstance(items, List):
            raise Unsupported("`put` into something that is no list")
        i = self.integer(index)
        self.check_index(items, i)
        kind = join_items(items.item, item_type(value))
        count = items.length * kind.words
        memory = self.slot(I64, count=max(count, 1))
        for at in range(count):
            self.put_word(memory, at, self.word(items.p, at))
        self.store_item(memory, self.b.mul(i.v, ir.Constant(I64, kind.words)), value)
        return List(memory, items.length, kind)

    def extreme(self, values: Sequence[Any], *, largest: bool) -> Any:
        """The largest or smallest of some numbers."""
        result = self._numeric(values[0])
        for value in values[1:]:
            result = self._better(result, self._numeric(value), largest=largest)
        return result

    def _better(self, left: Any, right: Any, *, largest: bool) -> Any:
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
            first = self._compare_reals(">" if largest else "<", b, a)  # in whole numbers
            ratio = (self._one_of(first, b.ratio[0], a.ratio[0]), self._one_of(first, b.ratio[1], a.ratio[1]))
        return Real(self.pick(better, b.v, a.v), self.pick(worse_error, a.e, b.e), ratio)

    def _one_of(self, condition: Any, yes: Int, no: Int) -> Int:
        """One of two whole numbers."""
        v = self.pick(condition, yes.v, no.v)
        if not yes.bounded or not no.bounded:
            return Int(v)
        return Int(v, _least(yes.low, no.low), _most(yes.high, no.high))

    def _over(self, name: str, *values: Any) -> Any:
        """`sum(list)`, `max(list)`, `max(a, b)` and their like."""
        if len(values) > 1:
            return self.extreme(values, largest=name == "max")
        gather = _GATHERS[name](self)
        with self.each(values[0]) as item:
            gather.take(item)
        return gather.result()

    def _dice_call(self, count: Any, sides: Any) -> Odds:
        n, faces = self.integer(count), self.integer(sides)
        if faces.low is None or faces.low != faces.high:
            raise Unsupported("dice whose number of sides depends on the state")
        if n.low is not None and n.low == n.high:
            return self.constant_odds(functions.dice(n.low, faces.low))
        if not n.bounded or n.low is None or n.high is None or n.high > 64 or n.low < 0:
            raise Unsupported("dice whose number has no range, or one beyond 0..64")
        return self._dice_table(n, n.low, n.high, faces.low)

    def _dice_table(self, n: Int, low: int, high: int, faces: int) -> Odds:
        """The odds of every number of dice in low..high, one row each."""
        rows = [functions.dice(k, faces) for k in range(low, high + 1)]
        width = max(len(row.values) for row in rows)
        words: list[int] = []
        for row in rows:
            odds = [bits(float(Fraction(w, row.total))) for w in row.odds]
            words.extend(odds + [0] * (width - len(odds)))
        at = self.b.mul(self.b.sub(n.v, ir.Constant(I64, low)), ir.Constant(I64, width))
        pointer = self.b.gep(self.globals(words), [at])
        count = self.b.add(self.b.mul(n.v, ir.Constant(I64, faces - 1)), ir.Constant(I64, 1))
        return Odds(None, pointer, count, n)

    def _constant_call(self, name: str, *values: Any) -> Any:
        numbers = [self._constant_value(value) for value in values]
        return self.constant(functions.BUILTINS[name].run(*numbers))

    def _constant_value(self, value: Any) -> Any:
        if isinstance(value, Int) and value.low is not None and value.low == value.high:
            return value.low
        raise Unsupported("`roll`, `draw`, `comb` or `factorial` of numbers that vary")

    def _comb(self, n: Any, k: Any) -> Int:
        """comb(n, k) as a product of quotients, each whole."""
        top, down = self.integer(n), self.integer(k)
        zero, one = ir.Constant(I64, 0), ir.Constant(I64, 1)
        bad = self.b.or_(
            self.b.icmp_signed("<", top.v, zero), self.b.icmp_signed("<", down.v, zero)
        )
        self.stop_if(bad, FAULT)
        product = self.slot(I64)
        none = self.b.icmp_signed(">", down.v, top.v)
        self.b.store(self.pick(none, zero, one), product)
        with self.loop(zero, self.pick(none, zero, down.v)) as i:
            factor = Int(self.b.sub(top.v, i))
            grown = self._whole("mul", Int(self.b.load(product)), factor, None, None)
            self.b.store(self.b.sdiv(grown.v, self.b.add(i, one)), product)
        return Int(self.b.load(product), 0, None)

    def _factorial(self, n: Any) -> Int:
        number = self.integer(n)
        self.stop_if(self.b.icmp_signed("<", number.v, ir.Constant(I64, 0)), FAULT)
        self.stop_if(self.b.icmp_signed(">", number.v, ir.Constant(I64, 20)), UNSURE)
        table = self.globals([math.factorial(i) for i in range(21)])
        return Int(self.word(table, number.v), 1, None)

    def _smooth(self, name: str, value: Any) -> Real:
        """sqrt, exp or log, with the error that the argument's error leads to."""
        x = self.real(value)
        if name != "exp":
            bad = self.b.fcmp_unordered("<" if name == "sqrt" else "<=", x.v, ir.Constant(F64, 0.0))
            self.stop_if(bad, FAULT)
        v = self.b.call(self.module.declare_intrinsic(f"llvm.{name}", [F64]), [x.v])
        if name == "exp":
            slope = v
        elif name == "log":
            slope = self.b.fdiv(ir.Constant(F64, 1.0), x.v)
        else:
            slope = self.b.fdiv(ir.Constant(F64, 0.5), v)
        spread = self.b.fmul(self.fabs(slope), self.b.fmul(x.e, ir.Constant(F64, 1.01)))
        spread = self.b.select(
            self.b.fcmp_ordered("==", x.e, ir.Constant(F64, 0.0)), ir.Constant(F64, 0.0), spread
        )
        return Real(v, self._with_rounding(self._with_rounding(spread, v), v))


# --- what aggregates keep ---------------------------------------------------------------------


class _Sum:
    def __init__(self, emitter: Emitter) -> None:
        self.m = emitter
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
            total = m._add(Real(m.b.load(self.v), m.b.load(self.e)), item)
            m.b.store(total.v, self.v)
            m.b.store(total.e, self.e)
            return
        total = m._whole("add", Int(m.b.load(self.whole)), m.integer(item), None, None)
        m.b.store(total.v, self.whole)

    def result(self) -> Any:
        whole = Int(self.m.b.load(self.whole))
        if not self.is_real:
            return whole
        return Real(self.m.b.load(self.v), self.m.b.load(self.e))


class _Count:
    def __init__(self, emitter: Emitter) -> None:
        self.m = emitter
        self.total = emitter.slot(I64)
        emitter.b.store(ir.Constant(I64, 0), self.total)

    def take(self, item: Any) -> None:
        more = self.m.b.zext(self.m.truth(item), I64)
        self.m.b.store(self.m.b.add(self.m.b.load(self.total), more), self.total)

    def result(self) -> Int:
        return Int(self.m.b.load(self.total), 0, WORK_PER_STATE)


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

    def __init__(self, emitter: Emitter) -> None:
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
        self.low = value.low if not known else _least(self.low, value.low)
        self.high = value.high if not known else _most(self.high, value.high)
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


def _least(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


def _most(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else max(a, b)


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _known_length(source: Any) -> int | None:
    if isinstance(source, List):
        return source.length
    if isinstance(source, Span):
        ends = (source.low.low, source.low.high, source.high.low, source.high.high)
        if None not in ends and ends[0] == ends[1] and ends[2] == ends[3]:
            return max(0, ends[2] - ends[0] + 1)  # type: ignore[operator]
    return None


def item_type(value: Any) -> Item:
    """The type of a value as the item of a list."""
    if isinstance(value, Int):
        return Item("int", value.low, value.high)
    if isinstance(value, Truth):
        return Item("truth", 0, 1)
    if isinstance(value, List):
        return Item("list", None, None, value.length, value.item)
    raise Unsupported("a list of numbers that are not whole")


def item_of(items: Sequence[Any]) -> Item:
    """The type of the items of a constant list."""
    kinds = [_constant_item(item) for item in items]
    if not kinds:
        return Item("int", 0, 0)
    if {kind.kind for kind in kinds} == {"int", "real"}:
        return Item("real")
    kind = kinds[0]
    for other in kinds[1:]:
        kind = join_items(kind, other)
    if kind.kind == "real" or any(k.kind == "real" for k in kinds):
        return Item("real")
    return kind


def _constant_item(value: Any) -> Item:
    if isinstance(value, bool):
        return Item("truth", 0, 1)
    if isinstance(value, int):
        const(value)  # or too large
        return Item("int", value, value)
    if isinstance(value, Fraction | float):
        return Item("real")
    if isinstance(value, tuple):
        return Item("list", None, None, len(value), item_of(value))  # pyright: ignore
    raise Unsupported("a list of labels or distributions")


def words_of(value: Any, *, real: bool = False) -> list[int]:
    """A constant as 64-bit words."""
    if isinstance(value, tuple):
        kind = item_of(value)  # pyright: ignore
        return [w for item in value for w in words_of(item, real=kind.kind == "real")]  # pyright: ignore
    if real or isinstance(value, Fraction | float):
        return [bits(real_constant(value))]
    return [int(value)]


def real_constant(value: Any) -> float:
    """A number as a double, if it is neither huge nor tiny."""
    if value and not Fraction(1, 10**150) < abs(value) < 10**150:
        raise Unsupported("a number so large or so small")
    return float(value)


def bits(number: float) -> int:
    """The 64 bits of a double, as an integer."""
    import struct

    return struct.unpack("<q", struct.pack("<d", number))[0]


_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "+": Emitter._add,
    "-": Emitter._subtract,
    "*": Emitter._multiply,
    "/": Emitter._divide,
    "//": Emitter._floor_divide,
    "%": Emitter._remainder,
    "**": Emitter._power,
    "&": lambda m, a, b: m._bits("and_", a, b),
    "|": lambda m, a, b: m._bits("or_", a, b),
    "^": lambda m, a, b: m._bits("xor", a, b),
    "<<": lambda m, a, b: m._shift(a, b, up=True),
    ">>": lambda m, a, b: m._shift(a, b, up=False),
}

_GATHERS: dict[str, Callable[[Emitter], Any]] = {
    "sum": _Sum,
    "count": _Count,
    "any": _Any,
    "all": _All,
    "max": _Extreme,
    "min": _Smallest,
}

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": Emitter._abs,
    "floor": Emitter._floor,
    "ceil": lambda m, x: m._floor(x, up=True),
    "popcount": Emitter._popcount,
    "len": Emitter._len,
    "put": Emitter._put,
    "dice": Emitter._dice_call,
    "comb": Emitter._comb,
    "factorial": Emitter._factorial,
    "roll": lambda m, n, s: m._constant_call("roll", n, s),
    **{name: (lambda n: lambda m, *v: m._over(n, *v))(name) for name in _GATHERS},
    **{name: (lambda n: lambda m, x: m._smooth(n, x))(name) for name in ("sqrt", "exp", "log")},
}
