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
LARGE_LEVELS = 10
BRANCHES = 4
ROUNDS = 3
STAGES = ("read in bulk", "to the DAG", "solve", "read", "validate", "check", "unfold")
# What decides, level by level, again and again.
USUAL = ("chance", "max", "chance", "min")
ODDS_LAST = ("max", "chance", "min", "chance")
ODDS = ("1/2", "1/4", "1/8", "1/8")


def payoff(path: int) -> int:
    """A number that looks random, for the leaf at the end of ``path``."""
    return path * 7919 % 10_007 - 5_000


def node(kinds: Sequence[str], levels: int = LEVELS, level: int = 0, path: int = 0) -> Any:
    """The tree below ``path``, as plain data."""
    if level == levels:
        return payoff(path)
    kind = kinds[level % len(kinds)]
    below = [node(kinds, levels, level + 1, path * BRANCHES + i) for i in range(BRANCHES)]
    if kind != "chance":
        return {kind: {f"b{i}": branch for i, branch in enumerate(below)}}
    return {
        kind: {
            f"o{i}": {"p": ODDS[i], **(branch if isinstance(branch, dict) else {"then": branch})}
            for i, branch in enumerate(below)
        }
    }


def value(kinds: Sequence[str], levels: int = LEVELS, level: int = 0, path: int = 0) -> Fraction:
    """The tree's value, by its definition."""
    if level == levels:
        return Fraction(payoff(path))
    below = [value(kinds, levels, level + 1, path * BRANCHES + i) for i in range(BRANCHES)]
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


def write_large(folder: str) -> dict[str, tuple[str, str]]:
    """A file of a million leaves of each kind that is read in bulk, and the value."""
    root, wanted = node(USUAL, LARGE_LEVELS), str(value(USUAL, LARGE_LEVELS))
    found: dict[str, tuple[str, str]] = {}
    for title, name, text in (
        ("YAML, flow style", "large.yaml", f"game: explicit\nroot: {as_flow(root)}\n"),
        ("JSON", "large.json", json.dumps({"game": "explicit", "root": root})),
    ):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        found[title] = path, wanted
    return found


def stages(path: str) -> dict[str, Any]:
    """Seconds of each stage in this process, and the value.

    A large tree written out is read in bulk, if it is JSON or plain YAML, and goes straight to
    its DAG; ``read`` makes a document of it, and ``check`` and ``unfold`` are the way of all
    other games, taken for comparison.
    """
    import gametree.cli  # sets the garbage collector's pace
    from gametree.compiler.check import check
    from gametree.compiler.explicit import explicit_dag, sketched_dag
    from gametree.compiler.unfold import unfold
    from gametree.evaluator.solve import solve
    from gametree.spec.reader import read_path, text_at
    from gametree.spec.sketch import sketch
    from gametree.spec.validate import validate

    del gametree
    found: dict[str, Any] = {}

    def stage(name: str, work: Callable[[], Any]) -> Any:
        found[name], result = timed(work)
        return result

    text: Any = text_at(path)
    bulk: Any = stage("read in bulk", lambda: sketch(*text))
    document: Any = None
    if bulk is None:
        document = stage("read", lambda: read_path(path)).document
        tree: Any = stage("to the DAG", lambda: explicit_dag(document))
    else:
        tree = stage("to the DAG", lambda: sketched_dag(bulk.root))
        document = stage("read", lambda: read_path(path)).document
    solution = stage("solve", lambda: solve(tree))
    problems = stage("validate", lambda: validate(document))
    assert not problems
    program: Any = stage("check", lambda: check(document)).program
    dag = stage("unfold", lambda: unfold(program))
    assert solve(dag).value(0) == solution.value(0)
    return {**{stage: found[stage] for stage in STAGES}, "value": str(solution.value(0))}


def main() -> None:
    if len(sys.argv) > 1:
        work, path = sys.argv[1:]
        works = {"write": write, "write_large": write_large, "stages": stages}
        print(json.dumps(works[work](path)))
        return
    usual()
    large()


def large() -> None:
    """Print how long a million leaves take."""
    leaves = BRANCHES**LARGE_LEVELS
    with tempfile.TemporaryDirectory() as folder:
        written = json.loads(run([PYTHON, __file__, "write_large", folder]).output)
        wanted = {name: Fraction(value) for name, (_, value) in written.items()}

        def check(name: str, output: str) -> None:
            answer = json.loads(output)
            assert Fraction(answer["value"]) == wanted[name]
            assert answer["size"]["terminals"] == leaves

        commands = {
            name: [GAMETREE, "eval", path, "--exact", "--format", "json"]
            for name, (path, _) in written.items()
        }
        found = medians(commands, ROUNDS, check)
        sizes = {name: os.path.getsize(path) for name, (path, _) in written.items()}
    rows = [
        (
            name,
            megabytes(sizes[name]),
            seconds(each.cpu),
            f"{each.cpu / leaves * 1e6:.1f} µs",
            megabytes(each.peak),
            f"{each.peak / leaves:.0f} bytes",
        )
        for name, each in found.items()
    ]
    print(f"\nA tree of {leaves:,} leaves, {LARGE_LEVELS} levels of {BRANCHES}, exact.\n")
    print(table(["notation", "file", "`gametree eval`", "a leaf", "peak memory", "a leaf"], rows))


def usual() -> None:
    """Print how long each notation takes, and each stage."""
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
        "\nThe stages: the first three are what it takes, with `read` in place of `read in bulk` "
        "in the text notation; the others are what games with expressions need.\n"
    )
    print(table(["notation", *heads], rows))


def median_stages(path: str, expected: Fraction) -> dict[str, float]:
    """The stages' medians over the rounds."""
    every = [json.loads(run([PYTHON, __file__, "stages", path]).output) for _ in range(ROUNDS)]
    assert all(Fraction(each.pop("value")) == expected for each in every)
    return {name: statistics.median(each[name] for each in every) for name in every[0]}


if __name__ == "__main__":
    main()
