"""What to say about a text that does not parse.

Input   the tokens, which of them did not fit, and what would have fitted.
Output  a ``ParseError`` in plain words: what was found, what was expected, how to mend it.

The checks of ``_CHECKS`` are tried in order, the habits of other languages first; the last
resort lists what could have stood there. No word of the parser's own ever shows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .diagnostics import Code
from .layout import CLOSER_OF, HARD_WORDS, STATEMENTS, ParseError, never_closed, span
from .numbers import number_problem
from .syntax import unknown_escape

if TYPE_CHECKING:
    from lark import Token

_BREAKS = "\r\n\x85\u2028\u2029"
_OPENERS = ("LPAR", "LSQB", "LBRACE")
_CLOSERS = {"RPAR": "LPAR", "RSQB": "LSQB", "RBRACE": "LBRACE"}
_VALUE_LAST = frozenset(
    "NUMBER DICE STRING NAME QUOTED_NAME TRUE FALSE RPAR RSQB RBRACE LEAF".split()
)
_VALUE_FIRST = frozenset("NUMBER DICE STRING NAME QUOTED_NAME TRUE FALSE LEAF LET".split())
_OPERATORS = frozenset(
    "OR AND NOT EQUAL UNEQUAL LESS AT_MOST MORE AT_LEAST IN NOT_IN DOTS BAR CARET AMPERSAND "
    "LEFT RIGHT PLUS MINUS STAR SLASH FLOOR PERCENT TILDE POWER".split()
)

_KINDS = ("max", "min", "chance")

# How things of other languages are written here.
_FOREIGN = {
    "&&": "and", "||": "or", "!": "not", "===": "==", "!==": "!=", "<>": "!=", "=<": "<=",
    "...": "..", "×": "*", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=",
    "∧": "and", "∨": "or", "¬": "not", "∈": "in", "∉": "not in", "…": "..", "⊕": "^",
}  # fmt: skip
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
_QUOTES = "'‘’‚‛“”„‟«»‹›＂"
_WORDS = {
    "xor": "^", "mod": "%", "div": "//", "is": "==", "elif": "else if", "elsif": "else if",
    "elseif": "else if", "otherwise": "else", "when": "if", "lambda": "define", "pow": "**",
}  # fmt: skip
_SUPERSCRIPTS = {"²": 2, "³": 3, "¹": 1, "⁴": 4, "⁵": 5, "⁶": 6, "⁷": 7, "⁸": 8, "⁹": 9, "⁰": 0}

# What a kind of token is called, where its text does not say it.
_CALLED = {
    "NAME": "a name", "BRANCH": "a label", "STRING": 'a text in quotes ("…")',
    "SEP": "a comma",
    "EQUALS": "`=`", "COLON": "`:`", "AT": "`@`", "COMMA": "`,`", "LPAR": "`(`", "RPAR": "`)`",
    "LSQB": "`[`", "RSQB": "`]`", "LBRACE": "`{`", "RBRACE": "`}`", "THEN": "`then`",
    "ELSE": "`else`", "LET_IN": "`in`", "FOR_IN": "`in`", "FOR": "`for`",
}  # fmt: skip
_TOLD = (
    "EQUALS COLON AT THEN ELSE LET_IN FOR_IN LBRACE RPAR RSQB RBRACE COMMA NAME STRING BRANCH "
    "FOR SEP"
).split()


def token_problem(token: Token) -> ParseError | None:
    """What is wrong with a token that stands where one of its kind may stand."""
    kind = token.type
    if kind in ("NUMBER", "LEAF") or (kind == "NAME" and not _is_plain(token)):
        return _number_or_name(token)
    if kind in ("STRING", "LONG_STRING") and "\\" in token and (at := unknown_escape(token)):
        return bad_escape(token, at)
    if kind == "DICE" and max(map(len, token.split("d"))) > 9:
        start, end = span(token)
        return ParseError("no game needs that many dice", start, end, None, Code.NUMBER_LIMIT)
    return None


def _is_plain(name: str) -> bool:
    return name.isidentifier() and name[:3].casefold() not in ("inf", "nan")


def _number_or_name(token: Token) -> ParseError | None:
    start, end = span(token)
    # A leaf's sign is part of its token; a number inside an expression has none.
    if problem := number_problem(token):
        code, message, help_ = problem
        return ParseError(message, start, end, help_, code)
    if token.type != "NAME" or unicodedata.normalize("NFC", token).isidentifier():
        return None
    for index, char in enumerate(token):
        if char in _SUPERSCRIPTS:
            plain = f"{token[:index]}**{_SUPERSCRIPTS[char]}"
            return ParseError(f"`{token}` is no name", start, end, f"write `{plain}`")
    return ParseError(f"`{token}` is no name", start, end, "put it in backquotes to use it as one")


def bad_escape(token: Token, at: tuple[int, int]) -> ParseError:
    """The complaint about an escape in a quoted text that means nothing."""
    start = token.start_pos or 0
    return ParseError(
        f"`{token[at[0] : at[1]]}` means nothing in a text",
        start + at[0],
        start + at[1],
        r"write `\\` for a backslash; the others are \" \/ \b \f \n \r \t \uXXXX",
    )


@dataclass(frozen=True, slots=True)
class _Slip:
    """Where the parser stood when it could not go on."""

    start: str  # the start rule
    tokens: list[Token]
    index: int
    accepts: set[str]
    text: str

    def kind(self, offset: int = 0) -> str:
        """The type of the token that did not fit, or of one near it."""
        at = self.index + offset
        return self.tokens[at].type if 0 <= at < len(self.tokens) else "$END"

    def token(self, offset: int = 0) -> Token:
        """The token that did not fit, or one near it."""
        return self.tokens[self.index + offset]

    @property
    def at_end(self) -> bool:
        """Whether the text ended too early."""
        return self.index >= len(self.tokens)

    @property
    def wants_value(self) -> bool:
        """Whether a value should stand here."""
        return "NUMBER" in self.accepts

    @property
    def span(self) -> tuple[int, int]:
        """Where the complaint belongs: the token, or what stands last."""
        if not self.at_end:
            return span(self.token())
        return span(self.tokens[-1]) if self.tokens else (0, len(self.text))

    @property
    def found(self) -> str:
        """What was found, for the message."""
        if self.at_end:
            return "nothing"
        token = self.token()
        if token.type == "SEP" and token in _BREAKS + "\r\n":
            return "the end of the line"
        return _shown(token)

    def adjacent(self, offset: int) -> bool:
        """Whether the tokens at ``offset`` and before it touch."""
        return self.token(offset - 1).end_pos == self.token(offset).start_pos

    def error(self, message: str, help_: str | None = None, code: Code = Code.SYNTAX) -> ParseError:
        """A complaint at the token."""
        return ParseError(message, *self.span, help_, code)

    def open_brackets(self) -> list[Token]:
        """The brackets that are open before the token, outermost first."""
        stack: list[Token] = []
        for token in self.tokens[: self.index]:
            if token.type in _OPENERS:
                stack.append(token)
            elif token.type in _CLOSERS and stack:
                stack.pop()
        return stack

    def open_word(self, opening: str, closing: str) -> Token | None:
        """The last token of type ``opening`` without its ``closing``."""
        depth = 0
        for token in reversed(self.tokens[: self.index]):
            if token.type == closing:
                depth += 1
            elif token.type == opening:
                if depth == 0:
                    return token
                depth -= 1
        return None


def _shown(token: str) -> str:
    text = " ".join(token.split()) or token
    return f"`{text if len(text) <= 40 else text[:37] + '…'}`"


def explain(
    start: str, tokens: list[Token], index: int, accepts: set[str], text: str
) -> ParseError:
    """Why ``tokens[index]`` (the end, if there is none) does not fit.

    Args:
        start: The grammar's start rule.
        tokens: All tokens, laid out.
        index: Which token did not fit.
        accepts: The types of token that would have fitted.
        text: The text that was parsed, for its line breaks.
    """
    slip = _Slip(start, tokens, index, accepts, text)
    for check in _CHECKS:
        if (problem := check(slip)) is not None:
            return problem
    return _expected(slip)


# ---- habits of other languages ----


def _strange_token(slip: _Slip) -> ParseError | None:
    kind = slip.kind()
    if kind == "UNCLOSED_STRING" and slip.kind(-1) == "STRING" and slip.adjacent(0):
        return ParseError('`"""` is never closed', slip.token(-1).start_pos or 0, slip.span[0] + 1)
    if kind == "UNCLOSED_STRING":
        return slip.error('`"` is never closed', "texts end on the line they begin on")
    if kind == "UNCLOSED_NAME":
        return slip.error("the backquote is never closed")
    if kind == "LONG_STRING":
        return slip.error('texts in """ stand only after `description`, `game`, `label` and `note`')
    return _strange_text(slip, str(slip.token())) if kind in ("FOREIGN", "STRAY") else None


