"""The opponent swept from perfect to random: where the best first move changes.

Input   a solved game, and the kind of node that is the opponent's.
Output  a ``Sweep``.
Holds   an exact sweep misses nothing: with ``mistake:E`` a node's value is a polynomial of E in
        pieces. Nodes of others keep its degree, and the best of several branches is one of them
        at a time, so cuts come where two branches change their order; a node of the opponent
        adds one to the degree. So where no path has two nodes of the opponent, values are
        linear in pieces and all thresholds rational; else a threshold can be irrational, and is
        then known by its polynomial and an interval.
        A sampled sweep sees changes that last longer than from one sample to the next, and
        finds each to within its resolution.
Errors  ``UsageError`` where the game is too large to be evaluated so often.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Literal, NamedTuple

from ..compiler.dag import AnyDag, Dag, Kind
from ..compiler.progress import Progress, Step
from ..spec.diagnostics import SpecError, UsageError
from .behaviour import Behaviour, Play, Rule
from .engines import solve_any
from .piecewise import END, START, Meter, Piecewise, TooMuch, best, cells, combined, flat
from .polynomial import Point, Polynomial, Root, combination, slip
from .solution import Mixture, Solution, Value, first_branching

Model = Literal["mistake", "softmax"]

EXACT_WORK = 40_000_000  # of a ``Meter``: some ten seconds
EXACT_NODES = 200_000
DRAWN = 40  # parts of the axis in a plot
SAMPLES = 64
FEWEST = 8
EVALUATIONS = 400
EXACT_EDGES, ARRAY_EDGES = 20_000_000, 8_000_000_000  # over all evaluations: half a minute
RESOLUTION = 1e-7
DECADES = 3  # of softmax temperatures, above and below the spread of the payoffs

Values = tuple[Value, ...]


class Threshold(NamedTuple):
    """A place on the sweep's axis.

    ``at`` is exact if it is a ``Fraction``. Else the place lies from ``low`` to ``high``, and
    where ``equation`` is given it is that polynomial's only root there (from the constant up).
    """

    at: Value
    low: Value
    high: Value
    equation: tuple[int, ...] = ()


class Stretch(NamedTuple):
    """From ``low`` to ``high`` the same first moves (positions) are best; all tied ones.

    A stretch of no length is an end where more moves are tied than beside it.
    """

    low: Threshold
    high: Threshold
    best: tuple[int, ...]


class Sample(NamedTuple):
    """The value of each first move at one place of the axis."""

    at: Value
    values: Values


class Sweep(NamedTuple):
    """What the sweep found, in the order of the axis: from perfect to random."""

    model: Model
    exact: bool
    resolution: float | None  # of a sampled sweep: of E, or of T as a share of it
    evaluations: int
    degree: int | None  # of an exact sweep: the highest power of E in a first move's value
    stretches: tuple[Stretch, ...]
    samples: tuple[Sample, ...]


class Moves(NamedTuple):
    """The first moves: their nodes, how the root sees their values, and which it prefers."""

    node: int
    children: tuple[int, ...]
    labels: tuple[str, ...]
    factor: Fraction
    constant: Fraction
    up: bool

    @staticmethod
    def of(dag: AnyDag) -> Moves:
        """The branches of the first node from the root that chooses.

        Raises:
            UsageError: If chance comes first, several nodes are added up, or nobody chooses.
        """
        node, factor, constant = first_branching(dag)
        kind = Kind(dag.kind[node])  # a number of numpy, where the arrays are
        if kind not in {Kind.MAX, Kind.MIN}:
            first = {Kind.CHANCE: "chance decides first", Kind.SUM: "it begins with several nodes"}
            why = first.get(kind, "nobody chooses anything")
            raise UsageError(
                f"there is no first move in this game: {why}",
                "name a state in which a player chooses, with --at",
            )
        labels = tuple(dag.origin[node].labels())
        up = (kind == Kind.MAX) is (factor > 0)
        return Moves(node, tuple(dag.children(node)), labels, factor, constant, up)

    def values(self, solution: Solution) -> Values:
        """The value of each, in the eyes of the root."""
        return tuple(self._seen(solution.value(child)) for child in self.children)

    def _seen(self, value: Value) -> Value:
        if isinstance(value, Fraction):
            return self.factor * value + self.constant
        return float(self.factor) * value + float(self.constant)

    def best(self, solution: Solution) -> tuple[int, ...]:
        """The best ones; floats within each other's bounds are tied."""
        off = [abs(float(self.factor)) * solution.error_bound(child) for child in self.children]
        return self.best_of(self.values(solution), off)

    def best_of(self, values: Sequence[Value], off: Sequence[float] = ()) -> tuple[int, ...]:
        """The positions of the best values, which may be ``off`` by so much."""
        top = values.index((max if self.up else min)(values))
        near = (values[top] - value for value in values)
        if not any(off):
            return tuple(i for i, gap in enumerate(near) if not gap)
        return tuple(i for i, gap in enumerate(near) if abs(gap) <= off[i] + off[top])


