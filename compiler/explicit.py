"""A tree written out, straight to its DAG.

Input   a ``Document``, or the ``root`` of a ``Sketch``.
Output  its ``TreeDag`` where the root is a tree of numbers: MAX, MIN and CHANCE nodes with
        literal odds, and nothing else; None for anything else, and for a tree with a mistake.
Holds   the DAG is the one that ``check`` and ``unfold`` would make, which see to all the rest.

No syntax tree, no program and no object a node: level by level, and each level in a few passes
that are loops in C or nearly so, a fifth of a microsecond a node. For a file of a hundred
thousand leaves, and for a small one at the start of a command, that is most of the time.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..spec.collector import collector_paused
from ..spec.document import Data, Document
from ..spec.literal_odds import look_like_odds
from ..spec.numbers import MAX_DIGITS, read_number
from ..spec.reader import MAX_DEPTH
from .dag import Amount, Dag, Kind, Size

if TYPE_CHECKING:
    from ..spec.sketch import Written

    Node = Data | Written

_KINDS = {("max",): Kind.MAX, ("min",): Kind.MIN, ("chance",): Kind.CHANCE}
_SETTLED = frozenset({int, Fraction, tuple})
_UNWRITTEN = frozenset[str]()  # the odds of an outcome that has none
_ODDS = frozenset({int, Fraction, str, frozenset})
SURE_LEVELS = (MAX_DEPTH - 1) // 3  # so many are never nested too deeply, however written
_LARGEST = 10**MAX_DIGITS


class _OtherForm(Exception):
    """There is more to it than a tree of numbers."""


class TreeDag(Dag):
    """A tree, breadth first: node ``i + 1`` is where edge ``i`` leads.

    ``levels`` has the first node of each level. Only leaves have an ``offset``.
    """

    __slots__ = ()

    def size(self) -> Size:
        """Count it: no time at all."""
        nodes = len(self.kind)
        return Size(nodes, nodes - 1, self.kind.count(Kind.TERMINAL), len(self.levels) - 1)


def explicit_dag(document: Document) -> TreeDag | None:
    """The DAG of a tree written out; None where the document is anything else."""
    if document.anchors or "root" not in document.data:
        return None
    return sketched_dag([document.data["root"]])


def sketched_dag(root: list[Any], levels: int = MAX_DEPTH) -> TreeDag | None:
    """The DAG of a tree of at most ``levels`` levels; None where it is anything else.

    ``root`` holds the tree as ``Sketch`` and ``Document`` have it, and is emptied, so that what
    has become part of the DAG is let go.
    """
    try:
        with collector_paused():
            return _Tree().build(root, levels)
    except _OtherForm:
        return None


class _Tree:
    """The levels found so far."""

    def __init__(self) -> None:
        self.levels: list[int] = []
        self.numbers: dict[str, Amount] = {}
        self.odds: dict[tuple[Any, ...], tuple[list[int], int]] = {}
        self.names = _Names()
        self.places = _Places()
        self.kind = bytearray()
        self.first = array("q", [0])
        self.weight: list[Amount] = []
        self.divisor: list[int] = []
        self.offset: list[Amount] = []
        self.labels: list[tuple[str, ...]] = []

    def build(self, root: list[Any], levels: int) -> TreeDag:
        """All levels, and the DAG of them."""
        level = [root.pop()]
        while level:
            if len(self.levels) > levels:
                raise _OtherForm
            self.levels.append(len(self.kind))
            level = self.level(level)
        return TreeDag(
            kind=self.kind,
            first=self.first,
            child=array("i", range(1, len(self.kind))),
            weight=self.weight,
            divisor=self.divisor,
            offset=self.offset,
            origin=_Origins(len(self.kind), self.labels),
            levels=tuple(self.levels),
        )

    def level(self, nodes: list[Any]) -> list[Any]:
        """Add the nodes of a level; return those of the next."""
        nodes = self.settled(nodes)
        if tuple not in set(map(type, nodes)):
            self.leaves(nodes)
            return []
        try:
            kinds = [0 if type(node) is not tuple else _KINDS[node[0]] for node in nodes]
        except KeyError:
            raise _OtherForm from None
        groups = self.groups([node[1] for node in nodes if type(node) is tuple])
        self.offset.extend([0 if type(node) is tuple else node for node in nodes])
        self.kind.extend(kinds)
        self.label(kinds, groups)
        if Kind.CHANCE in kinds:
            return self.below_chance(kinds, groups)
        self.divisor.extend([1] * len(kinds))
        below = [item for group in groups for item in group[1:]]
        self.weight.extend([1] * len(below))
        return below

    def leaves(self, nodes: list[Amount]) -> None:
        """Add a level of leaves."""
        count = len(nodes)
        self.kind.extend(bytes(count))
        self.offset.extend(nodes)
        self.divisor.extend([1] * count)
        self.first.extend(array("q", [self.first[-1]]) * count)

    def settled(self, nodes: list[Any]) -> list[Any]:
        """The nodes with their numbers read and their mappings as tuples."""
        kinds = set(map(type, nodes))
        if not kinds <= _SETTLED:
            nodes = [node if type(node) in _SETTLED else self.settle(node) for node in nodes]
        if int in kinds:
            whole = nodes if kinds == {int} else [node for node in nodes if type(node) is int]
            if max(whole) >= _LARGEST or min(whole) <= -_LARGEST:
                raise _OtherForm
        return nodes

    def settle(self, node: Data) -> Any:
        """The number that a scalar is; a mapping as a tuple."""
        if type(node) is str:
            return self.number(node)
        if type(node) is dict:
            return self.mapping(node)
        raise _OtherForm

    def mapping(self, data: dict[str, Data]) -> tuple[Any, ...]:
        """A mapping as a tuple."""
        return (self.names[tuple(data)], *data.values())

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

    def groups(self, groups: list[Any]) -> list[tuple[Any, ...]]:
        """The branches of nodes: of each their labels, then the branches."""
        if set(map(type, groups)) != {tuple}:
            groups = [self.group(group) for group in groups]
        for names in {group[0] for group in groups}:
            if not names or any(name.startswith("for ") for name in names):
                raise _OtherForm
            if look_like_odds(names):
                raise _OtherForm
        return groups

    def group(self, group: Node) -> tuple[Any, ...]:
        """The branches of one node."""
        if type(group) is list:
            labels = tuple([str(i + 1) for i in range(len(group))])
            return (self.names[labels], *group)
        if type(group) is dict:
            return self.mapping(group)
        if type(group) is tuple:
            return group
        raise _OtherForm

    def label(self, kinds: Sequence[int], groups: list[tuple[Any, ...]]) -> None:
        """Add the labels of a level's branches, and how many there are of them."""
        named = iter(groups)
        labels = [next(named)[0] if kind else () for kind in kinds]
        self.labels.extend(labels)
        self.first.extend(accumulate(map(len, labels), initial=self.first.pop()))

    def below_chance(self, kinds: Sequence[int], groups: list[tuple[Any, ...]]) -> list[Any]:
        """The nodes below a level, where some of it is chance; their odds are taken off."""
        below: list[Any] = []
        left = iter(groups)
        for kind in kinds:
            divisor = 1
            if kind:
                items = next(left)[1:]
                weights: list[Amount] | list[int] = [1] * len(items)
                if kind == Kind.CHANCE:
                    weights, divisor, items = self.outcomes(items)
                below.extend(items)
                self.weight.extend(weights)
            self.divisor.append(divisor)
        return below

    def outcomes(self, outcomes: Sequence[Node]) -> tuple[list[int], int, list[Any]]:
        """The odds of outcomes as integers, their sum, and the outcomes' nodes."""
        odds: list[Any] = []
        nodes: list[Any] = []
        fields: set[str] = set()
        for written in outcomes:
            outcome = self.mapping(written) if type(written) is dict else written
            place = self.places[outcome[0]] if type(outcome) is tuple else None
            if type(outcome) is not tuple or place is None:
                odds.append(_UNWRITTEN)
                nodes.append(outcome)
                continue
            field, at, head = place
            inner = outcome[3 - at]
            fields.add(field)
            odds.append(outcome[at])
            nodes.append((head, inner) if head else inner)
        if len(fields) > 1 or not set(map(type, odds)) <= _ODDS:  # True is 1 to a dictionary
            raise _OtherForm
        key = (*fields, *odds)
        known = self.odds.get(key)
        if known is None:
            known = self.odds[key] = self.integer_odds("".join(fields), odds)
        return *known, nodes

    def integer_odds(self, field: str, odds: list[Any]) -> tuple[list[int], int]:
        if not field:
            return [1] * len(odds), len(odds)
        from .odds import integer_odds
        from .values import EvaluationError

        try:
            weights, divisor = integer_odds([self.amount(field, each) for each in odds], str)
        except EvaluationError:
            raise _OtherForm from None
        if not all(weights):
            raise _OtherForm  # an outcome that is not visited
        return weights, divisor

    def amount(self, field: str, written: Any) -> tuple[str, Amount]:
        """What the odds of an outcome are, and how much."""
        if written is _UNWRITTEN:
            return "none", Fraction(0)
        if written == "rest" and field == "p":
            return "rest", Fraction(0)
        return field, self.number(written) if isinstance(written, str) else written


