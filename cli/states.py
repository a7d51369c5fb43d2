"""``gametree table``: a strategy as a table, a row for each state of a named node."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from . import options
from .evaluation import Evaluation, with_evaluation
from .games import WrongUse, problems_to_stderr, show_problems, stop
from .output import replace_file, say, use_colour, write_content

if TYPE_CHECKING:
    from ..evaluator.table import Table

Format = Literal["text", "csv", "json", "parquet"]
_TEXT_ROWS = 100  # shown as text where no limit is given


@with_evaluation
def table(
    file: options.File,
    node: Annotated[
        str | None,
        typer.Argument(
            metavar="NODE",
            help="A named node: by default the root's, or the only one that chooses.",
        ),
    ] = None,
    *,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help="Only states where this holds: an expression over the node's arguments, the "
            "parameters, and value, choice, reach, policy, differs, slip and cost.",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="The columns to show, with commas between them."),
    ] = None,
    sort: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="The columns to sort by; `-value` puts the highest first."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Show at most so many rows: as text, 100."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Mark where a policy of the file chooses differently, and say what that costs.",
        ),
    ] = None,
    asked: Evaluation,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format", help="How to print it; by default what OUT ends in says, or else text."
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="OUT", help="The file to write.")
    ] = None,
    colour: options.ColourChoice = "auto",
) -> None:
    """Print a row for each state of a named node that play can reach.

    A row has the state's arguments, the value of each branch, the value of the state, and the
    best branches. With --policy it also has what the policy chooses, what that loses in the
    state (slip), the chance that play comes there (reach), and what it takes from the value of
    the game (cost). Numbers in CSV and Parquet are floats unless --exact is given; JSON has both.
    """
    from ..evaluator.compare import Stage
    from ..evaluator.table import table as table_of

    kind = _format(form, output)
    game = asked.open(file, colour)
    with problems_to_stderr(colour):
        stage = Stage.of(
            game,
            **asked.arguments(),
        )
        made = table_of(
            stage,
            node,
            policy=policy,
            where=where,
            columns=None if columns is None else names_of(columns),
            sort=names_of(sort or ""),
            limit=_TEXT_ROWS if limit is None and kind == "text" else limit,
        )
    show_problems(game.notes, colour)
    if kind == "parquet":
        _write_parquet(output, made, exact=bool(asked.exact))
    elif kind == "text":
        coloured = output is None and use_colour(colour, sys.stdout)
        _write(output, _text(made, named=columns is not None, colour=coloured))
    else:
        _write(output, _pieces(made, kind, exact=bool(asked.exact)))


def names_of(text: str) -> list[str]:
    """Names with commas between them; one with a comma in it stands in double quotes."""
    import csv

    rows = list(csv.reader([text], skipinitialspace=True))
    return [name.strip() for name in (rows[0] if rows else []) if name.strip()]


def _format(form: Format | None, output: str | None) -> Format:
    if form is None:
        endings: dict[str, Format] = {"csv": "csv", "json": "json", "parquet": "parquet"}
        form = endings.get((output or "").rpartition(".")[2].lower(), "text")
    if form == "parquet" and output in {None, "-"}:
        raise WrongUse("a Parquet file is not text; say where to write it: -o states.parquet")
    return form


def _text(table: Table, *, named: bool, colour: bool) -> Iterator[str]:
    from ..render.table import table_lines

    for line in table_lines(table, named=named, colour=colour):
        yield f"{line}\n"


def _pieces(table: Table, kind: Format, *, exact: bool) -> Iterator[str]:
    from ..render.table import table_csv, table_json

    return table_csv(table, exact=exact) if kind == "csv" else table_json(table)


def _write(output: str | None, pieces: Iterator[str]) -> None:
    if output is None:
        for piece in pieces:
            say(piece.removesuffix("\n")) if piece.endswith("\n") else write_content(piece)
    elif output == "-":
        for piece in pieces:
            write_content(piece)
    else:
        _save(output, b"".join(piece.encode() for piece in pieces))


def _save(path: str, content: bytes) -> None:
    try:
        replace_file(path, content)
    except OSError as error:
        stop(f"cannot write `{path}`: {error.strerror}")


def _write_parquet(output: str | None, table: Table, *, exact: bool) -> None:
    from ..render.table import table_parquet

    assert output is not None
    try:
        content = table_parquet(table, exact=exact)
    except ImportError:
        raise WrongUse(
            "Parquet needs pyarrow, which is not installed: pip install 'gametree[parquet]'"
        ) from None
    _save(output, content)
