"""A document in the text notation, in one style.

Input   a ``Document`` of any notation.
Output  its text: a statement for each parameter, definition and node; blocks on one line where
        they are short and shallow, else a branch a line. Comments are kept; aliases become
        calls of named nodes (``sharing.py``); ``$schema`` is left out.
Holds   reading the text gives the same canonical document (without aliases), and writing that
        gives the text.
Cost    linear in the document.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from .canonical import (
    BRANCH_KEYS,
    KINDS,
    SECTIONS,
    in_node_position,
    is_loop,
    merged,
    tidy_expression,
    tidy_header,
    tidy_loop,
)
from .comments import Remark, Slots, attach, comment_line
from .document import Container, Data, Document
from .sharing import sharing_of

WIDTH = 88
_LEVELS = 2  # braces within braces on one line that the eye still follows

_HARD = frozenset("if then else let in for and or not true false".split())
_SIMPLE_BOUND = re.compile(r"[+-]?[0-9][0-9._]*(?:/[0-9]+)?|[^\W\d]\w*")
_WORD = re.compile(r"[^\W\d]\w*")
_INTEGER = re.compile(r"0|[1-9][0-9]*")
_SAID_OF_NODES = {*BRANCH_KEYS, "label", "note", "heuristic", "cost", "reward", "let"}
PAID = ("heuristic", "cost", "reward")  # what stands with an expression before a node
# `cost not in xs` would be read as a cost.
_LOOKS_LIKE_TAG = re.compile(r"(?:heuristic|cost|reward|label|note)\s+not\b")
# What needs brackets behind `cost` or `@`: `if` and `let`; and a last word that would take
# what follows for its value.
_STARTS_WITH_WORD = re.compile(r"(?:if|let)\b")
_NEEDS_BRACKETS = re.compile(r"(?:if|let)\b|(?s:.*)\b(?:heuristic|cost|reward|label|note)$")
_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f",
}  # fmt: skip
# Control characters, line breaks, and what does not show or reorders the text around it.
_HIDDEN = (
    "\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202f\u2060-\u2069"
    "\u3000\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff"
)
_ESCAPED = re.compile(f'["\\\\{_HIDDEN}]')
_ESCAPED_IN_LONG = re.compile(f'\\\\|"(?="")|[{_HIDDEN}]')


def write_text(document: Document) -> str:
    """``document`` in the text notation, ending with a newline."""
    return _Writer(document).run()


# ---- words -----------------------------------------------------------------------------------


def quoted(text: str) -> str:
    """``text`` as a string with escapes."""
    return '"' + _ESCAPED.sub(lambda match: _escape(match[0]), text) + '"'


def _escape(character: str) -> str:
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"


def _is_bare(text: str) -> bool:
    """Whether ``text`` is an identifier that stands for itself."""
    return (
        text.isidentifier()
        and _WORD.fullmatch(text) is not None
        and text not in _HARD
        and (text.isascii() or unicodedata.is_normalized("NFKC", text))
    )


def label(text: str) -> str:
    """A branch's label, bare where it can be."""
    return text if _is_bare(text) or _INTEGER.fullmatch(text) else quoted(text)


def name(text: str) -> str:
    """A name, in backquotes where it needs them."""
    from .expression_printer import print_name

    return text if text.startswith("`") or (_is_bare(text) and text.isascii()) else print_name(text)


def _paragraphs(text: str) -> list[str]:
    """A description: on one line, or between three quotes."""
    lines = text.split("\n")
    is_plain = all(line.strip() or not line for line in lines) and lines[-1]
    is_flush = any(line and not line[0].isspace() for line in lines)
    if len(lines) == 1 or not is_plain or not is_flush or "\r" in text:
        return [quoted(text)]
    body = [_ESCAPED_IN_LONG.sub(lambda match: _escape(match[0]), line) for line in lines]
    return ['"""', *(f"  {line}" if line else "" for line in body), '"""']


def _operand(text: str) -> str:
    """An expression behind ``cost``, ``reward``, ``@`` or a branch's ``if``."""
    tidy = tidy_expression(text)
    return f"({tidy})" if _NEEDS_BRACKETS.match(tidy) else tidy


def _terminal(text: str) -> str:
    """An expression in node position."""
    tidy = tidy_expression(text)
    return f"({tidy})" if _LOOKS_LIKE_TAG.match(tidy) else tidy


