"""Monte Carlo tree search: play a game many times, more and more along what has paid.

Input   a position, how many playouts, a seed.
Output  the mean of the best move's playouts, its standard error, and how much of the play was
        exploration.
Holds   the same seed and number of playouts give the same answer.
Errors  as ``position``.

UCT: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning" (2006), with the statistics kept
by state, as there. Chance draws by its odds. A sum of nodes follows one of them, drawn in
proportion to its factor, times what that takes off: right on average.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from ...compiler.dag import Kind
from .budget import Clock
from .position import Exact, Position, StatePosition

EXPLORATION = math.sqrt(2.0)  # of UCB1, for payoffs between 0 and 1
LONGEST = 1_000_000  # moves of a playout
KEPT = 1_000_000  # nodes of the tree: past these, playouts leave no trace below them


class Playouts(NamedTuple):
    """What the playouts came to.

    ``value`` is the mean of those that began with the best move, ``greedy`` what the moves that
    look best would earn by the same playouts, ``explored`` the share of the choices in the tree
    that went elsewhere.
    """

    value: float
    standard_error: float | None
    greedy: float
    explored: float
    playouts: int
    move: int
    depth: int
    nodes: int
    terminals: int


class Node:
    """A state in the tree: its moves, once they are needed, and what playouts through it earned."""

    __slots__ = (
        "best", "chances", "children", "factors", "kind", "offset", "position", "squares", "times",
        "total", "untried", "visits",
    )  # fmt: skip

    def __init__(self, position: Position) -> None:
        self.position = position
        self.kind = position.kind
        self.offset = float(position.offset)
        self.visits = 0
        self.total = self.squares = 0.0
        self.children: list[Node | None] | None = None
        self.untried: list[int] = []
        self.times: list[int] = []  # how often each move was taken from here
        self.chances: list[float] = []  # of the outcomes, summed up
        self.factors: Sequence[float] | None = None  # what a sum's node counts when it is followed

    def open(self) -> None:
        """Find the moves."""
        moves = self.position.moves()
        count = len(moves.children)
        self.children = list[Node | None]([None] * count)
        self.times = [0] * count
        if self.kind in {Kind.MAX, Kind.MIN}:
            self.untried = list(range(count))
        if self.kind is Kind.CHANCE:
            self.chances = _summed(moves.weights)
        elif self.kind is Kind.SUM:
            self.chances = _summed([abs(weight) for weight in moves.weights])
            whole = float(sum(abs(weight) for weight in moves.weights))
            self.factors = [whole if weight > 0 else -whole for weight in moves.weights]


def _summed(weights: Sequence[Exact]) -> list[float]:
    """What to draw by: shares up to each outcome."""
    whole = sum(weights)
    return [float(part / whole) for part in accumulate(weights)]


@dataclass(slots=True)
class Step:
    """A node on the way of a playout, and the move it took."""

    node: Node
    move: int
    factor: float


class Tree:
    """The states met so far, and one playout after the other through them."""

    def __init__(
        self, root: Position, clock: Clock, seed: int, span: tuple[float, float] | None
    ) -> None:
        root.look()
        self.nodes: dict[Hashable, Node] = {}
        self.kept = 0
        self.root = self.node(root)
        self.clock = clock
        self.luck = random.Random(seed)  # noqa: S311 - a game's luck, no secret
        self.low, self.high = span or (math.inf, -math.inf)
        self.choices = self.best_choices = 0
        self.terminals = 0
        self.depth = 0

    def node(self, position: Position) -> Node:
        """The node of a position: one for each state."""
        key = position.key
        if key is None:
            return Node(position)
        found = self.nodes.get(key)
        if found is None:
            found = Node(position)
            if self.kept < KEPT:
                self.nodes[key] = found
        return found

    def child(self, node: Node, move: int) -> Node:
        """Where a move leads."""
        assert node.children is not None
        found = node.children[move]
        if found is None:
            position = node.position.moves().children[move]
            position.look()
            found = self.node(position)
            if self.kept < KEPT:
                self.kept += 1
                node.children[move] = found
        return found

    def run(self, playouts: int) -> int:
        """Play so many times, or as often as the clock allows; how often it was."""
        done = 0
        while done < playouts and not self.clock.stopped:
            if not self.playout():
                break
            done += 1
        return done

    def playout(self) -> bool:
        """Go down the tree, on at random, and count what that earned; False if time is up."""
        way: list[Step] = []
        node, factor, depth, fresh = self.root, 1.0, 0, False
        while self.clock.spend():
            if node.kind is Kind.TERMINAL:
                self.terminals += 1
                self.depth = max(self.depth, depth)
                self.count(way, node)
                return True
            if len(way) > LONGEST:
                _go_round(way)
            if node.children is None:
                fresh = True  # from the first new node on, play goes on at random
                node.open()
            move = self.pick(node, factor, fresh=fresh)
            step = Step(node, move, 1.0 if node.factors is None else node.factors[move])
            way.append(step)
            factor *= step.factor
            depth += node.kind is not Kind.SUM
            node = self.child(node, move)
        return False

    def count(self, way: list[Step], end: Node) -> None:
        """Note what a playout earned, at every node on its way."""
        earned = end.offset
        _add(end, earned)
        for step in reversed(way):
            earned = step.node.offset + step.factor * earned
            step.node.times[step.move] += 1
            _add(step.node, earned)
        self.low, self.high = min(self.low, earned), max(self.high, earned)

    def pick(self, node: Node, factor: float, *, fresh: bool) -> int:
        """The move to follow: by luck, or by what has paid and what is little known."""
        if node.kind in {Kind.CHANCE, Kind.SUM}:
            return min(bisect_right(node.chances, self.luck.random()), len(node.chances) - 1)
        if node.untried:
            return node.untried.pop(self.luck.randrange(len(node.untried)))
        if fresh:
            return self.luck.randrange(len(node.times))
        return self.most_promising(node, factor)

    def most_promising(self, node: Node, factor: float) -> int:
        """UCB1, for payoffs that span what has been seen of them."""
        sign = 1.0 if node.kind is Kind.MAX else -1.0
        span = max(self.high - self.low, 0.0) / (abs(factor) or 1.0)
        width = EXPLORATION * span * math.sqrt(math.log(node.visits + 1))
        best = mean_best = -math.inf
        found = mean_found = 0
        for move, (child, times) in enumerate(zip(node.children or (), node.times, strict=True)):
            if child is None or not child.visits or not times:
                return move  # not in the tree, which is full: play goes on at random there
            mean = sign * child.total / child.visits
            worth = mean + width / math.sqrt(times)
            if worth > best:
                best, found = worth, move
            if mean > mean_best:
                mean_best, mean_found = mean, move
        self.choices += 1
        self.best_choices += found == mean_found
        return found

    # --- what it came to ---

    def result(self, playouts: int) -> Playouts:
        """What the playouts so far say."""
        move, (value, error) = self.best_line()
        explored = 1 - self.best_choices / self.choices if self.choices else 0.0
        return Playouts(
            value=value,
            standard_error=error,
            greedy=self.greedy(),
            explored=explored,
            playouts=playouts,
            move=move,
            depth=self.depth,
            nodes=self.clock.nodes,
            terminals=self.terminals,
        )

    def best_line(self) -> tuple[int, tuple[float, float | None]]:
        """The first choice's best move, and the mean of the playouts that began with it."""
        node, factor, constant = self.root, 1.0, 0.0
        while node.kind is Kind.SUM and node.children is not None and len(node.children) == 1:
            child = node.children[0]
            if child is None or node.factors is None:
                break
            constant += factor * node.offset
            factor *= node.factors[0]
            node = child
        if node.kind not in {Kind.MAX, Kind.MIN} or not any(node.times):
            return -1, mean(self.root)
        move = _most_taken(node)
        child = node.children[move] if node.children is not None else None
        if child is None:
            return move, mean(self.root)
        value, error = mean(child)
        value = constant + factor * (node.offset + value)
        return move, (value, None if error is None else abs(factor) * error)

    def greedy(self) -> float:
        """What the root earns where every choice is the best one by the playouts' means."""
        value: dict[int, float] = {}
        for node in _children_first(self.root):
            value[id(node)] = node.offset + _greedy(node, value)
        return value[id(self.root)]


