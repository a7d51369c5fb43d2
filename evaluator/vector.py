"""Expressions and labels of very many states at once, in numpy.

What cannot be said exactly over whole columns raises ``Scalar``: the caller then goes state by
state, with the compiled expression, to the same result.
"""

# pyright: basic
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..compiler.program import Bind, Branch, Choice, Choose, Form, Loop
from ..compiler.scope import Names
from ..compiler.values import show
from ..spec.expressions import (
    Binary,
    Call,
    Compare,
    Expr,
    IfElse,
    LetIn,
    Name,
    Number,
    Range,
    Sequence,
    Text,
    Truth,
    Unary,
)

SAFE = 2.0**62  # whole numbers below it are exact in 64 bits
LABELS = 64  # different labels of the branches of one named node
ROUNDS = 200  # values of one loop

Local = Mapping[str, Any]  # by name: a column, a number, or a `TextColumn`


class Scalar(Exception):
    """This has to be computed one state at a time."""


@dataclass(frozen=True)
class TextColumn:
    """A text for each row: ``codes`` are positions in ``book``."""

    codes: np.ndarray
    book: tuple[str, ...]


def column(expr: Expr, local: Local, names: Names) -> Any:
    """The values of ``expr``: a column, or one number where it is the same in all rows.

    Raises:
        Scalar: Where it is no plain arithmetic, or 64 bits may not hold it.
    """
    match expr:
        case Number(value=value):
            if value.denominator != 1 or abs(value) >= SAFE:
                raise Scalar
            return value.numerator
        case Truth(value=value):
            return value
        case Name(name=name):
            return _named(name, local, names)
        case Unary():
            return _unary(expr, local, names)
        case Binary():
            return _binary(expr, local, names)
        case Compare():
            return _compare(expr, local, names)
        case IfElse():
            chosen = column(expr.condition, local, names)
            return np.where(chosen, column(expr.yes, local, names), column(expr.no, local, names))
        case LetIn():
            value = column(expr.value, local, names)
            return column(expr.body, {**local, expr.name: value}, names)
        case Call():
            return _call(expr, local, names)
        case _:
            raise Scalar


def _named(name: str, local: Local, names: Names) -> Any:
    if name in local:
        if isinstance(local[name], TextColumn):
            raise Scalar
        return local[name]
    value = names.constants.get(name)
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < SAFE):
        return value
    if value is None and name in names.definitions:
        return column(names.definitions[name].body, {}, names)
    raise Scalar


def _call(expr: Call, local: Local, names: Names) -> Any:
    arguments = [column(argument, local, names) for argument in expr.arguments]
    definition = names.definitions.get(expr.name)
    if definition is not None:
        inner = [argument.name for argument in definition.header.arguments]
        return column(definition.body, dict(zip(inner, arguments, strict=True)), names)
    if expr.name == "abs" and len(arguments) == 1:
        return np.abs(arguments[0])
    if expr.name in {"min", "max"} and len(arguments) == 2:
        return (np.minimum if expr.name == "min" else np.maximum)(*arguments)
    raise Scalar


def _unary(expr: Unary, local: Local, names: Names) -> Any:
    value = column(expr.operand, local, names)
    if expr.operator == "not":
        return np.logical_not(value)
    if expr.operator == "-":
        return np.negative(value)
    if expr.operator == "+":
        return value
    raise Scalar


_ARITHMETIC = {"+": np.add, "-": np.subtract, "*": np.multiply}
_BITS = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}


def _binary(expr: Binary, local: Local, names: Names) -> Any:
    left, right = column(expr.left, local, names), column(expr.right, local, names)
    operator = expr.operator
    if operator in {"and", "or"}:
        return (np.logical_and if operator == "and" else np.logical_or)(left, right)
    if not (_whole(left) and _whole(right)):
        raise Scalar  # exact numbers and floats part ways here
    if operator in _BITS:
        return _BITS[operator](left, right)
    if operator in {"//", "%"}:
        if np.any(np.equal(right, 0)):
            raise Scalar
        return (np.floor_divide if operator == "//" else np.remainder)(left, right)
    if operator not in _ARITHMETIC:
        raise Scalar
    largest = max(_size(left), 1.0) * max(_size(right), 1.0)
    if largest >= SAFE or _size(left) + _size(right) >= SAFE:
        raise Scalar
    return _ARITHMETIC[operator](left, right)


