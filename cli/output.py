"""Where output goes: results to stdout, everything else to stderr, files in one step.

A reader that stops reading (``| head``) ends the program quietly; a stream that cannot show
a character shows its escape.
"""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, Literal, NoReturn, Self, TextIO

if TYPE_CHECKING:
    from types import TracebackType

Colour = Literal["auto", "always", "never"]

_STOPPED_READING = 141  # what a shell shows for a program that ended by SIGPIPE
_CANNOT_WRITE = 2


def prepare_streams() -> None:
    """Let no label stop the output: what a stream cannot show is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _give_up(error: OSError) -> NoReturn:
    """End after a write that failed, without a second failure when Python flushes."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    if isinstance(error, BrokenPipeError):
        sys.exit(_STOPPED_READING)
    tell(f"error: cannot write the output: {error.strerror}")
    sys.exit(_CANNOT_WRITE)


def say(text: str) -> None:
    """Print ``text`` and a line break to stdout."""
    try:
        sys.stdout.write(f"{text}\n")
    except OSError as error:
        _give_up(error)


def tell(text: str) -> None:
    """Print ``text`` and a line break to stderr, behind what stdout already holds."""
    try:
        sys.stdout.flush()
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except OSError as error:
        _give_up(error)


def write_content(text: str) -> None:
    """Print the content of a file: UTF-8 and bare newlines whatever the terminal uses."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except OSError as error:
        _give_up(error)


def finish(code: int) -> int:
    """Flush what is left; the exit code."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:
        _give_up(error)
    return code


def use_colour(colour: Colour, stream: TextIO) -> bool:
    """Whether to colour what goes to ``stream``: the option first, then the environment."""
    if colour != "auto":
        return colour == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()


def replace_file(path: str, content: bytes) -> None:
    """Write ``path`` in one step, so that no reader sees half of it; its mode stays.

    A link is followed: the file it names is replaced, not the link.

    Raises:
        OSError: If that cannot be done; the old file is then untouched.
    """
    import tempfile

    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as device:  # /dev/stdout, a pipe: nothing to replace
            device.write(content)
        return
    handle, temporary = tempfile.mkstemp(
        dir=os.path.dirname(target), prefix=f".{os.path.basename(target)}."
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, _mode_for(target))
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode_for(path: str) -> int:
    """The mode of ``path``, or what a new file gets here."""
    try:
        return os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


class Progress:
    """A line such as ``12/200 games/nim.yaml`` on a terminal's stderr, and nothing elsewhere."""

    _FROM = 20  # fewer files are done before anyone wonders

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._shown = total >= self._FROM and sys.stderr.isatty()

    def __enter__(self) -> Self:
        """Begin; the line goes away at the end."""
        return self

    def step(self, path: str) -> None:
        """Say that ``path`` is next."""
        self._done += 1
        if self._shown:
            width = 60
            shown = path if len(path) <= width else f"…{path[1 - width :]}"
            sys.stderr.write(f"\r\x1b[K{self._done}/{self._total} {shown}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away, before something else is printed."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the line away."""
        self.clear()
