"""What the grammar's rules make: expressions, and the shapes of the text notation.

Input   the children of one rule, tokens among them.
Output  ``Expr`` and ``Header`` values for expressions; the small classes below for the text
        notation, which ``text_reader`` turns into a document.
Holds   nothing is computed here and nothing refused but escapes in strings: a callback's error
        would hide all others of its statement.

The parser calls these bottom-up, so that no depth of nesting meets Python's recursion limit.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from . import expressions as ex
from .numbers import read_number

if TYPE_CHECKING:
    from lark import Token

# lark hands over lists that hold tokens and whatever the rules below returned.
Children = list[Any]

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[\s\S])")
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_ESCAPED = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
_UNKNOWN = Fraction(0)


@dataclass(slots=True, eq=False, repr=False)
class Odds:
    """What stands behind ``@``."""

    value: ex.Expr
    weight: Token | None


@dataclass(slots=True, eq=False, repr=False)
class Loop:
    """``for x in S if c @ odds as "…"``, and where it stands."""

    clause: ex.For
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class Branch:
    """One branch; ``word`` is the ``if`` token, ``at`` the ``@``. What is not there is None."""

    label: Token | None
    node: Node
    word: Token | None = None
    when: ex.Expr | None = None
    at: Token | None = None
    odds: Odds | None = None


@dataclass(slots=True, eq=False, repr=False)
class LoopBranch:
    """A loop and what it repeats: a node or another loop."""

    loop: Loop
    node: Node


@dataclass(slots=True, eq=False, repr=False)
class Block:
    """``max { … }``."""

    kind: Token
    branches: list[Branch | LoopBranch]
    end: int


@dataclass(slots=True, eq=False, repr=False)
class Choice:
    """``if c then node else node``."""

    words: tuple[Token, Token, Token]
    condition: ex.Expr
    yes: Node
    no: Node


@dataclass(slots=True, eq=False, repr=False)
class Then:
    """``then node``: a node written under the key ``then``."""

    word: Token
    node: Node


@dataclass(slots=True, eq=False, repr=False)
class Local:
    """``let a = 1, b = 2 in node``."""

    word: Token
    bindings: list[Binding]
    node: Node


@dataclass(slots=True, eq=False, repr=False)
class Remark:
    """``label "…" node`` or ``note "…" node``."""

    tag: Token
    text: Token
    node: Node


@dataclass(slots=True, eq=False, repr=False)
class Payment:
    """``cost e node`` or ``reward e node``."""

    tag: Token
    amount: ex.Expr
    node: Node


@dataclass(slots=True, eq=False, repr=False)
class Binding:
    """``name = value``."""

    name: Token
    value: ex.Expr


@dataclass(slots=True, eq=False, repr=False)
class Entry:
    """``key: value`` in a table; ``value`` may be missing."""

    key: ex.Expr
    value: ex.Expr | None


@dataclass(slots=True, eq=False, repr=False)
class StatementTree:
    """One statement: its first word, and its parts in the order they were written."""

    word: Token
    parts: list[Any]
    end: int


if TYPE_CHECKING:
    from typing import TypeAlias

    Node: TypeAlias = (
        "Token | ex.Expr | Block | Choice | Then | Local | Remark | Payment | LoopBranch"
    )


def name_of(token: str) -> str:
    """The name that a token stands for: without backquotes, and composed (NFC)."""
    bare = token[1:-1].strip() if token.startswith("`") else str(token)
    return bare if bare.isascii() else unicodedata.normalize("NFC", bare)


def string_of(token: str) -> str:
    """The text of a quoted token, with its escapes resolved.

    Three quotes hold several lines: the line break after the first quotes, the one before the
    last, and what all lines are indented by are no part of the text.
    """
    if token.startswith('"""') and len(token) >= 6:
        return _unescape(_unindented(token[3:-3]))
    return _unescape(token[1:-1])


def _unindented(text: str) -> str:
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) == 1:
        return text
    margins = [len(line) - len(line.lstrip(" \t")) for line in lines[1:] if line.strip(" \t")]
    margin = min(margins, default=0)
    rest = [line[margin:] for line in lines[1:]]
    if not rest[-1].strip(" \t"):
        rest.pop()
    return "\n".join(rest if not lines[0].strip(" \t") else [lines[0], *rest])


def _unescape(text: str) -> str:
    if "\\" not in text:
        return str(text)
    plain = _ESCAPE.sub(_escaped, text)
    return _SURROGATES.sub(
        lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), plain
    )


def _escaped(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, match[0])


def unknown_escape(token: str) -> tuple[int, int] | None:
    """Where a quoted token has an escape that means nothing, as offsets in the token."""
    for match in _ESCAPE.finditer(token):
        if len(match[1]) == 1 and match[1] not in _ESCAPED:
            return match.span()
    return None


