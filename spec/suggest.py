"""Did you mean …?

Words are compared as people see them: without case, in Unicode's compatibility form, with
letters of other scripts that look Latin taken for the Latin ones.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

# Letters that cannot be told from a Latin one (or a digit from a letter) in most fonts.
_CONFUSABLE = str.maketrans(
    "абвгдеёзіјкмнопрстухѕԁԛԝһӏαβεικνορτυχγωɡı‐‑‒–—−０",
    "a6brдeeзijkmhonpctyxsdqwhlaβεiknoptuxywgi------0",
)
_LOOK_ALIKE = str.maketrans("01", "ol")


def fold(word: str) -> str:
    """``word`` as it looks: two words that fold the same are hard to tell apart."""
    folded = unicodedata.normalize("NFKC", word).casefold().translate(_CONFUSABLE)
    if folded.isascii():
        return folded
    return "".join(c for c in folded if unicodedata.category(c) != "Cf")  # Cf does not show


def nearest(word: str, candidates: Iterable[str], count: int = 3) -> list[str]:
    """At most ``count`` candidates that ``word`` may be a slip for, best first."""
    import difflib

    known = sorted({candidate for candidate in candidates if candidate != word})
    seen = fold(word)
    same = [candidate for candidate in known if fold(candidate) == seen]
    if same:
        return same[:count]
    loose = seen.translate(_LOOK_ALIKE)
    same = [candidate for candidate in known if fold(candidate).translate(_LOOK_ALIKE) == loose]
    if same:
        return same[:count]
    folded: dict[str, list[str]] = {}
    for candidate in known:
        folded.setdefault(fold(candidate), []).append(candidate)
    short = len(seen) <= 3  # a short word is one slip away from many others
    close = difflib.get_close_matches(seen, folded, n=count, cutoff=0.6 if short else 0.7)
    best = [candidate for near in close for candidate in folded[near]]
    if not best and len(seen) == 2:
        best = [c for c in known if sorted(fold(c)) == sorted(seen)]
    return best[:count]


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """``did you mean `payoff`?``, or None if nothing is near; names a foreign letter."""
    near = nearest(word, candidates)
    if not near:
        return None
    choices = [f"`{candidate}`" for candidate in near]
    listed = choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"
    return f"did you mean {listed}?{_foreign_letters(word, near[0])}"


def _foreign_letters(word: str, meant: str) -> str:
    """What is odd about ``word`` if it looks just like ``meant``."""
    if fold(word) != fold(meant) or word.casefold() == meant.casefold():
        return ""
    odd = next((c for c in word if not c.isascii() and c not in meant), None)
    if odd is None:
        return ""
    name = unicodedata.name(odd, "without a name")
    return f" `{odd}` is U+{ord(odd):04X} {name}"
