"""libyaml's complaints in this project's words.

libyaml reports what its scanner did not find; a person wants to know what to write. Each of
its problem strings is mapped to a code, a message and, from the text around, a hint.
"""

from __future__ import annotations

import re
from typing import cast

from .diagnostics import Code, Diagnostic, Note
from .reader import MAX_DEPTH
from .source import Source


def too_deep(source: Source, at: int) -> Diagnostic:
    """The diagnostic for nesting below the limit."""
    return Diagnostic(
        Code.NESTING,
        source.place(at),
        f"mappings and lists are nested more than {MAX_DEPTH} levels deep",
        help="give the inner part a name under `nodes` and call it here",
    )


def explain_yaml_error(source: Source, error: Exception, depth: int, read: int) -> Diagnostic:
    """One diagnostic for libyaml's ``error``, which came ``depth`` levels deep behind ``read``."""
    problem = cast("str | None", getattr(error, "problem", None)) or str(error)
    at = _index(error, "problem_mark")
    began = _index(error, "context_mark")
    if "maximum nesting depth" in problem:
        return too_deep(source, _crossing(source.text, read, depth))
    at = min(max(at, 0), len(source.text))
    return _Explainer(source, problem, at, began, read).diagnostic()


def _index(error: Exception, name: str) -> int:
    mark = getattr(error, name, None)
    return -1 if mark is None else cast("int", mark.index)


def _crossing(text: str, at: int, depth: int) -> int:
    """Where flow nesting, ``depth`` levels deep at ``at``, crosses the limit."""
    token = re.compile(r""""(?:[^"\\]|\\.)*"|'[^']*'|(?:(?<=\s)|^)#[^\n]*|[\[\]{}]""", re.DOTALL)
    for match in token.finditer(text, at):
        if match[0] in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return match.start()
        elif match[0] in "]}":
            depth -= 1
    return at


_SMALL_THINGS = {  # part of libyaml's words: message, hint
    "found incompatible YAML document": ("this YAML version is not supported", "delete the line"),
    "unexpected ':'": ("a space is missing after this colon", "write `key: value`"),
    "mapping keys are not allowed": (
        "a plain value cannot start with `?`",
        'quote the value: "?…"',
    ),
    "character escape code": (
        "this escape is no character of its own",
        "write the character itself",
    ),
    "directive": (
        "a line that starts with `%` is a directive, and there is none like this",
        "delete the line, or quote the value",
    ),
    "expected alphabetic or numeric": (
        "a name is missing behind this `&` or `*`",
        'quote a value that starts with it: "*…"',
    ),
    "tag": (
        "this tag is not well formed, and tags are not part of the language",
        'quote a value that starts with `!`: "!…"',
    ),
    "expected comment or line break": (
        "text behind a `|` or `>`",
        "start the text on the next line, or quote the value",
    ),
}