def _whole(value: Any) -> bool:
    return np.asarray(value).dtype.kind == "i"


def _size(value: Any) -> float:
    array = np.asarray(value)
    return max(abs(float(array.max())), abs(float(array.min()))) if array.size else 0.0


_COMPARISONS = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def _compare(expr: Compare, local: Local, names: Names) -> Any:
    found: Any = True
    for operator, left, right in zip(
        expr.operators, expr.operands, expr.operands[1:], strict=False
    ):
        found = np.logical_and(found, _comparison(operator, left, right, local, names))
    return found


def _comparison(operator: str, left: Expr, right: Expr, local: Local, names: Names) -> Any:
    if operator == "in" and isinstance(right, Range):
        value, low, high = (column(e, local, names) for e in (left, right.low, right.high))
        if not _whole(value):
            raise Scalar
        return np.logical_and(np.less_equal(low, value), np.less_equal(value, high))
    if operator not in _COMPARISONS:
        raise Scalar
    for side, other in ((left, right), (right, left)):
        texts = local.get(side.name) if isinstance(side, Name) else None
        if isinstance(texts, TextColumn) and isinstance(other, Text) and "{" not in other.value:
            same = np.array([text == other.value for text in texts.book], bool)
            equal = same[texts.codes] if len(same) else np.zeros(len(texts.codes), bool)
            return equal if operator == "==" else ~equal
    sides = [_side(side, local, names) for side in (left, right)]
    return _COMPARISONS[operator](*sides)


def _side(expr: Expr, local: Local, names: Names) -> Any:
    """A side of a comparison, where a fraction may stand as the float nearest to it."""
    if isinstance(expr, Number) and expr.value.denominator != 1:
        return float(expr.value)
    if isinstance(expr, Name) and expr.name not in local:
        value = names.constants.get(expr.name)
        if isinstance(value, Fraction):
            return float(value)
    return column(expr, local, names)


def texts(expr: Expr, local: Local, names: Names, rows: int) -> TextColumn:
    """The texts that ``expr`` gives, such as ``if total < 17 then "hit" else "stand"``.

    Raises:
        Scalar: Where it gives anything but written texts.
    """
    codes = np.zeros(rows, np.int16)
    book: list[str] = []
    _texts(expr, local, names, np.ones(rows, bool), codes, book)
    return TextColumn(codes, tuple(book))


def _texts(
    expr: Expr, local: Local, names: Names, where: np.ndarray, codes: np.ndarray, book: list[str]
) -> None:
    if isinstance(expr, Text) and "{" not in expr.value and "}" not in expr.value:
        if expr.value not in book:
            book.append(expr.value)
        codes[where] = book.index(expr.value)
    elif isinstance(expr, IfElse):
        chosen = np.broadcast_to(column(expr.condition, local, names), where.shape)
        _texts(expr.yes, local, names, where & chosen, codes, book)
        _texts(expr.no, local, names, where & ~chosen, codes, book)
    elif isinstance(expr, LetIn):
        inner = {**local, expr.name: column(expr.value, local, names)}
        _texts(expr.body, inner, names, where, codes, book)
    else:
        raise Scalar


# --- labels ----------------------------------------------------------------------------------


