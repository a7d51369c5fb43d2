"""``gametree trace``: the depth-first walk through a game, step by step."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from . import options
from .games import open_game, problems_to_stderr, show_problems
from .output import say, tell, use_colour

MAX_STEPS = 10_000


def _complete_algorithm(incomplete: str) -> list[str]:
    from ..evaluator.search.traced import SEARCHES
    from .completion import algorithms

    searches = [name for name in SEARCHES if name.startswith(incomplete)]
    return [*algorithms(incomplete), *searches]


def trace(
    file: options.File,
    *,
    settings: options.Settings = None,
    algorithm: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="expectiminimax, minimax or expectimax; or a search that leaves out what cannot "
            "matter: alpha-beta, pvs, star1 or star2.",
            autocompletion=_complete_algorithm,
        ),
    ] = "expectiminimax",
    play: options.Play = None,
    policy: options.Policy = None,
    exact: options.Exact = None,
    at: options.At = None,
    max_steps: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Print the first N steps, and say how many are left out."
        ),
    ] = MAX_STEPS,
    max_states: options.MaxStates = options.STATES,
    max_work: options.MaxWork = options.WORK,
    max_memory: options.MaxMemory = options.MEMORY,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How to print the steps.")
    ] = "text",
    colour: options.ColourChoice = "auto",
) -> None:
    """Print each step of the depth-first search that values a game.

    A node is entered, a payoff examined, a child returns its value and the running best or the
    running sum changes, a node is done. A node met again is not walked again. The steps go to
    stdout as they are made; what is wrong with the file goes to stderr. The exit code is 0, or 1
    if the file has errors, or 2 if it cannot be read or the command is used wrongly.
    """
    from ..evaluator.behaviour import parse_play
    from ..render.trace import left_out_text, trace_json, trace_text

    game = open_game(file, settings, colour, max_memory)
    with problems_to_stderr(colour):
        found = game.trace(
            algorithm=algorithm,
            play=parse_play(play or ()),
            policy=policy,
            numbers=options.numbers_of(exact),
            at=at,
            limits=options.limits(max_states, max_work, max_memory),
        )
        left = max(0, len(found) - max_steps)  # a search that cuts is made once to count
    show_problems(game.notes, colour)
    if output == "json":
        for line in trace_json(found, max_steps):
            say(line)
        if left:
            tell(f"note: {left_out_text(left)}")
        return
    for line in trace_text(found, max_steps, colour=use_colour(colour, sys.stdout)):
        say(line)
