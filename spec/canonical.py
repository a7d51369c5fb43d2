"""What a document says, apart from how it is laid out; and what each place in it holds.

``role_under`` says what stands under a key: a node, branches, an expression, a text, … Both
writers walk documents by it. ``canonical`` reduces a document to data that is equal for two
documents that say the same: expressions in one spacing, ``if`` and ``let`` in node position as
objects, keys of a node in one order. A list literal equals the list. ``$schema`` is left out:
it speaks to editors. Shared objects stay shared.

Errors  none: a text that is no expression is kept as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from functools import lru_cache
from typing import cast

from .document import AnchoredText, Container, Data, Document
from .expressions import Expr, Header, IfElse, LetIn, ListOf, Sequence, Table, Text

KINDS = ("max", "min", "chance")
BRANCH_KEYS = ("when", "p", "weight")  # what is said of a branch and not of its node
NODE_KEYS = (
    "when", "p", "weight", "label", "note", "heuristic", "cost", "reward", "let", "if", "then",
    "else", *KINDS,
)  # fmt: skip
SECTIONS = (
    "$schema", "game", "description", "players", "params", "define", "nodes", "root", "policies",
    "bounds", "expect",
)  # fmt: skip

# Texts that need no parser to be known as canonical: a number, a name.
_SIMPLE = re.compile(r"[+-]?[0-9._]+(?:[eE][+-]?[0-9]+)?%?(?:/[0-9_]+)?|[^\W\d]\w*")


class Role(Enum):
    """What a place in a document holds."""

    DOCUMENT = auto()
    TEXT = auto()
    EXPRESSION = auto()
    PARAMETERS = auto()
    DEFINITIONS = auto()
    NODES = auto()
    NODE = auto()
    BRANCHES = auto()
    LETS = auto()
    POLICIES = auto()
    POLICY = auto()
    MOVES = auto()  # what a policy says in a state: an expression, or a mapping of odds
    BOUNDS = auto()
    EXPECTATIONS = auto()
    EXPECTATION = auto()
    NUMBERS = auto()  # names or labels, and a number for each
    TEXTS = auto()  # one text or several, or a mapping to texts


_UNDER_TOP = {
    "params": Role.PARAMETERS,
    "define": Role.DEFINITIONS,
    "nodes": Role.NODES,
    "root": Role.NODE,
    "policies": Role.POLICIES,
    "players": Role.TEXTS,
    "bounds": Role.BOUNDS,
    "expect": Role.EXPECTATIONS,
}
_UNDER_NODE = {
    **dict.fromkeys(KINDS, Role.BRANCHES),
    **dict.fromkeys(("then", "else"), Role.NODE),
    **dict.fromkeys((*BRANCH_KEYS, "heuristic", "cost", "reward", "if"), Role.EXPRESSION),
    "let": Role.LETS,
}
_UNDER_EXPECTATION = {
    **dict.fromkeys(("value", "within", "at"), Role.EXPRESSION),
    **dict.fromkeys(("branches", "params", "size"), Role.NUMBERS),
    **dict.fromkeys(("best", "play"), Role.TEXTS),
}
_UNDER = {
    Role.PARAMETERS: Role.EXPRESSION,
    Role.DEFINITIONS: Role.EXPRESSION,
    Role.NODES: Role.NODE,
    Role.BRANCHES: Role.NODE,
    Role.LETS: Role.EXPRESSION,
    Role.POLICIES: Role.POLICY,
    Role.POLICY: Role.MOVES,
    Role.MOVES: Role.EXPRESSION,
    Role.BOUNDS: Role.EXPRESSION,
    Role.EXPECTATIONS: Role.EXPECTATION,
    Role.NUMBERS: Role.EXPRESSION,
    Role.EXPRESSION: Role.EXPRESSION,  # a list of them
    Role.TEXTS: Role.TEXT,
}


def role_under(role: Role, container: Container, key: str | int) -> Role:
    """The role of what stands under ``key`` of ``container``, which has the role ``role``."""
    if role is Role.DOCUMENT:
        return _UNDER_TOP.get(str(key), Role.TEXT)
    if role is Role.NODE:
        return Role.NODE if is_loop(container) else _UNDER_NODE.get(str(key), Role.TEXT)
    if role is Role.EXPECTATIONS and isinstance(container, dict):
        role = Role.EXPECTATION
    if role is Role.EXPECTATION:
        return _UNDER_EXPECTATION.get(str(key), Role.TEXT)
    return _UNDER.get(role, Role.TEXT)


def is_loop(data: Data) -> bool:
    """Whether ``data`` is a mapping of one ``for …`` key: a loop that stands for a node."""
    return isinstance(data, dict) and len(data) == 1 and next(iter(data)).startswith("for ")


def items_of(container: Container) -> Iterator[tuple[str | int, Data]]:
    """Keys and values of a mapping, or indices and items of a list."""
    return iter(container.items() if isinstance(container, dict) else enumerate(container))


# ---- expressions -----------------------------------------------------------------------------


@lru_cache(maxsize=20_000)
def parsed(text: str) -> Expr | None:
    """The expression that ``text`` is, or None."""
    from .parser import ParseError, parse_expression

    try:
        return parse_expression(text)
    except ParseError:
        return None


def printed(expr: Expr) -> str:
    """``expr`` in canonical spacing."""
    from .expression_printer import print_expression

    return print_expression(expr)


@lru_cache(maxsize=20_000)
def tidy_expression(text: str) -> str:
    """``text`` in canonical spacing; as it is where it is no expression."""
    if _SIMPLE.fullmatch(text):
        return text
    expr = parsed(text)
    return text if expr is None else printed(expr)


@lru_cache(maxsize=5_000)
def tidy_header(text: str) -> str:
    """A header such as ``turn(total: 0..target)`` in canonical spacing."""
    if _SIMPLE.fullmatch(text):
        return text
    from .parser import ParseError, parse_header

    try:
        header = parse_header(text)
    except ParseError:
        return text
    return _print_header(header, with_brackets=text.rstrip().endswith(")"))


def _print_header(header: Header, *, with_brackets: bool) -> str:
    from .expressions import Name

    arguments = [
        printed(Name(argument.name))
        + ("" if argument.kind is None else f": {_print_kind(argument.kind)}")
        for argument in header.arguments
    ]
    name = printed(Name(header.name))
    return f"{name}({', '.join(arguments)})" if with_brackets else name


def _print_kind(kind: Expr) -> str:
    """The type of an argument: ``0..2``, ``int``, ``[9] of 0..2``."""
    prefix = ""
    while isinstance(kind, ListOf):
        prefix += f"[{printed(kind.length)}] of "
        kind = kind.item
    return prefix + printed(kind)


@lru_cache(maxsize=5_000)
def tidy_loop(key: str) -> str:
    """A ``for`` key on one line, otherwise as it is written."""
    return " ".join(key.split()) if "\n" in key else key.strip()


def tidy_key(role: Role, container: Container, key: str) -> str:
    """``key`` of a mapping with the role ``role``, as the writers put it."""
    if role in (Role.DEFINITIONS, Role.NODES) or (role is Role.POLICY and key != "root"):
        return tidy_header(key)
    if key.startswith("for ") and (
        role is Role.BRANCHES or (role is Role.NODE and is_loop(container))
    ):
        return tidy_loop(key)
    return key


def list_literal(text: str) -> list[str] | None:
    """The items of a text such as ``[1, 2]``, tidy; None where it is not such a list."""
    if not text.lstrip().startswith("["):
        return None
    expr = parsed(text)
    return [printed(item) for item in expr.items] if isinstance(expr, Sequence) else None


def unfolded(role: Role, value: Data) -> Data:
    """``value`` in a mapping of ``role``, as the list or mapping that its text writes out."""
    if not isinstance(value, str) or isinstance(value, AnchoredText):
        return value
    if role is Role.PARAMETERS:
        items = list_literal(value)
        return value if items is None else cast("Data", items)
    if role is Role.POLICY and value.lstrip().startswith("{"):
        return _moves(value)
    return value


# ---- the canonical document ------------------------------------------------------------------


def canonical(document: Document) -> Data:
    """What ``document`` says (see the module's docstring)."""
    return _Canonical().data(document.data, Role.DOCUMENT)


class _Canonical:
    """One walk; each shared container is reduced once."""

    def __init__(self) -> None:
        self.done: dict[tuple[int, Role], Data] = {}

    def data(self, data: Data, role: Role) -> Data:
        """Anything, in the role that it has. One frame for each level."""
        if isinstance(data, str):
            return self.scalar(data, role)
        seen = (id(data), role)
        if seen in self.done:
            return self.done[seen]
        if isinstance(data, list):
            items: list[Data] = []
            for index, item in enumerate(data):
                items.append(self.data(item, role_under(role, data, index)))
            result: Data = items
        else:
            entries: dict[str, Data] = {}
            for key, value in data.items():
                entries[tidy_key(role, data, key)] = self.data(value, role_under(role, data, key))
            result = _ordered(entries, role)
        self.done[seen] = result
        return result

    def scalar(self, text: str, role: Role) -> Data:
        """A text, an expression, or what an expression stands for."""
        if role is Role.TEXT or role is Role.TEXTS:
            return str(text)
        if role is Role.NODE:
            return text if _SIMPLE.fullmatch(text) else _node(parsed(text), text)
        if role is Role.MOVES:
            return _moves(text)
        items = list_literal(text)
        return tidy_expression(text) if items is None else cast("Data", items)


def _ordered(entries: dict[str, Data], role: Role) -> Data:
    """A mapping's entries in the order and shape of its role."""
    if role is Role.DOCUMENT:
        return {key: entries[key] for key in sorted(entries, key=_section) if key != "$schema"}
    if role is Role.EXPECTATIONS:
        return [entries]
    return _joined(entries) if role is Role.NODE and not is_loop(entries) else entries


def _section(key: str) -> int:
    return SECTIONS.index(key) if key in SECTIONS else len(SECTIONS)


def in_node_position(text: str) -> Data:
    """What an expression stands for where a node is expected."""
    return _node(parsed(text), text)


def _node(expr: Expr | None, text: str) -> Data:
    """An expression in node position: ``if`` and ``let`` are objects there."""
    if isinstance(expr, IfElse):
        yes, no = _node(expr.yes, ""), _node(expr.no, "")
        return {"if": printed(expr.condition), "then": yes, "else": no}
    if isinstance(expr, LetIn):
        lets: dict[str, Data] = {expr.name: printed(expr.value)}
        return _joined({"let": lets, "then": _node(expr.body, "")})
    return str(text) if expr is None else printed(expr)


def _moves(text: str) -> Data:
    """What a policy says; a written-out distribution over labels is a mapping."""
    expr = None if _SIMPLE.fullmatch(text) else parsed(text)
    if not isinstance(expr, Table):
        return text if expr is None else printed(expr)
    odds: dict[str, Data] = {}
    for label, share in expr.entries:
        if not isinstance(label, Text) or label.value in odds:
            return printed(expr)
        odds[label.value] = "rest" if share is None else printed(share)
    return odds


def _joined(node: dict[str, Data]) -> Data:
    """A node's keys in one order, and a ``then`` that adds nothing taken away."""
    inner = node.get("then")
    if inner is None or "if" in node:
        return {key: node[key] for key in sorted(node, key=_node_key)}
    outer = {key: value for key, value in node.items() if key != "then"}
    if not outer:
        return inner
    if isinstance(inner, dict) and not is_loop(inner) and (joined := merged(outer, inner)):
        return _joined(joined)
    return {key: node[key] for key in sorted(node, key=_node_key)}


def merged(outer: dict[str, Data], inner: dict[str, Data]) -> dict[str, Data] | None:
    """One node for ``{…outer, then: inner}`` where the two say different things, or None."""
    if not set(BRANCH_KEYS).isdisjoint(inner):
        return None
    keys = set(outer) - set(BRANCH_KEYS)
    if not keys:
        return {**outer, **inner}
    lets, more = outer.get("let"), inner.get("let", {})
    if keys != {"let"} or {"label", "note", "cost", "reward"} & set(inner):
        return None
    if not isinstance(lets, dict) or not isinstance(more, dict) or set(lets) & set(more):
        return None
    return {**outer, **inner, "let": {**lets, **more}}


def _node_key(key: str) -> int:
    return NODE_KEYS.index(key) if key in NODE_KEYS else len(NODE_KEYS)
