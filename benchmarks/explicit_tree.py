"""How long does a tree written out in full take: 65,536 leaves, 8 levels of 4?

Whole processes of `gametree eval` for each notation, then the stages one by one in a process
that does nothing else. Chance decides at every other level; in the tree "with odds at the
leaves" the last level is one of chance, so that every leaf is a mapping with its odds. Targets:
4 s from YAML, 2 s from JSON, under 400 MB.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from measuring import GAMETREE, PYTHON, medians, megabytes, run, seconds, table, timed

LEVELS = 8
BRANCHES = 4
ROUNDS = 3
# What decides, level by level, again and again.
USUAL = ("chance", "max", "chance", "min")
ODDS_LAST = ("max", "chance", "min", "chance")
ODDS = ("1/2", "1/4", "1/8", "1/8")


def payoff(path: int) -> int:
    """A number that looks random, for the leaf at the end of ``path``."""
    return path * 7919 % 10_007 - 5_000


def node(kinds: Sequence[str], level: int = 0, path: int = 0) -> Any:
    """The tree below ``path``, as plain data."""
    if level == LEVELS:
        return payoff(path)
    kind = kinds[level % len(kinds)]
    below = [node(kinds, level + 1, path * BRANCHES + i) for i in range(BRANCHES)]
    if kind != "chance":
        return {kind: {f"b{i}": branch for i, branch in enumerate(below)}}
    return {
        kind: {
            f"o{i}": {"p": ODDS[i], **(branch if isinstance(branch, dict) else {"then": branch})}
            for i, branch in enumerate(below)
        }
    }


def value(kinds: Sequence[str], level: int = 0, path: int = 0) -> Fraction:
    """The tree's value, by its definition."""
    if level == LEVELS:
        return Fraction(payoff(path))
    below = [value(kinds, level + 1, path * BRANCHES + i) for i in range(BRANCHES)]
    kind = kinds[level % len(kinds)]
    if kind == "chance":
        return sum((Fraction(p) * v for p, v in zip(ODDS, below, strict=True)), Fraction(0))
    return max(below) if kind == "max" else min(below)


def as_block(data: Any, indent: str) -> str:
    """YAML in block style."""
    lines: list[str] = []
    for key, inner in data.items():
        if isinstance(inner, dict):
            lines += [f"{indent}{key}:", as_block(inner, indent + "  ")]
        else:
            lines.append(f"{indent}{key}: {inner}")
    return "\n".join(lines)


def as_flow(data: Any) -> str:
    """YAML in flow style."""
    if not isinstance(data, dict):
        return str(data)
    return "{" + ", ".join(f"{key}: {as_flow(inner)}" for key, inner in data.items()) + "}"


def as_text(data: Any) -> str:
    """The text notation, of a node without its odds."""
    if not isinstance(data, dict):
        return str(data)
    if "then" in data:
        return str(data["then"])
    kind = next(key for key in data if key != "p")
    branches = [
        f"{label}{odds_of(branch)}: {as_text(branch)}" for label, branch in data[kind].items()
    ]
    return f"{kind} {{ {', '.join(branches)} }}"


def odds_of(branch: Any) -> str:
    return f" @ {branch['p']}" if isinstance(branch, dict) and "p" in branch else ""


def write(folder: str) -> dict[str, tuple[str, str]]:
    """A file of each kind: its path, and the value of the game in it."""
    usual, odds_last = node(USUAL), node(ODDS_LAST)
    usual_value, odds_last_value = value(USUAL), value(ODDS_LAST)

    def yaml(root: Any) -> str:
        return f"game: explicit\nroot:\n{as_block(root, '  ')}\n"

    contents = (
        ("YAML, block style", "b.yaml", yaml(usual), usual_value),
        ("YAML, flow style", "f.yaml", f"game: explicit\nroot: {as_flow(usual)}\n", usual_value),
        ("JSON", "u.json", json.dumps({"game": "explicit", "root": usual}), usual_value),
        ("text", "u.tree", f'game "explicit"\nroot {as_text(usual)}\n', usual_value),
        ("YAML, odds at the leaves", "l.yaml", yaml(odds_last), odds_last_value),
        (
            "JSON, odds at the leaves",
            "l.json",
            json.dumps({"game": "explicit", "root": odds_last}),
            odds_last_value,
        ),
    )
    found: dict[str, tuple[str, str]] = {}
    for title, name, text, expected in contents:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        found[title] = path, str(expected)
    return found


