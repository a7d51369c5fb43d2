"""Aliases as named nodes: how a notation without aliases says that two places share a node.

Input   a document with anchors.
Output  a ``Sharing``: the call that stands for each shared node, and the definitions to add.
Holds   a node that uses local names (arguments, loop variables, ``let``) takes them as its
        arguments; what is said of the branch stays where it is used. Branches that are shared
        become a node too.
Cost    linear in the document, each shared object visited once; nothing without anchors.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from .canonical import BRANCH_KEYS, KINDS, Role, is_loop, items_of, parsed, role_under, tidy_header
from .document import Container, Data, Document
from .expressions import Header, Name

_TAKEN = frozenset(
    "if then else let in for and or not true false rest min max chance sum any all count abs floor "
    "ceil len comb factorial popcount put sorted sqrt exp log roll draw int bool number "
    "root".split()
)


@dataclass(slots=True)
class Sharing:
    """What stands for shared nodes. A node is known by its id, branches by id and kind."""

    calls: dict[tuple[int, str], str] = field(default_factory=dict[tuple[int, str], str])
    # header, node, and its kind where its branches are what is shared
    definitions: list[tuple[str, Data, str]] = field(default_factory=list[tuple[str, Data, str]])
    homes: dict[str, int] = field(default_factory=dict[str, int])  # header -> the node it names

    def call_of(self, node: Data) -> str | None:
        """The call that stands for ``node`` apart from its branch keys, if it is shared."""
        return self.calls.get((id(node), "")) if self.calls else None

    def call_of_branches(self, kind: str, branches: Data) -> str | None:
        """The call that stands for a node of these ``branches``, if they are shared."""
        return self.calls.get((id(branches), kind)) if self.calls else None


@dataclass(slots=True)
class _Shared:
    """An object that is used at several places, as it is met first."""

    value: Data
    kind: str  # of the node that has these branches; "" for a node
    scope: tuple[str, ...]
    uses: int = 1
    home: str = ""


def sharing_of(document: Document) -> Sharing:
    """The shared nodes of ``document``, and what to call them."""
    return _Finder(document).run() if document.anchors else Sharing()


class _Finder:
    """One walk with the local names in scope, each object once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.shared: dict[tuple[int, str], _Shared] = {}
        self.names: set[str] = set(_TAKEN)

    def run(self) -> Sharing:
        """Find what is used twice, then name it."""
        stack: list[tuple[Container, Role, tuple[str, ...]]] = [
            (self.document.data, Role.DOCUMENT, ())
        ]
        while stack:
            container, role, scope = stack.pop()
            inner = [
                found
                for key, value in items_of(container)
                if (found := self.visit(container, role, key, value, scope)) is not None
            ]
            stack += reversed(inner)
        return self.named()

    def visit(
        self, container: Container, role: Role, key: str | int, value: Data, scope: tuple[str, ...]
    ) -> tuple[Container, Role, tuple[str, ...]] | None:
        """Note one item; the container to go into, if it has not been met."""
        under = role_under(role, container, key)
        scope = self.scope_under(container, role, key, scope)
        if isinstance(value, str) and under in (Role.NODE, Role.EXPRESSION, Role.MOVES):
            self.names |= _names(value)
        kind = str(key) if under is Role.BRANCHES else ""
        is_sharable = under in (Role.NODE, Role.BRANCHES) and not is_loop(value)
        if is_sharable and id(value) in self.document.anchors:
            shared = self.shared.get((id(value), kind))
            if shared is not None:
                shared.uses += 1
                return None
            home = str(key) if role is Role.NODES and not scope else ""
            self.shared[id(value), kind] = _Shared(value, kind, scope, home=home)
        return None if isinstance(value, str) else (value, under, scope)

    def scope_under(
        self, container: Container, role: Role, key: str | int, scope: tuple[str, ...]
    ) -> tuple[str, ...]:
        """The local names under ``key``."""
        new: list[str] = []
        if role in (Role.NODES, Role.DEFINITIONS):
            new, name = _header_names(str(key))
            self.names |= {*new, name}
        elif role is Role.PARAMETERS:
            self.names.add(str(key))
        elif isinstance(key, str) and key.startswith("for "):
            new = [key.split(" ", 2)[1]]
        elif role is Role.NODE and isinstance(container, dict) and key != "let":
            lets = container.get("let")
            new = list(lets) if isinstance(lets, dict) else []
        self.names |= set(new)
        return tuple(dict.fromkeys((*scope, *new)))

    def named(self) -> Sharing:
        """Names, arguments and definitions for what is used at least twice."""
        sharing = Sharing()
        for (ident, kind), shared in self.shared.items():
            if shared.uses < 2:
                continue
            if shared.home:
                sharing.calls[ident, kind] = tidy_header(shared.home)
                sharing.homes[shared.home] = ident
                continue
            used = _names_within(shared.value) if shared.scope else set[str]()
            arguments = [name for name in shared.scope if name in used]
            call = self.unused(self.document.anchors[ident])
            if arguments:
                call += f"({', '.join(arguments)})"
            sharing.calls[ident, kind] = call
            node: Data = {kind: shared.value} if kind else shared.value
            sharing.definitions.append((call, node, kind))
        return sharing

    def unused(self, name: str) -> str:
        """A name like ``name`` that nothing else has."""
        stem = re.sub(r"\W+", "_", name)
        stem = stem if stem.isidentifier() else f"node_{stem}"
        made, count = stem, 1
        while made in self.names:
            count += 1
            made = f"{stem}_{count}"
        self.names.add(made)
        return made


