"""Compare an installed gametree with a checkout: every module and data file has to be there.

Run with the Python of the installation, from any folder: ``python wheel_contents.py CHECKOUT``.
"""

from __future__ import annotations

import sys
from pathlib import Path

FOLDERS = ("spec", "compiler", "evaluator", "render", "cli", "trees")
SUFFIXES = {".py", ".json", ".lark", ".md", ".tree", ".yaml", ".html", ".css", ".js"}


def files_of(root: Path) -> set[str]:
    """The package's files under ``root``, as paths relative to it."""
    found = {path.name for path in root.glob("*.py")} | {"py.typed"}
    for folder in FOLDERS:
        found |= {
            path.relative_to(root).as_posix()
            for path in (root / folder).rglob("*")
            if path.suffix in SUFFIXES and "__pycache__" not in path.parts
        }
    return found


def main(checkout: Path) -> int:
    """Print what is missing or too much; the exit code."""
    import gametree

    installed = Path(gametree.__file__).parent
    if installed == checkout:
        print("the checkout itself was imported, not an installation")
        return 1
    wanted, found = files_of(checkout), files_of(installed)
    for name in sorted(wanted - found):
        print(f"missing: {name}")
    for name in sorted(found - wanted):
        print(f"not in the checkout: {name}")
    print(f"{len(found)} files installed in {installed}")
    return 0 if wanted == found else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
