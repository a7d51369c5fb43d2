"""Which engine unfolds and solves a game: the exact one, or the fast one.

Small games are exact. A game that turns out larger than ``EXACT_NODES`` is unfolded again by
machine code and solved in floats with an error bound, unless exact numbers are asked for; what
machine code cannot express goes back to the exact engine, and a note says why.
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
        return unfold(program, at=at, limits=limits.within(EXACT_NODES), progress=progress)
    except SpecError as error:
        too_large = all(found.code is Code.STATE_LIMIT for found in error.diagnostics)
        if not too_large or limits.native_states(bounded=True) <= EXACT_NODES:
            raise
    dag = _unfold_native(program, at, limits, progress, notes)
    return dag or unfold(program, at=at, limits=limits, progress=progress)


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

    try:
        return unfold_native(program, at=at, limits=limits, progress=progress)
    except Unsupported as problem:
        reason = f"the fast engine cannot do {problem}"
    except Unsure:
        reason = "a number outgrows 64 bits, or a float cannot tell two numbers apart"
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
