"""Odds that can be judged without the state: literal numbers and ``rest``.

This is the schema's extra keyword ``sumsToOne``, as a function on the outcomes of one chance
node, and whether labels were meant as odds. Odds that need parameters or the state, those of loops,
and what outcomes sum to that are not always there, are judged where they are computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from .diagnostics import Code

if TYPE_CHECKING:
    from fractions import Fraction

Outcomes = Mapping[str, object] | Sequence[object]
Key = str | int


class Term(NamedTuple):
    """One literal number among the odds: the outcome's key, its ``p`` or ``weight``."""

    key: Key
    field: str
    value: Fraction


class OddsProblem(NamedTuple):
    """What is wrong with the odds; ``key`` and ``field`` say where, None is the whole node."""

    code: Code
    message: str
    key: Key | None = None
    field: str | None = None
    terms: tuple[Term, ...] = ()
    help: str | None = None


class _Odds:
    """The outcomes of a chance node, sorted by what gives their odds."""

    def __init__(self) -> None:
        self.bare: list[Key] = []
        self.p: list[Key] = []
        self.weight: list[Key] = []
        self.texts: dict[tuple[Key, str], str] = {}
        self.has_loop = False
        self.varies = False  # not all outcomes are there in every state


def odds_problems(outcomes: Outcomes) -> list[OddsProblem]:
    """All that is wrong with the literal odds of ``outcomes``; time linear in their number."""
    texts = _probabilities(outcomes)
    if texts and _are_whole(texts):
        return []
    odds = _collect(outcomes)
    if not odds.texts:
        return []
    mixed = list(_mixed(odds))
    values = _values(odds)
    out_of_range = [problem for term in values for problem in _outside(term)]
    problems = [*mixed, *out_of_range]
    if problems or odds.has_loop or odds.varies:
        return problems
    if odds.weight:
        return list(_all_zero(odds, values))
    return list(_sum(odds, values))


def _probabilities(outcomes: Outcomes) -> tuple[str, ...]:
    """The texts of all ``p``; none where an outcome has another kind of odds, or is a loop."""
    texts: list[str] = []
    for key, outcome in outcomes.items() if isinstance(outcomes, Mapping) else ():
        fields = cast("dict[str, object]", outcome if isinstance(outcome, dict) else {})
        text = fields.get("p")
        if not isinstance(text, str) or "weight" in fields or key.startswith("for "):
            return ()
        texts.append(text)
    return tuple(texts)


@lru_cache(maxsize=1024)
def _are_whole(texts: tuple[str, ...]) -> bool:
    """Whether these are good probabilities; a large tree has few sets of them."""
    from .numbers import read_number

    values = [0 if text == "rest" else read_number(text) for text in texts]
    known = [value for value in values if value is not None and 0 <= value <= 1]
    total = sum(known)
    return len(known) == len(texts) and (total == 1 or ("rest" in texts and total < 1))


def _collect(outcomes: Outcomes) -> _Odds:
    odds = _Odds()
    items = outcomes.items() if isinstance(outcomes, Mapping) else enumerate(outcomes)
    for key, outcome in items:
        if (isinstance(key, str) and key.startswith("for ")) or _is_loop(key, outcome):
            odds.has_loop = True
            continue
        fields = cast("Mapping[str, object]", outcome if isinstance(outcome, Mapping) else {})
        odds.varies = odds.varies or "when" in fields
        given = [field for field in ("p", "weight") if field in fields]
        for field in given:
            (odds.p if field == "p" else odds.weight).append(key)
            odds.texts[key, field] = _text(fields[field])
        if not given:
            odds.bare.append(key)
    return odds


def _is_loop(key: Key, outcome: object) -> bool:
    if not isinstance(key, int) or not isinstance(outcome, Mapping):
        return False
    fields = cast("Mapping[str, object]", outcome)
    return len(fields) == 1 and next(iter(fields)).startswith("for ")


def _text(value: object) -> str:
    """The text of a scalar; "" for anything else, which is reported as a wrong shape."""
    return str(value) if isinstance(value, str | int | float) else ""


def _values(odds: _Odds) -> list[Term]:
    from .numbers import read_number

    terms: list[Term] = []
    for (key, field), text in odds.texts.items():
        value = read_number(text)
        if value is not None:
            terms.append(Term(key, field, value))
    return terms