def _mapping(entries: list[str]) -> str:
    return f"{{ {', '.join(entries)} }}" if entries else "{}"


def _table(data: Data) -> str:
    """Labels and a number for each: ``{hit: 9.5, "no survey": 3}``."""
    if not isinstance(data, dict):
        return tidy_expression(str(data))
    entries = [f"{label(key)}: {tidy_expression(str(value))}" for key, value in data.items()]
    return "{" + ", ".join(entries) + "}"


def _settings(data: Data) -> str:
    """Names and a value for each."""
    if not isinstance(data, dict):
        return tidy_expression(str(data))
    entries = [f"{name(key)}: {_value(value)}" for key, value in data.items()]
    return "{" + ", ".join(entries) + "}"


def _texts(data: Data) -> str:
    """A text, a list of texts, or names and a text for each."""
    if isinstance(data, list):
        return "[" + ", ".join(quoted(str(item)) for item in data) + "]"
    if isinstance(data, dict):
        entries = [f"{name(key)}: {quoted(str(value))}" for key, value in data.items()]
        return "{" + ", ".join(entries) + "}"
    return quoted(data)


def _value(data: Data) -> str:
    """An expression, or a list of them."""
    if isinstance(data, list):
        return "[" + ", ".join(tidy_expression(str(item)) for item in data) + "]"
    return tidy_expression(data) if isinstance(data, str) else _table(data)


def _moves(data: Data) -> str:
    """What a policy says: an expression, or odds for labels."""
    if not isinstance(data, dict):
        return tidy_expression(str(data))
    entries = [f"{quoted(key)}: {tidy_expression(str(odds))}" for key, odds in data.items()]
    return "{" + ", ".join(entries) + "}"


_EXPECTATION = {
    **dict.fromkeys(("value", "within", "at"), _value),
    **dict.fromkeys(("branches", "size"), _table),
    "params": _settings,
}


# ---- the file --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Statement:
    """The lines of a statement, and what decides on the blank lines around it."""

    kind: str
    lines: list[str]
    is_long: bool
    gap: bool


@dataclass(slots=True)
class _Unit:
    """What is to be written: ``opener`` and a node behind it, with the comments around it."""

    opener: str
    node: Data
    indent: int
    above: list[Remark] = field(default_factory=list[Remark])
    line: list[Remark] = field(default_factory=list[Remark])
    close: list[Remark] = field(default_factory=list[Remark])
    is_open: bool = False  # a newline may follow the opener
    is_page: bool = False  # a statement of its own: labelled branches go on lines of their own
    body: bool = False  # the definition of a shared node, which elsewhere is a call


