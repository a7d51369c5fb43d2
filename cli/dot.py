"""``gametree dot``: a game as a picture."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from . import options
from .games import open_game, problems_to_stderr, stop
from .output import write_content


def dot(
    file: options.File,
    *,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write a .svg, .png or .pdf picture (by Graphviz), or a .dot file.",
        ),
    ] = None,
    style: Annotated[
        Literal["game", "decision"],
        typer.Option(help="Triangles and circles, or the shapes of decision analysis."),
    ] = "game",
    solve: Annotated[
        bool, typer.Option("--solve/--no-solve", help="Show values and chosen branches.")
    ] = True,
    max_nodes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Cut a larger game at a depth.")
    ] = 200,
    settings: options.Settings = None,
    algorithm: options.Algorithm = "expectiminimax",
    play: options.Play = None,
    policy: options.Policy = None,
    exact: options.Exact = None,
    at: options.At = None,
    max_states: options.MaxStates = options.STATES,
    max_work: options.MaxWork = options.WORK,
    max_memory: options.MaxMemory = options.MEMORY,
    colour: options.ColourChoice = "auto",
) -> None:
    """Draw a game: DOT on stdout, or a picture in a file.

    The exit code is 0, or 1 if the file has errors, or 2 if it cannot be read, the picture
    cannot be written or Graphviz is missing.
    """
    from ..evaluator.behaviour import parse_play
    from ..render.dot import dot as dot_text

    game = open_game(file, settings, colour, max_memory)
    limits = options.limits(max_states, max_work, max_memory)
    with problems_to_stderr(colour):
        solution = game.solution(
            algorithm=algorithm,
            play=parse_play(play or ()),
            policy=policy,
            numbers=options.numbers_of(exact),
            at=at,
            limits=limits,
        )
        text = dot_text(
            solution.dag,
            solution if solve else None,
            style=style,
            max_nodes=max_nodes,
            title=game.name,
        )
    if output is None or output == "-":
        write_content(text)
        return
    from ..render.graphviz import GraphvizError, render_graphviz

    try:
        render_graphviz(text, output)
    except GraphvizError as error:
        stop(str(error))
