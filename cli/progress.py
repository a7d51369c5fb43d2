"""The line on a terminal that says where long work is: the one place that draws it.

It is drawn on stderr, if that is a terminal, once half a second has gone by, and goes away
before anything else is printed (see ``output``). Elsewhere nothing is drawn at all.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from ..compiler.progress import Step

_AFTER, _EVERY = 0.5, 0.1  # seconds
_BAR = 20  # characters


class _Line:
    """The last line of the terminal."""

    def __init__(self) -> None:
        self._drawn = False

    def draw(self, text: str) -> None:
        """Show ``text``, cut to the terminal's width, in place of what was there."""
        from shutil import get_terminal_size

        width = get_terminal_size().columns - 1
        shown = text if len(text) <= width else f"{text[: max(0, width - 1)]}…"
        self._drawn = True
        self._write(f"\r\x1b[K{shown}")

    def clear(self) -> None:
        """Take the line away, if it is there."""
        if self._drawn:
            self._drawn = False
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:  # the terminal is gone; what matters will fail by itself
            self._drawn = False


_line = _Line()
clear_line = _line.clear


class Progress:
    """Where a command is: in which of its files, and in that, how far the game is.

    ``12/200 games/nim.yaml: 1,204,224 states, 1,310 open, 3,101,000 edges, 2,400,000/s, 0.1 GiB``
    """

    def __init__(self, files: int = 1) -> None:
        self._files = files
        self._done = 0
        self._path = ""
        self._begun = time.monotonic()
        self._next = self._begun + _AFTER
        self._stage_begun = 0.0
        self._stage: object = None
        self._from = 0  # how many nodes there were when the stage was first seen

    def __enter__(self) -> Self:
        """Begin; the line goes away at the end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the line away."""
        self.clear()

    def clear(self) -> None:
        """Take the line away, before something else is printed."""
        clear_line()

    # --- what is told ---

    def step(self, path: str) -> None:
        """Say that ``path`` is the next file."""
        self._done += 1
        self._path = path
        self._stage = None
        if self._due():
            self._draw("")

    def game(self, step: Step) -> None:
        """Say how far a game is unfolded or solved."""
        if self._due():
            self._draw(_solving(step) if step.solving else self._unfolding(step))

    def plays(self, done: int, plays: int) -> None:
        """Say how many of the plays are done."""
        if not self._due():
            return
        spent = self._since("plays")
        left = f", {spent * (plays - done) / done:,.0f} s left" if done and spent > _EVERY else ""
        self._draw(f"{_bar(done, plays)} {done:,} of {plays:,} plays{left}")

    # --- how it is told ---

    def _due(self) -> bool:
        """Whether it is time to draw."""
        now = time.monotonic()
        if now < self._next or not sys.stderr.isatty():
            return False
        self._next = now + _EVERY
        return True

    def _since(self, stage: object) -> float:
        """How long this stage has been seen, in seconds."""
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._stage_begun = stage, now
        return now - self._stage_begun

    def _draw(self, text: str) -> None:
        if self._files == 1:
            _line.draw(text)
            return
        width = 40 if text else 70
        path = self._path if len(self._path) <= width else f"…{self._path[1 - width :]}"
        _line.draw(f"{self._done}/{self._files} {path}{': ' if text else ''}{text}")

    def _unfolding(self, step: Step) -> str:
        parts = [f"{step.nodes:,} states", f"{step.still_open:,} open"]
        if step.edges is not None:
            parts.append(f"{step.edges:,} edges")
        spent = self._since(("unfolding", step.edges is None))  # each engine begins anew
        if spent > 0:
            parts.append(f"{(step.nodes - self._from) / spent:,.0f}/s")
        else:
            self._from = step.nodes
        memory = _memory()
        if memory:
            parts.append(f"{memory / 2**30:.2f} GiB")
        return ", ".join(parts)


def _solving(step: Step) -> str:
    return f"{_bar(step.nodes - step.still_open, step.nodes)} solving {step.nodes:,} states"


def _bar(done: int, total: int) -> str:
    """``[######    ]``, in characters that every terminal has."""
    filled = _BAR * done // max(total, 1)
    return f"[{'#' * filled}{' ' * (_BAR - filled)}]"


def _memory() -> int:
    """The bytes that the process takes; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return _peak_memory()
    import os

    return pages * os.sysconf("SC_PAGE_SIZE")


def _peak_memory() -> int:
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10
