"""``gametree test``: whether games have the answers that their files expect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .games import game_of, read, settings_of, usage_errors
from .output import say, tell
from .progress import Progress
from .report import FileReport, Reporter, resolve

if TYPE_CHECKING:
    from ..compiler.limits import Limits
    from ..spec.diagnostics import Diagnostic


def check_expectations(
    files: options.Files,
    *,
    settings: options.Settings = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="List the expectations that hold, too.")
    ] = False,
    max_states: options.MaxStates = options.STATES,
    max_work: options.MaxWork = options.WORK,
    max_memory: options.MaxMemory = options.MEMORY,
    output: options.Report = "text",
    colour: options.ColourChoice = "auto",
) -> None:
    """Evaluate games and compare with what their `expect` entries say.

    Findings go to stdout, the summary to stderr. The exit code is 0 if every expectation
    holds, 1 if one does not or a file has errors, 2 if one cannot be read.
    """
    given = settings_of(settings)
    limits = options.limits(max_states, max_work, max_memory)
    paths, missing = resolve(files)
    with Progress(len(paths)) as progress:
        reporter = Reporter(output, colour, progress)
        for report in missing:
            reporter.add(report)
        for path in paths:
            with reporter.file(path) as report:
                _examine(report, given, limits, progress)
            if verbose and output == "text":
                _list(report)
    raise typer.Exit(reporter.finish(_summary(reporter)))


def _examine(
    report: FileReport, settings: dict[str, str], limits: Limits, progress: Progress
) -> None:
    """Fill ``report``."""
    from ..spec.diagnostics import SpecError

    reading = read(report.path)
    try:
        with usage_errors():
            game = game_of(reading, settings)
            game.progress = progress.game
            report.diagnostics.extend([*reading.diagnostics, *game.warnings])
            report.expectations = game.expectations(limits)
            report.diagnostics.extend(_not_among(report.failed, game.check_policies(limits)))
    except SpecError as error:
        report.diagnostics[:] = error.diagnostics
    if report.expectations == []:
        tell(f"{report.path}: the file expects nothing")


def _not_among(known: Sequence[Diagnostic], found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """What was ``found`` at places where nothing is ``known`` of the same code."""
    taken = {(problem.code, problem.place.start) for problem in known}
    return [problem for problem in found if (problem.code, problem.place.start) not in taken]


def _list(report: FileReport) -> None:
    for expected in report.expectations or ():
        say(f"{'ok    ' if expected.ok else 'FAILED'} {report.path}: {expected.title}")


def _summary(reporter: Reporter) -> str:
    results = [expected.ok for report in reporter.files for expected in report.expectations or ()]
    files, failed = len(reporter.files), results.count(False)
    broken = sum(report.expectations is None for report in reporter.files)
    counted = f"{len(results)} expectation{'' if len(results) == 1 else 's'}"
    parts = [f"{counted} in {files} file{'' if files == 1 else 's'}"]
    if results:
        parts.append(f"{failed} failed" if failed else "all hold")
    others = sum(
        found.is_error
        for report in reporter.files
        if report.expectations is not None
        for found in report.diagnostics
    )
    if others:
        parts.append(f"{others} other error{'' if others == 1 else 's'}")
    if broken:
        parts.append(f"{broken} not tested")
    return ", ".join(parts)
