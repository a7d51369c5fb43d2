"""Writing a function: branches, loops, memory, and conversions between values."""

# pyright: basic
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from llvmlite import ir

from ..scope import Names
from ..values import LIST_ITEMS, Distribution
from .constants import (
    CODE_LIMIT,
    FAULT,
    LARGE,
    MADE_ANEW,
    TINY,
    UNIT,
    UNSURE,
    WORK_PER_STATE,
    bits,
    item_of,
    item_type,
    real_constant,
    words_of,
)
from .values import (
    EXACT_DOUBLE,
    F64,
    I1,
    I64,
    INT_HIGH,
    Int,
    Item,
    List,
    Odds,
    Real,
    Some,
    Span,
    Truth,
    Unsupported,
    const,
    join_items,
    known_length,
)


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
        block: Any = self.b.block
        if not block.is_terminated:
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
            pair.append(self.real(value))
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

    def real(self, value: Any) -> Real:
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

    def numeric(self, value: Any) -> Any:
        """A value as a number: true is 1."""
        return self.integer(value) if isinstance(value, Truth) else value

    def fabs(self, v: Any) -> Any:
        """The absolute value of a double."""
        return self.b.call(self.module.declare_intrinsic("llvm.fabs", [F64]), [v])

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

    def globals(self, words: Sequence[int]) -> Any:
        """Global memory that holds ``words``."""
        array = ir.ArrayType(I64, max(len(words), 1))
        data: Any = ir.GlobalVariable(self.module, array, f"c{len(self.module.globals)}")
        data.initializer = ir.Constant(array, [w & (2**64 - 1) for w in words] or [0])
        data.global_constant = True
        data.linkage = "internal"
        return data.bitcast(I64.as_pointer())

    def word(self, pointer: Any, offset: Any) -> Any:
        """The word ``offset`` behind ``pointer``."""
        at = ir.Constant(I64, offset) if isinstance(offset, int) else offset
        return self.b.load(self.b.gep(pointer, [at]))

    def put_word(self, pointer: Any, offset: Any, word: Any) -> None:
        """Set the word ``offset`` behind ``pointer``."""
        at = ir.Constant(I64, offset) if isinstance(offset, int) else offset
        self.b.store(word, self.b.gep(pointer, [at]))

    def item_at(self, items: List | Some, i: Any) -> Any:
        """Item ``i`` (a machine integer within the list)."""
        kind = items.item
        at = self.b.mul(i, ir.Constant(I64, kind.words))
        if kind.item is not None and kind.kind == "some":
            start = self.b.gep(items.p, [self.b.add(at, ir.Constant(I64, 1))])
            return Some(start, self.word(items.p, at), kind.length, kind.item)
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
        if isinstance(group, Odds) and group.values is None:
            with self.loop(ir.Constant(I64, 0), group.count) as i:
                assert group.first is not None
                yield Int(self.b.add(group.first.v, i), None, None)
            return
        items = group.values if isinstance(group, Odds) else group
        if not isinstance(items, List | Some):
            raise Unsupported("a loop over something that is no list")
        count = ir.Constant(I64, group.length) if isinstance(group, List) else group.count
        with self.loop(ir.Constant(I64, 0), count) as i:
            yield self.item_at(items, i)

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

    def listed(self, items: Any) -> Any:
        """A range as a list, where its length is known."""
        length = known_length(items)
        if not isinstance(items, Span) or length is None or length > MADE_ANEW:
            return items
        low = items.low.low or 0
        return self.new_list([const(low + i) for i in range(length)])

    def check_index(self, items: List | Some, i: Int) -> None:
        """A fault where ``i`` is outside ``items``."""
        if isinstance(items, Some):
            self.stop_if(self.b.icmp_unsigned(">=", i.v, items.count), FAULT)
            return
        if i.low is not None and i.high is not None and 0 <= i.low <= i.high < items.length:
            return
        bad = self.b.icmp_unsigned(">=", i.v, ir.Constant(I64, items.length))
        self.stop_if(bad, FAULT)

    def constant(self, value: Any) -> Any:
        """A constant of the exact engine in machine code."""
        if isinstance(value, bool):
            return Truth(ir.Constant(I1, int(value)))
        if isinstance(value, int | Fraction):
            return self.fraction(Fraction(value))
        if isinstance(value, float):
            return Real(ir.Constant(F64, value), ir.Constant(F64, abs(value) * UNIT))
        if isinstance(value, range):
            return Span(const(value.start), const(value.stop - 1))
        if isinstance(value, tuple):
            return self.constant_list(value)  # pyright: ignore[reportUnknownArgumentType]
        if isinstance(value, Distribution):
            return self.constant_odds(value)
        raise Unsupported("a label in a calculation")

    def fraction(self, value: Fraction) -> Any:
        """A rational constant."""
        if value.denominator == 1 and value.numerator.bit_length() < 63:
            return const(value.numerator)
        number = real_constant(value)
        error = 0.0 if Fraction(number) == value else abs(number) * UNIT
        ratio = None
        if max(abs(value.numerator), value.denominator) < INT_HIGH:
            ratio = (const(value.numerator), const(value.denominator))
        return Real(ir.Constant(F64, number), ir.Constant(F64, error), ratio)

    def constant_list(self, items: Sequence[Any]) -> List:
        """A list that never changes, as global memory."""
        kind = item_of(items)
        real = kind.kind == "real"
        words = [word for item in items for word in words_of(item, real=real)]
        return List(self.globals(words), len(items), kind, static=True)

    def constant_odds(self, given: Distribution) -> Odds:
        """A distribution that never changes."""
        odds = [bits(float(Fraction(weight, given.total))) for weight in given.odds]
        count = ir.Constant(I64, len(given.values))
        return Odds(self.constant_list(given.values), self.globals(odds), count)
