"""What the strict YAML reader refuses although it is YAML: a diagnostic for each.

Offsets are code points in the source's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .diagnostics import Code, Diagnostic, Note
from .document import Data
from .reader import SMALLEST, describe_character
from .source import Place, Source

Stretch = tuple[int, int]

_WIDE_SPACES = "\xa0\u202f\u3000"


def second_document(source: Source, first: int, second: int) -> Diagnostic:
    """A second document starts."""
    return Diagnostic(
        Code.MANY_DOCUMENTS,
        source.place(second, second + 3),
        "a second document starts here, and a file holds one game",
        notes=(Note("the first document starts here", source.place(first)),),
        help="put each game in a file of its own, or delete this line",
    )


def duplicate_key(source: Source, key: str, first: Stretch, second: Stretch) -> Diagnostic:
    """A key stands twice in one mapping."""
    return Diagnostic(
        Code.DUPLICATE_KEY,
        source.place(*second),
        f"`{shown(key)}` is written twice",
        notes=(Note("first written here", source.place(*first)),),
        help="rename or delete one of them",
    )


def key_not_text(source: Source, key: Data, start: int, end: int) -> Diagnostic:
    """A mapping or a list stands as a key."""
    what = "a list" if isinstance(key, list) else "a mapping"
    is_template = source.text.startswith("{{", start - 1)
    return Diagnostic(
        Code.KEY_NOT_TEXT,
        source.place(start, end),
        f"{what} cannot be a key: a key is text",
        help="quote the text that starts with `{` or `[`"
        + (": `{{ }}` is not a template here" if is_template else ""),
    )


def merge_key(place: Place) -> Diagnostic:
    """``<<`` stands as a key."""
    return Diagnostic(
        Code.TAG,
        place,
        "merge keys (`<<`) are not part of the language",
        help="share a whole node by an alias, or make it a named node under `nodes`",
    )


def separate_accents(place: Place, key: str) -> Diagnostic:
    """A key is not in Unicode's composed form."""
    return Diagnostic(
        Code.INVISIBLE_CHARACTER,
        place,
        f"the key `{shown(key)}` is written with separate accents, which look like single "
        "letters but compare as different",
        help="type the key again (Unicode calls the usual form NFC)",
    )


def invisible_character(place: Place, character: str) -> Diagnostic:
    """A character that does not show, or a space that is none."""
    return Diagnostic(
        Code.INVISIBLE_CHARACTER,
        place,
        f"the invisible character {describe_character(character)} stands here",
        help="replace it by a plain space" if character in _WIDE_SPACES else "delete it",
    )


def tag(place: Place) -> Diagnostic:
    """A tag stands before a value."""
    return Diagnostic(
        Code.TAG,
        place,
        f"the tag `{place.text}` is not part of the language",
        help='delete it; a text that starts with `!` needs quotes: "!…"',
    )


def anchor_twice(name: str, first: Place, second: Place) -> Diagnostic:
    """Two anchors have one name."""
    return Diagnostic(
        Code.ALIAS,
        second,
        f"the anchor `&{name}` is defined twice",
        notes=(Note("first defined here", first),),
        help="rename one of them",
    )


def undefined_alias(place: Place, name: str, known: Iterable[str]) -> Diagnostic:
    """No anchor has this name, or it comes later."""
    from .suggest import did_you_mean

    if re.search(rf"&{re.escape(name)}(?![\w-])", place.source.text[place.end :]):
        help_ = f"`&{name}` comes later: put it where the node stands for the first time"
    else:
        help_ = did_you_mean(f"*{name}", [f"*{other}" for other in known])
    message = f"the alias `*{name}` names nothing: no `&{name}` stands before it"
    return Diagnostic(Code.ALIAS, place, message, help=help_)


def alias_cycle(place: Place, name: str, anchor: Place) -> Diagnostic:
    """An alias stands inside the node that it names."""
    return Diagnostic(
        Code.ALIAS,
        place,
        f"the alias `*{name}` stands inside the very node that it names",
        label="this would make the tree endless",
        notes=(Note(f"`&{name}` begins here", anchor),),
        help="a game that comes back to a position is written with named nodes",
    )


def torn_value(place: Place, brackets: str) -> Diagnostic:
    """A comma or a bracket inside ``{ }`` or ``[ ]`` has ended a plain value too early."""
    written = " ".join(place.text.split())
    first = re.split(r"[,\[{]", written, maxsplit=1)[0].rstrip()
    is_whole = written.count("(") == written.count(")")
    quoted = f"'{written}'" if '"' in written or "\\" in written else f'"{written}"'
    return Diagnostic(
        Code.YAML_SYNTAX,
        place,
        f"inside `{brackets}` a comma or a bracket ends a plain value, "
        f"so YAML reads only `{shown(first)}`",
        help=f"quote the value: {quoted}" if is_whole else "quote the value",
    )


def not_a_mapping(place: Place, data: Data) -> Diagnostic:
    """The file holds something else than a game."""
    if not data:
        help_ = SMALLEST["yaml"]
        return Diagnostic(Code.EMPTY, place, "the file holds no game", help=help_)
    what = "a list" if isinstance(data, list) else "one text"
    help_ = None
    if isinstance(data, str):
        help_ = "put a space after each colon: `game: name`"
        if "\uff1a" in data:
            help_ = "the colons are full-width (U+FF1A); write `:` and a space"
    return Diagnostic(
        Code.WRONG_SHAPE,
        place,
        f"a game is a mapping with the keys `game` and `root`, and this file is {what}",
        help=help_,
    )


def shown(text: str) -> str:
    """A text short enough for a message."""
    return text if len(text) <= 40 else text[:39] + "…"