class _Names(dict[tuple[str, ...], tuple[str, ...]]):
    """Each different tuple of keys once."""

    def __missing__(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Keep keys that are new."""
        self[keys] = keys
        return keys


class _Places(dict[tuple[str, ...], "tuple[str, int, tuple[str] | None] | None"]):
    """What the keys of an outcome say: the field of its odds, its place, and the kind of the node.

    None for keys without odds, which are those of a node.
    """

    def __missing__(self, keys: tuple[str, ...]) -> tuple[str, int, tuple[str] | None] | None:
        """Look at keys that are new."""
        odds = [key for key in keys if key in {"p", "weight"}]
        if odds and len(keys) != 2:
            raise _OtherForm
        found = self[keys] = self._place(keys, odds[0]) if odds else None
        return found

    def _place(self, keys: tuple[str, ...], odds: str) -> tuple[str, int, tuple[str] | None]:
        at = keys.index(odds)
        other = keys[1 - at]
        return odds, at + 1, None if other == "then" else (other,)


class _Origin:
    """Where a node of a tree came from."""

    __slots__ = ("names",)

    states: list[tuple[Any, tuple[Any, ...]]] = []  # noqa: RUF012 - no node here is a state

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def labels(self) -> list[str]:
        """The label of each edge, in order."""
        return list(self.names)

    def title(self) -> str:
        """Nothing: the node has no name."""
        return ""

    def note(self) -> str:
        """Nothing."""
        return ""


class _Origins(Sequence[_Origin]):
    """The origins, made when they are asked for; ``labels`` ends with the last node with edges."""

    def __init__(self, length: int, labels: list[tuple[str, ...]]) -> None:
        self.length = length
        self.labels = labels

    def __len__(self) -> int:
        """The number of nodes."""
        return self.length

    def __getitem__(self, node: Any) -> Any:
        """The origin of a node."""
        return self._origin(int(node))

    def _origin(self, node: int) -> _Origin:
        if not -self.length <= node < self.length:
            raise IndexError(node)
        node %= self.length
        return _Origin(self.labels[node] if node < len(self.labels) else ())
