"""Shapes of mappings and lists: what the schema makes of them without asking it.

Every constraint of the schema is local to one mapping or list: its keys, and for each value
whether it is a scalar (``s``), a list (``l``) or a mapping (``d``). So a large tree has few
distinct *shapes*, and the usual ones are recognised by the tables below. A shape that is not
recognised is put before the schema itself; the tables may only ever say yes to what the
schema allows, which the tests check for every combination they hold.

A *context* is the part of the schema that holds at a place: ``document``, ``node``, ….
"""

from __future__ import annotations

from typing import cast

from .document import Container, Data

Context = str

# What each key of a mapping with fixed keys may hold.
_TEXTS = "label:s note:s reward:s cost:s let:d "
_KINDS = "max:l max:d min:l min:d chance:l chance:d if:s then:s then:d else:s else:d"
FIXED: dict[Context, frozenset[str]] = {
    "document": frozenset(
        "$schema:s game:s description:s params:d define:d nodes:d root:s root:d policies:d "
        "players:d bounds:l expect:l expect:d".split()
    ),
    "node": frozenset((_TEXTS + _KINDS).split()),
    "named": frozenset(("heuristic:s " + _TEXTS + _KINDS).split()),
    "branch": frozenset(("when:s " + _TEXTS + _KINDS).split()),
    "outcome": frozenset(("when:s p:s weight:s " + _TEXTS + _KINDS).split()),
    "expectation": frozenset(
        "value:s within:s best:s best:l branches:d policy:s at:s play:d params:d size:d note:s "
        "algorithm:expectiminimax algorithm:minimax algorithm:expectimax".split()
    ),
    "players": frozenset("max:s min:s chance:s".split()),
    "size": frozenset("nodes:s edges:s terminals:s depth:s".split()),
}
# What the values of a mapping or list with free keys may be, and whether it may be empty.
FREE: dict[Context, tuple[str, str, bool]] = {
    "branches": ("dl", "sd", False),
    "outcomes": ("dl", "sd", False),
    "loop": ("d", "sd", False),
    "parameters": ("d", "sl", True),
    "expressions": ("d", "s", True),
    "nodes": ("d", "sd", True),
    "policies": ("d", "d", True),
    "policy": ("d", "sd", True),
    "values": ("d", "s", False),
    "play": ("d", "s", True),
    "scalars": ("l", "s", True),
    "labels": ("l", "s", False),
    "expectations": ("l", "d", True),
}
NODES = ("node", "named", "branch", "outcome")  # what a mapping that is a node may be
KIND_KEYS = ("max", "min", "chance", "if", "then", "else")
_KIND_SETS = frozenset(
    {
        frozenset({"max"}),
        frozenset({"min"}),
        frozenset({"chance"}),
        frozenset({"then"}),
        frozenset({"if", "then", "else"}),
    }
)
EXPECTED = ("value", "best", "branches", "size")  # an expectation has at least one of them
REQUIRED = ("game", "root")

# The context below a key, by the value's letter.
_BELOW: dict[tuple[Context, str, str], Context] = {
    ("document", "params", "d"): "parameters",
    ("document", "define", "d"): "expressions",
    ("document", "nodes", "d"): "nodes",
    ("document", "root", "d"): "node",
    ("document", "policies", "d"): "policies",
    ("document", "players", "d"): "players",
    ("document", "bounds", "l"): "bounds",
    ("document", "expect", "l"): "expectations",
    ("document", "expect", "d"): "expectation",
    ("expectation", "best", "l"): "labels",
    ("expectation", "branches", "d"): "values",
    ("expectation", "play", "d"): "play",
    ("expectation", "params", "d"): "parameters",
    ("expectation", "size", "d"): "size",
    **{
        key: context
        for node in NODES
        for key, context in {
            (node, "let", "d"): "expressions",
            (node, "max", "d"): "branches",
            (node, "max", "l"): "branches",
            (node, "min", "d"): "branches",
            (node, "min", "l"): "branches",
            (node, "chance", "d"): "outcomes",
            (node, "chance", "l"): "outcomes",
            (node, "then", "d"): "node",
            (node, "else", "d"): "node",
        }.items()
    },
}
_BELOW_FREE: dict[tuple[Context, str], Context] = {
    ("parameters", "l"): "scalars",
    ("nodes", "d"): "named",
    ("policies", "d"): "policy",
    ("policy", "d"): "expressions",
    ("expectations", "d"): "expectation",
    ("branches", "d"): "branch",
    ("outcomes", "d"): "outcome",
    ("loop", "d"): "node",
}


def item(container: Container, key: str | int) -> Data:
    """What stands under ``key``: a label of a mapping, or an index of a list."""
    return cast("dict[str | int, Data]", container)[key]


def letter(value: Data) -> str:
    """``s``, ``l`` or ``d``: whether ``value`` is a scalar, a list or a mapping."""
    return "d" if isinstance(value, dict) else "l" if isinstance(value, list) else "s"


def is_loop(value: Data) -> bool:
    """Whether ``value`` is a mapping with exactly one key, which starts with ``for``."""
    return isinstance(value, dict) and len(value) == 1 and next(iter(value)).startswith("for ")


def context_below(context: Context, key: str | int, value: Data) -> Context | None:
    """The context of the mapping or list ``value`` under ``key``; None if none may stand there."""
    kind = letter(value)
    if context not in FREE:
        return _BELOW.get((context, str(key), kind))
    below = _BELOW_FREE.get((context, kind))
    if context in ("branches", "outcomes", "loop") and below is not None:
        under_for = isinstance(key, str) and key.startswith("for ")
        if (under_for or isinstance(key, int)) and is_loop(value):
            return "loop"
        return "node" if under_for else below
    return below


def is_usual(context: Context, container: Container) -> bool:
    """Whether the schema surely allows ``container``, its mappings and lists taken as good."""
    if isinstance(container, dict) and context in FIXED:
        return _is_usual_mapping(context, container)
    if context == "bounds":
        return (
            len(container) == 2
            and isinstance(container, list)
            and set(map(letter, container)) == {"s"}
        )
    if context not in FREE:
        return False
    shapes, letters, may_be_empty = FREE[context]
    if letter(container) not in shapes or not (container or may_be_empty):
        return False
    if context == "loop" and not is_loop(container):
        return False
    values = container.values() if isinstance(container, dict) else container
    return all(letter(value) in letters for value in values)


def _is_usual_mapping(context: Context, mapping: dict[str, Data]) -> bool:
    allowed = FIXED[context]
    for key, value in mapping.items():
        held = value if key == "algorithm" and isinstance(value, str) else letter(value)
        if f"{key}:{held}" not in allowed:
            return False
    if context in NODES:
        return frozenset(mapping.keys() & KIND_KEYS) in _KIND_SETS
    if context == "expectation":
        return any(key in mapping for key in EXPECTED)
    return context != "document" or all(key in mapping for key in REQUIRED)
