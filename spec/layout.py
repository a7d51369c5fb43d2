"""From the lexer's tokens to the parser's: what a newline means, and which words are keywords.

Input   the tokens of an expression, or of a whole file in the text notation.
Output  the same tokens without newlines and comments, with ``SEP`` where a newline, a comma or
        a semicolon separates branches or entries, and with soft keywords told from names.
Holds   a word is a keyword only where no name could stand: ``cost 3 …`` against ``cost: 3`` and
        ``cost * 2``. Brackets nest at most ``MAX_DEPTH`` deep.
Errors  ``ParseError``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .diagnostics import Code

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lark import Token

MAX_DEPTH = 200


class ParseError(Exception):
    """Why a text cannot be parsed: ``start`` and ``end`` are offsets in that text."""

    def __init__(
        self,
        message: str,
        start: int,
        end: int,
        help: str | None = None,  # noqa: A002 - the field's name in every diagnostic
        code: Code = Code.SYNTAX,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end
        self.help = help
        self.code = code


STATEMENTS = {
    word: word.upper()
    for word in "game description players param define node root policy bounds expect".split()
}
HARD_WORDS = frozenset("if then else let in for or and not true false".split())
_VALUE_FIRST = frozenset(
    "NUMBER DICE STRING LONG_STRING NAME QUOTED_NAME IF LET NOT TRUE FALSE TILDE".split()
)
_TEXT_FIRST = frozenset(("STRING", "LONG_STRING"))
_NAME_FIRST = frozenset(("NAME", "QUOTED_NAME"))
# What each statement word must be followed by to start a statement even inside open brackets.
_CERTAIN = {
    "game": _TEXT_FIRST,
    "description": _TEXT_FIRST,
    "param": _NAME_FIRST,
    "define": _NAME_FIRST,
    "node": _NAME_FIRST,
    "root": frozenset(("NAME", "QUOTED_NAME", "NUMBER", "IF", "LET")),
    "policy": _TEXT_FIRST | _NAME_FIRST,
    "bounds": frozenset(("NUMBER", "MINUS", "LSQB")),
    "players": frozenset(("LBRACE",)),
    "expect": frozenset(("LBRACE",)),
}
_KINDS = frozenset(("max", "min", "chance"))
_TAGS = {word: word.upper() for word in "label note heuristic cost reward".split()}
# After these a newline separates nothing …
_OPEN_ENDED = frozenset(
    "SEP LBRACE LPAR LSQB COMMA COLON EQUALS AT THEN ELSE LET_IN FOR_IN IN NOT_IN FOR IF LET AND "
    "OR NOT EQUAL UNEQUAL LESS AT_MOST MORE AT_LEAST DOTS BAR CARET AMPERSAND LEFT RIGHT PLUS "
    "MINUS STAR SLASH FLOOR PERCENT TILDE POWER KIND LABEL NOTE HEURISTIC COST REWARD AS WEIGHT "
    "OF".split()
) | frozenset(STATEMENTS.values())
# … and before these.
_CLOSING = frozenset("THEN ELSE LBRACE RBRACE COMMA SEMICOLON".split())
_BRACKETS = {"LPAR": "(", "LSQB": "[", "LBRACE": "{"}
_CLOSERS = {"RPAR": "(", "RSQB": "[", "RBRACE": "{"}
CLOSER_OF = {"(": ")", "[": "]", "{": "}"}
_LABELS = frozenset(
    "NAME QUOTED_NAME NUMBER STRING LONG_STRING TRUE FALSE IF LET FOR OR AND NOT DICE".split()
)
_ENTRY_FIRST = frozenset(("SEP", "LBRACE"))
_LEAF_BEFORE = frozenset(("SEP", "LBRACE", "COLON"))
_LEAF_AFTER = frozenset("NEWLINE COMMA SEMICOLON RBRACE COMMENT".split())
# After a block's closing brace, one of these begins the next branch without a separator.
_BRANCH_FIRST = frozenset(
    "NAME QUOTED_NAME NUMBER STRING LONG_STRING TRUE FALSE FOR AT DICE LET IF LPAR LSQB".split()
)


@dataclass(slots=True)
class Statement:
    """The tokens of one statement, and what stood in the way of laying it out, if anything."""

    tokens: list[Token] = field(default_factory=list["Token"])
    problem: ParseError | None = None


def lay_out_expression(tokens: list[Token], text: str) -> Statement:
    """The parser's tokens for an expression, a header or a ``for`` clause."""
    layout = _Layout(tokens, text, is_file=False)
    layout.run()
    return layout.statements[0]


