"""What a search found, and searches side by side: text for a terminal, data for ``json.dumps``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..evaluator.search.compare import Comparison, Row
from ..evaluator.search.found import Found
from .numbers import Number, as_float, exact_text, table_text, value_text
from .paint import Paint
from .width import cut, pad, safe, width

_LABEL = 60  # columns of a label
_SHORT = 24  # and of one in a table
_SHOWN = 20  # tied branches
_HEADS = ("algorithm", "value", "", "best", "agrees", "nodes", "ends", "cut", "time")
_LEFT = frozenset({0, 2, 3, 4})  # columns of words
_LUCK = "the ± is luck's part alone"


# --- JSON ------------------------------------------------------------------------------------


def search_json(found: Found) -> dict[str, object]:
    """The object that ``search --format json`` prints; its keys are a contract."""
    return {
        "game": found.game,
        "algorithm": found.algorithm,
        "value": _exact(found.value),
        "value_float": _float(found.value),
        "certainty": found.certainty,
        "lower": _exact(found.low),
        "upper": _exact(found.high),
        "standard_error": found.standard_error,
        "error_bound": found.error_bound,
        "numbers": found.numbers,
        "best": list(found.best),
        "visited": {"nodes": found.nodes, "terminals": found.terminals, "cut": found.cut},
        "depth": found.depth,
        "seconds": found.seconds,
        **({} if found.playouts is None else {"playouts": found.playouts}),
        "notes": list(found.notes),
    }


def comparison_json(comparison: Comparison) -> dict[str, object]:
    """The object that ``search --compare --format json`` prints."""
    return {
        "game": comparison.game,
        "searches": [{**search_json(row.found), "agrees": row.agrees} for row in comparison.rows],
    }


def _exact(value: Number | None) -> str | None:
    return None if value is None else exact_text(value)


def _float(value: Number | None) -> float | None:
    return None if value is None else as_float(value)


# --- text ------------------------------------------------------------------------------------


def search_text(found: Found, *, colour: bool = False) -> str:
    """What a person reads, without a line break at its end."""
    return "\n".join(_lines(found, Paint(colour)))


def _lines(found: Found, paint: Paint) -> Iterator[str]:
    yield f"{paint('bold', safe(found.game))}, {found.algorithm}"
    yield ""
    yield _field("value", paint("bold", _value(found)) + _certainty(found), paint)
    if found.best:
        tied = " (tied)" if len(found.best) > 1 else ""
        best = ", ".join(_label(label, _LABEL) for label in found.best[:_SHOWN])
        more = len(found.best) - _SHOWN
        hidden = f" … and {more:,} more" if more > 0 else ""
        yield _field("best", paint("help", best + hidden) + tied, paint)
    yield _field("visited", _visited(found), paint)
    yield _field("depth", f"{found.depth:,}", paint)
    yield _field("time", _time(found.seconds), paint)
    for note in found.notes:
        yield _field("note", note, paint)


def _value(found: Found) -> str:
    if found.certainty == "bound":
        low, high = (_end(end) for end in (found.low, found.high))
        if not _is_known(found):
            return "not known"
        if found.low is None or found.high is None:
            return f"at most {high}" if found.low is None else f"at least {low}"
        return f"between {low} and {high}"
    if found.value is None:
        return "not known"
    if found.standard_error is not None:
        return f"{float(found.value):.6g} ± {found.standard_error:.2g}"
    return value_text(found.value) if found.certainty == "exact" else table_text(found.value)


def _end(value: Number | None) -> str:
    return "" if value is None else table_text(value)


def _certainty(found: Found) -> str:
    if found.certainty == "exact":
        return f", exact{_rounding(found)}"
    if found.certainty == "bound":
        return ", a bound" if _is_known(found) else ""
    return ", an estimate" if found.standard_error is None else f", an estimate; {_LUCK}"


def _is_known(found: Found) -> bool:
    """Whether anything is: a bound that was proved on neither side says nothing."""
    return found.certainty != "bound" or found.low is not None or found.high is not None


def _rounding(found: Found) -> str:
    if found.numbers == "exact":
        return ""
    return f" but for rounding, {found.error_bound:.2g} at most" if found.error_bound else ""


def _visited(found: Found) -> str:
    ends = f"{found.terminals:,} of them the end of a play"
    left = "1 branch" if found.cut == 1 else f"{found.cut:,} branches"
    playouts = "" if found.playouts is None else f", {found.playouts:,} playouts"
    nodes = "1 position" if found.nodes == 1 else f"{found.nodes:,} positions"
    return f"{nodes}, {ends}; {left} left out{playouts}"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _field(name: str, text: str, paint: Paint) -> str:
    return f"{paint('dim', f'{name:<8}')} {text}"


def _label(label: str, columns: int) -> str:
    return cut(safe(label), columns) if label else '""'


def comparison_text(comparison: Comparison, *, colour: bool = False) -> str:
    """A table with a row for each algorithm, without a line break at its end."""
    paint = Paint(colour)
    rows = [list(_HEADS), *(_row(row) for row in comparison.rows)]
    first, *lines = _table(rows)
    notes = list(_notes(comparison))
    return "\n".join(
        [
            paint("bold", safe(comparison.game)),
            "",
            paint("dim", first),
            *lines,
            *([""] if notes else []),
            *notes,
        ]
    )


def _notes(comparison: Comparison) -> Iterator[str]:
    """What the ± leaves out, and the notes of all searches, each once."""
    if any(row.found.standard_error is not None for row in comparison.rows):
        yield f"* {_LUCK}: the notes say what else throws the value off"
    told: dict[str, list[str]] = {}
    for row in comparison.rows:
        for note in row.found.notes:
            told.setdefault(note, []).append(row.found.algorithm)
    for note, names in told.items():
        yield f"{', '.join(names)}: {note}"


def _row(row: Row) -> list[str]:
    found = row.found
    best = _label(found.best[0], _SHORT) if found.best else ""
    more = f" (+{len(found.best) - 1})" if len(found.best) > 1 else ""
    agrees = {None: "", True: "yes", False: "no"}[row.agrees]
    counts = [f"{count:,}" for count in (found.nodes, found.terminals, found.cut)]
    value = _value(found)
    if found.certainty == "exact" and found.value is not None:
        value = table_text(found.value)
    value += "" if found.standard_error is None else " *"
    certainty = found.certainty if _is_known(found) else ""
    return [
        found.algorithm, value, certainty, best + more, agrees, *counts, _time(found.seconds)
    ]  # fmt: skip


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            pad(cell, columns, right=number not in _LEFT)
            for number, (cell, columns) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
