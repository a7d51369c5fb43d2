"""A tree of numbers as it is written, read in bulk: for files too large for a document.

Input   the text of a JSON or YAML file.
Output  a ``Sketch``: its ``root`` as tuples, lists and scalars, the rest of it as a document;
        None where there is the least doubt, and then the careful readers read the file.
Holds   of a text that is sketched, the careful reader has nothing to say, and its document has
        in ``root`` what the sketch has. A number may be one already, not its text.
Cost    half a microsecond a scalar; 80 bytes a scalar, and no object for a number below 2**30
        but itself.

JSON goes through the standard library's scanner, written in C. YAML is sketched where it is as
simple as a program writes it: nothing quoted, no comments, no anchors. In flow style such a text
is JSON but for its quotes; in block style each line is a key, and perhaps a scalar.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NoReturn, cast

from .collector import collector_paused
from .document import Document, Notation
from .numbers import read_number
from .reader import Reading, read_source
from .source import Source

# A mapping is a tuple: first the tuple of its keys, then its values. Mappings with the same keys
# share them.
Written = int | Fraction | str | list["Written"] | tuple[Any, ...]


class NotPlain(Exception):
    """The text has more to it than a tree of numbers, or may have."""


@dataclass(slots=True, eq=False, repr=False)
class Sketch:
    """A file whose ``root`` may be a tree of numbers.

    ``head`` is the document without it: its ``root`` is ``"0"``. ``root`` holds the root until
    somebody takes it, so that it can be let go piece by piece.
    """

    head: Document
    source: Source
    root: list[Written]

    def read(self) -> Reading:
        """The whole file, by the careful reader."""
        return read_source(self.source, self.head.notation)


def sketch(source: Source, notation: Notation) -> Sketch | None:
    """Sketch ``source``; None where that cannot be done, for whatever reason."""
    if notation == "text":
        return None
    try:
        with collector_paused():
            start, end, root = (_json_root if notation == "json" else _yaml_root)(source.text)
    except (NotPlain, ValueError, RecursionError):  # JSON's errors are ValueErrors
        return None
    text = f"{source.text[:start]} 0{source.text[end:]}"
    reading = read_source(Source(source.name, text), notation)
    head = reading.document
    if head is None or reading.diagnostics or head.anchors or not _has_root_at(head, start + 1):
        return None
    return Sketch(replace(head, source=source), source, [root])


def _has_root_at(head: Document, start: int) -> bool:
    """Whether the 0 that was put at ``start`` is the value of ``root``, and in no YAML braces."""
    data = head.data
    if data.get("root") != "0" or head.value_place(data, "root").start != start:
        return False
    return head.notation == "json" or head.place_of(data).text[:1] != "{"


class Keys(dict[tuple[str, ...], tuple[str, ...]]):
    """Each different tuple of keys once."""

    def __init__(self, allowed: Callable[[str], object] = str.isprintable) -> None:
        super().__init__()
        self.allowed = allowed

    def __missing__(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Look at keys that are new."""
        if len(set(keys)) < len(keys) or not all(map(self.allowed, keys)):
            raise NotPlain
        self[keys] = keys
        return keys


def as_number(text: str) -> int | Fraction:
    """The number that is written as ``text``."""
    value = read_number(text)
    if value is None:
        raise NotPlain
    return value.numerator if value.denominator == 1 else value


# --- JSON ------------------------------------------------------------------------------------

_PLAIN_KEYS = frozenset({"$schema", "game", "description", "players", "expect", "root"})
_JSON_KEY = re.compile(r'[\s,{]*"([^"\\]*)"\s*:\s*')


def _json_root(text: str) -> tuple[int, int, Written]:
    """Where the value of the key ``root`` starts and ends, and the value."""
    decoder = _json_decoder(Keys())
    at = 0
    while (key := _JSON_KEY.match(text, at)) is not None:
        if key[1] not in _PLAIN_KEYS:
            raise NotPlain
        value, at = decoder.raw_decode(text, key.end())
        if key[1] == "root":
            return key.end(), at, value
    raise NotPlain


