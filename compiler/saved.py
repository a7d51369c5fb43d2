"""The exact engine's ``Dag`` to plain arrays and back; see ``docs/saved-games.md``.

What comes back is checked: O(n + m).
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..spec.collector import collector_paused
from .archive import Damaged, require
from .dag import Amount, Dag, Kind
from .origin import NodeOrigin, State
from .program import Form, NamedNode, Program
from .retrace import Retraced

if TYPE_CHECKING:
    import numpy as np

FLOAT_TYPES = {  # of an ``ArrayDag``: see ``native.saved``
    "kind": ("|u1",),
    "first": ("<u4",),
    "child": ("<i4",),
    "weight_code": ("<u2", "<u4"),
    "offset_code": ("<i4",),
    "odds_error": ("<f4",),
    "amount": ("<f8",),
    "amount_error": ("<f8",),
    "factor": ("<f8",),
    "table": ("<i4",),
    "table_key": ("<i8",),
    "layout": ("<i8",),
    "extra": ("<i8",),
}
TYPES = {
    "kind": ("|u1",),
    "first": ("<i8",),
    "child": ("<i4",),
    "weight_code": ("<i4",),
    "divisor_code": ("<i4",),
    "offset_code": ("<i4",),
    "book": ("|u1",),
    "state_node": ("<i4",),
    "state_name": ("<i4",),
    "states": ("|u1",),
}
_NUMBER = re.compile(r"(-?[0-9a-f]+)(?:/([0-9a-f]+))?", re.ASCII)
_UNMETERED = 1 << 60


@dataclass(frozen=True, slots=True)
class SavedDag(Dag):
    """A DAG that was kept in a file, with the states of its nodes."""

    known: tuple[tuple[int, NamedNode, tuple[Any, ...]], ...] = ()

    def states_of(self, node: object) -> tuple[list[int], list[tuple[Any, ...]]]:
        """The states of a named node that play can reach, sorted by their arguments."""
        found = sorted((state, number) for number, named, state in self.known if named is node)
        return [number for _, number in found], [state for state, _ in found]


# --- to arrays -------------------------------------------------------------------------------


def to_arrays(dag: Dag, program: Program) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays that a DAG is kept in."""
    import numpy as np

    book: dict[tuple[type, Amount], int] = {}

    def codes(numbers: Sequence[Amount]) -> Any:
        found = [book.setdefault((type(number), number), len(book)) for number in numbers]
        return np.array(found, "<i4")

    names = {id(node): i for i, node in enumerate(program.nodes.values())}
    nodes: list[int] = []
    named: list[int] = []
    states: list[Any] = []
    for number in range(len(dag)):
        for node, arguments in dag.origin[number].states:
            nodes.append(number)
            named.append(names[id(node)])
            states.append([_written(value) for value in arguments])
    return {
        "kind": np.frombuffer(dag.kind, "|u1"),
        "first": np.array(dag.first, "<i8"),
        "child": np.array(dag.child, "<i4"),
        "weight_code": codes(dag.weight),
        "divisor_code": codes(dag.divisor),
        "offset_code": codes(dag.offset),
        "book": as_bytes([_written(number) for _, number in book]),
        "state_node": np.array(nodes, "<i4"),
        "state_name": np.array(named, "<i4"),
        "states": as_bytes(states),
    }


def as_bytes(content: object) -> np.ndarray[Any, Any]:
    """JSON as an array of bytes."""
    import numpy as np

    return np.frombuffer(json.dumps(content, separators=(",", ":")).encode(), "|u1")


def from_bytes(data: np.ndarray[Any, Any]) -> Any:
    """What an array of bytes holds as JSON.

    Raises:
        Damaged: If it is none.
    """
    try:
        return json.loads(data.tobytes())
    except (ValueError, RecursionError) as error:
        raise Damaged("a part of it is not JSON") from error


