"""Processes to measure in turn, each with a check of its answer."""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from measuring import GAMETREE, PYTHON, run

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = ("cpu", "system", "wall", "peak", "nodes", "edges")
NEAR = 1e-6  # what Storm promises

Check = Callable[[dict[str, Any]], bool]


@dataclass
class Work:
    """One process; ``found`` has a dictionary for each counted round."""

    command: Sequence[str]
    check: Check
    found: list[dict[str, Any]] = field(default_factory=list)
    room: int = 0  # bytes that the last round took at most

    def measure(self, *, counted: bool) -> None:
        if counted:
            touch(self.room)
        start = time.perf_counter()
        done = run(self.command)
        wall = time.perf_counter() - start
        facts = facts_of(done.output)
        assert self.check(facts), (self.command, facts)
        self.room = done.peak
        if counted:
            kept = {key: facts[key] for key in KEPT if key in facts}
            self.found.append({**kept, "process": done.cpu, "elapsed": wall, "most": done.peak})

    def middle(self, *path: str) -> float:
        """The median of a figure: ("process",), or of a stage: ("cpu", "build")."""
        return statistics.median(_at(each, path) for each in self.found)

    def has(self, stage: str) -> bool:
        return stage in self.found[0].get("cpu", {})


def touch(size: int) -> None:
    """Take and free as much memory, in a process of its own, as the next one will need.

    Where a virtual machine has returned free memory to its host, the first use of it costs up to
    twenty-five times the system time of the next, and chance would decide who pays.
    """
    run([PYTHON, os.path.join(HERE, "touch.py"), str(size)])


def _at(facts: Any, path: Sequence[str]) -> float:
    for key in path:
        facts = facts[key]
    return float(facts)


def facts_of(output: str) -> dict[str, Any]:
    """The stages in the output of a script, or the answer of `gametree --format json`.

    Storm writes warnings of its own around the stages.
    """
    for line in output.splitlines():
        if line.startswith('{"cpu"'):
            return json.loads(line)
    facts, _ = json.JSONDecoder().raw_decode(output)
    return facts


def near(expected: float, error: float = NEAR) -> Check:
    """Whether the answer is as expected, but for a relative ``error``."""

    def check(facts: dict[str, Any]) -> bool:
        value = facts.get("value_float", facts.get("value"))
        return abs(value - expected) <= error * max(1.0, abs(expected))

    return check


def script(name: str, *arguments: str) -> list[str]:
    return [PYTHON, os.path.join(HERE, name), *arguments]


def command(name: str, game: Sequence[str], *more: str) -> list[str]:
    """`gametree name` for a game and its settings."""
    settings = [part for each in game[1:] for part in ("--set", each)]
    return [GAMETREE, name, game[0], *settings, "--format", "json", *more]


def measure(works: Iterable[Work], rounds: int) -> None:
    """Run them in turn, ``rounds`` times after once that fills the caches."""
    works = list(works)
    for number in range(rounds + 1):
        for work in works:
            work.measure(counted=number > 0)
