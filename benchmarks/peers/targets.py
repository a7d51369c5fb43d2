"""The targets, and whether the run reached them."""

from __future__ import annotations

from collections.abc import Iterator

from measuring import megabytes, milliseconds, table
from report import (
    build,
    bytes_an_edge,
    check,
    edges,
    nanoseconds,
    number,
    ratio,
    solve,
    total,
    unfold,
    whole,
)
from works import Work

Found = dict[str, dict[str, Work]]
WIDE, DEEP, BANDIT = "pig-race to 200", "Push to 1,000,000", "bandit, 100 pulls"
Row = tuple[str, str, str, bool]


def target_table(found: Found, plays: int, dice: float) -> str:
    """The targets that this run has something to say about."""
    rows = [
        (figure, must, is_, "yes" if reached else "**no**")
        for figure, must, is_, reached in [*_storm(found), *_others(found, plays, dice)]
    ]
    return table(["figure", "target", "measured", "reached"], rows)


def _storm(found: Found) -> Iterator[Row]:
    for title, part in ((WIDE, 0.1), (DEEP, 0.2)):
        if works := found.get(title):
            share = unfold(works) / build(works)
            yield (
                f"unfolding, {title}: share of Storm's build",
                f"{part:.1f}",
                f"{share:.3f}",
                share <= part,
            )
    if works := found.get(WIDE):
        each = works["stages"].middle("cpu", "unfold") / edges(works)
        yield f"unfolding, {WIDE}: an edge", "60 ns", nanoseconds(each), each < 60e-9
    for title in (WIDE, DEEP, BANDIT):
        if works := found.get(title):
            each, share = solve(works) / edges(works), solve(works) / check(works)
            yield f"solving, {title}: an edge", "5 ns", nanoseconds(each), each < 5e-9
            yield (
                f"solving, {title}: share of Storm's check",
                "0.1",
                f"{share:.3f}",
                share <= 0.1,
            )
    for title in (WIDE, DEEP, BANDIT):
        if works := found.get(title):
            share = whole(works) / total(works)
            yield (
                f"`gametree eval`, {title}: share of Storm's parse, build and check",
                "0.2",
                ratio(whole(works), total(works)),
                share <= 0.2,
            )
    for title in (WIDE, DEEP, BANDIT):
        if works := found.get(title):
            size = bytes_an_edge(works)
            yield f"peak memory, {title}: an edge", "24 bytes", f"{size:.1f} bytes", size < 24


def _others(found: Found, plays: int, dice: float) -> Iterator[Row]:
    if works := found.get("explicit tree"):
        theirs, ours = works["OpenSpiel, `.efg`"], works["`gametree eval`, JSON"]
        limit = theirs.middle("cpu", "load") + theirs.middle("cpu", "solve")
        stages = works["gametree, JSON, stages"]
        inner = stages.middle("cpu", "read") + stages.middle("cpu", "evaluate")
        yield (
            "explicit tree, JSON, read and evaluated: below OpenSpiel's load and search",
            milliseconds(limit),
            milliseconds(inner),
            inner < limit,
        )
        yield (
            "explicit tree, JSON, the whole process: below OpenSpiel's load and search",
            milliseconds(limit),
            milliseconds(ours.middle("process")),
            ours.middle("process") < limit,
        )
    if works := found.get("large"):
        (work,) = works.values()
        size = int(work.middle("most"))
        yield "peak memory of 10⁸ edges", "20,000 MB", megabytes(size), size < 20e9
    if works := found.get("simulation"):
        few, many = (work.middle("process") for work in works.values())
        rate = plays * dice / (many - few)
        yield "`simulate`, Push to 21: dice a second", "20,000,000", number(rate), rate > 20e6
