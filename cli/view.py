"""``gametree view``: a game as a page that steps through it."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options
from .games import open_game, problems_to_stderr, save, show_problems
from .output import write_content


def view(
    file: options.File,
    *,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="OUT", help="The HTML file to write."),
    ] = None,
    settings: options.Settings = None,
    algorithm: options.Algorithm = "expectiminimax",
    policy: options.ComparedPolicy = None,
    at: options.At = None,
    max_states: options.MaxStates = options.STATES,
    max_work: options.MaxWork = options.WORK,
    max_memory: options.MaxMemory = options.MEMORY,
    colour: options.ColourChoice = "auto",
) -> None:
    """Write a page that shows how a game is searched, step by step, in any browser.

    One file with everything in it, which needs no network: the tree, the walk in plain words,
    sliders for the parameters, and the strategy as a table where the game has states. Without
    --output the page goes to stdout. The exit code is 0, or 1 if the file has errors, or 2 if it
    cannot be read or the page cannot be written.
    """
    from ..render.page import page_html

    game = open_game(file, settings, colour, max_memory)
    with problems_to_stderr(colour):
        page = page_html(
            game,
            algorithm=algorithm,
            policy=policy,
            at=at,
            limits=options.limits(max_states, max_work, max_memory),
        )
    show_problems(game.notes, colour)
    if output is None or output == "-":
        write_content(page)
    else:
        save(output, page)
