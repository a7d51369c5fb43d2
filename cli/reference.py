"""``gametree schema``, ``trees`` and ``explain``: what the package has to read."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer

from .games import WrongUse, read, save
from .output import say, write_content

_SPEC = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "spec")
_SUMMARY = 76  # columns


def _content(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


# --- schema ----------------------------------------------------------------------------------


def schema(
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="OUT", help="The file to write.")
    ] = None,
) -> None:
    """Print the JSON Schema of game files, for editors and other tools.

    An editor with a YAML language server uses it after a first line such as
    `# yaml-language-server: $schema=gametree.schema.json` in a game's file.
    """
    text = _content(os.path.join(_SPEC, "schema.json"))
    if output is None or output == "-":
        write_content(text)
    else:
        save(output, text)


# --- trees -----------------------------------------------------------------------------------


def _complete_tree(incomplete: str) -> list[str]:
    from .completion import trees as complete

    return complete(incomplete)


def trees(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The game to print.", autocompletion=_complete_tree),
    ] = None,
    notation: Annotated[
        Literal["yaml", "text"], typer.Option(help="Which of its two files to print.")
    ] = "yaml",
) -> None:
    """List the games that come with gametree, or print the file of one of them."""
    if name is None:
        _list_trees()
        return
    from ..spec.reader import bundled, bundled_names

    path = bundled(name)
    if path is None:
        raise WrongUse(_unknown(f"there is no bundled game `{name}`", name, bundled_names()))
    suffix = ".tree" if notation == "text" else ".yaml"
    write_content(_content(os.path.splitext(path)[0] + suffix))


def _list_trees() -> None:
    from ..spec.reader import bundled_names

    names = bundled_names()
    longest = max(map(len, names), default=0)
    for name in names:
        say(f"{name:<{longest}}  {_summary_of(name)}".rstrip())


def _summary_of(name: str) -> str:
    """The first line of a bundled game's description."""
    from textwrap import shorten

    from ..spec.reader import bundled

    document = read(bundled(name) or name).document
    text = "" if document is None else str(document.data.get("description", ""))
    return shorten(text.partition("\n")[0], _SUMMARY, placeholder=" …").removesuffix(".")


# --- explain ---------------------------------------------------------------------------------


def _complete_code(incomplete: str) -> list[str]:
    from .completion import codes

    return codes(incomplete)


def explain(
    code: Annotated[
        str | None,
        typer.Argument(metavar="CODE", help="A code such as GT301.", autocompletion=_complete_code),
    ] = None,
) -> None:
    """Explain an error code: how the mistake comes about and how to mend it.

    Without a code, all of them are listed.
    """
    from ..spec.diagnostics import Code

    known = [known.value for known in Code]
    if code is None:
        for value in known:
            say(f"{value}  {_title(value)}")
        return
    wanted = code.strip().upper()
    if wanted not in known:
        raise WrongUse(_unknown(f"there is no code `{code}`", wanted, known))
    write_content(_page(wanted))


def _page(code: str) -> str:
    return _content(os.path.join(_SPEC, "codes", f"{code}.md"))


def _title(code: str) -> str:
    """The heading of a code's page, without the code."""
    heading = _page(code).partition("\n")[0]
    return heading.removeprefix("#").strip().removeprefix(f"{code}:").strip()


def _unknown(message: str, word: str, known: list[str]) -> str:
    from ..spec.suggest import did_you_mean

    suggestion = did_you_mean(word, known)
    return f"{message}; {suggestion}" if suggestion else message