class Labels:
    """For each label of a named node's branches, where in a state's branches it stands.

    ``at[label]`` has a position for each row, -1 where there is no such branch; ``count`` is the
    number of branches of each row.
    """

    def __init__(self, rows: int, names: Names) -> None:
        self.rows, self.names = rows, names
        self.at: dict[str, np.ndarray] = {}
        self.count = np.zeros(rows, np.int32)

    def read(self, form: Form | None, local: Local, where: np.ndarray) -> None:
        """Note the branches of ``form`` in the rows ``where``; what is no choice has none.

        Raises:
            Scalar: Where conditions, loops or labels are no plain arithmetic.
        """
        if isinstance(form, Choose):
            chosen = np.broadcast_to(
                column(form.condition.expr, local, self.names), (self.rows,)
            ).astype(bool)
            self.read(form.yes, local, where & chosen)
            self.read(form.no, local, where & ~chosen)
        elif isinstance(form, Bind):
            self.read(form.body, _bound(form, local, self.names), where)
        elif isinstance(form, Choice):
            for branch in form.branches:
                if isinstance(branch, Branch):
                    self.add(branch.label, self.present(branch, local, where))
                else:
                    self.loop(branch, local, where)

    def present(self, branch: Branch, local: Local, where: np.ndarray) -> np.ndarray:
        """The rows of ``where`` in which the branch is there."""
        if branch.condition is None:
            return where
        return where & np.broadcast_to(
            column(branch.condition.expr, local, self.names), (self.rows,)
        ).astype(bool)

    def loop(self, loop: Loop, local: Local, where: np.ndarray) -> None:
        """Note the branches of a loop over numbers."""
        if isinstance(loop.body, Loop):
            raise Scalar
        for value, there in _rounds(loop, local, self.names):
            inner = {**local, loop.name: value}
            taken = where & there
            if loop.condition is not None:
                taken = taken & column(loop.condition.expr, inner, self.names)
            self.add(self.label(loop, value), taken)

    def label(self, loop: Loop, value: int) -> str:
        """The label of one round."""
        if loop.label is None:
            return show(value)
        expr = loop.label.expr
        if loop.label.constant:
            return str(loop.label.run(()))
        if isinstance(expr, Text):
            own = "{" + loop.name + "}"
            text = expr.value.replace(own, show(value))
            if "{" not in text and "}" not in text:
                return text
        raise Scalar

    def add(self, label: str, where: np.ndarray) -> None:
        """One more branch of the rows ``where``."""
        if label not in self.at:
            if len(self.at) == LABELS:
                raise Scalar
            self.at[label] = np.full(self.rows, -1, np.int32)
        at = self.at[label]
        if np.any(at[where] >= 0):
            raise Scalar  # outcomes of chance may share a label
        np.copyto(at, self.count, where=where)
        self.count += where


def _bound(form: Bind, local: Local, names: Names) -> Local:
    try:
        return {**local, form.name: column(form.value.expr, local, names)}
    except Scalar:  # it may not matter to any label
        return {name: value for name, value in local.items() if name != form.name} | {
            form.name: TextColumn(np.zeros(0, np.int16), ())
        }


def _rounds(loop: Loop, local: Local, names: Names) -> list[tuple[int, Any]]:
    """The values of a loop, and the rows that have each."""
    if loop.source.constant:
        values: Any = loop.source.run(())
        listed = isinstance(values, range | tuple) and len(values) <= ROUNDS
        if listed and all(type(value) is int for value in values):
            return [(value, True) for value in values]
        raise Scalar
    expr = loop.source.expr
    if isinstance(expr, Sequence):
        items = [column(item, {}, names) for item in expr.items]
        if len(items) <= ROUNDS and all(type(item) is int for item in items):
            return [(item, True) for item in items]
    if not isinstance(expr, Range):
        raise Scalar
    low, high = (column(side, local, names) for side in (expr.low, expr.high))
    if not (_whole(low) and _whole(high)) or not np.size(low) or not np.size(high):
        raise Scalar
    first, last = int(np.min(low)), int(np.max(high))
    if last - first >= ROUNDS:
        raise Scalar
    return [
        (value, np.logical_and(np.less_equal(low, value), np.less_equal(value, high)))
        for value in range(first, last + 1)
    ]
