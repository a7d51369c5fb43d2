"""Which item of a document each comment belongs to, so that a writer can put it back.

A comment on a line of its own belongs to the item after it, or to the end of the container
that ends there; one behind something belongs to the item on its line, or to the bracket that
closes a longer one. What stands before the first key is the header. Each comment belongs to
exactly one place; ``Remarks`` hands them out.

In YAML, indentation tells whether a comment belongs to what ends or to what comes next.

Cost    nothing for a document without comments and blank lines; else one walk over it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from .canonical import items_of
from .document import Comment, Container, Document

_BLANK = re.compile(r"\n[ \t\r]*\n")
# In the text notation each of these is made of many statements, and is none itself.
_GATHERED = ("params", "define", "nodes", "policies", "expect")
_STATEMENTS = ("param", "define", "node", "policy", "expect")


@dataclass(slots=True)
class Remark:
    """A comment's text; ``gap`` when a blank line stands before it."""

    text: str
    gap: bool = False


@dataclass(slots=True)
class Slots:
    """The comments of one item: above it, on its first line, and behind its closing bracket."""

    above: list[Remark] = field(default_factory=list[Remark])
    line: list[Remark] = field(default_factory=list[Remark])
    close: list[Remark] = field(default_factory=list[Remark])


_NONE = Slots()


@dataclass(slots=True)
class Remarks:
    """All comments of a document by the place that they belong to."""

    header: list[Remark] = field(default_factory=list[Remark])
    header_gap: bool = False  # a blank line stands between the header and the first key
    items: dict[tuple[int, int], Slots] = field(default_factory=dict[tuple[int, int], Slots])
    ends: dict[int, list[Remark]] = field(default_factory=dict[int, list[Remark]])
    gaps: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    busy: set[int] = field(default_factory=set[int])

    def of(self, container: Container, index: int) -> Slots:
        """The comments of the item at ``index`` of ``container``."""
        return self.items.get((id(container), index), _NONE)

    def end(self, container: Container) -> list[Remark]:
        """The comments behind the last item of ``container``."""
        return self.ends.get(id(container), [])

    def has_gap(self, container: Container, index: int) -> bool:
        """Whether the author left a blank line right before the item."""
        return (id(container), index) in self.gaps

    def is_busy(self, container: Container) -> bool:
        """Whether any comment stands within ``container``, however deep."""
        return id(container) in self.busy


def comment_line(remark: Remark) -> str:
    """A comment as it is written, from its ``#`` on."""
    text = re.sub("[\r\n\x85\u2028\u2029]", " ", remark.text)
    return f"#{'' if text.startswith('#') or not text else ' '}{text}"


def attach(document: Document) -> Remarks:
    """The comments and the blank lines of ``document``, each at its place."""
    text = document.source.text
    if not document.comments and _BLANK.search(text) is None:
        return Remarks()
    return _Attaching(document).run()


@dataclass(slots=True, eq=False)
class _Item:
    """An item, with where it stands and what it is in."""

    container: Container
    index: int
    start: int
    key_end: int
    value_start: int
    end: int
    parent: _Item | None
    inside: Container | None  # the container that is its value, if it stands here


