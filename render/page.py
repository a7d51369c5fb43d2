"""A game as one HTML file that steps through it: nothing is loaded from anywhere.

Input   a game.
Output  HTML text: the template ``page/page.html`` with ``page/page.css``, the scripts of
        ``page/``, and the game as JSON.
Holds   whatever a file's labels say, they are data: JSON without ``<``, which the scripts show
        as text. The page's own policy (CSP) lets it run these scripts and nothing else.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from hashlib import sha256
from html import escape

from ..compiler.limits import Limits
from ..evaluator.game import Game
from .page_data import page_data
from .shapes import DARK, LIGHT, NAMES, Palette

_HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page")
_SCRIPTS = (
    "numbers.js",
    "rules.js",
    "walk.js",
    "layout.js",
    "tree.js",
    "table.js",
    "parameters.js",
    "page.js",
)
_SLOT = re.compile(r"\{\{(\w+)\}\}")


def page_html(
    game: Game,
    *,
    algorithm: str = "expectiminimax",
    policy: str | None = None,
    at: str | None = None,
    limits: Limits | None = None,
    script: str = "",
) -> str:
    """The page of ``game``: a whole HTML document, UTF-8, that needs no network.

    Args:
        game: The game, with its parameters set as the page is to begin.
        algorithm: ``minimax``, ``expectimax`` or ``expectiminimax``, to begin with.
        policy: The policy that the table is held against first; by default the file's first.
        at: A state to start from, such as ``turn(16)``.
        limits: How far the game may unfold.
        script: JavaScript that runs after the page's own, for whoever serves the page: it may
            then also fetch from where the page came from.

    Raises:
        SpecError: Where the states make no sense, or a limit stops it.
        UsageError: If a name or the state is unknown.
    """
    data = page_data(game, algorithm=algorithm, policy=policy, at=at, limits=limits)
    style = _palettes() + _read("page.css")
    own = '"use strict";\n' + "\n".join(map(_read, _SCRIPTS))
    scripts = [own, script] if script else [own]
    slots = {
        "csp": _policy(style, scripts, fetches=bool(script)),
        "title": escape(game.name),
        "style": style,
        "data": json_in_html(data),
        "scripts": "\n".join(f"<script>{text}</script>" for text in scripts),
    }
    return _SLOT.sub(lambda slot: slots[slot[1]], _read("page.html"))


def json_in_html(data: object) -> str:
    """JSON that may stand in a ``script`` element: no ``<`` can end it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _read(name: str) -> str:
    with open(os.path.join(_HERE, name), encoding="utf-8") as file:
        return file.read()


def _palettes() -> str:
    """The colours that all pictures share, as variables of the style sheet."""
    light, dark = (f":root {{\n{_variables(palette)}}}\n" for palette in (LIGHT, DARK))
    return f"{light}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _variables(palette: Palette) -> str:
    colours = {
        "ground": palette.paper,
        "ink": palette.ink,
        "edge": palette.edge,
        "faded": palette.faded,
        "odds": palette.odds,
        "now": palette.current,
        "chosen": palette.chosen_else,
    }
    for kind, name in NAMES.items():
        colours |= {f"{name}-fill": palette.fill[kind], f"{name}-line": palette.line[kind]}
        if kind in palette.chosen:
            colours[f"{name}-chosen"] = palette.chosen[kind]
    return "".join(f"  --{name}: {colour};\n" for name, colour in colours.items())


def _policy(style: str, scripts: list[str], *, fetches: bool) -> str:
    """A content security policy: these very texts, and nothing else."""
    allowed = " ".join(map(_hash, scripts))
    connect = " connect-src 'self';" if fetches else ""
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:;"
        f"{connect} base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