def _strange_text(slip: _Slip, text: str) -> ParseError:
    if text.lower() in (".inf", ".nan"):
        code, message, help_ = number_problem(text) or (Code.NOT_FINITE, text, None)
        return slip.error(message, help_, code)
    meant = _FOREIGN.get(text) or (".." if text.startswith("...") else None)
    if meant:
        return slip.error(f"`{text}` is written `{meant}` here")
    if text in _DASHES:
        name = unicodedata.name(text).lower()
        return slip.error(
            f"`{text}` (U+{ord(text):04X}, {name}) is no operator", "write `-`", Code.NOT_A_NUMBER
        )
    if text in _QUOTES:
        return slip.error(f"`{text}` begins no text", 'labels stand in straight double quotes: "…"')
    if text == "?":
        return slip.error("`?` means nothing here", "write `if c then a else b`")
    if text in {"=>", "->"}:
        return slip.error(
            f"`{text}` means nothing here", "at least is written `>=`" if text == "=>" else None
        )
    if text.endswith("="):
        return slip.error(f"`{text}` means nothing here: nothing is ever assigned")
    if text == "∞":
        code, message, help_ = number_problem(text) or (Code.NOT_FINITE, text, None)
        return slip.error(message, help_, code)
    if text == ".":
        return slip.error("`.` means nothing here", "names have no parts; a range is `a..b`")
    if text.isprintable() and text.strip():
        code_point = "" if text.isascii() else f" (U+{ord(text[0]):04X})"
        return slip.error(f"`{text}`{code_point} means nothing here")
    name = unicodedata.name(text[0], "a control character").lower()
    return slip.error(f"U+{ord(text[0]):04X} ({name}) means nothing here", "write a plain space")


