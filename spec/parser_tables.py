"""The parser, from a table that ships with the package or, failing that, from the grammar.

Building an LALR(1) table takes longer than all else that a small file needs, so the table is
shipped as a module of plain literals. It is used only with the grammar and the lark version it
was made from. ``python -m gametree.spec.parser_tables`` makes it anew.
"""

from __future__ import annotations

import os
import zlib
from functools import cache
from typing import TYPE_CHECKING, Any

from .syntax import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lark import Lark

STARTS = ("expression", "header", "for_clause", "statement")
_HERE = os.path.dirname(os.path.abspath(__file__))
GRAMMAR_PATH = os.path.join(_HERE, "grammar.lark")
TABLE_PATH = os.path.join(_HERE, "parser_table.py")


class _KeepAll:
    """Tells lark to keep the terminals that no rule names: layout.py wants to see them."""

    always_accept = (
        "NEWLINE",
        "COMMENT",
        "SEMICOLON",
        "FOREIGN",
        "UNCLOSED_STRING",
        "UNCLOSED_NAME",
        "STRAY",
    )

    def process(self, stream: Iterator[Any]) -> Iterator[Any]:
        """Leave the tokens as they are."""
        return stream


def _grammar() -> str:
    with open(GRAMMAR_PATH, encoding="utf-8") as file:
        return file.read()


def grammar_hash(grammar: str) -> str:
    """What the shipped table is known by."""
    return f"{zlib.crc32(grammar.encode()):08x}"  # loaded anyway; hashlib starts OpenSSL


def build(grammar: str | None = None) -> Lark:
    """The parser made from the grammar; takes some 200 ms."""
    from lark import Lark

    return Lark(
        _grammar() if grammar is None else grammar,
        parser="lalr",
        lexer="basic",
        start=list(STARTS),
        keep_all_tokens=True,
        maybe_placeholders=False,
        propagate_positions=False,
        transformer=Rules(),
        postlex=_KeepAll(),
    )


@cache
def parser() -> Lark:
    """The parser, made once a process."""
    return shipped() or build()


def shipped() -> Lark | None:
    """The parser of the shipped table; None where that was made from something else."""
    import importlib

    import lark

    try:
        table: Any = importlib.import_module(".parser_table", __package__)
    except ImportError:
        return None
    if (lark.__version__, grammar_hash(_grammar())) != (table.LARK, table.GRAMMAR):
        return None
    # The loader of lark's own stand-alone parsers.
    stand_alone: Any = lark.Lark
    return stand_alone._load_from_dict(  # noqa: SLF001
        table.DATA, table.MEMO, transformer=Rules(), postlex=_KeepAll()
    )


def table_text() -> str:
    """The text of the table's module for the present grammar and lark.

    lark numbers the states differently in each process; nothing else differs.
    """
    import lark
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    instance: Any = build()
    instance.options.options["transformer"] = None
    instance.options.options["postlex"] = None
    instance.lexer_conf.postlex = None
    data, memo = instance.memo_serialize([TerminalDef, Rule])
    return "\n".join(
        [
            '"""The parser\'s table. Made by parser_tables.py; not to be edited."""',
            "",
            f"LARK = {lark.__version__!r}",
            f"GRAMMAR = {grammar_hash(_grammar())!r}",
            f"DATA = {_literal(data)}",
            f"MEMO = {_literal(memo)}",
            "",
        ]
    )


def _literal(value: Any) -> str:
    import pprint

    return pprint.pformat(value, width=1000, compact=True)


def main() -> None:
    """Write the table's module."""
    with open(TABLE_PATH, "w", encoding="utf-8", newline="\n") as file:
        file.write(table_text())


if __name__ == "__main__":
    main()
