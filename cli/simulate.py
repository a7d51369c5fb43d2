"""``gametree simulate``: play a game many times."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from . import options
from .evaluation import Evaluation, with_evaluation
from .games import problems_to_stderr, show_problems
from .output import say, use_colour
from .plots import plot_format, save_plot, showable
from .progress import Progress

if TYPE_CHECKING:
    from ..evaluator.simulate import Simulation


@with_evaluation
def simulate(
    file: options.File,
    *,
    plays: Annotated[
        int, typer.Option("--plays", "-n", min=1, metavar="N", help="How many times to play.")
    ] = 100_000,
    seed: Annotated[
        int,
        typer.Option(min=0, max=2**64 - 1, metavar="N", help="The same seed gives the same plays."),
    ] = 1,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1024,
            metavar="N",
            help="How many play at once: by default one for each processor. The result does not "
            "depend on it.",
        ),
    ] = None,
    picture: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="OUT", help="Draw the histogram: an .svg or .png file."
        ),
    ] = None,
    asked: Evaluation,
    policy: options.Policy = None,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How to print the result.")
    ] = "text",
    colour: options.ColourChoice = "auto",
) -> None:
    """Play a game many times, and print the mean, its standard error and what came up how often.

    Players choose the best branch (the first of tied ones), or as --algorithm, --play and
    --policy say; chance draws by its odds. The value that `gametree eval` gives stands beside
    the mean. The exit code is 0, or 1 if the file has errors, or 2 if it cannot be read, the
    picture cannot be made or the command is used wrongly.
    """
    suffix = None if picture is None else plot_format(picture)
    game = asked.open(file, colour)
    with problems_to_stderr(colour):
        from ..evaluator.simulate import simulate as simulate_game

        simulation = simulate_game(
            game,
            plays,
            seed=seed,
            threads=threads,
            policy=policy,
            **asked.arguments(),
            progress=Progress().plays,
        )
    show_problems(game.notes, colour)
    say(_as_json(simulation) if output == "json" else _as_text(simulation, colour))
    if picture is not None and suffix is not None:
        from ..render.plot import picture as drawn

        save_plot(picture, lambda: drawn(simulation, suffix))


def _as_json(simulation: Simulation) -> str:
    import json

    from ..render.simulation import simulation_json

    return json.dumps(simulation_json(simulation), indent=2)


def _as_text(simulation: Simulation, colour: options.ColourChoice) -> str:
    from ..render.histogram import ASCII, BLOCKS
    from ..render.simulation import simulation_text

    return simulation_text(
        simulation, colour=use_colour(colour, sys.stdout), blocks=showable(BLOCKS, ASCII)
    )
