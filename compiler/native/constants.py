"""Limits of machine code, and constants as 64-bit words."""

# pyright: basic
from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .values import (
    Int,
    Item,
    List,
    Some,
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
MADE_ANEW = 64  # items of a list that a state makes
RATIO = 1 << 31  # numerators and denominators of quotients that are kept
Local = tuple[str, Any]  # a local name and its value
Scope = tuple[Local, ...]
Ratio = tuple[Int, Int]


def item_type(value: Any) -> Item:
    """The type of a value as the item of a list."""
    if isinstance(value, Int):
        return Item("int", value.low, value.high)
    if isinstance(value, Truth):
        return Item("truth", 0, 1)
    if isinstance(value, List):
        return Item("list", None, None, value.length, value.item)
    if isinstance(value, Some):
        raise Unsupported("a list of lists whose length varies")
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
        return Item("list", None, None, len(value), item_of(value))  # pyright: ignore[reportUnknownArgumentType]
    raise Unsupported("a list of labels or distributions")


def words_of(value: Any, *, real: bool = False) -> list[int]:
    """A constant as 64-bit words."""
    if isinstance(value, tuple):
        kind = item_of(value)  # pyright: ignore[reportUnknownArgumentType]
        return [w for item in value for w in words_of(item, real=kind.kind == "real")]  # pyright: ignore[reportUnknownArgumentType]
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
