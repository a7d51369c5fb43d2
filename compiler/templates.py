"""Label templates: the pieces of ``"take {n}"``."""

from __future__ import annotations

from collections.abc import Iterator


def template_pieces(text: str) -> Iterator[tuple[str, bool]]:
    """``("take ", False), ("n", True)`` for ``take {n}``."""
    plain, i = "", 0
    while i < len(text):
        if text[i : i + 2] in {"{{", "}}"}:
            plain, i = plain + text[i], i + 2
        elif text[i] == "{" and "}" in text[i:]:
            close = text.index("}", i)
            if plain:
                yield plain, False
            yield text[i + 1 : close], True
            plain, i = "", close + 1
        else:
            plain, i = plain + text[i], i + 1
    if plain:
        yield plain, False
