"""Long labels as a few short lines, for pictures."""

from __future__ import annotations

from .width import cut, safe, width

COLUMNS = 22  # of a line in a label
LINES = 3  # of a label; the whole text is in the tooltip


def wrapped(text: str, columns: int = COLUMNS, lines: int = LINES) -> list[str]:
    """``text`` as a few short lines, broken at spaces where there are some, then cut."""
    found: list[str] = []
    for paragraph in text.replace("\r\n", "\n").split("\n"):
        found += _wrap(safe(paragraph), columns, lines + 1)
        if len(found) > lines:
            return [*found[: lines - 1], _ellipsis(found[lines - 1], columns)]
    return [line for line in found if line] if any(found) else []


def _ellipsis(line: str, columns: int) -> str:
    return f"{line}…" if width(line) < columns else cut(f"{line} ", columns)


def _wrap(text: str, columns: int, lines: int) -> list[str]:
    """``text`` in lines of ``columns``; no more than a few beyond ``lines`` are made."""
    found: list[str] = []
    line = ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if width(joined) <= columns:
            line = joined
            continue
        if line:
            found.append(line)
        *pieces, line = _pieces(word, columns, lines)
        found += pieces
        if len(found) >= lines:
            return found
    return [*found, line]


def _pieces(word: str, columns: int, most: int) -> list[str]:
    pieces: list[str] = []
    rest = word
    while width(rest) > columns and len(pieces) < most:
        piece = cut(rest, columns + 1)[:-1]
        pieces.append(piece)
        rest = rest[len(piece) :]
    return [*pieces, rest]
