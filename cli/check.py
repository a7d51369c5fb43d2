"""``gametree validate``: everything that is wrong with some files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .games import game_of, read, settings_of, usage_errors
from .progress import Progress
from .report import Reporter, resolve

if TYPE_CHECKING:
    from ..compiler.limits import Limits
    from ..spec.diagnostics import Diagnostic


def validate(
    files: options.Files,
    *,
    settings: options.Settings = None,
    static: Annotated[
        bool, typer.Option("--static", help="Only look at the text: visit no states.")
    ] = False,
    max_states: options.MaxStates = options.STATES,
    max_work: options.MaxWork = options.WORK,
    max_memory: options.MaxMemory = options.MEMORY,
    output: options.Report = "text",
    colour: options.ColourChoice = "auto",
) -> None:
    """Report every mistake in some files: in the text, and in the states that play can reach.

    Findings go to stdout, the summary to stderr. The exit code is 0 if all files are fine
    (warnings do not count), 1 if one has errors, 2 if one cannot be read.
    """
    from ..render.diagnostics import summary

    given = settings_of(settings)
    limits = (
        None
        if static
        else options.limits(max_states, max_work, max_memory, native=options.VALIDATED_STATES)
    )
    paths, missing = resolve(files)
    with Progress(len(paths)) as progress:
        reporter = Reporter(output, colour, progress)
        for report in missing:
            reporter.add(report)
        for path in paths:
            with reporter.file(path) as report:
                report.diagnostics.extend(_problems_of(path, given, limits, progress))
    found = [found for report in reporter.files for found in report.diagnostics]
    raise typer.Exit(reporter.finish(summary(found, len(reporter.files))))


def _problems_of(
    path: str, settings: dict[str, str], limits: Limits | None, progress: Progress
) -> list[Diagnostic]:
    """All that is wrong with one file; ``limits`` None leaves its states alone."""
    from ..spec.diagnostics import SpecError

    reading = read(path)
    try:
        with usage_errors():
            game = game_of(reading, settings)
            game.progress = progress.game
            states = [] if limits is None else game.check_states(limits)
    except SpecError as error:
        return error.diagnostics
    return [*reading.diagnostics, *game.warnings, *states]
