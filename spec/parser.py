"""Parse expressions, headers of definitions and named nodes, and ``for`` clauses.

Input   the text of one scalar or key.
Output  its syntax tree (``expressions.py``), with offsets in that text.
Holds   equal texts give the same tree object (a bounded memory of them is kept); a tree is at
        most ``MAX_DEPTH`` levels deep, so that whoever walks one may recurse.
Errors  ``ParseError`` with a code: GT108 for syntax, GT006 for nesting, GT3xx and GT503 for
        numbers that are none.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from . import expressions as ex
from .layout import MAX_DEPTH, ParseError, join_percents, lay_out_expression, too_deep_at
from .numbers import read_number

if TYPE_CHECKING:
    from lark import Token

__all__ = [
    "MAX_DEPTH",
    "ParseError",
    "parse_expression",
    "parse_for",
    "parse_header",
    "parse_tokens",
    "tokens_of",
]


def parse_expression(text: str) -> ex.Expr:
    """The tree of an expression. A number costs no import of lark."""
    value = read_number(text)
    if value is not None and "/" not in text and text[0] not in "+-":
        return ex.Number(value, str(text), start=0, end=len(text))
    return _expression(str(text))


@lru_cache(maxsize=4096)
def _expression(text: str) -> ex.Expr:
    return _parse(text, "expression")


@lru_cache(maxsize=1024)
def parse_header(text: str) -> ex.Header:
    """The tree of a header: ``turn(total: 0..target)``, ``won(b)``, ``start``."""
    return _parse(text, "header")


@lru_cache(maxsize=1024)
def parse_for(text: str) -> ex.For:
    """The tree of a loop's key: ``for x in S if c @ odds as "…"``."""
    return _parse(text, "for_clause").clause


def _parse(text: str, start: str) -> Any:
    from .complaints import token_problem

    laid_out = lay_out_expression(tokens_of(text), text)
    tokens = join_percents(laid_out.tokens)
    tree = parse_tokens(start, tokens, text, laid_out.problem)
    if len(tokens) > MAX_DEPTH:  # no tree is deeper than it has tokens
        check_depth(tree)
    for token in tokens:
        if (problem := token_problem(token)) is not None:
            raise problem
    return tree


def tokens_of(text: str) -> list[Token]:
    """The lexer's tokens of ``text``, comments and newlines among them; never fails."""
    from .parser_tables import parser

    lark: Any = parser()  # lark's own annotations are partial
    interactive = lark.parse_interactive(text, start="expression")
    return list(interactive.lexer_thread.lex(interactive.parser_state))


def parse_tokens(
    start: str, tokens: list[Token], text: str, layout_problem: ParseError | None = None
) -> Any:
    """What the start rule ``start`` makes of tokens laid out by ``layout.py``.

    A problem that ended the layout is raised unless an earlier token does not fit.
    """
    from lark import Token
    from lark.exceptions import UnexpectedToken

    from .parser_tables import parser

    lark: Any = parser()
    interactive = lark.parse_interactive(start=start)
    feed = interactive.parser_state.feed_token
    index = 0
    try:
        while index < len(tokens):
            feed(tokens[index])
            index += 1
        if layout_problem is not None:
            raise layout_problem
        at = tokens[-1].end_pos if tokens else 0
        return feed(Token("$END", "", at, 1, 1, 1, 1, at), is_end=True)
    except UnexpectedToken:
        from .complaints import explain

        problem = explain(start, tokens, index, interactive.accepts(), text)
    raise problem


def check_depth(tree: object) -> None:
    """Refuse a tree of more than ``MAX_DEPTH`` levels; every operator of a chain is one."""
    stack: list[tuple[ex.Expr, int]] = [(e, 1) for e in _roots(tree)]
    while stack:
        expr, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise too_deep_at(expr.start, expr.end)
        stack.extend((child, depth + 1) for child in expr.children())


def _roots(tree: object) -> list[ex.Expr]:
    if isinstance(tree, ex.Expr):
        return [tree]
    if isinstance(tree, ex.Header):
        return [a.kind for a in tree.arguments if a.kind is not None]
    clause: ex.For | None = getattr(tree, "clause", None)
    if clause is None:
        return []
    return [e for e in (clause.source, clause.condition, clause.odds) if e is not None]
