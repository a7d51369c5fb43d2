"""ANSI colours, or none: meaning is never carried by colour alone."""

from __future__ import annotations

from typing import Literal

Style = Literal["bold", "dim", "error", "warning", "note", "help", "gutter"]

_CODES: dict[Style, str] = {
    "bold": "1",
    "dim": "2",
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "help": "1;32",
    "gutter": "1;34",
}


class Paint:
    """Puts ANSI codes around text if ``colour`` is asked for, and leaves it alone if not."""

    __slots__ = ("colour",)

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, style: Style, text: str) -> str:
        """``text`` in ``style``; spaces at its ends are painted too."""
        if not self.colour or not text:
            return text
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m"
