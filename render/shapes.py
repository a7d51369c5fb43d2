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


class Look(NamedTuple):
    """How a kind of node is drawn."""

    shape: Shape
    fill: str
    line: str


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
LOOKS: dict[Style, dict[Kind, Look]] = {
    "game": {
        Kind.MAX: Look("triangle up", "#cfe2f7", "#2b6cb0"),
        Kind.MIN: Look("triangle down", "#fbd9c5", "#c2571a"),
        Kind.CHANCE: Look("circle", "#dcefd9", "#3d7a3a"),
        Kind.TERMINAL: Look("box", "#ffffff", "#666666"),
        Kind.SUM: Look("diamond", "#eeeeee", "#666666"),
    },
    "decision": {
        Kind.MAX: Look("square", "#cfe2f7", "#2b6cb0"),
        Kind.MIN: Look("square", "#fbd9c5", "#c2571a"),
        Kind.CHANCE: Look("circle", "#dcefd9", "#3d7a3a"),
        Kind.TERMINAL: Look("triangle", "#ffffff", "#666666"),
        Kind.SUM: Look("diamond", "#eeeeee", "#666666"),
    },
}
CHOSEN: dict[Kind, str] = {Kind.MAX: "#1a5fb4", Kind.MIN: "#b4430c"}
CHOSEN_ELSE = "#222222"
ODDS = "#2f7d32"
EDGE = "#777777"
FADED = "#666666"
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
