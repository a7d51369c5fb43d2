"""How wide text is on a terminal, and text that is safe to print there.

Holds   ``safe`` never returns a character that moves the cursor, breaks the line, reorders
        its neighbours (bidi marks) or cannot be seen; what it writes instead is an escape.
Widths  in terminal columns: 2 for wide East Asian characters and emoji, 0 for combining ones.
"""

from __future__ import annotations

import unicodedata
from functools import cache

# Format characters that scripts and emoji need and that stay inside their own cluster.
_JOINERS = "\u200c\u200d"
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_HANGUL_MEDIAL_FIRST, _HANGUL_FINAL_LAST = "\u1160", "\u11ff"


@cache
def shown(character: str) -> str:
    """``character`` itself where it is safe to print, else its escape (as in Python)."""
    category = unicodedata.category(character)
    if category not in ("Cc", "Cf", "Cs", "Zl", "Zp") or character in _JOINERS:
        return character
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


@cache
def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if _HANGUL_MEDIAL_FIRST <= character <= _HANGUL_FINAL_LAST:
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def safe(text: str) -> str:
    """``text`` on one line, with what should not be printed raw escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(shown, text))


def safe_lines(text: str) -> list[str]:
    """The lines of ``text`` (broken at line feeds), each made safe."""
    return [safe(line) for line in text.split("\n")]


def width(text: str) -> int:
    """The terminal columns of ``text``, which is safe already."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """``text`` filled up with spaces to ``columns``; ``right`` puts the text at the right."""
    space = " " * (columns - width(text))
    return space + text if right else text + space


def short_label(label: str, columns: int = 60) -> str:
    """A label within a line: safe, cut where it is long, and ``""`` where it is empty."""
    return cut(safe(label), columns) if label else '""'


def cut(text: str, columns: int) -> str:
    """The beginning of ``text``, ending in ``…`` where it is wider than ``columns``."""
    if width(text) <= columns:
        return text
    kept: list[str] = []
    room = columns - 1
    for character in text:
        room -= _columns(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"
