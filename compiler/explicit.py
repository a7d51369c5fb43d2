"""A tree written out, straight to its DAG.

Input   a ``Document``.
Output  its ``Dag`` where the root is a tree of numbers: MAX, MIN and CHANCE nodes with literal
        odds, and nothing else; None for any other document, and for any tree with a mistake.
Holds   the DAG is the one that ``check`` and ``unfold`` would make, which see to all the rest.

No syntax tree, no program and no object a node: a microsecond a node. For a file of a hundred
thousand leaves, and for a small one at the start of a command, that is most of the time.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..spec.collector import collector_paused
from ..spec.document import Data, Document
from ..spec.numbers import read_number
from .dag import Amount, Dag, Kind

_KINDS = {"max": Kind.MAX, "min": Kind.MIN, "chance": Kind.CHANCE}
_OUTCOME = frozenset({"p", "weight"})


class _OtherForm(Exception):
    """The document has more to it than a tree of numbers."""


def explicit_dag(document: Document) -> Dag | None:
    """The DAG of a tree written out; None where the document is anything else."""
    if document.anchors or "root" not in document.data:
        return None
    try:
        with collector_paused():
            return _Tree().build(document.data["root"])
    except _OtherForm:
        return None


class _Tree:
    """The nodes found so far, breadth first."""

    def __init__(self) -> None:
        self.data: list[Data] = []
        self.numbers: dict[str, Amount] = {}
        self.odds: dict[tuple[tuple[str, str], ...], tuple[list[int], int]] = {}
        self.kind = bytearray()
        self.first, self.child = array("q", [0]), array("i")
        self.weight: list[Amount] = []
        self.divisor: list[int] = []
        self.offset: list[Amount] = []

    def build(self, root: Data) -> Dag:
        self.data.append(root)
        for data in self.data:  # grows while it is read
            if type(data) is str:
                self.add(Kind.TERMINAL, self.number(data))
            elif type(data) is dict:
                self.branches(data)
            else:
                raise _OtherForm
        return Dag(
            kind=self.kind,
            first=self.first,
            child=self.child,
            weight=self.weight,
            divisor=self.divisor,
            offset=self.offset,
            origin=_Origins(self.data),
        )

    def add(self, kind: Kind, offset: Amount = 0, divisor: int = 1) -> None:
        """One more node, whose edges have just been added."""
        self.kind.append(kind)
        self.offset.append(offset)
        self.divisor.append(divisor)
        self.first.append(len(self.child))

    def number(self, text: str) -> Amount:
        """The number that a scalar is."""
        known = self.numbers.get(text)
        if known is None:
            value = read_number(text)
            if value is None:
                raise _OtherForm
            known = value.numerator if value.denominator == 1 else value
            self.numbers[text] = known
        return known

    def branches(self, data: dict[str, Data]) -> None:
        """A node with branches."""
        name = _kind_name(data)
        group = data[name]
        items = group if type(group) is list else list(_labelled(group))
        if not items:
            raise _OtherForm
        start, count = len(self.data), len(items)
        self.child.extend(range(start, start + count))
        if name != "chance":
            self.data.extend(items)
            self.weight.extend([1] * count)
            self.add(_KINDS[name])
            return
        odds = [_odds(item) for item in items]
        self.data.extend([_without_odds(item) for item in items])
        weights, divisor = self.integer_odds(tuple(odds))
        self.weight.extend(weights)
        self.add(Kind.CHANCE, 0, divisor)

    def integer_odds(self, odds: tuple[tuple[str, str], ...]) -> tuple[list[int], int]:
        """The odds of outcomes as integers, and their sum."""
        known = self.odds.get(odds)
        if known is None:
            known = self.odds[odds] = self.new_odds(odds)
        return known

    def new_odds(self, odds: tuple[tuple[str, str], ...]) -> tuple[list[int], int]:
        if all(mode == "none" for mode, _ in odds):
            return [1] * len(odds), len(odds)
        from .odds import integer_odds
        from .values import EvaluationError

        try:
            weights, divisor = integer_odds(
                [(mode, self.number(text) if text else Fraction(0)) for mode, text in odds], str
            )
        except EvaluationError:
            raise _OtherForm from None
        if not all(weights):
            raise _OtherForm  # an outcome that is not visited
        return weights, divisor


def _kind_name(data: dict[str, Data]) -> str:
    """Which of `max`, `min` and `chance` a mapping has, and has only."""
    if len(data) != 1:
        raise _OtherForm
    [name] = data
    if name not in _KINDS:
        raise _OtherForm
    return name


def _labelled(group: Data) -> Sequence[Data]:
    if type(group) is not dict or any(key.startswith("for ") for key in group):
        raise _OtherForm
    return list(group.values())


def _odds(item: Data) -> tuple[str, str]:
    """The odds of an outcome as they are written."""
    if type(item) is dict:
        for name in _OUTCOME:
            text = item.get(name)
            if text is not None:
                if type(text) is not str:
                    raise _OtherForm
                return ("rest", "") if name == "p" and text == "rest" else (name, text)
    return "none", ""


def _without_odds(item: Data) -> Data:
    """The node of an outcome."""
    if type(item) is not dict or _OUTCOME.isdisjoint(item):
        return item
    rest = {key: value for key, value in item.items() if key not in _OUTCOME}
    if len(rest) + 1 != len(item):
        raise _OtherForm
    return rest["then"] if len(rest) == 1 and "then" in rest else rest


class _Origin:
    """Where a node of a tree came from."""

    __slots__ = ("data",)

    states: list[tuple[Any, tuple[Any, ...]]] = []  # noqa: RUF012 - no node here is a state

    def __init__(self, data: Data) -> None:
        self.data = data

    def labels(self) -> list[str]:
        """The label of each edge, in order."""
        if not isinstance(self.data, dict):
            return []
        [group] = self.data.values()
        if isinstance(group, list):
            return [str(i + 1) for i in range(len(group))]
        return list(group)

    def title(self) -> str:
        """Nothing: the node has no name."""
        return ""

    def note(self) -> str:
        """Nothing."""
        return ""


class _Origins(Sequence[_Origin]):
    """The origins, made when they are asked for."""

    def __init__(self, data: list[Data]) -> None:
        self.data = data

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.data)

    def __getitem__(self, node: Any) -> Any:
        """The origin of a node."""
        return _Origin(self.data[node])
