"""The size of a game: text for a terminal, plain data for ``json.dumps``.

Holds   JSON has every digit of a tree's counts, as text, and a float beside it (null beyond
        floats); counts too large to be made are null, and their logarithm is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from ..evaluator.statistics import Count, Level, Statistics
from .grid import grid_lines
from .numbers import as_float, exact_text
from .paint import Paint

_LEVELS = 20  # rows
_DIGITS = 45  # of a count that is written out
_LEVEL_DIGITS = 15


# --- JSON ------------------------------------------------------------------------------------


def statistics_json(found: Statistics) -> dict[str, object]:
    """What ``eval --stats --format json`` puts under ``statistics``; its keys are a contract."""
    return {
        "kinds": found.kinds,
        "tree": {"nodes": _count_json(found.nodes), "terminals": _count_json(found.terminals)},
        "levels": [_level_json(level) for level in found.levels],
        "levels_complete": found.complete,
    }


def _count_json(count: Count) -> dict[str, object]:
    exact = count.exact
    return {
        "count": None if exact is None else exact_text(exact),
        "count_float": None if exact is None else as_float(exact),
        "log10": count.log10,
    }


def _level_json(level: Level) -> dict[str, object]:
    return {
        "depth": level.depth,
        "nodes": exact_text(level.nodes),
        "terminals": exact_text(level.terminals),
        "branches": {"min": level.least, "mean": level.mean, "max": level.most},
    }


# --- text ------------------------------------------------------------------------------------


def statistics_text(found: Statistics, *, colour: bool = False) -> str:
    """What a person reads, without a line break at its end."""
    return "\n".join(_lines(found, Paint(colour)))


def _lines(found: Statistics, paint: Paint) -> Iterator[str]:
    size = found.size
    edges = None if found.nodes.exact is None else found.nodes.exact - 1
    rows = [
        ["", "graph", "tree"],
        ["nodes", f"{size.nodes:,}", _count_text(found.nodes)],
        ["edges", f"{size.edges:,}", _count_text(Count(edges, found.nodes.log10))],
        ["terminals", f"{size.terminals:,}", _count_text(found.terminals)],
    ]
    yield from grid_lines(rows, paint, right=(1, 2))
    yield ""
    yield f"  {_saved(found)}"
    yield f"  {', '.join(f'{count:,} {kind}' for kind, count in found.kinds.items())}"
    yield ""
    yield from _level_lines(found, paint)


def _saved(found: Statistics) -> str:
    tree, graph = found.nodes, found.size.nodes
    if tree.exact is None:
        return f"a node stands for some 10^{_power(tree.log10, graph)} of the tree, on average"
    if tree.exact == graph:
        return "nothing is shared: the graph is the tree"
    saved, times = tree.exact - graph, Decimal(tree.exact) / graph
    often = f"{times:.3g}" if times < 10**6 else f"some 10^{_power(tree.log10, graph)}"
    return f"sharing saves {_whole(saved)} nodes: each stands for {often} of the tree, on average"


def _power(log10: float, graph: int) -> int:
    return round(log10 - len(str(graph)) + 1)


def _count_text(count: Count) -> str:
    return f"≈ 10^{count.log10:.1f}" if count.exact is None else _whole(count.exact)


def _whole(number: int, most: int = _DIGITS) -> str:
    """All digits, or the first of them and how many there are."""
    if number < 10**most:
        return f"{number:,}"
    digits = exact_text(number)
    return f"{digits[0]}.{digits[1:6]}…e+{len(digits) - 1} ({len(digits):,} digits)"


def _level_lines(found: Statistics, paint: Paint) -> Iterator[str]:
    """The levels; of many, the first ones."""
    shown = found.levels[:_LEVELS]
    rows = [["depth", "nodes", "terminals", "branches", "mean"]]  # of the tree
    rows += [
        [
            str(level.depth),
            _short(level.nodes),
            _short(level.terminals),
            _range(level),
            f"{level.mean:.4g}" if level.most else "",
        ]
        for level in shown
    ]
    yield from grid_lines(rows, paint, right=range(5))
    more = len(found.levels) - len(shown)
    if not found.complete:
        yield f"  … and more, down to depth {found.size.depth:,}"
    elif more:
        yield f"  … and {more:,} more"


def _short(number: int) -> str:
    if number < 10**_LEVEL_DIGITS:
        return f"{number:,}"
    digits = exact_text(number)
    return f"{digits[0]}.{digits[1:4]}…e+{len(digits) - 1}"


def _range(level: Level) -> str:
    if not level.most:
        return ""
    return str(level.most) if level.least == level.most else f"{level.least} to {level.most}"
