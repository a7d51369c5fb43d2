"""The values that expressions take while a game unfolds, and what operators do to them.

A value is an exact number (``int``, or ``Fraction`` where it is not whole), ``bool``, a tuple
of values, a ``range``, a ``Distribution`` or a label (``str``). Approximate functions give
``float``, and every number made from it is a float as well.

Whatever a file can make grow is bounded here: numbers by ``NUMBER_BITS``, lists and ranges by
``LIST_ITEMS``, work by a ``Meter``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..spec.diagnostics import Code
from ..spec.numbers import show as show_number

NUMBER_BITS = 16_384  # 4,932 decimal digits
LIST_ITEMS = 1_000_000
NESTED_ITEMS = 100_000  # of a list with the lists in it
SMALL_BITS = 128  # numbers up to here cost one step of work
FRACTION = 4  # steps that arithmetic with a fraction costs beside one with whole numbers
SMALL = 1 << SMALL_BITS

Value = Any  # int | Fraction | float | bool | str | tuple | range | Distribution


class EvaluationError(Exception):
    """An expression that has no value; ``start`` and ``end`` are offsets in its text."""

    def __init__(self, code: Code, message: str, help: str | None = None) -> None:  # noqa: A002
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help
        self.where: object = None  # the expression's place, set where it is known
        self.state: Any = None  # the state it was evaluated for, likewise
        self.start = 0
        self.end = 0


@dataclass(slots=True, eq=False, repr=False)
class Meter:
    """Counts loop rounds and calls of definitions, so that no file takes unbounded time."""

    left: int

    def spend(self, rounds: int = 1) -> None:
        """Take ``rounds`` off what is left."""
        self.left -= rounds
        if self.left < 0:
            raise EvaluationError(
                Code.WORK_LIMIT,
                "the expressions of this game take more work than the limit allows",
                "loop over fewer items, or raise --max-work",
            )


@dataclass(frozen=True, slots=True)
class Distribution:
    """Values with positive integer odds; ``total`` is what the odds sum to."""

    values: tuple[Value, ...]
    odds: tuple[int, ...]
    total: int

    def __len__(self) -> int:
        """The number of values."""
        return len(self.values)

    def __iter__(self) -> Iterator[Value]:
        """The values, without their odds."""
        return iter(self.values)

    @staticmethod
    def of(odds: dict[Value, int]) -> Distribution:
        """A distribution from odds by value."""
        return Distribution(tuple(odds), tuple(odds.values()), sum(odds.values()))


def show(value: Value) -> str:
    """A value as the language writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Fraction):
        return show_number(Fraction(value))
    if isinstance(value, range):
        return f"{value.start}..{value.stop - 1}"
    if isinstance(value, tuple):
        return "[" + ", ".join(show(item) for item in value) + "]"  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, Distribution):
        return (
            "{"
            + ", ".join(
                f"{show(v)}: {show_number(Fraction(o, value.total))}"
                for v, o in zip(value.values, value.odds, strict=True)
            )
            + "}"
        )
    if isinstance(value, float):
        return repr(value)
    return str(value)


def kind_of(value: Value) -> str:
    """What a value is, in words for a message."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | Fraction | float):
        return "a number"
    if isinstance(value, tuple | range):
        return "a list"
    if isinstance(value, Distribution):
        return "a distribution"
    return "a label"


def whole(value: Value, what: str) -> int:
    """``value`` as an ``int``, or an error that names ``what`` had to be whole."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    raise EvaluationError(
        Code.EVALUATION, f"{what} must be a whole number, and it is {show(value)}"
    )


def checked(value: Value) -> Value:
    """``value``, unless it has grown out of bounds; whole fractions become ``int``."""
    if type(value) is int:
        if value.bit_length() > NUMBER_BITS:
            raise too_long()
    elif type(value) is Fraction:
        if value.denominator == 1:
            return checked(value.numerator)
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > NUMBER_BITS:
            raise too_long()
    elif type(value) is tuple:
        return not_too_large(value)
    return value


def not_too_large(value: Value) -> Value:
    """``value``, unless the lists in it come to too many items.

    A list may hold another one twice for the price of one, but whoever shows or compares it
    meets every item: thirty such steps would be a billion.
    """
    left = NESTED_ITEMS
    rest: list[tuple[Value, ...]] = [value]
    while rest:
        items = rest.pop()
        left -= len(items)
        if left < 0:
            raise EvaluationError(
                Code.WORK_LIMIT, f"a list of lists of more than {NESTED_ITEMS:,} items in all"
            )
        rest += [item for item in items if isinstance(item, tuple)]
    return value