def _foreign_word(slip: _Slip) -> ParseError | None:
    kind = slip.kind()
    if kind not in ("NAME", "BRANCH") or _is_first(slip):
        return None
    word = str(slip.token())
    if word.casefold() in HARD_WORDS and word not in HARD_WORDS:
        return slip.error(f"`{word}` is written `{word.casefold()}` here")
    meant = _WORDS.get(word.casefold())
    return slip.error(f"`{word}` is written `{meant}` here") if meant else None


def _is_first(slip: _Slip) -> bool:
    return slip.index == 0


def _decimal_comma(slip: _Slip) -> ParseError | None:
    if slip.kind() not in ("COMMA", "SEP") or slip.kind(-1) != "NUMBER" or slip.index == 0:
        return None
    if slip.kind(1) not in ("NUMBER", "LEAF") or not (slip.adjacent(0) and slip.adjacent(1)):
        return None
    before, after = slip.token(-1), slip.token(1)
    written = f"{before},{after}"
    code, message, help_ = number_problem(written) or (
        Code.NOT_A_NUMBER,
        f"`{written}` is not a number",
        None,
    )
    return ParseError(message, before.start_pos or 0, after.end_pos or 0, help_, code)


def _single_equals(slip: _Slip) -> ParseError | None:
    if slip.kind() != "EQUALS" or slip.index == 0:
        return None
    if slip.kind(-1) in ("LESS", "MORE", "EQUAL", "EQUALS"):
        before = slip.token(-1)
        return slip.error(f"`{before} =` is written `{before}=` here")
    if slip.index == 1 and slip.kind(-1) in (
        "GAME",
        "DESCRIPTION",
        "ROOT",
        "POLICY",
        "BOUNDS",
        "EXPECT",
    ):
        return slip.error(f"{_shown(slip.token(-1))} takes no `=`", "leave the `=` out")
    if slip.kind(-1) not in _VALUE_LAST:
        return None
    help_ = "use `==` to compare"
    if slip.start == "header" or (
        slip.tokens[0].type in ("NODE", "DEFINE") and "COLON" in slip.accepts
    ):
        help_ = "the values that an argument can have stand behind `:`: `f(x: 0..3)`"
    elif "COLON" in slip.accepts:
        help_ = "use `==` to compare, and `:` between a key and its value"
    return slip.error("`=` gives a name its value", help_)


