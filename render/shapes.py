"""What every picture of a game shares: shapes, colours, and how wide its text is.

Holds   MAX is a triangle that points up, MIN one that points down, chance a circle, a payoff a
        box, a sum a small diamond; in the style of decision analysis MAX and MIN are squares.
        Odds are green; what is chosen is drawn bold, in the colour of who chooses it.
Widths  in pixels, for sans-serif fonts in general: a little more than most of them need, so that
        a picture laid out here has room whatever font it is shown with.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..compiler.dag import Kind
from .width import width

Style = Literal["game", "decision"]
Shape = Literal["triangle up", "triangle down", "circle", "box", "diamond", "square", "triangle"]


class Palette(NamedTuple):
    """The colours of a picture."""

    paper: str
    ink: str
    edge: str
    faded: str  # remarks
    faint: str  # what stands back: its lines
    faint_ink: str  # and its text
    odds: str
    current: str  # the node that is looked at
    chosen: dict[Kind, str]  # an edge that MAX or MIN chooses
    chosen_else: str
    fill: dict[Kind, str]
    line: dict[Kind, str]


NAMES: dict[Kind, str] = {
    Kind.MAX: "max",
    Kind.MIN: "min",
    Kind.CHANCE: "chance",
    Kind.SUM: "sum",
    Kind.TERMINAL: "terminal",
}
KINDS = {name: kind for kind, name in NAMES.items()}
MEANINGS: dict[Kind, str] = {
    Kind.MAX: "MAX chooses",
    Kind.MIN: "MIN chooses",
    Kind.CHANCE: "chance",
    Kind.TERMINAL: "payoff",
    Kind.SUM: "sum",
}
SHAPES: dict[Style, dict[Kind, Shape]] = {
    "game": {
        Kind.MAX: "triangle up",
        Kind.MIN: "triangle down",
        Kind.CHANCE: "circle",
        Kind.TERMINAL: "box",
        Kind.SUM: "diamond",
    },
    "decision": {
        Kind.MAX: "square",
        Kind.MIN: "square",
        Kind.CHANCE: "circle",
        Kind.TERMINAL: "triangle",
        Kind.SUM: "diamond",
    },
}
LIGHT = Palette(
    paper="#ffffff",
    ink="#1c1c1c",
    edge="#777777",
    faded="#666666",
    faint="#d2d2d2",
    faint_ink="#8a8a8a",
    odds="#2f7d32",
    current="#d9770f",
    chosen={Kind.MAX: "#1a5fb4", Kind.MIN: "#b4430c"},
    chosen_else="#222222",
    fill={
        Kind.MAX: "#cfe2f7",
        Kind.MIN: "#fbd9c5",
        Kind.CHANCE: "#dcefd9",
        Kind.TERMINAL: "#ffffff",
        Kind.SUM: "#eeeeee",
    },
    line={
        Kind.MAX: "#2b6cb0",
        Kind.MIN: "#c2571a",
        Kind.CHANCE: "#3d7a3a",
        Kind.TERMINAL: "#666666",
        Kind.SUM: "#666666",
    },
)
DARK = Palette(
    paper="#16181d",
    ink="#e8e8e8",
    edge="#8b93a1",
    faded="#a3abb8",
    faint="#3a404b",
    faint_ink="#7d8592",
    odds="#7fd083",
    current="#ffb74d",
    chosen={Kind.MAX: "#7db3f0", Kind.MIN: "#f2a06e"},
    chosen_else="#f0f0f0",
    fill={
        Kind.MAX: "#1f3a58",
        Kind.MIN: "#54301c",
        Kind.CHANCE: "#22402a",
        Kind.TERMINAL: "#1e2128",
        Kind.SUM: "#2b2f38",
    },
    line={
        Kind.MAX: "#7db3f0",
        Kind.MIN: "#f2a06e",
        Kind.CHANCE: "#7fd083",
        Kind.TERMINAL: "#a3abb8",
        Kind.SUM: "#a3abb8",
    },
)
FONT = "Helvetica,Arial,sans-serif"

_NARROW = frozenset("fijlrtI.,:;!|'`()[]{}/\\ -")
_BROAD = frozenset("mwMW%@—…≈")


def text_width(text: str, size: float) -> float:
    """About how wide ``text`` is in a sans-serif font of ``size`` pixels, or a little less."""
    ems = 0.0
    for character in text:
        if character in _NARROW:
            ems += 0.4
        elif character in _BROAD:
            ems += 0.98
        elif character.isascii():
            ems += 0.73 if character.isupper() else 0.63
        else:
            ems += (0.0, 0.75, 1.3)[width(character)]
    return ems * size