def weigh(value: Value, meter: Meter) -> Value:
    """``value``, unless it has grown out of bounds; long numbers are charged to ``meter``."""
    if type(value) is int:
        bits = value.bit_length()
    elif type(value) is Fraction:
        bits = max(value.numerator.bit_length(), value.denominator.bit_length())
        meter.spend(FRACTION)
    else:
        return not_too_large(value) if type(value) is tuple else value
    if bits > NUMBER_BITS:
        raise too_long()
    if bits > SMALL_BITS:
        meter.spend(bits >> 4)
    return value


def finite(value: Value) -> Value:
    """``value``, unless it is a float that is no finite number."""
    if isinstance(value, float) and not math.isfinite(value):
        raise beyond_floats()
    return value


def too_long() -> EvaluationError:
    """What to raise for a number past ``NUMBER_BITS``."""
    digits = int(NUMBER_BITS * math.log10(2))
    return EvaluationError(Code.NUMBER_LIMIT, f"a number here grows past {digits:,} digits")


def beyond_floats() -> EvaluationError:
    """What to raise for an exact number that is too large for the floats beside it."""
    return EvaluationError(
        Code.NOT_FINITE, "a number here is too large to be computed with `sqrt`, `exp` or `log`"
    )


def divide(left: Value, right: Value) -> Value:
    """Exact division; whole results are ``int``."""
    if not right:
        raise EvaluationError(Code.DIVISION_BY_ZERO, "division by zero")
    if type(left) is int and type(right) is int:
        quotient, remainder = divmod(left, right)
        return Fraction(left, right) if remainder else quotient
    return left / right


def power(base: Value, exponent: Value) -> Value:
    """``base ** exponent`` for whole exponents, exact."""
    if isinstance(base, float) or isinstance(exponent, float):
        return _float_power(float(base), float(exponent))
    n = whole(exponent, "an exponent")
    if type(base) is int and n >= 0 and base.bit_length() * n <= NUMBER_BITS:
        return base**n  # without fractions: boards are often kept as powers of 2
    if not base and n < 0:
        raise EvaluationError(Code.DIVISION_BY_ZERO, "division by zero: 0 to a negative power")
    fraction = Fraction(base)
    bits = max(fraction.numerator.bit_length(), fraction.denominator.bit_length())
    if (bits - 1) * abs(n) > NUMBER_BITS:
        raise too_long()
    result = fraction**n
    return result.numerator if result.denominator == 1 else result


def _float_power(base: float, exponent: float) -> float:
    if base == 0 and exponent < 0:
        raise EvaluationError(Code.DIVISION_BY_ZERO, "division by zero: 0 to a negative power")
    if base < 0 and not exponent.is_integer():
        raise EvaluationError(
            Code.EVALUATION, f"{base!r} to the power of {exponent!r} is not a real number"
        )
    return base**exponent


def shift_left(value: Value, places: Value) -> int:
    """``value << places``, within the bounds of a number."""
    number, n = whole(value, "the left side of `<<`"), whole(places, "the right side of `<<`")
    not_negative(n, "the right side of `<<`")
    if number.bit_length() + n > NUMBER_BITS:
        raise too_long()
    return number << n


def shift_right(value: Value, places: Value) -> int:
    """``value >> places``."""
    number, n = whole(value, "the left side of `>>`"), whole(places, "the right side of `>>`")
    not_negative(n, "the right side of `>>`")
    return number >> n


def not_negative(number: int, what: str) -> None:
    """Raise unless ``number``, which a message calls ``what``, is at least 0."""
    if number < 0:
        raise EvaluationError(Code.EVALUATION, f"{what} must not be negative, and it is {number}")


def interval(low: Value, high: Value) -> range:
    """``low..high``, both ends included; empty where high is below low."""
    start, stop = whole(low, "the start of a range"), whole(high, "the end of a range")
    if stop - start >= LIST_ITEMS:
        raise EvaluationError(
            Code.WORK_LIMIT, f"a range of {stop - start + 1:,} numbers; at most {LIST_ITEMS:,}"
        )
    return range(start, stop + 1)


def item(base: Value, index: Value) -> Value:
    """``base[index]``, counting from 0."""
    i = whole(index, "an index")
    if not 0 <= i < len(base):
        raise EvaluationError(
            Code.EVALUATION,
            f"there is no item {i} in a list of {len(base)}",
            "the first item is 0",
        )
    return base[i]
