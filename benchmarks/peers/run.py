"""The peers: Storm, OpenSpiel and Gambit on the same work as gametree, in one run, in turn.

    python benchmarks/peers/run.py [--rounds N] [--only TEXT] [--json FILE]

Every measurement is a process of its own, and every answer is checked. Times are medians of CPU
time, user and system, unless a column says wall. A first round, which is not counted, fills the
caches of the disk and of numba. Needs `pip install '.[bench]'`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import version

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cases import CASES, DICE_A_PLAY, HOG, LARGE, MODELS, Case, hog_model
from measuring import machine, run
from report import process_table, storm_tables
from targets import target_table
from works import Work, command, facts_of, measure, near, script

VERSIONS = ("stormpy", "open-spiel", "pygambit", "gametree", "numpy", "numba", "llvmlite")
PLAYS = (2_000_000, 42_000_000)


def storm(case: Case, folder: str) -> dict[str, Work]:
    """One game by Storm and by gametree."""
    model = os.path.join(folder if case is HOG else MODELS, case.model)
    exactly = near(case.value, 1e-12)
    works = {
        "storm": Work(
            script("storm.py", model, case.constants, case.asked),
            near(together(case) if case.seats else case.value),
        ),
        "stages": Work(script("ours.py", *case.ours), exactly),
        "eval": Work(command("eval", case.ours, "--float"), exactly),
    }
    if case.stochastic_game:
        path = os.path.join(MODELS, case.stochastic_game)
        asked = f"<<one>> {case.asked}"
        works["game"] = Work(
            script("storm.py", path, case.constants, asked, "build"),
            lambda facts: facts["nodes"] > 0,
        )
    return works


def together(case: Case) -> float:
    """The value if both players help the first."""
    assert case.seats is not None
    found = run(command("eval", case.seats, "--float", "--play", "min=worst"))
    return float(facts_of(found.output)["value_float"])


def board() -> dict[str, Work]:
    """Tic-tac-toe."""
    draw = near(0.0)
    methods = ("alpha_beta_search", "expectiminimax", "value_iteration")
    works = {
        f"OpenSpiel, {method}": Work(script("spiel.py", "tic_tac_toe", method), draw)
        for method in methods
    }
    game = ["tic-tac-toe"]
    works["gametree, the fast engine by itself"] = Work(script("ours.py", *game), draw)
    works["`gametree eval`"] = Work(command("eval", game), draw)
    return works


def tree(folder: str) -> dict[str, Work]:
    """A tree written out in full."""
    written = facts_of(run(script("trees.py", folder)).output)
    paths, right = written["paths"], near(written["value"])
    spiel = script("spiel.py", f"efg_game(filename={paths['efg']})", "expectiminimax")
    works = {
        "OpenSpiel, `.efg`": Work(spiel, right),
        "pygambit, `.efg`, read only": Work(script("gambit.py", paths["efg"]), lambda _: True),
    }
    for notation in ("JSON", "YAML, flow style", "YAML, block style"):
        game = [paths[notation]]
        works[f"gametree, {notation}, stages"] = Work(script("tree.py", *game), right)
        works[f"`gametree eval`, {notation}"] = Work(command("eval", game), right)
    return works


def plays() -> dict[str, Work]:
    """A few plays and many: the difference is what plays take."""
    return {
        f"`gametree simulate`, {count:,} plays of Push to 21": Work(
            command("simulate", ["push-to-21"], "-n", str(count), "--threads", "1"),
            lambda facts: abs(facts["mean"] - 15.8585132) < 0.02,
        )
        for count in PLAYS
    }


def large() -> dict[str, Work]:
    """More than 10⁸ edges."""
    works = command("eval", LARGE, "--float", "--max-memory", "20")
    return {
        f"`gametree eval`, {' '.join(LARGE)}": Work(
            works, lambda facts: facts["size"]["edges"] >= 10**8
        )
    }


def parts(folder: str) -> Iterator[tuple[str, Callable[[], dict[str, Work]]]]:
    for case in CASES:
        yield case.title, lambda case=case: storm(case, folder)
    yield "tic-tac-toe", board
    yield "explicit tree", lambda: tree(folder)
    yield "simulation", plays
    yield "large", large


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="what the title of a part must contain")
    parser.add_argument("--json", help="a file for every measurement")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled once, as after an installation
    load = os.getloadavg()[0]
    print(f"{machine()}; {', '.join(f'{name} {version(name)}' for name in VERSIONS)}. ", end="")
    print(f"Medians of {options.rounds} rounds; load average {load:.1f} at the start.", flush=True)
    found: dict[str, dict[str, Work]] = {}
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, HOG.model), "w", encoding="utf-8") as file:
            file.write(hog_model(10))
        for title, make in parts(folder):
            if options.only in title:
                print(f"… {title}", file=sys.stderr, flush=True)
                works = make()
                measure(works.values(), options.rounds)
                found[title] = works
    report(found)
    if options.json:
        kept = {
            title: {name: work.found for name, work in works.items()}
            for title, works in found.items()
        }
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=1)


def report(found: dict[str, dict[str, Work]]) -> None:
    games = {title: works for title, works in found.items() if "storm" in works}
    if games:
        print(f"\n### Storm\n\n{storm_tables(games)}")
    for title, works in found.items():
        if title not in games:
            print(f"\n### {title[0].upper()}{title[1:]}\n\n{process_table(works)}")
    print(f"\n### Targets\n\n{target_table(found, PLAYS[1] - PLAYS[0], DICE_A_PLAY)}")


if __name__ == "__main__":
    main()
