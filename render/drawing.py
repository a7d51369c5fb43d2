"""A game as a tree to draw: which nodes, in which order, and where each of them is.

Input   a DAG and, for values and choices, its ``Solution``.
Output  a ``Drawing``: nodes in preorder, each with its texts and the centre of its shape.
Holds   it is the depth-first spanning tree from the root, edges in written order. A node met
        again is a *stub*, a leaf that names the node it stands for (a payoff is just drawn
        again). Nothing overlaps.

What has more than ``most`` nodes, or more than ``DEEPEST`` levels, is cut below the last level
that fits; each node is then drawn where it is nearest to the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..compiler.dag import AnyDag, Dag, Kind
from ..evaluator.solution import Solution, Value
from .drawn import END, FONT_SIZE, LINE, SHAPE, SMALL, Drawing, DrawnNode, Line, RankDir
from .layout import place
from .marks import PLAIN, Marks
from .numbers import exact_text, odds_text, picture_text
from .shapes import KINDS, NAMES, SHAPES, Shape, Style, text_width
from .spanning import Spot, below, equal_subtrees, levels, whole
from .wrap import wrapped

MAX_NODES = 5_000
_NAMED = 20  # chosen branches that are named where they are not drawn
_EXACT = 18  # characters of an exact payoff that is shown in full
# A triangle has less room for text than a box of its width.
_ROOM: dict[Shape, float] = {"triangle up": 1.35, "triangle down": 1.35, "diamond": 1.3}
_EXTRA: dict[Shape, float] = {"triangle up": 8.0, "triangle down": 8.0}


def draw_tree(
    dag: AnyDag,
    solution: Solution | None = None,
    *,
    most: int = MAX_NODES,
    collapse: bool = False,
    rankdir: RankDir = "TB",
    style: Style = "game",
    marks: Marks = PLAIN,
) -> Drawing:
    """Lay ``dag`` out as a tree.

    Args:
        dag: The game; node 0 is the root.
        solution: If given, nodes have values, and ``chosen`` tells which branches are taken.
        most: The most nodes to draw, stubs among them; at least the root is drawn.
        collapse: Whether equal subtrees that the DAG does not share are stubs, too: such with
            the same kinds, numbers and labels all the way down.
        rankdir: Where play leads: ``TB`` (down), ``BT``, ``LR`` or ``RL``.
        style: Whose shapes nodes have.
        marks: What is brought out.

    Raises:
        UsageError: If equal subtrees are to be found among more than ``MAX_COLLAPSED`` nodes.

    Time O(d log d) for d drawn nodes, and O(n + m) of the whole DAG where it is cut, or where
    equal subtrees are looked for.
    """
    nodes, cut = _chosen_nodes(dag, solution, most, marks, collapse=collapse, stubs=True)
    sideways = rankdir in ("LR", "RL")
    for drawn in nodes:
        _size(drawn, SHAPES[style][KINDS[drawn.kind]], sideways=sideways)
    width, height = place(nodes, rankdir, column=style == "decision")
    return Drawing(nodes, width, height, rankdir, style, cut, marks.caption)


def draw_graph(
    dag: AnyDag,
    solution: Solution | None = None,
    *,
    most: int = MAX_NODES,
    collapse: bool = False,
    rankdir: RankDir = "TB",
    style: Style = "game",
    marks: Marks = PLAIN,
) -> Drawing:
    """The same for programs that find places themselves and draw a shared node once.

    As ``draw_tree``, but nothing has a place, and ``most`` does not count stubs: they are edges
    to the node that they stand for.
    """
    nodes, cut = _chosen_nodes(dag, solution, most, marks, collapse=collapse, stubs=False)
    return Drawing(nodes, 0.0, 0.0, rankdir, style, cut, marks.caption)


def _chosen_nodes(
    dag: AnyDag,
    solution: Solution | None,
    most: int,
    marks: Marks,
    *,
    collapse: bool,
    stubs: bool,
) -> tuple[list[DrawnNode], str]:
    """The nodes to draw, and what is to be said about those that are not."""
    equal = equal_subtrees(dag, solution) if collapse else None
    spots = whole(dag, equal, most, stubs=stubs)
    is_cut = spots is None
    if spots is None:
        spots = levels(dag, equal, most, stubs=stubs)
    nodes = [*_nodes(dag, solution, spots, marks)]
    for drawn in nodes:
        if drawn.parent >= 0:
            nodes[drawn.parent].children.append(drawn.number)
    if is_cut:
        _count_hidden(dag, solution, nodes)
    _mark(nodes)
    return nodes, _cut_remark(dag, nodes) if is_cut else ""


# --- their texts -----------------------------------------------------------------------------


def _nodes(
    dag: AnyDag, solution: Solution | None, spots: list[Spot], marks: Marks
) -> Iterator[DrawnNode]:
    # An array DAG keeps payoffs of one value as one node, and one title would not fit all.
    labels: dict[int, list[str]] = {}
    for here, (node, parent, edge, depth, stub_of) in enumerate(spots):
        kind = Kind(dag.kind[node])
        origin = dag.origin[node]
        above = spots[parent].node if parent >= 0 else -1
        if above >= 0 and above not in labels:
            labels[above] = dag.origin[above].labels()
        value = _value(dag, solution, node)
        text = node_text(kind, value)
        if marks.figures is not None and kind is not Kind.TERMINAL:  # payoffs are known always
            value, text = None, "" if marks.is_faint(edge) else marks.figures.get(node, "")
        yield DrawnNode(
            number=here,
            node=node,
            kind=NAMES[kind],
            parent=parent,
            edge=edge,
            depth=depth,
            label=_label(dag, labels.get(above, []), above, edge),
            odds=odds_of(dag, above, edge),
            factor=factor_of(dag, above, edge),
            title=origin.title() if kind is not Kind.TERMINAL or isinstance(dag, Dag) else "",
            note=origin.note(),
            offset=offset_of(dag, node),
            value=value,
            text=text,
            chosen=parent >= 0 and solution is not None and edge in solution.chosen[above],
            stub_of=stub_of,
            mark="",
            bold=parent >= 0 and marks.is_bold(solution, above, edge),
            faint=marks.is_faint(edge),
            current=edge == marks.current,
            hidden=None,
        )


def _value(dag: AnyDag, solution: Solution | None, node: int) -> Value | None:
    if solution is not None:
        return solution.value(node)
    if dag.kind[node] != Kind.TERMINAL:
        return None
    payoff = dag.offset[node]
    return float(payoff) if isinstance(payoff, float) else Fraction(payoff)


def _label(dag: AnyDag, labels: list[str], parent: int, edge: int) -> str:
    if parent < 0:
        return ""
    number = edge - int(dag.first[parent])
    return labels[number] if number < len(labels) else ""


def odds_of(dag: AnyDag, node: int, edge: int) -> str:
    """The odds of an edge of ``node``, ``""`` where chance does not decide."""
    if node < 0 or dag.kind[node] != Kind.CHANCE:
        return ""
    return odds_text(Fraction(dag.probability(node, edge)))


def factor_of(dag: AnyDag, node: int, edge: int) -> str:
    """The factor of an edge of the sum ``node``, ``""`` where it is 1 or there is none."""
    if node < 0 or dag.kind[node] != Kind.SUM or dag.weight[edge] == 1:
        return ""
    return picture_text(dag.weight[edge])


def offset_of(dag: AnyDag, node: int) -> str:
    """What ``node`` adds to its children's value: ``reward 5``, ``cost 3``, ``constant 2``."""
    offset = dag.offset[node]
    if not offset or dag.kind[node] == Kind.TERMINAL:
        return ""
    if dag.kind[node] == Kind.SUM:
        return f"constant {picture_text(offset)}"
    return f"{'cost' if offset < 0 else 'reward'} {picture_text(abs(offset))}"


