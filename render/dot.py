"""A game as Graphviz's DOT.

Input   a ``Drawing`` by ``draw_graph``, or a ``Dag`` and, for values and choices, its ``Solution``.
Output  DOT text, the same for the same input; ``graphviz.graphviz_picture`` makes a picture of it.
Holds   ids are opaque (``n0``, ``n1``, …); labels are always quoted and escaped, so that no
        label is read as a port, an HTML label, an escape sequence or an entity. A shared node
        is drawn once.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..compiler.dag import AnyDag, Kind
from ..evaluator.solution import Solution
from .drawing import draw_graph
from .drawn import Drawing, DrawnNode
from .shapes import FONT, KINDS, LIGHT, NAMES, SHAPES, Shape, Style
from .width import safe, safe_lines, width
from .wrap import wrapped

Attributes = dict[str, str]

MAX_NODES = 200
_NO_BREAK = "\u00a0"
_GAP = 9  # spaces from the middle of a shape to beside it
_FULL_LABELS = 20  # labels that a stub names
_DOT_SHAPES: dict[Shape, str] = {
    "triangle up": "triangle",
    "triangle down": "invtriangle",
    "circle": "circle",
    "box": "box",
    "diamond": "diamond",
    "square": "square",
    "triangle": "triangle",
}


def dot(
    dag: AnyDag,
    solution: Solution | None = None,
    *,
    style: Style = "game",
    max_nodes: int = MAX_NODES,
    title: str = "",
    legend: bool = False,
) -> str:
    """Draw ``dag`` as DOT text, ending in a line break.

    Args:
        dag: The game; node 0 is drawn first.
        solution: If given, nodes carry values and the chosen branches stand out.
        style: ``game`` (triangles, top to bottom) or ``decision`` (squares, left to right,
            payoffs at the right).
        max_nodes: A larger DAG is cut below the last level that fits whole; 0 for no limit.
        title: A line above the picture.
        legend: Whether to explain the shapes.

    Time O(n + m) for the whole DAG, whatever is drawn of it.
    """
    drawing = draw_graph(
        dag,
        solution,
        most=max_nodes if max_nodes > 0 else len(dag),
        style=style,
        rankdir="LR" if style == "decision" else "TB",
    )
    return dot_text(drawing, title=title, legend=legend)


def dot_text(drawing: Drawing, *, title: str = "", legend: bool = False) -> str:
    """``drawing`` as DOT text, ending in a line break, with a line of ``title`` above it."""
    lines = [*_head(drawing, title), *_body(drawing)]
    if legend:
        lines += _legend(drawing)
    return "digraph gametree {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


# --- head and body ---------------------------------------------------------------------------


def _head(drawing: Drawing, title: str) -> Iterator[str]:
    decision = drawing.style == "decision"
    cut = f"{drawing.cut}; --max-nodes raises it" if drawing.cut else ""
    caption = wrapped(drawing.caption, 90, 4)
    label = "\n".join(part for part in (safe(title), *caption, cut) if part)
    yield _statement(
        "graph",
        {
            "label": label,
            "labelloc": "t",
            "fontname": FONT,
            "fontsize": "16",
            "rankdir": drawing.rankdir,
            "ordering": "out",
            "nodesep": "0.3",
            "ranksep": "0.9" if decision else "0.55",
        },
    )
    node = {"fontname": FONT, "fontsize": "12", "style": "filled", "margin": "0.08,0.05"}
    yield _statement("node", node)
    edge = {"fontname": FONT, "fontsize": "11", "color": LIGHT.edge, "arrowsize": "0.6"}
    yield _statement("edge", edge | ({"arrowhead": "none"} if decision else {}))


def _body(drawing: Drawing) -> Iterator[str]:
    unique = [drawn for drawn in drawing.nodes if drawn.stub_of < 0]
    unique.sort(key=lambda drawn: drawn.node)
    lit = {drawing.target(drawn).number for drawn in drawing.nodes if not drawn.faint}
    current = {drawing.target(drawn).number for drawn in drawing.nodes if drawn.current}
    for drawn in unique:
        look = _look(drawing, KINDS[drawn.kind], faint=drawn.number not in lit)
        if drawn.number in current:
            look |= {"color": LIGHT.current, "penwidth": "4"}
        yield _node(drawing, drawn, look)
    if drawing.style == "decision":
        yield from _payoff_column(unique)
    for drawn in unique:
        yield from _edges(drawing, drawn)


def _node(drawing: Drawing, drawn: DrawnNode, look: Attributes) -> str:
    """The statement of a node: title and payoff in a box, a choice's title beside its shape."""
    inside, remark = _node_text(drawn)
    outside = [*wrapped(drawn.title), *remark]
    if drawn.kind != "terminal":
        above = drawing.style == "decision"
        lines = _above(inside, outside) if above else _right(inside, outside)
    elif drawing.style == "decision":
        lines = _right("", [*outside, inside], gap=4)
    else:
        lines = [*outside, inside]
    attributes = {"label": "\n".join(lines)} | look
    tip = "\n".join(part for part in (drawn.title, drawn.note) if part)
    return _statement(f"n{drawn.node}", attributes | _tooltip(tip, [*outside, inside]))


