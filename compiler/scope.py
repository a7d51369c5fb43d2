"""What expressions are compiled in and to: scopes and names, and ``Code``.

Types are ``number``, ``truth``, ``scalar`` (either: an undeclared argument), ``list T``,
``distribution``, ``text`` and ``any``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..spec.diagnostics import Code as Fault
from ..spec.document import Container, Document
from ..spec.expressions import Expr, Header, ListOf, Name
from ..spec.source import Place
from .functions import BUILTINS
from .values import Distribution, Meter, Value

Environment = tuple[Value, ...]

Run = Callable[[Environment], Value]

WORDS = {
    "number": "a number",
    "truth": "true or false",
    "scalar": "a number or true/false",
    "list": "a list",
    "distribution": "a distribution",
    "text": "a label",
    "any": "a value",
}


@dataclass(frozen=True, slots=True)
class Where:
    """The scalar (or key) of the document that an expression is written in."""

    document: Document
    container: Container
    key: str | int
    in_key: bool = False
    shift: int = 0  # where the expression's text starts in the scalar

    def place(self, start: int = 0, end: int | None = None) -> Place:
        """The place of characters ``start`` to ``end`` of the expression."""
        if end is None:
            part = self.document.key_place if self.in_key else self.document.value_place
            return part(self.container, self.key)
        return self.document.inner_place(
            self.container, self.key, start + self.shift, end + self.shift, in_key=self.in_key
        )


@dataclass(frozen=True, slots=True)
class Code:
    """A compiled expression. ``constant`` means that ``run(())`` always gives the same."""

    run: Run
    type: str
    constant: bool
    where: Where
    expr: Expr

    def place(self) -> Place:
        """Where the whole expression stands."""
        return self.where.place(self.expr.start, self.expr.end)


@dataclass(frozen=True, slots=True)
class Scope:
    """The local names, outermost first: name i is in slot i of the environment."""

    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()

    def add(self, name: str, kind: str) -> Scope:
        """This scope with one more name, which hides an outer one of the same name."""
        return Scope((*self.names, name), (*self.types, kind))

    def slot(self, name: str) -> int | None:
        """The slot of ``name``, or None where it is not local."""
        for i in range(len(self.names) - 1, -1, -1):
            if self.names[i] == name:
                return i
        return None


@dataclass(slots=True)
class Definition:
    """A ``define``: its header and body, and its compiled forms by argument types."""

    header: Header
    body: Expr
    where: Where
    compiled: dict[tuple[str, ...], tuple[Run, str]] = field(
        default_factory=dict[tuple[str, ...], tuple[Run, str]]
    )
    uses: set[str] = field(default_factory=set[str])  # the names in its body
    open: bool = False  # being compiled: a call now would be recursive


Report = Callable[[Fault, Place, str, str | None], None]


@dataclass(slots=True)
class Names:
    """What the names of a game mean, and which of them were used."""

    report: Report
    meter: Meter
    constants: dict[str, Value] = field(default_factory=dict[str, Value])
    definitions: dict[str, Definition] = field(default_factory=dict[str, Definition])
    nodes: dict[str, Any] = field(default_factory=dict[str, Any])  # name -> arguments expected
    used: set[str] = field(default_factory=set[str])
    slots_used: set[int] = field(default_factory=set[int])
    approximate: list[Place] = field(default_factory=list[Place])
    spoilt: set[str] = field(default_factory=set[str])  # whose headers are reported: not unknown
    labels_meant: bool = False  # in a policy, where a bare word is a label without its quotes

    def what_is(self, name: str) -> str:
        """What the global name ``name`` names, in words; "" where it names nothing."""
        if name in self.constants:
            return "parameter or constant"
        if name in self.definitions:
            return "definition"
        if name in self.nodes:
            return "node"
        return "built-in function" if name in BUILTINS else ""

    def known(self) -> list[str]:
        """Every global name, for suggestions."""
        return [*self.constants, *self.definitions, *self.nodes, *BUILTINS]


def declared_type(kind: Expr | None) -> str:
    """The type of a named node's argument; undeclared ones are scalars."""
    if isinstance(kind, ListOf):
        return "list " + declared_type(kind.item)
    if isinstance(kind, Name) and kind.name == "bool":
        return "truth"
    return "scalar" if kind is None else "number"


def type_of(value: Value) -> str:
    """The static type of a constant."""
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, str):
        return "text"
    if isinstance(value, range):
        return "list number"
    if isinstance(value, tuple):
        kinds = {type_of(item) for item in value}  # pyright: ignore[reportUnknownVariableType]
        return "list " + (kinds.pop() if len(kinds) == 1 else "any")
    return "distribution" if isinstance(value, Distribution) else "number"


def join(left: str, right: str) -> str:
    """The type of a value that has one of two types."""
    if left == right:
        return left
    return "scalar" if {left, right} <= {"number", "truth", "scalar"} else "any"


def element_type(kind: str) -> str:
    """The type of the items of a list."""
    return kind[5:] if kind.startswith("list ") else "any"
