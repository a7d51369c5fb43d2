"""``gametree fmt``: files in the canonical style."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from . import options
from .faults import report as report_fault
from .games import PROBLEMS, UNREADABLE, WrongUse, exit_code, game_of, read, show_problems
from .output import Colour, replace_file, say, tell, write_content
from .progress import Progress
from .report import resolve


def fmt(
    files: options.Files,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 if a file would change.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Write nothing; show what would change.")
    ] = False,
    colour: options.ColourChoice = "auto",
) -> None:
    """Rewrite files in the canonical style: layout changes, content and comments do not.

    `-` reads standard input and writes standard output. A file with errors is reported and
    left as it is. The exit code is 0, or 1 if a file has errors or (with --check or --diff)
    would change, or 2 if one cannot be read or written.
    """
    if not (check or diff):
        _refuse_bundled(files)
    paths, missing = resolve(files)
    codes = [report.code for report in missing]
    show_problems([found for report in missing for found in report.diagnostics], colour)
    with Progress(len(paths)) as progress:
        formatter = _Formatter(check, diff, colour, progress)
        codes += [formatter.file(path) for path in paths]
    broken = sum(report.code > 0 for report in missing)
    tell(formatter.summary(len(paths) + broken, broken))
    raise typer.Exit(max(codes, default=0))


def _refuse_bundled(arguments: list[str]) -> None:
    from ..spec.reader import bundled

    for argument in arguments:
        if argument != "-" and not os.path.lexists(argument) and bundled(argument):
            message = (
                f"`{argument}` is a bundled game, which is not rewritten; "
                f"`gametree trees {argument}` prints it"
            )
            raise WrongUse(message)


class _Formatter:
    """Formats one file after another and counts what changed."""

    def __init__(self, check: bool, diff: bool, colour: Colour, progress: Progress) -> None:
        self._diff = diff
        self._only_look = check or diff
        self._colour: Colour = colour
        self._progress = progress
        self._changed = 0
        self._broken = 0

    def file(self, path: str) -> int:
        """Format ``path``; the exit code that it gives."""
        self._progress.step(path)
        try:
            return self._format(path)
        except Exception as error:  # noqa: BLE001 - whatever it is, the other files go on
            self._broken += 1
            return report_fault(error)

    def summary(self, files: int, unread: int) -> str:
        """What happened to how many of ``files``, of which ``unread`` were not found."""
        would = "would change" if self._only_look else "changed"
        broken = self._broken + unread
        errors = f", {broken} with errors" if broken else ""
        return f"{self._changed} of {files} file{'' if files == 1 else 's'} {would}{errors}"

    def _format(self, path: str) -> int:
        from ..spec.diagnostics import SpecError
        from ..spec.format import format_document

        reading = read(path, comments=True)
        try:
            document = game_of(reading, {}).document
        except SpecError as error:
            show_problems(error.diagnostics, self._colour)
            self._broken += 1
            return exit_code(error.diagnostics)
        before, after = reading.source.text, format_document(document)
        self._changed += before != after
        if path == "-" and not self._only_look:
            write_content(after)
            return 0
        if before == after:
            return 0
        return self._show(path, before, after) if self._only_look else _rewrite(path, after)

    def _show(self, path: str, before: str, after: str) -> int:
        if self._diff:
            write_content(_difference(path, before, after))
        else:
            say(f"would reformat {path}")
        return PROBLEMS


def _rewrite(path: str, content: str) -> int:
    try:
        replace_file(path, content.encode())
    except OSError as error:
        tell(f"error: cannot write `{path}`: {error.strerror}")
        return UNREADABLE
    say(f"reformatted {path}")
    return 0


def _difference(path: str, before: str, after: str) -> str:
    """A unified diff."""
    from difflib import unified_diff

    lines = unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), path, path
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
