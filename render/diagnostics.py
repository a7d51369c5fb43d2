"""Diagnostics as text for people, as JSON objects, and as GitHub annotations.

Input   any ``Diagnostic`` values, in the order in which they are to appear.
Output  pure text or plain data; nothing is printed and no file is read again.
Holds   what comes from a file is never printed raw: control characters and bidi marks are
        escaped, tabs expanded, long lines cut around the place that is meant.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..spec.diagnostics import Diagnostic, Note, Severity
from ..spec.source import Place, Source
from .paint import Paint, Style
from .width import safe, safe_lines, shown, width

WIDTH = 120  # columns of source text in a snippet
_TAB = 4
_NOTES = 20  # more than these are counted, not shown
_LINE_END = re.compile("[\r\n\x85\u2028\u2029]")


# --- text ------------------------------------------------------------------------------------


def as_text(diagnostics: Iterable[Diagnostic], colour: bool = False, columns: int = WIDTH) -> str:
    """What a person reads, in rustc's shape, a blank line between two diagnostics.

    Args:
        diagnostics: Shown in this order.
        colour: Whether to use ANSI colours.
        columns: Source lines wider than this are cut around the place.

    Returns:
        The text without a line break at its end; ``""`` for no diagnostics.
    """
    paint = Paint(colour)
    return "\n\n".join(
        "\n".join(_diagnostic_lines(diagnostic, paint, columns)) for diagnostic in diagnostics
    )


def summary(diagnostics: Iterable[Diagnostic], files: int) -> str:
    """One line: ``2 errors, 1 warning in 3 files``, or ``no problems in 3 files``."""
    severities = [diagnostic.severity for diagnostic in diagnostics]
    counts = [(severities.count(severity), severity.value) for severity in Severity]
    found = ", ".join(_counted(count, word) for count, word in counts if count)
    return f"{found or 'no problems'} in {_counted(files, 'file')}"


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class _Mark:
    """A place to underline in a snippet."""

    place: Place
    label: str
    primary: bool


@dataclass(frozen=True, slots=True)
class _Span:
    """A mark on its line: columns ``start`` to ``end`` of the text shown."""

    start: int
    end: int
    mark: _Mark


def _diagnostic_lines(diagnostic: Diagnostic, paint: Paint, columns: int) -> Iterator[str]:
    severity = diagnostic.severity.value
    yield paint(severity, f"{severity}[{diagnostic.code.value}]") + paint(
        "bold", f": {safe(diagnostic.message)}"
    )
    notes, further = diagnostic.notes[:_NOTES], diagnostic.notes[_NOTES:]
    primary = _Mark(diagnostic.place, diagnostic.label, primary=True)
    inside = [note for note in notes if _fits(note, diagnostic.place, columns)]
    marks = [primary, *(_Mark(n.place, n.message, primary=False) for n in inside if n.place)]
    elsewhere = [note for note in notes if note.place and note not in inside]
    gutter = _gutter_width([*(mark.place for mark in marks), *_places(elsewhere)])
    yield from _snippet(marks, severity, gutter, paint, columns)
    for note in notes:
        if note.place is None:
            yield from _remark("note", note.message, gutter, paint)
    if further:
        yield from _remark("note", f"and {len(further):,} more", gutter, paint)
    if diagnostic.help:
        yield from _remark("help", diagnostic.help, gutter, paint)
    for note in elsewhere:
        yield from _note_elsewhere(note, gutter, paint, columns)


def _places(notes: Iterable[Note]) -> list[Place]:
    return [note.place for note in notes if note.place]


def _fits(note: Note, place: Place, columns: int) -> bool:
    """Whether the note's place can be shown in the snippet around ``place``."""
    if note.place is None or note.place.source is not place.source or not place.source.text:
        return False
    same_line = note.place.line == place.line
    return not same_line or abs(note.place.start - place.start) < columns // 3


def _gutter_width(places: Iterable[Place]) -> int:
    return max(len(str(place.line)) for place in places)


def _remark(word: Style, text: str, gutter: int, paint: Paint) -> Iterator[str]:
    lead = f"{' ' * (gutter + 2)}"
    first, *others = safe_lines(text)
    yield f"{lead}{paint('gutter', '=')} {paint('bold', word)}: {first}"
    for line in others:
        yield f"{lead}  {' ' * len(word)}  {line}".rstrip()


def _note_elsewhere(note: Note, gutter: int, paint: Paint, columns: int) -> Iterator[str]:
    assert note.place is not None
    yield paint("note", "note") + paint("bold", f": {safe(note.message)}")
    yield from _snippet([_Mark(note.place, "", primary=True)], "note", gutter, paint, columns)


