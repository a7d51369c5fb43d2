"""The stages of one process: times and peak memory of each, printed as JSON."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

UNIT = 1 if sys.platform == "darwin" else 1024


class Stages:
    """Seconds of every stage, and the most bytes that the process has held at the end of it.

    ``cpu`` is user and system time, ``system`` the latter's part.
    """

    def __init__(self) -> None:
        self.cpu: dict[str, float] = {}
        self.system: dict[str, float] = {}
        self.wall: dict[str, float] = {}
        self.peak: dict[str, int] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        cpu, wall, system = time.process_time(), time.perf_counter(), os.times().system
        yield
        self.cpu[name] = time.process_time() - cpu
        self.wall[name] = time.perf_counter() - wall
        self.system[name] = os.times().system - system
        self.peak[name] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNIT

    def report(self, **facts: Any) -> None:
        found = {"cpu": self.cpu, "system": self.system, "wall": self.wall, "peak": self.peak}
        print(json.dumps({**found, **facts}))
