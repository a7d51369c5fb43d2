"""The tables of what was measured."""

from __future__ import annotations

from collections.abc import Callable

from measuring import megabytes, milliseconds, table
from works import Work

Parts = dict[str, dict[str, Work]]  # by game, then "storm", "game", "stages", "eval"


def unfold(works: dict[str, Work]) -> float:
    """Seconds from the checked program to the numbered graph: code and walk."""
    return works["stages"].middle("cpu", "compile") + works["stages"].middle("cpu", "unfold")


def build(works: dict[str, Work]) -> float:
    return works["storm"].middle("cpu", "build")


def check(works: dict[str, Work]) -> float:
    return works["storm"].middle("cpu", "check")


def solve(works: dict[str, Work]) -> float:
    return works["stages"].middle("cpu", "solve")


def edges(works: dict[str, Work]) -> float:
    return works["stages"].middle("edges")


def total(works: dict[str, Work]) -> float:
    """Storm's parse, build and check."""
    return works["storm"].middle("cpu", "parse") + build(works) + check(works)


def whole(works: dict[str, Work]) -> float:
    return works["eval"].middle("process")


def storm_tables(parts: Parts) -> str:
    makers: tuple[Callable[[Parts], str], ...] = (
        sizes_table,
        unfolding_table,
        solving_table,
        wholes_table,
        memory_table,
    )
    return "\n\n".join(maker(parts) for maker in makers)


def sizes_table(parts: Parts) -> str:
    rows = [
        (
            title,
            number(works["storm"].middle("nodes")),
            number(works["storm"].middle("edges")),
            number(works["stages"].middle("nodes")),
            number(edges(works)),
        )
        for title, works in parts.items()
    ]
    heads = ["game", "Storm: states", "transitions", "gametree: nodes", "edges"]
    return (
        "What is built. Storm counts the states of its model and the outcomes of their choices; "
        f"gametree counts chance nodes, too, and an edge for each branch.\n\n{table(heads, rows)}"
    )


def unfolding_table(parts: Parts) -> str:
    rows = [
        (
            title,
            milliseconds(build(works)),
            milliseconds(works["game"].middle("cpu", "build")) if "game" in works else "",
            milliseconds(works["stages"].middle("cpu", "compile")),
            milliseconds(works["stages"].middle("cpu", "unfold")),
            milliseconds(works["stages"].middle("system", "unfold")),
            ratio(unfold(works), build(works)),
            nanoseconds(build(works) / works["storm"].middle("edges")),
            nanoseconds(works["stages"].middle("cpu", "unfold") / edges(works)),
        )
        for title, works in parts.items()
    ]
    heads = [
        "game",
        "Storm's build",
        "as a stochastic game",
        "gametree: compile",
        "unfold",
        "of it system",
        "both / Storm's build",
        "Storm, a transition",
        "unfold, an edge",
    ]
    return f"Unfolding.\n\n{table(heads, rows)}"


def solving_table(parts: Parts) -> str:
    rows = [
        (
            title,
            milliseconds(check(works)),
            milliseconds(solve(works)),
            milliseconds(works["stages"].middle("system", "solve")),
            ratio(solve(works), check(works)),
            nanoseconds(solve(works) / edges(works)),
        )
        for title, works in parts.items()
    ]
    heads = ["game", "Storm's check", "gametree", "of it system", "gametree / Storm", "an edge"]
    return f"Solving.\n\n{table(heads, rows)}"


def wholes_table(parts: Parts) -> str:
    rows = [
        (
            title,
            milliseconds(total(works)),
            milliseconds(works["storm"].middle("process")),
            milliseconds(whole(works)),
            ratio(whole(works), total(works)),
            milliseconds(works["storm"].middle("elapsed")),
            milliseconds(works["eval"].middle("elapsed")),
        )
        for title, works in parts.items()
    ]
    heads = [
        "game",
        "Storm: parse + build + check",
        "its process",
        "`gametree eval`",
        "`eval` / parse + build + check",
        "Storm's process, wall",
        "`eval`, wall",
    ]
    return (
        "Everything: Storm's stages, its whole process (with the start of Python and stormpy), "
        f"and a whole process of `gametree eval`.\n\n{table(heads, rows)}"
    )


def memory_table(parts: Parts) -> str:
    rows = [
        (
            title,
            megabytes(int(works["storm"].middle("most"))),
            megabytes(int(works["eval"].middle("most"))),
            ratio(works["eval"].middle("most"), works["storm"].middle("most")),
            f"{bytes_an_edge(works):.1f}",
            f"{above_the_start(works):.1f}",
        )
        for title, works in parts.items()
    ]
    heads = [
        "game",
        "Storm",
        "`gametree eval`",
        "`eval` / Storm",
        "bytes an edge",
        "above the start",
    ]
    return (
        "Peak memory of the process; for gametree also by the edge, everything counted, and "
        "without what Python and its libraries take before the game is unfolded.\n\n"
        f"{table(heads, rows)}"
    )


def bytes_an_edge(works: dict[str, Work]) -> float:
    return works["eval"].middle("most") / edges(works)


def above_the_start(works: dict[str, Work]) -> float:
    start = works["stages"].middle("peak", "read")
    return (works["stages"].middle("most") - start) / edges(works)


def process_table(works: dict[str, Work]) -> str:
    """Whole processes, with the stages of those that tell them."""
    rows: list[tuple[str, ...]] = []
    for title, work in works.items():
        stages = {
            name: work.middle("cpu", name)
            for name in work.found[0].get("cpu", {})
            if name != "start"
        }
        rows.append(
            (
                title,
                ", ".join(f"{name} {milliseconds(each)}" for name, each in stages.items()),
                milliseconds(sum(stages.values())) if stages else "",
                milliseconds(work.middle("process")),
                milliseconds(work.middle("elapsed")),
                megabytes(int(work.middle("most"))),
            )
        )
    heads = ["", "stages", "together", "process", "process, wall", "peak memory"]
    return table(heads, rows)


def number(count: float) -> str:
    return f"{count:,.0f}"


def ratio(ours: float, theirs: float) -> str:
    return f"{ours / theirs:.3f}"


def nanoseconds(time: float) -> str:
    return f"{time * 1e9:.1f} ns"
