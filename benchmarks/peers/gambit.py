"""One tree by pygambit: gambit.py FILE.EFG [lp].

Prints the stages read and, with `lp`, solve: Gambit has no backward induction, so its equilibrium
of a zero-sum game by a linear program in sequence form takes its place.
"""

from __future__ import annotations

import sys

from stages import Stages


def main() -> None:
    stages = Stages()
    with stages.stage("start"):
        import pygambit
    with stages.stage("load"):
        game = pygambit.read_efg(sys.argv[1])
    value = None
    if sys.argv[2:] == ["lp"]:
        with stages.stage("solve"):
            found = pygambit.nash.lp_solve(game, rational=False)
            value = float(found.equilibria[0].payoff(next(iter(game.players))))
    stages.report(value=value)


if __name__ == "__main__":
    main()
