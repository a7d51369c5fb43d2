"""The shapes of what a state carries, and the definitions that states belong to."""

# pyright: basic
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from ..program import (
    Form,
    NamedNode,
)
from .values import Int, Item, List, Odds, Real, Some, Span, Truth, Unsupported

Shape = tuple[Any, ...]  # of a value that a state carries


@dataclass(slots=True)
class Definition:
    """A function of the machine: what it is called with and how its states are told apart."""

    number: int
    form: Form
    names: tuple[str, ...]
    shapes: tuple[Shape, ...]
    node: NamedNode | None = None
    keyed: bool = False  # equal states are one node

    @property
    def words(self) -> int:
        """How many words a state takes."""
        return sum(words_of_shape(shape) for shape in self.shapes)

    def ranges(self) -> list[tuple[int, int]] | None:
        """The interval of each word, where all are known."""
        found: list[tuple[int, int]] = []
        for shape in self.shapes:
            if not ranges_of_shape(shape, found):
                return None
        return found


def is_static(value: Any) -> bool:
    """Whether a value is a global constant, which no state has to carry."""
    return isinstance(value, Odds) or (isinstance(value, List) and value.static)


def shape_of(value: Any) -> Shape:
    """The shape of a value."""
    if isinstance(value, Int):
        return ("int", value.low, value.high)
    if isinstance(value, Truth):
        return ("truth",)
    if isinstance(value, Real):
        return ("real",)
    if isinstance(value, Span):
        return ("span", shape_of(value.low), shape_of(value.high))
    if isinstance(value, Odds) and not isinstance(value.count, ir.Constant):
        raise Unsupported("dice whose number varies, kept under a name")
    if isinstance(value, Odds) and value.e is not None:
        raise Unsupported("a distribution that depends on the state, kept under a name")
    if isinstance(value, Odds) or is_static(value):
        return ("static", value)
    if isinstance(value, Some):
        raise Unsupported("a list whose length varies, kept for a node inside another")
    return ("list", value.length, value.item)


def words_of_shape(shape: Shape) -> int:
    """How many words a value of a shape takes."""
    if shape[0] == "static":
        return 0
    if shape[0] == "real":
        return 2
    if shape[0] == "span":
        return 2
    return shape[1] * shape[2].words if shape[0] == "list" else 1


def ranges_of_shape(shape: Shape, found: list[tuple[int, int]]) -> bool:
    """Append the interval of each word; False where one is unknown."""
    if shape[0] == "truth":
        found.append((0, 1))
        return True
    if shape[0] == "int":
        if shape[1] is None or shape[2] is None:
            return False
        found.append((shape[1], shape[2]))
        return True
    if shape[0] == "list":
        item = shape[2]
        while item.item is not None:
            item = item.item
        if item.low is None or item.high is None:
            return False
        found.extend([(item.low, item.high)] * (shape[1] * shape[2].words))
        return True
    return shape[0] == "static"


def item_of_shape(shape: Shape) -> Item:
    """A shape as the type of the items of a list."""
    if shape[0] == "list":
        return Item("list", None, None, shape[1], shape[2])
    if shape[0] == "truth":
        return Item("truth", 0, 1)
    return Item("int", shape[1], shape[2])
