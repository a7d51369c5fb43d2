"""The outcomes of a choice in a state: its branches, loops unrolled, with their odds.

Errors  GT205 where there is none, GT216 for equal labels, GT30x for odds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from ..spec.diagnostics import Code as Fault
from .dag import Kind
from .odds import integer_odds
from .program import Branch, Choice, Form, Loop, Odds
from .scope import Environment
from .values import Distribution, EvaluationError, Value, show

BRANCHES = 100_000  # of one node


@dataclass(slots=True)
class Outcome:
    """A branch in a state: where it leads, its odds, and how to name it."""

    form: Form
    env: Environment
    weight: int
    mode: str
    amount: Value
    label: Callable[[], str]


def outcomes(choice: Choice, env: Environment) -> list[Outcome]:
    """The branches of ``choice`` for the local names ``env``, with integer odds.

    Raises:
        EvaluationError: Where odds or loops have no value, or there is no branch at all.
    """
    found: list[Outcome] = []
    for branch in choice.branches:
        if isinstance(branch, Branch):
            if branch.condition is not None and not branch.condition.run(env):
                continue
            mode, amount = _odds(branch.odds, env)
            found.append(Outcome(branch.form, env, 1, mode, amount, _written(branch.label)))
        else:
            found.extend(islice(_loop(branch, env), BRANCHES + 1))
        if len(found) > BRANCHES:
            raise EvaluationError(Fault.WORK_LIMIT, f"a node with more than {BRANCHES:,} branches")
    if not found:
        raise EvaluationError(
            Fault.NO_BRANCHES,
            f"there is no branch to {'follow' if choice.kind is Kind.CHANCE else 'choose'} here",
            "an `if` in front of it can make this state a terminal",
        )
    if choice.kind is not Kind.CHANCE:
        return found
    odds = [(outcome.mode, outcome.amount) for outcome in found]
    try:
        weights, _ = integer_odds(odds, lambda i: found[i].label())
    except EvaluationError as error:
        if error.code is Fault.PROBABILITY_RANGE:
            _point_at_odds(error, choice, env)
        raise
    for outcome, weight in zip(found, weights, strict=True):
        outcome.weight = weight
    return [outcome for outcome in found if outcome.weight]


def _point_at_odds(error: EvaluationError, choice: Choice, env: Environment) -> None:
    """Say where the probability is written that is out of range: of the first such outcome."""
    for branch in choice.branches:
        if isinstance(branch, Loop):
            return  # its outcomes share one expression, and may be the ones meant
        if branch.condition is not None and not branch.condition.run(env):
            continue
        mode, amount = _odds(branch.odds, env)
        if mode == "p" and branch.odds and branch.odds.code and not 0 <= Fraction(amount) <= 1:
            code = branch.odds.code
            error.where, error.start, error.end = code.where, code.expr.start, code.expr.end
            return


def _written(label: str) -> Callable[[], str]:
    return lambda: label


def _odds(odds: Odds | None, env: Environment) -> tuple[str, Value]:
    if odds is None:
        return "none", 0
    return odds.mode, 0 if odds.code is None else odds.code.run(env)


def _loop(loop: Loop, env: Environment) -> Iterator[Outcome]:
    """One outcome for each value; inner loops multiply their odds with the outer ones."""
    rounds = list(_rounds(loop, env))
    for value, inner, mode, amount in rounds:
        if isinstance(loop.body, Form):
            yield Outcome(loop.body, inner, 1, mode, amount, _loop_label(loop, inner, value))
        else:
            yield from _inner_loop(loop, inner, value, mode, amount, len(rounds))


def _rounds(loop: Loop, env: Environment) -> Iterator[tuple[Value, Environment, str, Value]]:
    source = loop.source.run(env)
    condition = None if loop.condition is None else loop.condition.run
    if isinstance(source, Distribution):
        total = source.total
        for value, odds in zip(source.values, source.odds, strict=True):
            inner = (*env, value)
            if condition is None or condition(inner):
                mode, amount = "p", Fraction(odds, total)
                if loop.odds is not None:
                    mode, amount = _odds(loop.odds, inner)
                yield value, inner, mode, amount
        return
    for value in source:
        inner = (*env, value)
        if condition is None or condition(inner):
            yield (value, inner, *_odds(loop.odds, inner))


def _inner_loop(
    loop: Loop, env: Environment, value: Value, mode: str, amount: Value, count: int
) -> Iterator[Outcome]:
    assert isinstance(loop.body, Loop)
    inner = list(islice(_loop(loop.body, env), BRANCHES + 1))  # more are too many anyway
    for outcome in inner:
        own = outcome.label
        outcome.label = _nested_label(loop, env, value, own)
        if mode == "none" and outcome.mode == "none":
            continue  # equal odds throughout
        if "rest" in {mode, outcome.mode}:
            raise EvaluationError(
                Fault.MIXED_ODDS, "`rest` cannot stand on one of two nested loops"
            )
        first = Fraction(1, count) if mode == "none" else Fraction(amount)
        second = Fraction(1, len(inner)) if outcome.mode == "none" else Fraction(outcome.amount)
        if "weight" in {mode, outcome.mode}:
            first = amount if mode == "weight" else first
            outcome.mode, outcome.amount = "weight", first * second
        else:
            outcome.mode, outcome.amount = "p", first * second
    yield from inner


def _loop_label(loop: Loop, env: Environment, value: Value) -> Callable[[], str]:
    code = loop.label
    return (lambda: show(value)) if code is None else (lambda: str(code.run(env)))


def _nested_label(
    loop: Loop, env: Environment, value: Value, inner: Callable[[], str]
) -> Callable[[], str]:
    if loop.label is not None:
        code = loop.label
        return lambda: f"{code.run(env)}, {inner()}"
    if _has_label(loop.body):
        return inner  # the inner `as` names the whole branch
    return lambda: f"{show(value)}, {inner()}"


def _has_label(body: Form | Loop) -> bool:
    while isinstance(body, Loop):
        if body.label is not None:
            return True
        body = body.body
    return False


def check_labels(choice: Choice, found: list[Outcome]) -> None:
    """Two branches of one name cannot be told apart by a policy or a report.

    Outcomes of chance may share a label, but each must have one.
    """
    if choice.kind is Kind.CHANCE:
        if any(isinstance(branch, Loop) and _has_label(branch) for branch in choice.branches):
            for outcome in found:
                outcome.label()
        return
    if all(isinstance(branch, Branch) for branch in choice.branches):
        return
    labels: set[str] = set()
    for outcome in found:
        label = outcome.label()
        if label in labels:
            raise EvaluationError(
                Fault.DUPLICATE_LABEL,
                f'two branches are called "{label}"',
                'name them apart with `as "…"` in the loop',
            )
        labels.add(label)
