"""What does each file cost when one `gametree validate` is given 200 small ones?

The files differ: a lottery of their own numbers, a small tree, a game with state. Target: under
10 ms of CPU time each.
"""

from __future__ import annotations

import os
import tempfile

from measuring import GAMETREE, medians, milliseconds, table

FILES = 200
ROUNDS = 5
TARGET = "10 ms"


def tree(number: int) -> str:
    """A small tree of numbers, in YAML."""
    return (
        f"game: tree {number}\n"
        "root:\n"
        "  max:\n"
        "    A:\n"
        "      chance:\n"
        f"        low: {{p: 1/{number + 2}, min: [{number}, 8]}}\n"
        f"        high: {{p: rest, min: [3, {number + 9}]}}\n"
        "    B:\n"
        "      chance:\n"
        f"        low: {{p: 1/3, then: {number}}}\n"
        "        high: {p: 2/3, min: [6, 7]}\n"
    )


def stateful(number: int) -> str:
    """A game with state, in YAML."""
    return (
        f"game: push {number}\n"
        f"params: {{target: {number % 20 + 5}}}\n"
        "nodes:\n"
        '  "turn(total: 0..target)":\n'
        "    max:\n"
        "      stand: total\n"
        "      hit:\n"
        "        chance:\n"
        f"          for d in 1..{number % 6 + 2}:\n"
        "            if: total + d > target\n"
        f"            then: -{number}\n"
        "            else: turn(total + d)\n"
        "root: turn(0)\n"
    )


def text(number: int) -> str:
    """A small tree in the text notation."""
    return (
        f'game "text {number}"\n'
        "root max {\n"
        f"  A: chance {{ low @ 1/{number + 2}: min {{ {number}, 8 }}, high @ rest: 3 }}\n"
        f"  B: {number} / 2 + 1\n"
        "}\n"
    )


KINDS = {
    "YAML, numbers": (tree, "yaml"),
    "YAML, state": (stateful, "yaml"),
    "text": (text, "tree"),
}


def write(folder: str, kind: str, count: int) -> str:
    """``count`` files in a folder of their own, which is given back."""
    made = os.path.join(folder, f"{kind.replace(', ', '-')}-{count}")
    os.mkdir(made)
    make, suffix = KINDS[kind]
    for number in range(count):
        with open(os.path.join(made, f"g{number}.{suffix}"), "w", encoding="utf-8") as file:
            file.write(make(number))
    return made


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            f"{kind} {count}": [GAMETREE, "validate", write(folder, kind, count)]
            for kind in KINDS
            for count in (1, FILES)
        }

        def check(name: str, output: str) -> None:
            count = name.rpartition(" ")[2]
            assert f"no problems in {count} file" in output, output

        found = medians(commands, ROUNDS, check)
    rows: list[tuple[str, ...]] = []
    for kind in KINDS:
        one, all_ = found[f"{kind} 1"].cpu, found[f"{kind} {FILES}"].cpu
        each = (all_ - one) / (FILES - 1)
        rows.append((kind, *map(milliseconds, (all_, all_ / FILES, each))))
    print(f"{FILES} small files in one `gametree validate`; target under {TARGET} a file.\n")
    print(table(["files", "whole process", "a file", "a file, start-up left out"], rows))


if __name__ == "__main__":
    main()
