"""Which engine unfolds and solves a game: the exact one, or the fast one.

Small games are exact. A game that turns out larger than ``EXACT_NODES``, or whose rules take more
than ``EXACT_WORK`` steps, is unfolded again by machine code and solved in floats with an error
bound, unless exact numbers are asked for; what machine code cannot express goes back to the exact
engine, and a note says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..compiler.dag import AnyDag, Dag
from ..compiler.limits import Limits
from ..compiler.progress import Progress
from ..spec.diagnostics import Code, Diagnostic, SpecError
from .behaviour import Behaviour
from .solution import Mixture, Numbers, Solution
from .solve import solve

if TYPE_CHECKING:
    from ..compiler.native.engine import ArrayDag
    from ..compiler.program import Form, Program

EXACT_NODES = 25_000  # some 50,000 edges: a quarter of a second
EXACT_WORK = 2_500_000  # steps in expressions: one to three seconds


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

    Raises:
        SpecError: Where the states make no sense, or a limit stops it.
    """
    from ..compiler.unfold import unfold

    if numbers == "exact":
        return unfold(program, at=at, limits=limits, progress=progress)
    try:
        return unfold(program, at=at, limits=_trial(limits), progress=progress)
    except SpecError as error:
        if not all(_is_larger(found, limits) for found in error.diagnostics):
            raise
    dag = _unfold_native(program, at, limits, progress, notes)
    return dag or unfold(program, at=at, limits=limits, progress=progress)


def _trial(limits: Limits) -> Limits:
    """How far the exact engine goes before machine code takes over."""
    return limits.within(EXACT_NODES)._replace(work=min(limits.work, EXACT_WORK))


def _is_larger(found: Diagnostic, limits: Limits) -> bool:
    """Whether ``found`` says that a trial ended, and ``limits`` allow more."""
    if found.code is Code.WORK_LIMIT:
        return limits.work > EXACT_WORK
    return found.code is Code.STATE_LIMIT and limits.native_states(bounded=True) > EXACT_NODES


def _unfold_native(
    program: Program,
    at: Form | None,
    limits: Limits,
    progress: Progress | None,
    notes: list[Diagnostic],
) -> ArrayDag | None:
    """The DAG by machine code; None, and a note, where that cannot be."""
    from ..compiler.native.engine import Unsure, unfold_native
    from ..compiler.native.values import Unsupported
    from ..compiler.unfold import UNMETERED

    try:
        dag = unfold_native(program, at=at, limits=limits, progress=progress)
    except Unsupported as problem:
        reason = f"the fast engine cannot do {problem}"
    except Unsure:
        reason = "a number outgrows 64 bits, or a float cannot tell two numbers apart"
    else:
        program.names.meter.left = UNMETERED  # labels are made within the same work
        return dag
    place = (at or program.root).place()
    notes.append(
        Diagnostic(
            Code.SLOW,
            place,
            f"solved by the exact engine, which takes longer: {reason}",
        )
    )
    return None


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

    return solve_arrays(dag, behaviour, policies, progress)
