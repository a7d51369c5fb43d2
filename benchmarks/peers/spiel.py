"""One game by OpenSpiel: spiel.py GAME METHOD.

GAME is OpenSpiel's name of it, such as `efg_game(filename=tree.efg)`. METHOD is `expectiminimax`,
`alpha_beta_search` or `value_iteration`, of OpenSpiel's Python algorithms. Prints the stages
load and solve, and the answer for the first player.
"""

from __future__ import annotations

import sys

from stages import Stages

DEEPER_THAN_ANY = 1_000_000


def main() -> None:
    name, method = sys.argv[1:3]
    stages = Stages()
    with stages.stage("start"):
        import pyspiel
        from open_spiel.python.algorithms import minimax

        if method == "value_iteration":
            from open_spiel.python.algorithms import value_iteration
    with stages.stage("load"):
        game = pyspiel.load_game(name)
    states = None
    with stages.stage("solve"):
        start = game.new_initial_state()
        if method == "expectiminimax":
            value, _ = minimax.expectiminimax(start, DEEPER_THAN_ANY, None, 0)
        elif method == "alpha_beta_search":
            value, _ = minimax.alpha_beta_search(game)
        else:
            values = value_iteration.value_iteration(game, depth_limit=-1, threshold=1e-9)
            value, states = values[start.to_string()], len(values)
    stages.report(value=float(value), nodes=states)


if __name__ == "__main__":
    main()
