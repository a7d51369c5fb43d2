"""From a path, standard input or bytes to a document.

Input   a path, ``-`` for standard input, or bytes with a name and a notation.
Output  a ``Reading``: the source, the document where one could be made, and diagnostics.
Holds   reading never runs code, opens another file, expands an alias, or raises for what a
        file holds.
Errors  GT001 (unreadable), GT002 (too large), GT003 (not UTF-8), GT004 (empty), GT107
        (control characters), and those of the reader of each notation.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from .diagnostics import Code, Diagnostic, Note
from .document import Document, Notation
from .source import Source

MAX_BYTES = 32 << 20
SAVED = b"PK\x03\x04"  # what a saved game begins with
MAX_DEPTH = 200  # levels of mappings and lists, in every notation

_SUFFIXES: dict[str, Notation] = {
    ".tree": "text",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
_ASCII_CONTROL = bytes(i for i in range(128) if _CONTROL.match(chr(i)))
_MANY_CONTROLS = 10  # more than these say nothing new
_TREES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "trees")
_STATEMENT = (
    r"(?:\s|;|#[^\n]*\n)*"
    r"(?:game|description|players|param|define|node|root|policy|bounds|expect)\b(?!\s*:(?:\s|$))"
)


class Reading(NamedTuple):
    """What came of reading a file: ``document`` is None where none could be made."""

    source: Source
    document: Document | None
    diagnostics: list[Diagnostic]


class _Unreadable(Exception):
    """Why a file cannot be read: a code, a message, and perhaps a hint."""

    def __init__(self, code: Code, message: str, help_: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help_


def notation_of(path: str) -> Notation | None:
    """The notation that the suffix of ``path`` stands for, None for any other suffix."""
    return _SUFFIXES.get(os.path.splitext(path)[1].lower())


def read_path(
    path: str,
    notation: Notation | None = None,
    max_bytes: int = MAX_BYTES,
    *,
    comments: bool = False,
) -> Reading:
    """Read the file at ``path``, or standard input for ``-``.

    Without ``notation`` the suffix decides, and where it says nothing, the content does.
    ``comments`` fills ``Document.comments``, which costs one more pass over the text.
    """
    text = text_at(path, notation, max_bytes)
    return text if isinstance(text, Reading) else read_source(*text, comments=comments)


def read_bytes(name: str, raw: bytes, notation: Notation, *, comments: bool = False) -> Reading:
    """Read ``raw``, shown under ``name`` in diagnostics, as ``notation``."""
    source = _source(name, raw, notation)
    return (
        source if isinstance(source, Reading) else read_source(source, notation, comments=comments)
    )


def text_at(
    path: str, notation: Notation | None = None, max_bytes: int = MAX_BYTES
) -> tuple[Source, Notation] | Reading:
    """The text of the file at ``path`` and its notation; a ``Reading`` that says why it has none.

    Arguments as for ``read_path``.
    """
    name = "<stdin>" if path == "-" else path
    try:
        raw = _bytes_of(path, max_bytes)
    except _Unreadable as problem:
        return _failure(Source(name, ""), problem)
    notation = notation or notation_of(path) or _guess(raw)
    source = _source(name, raw, notation)
    return source if isinstance(source, Reading) else (source, notation)


def _source(name: str, raw: bytes, notation: Notation) -> Source | Reading:
    """The text that ``raw`` is; where a game cannot be written in it, what is wrong with it."""
    if raw.startswith(SAVED):
        return _failure(Source(name, ""), _no_text(name))
    try:
        source = Source(name, raw.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        return _not_utf8(name, raw, error)
    if not source.text or source.text.isspace():
        return _failure(source, _Unreadable(Code.EMPTY, "the file is empty", SMALLEST[notation]))
    if raw.isascii() and len(raw.translate(None, _ASCII_CONTROL)) == len(raw):
        return source  # so says a pass of a nanosecond a character; the other one takes five
    found = list(_control_characters(source))
    return Reading(source, None, found) if found else source


def read_source(source: Source, notation: Notation, *, comments: bool = False) -> Reading:
    """Read a text that has been looked at by ``text_at``."""
    # Imported late: a YAML file needs neither lark nor json, and so on.
    if notation == "json":
        from .json_reader import read_json

        return read_json(source)
    if notation == "yaml":
        from .yaml_reader import read_yaml

        return read_yaml(source, comments=comments)
    from .text_reader import read_text

    return read_text(source, comments)


def _no_text(name: str) -> _Unreadable:
    return _Unreadable(
        Code.SAVED,
        f"`{name}` is a saved game, and this needs the game's own text",
        "give the file that it was made of; commands that evaluate a game take saved ones",
    )


def is_saved(path: str) -> bool:
    """Whether the file at ``path`` is a saved game, by its ending or its first bytes."""
    if not os.path.isfile(path):
        return False
    if path.lower().endswith(".npz"):
        return True
    try:
        with open(path, "rb") as file:
            return file.read(len(SAVED)) == SAVED
    except OSError:
        return False


SMALLEST: dict[Notation, str] = {  # what a file without a game could hold
    "yaml": "a smallest game: `{game: coin, root: {chance: [0, 1]}}`",
    "json": 'a smallest game: `{"game": "coin", "root": {"chance": [0, 1]}}`',
    "text": 'a smallest game: `game "coin"; root chance { 0, 1 }`',
}


def _failure(source: Source, problem: _Unreadable) -> Reading:
    place = source.place(0, 0)
    return Reading(
        source, None, [Diagnostic(problem.code, place, problem.message, help=problem.help)]
    )


def _bytes_of(path: str, max_bytes: int) -> bytes:
    """The content of ``path``; opened without looking first, so pipes and devices work."""
    try:
        if path == "-":
            raw = sys.stdin.buffer.read(max_bytes + 1)
        else:
            with open(path, "rb") as file:
                raw = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        raise _why_unreadable(path, error) from error
    if len(raw) > max_bytes:
        raise _Unreadable(
            Code.FILE_TOO_LARGE,
            f"the file is larger than {_size(max_bytes)}",
            "describe repeated parts once, as named nodes with arguments",
        )
    return raw


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count} bytes"


def _why_unreadable(path: str, error: OSError | ValueError) -> _Unreadable:
    if isinstance(error, IsADirectoryError):
        return _Unreadable(Code.UNREADABLE, f"cannot read `{path}`: it is a directory")
    if isinstance(error, FileNotFoundError):
        if os.path.islink(path):
            target = os.readlink(path)
            return _Unreadable(
                Code.UNREADABLE, f"cannot read `{path}`: it links to `{target}`, which is missing"
            )
        return _Unreadable(
            Code.UNREADABLE, f"cannot read `{path}`: there is no such file", _missing_help(path)
        )
    if isinstance(error, PermissionError):
        return _Unreadable(Code.UNREADABLE, f"cannot read `{path}`: permission denied")
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return _Unreadable(Code.UNREADABLE, f"cannot read `{path}`: {reason[:1].lower()}{reason[1:]}")


def _missing_help(path: str) -> str | None:
    from .suggest import nearest

    folder, name = os.path.split(path)
    try:
        siblings = [other for other in os.listdir(folder or ".") if notation_of(other)]
    except OSError:
        return None if os.path.isdir(folder or ".") else f"there is no folder `{folder}` either"
    stem, suffix = os.path.splitext(name)
    known = [*siblings, *([] if folder or suffix else bundled_names())]
    # Without suffixes: two short names that end in .yaml are not alike for that.
    near = nearest(stem, {os.path.splitext(other)[0] for other in known}, 1)
    if not near and stem not in (os.path.splitext(other)[0] for other in known):
        return None
    meant = [other for other in known if os.path.splitext(other)[0] in (near or [stem])]
    return f"did you mean `{os.path.join(folder, min(meant))}`?"


def _not_utf8(name: str, raw: bytes, error: UnicodeDecodeError) -> Reading:
    source = Source(name, raw.decode("utf-8", "backslashreplace").removeprefix("\ufeff"))
    byte = raw[error.start]
    before = raw[: error.start].decode("utf-8").removeprefix("\ufeff")
    start = len(before)
    label, help_ = "", "save the file as UTF-8"
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        label = "the file looks like UTF-16"
    elif byte >= 0xA0:
        label = f"in Latin-1 and Windows-1252 this byte is `{bytes([byte]).decode('latin-1')}`"
        help_ = "save the file as UTF-8, or run `iconv -f WINDOWS-1252 -t UTF-8` on it"
    place = source.place(start, start + 4)  # as long as the `\xe9` shown for it
    message = f"the file is not UTF-8: byte 0x{byte:02X} at offset {error.start}"
    return Reading(source, None, [Diagnostic(Code.NOT_UTF8, place, message, label, help=help_)])


def describe_character(character: str) -> str:
    """A character by code point and name: ``U+0440 CYRILLIC SMALL LETTER ER``.

    One without a name is ``the control character U+0007``.
    """
    known = {"\0": "NULL", "\ufeff": "BYTE ORDER MARK", "\x7f": "DELETE", "\x1b": "ESCAPE"}
    name = known.get(character) or unicodedata.name(character, "")
    if not name:
        return f"the control character U+{ord(character):04X}"
    return f"U+{ord(character):04X} {name}"


def _control_characters(source: Source) -> Iterator[Diagnostic]:
    for count, match in enumerate(_CONTROL.finditer(source.text)):
        if count == _MANY_CONTROLS:
            return
        what = describe_character(match[0])
        what = what if what.startswith("the ") else f"the character {what}"
        yield Diagnostic(
            Code.INVISIBLE_CHARACTER,
            source.place(match.start()),
            f"{what} cannot stand in a game file",
            help="delete it; it does not show in most editors",
        )


def _guess(raw: bytes) -> Notation:
    """The notation of content without a name."""
    text = raw[:65536].decode("utf-8", "replace").removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        return "json" if re.match(r'\s*\{\s*("|\}|$)', text) else "yaml"
    return "text" if re.match(_STATEMENT, text) else "yaml"


# --- files and folders -----------------------------------------------------------------------


def find_files(paths: list[str]) -> tuple[list[str], list[Diagnostic]]:
    """The game files that ``paths`` name: files as given, folders searched, in sorted order.

    In a folder, hidden files are skipped, links to folders are not followed, and a YAML or
    JSON file counts only if it looks like a game. A path that does not exist may be the name
    of a bundled tree; any other is a GT001 diagnostic.
    """
    files: list[str] = []
    problems: list[Diagnostic] = []
    for path in paths:
        if path == "-" or (os.path.lexists(path) and not os.path.isdir(path)):
            files.append(path)
        elif os.path.isdir(path):
            found = _games_in(path)
            files += found
            problems += [] if found else [_nothing_in(path)]
        elif (tree := bundled(path)) is not None:
            files.append(tree)
        else:
            error = _why_unreadable(path, FileNotFoundError())
            problems += _failure(Source(path, ""), error).diagnostics
    return list(dict.fromkeys(files)), problems


def _nothing_in(folder: str) -> Diagnostic:
    return Diagnostic(
        Code.UNREADABLE,
        Source(folder, "").place(0, 0),
        f"there is no game file in `{folder}`",
        notes=(
            Note(
                "files ending in .tree count, and those ending in .yaml, .yml or .json that "
                "have a top-level `game` or `root`"
            ),
        ),
    )


def _games_in(folder: str) -> list[str]:
    found: list[str] = []
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.normpath(os.path.join(here, name))
            if not name.startswith(".") and _is_game(path):
                found.append(path)
    return sorted(found)


def _is_game(path: str) -> bool:
    notation = notation_of(path)
    if notation is None or not os.path.isfile(path):
        return False
    return notation == "text" or _looks_like_game(path, notation)


# Cheap tests of the text: whether a file is a *good* game is for the readers to say.
_KEYS = {
    "yaml": r"(?:^|^\{[^}\n]*)[\"']?{}[\"']?\s*:(?:\s|$)",
    "json": r'[{,]\s*"{}"\s*:',
}


def _looks_like_game(path: str, notation: Notation) -> bool:
    try:
        with open(path, "rb") as file:
            text = file.read(1 << 20).decode("latin-1").removeprefix("\xef\xbb\xbf")
    except OSError:
        return True  # so that reading it reports why it cannot be read

    def has(key: str) -> bool:
        return re.search(_KEYS[notation].replace("{}", key), text, re.MULTILINE) is not None

    if has("game"):
        return True
    return (has("root") or has("nodes")) and re.search(r"\b(max|min|chance)\b", text) is not None


# --- bundled trees ---------------------------------------------------------------------------


def bundled(name: str) -> str | None:
    """The path of the bundled tree ``name`` (its YAML file where there is one), or None."""
    if not re.fullmatch(r"[\w-]+", name):
        return None
    for suffix in (".yaml", ".tree"):
        path = os.path.join(_TREES, name + suffix)
        if os.path.isfile(path):
            return path
    return None


def bundled_names() -> list[str]:
    """The names of all bundled trees, sorted."""
    try:
        names = os.listdir(_TREES)
    except OSError:
        return []
    return sorted({os.path.splitext(name)[0] for name in names if notation_of(name)})
