"""Plots of commands: the file they go to, and what a terminal can show of them."""

from __future__ import annotations

import sys
from collections.abc import Callable

from .games import stop
from .output import replace_file


def plot_format(path: str) -> str:
    """The format of a plot, known to be possible before anything takes long."""
    from ..render.chart import PlotError, check_format

    try:
        return check_format(path)
    except PlotError as error:
        stop(str(error))


def save_plot(path: str, draw: Callable[[], bytes]) -> None:
    """Write to ``path`` what ``draw`` makes."""
    from ..render.chart import PlotError

    try:
        replace_file(path, draw())
    except PlotError as error:
        stop(str(error))
    except OSError as error:
        stop(f"cannot write `{path}`: {error.strerror}")


def showable(characters: str, instead: str) -> str:
    """``characters``, or others where stdout cannot show them."""
    try:
        characters.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return instead
    return characters