class _Writer:
    """The statements written so far, and what is needed to write more."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.remarks = attach(document)
        self.sharing = sharing_of(document)
        self.statements: list[_Statement] = []
        self.lines: list[str] = []
        self.opened = ""  # the shared branches whose definition is being written
        self.pending: list[Remark] = []  # comments for the next statement

    def run(self) -> str:
        """The whole file."""
        data = self.document.data
        keys = list(enumerate(data))
        if self.document.notation != "text":
            order = {key: place for place, key in enumerate(SECTIONS)}
            keys.sort(key=lambda item: order.get(item[1], len(order)))
        for index, key in keys:
            if key == "root" and "nodes" not in data:
                self.shared_nodes()
            self.section(index, key, data[key])
            if key == "nodes":
                self.shared_nodes()
        return self.joined()

    def joined(self) -> str:
        """All statements, with blank lines between those of different kinds and long ones."""
        lines = self.own_lines(self.remarks.header, 0)
        if lines and self.remarks.header_gap:
            lines.append("")
        previous: _Statement | None = None
        for statement in self.statements:
            if previous is not None and (
                statement.kind != previous.kind
                or statement.is_long
                or previous.is_long
                or statement.gap
            ):
                lines.append("")
            lines += statement.lines
            previous = statement
        footer = self.own_lines([*self.pending, *self.remarks.end(self.document.data)], 0)
        if footer and lines:
            lines.append("")
        return "\n".join([*lines, *footer]) + "\n"

    def own_lines(self, remarks: list[Remark], indent: int) -> list[str]:
        """Comments on lines of their own."""
        lines: list[str] = []
        for remark in remarks:
            if remark.gap and lines:
                lines.append("")
            lines.append(" " * indent + comment_line(remark))
        return lines

    # ---- statements ----

    def section(self, index: int, key: str, value: Data) -> None:
        """All statements of one top-level key."""
        slots = self.remarks.of(self.document.data, index)
        gap = self.remarks.has_gap(self.document.data, index)
        write = {
            "params": self.params,
            "define": self.define,
            "nodes": self.nodes,
            "policies": self.policies,
            "expect": self.expectations,
        }.get(key)
        if write is not None and not isinstance(value, str):
            self.pending += [*slots.above, *slots.line]
            write(value)
            self.pending += [*self.remarks.end(value), *slots.close]
        elif key == "root":
            unit = _Unit("root ", value, 0, is_open=True, is_page=True)
            self.node_statement("root", unit, slots, gap=gap)
        elif key in ("game", "description"):
            lines = _paragraphs(str(value))
            self.statement("head", [f"{key} {lines[0]}", *lines[1:]], slots, gap=gap)
        elif key == "players" and isinstance(value, dict):
            entries = [f"{word}: {_texts(name)}" for word, name in value.items()]
            self.braced(key, key, value, entries, slots, gap=gap)
        elif key == "bounds":
            line = f"bounds {_bounds(value)}"
            self.statement(key, [line], self.flattened(slots, value), gap=gap)
        else:
            self.pending += [*slots.above, *slots.line, *slots.close]

    def statement(self, kind: str, lines: list[str], slots: Slots, *, gap: bool) -> None:
        """A statement without blocks."""
        above = [*self.pending, *slots.above]
        self.pending = []
        behind = [*slots.line, *slots.close]
        if behind:
            above += behind[:-1]
            lines[-1] += f"  {comment_line(behind[-1])}"
        gap = above[0].gap if above else gap
        is_long = len(lines) > 1
        self.statements.append(_Statement(kind, [*self.own_lines(above, 0), *lines], is_long, gap))

    def node_statement(self, kind: str, unit: _Unit, slots: Slots, *, gap: bool) -> None:
        """A statement that is a node."""
        unit.above = [*self.pending, *slots.above]
        unit.line, unit.close = slots.line, slots.close
        self.pending = []
        gap = unit.above[0].gap if unit.above else gap
        self.lines = []
        self.unit(unit)
        is_long = sum(not line.startswith("#") for line in self.lines) > 1
        self.statements.append(_Statement(kind, self.lines, is_long, gap))

    def flattened(self, slots: Slots, data: Data) -> Slots:
        """``slots`` with all comments from inside ``data``, which is written on one line."""
        inner = self.within(data)
        return Slots([*slots.above, *slots.line, *inner], [], slots.close) if inner else slots

    def within(self, data: Data) -> list[Remark]:
        """All comments inside ``data``, in order."""
        if isinstance(data, str) or not self.remarks.is_busy(data):
            return []
        found: list[Remark] = []
        for index, item in enumerate(data.values() if isinstance(data, dict) else data):
            slots = self.remarks.of(data, index)
            found += [*slots.above, *slots.line, *self.within(item), *slots.close]
        return found + self.remarks.end(data)

    def simple(self, kind: str, container: Container, index: int, line: str, value: Data) -> None:
        """A statement on one line for an item of a section."""
        slots = self.flattened(self.remarks.of(container, index), value)
        self.statement(kind, [line], slots, gap=self.remarks.has_gap(container, index))

    def params(self, params: Container) -> None:
        """``param target = 21``."""
        for index, (key, value) in enumerate(_entries(params)):
            self.simple("param", params, index, f"param {name(key)} = {_value(value)}", value)

    def define(self, define: Container) -> None:
        """``define won(b) = …``."""
        for index, (key, value) in enumerate(_entries(define)):
            line = f"define {tidy_header(key)} = {_value(value)}"
            self.simple("define", define, index, line, value)

    def nodes(self, nodes: Container) -> None:
        """``node turn(total) = …``."""
        for index, (key, value) in enumerate(_entries(nodes)):
            unit = _Unit(f"node {tidy_header(key)} = ", value, 0, is_open=True, is_page=True)
            unit.body = self.sharing.homes.get(key) == id(value)
            gap = self.remarks.has_gap(nodes, index)
            self.node_statement("node", unit, self.remarks.of(nodes, index), gap=gap)

    def shared_nodes(self) -> None:
        """The nodes that were anchored."""
        for header, node, kind in self.sharing.definitions:
            self.opened = header if kind else ""
            unit = _Unit(f"node {header} = ", node, 0, is_open=True, is_page=True, body=True)
            self.node_statement("node", unit, Slots(), gap=False)
            self.opened = ""

    def policies(self, policies: Container) -> None:
        """``policy "hit until 17" { … }``."""
        for index, (key, rules) in enumerate(_entries(policies)):
            entries = [
                f"{tidy_header(header)}: {_moves(moves)}" for header, moves in _entries(rules)
            ]
            gap = self.remarks.has_gap(policies, index)
            slots = self.remarks.of(policies, index)
            self.braced("policy", f"policy {quoted(key)}", rules, entries, slots, gap=gap)

    def expectations(self, expect: Container) -> None:
        """``expect { value: 12 }``."""
        if isinstance(expect, dict):
            self.braced("expect", "expect", expect, self.expectation(expect), Slots(), gap=False)
            return
        for index, entry in enumerate(expect):
            if isinstance(entry, dict):
                gap = self.remarks.has_gap(expect, index)
                slots = self.remarks.of(expect, index)
                self.braced("expect", "expect", entry, self.expectation(entry), slots, gap=gap)

    def expectation(self, entry: dict[str, Data]) -> list[str]:
        """The entries of an expectation."""
        return [f"{key}: {_EXPECTATION.get(key, _texts)(value)}" for key, value in entry.items()]

    def braced(
        self, kind: str, opener: str, data: Data, entries: list[str], slots: Slots, *, gap: bool
    ) -> None:
        """A statement with entries in braces, on one line or on one line each."""
        line = f"{opener} {_mapping(entries)}"
        is_busy = not isinstance(data, str) and self.remarks.is_busy(data)
        is_wide = len(entries) > 1 and (kind == "policy" or len(line) > WIDTH)
        if isinstance(data, str) or not (is_busy or is_wide):
            self.statement(kind, [line], slots, gap=gap)
            return
        lines = [f"{opener} {{"]
        values = list(data.values()) if isinstance(data, dict) else []
        for index, entry in enumerate(entries):
            inner = self.flattened(self.remarks.of(data, index), values[index])
            behind = [*inner.line, *inner.close]
            lines += self.own_lines([*inner.above, *behind[:-1]], 2)
            lines.append(f"  {entry}{_behind(behind)}")
        lines += self.own_lines(self.remarks.end(data), 2)
        lines.append("}")
        if slots.line:
            above = [*slots.above, *slots.line[:-1]]
            lines[0] += _behind(slots.line)
            slots = Slots(above, [], slots.close)
        self.statement(kind, lines, slots, gap=gap)

    # ---- nodes on one line ----

    def flat(self, node: Data, room: int, levels: int, *, body: bool = False) -> str | None:
        """``node`` in ``room`` characters and ``levels`` of braces, or None where it cannot be."""
        call = None if body else self.sharing.call_of(node)
        node = self.normal(node)
        if call is not None or isinstance(node, str):
            text = call or _terminal(str(node))
            return text if len(text) <= room else None
        if isinstance(node, list) or self.remarks.is_busy(node):
            return None
        prefix = _prefixes(node)
        form = _form(node)
        if len(prefix) > room:
            return None
        if form == "then":
            prefix += _then(node)
            inner = self.flat(node["then"], room - len(prefix), levels)
            return None if inner is None else prefix + inner
        if form == "if":
            return self.flat_choice(node, prefix, room, levels)
        if form is None:
            return prefix.rstrip()
        return self.flat_block(prefix, form, node[form], room, levels)

    def flat_choice(self, node: dict[str, Data], prefix: str, room: int, levels: int) -> str | None:
        """``if c then a else b`` on one line."""
        head = f"{prefix}if {tidy_expression(str(node['if']))} then "
        yes = self.flat(node.get("then", ""), room - len(head), levels)
        if yes is None:
            return None
        head += f"{yes} else "
        no = self.flat(node.get("else", ""), room - len(head), levels)
        return None if no is None else head + no

    def flat_block(
        self, prefix: str, kind: str, branches: Data, room: int, levels: int
    ) -> str | None:
        """``max { a: 1, b: 2 }`` on one line."""
        head = f"{prefix}{kind} {{"
        if isinstance(branches, str) or levels == 0 or self.remarks.is_busy(branches):
            return None
        room -= len(head) + 3
        parts: list[str] = []
        for opener, node in self.branches(branches):
            inner = self.flat(node, room - len(opener), levels - 1)
            if inner is None or room < 0:
                return None
            parts.append(opener + inner)
            room -= len(parts[-1]) + 2
        if room < -2:  # the last branch has no comma behind it
            return None
        return f"{head} {', '.join(parts)} }}" if parts else f"{head}}}"

    def branches(self, branches: Container) -> list[tuple[str, Data]]:
        """What stands before each branch's node, and the node."""
        found: list[tuple[str, Data]] = []
        keys = list(branches) if isinstance(branches, dict) else [None] * len(branches)
        values = branches.values() if isinstance(branches, dict) else branches
        for key, value in zip(keys, values, strict=True):
            opener, node = self.loops(str(key) if key is not None else "", value)
            said = _conditions(node)
            if key is None and not opener:
                opener = f"{said[1:]}: " if said else ""
            elif not opener:
                opener = f"{label(str(key))}{said}: "
            found.append((opener, node))
        return found

    def loops(self, key: str, node: Data) -> tuple[str, Data]:
        """``for … in …: `` for a loop and those right inside it, and what they repeat."""
        opener = ""
        while key.startswith("for ") or is_loop(node):
            if not key.startswith("for ") and isinstance(node, dict):
                key, node = next(iter(node.items()))
            opener += f"{tidy_loop(key)}: "
            key = ""
        return opener, node

    # ---- nodes over several lines ----

    def unit(self, unit: _Unit) -> None:
        """Write a node behind its opener, over as many lines as it needs."""
        node = unit.node
        room = WIDTH - unit.indent - len(unit.opener)
        call = None if unit.body else self.sharing.call_of(node)
        flat = call
        if flat is None and not (unit.is_page and _is_page(self.normal(node))):
            flat = self.flat(node, room, _LEVELS, body=unit.body)
        if flat is None and isinstance(node, str):
            node = expanded(node)
        if flat is None and isinstance(node, dict):
            self.tall(unit, node)
            return
        self.put(unit, flat or _terminal(str(node)), [*unit.line, *unit.close])

    def put(self, unit: _Unit, text: str, behind: list[Remark]) -> None:
        """A line of a unit, with its comments above and behind it."""
        self.lines += self.own_lines([*unit.above, *behind[:-1]], unit.indent)
        pad = " " * unit.indent
        if unit.is_open and len(pad) + len(unit.opener) + len(text) > WIDTH:
            self.lines.append(pad + unit.opener.rstrip())
            self.lines.append(f"{pad}  {text}{_behind(behind)}")
        else:
            self.lines.append(f"{pad}{unit.opener}{text}{_behind(behind)}")

    def normal(self, node: Data) -> Data:
        """``node`` as reading it back would give it: what says nothing more is taken away."""
        if isinstance(node, str):
            return expanded(node) if node.lstrip().startswith("let ") else node
        if isinstance(node, list):
            return node
        node = self.with_calls(node)
        while _form(node) == "then" and not self.remarks.is_busy(node):
            inner = _bare(node["then"])
            outer = {key: value for key, value in node.items() if key != "then"}
            if isinstance(inner, str) and set(outer) - set(BRANCH_KEYS) <= {"let"}:
                inner = expanded(inner)
            if not outer:
                if not isinstance(inner, dict):
                    return inner
                node = self.with_calls(inner)
                continue
            joined = None
            if isinstance(inner, dict) and self.may_join(inner):
                joined = merged(outer, inner)
            if joined is None:
                return {**outer, "then": inner}
            node = self.with_calls(joined)
        return node

    def may_join(self, node: dict[str, Data]) -> bool:
        """Whether a node under ``then`` may become one with the node around it."""
        is_apart = is_loop(node) or self.remarks.is_busy(node)
        return not is_apart and self.sharing.call_of(node) is None

    def with_calls(self, node: dict[str, Data]) -> dict[str, Data]:
        """``node`` with a call for branches that are shared, unless they are defined here."""
        for kind in KINDS if self.sharing.calls else ():
            call = self.sharing.call_of_branches(kind, node[kind]) if kind in node else None
            if call is not None and call != self.opened:
                rest = {key: value for key, value in node.items() if key != kind}
                return {**rest, "then": call}
        return node

    def tall(self, unit: _Unit, node: dict[str, Data]) -> None:
        """Write a node that does not fit on a line."""
        said, normal = node, self.normal(node)
        if not isinstance(normal, dict):
            self.put(unit, _terminal(str(normal)), [*unit.line, *unit.close])
            return
        node = normal
        form = _form(node)
        self.take_remarks(unit, said, form)
        prefix = _prefixes(node)
        if form == "if":
            self.choice(unit, node, prefix)
        elif form == "then":
            unit.opener += prefix + _then(node)
            unit.is_open = unit.opener.endswith((" in ", ": ", " = ", "then "))
            unit.is_page = unit.is_page and not _then(node)
            unit.node, unit.body = node["then"], False
            self.unit(unit)
        elif form is None:
            self.put(unit, prefix.rstrip(), unit.line)
        else:
            self.block(unit, prefix + form, node[form])

    def take_remarks(self, unit: _Unit, node: dict[str, Data], form: str | None) -> None:
        """Move the comments on what will stand on the unit's first line to the unit."""
        if not self.remarks.is_busy(node):
            return
        for index, (key, value) in enumerate(node.items()):
            slots = self.remarks.of(node, index)
            if form == "if" and key in ("then", "else"):
                continue
            if key == form:
                self.move_up(unit, slots.above)
                unit.line = [*unit.line, *slots.line]
                unit.close = [*slots.close, *unit.close]
            else:
                self.move_up(unit, [*slots.above, *slots.line, *self.within(value), *slots.close])
        if form != "if":
            unit.close = [*unit.close, *self.remarks.end(node)]

    @staticmethod
    def move_up(unit: _Unit, remarks: list[Remark]) -> None:
        """Put comments above a unit, behind those that are there or on its line."""
        if remarks:
            unit.above = [*unit.above, *unit.line, *remarks]
            unit.line = []

    def choice(self, unit: _Unit, node: dict[str, Data], prefix: str) -> None:
        """``if c then a`` and ``else b`` on a line each."""
        pad = " " * unit.indent
        indent, opener = unit.indent, unit.opener + prefix
        slots = {key: self.remarks.of(node, index) for index, key in enumerate(node)}
        yes, no = slots.get("then", Slots()), slots.get("else", Slots())
        if opener.endswith((": ", "= ", " in ", "root ")):
            self.lines += self.own_lines([*unit.above, *unit.line[:-1]], indent)
            self.lines.append(pad + opener.rstrip() + _behind(unit.line))
            indent, opener, above = indent + 2, "", yes.above
        else:
            above = [*unit.above, *unit.line, *yes.above]
        condition = tidy_expression(str(node["if"]))
        first = _Unit(f"{opener}if {condition} then ", node.get("then", ""), indent, above)
        first.line, first.close, first.is_open = yes.line, yes.close, True
        self.unit(first)
        last = _Unit("else ", node.get("else", ""), indent, no.above)
        last.line, last.is_open = no.line, True
        last.close = [*no.close, *self.remarks.end(node), *unit.close]
        self.unit(last)

    def block(self, unit: _Unit, head: str, branches: Data) -> None:
        """``max {``, a branch a line, ``}``."""
        pad = " " * unit.indent
        self.lines += self.own_lines([*unit.above, *unit.line[:-1]], unit.indent)
        if isinstance(branches, str) or not branches:
            text = f"{{}}{_behind(unit.line)}"
            self.lines.append(f"{pad}{unit.opener}{head} {text}")
            self.lines += self.own_lines([*self.within(branches), *unit.close], unit.indent)
            return
        self.lines.append(f"{pad}{unit.opener}{head} {{{_behind(unit.line)}")
        values = list(branches.values()) if isinstance(branches, dict) else branches
        for index, (opener, node) in enumerate(self.branches(branches)):
            slots = self.remarks.of(branches, index)
            if index and self.remarks.has_gap(branches, index) and not slots.above:
                self.lines.append("")
            inner = _Unit(opener, node, unit.indent + 2, slots.above, slots.line, slots.close)
            inner.is_open = opener.endswith(": ")
            self.loop_remarks(inner, values[index], node)
            if index and slots.above and slots.above[0].gap:
                self.lines.append("")
            self.unit(inner)
        ends = self.remarks.end(branches)
        if ends and ends[0].gap:
            self.lines.append("")
        self.lines += self.own_lines(ends, unit.indent + 2)
        self.lines += self.own_lines(unit.close[:-1], unit.indent + 2)
        self.lines.append(f"{pad}}}{_behind(unit.close)}")

    def loop_remarks(self, unit: _Unit, value: Data, node: Data) -> None:
        """Take the comments on loops that stand within loops."""
        while value is not node and isinstance(value, dict):
            slots = self.remarks.of(value, 0)
            self.move_up(unit, slots.above)
            unit.line = [*unit.line, *slots.line]
            unit.close = [*slots.close, *self.remarks.end(value), *unit.close]
            value = next(iter(value.values()))


