"""``gametree convert``: a game in another notation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from . import options
from .games import WrongUse, game_of, path_of, problems_to_stderr, read, save
from .output import write_content

if TYPE_CHECKING:
    from ..spec.document import Document, Notation


def convert(
    file: options.File,
    to: Annotated[
        Literal["text", "yaml", "json"] | None,
        typer.Option("--to", help="The notation to write; by default the other one."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="OUT", help="The file to write; its suffix names a notation."
        ),
    ] = None,
    colour: options.ColourChoice = "auto",
) -> None:
    """Write a game in another notation: YAML becomes text, text and JSON become YAML.

    The exit code is 0, or 1 if the file has errors, or 2 if it cannot be read or written.
    """
    with problems_to_stderr(colour):
        reading = read(path_of(file), comments=True)
        document = game_of(reading, {}).document
    written = _written(document, to or _notation_for(output, document.notation))
    if output is None or output == "-":
        write_content(written)
    else:
        save(output, written)


def _notation_for(output: str | None, source: Notation) -> Notation:
    """The notation that ``output`` asks for, or the one that ``source`` is not."""
    if output is None or output == "-":
        return "text" if source == "yaml" else "yaml"
    from ..spec.reader import notation_of

    notation = notation_of(output)
    if notation is None:
        message = f"`{output}` does not end in .yaml, .yml, .json or .tree; say --to NOTATION"
        raise WrongUse(message)
    return notation


def _written(document: Document, notation: Notation) -> str:
    """``document`` in ``notation``."""
    if notation == "text":
        from ..spec.text_writer import write_text

        return write_text(document)
    if notation == "yaml":
        from ..spec.yaml_writer import write_yaml

        return write_yaml(document)
    from ..spec.json_writer import write_json

    return write_json(document)