class Stage(NamedTuple):
    """A game whose opponent is to be swept: how the others play, by rules and by policies."""

    dag: AnyDag
    behaviour: Behaviour
    policies: Mapping[int, Mixture]
    kind: Literal["max", "min", "chance"]
    progress: Progress | None = None

    @property
    def code(self) -> Kind:
        """The kind of the opponent's nodes."""
        return Kind[self.kind.upper()]

    def solve(self, play: Play, *, exact: bool) -> Solution:
        """Solve it, the opponent playing so."""
        behaviour = replace(self.behaviour, **{self.kind: play})
        return solve_any(
            self.dag,
            behaviour,
            numbers="exact" if exact else "float",
            policies=self.policies,
            progress=self.progress,
        )


def sweep(stage: Stage, moves: Moves, model: Model, *, exact: bool) -> Sweep:
    """Sweep the opponent; ``exact`` says that exact numbers are there and wanted.

    Raises:
        UsageError: If the game is too large even for a few samples.
    """
    dag = stage.dag
    if exact and model == "mistake" and isinstance(dag, Dag) and len(dag) <= EXACT_NODES:
        try:
            return _exact_sweep(stage, dag, moves)
        except TooMuch:
            pass
    try:
        return _sampled_sweep(stage, moves, model)
    except (SpecError, OverflowError):
        raise UsageError(
            "values of this game are too large for floats, in which it would have to be searched"
        ) from None


# --- exactly ---------------------------------------------------------------------------------


def _exact_sweep(stage: Stage, dag: Dag, moves: Moves) -> Sweep:
    meter = Meter(EXACT_WORK)
    values = _functions(stage, dag, meter)
    functions = [
        combined([values[child]], _linear([moves.factor], moves.constant), meter)
        for child in moves.children
    ]
    stretches = _with_ends(_stretches(functions, moves, meter), functions, moves)
    places = {START, END, *(Fraction(i, DRAWN) for i in range(DRAWN))}
    places |= {s.high.at for s in stretches if isinstance(s.high.at, Fraction)}
    samples = [Sample(x, tuple(f.at(x) for f in functions)) for x in sorted(places)]
    degree = max(piece.degree for f in functions for piece in f.pieces)
    return Sweep("mistake", True, None, 1, degree, tuple(stretches), tuple(samples))


def _functions(stage: Stage, dag: Dag, meter: Meter) -> list[Piecewise]:
    """The value of every node as a function of E, children first."""
    values = [flat(START)] * len(dag)
    for node in range(len(dag) - 1, -1, -1):
        if dag.kind[node] == Kind.TERMINAL:
            values[node] = flat(Fraction(dag.offset[node]))
            meter.left -= 1
        else:
            values[node] = _function(stage, dag, node, values, meter)
        if not node & 0x3FF and stage.progress is not None:
            stage.progress(Step(True, len(dag), node))
    return values


