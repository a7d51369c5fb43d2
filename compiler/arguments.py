"""What the arguments of named nodes accept.

A check takes a value and returns it as the state keeps it, or raises GT402 or GT213.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..spec.diagnostics import Code as Fault
from . import values
from .values import EvaluationError, Value

Check = Callable[[Value], Value]


def scalar_check(name: str) -> Check:
    """An undeclared argument: a number, true or false."""

    def take(value: Value) -> Value:
        if isinstance(value, int | Fraction | float):
            return values.checked(value)
        raise EvaluationError(
            Fault.TYPE,
            f"`{name}` gets {values.kind_of(value)}: {values.show(value)}",
            f"a list is declared where the node is defined, as in `{name}: [3] of 0..9`",
        )

    return take


def range_check(name: str, low: int, high: int) -> Check:
    """``name: low..high``: a whole number, both ends included."""

    def take(value: Value) -> Value:
        if type(value) is int and low <= value <= high:
            return value
        number = _whole_number(name, value)
        if not low <= number <= high:
            raise EvaluationError(
                Fault.STATE_RANGE,
                f"`{name}` is {values.show(number)}, outside its range {low}..{high}",
            )
        return number

    return take


def _whole_number(name: str, value: Value) -> int:
    if isinstance(value, bool):
        message = f"`{name}` is {values.show(value)}, and must be a whole number"
        raise EvaluationError(Fault.STATE_RANGE, message)
    try:
        return values.whole(value, f"`{name}`")
    except EvaluationError as error:
        raise EvaluationError(Fault.STATE_RANGE, error.message) from None


def _int_check(name: str) -> Check:
    return lambda value: values.checked(_whole_number(name, value))


def _bool_check(name: str) -> Check:
    def take(value: Value) -> Value:
        if isinstance(value, bool):
            return value
        message = f"`{name}` is {values.show(value)}, and must be true or false"
        raise EvaluationError(Fault.STATE_RANGE, message)

    return take


def list_check(name: str, length: int, check_item: Check) -> Check:
    """``name: [length] of T``; ``check_item`` takes each item."""

    def take(value: Value) -> Value:
        if isinstance(value, range):
            value = tuple(value)
        if not isinstance(value, tuple) or len(value) != length:  # pyright: ignore[reportUnknownArgumentType]
            raise EvaluationError(
                Fault.STATE_RANGE,
                f"`{name}` is {values.show(value)}, and must be a list of {length}",
            )
        return tuple(check_item(item) for item in value)  # pyright: ignore[reportUnknownVariableType]

    return take


TYPE_CHECKS: dict[str, Callable[[str], Check]] = {
    "int": _int_check,
    "number": scalar_check,
    "bool": _bool_check,
}