def _json_decoder(known: Keys) -> json.JSONDecoder:
    def mapping(pairs: list[tuple[str, Any]]) -> tuple[Any, ...]:
        # Two of three mappings are a node or an outcome, which have one key or two.
        if len(pairs) == 2:
            (key, value), (other_key, other_value) = pairs
            return known[key, other_key], value, other_value
        if len(pairs) == 1:
            [(key, value)] = pairs
            return known[(key,)], value
        keys, values = zip(*pairs)  # noqa: B905 - naming `strict` costs as much as the rest
        return (known[keys], *values)

    return json.JSONDecoder(
        object_pairs_hook=mapping, parse_float=as_number, parse_constant=_refuse
    )


def _refuse(_: str) -> NoReturn:
    raise NotPlain


# --- YAML ------------------------------------------------------------------------------------

_ROOT = re.compile(r"^root:(?=[ \n])", re.MULTILINE)
_NEXT = re.compile(r"\n(?=[^ \n])")
_PLAIN = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+-:,{}[] \n"
_WORDS = r"[\w./%+-]+(?: [\w./%+-]+)*"
_TO_JSON = (
    ("{ ", "{"), (" }", "}"), ("[ ", "["), (" ]", "]"),
    ("{", '{"'), ("[", '["'), (": ", '": "'), (", ", '", "'), ("}", '"}'), ("]", '"]'),
    ('"{', "{"), ('"[', "["), ('}"', "}"), (']"', "]"),
)  # fmt: skip
_KEY = re.compile(rf"\w[\w./%+-]*(?: {_WORDS})?", re.ASCII)
_ROW = re.compile(rf"\n( +)({_WORDS}):(?: +([\w./%+-]+))? *(?![^\n])", re.ASCII)
_LONGEST_KEY = 200  # libyaml looks for a colon within 1,024 characters
_CHUNK = 1 << 20  # characters of a file in block style that are taken apart at a time


def _yaml_root(text: str) -> tuple[int, int, Written]:
    """Where the value of the key ``root`` starts and ends, and the value."""
    found = list(_ROOT.finditer(text))
    if len(found) != 1:
        raise NotPlain
    start = found[0].end()
    after = _NEXT.search(text, start)
    end = len(text) if after is None else after.start()
    # A slice for each: what has become JSON is let go.
    if _is_in_braces(text[start:end]):
        return start, end, _flow(text[start:end])
    return start, end, _block(text[start:end].rstrip("\n"))


def _is_in_braces(region: str) -> bool:
    """Whether a text without quotes and comments begins with a brace."""
    if not region.isascii() or region.encode().translate(None, _PLAIN):
        raise NotPlain
    return region.lstrip().startswith("{")


def _is_plain_key(key: str) -> bool:
    return len(key) <= _LONGEST_KEY and _KEY.fullmatch(key) is not None


def _flow(region: str) -> Written:
    """A mapping in braces: JSON, once everything in it is in quotes.

    What this does not take apart ends up in quotes as a whole, and is no key and no number.
    """
    region = re.sub("\n +", " ", region).strip()
    for there, instead in _TO_JSON:
        region = region.replace(there, instead)
    value, end = _json_decoder(Keys(_is_plain_key)).raw_decode(region)
    if end != len(region):
        raise NotPlain
    return value


def _block(region: str) -> Written:
    """Lines of keys and scalars, deeper lines in the mapping of the key before them."""
    if not region.startswith("\n"):
        raise NotPlain
    known = Keys(_is_plain_key)
    around: list[tuple[int, list[str], list[Any]]] = []
    indent, keys, values = 0, list[str](), list[Any]()
    for spaces, key, scalar in _rows(region):
        column = len(spaces)
        if column > indent:
            if indent and values[-1] != "":
                raise NotPlain  # it goes on with a scalar
            around.append((indent, keys, values))
            indent, keys, values = column, [], []
        while column < indent:
            inner: Written = (known[tuple(keys)], *values)
            indent, keys, values = around.pop()
            values[-1:] = [inner]
        if column != indent:
            raise NotPlain
        keys.append(key)
        values.append(scalar)
    while indent:
        inner = (known[tuple(keys)], *values)
        indent, keys, values = around.pop()
        values[-1:] = [inner]
    return cast("Written", values[0])


def _rows(region: str) -> Iterator[tuple[str, str, str]]:
    """Of each line its spaces, its key and its scalar, ``""`` where it has none."""
    at = 0
    while at < len(region):
        end = region.find("\n", at + _CHUNK)
        end = len(region) if end < 0 else end
        part = region[at:end]
        rows = _ROW.findall(part)
        if len(rows) != part.count("\n"):
            raise NotPlain
        yield from rows
        at = end
