"""A document as JSON, in one style.

Input   a ``Document`` of any notation.
Output  its text: two spaces of indent, short containers on one line, numbers without quotes
        where JSON has such numbers and a number is meant. JSON has neither comments nor
        aliases: comments are left out, shared nodes become named nodes (``sharing.py``).
Holds   reading the text gives the same canonical document.
Cost    linear in the document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from .canonical import SECTIONS, Role, role_under, tidy_expression, tidy_key
from .document import Container, Data, Document
from .sharing import without_aliases

WIDTH = 88
# Line breaks, and what does not show or reorders the text around it.
_HIDDEN = re.compile(
    "[\x7f-\xa0\xad\u200b\u200e\u200f\u2028-\u202f\u2060-\u2069\ufeff\ud800-\udfff]"
)
_LEVELS = 3  # brackets within brackets that the eye still follows
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_TALL = (Role.DOCUMENT, Role.NODES, Role.DEFINITIONS, Role.POLICIES, Role.EXPECTATIONS)


def write_json(document: Document) -> str:
    """``document`` as JSON text, ending with a newline."""
    plain = without_aliases(document) if document.anchors else document
    data = plain.data
    if document.notation == "text":
        order = {key: place for place, key in enumerate(SECTIONS)}
        data = {key: data[key] for key in sorted(data, key=lambda key: order.get(key, len(order)))}
    lines = [""]
    running = [_block(data, Role.DOCUMENT, 0, lines)]
    while running:  # a stack, since depth comes from the file
        inner = next(running[-1], None)
        if inner is None:
            running.pop()
        else:
            running.append(inner)
    return "\n".join(lines) + "\n"


def _block(container: Container, role: Role, indent: int, lines: list[str]) -> Iterator[_Block]:
    """Write a container over several lines; give back each block in it when its turn has come."""
    is_map = isinstance(container, dict)
    lines[-1] += "{" if is_map else "["
    pad = " " * (indent + 2)
    values = list(container.values()) if is_map else container
    for index, (key, value) in enumerate(zip(container, values, strict=True)):
        name = str(key) if is_map else index
        under = role_under(role, container, name)
        head = pad
        if isinstance(container, dict):
            head += f"{_text(tidy_key(role, container, str(name)))}: "
        short = _short(value, under, WIDTH - len(head) - 1, _LEVELS)
        lines.append(head + (short or ""))
        if short is None and isinstance(value, str):
            lines[-1] += _scalar(value, under)
        elif short is None and not isinstance(value, str):
            yield _block(value, under, indent + 2, lines)
        lines[-1] += "," if index + 1 < len(container) else ""
    lines.append(" " * indent + ("}" if is_map else "]"))


_Block = Iterator["_Block"]


def _short(value: Data, role: Role, room: int, levels: int) -> str | None:
    """``value`` in at most ``room`` characters and ``levels`` of brackets, or None."""
    if isinstance(value, str):
        text = _scalar(value, role)
        return text if len(text) <= room else None
    if not value:
        return "{}" if isinstance(value, dict) else "[]"
    if role in _TALL or levels == 0:
        return None
    room -= 2
    parts: list[str] = []
    values = value.values() if isinstance(value, dict) else value
    for index, (key, item) in enumerate(zip(value, values, strict=True)):
        name = str(key) if isinstance(value, dict) else index
        head = f"{_text(tidy_key(role, value, str(key)))}: " if isinstance(value, dict) else ""
        inner = _short(item, role_under(role, value, name), room - len(head), levels - 1)
        if inner is None:
            return None
        parts.append(head + inner)
        room -= len(parts[-1]) + 2
    if room < -2:  # the last item has no comma behind it
        return None
    body = ", ".join(parts)
    return f"{{{body}}}" if isinstance(value, dict) else f"[{body}]"


def _scalar(text: str, role: Role) -> str:
    """A number or a string."""
    if role in (Role.TEXT, Role.TEXTS):
        return _text(text)
    tidy = tidy_expression(text)
    return tidy if _NUMBER.fullmatch(tidy) else _text(tidy)


def _text(text: str) -> str:
    """A JSON string, readable in every script."""
    return _HIDDEN.sub(_escaped, json.dumps(str(text), ensure_ascii=False))


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
