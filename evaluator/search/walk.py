"""Search a game depth first in exact numbers: in full, by alpha-beta, PVS, Star1 and Star2.

Input   a position, how deep to look, and the file's bounds on what a play can pay.
Output  an interval that the value lies in, and what was looked at on the way.
Holds   an interval follows from what was looked at and the file's ``bounds`` alone, unless a
        heuristic took part (``sure`` says so). A search that is stopped still gives one.
        Work is kept on a list, so play may be as long as memory allows.
Errors  GT405 for a payoff outside the bounds; GT401 where play goes round in circles.

Every search here is one search: a position is asked whether its value lies in a window, and
answers with an interval that is a point, or on one side of the window. A player's node stops at
the first branch that settles it (alpha-beta: Knuth and Moore, "An analysis of alpha-beta
pruning", 1975). At chance nodes outcomes that were not looked at yet count with their bounds
(Star1), which one branch of each may narrow beforehand (Star2: Ballard, "The *-minimax search
procedure for trees containing chance nodes", 1983; Hauk, Buro and Schaeffer, "*-minimax
performance in backgammon", 2004). PVS asks of all branches but the first only whether they are
better (Pearl, "Scout", 1980; Marsland and Campbell, "Parallel search of strongly ordered game
trees", 1982).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, NoReturn

from ...compiler.dag import Kind
from .budget import Clock
from .position import Exact, Moves, Position, StatePosition, exact
from .table import Entry, Number, Table

INFINITY = math.inf
SCOUT = Fraction(1, 1 << 20)  # how wide a window is that only asks whether a branch is better


class Plan(NamedTuple):
    """Which search it is."""

    cuts: bool = True  # leave out what cannot matter
    scouts: bool = False  # PVS
    probes: bool = False  # Star2
    samples: int = 0  # outcomes drawn at a chance node that has more; 0: all are looked at
    order: str | int = "learned"  # of moves: "learned", "written", or a seed to shuffle them by


class Interval(NamedTuple):
    """What is known of a value: that it lies between two numbers."""

    low: Number
    high: Number
    sure: bool = True  # False where a heuristic took part


class Window(NamedTuple):
    """What a position is asked: whether its value lies between ``alpha`` and ``beta``.

    It is known to lie between ``low`` and ``high``, by the file's bounds and the way there.
    """

    alpha: Number
    beta: Number
    low: Number
    high: Number

    def minus(self, offset: Exact) -> Window:
        """The window of a value that ``offset`` is still to be added to."""
        if not offset:
            return self
        return Window(*[_minus(number, offset) for number in self])


@dataclass(slots=True)
class Visited:
    """What a search looked at: positions, terminals among them, and branches left out."""

    nodes: int = 0
    terminals: int = 0
    cut: int = 0


Request = tuple[Position, Window, float]
Walk = Generator[Request, Interval, Interval]


@dataclass(slots=True)
class Walker:
    """One search, to one depth or to several, one after the other."""

    plan: Plan
    clock: Clock
    table: Table
    heuristics: bool  # whether the game has any
    outside: Callable[[Position, Exact, Window], NoReturn]  # says that a payoff is out of bounds
    visited: Visited = field(default_factory=Visited)
    horizon: bool = False  # whether the depth kept anything from being looked at
    least: float = INFINITY  # the smallest depth that was left anywhere
    chance: bool = False  # whether a chance node was met
    sampled: bool = False  # whether outcomes were left to luck
    watched: Position | None = None  # whose branches are kept in ``branches``
    branches: dict[int, Interval] = field(default_factory=dict[int, Interval])
    move: int = -1  # the best branch of the watched position
    path: set[Hashable] = field(default_factory=set[Hashable])
    history: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    luck: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - a game's luck, no secret

    def run(self, root: Position, window: Window, depth: float) -> Interval:
        """Search ``root`` to a depth of so many moves and chances; ``math.inf`` for all.

        Raises:
            SpecError: Where the states make no sense or the bounds are wrong.
        """
        self.horizon, self.least, self.branches, self.move = False, depth, {}, -1
        self.path.clear()
        found = self.peek(root, window, depth)
        walks: list[Walk] = [] if found is not None else [self.visit(root, window, depth)]
        while walks:
            try:
                request = next(walks[-1]) if found is None else walks[-1].send(found)
            except StopIteration as end:
                walks.pop()
                found = end.value
            else:
                walks.append(self.visit(*request))
                found = None
        assert found is not None
        return found

    # --- one position ---

    def peek(self, position: Position, window: Window, depth: float) -> Interval | None:
        """What is known of a position without looking at its moves; None where they are needed."""
        if self.clock.stopped:
            return Interval(window.low, window.high)
        position.look()
        entry = self.recall(position)
        if entry is not None and (found := _answer(entry, window, depth)) is not None:
            undecided = found.low < found.high and found.low < window.beta
            if not found.sure or (undecided and found.high > window.alpha):
                self.horizon = True  # it was met when the entry was made
            return found
        if not self.clock.spend():
            return Interval(window.low, window.high)
        self.count(position)
        self.least = min(self.least, depth)
        if position.kind is Kind.TERMINAL:
            return self.payoff(position, window)
        if position.key is not None and position.key in self.path:
            self.circle(position)
        if depth <= 0:
            return self.at_the_horizon(position, window)
        return None

    def recall(self, position: Position) -> Entry | None:
        """What the table has of a position."""
        return None if position.key is None else self.table.get(position.key)

    def count(self, position: Position) -> None:
        """Count a position that is looked at."""
        if position.first_visit():
            self.visited.nodes += 1
            if position.kind is Kind.TERMINAL:
                self.visited.terminals += 1

    def payoff(self, position: Position, window: Window) -> Interval:
        """The value of a terminal."""
        value = position.offset
        if not window.low <= value <= window.high:
            self.outside(position, value, window)
        if position.key is not None:
            self.table.put(position.key, Entry(value, value, 0, True, True, -1))
        return Interval(value, value)

    def circle(self, position: Position) -> None:
        """Say that a position leads back to itself."""
        assert isinstance(position, StatePosition)
        position.go_round()

    def at_the_horizon(self, position: Position, window: Window) -> Interval | None:
        """What a position is worth where the depth ends: a guess, or what the bounds say.

        In a game with heuristics, a position without one is looked into until one comes.
        """
        guess = position.guess()
        if guess is not None:
            self.horizon = True
            clamped = min(max(guess, window.low), window.high)
            return Interval(clamped, clamped, sure=False)
        if self.heuristics:
            return None
        self.horizon = True
        return Interval(window.low, window.high)

    def visit(self, position: Position, window: Window, depth: float) -> Walk:
        """Look at a position's moves."""
        key = position.key
        if key is not None:
            self.path.add(key)
        inner = window.minus(position.offset)
        if position.kind in {Kind.MAX, Kind.MIN}:
            move, found = yield from self.choice(position, inner, max(0, depth - 1))
        else:
            below = depth if position.kind is Kind.SUM else max(0, depth - 1)
            move, found = -1, (yield from self.mix(position, inner, below))
            if found.sure and (found.high < inner.low or found.low > inner.high):
                end = found.high if found.high < inner.low else found.low
                self.outside(position, exact(end), inner)
        found = Interval(
            _minus(found.low, -position.offset), _minus(found.high, -position.offset), found.sure
        )
        if key is not None:
            self.path.remove(key)
            if not self.clock.stopped:
                open_ = found.low < found.high and found.low < window.beta
                final = self.horizon and open_ and found.high > window.alpha
                entry = Entry(found.low, found.high, depth, found.sure, final, move)
                self.table.put(key, entry)
        return found

    def ask(self, position: Position, window: Window, depth: float) -> Walk:
        """What a search of a position finds."""
        found = self.peek(position, window, depth)
        if found is None:
            found = yield position, window, depth
        return found

    # --- a player's node ---

    def choice(
        self, position: Position, window: Window, depth: float
    ) -> Generator[Request, Interval, tuple[int, Interval]]:
        """The best branch, and the interval of a MAX or MIN node."""
        up = position.kind is Kind.MAX
        children = position.moves().children
        order = self.order(position, children)
        watched = self.is_watched(position)
        worst = -INFINITY if up else INFINITY
        best, sure, move = Interval(worst, worst), True, order[0]
        for rank, number in enumerate(order):
            child = children[number]
            narrow = _narrowed(window, best, up=up)
            if rank and self.plan.scouts:
                found = yield from self.scout(child, narrow, depth, up=up)
            else:
                found = self.peek(child, narrow, depth)
                if found is None:
                    found = yield child, narrow, depth
            child.forget()
            if watched:
                self.branches[number] = found
            sure = sure and found.sure
            if _better(found, best, up=up):
                move = number
            best = _best(best, found, up=up)
            if self.plan.cuts and not self.clock.stopped and _settled(window, best, up=up):
                self.visited.cut += len(order) - rank - 1
                if rank + 1 < len(order):  # what was left out may be better still
                    best = (
                        Interval(best.low, window.high) if up else Interval(window.low, best.high)
                    )
                    sure = found.sure
                self.praise(child, up=up)
                break
        if watched:
            self.move = move
        return move, Interval(best.low, best.high, sure)

    def is_watched(self, position: Position) -> bool:
        """Whether it is the position whose branches are kept."""
        watched = self.watched
        if watched is None or watched is position:
            return watched is position
        return watched.key is not None and watched.key == position.key

    def scout(
        self, child: Position, window: Window, depth: float, *, up: bool
    ) -> Generator[Request, Interval, Interval]:
        """Ask whether a branch is better than the best so far, and if so, what it is worth."""
        edge = window.alpha if up else window.beta
        if not isinstance(edge, int | Fraction):
            return (yield from self.ask(child, window, depth))
        small = (
            window._replace(beta=min(window.beta, edge + SCOUT))
            if up
            else window._replace(alpha=max(window.alpha, edge - SCOUT))
        )
        found = yield from self.ask(child, small, depth)
        better = found.low >= small.beta if up else found.high <= small.alpha
        if not better or _settled(window, found, up=up) or found.low == found.high:
            return found
        again = yield from self.ask(child, window, depth)
        if found.sure and again.sure:
            return Interval(max(found.low, again.low), min(found.high, again.high))
        return again

    def order(self, position: Position, children: Sequence[Position]) -> list[int]:
        """The order to look at moves in: the likeliest to be best first."""
        numbers = list(range(len(children)))
        if isinstance(self.plan.order, int):
            self.luck.shuffle(numbers)
        elif self.plan.order == "learned" and self.plan.cuts:
            entry = self.recall(position)
            first = -1 if entry is None else entry.move
            up = position.kind is Kind.MAX
            history = self.history
            numbers.sort(key=lambda n: (n != first, -history.get((up, children[n].tag), 0)))
        return numbers

    def praise(self, child: Position, *, up: bool) -> None:
        """Remember a move that settled its position (the history heuristic, Schaeffer 1983)."""
        key = up, child.tag
        self.history[key] = self.history.get(key, 0) + 1

    # --- chance, and sums of nodes ---

    def mix(
        self, position: Position, window: Window, depth: float
    ) -> Generator[Request, Interval, Interval]:
        """The interval of a chance node, or of a sum, but for its own constant."""
        self.chance = self.chance or position.kind is Kind.CHANCE
        children, weights, divisor = self.drawn(position)
        inner = _bounds_below(position.kind, weights, divisor, window)
        known = [inner] * len(children)
        total = _Total(known, weights)
        order = self.mixed_order(weights)
        alpha, beta = _times(window.alpha, divisor), _times(window.beta, divisor)
        sure, left = True, len(order)
        if self.plan.probes and len(order) > 1:
            for number in order:
                if self.clock.stopped or (self.plan.cuts and total.outside(alpha, beta)):
                    break
                asked = total.window(number, alpha, beta, inner)
                found = yield from self.probe(children[number], asked, depth)
                sure = sure and found.sure
                total.replace(number, found)
        done = set[int]()
        for number in order:
            if self.plan.cuts and total.outside(alpha, beta):
                break
            asked = total.window(number, alpha, beta, inner)
            if not self.plan.cuts:
                asked = Window(-INFINITY, INFINITY, inner.low, inner.high)
            found = self.peek(children[number], asked, depth)
            if found is None:
                found = yield children[number], asked, depth
            sure = sure and found.sure
            total.replace(number, found)
            done.add(number)
            left -= 1
        if not self.clock.stopped:
            self.visited.cut += left
        for child in children:
            child.forget()
        return Interval(_over(total.low(), divisor), _over(total.high(), divisor), sure)

    def mixed_order(self, weights: Sequence[Exact]) -> list[int]:
        """The order to look at outcomes in: the likeliest first."""
        numbers = list(range(len(weights)))
        if isinstance(self.plan.order, int):
            self.luck.shuffle(numbers)
        elif self.plan.order == "learned" and self.plan.cuts:
            numbers.sort(key=lambda n: -abs(weights[n]))
        return numbers

    def drawn(self, position: Position) -> Moves:
        """The outcomes to look at: all, or some that are drawn by their odds.

        Kearns, Mansour and Ng, "A sparse sampling algorithm for near-optimal planning in large
        Markov decision processes" (2002).
        """
        moves = position.moves()
        count = self.plan.samples
        if not count or position.kind is not Kind.CHANCE or len(moves.children) <= count:
            return moves
        self.sampled = True
        weights = [int(weight) for weight in moves.weights]
        times = dict[int, int]()
        for number in self.luck.choices(range(len(weights)), weights, k=count):
            times[number] = times.get(number, 0) + 1
        return Moves([moves.children[n] for n in times], list(times.values()), count)

    def probe(
        self, child: Position, window: Window, depth: float
    ) -> Generator[Request, Interval, Interval]:
        """Narrow down what an outcome is worth by one branch of it.

        A sum of one node is looked through, as where a player's turn is the other's with the
        sides changed.
        """
        child.look()
        if child.kind is Kind.TERMINAL:
            return (yield from self.ask(child, window, depth))
        if child.kind is Kind.SUM and len(child.moves().children) == 1:
            [inner], [factor], _ = child.moves()
            asked = _divided(window.minus(child.offset), factor)
            inner.look()
            found = yield from self.first_branch(inner, asked, depth)
            low, high = sorted((_times(found.low, factor), _times(found.high, factor)))
            return Interval(_minus(low, -child.offset), _minus(high, -child.offset), found.sure)
        return (yield from self.first_branch(child, window, depth))

    def first_branch(
        self, position: Position, window: Window, depth: float
    ) -> Generator[Request, Interval, Interval]:
        """What the first branch of a choice says of it."""
        entry = self.recall(position)
        if entry is not None and entry.sure:
            return Interval(max(entry.low, window.low), min(entry.high, window.high))
        if position.kind not in {Kind.MAX, Kind.MIN} or depth < 1 or not self.clock.spend():
            return Interval(window.low, window.high)
        self.count(position)
        children = position.moves().children
        move = self.order(position, children)[0]
        inner = window.minus(position.offset)
        found = yield from self.ask(children[move], inner, max(0, depth - 1))
        children[move].forget()
        low, high = (_minus(end, -position.offset) for end in found[:2])
        if position.kind is Kind.MAX:
            found = Interval(max(low, window.low), window.high, found.sure)
        else:
            found = Interval(window.low, min(high, window.high), found.sure)
        if position.key is not None and not self.clock.stopped:
            entry = Entry(found.low, found.high, depth, found.sure, final=False, move=move)
            self.table.put(position.key, entry)
        return found


