"""``gametree eval``: the value of a game, its best moves and its optimal strategy."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from . import options
from .games import open_game, problems_to_stderr, show_problems
from .output import say, use_colour

if TYPE_CHECKING:
    from ..evaluator.solution import Answer, Solution


def evaluate(
    file: options.File,
    *,
    settings: options.Settings = None,
    algorithm: options.Algorithm = "expectiminimax",
    play: options.Play = None,
    policy: options.Policy = None,
    exact: options.Exact = None,
    at: options.At = None,
    strategy: Annotated[
        bool, typer.Option("--strategy", help="List the best branch at every choice node.")
    ] = False,
    max_states: options.MaxStates = options.STATES,
    max_work: options.MaxWork = options.WORK,
    max_memory: options.MaxMemory = options.MEMORY,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How to print the answer.")
    ] = "text",
    colour: options.ColourChoice = "auto",
) -> None:
    """Print the value of a game, the value of each of the root's branches, and the best.

    The answer goes to stdout; what is wrong with the file goes to stderr. The exit code is 0,
    or 1 if the file has errors, or 2 if it cannot be read or the command is used wrongly.
    """
    from dataclasses import replace

    from ..evaluator.behaviour import parse_play

    game = open_game(file, settings, colour, max_memory)
    with problems_to_stderr(colour):
        plays, limits = parse_play(play or ()), options.limits(max_states, max_work, max_memory)
        solution = game.solution(
            algorithm=algorithm,
            play=plays,
            policy=policy,
            numbers=options.numbers_of(exact),
            at=at,
            limits=limits,
        )
        answer = game.answer(solution)
        if policy is not None:
            compared = game.against(
                policy, solution, algorithm=algorithm, play=plays, limits=limits
            )
            answer = replace(answer, policy=compared)
    show_problems(game.notes, colour)
    if output == "json":
        say(_as_json(answer, solution if strategy else None))
    else:
        say(_as_text(answer, solution if strategy else None, use_colour(colour, sys.stdout)))


def _as_json(answer: Answer, solution: Solution | None) -> str:
    import json

    from ..render.answer import answer_json, strategy_json, strategy_rows

    content = answer_json(answer)
    if solution is not None:
        content["strategy"] = strategy_json(strategy_rows(solution))
    return json.dumps(content, indent=2)


def _as_text(answer: Answer, solution: Solution | None, colour: bool) -> str:
    from ..render.answer import answer_text, strategy_rows, strategy_text

    text = answer_text(answer, colour=colour)
    if solution is None:
        return text
    return f"{text}\n\n{strategy_text(strategy_rows(solution), colour=colour)}"