def _greedy(node: Node, value: dict[int, float]) -> float:
    if node.kind is Kind.TERMINAL:
        return 0.0
    if node.children is None or node.visits < 2 or not any(node.times):
        return node.total / node.visits - node.offset if node.visits else 0.0
    known = [
        (value[id(child)], number)
        for number, (child, times) in enumerate(zip(node.children, node.times, strict=True))
        if child is not None and times
    ]
    if node.kind in {Kind.MAX, Kind.MIN}:
        move = best_move(node)
        child = node.children[move]
        assert child is not None
        return value[id(child)]
    odds = [b - a for a, b in zip([0.0, *node.chances], node.chances, strict=False)]
    whole = sum(odds[number] for _, number in known)
    factors = node.factors or [1.0] * len(odds)
    return sum(odds[n] * factors[n] * v for v, n in known) / whole


def _children_first(root: Node) -> list[Node]:
    """All nodes below a root that were met more than once, each after its children."""
    order: list[Node] = []
    seen = {id(root)}
    rest: list[tuple[Node, int]] = [(root, 0)]
    while rest:
        node, at = rest.pop()
        children = node.children or [] if node.visits > 1 else []
        while at < len(children):
            child = children[at]
            at += 1
            if child is not None and id(child) not in seen:
                seen.add(id(child))
                rest.append((node, at))
                rest.append((child, 0))
                break
        else:
            order.append(node)
    return order


def _add(node: Node, earned: float) -> None:
    node.visits += 1
    node.total += earned
    node.squares += earned * earned


def mean(node: Node) -> tuple[float, float | None]:
    """The mean of a node's playouts, and its standard error."""
    n = node.visits
    if not n:
        return 0.0, None
    average = node.total / n
    if n < 2:
        return average, None
    variance = max(0.0, node.squares / n - average * average) * n / (n - 1)
    return average, math.sqrt(variance / n)


def best_move(node: Node) -> int:
    """The move of a choice whose playouts earned most on average."""
    assert node.children is not None
    sign = 1.0 if node.kind is Kind.MAX else -1.0
    tried = [
        (sign * child.total / child.visits, -number)
        for number, child in enumerate(node.children)
        if child is not None and child.visits
    ]
    return -max(tried)[1] if tried else 0


def _most_taken(node: Node) -> int:
    """The move taken most often, the most robust choice; of equal ones the first."""
    return max(range(len(node.times)), key=lambda move: (node.times[move], -move))


def _go_round(way: list[Step]) -> None:
    """Say where play goes round in circles, if it does."""
    seen: set[Hashable] = set()
    for step in way:
        position = step.node.position
        if position.key is not None and position.key in seen:
            assert isinstance(position, StatePosition)
            position.go_round()
        seen.add(position.key)
