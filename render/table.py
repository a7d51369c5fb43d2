"""A table of states: text for a terminal, CSV and JSON in pieces, Parquet as a whole.

Holds   JSON has every digit of exact numbers, and floats beside them; CSV and Parquet have
        floats, which other programs can read, unless exact numbers are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from ..compiler.values import show
from ..evaluator.table import NUMBERS, Column, Table, Taken, choice_text, policy_text
from .numbers import as_float, decimal_text, exact_text, odds_text, picture_text, table_text
from .paint import Paint
from .width import cut, pad, safe, width

CHUNK = 1 << 15  # rows made into text at once
_BRANCHES = 12  # columns of branches in text, where no columns are named
_LABEL = 40  # columns of a label
_MARK = "!"

Cell = Callable[[Any], str]


# --- text ------------------------------------------------------------------------------------


def table_lines(table: Table, *, named: bool = False, colour: bool = False) -> Iterator[str]:
    """What a person reads, line by line; ``named`` says that the columns were asked for."""
    paint = Paint(colour)
    yield f"{paint('bold', safe(table.game))}, {safe(table.algorithm)}: {safe(table.node)}"
    columns, hidden = shown_columns(table, named=named)
    if len(table):
        yield ""
        yield from _grid(table, columns, paint)
    yield ""
    for line in _footer(table, hidden):
        yield paint("dim", line)


def shown_columns(table: Table, *, named: bool = False) -> tuple[list[Column], int]:
    """The columns for text, and how many branches are left out."""
    if named:
        return list(table.columns), 0
    branches = sum(column.role == "branch" for column in table.columns)
    hidden = branches if branches > _BRANCHES else 0
    roles = {"differs", "branch"} if hidden else {"differs"}
    shown = [column for column in table.columns if column.role not in roles]
    return shown, hidden or table.hidden_branches


def _grid(table: Table, columns: list[Column], paint: Paint) -> Iterator[str]:
    count = len(table)
    marks = [False] * count if table.differs is None else table.chunk(table.differs, 0, count)
    texts: list[list[str]] = []
    heads: list[str] = []
    right: list[bool] = []
    for column in columns:
        cells = table.chunk(column, 0, count)
        is_number = column.role in NUMBERS or _are_numbers(column, cells)
        heads.append(cut(safe(column.name), _LABEL))
        texts.append([text_cell(column)(cell) for cell in cells])
        right.append(is_number)
        remarks = [_remark(column, cell) for cell in cells]
        if any(remarks):
            heads.append("")
            texts.append(remarks)
            right.append(False)
    widths = [max(map(width, [head, *cells])) for head, cells in zip(heads, texts, strict=True)]
    marked = any(marks)

    def line(cells: Any, mark: bool) -> str:
        start = f"{_MARK if mark else ' '} " if marked else ""
        padded = (pad(*cell) for cell in zip(cells, widths, strict=True))
        if any(right):
            padded = (
                pad(cell, space, right=side)
                for cell, space, side in zip(cells, widths, right, strict=True)
            )
        return (start + "  ".join(padded)).rstrip()

    yield paint("dim", line(heads, mark=False))
    for row, mark in zip(zip(*texts, strict=True), marks, strict=True):
        text = line(row, bool(mark))
        yield paint("warning", text) if mark else text


def _are_numbers(column: Column, cells: list[Any]) -> bool:
    return column.role == "argument" and all(
        isinstance(cell, int | float | Fraction) and not isinstance(cell, bool) for cell in cells
    )


def text_cell(column: Column) -> Cell:
    """What shows a cell of a column to a person."""
    if column.role in {"choice", "policy"}:
        book = [cut(safe(text), _LABEL) for text in _book_texts(column)]
        return lambda code: book[int(code)]
    if column.role == "differs":
        return _yes
    if column.role == "argument":
        return lambda cell: cut(safe(show(cell)), _LABEL)
    if column.role == "reach":
        return odds_text
    if column.role in {"slip", "cost"}:
        return lambda cell: picture_text(cell) if cell else ""
    return lambda cell: "" if cell is None else table_text(cell)


def _yes(cell: Any) -> str:
    return "yes" if cell else ""


def _remark(column: Column, cell: Any) -> str:
    """A decimal beside a fraction."""
    if column.role not in {"value", "branch"} or not isinstance(cell, Fraction):
        return ""
    return f"= {decimal_text(cell, 8)}" if "/" in table_text(cell) else ""


def _book_texts(column: Column) -> list[str]:
    text = choice_text if column.role == "choice" else policy_text
    return [text(entry) for entry in column.book]


def _footer(table: Table, hidden: int) -> Iterator[str]:
    states = f"{table.reachable:,} state{'' if table.reachable == 1 else 's'}"
    if table.matching != table.reachable:
        states = f"{table.matching:,} of {states}"
    left_out = table.matching - len(table)
    more = f"; {left_out:,} left out (--limit {table.matching} shows all)" if left_out else ""
    yield states + more
    if hidden:
        yield f"{hidden:,} branches left out: --columns names those to show"
    if table.differs is not None and table.policy is not None:
        count = int(sum(table.differs.cells))
        times = f"in {count:,} state{'' if count == 1 else 's'}" if count else "nowhere"
        yield f'{_MARK} "{safe(table.policy)}" chooses differently {times}'
    if table.numbers == "float" and table.error_bound:
        yield f"values are floats, off by {table.error_bound:.2g} at most"


# --- CSV -------------------------------------------------------------------------------------


def table_csv(table: Table, *, exact: bool = False) -> Iterator[str]:
    """CSV in pieces: a header, then a line for each row; line feeds, no spaces.

    Numbers are floats; with ``exact``, fractions such as ``63/5``.
    """
    yield ",".join(_quoted(column.name) for column in table.columns) + "\n"
    makers = [_csv_cells(column, exact=exact) for column in table.columns]
    for start in range(0, len(table), CHUNK):
        end = min(start + CHUNK, len(table))
        made = [
            maker(table.chunk(column, start, end))
            for maker, column in zip(makers, table.columns, strict=True)
        ]
        yield "\n".join(map(",".join, zip(*made, strict=True))) + "\n"


def _csv_cells(column: Column, *, exact: bool) -> Callable[[list[Any]], list[str]]:
    if column.role in {"choice", "policy"}:
        book = [_quoted(text) for text in _book_texts(column)]
        return lambda cells: [book[code] for code in cells]
    if column.role in NUMBERS:
        return lambda cells: [_csv_number(cell, exact=exact) for cell in cells]
    return lambda cells: [str(cell) if type(cell) is int else _quoted(show(cell)) for cell in cells]


def _csv_number(value: Any, *, exact: bool) -> str:
    if type(value) is float:
        return repr(value)
    if value is None:
        return ""
    number = None if exact else as_float(value)
    return exact_text(value) if number is None else repr(number)


def _quoted(text: str) -> str:
    if not any(mark in text for mark in ',"\r\n') and text == text.strip():
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


# --- JSON ------------------------------------------------------------------------------------


def table_json(table: Table) -> Iterator[str]:
    """One JSON object in pieces, a row a line; its keys are a contract."""
    head = {
        "game": table.game,
        "node": table.node,
        "algorithm": table.algorithm,
        "numbers": table.numbers,
        "error_bound": as_float(table.error_bound),
        "policy": table.policy,
        "states": table.reachable,
        "matching": table.matching,
        "left_out": table.matching - len(table),
    }
    yield json.dumps(head)[:-1] + ', "rows": ['
    for start in range(0, len(table), CHUNK):
        end = min(start + CHUNK, len(table))
        cells = [table.chunk(column, start, end) for column in table.columns]
        rows = (json.dumps(_json_row(table, row)) for row in zip(*cells, strict=True))
        yield ("," if start else "") + "\n  " + ",\n  ".join(rows)
    yield "\n]}\n"


def _json_row(table: Table, row: tuple[Any, ...]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for column, cell in zip(table.columns, row, strict=True):
        name = column.name
        if column.role == "argument":
            made.setdefault("state", {})[name] = _plain(cell)
        elif column.role == "branch":
            branches = made.setdefault("branches", {})
            if cell is not None:
                branches[name] = number_json("value", cell)
        elif column.role == "choice":
            chosen: Taken = column.book[int(cell)]
            made[name] = [label for label, _ in chosen]
        elif column.role == "policy":
            made[name] = taken_json(column.book[int(cell)])
        elif column.role == "differs":
            made[name] = cell
        else:
            made |= number_json(column.role, cell)
    return made


def number_json(name: str, value: Any) -> dict[str, Any]:
    """A number exactly, as text, and as a float: null where there is none."""
    if value is None:
        return {name: None, f"{name}_float": None}
    return {name: exact_text(value), f"{name}_float": as_float(value)}


def taken_json(taken: Taken) -> dict[str, str]:
    """Labels with their odds; equal labels of chance are numbered already."""
    return {label: exact_text(odds) for label, odds in taken}


def _plain(value: Any) -> Any:
    """An argument in JSON: numbers that are not whole are text."""
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if isinstance(value, tuple | range):
        return [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return show(value)


plain_json = _plain


# --- Parquet ---------------------------------------------------------------------------------


def table_parquet(table: Table, *, exact: bool = False) -> bytes:
    """A Parquet file: the columns of the CSV, typed.

    Raises:
        ImportError: Without pyarrow.
    """
    import io
    from importlib import import_module

    pyarrow: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    arrays = [_arrow(pyarrow, table, column, exact=exact) for column in table.columns]
    names = [column.name for column in table.columns]
    content = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=names), content)
    return content.getvalue()


def _arrow(pyarrow: Any, table: Table, column: Column, *, exact: bool) -> Any:
    cells = table.chunk(column, 0, len(table))
    if column.role in {"choice", "policy"}:
        book = _book_texts(column)
        codes = pyarrow.array(cells, pyarrow.int32())
        return pyarrow.DictionaryArray.from_arrays(codes, book)
    if column.role in NUMBERS:
        if exact and table.numbers == "exact":
            texts = [None if cell is None else exact_text(cell) for cell in cells]
            return pyarrow.array(texts, pyarrow.string())
        floats = [None if cell is None else as_float(cell) for cell in cells]
        return pyarrow.array(floats, pyarrow.float64())
    if column.role == "differs":
        return pyarrow.array(cells, pyarrow.bool_())
    if all(isinstance(cell, bool) for cell in cells):
        return pyarrow.array(cells, pyarrow.bool_())
    if all(type(cell) is int and -(2**63) <= cell < 2**63 for cell in cells):
        return pyarrow.array(cells, pyarrow.int64())
    return pyarrow.array([show(cell) for cell in cells], pyarrow.string())
