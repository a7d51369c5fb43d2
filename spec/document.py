"""The document: what both notations are read into, and what every later stage works on.

A document is plain JSON data whose scalars are all *text as it was written*: a mapping is a
``dict``, a list a ``list``, and a scalar a ``str`` (``"1/3"``, ``"turn(total + d)"``). The
place where a scalar stands decides what its text means. Nobody changes a document.

An anchored node (YAML's ``&name``) is one Python object however often aliases name it, and
``anchors`` holds its name; an anchored scalar is an ``AnchoredText`` so that it, too, has an
identity.

``Marks`` say where everything stands. For each container (by ``id``) there is one flat list:
the container's own start and end, then for each item, in order, the key's start and end and
the value's start and end (a list item's key span is its value's start, twice). Offsets are
code points in ``source.text``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from .source import Place, Source

Data = str | list["Data"] | dict[str, "Data"]
Container = list[Data] | dict[str, Data]
Marks = dict[int, list[int]]
Notation = Literal["yaml", "json", "text"]


def item(container: Container, key: str | int) -> Data:
    """What stands under ``key``: a mapping's key, or a list's position."""
    return container[key]  # pyright: ignore[reportArgumentType, reportCallIssue, reportUnknownVariableType]


class AnchoredText(str):
    """A scalar that an alias can name: equal to its text, and an object of its own."""

    __slots__ = ()


class Comment(NamedTuple):
    """A comment: where its ``#`` stands, and its text without the ``#`` and outer spaces."""

    start: int
    text: str
    own_line: bool  # nothing but white space before it on its line


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Document:
    """A file's content and where each piece of it stands."""

    source: Source
    notation: Notation
    data: dict[str, Data]
    locate: Callable[[], Marks]  # called when a place is first asked for
    anchors: dict[int, str] = field(default_factory=dict[int, str])  # id(object) -> name
    comments: tuple[Comment, ...] = ()
    _marks: list[Marks] = field(default_factory=list[Marks], repr=False)

    def marks(self) -> Marks:
        """Where every container and item stands (see the module's docstring)."""
        if not self._marks:
            self._marks.append(self.locate())
        return self._marks[0]

    def _item(self, container: Container, key: str | int) -> list[int] | None:
        marks = self.marks().get(id(container))
        if marks is None:
            return None
        index = key if isinstance(key, int) else list(container).index(key)
        return marks[2 + 4 * index : 6 + 4 * index]

    def place_of(self, container: Container) -> Place:
        """Where ``container`` itself stands."""
        start, end = self.marks().get(id(container), [0, 0])[:2]
        return Place(self.source, start, end)

    def key_place(self, container: Container, key: str | int) -> Place:
        """Where the key ``key`` of ``container`` stands (for a list: the item)."""
        item = self._item(container, key)
        if item is None:
            return self.place_of(container)
        if isinstance(container, list):
            return Place(self.source, item[2], item[3])
        return Place(self.source, item[0], item[1])

    def value_place(self, container: Container, key: str | int) -> Place:
        """Where the value under ``key`` stands."""
        item = self._item(container, key)
        if item is None:
            return self.place_of(container)
        return Place(self.source, item[2], item[3])

    def inner_place(
        self, container: Container, key: str | int, start: int, end: int, *, in_key: bool = False
    ) -> Place:
        """Where characters ``start`` to ``end`` of the scalar (or the key) under ``key`` stand.

        Exact where the scalar is written in one stretch, plain or quoted; the whole scalar
        where escapes or folding moved its characters.
        """
        whole = self.key_place(container, key) if in_key else self.value_place(container, key)
        text = key if in_key else item(container, key)
        if not isinstance(text, str):
            return whole
        for lead in (0, 1):  # 1: behind an opening quote
            at = whole.start + lead
            if self.source.text[at : at + len(text)] == text:
                return Place(self.source, at + start, max(at + end, at + start + 1))
        return whole


def expectations(document: Document) -> list[dict[str, Data]]:
    """The entries under ``expect``, in order: a list of mappings or a single one."""
    expect = document.data.get("expect")
    entries = expect if isinstance(expect, list) else [expect]
    return [entry for entry in entries if isinstance(entry, dict)]
