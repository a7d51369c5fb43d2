"""What several test files need: the command line as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import settings

# Where CI is set the examples are always the same: what failed there fails here, and a change is
# judged by what it changes. Everywhere else they are new each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


class Gametree(Protocol):
    """Run ``gametree`` with arguments, in an empty folder, without a terminal."""

    def __call__(
        self, *arguments: str, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def run(tmp_path: Path) -> Gametree:
    def run_gametree(*arguments: str, stdin: str = "", **environment: str):
        plain = {
            name: value
            for name, value in os.environ.items()
            if name not in {"NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE", "GAMETREE_DEBUG"}
        }
        return subprocess.run(
            [sys.executable, "-m", "gametree", *arguments],
            input=stdin,
            env={**plain, "PYTHONUTF8": "1", **environment},
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )

    return run_gametree
