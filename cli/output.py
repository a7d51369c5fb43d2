"""Where output goes: results to stdout, everything else to stderr, files in one step.

A reader that stops reading (``| head``) ends the program quietly; a stream that cannot show
a character shows its escape.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import IO, Literal, NoReturn, TextIO

from .progress import clear_line

Colour = Literal["auto", "always", "never"]

_STOPPED_READING = 141  # what a shell shows for a program that ended by SIGPIPE
_CANNOT_WRITE = 2


def prepare_streams() -> None:
    """Let no label stop the output: what a stream cannot show is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def give_up(error: OSError) -> NoReturn:
    """End after a write to a stream that failed, without a second failure when Python flushes."""
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
    clear_line()
    try:
        sys.stdout.write(f"{text}\n")
    except OSError as error:
        give_up(error)


def tell(text: str) -> None:
    """Print ``text`` and a line break to stderr, behind what stdout already holds."""
    clear_line()
    try:
        sys.stdout.flush()
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except OSError as error:
        give_up(error)


def write_content(content: str | bytes) -> None:
    """Print the content of a file: UTF-8 and bare newlines whatever the terminal uses."""
    clear_line()
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content.encode() if isinstance(content, str) else content)
        sys.stdout.buffer.flush()
    except OSError as error:
        give_up(error)


def finish(code: int) -> int:
    """Flush what is left; the exit code."""
    clear_line()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:
        give_up(error)
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
    """Write ``content`` to ``path`` in one step: see ``write_file``."""

    def write(file: IO[bytes]) -> None:
        file.write(content)

    write_file(path, write)


def write_file(path: str, write: Callable[[IO[bytes]], None]) -> None:
    """Let ``write`` make ``path`` in one step, so that no reader sees half of it.

    The file's mode stays.

    A link is followed: the file it names is replaced, not the link.

    Raises:
        OSError: If that cannot be done; the old file is then untouched.
    """
    import tempfile

    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as device:  # /dev/stdout, a pipe: nothing to replace
            write(device)
        return
    handle, temporary = tempfile.mkstemp(
        dir=os.path.dirname(target), prefix=f".{os.path.basename(target)}."
    )
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
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