def _statement_colon(slip: _Slip) -> ParseError | None:
    if slip.kind() == "COLON" and slip.index == 1 and slip.kind(-1) in STATEMENTS.values():
        word = slip.token(-1)
        return slip.error(
            f"`{word}` takes no `:` in this notation", f"write `{word} …`, without it"
        )
    if slip.kind() == "COLON" and slip.kind(-1) == "NAME" and slip.token(-1) in _KINDS:
        word = slip.token(-1)
        return slip.error(f"`{word}` takes no `:` in this notation", f"write `{word} {{ … }}`")
    return None


_ODDS_FIRST = (
    r'(?:([^\W\d]\w*|"[^"\n]*"|\d+(?=[^\S\n]*:))(?:[^\S\n]+|[^\S\n]*:[^\S\n]*))?'
    r"(\d*\.\d+%?|\d+/\d+|\d+%)\s*:"
)


def _odds_without_at(slip: _Slip) -> ParseError | None:
    """``six 1/6: 10``, ``six: 1/6: 10`` or ``1/6: 10`` among the outcomes of chance."""
    brackets = slip.open_brackets()
    at = next((i for i, token in enumerate(slip.tokens) if brackets and token is brackets[-1]), 0)
    if slip.at_end or at == 0 or slip.tokens[at - 1] != "chance":
        return None
    before = slip.index - 1
    while slip.tokens[before].type not in ("SEP", "LBRACE"):
        before -= 1
    found = re.compile(_ODDS_FIRST).match(slip.text, slip.tokens[before + 1].start_pos or 0)
    if found is None or not found.start() <= slip.span[0] < found.end():
        return None
    label, odds = found.groups()
    quoted = "" if label else f', or `"{odds}": …` if that is its label'
    return ParseError(
        "the odds of an outcome stand behind its label and `@`",
        *found.span(2),
        f"write `{label or 'label'} @ {odds}: …`{quoted}",
    )


def _square_brackets(slip: _Slip) -> ParseError | None:
    """``min [3, 12, 8]``: a node in brackets that look into a list."""
    brackets = slip.open_brackets()
    if slip.kind() not in ("COMMA", "KIND") or slip.start != "statement" or not brackets:
        return None
    at = next(i for i, token in enumerate(slip.tokens) if token is brackets[-1])
    if brackets[-1].type != "LSQB" or at == 0 or slip.tokens[at - 1] not in _KINDS:
        return None
    word, start = slip.tokens[at - 1], brackets[-1].start_pos or 0
    inside = re.compile(r"\[([^][{}\n]{1,40})\]").match(slip.text, start)
    items = inside[1].strip() if inside else "…"
    number = "" if word == "chance" else f", or `{word}({items})` for a number"
    return ParseError(
        f"the branches of `{word}` stand in curly brackets",
        start,
        start + 1,
        f"write `{word} {{ {items} }}`{number}",
    )


