"""Odds: what stands behind `p`, `@` and `weight`, made into integers with a common divisor.

The three mistakes caught here always: odds that do not sum to one, a probability outside
[0, 1], and weights that are negative or all zero; each with the terms in its message.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from ..spec.diagnostics import Code
from .values import EvaluationError, Value, show

SHOWN = 12  # terms listed in a message
FLOAT_SLACK = Fraction(1, 10**9)  # how far rounded (`sqrt`, `exp`, `log`) odds may sum off one

Odds = tuple[str, Value]  # ("none" | "p" | "rest" | "weight", amount)


def integer_odds(odds: Sequence[Odds], label: Callable[[int], str]) -> tuple[list[int], int]:
    """Integer odds, in order, and what they sum to; ``label`` names an outcome for a message.

    Raises:
        EvaluationError: GT301, GT302, GT303 or GT308, its message naming the terms.
    """
    modes = {mode for mode, _ in odds}
    if modes == {"none"}:
        return [1] * len(odds), len(odds)
    if "weight" in modes:
        return _weights(odds, modes, label)
    if "none" in modes:
        raise EvaluationError(
            Code.MIXED_ODDS,
            "some outcomes have a probability and some have none",
            "write `rest` for those that share what is left",
        )
    if modes == {"p"}:
        integers = _good_fractions([amount for _, amount in odds])
        if integers is not None:
            return integers
    return _probabilities(odds, label)


def _good_fractions(amounts: Sequence[Value]) -> tuple[list[int], int] | None:
    """The usual case, without arithmetic of fractions: exact probabilities that sum to one."""
    exact = [a for a in amounts if type(a) is Fraction or type(a) is int]
    if len(exact) < len(amounts):
        return None
    divisor = math.lcm(*[a.denominator for a in exact])
    weights = [a.numerator * (divisor // a.denominator) for a in exact]
    if sum(weights) != divisor or min(weights) < 0:
        return None
    return weights, divisor  # the odds are in lowest terms, so no factor is common to all


def _weights(
    odds: Sequence[Odds], modes: set[str], label: Callable[[int], str]
) -> tuple[list[int], int]:
    if modes != {"weight"}:
        raise EvaluationError(
            Code.MIXED_ODDS,
            "weights are mixed with probabilities, or with outcomes that have neither",
            "give every outcome a weight, or every outcome a probability",
        )
    amounts = [_exact(amount, "weight") for _, amount in odds]
    for i, amount in enumerate(amounts):
        if amount < 0:
            message = f"the weight of `{label(i)}` is {show(amount)}, negative"
            raise EvaluationError(Code.WEIGHT, message, "weights are 0 or more")
    if not any(amounts):
        raise EvaluationError(Code.WEIGHT, "all weights are 0, so no outcome can happen")
    return _common(amounts)


def _probabilities(odds: Sequence[Odds], label: Callable[[int], str]) -> tuple[list[int], int]:
    amounts = [Fraction(0) if mode == "rest" else _exact(p, "probability") for mode, p in odds]
    for i, amount in enumerate(amounts):
        if not 0 <= amount <= 1:
            side = "negative" if amount < 0 else "above 1"
            raise EvaluationError(
                Code.PROBABILITY_RANGE,
                f"the probability of `{label(i)}` is {show(amount)}, {side}",
                "a probability lies between 0 and 1",
            )
    sharers = [i for i, (mode, _) in enumerate(odds) if mode == "rest"]
    left = 1 - sum(amounts, Fraction(0))
    if abs(left) < FLOAT_SLACK and any(isinstance(amount, float) for _, amount in odds):
        return _common(amounts)  # rounded odds: what they sum to is taken as the whole
    if left < 0 or (left and not sharers):
        raise EvaluationError(Code.PROBABILITY_SUM, _sum_message(amounts, sharers), _sum_help(left))
    for i in sharers:
        amounts[i] = left / len(sharers)
    return _common(amounts)


def _exact(amount: Value, what: str) -> Fraction:
    if isinstance(amount, bool) or not isinstance(amount, int | Fraction | float):
        raise EvaluationError(Code.TYPE, f"a {what} must be a number, and it is {show(amount)}")
    if isinstance(amount, float) and not math.isfinite(amount):
        raise EvaluationError(Code.NOT_FINITE, f"a {what} must be finite, and it is {amount}")
    return Fraction(amount)


def _common(amounts: Sequence[Fraction]) -> tuple[list[int], int]:
    divisor = math.lcm(*(amount.denominator for amount in amounts))
    weights = [int(amount * divisor) for amount in amounts]
    shared = math.gcd(*weights)
    weights = [weight // shared for weight in weights]
    return weights, sum(weights)


def _sum_message(amounts: Sequence[Fraction], sharers: Sequence[int]) -> str:
    terms = [show(a) for i, a in enumerate(amounts) if i not in set(sharers)]
    listed = " + ".join(terms[:SHOWN]) + (" + …" if len(terms) > SHOWN else "")
    total = show(sum(amounts, Fraction(0)))
    terms_text = f" ({listed})" if len(terms) > 1 else ""
    if sharers:
        return f"the probabilities beside `rest` sum to {total}, more than 1{terms_text}"
    return f"the outcomes' probabilities sum to {total}, not 1{terms_text}"


def _sum_help(left: Fraction) -> str:
    if left > 0:
        return (
            f"{show(left)} is missing: write `rest` on one outcome, exact fractions such as 1/3, "
            "or weights, which are normalised"
        )
    return f"{show(-left)} too much; weights instead of probabilities are normalised"