def _function(
    stage: Stage, dag: Dag, node: int, values: Sequence[Piecewise], meter: Meter
) -> Piecewise:
    items = [values[child] for child in dag.children(node)]
    kind, offset = dag.kind[node], Fraction(dag.offset[node])
    weights = [Fraction(w) for w in dag.weight[dag.first[node] : dag.first[node + 1]]]
    if kind == Kind.SUM:
        return combined(items, _linear(weights, offset), meter)
    if node in stage.policies:
        mixture = stage.policies[node]
        items = [values[dag.child[edge]] for edge, _ in mixture]
        return combined(items, _linear([p for _, p in mixture], offset), meter)
    play = stage.behaviour.of(kind)
    if kind != stage.code and play.rule is Rule.EXPECTED:
        odds = [w / dag.divisor[node] for w in weights]
        return combined(items, _linear(odds, offset), meter)
    alike = [Fraction(1, len(items))] * len(items)
    if kind != stage.code and play.rule is Rule.UNIFORM:
        return combined(items, _linear(alike, offset), meter)
    top = best(items, meter, up=_prefers_up(play))
    if kind != stage.code and play.rule is not Rule.MISTAKE:
        return _plus(top, offset, meter)
    mean = combined(items, _linear(alike, START), meter)
    if kind == stage.code:
        return _plus(combined([top, mean], lambda two: slip(*two), meter), offset, meter)
    slips = [1 - play.amount, play.amount]
    return combined([top, mean], _linear(slips, offset), meter)


def _prefers_up(play: Play) -> bool:
    if play.rule in {Rule.HIGHEST, Rule.LOWEST}:
        return play.rule is Rule.HIGHEST
    return play.up


def _plus(function: Piecewise, offset: Fraction, meter: Meter) -> Piecewise:
    return combined([function], _linear([END], offset), meter) if offset else function


def _linear(
    weights: Sequence[Fraction], offset: Fraction
) -> Callable[[Sequence[Polynomial]], Polynomial]:
    return lambda pieces: combination(pieces, weights, offset)


def _stretches(functions: Sequence[Piecewise], moves: Moves, meter: Meter) -> list[Stretch]:
    """Where the same first moves are best; between two of them all of theirs are."""
    top = best(functions, meter, up=moves.up)
    found: list[Stretch] = []
    for low, high, (highest, *pieces) in cells([top, *functions]):
        winners = tuple(i for i, piece in enumerate(pieces) if piece == highest)
        if found and found[-1].best == winners:
            found[-1] = found[-1]._replace(high=_threshold(high))
        else:
            found.append(Stretch(_threshold(low), _threshold(high), winners))
    return found


def _with_ends(found: list[Stretch], functions: Sequence[Piecewise], moves: Moves) -> list[Stretch]:
    """The stretches, with an end of its own where more moves are tied than beside it."""
    first = moves.best_of([f.at(START) for f in functions])
    last = moves.best_of([f.at(END) for f in functions])
    ends = [(_threshold(START), first, found[0]), (_threshold(END), last, found[-1])]
    left, right = (
        [Stretch(at, at, tied)] if tied != beside.best else [] for at, tied, beside in ends
    )
    return [*left, *found, *right]


def _threshold(point: Point) -> Threshold:
    if isinstance(point, Root):
        number = float(point)
        return Threshold(number, point.low, point.high, _powers(point.over))
    return Threshold(point, point, point)