def _label_without_quotes(slip: _Slip) -> ParseError | None:
    """A label that is more than one word or number."""
    if slip.start != "statement":
        return None
    ahead = 0
    while slip.kind(ahead) in ("NAME", "NUMBER", "NOT", "IN", "OR", "AND", "ELSE", "THEN", "MINUS"):
        ahead += 1
    if slip.kind(ahead) not in ("COLON", "AT", "IF") or slip.index + ahead < 2:
        return None
    back = -1
    while slip.kind(back) not in ("SEP", "LBRACE", "COLON", "AT", "$END") and slip.index + back > 0:
        back -= 1
    if slip.kind(back) not in ("SEP", "LBRACE") or back + 1 == ahead:
        return None
    brackets = slip.open_brackets()
    if not brackets or brackets[-1].type != "LBRACE":
        return None
    if ahead and "PLUS" not in slip.accepts and not slip.wants_value:
        return None
    start, end = slip.token(back + 1).start_pos or 0, slip.token(ahead - 1).end_pos or 0
    label = " ".join(slip.text[start:end].split())
    if any(char in _BREAKS for char in slip.text[start:end]) or '"' in label:
        return None
    return ParseError(
        f"`{label}` is no label as it stands", start, end, f'put it in quotes: `"{label}"`'
    )


def _text_without_quotes(slip: _Slip) -> ParseError | None:
    """``game x``, ``label x``, ``as x``."""
    if slip.kind() not in ("NAME", "NUMBER", "KIND") or slip.index == 0:
        return None
    word = slip.token(-1)
    if word.type in ("GAME", "DESCRIPTION", "POLICY") or word in ("label", "note"):
        return slip.error(
            f"expected a text in quotes after `{word}`, found {slip.found}", f'write `{word} "…"`'
        )
    if slip.token() == "as":
        return slip.error(
            "`as` is followed by a text in quotes", 'write `as "…"`, such as `as "roll {x}"`'
        )
    return None


def _odds_last(slip: _Slip) -> ParseError | None:
    """``a: 3 @ 1/2``."""
    if slip.kind() != "AT" or slip.start != "statement" or slip.kind(-1) not in _VALUE_LAST:
        return None
    return slip.error("the odds of a branch stand before its `:`", "write `label @ 1/3: node`")


def _payment(slip: _Slip) -> ParseError | None:
    """``cost 3 5``: a cost, and no node that it could belong to."""
    if "KIND" not in slip.accepts or slip.wants_value or "THEN" not in slip.accepts:
        return None
    word = next(
        (
            t
            for t in reversed(slip.tokens[: slip.index])
            if t.type in ("HEURISTIC", "COST", "REWARD")
        ),
        None,
    )
    if word is None or slip.kind() in _OPERATORS:
        return None
    written = slip.text[word.start_pos : slip.token(-1).end_pos]
    return slip.error(
        f"expected a node after {_shown(written)}, found {slip.found}",
        f"a block such as `max {{ … }}` can follow, or `then`: `{word} 3 then 5`",
    )


def _colon_for_then(slip: _Slip) -> ParseError | None:
    if slip.kind() != "COLON":
        return None
    if "THEN" in slip.accepts:
        return slip.error("`if` is followed by `then`, not by `:`", "write `if c then a else b`")
    if slip.kind(-1) == "ELSE":
        return slip.error("`else` is not followed by `:`", "write `if c then a else b`")
    return None


def _turned_if(slip: _Slip) -> ParseError | None:
    """``a if c else b``; ``label @ odds if c``; ``label: node if c``."""
    if slip.kind() in ("THEN", "ELSE") and (word := slip.open_word("IF", "THEN")):
        at = slip.tokens.index(word)
        if at and slip.tokens[at - 1].type == "BRANCH":
            whole = "write `if c then a else b`"
            return ParseError("the condition comes first", *span(word), whole)
    if slip.kind() != "IF" or slip.wants_value or slip.kind(-1) not in _VALUE_LAST:
        return None
    if slip.start == "for_clause":
        return None
    return slip.error("the condition comes first", _condition_first(slip))


