"""JSON to a document: the standard library's parser, and a scanner for places on demand.

Input   a ``Source``; numbers, ``true``, ``false`` and ``null`` are kept as they were written.
Output  a ``Reading``; the document is there although with errors, unless its shape is lost.
Holds   places are found by a second pass, made only when somebody asks for one.
Errors  GT004, GT006, GT103, GT107, GT109, GT203, GT306.
Cost    about half a microsecond a value; the pass for places some three times that.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import cast

from .diagnostics import Code, Diagnostic, Note
from .document import Container, Data, Document, Marks
from .json_messages import explain_json_error
from .reader import MAX_DEPTH, Reading
from .source import Source
from .yaml_messages import too_deep

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
_LITERAL = {True: "true", False: "false", None: "null"}
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(slots=True)
class _Seen:
    """What the parser's hooks noticed; where it stands is found out only then."""

    duplicates: bool = False
    not_finite: bool = False


@dataclass(slots=True)
class _Scan:
    """What the scanner found: all places, and both places of each duplicate key."""

    marks: Marks = field(default_factory=dict[int, list[int]])
    duplicates: list[tuple[str, int, int, int, int]] = field(
        default_factory=list[tuple[str, int, int, int, int]]
    )


def read_json(source: Source) -> Reading:
    """Read ``source`` as JSON."""
    seen = _Seen()
    was_collecting = gc.isenabled()
    gc.disable()  # nothing here is garbage, and looking for it takes most of the time
    try:
        data = _parse(source.text, seen)
        depth = _settle(data, has_literals=_has_literals(source.text))
    except json.JSONDecodeError as error:
        return Reading(source, None, [explain_json_error(source, error.msg, error.pos)])
    except RecursionError:
        depth, data = MAX_DEPTH + 1, {}
    finally:
        if was_collecting:
            gc.enable()
    if depth > MAX_DEPTH:
        return Reading(source, None, [too_deep(source, _crossing(source.text))])
    return _reading(source, data, seen)


def _parse(text: str, seen: _Seen) -> Data:
    def mapping(pairs: list[tuple[str, Data]]) -> dict[str, Data]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        seen.duplicates = True
        return _first_wins(pairs)

    def not_finite(_: str) -> str:
        seen.not_finite = True
        return "0"  # a stand-in that causes no further complaint

    return cast(
        "Data",
        json.loads(
            text,
            object_pairs_hook=mapping,
            parse_float=str,
            parse_int=str,
            parse_constant=not_finite,
        ),
    )


def _first_wins(pairs: list[tuple[str, Data]]) -> dict[str, Data]:
    found: dict[str, Data] = {}
    for key, value in pairs:
        found.setdefault(key, value)
    return found


def _has_literals(text: str) -> bool:
    return "true" in text or "false" in text or "null" in text


def _settle(data: Data, *, has_literals: bool) -> int:
    """Turn ``true``, ``false`` and ``null`` into their texts; return the depth, level by level."""
    level: list[Container] = [data] if isinstance(data, (dict, list)) else []
    depth = 0
    while level and depth <= MAX_DEPTH:
        depth += 1
        below: list[Container] = []
        for container in level:
            values = container.values() if isinstance(container, dict) else container
            below += [value for value in values if type(value) is dict or type(value) is list]
            if has_literals:
                _spell_out(container)
        level = below
    return depth


def _spell_out(container: Container) -> None:
    keys = list(container) if isinstance(container, dict) else range(len(container))
    as_read = cast("dict[str | int, object]", container)
    for key in keys:
        value = as_read[key]
        if value is True or value is False or value is None:
            as_read[key] = _LITERAL[value]


def _crossing(text: str) -> int:
    """Where nesting crosses the limit."""
    depth = 0
    for match in _TOKEN.finditer(text):
        if match[0] in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                return match.start()
        elif match[0] in "}]":
            depth -= 1
    return 0


def _reading(source: Source, data: Data, seen: _Seen) -> Reading:
    problems: list[Diagnostic] = []
    scan = _scan(source.text, data) if seen.duplicates else None
    if scan is not None:
        problems += [_duplicate(source, *found) for found in scan.duplicates]
    if seen.not_finite:
        problems += _not_finite(source)
    halves = list(_half_characters(source)) if _HALF_CHARACTER.search(source.text) else []
    if halves:  # nothing that prints could print such a text
        return Reading(source, None, [*problems, *halves])
    if not isinstance(data, dict):
        problems.append(_not_a_mapping(source, data))
        return Reading(source, None, problems)

    def locate() -> Marks:
        return (scan or _scan(source.text, data)).marks

    return Reading(source, Document(source, "json", data, locate), problems)


def _duplicate(
    source: Source, key: str, first: int, first_end: int, at: int, end: int
) -> Diagnostic:
    shown = key if len(key) <= 40 else key[:39] + "…"
    return Diagnostic(
        Code.DUPLICATE_KEY,
        source.place(at, end),
        f"`{shown}` is written twice",
        notes=(Note("first written here", source.place(first, first_end)),),
        help="rename or delete one of them",
    )