class _Total:
    """What a weighted sum lies between, while more becomes known of its terms."""

    def __init__(self, known: list[Window], weights: Sequence[Exact]) -> None:
        self.weights = weights
        self.ends = [(window.low, window.high) for window in known]
        self.sums: list[Exact] = [0, 0]  # of the finite lower and upper ends
        self.open = [0, 0]  # how many ends are infinite
        for number in range(len(weights)):
            self.add(number, 1)

    def add(self, number: int, sign: int) -> None:
        """Take the term of an outcome in, or out with ``sign`` -1."""
        for side, end in enumerate(self.term(number)):
            if isinstance(end, float):
                self.open[side] += sign
            else:
                self.sums[side] += sign * end

    def term(self, number: int) -> tuple[Number, Number]:
        """What an outcome adds at least and at most."""
        low, high = self.ends[number]
        weight = self.weights[number]
        ends = _times(low, weight), _times(high, weight)
        return ends if weight > 0 else (ends[1], ends[0])

    def replace(self, number: int, found: Interval) -> None:
        """Note what an outcome was found to be worth."""
        low, high = self.ends[number]
        if found.sure:
            low, high = max(low, found.low), min(high, found.high)
        else:
            low, high = found.low, found.high
        self.add(number, -1)
        self.ends[number] = low, high
        self.add(number, 1)

    def low(self) -> Number:
        """The least that it can be."""
        return -INFINITY if self.open[0] else self.sums[0]

    def high(self) -> Number:
        """The most that it can be."""
        return INFINITY if self.open[1] else self.sums[1]

    def outside(self, alpha: Number, beta: Number) -> bool:
        """Whether it is sure to lie outside a window."""
        return self.low() >= beta or self.high() <= alpha

    def window(self, number: int, alpha: Number, beta: Number, inner: Window) -> Window:
        """What to ask of an outcome so that its answer settles the window of the whole."""
        least, most = self.term(number)
        weight = self.weights[number]
        below = self.without(1, most, alpha, -INFINITY)
        above = self.without(0, least, beta, INFINITY)
        ends = _over(below, weight), _over(above, weight)
        a, b = ends if weight > 0 else (ends[1], ends[0])
        low, high = self.ends[number]
        return Window(max(a, low), min(b, high), inner.low, inner.high)

    def without(self, side: int, own: Number, edge: Number, infinite: float) -> Number:
        """What is left of ``edge`` when all the other terms are taken off."""
        if isinstance(edge, float):
            return edge
        if isinstance(own, float):
            return infinite if self.open[side] > 1 else edge - self.sums[side]
        return infinite if self.open[side] else edge - (self.sums[side] - own)


