"""What to say about a text that does not parse.

Input   the tokens, which of them did not fit, and what would have fitted.
Output  a ``ParseError`` in plain words: what was found, what was expected, how to mend it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .layout import ParseError, span

if TYPE_CHECKING:
    from lark import Token


def token_problem(token: Token) -> ParseError | None:
    return None


def explain(start: str, tokens: list[Token], index: int, accepts: set[str], text: str) -> ParseError:
    if index < len(tokens):
        return ParseError(f"unexpected `{tokens[index]}`", *span(tokens[index]))
    return ParseError("unexpected end", len(text), len(text))
