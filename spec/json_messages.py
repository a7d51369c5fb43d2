"""What is wrong with a text that is not JSON, in this project's words.

The standard library says what it expected; people want to know what they wrote: a trailing
comma, a comment, single quotes, a number that JSON does not know.
"""

from __future__ import annotations

import re

from .diagnostics import Code, Diagnostic, Note
from .source import Source

_YAML_HELP = "or save the file as .yaml, where this is allowed"


def explain_json_error(source: Source, problem: str, at: int) -> Diagnostic:
    """One diagnostic for the library's ``problem`` at ``at``."""
    return _Explainer(source, problem, at).diagnostic()


class _Explainer:
    """One complaint, and the text around it."""

    def __init__(self, source: Source, problem: str, at: int) -> None:
        self.source = source
        self.text = source.text
        self.problem = problem
        self.at = at
        white = re.compile(r"\s*").match(self.text, at)
        self.found = white.end() if white else at  # the first character that is out of place
        self.rest = self.text[self.found : self.found + 80]

    def diagnostic(self) -> Diagnostic:
        """The first explanation that fits."""
        attempts = (
            self.string,
            self.comment,
            self.trailing_comma,
            self.single_quote,
            self.end_of_file,
            self.number,
            self.word,
            self.extra,
            self.missing,
        )
        for attempt in attempts:
            if (found := attempt()) is not None:
                return found
        return self.make(f"this is not JSON: {self.problem[:1].lower()}{self.problem[1:]}")

    def make(
        self, message: str, help_: str | None = None, at: int | None = None, length: int = 1
    ) -> Diagnostic:
        """A diagnostic at ``at``."""
        start = self.found if at is None else at
        place = self.source.place(start, start + length)
        return Diagnostic(Code.JSON_SYNTAX, place, message, help=help_)

    def string(self) -> Diagnostic | None:
        """What goes wrong inside quotes."""
        if self.problem.startswith("Unterminated string"):
            return self.make("this quote is never closed", 'put `"` at the end', self.at)
        if self.problem.startswith("Invalid control character"):
            if self.text[self.at] not in "\r\n":
                return self.make("a tab or control character inside quotes", "write `\\t`", self.at)
            return self.make(
                "a text goes on over the end of its line",
                'close it with `"`, or write `\\n`',
                self.at,
            )
        if "escape" in self.problem:
            at = self.text.rfind("\\", 0, self.at + 1)
            written = self.text[at : at + 2]
            return self.make(
                f"`{written}` means nothing inside quotes", "write `\\\\` for a backslash", at, 2
            )
        return None

    def comment(self) -> Diagnostic | None:
        """``//``, ``/* */`` or ``#``."""
        if not self.rest.startswith(("//", "/*", "#")):
            return None
        return self.make("JSON has no comments", f"delete it, {_YAML_HELP} (with `#`)")

    def trailing_comma(self) -> Diagnostic | None:
        """A comma before a closing bracket."""
        comma = self.text.rfind(",", 0, self.found + 1)
        if comma < 0:
            return None
        closing = self.text[comma + 1 :].lstrip()[:1]
        nothing_between = not self.text[comma + 1 : self.found].strip()
        if closing not in ("}", "]") or not nothing_between:
            return None
        return self.make(f"a comma before the closing `{closing}`", "delete the comma", comma)

    def single_quote(self) -> Diagnostic | None:
        """``'text'``."""
        if not self.rest.startswith("'"):
            return None
        return self.make("JSON knows only double quotes", "write \"text\" instead of 'text'")

    def end_of_file(self) -> Diagnostic | None:
        """The text ends too early."""
        if self.rest:
            return None
        stack: list[int] = []
        for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', self.text):
            if match[0] in "[{":
                stack.append(match.start())
            elif match[0] in "]}" and stack:
                stack.pop()
        if not stack:
            return self.make("the file ends where a value is expected")
        at = stack[-1]
        bracket = self.text[at]
        closer = "}" if bracket == "{" else "]"
        return self.make(
            f"the bracket `{bracket}` is never closed", f"put `{closer}` where it ends", at
        )

    def number(self) -> Diagnostic | None:
        """Numbers that the language knows and JSON does not: ``1/3``, ``25%``, ``.5``, ``010``."""
        head = re.search(r"-?\d[\w.]*$", self.text[max(self.at - 80, 0) : self.at])
        tail = re.match(r"[\w.+%/*-]+", self.rest) if self.found == self.at else None
        start = self.at - len(head[0]) if head and tail else self.found
        written = re.compile(r"[\w.+%/*-]+").match(self.text, start)
        if written is None or not re.match(r"[+.-]?\.?\d", written[0]):
            return None
        if not (head and tail) and self.rest[:1] not in ("+", ".", "-"):
            return None
        hint = f'write "{written[0]}": a number in quotes is read in full'
        if re.match(r"-?0\d", written[0]):
            hint = "delete the leading zero"
        return self.make(f"`{written[0]}` is not a number in JSON", hint, start, len(written[0]))

    def word(self) -> Diagnostic | None:
        """A text without quotes."""
        match = re.match(r"[^\W\d][\w-]*", self.rest)
        if match is None or self.problem.startswith(("Extra data", "Expecting ','")):
            return None
        is_key = self.problem.startswith("Expecting property name")
        what = "a key" if is_key else "a text"
        literal = {"True": "true", "False": "false", "None": "null"}.get(match[0])
        help_ = f"write `{literal}`" if literal and not is_key else f'write "{match[0]}"'
        return self.make(f"{what} needs double quotes", help_, None, len(match[0]))

    def extra(self) -> Diagnostic | None:
        """Something behind the value, or in front of it."""
        if not self.problem.startswith("Extra data"):
            return None
        closed = self.make(
            "this stands behind the end of the game", "delete it, or a bracket too many"
        )
        if self.rest.startswith("{"):
            first = Note("the first one starts here", self.source.place(self.text.find("{")))
            return Diagnostic(
                Code.MANY_DOCUMENTS,
                closed.place,
                "a second document starts here, and a file holds one game",
                notes=(first,),
                help="put each game in a file of its own",
            )
        return closed

    def missing(self) -> Diagnostic | None:
        """A comma, a colon, a key or a value that is not there."""
        if self.problem.startswith("Expecting ','"):
            return self.make("a comma is missing before this", "separate entries by commas")
        if self.problem.startswith("Expecting ':'"):
            return self.make("a colon is missing before this", 'write "key": value')
        if self.problem.startswith("Expecting property name"):
            return self.make("a key in double quotes is expected here", 'write "key": value')
        if self.problem.startswith("Expecting value"):
            return self.make("a value is expected here")
        return None
