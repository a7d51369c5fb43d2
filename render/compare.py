"""Policies beside the optimum: text for a terminal, plain data for ``json.dumps``."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..evaluator.compare import Compared, Comparison, CostlyState
from ..evaluator.solution import Value
from ..evaluator.table import choice_text, policy_text
from .grid import grid_lines
from .numbers import as_float, decimal_text, odds_text, picture_text, table_text
from .paint import Paint
from .table import number_json, plain_json, taken_json
from .width import cut, safe

_LABEL = 40


def compare_json(comparison: Comparison) -> dict[str, object]:
    """The object that ``compare --format json`` prints; its keys are a contract."""
    return {
        "game": comparison.game,
        "algorithm": comparison.algorithm,
        "numbers": comparison.numbers,
        **number_json("optimum", comparison.optimum),
        "error_bound": as_float(comparison.error_bound),
        "policies": [_policy_json(policy) for policy in comparison.policies],
    }


def _policy_json(policy: Compared) -> dict[str, object]:
    return {
        "name": policy.name,
        **number_json("value", policy.value),
        "error_bound": as_float(policy.error_bound),
        **number_json("loss", policy.loss),
        "differs": policy.differs,
        **number_json("elsewhere", policy.elsewhere),
        "states": [_state_json(state) for state in policy.states],
    }


def _state_json(state: CostlyState) -> dict[str, object]:
    return {
        "state": state.title,
        "node": state.node,
        "arguments": {name: plain_json(value) for name, value in state.arguments},
        "policy": taken_json(state.policy),
        "best": list(state.best),
        **number_json("slip", state.slip),
        **number_json("reach", state.reach),
        **number_json("cost", state.cost),
    }


def compare_text(comparison: Comparison, *, colour: bool = False) -> str:
    """What a person reads, without a line break at its end."""
    return "\n".join(_lines(comparison, Paint(colour)))


def _lines(comparison: Comparison, paint: Paint) -> Iterator[str]:
    yield f"{paint('bold', safe(comparison.game))}, {safe(comparison.algorithm)}"
    yield ""
    heads = ["policy", "value", "loss"]
    rows = [["the optimum", table_text(comparison.optimum), ""]]
    rows += [
        [cut(safe(p.name), _LABEL), table_text(p.value), _rounded(p.loss) if p.loss else "0"]
        for p in comparison.policies
    ]
    yield from grid_lines([heads, *rows], paint, right=(1, 2))
    for policy in comparison.policies:
        if policy.differs or policy.elsewhere:
            yield ""
            yield from _policy_lines(policy, paint)
    if comparison.numbers == "float":
        bound = max(comparison.error_bound, *(p.error_bound for p in comparison.policies))
        if bound:
            yield ""
            yield paint("dim", f"values are floats, off by {bound:.2g} at most")


def _policy_lines(policy: Compared, paint: Paint) -> Iterator[str]:
    count = policy.differs
    states = f"{count:,} state{'' if count == 1 else 's'}"
    yield f"{paint('bold', safe(policy.name))} chooses differently in {states}"
    if policy.states:
        yield ""
        heads = ["state", "policy", "best", "slip", "reach", "cost", "of the loss"]
        rows = [_state_row(state, policy.loss) for state in policy.states]
        yield from grid_lines([heads, *rows], paint, right=(3, 4, 5, 6))
    more = count - len(policy.states)
    if more > 0 and policy.states:
        yield paint("dim", f"  and {more:,} more")
    if policy.elsewhere:
        yield paint("dim", f"  {_balance(policy)}")


def _balance(policy: Compared) -> str:
    """How the costs of the states and the answers of others add up to the loss."""
    paid = policy.loss - policy.elsewhere
    if paid * policy.elsewhere < 0:
        answers = f"give {_rounded(abs(policy.elsewhere))} back"
    else:
        answers = f"cost {_rounded(policy.elsewhere)} more"
    states = _rounded(paid) if paid else "0"
    loss = _rounded(policy.loss) if policy.loss else "0"
    return f"its states cost {states} in all; others, who answer it, {answers}: a loss of {loss}"


def _state_row(state: CostlyState, loss: Value) -> list[str]:
    share = f"{float(state.cost / loss):.1%}" if loss else ""
    best = choice_text(tuple((label, Fraction(1)) for label in state.best))
    return [
        cut(safe(state.title), _LABEL),
        cut(safe(policy_text(state.policy)), _LABEL),
        cut(safe(best), _LABEL),
        picture_text(state.slip),
        odds_text(state.reach),
        picture_text(state.cost),
        share,
    ]


def _rounded(value: Value) -> str:
    return f"{value:.4g}" if isinstance(value, float) else decimal_text(value, 4)