def _snippet(
    marks: list[_Mark], severity: Style, gutter: int, paint: Paint, columns: int
) -> Iterator[str]:
    """The place, and the lines of its source with all ``marks`` underlined."""
    place = marks[0].place
    line, column = place.source.position(place.start)
    arrow = paint("gutter", f"{' ' * (gutter + 1)}-->")
    yield f"{arrow} {safe(place.source.name)}:{line}:{column}"
    if not place.source.text:
        return
    yield paint("gutter", f"{' ' * (gutter + 2)}|")
    last = 0
    for number, on_line in _by_line(marks):
        if last and number == last + 2:
            between = Source("", place.source.line(number - 1)).place(0, 0)
            yield _numbered(number - 1, gutter, _View(between, columns), paint)
        elif last and number > last + 2:
            yield paint("gutter", "...")
        view = _View(on_line[0].place, columns)
        yield _numbered(number, gutter, view, paint)
        margin = paint("gutter", f"{' ' * (gutter + 2)}|")
        spans = [_Span(*view.span(mark.place), mark) for mark in on_line]
        for row in _annotation_rows(spans, severity, paint):
            yield f"{margin} {row}"
        last = number


def _by_line(marks: list[_Mark]) -> list[tuple[int, list[_Mark]]]:
    lines: dict[int, list[_Mark]] = {}
    for mark in marks:
        lines.setdefault(mark.place.line, []).append(mark)
    return sorted(lines.items())


def _numbered(number: int, gutter: int, view: _View, paint: Paint) -> str:
    head = paint("gutter", f" {number:>{gutter}} |")
    return f"{head} {view.text}" if view.text else head


class _View:
    """The part of a source line that is shown, and which columns its characters take."""

    __slots__ = ("_edges", "_first", "text")

    def __init__(self, place: Place, columns: int) -> None:
        source = place.source
        line_start = place.start - (place.column - 1)
        start, end = _bounds(place, line_start, 4 * columns)
        cells: list[str] = []
        edges = [0]  # columns before each character, and after the last
        for character in source.text[start:end]:
            cell = _cell(character, edges[-1])
            cells.append(cell)
            edges.append(edges[-1] + width(cell))
        low, high = _window(edges, place.start - start, place.end - start, columns)
        cut_left, cut_right = low > 0 or start > line_start, high < len(cells)
        cut_right = cut_right or not _at_line_end(source.text, end)
        shift = int(cut_left) - edges[low]
        self._first = start + low
        self._edges = [edge + shift for edge in edges[low : high + 1]]
        body = "".join(cells[low:high]).rstrip()
        self.text = f"{'…' if cut_left else ''}{body}{'…' if cut_right else ''}"

    def span(self, place: Place) -> tuple[int, int]:
        """The columns to underline: at least one, and none beyond what is shown."""
        last = len(self._edges) - 1
        first = min(max(place.start - self._first, 0), last)
        end = min(max(place.end - self._first, 0), last)
        start = self._edges[first]
        return start, max(self._edges[end], start + 1)


def _bounds(place: Place, line_start: int, reach: int) -> tuple[int, int]:
    """Where the line of ``place`` starts and ends, but no further than ``reach`` from it.

    A file of many megabytes can be one line; none of it is copied but what may be shown.
    """
    text = place.source.text
    limit = min(place.start + reach, len(text))
    found = _LINE_END.search(text, place.start, limit)
    end = found.start() if found else limit
    if text[end - 1 : end + 1] == "\r\n":  # the place is the second half of the line break
        end -= 1
    return max(line_start, place.start - reach), end


def _at_line_end(text: str, offset: int) -> bool:
    return offset >= len(text) or _LINE_END.match(text, offset) is not None


def _cell(character: str, column: int) -> str:
    if character == "\t":
        return " " * (_TAB - column % _TAB)
    return shown(character)


