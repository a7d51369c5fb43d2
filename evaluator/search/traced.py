"""A search that cuts, step by step: alpha-beta, PVS, Star1 and Star2 as ``evaluator.trace`` tells.

Input   a game and the name of a search.
Output  its steps: those of a full walk, and ``cut`` where branches are left out.
Holds   it is the search of ``walk`` that is told, branches in written order, with no limit of
        depth or budget; its last step has the value of the game. A node that was left early is
        known within bounds only, and may be entered again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

from ...compiler.dag import Dag, Kind
from ...compiler.limits import Limits
from ...spec.diagnostics import UsageError
from ...spec.suggest import did_you_mean
from ..behaviour import ALGORITHMS, Behaviour
from ..running import Tally
from ..solution import Value
from ..trace import ROOT, Between, Recorder, Step, tally_at
from .bounds import declared_bounds, too_tight
from .budget import Budget, Clock
from .position import Exact, Position, Tree
from .run import TABLE, UNLIMITED, roles_of
from .table import Number, Table
from .walk import INFINITY, Interval, Plan, Request, Walker, Window

if TYPE_CHECKING:
    from ..game import Game

_PLANS = {
    "alpha-beta": Plan(order="written"),
    "pvs": Plan(scouts=True, order="written"),
    "star1": Plan(order="written"),
    "star2": Plan(probes=True, order="written"),
}
SEARCHES = tuple(_PLANS)
_PROBE = "only its first branch, to narrow it down"


class SearchTrace:
    """The steps of one search: iterate over it as often as needed.

    How many steps there are, and the value, is only known once the search was made: the first
    use of ``len`` or ``value`` makes it, and keeps nothing else.
    """

    def __init__(
        self,
        game: Game,
        algorithm: str,
        *,
        play: Mapping[str, str] | None = None,
        at: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        dag = game.dag(limits, at=at, numbers="exact")
        assert isinstance(dag, Dag)
        self.game, self.algorithm = game.name, algorithm
        self._of, self._dag = game, dag
        self._behaviour = game.behaviour("expectiminimax", play)
        self._roles = roles_of(self._behaviour)
        self._bounds = None if game.tree is not None else declared_bounds(game)
        self._end: tuple[int, Value] | None = None

    @property
    def value(self) -> Value:
        """The value of the game."""
        return self._counted()[1]

    def __len__(self) -> int:
        """The number of steps."""
        return self._counted()[0]

    def __iter__(self) -> Iterator[Step]:
        """The steps of the search."""
        tree = Tree(self._dag, self._roles)
        low, high = self._bounds or (-INFINITY, INFINITY)
        walker = _Traced(self._dag, self._behaviour, _PLANS[self.algorithm], self._outside)
        return walker.steps(tree.root(), Window(-INFINITY, INFINITY, low, high))

    def _outside(self, position: Position, value: Exact, window: Window) -> NoReturn:
        raise too_tight(self._of, position, value, window)

    def _counted(self) -> tuple[int, Value]:
        if self._end is None:
            count, last = 0, None
            for step in self:
                count, last = count + 1, step.value
            assert last is not None
            self._end = count, last
        return self._end


def search_trace(game: Game, algorithm: str, **how: Any) -> SearchTrace:
    """The steps of the search ``algorithm``; ``how`` as for ``SearchTrace``.

    Raises:
        UsageError: For an unknown algorithm, or what no search can do.
        SpecError: Where the states make no sense, or a limit stops it.
    """
    if algorithm not in SEARCHES:
        known = [*ALGORITHMS, *SEARCHES]
        hint = did_you_mean(algorithm, known) or f"the algorithms are {', '.join(known)}"
        raise UsageError(f"unknown algorithm `{algorithm}`; {hint}")
    if how.pop("policy", None) is not None:
        raise UsageError(f"{algorithm} follows no policy; leave --policy out, or --algorithm")
    if how.pop("numbers", None) == "float":
        raise UsageError(f"a trace of {algorithm} is in exact numbers; leave --float out")
    return SearchTrace(game, algorithm, **how)


@dataclass(slots=True)
class _Frame:
    """A position that was entered and is not done."""

    position: Position
    edge: int
    first: int  # its first edge in the DAG
    numbers: dict[int, int]  # by ``id`` of a child, its place among the branches
    kind: Kind
    tally: Tally | None  # None once a child is not known exactly
    looked: int = 0  # how many branches, from the first, were looked at
    window: Window | None = None  # None for a probe
    running: Value | None = None
    best: int = ROOT  # the edge that made it what it is


class _Traced(Walker):
    """The search, saying what it does."""

    def __init__(self, dag: Dag, behaviour: Behaviour, plan: Plan, outside: Any) -> None:
        super().__init__(
            plan=plan,
            clock=Clock(Budget(), 1 << 62),
            table=Table(TABLE),
            heuristics=False,
            outside=outside,
        )
        self.dag = dag
        self.told: list[Step] = []
        self.recorder = Recorder(dag, behaviour, sink=self.told.append)
        self.frames: list[_Frame] = []

    def steps(self, root: Position, window: Window) -> Iterator[Step]:
        """Search ``root``, as ``Walker.run`` does, and tell."""
        found = self.peek(root, window, UNLIMITED)
        walks = [] if found is not None else [self.visit(root, window, UNLIMITED)]
        if walks:
            self.open(root, window)
        while walks:
            yield from self.flushed()
            try:
                request = next(walks[-1]) if found is None else walks[-1].send(found)
            except StopIteration as end:
                walks.pop()
                found = end.value
                self.close(end.value)
            else:
                walks.append(self.visit(*request))
                self.open(request[0], request[1])
                found = None
        yield from self.flushed()

    def flushed(self) -> Iterator[Step]:
        """What there is to tell."""
        yield from self.told
        self.told.clear()

    # --- what the search does ---

    def peek(self, position: Position, window: Window, depth: float) -> Interval | None:
        """See ``Walker``: what can be said of a position without entering it."""
        known = self.recall(position) is not None
        found = super().peek(position, window, depth)
        if found is None:
            return None
        edge = self.edge_to(position)
        if known:
            self.recorder.shared(edge, _value(found))
        else:
            self.recorder.terminal(edge, Fraction(position.offset))
        if self.frames:
            self.returned(edge, found)
        return found

    def probe(
        self, child: Position, window: Window, depth: float
    ) -> Generator[Request, Interval, Interval]:
        """See ``Walker``: a sum of one node is entered on the way to that node."""
        child.look()
        if child.kind is not Kind.SUM or len(child.moves().children) != 1:
            return (yield from super().probe(child, window, depth))
        self.open(child, None)
        found = yield from super().probe(child, window, depth)
        self.close(found)
        return found

    def first_branch(
        self, position: Position, window: Window, depth: float
    ) -> Generator[Request, Interval, Interval]:
        """See ``Walker``: a choice is entered, unless the table knows enough of it."""
        entry = self.recall(position)
        known = entry is not None and entry.sure
        if known or position.kind not in {Kind.MAX, Kind.MIN} or depth < 1:
            return (yield from super().first_branch(position, window, depth))
        self.open(position, None)
        found = yield from super().first_branch(position, window, depth)
        self.close(found)
        return found

    # --- what is told of it ---

    def edge_to(self, position: Position) -> int:
        """The edge of the DAG that leads from the position entered last."""
        if not self.frames:
            return ROOT
        frame = self.frames[-1]
        return frame.first + frame.numbers[id(position)]

    def open(self, position: Position, window: Window | None) -> None:
        """Enter a position; ``window`` is what it is asked, None in a probe."""
        edge = self.edge_to(position)
        step = self.recorder.enter(edge, "" if window is not None else _PROBE)
        children = position.moves().children
        numbers = {id(child): number for number, child in enumerate(children)}
        tally = tally_at(self.dag, step.node, step.play, {}, Fraction)
        if window is not None:
            window = window.minus(position.offset)
        first = self.dag.edges(step.node).start
        self.frames.append(
            _Frame(position, edge, first, numbers, position.kind, tally, window=window)
        )

    def close(self, found: Interval) -> None:
        """Be done with the position entered last, and return to the one before."""
        frame = self.frames.pop()
        if frame.window is not None and frame.looked < len(frame.numbers):
            edge = frame.first + frame.looked
            self.recorder.cut(edge, frame.running, _bound(frame))
        is_sure = found.low == found.high and frame.best != ROOT
        self.recorder.done(_value(found), (frame.best,) if is_sure else ())
        if self.frames:
            self.returned(frame.edge, found, probe=frame.window is None)

    def returned(self, edge: int, found: Interval, *, probe: bool = False) -> None:
        """The child behind ``edge`` has answered; to a ``probe`` that says little yet."""
        frame = self.frames[-1]
        value = _value(found)
        number = edge - frame.first
        if probe:
            pass
        elif frame.kind in {Kind.MAX, Kind.MIN}:
            proved = found.low if frame.kind is Kind.MAX else found.high
            if frame.tally is not None and not isinstance(proved, float):
                before, frame.running = frame.running, frame.tally.add(Fraction(proved))
                frame.best = edge if frame.running != before else frame.best
            frame.looked = max(frame.looked, number + 1)
        elif number == frame.looked:
            exact = not isinstance(value, tuple)
            frame.running = frame.tally.add(value) if exact and frame.tally is not None else None
            frame.tally = frame.tally if exact else None
            frame.looked += 1
        self.recorder.returned(edge, value, frame.running)


def _value(found: Interval) -> Value | Between:
    """A value, or the bounds that are known of it."""
    low, high = _known(found.low), _known(found.high)
    return low if low is not None and low == high else (low, high)


def _known(number: Number) -> Value | None:
    return None if isinstance(number, float) else Fraction(number)


def _bound(frame: _Frame) -> Value | None:
    """What the best so far has reached, where that is why a choice was left."""
    window, best = frame.window, frame.running
    if window is None or best is None or frame.kind not in {Kind.MAX, Kind.MIN}:
        return None
    if frame.kind is Kind.MAX:
        return _known(window.beta) if best >= window.beta else None
    return _known(window.alpha) if best <= window.alpha else None
