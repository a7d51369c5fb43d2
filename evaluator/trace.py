"""The depth-first walk through a game, step by step.

Input   a ``Solution`` and how its nodes played.
Output  a ``Step`` for each thing the textbook's recursion does: a node is entered, a payoff
        examined, a child returns its value, a node is done. Facts only: ``render.trace`` words
        them.
Holds   branches are walked in written order. A node met a second time is not walked again:
        ``shared``. A running figure is made of the children seen so far, and never holds the
        node's own reward, which ``done`` adds. Values are the solution's, so that the last step
        has the value that ``evaluate`` gives.

A search that looks at less than everything writes the same steps with a ``Recorder``::

    recorder = Recorder(dag, behaviour, policies)   # behaviour and policies: as for ``solve``
    recorder.enter(edge)                            # an inner node, by way of edge; ROOT at first
    recorder.terminal(edge, value)                  # a payoff, examined
    recorder.shared(edge, value)                    # known already, not walked again
    recorder.returned(edge, value, running)         # that child's value, and the node's figure
    recorder.cut(edge, running, bound, remark="")   # edge and those behind it are left out
    recorder.done(value, chosen=())                 # the node entered last; its best edges

Edges are those of ``dag``. A search that knows a value only within bounds gives a pair, the least
and the most that it can be, None for what is not known. Each call makes one ``Step``, hands it to
``sink`` if there is one, and returns it. ``returned`` and ``cut`` speak of the node that was
entered last and is not done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, overload

from ..compiler.dag import Amount, AnyDag, Dag, Kind, Origin
from .behaviour import EXPECTIMINIMAX, Behaviour, Play, Rule
from .running import Average, Best, Mistake, Softmax, Sum, Tally
from .solution import Mixture, Solution, Value

if TYPE_CHECKING:
    from ..compiler.native.engine import ArrayDag
    from ..compiler.origin import NodeOrigin

Event = Literal["enter", "terminal", "return", "shared", "cut", "done"]
Between = tuple[Value | None, Value | None]  # the least and the most that a value can be
ROOT = -1  # in place of an edge: what leads to the root
_BY_POLICY = Play(Rule.POLICY)


class Path(Sequence[str]):
    """The labels from the root to a node.

    Paths share their beginnings: one of 200,000 labels costs no more to make than a short one.
    """

    __slots__ = ("_above", "_label", "_length")

    def __init__(self, above: Path | None = None, label: str = "") -> None:
        self._above, self._label = above, label
        self._length: int = 0 if above is None else len(above) + 1

    def __len__(self) -> int:
        """How many edges there are from the root."""
        return self._length

    def __iter__(self) -> Iterator[str]:
        """The labels, the one at the root first: O(length)."""
        labels: list[str] = []
        path = self
        while path._above is not None:
            labels.append(path._label)
            path = path._above
        return reversed(labels)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        """A label, or a tuple of some."""
        if at == -1 and self._above is not None:
            return self._label
        return tuple(self)[at]

    def __eq__(self, other: object) -> bool:
        """Whether another path, tuple or list has the same labels."""
        if not isinstance(other, (Path, tuple, list)):
            return NotImplemented
        return tuple(self) == tuple(other)  # pyright: ignore[reportUnknownArgumentType]

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class Step(NamedTuple):
    """One step of the walk.

    ``path`` leads to ``node``: the node that is entered, examined, done or known already; of
    ``return`` and ``cut`` the parent, whose ``child`` it is that returns or is left out first.
    ``value`` is the node's, of a ``return`` the child's, and ``running`` is what the node's
    figure comes to with the children so far:

    ============================== ===========================================================
    the best or the worst counts   the best or the worst of them
    chance, sums, mixed policies   the sum of odds (or factor) times value
    a policy that takes one branch that branch's value; None before it came
    ``random``                     their average
    ``mistake`` and ``softmax``    what the node would come to with these children alone
    ============================== ===========================================================
    """

    event: Event
    path: Path
    kind: str  # "max", "min", "chance", "sum" or "terminal": of ``node``
    child: str | None
    value: Value | None
    running: Value | None
    node: int  # in the DAG
    above: str = ""  # the kind of the node that ``path``'s last label belongs to
    title: str = ""  # the node's own label, or its state
    branches: int = 0  # how many it has
    play: Play | None = None  # how it plays; None of a sum or a payoff
    offset: Amount = 0  # its reward, or a sum's constant
    factor: Amount | None = None  # what the child's value is multiplied by, where it is
    before: Value | None = None  # the running figure without this child
    chosen: tuple[str, ...] = ()  # once done, its best branches
    left: int = 0  # how many branches are cut
    bound: Value | None = None  # what makes them not matter
    remark: str = ""  # what a search has to add
    between: Between | None = None  # all that is known of ``value``, where that is None


# --- writing steps ---------------------------------------------------------------------------


@dataclass(slots=True)
class _Open:
    """A node that was entered and is not done."""

    node: int
    path: Path
    kind: str
    above: str
    labels: list[str]
    origin: Origin
    title: str
    play: Play | None
    odds: Mapping[int, Amount] | None  # of a policy's choice
    running: Value | None = None


class Recorder:
    """Makes steps, and knows by which way the search has come: see the module."""

    def __init__(
        self,
        dag: AnyDag,
        behaviour: Behaviour = EXPECTIMINIMAX,
        policies: Mapping[int, Mixture] | None = None,
        sink: Callable[[Step], object] | None = None,
    ) -> None:
        self.dag = dag
        self.behaviour = behaviour
        self.policies = policies or {}
        self.sink = sink
        self._open: list[_Open] = []

    def enter(self, edge: int, remark: str = "") -> Step:
        """An inner node is entered by way of ``edge``."""
        node, dag = self._node(edge), self.dag
        origin = self._origin(node, edge)
        count = len(dag.edges(node))
        kind = Kind(dag.kind[node])
        labels = origin.labels() or [f"term {i}" for i in range(1, count + 1)]
        play = None if kind is Kind.SUM else self._play(node)
        odds = dict(self.policies[node]) if play is _BY_POLICY else None
        path, title = self._path(edge), origin.title()
        self._open.append(
            _Open(
                node, path, kind.name.lower(), self._above(edge), labels, origin, title, play, odds
            )
        )
        return self._said(self._step("enter")._replace(remark=remark))

    def terminal(self, edge: int, value: Value) -> Step:
        """A payoff is examined."""
        return self._said(self._known("terminal", edge, value))

    def shared(self, edge: int, value: Value | Between) -> Step:
        """A node is met again, and its value is known."""
        return self._said(self._known("shared", edge, value))

    def returned(self, edge: int, value: Value | Between, running: Value | None) -> Step:
        """The child behind ``edge`` is worth ``value``, and its parent's figure ``running``."""
        parent = self._open[-1]
        before, parent.running = parent.running, running
        return self._said(
            self._step("return", value, running)._replace(
                child=self._label(edge), factor=self._factor(edge), before=before
            )
        )

    def cut(self, edge: int, running: Value | None, bound: Value | None, remark: str = "") -> Step:
        """``edge`` and those behind it are left out, for ``running`` has reached ``bound``."""
        left = self.dag.edges(self._open[-1].node).stop - edge
        return self._said(
            self._step("cut", None, running)._replace(
                child=self._label(edge), left=left, bound=bound, remark=remark
            )
        )

    def done(self, value: Value | Between, chosen: Sequence[int] = ()) -> Step:
        """The node entered last is worth ``value``; ``chosen`` are its best edges."""
        step = self._step("done", value, self._open[-1].running)
        labels = tuple(self._label(edge) for edge in chosen)
        self._open.pop()
        return self._said(step._replace(chosen=labels))

    # --- what they hold ---

    def _said(self, step: Step) -> Step:
        if self.sink is not None:
            self.sink(step)
        return step

    def _step(
        self, event: Event, value: Value | Between | None = None, running: Value | None = None
    ) -> Step:
        """A step at the node entered last."""
        here = self._open[-1]
        known, between = (None, value) if isinstance(value, tuple) else (value, None)
        node, dag = here.node, self.dag
        count, offset = len(dag.edges(node)), dag.offset[node]
        return Step(
            event, here.path, here.kind, None, known, running,
            node, here.above, here.title, count, here.play, offset, between=between,
        )  # fmt: skip

    def _known(self, event: Event, edge: int, value: Value | Between) -> Step:
        """A step at a node that is not entered."""
        known, between = (None, value) if isinstance(value, tuple) else (value, None)
        node = self._node(edge)
        kind = Kind(self.dag.kind[node]).name.lower()
        # payoffs of one value are one node of an array DAG, and one name would not fit all
        named = isinstance(self.dag, Dag) or kind != "terminal"
        title = self._origin(node, edge).title() if named else ""
        path, above = self._path(edge), self._above(edge)
        return Step(event, path, kind, None, known, None, node, above, title, between=between)

    def _node(self, edge: int) -> int:
        return 0 if edge == ROOT else int(self.dag.child[edge])

    def _label(self, edge: int) -> str:
        here = self._open[-1]
        return here.labels[edge - int(self.dag.first[here.node])]

    def _path(self, edge: int) -> Path:
        return Path() if edge == ROOT else Path(self._open[-1].path, self._label(edge))

    def _above(self, edge: int) -> str:
        return "" if edge == ROOT else self._open[-1].kind

    def _origin(self, node: int, edge: int) -> Origin:
        """Where ``node`` came from; of an array DAG's from its parent's, which is quicker."""
        if isinstance(self.dag, Dag) or edge == ROOT:
            return self.dag.origin[node]
        here = self._open[-1]
        return _origin_below(self.dag, node, here.origin, edge - int(self.dag.first[here.node]))

    def _play(self, node: int) -> Play:
        """How a choice or chance node plays; where a policy is silent, the best."""
        if node in self.policies:
            return _BY_POLICY
        play = self.behaviour.of(self.dag.kind[node])
        if play.rule is Rule.POLICY:
            return Play(Rule.HIGHEST if play.up else Rule.LOWEST, play.up)
        return play

    def _factor(self, edge: int) -> Amount | None:
        """What multiplies the value of a child; None where values are compared or averaged."""
        here = self._open[-1]
        if here.odds is not None:
            return here.odds.get(edge, 0)
        if here.play is None:
            return self.dag.weight[edge]
        if here.play.rule is Rule.EXPECTED:
            return self.dag.probability(here.node, edge)
        return None


