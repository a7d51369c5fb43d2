"""What a notebook shows: a game as a picture, answers, strategies and tables as HTML.

Holds   labels are text, whatever they hold. Everything comes as plain text, too. Showing an
        object takes a moment and no more: a game that takes longer to solve is named, a long
        table is cut, and both say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from xml.sax.saxutils import escape

from ..compiler.limits import Limits
from ..evaluator.game import Game
from ..evaluator.solution import Answer, Solution
from ..evaluator.table import Table
from ..spec.diagnostics import SpecError
from .answer import answer_text, strategy_rows, strategy_text
from .drawing import draw_tree
from .numbers import odds_text, table_text, value_text
from .svg import svg
from .table import shown_columns, table_lines, text_cell
from .width import cut, safe

MOST_NODES = 200  # that are drawn
MOST_ROWS = 100
MOST_SOLVED = 6_000  # nodes of a game that is solved to be shown
MOST_LISTED = 100_000  # nodes of a solution whose strategy is listed
_LIMITS = Limits(states=MOST_SOLVED, work=1_250_000)  # at most a second
_LABEL = 60  # columns of a label

Bundle = dict[str, str]


def bundle(shown: object) -> Bundle:
    """By media type, what shows a ``Game``, an ``Answer``, a ``Solution`` or a ``Table``."""
    if isinstance(shown, Game):
        return _game(shown)
    if isinstance(shown, Answer):
        return {"text/plain": answer_text(shown), "text/html": _answer(shown)}
    if isinstance(shown, Solution):
        return _solution(shown)
    if isinstance(shown, Table):
        return _table(shown)
    return {"text/plain": repr(shown)}


# --- a game ----------------------------------------------------------------------------------


def _game(game: Game) -> Bundle:
    """Its picture, and its answer as text; a game that is too large is only named."""
    named = f"{safe(game.name)}: a game"
    known = game.saved or game.tree
    if known is not None and len(known) > MOST_SOLVED:
        return {"text/plain": f"{named} of {len(known):,} nodes, too many to be drawn here"}
    try:
        solution = game.solution(limits=_LIMITS)
    except SpecError as error:
        first = error.diagnostics[0]
        return {"text/plain": f"{named} that is not drawn here: {first.message}"}
    drawing = draw_tree(solution.dag, solution, most=MOST_NODES)
    drawing.players = game.players
    return {
        "text/plain": answer_text(game.answer(solution)),
        "image/svg+xml": svg(drawing, title=game.name),
    }


# --- tables ----------------------------------------------------------------------------------


def _answer(answer: Answer) -> str:
    by_chance = any(branch.p is not None for branch in answer.branches)
    heads = ["branch", *(["odds"] if by_chance else []), "value"]
    rows = [
        [
            _label(branch.label),
            *(["" if branch.p is None else odds_text(branch.p)] if by_chance else []),
            table_text(branch.value),
        ]
        for branch in answer.branches[:MOST_ROWS]
    ]
    best = set(answer.best)
    marks = [branch.label in best for branch in answer.branches[:MOST_ROWS]]
    head = f"{safe(answer.game)}, {safe(answer.algorithm)}: {value_text(answer.value)}"
    return _html(head, heads, rows, marks, len(answer.branches) - len(rows))


def _solution(solution: Solution) -> Bundle:
    head = f"{safe(solution.algorithm)}: {value_text(solution.value(0))}"
    if len(solution.dag) > MOST_LISTED:
        return {"text/plain": f"{head}, of {len(solution.dag):,} nodes"}
    found = list(islice(strategy_rows(solution), MOST_ROWS))
    left = sum(map(bool, solution.chosen)) - len(found)
    rows = [
        [
            _label(row.title),
            row.kind.name.lower(),
            _label(" or ".join(row.labels[:MOST_ROWS])),
            table_text(row.value),
        ]
        for row in found
    ]
    return {
        "text/plain": "\n".join([head, strategy_text(found), *_more(left)]),
        "text/html": _html(head, ["node", "kind", "choose", "value"], rows, [], left),
    }


def _table(table: Table) -> Bundle:
    columns, _ = shown_columns(table)
    count = min(len(table), MOST_ROWS)
    cells = [[*map(text_cell(column), table.chunk(column, 0, count))] for column in columns]
    marks = [] if table.differs is None else table.chunk(table.differs, 0, count)
    rows = [list(row) for row in zip(*cells, strict=True)]
    head = f"{safe(table.game)}, {safe(table.algorithm)}: {safe(table.node)}"
    names = [_label(column.name) for column in columns]
    left = len(table) - count
    return {
        "text/plain": "\n".join([*islice(table_lines(table), count + 3), *_more(left)]),
        "text/html": _html(head, names, rows, [bool(mark) for mark in marks], left),
    }


def _label(text: str) -> str:
    return cut(safe(text), _LABEL)


def _more(left: int) -> list[str]:
    return [f"… and {left:,} more"] if left > 0 else []


def _html(
    head: str,
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    marks: Sequence[bool],
    left: int,
) -> str:
    """A table under a line of text; marked rows are bold and say so with a ``*``."""
    return "\n".join(_elements(head, names, rows, marks, left))


def _elements(
    head: str,
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    marks: Sequence[bool],
    left: int,
) -> Iterator[str]:
    yield f"<table><caption>{escape(head)}</caption>"
    yield f"<thead><tr><th></th>{_cells(names, 'th')}</tr></thead>"
    yield "<tbody>"
    for number, row in enumerate(rows):
        marked = number < len(marks) and marks[number]
        cells = _cells(row, "th" if marked else "td")
        yield f"<tr><td>{'*' if marked else ''}</td>{cells}</tr>"
    yield "</tbody></table>"
    for text in _more(left):
        yield f"<p>{text}</p>"


def _cells(texts: Sequence[str], tag: str) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)
