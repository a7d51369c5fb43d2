"""``gametree compare``: what policies are worth, and where they lose it."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from . import options
from .evaluation import Evaluation, with_evaluation
from .games import problems_to_stderr, show_problems
from .output import say, use_colour


@with_evaluation
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
    asked: Evaluation,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How to print it.")
    ] = "text",
    colour: options.ColourChoice = "auto",
) -> None:
    """Print what policies are worth against the optimum, and the states that cost most.

    A state's cost is what the policy's choice loses there (slip), times how often play comes
    there (reach). The costs of all states add up to what the policy loses.
    """
    from ..evaluator.compare import Stage
    from ..evaluator.compare import compare as compare_policies

    game = asked.open(file, colour)
    with problems_to_stderr(colour):
        stage = Stage.of(
            game,
            **asked.arguments(),
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
