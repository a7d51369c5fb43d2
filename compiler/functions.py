"""The built-in functions: dice, cards, lists and arithmetic.

Each checks its arguments and bounds what it makes; mistakes are ``EvaluationError``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

from ..spec.diagnostics import Code
from .values import (
    NUMBER_BITS,
    Distribution,
    EvaluationError,
    Meter,
    Value,
    checked,
    item,
    kind_of,
    not_negative,
    show,
    too_long,
    weigh,
    whole,
)

DICE_WORK = 4_000_000  # dice², times sides
HAND_ITEMS = 1_000_000  # of all the lists that a `roll` or `draw` makes
ROLLED_DICE = 1_000


@dataclass(frozen=True, slots=True)
class Builtin:
    """A built-in function: how many arguments it takes and what it gives."""

    run: Callable[..., Value]
    least: int
    most: int | None  # None: any number
    gives: str  # a type name of ``compiler.expressions``
    takes: str  # likewise, of each argument; "" where they differ
    cost: Callable[..., int] | None = None  # in steps, from its result and arguments


def charged(builtin: Builtin, meter: Meter) -> Callable[..., Value]:
    """``builtin``, each call charged to ``meter``; what a single call costs is bounded."""
    function, cost = builtin.run, builtin.cost
    assert cost is not None

    def run(*arguments: Value) -> Value:
        meter.spend(0)  # nothing is made once all is spent
        result = function(*arguments)
        meter.spend(cost(result, *arguments))
        return result

    return run


def dice(count: Value, sides: Value) -> Distribution:
    """The sum of ``count`` fair dice with faces 1 to ``sides``. Time O(count² · sides)."""
    n, faces = whole(count, "the number of dice"), whole(sides, "the number of sides")
    not_negative(n, "the number of dice")
    if faces < 1 or n * faces > 10_000 or n * n * faces > DICE_WORK:
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
    if faces < 1 or _too_many_hands(n, faces):
        raise EvaluationError(Code.EVALUATION, f"roll({n}, {faces}) has too many outcomes, or none")
    orders = math.factorial(n)
    odds = {
        faces_up: orders // math.prod(math.factorial(faces_up.count(f)) for f in set(faces_up))
        for faces_up in combinations_with_replacement(range(1, faces + 1), n)
    }
    return Distribution(tuple(odds), tuple(odds.values()), faces**n)


def _too_many_hands(size: int, kinds: int) -> bool:
    """Whether multisets of ``size`` out of ``kinds`` hold more than ``HAND_ITEMS`` items in all."""
    number = 1
    for i in range(min(size, kinds - 1)):  # comb(size + kinds - 1, i + 1), growing with i
        number = number * (size + kinds - 1 - i) // (i + 1)
        if number * size > HAND_ITEMS:
            return True
    return size > ROLLED_DICE


def draw(count: Value, deck: Value) -> Distribution:
    """``count`` items of the list ``deck``, without replacement, sorted as the deck lists them."""
    n, cards = whole(count, "the number of cards"), _sequence(deck, "draw")
    if not 0 <= n <= len(cards):
        raise EvaluationError(Code.EVALUATION, f"cannot draw {n} out of {len(cards)}")
    hands: dict[int, dict[tuple[Value, ...], int]] = {0: {(): 1}}  # by size
    made, left = 0, len(cards)
    for kind, copies in Counter(cards).items():
        left -= copies
        for size in sorted(hands, reverse=True):  # so that no hand gets this kind twice
            for k in range(1, min(copies, n - size) + 1):
                made += (size + k) * len(hands[size])
                if made > HAND_ITEMS:
                    message = f"draw({n}, …) of {len(cards)} has too many outcomes"
                    raise EvaluationError(Code.WORK_LIMIT, message)
                ways = math.comb(copies, k)
                hands.setdefault(size + k, {}).update(
                    (hand + (kind,) * k, ways * before) for hand, before in hands[size].items()
                )
        for size in [size for size in hands if size < n - left]:
            del hands[size]  # the cards to come are too few for these
    return Distribution.of(hands[n])


def put(items: Value, index: Value, value: Value) -> tuple[Value, ...]:
    """The list ``items`` with ``value`` at ``index``."""
    item(items, index)
    i = int(index)
    return (*items[:i], value, *items[i + 1 :])


def ordered(items: Value) -> tuple[Value, ...]:
    """The numbers of the list ``items``, the smallest first."""
    numbers = _sequence(items, "sorted")
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | Fraction | float):
            message = f"sorted takes numbers, and this list holds {kind_of(number)}"
            raise EvaluationError(Code.EVALUATION, message)
    return tuple(sorted(numbers))


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


def total(items: Iterable[Value], meter: Meter | None = None) -> Value:
    """The sum of numbers, each addition of fractions charged to ``meter``."""
    result: Value = 0
    for number in items:
        result = result + number
        if type(result) is not int:
            # a sum of fractions of ever new denominators would take longer and longer
            result = checked(result) if meter is None else weigh(result, meter)
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


def _number_cost(_: Value, n: Value, *__: Value) -> int:
    return int(n) >> 3


def _list_cost(result: Value, items: Value, *_: Value) -> int:
    size = len(items) if isinstance(items, tuple | range) else 0  # pyright: ignore[reportUnknownArgumentType]
    if type(result) is Fraction:
        return max(1, size) * (1 + (result.denominator.bit_length() >> 4))
    return size


def _order_cost(result: Value, _: Value) -> int:
    bits = sum(number.denominator.bit_length() for number in result if type(number) is Fraction)
    return len(result) * len(result).bit_length() + (bits >> 4) * len(result).bit_length()


def _dice_cost(_: Value, count: Value, sides: Value) -> int:
    return int(count * count * sides) >> 3


def _hands_cost(hands: Distribution, count: Value, __: Value) -> int:
    return len(hands) * int(count + 1)


BUILTINS: dict[str, Builtin] = {
    "abs": Builtin(abs, 1, 1, "number", "number"),
    "floor": Builtin(math.floor, 1, 1, "number", "number"),
    "ceil": Builtin(math.ceil, 1, 1, "number", "number"),
    "comb": Builtin(_comb, 2, 2, "number", "number", _number_cost),
    "factorial": Builtin(_factorial, 1, 1, "number", "number", _number_cost),
    "popcount": Builtin(_popcount, 1, 1, "number", "number"),
    "len": Builtin(_length, 1, 1, "number", "list"),
    "put": Builtin(put, 3, 3, "list", "", _list_cost),
    "sorted": Builtin(ordered, 1, 1, "list number", "list", _order_cost),
    "sum": Builtin(_over_list(total, "sum"), 1, 1, "number", "list", _list_cost),
    "any": Builtin(_over_list(any, "any"), 1, 1, "truth", "list", _list_cost),
    "all": Builtin(_over_list(all, "all"), 1, 1, "truth", "list", _list_cost),
    "count": Builtin(_over_list(count, "count"), 1, 1, "number", "list", _list_cost),
    "min": Builtin(_extreme(min, "min"), 1, None, "any", "", _list_cost),
    "max": Builtin(_extreme(max, "max"), 1, None, "any", "", _list_cost),
    "dice": Builtin(dice, 2, 2, "distribution", "number", _dice_cost),
    "roll": Builtin(roll, 2, 2, "distribution", "number", _hands_cost),
    "draw": Builtin(draw, 2, 2, "distribution", "", _hands_cost),
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
