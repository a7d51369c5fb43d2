"""A document as YAML, in one style.

Input   a ``Document`` of any notation.
Output  its text: block style on top, ``{flow: style}`` for what is short and shallow; quotes
        only where a YAML 1.1 or 1.2 reader would otherwise take a text for something else;
        anchors, aliases and comments kept; the author's order of keys, or that of the schema
        where the document comes from another notation.
Holds   reading the text gives the same canonical document, and writing that gives the text.
Cost    linear in the document.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .canonical import (
    SECTIONS,
    Role,
    is_loop,
    items_of,
    role_under,
    tidy_expression,
    tidy_key,
    unfolded,
)
from .comments import Remark, Remarks, Slots, attach, comment_line
from .document import Container, Data, Document

WIDTH = 88
_FLOW_LEVELS = 3  # brackets within brackets that the eye still follows
_LONGEST_KEY = 900  # libyaml takes nothing longer than 1,024 for a key without a `?`

# Containers that are easier to read over several lines even when they are short.
_ALWAYS_BLOCK = (
    Role.DOCUMENT, Role.DEFINITIONS, Role.NODES, Role.POLICIES, Role.POLICY,
)  # fmt: skip
_TEXTUAL = (Role.TEXT, Role.TEXTS)

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
# A number that every reader prints back as it was written, and one that we read as a number.
_SAME = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?")
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9_]*)(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][+-]?[0-9]+)?")
# What some YAML reader takes for a truth value, nothing, a number, a time or a merge. Single
# letters are left alone: YAML 1.1 lists `y` and `n`, but the readers in use take them as text.
_MISREAD = re.compile(
    r"""(?ix) yes|no|on|off|true|false|null|~|<<|=
    | [-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)(?:e[-+]?[0-9]+)?
    | [-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
    | [-+]?0[xob][0-9a-f_]+ | [-+]?\.(?:inf|nan)
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\ ].*)?"""
)
# Control characters, line breaks, and what does not show or reorders the text around it.
_HIDDEN = (
    "\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202f\u2060-\u2069"
    "\u3000\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff"
)
_UNPRINTABLE = re.compile(f"[{_HIDDEN}]")
_ESCAPED = re.compile(f'["\\\\{_HIDDEN}]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
_ANYWHERE = re.compile(r":(?:\s|$)|\s#")
_FIRST = re.compile(r"[:-](?:\s|$)|[?,\[\]{}#&*!|>'\"%@`\s]|---|\.\.\.")
_IN_FLOW = re.compile(r"[,\[\]{}:]")


def write_yaml(document: Document) -> str:
    """``document`` as YAML text, ending with a newline."""
    return _Writer(document).run()


# ---- scalars ---------------------------------------------------------------------------------


@lru_cache(maxsize=20_000)
def _scalar(text: str, *, in_flow: bool, is_value: bool) -> str:
    """``text`` plain or quoted; ``is_value`` where a number or an expression is expected."""
    same = _NUMBER if is_value else _SAME
    if same.fullmatch(text) or (is_value and text in ("true", "false")):
        return text
    if _MISREAD.fullmatch(text):
        return f'"{text}"'
    is_plain = _WORD.fullmatch(text) or _is_plain(text, in_flow=in_flow)
    return text if is_plain else quoted(text)


def _is_plain(text: str, *, in_flow: bool) -> bool:
    """Whether every YAML reader takes the bare text as just this text."""
    if not text or text[-1].isspace() or _FIRST.match(text) or _ANYWHERE.search(text):
        return False
    if in_flow and (_IN_FLOW.search(text) or text.count("(") != text.count(")")):
        return False  # an open bracket in flow style is taken for a value that a comma has cut
    return not _UNPRINTABLE.search(text)


def quoted(text: str) -> str:
    """``text`` in quotes: single ones where that saves escapes."""
    if ('"' in text or "\\" in text) and not _UNPRINTABLE.search(text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + _ESCAPED.sub(lambda match: _escape(match[0]), text) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    return _ESCAPES.get(character) or (f"\\x{code:02X}" if code < 256 else f"\\u{code:04X}")


def _literal(text: str, indent: int) -> list[str] | None:
    """A text of several lines as a ``|`` block: its header and its lines, or None."""
    lines = text.split("\n")
    chomp = "-"
    if len(lines) > 2 and not lines[-1] and lines[-2]:
        chomp, lines = "", lines[:-1]
    if not lines[0] or lines[0][0].isspace() or not lines[-1]:
        return None
    if any(_UNPRINTABLE.search(line) or (line and not line.strip()) for line in lines):
        return None
    return [f"|{chomp}", *(" " * indent + line if line else "" for line in lines)]


def _folded(text: str, indent: int) -> list[str] | None:
    """A long text of one line as a ``>-`` block: its header and its lines, or None."""
    words = text.split(" ")
    if not all(words) or _UNPRINTABLE.search(text):
        return None
    lines = textwrap.wrap(
        text, max(WIDTH - indent, 40), break_long_words=False, break_on_hyphens=False
    )
    if len(lines) < 2 or " ".join(lines) != text:
        return None
    return [">-", *(" " * indent + line for line in lines)]


# ---- containers ------------------------------------------------------------------------------


@dataclass(slots=True)
class _Block:
    """A container to be written in block style, and the comments behind it."""

    container: Container
    role: Role
    indent: int
    close: list[Remark]


class _Writer:
    """The lines written so far, and what is needed to write more."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.remarks: Remarks = attach(document)
        self.anchors = document.anchors
        self.written: set[int] = set()  # anchored objects that an alias can name by now
        self.lines: list[str] = []
        self.fresh = 0  # how many lines there were when the innermost block began
        self.dash = ""  # the indent and the dashes that the next line starts with
        self.dash_line: list[Remark] = []  # and the comments behind it

    def run(self) -> str:
        """The whole file."""
        data = self.document.data
        self.own_lines(self.remarks.header, 0)
        pages = [self.lines] if self.lines else []
        was_long = self.remarks.header_gap
        for index, key in self.sections():
            self.lines = []
            self.write(self.entry(data, Role.DOCUMENT, index, key, 0))
            above = self.remarks.of(data, index).above
            is_long = len(self.lines) > 1 + len(above)
            gap = above[0].gap if above else self.remarks.has_gap(data, index)
            is_first = len(pages) == bool(self.remarks.header)
            if pages and (was_long or gap or (is_long and not is_first)):
                pages.append([""])
            pages.append(self.lines)
            was_long = is_long
        self.lines = []
        self.own_lines(self.remarks.end(data), 0)
        if self.lines:
            pages.append([""] if was_long or self.remarks.end(data)[0].gap else [])
            pages.append(self.lines)
        return "\n".join(line for page in pages for line in page) + "\n"

    def sections(self) -> list[tuple[int, str]]:
        """The top-level keys in the order to write them, each with its index."""
        keys = list(enumerate(self.document.data))
        if self.document.notation == "yaml":
            return keys
        order = {key: place for place, key in enumerate(SECTIONS)}
        return sorted(keys, key=lambda item: order.get(item[1], len(order)))

    # ---- lines and comments ----

    def own_lines(self, remarks: list[Remark], indent: int) -> None:
        """Comments on lines of their own; above a dash that is still to come, as deep as it."""
        if self.dash:
            indent = len(self.dash) - len(self.dash.lstrip())
        for remark in remarks:
            if remark.gap:
                self.blank()
            self.lines.append(" " * indent + comment_line(remark))

    def blank(self) -> None:
        """A blank line, unless a block has just begun."""
        if len(self.lines) > self.fresh and self.lines and self.lines[-1]:
            self.lines.append("")

    def start(self, indent: int) -> str:
        """What stands before the next key or value."""
        dash, self.dash = self.dash, ""
        return dash or " " * indent

    def put(self, line: str, remarks: list[Remark]) -> None:
        """A line, the last comment behind it, and any others above it."""
        remarks = [*self.dash_line, *remarks]
        self.dash_line = []
        if remarks:
            indent = " " * (len(line) - len(line.lstrip()))
            self.lines += [indent + comment_line(remark) for remark in remarks[:-1]]
            line += f"  {comment_line(remarks[-1])}"
        self.lines.append(line)

    # ---- block style ----

    def write(self, first: _Block | None) -> None:
        """Write a block and all blocks inside it, without recursion."""
        running = [self.block(first)] if first else []
        while running:
            inner = next(running[-1], None)
            if inner is None:
                running.pop()
            else:
                running.append(self.block(inner))

    def block(self, block: _Block) -> Iterator[_Block]:
        """Write the items of a container; give back each block in it when its turn has come."""
        container, role, indent = block.container, block.role, block.indent
        self.fresh = len(self.lines)
        for index, key in enumerate(container):
            if isinstance(container, dict):
                inner = self.entry(container, role, index, str(key), indent)
            else:
                inner = self.element(container, role, index, indent)
            if inner is not None:
                yield inner
        self.own_lines(self.remarks.end(container), indent)
        self.own_lines(block.close, indent)

    def before(self, container: Container, index: int, indent: int) -> Slots:
        """What stands above an item: its comments, and a blank line that the author left."""
        slots = self.remarks.of(container, index)
        self.own_lines(slots.above, indent)
        if self.remarks.has_gap(container, index):
            self.blank()
        return slots

    def entry(
        self, mapping: dict[str, Data], role: Role, index: int, key: str, indent: int
    ) -> _Block | None:
        """Write one key and its value; the value is given back if it is a block."""
        slots = self.before(mapping, index, indent)
        text = _scalar(tidy_key(role, mapping, key), in_flow=False, is_value=False)
        head = self.start(indent) + text + ":"
        if len(text) > _LONGEST_KEY:
            self.lines.append(f"{head[: -len(text) - 1]}? {text}")
            head = " " * indent + ":"
        value = unfolded(role, mapping[key])
        under = role_under(role, mapping, key)
        is_page = under is Role.NODE and role in (Role.DOCUMENT, Role.NODES)
        return self.value(head, value, under, slots, indent, is_block=is_page)

    def element(self, container: list[Data], role: Role, index: int, indent: int) -> _Block | None:
        """Write one item of a list, or its dash and give back the block behind it."""
        slots = self.before(container, index, indent)
        head = self.start(indent) + "-"
        value, under = container[index], role_under(role, container, index)
        if isinstance(value, str) or id(value) in self.anchors or not value:
            return self.value(head, value, under, slots, indent)
        if (flow := self.flow_line(head, value, under)) is not None:
            self.put(flow, [*slots.line, *slots.close])
            return None
        self.dash, self.dash_line = head + " ", slots.line
        return _Block(value, under, indent + 2, slots.close)

    def value(
        self,
        head: str,
        value: Data,
        role: Role,
        slots: Slots,
        indent: int,
        *,
        is_block: bool = False,
    ) -> _Block | None:
        """Write a value behind its key or dash, or give it back as a block to go below it."""
        if isinstance(value, str):
            self.scalar(head, value, role, slots, indent)
            return None
        is_block = is_block and bool(value) and id(value) not in self.written
        flow = None if is_block else self.flow_line(head, value, role)
        if flow is not None:
            self.put(flow, [*slots.line, *slots.close])
            return None
        if (name := self.anchors.get(id(value))) is not None:
            head += f" &{name}"
            self.written.add(id(value))
        self.put(head, slots.line)
        return _Block(value, role, indent + 2, slots.close)

    def scalar(self, head: str, value: str, role: Role, slots: Slots, indent: int) -> None:
        """A scalar, plain, quoted, or as a block of lines."""
        remarks = [*slots.line, *slots.close]
        is_anchored = id(value) in self.anchors
        line = f"{head} {self.inline(value, role, self.written, in_flow=False)}"
        if (len(line) > WIDTH or "\n" in value) and not is_anchored:
            body = tidy_expression(value) if role not in _TEXTUAL else value
            lines = _literal(body, indent + 2) if "\n" in body else _folded(body, indent + 2)
            if lines is not None:
                self.put(f"{head} {lines[0]}", remarks)
                self.lines += lines[1:]
                return
        self.put(line, remarks)

    def inline(self, value: str, role: Role, written: set[int], *, in_flow: bool) -> str:
        """A scalar on one line, with its anchor or as an alias."""
        prefix = ""
        if (name := self.anchors.get(id(value))) is not None:
            if id(value) in written:
                return f"*{name}"
            written.add(id(value))
            prefix = f"&{name} "
        is_value = role not in _TEXTUAL
        text = tidy_expression(value) if is_value else value
        return prefix + _scalar(str(text), in_flow=in_flow, is_value=is_value)

    # ---- flow style ----

    def flow_line(self, head: str, value: Container, role: Role) -> str | None:
        """The item on one line, if that is how it should stand."""
        is_alias = id(value) in self.written
        if value and not is_alias:
            if role in _ALWAYS_BLOCK or (role is Role.EXPECTATIONS and isinstance(value, list)):
                return None
            if role is Role.BRANCHES and not _is_row(value):
                return None
        written = set(self.written) if self.anchors else self.written
        flow = self.flow(value, role, written, WIDTH - len(head) - 1, _FLOW_LEVELS)
        if flow is None:
            return None
        self.written = written
        return f"{head} {flow}"

    def flow(
        self, value: Data, role: Role, written: set[int], room: int, levels: int
    ) -> str | None:
        """``value`` in at most ``room`` characters and ``levels`` of brackets, or None."""
        if isinstance(value, str):
            text = self.inline(value, role, written, in_flow=True)
            return text if len(text) <= room else None
        prefix = ""
        if (name := self.anchors.get(id(value))) is not None:
            if id(value) in written:
                return f"*{name}" if len(name) < room else None
            written.add(id(value))
            prefix = f"&{name} "
        is_map = isinstance(value, dict)
        if levels == 0 or self.remarks.is_busy(value) or (is_map and _is_tall(value, role)):
            return None
        room -= len(prefix) + 2
        parts: list[str] = []
        for key, item in items_of(value):
            start = ""
            if isinstance(key, str):
                start = _scalar(tidy_key(role, value, key), in_flow=True, is_value=False) + ": "
            under = role_under(role, value, key)
            inner = self.flow(unfolded(role, item), under, written, room - len(start), levels - 1)
            if inner is None:
                return None
            parts.append(start + inner)
            room -= len(start) + len(inner) + 2
        body = ", ".join(parts)
        if room < -2:  # the last item has no comma behind it
            return None
        return f"{prefix}{{{body}}}" if is_map else f"{prefix}[{body}]"


def _is_row(branches: Container) -> bool:
    """Whether branches are a list of terminals, which fits on a line as it is."""
    return isinstance(branches, list) and all(isinstance(item, str) for item in branches)


def _is_tall(mapping: dict[str, Data], role: Role) -> bool:
    """Whether a mapping is easier to read over several lines even when it is short."""
    if role is Role.NODE:
        return "if" in mapping or is_loop(mapping)
    return role is Role.BRANCHES and any(key.startswith("for ") for key in mapping)
