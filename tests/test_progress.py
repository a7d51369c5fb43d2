"""What long work shows on a terminal, and how it can be interrupted; real terminals by ``pty``."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import pytest

pty = pytest.importorskip("pty", reason="terminals of Unix")

RACE = """\
game "race"
param goal = 12
node race(me: 0..goal, you: 0..goal, pot: 0..goal) = max {
  roll: chance {
    "1": if me + 1 >= goal then 1 else 1 - race(you, me + 1, 0)
    for d in 2..6: if me + pot + d >= goal then 1 else race(me, you, pot + d)
  }
  for h in [1] if pot > 0 as "hold": 1 - race(you, me + pot, 0)
}
root race(0, 0, 0)
policy "hold at 4" { race(me, you, pot): if pot >= 4 then "hold" else "roll" }
expect { size: {depth: 1} }
"""
CLEARED = "\r\x1b[K"


class Terminal:
    """A command whose stdout and stderr are a terminal of 100 columns."""

    def __init__(self, *arguments, cwd):
        ours, theirs = pty.openpty()
        self.output = b""
        self.terminal = ours
        environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
        command = [sys.executable, "-m", "gametree", *arguments]
        self.process = subprocess.Popen(
            command, stdout=theirs, stderr=theirs, stdin=theirs, cwd=cwd, env=environment
        )
        os.close(theirs)

    def read(self, until=None, timeout=120):
        """Read until a pattern turns up, or to the end."""
        import select

        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if until and re.search(until, self.output.decode("utf-8", "replace")):
                break
            if not select.select([self.terminal], [], [], 0.1)[0]:
                continue
            try:
                piece = os.read(self.terminal, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            self.output += piece
        return self.output.decode("utf-8", "replace")

    def end(self):
        """Read to the end; the exit code."""
        self.read()
        code = self.process.wait(30)
        os.close(self.terminal)
        return code


@pytest.fixture
def race(tmp_path):
    (tmp_path / "race.tree").write_text(RACE)
    return tmp_path


def screen(output):
    """What is left on the screen: a line that was cleared is gone."""
    return [line.rpartition(CLEARED)[2] for line in output.replace("\r\n", "\n").split("\n")]


@pytest.mark.parametrize(
    "command",
    [
        ["eval", "race.tree", "--set", "goal=30", "--exact"],
        ["table", "race.tree", "--set", "goal=30", "--exact", "--limit", "1"],
        ["compile", "race.tree", "--set", "goal=30", "--exact", "-o", "race.npz"],
        ["validate", "race.tree", "--set", "goal=180"],
        ["test", "race.tree", "--set", "goal=180"],
    ],
    ids=lambda command: command[0],
)
def test_long_work_says_on_a_terminal_where_it_is(race, command):
    """States found, open ones, the rate and the memory; all gone at the end."""
    terminal = Terminal(*command, cwd=race)
    terminal.end()
    output = terminal.read(timeout=0)

    assert re.search(r"\r\x1b\[K[\d,]+ states, [\d,]+ open, .*[\d.]+ GiB", output)
    assert not any("open," in line or "solving" in line for line in screen(output))


def test_solving_and_machine_code_are_told(race):
    terminal = Terminal("eval", "race.tree", "--set", "goal=200", cwd=race)
    assert terminal.end() == 0
    output = terminal.read(timeout=0)

    assert re.search(r"[\d,]+ states, [\d,]+ open, [\d,]+ edges, [\d,]+/s", output)
    assert re.search(r"\[#+ *\] solving [\d,]+ states", output)


def test_plays_are_counted(race):
    terminal = Terminal("simulate", "race.tree", "-n", "3000000", cwd=race)
    assert terminal.end() == 0

    assert re.search(r"\[#* *\] [\d,]+ of 3,000,000 plays", terminal.read(timeout=0))


def test_the_file_at_work_is_named_where_there_are_many(race):
    (race / "other.tree").write_text(RACE)
    terminal = Terminal("validate", "other.tree", "race.tree", "--set", "goal=60", cwd=race)
    assert terminal.end() == 0

    assert re.search(r"2/2 race\.tree: [\d,]+ states", terminal.read(timeout=0))


def test_lines_fit_the_terminal(race):
    terminal = Terminal("eval", "race.tree", "--set", "goal=30", "--exact", cwd=race)
    terminal.end()
    output = terminal.read(timeout=0)

    drawn = re.findall(r"\r\x1b\[K([^\r\n]*)", output)
    assert drawn
    assert all(len(line) < 100 for line in drawn if "\x1b" not in line)


def test_short_work_shows_nothing(race):
    terminal = Terminal("eval", "race.tree", "--set", "goal=2", cwd=race)
    assert terminal.end() == 0
    assert "states," not in terminal.read(timeout=0)


def test_nothing_is_drawn_in_a_pipe(race, run):
    done = run("eval", "race.tree", "--set", "goal=30", "--exact")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("command", "until"),
    [
        (["eval", "race.tree", "--set", "goal=60", "--exact"], "open"),
        (["eval", "race.tree", "--set", "goal=40", "--exact"], "solving"),
        (["eval", "race.tree", "--set", "goal=300"], "edges"),
        (["eval", "race.tree", "--set", "goal=170"], "solving"),
        (["simulate", "race.tree", "-n", "2000000000"], "plays"),
        (["validate", "race.tree", "--set", "goal=300"], "open"),
        (["test", "race.tree", "--set", "goal=300"], "edges"),
        (["compile", "race.tree", "--set", "goal=300", "-o", "race.npz"], "edges"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else part,
)
def test_interrupting_ends_with_130_and_a_clean_line(race, command, until):
    """At any stage: Python's own, compiled code, threads."""
    terminal = Terminal(*command, cwd=race)
    assert until in terminal.read(until=until)
    terminal.process.send_signal(signal.SIGINT)
    started = time.monotonic()

    assert terminal.end() == 130
    assert time.monotonic() - started < 5  # a tenth of that on a machine of one's own
    output = terminal.read(timeout=0)
    assert "Traceback" not in output
    assert "".join(screen(output)).strip("^C\n ") == ""
    assert os.listdir(race) == ["race.tree"]
