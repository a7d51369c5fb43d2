"""A tree as it is drawn: its nodes, their texts and places.

Sizes are in pixels, as the picture has them before anybody zooms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..evaluator.solution import Value
from .shapes import KINDS, MEANINGS, Style
from .width import cut, safe

RankDir = Literal["TB", "BT", "LR", "RL"]
Role = Literal["label", "odds", "factor", "title", "offset", "mark"]
Point = tuple[float, float]

FONT_SIZE = 13.0  # of what stands in a node; other text is SMALL
SMALL = 12.0
CLEAR = 4.0  # between an edge and the text that it runs through
LINE = 15.0  # from one line of text to the next
END = 18.0  # the small triangle of a payoff in decision analysis
_NAME = 30  # columns of a player's name
SHAPE = 44.0  # a shape's height, and its least width


class Line(NamedTuple):
    """A line of text at an edge: what it says and what it is."""

    text: str
    role: Role


@dataclass(slots=True)
class DrawnNode:
    """A node where it is drawn.

    ``x`` and ``y`` are the centre of its shape, ``width`` and ``height`` its size;
    ``text_x`` and ``text_y`` are the centre of the text at the edge that leads to it
    (``lines``), ``text_width`` and ``text_height`` its size. That edge runs from the parent's
    ``out``, straight behind its shape, to ``bend``, and from there straight through the text to
    the shape. All in pixels.
    """

    number: int  # position in the drawing (preorder)
    node: int  # the DAG's node
    kind: str  # "max" | "min" | "chance" | "sum" | "terminal"
    parent: int  # position of its parent, -1 for the root
    edge: int  # the DAG's edge that leads here, -1 for the root
    depth: int
    label: str  # of the edge that leads here, as it was written
    odds: str  # probability of that edge, "" where its parent is no chance node
    factor: str  # of that edge, "" where its parent is no sum or the factor is 1
    title: str  # its own label, or its state
    note: str
    offset: str  # "reward 5", "cost 3", "constant 2" or ""
    value: Value | None  # of the solution given; of a terminal without one, its payoff
    text: str  # what stands in its shape
    chosen: bool  # its parent chooses it
    stub_of: int  # position of the drawn node it stands for, -1
    mark: str  # "#1" at a stub and at the node it stands for, where no title tells them apart
    bold: bool  # the edge that leads here is to stand out
    faint: bool  # it and the edge that leads here are to stand back
    current: bool  # it is the one that is looked at
    hidden: int | None  # how many nodes below it are not drawn; None where its branches are
    hidden_best: list[str] = field(default_factory=list[str])  # chosen branches not drawn
    children: list[int] = field(default_factory=list[int])  # positions, in written order
    lines: list[Line] = field(default_factory=list[Line])
    x: float = 0.0
    y: float = 0.0
    width: float = SHAPE
    height: float = SHAPE
    text_x: float = 0.0
    text_y: float = 0.0
    text_width: float = 0.0
    text_height: float = 0.0
    bend: Point = (0.0, 0.0)
    out: Point = (0.0, 0.0)

    @property
    def is_stub(self) -> bool:
        """Whether another drawn node has its branches."""
        return self.stub_of >= 0 and self.kind != "terminal"

    @property
    def hidden_text(self) -> str:
        """What stands below it where its branches are not drawn: ``… 12 more``; else ``""``."""
        if self.hidden is None:
            return ""
        return f"… {self.hidden:,} more" if self.hidden else "…"


@dataclass(slots=True)
class Drawing:
    """Nodes in preorder, and the size of the whole in pixels.

    ``cut`` says that nodes are left out, at which level and how many; "" where all are there.
    ``caption`` says what the marks mean; it may be as long as labels are.
    """

    nodes: list[DrawnNode]
    width: float
    height: float
    rankdir: RankDir
    style: Style = "game"
    cut: str = ""
    caption: str = ""
    players: Mapping[str, str] = field(default_factory=dict[str, str])  # names by kind of node

    def meaning(self, kind: str) -> str:
        """What a kind of node stands for: ``MAX chooses``, or a player by name."""
        player = self.players.get(kind)
        if player is None:
            return MEANINGS[KINDS[kind]]
        name = cut(safe(player), _NAME)
        return f"{name} (chance)" if kind == "chance" else f"{name} chooses"

    @property
    def is_sideways(self) -> bool:
        """Whether play leads to the right or to the left."""
        return self.rankdir in ("LR", "RL")

    def target(self, drawn: DrawnNode) -> DrawnNode:
        """``drawn``, or the node whose stub it is: what is drawn where a node is drawn once."""
        return drawn if drawn.stub_of < 0 else self.nodes[drawn.stub_of]