def lay_out_file(tokens: list[Token], text: str) -> list[Statement]:
    """The parser's tokens for each statement of a file, in order."""
    layout = _Layout(tokens, text, is_file=True)
    layout.run()
    return [s for s in layout.statements if s.tokens or s.problem]


class _Layout:
    """One pass over the tokens. ``stack`` holds what is open: ``( [ { block let if``."""

    def __init__(self, tokens: list[Token], text: str, *, is_file: bool) -> None:
        self.raw = [token for token in tokens if token.type != "COMMENT"]
        self.text = text
        self.is_file = is_file
        self.stack: list[str] = []
        self.openers: list[Token] = []  # the token that opened each of the stack
        self.statements = [Statement()]
        self.out = self.statements[0].tokens
        self.previous = "SEP"  # the type of the last token put out
        self.newline: Token | None = None  # seen, and not yet found to separate anything
        self.after_block = False
        self.skipping = False  # past a problem, up to the next sure start of a statement

    def run(self) -> None:
        """Put all tokens out."""
        raw = self.raw
        take = {
            "NEWLINE": self._newline,
            "NAME": self._word,
            "NUMBER": self._number,
            "COMMA": self._punctuation,
            "SEMICOLON": self._semicolon,
            **dict.fromkeys(_BRACKETS, self._open),
            **dict.fromkeys(_CLOSERS, self._close),
            "LET": self._let,
            "IF": self._if,
            "THEN": self._then,
            "IN": self._in,
            "COLON": self._colon,
        }
        other = self._other
        for index, token in enumerate(raw):
            kind = token.type
            if self.is_file and kind == "NAME" and self._starts_statement(index, token):
                self._new_statement()
            elif self.skipping:
                continue
            if kind != "NEWLINE" and (self.newline is not None or self.after_block):
                self._separate(kind, token)
            try:
                take.get(kind, other)(token, index)
            except ParseError as problem:
                self.statements[-1].problem = problem
                if not self.is_file:
                    break
                self.skipping = True
        self._finish()

    # ---- statements ----

    def _starts_statement(self, index: int, token: Token) -> bool:
        """Whether the word begins a line and a statement, whatever is still open before it."""
        after = _CERTAIN.get(token)
        if after is None:
            return False
        at = token.start_pos or 0
        if at and self.text[at - 1] not in "\r\n\x85\u2028\u2029":
            return False
        following = self._next_type(index)
        if following not in after:
            return False
        return token != "root" or self._next_type(index + 1) not in ("COLON", "AT")

    def _new_statement(self) -> None:
        self._finish()
        self.statements.append(Statement())
        self.out = self.statements[-1].tokens
        self.stack.clear()
        self.openers.clear()
        self.previous = "SEP"
        self.newline = None
        self.after_block = False
        self.skipping = False

    def _finish(self) -> None:
        statement = self.statements[-1]
        if statement.problem is None:
            statement.problem = self.unclosed()

    def unclosed(self) -> ParseError | None:
        """The complaint about the innermost bracket that is still open."""
        for what, token in zip(reversed(self.stack), reversed(self.openers), strict=True):
            if what not in ("let", "if"):
                return never_closed(token)
        return None

    # ---- newlines, commas, semicolons ----

    def _newline(self, token: Token, _index: int) -> None:
        if self.newline is None and self._in_braces():
            self.newline = token

    def _in_braces(self) -> bool:
        if not self.stack:
            return self.is_file
        return self.stack[-1] in ("{", "block")

    def _after_percentage(self) -> bool:
        """Whether the last token is the `%` of a number at the end of a line."""
        out = self.out
        return (
            self.previous == "PERCENT"
            and out[-2].type == "NUMBER"
            and out[-2].end_pos == out[-1].start_pos
        )

    def _separate(self, kind: str, token: Token) -> None:
        """Put out a SEP where a newline, or a block's end, before ``token`` is one."""
        newline, self.newline = self.newline, None
        after_block, self.after_block = self.after_block, False
        if kind in _CLOSING or (self.previous in _OPEN_ENDED and not self._after_percentage()):
            return
        if newline is None:
            if not after_block or kind not in _BRANCH_FIRST or token == "as":
                return
            newline = token
        self._separator(newline)

    def _separator(self, token: Token) -> None:
        if self.stack or not self.is_file:
            self.out.append(_token("SEP", token, token))
            self.previous = "SEP"
        elif self.out:
            self._new_statement()

    def _semicolon(self, token: Token, index: int) -> None:
        while self.stack and self.stack[-1] in ("let", "if"):
            self._pop()
        self._punctuation(token, index)

    def _punctuation(self, token: Token, _index: int) -> None:
        if self._in_braces():
            self._separator(token)
        else:
            self._put(token)

    # ---- brackets, and what behaves like them ----

    def _push(self, what: str, token: Token) -> None:
        self.stack.append(what)
        self.openers.append(token)
        if len(self.stack) > MAX_DEPTH:
            raise too_deep(token)

    def _pop(self) -> None:
        self.stack.pop()
        self.openers.pop()

    def _open(self, token: Token, _index: int) -> None:
        what = _BRACKETS[token.type]
        if what == "{" and self.previous == "KIND":
            what = "block"
        self._put(token)
        self._push(what, token)

    def _close(self, token: Token, _index: int) -> None:
        while self.stack and self.stack[-1] in ("let", "if"):
            self._pop()
        wanted = _CLOSERS[token.type]
        if not self.stack:
            raise ParseError(
                f"`{token}` closes nothing", *span(token), f"remove it, or open it with `{wanted}`"
            )
        opened = self.openers[-1]
        if opened != wanted:
            raise ParseError(
                f"`{opened}` is closed by `{token}`, expected `{CLOSER_OF[str(opened)]}`",
                *span(token),
            )
        ends_statement = self.is_file and len(self.stack) == 1 and opened == "{"
        self.after_block = self.stack[-1] == "block" or ends_statement
        self._pop()
        self._put(token)

    def _let(self, token: Token, index: int) -> None:
        if self._is_label(token, index):
            return
        self._put(token)
        self._push("let", token)

    def _if(self, token: Token, index: int) -> None:
        if self._is_label(token, index):
            return
        self._put(token)
        self._push("if", token)

    def _then(self, token: Token, _index: int) -> None:
        if self.stack and self.stack[-1] == "if":
            self._pop()
        self._put(token)

    def _colon(self, token: Token, _index: int) -> None:
        while self.stack and self.stack[-1] == "if":  # the condition of a loop or a branch
            self._pop()
        self._put(token)

    def _in(self, token: Token, _index: int) -> None:
        if self.previous == "NOT":
            before = self.out.pop()
            joined = _token("NOT_IN", before, before)
            joined.end_pos = token.end_pos
            self._put(joined)
        elif len(self.out) > 1 and self.out[-2].type == "FOR":
            self._put(_token("FOR_IN", token, token))
        elif self.stack and self.stack[-1] == "let":
            self._pop()
            self._put(_token("LET_IN", token, token))
        else:
            self._put(token)

    # ---- words and numbers ----

    def _next_type(self, index: int) -> str:
        """The type of the token after the one at ``index``, newlines left out."""
        for token in self.raw[index + 1 : index + 50]:
            if token.type != "NEWLINE":
                return token.type
        return "$END"

    def _adjacent_type(self, index: int) -> str:
        return self.raw[index + 1].type if index + 1 < len(self.raw) else "$END"

    def _is_label(self, token: Token, index: int) -> bool:
        """Put ``token`` out as a branch's label where it is one."""
        if (
            self.previous in _ENTRY_FIRST
            and self.stack
            and self.stack[-1] == "block"
            and self._ends_label(token, index)
        ):
            self._put(_token("BRANCH", token, token))
            return True
        return False

    def _ends_label(self, token: Token, index: int) -> bool:
        """Whether what follows can only follow a label: `hold:`, `hold @ 1/3:`, `hold if c:`."""
        following = self._adjacent_type(index)
        return following in ("COLON", "AT") or (following == "IF" and token.type != "IF")

    def _other(self, token: Token, index: int) -> None:
        if token.type in _LABELS and self._is_label(token, index):
            return
        self._put(token)

    def _word(self, token: Token, index: int) -> None:
        if not self._is_label(token, index):
            self._put(_token(self._word_type(token, index), token, token))

    def _word_type(self, token: Token, index: int) -> str:
        if token in _KINDS:
            return "KIND" if self._next_type(index) == "LBRACE" else "NAME"
        if token in STATEMENTS and self.is_file and not self.out:
            return STATEMENTS[token]
        if token in _TAGS:
            return _TAGS[token] if self._is_tag(token, index) else "NAME"
        following = self._adjacent_type(index)
        if token == "as" and following == "STRING":
            return "AS"
        if token == "of" and self.previous == "RSQB":
            return "OF"
        if token == "weight" and self.previous == "AT" and self._takes_value(token, index):
            return "WEIGHT"
        return "NAME"

    def _is_tag(self, token: Token, index: int) -> bool:
        if token in ("label", "note"):
            return self._adjacent_type(index) in _TEXT_FIRST
        return self._takes_value(token, index)

    def _takes_value(self, token: Token, index: int) -> bool:
        """Whether a value, and no operator or argument list, follows: `cost 3`, `cost (a + b)`."""
        following = self._adjacent_type(index)
        if following in _VALUE_FIRST:
            return True
        if following not in ("LPAR", "LSQB", "MINUS", "PLUS"):
            return False
        spaced = token.end_pos != self.raw[index + 1].start_pos
        if following in ("LPAR", "LSQB"):
            return spaced
        after = self.raw[index + 2] if index + 2 < len(self.raw) else None
        return spaced and after is not None and after.start_pos == self.raw[index + 1].end_pos

    def _number(self, token: Token, index: int) -> None:
        if self._is_label(token, index):
            return
        if self.stack and self.stack[-1] == "block" and self._adjacent_type(index) in _LEAF_AFTER:
            if self.previous in _LEAF_BEFORE:
                token.type = "LEAF"
            elif self._is_signed_leaf(token):
                sign = self.out.pop()
                token = _token("LEAF", token, sign, f"{sign}{token}")
        self._put(token)

    def _is_signed_leaf(self, token: Token) -> bool:
        out = self.out
        return (
            self.previous in ("MINUS", "PLUS")
            and len(out) > 1
            and out[-2].type in _LEAF_BEFORE
            and out[-1].end_pos == token.start_pos
        )

    def _put(self, token: Token) -> None:
        self.out.append(token)
        self.previous = token.type


