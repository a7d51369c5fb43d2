"""``gametree opponents``: what changes when an opponent plays worse."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from . import options
from .evaluation import Evaluation, with_evaluation
from .games import problems_to_stderr, show_problems
from .output import say, use_colour
from .plots import plot_format, save_plot, showable


@with_evaluation
def opponents(
    file: options.File,
    *,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Whose play is in doubt: max, min, chance, or a player's name. By default the "
            "player who does not move first.",
        ),
    ] = None,
    model: Annotated[
        Literal["mistake", "softmax"],
        typer.Option(
            help="How they get worse: mistake:E from E = 0 to 1, or softmax:T from a low to a "
            "high T."
        ),
    ] = "mistake",
    picture: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="OUT", help="Draw the plot: an .svg or .png file."),
    ] = None,
    asked: Evaluation,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How to print it.")
    ] = "text",
    colour: options.ColourChoice = "auto",
) -> None:
    """Print where the best first move changes as an opponent goes from optimal to random play.

    With mistake:E in exact numbers the thresholds are exact and none is missed; else they are
    searched for, and the resolution is printed. A table then shows what each first move is worth
    against several kinds of opponent, and how much it can be behind the best one.
    """
    suffix = None if picture is None else plot_format(picture)
    game = asked.open(file, colour)
    with problems_to_stderr(colour):
        found = game.opponents(
            kind,
            model,
            **asked.arguments(),
        )
    show_problems(game.notes, colour)
    if output == "json":
        import json

        from ..render.opponents import opponents_json

        say(json.dumps(opponents_json(found), indent=2))
    else:
        from ..render.curves import ASCII, LINES
        from ..render.opponents import opponents_text

        coloured = use_colour(colour, sys.stdout)
        say(opponents_text(found, colour=coloured, lines=showable(LINES, ASCII)))
    if picture is not None and suffix is not None:
        from ..render.curves import picture as drawn

        save_plot(picture, lambda: drawn(found, suffix))