def _origin_below(dag: ArrayDag, node: int, above: Any, position: int) -> NodeOrigin:
    """The origin of ``node``, the child at ``position`` of a node whose origin is ``above``."""
    from ..compiler.native.engine import children_of
    from ..compiler.origin import NodeOrigin

    slots = dag.states.slots_of(dag, node)
    if len(slots):
        return dag.states.origin(slots, dag)
    return NodeOrigin(*children_of(above)[position])


# --- the walk --------------------------------------------------------------------------------


class Steps(Protocol):
    """A walk or a search to be told, as often as needed."""

    @property
    def game(self) -> str:
        """The game's name."""
        ...

    @property
    def algorithm(self) -> str:
        """The algorithm's name."""
        ...

    @property
    def value(self) -> Value:
        """The value of the game."""
        ...

    def __len__(self) -> int:
        """The number of steps."""
        ...

    def __iter__(self) -> Iterator[Step]:
        """The steps."""
        ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trace:
    """A game's walk: iterate over it for its steps, as often as needed.

    ``len`` is how many steps there are, which is known beforehand. Steps are made one by one;
    beyond the solution a walk keeps a byte for each node and the way to where it is.
    """

    game: str
    solution: Solution
    behaviour: Behaviour
    policies: Mapping[int, Mixture]

    @property
    def algorithm(self) -> str:
        """The algorithm's name."""
        return self.solution.algorithm

    @property
    def value(self) -> Value:
        """The value of the game: the last step's."""
        return self.solution.value(0)

    def __len__(self) -> int:
        """The number of steps: each edge is met and returns, each inner node is done."""
        dag = self.solution.dag
        leaves = bytes(dag.kind).count(Kind.TERMINAL)
        return 1 + 2 * len(dag.child) + len(dag) - leaves

    def __iter__(self) -> Iterator[Step]:
        """The steps, from entering the root to being done with it.

        Russell and Norvig, *Artificial Intelligence: A Modern Approach*, 4th edition, 6.2 and
        6.5: the calls and returns of MINIMAX and EXPECTIMINIMAX. Time O(1) a step, and at an
        inner node what its labels take; no recursion.
        """
        return _Walk(
            self.solution, Recorder(self.solution.dag, self.behaviour, self.policies)
        ).run()