def _tokens(children: Children, *kinds: str) -> Children:
    """The children without the tokens of the ``kinds`` named."""
    return [c for c in children if getattr(c, "type", None) not in kinds]


class Rules:
    """A method for each rule and alias of ``grammar.lark``."""

    def expression(self, c: Children) -> ex.Expr:
        """The whole of an expression."""
        return c[0]

    def number(self, c: Children) -> ex.Expr:
        """A number; one that cannot be read is 0 here and is reported by the caller."""
        [token] = c
        value = read_number(token)
        return ex.Number(
            _UNKNOWN if value is None else value,
            str(token),
            start=token.start_pos,
            end=token.end_pos,
        )

    def dice(self, c: Children) -> ex.Expr:
        """``2d6``, with counts too long to be meant cut to a size that is refused later."""
        count, sides = (int(part[:18]) for part in c[0].split("d"))
        return ex.Dice(count, sides, start=c[0].start_pos, end=c[0].end_pos)

    def text(self, c: Children) -> ex.Expr:
        """A quoted label."""
        return ex.Text(string_of(c[0]), start=c[0].start_pos, end=c[0].end_pos)

    def truth(self, c: Children) -> ex.Expr:
        """``true`` or ``false``."""
        return ex.Truth(c[0] == "true", start=c[0].start_pos, end=c[0].end_pos)

    def variable(self, c: Children) -> ex.Expr:
        """A name."""
        return ex.Name(name_of(c[0]), start=c[0].start_pos, end=c[0].end_pos)

    def parenthesis(self, c: Children) -> ex.Expr:
        """``(e)`` is ``e``, and stands where the brackets stand."""
        return replace(c[1], start=c[0].start_pos, end=c[2].end_pos)

    def unary(self, c: Children) -> ex.Expr:
        """``-x``."""
        return ex.Unary(str(c[0]), c[1], start=c[0].start_pos, end=c[1].end)

    def binary(self, c: Children) -> ex.Expr:
        """``a + b``."""
        return ex.Binary(str(c[1]), c[0], c[2], start=c[0].start, end=c[2].end)

    def compare(self, c: Children) -> ex.Expr:
        """``a < b <= c``."""
        operators = tuple("not in" if token.type == "NOT_IN" else str(token) for token in c[1::2])
        return ex.Compare(tuple(c[::2]), operators, start=c[0].start, end=c[-1].end)

    def range(self, c: Children) -> ex.Expr:
        """``a..b``."""
        return ex.Range(c[0], c[2], start=c[0].start, end=c[2].end)

    def if_else(self, c: Children) -> ex.Expr:
        """``if a then b else c``."""
        return ex.IfElse(c[1], c[3], c[5], start=c[0].start_pos, end=c[5].end)

    def binding(self, c: Children) -> Binding:
        """``name = value``."""
        return Binding(c[0], c[2])

    def bindings(self, c: Children) -> list[Binding]:
        """``a = 1, b = 2``."""
        return c[::2]

    def let_in(self, c: Children) -> ex.Expr:
        """``let a = 1, b = 2 in e``: each sees those before it."""
        body: ex.Expr = c[3]
        for binding in reversed(c[1]):
            body = ex.LetIn(
                name_of(binding.name),
                binding.value,
                body,
                start=binding.name.start_pos,
                end=c[3].end,
            )
        return replace(body, start=c[0].start_pos)

    def call(self, c: Children) -> ex.Expr:
        """``f(a, b)``."""
        return ex.Call(
            name_of(c[0]), tuple(_tokens(c[2:-1], "COMMA")), start=c[0].start_pos, end=c[-1].end_pos
        )

    def index(self, c: Children) -> ex.Expr:
        """``a[i]``."""
        return ex.Index(c[0], c[2], start=c[0].start, end=c[3].end_pos)

    def sequence(self, c: Children) -> ex.Expr:
        """``[a, b]``."""
        items = tuple(_tokens(c[1:-1], "COMMA"))
        return ex.Sequence(items, start=c[0].start_pos, end=c[-1].end_pos)

    def clause(self, c: Children) -> ex.Clause:
        """``for x in xs if a if b``."""
        return ex.Clause(name_of(c[1]), c[3], tuple(c[5::2]))

    def comprehension(self, c: Children) -> ex.Expr:
        """``sum(x for x in xs)`` or ``[x for x in xs]``."""
        named = c[0].type != "LSQB"
        inner = c[2:-1] if named else c[1:-1]
        return ex.Comprehension(
            name_of(c[0]) if named else "",
            inner[0],
            tuple(inner[1:]),
            start=c[0].start_pos,
            end=c[-1].end_pos,
        )

    def entry(self, c: Children) -> Entry:
        """``face: odds``, or the face alone."""
        return Entry(c[0], c[2] if len(c) > 1 else None)

    def table(self, c: Children) -> ex.Expr:
        """``{1: 1/2, 2: rest}``."""
        entries = tuple((e.key, _odds_or_rest(e.value)) for e in c[1:-1] if isinstance(e, Entry))
        return ex.Table(entries, start=c[0].start_pos, end=c[-1].end_pos)

    # ---- headers and loops ----

    def kind(self, c: Children) -> ex.Expr:
        """``0..9``, ``int``, ``[9] of 0..2``."""
        if len(c) == 1:
            return c[0]
        length, _of, item = c
        if isinstance(length, ex.Sequence) and len(length.items) == 1:
            length = length.items[0]
        return ex.ListOf(length, item, start=c[0].start, end=item.end)

    def argument(self, c: Children) -> ex.Argument:
        """``total: 0..target``."""
        return ex.Argument(
            name_of(c[0]), c[2] if len(c) > 1 else None, c[0].start_pos, c[0].end_pos
        )

    def header(self, c: Children) -> ex.Header:
        """``turn(total: 0..target)``."""
        arguments = tuple(item for item in c if isinstance(item, ex.Argument))
        return ex.Header(name_of(c[0]), arguments, c[0].start_pos, c[0].end_pos)

    def odds(self, c: Children) -> Odds:
        """What stands behind ``@``."""
        return Odds(c[-1], c[0] if len(c) > 1 else None)

    def for_clause(self, c: Children) -> Loop:
        """``for x in S if c @ odds as "…"``."""
        after = {getattr(word, "type", ""): value for word, value in pairwise(c)}
        odds: Odds | None = after.get("AT")
        label = self.text([c[-1]]) if "AS" in after else None
        clause = ex.For(
            name_of(c[1]),
            c[3],
            after.get("IF"),
            odds.value if odds else None,
            odds is not None and odds.weight is not None,
            label if isinstance(label, ex.Text) else None,
        )
        end = c[-1].end_pos if label else (odds.value.end if odds else c[-1].end)
        return Loop(clause, c[0].start_pos, end)

    # ---- the text notation ----

    def leaf(self, c: Children) -> Node:
        """A number alone, by far the commonest node: its token."""
        return c[0]

    def scalar(self, c: Children) -> Node:
        """An expression."""
        return c[0]

    def block(self, c: Children) -> Node:
        """``max { … }``."""
        return Block(c[0], _tokens(c[2:-1], "SEP"), c[-1].end_pos)

    def choice(self, c: Children) -> Node:
        """``if c then node else node``."""
        return Choice((c[0], c[2], c[4]), c[1], c[3], c[5])

    def then(self, c: Children) -> Node:
        """``then node``."""
        return Then(c[0], c[1])

    def local(self, c: Children) -> Node:
        """``let a = 1 in node``."""
        return Local(c[0], c[1], c[3])

    def remark(self, c: Children) -> Node:
        """``note "…" node``."""
        return Remark(c[0], c[1], c[2])

    def payment(self, c: Children) -> Node:
        """``cost 3 node``, or with ``heuristic`` or ``reward``."""
        return Payment(c[0], c[1], c[2])

    def branch(self, c: Children) -> Branch:
        """``label if c @ odds: node``, of which all but the node may be missing."""
        if len(c) == 1:
            return Branch(None, c[0])
        label = c[0] if c[0].type == "BRANCH" else None
        if len(c) == 3:
            return Branch(label, c[2])
        word, when, at, odds = None, None, None, None
        for token, value in pairwise(c[:-1]):
            kind = getattr(token, "type", "")
            if kind == "IF":
                word, when = token, value
            elif kind == "AT":
                at, odds = token, value
        return Branch(label, c[-1], word, when, at, odds)

    def loop_branch(self, c: Children) -> LoopBranch:
        """``for …: node``."""
        return LoopBranch(c[0], c[2])

    inner_loop = loop_branch

    def rule(self, c: Children) -> tuple[ex.Header, int, ex.Expr]:
        """``turn(total): expression`` in a policy: the header, its end, the expression."""
        return c[0], c[1].start_pos, c[2]

    def statement(self, c: Children) -> StatementTree:
        """Any statement."""
        last = c[-1]
        end = last.end_pos if hasattr(last, "end_pos") else -1
        return StatementTree(c[0], c[1:], end)

    said = param = define = named_node = root = policy = players = bounds = expect = statement


def _odds_or_rest(value: ex.Expr | None) -> ex.Expr | None:
    return None if isinstance(value, ex.Name) and value.name == "rest" else value
