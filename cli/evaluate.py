"""``gametree eval``: the value of a game, its best moves and its optimal strategy."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from . import options
from .evaluation import Evaluation, with_evaluation
from .games import problems_to_stderr, show_problems
from .output import say, use_colour

if TYPE_CHECKING:
    from ..evaluator.game import Game
    from ..evaluator.solution import Answer, Solution
    from ..evaluator.statistics import Statistics


@with_evaluation
def evaluate(
    file: options.File,
    *,
    asked: Evaluation,
    policy: options.Policy = None,
    strategy: Annotated[
        bool, typer.Option("--strategy", help="List the best branch at every choice node.")
    ] = False,
    stats: Annotated[
        bool,
        typer.Option(
            "--stats", help="Say how large the game is, as a graph and as a tree, level by level."
        ),
    ] = False,
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

    game = asked.open(file, colour)
    with problems_to_stderr(colour):
        how = asked.arguments()
        solution = game.solution(policy=policy, **how)
        answer = game.answer(solution)
        if policy is not None:
            compared = game.against(
                policy,
                solution,
                algorithm=how["algorithm"],
                play=how["play"],
                limits=how["limits"],
            )
            answer = replace(answer, policy=compared)
        measured = _measured(game, solution) if stats else None
    show_problems(game.notes, colour)
    shown = solution if strategy else None
    if output == "json":
        say(_as_json(game, answer, shown, measured))
    else:
        say(_as_text(game, answer, shown, measured, colour=use_colour(colour, sys.stdout)))


def _measured(game: Game, solution: Solution) -> Statistics:
    from ..evaluator.statistics import statistics

    return statistics(solution.dag, game.progress)


def _as_json(
    game: Game, answer: Answer, solution: Solution | None, measured: Statistics | None
) -> str:
    import json

    from ..render.answer import answer_json, strategy_json, strategy_rows

    content = answer_json(answer)
    if solution is not None:
        content["strategy"] = strategy_json(strategy_rows(solution), game.players)
    if measured is not None:
        from ..render.statistics import statistics_json

        content["statistics"] = statistics_json(measured)
    return json.dumps(content, indent=2)


def _as_text(
    game: Game,
    answer: Answer,
    solution: Solution | None,
    measured: Statistics | None,
    *,
    colour: bool,
) -> str:
    from ..render.answer import answer_text, strategy_rows, strategy_text

    parts = [answer_text(answer, colour=colour)]
    if solution is not None:
        rows = strategy_rows(solution)
        parts.append(strategy_text(rows, players=game.players, colour=colour))
    if measured is not None:
        from ..render.statistics import statistics_text

        parts.append(statistics_text(measured, colour=colour))
    return "\n\n".join(parts)
