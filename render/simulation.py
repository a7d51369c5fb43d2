"""A simulation: text for a terminal, plain data for ``json.dumps``.

Holds   the text shows the mean to two digits of its standard error; the JSON has every number
        in full, and null for one that is not there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from heapq import nsmallest

from ..evaluator.simulate import BranchCount, Simulation
from .grid import grid_lines
from .histogram import BLOCKS, bars, histogram_lines, share_text
from .numbers import as_float, exact_text, odds_text, table_text
from .paint import Paint
from .width import safe, short_label

_BARS = 20
_BRANCHES = 30
_ENDINGS = 10  # of those that have no bar of their own
_JSON_ENDINGS = 100


def endings(simulation: Simulation, most: int) -> list[tuple[float, int]]:
    """The most frequent outcomes and how often they came; of equals the lower first."""
    pairs = zip(simulation.counts, simulation.outcomes, strict=True)
    found = nsmallest(most, ((-plays, outcome) for plays, outcome in pairs))
    return [(outcome, -plays) for plays, outcome in found]


# --- JSON ------------------------------------------------------------------------------------


def simulation_json(simulation: Simulation) -> dict[str, object]:
    """The object that ``simulate --format json`` prints; its keys are a contract."""
    return {
        "game": simulation.game,
        "algorithm": simulation.algorithm,
        "policy": simulation.policy,
        "seed": simulation.seed,
        "plays": simulation.plays,
        "draws": simulation.draws,
        "numbers": simulation.numbers,
        "value": exact_text(simulation.value),
        "value_float": as_float(simulation.value),
        "error_bound": as_float(simulation.error_bound),
        "mean": simulation.mean,
        "deviation": simulation.deviation,
        "standard_error": simulation.standard_error,
        "interval": _interval_json(simulation),
        "quantiles": {
            {0: "min", 100: "max"}.get(percent, str(percent)): outcome
            for percent, outcome in simulation.quantiles
        },
        "branches": [_branch_json(branch, simulation.plays) for branch in simulation.branches],
        "distinct": len(simulation.outcomes),
        "counted": simulation.counted,
        "endings": [
            {"outcome": outcome, "plays": plays, "share": plays / simulation.counted}
            for outcome, plays in endings(simulation, _JSON_ENDINGS)
        ],
    }


def _interval_json(simulation: Simulation) -> dict[str, object] | None:
    if simulation.interval is None:
        return None
    low, high = simulation.interval
    return {"level": 0.95, "low": low, "high": high, "holds_value": simulation.holds}


def _branch_json(branch: BranchCount, plays: int) -> dict[str, object]:
    odds = {} if branch.p is None else {"p": exact_text(branch.p)}
    return {
        "label": branch.label,
        "plays": branch.plays,
        "share": branch.plays / plays,
        **odds,
    }


# --- text ------------------------------------------------------------------------------------


def simulation_text(simulation: Simulation, *, colour: bool = False, blocks: str = BLOCKS) -> str:
    """What a person reads, without a line break at its end.

    ``blocks`` are what bars are made of: see ``histogram_lines``.
    """
    return "\n".join(_lines(simulation, Paint(colour), blocks))


def _lines(simulation: Simulation, paint: Paint, blocks: str) -> Iterator[str]:
    yield f"{paint('bold', safe(simulation.game))}, {heading(simulation)}"
    yield ""
    yield _field("mean", paint("bold", mean_text(simulation)) + _interval(simulation), paint)
    yield _field("value", table_text(simulation.value) + _verdict(simulation), paint)
    if simulation.deviation is not None:
        yield _field("deviation", f"{simulation.deviation:.4g}", paint)
    yield _field("quantiles", _quantiles(simulation), paint)
    if simulation.branches:
        yield ""
        yield from _branch_lines(simulation, paint)
    yield ""
    yield from histogram_lines(
        bars(simulation.outcomes, simulation.counts, _BARS), paint, blocks=blocks
    )
    if simulation.counted < simulation.plays:
        yield f"  (the first {simulation.counted:,} plays)"
    if len(simulation.outcomes) > _BARS:
        yield ""
        yield from _ending_lines(simulation, paint)


def heading(simulation: Simulation) -> str:
    """``expectiminimax, "hit until 17", 2,000,000 plays, seed 1``."""
    policy = "" if simulation.policy is None else f', "{short_label(simulation.policy)}"'
    plays = "1 play" if simulation.plays == 1 else f"{simulation.plays:,} plays"
    return f"{safe(simulation.algorithm)}{policy}, {plays}, seed {simulation.seed}"


def mean_text(simulation: Simulation) -> str:
    """``15.8579 ± 0.0036``: the mean and its standard error."""
    error = simulation.standard_error
    if not error:
        return table_text(simulation.mean)
    return f"{_to(simulation.mean, error)} ± {_to(error, error)}"


def _to(number: float, error: float) -> str:
    """``number`` to two digits of ``error``."""
    places = 1 - math.floor(math.log10(error))
    if -6 < places < 12:
        return f"{round(number, places):.{max(places, 0)}f}"
    return f"{number:.6g}"


def _interval(simulation: Simulation) -> str:
    if simulation.interval is None or not simulation.standard_error:
        return ""
    low, high = (_to(end, simulation.standard_error) for end in simulation.interval)
    return f" (95 %: {low} to {high})"


def _verdict(simulation: Simulation) -> str:
    """How far the mean is from the value, in standard errors."""
    error, holds = simulation.standard_error, simulation.holds
    if holds is None:
        return ""
    where = "inside the interval" if holds else "outside the interval"
    if not error:
        return f" ({where}: every play came to the mean)"
    away = abs(simulation.mean - float(simulation.value)) / error
    told = f"{away:.2g}"
    return f" ({where}: {told} standard error{'' if told == '1' else 's'} off)"


def _quantiles(simulation: Simulation) -> str:
    names = {0: "min", 50: "median", 100: "max"}
    return ", ".join(
        f"{names.get(percent, f'{percent} %')} {table_text(outcome)}"
        for percent, outcome in simulation.quantiles
    )


def _branch_lines(simulation: Simulation, paint: Paint) -> Iterator[str]:
    shown = simulation.branches[:_BRANCHES]
    by_chance = any(branch.p is not None for branch in shown)
    rows = [["branch", "share", "plays", *(["odds"] if by_chance else [])]]
    for branch in shown:
        odds = ["" if branch.p is None else odds_text(branch.p)] if by_chance else []
        share = share_text(branch.plays, simulation.plays)
        rows.append([short_label(branch.label), share, f"{branch.plays:,}", *odds])
    yield from grid_lines(rows, paint, right=range(1, 4))
    hidden = len(simulation.branches) - len(shown)
    if hidden:
        yield f"  … and {hidden:,} more"


def _ending_lines(simulation: Simulation, paint: Paint) -> Iterator[str]:
    rows = [["most frequent", "share", "plays"]]
    for outcome, plays in endings(simulation, _ENDINGS):
        share = share_text(plays, simulation.counted)
        rows.append([table_text(outcome), share, f"{plays:,}"])
    yield from grid_lines(rows, paint, right=range(3))
    hidden = len(simulation.outcomes) - _ENDINGS
    yield f"  … and {hidden:,} other outcomes"


def _field(name: str, text: str, paint: Paint) -> str:
    return f"{paint('dim', f'{name:<9}')}  {text}"