def _not_finite(source: Source) -> list[Diagnostic]:
    return [
        Diagnostic(
            Code.NOT_FINITE,
            source.place(match.start(), match.end()),
            f"`{match[0]}` is not a finite number",
            help="every payoff and every probability is a finite number",
        )
        for match in _TOKEN.finditer(source.text)
        if match[0] in ("NaN", "Infinity", "-Infinity")
    ]


def _half_characters(source: Source) -> Iterator[Diagnostic]:
    for match in _TOKEN.finditer(source.text):
        if "\\" in match[0] and not _is_unicode(cast("str", json.loads(match[0]))):
            yield Diagnostic(
                Code.INVISIBLE_CHARACTER,
                source.place(match.start(), match.end()),
                "this text holds half a character: a lone surrogate escape",
                help="write the character itself",
            )


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _not_a_mapping(source: Source, data: Data) -> Diagnostic:
    what = "an array" if isinstance(data, list) else "a single value"
    start = len(source.text) - len(source.text.lstrip())
    return Diagnostic(
        Code.WRONG_SHAPE,
        source.place(start, len(source.text.rstrip())),
        f"a game is an object with the keys `game` and `root`, and this file is {what}",
    )


# --- places ----------------------------------------------------------------------------------


def _scan(text: str, data: Data) -> _Scan:
    """Find where everything in ``text``, which is valid JSON and was read as ``data``, stands."""
    scan = _Scan()
    scanner = _Scanner(scan, data)
    for match in _TOKEN.finditer(text):
        scanner.token(match[0], match.start(), match.end())
    return scan


@dataclass(slots=True)
class _Frame:
    container: Container | None  # None: under a duplicate key, and part of nothing
    marks: list[int]
    is_mapping: bool
    keys: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    count: int = 0
    key: str | None = None
    key_place: tuple[int, int] = (0, 0)
    is_duplicate: bool = False  # the key that is being read


class _Scanner:
    """Walks the tokens and the data side by side."""

    def __init__(self, scan: _Scan, data: Data) -> None:
        self.scan = scan
        self.data = data
        self.stack: list[_Frame] = []
        self.tokens: dict[str, Callable[[int, int], None]] = {
            "{": self.open_mapping,
            "[": self.open_list,
            "}": self.close,
            "]": self.close,
        }

    def token(self, written: str, start: int, end: int) -> None:
        """Take the next token."""
        if written in (",", ":"):
            return
        if (structural := self.tokens.get(written)) is not None:
            structural(start, end)
            return
        frame = self.stack[-1] if self.stack else None
        if frame is not None and frame.is_mapping and frame.key is None:
            self.key(frame, written, start, end)
        else:
            self.value_ends(start, end)

    def key(self, frame: _Frame, written: str, start: int, end: int) -> None:
        """Take a key."""
        key = written[1:-1] if "\\" not in written else cast("str", json.loads(written))
        frame.key, frame.key_place = key, (start, end)
        first = frame.keys.setdefault(key, frame.key_place)
        frame.is_duplicate = first is not frame.key_place
        if frame.is_duplicate:
            self.scan.duplicates.append((key, *first, start, end))

    def open_mapping(self, start: int, end: int) -> None:
        """Begin an object."""
        self.open(start, end, is_mapping=True)

    def open_list(self, start: int, end: int) -> None:
        """Begin an array."""
        self.open(start, end, is_mapping=False)

    def open(self, start: int, end: int, *, is_mapping: bool) -> None:
        """Begin either, and find the object that was made of it."""
        container = self.next_value()
        marks = [start, end]
        if isinstance(container, (dict, list)):
            self.scan.marks[id(container)] = marks
            self.stack.append(_Frame(container, marks, is_mapping))
        else:
            self.stack.append(_Frame(None, marks, is_mapping))

    def next_value(self) -> Data | None:
        """The object that the value beginning here was made into."""
        if not self.stack:
            return self.data
        frame = self.stack[-1]
        if frame.container is None or frame.is_duplicate:
            return None
        if isinstance(frame.container, dict):
            return frame.container[cast("str", frame.key)]
        return frame.container[frame.count]

    def close(self, _: int, end: int) -> None:
        """End an object or an array."""
        marks = self.stack.pop().marks
        marks[1] = end
        self.value_ends(marks[0], end)

    def value_ends(self, start: int, end: int) -> None:
        """Note the place of a value."""
        if not self.stack:
            return
        frame = self.stack[-1]
        frame.count += 1
        if not frame.is_mapping:
            frame.marks += (start, start, start, end)
        elif not frame.is_duplicate:
            frame.marks += (*frame.key_place, start, end)
        frame.key, frame.is_duplicate = None, False