def tally_at(
    dag: AnyDag, node: int, play: Play | None, odds: Mapping[int, Amount], number: type[Value]
) -> Tally:
    """What makes the running figure of ``node``.

    Args:
        dag: The game.
        node: An inner node.
        play: How it plays; None for a sum.
        odds: By edge, those of a policy that speaks of the node.
        number: ``Fraction`` or ``float``: what values are.
    """
    edges = dag.edges(node)
    if play is None:
        return Sum(number(dag.weight[edge]) for edge in edges)
    if play.rule is Rule.POLICY:
        return Sum(number(odds.get(edge, 0)) for edge in edges)
    if play.rule is Rule.EXPECTED:
        if isinstance(dag, Dag) or not dag.weight_code[dag.first[node]]:
            return Sum(number(dag.probability(node, edge)) for edge in edges)
        return Sum(dag.weight[edge] for edge in edges)
    if play.rule is Rule.UNIFORM:
        return Average()
    if play.rule is Rule.MISTAKE:
        return Mistake(Best(play.up), Average(), number(play.amount))
    if play.rule is Rule.SOFTMAX:
        return Softmax(float(play.amount) * (1 if play.up else -1))
    return Best(play.rule is Rule.HIGHEST)


class _Frame(NamedTuple):
    """A node whose branches are being walked."""

    node: int
    edge: int  # by which it was entered
    edges: Iterator[int]
    last: int
    tally: Tally


