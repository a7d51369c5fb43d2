"""The options that several commands share, each declared once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .output import Colour

if TYPE_CHECKING:
    from ..compiler.limits import Limits


def complete_file(incomplete: str) -> list[str]:
    """Paths and bundled games that begin like it, for the shell."""
    from .completion import paths_and_trees

    return paths_and_trees(incomplete)


def _complete_algorithm(incomplete: str) -> list[str]:
    from .completion import algorithms

    return algorithms(incomplete)


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A file, `-` for standard input, or the name of a bundled game; a saved game, too.",
        autocompletion=complete_file,
    ),
]
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES...",
        help="Files, folders, `-` for standard input, or names of bundled games.",
        autocompletion=complete_file,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter; may be repeated."),
]
Algorithm = Annotated[
    str,
    typer.Option(
        help="expectiminimax, minimax or expectimax.",
        metavar="NAME",
        autocompletion=_complete_algorithm,
    ),
]
Play = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND=BEHAVIOUR",
        help="How max, min or chance nodes (or a player of the file) choose: optimal, worst, "
        "random, softmax:T, mistake:E, or a policy's name; may be repeated.",
    ),
]
Policy = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Follow a policy of the file where it says what to do."),
]
ComparedPolicy = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The policy that the strategy is compared with: by default the file's first.",
    ),
]
Exact = Annotated[
    bool | None,
    typer.Option(
        "--exact/--float",
        show_default=False,
        help="Exact fractions, or floats with an error bound. By default exact, unless the game "
        "is approximate or has more than some 50,000 edges.",
    ),
]
At = Annotated[
    str | None,
    typer.Option(metavar="CALL", help="Start at this state, such as 'turn(16)', not at the root."),
]
MaxStates = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Stop a game that has more states than this: by default 1,000,000, or 100,000,000 "
        "where machine code finds them.",
    ),
]
MaxMemory = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        metavar="GIB",
        help="Stop a game that takes more memory than this: by default three quarters of the "
        "machine's, and at most 8.",
    ),
]
MaxWork = Annotated[
    int, typer.Option(min=1, metavar="N", help="Stop after this many steps of computing states.")
]
ColourChoice = Annotated[
    Colour, typer.Option("--color", "--colour", help="When to colour diagnostics.")
]
ReportFormat = Literal["text", "json", "github"]
Report = Annotated[ReportFormat, typer.Option("--format", help="How to print what was found.")]

STATES = None
VALIDATED_STATES = 10_000_000  # as many as `validate` visits by machine code
MEMORY = None
WORK = 20_000_000


def numbers_of(exact: bool | None) -> Literal["exact", "float"] | None:
    """What ``--exact`` and ``--float`` ask for; None where neither is given."""
    if exact is None:
        return None
    return "exact" if exact else "float"


def limits(
    states: int | None, work: int, memory: float | None, *, native: int | None = None
) -> Limits:
    """How far a game may unfold; ``native`` is what machine code may find by default."""
    from ..compiler.limits import Limits

    found = Limits(states, work, None if memory is None else int(memory * 2**30))
    return found if native is None else found._replace(native=native)
