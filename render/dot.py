"""A DAG as Graphviz's DOT.

Input   a ``Dag`` and, to show values and choices, its ``Solution``.
Output  DOT text, the same for the same input; ``graphviz.render_graphviz`` makes a picture of it.
Holds   ids are opaque (``n0``, ``n1``, …); labels are always quoted and escaped, so that no
        label is read as a port, an HTML label, an escape sequence or an entity. A shared node
        is drawn once. No more than ``max_nodes`` nodes are drawn; the rest is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ..compiler.dag import AnyDag, Kind
from ..evaluator.solution import Solution
from .numbers import odds_text, picture_text
from .width import cut, safe, safe_lines, width

Shapes = Literal["game", "decision"]
Attributes = dict[str, str]

MAX_NODES = 200
_WRAP = 22  # columns of a line in a label
_LINES = 3  # lines of a label; the whole text is in the tooltip
_NO_BREAK = "\u00a0"
_GAP = 9  # spaces from the middle of a shape to beside it
_FULL_LABELS = 20  # labels that a stub names

_SHAPES: dict[Shapes, dict[Kind, Attributes]] = {
    "game": {
        Kind.MAX: {"shape": "triangle", "fillcolor": "#cfe2f7", "color": "#2b6cb0"},
        Kind.MIN: {"shape": "invtriangle", "fillcolor": "#fbd9c5", "color": "#c2571a"},
        Kind.CHANCE: {"shape": "circle", "fillcolor": "#dcefd9", "color": "#3d7a3a"},
        Kind.TERMINAL: {"shape": "box", "fillcolor": "#ffffff", "color": "#666666"},
        Kind.SUM: {"shape": "diamond", "fillcolor": "#eeeeee", "color": "#666666"},
    },
    "decision": {
        Kind.MAX: {"shape": "square", "fillcolor": "#cfe2f7", "color": "#2b6cb0"},
        Kind.MIN: {"shape": "square", "fillcolor": "#fbd9c5", "color": "#c2571a"},
        Kind.CHANCE: {"shape": "circle", "fillcolor": "#dcefd9", "color": "#3d7a3a"},
        Kind.TERMINAL: {"shape": "triangle", "fillcolor": "#ffffff", "color": "#666666"},
        Kind.SUM: {"shape": "diamond", "fillcolor": "#eeeeee", "color": "#666666"},
    },
}
_CHOSEN: dict[Kind, str] = {Kind.MAX: "#1a5fb4", Kind.MIN: "#b4430c"}
_ODDS = "#2f7d32"
_FONT = "Helvetica,Arial,sans-serif"


@dataclass(frozen=True, slots=True)
class _Picture:
    """What is drawn: the nodes down to a level, and what each leaves out."""

    dag: AnyDag
    solution: Solution | None
    style: Shapes
    shown: set[int]
    hidden: dict[int, int]  # node -> how many nodes not shown lie below it


def dot(
    dag: AnyDag,
    solution: Solution | None = None,
    *,
    style: Shapes = "game",
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
    shown, depth = _levels(dag, max_nodes if max_nodes > 0 else len(dag))
    picture = _Picture(dag, solution, style, shown, _below(dag, shown))
    lines = [*_head(picture, depth, title), *_body(picture)]
    if legend:
        lines += _legend(picture)
    return "digraph gametree {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


# --- what is drawn ---------------------------------------------------------------------------


def _levels(dag: AnyDag, most: int) -> tuple[set[int], int]:
    """The nodes of the first whole levels that come to ``most`` at most, and the last level."""
    shown = level = {0} if len(dag) else set[int]()
    depth = 0
    while True:
        level = {child for node in level for child in dag.children(node)} - shown
        if not level or len(shown) + len(level) > most:
            return shown, depth
        shown = shown | level
        depth += 1


def _below(dag: AnyDag, shown: set[int]) -> dict[int, int]:
    """For each node with a child that is not shown, how many such nodes lie below it.

    One pass, a bit for each such node: bits run down the edges among what is not shown.
    """
    edge_of_picture = [n for n in sorted(shown) if any(c not in shown for c in dag.children(n))]
    if not edge_of_picture:
        return {}
    above = dict[int, int]()
    for bit, node in enumerate(edge_of_picture):
        for child in dag.children(node):
            if child not in shown:
                above[child] = above.get(child, 0) | 1 << bit
    counts = dict[int, int]()
    for node in range(len(dag)):
        bits = above.pop(node, 0)
        if not bits:
            continue
        counts[bits] = counts.get(bits, 0) + 1
        for child in dag.children(node):
            if child not in shown:
                above[child] = above.get(child, 0) | bits
    return {
        node: sum(count for bits, count in counts.items() if bits >> bit & 1)
        for bit, node in enumerate(edge_of_picture)
    }


# --- head and body ---------------------------------------------------------------------------


def _head(picture: _Picture, depth: int, title: str) -> Iterator[str]:
    decision = picture.style == "decision"
    label = "\n".join(part for part in (safe(title), _cut_remark(picture, depth)) if part)
    yield _statement(
        "graph",
        {
            "label": label,
            "labelloc": "t",
            "fontname": _FONT,
            "fontsize": "16",
            "rankdir": "LR" if decision else "TB",
            "ordering": "out",
            "nodesep": "0.3",
            "ranksep": "0.9" if decision else "0.55",
        },
    )
    node = {"fontname": _FONT, "fontsize": "12", "style": "filled", "margin": "0.08,0.05"}
    yield _statement("node", node)
    edge = {"fontname": _FONT, "fontsize": "11", "color": "#777777", "arrowsize": "0.6"}
    yield _statement("edge", edge | ({"arrowhead": "none"} if decision else {}))


def _cut_remark(picture: _Picture, depth: int) -> str:
    if not picture.hidden:
        return ""
    whole = picture.dag.size()
    return (
        f"cut at depth {depth} of {whole.depth:,}: {len(picture.shown):,} of {whole.nodes:,}"
        " nodes shown; --max-nodes raises it"
    )


def _body(picture: _Picture) -> Iterator[str]:
    for node in sorted(picture.shown):
        yield _node(picture, node)
    if picture.style == "decision":
        yield from _payoff_column(picture)
    for node in sorted(picture.shown):
        yield from _edges(picture, node)


def _node(picture: _Picture, node: int) -> str:
    """The statement of a node: title and payoff in a box, a choice's title beside its shape."""
    kind = Kind(picture.dag.kind[node])
    title = picture.dag.origin[node].title()
    inside, remark = _node_text(picture, node, kind)
    outside = [*wrapped(title), *remark]
    if kind is not Kind.TERMINAL:
        lines = _above(inside, outside) if picture.style == "decision" else _right(inside, outside)
    elif picture.style == "decision":
        lines = _right("", [*outside, inside], gap=4)
    else:
        lines = [*outside, inside]
    attributes = {"label": "\n".join(lines)}
    attributes |= _SHAPES[picture.style][kind] | _room(picture.style, kind)
    tip = "\n".join(part for part in (title, picture.dag.origin[node].note()) if part)
    return _statement(f"n{node}", attributes | _tooltip(tip, [*outside, inside]))


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


