"""The values that expressions take while a game unfolds, and the built-in functions.

A value is an exact number (``int``, or ``Fraction`` where it is not whole), ``bool``, a tuple
of values, a ``range``, a ``Distribution`` or a label (``str``). Approximate functions give
``float``, and every number made from it is a float as well.

Whatever a file can make grow is bounded here: numbers by ``NUMBER_BITS``, lists and ranges by
``LIST_ITEMS``, work by a ``Meter``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from ..spec.diagnostics import Code
from ..spec.numbers import show as show_number

NUMBER_BITS = 16_384  # of a state's number: some 5,000 decimal digits
LIST_ITEMS = 1_000_000

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


@dataclass(slots=True)
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
        return "{" + ", ".join(
            f"{show(v)}: {show_number(Fraction(o, value.total))}"
            for v, o in zip(value.values, value.odds, strict=True)
        ) + "}"
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
            raise _too_long()
    elif type(value) is Fraction:
        if value.denominator == 1:
            return checked(value.numerator)
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > NUMBER_BITS:
            raise _too_long()
    return value


def _too_long() -> EvaluationError:
    digits = int(NUMBER_BITS * math.log10(2))
    return EvaluationError(
        Code.NUMBER_LIMIT, f"a number of the game's state grows past {digits:,} digits"
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
        return float(base) ** float(exponent)
    n = whole(exponent, "an exponent")
    if not base and n < 0:
        raise EvaluationError(Code.DIVISION_BY_ZERO, "division by zero: 0 to a negative power")
    fraction = Fraction(base)
    bits = max(fraction.numerator.bit_length(), fraction.denominator.bit_length())
    if (bits - 1) * abs(n) > NUMBER_BITS:
        raise _too_long()
    result = fraction**n
    return result.numerator if result.denominator == 1 else result


def shift_left(value: Value, places: Value) -> int:
    """``value << places``, within the bounds of a number."""
    number, n = whole(value, "the left side of `<<`"), whole(places, "the right side of `<<`")
    _not_negative(n, "the right side of `<<`")
    if number.bit_length() + n > NUMBER_BITS:
        raise _too_long()
    return number << n


def shift_right(value: Value, places: Value) -> int:
    """``value >> places``."""
    number, n = whole(value, "the left side of `>>`"), whole(places, "the right side of `>>`")
    _not_negative(n, "the right side of `>>`")
    return number >> n


def _not_negative(number: int, what: str) -> None:
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


# --- built-in functions ---------------------------------------------------------------------


def dice(count: Value, sides: Value) -> Distribution:
    """The sum of ``count`` fair dice with faces 1 to ``sides``. Time O(count² · sides)."""
    n, faces = whole(count, "the number of dice"), whole(sides, "the number of sides")
    _not_negative(n, "the number of dice")
    if faces < 1 or n * faces > 10_000:
        raise EvaluationError(
            Code.EVALUATION, f"{n} dice of {faces} sides: at least one side, at most 10,000 in all"
        )
    odds = [1]  # odds[s]: ways to roll a sum of s + the number of dice so far
    for _ in range(n):
        window = 0
        longer: list[int] = []
        for s in range(len(odds) + faces - 1):
            window += odds[s] if s < len(odds) else 0
            window -= odds[s - faces] if s >= faces else 0
            longer.append(window)
        odds = longer
    return Distribution(tuple(range(n, n + len(odds))), tuple(odds), faces**n)


def roll(count: Value, sides: Value) -> Distribution:
    """The sorted faces of ``count`` fair dice, each multiset with its odds."""
    n, faces = whole(count, "the number of dice"), whole(sides, "the number of sides")
    _not_negative(n, "the number of dice")
    if faces < 1 or math.comb(n + faces - 1, n) > LIST_ITEMS:
        raise EvaluationError(Code.EVALUATION, f"roll({n}, {faces}) has too many outcomes, or none")
    orders = math.factorial(n)
    odds = {
        faces_up: orders // math.prod(math.factorial(faces_up.count(f)) for f in set(faces_up))
        for faces_up in combinations_with_replacement(range(1, faces + 1), n)
    }
    return Distribution(tuple(odds), tuple(odds.values()), faces**n)


def draw(count: Value, deck: Value) -> Distribution:
    """``count`` items of the list ``deck``, without replacement, sorted as the deck lists them."""
    n, cards = whole(count, "the number of cards"), _sequence(deck, "draw")
    if not 0 <= n <= len(cards):
        raise EvaluationError(Code.EVALUATION, f"cannot draw {n} out of {len(cards)}")
    kinds = list(dict.fromkeys(cards))
    hands: dict[tuple[Value, ...], int] = {(): 1}
    for kind in kinds:
        copies = sum(1 for card in cards if card == kind)
        longer: dict[tuple[Value, ...], int] = {}
        for hand, ways in hands.items():
            for k in range(min(copies, n - len(hand)) + 1):
                longer[hand + (kind,) * k] = ways * math.comb(copies, k)
        hands = longer
        if len(hands) > LIST_ITEMS:
            raise EvaluationError(Code.WORK_LIMIT, "draw has too many outcomes")
    return Distribution.of({hand: ways for hand, ways in hands.items() if len(hand) == n})


def put(items: Value, index: Value, value: Value) -> tuple[Value, ...]:
    """The list ``items`` with ``value`` at ``index``."""
    item(items, index)
    i = int(index)
    return (*items[:i], value, *items[i + 1 :])


def _sequence(value: Value, what: str) -> Sequence[Value]:
    if isinstance(value, tuple | range):
        return value  # pyright: ignore[reportUnknownVariableType]
    raise EvaluationError(Code.EVALUATION, f"{what} takes a list, and this is {kind_of(value)}")


def _comb(n: Value, k: Value) -> int:
    whole_n, whole_k = whole(n, "n in comb(n, k)"), whole(k, "k in comb(n, k)")
    _not_negative(whole_n, "n in comb(n, k)")
    _not_negative(whole_k, "k in comb(n, k)")
    if whole_n > NUMBER_BITS:
        raise _too_long()
    return math.comb(whole_n, whole_k)


def _factorial(n: Value) -> int:
    number = whole(n, "the argument of factorial")
    _not_negative(number, "the argument of factorial")
    if number > 1500:  # noqa: PLR2004 - 1500! has 4,115 digits
        raise _too_long()
    return math.factorial(number)


def _popcount(value: Value) -> int:
    number = whole(value, "the argument of popcount")
    _not_negative(number, "the argument of popcount")
    return number.bit_count()


def _length(value: Value) -> int:
    return len(_sequence(value, "len"))


def _approximate(function: Callable[[float], float], name: str) -> Callable[[Value], float]:
    def apply(value: Value) -> float:
        try:
            return function(float(value))
        except (ValueError, OverflowError):
            raise EvaluationError(
                Code.EVALUATION, f"{name}({show(value)}) is not a number"
            ) from None

    return apply


def total(items: Iterable[Value]) -> Value:
    """The sum of numbers."""
    result: Value = 0
    for number in items:
        result = result + number
    return result


def _extreme(function: Callable[[Iterable[Value]], Value], name: str) -> Callable[..., Value]:
    def apply(*values: Value) -> Value:
        items = _sequence(values[0], name) if len(values) == 1 else values
        if not items:
            raise EvaluationError(Code.EVALUATION, f"{name} of an empty list")
        return function(items)

    return apply


def _over_list(function: Callable[[Iterable[Value]], Value], name: str) -> Callable[[Value], Value]:
    return lambda items: function(_sequence(items, name))


def count(items: Iterable[Value]) -> int:
    """How many of ``items`` are true."""
    return sum(1 for thing in items if thing)


@dataclass(frozen=True, slots=True)
class Builtin:
    """A built-in function: how many arguments it takes and what it gives."""

    run: Callable[..., Value]
    least: int
    most: int | None  # None: any number
    gives: str  # a type name of ``compiler.expressions``
    takes: str  # likewise, of each argument; "" where they differ


BUILTINS: dict[str, Builtin] = {
    "abs": Builtin(abs, 1, 1, "number", "number"),
    "floor": Builtin(math.floor, 1, 1, "number", "number"),
    "ceil": Builtin(math.ceil, 1, 1, "number", "number"),
    "comb": Builtin(_comb, 2, 2, "number", "number"),
    "factorial": Builtin(_factorial, 1, 1, "number", "number"),
    "popcount": Builtin(_popcount, 1, 1, "number", "number"),
    "len": Builtin(_length, 1, 1, "number", "list"),
    "put": Builtin(put, 3, 3, "list", ""),
    "sum": Builtin(_over_list(total, "sum"), 1, 1, "number", "list"),
    "any": Builtin(_over_list(any, "any"), 1, 1, "truth", "list"),
    "all": Builtin(_over_list(all, "all"), 1, 1, "truth", "list"),
    "count": Builtin(_over_list(count, "count"), 1, 1, "number", "list"),
    "min": Builtin(_extreme(min, "min"), 1, None, "any", ""),
    "max": Builtin(_extreme(max, "max"), 1, None, "any", ""),
    "dice": Builtin(dice, 2, 2, "distribution", "number"),
    "roll": Builtin(roll, 2, 2, "distribution", "number"),
    "draw": Builtin(draw, 2, 2, "distribution", ""),
    "sqrt": Builtin(_approximate(math.sqrt, "sqrt"), 1, 1, "number", "number"),
    "exp": Builtin(_approximate(math.exp, "exp"), 1, 1, "number", "number"),
    "log": Builtin(_approximate(math.log, "log"), 1, 1, "number", "number"),
}

APPROXIMATE = frozenset({"sqrt", "exp", "log"})

AGGREGATES: dict[str, Callable[[Iterable[Value]], Value]] = {
    "sum": total,
    "any": any,
    "all": all,
    "count": count,
    "min": _extreme(min, "min"),
    "max": _extreme(max, "max"),
    "": tuple,
}