def _window(edges: list[int], start: int, end: int, columns: int) -> tuple[int, int]:
    """Which characters to show: all, or ``columns`` columns around ``start`` to ``end``."""
    count = len(edges) - 1
    if edges[-1] <= columns:
        return 0, count
    start = min(start, count)
    end = min(max(start, end), count)
    span = min(edges[end] - edges[start], columns * 2 // 3)
    left = edges[start] - (columns - span) // 2
    left = max(min(left, edges[-1] - columns), 0)
    low = bisect_left(edges, left)
    high = bisect_right(edges, left + columns) - 1
    return low, high


def _annotation_rows(spans: list[_Span], severity: Style, paint: Paint) -> Iterator[str]:
    """The underlines of a line, and below them the labels that have no room beside them."""
    if not spans:
        return
    spans = sorted(spans, key=lambda span: (span.start, span.end))
    canvas = _Canvas(paint)
    for span in sorted(spans, key=lambda span: span.mark.primary):  # carets cover dashes
        sign = "^" if span.mark.primary else "-"
        canvas.write(span.start, sign * (span.end - span.start), _style(span, severity))
    waiting = [span for span in spans if span.mark.label]
    last = spans[-1]
    if last.mark.label and all(span.end <= last.end for span in spans):
        waiting.remove(last)
        canvas.write(last.end + 1, safe(last.mark.label), _style(last, severity))
    yield canvas.text()
    if waiting:
        yield _connectors(waiting, severity, paint).text()
    while waiting:
        span = waiting.pop()
        canvas = _connectors([s for s in waiting if s.start < span.start], severity, paint)
        canvas.write(span.start, safe(span.mark.label), _style(span, severity))
        yield canvas.text()


def _connectors(spans: list[_Span], severity: Style, paint: Paint) -> _Canvas:
    canvas = _Canvas(paint)
    for span in spans:
        canvas.write(span.start, "|", _style(span, severity))
    return canvas


def _style(span: _Span, severity: Style) -> Style:
    return severity if span.mark.primary else "gutter"


class _Canvas:
    """One row of text, written to by columns."""

    __slots__ = ("_cells", "_paint")

    def __init__(self, paint: Paint) -> None:
        self._cells: dict[int, tuple[str, Style]] = {}  # by the column of their first character
        self._paint = paint

    def write(self, column: int, text: str, style: Style) -> None:
        """Put ``text`` at ``column``; one-column characters cover those below them."""
        if len(set(text)) == 1 and width(text) == len(text):
            self._cells.update({column + i: (c, style) for i, c in enumerate(text)})
        else:
            self._cells[column] = (text, style)

    def text(self) -> str:
        """The row; neighbours of one style are painted together."""
        pieces: list[str] = []
        at = 0
        run, run_style = "", None
        for column, (text, style) in sorted(self._cells.items()):
            gap = " " * (column - at)
            if style != run_style or gap:
                pieces.append(self._paint(run_style, run) if run_style else run)
                pieces.append(gap)
                run, run_style = "", style
            run += text
            at = column + width(text)
        pieces.append(self._paint(run_style, run) if run_style else run)
        return "".join(pieces)


# --- JSON ------------------------------------------------------------------------------------


def as_json_objects(diagnostics: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Plain data for ``json.dumps``: one object a diagnostic.

    Lines and columns count code points from 1; ``end_column`` is exclusive. ``help`` is null
    where there is none; a note has a place (``path``, ``line``, …) only where it stands
    somewhere.
    """
    return [_json_object(diagnostic) for diagnostic in diagnostics]


def _json_object(diagnostic: Diagnostic) -> dict[str, object]:
    return {
        "code": diagnostic.code.value,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        **_json_place(diagnostic.place),
        "label": diagnostic.label,
        "help": diagnostic.help,
        "notes": [_json_note(note) for note in diagnostic.notes],
    }


def _json_place(place: Place) -> dict[str, object]:
    return {
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def _json_note(note: Note) -> dict[str, object]:
    if note.place is None:
        return {"message": note.message}
    return {
        "message": note.message,
        "path": note.place.source.name,
        **_json_place(note.place),
    }


# --- GitHub ----------------------------------------------------------------------------------

_GITHUB_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def as_github(
    diagnostics: Iterable[Diagnostic], environment: Mapping[str, str] | None = None
) -> str:
    """GitHub Actions annotations, a line each, the most severe first.

    Paths are relative to ``GITHUB_WORKSPACE`` where ``environment`` (``os.environ`` if left
    out) has it. Columns are left out where a place crosses lines: GitHub refuses them there.
    """
    workspace = (os.environ if environment is None else environment).get("GITHUB_WORKSPACE", "")
    levels = list(Severity)
    ordered = sorted(diagnostics, key=lambda diagnostic: levels.index(diagnostic.severity))
    return "\n".join(_annotation(diagnostic, workspace) for diagnostic in ordered)


def _annotation(diagnostic: Diagnostic, workspace: str) -> str:
    place = diagnostic.place
    properties = {"file": _relative(place.source.name, workspace), "line": str(place.line)}
    if place.line == place.end_line:
        properties |= {
            "col": str(place.column),
            "endLine": str(place.end_line),
            "endColumn": str(place.end_column),
        }
    else:
        properties["endLine"] = str(place.end_line)
    properties["title"] = diagnostic.code.value
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    message = "\n".join(_annotation_lines(diagnostic))
    return f"::{_GITHUB_LEVELS[diagnostic.severity]} {listed}::{_escaped(message)}"


def _annotation_lines(diagnostic: Diagnostic) -> Iterator[str]:
    label = f" ({safe(diagnostic.label)})" if diagnostic.label else ""
    yield safe(diagnostic.message) + label
    for note in diagnostic.notes[:_NOTES]:
        where = f" (line {note.place.line})" if note.place else ""
        yield from safe_lines(f"note: {note.message}{where}")
    if diagnostic.help:
        yield from safe_lines(f"help: {diagnostic.help}")


def _relative(name: str, workspace: str) -> str:
    if not workspace or name.startswith("<"):
        return name
    path, root = os.path.abspath(name), os.path.abspath(workspace)
    if not path.startswith(os.path.join(root, "")):
        return name
    return os.path.relpath(path, root).replace(os.sep, "/")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
