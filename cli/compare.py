"""``gametree compare``: what policies are worth, and where they lose it."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from . import options
from .games import open_game, problems_to_stderr, show_problems
from .output import say, use_colour


def compare(
    file: options.File,
    *,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A policy of the file; may be repeated. By default all of them."
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(min=0, metavar="N", help="Name so many of the costliest states.")
    ] = 10,
    settings: options.Settings = None,
    algorithm: options.Algorithm = "expectiminimax",
    play: options.Play = None,
    exact: options.Exact = None,
    at: options.At = None,
    max_states: options.MaxStates = options.STATES,
    max_work: options.MaxWork = options.WORK,
    max_memory: options.MaxMemory = options.MEMORY,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How to print it.")
    ] = "text",
    colour: options.ColourChoice = "auto",
) -> None:
    """Print what policies are worth against the optimum, and the states that cost most.

    A state's cost is what the policy's choice loses there (slip), times how often play comes
    there (reach). The costs of all states add up to what the policy loses.
    """
    from ..evaluator.behaviour import parse_play
    from ..evaluator.compare import Stage
    from ..evaluator.compare import compare as compare_policies

    game = open_game(file, settings, colour, max_memory)
    with problems_to_stderr(colour):
        stage = Stage.of(
            game,
            algorithm=algorithm,
            play=parse_play(play or ()),
            numbers=options.numbers_of(exact),
            at=at,
            limits=options.limits(max_states, max_work, max_memory),
        )
        comparison = compare_policies(stage, policy or (), top=top)
    show_problems(game.notes, colour)
    if output == "json":
        import json

        from ..render.compare import compare_json

        say(json.dumps(compare_json(comparison), indent=2))
    else:
        from ..render.compare import compare_text

        say(compare_text(comparison, colour=use_colour(colour, sys.stdout)))