def _condition_first(slip: _Slip) -> str:
    """How the condition of an expression, or of a branch, is written."""
    brackets = slip.open_brackets()
    if slip.start != "statement" or not brackets or brackets[-1].type != "LBRACE":
        return "write `if c then a else b`"
    back = -1
    while slip.index + back > 0 and slip.kind(back) not in ("SEP", "LBRACE", "COLON", "AT"):
        back -= 1
    if slip.kind(back) == "AT":
        return "write `label if c @ odds: node`"
    return "write `if c then a else b`, or `label if c: node` for a branch that is not always there"


def _else_alone(slip: _Slip) -> ParseError | None:
    """``if c: a else b``."""
    if slip.kind() != "ELSE" or slip.wants_value or slip.open_word("THEN", "ELSE") is not None:
        return None
    return slip.error("`else` without `then`", "it is written `if c then a else b`")


def _missing_times(slip: _Slip) -> ParseError | None:
    if (
        slip.index == 0
        or slip.kind(-1) not in ("NUMBER", "DICE")
        or (not slip.at_end and not slip.adjacent(0))
    ):
        return None
    if slip.kind() == "LPAR":
        return slip.error(
            f"expected an operator between `{slip.token(-1)}` and `(`",
            f"write `{slip.token(-1)} * (…)`",
        )
    if slip.kind() in ("NAME", "QUOTED_NAME", "BRANCH"):
        before, token = slip.token(-1), slip.token()
        start = before.start_pos or 0
        return ParseError(
            f"`{before}{token}` is neither a number nor a name",
            start,
            token.end_pos or 0,
            f"write `{before} * {token}` to multiply",
        )
    return None


# ---- brackets, and words that belong together ----


def _unclosed(slip: _Slip) -> ParseError | None:
    """Something cannot go on because a bracket of an earlier line, or at the end, is open."""
    brackets = slip.open_brackets()
    if not brackets:
        return None
    opened = brackets[-1]
    if slip.at_end:
        return never_closed(opened)
    if opened.type == "LBRACE" or slip.wants_value or slip.index == 0:
        return None
    between = slip.text[slip.token(-1).end_pos : slip.token().start_pos]
    return never_closed(opened) if any(char in _BREAKS for char in between) else None


def _incomplete(slip: _Slip) -> ParseError | None:
    """``if`` without ``then``, ``then`` without ``else``, ``let`` without ``in``."""
    if slip.kind(-1) in _OPERATORS or slip.wants_value:
        return None
    if "THEN" in slip.accepts and (word := slip.open_word("IF", "THEN")):
        return _belongs(slip, word, "if", "then")
    if "ELSE" in slip.accepts and (word := slip.open_word("THEN", "ELSE")):
        return _belongs(slip, word, "then", "else")
    if "LET_IN" in slip.accepts and (word := slip.open_word("LET", "LET_IN")):
        return _belongs(slip, word, "let", "in")
    return None


def _percent_apart(slip: _Slip) -> ParseError | None:
    if slip.kind(-1) != "PERCENT" or slip.kind(-2) != "NUMBER" or not slip.wants_value:
        return None
    if slip.index < 2 or not (
        slip.at_end or slip.kind() in _CLOSERS or slip.kind() in ("SEP", "COMMA", "COLON")
    ):
        return None
    number = slip.token(-2)
    return ParseError(
        f"expected a value after `%`, found {slip.found}",
        *span(slip.token(-1)),
        f"for a percentage write `{number}%`, without a space",
    )


def _belongs(slip: _Slip, word: Token, opening: str, closing: str) -> ParseError | None:
    whole = "let n = a in e" if opening == "let" else "if c then a else b"
    if slip.at_end or slip.kind() in ("SEP", "RBRACE", "RPAR", "RSQB", "ELSE", "COMMA"):
        return ParseError(
            f"`{opening}` without `{closing}`", *span(word), f"it is written `{whole}`"
        )
    return None