def _node_text(picture: _Picture, node: int, kind: Kind) -> tuple[str, list[str]]:
    """What stands in the node, and beside it: value; reward or cost."""
    offset = picture.dag.offset[node]
    value = None if picture.solution is None else picture.solution.value(node)
    if kind is Kind.TERMINAL:
        return picture_text(offset if value is None else value), []
    if kind is Kind.SUM:
        result = [] if value is None else [f"= {picture_text(value)}"]
        return "+", [*([f"constant {picture_text(offset)}"] if offset else []), *result]
    inside = "" if value is None else picture_text(value)
    word = "cost" if offset < 0 else "reward"
    return inside, [f"{word} {picture_text(abs(offset))}"] if offset else []


def _room(style: Shapes, kind: Kind) -> Attributes:
    """Shapes of one size, which long values may overlap: else text makes a triangle huge."""
    if kind is Kind.TERMINAL and style == "decision":
        return {"fixedsize": "shape", "width": "0.22", "height": "0.25", "orientation": "90"}
    if kind is Kind.TERMINAL:
        return {"width": "0.5", "height": "0.35"}
    if kind is Kind.SUM:
        return {"fixedsize": "shape", "width": "0.4", "height": "0.4"}
    side = "0.55" if style == "decision" else "0.7"
    return {"fixedsize": "shape", "width": side, "height": "0.55"}


def _payoff_column(picture: _Picture) -> Iterator[str]:
    """Payoffs stand at the right, one below the other."""
    kinds = picture.dag.kind
    ends = [f"n{node};" for node in sorted(picture.shown) if kinds[node] == Kind.TERMINAL]
    if ends:
        yield f"{{rank=max; {' '.join(ends)}}}"


# --- edges -----------------------------------------------------------------------------------


def _edges(picture: _Picture, node: int) -> Iterator[str]:
    dag = picture.dag
    chosen = dict.fromkeys(() if picture.solution is None else picture.solution.chosen[node])
    labels = dag.origin[node].labels()
    left_out = set[int]()
    for number, edge in enumerate(dag.edges(node)):
        if dag.child[edge] not in picture.shown:
            left_out.add(edge)
            continue
        label = labels[number] if number < len(labels) else ""
        lines = [*wrapped(label), *_edge_number(dag, node, edge)]
        attributes = {"label": _apart(lines)} if lines else {}
        attributes |= _edge_style(dag, node, edge in chosen)
        attributes |= _tooltip(label, lines, edge=True)
        yield f"n{node} -> n{dag.child[edge]} {_attributes(attributes)}"
    if left_out:
        yield from _stub(picture, node, [edge for edge in chosen if edge in left_out], labels)


