"""Where the nodes of a tree are drawn."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import gametree
import pytest
from gametree.compiler.dag import Dag, Kind
from gametree.render.drawing import draw_tree
from gametree.render.drawn import Drawing, DrawnNode, Point
from gametree.render.scene import strokes
from gametree.spec.reader import bundled_names
from hypothesis import given, settings
from hypothesis import strategies as st


@dataclass
class Said:
    """An origin that says what it was told to."""

    names: list[str]
    name: str = ""
    states: list[Any] = field(default_factory=list)

    def labels(self) -> list[str]:
        return self.names

    def title(self) -> str:
        return self.name

    def note(self) -> str:
        return ""


@st.composite
def dags(draw: st.DrawFn) -> Dag:
    """Small DAGs: each node is reached, some more than once; labels of all lengths."""
    count = draw(st.integers(1, 25))
    below: list[list[int]] = [[] for _ in range(count)]
    for node in range(1, count):
        below[draw(st.integers(0, node - 1))].append(node)
    for node in range(count - 1):
        if below[node] and draw(st.integers(0, 3)) == 0:
            below[node].append(draw(st.integers(node + 1, count - 1)))
    texts = st.text("abc xyzM", max_size=40)
    first, child, kinds = array("q", [0]), array("q"), bytearray()
    for children in below:
        child.extend(children)
        first.append(len(child))
        kinds.append(draw(st.sampled_from(list(Kind)[1:])) if children else Kind.TERMINAL)
    divisor = [len(c) if k == Kind.CHANCE else 1 for c, k in zip(below, kinds, strict=True)]
    origin = [Said([draw(texts) for _ in children], draw(texts)) for children in below]
    offset = [draw(st.integers(-1000, 1000)) for _ in below]
    return Dag(kinds, first, child, [1] * len(child), divisor, offset, origin)


def boxes(drawn: DrawnNode) -> list[tuple[float, float, float, float]]:
    """The boxes of a node's shape and of its text: left, top, right, bottom."""
    shape = (drawn.x, drawn.y, drawn.width, drawn.height)
    text = (drawn.text_x, drawn.text_y, drawn.text_width, drawn.text_height)
    found = [shape, text] if drawn.lines else [shape]
    return [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for x, y, w, h in found]


def overlaps(drawing: Drawing) -> list[tuple[int, int]]:
    """Pairs of nodes of which a box of one meets a box of the other, or one of its own."""
    every = [(drawn.number, box) for drawn in drawing.nodes for box in boxes(drawn)]
    every.sort(key=lambda entry: entry[1][0])
    found: list[tuple[int, int]] = []
    for index, (number, (_, top, right, bottom)) in enumerate(every):
        for other, (left2, top2, _, bottom2) in every[index + 1 :]:
            if left2 >= right:
                break
            if top < bottom2 and top2 < bottom:
                found.append((number, other))
    return found


@given(dags(), st.sampled_from(["TB", "BT", "LR", "RL"]), st.booleans())
@settings(max_examples=150)
def test_nothing_overlaps_and_everything_is_inside(dag: Dag, rankdir: Any, collapse: bool):
    """Shapes and texts keep clear of one another, whatever the tree and its labels."""
    style = "decision" if collapse else "game"
    drawing = draw_tree(dag, rankdir=rankdir, collapse=collapse, style=style)

    assert overlaps(drawing) == []
    for drawn in drawing.nodes:
        for left, top, right, bottom in boxes(drawn):
            assert 0 <= left <= right <= drawing.width
            assert 0 <= top <= bottom <= drawing.height


def meets(start: Point, end: Point, box: tuple[float, float, float, float]) -> bool:
    """Whether a line touches the inside of a box (Liang and Barsky, 1984)."""
    left, top, right, bottom = box
    enter, leave = 0.0, 1.0
    for at, to, low, high in (
        (start[0], end[0], left + 0.1, right - 0.1),
        (start[1], end[1], top + 0.1, bottom - 0.1),
    ):
        if at == to:
            if not low < at < high:
                return False
            continue
        first, second = sorted(((low - at) / (to - at), (high - at) / (to - at)))
        enter, leave = max(enter, first), min(leave, second)
    return enter < leave


