"""An explicit tree by gametree: tree.py FILE. Prints the stages read and evaluate."""

from __future__ import annotations

import sys

from stages import Stages


def main() -> None:
    stages = Stages()
    with stages.stage("start"):
        import gametree.evaluator.game
        import gametree.evaluator.solve
    with stages.stage("read"):
        game = gametree.load(sys.argv[1])
    with stages.stage("evaluate"):
        answer = game.evaluate()
    stages.report(value=float(answer.value))


if __name__ == "__main__":
    main()
