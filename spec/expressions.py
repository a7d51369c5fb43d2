"""The syntax tree of an expression, as the parser makes it and everything after it reads it.

``start`` and ``end`` are offsets in the text that was parsed; two expressions are equal when
they say the same, wherever they stand. An expression with calls of named nodes in it is a
*node expression*: which names are nodes is decided by the compiler, not here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Expr:
    """Any expression."""

    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    def children(self) -> Iterator[Expr]:
        """The expressions directly inside this one, left to right."""
        for item in fields(self):
            yield from _inside(getattr(self, item.name))

    def walk(self) -> Iterator[Expr]:
        """This expression and all inside it, parents first."""
        stack: list[Expr] = [self]
        while stack:
            expr = stack.pop()
            yield expr
            stack.extend(reversed(list(expr.children())))


def _inside(value: object) -> Iterator[Expr]:
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, tuple):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _inside(item)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, Clause):
        yield value.source
        yield from value.conditions


@dataclass(frozen=True, slots=True)
class Clause:
    """``for name in source if condition …`` inside a comprehension."""

    name: str
    source: Expr
    conditions: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Number(Expr):
    """``3``, ``2.5``, ``25%``, ``1e-3``, ``1_000``: an exact rational, and how it was written."""

    value: Fraction
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Truth(Expr):
    """``true`` or ``false``."""

    value: bool


@dataclass(frozen=True, slots=True)
class Text(Expr):
    """A quoted label; ``{name}`` inside it is filled in where a branch's ``as`` says so."""

    value: str


@dataclass(frozen=True, slots=True)
class Name(Expr):
    """A parameter, constant, argument, local name or argumentless named node."""

    name: str


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """``-x``, ``+x``, ``~x``, ``not x``."""

    OPERATORS: ClassVar = ("-", "+", "~", "not")
    operator: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """Arithmetic, bit and logical operations: ``a OP b``."""

    OPERATORS: ClassVar = (
        "or and | ^ & << >> + - * / // % **".split()  # loosest first; ** binds to the right
    )
    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Compare(Expr):
    """``a < b <= c``, ``x in s``, ``x not in s``: true when each neighbouring pair holds."""

    OPERATORS: ClassVar = ("==", "!=", "<", "<=", ">", ">=", "in", "not in")
    operands: tuple[Expr, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IfElse(Expr):
    """``if condition then yes else no``."""

    condition: Expr
    yes: Expr
    no: Expr


@dataclass(frozen=True, slots=True)
class LetIn(Expr):
    """``let name = value in body``."""

    name: str
    value: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class Sequence(Expr):
    """``[a, b, c]``."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Index(Expr):
    """``base[index]``; the first item is 0."""

    base: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Range(Expr):
    """``low..high``, both ends included."""

    low: Expr
    high: Expr


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """``name(a, b)``: a built-in, a definition or a named node."""

    name: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Comprehension(Expr):
    """``sum(x for x in xs if c)``; ``function`` is ``""`` for a list ``[x for x in xs]``."""

    function: str
    element: Expr
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Dice(Expr):
    """``2d6``: the sum of ``count`` fair dice with faces 1 to ``sides``."""

    count: int
    sides: int


@dataclass(frozen=True, slots=True)
class Table(Expr):
    """``{1: 1/2, 2: rest}``: a distribution written out; a missing odds is ``rest``."""

    entries: tuple[tuple[Expr, Expr | None], ...]


@dataclass(frozen=True, slots=True)
class ListOf(Expr):
    """``[9] of 0..2``, in a header: a list of a fixed length, its items within ``item``."""

    length: Expr
    item: Expr


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument in the header of a named node: ``total: 0..target``; ``kind`` may be absent.

    ``kind`` is a ``Range``, a ``ListOf``, or a ``Name`` out of ``int``, ``bool``, ``number``.
    """

    name: str
    kind: Expr | None = None
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Header:
    """``turn(total: 0..target)``, ``won(b)`` or ``start``: what a definition is called by."""

    name: str
    arguments: tuple[Argument, ...] = ()
    start: int = field(default=0, compare=False)  # of the name
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class For:
    """``for x in S if c @ odds as "label {x}"``, the key of a branch.

    ``odds`` is what stands behind ``@``; ``is_weight`` when it is ``@ weight w``.
    """

    name: str
    source: Expr
    condition: Expr | None = None
    odds: Expr | None = None
    is_weight: bool = False
    label: Text | None = None
