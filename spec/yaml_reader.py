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

from .diagnostics import Code, Diagnostic, Note
from .document import AnchoredText, Comment, Container, Data, Document, Marks
from .reader import MAX_DEPTH, Reading, describe_character
from .source import Place, Source
from .yaml_messages import explain_yaml_error, too_deep

if TYPE_CHECKING:
    import yaml

# What stands before an anchored or tagged value: properties, white space, comments.
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:\s+|#[^\n]*\n)*)*")
# Characters nobody sees, and spaces that look like one but are none to YAML. Joiners
# (U+200C, U+200D) are left out: several scripts, and many emoji, are written with them.
_INVISIBLE = re.compile(
    "[\xa0\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202f\u2060-\u2069\ufff9-\ufffb\u3000]"
)
_COMMENT = re.compile("#([^\r\n\x85\u2028\u2029]*)")
_DISCARD = "<discarded>"  # a key whose value is read but kept nowhere; known by identity


class _Stop(Exception):
    """Reading on makes no sense; what is wrong is reported already."""


@dataclass(slots=True)
class _Anchor:
    value: Data
    place: Place
    is_open: bool  # its container is still being read


@dataclass(slots=True)
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
        self.discarded: list[Data] = []  # kept alive, so that no id is used twice
        self.spans: list[tuple[int, int]] | None = [] if comments else None
        self.invisible = not source.text.isascii() and _INVISIBLE.search(source.text) is not None
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
        get_event = cast("Callable[[], yaml.Event]", loader.get_event)  # pyright: ignore[reportUnknownMemberType]
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
        first = Note("the first document starts here", self.source.place(self.first_document))
        self.report(
            Code.MANY_DOCUMENTS,
            self.source.place(start, start + 3),
            "a second document starts here, and a file holds one game",
            notes=(first,),
            help_="put each game in a file of its own, or delete this line",
        )

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
        elif self.key is _DISCARD:
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
        place = self.source.place(start, end)
        anchor = self.anchors.get(cast("str", event.anchor))
        if anchor is None:
            self.report_undefined(cast("str", event.anchor), place)
        elif anchor.is_open:
            self.report(
                Code.ALIAS,
                place,
                f"the alias `*{event.anchor}` stands inside the very node that it names",
                label="this would make the tree endless",
                notes=(Note(f"`&{event.anchor}` begins here", anchor.place),),
                help_="a game that comes back to a position is written with named nodes",
            )
        self.add("" if anchor is None or anchor.is_open else anchor.value, start, end)

    def report_undefined(self, name: str, place: Place) -> None:
        """Say that no anchor has this name, or that it comes later."""
        from .suggest import did_you_mean

        later = re.search(rf"&{re.escape(name)}(?![\w-])", self.text[place.end :])
        help_ = did_you_mean(f"*{name}", [f"*{known}" for known in self.anchors])
        if later is not None:
            help_ = f"`&{name}` comes later: put it where the node stands for the first time"
        message = f"the alias `*{name}` names nothing: no `&{name}` stands before it"
        self.report(Code.ALIAS, place, message, help_=help_)

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
            else:
                container[self.key] = value
                self.marks += (self.key_start, self.key_end, start, end)
            self.key = None

    def take_key(self, key: Data, start: int, end: int, *, plain: bool) -> None:
        """Make ``key`` the current key, or discard what will stand under it."""
        if not isinstance(key, str):
            self.discarded.append(key)
            self.report_key_not_text(key, start, end)
            self.key = _DISCARD
            return
        self.key, self.key_start, self.key_end = key, start, end
        place = (start, end)
        if (first := self.keys.setdefault(key, place)) is not place:
            self.report_duplicate(key, first, place)
            self.key = _DISCARD
        elif key == "<<" and plain:
            self.report(
                Code.TAG,
                self.source.place(start, end),
                "merge keys (`<<`) are not part of the language",
                help_="share a whole node by an alias, or make it a named node under `nodes`",
            )
            self.key = _DISCARD
        elif not key.isascii():
            self.check_key_text(key, start, end, plain=plain)

    def report_duplicate(self, key: str, first: tuple[int, int], second: tuple[int, int]) -> None:
        """Show both places of a key."""
        self.report(
            Code.DUPLICATE_KEY,
            self.source.place(*second),
            f"the key `{_shown(key)}` stands here twice",
            label="this would replace the first one",
            notes=(Note("first defined here", self.source.place(*first)),),
            help_="rename or delete one of them",
        )

    def report_key_not_text(self, key: Data, start: int, end: int) -> None:
        """Say that a mapping or a list cannot be a key."""
        what = "a list" if isinstance(key, list) else "a mapping"
        is_template = self.text.startswith("{{", start - 1)
        self.report(
            Code.KEY_NOT_TEXT,
            self.source.place(start, end),
            f"{what} cannot be a key: a key is text",
            help_="quote the text that starts with `{` or `[`"
            + (": `{{ }}` is not a template here" if is_template else ""),
        )

    def check_key_text(self, key: str, start: int, end: int, *, plain: bool) -> None:
        """Refuse keys that look the same as another text."""
        if not plain and _INVISIBLE.search(key):
            self.look_for_invisible(key, start, end)
        if not unicodedata.is_normalized("NFC", key):
            self.report(
                Code.INVISIBLE_CHARACTER,
                self.source.place(start, end),
                f"the key `{_shown(key)}` is written with separate accents, which look like "
                "single letters but compare as different",
                help_="type the key again (Unicode calls the usual form NFC)",
            )

    def look_for_invisible(self, value: str, start: int, end: int) -> None:
        """Report the first character of a plain scalar or a key that does not show."""
        match = _INVISIBLE.search(value)
        if match is None:
            return
        at = self.text.find(match[0], start, end)
        self.report(
            Code.INVISIBLE_CHARACTER,
            self.source.place(max(at, start)),
            f"the invisible character {describe_character(match[0])} stands here",
            help_="replace it by a plain space" if match[0] in "\xa0\u202f\u3000" else "delete it",
        )

    # --- anchors and tags --------------------------------------------------------------------

    def with_properties(
        self, event: yaml.ScalarEvent, value: str, start: int, end: int
    ) -> tuple[str, int]:
        """The text, with an identity if it is anchored, and where it starts by itself."""
        anchored = value if event.anchor is None else AnchoredText(value)
        anchor, start = self.properties(event, anchored, start)
        if anchor is not None:
            anchor.is_open = False
        return anchored, min(start, end)

    def properties(
        self, event: yaml.NodeEvent, value: Data, start: int
    ) -> tuple[_Anchor | None, int]:
        """Note an anchor, refuse a tag; return the anchor and where the value itself starts."""
        match = cast("re.Match[str]", _PROPERTIES.match(self.text, start))
        tag = cast("str | None", getattr(event, "tag", None))
        if tag is not None:
            at = max(self.text.find("!", start, match.end()), start)
            written = self.text[at : match.end()].split(maxsplit=1)[0]
            self.report(
                Code.TAG,
                self.source.place(at, at + len(written)),
                f"the tag `{written}` is not part of the language",
                help_='delete it; a text that starts with `!` needs quotes: "!…"',
            )
        anchor = None if event.anchor is None else self.new_anchor(event, value, start)
        return anchor, match.end()

    def new_anchor(self, event: yaml.NodeEvent, value: Data, start: int) -> _Anchor:
        """Note that ``value`` can be named by an alias."""
        name = cast("str", event.anchor)
        at = max(self.text.find(f"&{name}", start), start)
        place = self.source.place(at, at + len(name) + 1)
        anchor = _Anchor(value, place, is_open=True)
        if (first := self.anchors.get(name)) is not None:
            self.report(
                Code.ALIAS,
                place,
                f"the anchor `&{name}` is defined twice",
                notes=(Note("first defined here", first.place),),
                help_="rename one of them",
            )
        self.anchors[name] = anchor
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
        written = " ".join(self.text[self.torn : end].split()).rstrip()
        first = re.split(r"[,\[{]", written, maxsplit=1)[0].rstrip()
        opener, closer = ("{", "}") if self.mapping is not None else ("[", "]")
        is_whole = written.count("(") == written.count(")")
        self.report(
            Code.YAML_SYNTAX,
            self.source.place(self.torn, max(end, self.torn + 1)),
            f"inside `{opener} {closer}` a comma or a bracket ends a plain value, "
            f"so YAML reads only `{_shown(first)}`",
            help_=f"quote the value: {_quoted(written)}" if is_whole else "quote the value",
        )

    # --- the end -----------------------------------------------------------------------------

    def end_of_block(self, start: int, end: int) -> int:
        """Where a block scalar's last visible character ends."""
        if self.spans is not None:  # its first line may end in a comment
            self.spans[-1] = (self.text.find("\n", start, end) + 1 or end, end)
        return start + len(self.text[start:end].rstrip())

    def report(
        self,
        code: Code,
        place: Place,
        message: str,
        *,
        label: str = "",
        notes: tuple[Note, ...] = (),
        help_: str | None = None,
    ) -> None:
        """Note a mistake, and go on."""
        self.problems.append(Diagnostic(code, place, message, label, notes, help_))

    def reading(self) -> Reading:
        """What has been read, when all of it has."""
        data = self.root
        if isinstance(data, dict):
            marks, keep = self.marks_of, self.discarded

            def locate() -> Marks:
                keep.clear()  # holds what was discarded until the places are known
                return marks

            document = Document(self.source, "yaml", data, locate, self.names, self.comments())
            return Reading(self.source, document, self.problems)
        if not data:
            message, help_ = "the file holds no game", "a game has at least a `game` and a `root`"
            self.report(Code.EMPTY, self.source.place(0, 0), message, help_=help_)
        else:
            self.report_not_mapping(data)
        return Reading(self.source, None, self.problems)

    def report_not_mapping(self, data: Data) -> None:
        """Say what the file is instead of a mapping."""
        start, end = self.marks_of.get(id(data), [0, self.last_end])[:2]
        what = "a list" if isinstance(data, list) else "one text"
        wide = isinstance(data, str) and "\uff1a" in data
        self.report(
            Code.WRONG_SHAPE,
            self.source.place(start, end),
            f"a game is a mapping with the keys `game` and `root`, and this file is {what}",
            help_="the colons are full-width (U+FF1A); write `:` and a space"
            if wide
            else "put a space after each colon: `game: name`"
            if isinstance(data, str)
            else None,
        )

    def comments(self) -> tuple[Comment, ...]:
        """All comments: a ``#`` between scalars starts one, a ``#`` inside a scalar never."""
        if self.spans is None:
            return ()
        found: list[Comment] = []
        at = 0
        for start, end in [*self.spans, (len(self.text), len(self.text))]:
            for match in _COMMENT.finditer(self.text, at, start):
                found.append(self.comment(match))
            at = max(at, end)
        return tuple(found)

    def comment(self, match: re.Match[str]) -> Comment:
        """One comment."""
        line, column = self.source.position(match.start())
        own_line = not self.source.line(line)[: column - 1].strip()
        return Comment(match.start(), match[1].strip(), own_line)


def _shown(text: str) -> str:
    """A text short enough for a message."""
    return text if len(text) <= 40 else text[:39] + "…"


def _quoted(text: str) -> str:
    return f"'{text}'" if '"' in text or "\\" in text else f'"{text}"'
