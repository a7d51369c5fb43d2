"""``gametree search``: look at some of a game."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

import typer

from . import options
from .games import open_game, problems_to_stderr, show_problems
from .output import say, use_colour


def _complete_algorithm(incomplete: str) -> list[str]:
    from ..evaluator.search.run import ALGORITHMS

    return [name for name in ALGORITHMS if name.startswith(incomplete)]


def search(
    file: options.File,
    *,
    algorithm: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="alpha-beta, pvs, star1, star2, sampled, mcts or full.",
            autocompletion=_complete_algorithm,
        ),
    ] = "alpha-beta",
    depth: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="D", help="Look at most so many moves and chances deep: all by default."
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Look deeper and deeper for so long: seconds (1s), positions (100000n), or for "
            "mcts playouts (10000p).",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            max=2**64 - 1,
            metavar="N",
            help="For sampled and mcts: the same seed, the same luck.",
        ),
    ] = 1,
    samples: Annotated[
        int,
        typer.Option(
            min=1, max=10_000, metavar="K", help="For sampled: outcomes drawn at a chance node."
        ),
    ] = 4,
    table: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**26,
            metavar="N",
            help="Positions that the transposition table has room for; 0 searches the game as a "
            "tree.",
        ),
    ] = None,
    settings: options.Settings = None,
    play: options.Play = None,
    at: options.At = None,
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--float",
            show_default=False,
            help="Search in exact fractions, or by machine code in floats with an error bound. By "
            "default machine code takes over from the 1,000th position, where it can.",
        ),
    ] = None,
    max_work: options.MaxWork = options.WORK,
    max_memory: options.MaxMemory = options.MEMORY,
    side_by_side: Annotated[
        bool, typer.Option("--compare", help="Show all algorithms that apply, side by side.")
    ] = False,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How to print the result.")
    ] = "text",
    colour: options.ColourChoice = "auto",
) -> None:
    """Search a game without looking at all of it, and say how far the answer is to be trusted.

    The answer is exact, a bound (the value lies between two numbers), or an estimate, with its
    standard error where chance had a part in it. Where the depth ends, a position is worth what
    the `heuristic` of its node says, or else anything within the file's `bounds`. At chance nodes
    alpha-beta and pvs use the bounds as star1 does.
    """
    game = open_game(file, settings, colour, max_memory)
    with problems_to_stderr(colour):
        from ..evaluator.behaviour import parse_play
        from ..evaluator.search.budget import parse_budget
        from ..evaluator.search.run import Request

        request = Request(
            algorithm,
            depth=depth,
            budget=None if budget is None else parse_budget(budget),
            seed=seed,
            at=at,
            play=parse_play(play or ()),
            samples=samples,
            table=table,
            numbers=options.numbers_of(exact),
            limits=options.limits(None, max_work, max_memory),
        )
        content = (
            _compared(game, request, output, colour)
            if side_by_side
            else _found(game, request, output, colour)
        )
    show_problems(game.notes, colour)
    say(content)


def _found(game: Any, request: Any, output: str, colour: options.ColourChoice) -> str:
    from ..evaluator.search.run import search as search_game
    from ..render.search import search_json, search_text

    found = search_game(game, request)
    if output == "json":
        return _json(search_json(found))
    return search_text(found, colour=use_colour(colour, sys.stdout))


def _compared(game: Any, request: Any, output: str, colour: options.ColourChoice) -> str:
    from ..evaluator.search.compare import compare
    from ..render.search import comparison_json, comparison_text

    comparison = compare(game, request)
    if output == "json":
        return _json(comparison_json(comparison))
    return comparison_text(comparison, colour=use_colour(colour, sys.stdout))


def _json(content: dict[str, object]) -> str:
    import json

    return json.dumps(content, indent=2)
