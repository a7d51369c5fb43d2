"""Search a game by the algorithm of that name.

Input   a game, an algorithm, how deep and how long to look.
Output  a ``Found``: a value, and whether it is exact, a bound or an estimate.
Errors  ``UsageError`` for what cannot be asked, ``SpecError`` for what is wrong with the game.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from ...compiler.dag import Dag, Kind
from ...compiler.limits import EXACT_STATES, Limits
from ...spec.diagnostics import UsageError
from ...spec.suggest import did_you_mean
from ..behaviour import ALGORITHMS as EVALUATED
from ..behaviour import EXPECTIMINIMAX, Behaviour, Play, Rule
from .bounds import declared_bounds, too_tight
from .budget import Budget, Clock
from .found import Certainty, Found, Value
from .mcts import Tree as PlayoutTree
from .position import Exact, Position, Roles, Rules, Tree
from .table import Number, Table
from .walk import INFINITY, Interval, Plan, Visited, Walker, Window, tied

if TYPE_CHECKING:
    from ..game import Game

ALGORITHMS = ("alpha-beta", "pvs", "star1", "star2", "sampled", "mcts", "full")
UNLIMITED = 1 << 40  # moves: deeper than any play
TABLE = 1 << 20  # positions in the table of a search in exact numbers
SWITCH = 1_000  # positions in exact numbers, a tenth of a second: longer searches are compiled
SAMPLES = 4  # outcomes that `sampled` draws at a chance node
REPEATS = 32  # of a sampled search without a budget
SAMPLED, PLAYED = 50_000, 200_000  # positions that these two take without a budget, at most
SUMMING_UP = 0.95  # of the time: the rest goes into what the tree says in the end
PLAYOUTS = 10_000  # of mcts without a budget
_PLANS = {
    "full": Plan(cuts=False),
    "alpha-beta": Plan(),
    "pvs": Plan(scouts=True),
    "star1": Plan(),
    "star2": Plan(probes=True),
    "sampled": Plan(),
}


@dataclass(frozen=True, slots=True)
class Request:
    """What to search, and how: see ``search``."""

    algorithm: str
    depth: int | None = None
    budget: Budget | None = None
    seed: int = 1
    at: str | None = None
    play: Mapping[str, str] | None = None
    samples: int = SAMPLES
    table: int | None = None  # positions in the table; None: as many as suit the engine
    numbers: Literal["exact", "float"] | None = None
    order: str | int = "learned"
    limits: Limits = field(default_factory=Limits)


def search(game: Game, request: Request) -> Found:
    """Search ``game``.

    ``alpha-beta``, ``pvs``, ``star1`` and ``star2`` give the value of full evaluation where they
    come to an end. At chance nodes ``alpha-beta`` and ``pvs`` do as ``star1``. With a budget
    they look deeper and deeper; with a depth alone they look so deep at once.

    Raises:
        UsageError: For an unknown algorithm, a budget of playouts for a search that has none,
            or a behaviour that is no fixed rule.
        SpecError: Where states make no sense, or a payoff lies outside the file's bounds.
    """
    check(request)
    ground = Ground(game, request)
    if request.algorithm == "mcts":
        return by_playouts(ground)
    if request.algorithm == "sampled":
        return by_samples(ground)
    return by_walking(ground)


def check(request: Request) -> None:
    """Refuse what makes no sense."""
    name = request.algorithm
    if name not in ALGORITHMS:
        hint = did_you_mean(name, ALGORITHMS) or f"the algorithms are {', '.join(ALGORITHMS)}"
        if name in EVALUATED:
            raise UsageError(
                f"`{name}` evaluates a game as a whole: `gametree eval --algorithm {name}`; "
                f"a search is {', '.join(ALGORITHMS[:-1])} or {ALGORITHMS[-1]}"
            )
        raise UsageError(f"unknown algorithm `{name}`; {hint}")
    if request.budget is not None and request.budget.playouts is not None and name != "mcts":
        raise UsageError(f"a budget of playouts is for mcts; {name} takes seconds or nodes")
    if request.depth is not None and name == "mcts":
        raise UsageError("mcts plays every game to its end; leave --depth out")


class Ground:
    """A game made ready for one search."""

    def __init__(self, game: Game, request: Request) -> None:
        self.game = game
        self.request = request
        self.roles = roles_of(game.behaviour(EXPECTIMINIMAX.name, request.play))
        self.bounds = declared_bounds(game) if game.tree is None else None
        self.source = self.make_source()
        self.root = self.source.root()
        self.root.look()
        self.first = first_choice(self.root)
        self.notes: list[str] = []

    def make_source(self) -> Tree | Rules:
        """A tree written out as the DAG it is, any other game as its rules."""
        game, request = self.game, self.request
        if game.tree is not None or not game.program.nodes:
            dag = game.dag(request.limits, at=request.at, numbers="exact")
            assert isinstance(dag, Dag)
            return Tree(dag, self.roles)
        form = game.program.root if request.at is None else game.state(request.at)
        return Rules(game.program, form, request.limits, self.roles)

    @property
    def heuristics(self) -> bool:
        """Whether the file has any."""
        return isinstance(self.source, Rules) and any(
            node.heuristic is not None for node in self.source.program.nodes.values()
        )

    @property
    def window(self) -> Window:
        """What the root is asked: everything."""
        low, high = self.bounds or (-INFINITY, INFINITY)
        return Window(-INFINITY, INFINITY, low, high)

    @property
    def approximate(self) -> bool:
        """Whether payoffs are rounded."""
        return self.game.tree is None and bool(self.game.program.approximate)

    def clock(self) -> Clock:
        """A clock that starts now."""
        return Clock(self.request.budget or Budget(), EXACT_STATES)

    def table(self) -> Table:
        """An empty transposition table."""
        room = self.request.table
        return Table(TABLE if room is None else room)

    @property
    def may_compile(self) -> bool:
        """Whether machine code could search it: states, and no heuristic among them."""
        fixed_order = self.request.order in {"learned", "written"}
        return isinstance(self.source, Rules) and not self.heuristics and fixed_order

    def depths(self) -> Iterator[int]:
        """How deep to look, pass by pass."""
        request = self.request
        limit = UNLIMITED if request.depth is None else min(request.depth, UNLIMITED)
        if request.budget is None:
            return iter((limit,))
        return iter(range(min(1, limit), limit + 1))

    def walker(self, clock: Clock, luck: random.Random, table: Table) -> Walker:
        """What searches the game."""

        def outside(position: Position, value: Exact, window: Window) -> NoReturn:
            raise too_tight(self.game, position, value, window)

        return Walker(
            plan=self.plan,
            clock=clock,
            table=table,
            heuristics=self.heuristics,
            outside=outside,
            watched=self.first,
            luck=luck,
        )

    @property
    def plan(self) -> Plan:
        """Which search it is."""
        request = self.request
        samples = request.samples if request.algorithm == "sampled" else 0
        return _PLANS[request.algorithm]._replace(order=request.order, samples=samples)

    def found(self, clock: Clock, *, notes: Sequence[str] = (), **told: Any) -> Found:
        """A ``Found``, with what is to be said of any search."""
        certainty = told["certainty"]
        more: list[str] = []
        if clock.stopped:
            more.append(_stopped(self.request, clock))
        unknown = told["low"] is None or told["high"] is None
        if certainty == "bound" and unknown and self.bounds is None:
            more.append(self._no_bound())
        if certainty == "exact" and self.approximate:
            told["certainty"] = "estimate"
            more.append("the game computes with sqrt, exp or log: its payoffs are rounded")
        if told["certainty"] == "estimate":
            told["low"] = told["high"] = None
        return Found(
            game=self.game.name,
            algorithm=self.request.algorithm,
            seconds=clock.seconds,
            notes=(*self.notes, *more, *notes),
            **told,
        )

    def _no_bound(self) -> str:
        """Why nothing is known of what lies deeper, and what would help."""
        if not isinstance(self.source, Rules):
            return "nothing is known of what lies deeper: search on, with no --depth or --budget"
        if self.heuristics:
            return (
                "nothing is known of what lies deeper: the file has no `bounds`, and a node with a "
                "`heuristic` was not come to everywhere; give the file `bounds`, or search longer"
            )
        return (
            "nothing is known of what lies deeper: the file has no `bounds` and its nodes no "
            "`heuristic`; give it either, or search on, with no --depth or --budget"
        )

    def labels(self, numbers: list[int]) -> tuple[str, ...]:
        """The labels of some branches of the first choice."""
        if not numbers or self.first.kind not in {Kind.MAX, Kind.MIN}:
            return ()
        labels = self.first.labels()
        return tuple(labels[number] for number in numbers)


def roles_of(behaviour: Behaviour) -> Roles:
    """What each kind of node is searched as.

    Raises:
        UsageError: For a mixture of branches that depends on their values.
    """
    kinds, alike = list(Kind), [False] * len(Kind)
    for kind in (Kind.MAX, Kind.MIN, Kind.CHANCE):
        kinds[kind], alike[kind] = _role(kind, behaviour.of(kind))
    return Roles(tuple(kinds), tuple(alike))


def _role(kind: Kind, play: Play) -> tuple[Kind, bool]:
    if play.rule is Rule.EXPECTED:
        return kind, False
    if play.rule is Rule.UNIFORM:
        return Kind.CHANCE, True
    if play.rule is Rule.HIGHEST:
        return Kind.MAX, False
    if play.rule is Rule.LOWEST:
        return Kind.MIN, False
    raise UsageError(
        f"a search cannot play {kind.name.lower()} so; it knows optimal, worst, random and expected"
    )


def first_choice(root: Position) -> Position:
    """The first position from the root that is no sum of one node."""
    position = root
    while position.kind is Kind.SUM and len(position.moves().children) == 1:
        position = position.moves().children[0]
        position.look()
    return position


# --- one search after the other ------------------------------------------------------------------


class Progress:
    """What one pass after the other, each deeper, has found."""

    def __init__(self, window: Window) -> None:
        self.interval = Interval(window.low, window.high)
        self.best: list[int] = []
        self.depth = 0
        self.found = False

    def take(self, walker: Walker, interval: Interval, depth: int, *, up: bool) -> None:
        """Note a pass that came to its end."""
        proved = self.interval
        if interval.sure and proved.sure:
            interval = Interval(max(interval.low, proved.low), min(interval.high, proved.high))
        self.interval = interval
        self.best = list(tied(walker.branches, interval, up=up)) or [walker.move]
        if walker.move >= 0 and interval.low < interval.high:
            self.best = [walker.move]
        self.best = [number for number in self.best if number >= 0]
        self.depth, self.found = max(self.depth, depth), True

    def take_part(self, walker: Walker, interval: Interval, depth: int, *, up: bool) -> None:
        """Note a pass that was stopped: what is proved, or anything where there is nothing."""
        if interval.sure and self.interval.sure:
            proved = self.interval
            low, high = max(interval.low, proved.low), min(interval.high, proved.high)
            gained = low > proved.low if up else high < proved.high
            self.interval = Interval(low, high)
            if gained and walker.move >= 0:
                self.best = [walker.move]
            self.depth = max(self.depth, depth)
        elif not self.found:
            self.interval = interval
            self.best = [walker.move] if walker.move >= 0 else []
            self.depth = depth


def by_walking(ground: Ground) -> Found:
    """Search depth first: all at once, or with a budget deeper and deeper.

    Exact numbers at first; a search that takes longer begins again by machine code, where that
    can be. Korf, "Depth-first iterative-deepening" (1985).
    """
    request, clock = ground.request, ground.clock()
    if request.numbers == "exact" or not ground.may_compile:
        return by_exact_walk(ground, clock)
    if request.numbers is None:
        allowed, clock.most = clock.most, min(clock.most, SWITCH)
        found = by_exact_walk(ground, clock)
        if not clock.stopped or clock.nodes < SWITCH or allowed <= SWITCH:
            return found
    by_machine = _by_machine(ground, clock)
    if by_machine is None:
        clock.restart(ground.clock().most)
        return by_exact_walk(ground, clock)
    return by_machine


def by_exact_walk(ground: Ground, clock: Clock) -> Found:
    """Search depth first in exact numbers."""
    request = ground.request
    order = request.order
    luck = random.Random(  # noqa: S311 - a game's luck, no secret
        order if isinstance(order, int) else request.seed
    )
    walker = ground.walker(clock, luck, ground.table())
    progress = Progress(ground.window)
    up = ground.first.kind is not Kind.MIN
    for depth in ground.depths():
        ground.source.begin()
        interval = walker.run(ground.root, ground.window, depth)
        reached = int(depth - walker.least)
        if clock.stopped:
            progress.take_part(walker, interval, reached, up=up)
            break
        progress.take(walker, interval, reached, up=up)
        found = progress.interval
        if (found.sure and found.low == found.high) or not walker.horizon:
            break
    return replace(sum_up(ground, clock, walker.visited, progress), chance=walker.chance)


def _by_machine(ground: Ground, clock: Clock) -> Found | None:
    """The same by machine code; None, and a note, where that cannot be."""
    from ...compiler.native.engine import Unsure
    from ...compiler.native.values import Unsupported
    from .machine import by_machine

    try:
        return by_machine(ground, clock)
    except Unsupported as problem:
        reason = f"the fast engine cannot do {problem}"
    except Unsure:
        reason = "a number outgrows 64 bits, or a float cannot tell two numbers apart"
    ground.notes.append(f"searched in exact numbers, which takes longer: {reason}")
    return None


def sum_up(ground: Ground, clock: Clock, visited: Visited, progress: Progress) -> Found:
    """What came out."""
    interval = progress.interval
    low, high = _value(interval.low), _value(interval.high)
    up = ground.first.kind is not Kind.MIN
    value = low if up else high
    certainty: Certainty = "bound"
    if not interval.sure:
        certainty = "estimate"
        if low is not None and high is not None and low != high:
            value = (low + high) / 2
    elif low is not None and low == high:
        certainty = "exact"
    return ground.found(
        clock,
        certainty=certainty,
        value=value,
        low=low,
        high=high,
        best=ground.labels(progress.best),
        nodes=visited.nodes,
        terminals=visited.terminals,
        cut=visited.cut,
        depth=progress.depth,
    )


def _stopped(request: Request, clock: Clock) -> str:
    budget = request.budget
    if budget is None or (budget.seconds is None and budget.nodes is None):
        return (
            f"it was stopped after {clock.most:,} positions; --budget or --depth says how far to go"
        )
    return "the budget came to its end before the search did"


def _value(number: Number) -> Value | None:
    return None if isinstance(number, float) else Fraction(number)


# --- luck ---------------------------------------------------------------------------------------


def by_samples(ground: Ground) -> Found:
    """Search again and again with some of the outcomes, drawn anew, and take the mean."""
    request, clock = ground.request, ground.clock()
    if request.budget is None:
        clock.most = SAMPLED
    luck = random.Random(request.seed)  # noqa: S311 - a game's luck, no secret
    depth = UNLIMITED if request.depth is None else min(request.depth, UNLIMITED)
    visited = Visited()
    values: list[Value] = []
    moves: dict[int, int] = {}
    reached, horizon, exact = 0, False, False
    repeats = REPEATS if request.budget is None else UNLIMITED
    while len(values) < repeats and not exact:
        walker = ground.walker(clock, luck, ground.table())
        walker.visited = visited
        ground.source.begin()
        interval = walker.run(ground.root, ground.window, depth)
        if clock.stopped:
            break
        reached = max(reached, int(depth - walker.least))
        horizon = horizon or walker.horizon
        if not walker.sampled:
            exact = True
            progress = Progress(ground.window)
            progress.take(walker, interval, reached, up=ground.first.kind is not Kind.MIN)
            ground.notes.append(
                "no chance node has more outcomes than it draws: all were looked at"
            )
            return sum_up(ground, clock, visited, progress)
        values.append(_middle(interval))
        moves[walker.move] = moves.get(walker.move, 0) + 1
    notes = [
        f"the mean of {len(values):,} searches with {request.samples} outcomes at a chance node",
        "a choice between sampled values takes the luckiest, so the mean leans towards the player",
    ]
    if horizon:
        notes.append("the depth ended some plays early: that error is not in the standard error")
    if not values:
        notes = []
    value, error = _mean(values)
    best = max(moves, key=lambda move: (moves[move], -move)) if moves else -1
    return ground.found(
        clock,
        certainty="estimate",
        value=value,
        low=None,
        high=None,
        standard_error=error,
        best=ground.labels([best] if best >= 0 else []),
        nodes=visited.nodes,
        terminals=visited.terminals,
        cut=visited.cut,
        depth=reached,
        numbers="float",
        chance=True,
        notes=notes,
    )


def _middle(interval: Interval) -> Value:
    """The one number, or the middle where the depth left an interval."""
    low, high = interval.low, interval.high
    if isinstance(low, float) or isinstance(high, float):
        raise UsageError(
            "a depth needs a heuristic in the file, or bounds, to say what lies deeper"
        )
    return Fraction(low + high) / 2


def _mean(values: list[Value]) -> tuple[float | None, float | None]:
    count = len(values)
    if not count:
        return None, None
    mean = sum(values) / count
    if count < 2:
        return float(mean), None
    variance = sum(float(value - mean) ** 2 for value in values) / (count - 1)
    return float(mean), math.sqrt(variance / count)


def by_playouts(ground: Ground) -> Found:
    """Monte Carlo tree search."""
    request = ground.request
    budget = request.budget or Budget(playouts=PLAYOUTS)
    most = PLAYED if request.budget is None else UNLIMITED
    clock = Clock(budget, most, share=SUMMING_UP)
    span = None
    if ground.bounds is not None:
        span = float(ground.bounds[0]), float(ground.bounds[1])
    tree = PlayoutTree(ground.root, clock, request.seed, span)
    done = tree.run(UNLIMITED if budget.playouts is None else budget.playouts)
    if not done:
        raise UsageError("the budget does not allow a single playout")
    result = tree.result(done)
    sampling = f"sampling: {done:,} playouts; the standard error is that of the play they followed"
    exploration = (
        f"exploration that has not died out: {result.explored:.1%} of the moves in the tree were "
        f"not the best so far; the best would earn {result.greedy:.6g} by the same playouts"
    )
    return ground.found(
        clock,
        certainty="estimate",
        value=result.value,
        low=None,
        high=None,
        standard_error=result.standard_error,
        best=ground.labels([result.move] if result.move >= 0 else []),
        nodes=result.nodes,
        terminals=result.terminals,
        cut=0,
        depth=result.depth,
        numbers="float",
        playouts=done,
        notes=(sampling, exploration),
    )