class _Attaching:
    """The items of one document in the order of the file, and a place for each comment."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.source.text
        self.is_text = document.notation == "text"
        self.marks = document.marks()
        self.remarks = Remarks()
        self.items = self.collect()
        self.items.sort(key=lambda item: item.start)  # stable: outer ones first
        self.starts = [item.start for item in self.items]
        # The last comment on a line of its own: the item above it, and its column.
        self.before: tuple[_Item, int] | None = None

    def collect(self) -> list[_Item]:
        """Every item, outer ones before those inside; a shared container once."""
        found: list[_Item] = []
        seen: set[int] = set()
        stack: list[tuple[Container, _Item | None]] = [(self.document.data, None)]
        while stack:
            container, parent = stack.pop()
            marks = self.marks.get(id(container))
            if id(container) in seen or marks is None:
                continue
            seen.add(id(container))
            inner: list[tuple[Container, _Item | None]] = []
            for index, (key, value) in enumerate(items_of(container)):
                start, key_end, value_start, end = marks[2 + 4 * index : 6 + 4 * index]
                inside = None if isinstance(value, str) or id(value) in seen else value
                item = _Item(container, index, start, key_end, value_start, end, parent, inside)
                gathered = self.is_text and parent is None and key in _GATHERED
                if not gathered:
                    found.append(item)
                if inside is not None:
                    inner.append((inside, None if gathered else item))
            stack += reversed(inner)
        return found

    def line(self, offset: int) -> int:
        """The line that ``offset`` is on."""
        return self.document.source.position(offset)[0]

    def run(self) -> Remarks:
        """Place every comment, then every blank line."""
        first = self.starts[0] if self.starts else len(self.text)
        for comment in self.document.comments:
            remark = Remark(comment.text, self.is_after_blank(comment.start))
            if comment.start < first:
                self.remarks.header.append(remark)
            else:
                self.place(comment, remark)
        if self.remarks.header:
            self.remarks.header_gap = self.is_after_blank(first)
        for blank in _BLANK.finditer(self.text):
            self.place_blank(blank.end())
        return self.remarks

    def is_after_blank(self, offset: int) -> bool:
        """Whether the line before that of ``offset`` is blank."""
        line = self.line(offset)
        return line > 1 and not self.document.source.line(line - 1).strip()

    def place_blank(self, offset: int) -> None:
        """Note the item that comes right after a blank line, if one does."""
        at = bisect_left(self.starts, offset)
        if at < len(self.items):
            item = self.items[at]
            last = self.items[at - 1] if at else item
            if last.inside is None and last.start < offset < last.end:
                return  # within a text of several lines
            if item.index and self.line(offset) <= self.line(item.start):
                between = self.text[offset : item.start].strip()
                if not between or between == "-" or between in _STATEMENTS:
                    self.remarks.gaps.add((id(item.container), item.index))

    # ---- comments ----

    def place(self, comment: Comment, remark: Remark) -> None:
        """Find the place of one comment."""
        at = comment.start
        last = self.items[bisect_right(self.starts, at) - 1]
        if not comment.own_line and (self.place_behind(at, last, remark)):
            return
        if last.end > at and last.inside is None:  # inside a scalar, or between key and scalar
            self.slots(last).above.append(remark)
            return
        self.place_on_its_own(at, last, remark)

    def place_behind(self, at: int, last: _Item, remark: Remark) -> bool:
        """Place a comment that stands behind something; False if that is not an item."""
        if not self.is_over(last, at):
            item = self.widest(last, at)
            if self.line(item.start) != self.line(at):
                return False
            self.slots(item).line.append(remark)
            return True
        item = last
        while item.parent is not None and self.is_over(item.parent, at):
            item = item.parent
        if self.line(item.end) != self.line(at):
            return False
        slots = self.slots(item)
        same = self.line(item.start) == self.line(at)
        (slots.line if same else slots.close).append(remark)
        return True

    def is_over(self, item: _Item, at: int) -> bool:
        """Whether an item has ended before ``at``, as far as brackets and scalars tell."""
        ends = item.inside is None or self.is_text or self.is_bracketed(item.inside)
        return ends and item.end <= at

    def widest(self, item: _Item, at: int) -> _Item:
        """The outermost item around ``item`` that starts on the line of ``at``."""
        line = self.line(at)
        while item.parent is not None and self.line(item.parent.start) == line:
            item = item.parent
        return item

    def place_on_its_own(self, at: int, last: _Item, remark: Remark) -> None:
        """Place a comment before the next item, or at the end of a container."""
        after = bisect_right(self.starts, at)
        following = self.items[after] if after < len(self.items) else None
        around = self.around(at, last)
        if around is not None:
            _, end = self.marks[id(around)][:2]
            if following is None or following.start >= end:
                self.put_at_end(around, last, remark)
                return
        elif not self.is_text and (ending := self.ending(at, last, following)) is not None:
            self.put_at_end(ending, last, remark)
            return
        if following is None:
            self.put_at_end(self.document.data, None, remark)
        else:
            self.slots(following).above.append(remark)

    def around(self, at: int, last: _Item) -> Container | None:
        """The innermost container in brackets that ``at`` is in."""
        item: _Item | None = last
        while item is not None:
            inside = item.inside
            if inside is not None and self.is_bracketed(inside):
                start, end = self.marks[id(inside)][:2]
                if start < at < end:
                    return inside
            item = item.parent
        return None

    def ending(self, at: int, last: _Item, following: _Item | None) -> Container | None:
        """The block that ends at ``at`` and that the comment is indented like, if any."""
        column = self.column(at)
        if self.before is not None and self.before[0] is last:
            column = min(column, self.before[1])  # no deeper than the comment above it
        self.before = (last, column)
        if following is not None and (
            following.parent is last or column <= self.item_column(following)
        ):
            return None
        going_on: set[int] = set()  # the containers that do not end here
        item = following
        while item is not None:
            going_on.add(id(item.container))
            item = item.parent
        item = last
        while item is not None and id(item.container) not in going_on:
            if self.item_column(item) <= column and not self.in_flow(item):
                return item.container
            item = item.parent
        return None

    def put_at_end(self, container: Container, last: _Item | None, remark: Remark) -> None:
        self.remarks.ends.setdefault(id(container), []).append(remark)
        self.remarks.busy.add(id(container))
        while last is not None and last.inside is not container and last.container is not container:
            last = last.parent
        if last is not None:
            self.mark_busy(last)

    def slots(self, item: _Item) -> Slots:
        """The comments of an item, which makes all that it is in busy."""
        self.mark_busy(item)
        return self.remarks.items.setdefault((id(item.container), item.index), Slots())

    def mark_busy(self, item: _Item | None) -> None:
        while item is not None:
            self.remarks.busy.add(id(item.container))
            item = item.parent

    # ---- the source ----

    def is_bracketed(self, container: Container) -> bool:
        """Whether a container ends with a bracket in the source."""
        start, end = self.marks[id(container)][:2]
        return self.text[start : start + 1] in ("{", "[") and self.text[end - 1 : end] in ("}", "]")

    def in_flow(self, item: _Item) -> bool:
        return self.is_bracketed(item.container)

    def column(self, offset: int) -> int:
        return self.document.source.position(offset)[1]

    def item_column(self, item: _Item) -> int:
        """The column of an item: of its key, or of the dash before it."""
        start = item.start
        if isinstance(item.container, list):
            start = max(self.text.rfind("-", 0, start), 0)
        return self.column(start)