def _written(value: Any) -> Any:
    """A value as JSON: numbers in hexadecimal digits, which have no limit of length."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return f"{value:x}"
    if isinstance(value, Fraction):
        return f"{value.numerator:x}/{value.denominator:x}"
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, range):
        return {"range": [f"{value.start:x}", f"{value.stop:x}"]}
    if isinstance(value, tuple):
        return [_written(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    raise TypeError(type(value).__name__)


# --- from arrays -----------------------------------------------------------------------------


def from_arrays(arrays: Mapping[str, Any], program: Program, root: Form) -> Dag:
    """The DAG that was kept in ``arrays``, unfolded from ``root``.

    Raises:
        Damaged: If they are no DAG, or that of another game.
    """
    require(arrays, TYPES)
    with collector_paused():
        entry = _check_shape(arrays)
        book = [_amount(text) for text in _list(from_bytes(arrays["book"]))]
        known = _states(arrays, program)
    states: dict[int, list[State]] = {}
    for number, node, arguments in known:
        states.setdefault(number, []).append((node, arguments))
    first = array("q", arrays["first"].astype("=i8").tobytes())
    divisors = _looked_up(book, arrays["divisor_code"])
    program.names.meter.left = _UNMETERED  # labels are made again, as after unfolding
    dag = SavedDag(
        kind=bytearray(arrays["kind"].tobytes()),
        first=first,
        child=array("i", arrays["child"].astype("=i4").tobytes()),
        weight=_looked_up(book, arrays["weight_code"]),
        divisor=divisors,  # pyright: ignore[reportArgumentType] - whole numbers, see below
        offset=_looked_up(book, arrays["offset_code"]),
        origin=_origins(Retraced(root, first, entry, states)),
        known=known,
    )
    _check_odds(dag)
    return dag


def _origins(origins: Sequence[NodeOrigin]) -> Any:
    return origins


def _check_shape(arrays: Mapping[str, Any]) -> list[int]:
    """Check that the arrays are a DAG; of each node, an edge that leads to it."""
    import numpy as np

    kind, first, child = arrays["kind"], arrays["first"], arrays["child"]
    n, m = len(kind), len(child)
    fits = (
        n > 0
        and len(first) == n + 1
        and first[0] == 0
        and first[n] == m
        and len(arrays["weight_code"]) == m
        and len(arrays["offset_code"]) == len(arrays["divisor_code"]) == n
        and len(arrays["state_node"]) == len(arrays["state_name"])
    )
    if not fits:
        raise Damaged("its arrays do not fit each other")
    count = np.diff(first)
    if (count < 0).any() or kind.max() > max(Kind) or ((kind == 0) != (count == 0)).any():
        raise Damaged("its nodes make no sense")
    parent = np.repeat(np.arange(n), count)
    if m and ((child <= parent).any() or child.max() >= n):
        raise Damaged("its edges make no sense")
    entry = np.full(n, -1)
    entry[child[::-1]] = np.arange(m)[::-1]
    if (entry[1:] < 0).any():
        raise Damaged("it has nodes that nothing leads to")
    found: list[int] = entry.tolist()
    return found


def _list(content: Any) -> list[Any]:
    if not isinstance(content, list):
        raise Damaged("a part of it is not a list")
    return content  # pyright: ignore[reportUnknownVariableType]


def _looked_up(book: list[Amount], codes: Any) -> list[Amount]:
    if len(codes) and not (codes.min() >= 0 and codes.max() < len(book)):
        raise Damaged("it names a number that it does not hold")
    return [book[code] for code in codes.tolist()]


def _amount(text: Any) -> Amount:
    value = _read(text, 0)
    if isinstance(value, bool) or not isinstance(value, int | Fraction | float):
        raise Damaged("it holds something else where a number belongs")
    return value


def _states(
    arrays: Mapping[str, Any], program: Program
) -> tuple[tuple[int, NamedNode, tuple[Any, ...]], ...]:
    """Each state, with its node in the DAG."""
    named: list[NamedNode] = list(program.nodes.values())
    content = _list(from_bytes(arrays["states"]))
    if len(content) != len(arrays["state_node"]):
        raise Damaged("its states do not fit its nodes")
    n = len(arrays["kind"])
    found: list[tuple[int, NamedNode, tuple[Any, ...]]] = []
    numbers: list[int] = arrays["state_node"].tolist()
    names: list[int] = arrays["state_name"].tolist()
    for number, name, texts in zip(numbers, names, content, strict=True):
        if not (0 <= number < n and 0 <= name < len(named)):
            raise Damaged("it names a node that it does not hold")
        found.append((number, named[name], _arguments(named[name], _list(texts))))
    return tuple(found)


def _arguments(node: NamedNode, content: list[Any]) -> tuple[Any, ...]:
    """The arguments of a state, within the ranges that its node declares."""
    from .values import EvaluationError

    if len(content) != len(node.arguments):
        raise Damaged(f"it has a state of `{node.name}` with {len(content)} arguments")
    try:
        both = zip(content, node.checks, strict=True)
        return tuple([check(_read(item, 0)) for item, check in both])
    except EvaluationError as error:
        raise Damaged(f"it has a state of `{node.name}` that cannot be: {error}") from None


def _read(content: Any, depth: int) -> Any:
    """The value that ``_written`` wrote."""
    if isinstance(content, bool):
        return content
    if isinstance(content, str) and (found := _NUMBER.fullmatch(content)):
        numerator, denominator = int(found[1], 16), int(found[2] or "1", 16)
        if denominator == 1:
            return numerator
        if denominator:
            return Fraction(numerator, denominator)
    if isinstance(content, list) and depth < 200:
        return tuple([_read(item, depth + 1) for item in content])  # pyright: ignore[reportUnknownVariableType]
    if isinstance(content, dict):
        return _read_mapping(content)  # pyright: ignore[reportUnknownArgumentType]
    raise Damaged("it holds a value that no state has")


def _read_mapping(content: dict[str, Any]) -> Any:
    import math

    try:
        if content.keys() == {"float"}:
            value = float.fromhex(content["float"])
            if math.isfinite(value):
                return value
        elif content.keys() == {"range"}:
            start, stop = (int(text, 16) for text in content["range"])
            return range(start, stop)
    except (TypeError, ValueError, OverflowError):
        pass
    raise Damaged("it holds a value that no state has")


def _check_odds(dag: Dag) -> None:
    """Odds are whole, above 0, and sum to their divisor."""
    for node in range(len(dag)):
        if dag.kind[node] == Kind.CHANCE:
            odds = dag.weight[dag.first[node] : dag.first[node + 1]]
            whole = all(type(weight) is int and weight > 0 for weight in odds)
            if not whole or sum(odds) != dag.divisor[node]:
                raise Damaged(f"the odds of its node {node:,} make no sense")