def expanded(text: str) -> Data:
    """A long ``if`` or ``let`` expression as the node that it stands for."""
    if not _STARTS_WITH_WORD.match(text.lstrip()):
        return text
    node = in_node_position(text)
    return node if isinstance(node, dict) else text


def _behind(remarks: list[Remark]) -> str:
    """The last of ``remarks``, as it stands behind something."""
    return f"  {comment_line(remarks[-1])}" if remarks else ""


def _form(node: dict[str, Data]) -> str | None:
    """What a mapping is: ``if``, ``then``, a kind, or nothing that is known."""
    if "if" in node:
        return "if"
    kind = next((kind for kind in KINDS if kind in node), None)
    return kind or ("then" if "then" in node else None)


def _is_page(node: Data) -> bool:
    """Whether a node that is a statement goes over several lines even when it is short."""
    while isinstance(node, dict) and _form(node) == "then" and not _then(node):
        node = node["then"]  # the same node, once it is read back
    if not isinstance(node, dict):
        return False
    branches = next((node[kind] for kind in KINDS if kind in node), None)
    if isinstance(branches, list):
        return not all(isinstance(_read_back(item), str) for item in branches)
    return bool(branches)


def _read_back(node: Data) -> Data:
    """A terminal as it is, or the mapping that ``if`` and ``let`` become."""
    node = _bare(node)
    return expanded(node) if isinstance(node, str) else node


