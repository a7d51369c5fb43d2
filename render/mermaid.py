"""A drawing as a Mermaid flowchart, which Markdown on many sites shows as a picture.

Input   a ``Drawing`` by ``draw_graph``: Mermaid finds places itself, and a shared node is drawn
        once.
Holds   labels are quoted, and what Mermaid or HTML could read in them is an entity, so that
        each is shown as it is. A title cannot have entities: it has other characters that look
        alike. MAX is a trapezoid that narrows to the top, MIN one that narrows to the bottom:
        Mermaid's triangles hold no text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ..compiler.dag import Kind
from ..spec.diagnostics import UsageError
from .drawn import Drawing, DrawnNode
from .shapes import KINDS, LIGHT, NAMES, Style
from .width import safe
from .wrap import wrapped

MOST_EDGES = 500  # what Mermaid draws; a page can raise it, a picture cannot
MOST_CHARACTERS = 50_000  # likewise

_SPECIAL = re.compile(r'["#&<>`*_~$|\\{}\[\]()@;%]|^[-+=.]|(?<=^\d)[.)]|(?<=/)/')
_TITLE = str.maketrans("<>&", "‹›＆")
_BRACKETS: dict[Style, dict[Kind, tuple[str, str]]] = {
    "game": {
        Kind.MAX: ("[/", "\\]"),
        Kind.MIN: ("[\\", "/]"),
        Kind.CHANCE: ("((", "))"),
        Kind.TERMINAL: ("[", "]"),
        Kind.SUM: ("{", "}"),
    },
    "decision": {
        Kind.MAX: ("[", "]"),
        Kind.MIN: ("[", "]"),
        Kind.CHANCE: ("((", "))"),
        Kind.TERMINAL: (">", "]"),
        Kind.SUM: ("{", "}"),
    },
}


def mermaid(drawing: Drawing, *, title: str = "", legend: bool = False) -> str:
    """``drawing`` as Mermaid text, ending in a line break, with a line of ``title`` above it.

    Raises:
        UsageError: If it is more than Mermaid draws.
    """
    edges = [*_edges(drawing)]
    if len(edges) > MOST_EDGES:
        raise UsageError(
            f"Mermaid draws up to {MOST_EDGES} edges, and this picture has {len(edges):,}",
            "draw fewer nodes with --max-nodes, or another format",
        )
    lines = [*_head(drawing, title), *(f"  {line}" for line in _body(drawing, edges))]
    if legend:
        lines += [f"  {line}" for line in _legend(drawing)]
    text = "\n".join([*lines, ""])
    if len(text) > MOST_CHARACTERS:
        raise UsageError(
            f"Mermaid draws up to {MOST_CHARACTERS:,} characters, and this picture has"
            f" {len(text):,}",
            "draw fewer nodes with --max-nodes, or another format",
        )
    return text


def _head(drawing: Drawing, title: str) -> Iterator[str]:
    remarks = [safe(part) for part in (title, drawing.caption, drawing.cut) if part]
    if remarks:
        said = " · ".join(remarks).translate(_TITLE)
        said = json.dumps(said, ensure_ascii=False)  # which YAML reads as well
        yield from ("---", f"title: {said}", "---")
    yield f"flowchart {'TD' if drawing.rankdir == 'TB' else drawing.rankdir}"


def _body(drawing: Drawing, edges: list[tuple[DrawnNode, DrawnNode]]) -> Iterator[str]:
    unique = [drawn for drawn in drawing.nodes if drawn.stub_of < 0]
    for drawn in unique:
        lines = [*wrapped(drawn.title), drawn.offset, drawn.text]
        yield _node(f"n{drawn.number}", KINDS[drawn.kind], drawing.style, lines)
    for parent, child in edges:
        yield _edge(drawing, parent, child)
    for drawn in unique:
        if drawn.hidden_text:
            yield f"h{drawn.number}[{_quoted([drawn.hidden_text])}]:::hidden"
            yield f"n{drawn.number} -.- h{drawn.number}"
    yield from _styles(drawing, edges)


def _node(name: str, kind: Kind, style: Style, lines: list[str]) -> str:
    opening, closing = _BRACKETS[style][kind]
    return f"{name}{opening}{_quoted(lines)}{closing}:::{kind.name.lower()}"


def _edges(drawing: Drawing) -> Iterator[tuple[DrawnNode, DrawnNode]]:
    """Each edge: the nodes it leads from and to; the latter may be a stub."""
    for drawn in drawing.nodes:
        for child in drawn.children:
            yield drawn, drawing.nodes[child]


def _edge(drawing: Drawing, parent: DrawnNode, child: DrawnNode) -> str:
    lines = wrapped(child.label)
    if child.odds:
        lines.append(child.odds if child.odds.startswith("≈") else f"p = {child.odds}")
    if child.factor:
        lines.append(f"× {child.factor}")
    label = f"|{_quoted(lines)}|" if lines else ""
    arrow = "==>" if child.bold else "-->"
    return f"n{parent.number} {arrow}{label} n{drawing.target(child).number}"


def _quoted(lines: list[str]) -> str:
    """``lines`` as a text that Mermaid shows as it is."""
    shown = "<br/>".join(_SPECIAL.sub(_entity, safe(line)) for line in lines if line)
    return f'"{shown or " "}"'


def _entity(found: re.Match[str]) -> str:
    return f"#{ord(found.group())};"


def _styles(drawing: Drawing, edges: list[tuple[DrawnNode, DrawnNode]]) -> Iterator[str]:
    """The colours of nodes, and those of edges that are more than a line."""
    for kind in sorted({KINDS[drawn.kind] for drawn in drawing.nodes}):
        fill, line = LIGHT.fill[kind], LIGHT.line[kind]
        yield f"classDef {kind.name.lower()} fill:{fill},stroke:{line},color:{LIGHT.ink}"
    yield f"classDef hidden fill:none,stroke:none,color:{LIGHT.faded}"
    yield from _flags(drawing)
    for number, (parent, child) in enumerate(edges):
        look = _edge_look(parent, child)
        if look:
            yield f"linkStyle {number} {look}"


def _flags(drawing: Drawing) -> Iterator[str]:
    """What stands back, and what is looked at."""
    lit = {drawing.target(drawn).number for drawn in drawing.nodes if not drawn.faint}
    unique = [drawn.number for drawn in drawing.nodes if drawn.stub_of < 0]
    faint = [f"n{number}" for number in unique if number not in lit]
    if faint:
        look = f"fill:{LIGHT.paper},stroke:{LIGHT.faint},color:{LIGHT.faint_ink}"
        yield f"classDef faint {look}"
        yield f"class {','.join(faint)} faint"
    for number in {drawing.target(drawn).number for drawn in drawing.nodes if drawn.current}:
        yield f"style n{number} stroke:{LIGHT.current},stroke-width:4px"


def _edge_look(parent: DrawnNode, child: DrawnNode) -> str:
    kind = KINDS[parent.kind]
    if child.faint:
        return f"stroke:{LIGHT.faint},color:{LIGHT.faint_ink}"
    if child.bold:
        colour = LIGHT.chosen.get(kind, LIGHT.chosen_else)
        return f"stroke:{colour},stroke-width:3px,color:{colour}"
    return f"color:{LIGHT.odds}" if kind is Kind.CHANCE else ""


def _legend(drawing: Drawing) -> Iterator[str]:
    """The shapes that occur, each with its meaning, one below the other."""
    kinds = {drawn.kind for drawn in drawing.nodes}
    shown = [kind for name, kind in KINDS.items() if name in kinds]
    for kind in shown:
        yield _node(f"k{kind.value}", kind, drawing.style, [drawing.meaning(NAMES[kind])])
    if len(shown) > 1:
        yield " ~~~ ".join(f"k{kind.value}" for kind in shown)