def node_text(kind: Kind, value: Value | None) -> str:
    """What stands in a node: its value, a payoff exactly where that is short enough."""
    if value is None:
        return "+" if kind is Kind.SUM else ""
    if kind is Kind.TERMINAL and isinstance(value, Fraction):
        bits = value.numerator.bit_length() + value.denominator.bit_length()
        if bits < 4 * _EXACT and len(exact_text(value)) <= _EXACT:
            short = picture_text(value)
            return exact_text(value) if short.startswith("≈") else short
    return picture_text(value)


def _mark(nodes: list[DrawnNode]) -> None:
    """Number the nodes that stubs stand for, where their titles do not tell them apart."""
    named: dict[str, set[int]] = {}
    for drawn in nodes:
        named.setdefault(drawn.title, set()).add(drawn.node)
    marked: dict[int, str] = {}
    for drawn in nodes:
        if not drawn.is_stub:
            continue
        target = nodes[drawn.stub_of]
        if not target.title or len(named[target.title]) > 1:
            drawn.mark = marked.setdefault(target.number, f"#{len(marked) + 1}")
            target.mark = drawn.mark


# --- what is left out ------------------------------------------------------------------------


def _count_hidden(dag: AnyDag, solution: Solution | None, nodes: list[DrawnNode]) -> None:
    shown = {drawn.node for drawn in nodes}
    expanded = {drawn.node for drawn in nodes if drawn.children}
    counts = below(dag, shown)
    for drawn in nodes:
        if drawn.stub_of < 0 and drawn.node not in expanded and drawn.kind != "terminal":
            drawn.hidden = counts.get(drawn.node, 0)
            chosen = () if solution is None else solution.chosen[drawn.node]
            if chosen:
                labels, first = dag.origin[drawn.node].labels(), int(dag.first[drawn.node])
                drawn.hidden_best = [labels[edge - first] for edge in chosen[:_NAMED]]


