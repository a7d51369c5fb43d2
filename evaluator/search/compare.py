"""Search a game by every algorithm that applies, side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .found import Found
from .run import Request, search

if TYPE_CHECKING:
    from ..game import Game

WITHOUT_CHANCE = ("full", "alpha-beta", "pvs", "mcts")
WITH_CHANCE = ("full", "star1", "star2", "pvs", "sampled", "mcts")


@dataclass(frozen=True, slots=True)
class Row:
    """What one algorithm found; ``agrees`` is None where full evaluation does not say."""

    found: Found
    agrees: bool | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The algorithms that apply to a game, full evaluation first."""

    game: str
    rows: tuple[Row, ...]
    chance: bool


def compare(game: Game, request: Request) -> Comparison:
    """Search ``game`` by all algorithms that apply, each within the depth and budget asked for.

    A budget of playouts is for mcts alone: the others then have none. Without chance nodes Star1
    and Star2 are alpha-beta, and nothing is sampled; with them alpha-beta is Star1.

    Raises:
        UsageError, SpecError: As ``search``.
    """
    full = search(game, _request(request, "full"))
    names = WITH_CHANCE if full.chance else WITHOUT_CHANCE
    found = [full, *(search(game, _request(request, name)) for name in names[1:])]
    return Comparison(
        full.game, tuple(Row(each, _agrees(each, full)) for each in found), full.chance
    )


def _request(request: Request, name: str) -> Request:
    budget, depth = request.budget, request.depth
    if budget is not None and budget.playouts is not None and name != "mcts":
        budget = None
    return replace(request, algorithm=name, budget=budget, depth=None if name == "mcts" else depth)


def _agrees(found: Found, full: Found) -> bool | None:
    """Whether a search's best move is one of the best."""
    if full.certainty != "exact" or not full.best or not found.best:
        return None
    return found.best[0] in full.best