def _closing_nothing(slip: _Slip) -> ParseError | None:
    if slip.kind() not in _CLOSERS or slip.index == 0 or not slip.wants_value:
        return None
    brackets = slip.open_brackets()
    if brackets and brackets[-1] is slip.token(-1):
        pair = f"{brackets[-1]}{CLOSER_OF[str(brackets[-1])]}"
        start = brackets[-1].start_pos or 0
        return ParseError(f"`{pair}` has nothing in it", start, slip.span[1])
    return None


# ---- values ----


def _next_branch(slip: _Slip) -> ParseError | None:
    """An operator at the end of a line swallowed the label of the next one."""
    if slip.kind() not in ("COLON", "AT") or slip.index < 2 or slip.kind(-2) not in _OPERATORS:
        return None
    operator, label = slip.token(-2), slip.token(-1)
    if not any(char in _BREAKS for char in slip.text[operator.end_pos : label.start_pos]):
        return None
    return ParseError(
        f"expected a value after {_shown(operator)}, found the end of the line", *span(operator)
    )


def _value_wanted(slip: _Slip) -> ParseError | None:
    if not slip.wants_value:
        return None
    kind = slip.kind()
    if kind in ("IF", "LET"):
        whole = "if … then … else …" if kind == "IF" else "let … in …"
        return slip.error(
            f"`{slip.token()}` cannot follow {_shown(slip.token(-1))}",
            f"put it in round brackets: `({whole})`",
        )
    if kind == "NOT":
        return slip.error(
            f"`not` cannot follow {_shown(slip.token(-1))}", "put it in round brackets: `(not …)`"
        )
    if kind == "KIND":
        return _block_in_expression(slip)
    what = "a node" if "KIND" in slip.accepts else "a value"
    if kind == "FOR":
        return slip.error(
            f"expected {what}, found `for`",
            "a loop stands in `sum(… for …)`, in `[… for …]` or as a branch",
        )
    if slip.index == 0:
        if slip.at_end:
            return slip.error("expected an expression, found nothing")
        return slip.error(f"expected {what}, found {slip.found}")
    help_ = (
        f'as a label it stands in quotes: `"{slip.token()}"`' if slip.kind(1) == "COLON" else None
    )
    return slip.error(
        f"expected {what} after {_shown(slip.token(-1))}, found {slip.found}",
        help_ if kind in ("THEN", "ELSE", "IN") else None,
    )


def _block_in_expression(slip: _Slip) -> ParseError:
    word = slip.token()
    if slip.start != "statement":
        return slip.error(
            f"`{word} {{ … }}` cannot stand in an expression",
            f"write it as a node of its own, with the key `{word}`",
        )
    return slip.error(
        f"`{word} {{ … }}` cannot be part of an expression",
        f"give it a name, `node n = {word} {{ … }}`, and use `n` here",
    )


def _after_block(slip: _Slip) -> ParseError | None:
    if slip.kind() in _OPERATORS and slip.kind(-1) == "RBRACE" and slip.start == "statement":
        return slip.error(
            f"{slip.found} cannot follow a block",
            "give the block a name, `node n = …`, and calculate with `n`",
        )
    return None


def _next_entry(slip: _Slip) -> ParseError | None:
    """Two branches, or two entries, on one line; or a key without its colon."""
    brackets = slip.open_brackets()
    if slip.start != "statement" or not brackets or brackets[-1].type != "LBRACE":
        return None
    in_expect = slip.tokens[0].type == "EXPECT"
    if "SEP" in slip.accepts and slip.kind(1) in ("COLON", "AT"):
        between = "entries" if in_expect else "branches"
        return slip.error(
            f"a comma or a new line is missing between the {between}",
            f"write `, {slip.token()}: …`",
        )
    if in_expect and "COLON" in slip.accepts and slip.kind(-2) in ("LBRACE", "SEP"):
        before = _shown(slip.token(-1))
        return slip.error(
            f"expected `:` after {before}, found {slip.found}", "entries are written `key: value`"
        )
    return None


