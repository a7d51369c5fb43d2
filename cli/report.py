"""What was found in many files, printed as text, as one JSON object, or for GitHub."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import typer

from .faults import report as report_fault
from .games import PROBLEMS, WrongUse, exit_code
from .options import ReportFormat
from .output import Colour, say, tell, use_colour
from .progress import Progress

if TYPE_CHECKING:
    from ..evaluator.game import Expected
    from ..spec.diagnostics import Diagnostic


@dataclass(slots=True)
class FileReport:
    """What was found in one file; ``expectations`` is None where they were not looked at."""

    path: str
    diagnostics: list[Diagnostic] = field(default_factory=list["Diagnostic"])
    expectations: list[Expected] | None = None
    fault: int = 0  # the exit code of a mistake of gametree's own

    @property
    def failed(self) -> list[Diagnostic]:
        """What the expectations that do not hold have to say."""
        return [
            expected.diagnostic
            for expected in self.expectations or ()
            if not expected.ok and expected.diagnostic is not None
        ]

    @property
    def code(self) -> int:
        """The exit code that this file alone would give."""
        failed = any(not expected.ok for expected in self.expectations or ())
        return max(self.fault, PROBLEMS if failed else 0, exit_code(self.diagnostics))


class Reporter:
    """Prints findings as files are done, and at the end a summary, which goes to stderr."""

    def __init__(self, output: ReportFormat, colour: Colour, progress: Progress) -> None:
        self._format = output
        self._colour = use_colour(colour, sys.stdout)
        self._progress = progress
        self._files: list[FileReport] = []
        self._printed = False

    @contextmanager
    def file(self, path: str) -> Generator[FileReport]:
        """Gather what is found in ``path``; a mistake of gametree's own stops no other file."""
        report = FileReport(path)
        self._progress.step(path)
        try:
            yield report
        except (typer.Exit, WrongUse):  # it concerns the whole command
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the other files go on
            self._fault(report, error)
        self.add(report)

    def _fault(self, report: FileReport, error: Exception) -> None:
        from ..spec.diagnostics import Code, Diagnostic
        from ..spec.source import Source

        report.fault = report_fault(error)
        message = f"internal error: {type(error).__name__}; this is a bug in gametree"
        report.diagnostics.append(
            Diagnostic(Code.INTERNAL, Source(report.path, "").place(0, 0), message)
        )

    def add(self, report: FileReport) -> None:
        """Print what was found in a file, unless it has to wait for the others."""
        self._files.append(report)
        found = [*report.diagnostics, *report.failed]
        if not found or self._format == "json":
            return
        from ..render.diagnostics import as_github, as_text
        from ..spec.diagnostics import in_order

        ordered = in_order(found)
        if self._format == "github":
            say(as_github(ordered).rstrip("\n"))
            return
        if self._printed:
            say("")
        self._printed = True
        say(as_text(ordered, self._colour))

    def finish(self, summary: str) -> int:
        """Print the JSON object and the summary; the exit code."""
        if self._format == "json":
            import json

            say(json.dumps({"files": [_as_json(report) for report in self._files]}, indent=2))
        tell(summary)
        return max((report.code for report in self._files), default=0)

    @property
    def files(self) -> Sequence[FileReport]:
        """What was gathered so far."""
        return self._files


def _as_json(report: FileReport) -> dict[str, Any]:
    from ..render.diagnostics import as_json_objects

    content: dict[str, Any] = {"path": report.path, "ok": report.code == 0}
    if report.expectations is not None:
        content["expectations"] = [
            {
                "title": expected.title,
                "ok": expected.ok,
                "diagnostic": as_json_objects([expected.diagnostic])[0]
                if expected.diagnostic
                else None,
            }
            for expected in report.expectations
        ]
    content["diagnostics"] = as_json_objects(report.diagnostics)
    return content


def resolve(arguments: Sequence[str]) -> tuple[list[str], list[FileReport]]:
    """The files that ``arguments`` name, each once, and a report for each that names none."""
    from ..spec.reader import find_files

    paths: dict[str, None] = {}
    missing: list[FileReport] = []
    for argument in arguments:
        found, problems = find_files([argument])
        paths.update(dict.fromkeys(found))
        if problems:
            missing.append(FileReport(argument, problems))
    return list(paths), missing
