"""What does a state cost, and what does a leaf?

Games of different kinds, unfolded and solved in a process of their own: microseconds for each
node of the DAG, in exact numbers and in floats; start-up, reading and checking left out.
Memory is what the process used at most less what it used before unfolding. What a leaf of a
tree written out costs is in `explicit_tree.py`.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
from typing import Any

from measuring import PYTHON, megabytes, run, table, timed

ROUNDS = 3
CHAIN = """
game: chain
params: {length: 200000}
nodes:
  "step(n: 0..length)":
    if: n == 0
    then: 1
    else:
      max:
        on: step(n - 1)
        stop: 0
root: step(length)
"""
# The game, its settings, its value, and what is special about it.
GAMES: dict[str, tuple[str, dict[str, str], float]] = {
    "a chain of 200,000 states": ("chain", {}, 1),
    "tic-tac-toe: state of two integers, tests on bits": ("tic-tac-toe", {}, 0),
    "nim 20, 20, 20: state of three integers": (
        "nim",
        {"left": "20", "middle": "20", "right": "20"},
        1,
    ),
    "push to 1,000: ten outcomes a throw, long fractions": (
        "push-to-21",
        {"target": "1000"},
        994,
    ),
}


def measure(name: str) -> dict[str, Any]:
    """The seconds of each stage in this process, and the sizes."""
    from gametree.compiler.unfold import unfold
    from gametree.evaluator.game import Game
    from gametree.evaluator.solve import solve
    from gametree.spec.reader import bundled, read_bytes, read_path

    tree, settings, expected = GAMES[name]
    if tree == "chain":
        document = read_bytes("chain.yaml", CHAIN.encode(), "yaml").document
    else:
        document = read_path(bundled(tree) or "").document
    assert document is not None
    game = Game.from_document(document, settings)
    before = peak()
    unfolding, dag = timed(lambda: unfold(game.program))
    exact, solution = timed(lambda: solve(dag, numbers="exact"))
    floats, rough = timed(lambda: solve(dag, numbers="float"))
    for found in (solution, rough):
        assert abs(float(found.value(0)) - expected) < 1
    assert abs(float(solution.value(0)) - float(rough.value(0))) <= rough.error_bound(0) + 1e-9
    size = dag.size()
    return {
        "unfold": unfolding,
        "exact": exact,
        "float": floats,
        "nodes": size.nodes,
        "edges": size.edges,
        "memory": peak() - before,
    }


def peak() -> int:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1])))
        return
    rows: list[tuple[str, ...]] = []
    for name in GAMES:
        every = [json.loads(run([PYTHON, __file__, name]).output) for _ in range(ROUNDS)]
        middle = {key: statistics.median(each[key] for each in every) for key in every[0]}
        nodes = middle["nodes"]
        times = [f"{middle[key] / nodes * 1e6:.1f} µs" for key in ("unfold", "exact", "float")]
        rows.append(
            (
                name,
                f"{nodes:,.0f}",
                f"{middle['edges'] / nodes:.1f}",
                *times,
                megabytes(int(middle["memory"])),
            )
        )
    print("Time for each node of the DAG, by game.\n")
    heads = ["game", "nodes", "edges a node", "unfold", "solve, exact", "solve, floats", "memory"]
    print(table(heads, rows))


if __name__ == "__main__":
    main()