def _apart(lines: list[str]) -> str:
    """An edge's label, with room between the text and the edge."""
    return "\n".join(f" {line} " for line in lines)


def _edge_number(dag: AnyDag, node: int, edge: int) -> list[str]:
    """The odds of a chance edge, the factor of a sum's."""
    kind = dag.kind[node]
    if kind == Kind.CHANCE:
        odds = odds_text(Fraction(dag.probability(node, edge)))
        return [odds if odds.startswith("≈") else f"p = {odds}"]
    if kind == Kind.SUM and dag.weight[edge] != 1:
        return [f"× {picture_text(dag.weight[edge])}"]
    return []


def _edge_style(dag: AnyDag, node: int, chosen: bool) -> Attributes:
    kind = Kind(dag.kind[node])
    if chosen:
        colour = _CHOSEN.get(kind, "#222222")
        return {"color": colour, "fontcolor": colour, "penwidth": "2.8"}
    return {"fontcolor": _ODDS} if kind is Kind.CHANCE else {}


def _stub(picture: _Picture, node: int, chosen: list[int], labels: list[str]) -> Iterator[str]:
    """What stands for the branches of ``node`` that are not shown."""
    count = picture.hidden[node]
    label = f"… {count:,} more node{'' if count == 1 else 's'}"
    attributes = {"label": label, "shape": "plaintext", "style": "", "fontcolor": "#666666"}
    yield _statement(f"c{node}", attributes)
    edge = {"style": "dashed"}
    if chosen:
        first = picture.dag.first[node]
        best = [labels[e - first] for e in chosen[:_FULL_LABELS] if e - first < len(labels)]
        edge |= {"label": _apart(wrapped(" or ".join(best)))}
        edge |= _edge_style(picture.dag, node, chosen=True)
    yield f"n{node} -> c{node} {_attributes(edge)}"


# --- legend ----------------------------------------------------------------------------------

_MEANINGS: dict[Kind, str] = {
    Kind.MAX: "MAX chooses",
    Kind.MIN: "MIN chooses",
    Kind.CHANCE: "chance",
    Kind.TERMINAL: "payoff",
    Kind.SUM: "sum",
}


def _legend(picture: _Picture) -> Iterator[str]:
    """The shapes that occur in the picture, each with its meaning."""
    kinds = sorted({Kind(picture.dag.kind[node]) for node in picture.shown})
    yield "subgraph cluster_legend {"
    yield "  " + _statement("graph", {"label": "", "color": "#cccccc"})
    for kind in kinds:
        shape = _SHAPES[picture.style][kind]
        small = picture.style == "decision" or kind is not Kind.TERMINAL
        label = "\n".join(_right("", [_MEANINGS[kind]]) if small else [_MEANINGS[kind]])
        attributes = {"label": label, **shape, **_room(picture.style, kind)}
        yield "  " + _statement(f"k{kind.value}", attributes)
    yield "}"


# --- text ------------------------------------------------------------------------------------


def wrapped(text: str, columns: int = _WRAP, lines: int = _LINES) -> list[str]:
    """``text`` as a few short lines, broken at spaces where there are some, then cut."""
    found: list[str] = []
    for paragraph in text.replace("\r\n", "\n").split("\n"):
        found += _wrap(safe(paragraph), columns, lines + 1)
        if len(found) > lines:
            return [*found[: lines - 1], _ellipsis(found[lines - 1], columns)]
    return [line for line in found if line] if any(found) else []


def _ellipsis(line: str, columns: int) -> str:
    return f"{line}…" if width(line) < columns else cut(f"{line} ", columns)


def _wrap(text: str, columns: int, lines: int) -> list[str]:
    """``text`` in lines of ``columns``; no more than a few beyond ``lines`` are made."""
    found: list[str] = []
    line = ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if width(joined) <= columns:
            line = joined
            continue
        if line:
            found.append(line)
        *pieces, line = _pieces(word, columns, lines)
        found += pieces
        if len(found) >= lines:
            return found
    return [*found, line]


def _pieces(word: str, columns: int, most: int) -> list[str]:
    pieces: list[str] = []
    rest = word
    while width(rest) > columns and len(pieces) < most:
        piece = cut(rest, columns + 1)[:-1]
        pieces.append(piece)
        rest = rest[len(piece) :]
    return [*pieces, rest]


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
