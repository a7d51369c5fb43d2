"""Is the exact cost of push to N linear in N?

Push to 21 with other targets, from 1,250 to 20,000, whose states are N + 1 choices and as many
throws of a ten-sided die. Each size runs in a process of its own. Target: linear up to 20,000.
"""

from __future__ import annotations

import json
import statistics
import sys
from fractions import Fraction

from measuring import GAMETREE, PYTHON, megabytes, run, seconds, table, timed

SIZES = (1_250, 2_500, 5_000, 10_000, 20_000)
ROUNDS = 3
FACES = 10


def expected(target: int) -> float:
    """The value of push to ``target``, by its definition, in floats."""
    value = [0.0] * (target + FACES + 1)
    for total in range(target, -1, -1):
        value[total] = max(float(total), sum(value[total + 1 : total + FACES + 1]) / FACES)
    return value[0]


def stages(target: int) -> dict[str, float]:
    """Seconds of each stage and numbers of nodes, measured in this process."""
    from gametree.compiler.unfold import unfold
    from gametree.evaluator.game import Game
    from gametree.evaluator.solve import solve
    from gametree.spec.reader import bundled, read_path

    document = read_path(bundled("push-to-21") or "").document
    assert document is not None
    game = Game.from_document(document, {"target": str(target)})
    unfolding, dag = timed(lambda: unfold(game.program))
    solving, solution = timed(lambda: solve(dag))
    value = solution.value(0)
    assert isinstance(value, Fraction)
    assert abs(float(value) - expected(target)) < 1e-9 * target
    digits = value.denominator.bit_length() * 0.30103
    return {"nodes": len(dag), "unfold": unfolding, "solve": solving, "digits": digits}


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(stages(int(sys.argv[1]))))
        return
    runs: dict[int, list[dict[str, float]]] = {size: [] for size in SIZES}
    wholes: dict[int, list[float]] = {size: [] for size in SIZES}
    peaks: dict[int, int] = {}
    for _ in range(ROUNDS):
        for size in SIZES:
            runs[size].append(json.loads(run([PYTHON, __file__, str(size)]).output))
            command = [GAMETREE, "eval", "push-to-21", "--set", f"target={size}", "--exact"]
            done = run(command)
            assert "value" in done.output
            wholes[size].append(done.cpu)
            peaks[size] = done.peak
    rows: list[tuple[str, ...]] = []
    for size, each in runs.items():
        middle = {key: statistics.median(one[key] for one in each) for key in each[0]}
        nodes = middle["nodes"]
        rows.append(
            (
                f"{size:,}",
                f"{nodes:,.0f}",
                f"{middle['digits']:,.0f}",
                seconds(statistics.median(wholes[size])),
                f"{middle['unfold'] / nodes * 1e6:.1f} µs",
                f"{middle['solve'] / nodes * 1e6:.1f} µs",
                megabytes(peaks[size]),
            )
        )
    print("Push to N, exact: is the cost of a node the same at every size?\n")
    heads = ["N", "nodes", "digits below the line", "`gametree eval`"]
    print(table([*heads, "unfold, a node", "solve, a node", "peak memory"], rows))


if __name__ == "__main__":
    main()