def _cut_remark(dag: AnyDag, nodes: list[DrawnNode]) -> str:
    whole = dag.size()
    depth = max(drawn.depth for drawn in nodes)
    shown = len({drawn.node for drawn in nodes})
    return f"cut at depth {depth} of {whole.depth:,}: {shown:,} of {whole.nodes:,} nodes shown"


# --- how large -------------------------------------------------------------------------------


def _size(drawn: DrawnNode, shape: Shape, *, sideways: bool) -> None:
    """Set the sizes of its shape and of its text."""
    text = text_width(drawn.text, FONT_SIZE)
    if shape == "box":
        drawn.width, drawn.height = max(SHAPE, text + 12), 28.0
    elif shape == "triangle":  # small, its payoff beside or below it
        drawn.width = END + 6 + text if sideways else max(END, text)
        drawn.height = END if sideways else END + LINE
    else:
        drawn.width = max(SHAPE + _EXTRA.get(shape, 0.0), text * _ROOM.get(shape, 1.0) + 12)
    drawn.lines = [*_lines(drawn)]
    drawn.text_width = max((text_width(line.text, SMALL) for line in drawn.lines), default=0.0)
    drawn.text_height = LINE * len(drawn.lines)


def _lines(drawn: DrawnNode) -> Iterator[Line]:
    for text in wrapped(drawn.label):
        yield Line(text, "label")
    if drawn.odds:
        yield Line(drawn.odds if drawn.odds.startswith("≈") else f"p = {drawn.odds}", "odds")
    if drawn.factor:
        yield Line(f"× {drawn.factor}", "factor")
    for text in wrapped(f"see {drawn.title or drawn.mark}" if drawn.is_stub else drawn.title):
        yield Line(text, "title")
    if drawn.offset:
        yield Line(drawn.offset, "offset")
    if drawn.mark and not (drawn.is_stub and not drawn.title):
        yield Line(drawn.mark, "mark")
