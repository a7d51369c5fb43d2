"""Which engine unfolds and solves a game: the exact one, or the fast one.

Small games are exact. A game that turns out larger than ``EXACT_NODES``, or whose rules take more
than ``EXACT_WORK`` steps, is unfolded again by machine code and solved in floats with an error
bound, unless exact numbers are asked for; what machine code cannot express goes back to the exact
engine, and a note says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import TYPE_CHECKING

from ..compiler.dag import AnyDag, Dag
from ..compiler.limits import Limits
from ..compiler.progress import Progress
from ..spec.diagnostics import Code, Diagnostic, SpecError
from ..spec.source import Place
from .behaviour import Behaviour
from .solution import Mixture, Numbers, Solution
from .solve import solve

if TYPE_CHECKING:
    from ..compiler.native.engine import ArrayDag
    from ..compiler.program import Form, Program
    from ..spec.expressions import Expr

TRIAL_NODES, TRIAL_WORK = 6_000, 1_250_000  # nodes, and steps in expressions: 0.1 to 1 s
SHORT_TRIAL = 1_500  # nodes, where the ranges of a node's arguments allow
MANY_STATES = 1_000_000
EXACT_NODES, EXACT_EDGES = 25_000, 80_000  # half a second
EXACT_WORK = 2_500_000  # one to three seconds


def unfold_any(
    program: Program,
    *,
    at: Form | None,
    limits: Limits,
    numbers: Numbers | None,
    progress: Progress | None,
    notes: list[Diagnostic],
) -> AnyDag:
    """The game's DAG, by the engine that suits its size; ``notes`` gets what there is to say.

    The exact engine tries first, for a moment; then machine code tells how large the game is.

    Raises:
        SpecError: Where the states make no sense, or a limit stops it.
    """
    from ..compiler.unfold import unfold

    def exact(limits: Limits) -> Dag:
        return unfold(program, at=at, limits=limits, progress=progress)

    if numbers == "exact":
        return exact(limits)
    trial = TRIAL_NODES if _declared_states(program) < MANY_STATES else SHORT_TRIAL
    nodes, work = min(trial, EXACT_NODES), min(TRIAL_WORK, EXACT_WORK)
    found = _within(limits, nodes, work, exact)
    if found is not None:
        return found
    dag, reason = _unfold_native(program, at, limits, progress)
    if dag is None or (len(dag) <= EXACT_NODES and len(dag.child) <= EXACT_EDGES):
        found = _within(limits, EXACT_NODES, EXACT_WORK, exact)
        if found is not None:
            return found
    if dag is None:
        notes.append(_slow((at or program.root).place(), reason))
    return dag or exact(limits)


def _declared_states(program: Program) -> int:
    """How many states the ranges of a named node's arguments allow: of the node with the most."""
    from ..spec.expression_printer import print_expression
    from ..spec.expressions import ListOf, Range

    def values(kind: Expr | None) -> int:
        if isinstance(kind, Range):
            low, high = (int(program.constant(print_expression(e))) for e in (kind.low, kind.high))
            return max(1, high - low + 1)
        if isinstance(kind, ListOf):
            length = int(program.constant(print_expression(kind.length)))
            return min(values(kind.item), MANY_STATES) ** min(length, 64)
        return 1

    nodes = program.nodes.values()
    return max((prod(values(a.kind) for a in node.arguments) for node in nodes), default=1)


def _within(limits: Limits, nodes: int, work: int, exact: Callable[[Limits], Dag]) -> Dag | None:
    """The DAG by the exact engine; None where it is larger than that, and ``limits`` allow more."""
    narrow = limits.within(nodes)._replace(work=min(limits.work, work))
    try:
        return exact(narrow)
    except SpecError as error:
        for found in error.diagnostics:
            by_work = found.code is Code.WORK_LIMIT and limits.work > work
            by_nodes = found.code is Code.STATE_LIMIT
            if not by_work and not (by_nodes and limits.native_states(bounded=True) > nodes):
                raise
        return None


def _slow(place: Place, reason: str) -> Diagnostic:
    return Diagnostic(Code.SLOW, place, f"solved by the exact engine, which takes longer: {reason}")


def _unfold_native(
    program: Program, at: Form | None, limits: Limits, progress: Progress | None
) -> tuple[ArrayDag | None, str]:
    """The DAG by machine code; where that cannot be, None and the reason."""
    from ..compiler.native.engine import Unsure, unfold_native
    from ..compiler.native.values import Unsupported

    try:
        return unfold_native(program, at=at, limits=limits, progress=progress), ""
    except Unsupported as problem:
        return None, f"the fast engine cannot do {problem}"
    except Unsure:
        return None, "a number outgrows 64 bits, or a float cannot tell two numbers apart"


def solve_any(
    dag: AnyDag,
    behaviour: Behaviour,
    *,
    numbers: Numbers,
    policies: Mapping[int, Mixture],
    progress: Progress | None = None,
) -> Solution:
    """Value every node of a DAG of either engine."""
    if isinstance(dag, Dag):
        return solve(dag, behaviour, numbers=numbers, policies=policies, progress=progress)
    from .fast import solve_arrays

    dag.size()  # now, while the values do not take memory yet
    return solve_arrays(dag, behaviour, policies, progress)