def _bare(node: Data) -> Data:
    """``node`` without a ``then`` around it that says nothing more."""
    while isinstance(node, dict) and set(node) == {"then"}:
        node = node["then"]
    return node


def _prefixes(node: dict[str, Data]) -> str:
    """``label "…" note "…" heuristic h cost c reward r let n = e in ``, if they are there."""
    said = [f"{key} {quoted(str(node[key]))} " for key in ("label", "note") if key in node]
    paid = [f"{key} {_operand(str(node[key]))} " for key in PAID if key in node]
    text = "".join(said + paid)
    lets = node.get("let")
    if isinstance(lets, dict) and lets:
        bindings = ", ".join(f"{name(key)} = {tidy_expression(str(e))}" for key, e in lets.items())
        text += f"let {bindings} in "
    return text


def _then(node: dict[str, Data]) -> str:
    """``then `` where a node's prefixes need it before what they speak of."""
    keys = {key for key in node if key not in BRANCH_KEYS}
    inner = node["then"]
    if keys == {"then"}:
        return ""
    if "let" in keys and isinstance(inner, str):
        says_if = _STARTS_WITH_WORD.match(inner.lstrip()) is not None
        return "then " if says_if and keys != {"let", "then"} else ""
    if keys == {"let", "then"} and isinstance(inner, dict) and not set(inner) & _SAID_OF_NODES:
        return ""
    return "then "


def _conditions(node: Data) -> str:
    """`` if c``, `` @ 1/3``, `` if c @ weight 3``: when a branch is there, and its odds."""
    if not isinstance(node, dict) or is_loop(node):
        return ""
    words = {"when": "if ", "p": "@ ", "weight": "@ weight "}
    return "".join(f" {words[k]}{_operand(str(node[k]))}" for k in BRANCH_KEYS if k in node)


def _entries(data: Data) -> list[tuple[str, Data]]:
    """The entries of a mapping; none for anything else."""
    return list(data.items()) if isinstance(data, dict) else []


def _bounds(data: Data) -> str:
    """``0..21``, or a list where an end is more than a number or a name."""
    if isinstance(data, list) and len(data) == 2:
        low, high = (tidy_expression(str(item)) for item in data)
        if _SIMPLE_BOUND.fullmatch(low) and _SIMPLE_BOUND.fullmatch(high):
            return f"{low}..{high}"
    return _value(data)
