"""The built-in functions in machine code."""

# pyright: basic
from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from llvmlite import ir

from .. import functions
from ..values import Distribution, EvaluationError
from .aggregates import GATHERS
from .comparisons import Comparisons
from .constants import (
    FAULT,
    MADE_ANEW,
    UNSURE,
    bits,
    item_type,
)
from .values import (
    F64,
    I64,
    Int,
    Item,
    List,
    Odds,
    Real,
    Some,
    Span,
    Unsupported,
    const,
    join_items,
    most_items,
)

TABLE_WORDS = 1 << 20  # of the hands of a varying number of dice


class Functions(Comparisons):
    """Built-in functions; each takes compiled values."""

    def builtin(self, name: str, given: Sequence[Any]) -> Any:
        """The built-in function ``name`` of some values."""
        if name in GATHERS:
            return self.over(name, *given)
        if name == "ceil":
            return self.floor(*given, up=True)
        if name in {"sqrt", "exp", "log"}:
            return self.smooth(name, *given)
        if name not in _METHODS:
            raise Unsupported(f"the function `{name}`")
        return getattr(self, _METHODS[name])(*given)

    def absolute(self, value: Any) -> Any:
        """`abs`."""
        value = self.numeric(value)
        if isinstance(value, Real):
            ratio = value.ratio and (self.absolute(value.ratio[0]), self.absolute(value.ratio[1]))
            return Real(self.fabs(value.v), value.e, ratio)
        negative = self.b.icmp_signed("<", value.v, ir.Constant(I64, 0))
        flipped = self.subtract(const(0), value)
        top = None if not value.bounded else max(abs(value.low or 0), abs(value.high or 0))
        return Int(self.pick(negative, flipped.v, value.v), 0, top)

    def floor(self, value: Any, *, up: bool = False) -> Any:
        """`floor`, or `ceil` (``up``)."""
        value = self.numeric(value)
        if isinstance(value, Int):
            return value
        if value.ratio is None:
            return self.floor_real(value, up=up)
        top, bottom = value.ratio
        if not up:
            return self.floor_divide(top, bottom)
        return self.subtract(const(0), self.floor_divide(self.subtract(const(0), top), bottom))

    def floor_real(self, value: Real, *, up: bool) -> Int:
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

    def popcount(self, value: Any) -> Int:
        """`popcount`."""
        number = self.integer(value)
        self.check_not_negative(number)
        v = self.b.call(self.module.declare_intrinsic("llvm.ctpop", [I64]), [number.v])
        return Int(v, 0, 63 if number.high is None else number.high.bit_length())

    def length(self, items: Any) -> Any:
        """`len`."""
        if isinstance(items, List):
            return const(items.length)
        if isinstance(items, Some):
            return Int(items.count, 0, items.most)
        if isinstance(items, Span):
            size = self.add(self.subtract(items.high, items.low), const(1))
            return self.extreme([const(0), size], largest=True)
        raise Unsupported("the length of something that is no list")

    def put(self, items: Any, index: Any, value: Any) -> List:
        """`put`: a new list in stack memory."""
        items = self.listed(items)
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

    def sorted(self, items: Any) -> Any:
        """`sorted`: a new list in stack memory, its items put in order one after the other."""
        if isinstance(items, Span):
            return items
        if not isinstance(items, List | Some) or items.item.kind != "int":
            raise Unsupported("`sorted` of anything but whole numbers")
        most = items.length if isinstance(items, List) else items.most
        count = ir.Constant(I64, most) if isinstance(items, List) else items.count
        memory = self.slot(I64, count=max(most, 1))
        zero, one = ir.Constant(I64, 0), ir.Constant(I64, 1)
        with self.loop(zero, count) as i:
            self.put_word(memory, i, self.word(items.p, i))
            with self.loop(zero, i) as back:  # the new item sinks until it is not the smaller one
                at = self.b.sub(i, back)
                below = self.b.sub(at, one)
                new, old = self.word(memory, at), self.word(memory, below)
                smaller = self.b.icmp_signed("<", new, old)
                self.put_word(memory, at, self.pick(smaller, old, new))
                self.put_word(memory, below, self.pick(smaller, new, old))
        if isinstance(items, List):
            return List(memory, items.length, items.item)
        return Some(memory, items.count, most, items.item)

    def over(self, name: str, *values: Any) -> Any:
        """`sum(list)`, `max(list)`, `max(a, b)` and their like."""
        if len(values) > 1:
            return self.extreme(values, largest=name == "max")
        gather = GATHERS[name](self)
        items = next(iter(values))
        gather.most = most_items(items)
        with self.each(items) as item:
            gather.take(item)
        return gather.result()

    def dice(self, count: Any, sides: Any) -> Odds:
        """`dice`: the odds of a sum of dice."""
        n, faces = self.integer(count), self.integer(sides)
        if faces.low is None or faces.low != faces.high:
            raise Unsupported("dice whose number of sides depends on the state")
        if n.low is not None and n.low == n.high:
            return self.constant_odds(functions.dice(n.low, faces.low))
        if not n.bounded or n.low is None or n.high is None or not 0 <= n.high <= MADE_ANEW:
            raise Unsupported(f"dice whose number has no range, or one beyond 0..{MADE_ANEW}")
        self.check_not_negative(n)
        return self.dice_table(n, max(0, n.low), n.high, faces.low)

    def dice_table(self, n: Int, low: int, high: int, faces: int) -> Odds:
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

    def roll(self, count: Any, sides: Any) -> Odds:
        """`roll`: the odds of the sorted faces; of every number of dice, where that varies."""
        n, faces = self.integer(count), self.integer(sides)
        if n.bounded and n.low != n.high and faces.low is not None and faces.low == faces.high:
            low, high = max(0, n.low or 0), n.high or 0
            if not low <= high <= MADE_ANEW:
                raise Unsupported(f"dice whose number is beyond 0..{MADE_ANEW}")
            self.check_not_negative(n)
            return self.hands(
                Int(n.v, low, high), [self.rolled(k, faces.low) for k in range(low, high + 1)]
            )
        return self.constant_call("roll", n, faces)

    def check_not_negative(self, number: Int) -> None:
        """A fault below 0."""
        if number.low is None or number.low < 0:
            self.stop_if(self.b.icmp_signed("<", number.v, ir.Constant(I64, 0)), FAULT)

    def rolled(self, count: int, faces: int) -> Distribution:
        """The sorted faces of dice, if there are not too many ways."""
        try:
            return functions.roll(count, faces)
        except EvaluationError:
            raise Unsupported("dice whose number varies and may be too large") from None

    def hands(self, n: Int, rows: Sequence[Distribution]) -> Odds:
        """The row of ``rows``, whose values are lists of whole numbers, for each of n's values."""
        most = max(len(hand) for row in rows for hand in row.values)
        width = max(len(row) for row in rows)
        if len(rows) * width * (most + 1) > TABLE_WORDS:
            raise Unsupported("dice whose number varies and may be too large")
        low = min((face for row in rows for hand in row.values for face in hand), default=0)
        high = max((face for row in rows for hand in row.values for face in hand), default=0)
        words: list[int] = []
        odds: list[int] = []
        for row in rows:
            for hand in row.values:
                words += [len(hand), *hand, *[0] * (most - len(hand))]
            words += [0] * ((most + 1) * (width - len(row)))
            odds += [bits(float(Fraction(w, row.total))) for w in row.odds]
            odds += [0] * (width - len(row))
        at = self.b.sub(n.v, ir.Constant(I64, n.low))
        counts = self.globals([len(row) for row in rows])
        start = self.b.mul(at, ir.Constant(I64, width))
        first = self.b.mul(start, ir.Constant(I64, most + 1))
        kind = Item("some", None, None, most, Item("int", low, high))
        values = List(self.b.gep(self.globals(words), [first]), width, kind)
        return Odds(values, self.b.gep(self.globals(odds), [start]), self.word(counts, at))

    def constant_call(self, name: str, *values: Any) -> Any:
        """A built-in function of constants."""
        numbers = [self.constant_value(value) for value in values]
        return self.constant(functions.BUILTINS[name].run(*numbers))

    def constant_value(self, value: Any) -> Any:
        """The value of a constant."""
        if isinstance(value, Int) and value.low is not None and value.low == value.high:
            return value.low
        raise Unsupported("`roll`, `draw`, `comb` or `factorial` of numbers that vary")

    def comb(self, n: Any, k: Any) -> Int:
        """`comb`: a product of quotients, each whole."""
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
            grown = self.whole("mul", Int(self.b.load(product)), factor, None, None)
            self.b.store(self.b.sdiv(grown.v, self.b.add(i, one)), product)
        return Int(self.b.load(product), 0, None)

    def factorial(self, n: Any) -> Int:
        """`factorial`, from a table."""
        number = self.integer(n)
        self.stop_if(self.b.icmp_signed("<", number.v, ir.Constant(I64, 0)), FAULT)
        self.stop_if(self.b.icmp_signed(">", number.v, ir.Constant(I64, 20)), UNSURE)
        table = self.globals([math.factorial(i) for i in range(21)])
        return Int(self.word(table, number.v), 1, None)

    def smooth(self, name: str, value: Any) -> Real:
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
        return Real(v, self.with_rounding(self.with_rounding(spread, v), v))


_METHODS = {
    "abs": "absolute",
    "floor": "floor",
    "popcount": "popcount",
    "len": "length",
    "put": "put",
    "sorted": "sorted",
    "roll": "roll",
    "dice": "dice",
    "comb": "comb",
    "factorial": "factorial",
}