def _header_names(text: str) -> tuple[list[str], str]:
    """The arguments of a header, and its name."""
    from .parser import ParseError, parse_header

    try:
        header = parse_header(text)
    except ParseError:
        header = Header(text)
    return [argument.name for argument in header.arguments], header.name


def _names(text: str) -> set[str]:
    """The names in an expression."""
    expr = parsed(text)
    return set() if expr is None else {e.name for e in expr.walk() if isinstance(e, Name)}


def _names_within(data: Data) -> set[str]:
    """Every word in ``data``, labels among them: more than its free names, never fewer."""
    found: set[str] = set()
    seen: set[int] = set()
    stack = [data]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            found |= set(re.findall(r"[^\W\d]\w*", item))
        elif id(item) not in seen:
            seen.add(id(item))
            for key, value in items_of(item):
                stack += [value, str(key)]
    return found


# ---- the document without aliases ------------------------------------------------------------


def without_aliases(document: Document) -> Document:
    """``document`` with its shared nodes as named nodes, and nothing shared any more."""
    sharing = sharing_of(document)
    if not sharing.calls:
        return replace(document, anchors={}, comments=())
    copy = _copier(sharing)
    data = {
        key: copy(value, role_under(Role.DOCUMENT, document.data, key), "")
        for key, value in document.data.items()
    }
    nodes = data.get("nodes", {})
    if isinstance(nodes, dict) and sharing.definitions:
        added = {
            header: _definition(sharing, copy, node, kind)
            for header, node, kind in sharing.definitions
        }
        data["nodes"] = {**nodes, **added}
    return Document(document.source, document.notation, data, dict, {}, ())


Copy = Callable[[Data, Role, str], Data]


def _definition(sharing: Sharing, copy: Copy, node: Data, kind: str) -> Data:
    """The body of a shared node, without what was said of the branch where it stood first."""
    if not isinstance(node, dict):
        return str(node)
    body: dict[str, Data] = {}
    for key, value in node.items():
        call = sharing.call_of_branches(key, value) if key != kind else None
        if call is not None:
            body["then"] = call
        elif key not in BRANCH_KEYS:
            body[key] = copy(value, role_under(Role.NODE, node, key), "")
    return body


def _copier(sharing: Sharing) -> Copy:
    """A function that copies data, with calls for what is shared."""

    def copy(data: Data, role: Role, key: str) -> Data:
        call = sharing.call_of(data) if role is Role.NODE else None
        if call is not None and sharing.homes.get(key) != id(data):
            said = data if isinstance(data, dict) else {}
            own = {name: said[name] for name in BRANCH_KEYS if name in said}
            return {**own, "then": call} if own else call
        if isinstance(data, str):
            return str(data)
        if isinstance(data, list):
            items: list[Data] = []
            for index, item in enumerate(data):
                items.append(copy(item, role_under(role, data, index), ""))
            return items
        result: dict[str, Data] = {}
        for name, value in data.items():
            call = sharing.call_of_branches(name, value) if name in KINDS else None
            if call is not None and role is Role.NODE:
                result["then"] = call
            else:
                inner = name if role is Role.NODES else ""
                result[name] = copy(value, role_under(role, data, name), inner)
        return result

    return copy
