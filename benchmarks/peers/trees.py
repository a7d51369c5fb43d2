"""The explicit tree of `explicit_tree.py`, in Gambit's `.efg`, too, which OpenSpiel reads as well.

`trees.py FOLDER` writes the files and prints their paths and the value. It is a process of its
own: on Linux the peak memory of a process is at least that of the one that started it.
"""

from __future__ import annotations

import json
import os
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from explicit_tree import BRANCHES, LEVELS, ODDS, USUAL, payoff, value, write

OUTCOMES = " ".join(f'"o{i}" {odds}' for i, odds in enumerate(ODDS))
ACTIONS = " ".join(f'"b{i}"' for i in range(BRANCHES))
PLAYERS = {"max": 1, "min": 2}


def efg() -> str:
    """The text of the file: nodes in the order of play, each known to whoever moves there."""
    lines = ['EFG 2 R "explicit" { "max" "min" }', '""']
    seen = dict.fromkeys(USUAL, 0)
    leaves = 0
    open_: list[tuple[int, int]] = [(0, 0)]
    while open_:
        level, path = open_.pop()
        if level == LEVELS:
            leaves += 1
            lines.append(f't "" {leaves} "" {{ {payoff(path)} {-payoff(path)} }}')
            continue
        kind = USUAL[level % len(USUAL)]
        seen[kind] += 1
        head = f'c "" {seen[kind]}' if kind == "chance" else f'p "" {PLAYERS[kind]} {seen[kind]}'
        lines.append(f'{head} "" {{ {OUTCOMES if kind == "chance" else ACTIONS} }} 0')
        open_ += [(level + 1, path * BRANCHES + i) for i in reversed(range(BRANCHES))]
    return "\n".join(lines) + "\n"


def main() -> None:
    folder = sys.argv[1]
    paths = {notation: path for notation, (path, _) in write(folder).items()}
    paths["efg"] = os.path.join(folder, "explicit.efg")
    with open(paths["efg"], "w", encoding="utf-8") as file:
        file.write(efg())
    print(json.dumps({"paths": paths, "value": float(value(USUAL))}))


if __name__ == "__main__":
    main()
