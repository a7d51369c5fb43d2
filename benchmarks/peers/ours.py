"""One game by gametree's fast engine: ours.py GAME [NAME=VALUE ...].

Prints the stages read (the file to a checked program), compile (to machine code), unfold and
solve, the answer and its bound, and the size.
"""

from __future__ import annotations

import sys
from typing import Any

from stages import Stages


def main() -> None:
    stages = Stages()
    with stages.stage("start"):
        import gametree
        from gametree.compiler.limits import Limits
        from gametree.compiler.native import engine, machine
        from gametree.evaluator.behaviour import ALGORITHMS
        from gametree.evaluator.fast import solve_arrays
    with stages.stage("read"):
        settings = dict(each.split("=", 1) for each in sys.argv[2:])
        game = gametree.load(sys.argv[1], **settings)

    def compiled(*given: Any) -> Any:
        with stages.stage("compile"):
            return machine.build(*given)

    engine.build = compiled
    with stages.stage("unfold"):
        dag = engine.unfold_native(game.program, limits=Limits(10**9, 10**11, 20 << 30))
    for seconds in (stages.cpu, stages.system, stages.wall):
        seconds["unfold"] -= seconds["compile"]
    with stages.stage("solve"):
        solution = solve_arrays(dag, ALGORITHMS["expectiminimax"])
    stages.report(
        value=float(solution.value(0)),
        bound=solution.error_bound(0),
        nodes=len(dag),
        edges=len(dag.child),
    )


if __name__ == "__main__":
    main()
