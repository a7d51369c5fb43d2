"""A drawing in words: for screen readers, and for who points at a node."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from .drawn import Drawing, DrawnNode
from .numbers import exact_text, value_text
from .width import cut, safe, safe_lines

_LONGEST = 1_000  # characters of a label or a note
_DIGITS = 60  # of a value that is said exactly
_BRANCHES = 20
_DIRECTIONS = {"TB": "down", "BT": "up", "LR": "to the right", "RL": "to the left"}


def description(drawing: Drawing) -> str:
    """What the picture shows, in a few sentences."""
    return " ".join(_sentences(drawing))


def _sentences(drawing: Drawing) -> Iterator[str]:
    nodes = drawing.nodes
    count = f"{len(nodes):,} node{'' if len(nodes) == 1 else 's'}"
    yield f"A game tree of {count}; play leads {_DIRECTIONS[drawing.rankdir]}."
    root = nodes[0]
    worth = f" It is worth {root.text}." if root.text else ""
    yield f"At the root: {drawing.meaning(root.kind)}.{worth}"
    branches = [nodes[child] for child in root.children]
    if branches:
        named = [_branch(drawn) for drawn in branches[:_BRANCHES]]
        more = len(branches) - len(named)
        yield f"Branches: {'; '.join(named)}{f'; and {more:,} more' if more else ''}."
    for remark in (drawing.caption, drawing.cut):
        if remark:
            yield f"{safe(cut(remark, _LONGEST))}."


def _branch(drawn: DrawnNode) -> str:
    parts = [safe(cut(drawn.label, 60)) or "without a name"]
    parts += [drawn.odds and f"p = {drawn.odds}", drawn.text, "chosen" if drawn.bold else ""]
    return ", ".join(part for part in parts if part)


def details(drawing: Drawing, drawn: DrawnNode) -> str:
    """All there is to say of a node, a line each: labels whole, its value exactly."""
    return "\n".join(_details(drawing, drawn))


def _details(drawing: Drawing, drawn: DrawnNode) -> Iterator[str]:
    value = _value(drawn)
    yield drawing.meaning(drawn.kind) + (f": {value}" if value else "")
    for name, text in (("branch", drawn.label), ("node", drawn.title), ("note", drawn.note)):
        if text:
            yield f"{name}: " + "\n".join(safe_lines(cut(text, _LONGEST)))
    if drawn.odds:
        yield f"p = {drawn.odds}"
    if drawn.offset:
        yield drawn.offset
    if drawn.is_stub:
        yield "its branches are drawn elsewhere"
    if drawn.hidden_text:
        yield drawn.hidden_text


def _value(drawn: DrawnNode) -> str:
    """What stands in the node, and exactly if that is more than what stands there."""
    value = drawn.value
    if not isinstance(value, Fraction) or not drawn.text.startswith("≈"):
        return drawn.text
    if value.numerator.bit_length() + value.denominator.bit_length() > 3 * _DIGITS:
        return value_text(value)
    return exact_text(value)
