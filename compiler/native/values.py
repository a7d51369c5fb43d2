"""Values of machine code: what an expression is compiled to.

An ``Int`` is exact in 64 bits and knows an interval it lies in; a ``Real`` is a double with a
bound on its rounding error, and remembers the quotient it is where it is one; lists have a
length known when compiled, and live in memory.
"""

# pyright: basic
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llvmlite import ir

I1, I32, I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
F64 = ir.DoubleType()
INT_LOW, INT_HIGH = -(2**62), 2**62  # intervals wider than this may overflow
EXACT_DOUBLE = 2**53

Value = Any  # an llvmlite value


class Unsupported(Exception):
    """The game uses something that machine code cannot express; the message says what."""


@dataclass(frozen=True)
class Int:
    """A whole number in [low, high]; None means that it may be any 64-bit number."""

    v: Value
    low: int | None = None
    high: int | None = None

    @property
    def bounded(self) -> bool:
        """Whether an interval is known."""
        return self.low is not None and self.high is not None


@dataclass(frozen=True)
class Real:
    """A double ``v`` within ``e`` of the exact number; ``ratio`` is that number if known."""

    v: Value
    e: Value
    ratio: tuple[Int, Int] | None = None


@dataclass(frozen=True)
class Truth:
    """true or false."""

    v: Value


@dataclass(frozen=True)
class Item:
    """The type of a list's items: ``int``, ``truth``, ``real``, ``list`` or ``some``."""

    kind: str
    low: int | None = None
    high: int | None = None
    length: int = 0  # of a list; of some items the most
    item: Item | None = None  # of a list, or of some items

    @property
    def words(self) -> int:
        """How many 64-bit words one item takes."""
        number = int(self.kind == "some")  # how many items there are stands before them
        return number + self.length * self.item.words if self.item is not None else 1


@dataclass(frozen=True)
class List:
    """``length`` items in memory from ``p`` (a pointer to 64-bit words; doubles as bits)."""

    p: Value
    length: int
    item: Item
    static: bool = False  # a global constant: any function can read it


@dataclass(frozen=True)
class Some:
    """A list whose length is known only when it runs: ``count`` items, at most ``most``."""

    p: Value
    count: Value
    most: int
    item: Item


@dataclass(frozen=True)
class Span:
    """``low..high``."""

    low: Int
    high: Int


@dataclass(frozen=True)
class Odds:
    """A distribution: its values, and as many doubles from ``p``.

    ``count`` of them (an ``Int``) where the number is known only when it runs; the values are
    then the whole numbers from ``first``.
    """

    values: List | None
    p: Value
    count: Value
    first: Int | None = None
    e: Value = None  # as many errors; None where each is a rounded constant


def const(number: int) -> Int:
    """A constant."""
    if not -(2**63) <= number < 2**63:
        raise Unsupported("a number of more than 63 bits")
    return Int(ir.Constant(I64, number), number, number)


def known_length(items: Any) -> int | None:
    """How many items a list or a range has, where that is known when compiled."""
    if isinstance(items, List):
        return items.length
    if isinstance(items, Span) and items.low.bounded and items.high.bounded:
        (low, high), (first, last) = (
            (items.low.low, items.low.high),
            (items.high.low, items.high.high),
        )
        if low == high and first == last:
            return max(0, (last or 0) - (low or 0) + 1)
    return None


def most_items(items: Any) -> int | None:
    """How many items a list or a range has at most, where that is known when compiled."""
    if isinstance(items, Some):
        return items.most
    if isinstance(items, Odds):
        return None if items.values is None else items.values.length
    if isinstance(items, Span) and items.low.low is not None and items.high.high is not None:
        return max(0, items.high.high - items.low.low + 1)
    return known_length(items)


def join_items(left: Item, right: Item) -> Item:
    """The type that holds items of both types."""
    if left.kind != right.kind or left.length != right.length:
        raise Unsupported("a list of items of several types")
    low = None if left.low is None or right.low is None else min(left.low, right.low)
    high = None if left.high is None or right.high is None else max(left.high, right.high)
    item = left.item
    if left.item is not None and right.item is not None:
        item = join_items(left.item, right.item)
    return Item(left.kind, low, high, left.length, item)


def least(a: int | None, b: int | None) -> int | None:
    """The smaller bound; None where either is unknown."""
    return None if a is None or b is None else min(a, b)


def most(a: int | None, b: int | None) -> int | None:
    """The larger bound; None where either is unknown."""
    return None if a is None or b is None else max(a, b)
