"""What the benchmarks share: CPU time and peak memory of whole processes, medians, tables.

Times are user and system time of the measured process, in seconds, so that what else runs on the
machine matters little. What is compared runs in turn, round by round: a machine that slows
down slows all of it.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

PYTHON = sys.executable
GAMETREE = os.path.join(os.path.dirname(PYTHON), "gametree")  # as the package installs it
MEGABYTE = 1_000_000

T = TypeVar("T")


@dataclass(frozen=True)
class Run:
    """One process: seconds of CPU time, bytes of memory at most, and what it printed."""

    cpu: float
    peak: int
    output: str


def run(command: Sequence[str], *, code: int = 0) -> Run:
    """Run ``command``; it must end with ``code``."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, stdout=out, stderr=errors)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        text = out.read().decode() + errors.read().decode()
    assert child.returncode == code, text
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(used.ru_utime + used.ru_stime, used.ru_maxrss * unit, text)


def medians(
    commands: dict[str, Sequence[str]], rounds: int, check: Callable[[str, str], None]
) -> dict[str, Run]:
    """The median of each command, over ``rounds`` of all of them, after one that is not counted.

    ``check(name, output)`` fails if a command did not do its work.
    """
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for count in range(rounds + 1):
        for name, command in commands.items():
            done = run(command)
            check(name, done.output)
            if count:
                runs[name].append(done)
    return {name: _middle(each) for name, each in runs.items()}


def _middle(runs: list[Run]) -> Run:
    return Run(
        statistics.median(each.cpu for each in runs),
        int(statistics.median(each.peak for each in runs)),
        runs[0].output,
    )


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of this process's CPU time that ``work`` takes, and what it gives."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, numbers to the right."""
    lines = [list(heads), ["---", *["---:"] * (len(heads) - 1)], *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms" if seconds >= 0.01 else f"{seconds * 1e3:.1f} ms"


def seconds(time_: float) -> str:
    return f"{time_:.2f} s"


def megabytes(size: int) -> str:
    return f"{size / MEGABYTE:.0f} MB"


def machine() -> str:
    """What the figures were measured on, and when."""
    return (
        f"{time.strftime('%Y-%m-%d')}; {_processor()}, {os.cpu_count()} cores; "
        f"{platform.system()}; {platform.python_implementation()} {platform.python_version()}"
    )


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