class _Explainer:
    """One complaint, and the text around it."""

    def __init__(self, source: Source, problem: str, at: int, began: int, read: int) -> None:
        self.source = source
        self.text = source.text
        self.problem = problem
        self.at = at
        self.began = began
        self.read = read

    def diagnostic(self) -> Diagnostic:
        """The first explanation that fits."""
        for attempt in (self.tab, self.documents, self.quote, self.colon, self.odd_start,
                        self.torn_call, self.bracket, self.layout, self.small_things):  # fmt: skip
            if (found := attempt()) is not None:
                return found
        return self.make(f"this is not YAML: {self.problem}")

    def make(
        self,
        message: str,
        help_: str | None = None,
        at: int | None = None,
        end: int | None = None,
        *,
        code: Code = Code.YAML_SYNTAX,
        note: Note | None = None,
    ) -> Diagnostic:
        """A diagnostic at ``at``."""
        place = self.source.place(self.at if at is None else at, end)
        return Diagnostic(code, place, message, notes=(note,) if note else (), help=help_)

    def line_start(self, at: int) -> int:
        """Where the line of ``at`` begins."""
        return at - self.source.position(at)[1] + 1

    def line_end(self, at: int) -> int:
        """Where the line of ``at`` ends."""
        match = re.compile("[\r\n\x85\u2028\u2029]|$").search(self.text, at)
        return match.start() if match else len(self.text)

    def tab(self) -> Diagnostic | None:
        """A tab in the indentation."""
        start = self.line_start(self.at)
        indent = cast("re.Match[str]", re.compile(r"[ \t]*").match(self.text, start))[0]
        if "\t" not in indent:
            # libyaml may stop at the line after: look at the one before as well.
            previous = self.line_start(max(start - 1, 0))
            indent = cast("re.Match[str]", re.compile(r"[ \t]*").match(self.text, previous))[0]
            if "\t" not in indent or "tab" in self.problem:
                return None
            start = previous
        at = start + indent.index("\t")
        return self.make(
            "a tab is used for indentation",
            "indent with spaces: YAML does not allow tabs there",
            at,
            at + 1,
            code=Code.TAB,
        )

    def documents(self) -> Diagnostic | None:
        """Something behind the end of the document."""
        if "document start" not in self.problem:
            return None
        if re.search(r"^\.\.\.\s*(#.*)?$", self.text[: self.at], re.MULTILINE):
            return self.make(
                "a second document starts here, and a file holds one game",
                "put each game in a file of its own",
                code=Code.MANY_DOCUMENTS,
            )
        return self.make(
            "this stands behind the end of the game", "indent it, or delete a closing bracket"
        )

    def quote(self) -> Diagnostic | None:
        """A quote that does not end, and what is wrong inside quotes."""
        if "escape character" in self.problem:
            written = self.text[self.at : self.at + 2]
            if not written.startswith("\\"):
                at = self.text.find("\\", self.at)
                written = self.text[at : at + 2]
            return self.make(
                f"`{written}` means nothing inside double quotes",
                "write `\\\\` for a backslash, or use single quotes",
            )
        if self.problem in (
            "found unexpected end of stream",
            "found unexpected document indicator",
        ):
            at = self.began if self.began >= 0 else self.at
            return self.make(
                "this quote is never closed",
                "put the same quote at the end of the text",
                at,
                at + 1,
            )
        return None

    def colon(self) -> Diagnostic | None:
        """A colon too many, or a space too few."""
        if "mapping values are not allowed" in self.problem:
            return self.second_colon()
        if "could not find expected ':'" not in self.problem:
            return None
        at = self.began if self.began >= 0 else self.at
        end = self.line_end(at)
        found = self.tight_colon(at, end)
        return found or self.make(
            f"`{_short(self.text[at:end])}` stands alone, where a key and a value belong",
            "write `key: value`",
            at,
            end,
        )

    def tight_colon(self, start: int, end: int) -> Diagnostic | None:
        """``key:value`` without the space."""
        match = re.compile(r"""\s*(?:[\w-]+|"[^"]*"|'[^']*')(:)(?=[^\s:])""").match(
            self.text, start, end
        )
        if match is None:
            return None
        return self.make(
            "a space is missing after this colon", "write `key: value`", match.start(1)
        )

    def second_colon(self) -> Diagnostic:
        """``a: b: c``, ``title: Nim: the game``, or a key behind a ``key:value`` line."""
        start = self.line_start(self.at)
        before = self.text[start : self.at]
        header = re.compile(r"\s*([^\W\d]\w*\([^\n]*?\)):(?=\s)").match(self.text, start)
        if header is not None and header.start(1) < self.at <= header.end(1):
            return self.make(
                "a key with a colon in it must stand in quotes",
                f"quote the key: {_quote(header[1])}",
                *header.span(1),
            )
        if (key := re.match(r"\s*(?:- +)*[^\s:#][^:]*:\s+", before)) and before[
            key.end() :
        ].strip():
            value = self.text[start + key.end() : self.line_end(self.at)].rstrip()
            return self.make(
                "a second colon on one line: a plain value cannot hold a colon and a space",
                f"quote the value: {_quote(value)}" if len(value) <= 60 else "quote the value",
            )
        previous = start
        while previous > 0:  # the key that swallowed this line stands above
            previous = self.line_start(previous - 1)
            if self.text[previous:start].strip():
                break
        found = self.tight_colon(previous, start)
        return found or self.make(
            "a key cannot stand here: the lines above are one plain value that goes on to here",
            "indent this line like its neighbours, or end the value above",
        )

    def odd_start(self) -> Diagnostic | None:
        """A value that starts with a character that YAML keeps for itself."""
        if "cannot start any token" not in self.problem:
            return None
        character = self.text[self.at : self.at + 1]
        value = self.text[self.at : self.line_end(self.at)].rstrip()
        if character == "\t":
            return self.make("a tab stands here", "use spaces", code=Code.TAB)
        return self.make(
            f"a plain value cannot start with `{character}`",
            f"quote the value: {_quote(value)}" if len(value) <= 60 else "quote the value",
        )

    def torn_call(self) -> Diagnostic | None:
        """A comma or a bracket inside a round bracket inside ``{ }`` or ``[ ]``."""
        if "',' or" not in self.problem:
            return None
        if (found := self.torn_index()) is not None:
            return found
        start = self.line_start(self.at)
        openers: list[int] = []
        for match in re.compile(r"""[()]|"[^"\n]*"|'[^'\n]*'""").finditer(
            self.text, start, self.at
        ):
            if match[0] == "(":
                openers.append(match.start())
            elif match[0] == ")" and openers:
                openers.pop()
        if not openers:
            return None
        head = re.compile(r"[^\s:,{}\[\]][^:,{}\[\]]*$").search(self.text[start : openers[0]])
        at = start + head.start() if head else openers[0]
        return self.make(
            "inside `{ }` or `[ ]` a comma, a bracket or a quote ends a plain value, and this one "
            "goes on",
            "quote the whole value",
            at,
            max(self.at, at + 1),
        )

    def torn_index(self) -> Diagnostic | None:
        """``{k: h[0] + 1}``: the bracket ends the value ``h``."""
        before = re.compile(r"[^\s,{}\[\]\"':][^,{}\[\]\"':\n]*$").search(
            self.text, self.line_start(self.at), self.at
        )
        if before is None or self.text[self.at : self.at + 1] not in ("[", "{"):
            return None
        if before[0][-1:].isspace():
            return None
        rest = re.compile(r"(?:\[[^\]\n]*\]|[^,{}\[\]\n])*").match(self.text, self.at)
        end = rest.end() if rest else self.at + 1
        value = self.text[before.start() : end].rstrip()
        return self.make(
            "inside `{ }` or `[ ]` a bracket ends a plain value, "
            f"so YAML reads only `{_short(before[0])}`",
            f"quote the value: {_quote(value)}" if len(value) <= 60 else "quote the value",
            before.start(),
            before.start() + len(value),
        )

    def bracket(self) -> Diagnostic | None:
        """``{`` or ``[`` without its end, or two entries without a comma."""
        if "',' or" not in self.problem:
            return None
        opened = Note("the bracket opens here", self.source.place(max(self.began, 0)))
        if not self.text[self.at :].strip() or self.source.position(self.at)[0] > self.end_line():
            at = max(self.began, 0)
            return self.make(
                f"the bracket `{self.text[at : at + 1]}` is never closed",
                f"put `{'}' if self.text[at : at + 1] == '{' else ']'}` where it ends",
                at,
                at + 1,
            )
        closer = "}" if "'}'" in self.problem else "]"
        return self.make(
            f"a comma or `{closer}` is missing before this",
            "separate entries by commas; quote a value that holds a colon, comma or bracket",
            note=opened,
        )

    def end_line(self) -> int:
        """The line on which reading had come to a good end."""
        return self.source.position(self.read)[0]

    def layout(self) -> Diagnostic | None:
        """Indentation, and text behind the end of a value."""
        if "did not find expected key" in self.problem or "'-' indicator" in self.problem:
            return self.misplaced()
        if "block sequence entries are not allowed" in self.problem:
            return self.make(
                "a list cannot start on the line of its key",
                "start the list on the next line, indented, or write `[a, b]`",
            )
        if "expected node content" in self.problem:
            written = self.text[self.at : self.at + 1]
            return self.make(
                f"a value is missing before `{written}`"
                if written.strip()
                else "a value is missing",
                "delete one comma" if written == "," else "quote a value that starts with this",
            )
        return None

    def misplaced(self) -> Diagnostic:
        """Something that fits neither the block before it nor the one around."""
        written = self.text[self.at : self.at + 1]
        start = self.line_start(self.at)
        if written in ("}", "]"):
            return self.make(f"this `{written}` closes nothing", "delete it, or open its bracket")
        before = self.text[start : self.at].rstrip()
        if before and before[-1] in "\"'":
            value = self.text[start : self.line_end(self.at)].split(": ", 1)[-1].strip()
            return self.make(
                "text behind the closing quote",
                f"quote the whole value: {_quote(value)}" if len(value) <= 60 else None,
            )
        if before and before[-1] in "}]":
            return self.make(
                "text behind the closing bracket", "quote the whole value, or delete this"
            )
        note = Note(
            "the block it would belong to starts here", self.source.place(max(self.began, 0))
        )
        if written == "-":
            return self.make(
                "a list item stands where a key is expected",
                "a block is a list or a mapping; indent the items below their key",
                note=note,
            )
        if "'-' indicator" in self.problem:
            return self.make(
                "a key stands where a list item is expected",
                "start it with `- `, or move it out of the list",
                note=note,
            )
        return self.make(
            "this line is indented like no line before it",
            "indent it like its neighbours",
            note=note,
        )

    def small_things(self) -> Diagnostic | None:
        """Directives, anchors, tags, block scalar headers."""
        for key, (message, help_) in _SMALL_THINGS.items():
            if key in self.problem:
                return self.make(message, help_)
        return None


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 40 else text[:39] + "…"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'" if '"' in text else f'"{text}"'
