"""``gametree serve``: a game's page in the browser, which follows the file as it is written."""

from __future__ import annotations

import errno
import os
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from . import options
from .games import (
    UNREADABLE,
    exit_code,
    load_game,
    path_of,
    problems_to_stderr,
    show_problems,
    stop,
)
from .output import say, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..compiler.limits import Limits
    from ..spec.diagnostics import Diagnostic
    from .output import Colour
    from .server import Content, Site

_EVERY = 0.25  # seconds between two looks at the file
_PORTS = 65_535
_File = Annotated[  # not `options.File`: standard input cannot be read again
    str,
    typer.Argument(
        metavar="FILE",
        help="A file, the name of a bundled game, or a saved game.",
        autocompletion=options.complete_file,
    ),
]


def serve(
    file: _File,
    *,
    port: Annotated[
        int,
        typer.Option(
            min=0, max=_PORTS, metavar="N", show_default=False, help="By default any free one."
        ),
    ] = 0,
    browse: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    settings: options.Settings = None,
    algorithm: options.Algorithm = "expectiminimax",
    policy: options.ComparedPolicy = None,
    at: options.At = None,
    max_states: options.MaxStates = options.STATES,
    max_work: options.MaxWork = options.WORK,
    max_memory: options.MaxMemory = options.MEMORY,
    colour: options.ColourChoice = "auto",
) -> None:
    """Serve the page of `gametree view` to this machine, and load it again when the file changes.

    The address goes to stdout. While the file is broken the page shows what is wrong with it.
    Only this machine is answered, on 127.0.0.1 and ::1. Ctrl-C ends the server, with exit code
    130; it is 2 if the file cannot be read, the port is in use or the command is used wrongly.
    """
    from .server import Site, listen, start

    path = path_of(file)
    if path == "-":
        stop("standard input cannot be read again when it changes; give a file")
    limits = options.limits(max_states, max_work, max_memory)
    source = _Source(path, settings, algorithm, policy, at, limits, max_memory, colour)
    seen, site = _state(path), Site()
    with problems_to_stderr(colour):
        site.show(source.first(site.current.version))
    try:
        servers = listen(port, site)
    except OSError as error:
        _no_port(port, error)
    start(servers)
    url = f"http://127.0.0.1:{servers[0].server_port}/"
    say(url)
    tell(f"serving {path}; Ctrl-C ends")
    if browse:
        _open_browser(url)
    _follow(source, site, seen)


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the page comes from."""

    path: str
    settings: Sequence[str] | None
    algorithm: str
    policy: str | None
    at: str | None
    limits: Limits
    memory: float | None
    colour: Colour

    def first(self, version: str) -> Content:
        """The content to begin with; what was asked for wrongly ends the command.

        Raises:
            SpecError: If the file cannot be read.
            WrongUse, UsageError: If the command's options do not fit the game.
        """
        from ..spec.diagnostics import SpecError
        from .server import Content

        try:
            return Content(version, self._page(version))
        except SpecError as error:
            if exit_code(error.diagnostics) == UNREADABLE:
                raise
            return Content(version, problem=self._told(error.diagnostics))

    def content(self, version: str) -> Content:
        """The content now, whatever has become of the file."""
        from ..spec.diagnostics import SpecError, UsageError
        from .games import WrongUse
        from .server import Content

        try:
            content = Content(version, self._page(version))
        except SpecError as error:
            return Content(version, problem=self._told(error.diagnostics))
        except (UsageError, WrongUse) as error:
            message = error.message
            tell(f"error: {message}")
            return Content(version, problem=f"error: {message}")
        tell("loaded again")
        return content

    def _page(self, version: str) -> str:
        from ..render.page import page_html
        from ..render.served import reload_script

        game, warnings = load_game(self.path, self.settings, self.memory)
        page = page_html(
            game,
            algorithm=self.algorithm,
            policy=self.policy,
            at=self.at,
            limits=self.limits,
            script=reload_script(version),
        )
        show_problems([*warnings, *game.notes], self.colour)
        return page

    def _told(self, diagnostics: Sequence[Diagnostic]) -> str:
        """What is wrong, for the page; it goes to stderr as well."""
        from ..render.diagnostics import as_text

        show_problems(diagnostics, self.colour)
        return as_text(diagnostics)


def _follow(source: _Source, site: Site, seen: object) -> NoReturn:
    """Look at the file again and again, and show what it has become."""
    while True:
        time.sleep(_EVERY)
        state = _state(source.path)
        if state is None:  # perhaps it is being replaced just now
            time.sleep(_EVERY)
            state = _state(source.path)
        if state != seen:
            seen = state
            site.show(source.content(site.next_version()))


def _state(path: str) -> tuple[int, int, int] | None:
    """What changes whenever the file does; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _no_port(port: int, error: OSError) -> NoReturn:
    if error.errno == errno.EADDRINUSE and port:
        stop(f"port {port} is in use; choose another one with --port, or leave it out")
    where = f"port {port}" if port else "127.0.0.1"
    stop(f"cannot listen on {where}: {error.strerror or error}")


def _open_browser(url: str) -> None:
    """Open the browser beside this process: one in the terminal would stop the server."""
    import webbrowser
    from threading import Thread

    def browse() -> None:
        if not webbrowser.open(url):
            print("no browser could be opened; the address is above", file=sys.stderr)  # noqa: T201

    Thread(target=browse, daemon=True).start()
