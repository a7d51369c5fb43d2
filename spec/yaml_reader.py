"""YAML to a document, in one strict pass over libyaml's events.

Input   a ``Source``; the text is YAML, each scalar is kept as it was written.
Output  a ``Reading``; the document is there although with errors, unless its shape is lost.
Holds   an alias is the very object it names, so the data may be a DAG (never a cycle): visit
        each object once. Nothing is expanded, resolved or constructed.
Errors  GT001, GT004 to GT006, GT101 to GT107, GT203.
Cost    about 2 microseconds a scalar; memory linear in the text.
"""

from __future__ import annotations

import gc
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from . import yaml_problems as problems
from .diagnostics import Code, Diagnostic
from .document import AnchoredText, Comment, Container, Data, Document, Marks
from .reader import MAX_DEPTH, Reading
from .source import Place, Source

if TYPE_CHECKING:
    import yaml

# What stands before an anchored or tagged value: properties, white space, comments.
_PROPERTIES = r"(?:[&!]\S*(?:\s+|#[^\n]*\n)*)*"
# Characters nobody sees, and spaces that look like one but are none to YAML. Joiners
# (U+200C, U+200D) are left out: several scripts, and many emoji, are written with them.
_INVISIBLE = "[\xa0\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202f\u2060-\u2069\ufff9-\ufffb\u3000]"
_COMMENT = re.compile("#([^\r\n\x85\u2028\u2029]*)")
_DISCARD = "<discarded>"  # a key whose value is read but kept nowhere; known by identity
_MERGE = "<merged>"  # likewise, the key `<<`
_MERGES = 100  # merge keys, and keys of each, that are followed although they are refused


class _Stop(Exception):
    """Reading on makes no sense; what is wrong is reported already."""


@dataclass(slots=True, eq=False, repr=False)
class _Anchor:
    value: Data
    place: Place
    is_open: bool  # its container is still being read


@dataclass(slots=True, eq=False, repr=False)
class _Frame:
    """The container around the one being read: everything that reading on there needs."""

    container: Container | None
    marks: list[int]
    key: str | None
    key_start: int
    key_end: int
    is_flow: bool
    anchor: _Anchor | None
    keys: dict[str, tuple[int, int]]


def read_yaml(source: Source, *, comments: bool = False) -> Reading:
    """Read ``source`` as YAML; ``comments`` fills the document's ``comments`` too."""
    try:
        from yaml import CSafeLoader, YAMLError
    except ImportError:
        message = "YAML cannot be read: this PyYAML was built without libyaml"
        help_ = "install PyYAML from its wheel: `pip install --force-reinstall pyyaml`"
        problem = Diagnostic(Code.UNREADABLE, source.place(0, 0), message, help=help_)
        return Reading(source, None, [problem])

    builder = _Builder(source, comments=comments)
    was_collecting = gc.isenabled()
    gc.disable()  # nothing here is garbage, and looking for it takes most of the time
    try:
        builder.run(CSafeLoader(source.text))
    except _Stop:
        return Reading(source, None, builder.problems)
    except YAMLError as error:
        from .yaml_messages import explain_yaml_error

        problem = explain_yaml_error(source, error, len(builder.stack), builder.last_end)
        return Reading(source, None, [*builder.problems, problem])
    finally:
        if was_collecting:
            gc.enable()
    return builder.reading()


