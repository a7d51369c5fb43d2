"""``gametree``: find the command that was asked for, run it, and end with the right code.

Exit codes  0 fine, 1 a file has problems or an expectation failed, 2 the command was used
wrongly or a file could not be read, 3 a mistake in gametree itself, 130 interrupted,
141 whoever read the output stopped reading.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, MutableMapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from .table import COMMANDS, Entry

if TYPE_CHECKING:
    from typer.core import TyperCommand

PROGRAM = "gametree"


def _help_text(entry: Entry, documentation: str) -> str:
    """The examples first, then what the function says of itself."""
    from inspect import cleandoc

    examples = "\n".join(f"  {example}" for example in entry.examples)
    return f"\b\nExamples:\n{examples}\n\n{cleandoc(documentation)}"


def _build(name: str, entry: Entry) -> TyperCommand:
    """Import the one command ``name``."""
    function = getattr(import_module(f".{entry.module}", __package__), entry.function)
    single = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
    )
    single.command(name, help=_help_text(entry, function.__doc__ or ""), short_help=entry.summary)(
        function
    )
    return typer.main.get_command(single)  # pyright: ignore[reportReturnType]


class _Commands(MutableMapping[str, Any]):
    """The commands by name; each is imported when it is looked up."""

    def __init__(self) -> None:
        self._built: dict[str, TyperCommand] = {}

    def __getitem__(self, name: str) -> TyperCommand:
        if name not in self._built:
            self._built[name] = _build(name, COMMANDS[name])
        return self._built[name]

    def __setitem__(self, name: str, command: TyperCommand) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        raise NotImplementedError

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@contextmanager
def _suggesting() -> Generator[None]:
    """Say "did you mean" where the parser only lists what it found similar."""
    try:
        yield
    except Exception as error:
        similar: list[str] | None = getattr(error, "possibilities", None)
        message: str | None = getattr(error, "message", None)
        if similar and message:
            options = ", ".join(repr(option) for option in sorted(similar))
            vars(error).update(possibilities=None, message=f"{message}. Did you mean {options}?")
        raise


class _Group(TyperGroup):
    """The whole command line, with its commands imported late."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands()

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        """Read the options that come before the command."""
        with _suggesting():
            return super().make_context(*arguments, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _suggesting():
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Group,
    name=PROGRAM,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__
        from .output import say

        say(f"{PROGRAM} {__version__}")
        raise typer.Exit


def _show_completion(shell: str | None) -> None:
    if shell is not None:
        from .completion import script
        from .output import say

        say(script(PROGRAM, shell))
        raise typer.Exit


@app.callback(
    help="\b\nExamples:\n"
    "  gametree eval dice            the value of a bundled game, and the best move\n"
    "  gametree validate games/      check every game in a folder\n"
    "  gametree test games/          check the answers that the games expect\n\n"
    "A language for game trees and stochastic games, and their exact evaluation."
)
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
    show_completion: Annotated[
        str | None,
        typer.Option(
            "--show-completion",
            callback=_show_completion,
            is_eager=True,
            metavar="SHELL",
            help="Print the completion script for bash, zsh, fish or powershell.",
        ),
    ] = None,
) -> None:
    """Declare the options that come before the command."""


def _run_command() -> int:
    """Run what the arguments ask for; the exit code."""
    import os

    if f"_{PROGRAM.upper()}_COMPLETE" in os.environ:
        from .completion import prepare

        prepare()
    try:
        typer.main.get_command(app)(prog_name=PROGRAM)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # from typer, which prints help by itself
        from .output import give_up

        if error.filename is None:
            give_up(error)
        from .faults import report

        return report(error)
    except Exception as error:  # noqa: BLE001 - whatever it is, people get a short report
        from .faults import report

        return report(error)
    return 0


def run() -> None:
    """Run the command line and leave the process."""
    from .output import finish, prepare_streams

    prepare_streams()
    sys.exit(finish(_run_command()))
