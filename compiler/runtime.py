"""What compiled expressions run: functions made once and called for every state."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

from ..spec.diagnostics import Code as Fault
from . import values
from .odds import integer_odds
from .scope import WORDS, Environment, Run, type_of
from .values import EvaluationError, Meter, Value

PLAIN: dict[str, Callable[[Value, Value], Value]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}

COMPARISONS: dict[str, Callable[[Value, Value], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def equal(left: Value, right: Value) -> bool:
    """Whether two values are the same; a range is the list of its numbers."""
    if isinstance(left, range) and isinstance(right, tuple):
        return len(left) == len(right) and tuple(left) == right  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(left, tuple) and isinstance(right, range):
        return equal(right, left)
    return left == right


EQUALITY: dict[str, Callable[[Value, Value], bool]] = {  # of what may be lists
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
}


def _bits(function: Callable[[int, int], int], name: str) -> Callable[[Value, Value], int]:
    def run(left: Value, right: Value) -> int:
        if type(left) is int and type(right) is int:
            return function(left, right)
        side = f"a side of `{name}`"
        return function(values.whole(left, side), values.whole(right, side))

    return run


def _floor_divide(left: Value, right: Value) -> Value:
    if not right:
        raise EvaluationError(Fault.DIVISION_BY_ZERO, "division by zero")
    return left // right


def _remainder(left: Value, right: Value) -> Value:
    if not right:
        raise EvaluationError(Fault.DIVISION_BY_ZERO, "division by zero")
    return left % right


GUARDED: dict[str, Callable[[Value, Value], Value]] = {
    "/": values.divide,
    "//": _floor_divide,
    "%": _remainder,
    "**": values.power,
    "&": _bits(lambda a, b: a & b, "&"),
    "|": _bits(lambda a, b: a | b, "|"),
    "^": _bits(lambda a, b: a ^ b, "^"),
    "<<": values.shift_left,
    ">>": values.shift_right,
}


def require(run: Run, wants: str) -> Run:
    """``run``, its value checked to be of type ``wants`` each time."""

    def check(env: Environment) -> Value:
        value = run(env)
        found = type_of(value).split()[0]
        if found == wants or (wants == "scalar" and found in {"number", "truth"}):
            return value
        raise EvaluationError(
            Fault.TYPE, f"{WORDS[wants]} is needed here, not {WORDS[found]} ({values.show(value)})"
        )

    return check


def countable(run: Run, meter: Meter, steps: int = 1) -> Run:
    """``run``, checked to give something to loop over; each item costs ``steps``."""

    def items(env: Environment) -> Value:
        found: Value = run(env)
        if not isinstance(found, tuple | range | values.Distribution):
            raise EvaluationError(
                Fault.TYPE,
                "a loop goes over a range, a list or a distribution, "
                f"not over {values.kind_of(found)} ({values.show(found)})",
            )
        meter.spend(steps * len(found))  # pyright: ignore[reportUnknownArgumentType]
        return found  # pyright: ignore[reportUnknownVariableType]

    return items


def rounds_of(
    loops: list[tuple[Run, tuple[Run, ...]]], element: Run
) -> Callable[[Environment], Iterator[Value]]:
    """The elements of a comprehension, one for each round of its loops."""
    last = len(loops) - 1

    def go(env: Environment, level: int) -> Iterator[Value]:
        source, conditions = loops[level]
        for value in source(env):
            inner = (*env, value)
            for condition in conditions:
                if not condition(inner):
                    break
            else:
                if level == last:
                    yield element(inner)
                else:
                    yield from go(inner, level + 1)

    return lambda env: go(env, 0)


def bounded(items: Iterator[Value]) -> tuple[Value, ...]:
    """The items as a tuple, if they are not too many."""
    result: list[Value] = []
    for value in items:
        result.append(value)
        if len(result) > values.LIST_ITEMS:
            raise EvaluationError(
                Fault.WORK_LIMIT, f"a list of more than {values.LIST_ITEMS:,} items"
            )
    return tuple(result)


def distribution(
    pairs: tuple[tuple[Run, Run | None], ...], env: Environment
) -> values.Distribution:
    """The distribution that a table of values and odds writes out."""
    labels = [key(env) for key, _ in pairs]
    odds = [("rest", 0) if weight is None else ("p", weight(env)) for _, weight in pairs]
    weights, total = integer_odds(odds, lambda i: values.show(labels[i]))
    merged: dict[Value, int] = {}
    for label, weight in zip(labels, weights, strict=True):
        if weight:
            merged[label] = merged.get(label, 0) + weight
    return values.Distribution(tuple(merged), tuple(merged.values()), total)


def membership(item: Run, group: Run, meter: Meter, *, wanted: bool) -> Run:
    """Whether ``item`` being in ``group`` is as ``wanted``."""

    def run(env: Environment) -> bool:
        value: Value = values.checked(item(env))
        items: Value = group(env)
        if isinstance(items, range) and type(value) is not int:
            return not wanted  # a range holds whole numbers only
        if isinstance(value, range):
            value = tuple(value)
        if not isinstance(items, range):
            meter.spend(len(items))
        return (value in items) is wanted

    return run