def _powers(over: Sequence[int]) -> tuple[int, ...]:
    """The coefficients of 1, x, x² … of ``sum(over[i] * x**i * (1 - x)**(n - i))``."""
    degree = len(over) - 1
    powers = [
        sum(over[i] * math.comb(degree - i, k - i) * (-1) ** (k - i) for i in range(k + 1))
        for k in range(degree + 1)
    ]
    while not powers[-1]:
        powers.pop()
    common = math.gcd(*powers) * (1 if powers[-1] > 0 else -1)
    return tuple(c // common for c in powers)


# --- by samples ------------------------------------------------------------------------------


class _Look(NamedTuple):
    """What one evaluation shows: ``x`` is E, or the natural logarithm of T."""

    x: float
    values: Values
    best: tuple[int, ...]


def _sampled_sweep(stage: Stage, moves: Moves, model: Model) -> Sweep:
    allowed = _allowed(stage.dag)
    axis = _Axis(stage, moves, model)
    low, high = axis.ends
    count = min(SAMPLES, allowed // 2)
    grid = [axis.look(low + (high - low) * i / count) for i in range(count + 1)]
    axis.left = allowed - len(grid)
    looks = [grid[0]]
    for left, right in pairwise(grid):
        looks += [*axis.changes(left, right), right]
    stretches = axis.stretches(looks)
    samples = tuple(Sample(axis.shown(look.x), look.values) for look in grid)
    used = allowed - axis.left
    return Sweep(model, False, axis.resolution, used, None, tuple(stretches), samples)


def _allowed(dag: AnyDag) -> int:
    """How many evaluations there is time for."""
    edges = len(dag.child)
    most = EXACT_EDGES if isinstance(dag, Dag) else ARRAY_EDGES
    allowed = min(EVALUATIONS, most // max(edges, 1))
    if allowed < 2 * FEWEST:
        raise UsageError(
            f"the game has {edges:,} edges, too many for a sweep of at least {2 * FEWEST}"
            " evaluations",
            "start nearer to the end with --at, or set smaller parameters",
        )
    return allowed


class _Axis:
    """The axis of a sampled sweep, and what is seen along it."""

    def __init__(self, stage: Stage, moves: Moves, model: Model) -> None:
        self.stage, self.moves, self.model = stage, moves, model
        self.left = 0
        self.resolution = RESOLUTION

    @property
    def ends(self) -> tuple[float, float]:
        """Where it begins and ends."""
        if self.model == "mistake":
            return 0.0, 1.0
        middle, reach = math.log(_spread(self.stage.dag)), DECADES * math.log(10)
        return middle - reach, middle + reach

    def shown(self, x: float) -> float:
        """E, or T."""
        return x if self.model == "mistake" else math.exp(x)

    def look(self, x: float) -> _Look:
        """Evaluate the game at ``x``."""
        up = self.stage.kind != "min"
        rule = Rule.MISTAKE if self.model == "mistake" else Rule.SOFTMAX
        play = Play(rule, up, Fraction(self.shown(x)))
        solution = self.stage.solve(play, exact=False)
        return _Look(x, self.moves.values(solution), self.moves.best(solution))

    def changes(self, left: _Look, right: _Look) -> Iterator[_Look]:
        """Looks on both sides of each change between two that differ."""
        while left.best != right.best and right.x - left.x > self.resolution and self.left > 0:
            low, high = left, right
            while high.x - low.x > self.resolution and self.left > 0:
                middle = self.look((low.x + high.x) / 2)
                self.left -= 1
                low, high = (middle, high) if middle.best == left.best else (low, middle)
            yield low
            yield high
            left = high

    def stretches(self, looks: Sequence[_Look]) -> list[Stretch]:
        """Where the same moves are best; what lasts no longer than the resolution is left out.

        At the ends it is not: there more moves may be tied than beside them.
        """
        groups: list[list[_Look]] = []
        for look in looks:
            if groups and groups[-1][0].best == look.best:
                groups[-1].append(look)
            else:
                groups.append([look])
        wide = [g for g in groups if g[-1].x - g[0].x > 2 * self.resolution] or [list(looks)]
        start, end = self._cut(looks[0], looks[0]), self._cut(looks[-1], looks[-1])
        cuts = [start, *(self._cut(a[-1], b[0]) for a, b in pairwise(wide)), end]
        found = [Stretch(start, start, looks[0].best)]
        for (low, high), group in zip(pairwise(cuts), wide, strict=True):
            if found[-1].best == group[0].best:
                found[-1] = found[-1]._replace(high=high)
            else:
                found.append(Stretch(low, high, group[0].best))
        if looks[-1].best != found[-1].best:
            found.append(Stretch(end, end, looks[-1].best))
        return found

    def _cut(self, left: _Look, right: _Look) -> Threshold:
        low, high = self.shown(left.x), self.shown(right.x)
        return Threshold(self.shown((left.x + right.x) / 2), low, high)


def _spread(dag: AnyDag) -> float:
    """How far apart payoffs lie, for the temperatures of a softmax."""
    if isinstance(dag, Dag):
        found = [float(dag.offset[i]) for i in range(len(dag)) if dag.kind[i] == Kind.TERMINAL]
        wide = max(found) - min(found)
    else:
        wide = float(dag.amount.max() - dag.amount.min())
    return min(max(wide, 1e-200), 1e200) if wide and math.isfinite(wide) else 1.0