def _two_values(slip: _Slip) -> ParseError | None:
    if (
        slip.index == 0
        or slip.kind(-1) not in _VALUE_LAST
        or slip.kind() not in _VALUE_FIRST | {"LPAR", "BRANCH"}
    ):
        return None
    if "PLUS" not in slip.accepts:
        return None
    if (problem := _next_entry(slip)) is not None:
        return problem
    before, after = _shown(slip.token(-1)), slip.found
    if slip.kind() == "LPAR" and slip.kind(-1) != "NAME":
        return slip.error(
            f"expected an operator between {before} and `(`", "only a name can be called: `f(x)`"
        )
    separator = (
        "`:`"
        if "COLON" in slip.accepts
        else "a comma or a new line"
        if "SEP" in slip.accepts
        else "a comma"
        if "COMMA" in slip.accepts
        else ""
    )
    help_ = f"or {separator}, if they are two things" if separator else None
    if separator == "`:`":
        in_block = slip.start == "statement" and slip.tokens[0].type != "EXPECT"
        what = "before the branch's node" if in_block else "between a key and its value"
        help_ = f"or `:`, {what}"
    if slip.kind(-1) in ("NAME", "QUOTED_NAME") and slip.kind() == "NAME":
        help_ = (
            f"a name of several words stands in backquotes: `` `{slip.token(-1)} {slip.token()}` ``"
        )
    return slip.error(f"expected an operator between {before} and {after}", help_)


# ---- statements ----


def _no_statement(slip: _Slip) -> ParseError | None:
    if slip.start != "statement" or slip.index or slip.at_end:
        return None
    word = str(slip.token())
    known = ", ".join(f"`{statement}`" for statement in STATEMENTS)
    if slip.kind() in _OPERATORS:
        return slip.error(
            f"a statement cannot begin with {slip.found}",
            "a line that goes on ends with an operator, or the whole stands in round brackets",
        )
    help_ = f"statements begin with {known}"
    if slip.kind() == "NAME":
        from .suggest import did_you_mean

        help_ = did_you_mean(word, [*STATEMENTS, *_KINDS]) or help_
    if slip.kind() == "KIND":
        help_ = f"write `root {word} {{ … }}` or `node name = {word} {{ … }}`"
    return slip.error(f"expected a statement, found {slip.found}", help_)


def _missing_separator(slip: _Slip) -> ParseError | None:
    if slip.kind() == "NAME" and str(slip.token()) in STATEMENTS and "$END" in slip.accepts:
        return slip.error(
            f"expected a new line before {slip.found}", "statements stand on lines of their own"
        )
    return None


def _expected(slip: _Slip) -> ParseError:
    """The last resort: what was found, and what could have stood there."""
    told = [_CALLED[kind] for kind in _TOLD if kind in slip.accepts]
    told = list(dict.fromkeys(told))
    after = f" after {_shown(slip.token(-1))}" if slip.index else ""
    if slip.kind() == "COMMA" and slip.start == "expression" and not slip.open_brackets():
        return slip.error(f"unexpected `,`{after}", "a list stands in square brackets: `[a, b]`")
    if slip.accepts >= {"PLUS", "STAR"} and not slip.at_end:
        told = [name for name in told if name not in ("`@`", "`for`")]
        more = f", or {_listed(told)}" if told else ""
        return slip.error(
            f"unexpected {slip.found}{after}", f"expected an operator{more}" if more else None
        )
    if not told:
        return slip.error(f"unexpected {slip.found}{after}")
    return slip.error(f"expected {_listed(told)}{after}, found {slip.found}")


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


_CHECKS: tuple[Callable[[_Slip], ParseError | None], ...] = (
    _strange_token,
    _statement_colon,
    _no_statement,
    _text_without_quotes,
    _decimal_comma,
    _foreign_word,
    _single_equals,
    _colon_for_then,
    _turned_if,
    _else_alone,
    _missing_times,
    _odds_without_at,
    _square_brackets,
    _missing_separator,
    _next_branch,
    _label_without_quotes,
    _odds_last,
    _percent_apart,
    _payment,
    _closing_nothing,
    _unclosed,
    _incomplete,
    _value_wanted,
    _after_block,
    _two_values,
)