# --- intervals and windows ----------------------------------------------------------------------


def _minus(number: Number, offset: Exact) -> Number:
    return number if isinstance(number, float) else number - offset


def _times(number: Number, factor: Exact) -> Number:
    if isinstance(number, float):
        return number if factor > 0 else -number
    return number * factor


def _over(number: Number, divisor: Exact) -> Number:
    """A quotient, whole where it can be."""
    if divisor == 1:
        return number
    if isinstance(number, float):
        return number if divisor > 0 else -number
    if isinstance(number, int) and isinstance(divisor, int):
        whole, rest = divmod(number, divisor)
        return Fraction(number, divisor) if rest else whole
    return number / divisor


def _divided(window: Window, factor: Exact) -> Window:
    """The window of a value that is multiplied by ``factor`` afterwards."""
    alpha, beta, low, high = (_over(number, factor) for number in window)
    return Window(alpha, beta, low, high) if factor > 0 else Window(beta, alpha, high, low)


def _bounds_below(kind: Kind, weights: Sequence[Exact], divisor: int, window: Window) -> Window:
    """What the children of a chance node or a sum lie between, in ``low`` and ``high``.

    The bounds hold for what a play pays in all. So they hold below a chance node, below one
    node times a factor, and below nodes whose shares sum to one; of the nodes of any other sum
    nothing is known.
    """
    if kind is Kind.CHANCE:
        return window
    if len(weights) == 1:
        return _divided(window, weights[0])
    if min(weights) > 0 and sum(weights) == divisor:
        return window
    return Window(-INFINITY, INFINITY, -INFINITY, INFINITY)


