"""From the arguments of a command to games, and from what goes wrong to an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import typer

from .output import Colour, replace_file, tell, use_colour
from .progress import Progress, clear_line

if TYPE_CHECKING:
    from ..evaluator.game import Game
    from ..spec.diagnostics import Diagnostic
    from ..spec.reader import Reading

PROBLEMS = 1
UNREADABLE = 2
_UNREADABLE_CODES = frozenset({"GT001", "GT002", "GT003", "GT008"})


def exit_code(diagnostics: Iterable[Diagnostic]) -> int:
    """0 without errors, 2 where a file could not be read, else 1."""
    errors = {found.code.value for found in diagnostics if found.is_error}
    if errors & _UNREADABLE_CODES:
        return UNREADABLE
    return PROBLEMS if errors else 0


def show_problems(diagnostics: Sequence[Diagnostic], colour: Colour) -> None:
    """Print ``diagnostics`` to stderr, where they do not mix with a result."""
    if diagnostics:
        from ..render.diagnostics import as_text

        tell(as_text(diagnostics, use_colour(colour, sys.stderr)).rstrip("\n"))


@contextmanager
def usage_errors() -> Generator[None]:
    """Turn a wrong name of an algorithm, behaviour, policy or parameter into wrong use."""
    from ..spec.diagnostics import UsageError

    try:
        yield
    except UsageError as error:
        raise WrongUse(str(error)) from None


@contextmanager
def problems_to_stderr(colour: Colour) -> Generator[None]:
    """Print what a ``SpecError`` carries, and end the command."""
    from ..spec.diagnostics import SpecError

    try:
        with usage_errors():
            try:
                yield
            finally:
                clear_line()
    except SpecError as error:
        show_problems(error.diagnostics, colour)
        raise typer.Exit(exit_code(error.diagnostics)) from None


class WrongUse(typer.BadParameter):
    """The command was used wrongly: exit code 2, and the message as it is."""

    def format_message(self) -> str:
        """The message, without a parameter's name before it."""
        return self.message


def stop(message: str) -> NoReturn:
    """End a command that cannot go on, with exit code 2."""
    tell(f"error: {message}")
    raise typer.Exit(UNREADABLE)


def _open_saved(path: str, settings: Sequence[str] | None, memory: float | None) -> Game:
    from ..evaluator.saved import read_game
    from .options import limits

    if settings:
        raise WrongUse("a saved game has its parameters; give --set to `gametree compile`")
    from .faults import suspect

    game = read_game(path, limits(None, 0, memory))
    suspect(path)
    game.progress = Progress().game
    return game


def save(path: str, text: str) -> None:
    """Write ``text`` to ``path``, in one step."""
    try:
        replace_file(path, text.encode())
    except OSError as error:
        stop(f"cannot write `{path}`: {error.strerror}")


def settings_of(texts: Sequence[str] | None) -> dict[str, str]:
    """``["drilling=90"]`` as a mapping; of two values for a name the last one counts."""
    settings: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            message = f"--set takes NAME=VALUE, such as --set target=31, not `{text}`"
            raise WrongUse(message)
        settings[name.strip()] = value.strip()
    return settings


def path_of(argument: str) -> str:
    """The path that a file argument stands for: its own, or a bundled game's."""
    if argument == "-" or os.path.isfile(argument):
        return argument
    from ..spec.reader import bundled

    return bundled(argument) or argument


def read(path: str, *, comments: bool = False) -> Reading:
    """Read ``path``, and say so where a person has to type the file."""
    from ..spec.reader import read_path

    _announce(path)
    return read_path(path, comments=comments)


def _announce(path: str) -> None:
    if path == "-" and sys.stdin.isatty():
        tell("reading a game from the terminal; end it with Ctrl-D")


def game_of(reading: Reading, settings: dict[str, str]) -> Game:
    """The game in what was read.

    Raises:
        SpecError: With all that is known to be wrong with it.
    """
    from ..evaluator.game import Game
    from ..spec.diagnostics import SpecError

    if reading.document is None:
        raise SpecError(reading.diagnostics)
    broken = any(found.is_error for found in reading.diagnostics)
    try:
        game = Game.from_document(reading.document, settings, reading.diagnostics)
    except SpecError as error:
        raise SpecError([*reading.diagnostics, *error.diagnostics]) from None
    if broken:
        raise SpecError([*reading.diagnostics, *game.warnings])
    return game


def open_game(
    argument: str, settings: Sequence[str] | None, colour: Colour, memory: float | None = None
) -> Game:
    """The game that a command with one file works on; its warnings go to stderr.

    A saved game may be as large as ``memory`` allows, in GiB.
    """
    with problems_to_stderr(colour):
        game, found = load_game(path_of(argument), settings, memory)
    show_problems(found, colour)
    return game


def load_game(
    path: str, settings: Sequence[str] | None, memory: float | None = None
) -> tuple[Game, list[Diagnostic]]:
    """The game at ``path``, and its warnings.

    Raises:
        SpecError: With all that is known to be wrong with it.
        UsageError, WrongUse: If the settings do not fit the game.
    """
    from ..spec.reader import is_saved

    if is_saved(path):
        return _open_saved(path, settings, memory), []
    game, reported = _game_at(path, settings_of(settings))
    game.progress = Progress().game
    return game, [*reported, *game.warnings]


def _game_at(path: str, settings: dict[str, str]) -> tuple[Game, Sequence[Diagnostic]]:
    """The game in a file, and what reading it had to say.

    Raises:
        SpecError: With all that is known to be wrong with it.
    """
    from ..evaluator.game import Game, tree_or_reading

    _announce(path)
    found = tree_or_reading(path)
    if not isinstance(found, Game):
        return game_of(found, settings), found.diagnostics
    return (Game.from_document(found.document, settings) if settings else found), ()
