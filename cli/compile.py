"""``gametree compile``: keep a game and its unfolded nodes in a file."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from . import options
from .games import WrongUse, open_game, problems_to_stderr, show_problems, stop
from .output import tell, write_file


def compile_game(
    file: options.File,
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="The file to write: game.npz.")
    ],
    settings: options.Settings = None,
    exact: options.Exact = None,
    at: options.At = None,
    max_states: options.MaxStates = options.STATES,
    max_work: options.MaxWork = options.WORK,
    max_memory: options.MaxMemory = options.MEMORY,
    colour: options.ColourChoice = "auto",
) -> None:
    """Unfold a game and keep it in a file, which other commands take in place of the game.

    The file has all that they need: the nodes, the game's text and its parameters. Algorithms
    and policies are not part of it: they are chosen when it is used. The exit code is 0, or 1
    if the game has errors, or 2 if it cannot be read or the file cannot be written.
    """
    if output == "-":
        raise WrongUse("a saved game is no text; say where to write it: -o game.npz")
    game = open_game(file, settings, colour, max_memory)
    with problems_to_stderr(colour):
        from ..evaluator.saved import write_game

        numbers = options.numbers_of(exact)
        limits = options.limits(max_states, max_work, max_memory)
        dag = game.dag(limits, at=at, numbers=numbers)
        at = at or game.saved_at
    show_problems(game.notes, colour)
    try:
        write_file(output, partial(write_game, game, dag, at=at))
    except OSError as error:
        stop(f"cannot write `{output}`: {error.strerror}")
    tell(f"{output}: {len(dag):,} nodes, {len(dag.child):,} edges")
