"""How long does a small command take, against a command line that does nothing?

`gametree eval dice` and `gametree validate` of one small file, against an application of two
empty commands on the same typer. Target: within 1.6 times of it.
"""

from __future__ import annotations

import os
import tempfile

from gametree.spec.json_writer import write_json
from gametree.spec.reader import read_path
from measuring import GAMETREE, PYTHON, medians, milliseconds, table

ROUNDS = 21
TARGET = 1.6
EMPTY = '''
import typer

app = typer.Typer()


@app.command()
def one(file: str) -> None:
    """Do nothing."""


@app.command()
def two(file: str) -> None:
    """Do nothing."""
'''
START = "from empty import app\napp()\n"


def write(folder: str, name: str, text: str) -> str:
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def commands(folder: str) -> dict[str, list[str]]:
    from gametree.spec.reader import bundled

    yaml = bundled("dice") or ""
    tree = yaml.removesuffix("yaml") + "tree"
    push = bundled("push-to-21") or ""
    document = read_path(yaml).document
    assert document is not None
    write(folder, "empty.py", EMPTY)
    return {
        "python, nothing": [PYTHON, "-c", "pass"],
        "an empty application": [PYTHON, write(folder, "start.py", START), "one", "file"],
        "eval dice": [GAMETREE, "eval", "dice"],
        "validate, YAML": [GAMETREE, "validate", yaml],
        "validate, JSON": [GAMETREE, "validate", write(folder, "d.json", write_json(document))],
        "validate, text": [GAMETREE, "validate", tree],
        "eval push-to-21": [GAMETREE, "eval", "push-to-21"],
        "validate, YAML with expressions": [GAMETREE, "validate", push],
    }


def check(name: str, output: str) -> None:
    if name == "eval dice":
        assert "value  5\nbest   B" in output, output
    elif name == "eval push-to-21":
        assert "15.858513" in output, output
    elif name.startswith("validate"):
        assert "no problems in 1 file" in output, output


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = medians(commands(folder), ROUNDS, check)
    empty = found["an empty application"].cpu
    rows = [
        (name, milliseconds(each.cpu), f"{each.cpu / empty:.2f}") for name, each in found.items()
    ]
    print(f"Start of small commands; target {TARGET} times the empty application.\n")
    print(table(["process", "CPU time", "against the empty one"], rows))


if __name__ == "__main__":
    main()