def crossings(drawing: Drawing) -> list[tuple[int, int]]:
    """Nodes to which an edge leads that crosses the shape or the text of another node."""
    return [
        (drawn.number, other.number)
        for drawn in drawing.nodes[1:]
        for stroke in strokes(drawing, drawn)
        for start, end in pairwise(stroke)
        for other in drawing.nodes
        if other.number not in (drawn.number, drawn.parent)
        and any(meets(start, end, box) for box in boxes(other))
    ]


@given(dags(), st.sampled_from(["TB", "BT", "LR", "RL"]), st.sampled_from(["game", "decision"]))
@settings(max_examples=100)
def test_no_edge_crosses_a_node_that_it_does_not_lead_to(dag: Dag, rankdir: Any, style: Any):
    assert crossings(draw_tree(dag, rankdir=rankdir, style=style)) == []


@given(dags())
@settings(max_examples=100)
def test_the_tree_is_the_depth_first_walk(dag: Dag):
    """A recursive walk meets the same nodes in the same order, and does not enter one twice."""
    met: list[tuple[int, bool]] = []

    def walk(node: int) -> None:
        again = node in {number for number, _ in met}
        met.append((node, again))
        if not again:
            for child in dag.children(node):
                walk(child)

    walk(0)

    assert [(drawn.node, drawn.stub_of >= 0) for drawn in draw_tree(dag).nodes] == met


@given(dags(), st.integers(1, 25))
@settings(max_examples=100)
def test_a_cut_tree_has_whole_levels_and_says_what_is_below(dag: Dag, most: int):
    drawing = draw_tree(dag, most=most)

    shown = {drawn.node for drawn in drawing.nodes}
    assert len(drawing.nodes) <= most
    assert bool(drawing.cut) == any(drawn.hidden_text for drawn in drawing.nodes)
    if not drawing.cut:
        assert shown == set(range(len(dag)))
    for drawn in drawing.nodes:
        if drawn.hidden is not None:
            reached = set(dag.children(drawn.node))
            for node in range(len(dag)):
                if node in reached - shown:
                    reached |= set(dag.children(node))
            assert drawn.hidden == len(reached - shown)


@pytest.mark.parametrize("name", bundled_names())
def test_bundled_games_are_drawn_without_overlaps(name: str):
    game = gametree.load(name)
    solution = game.solution()

    drawing = draw_tree(solution.dag, solution, most=300)

    assert len(drawing.nodes) <= 300
    assert overlaps(drawing) == []


@pytest.mark.parametrize("rankdir", ["TB", "LR"])
def test_a_tree_of_thousands_of_nodes_is_laid_out_without_overlaps(rankdir: Any):
    """Slots are rounded more roughly there."""
    solution = gametree.load("tic-tac-toe").solution()

    drawing = draw_tree(solution.dag, solution, most=3_000, rankdir=rankdir)

    assert len(drawing.nodes) > 1_000
    assert overlaps(drawing) == []


def test_a_game_deeper_than_the_layout_can_be_is_cut():
    """A chain of 3,000 MAX nodes."""
    count = 3_000
    first = array("q", [*range(count + 1), count])
    child = array("q", range(1, count + 1))
    kinds = bytearray([Kind.MAX] * count + [Kind.TERMINAL])
    origin = [Said(["on"]) for _ in range(count)] + [Said([])]
    dag = Dag(kinds, first, child, [1] * count, [1] * (count + 1), [0] * (count + 1), origin)

    drawing = draw_tree(dag)

    assert drawing.cut == "cut at depth 1000 of 3,000: 1,001 of 3,001 nodes shown"
    assert drawing.nodes[-1].hidden == 2_000