def stages(path: str) -> dict[str, Any]:
    """Seconds of each stage in this process, and the value.

    A tree written out goes straight to its DAG; ``check`` and ``unfold`` are the way of all
    other games, taken for comparison.
    """
    import gametree.cli  # sets the garbage collector's pace
    from gametree.compiler.check import check
    from gametree.compiler.explicit import explicit_dag
    from gametree.compiler.unfold import unfold
    from gametree.evaluator.solve import solve
    from gametree.spec.reader import read_path
    from gametree.spec.validate import validate

    del gametree
    found: dict[str, Any] = {}

    def stage(name: str, work: Callable[[], Any]) -> Any:
        found[name], result = timed(work)
        return result

    document: Any = stage("read", lambda: read_path(path)).document
    problems = stage("validate", lambda: validate(document))
    assert not problems
    tree = stage("to the DAG", lambda: explicit_dag(document))
    solution = stage("solve", lambda: solve(tree))
    program: Any = stage("check", lambda: check(document)).program
    dag = stage("unfold", lambda: unfold(program))
    assert solve(dag).value(0) == solution.value(0)
    return {**found, "value": str(solution.value(0))}


def main() -> None:
    if len(sys.argv) > 1:
        work, path = sys.argv[1:]
        print(json.dumps({"write": write, "stages": stages}[work](path)))
        return
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: a process on Linux counts its parent's memory as its own peak.
        written = json.loads(run([PYTHON, __file__, "write", folder]).output)
        files = {name: (path, Fraction(value)) for name, (path, value) in written.items()}

        def check(name: str, output: str) -> None:
            answer = json.loads(output)
            assert Fraction(answer["value"]) == files[name][1]
            assert answer["size"]["terminals"] == BRANCHES**LEVELS

        commands = {
            name: [GAMETREE, "eval", path, "--exact", "--format", "json"]
            for name, (path, _) in files.items()
        }
        found = medians(commands, ROUNDS, check)
        parts = {name: median_stages(path, expected) for name, (path, expected) in files.items()}
        sizes = {name: os.path.getsize(path) for name, (path, _) in files.items()}
    print(
        f"A tree of {BRANCHES**LEVELS:,} leaves, {LEVELS} levels of {BRANCHES}, exact; "
        "targets 4 s from YAML, 2 s from JSON, under 400 MB.\n"
    )
    rows = [
        (
            name,
            megabytes(sizes[name]),
            seconds(each.cpu),
            f"{each.cpu / BRANCHES**LEVELS * 1e6:.0f} µs",
            megabytes(each.peak),
        )
        for name, each in found.items()
    ]
    print(table(["notation", "file", "`gametree eval`", "a leaf", "peak memory"], rows))
    heads = list(next(iter(parts.values())))
    rows = [(name, *(seconds(each[head]) for head in heads)) for name, each in parts.items()]
    print(
        "\nThe stages of it; `check` and `unfold` are what games with expressions need instead.\n"
    )
    print(table(["notation", *heads], rows))


def median_stages(path: str, expected: Fraction) -> dict[str, float]:
    """The stages' medians over the rounds."""
    every = [json.loads(run([PYTHON, __file__, "stages", path]).output) for _ in range(ROUNDS)]
    assert all(Fraction(each.pop("value")) == expected for each in every)
    return {name: statistics.median(each[name] for each in every) for name in every[0]}


if __name__ == "__main__":
    main()
