"""A mistake of gametree's own, reported as one.

The report holds the version, the type of the exception and the places in gametree's own
files. Neither the exception's text nor the other frames are shown: they can hold pieces of
the person's file, and such a report is meant to be passed on.
"""

from __future__ import annotations

import os
import platform
import sys
import traceback
from pathlib import Path

from .. import __version__
from .output import tell

INTERNAL = 3
_OUT_OF_MEMORY = 2
_UNUSABLE = 2
_PACKAGE = Path(__file__).parents[1]


def _own_frames(error: BaseException) -> list[str]:
    """Where in gametree it happened, outermost first: ``compiler/unfold.py:120 in step``."""
    frames: list[str] = []
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if path.is_relative_to(_PACKAGE):
            frames.append(f"{path.relative_to(_PACKAGE)}:{frame.lineno} in {frame.name}")
    return frames


def describe(error: BaseException) -> str:
    """The short report of ``error``."""
    frames = _own_frames(error)
    if len(frames) > 12:  # deep recursion: the ends say enough
        frames = [*frames[:4], f"… {len(frames) - 8} more", *frames[-4:]]
    return "\n".join(
        (
            f"internal error GT901: {type(error).__name__}; this is a bug in gametree",
            f"  gametree {__version__}, Python {platform.python_version()}, {sys.platform}",
            *(f"  at {frame}" for frame in frames),
            "  please report it with these lines; GAMETREE_DEBUG=1 shows everything",
        )
    )


_suspects: list[str] = []


def suspect(path: str) -> None:
    """Remember that the command works on a saved game, which anyone may have made."""
    _suspects.append(path)


def report(error: BaseException) -> int:
    """Print a report of ``error``; the exit code.

    A saved game whose nodes are not those of its own text can break anything that looks at
    both: that is the file's mistake.
    """
    if os.environ.get("GAMETREE_DEBUG"):
        tell("".join(traceback.format_exception(error)).rstrip())
    if isinstance(error, MemoryError):
        tell("error: out of memory: the game is too large for this machine")
        return _OUT_OF_MEMORY
    if _suspects:
        tell(
            f"error[GT008]: the nodes that `{_suspects[-1]}` holds are not those of its game"
            f" ({type(error).__name__})\n"
            "  make it again with `gametree compile`; if this comes again, it is a bug in gametree"
        )
        return _UNUSABLE
    tell(describe(error))
    return INTERNAL
