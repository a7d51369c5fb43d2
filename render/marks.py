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
from ..evaluator.solution import Mixture, Solution, Value, line_edges
from ..spec.diagnostics import UsageError

if TYPE_CHECKING:
    from ..evaluator.trace import Step, Trace

ROOT = -1
MOST_STEPS = 1_000_000  # of a walk that is drawn at a step


@dataclass(frozen=True, slots=True)
class Marks:
    """How nodes and edges are brought out.

    bold     edges that are chosen; None: those that the solution chooses, everywhere
    lit      edges that are drawn as usual, all others being faint; None: all
    current  the edge to the node that is looked at; None: there is no such node
    figures  what nodes are worth, where that is not the solution's value; a node that is not in
             it is not known yet
    caption  a line below the title
    """

    bold: Collection[int] | None = None
    lit: Collection[int] | None = None
    current: int | None = None
    figures: Mapping[int, Value | None] | None = None
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


def trace_marks(trace: Trace, number: int) -> Marks:
    """What is known after step ``number`` of the walk (1 is the first), the rest being faint.

    Raises:
        UsageError: If there is no such step, or so many come before it that it takes minutes.
    """
    if not 1 <= number <= len(trace):
        raise UsageError(f"the walk has steps 1 to {len(trace):,}, and no step {number:,}")
    if number > MOST_STEPS:
        raise UsageError(f"of a walk, the first {MOST_STEPS:,} steps can be drawn, not {number:,}")
    from .trace import message

    walk = _Walk(trace.solution)
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

    solution: Solution
    met: set[int] = field(default_factory=set[int])
    bold: set[int] = field(default_factory=set[int])
    figures: dict[int, Value | None] = field(default_factory=dict[int, Value | None])
    open: list[_Open] = field(default_factory=list[_Open])
    current: int = ROOT

    def take(self, step: Step) -> None:
        """Go one step on."""
        if step.event in ("enter", "terminal", "shared"):
            self.current = self._edge_to(step.node)
            self.met.add(self.current)
            self.figures[step.node] = step.value
            if step.event == "enter":
                first = self.solution.dag.edges(step.node).start
                self.open.append(_Open(step.node, self.current, first))
            return
        self.current = self.open[-1].edge
        if step.event == "done":
            self.open.pop()
            self.figures[step.node] = step.value
            self.bold.update(self.solution.chosen[step.node])
        elif step.running is not None:
            self.figures[step.node] = step.running

    def _edge_to(self, node: int) -> int:
        """The edge by which the node entered last leads to ``node``, not met before."""
        if not self.open:
            return ROOT
        here = self.open[-1]
        for edge in _from(self.solution.dag, here.node, here.next):
            if edge not in self.met and int(self.solution.dag.child[edge]) == node:
                here.next = edge + 1
                return edge
        return here.next - 1  # met once more


def _from(dag: AnyDag, node: int, start: int) -> Iterator[int]:
    """The edges of ``node``, from ``start`` on and round."""
    edges = dag.edges(node)
    return chain(range(start, edges.stop), range(edges.start, start))