def _name(key: Key) -> str:
    return f"outcome `{key}`" if isinstance(key, str) else f"outcome {key + 1}"


def _mixed(odds: _Odds) -> Iterator[OddsProblem]:
    both = [key for key in odds.weight if (key, "p") in odds.texts]
    for key in both:
        message = f"{_name(key)} has both `p` and `weight`"
        help_ = "`p` is a probability, a `weight` is normalised: keep one of them"
        yield OddsProblem(Code.MIXED_ODDS, message, key, "weight", help=help_)
    if both:
        return
    if odds.p and odds.weight:
        yield OddsProblem(
            Code.MIXED_ODDS,
            f"probabilities and weights are mixed: {_name(odds.p[0])} has `p`, "
            f"{_name(odds.weight[0])} has `weight`",
            odds.weight[0],
            "weight",
            help="give every outcome a `p`, or every outcome a `weight`",
        )
    elif odds.bare and not odds.has_loop:
        yield from _partly(odds, "p" if odds.p else "weight")


def _partly(odds: _Odds, field: str) -> Iterator[OddsProblem]:
    what = "probability" if field == "p" else "weight"
    others = len(odds.bare) - 1
    which = _name(odds.bare[0]) + (f" and {others} more have" if others else " has")
    yield OddsProblem(
        Code.MIXED_ODDS,
        f"{which} no {what}, though other outcomes have one",
        odds.bare[0],
        None,
        help="write `p: rest` for a share of what is left, as in `{p: rest, then: 5}`"
        if field == "p"
        else "give every outcome a `weight`",
    )


def _outside(term: Term) -> Iterator[OddsProblem]:
    if term.field == "weight":
        if term.value < 0:
            message = f"the weight {_number(term.value)} is negative"
            yield OddsProblem(
                Code.WEIGHT, message, term.key, "weight", help="weights are 0 or more"
            )
    elif not 0 <= term.value <= 1:
        side = "negative" if term.value < 0 else "above 1"
        yield OddsProblem(
            Code.PROBABILITY_RANGE,
            f"the probability {_number(term.value)} is {side}",
            term.key,
            "p",
            help=_percent_help(term.value),
        )


def _percent_help(value: Fraction) -> str:
    if value.denominator == 1 and 1 < value <= 100:
        return f"write `{_number(value)}%` for a percentage, or `weight` for odds to be normalised"
    return "a probability lies between 0 and 1"


def _all_zero(odds: _Odds, values: list[Term]) -> Iterator[OddsProblem]:
    if len(values) == len(odds.weight) and not any(term.value for term in values):
        message = "all weights are 0, so no outcome can happen"
        yield OddsProblem(Code.WEIGHT, message, help="give some outcome a weight above 0")


def _sum(odds: _Odds, values: list[Term]) -> Iterator[OddsProblem]:
    from fractions import Fraction

    sharing = sum(text == "rest" for text in odds.texts.values())
    if len(values) + sharing < len(odds.p):
        return  # some need the state
    total = sum((term.value for term in values), Fraction(0))
    if total == 1 or (sharing and total < 1):
        return
    if sharing:
        message = f"the probabilities beside `rest` sum to {_number(total)}, more than 1"
    else:
        message = f"the outcomes' probabilities sum to {_number(total)}, not 1"
    yield OddsProblem(Code.PROBABILITY_SUM, message, terms=tuple(values), help=_sum_help(total))


def _sum_help(total: Fraction) -> str:
    if total < 1:
        return (
            f"{_number(1 - total)} is missing: write `p: rest` on one outcome, or exact fractions "
            "such as 1/3"
        )
    if total == 100:
        return "write percentages (`25%`), or `weight` instead of `p`"
    return f"{_number(total - 1)} too much; `weight` instead of `p` is for odds to be normalised"


def _number(value: Fraction) -> str:
    from .numbers import show

    return show(value)


def look_like_odds(labels: Sequence[str]) -> bool:
    """Whether labels are numbers between 0 and 1 that sum to one, as in ``{0.6: 10, 0.4: 0}``."""
    if len(labels) < 2 or not any(mark in labels[0] for mark in "./%"):
        return False
    from .numbers import read_number

    numbers = [read_number(label) for label in labels]
    return all(n is not None and 0 <= n <= 1 for n in numbers) and sum(n or 0 for n in numbers) == 1
