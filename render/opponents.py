"""What other opponents change: text for a terminal, plain data for ``json.dumps``.

Holds   exact numbers stay exact in JSON; a threshold that is no fraction comes with an interval
        that holds it, and with the polynomial whose root it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..evaluator.opponents import Column, Opponents
from ..evaluator.solution import Value
from ..evaluator.sweep import Stretch, Threshold
from .curves import LINES, curve_lines, curves_of, inner, who
from .grid import grid_lines
from .numbers import as_float, decimal_text, exact_text, picture_text, table_text
from .paint import Paint
from .width import safe, short_label

_MOVES = 30  # rows of the table; the safest ones are shown wherever they stand
_STRETCHES = 40
_NAMED = 12  # moves in a row of the sweep
_EQUATION = 60  # characters


# --- JSON ------------------------------------------------------------------------------------


def opponents_json(found: Opponents) -> dict[str, object]:
    """The object that ``opponents --format json`` prints; its keys are a contract."""
    sweep = found.sweep
    return {
        "game": found.game,
        "algorithm": found.algorithm,
        "opponent": found.opponent,
        "first_move": found.mover,
        "players": found.players,
        "moves": list(found.moves),
        "sweep": {
            "model": sweep.model,
            "exact": sweep.exact,
            "resolution": sweep.resolution,
            "evaluations": sweep.evaluations,
            "degree": sweep.degree,
            "stretches": [
                {
                    "from": _threshold_json(stretch.low),
                    "to": _threshold_json(stretch.high),
                    "best": _labels(found, stretch.best),
                }
                for stretch in sweep.stretches
            ],
            "samples": [
                {"at": as_float(sample.at), "values": [as_float(v) for v in sample.values]}
                for sample in sweep.samples
            ],
        },
        "against": [_column_json(found, column) for column in found.columns],
        "largest_regret": [_number_json(regret) for regret in found.regrets],
        "least_regret": _labels(found, found.safest),
    }


def _threshold_json(threshold: Threshold) -> dict[str, object]:
    exact = not isinstance(threshold.at, float)
    return {
        "at": exact_text(threshold.at) if exact else None,
        "at_float": as_float(threshold.at),
        "low": exact_text(threshold.low),
        "high": exact_text(threshold.high),
        "equation": [str(c) for c in threshold.equation] or None,
    }


def _column_json(found: Opponents, column: Column) -> dict[str, object]:
    return {
        "opponent": column.opponent,
        "numbers": column.numbers,
        "values": [_number_json(value) for value in column.values],
        "best": _labels(found, column.best),
        "regrets": [_number_json(regret) for regret in column.regrets],
    }


def _number_json(value: Value) -> dict[str, object]:
    return {"value": exact_text(value), "value_float": as_float(value)}


def _labels(found: Opponents, moves: Sequence[int]) -> list[str]:
    return [found.moves[i] for i in moves]


# --- text ------------------------------------------------------------------------------------


def opponents_text(found: Opponents, *, colour: bool = False, lines: str = LINES) -> str:
    """What a person reads, without a line break at its end.

    ``lines`` are what the axes of the plot are made of: see ``curve_lines``.
    """
    return "\n".join(_lines(found, Paint(colour), lines))


def _lines(found: Opponents, paint: Paint, lines: str) -> Iterator[str]:
    told = f"{safe(found.algorithm)}: {who(found)} from optimal to random"
    yield f"{paint('bold', safe(found.game))}, {told}"
    yield ""
    yield from _sweep_lines(found, paint)
    yield ""
    drawn = curves_of(found)
    if drawn is not None:
        yield from curve_lines(drawn, paint, lines=lines)
        yield ""
    yield from _against_lines(found, paint)


def _sweep_lines(found: Opponents, paint: Paint) -> Iterator[str]:
    sweep = found.sweep
    letter = "E" if sweep.model == "mistake" else "T"
    rows = [[f"{sweep.model}:{letter}", "best first move"]]
    rows += [
        [_range_text(stretch), _best_text(found, stretch.best)]
        for stretch in sweep.stretches[:_STRETCHES]
    ]
    yield from grid_lines(rows, paint)
    more = len(sweep.stretches) - _STRETCHES
    if more > 0:
        yield f"  … and {more:,} more"
    yield ""
    yield from _remarks(found)


def _range_text(stretch: Stretch) -> str:
    low, high = _place_text(stretch.low), _place_text(stretch.high)
    return low if stretch.low == stretch.high else f"{low} to {high}"


def _place_text(threshold: Threshold) -> str:
    at = threshold.at
    if not isinstance(at, float):
        return table_text(at)
    if threshold.equation:
        return f"≈ {at:.10f}".rstrip("0")
    return f"{at:.6g}" if threshold.low == threshold.high else f"≈ {at:.7g}"


def _best_text(found: Opponents, best: Sequence[int]) -> str:
    if len(best) == len(found.moves) and len(best) > 1:
        return "all alike"
    listed = ", ".join(short_label(found.moves[i]) for i in best[:_NAMED])
    more = len(best) - _NAMED
    return f"{listed} … and {more:,} more" if more > 0 else listed


def _remarks(found: Opponents) -> Iterator[str]:
    sweep = found.sweep
    if not sweep.exact:
        what = "E" if sweep.model == "mistake" else "T (relative)"
        yield (
            f"  sampled at {len(sweep.samples)} places, each change found to within"
            f" {sweep.resolution:g} of {what};"
        )
        yield "  a change that is undone before the next place is not seen"
        return
    degree = sweep.degree or 0
    shapes = {0: "do not depend on E", 1: "are straight lines in E, in pieces"}
    shape = shapes.get(degree, f"are polynomials of E, in pieces, of degree {degree} at most")
    yield f"  exact: the values {shape}"
    for stretch in inner(sweep.stretches):
        equation = _equation(stretch.high.equation)
        if equation:
            yield f"  {_place_text(stretch.high)} is a root of {equation}"


def _equation(coefficients: Sequence[int]) -> str:
    """``E^2 + E - 1``, if that is short enough to be read."""
    text = ""
    for power in range(len(coefficients) - 1, -1, -1):
        number = coefficients[power]
        if not number:
            continue
        sign = ("-" if number < 0 else "") if not text else (" - " if number < 0 else " + ")
        times = "" if abs(number) == 1 and power else str(abs(number))
        name = {0: "", 1: "E"}.get(power, f"E^{power}")
        text += sign + " ".join(part for part in (times, name) if part)
        if len(text) > _EQUATION:
            return ""
    return text


def _against_lines(found: Opponents, paint: Paint) -> Iterator[str]:
    safest = set(found.safest)
    shown = [i for i in range(len(found.moves)) if i < _MOVES or i in found.safest[:_MOVES]]
    heads = [safe(c.opponent) if c.opponent in _WORDS else _quoted(c) for c in found.columns]
    rows = [[" ", "first move", *heads, "largest regret"]]
    for i in shown:
        values = [_value_text(column, i) for column in found.columns]
        mark = "*" if i in safest else ""
        rows.append([mark, short_label(found.moves[i]), *values, picture_text(found.regrets[i])])
    yield from grid_lines(rows, paint, right=range(2, len(rows[0])), indent="")
    hidden = len(found.moves) - len(shown)
    if hidden:
        yield f"  … and {hidden:,} more"
    yield ""
    regret = found.regrets[found.safest[0]]
    text = f"{regret:.6g}" if isinstance(regret, float) else decimal_text(regret, 6)
    least = paint("help", _best_text(found, found.safest))
    yield f"least regret: {least}, at most {text} behind the best move against any of these"


_WORDS = ("optimal", "mistake:0.1", "softmax:1", "random", "worst")


def _quoted(column: Column) -> str:
    return f'"{short_label(column.opponent)}"'


def _value_text(column: Column, move: int) -> str:
    """The value; a bracket around the best ones of an opponent."""
    text = picture_text(column.values[move])
    return f"[{text}]" if move in column.best else f"{text} "