def join_percents(tokens: Iterable[Token]) -> list[Token]:
    """``25%`` as one number, where no operand follows that would make it ``25 % 3``."""
    joined: list[Token] = []
    pending: Token | None = None  # a `%` right behind a number
    for token in tokens:
        if pending is not None:
            if token.type in _OPERAND_FIRST:
                joined.append(pending)
            else:
                _absorb(joined, pending)
            pending = None
        if (
            token.type == "PERCENT"
            and joined
            and joined[-1].type == "NUMBER"
            and joined[-1].end_pos == token.start_pos
        ):
            pending = token
        else:
            joined.append(token)
    if pending is not None:
        _absorb(joined, pending)
    return joined


_OPERAND_FIRST = frozenset(
    "NUMBER DICE NAME QUOTED_NAME LPAR LSQB STRING TRUE FALSE TILDE LBRACE".split()
)


def _absorb(joined: list[Token], percent: Token) -> None:
    number = joined[-1]
    joined[-1] = _token("NUMBER", number, number, f"{number}%")
    joined[-1].end_pos = percent.end_pos


def span(token: Token) -> tuple[int, int]:
    """Where a token stands."""
    return token.start_pos or 0, token.end_pos or 0


def never_closed(token: Token) -> ParseError:
    """The complaint about an opening bracket."""
    return ParseError(
        f"`{token}` is never closed", *span(token), f"add `{CLOSER_OF[str(token)]}` where it ends"
    )


def too_deep(token: Token) -> ParseError:
    """The complaint about brackets nested too deep."""
    return too_deep_at(*span(token))


def too_deep_at(start: int, end: int) -> ParseError:
    """The complaint about nesting."""
    return ParseError(
        f"nested more than {MAX_DEPTH} levels deep",
        start,
        end,
        "give parts of it a name of their own",
        Code.NESTING,
    )


def _token(kind: str, token: Token, start: Token, text: str | None = None) -> Token:
    """``token`` with another type, beginning where ``start`` begins."""
    if kind == token.type and text is None:
        return token
    return type(token)(
        kind,
        str(token) if text is None else text,
        start.start_pos,
        start.line,
        start.column,
        token.end_line,
        token.end_column,
        token.end_pos,
    )