def _answer(entry: Entry, window: Window, depth: float) -> Interval | None:
    """What an entry of the table says, if that is enough."""
    if not entry.sure and entry.depth < depth:
        return None
    point = entry.low == entry.high
    if point or entry.low >= window.beta or entry.high <= window.alpha:
        return Interval(entry.low, entry.high, entry.sure)
    if entry.final and entry.depth >= depth:
        return Interval(entry.low, entry.high, entry.sure)
    return None


def _narrowed(window: Window, best: Interval, *, up: bool) -> Window:
    """What to ask of the next branch, when the best so far is known."""
    if up:
        return window._replace(alpha=max(window.alpha, best.low))
    return window._replace(beta=min(window.beta, best.high))


def _better(found: Interval, best: Interval, *, up: bool) -> bool:
    if up:
        return (found.low, found.high) > (best.low, best.high)
    return (found.high, found.low) < (best.high, best.low)


def _best(best: Interval, found: Interval, *, up: bool) -> Interval:
    if up:
        return Interval(max(best.low, found.low), max(best.high, found.high))
    return Interval(min(best.low, found.low), min(best.high, found.high))


def _settled(window: Window, best: Interval, *, up: bool) -> bool:
    """Whether nothing better matters: it is outside the window, or there is nothing better."""
    if up:
        return best.low >= window.beta or best.low >= window.high
    return best.high <= window.alpha or best.high <= window.low


def tied(branches: dict[int, Interval], best: Interval, *, up: bool) -> Iterator[int]:
    """The branches that are known to be as good as the best."""
    for number, found in sorted(branches.items()):
        if (found.low >= best.low) if up else (found.high <= best.high):
            yield number
