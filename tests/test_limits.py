"""Limits stop a game before the machine runs out, and say how far it got and what to change."""

from __future__ import annotations

import re
import subprocess
import sys

import gametree
import pytest
from gametree.compiler import limits as limits_module
from gametree.compiler.limits import EXACT_NODE, MOST_MEMORY, Limits, usual_memory
from gametree.spec.diagnostics import SpecError

RACE = """\
game "race"
param goal = 12
node race(me: TYPE, you: TYPE, pot: TYPE) = max {
  roll: chance {
    "1": if me + 1 >= goal then 1 else 1 - race(you, me + 1, 0)
    for d in 2..6: if me + pot + d >= goal then 1 else race(me, you, pot + d)
  }
  for h in [1] if pot > 0 as "hold": 1 - race(you, me + pot, 0)
}
root race(0, 0, 0)
"""


def race(tmp_path, goal, kind="0..goal"):
    path = tmp_path / "race.tree"
    path.write_text(RACE.replace("TYPE", kind))
    return gametree.load(path, goal=goal)


def stopped(work):
    with pytest.raises(SpecError) as caught:
        work()
    [found] = caught.value.diagnostics
    assert found.code.value == "GT501"
    return found


# --- what is said ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["0..goal", "int"])
def test_machine_code_stops_at_the_memory_allowed(tmp_path, kind):
    game = race(tmp_path, 100, kind)
    found = stopped(lambda: game.evaluate(limits=Limits(memory=20 << 20)))

    assert found.message == "the game takes more than 0.0195 GiB of memory, the limit"
    assert re.match(
        r"found so far: [\d,]+ nodes and [\d,]+ edges, 0\.0\d+ GiB", found.notes[0].message
    )
    assert "--max-memory" in found.help
    assert "--set" in found.help


def test_the_exact_engine_stops_at_the_memory_allowed(tmp_path):
    game = race(tmp_path, 30)
    limits = Limits(memory=2_000 * EXACT_NODE)
    found = stopped(lambda: game.evaluate(numbers="exact", limits=limits))

    assert "of memory, the limit" in found.message
    assert found.notes[0].message.startswith("found so far: 2,000 nodes and ")
    assert "--exact" in found.help


def test_a_game_too_large_for_the_exact_engine_may_suit_machine_code(tmp_path):
    game = race(tmp_path, 30)
    assert game.evaluate(limits=Limits(memory=10_000 * EXACT_NODE)).numbers == "float"


def test_the_limit_of_states_is_told_as_such(tmp_path):
    game = race(tmp_path, 30)
    found = stopped(lambda: game.evaluate(numbers="exact", limits=Limits(states=2_000)))

    assert found.message == "the game is larger than 2,000 nodes, the limit"
    assert "--max-states" in found.help


@pytest.mark.parametrize("exact", [["--exact"], []])
def test_the_command_line_takes_gibibytes(run, tmp_path, exact):
    race(tmp_path, 12)
    done = run("eval", "race.tree", "--set", "goal=100", "--max-memory", "0.01", *exact)

    assert done.returncode == 1
    assert "the game takes more than 0.01 GiB of memory" in done.stderr
    assert "Traceback" not in done.stderr


# --- how much that is ------------------------------------------------------------------------


def test_the_usual_limit_suits_the_machine(monkeypatch):
    for physical, container, expected in (
        (64 << 30, 0, MOST_MEMORY),
        (4 << 30, 0, 3 << 30),
        (64 << 30, 2 << 30, 3 << 29),
        (0, 0, MOST_MEMORY),
        (4 << 30, 2**63 - 4096, 3 << 30),  # a container without a limit
    ):
        monkeypatch.setattr(limits_module, "_physical_memory", lambda size=physical: size)
        monkeypatch.setattr(limits_module, "_container_memory", lambda size=container: size)
        usual_memory.cache_clear()
        assert Limits().bytes == expected
    usual_memory.cache_clear()


MEASURE = """
import sys, gametree
from gametree.compiler.native import engine
from gametree.evaluator.fast import solve_arrays
from gametree.evaluator.behaviour import EXPECTIMINIMAX

def used(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))

small = engine.unfold_native(gametree.load(sys.argv[1], **{sys.argv[2]: 4}).program)
solve_arrays(small, EXPECTIMINIMAX)
game = gametree.load(sys.argv[1], **{sys.argv[2]: sys.argv[3]})
before = used("VmRSS")
estimates = []
finished = engine._Walk.finished
engine._Walk.finished = lambda walk: (estimates.append(walk.memory()), finished(walk))[1]
dag = engine.unfold_native(game.program)
solve_arrays(dag, EXPECTIMINIMAX)
print(estimates[0], used("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.parametrize(
    ("name", "kind", "parameter", "value"),
    [
        ("race.tree", "0..goal", "goal", "120"),
        ("race.tree", "int", "goal", "100"),
        ("push-to-21", "", "target", "600000"),
    ],
    ids=["direct", "hashed", "deep"],
)
def test_the_estimate_is_what_the_process_takes(tmp_path, name, kind, parameter, value):
    """Within a quarter of the peak, solving included, and 16 MiB of what is no game's."""
    race(tmp_path, 12, kind or "int")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, name, parameter, value],
        cwd=tmp_path, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    estimate, peak = map(int, done.stdout.split())
    assert abs(estimate - peak) <= peak / 4 + (16 << 20)


def test_a_node_of_the_exact_engine_takes_a_kilobyte(tmp_path):
    """What the limit by memory counts with: not less than is taken, nor many times as much."""
    import tracemalloc

    game = race(tmp_path, 14)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    solution = game.solution(numbers="exact")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert EXACT_NODE / 4 < (peak - before) / len(solution.dag) < EXACT_NODE
