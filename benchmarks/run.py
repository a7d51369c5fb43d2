"""Run all benchmarks, or those named, and print their tables as Markdown."""

from __future__ import annotations

import os
import subprocess
import sys

from measuring import PYTHON, machine

ALL = ("startup", "many_files", "explicit_tree", "push_exact", "per_state")
HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> int:
    names = sys.argv[1:] or ALL
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(ALL)}", file=sys.stderr)
        return 2
    print(machine())
    failed = 0
    for name in names:
        print(f"\n## {name}\n", flush=True)
        failed |= subprocess.run([PYTHON, os.path.join(HERE, f"{name}.py")], check=False).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
