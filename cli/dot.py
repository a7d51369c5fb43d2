"""``gametree dot``: a game as a picture."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from . import options
from .evaluation import Evaluation, with_evaluation
from .games import WrongUse, problems_to_stderr, show_problems, stop
from .output import replace_file, tell, write_content

if TYPE_CHECKING:
    from ..compiler.limits import Limits
    from ..evaluator.game import Game
    from ..evaluator.solution import Solution
    from ..render.marks import Marks
    from ..render.pictures import Format

_WIDE = 3_000  # pixels: more than most screens have

Highlight = Literal["line", "strategy", "policy"]


@with_evaluation
def dot(
    file: options.File,
    *,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write a file; its suffix names the format: .svg, .png, .pdf, .dot, .mmd, .tex.",
        ),
    ] = None,
    format_: Annotated[
        Literal["dot", "svg", "png", "pdf", "mermaid", "tikz"] | None,
        typer.Option("--format", help="By default what OUT is named after, or DOT."),
    ] = None,
    engine: Annotated[
        Literal["gametree", "graphviz"] | None,
        typer.Option(
            help="Who draws an SVG: gametree, as a tree, by default; or Graphviz, each node once. "
            "PNG and PDF are always drawn by Graphviz."
        ),
    ] = None,
    style: Annotated[
        Literal["game", "decision"],
        typer.Option(help="Triangles and circles, or the shapes of decision analysis."),
    ] = "game",
    rankdir: Annotated[
        Literal["TB", "BT", "LR", "RL"] | None,
        typer.Option(
            show_default=False,
            help="Where play leads: down, up, right or left. By default down, and right in the "
            "style of decision analysis.",
        ),
    ] = None,
    legend: Annotated[bool, typer.Option("--legend", help="Explain the shapes.")] = False,
    highlight: Annotated[
        Highlight | None,
        typer.Option(
            help="Bring out the line of best play, the whole strategy, or what --policy does."
        ),
    ] = None,
    trace: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="What the depth-first search knows after step K of `gametree trace`.",
        ),
    ] = None,
    collapse: Annotated[bool, typer.Option("--collapse", help="Draw equal subtrees once.")] = False,
    solve: Annotated[
        bool, typer.Option("--solve/--no-solve", help="Show values and chosen branches.")
    ] = True,
    max_nodes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Cut a larger game at a depth.")
    ] = 200,
    policy: options.Policy = None,
    asked: Evaluation,
    colour: options.ColourChoice = "auto",
) -> None:
    """Draw a game: a picture in a file, or its text on stdout.

    An SVG needs no Graphviz; a PNG and a PDF do. The exit code is 0, or 1 if the file has errors,
    or 2 if it cannot be read, the picture cannot be written or Graphviz is missing.
    """
    from ..render.graphviz import GraphvizError
    from ..render.pictures import Look, format_of, picture

    _check_marks(highlight, trace, policy, solve=solve)
    game = asked.open(file, colour)
    with problems_to_stderr(colour):
        chosen = format_of(output, format_)
        _check_terminal(output, chosen)
        solving: dict[str, Any] = {**asked.arguments(), "policy": policy}
        if trace is None:
            solution = game.solution(**solving)
            marks = _marks(game, solution, highlight, policy, solving["limits"])
        else:
            solution, marks = _walked(game, trace, solving)
        look = Look(
            chosen,
            engine,
            style,
            rankdir,
            max_nodes,
            collapse,
            legend,
            game.name,
            marks,
            game.players,
        )
        try:
            content = picture(solution.dag, solution if solve else None, look)
        except GraphvizError as error:
            stop(str(error))
    show_problems(game.notes, colour)
    _write(output, content)
    if chosen == "svg" and (output not in (None, "-") or sys.stderr.isatty()):
        _tell_width(content, look.leads in ("TB", "BT"))


def _check_marks(
    highlight: Highlight | None, trace: int | None, policy: str | None, *, solve: bool
) -> None:
    """Refuse what does not go together."""
    if highlight is not None and trace is not None:
        raise WrongUse("give --highlight or --trace, not both")
    if not solve and (highlight is not None or trace is not None):
        option = "--trace" if highlight is None else "--highlight"
        raise WrongUse(f"{option} shows choices, and --no-solve makes none")
    if highlight == "policy" and policy is None:
        raise WrongUse("--highlight policy needs --policy NAME: a policy of the file")


def _check_terminal(output: str | None, chosen: Format) -> None:
    from ..render.pictures import BINARY

    if chosen in BINARY and output in (None, "-") and sys.stdout.isatty():
        raise WrongUse(f"{chosen.upper()} is no text for a terminal; give -o OUT.{chosen}")


def _marks(
    game: Game,
    solution: Solution,
    highlight: Highlight | None,
    policy: str | None,
    limits: Limits,
) -> Marks:
    """What is to be brought out."""
    from ..render.marks import PLAIN, line_marks, reached_marks

    if highlight is None:
        return PLAIN
    if highlight == "line":
        return line_marks(solution)
    if highlight == "strategy" or policy is None:
        return reached_marks(solution)
    from ..evaluator.compare import choices_of

    followed = choices_of(game, solution.dag, game.policies[policy], limits)
    return reached_marks(solution, followed, policy)


def _walked(game: Game, step: int, solving: dict[str, Any]) -> tuple[Solution, Marks]:
    """The solution to draw, and what is known after a step of the walk or of a search."""
    from ..evaluator.trace import Trace
    from ..render.marks import trace_marks

    walk = game.trace(**solving)
    if isinstance(walk, Trace):
        solution = walk.solution
    else:  # a search goes through the exact DAG
        exactly: dict[str, Any] = {"algorithm": "expectiminimax", "numbers": "exact"}
        solution = game.solution(**{**solving, **exactly})
    return solution, trace_marks(walk, solution.dag, step)


def _tell_width(content: bytes, leads_down: bool) -> None:
    """Say of a very wide picture what would make it narrower."""
    from ..render.pictures import pixels_across

    width = pixels_across(content)
    if width is not None and width > _WIDE:
        turned = "`--rankdir LR` draws it to the right, " if leads_down else ""
        tell(f"note: the picture is {width:,} pixels wide: {turned}`--max-nodes` cuts it sooner")


def _write(output: str | None, content: bytes) -> None:
    if output is None or output == "-":
        write_content(content)
        return
    try:
        replace_file(output, content)
    except OSError as error:
        stop(f"cannot write `{output}`: {error.strerror or error}")