def _look(drawing: Drawing, kind: Kind, *, faint: bool = False) -> Attributes:
    shape = SHAPES[drawing.style][kind]
    look = {"shape": _DOT_SHAPES[shape], "fillcolor": LIGHT.fill[kind], "color": LIGHT.line[kind]}
    if faint:
        look |= {"fillcolor": LIGHT.paper, "color": LIGHT.faint, "fontcolor": LIGHT.faint_ink}
    return look | _room(drawing.style, kind)


def _right(inside: str, outside: list[str], gap: int = _GAP) -> list[str]:
    """Lines that put ``inside`` into a small shape and ``outside`` to the right of it.

    Graphviz centres each line, so that no-break spaces at its left push it to the right; it
    reserves room for the whole label. (Its ``xlabel`` would be put over edges and neighbours.)
    """
    rows = list(outside) or [""]
    centre = len(rows) // 2
    if len(rows) % 2 == 0:
        rows.insert(centre, "")
    return [_row(inside if index == centre else "", row, gap) for index, row in enumerate(rows)]


def _row(middle: str, aside: str, gap: int) -> str:
    between = _NO_BREAK * max(gap - _spaces(middle) // 2, 2) if aside else ""
    return f"{between}{_NO_BREAK * _spaces(aside)}{middle}{between}{aside}"


def _spaces(text: str) -> int:
    """About how many spaces of Helvetica are as wide as ``text``."""
    ems = 0.0
    for character in text:
        if character in "fijlrtI.,:;!|'()[]/ -":
            ems += 0.29
        elif character in "mwMW%@—…":
            ems += 0.86
        else:
            ems += 0.69 if character.isupper() else 0.54 * width(character)
    return round(ems / 0.278)


def _above(inside: str, outside: list[str]) -> list[str]:
    """Lines that put ``inside`` into a small shape and ``outside`` above it."""
    if not outside:
        return [inside]
    return [*outside, "", inside, *[_NO_BREAK] * (len(outside) + 1)]


def _node_text(drawn: DrawnNode) -> tuple[str, list[str]]:
    """What stands in the node, and beside it: value; reward or cost."""
    beside = [drawn.offset] if drawn.offset else []
    if drawn.kind != "sum":
        return drawn.text, beside
    return "+", [*beside, *([f"= {drawn.text}"] if drawn.text not in ("", "+") else [])]


def _room(style: Style, kind: Kind) -> Attributes:
    """Shapes of one size, which long values may overlap: else text makes a triangle huge."""
    if kind is Kind.TERMINAL and style == "decision":
        return {"fixedsize": "shape", "width": "0.22", "height": "0.25", "orientation": "90"}
    if kind is Kind.TERMINAL:
        return {"width": "0.5", "height": "0.35"}
    if kind is Kind.SUM:
        return {"fixedsize": "shape", "width": "0.4", "height": "0.4"}
    side = "0.55" if style == "decision" else "0.7"
    return {"fixedsize": "shape", "width": side, "height": "0.55"}


def _payoff_column(unique: list[DrawnNode]) -> Iterator[str]:
    """Payoffs stand at the right, one below the other."""
    ends = [f"n{drawn.node};" for drawn in unique if drawn.kind == "terminal"]
    if ends:
        yield f"{{rank=max; {' '.join(ends)}}}"


# --- edges -----------------------------------------------------------------------------------


def _edges(drawing: Drawing, drawn: DrawnNode) -> Iterator[str]:
    for number in drawn.children:
        child = drawing.nodes[number]
        lines = [*wrapped(child.label), *_edge_number(child)]
        attributes = {"label": _apart(lines)} if lines else {}
        attributes |= _edge_style(drawn, bold=child.bold, faint=child.faint)
        attributes |= _tooltip(child.label, lines, edge=True)
        target = drawing.target(child).node
        yield f"n{drawn.node} -> n{target} {_attributes(attributes)}"
    if drawn.hidden is not None:
        yield from _more(drawn, drawn.hidden)


def _apart(lines: list[str]) -> str:
    """An edge's label, with room between the text and the edge."""
    return "\n".join(f" {line} " for line in lines)


def _edge_number(child: DrawnNode) -> list[str]:
    """The odds of a chance edge, the factor of a sum's."""
    if child.odds:
        return [child.odds if child.odds.startswith("≈") else f"p = {child.odds}"]
    return [f"× {child.factor}"] if child.factor else []


def _edge_style(parent: DrawnNode, *, bold: bool, faint: bool = False) -> Attributes:
    kind = KINDS[parent.kind]
    if faint:
        return {"color": LIGHT.faint, "fontcolor": LIGHT.faint_ink}
    if bold:
        colour = LIGHT.chosen.get(kind, LIGHT.chosen_else)
        return {"color": colour, "fontcolor": colour, "penwidth": "2.8"}
    return {"fontcolor": LIGHT.odds} if kind is Kind.CHANCE else {}


def _more(drawn: DrawnNode, count: int) -> Iterator[str]:
    """What stands for the branches of a node that are not shown."""
    label = f"… {count:,} more node{'' if count == 1 else 's'}" if count else "…"
    attributes = {"label": label, "shape": "plaintext", "style": "", "fontcolor": LIGHT.faded}
    yield _statement(f"c{drawn.node}", attributes)
    edge = {"style": "dashed"}
    if drawn.hidden_best:
        edge |= {"label": _apart(wrapped(" or ".join(drawn.hidden_best)))}
        edge |= _edge_style(drawn, bold=True)
    yield f"n{drawn.node} -> c{drawn.node} {_attributes(edge)}"


# --- legend ----------------------------------------------------------------------------------


def _legend(drawing: Drawing) -> Iterator[str]:
    """The shapes that occur in the picture, each with its meaning."""
    kinds = sorted({KINDS[drawn.kind] for drawn in drawing.nodes})
    yield "subgraph cluster_legend {"
    yield "  " + _statement("graph", {"label": "", "color": "#cccccc"})
    for kind in kinds:
        small = drawing.style == "decision" or kind is not Kind.TERMINAL
        said = drawing.meaning(NAMES[kind])
        label = "\n".join(_right("", [said]) if small else [said])
        yield "  " + _statement(f"k{kind.value}", {"label": label, **_look(drawing, kind)})
    yield "}"


# --- text ------------------------------------------------------------------------------------


def _tooltip(full: str, shown: list[str], *, edge: bool = False) -> Attributes:
    """The whole text, where the lines shown do not say all of it."""
    text = "\n".join(safe_lines(full))
    if not full or text in "\n".join(shown):
        return {}
    return dict.fromkeys(("tooltip", "labeltooltip") if edge else ("tooltip",), text)


def _statement(name: str, attributes: Attributes) -> str:
    return f"{name} {_attributes(attributes)}"


def _attributes(attributes: Attributes) -> str:
    return "[" + ", ".join(f"{key}={quoted(text)}" for key, text in attributes.items()) + "];"


def quoted(text: str) -> str:
    """``text`` as a DOT string that Graphviz shows as it is: no escapes, ports or entities."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + escaped.replace("&", "&amp;") + '"'
