"""The file's ``bounds``: what a play can pay in all, at least and at most.

Rewards, costs and factors on the way count: the bounds are those of the whole play, as the
root sees it. Searches take them for granted where they do not look, and report a payoff that
lies outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...compiler.values import show
from ...spec.diagnostics import Code, Diagnostic, Note, SpecError
from ...spec.source import Place
from .position import Exact, Position, StatePosition, TreePosition, exact

if TYPE_CHECKING:
    from ..game import Game
    from .walk import Window

Bounds = tuple[Exact, Exact]


def declared_bounds(game: Game) -> Bounds | None:
    """The bounds that the file gives, for its parameters as they are set."""
    texts = game.document.data.get("bounds")
    if not isinstance(texts, list) or len(texts) != 2:
        return None
    low, high = (exact(game.program.constant(str(text))) for text in texts)
    return low, high


def too_tight(game: Game, position: Position, payoff: Exact, window: Window) -> SpecError:
    """The report of a payoff outside the bounds, as they are where it stands."""
    data = game.document.data
    given = game.document.value_place(data, "bounds")
    place = given
    if isinstance(position, StatePosition):
        place = position.form.place()
    elif isinstance(position, TreePosition):
        origin = position.tree.dag.origin[position.node]
        place = getattr(origin, "place", lambda: given)()
    return _report(given, place, (payoff, exact(window.low), exact(window.high)))


def outside_somewhere(game: Game, payoff: Exact, low: Exact, high: Exact) -> SpecError:
    """The report of a payoff outside the bounds, where its place is not known."""
    given = game.document.value_place(game.document.data, "bounds")
    return _report(given, given, (payoff, low, high))


def _report(given: Place, place: Place, numbers: tuple[Exact, Exact, Exact]) -> SpecError:
    value, low, high = map(show, numbers)
    notes = (Note("the bounds are given here", given),) if place is not given else ()
    return SpecError(
        [
            Diagnostic(
                Code.OUT_OF_BOUNDS,
                place,
                f"a payoff of {value} lies outside the game's bounds, which allow {low} to {high} "
                "here",
                notes=notes,
                help="widen `bounds`: they hold for what a play can pay in all, with rewards and "
                "costs on the way",
            )
        ]
    )
