"""A picture of a game in any of the formats, and who draws it.

=========== =========== ===========================================================
format      suffix      drawn by
=========== =========== ===========================================================
``svg``     .svg        gametree itself, as a tree; by Graphviz if that is asked for
``png``     .png        Graphviz
``pdf``     .pdf        Graphviz
``dot``     .dot .gv    text, for Graphviz
``mermaid`` .mmd        text, for Mermaid
``tikz``    .tex        text, for LaTeX, as a tree
=========== =========== ===========================================================

Drawn as a tree, a node that is met again is a leaf that names it; Graphviz and Mermaid draw it
once, with all its edges.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from ..compiler.dag import AnyDag
from ..evaluator.solution import Solution
from ..spec.diagnostics import UsageError
from .drawing import draw_graph, draw_tree
from .drawn import Drawing, RankDir
from .marks import PLAIN, Marks
from .shapes import Style

Format = Literal["dot", "svg", "png", "pdf", "mermaid", "tikz"]
Engine = Literal["gametree", "graphviz"]

SUFFIXES: dict[str, Format] = {
    ".dot": "dot",
    ".gv": "dot",
    ".svg": "svg",
    ".png": "png",
    ".pdf": "pdf",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".tex": "tikz",
}
BINARY: tuple[Format, ...] = ("png", "pdf")


@dataclass(frozen=True, slots=True)
class Look:
    """How a picture is to look; what is None follows from the rest."""

    format: Format
    engine: Engine | None = None
    style: Style = "game"
    rankdir: RankDir | None = None
    most: int = 200
    collapse: bool = False
    legend: bool = False
    title: str = ""
    marks: Marks = PLAIN
    players: Mapping[str, str] = field(default_factory=dict[str, str])  # names by kind of node

    @property
    def leads(self) -> RankDir:
        """Where play leads: down, as game theory draws; right, as decision analysis does."""
        return self.rankdir or ("LR" if self.style == "decision" else "TB")

    def __post_init__(self) -> None:
        """See to it that there is someone to draw it.

        Raises:
            UsageError: If there is not.
        """
        if self.engine == "gametree" and self.format in (*BINARY, "dot"):
            raise UsageError(
                f"{self.format.upper()} is drawn by Graphviz",
                "leave out --engine gametree, or draw an SVG",
            )
        if self.engine == "graphviz" and self.format in ("mermaid", "tikz"):
            raise UsageError(
                f"Graphviz does not draw {self.format}", "leave out --engine, or draw an SVG"
            )


def format_of(path: str | None, wanted: Format | None) -> Format:
    """The format that is ``wanted``, or that ``path`` is named after; DOT where neither says.

    Raises:
        UsageError: If the two differ, or the suffix of ``path`` names none.
    """
    suffix = "" if path is None else os.path.splitext(path)[1].lower()
    named = SUFFIXES.get(suffix)
    if wanted is not None:
        if named not in (None, wanted):
            raise UsageError(f"`{path}` is named after another format than --format {wanted}")
        return wanted
    if path in (None, "-"):
        return "dot"
    if named is None:
        known = ", ".join(SUFFIXES)
        raise UsageError(
            f"cannot tell the format of `{path}` by its name",
            f"use one of {known}, or --format with one of {', '.join(get_args(Format))}",
        )
    return named


def picture(dag: AnyDag, solution: Solution | None, look: Look) -> bytes:
    """The picture of ``dag`` as it is to ``look``: the content of a file.

    Raises:
        UsageError: If the format does not hold so much.
        GraphvizError: If Graphviz is to draw it and is missing, or fails.
    """
    if look.format == "tikz":
        from .tikz import tikz

        return tikz(_tree(dag, solution, look), title=look.title, legend=look.legend).encode()
    if look.format == "mermaid":
        from .mermaid import mermaid

        return mermaid(_graph(dag, solution, look), title=look.title, legend=look.legend).encode()
    if look.format == "svg" and look.engine != "graphviz":
        from .svg import svg

        return svg(_tree(dag, solution, look), title=look.title, legend=look.legend).encode()
    from .dot import dot_text

    text = dot_text(_graph(dag, solution, look), title=look.title, legend=look.legend)
    if look.format == "dot":
        return text.encode()
    from .graphviz import graphviz_picture

    return graphviz_picture(text, look.format)


def pixels_across(content: bytes) -> int | None:
    """How wide an SVG of ``picture`` is; None for another format."""
    found = re.search(rb'<svg[^>]*? width="([0-9.]+)(pt)?"', content[:2_000])
    return None if found is None else round(float(found[1]) * (4 / 3 if found[2] else 1))


def _tree(dag: AnyDag, solution: Solution | None, look: Look) -> Drawing:
    return _drawing(draw_tree, dag, solution, look)


def _graph(dag: AnyDag, solution: Solution | None, look: Look) -> Drawing:
    return _drawing(draw_graph, dag, solution, look)


def _drawing(
    draw: Callable[..., Drawing], dag: AnyDag, solution: Solution | None, look: Look
) -> Drawing:
    drawing = draw(
        dag,
        solution,
        most=look.most,
        collapse=look.collapse,
        rankdir=look.leads,
        style=look.style,
        marks=look.marks,
    )
    return replace(drawing, players=look.players)