class _Builder:
    """The document as far as it has been read."""

    def __init__(self, source: Source, *, comments: bool) -> None:
        self.source = source
        self.text = source.text
        self.problems: list[Diagnostic] = []
        self.marks_of: Marks = {}
        self.anchors: dict[str, _Anchor] = {}
        self.names: dict[int, str] = {}
        self.merges: list[tuple[dict[str, Data], Data, int, int]] = []
        self.discarded: list[Data] = []  # kept alive while reading, so that no id is used twice
        self.spans: list[tuple[int, int]] | None = [] if comments else None
        self.invisible = (
            not source.text.isascii() and re.search(_INVISIBLE, source.text) is not None
        )
        self.stack: list[_Frame] = []
        self.root: Data | None = None
        self.first_document = -1
        self.last_end = 0  # where the last scalar, alias or flow container ended
        # The container being read, as in _Frame.
        self.container: Container | None = None
        self.mapping: dict[str, Data] | None = None  # the container, if it is a mapping
        self.marks: list[int] = []
        self.key: str | None = None
        self.key_start = self.key_end = 0
        self.is_flow = False
        self.anchor: _Anchor | None = None
        self.keys: dict[str, tuple[int, int]] = {}
        # A plain value that a comma has cut inside a round bracket: where it starts.
        self.torn = -1
        self.torn_end = -1
        self.torn_is_key = False

    # --- events ------------------------------------------------------------------------------

    def run(self, loader: yaml.CSafeLoader) -> None:
        """Take every event of ``loader``."""
        from yaml import events

        ignore: Callable[[yaml.Event], None] = lambda _: None  # noqa: E731
        handlers = cast(
            "dict[type[yaml.Event], Callable[[yaml.Event], None]]",
            {
                events.ScalarEvent: self.scalar,
                events.MappingStartEvent: self.open_mapping,
                events.MappingEndEvent: self.close,
                events.SequenceStartEvent: self.open_list,
                events.SequenceEndEvent: self.close,
                events.AliasEvent: self.alias,
                events.DocumentStartEvent: self.start_document,
                events.DocumentEndEvent: ignore,
                events.StreamStartEvent: ignore,
            },
        )
        get_event = cast("Callable[[], yaml.Event]", loader.get_event)
        end = events.StreamEndEvent
        while True:
            event = get_event()
            kind = type(event)
            if kind is end:
                return
            handlers[kind](event)
            if self.is_second_document:
                return

    is_second_document = False

    def start_document(self, event: yaml.Event) -> None:
        """Take the one document; report a second one."""
        start = event.start_mark.index
        if self.first_document < 0:
            self.first_document = start
            return
        self.is_second_document = True
        self.problems.append(problems.second_document(self.source, self.first_document, start))

    def scalar(self, event: yaml.ScalarEvent) -> None:
        """Take a key or a value."""
        start: int = event.start_mark.index
        end: int = event.end_mark.index
        value: str = event.value
        style = event.style
        if self.spans is not None:
            self.spans.append((start, end))
        if event.anchor is not None or event.tag is not None:
            value, start = self.with_properties(event, value, start, end)
        if style:
            if style in "|>":
                end = self.end_of_block(start, end)
        elif self.invisible:
            self.look_for_invisible(value, start, end)
        if (
            self.is_flow
            and (self.torn >= 0 or "(" in value)
            and self.is_torn(value, start, end, style)
        ):
            return
        self.last_end = end
        mapping = self.mapping
        if mapping is None:
            self.add(value, start, end)
        elif self.key is None:
            self.take_key(value, start, end, plain=not style)
        elif self.key is _DISCARD or self.key is _MERGE:
            self.key = None
        else:
            mapping[self.key] = value
            self.marks += (self.key_start, self.key_end, start, end)
            self.key = None

    def open_mapping(self, event: yaml.MappingStartEvent) -> None:
        """Begin a mapping."""
        self.open(event, {})
        self.mapping = cast("dict[str, Data]", self.container)

    def open_list(self, event: yaml.SequenceStartEvent) -> None:
        """Begin a list."""
        self.open(event, [])
        self.mapping = None

    def open(self, event: yaml.CollectionStartEvent, container: Container) -> None:
        """Begin any container."""
        start: int = event.start_mark.index
        if self.torn >= 0:
            self.report_torn(start)
            raise _Stop
        if len(self.stack) >= MAX_DEPTH:
            from .yaml_messages import too_deep

            self.problems.append(too_deep(self.source, start))
            raise _Stop
        anchor = None
        if event.anchor is not None or event.tag is not None:
            anchor, start = self.properties(event, container, start)
        self.stack.append(
            _Frame(
                self.container, self.marks, self.key, self.key_start, self.key_end,
                self.is_flow, self.anchor, self.keys,
            )
        )  # fmt: skip
        self.marks = self.marks_of[id(container)] = [start, start]
        self.container, self.key, self.anchor, self.keys = container, None, anchor, {}
        self.is_flow = bool(event.flow_style)
        if self.is_flow:
            self.last_end = event.end_mark.index

    def close(self, event: yaml.Event) -> None:
        """End a container and give it to the one around it."""
        if self.torn >= 0:
            self.close_torn()
        if self.is_flow:
            self.last_end = event.end_mark.index
        # A block's own end mark is the start of the next token, after blank lines.
        start, end = self.marks[0], self.last_end
        self.marks[1] = end
        value = cast("Data", self.container)
        if self.anchor is not None:
            self.anchor.is_open = False
        frame = self.stack.pop()
        self.container, self.marks, self.key = frame.container, frame.marks, frame.key
        self.key_start, self.key_end = frame.key_start, frame.key_end
        self.is_flow, self.anchor, self.keys = frame.is_flow, frame.anchor, frame.keys
        self.mapping = self.container if isinstance(self.container, dict) else None
        self.add(value, start, end)

    def alias(self, event: yaml.AliasEvent) -> None:
        """Put the object that an alias names where the alias stands."""
        start: int = event.start_mark.index
        end: int = event.end_mark.index
        if self.torn >= 0:
            self.report_torn(start)
            raise _Stop
        if self.spans is not None:
            self.spans.append((start, end))
        self.last_end = end
        self.add(self.named(cast("str", event.anchor), self.source.place(start, end)), start, end)

    def named(self, name: str, place: Place) -> Data:
        """What the alias ``name`` stands for; where that is wrong, a harmless payoff."""
        anchor = self.anchors.get(name)
        if anchor is None:
            self.problems.append(problems.undefined_alias(place, name, self.anchors))
            return "0"
        if anchor.is_open:
            self.problems.append(problems.alias_cycle(place, name, anchor.place))
            return "0"
        return anchor.value

    # --- keys and values ---------------------------------------------------------------------

    def add(self, value: Data, start: int, end: int) -> None:
        """Add a value, or a key that is not a plain scalar, to the container being read."""
        container = self.container
        if container is None:
            self.root = value
        elif isinstance(container, list):
            container.append(value)
            self.marks += (start, start, start, end)
        elif self.key is None:
            self.take_key(value, start, end, plain=False)
        else:
            if self.key is _DISCARD:
                self.discarded.append(value)
            elif self.key is _MERGE:
                self.discarded.append(value)
                self.merges.append((container, value, self.key_start, self.key_end))
            else:
                container[self.key] = value
                self.marks += (self.key_start, self.key_end, start, end)
            self.key = None

    def take_key(self, key: Data, start: int, end: int, *, plain: bool) -> None:
        """Make ``key`` the current key, or discard what will stand under it."""
        if not isinstance(key, str):
            self.discarded.append(key)
            self.problems.append(problems.key_not_text(self.source, key, start, end))
            self.key = _DISCARD
            return
        self.key, self.key_start, self.key_end = key, start, end
        stretch = (start, end)
        if (first := self.keys.setdefault(key, stretch)) is not stretch:
            self.problems.append(problems.duplicate_key(self.source, key, first, stretch))
            self.key = _DISCARD
        elif key == "<<" and plain:
            self.problems.append(problems.merge_key(self.source.place(start, end)))
            self.key = _MERGE
        elif not key.isascii():
            self.check_key_text(key, start, end, plain=plain)

    def check_key_text(self, key: str, start: int, end: int, *, plain: bool) -> None:
        """Refuse keys that look the same as another text."""
        if not plain:  # plain ones have been looked at
            self.look_for_invisible(key, start, end)
        if not unicodedata.is_normalized("NFC", key):
            self.problems.append(problems.separate_accents(self.source.place(start, end), key))

    def look_for_invisible(self, value: str, start: int, end: int) -> None:
        """Report the first character of a plain scalar or a key that does not show."""
        match = re.search(_INVISIBLE, value)
        if match is not None:
            at = max(self.text.find(match[0], start, end), start)
            self.problems.append(problems.invisible_character(self.source.place(at), match[0]))

    # --- anchors and tags --------------------------------------------------------------------

    def with_properties(
        self, event: yaml.ScalarEvent, value: str, start: int, end: int
    ) -> tuple[str, int]:
        """The text, with an identity if it is anchored, and where it starts by itself."""
        if event.tag is not None and not value:
            value = "0"  # so that nothing is said of a value that is missing
        anchored = value if event.anchor is None else AnchoredText(value)
        anchor, start = self.properties(event, anchored, start)
        if anchor is not None:
            anchor.is_open = False
        return anchored, min(start, end)

    def properties(
        self, event: yaml.NodeEvent, value: Data, start: int
    ) -> tuple[_Anchor | None, int]:
        """Note an anchor, refuse a tag; return the anchor and where the value itself starts."""
        match = cast("re.Match[str]", re.compile(_PROPERTIES).match(self.text, start))
        if getattr(event, "tag", None) is not None:
            at = max(self.text.find("!", start, match.end()), start)
            written = self.text[at : match.end()].split(maxsplit=1)[0]
            self.problems.append(problems.tag(self.source.place(at, at + len(written))))
        anchor = None if event.anchor is None else self.new_anchor(event, value, start)
        return anchor, match.end()

    def new_anchor(self, event: yaml.NodeEvent, value: Data, start: int) -> _Anchor:
        """Note that ``value`` can be named by an alias."""
        name = cast("str", event.anchor)
        at = max(self.text.find(f"&{name}", start), start)
        place = self.source.place(at, at + len(name) + 1)
        if (first := self.anchors.get(name)) is not None:
            self.problems.append(problems.anchor_twice(name, first.place, place))
        anchor = self.anchors[name] = _Anchor(value, place, is_open=True)
        self.names[id(value)] = name
        return anchor

    # --- values cut by a comma ---------------------------------------------------------------

    def is_torn(self, value: str, start: int, end: int, style: str) -> bool:
        """Deal with a plain value that a comma has cut inside round brackets.

        In ``{then: deck(r - 1, b)}`` YAML sees two entries. The pieces are put together again,
        so that the mistake is reported once and nothing follows from it.
        """
        if self.torn < 0:
            if style or value.count("(") <= value.count(")"):
                return False
            self.torn, self.torn_end = start, -1
            self.torn_is_key = self.mapping is not None and self.key is None
            if self.torn_is_key:
                self.key = _DISCARD
                return True
            return False  # it is added as it is, and mended when the next piece comes
        self.last_end = end
        if self.mapping is not None and self.key is not None:
            self.key = None  # the nothing behind a piece that YAML takes for a key
            return True
        self.torn_end = end
        whole = self.text[self.torn : end]
        if whole.count("(") > whole.count(")"):
            self.key = _DISCARD
            return True
        self.mend(whole, end)
        return True

    def mend(self, whole: str, end: int) -> None:
        """Put the pieces together, and say what happened."""
        start = self.torn
        self.report_torn(end)
        self.torn = -1
        if self.mapping is None:
            cast("list[Data]", self.container)[-1] = whole
        elif self.torn_is_key:
            self.take_key(whole, start, end, plain=True)
            return
        elif self.mapping and self.marks[-2] == start:  # unless its key was discarded
            self.mapping[next(reversed(self.mapping))] = whole
        if self.marks[-2] == start:
            self.marks[-1] = end
        self.key = _DISCARD

    def close_torn(self) -> None:
        """The container ends and the bracket is still open."""
        if self.torn_end >= 0:
            self.report_torn(self.torn_end)
        self.torn = -1

    def report_torn(self, end: int) -> None:
        """Say that a comma ends a plain value."""
        place = self.source.place(self.torn, max(end, self.torn + 1))
        brackets = "{ }" if self.mapping is not None else "[ ]"
        self.problems.append(problems.torn_value(place, brackets))

    # --- the end -----------------------------------------------------------------------------

    def end_of_block(self, start: int, end: int) -> int:
        """Where a block scalar's last visible character ends."""
        if self.spans is not None:  # its first line may end in a comment
            self.spans[-1] = (self.text.find("\n", start, end) + 1 or end, end)
        return start + len(self.text[start:end].rstrip())

    def reading(self) -> Reading:
        """What has been read, when all of it has."""
        data = self.root
        self.merge()
        if not isinstance(data, dict):
            start, end = self.marks_of.get(id(data), [0, self.last_end])[:2]
            place = self.source.place(start, end if data else 0)
            return Reading(
                self.source, None, [*self.problems, problems.not_a_mapping(place, data or "")]
            )
        marks = self.marks_of
        document = Document(self.source, "yaml", data, lambda: marks, self.names, self.comments())
        return Reading(self.source, document, self.problems)

    def merge(self) -> None:
        """Follow merge keys, which have been refused: so that nothing else is said of them."""
        for mapping, value, start, end in self.merges[:_MERGES]:
            for merged in value if isinstance(value, list) else [value]:
                for key in list(merged)[:_MERGES] if isinstance(merged, dict) else ():
                    if isinstance(merged, dict) and key not in mapping:
                        mapping[key] = merged[key]
                        self.marks_of[id(mapping)] += (start, end, start, end)

    def comments(self) -> tuple[Comment, ...]:
        """All comments: a ``#`` between scalars starts one, a ``#`` inside a scalar never."""
        if self.spans is None:
            return ()
        found: list[Comment] = []
        at = 0
        for start, end in [*self.spans, (len(self.text), len(self.text))]:
            found += map(self.comment, _COMMENT.finditer(self.text, at, start))
            at = max(at, end)
        return tuple(found)

    def comment(self, match: re.Match[str]) -> Comment:
        """One comment."""
        line, column = self.source.position(match.start())
        own_line = not self.source.line(line)[: column - 1].strip()
        return Comment(match.start(), match[1].strip(), own_line)
