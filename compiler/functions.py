"""The built-in functions: dice, cards, lists and arithmetic.

Each checks its arguments and bounds what it makes; mistakes are ``EvaluationError``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from ..spec.diagnostics import Code
from .values import (
    LIST_ITEMS,
    NUMBER_BITS,
    Distribution,
    EvaluationError,
    Value,
    item,
    kind_of,
    not_negative,
    show,
    too_long,
    whole,
)


@dataclass(frozen=True, slots=True)
class Builtin:
    """A built-in function: how many arguments it takes and what it gives."""

    run: Callable[..., Value]
    least: int
    most: int | None  # None: any number
    gives: str  # a type name of ``compiler.expressions``
    takes: str  # likewise, of each argument; "" where they differ


def dice(count: Value, sides: Value) -> Distribution:
    """The sum of ``count`` fair dice with faces 1 to ``sides``. Time O(count² · sides)."""
    n, faces = whole(count, "the number of dice"), whole(sides, "the number of sides")
    not_negative(n, "the number of dice")
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
    not_negative(n, "the number of dice")
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
    not_negative(whole_n, "n in comb(n, k)")
    not_negative(whole_k, "k in comb(n, k)")
    if whole_n > NUMBER_BITS:
        raise too_long()
    return math.comb(whole_n, whole_k)


def _factorial(n: Value) -> int:
    number = whole(n, "the argument of factorial")
    not_negative(number, "the argument of factorial")
    if number > 1500:
        raise too_long()
    return math.factorial(number)


def _popcount(value: Value) -> int:
    number = whole(value, "the argument of popcount")
    not_negative(number, "the argument of popcount")
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
