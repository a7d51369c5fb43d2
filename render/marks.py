"""What a picture brings out: what is chosen, a line, a strategy, or a step of the walk.

Edges are the DAG's; ``ROOT`` stands for what leads to the root. A node that is met in several
places is marked where it is met: by the edge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING

from ..compiler.dag import AnyDag
from ..evaluator.solution import Mixture, Solution, line_edges
from ..spec.diagnostics import UsageError
from .numbers import picture_text

if TYPE_CHECKING:
    from ..evaluator.trace import Step, Steps

ROOT = -1
MOST_STEPS = 1_000_000  # of a walk that is drawn at a step


@dataclass(frozen=True, slots=True)
class Marks:
    """How nodes and edges are brought out.

    bold     edges that are chosen; None: those that the solution chooses, everywhere
    lit      edges that are drawn as usual, all others being faint; None: all
    current  the edge to the node that is looked at; None: there is no such node
    figures  what stands in nodes other than payoffs, where that is not the solution's value; of
             a node that is not in it nothing is known
    caption  a line below the title
    """

    bold: Collection[int] | None = None
    lit: Collection[int] | None = None
    current: int | None = None
    figures: Mapping[int, str] | None = None
    caption: str = ""

    def is_bold(self, solution: Solution | None, node: int, edge: int) -> bool:
        """Whether ``edge``, which leaves ``node``, is drawn bold."""
        if self.bold is not None:
            return edge in self.bold
        return solution is not None and edge in solution.chosen[node]

    def is_faint(self, edge: int) -> bool:
        """Whether ``edge`` and the node it leads to are drawn faint."""
        return self.lit is not None and edge not in self.lit and edge != ROOT


PLAIN = Marks()


def line_marks(solution: Solution) -> Marks:
    """The moves from the root until chance decides: what best play comes to."""
    return Marks(bold=frozenset(line_edges(solution)), caption="bold: the line of best play")


def reached_marks(
    solution: Solution, followed: Mapping[int, Mixture] | None = None, name: str = ""
) -> Marks:
    """What is chosen wherever play can get, the rest being faint.

    Args:
        solution: What nodes choose.
        followed: What a policy takes instead, where it speaks.
        name: The policy's.

    Time O(n + m).
    """
    bold, lit = set[int](), set[int]()
    seen, waiting = {0}, [0]
    while waiting:
        node = waiting.pop()
        taken = _taken(solution, followed or {}, node)
        bold.update(taken)
        for edge in taken or solution.dag.edges(node):
            lit.add(edge)
            child = int(solution.dag.child[edge])
            if child not in seen:
                seen.add(child)
                waiting.append(child)
    caption = f"bold: the policy “{name}”" if name else "bold: the best strategy"
    return Marks(bold=bold, lit=lit, caption=f"{caption}, where it leads to")


def _taken(solution: Solution, followed: Mapping[int, Mixture], node: int) -> list[int]:
    """The edges that are taken at ``node``; none where nobody chooses."""
    if node in followed:
        return [edge for edge, odds in followed[node] if odds]
    return list(solution.chosen[node][:1])


# --- a step of the walk ----------------------------------------------------------------------


def trace_marks(trace: Steps, dag: AnyDag, number: int) -> Marks:
    """What is known after step ``number`` of a walk (1 is the first), the rest being faint.

    Args:
        trace: The walk, or a search that cuts.
        dag: The game that it goes through.
        number: How many steps it has gone.

    Raises:
        UsageError: If there is no such step, or so many come before it that it takes minutes.
    """
    if not 1 <= number <= len(trace):
        raise UsageError(f"the walk has steps 1 to {len(trace):,}, and no step {number:,}")
    if number > MOST_STEPS:
        raise UsageError(f"of a walk, the first {MOST_STEPS:,} steps can be drawn, not {number:,}")
    from .trace import message

    walk = _Walk(dag)
    step: Step | None = None
    for step in islice(trace, number):
        walk.take(step)
    said = "" if step is None else message(step)
    caption = f"step {number:,} of {len(trace):,}: {said}"
    return Marks(walk.bold, walk.met, walk.current, walk.figures, caption)


@dataclass(slots=True)
class _Open:
    """A node that was entered and is not done, and the edge after the one met last."""

    node: int
    edge: int
    next: int


@dataclass(slots=True)
class _Walk:
    """What the steps so far have met."""

    dag: AnyDag
    met: set[int] = field(default_factory=set[int])
    bold: set[int] = field(default_factory=set[int])
    figures: dict[int, str] = field(default_factory=dict[int, str])
    open: list[_Open] = field(default_factory=list[_Open])
    current: int = ROOT

    def take(self, step: Step) -> None:
        """Go one step on."""
        if step.event in ("enter", "terminal", "shared"):
            self.current = self._edge_to(step.node)
            self.met.add(self.current)
            self.figures[step.node] = _figure(step)
            if step.event == "enter":
                first = self.dag.edges(step.node).start
                self.open.append(_Open(step.node, self.current, first))
            return
        self.current = self.open[-1].edge
        if step.event == "done":
            self.open.pop()
            self.figures[step.node] = _figure(step)
            self.bold.update(self._chosen(step))
        elif step.running is not None:
            self.figures[step.node] = picture_text(step.running)

    def _chosen(self, step: Step) -> Iterator[int]:
        labels = self.dag.origin[step.node].labels() if step.chosen else []
        for edge, label in zip(self.dag.edges(step.node), labels, strict=False):
            if label in step.chosen:
                yield edge

    def _edge_to(self, node: int) -> int:
        """The edge by which the node entered last leads to ``node``, if possible a new one."""
        if not self.open:
            return ROOT
        here, dag = self.open[-1], self.dag
        edges = dag.edges(here.node)
        known: int | None = None  # a search may look at a branch again
        for edge in chain(range(here.next, edges.stop), range(edges.start, here.next)):
            if int(dag.child[edge]) != node:
                continue
            if edge not in self.met:
                here.next = edge + 1
                return edge
            known = edge if known is None else known
        assert known is not None
        return known


def _figure(step: Step) -> str:
    """What is known of a node: its value, or between what it lies."""
    if step.value is not None:
        return picture_text(step.value)
    least, most = step.between or (None, None)
    if least is None:
        return "" if most is None else f"≤ {picture_text(most)}"
    if most is None:
        return f"≥ {picture_text(least)}"
    return f"{picture_text(least)} … {picture_text(most)}"