class _Walk:
    """One walk."""

    def __init__(self, solution: Solution, recorder: Recorder) -> None:
        self.solution, self.dag, self.recorder = solution, solution.dag, recorder
        self.number: type[Value] = Fraction if solution.numbers == "exact" else float
        self.seen = bytearray(len(self.dag))
        self.frames: list[_Frame] = []

    def run(self) -> Iterator[Step]:
        yield self.meet(ROOT)
        while self.frames:
            frame = self.frames[-1]
            edge = next(frame.edges, None)
            if edge is not None:
                depth = len(self.frames)
                yield self.meet(edge)
                if len(self.frames) == depth:  # it was not entered
                    yield self.returned(frame, edge)
                continue
            self.frames.pop()
            yield self.done(frame)
            if self.frames:
                yield self.returned(self.frames[-1], frame.edge)

    def meet(self, edge: int) -> Step:
        """Come to a node: enter it, unless it is a payoff or known already."""
        dag, recorder = self.dag, self.recorder
        node = 0 if edge == ROOT else int(dag.child[edge])
        leaf = dag.kind[node] == Kind.TERMINAL
        # an array DAG keeps payoffs of one value as one node, wherever they are written
        known = self.seen[node] and (not leaf or isinstance(dag, Dag))
        self.seen[node] = 1
        if known:
            return recorder.shared(edge, self.solution.value(node))
        if leaf:
            return recorder.terminal(edge, self.solution.value(node))
        step = recorder.enter(edge)
        edges, odds = dag.edges(node), dict(recorder.policies.get(node, ()))
        tally = tally_at(dag, node, step.play, odds, self.number)
        self.frames.append(_Frame(node, edge, iter(edges), edges.stop - 1, tally))
        return step

    def returned(self, frame: _Frame, edge: int) -> Step:
        """A child has its value."""
        value = self.solution.value(int(self.dag.child[edge]))
        running = frame.tally.add(value)
        if edge == frame.last and self.number is float and not self.dag.offset[frame.node]:
            running = self.solution.value(frame.node)  # rounded as the solver rounds
        return self.recorder.returned(edge, value, running)

    def done(self, frame: _Frame) -> Step:
        """All children have theirs."""
        node = frame.node
        return self.recorder.done(self.solution.value(node), self.solution.chosen[node])
