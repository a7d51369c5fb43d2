"""What the children of a node come to, as one after the other returns its value.

Each kind of play has its figure; with the last child it is the node's value, but for the node's
own reward. Exact values give exact figures.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from .solution import Value


class Tally(Protocol):
    """The running figure of one node."""

    def add(self, value: Value) -> Value | None:
        """The value of one more child; what they come to now."""
        ...


@dataclass(slots=True)
class Best:
    """The largest value (``up``), or the smallest."""

    up: bool
    best: Value | None = None

    def add(self, value: Value) -> Value:
        """See ``Tally.add``."""
        if self.best is None or ((value > self.best) if self.up else (value < self.best)):
            self.best = value
        return self.best


class Sum:
    """The sum of factor times value; None as long as all factors were 0."""

    __slots__ = ("_factors", "_total")

    def __init__(self, factors: Iterable[Value]) -> None:
        self._factors = iter(factors)
        self._total: Value | None = None

    def add(self, value: Value) -> Value | None:
        """See ``Tally.add``."""
        factor = next(self._factors)
        if factor:
            part = factor * value
            self._total = part if self._total is None else self._total + part
        return self._total


@dataclass(slots=True)
class Average:
    """The plain average."""

    average: Value = 0.0
    count: int = 0

    def add(self, value: Value) -> Value:
        """See ``Tally.add``."""
        self.count += 1
        if isinstance(value, float):  # no sum of values, which might leave the floats
            self.average = self.average * ((self.count - 1) / self.count) + value / self.count
        else:
            before = self.average * (self.count - 1) if self.count > 1 else 0
            self.average = Fraction(before + value) / self.count
        return self.average


@dataclass(slots=True)
class Mistake:
    """The best with probability 1 - amount, else the average."""

    best: Best
    average: Average
    amount: Value

    def add(self, value: Value) -> Value:
        """See ``Tally.add``."""
        return (1 - self.amount) * self.best.add(value) + self.amount * self.average.add(value)


@dataclass(slots=True)
class Softmax:
    """The average in proportion to exp(value / temperature).

    ``temperature`` is below 0 where low values are the better ones. Weights are kept relative
    to the largest one, so that none leaves the floats.
    """

    temperature: float
    peak: float = 0.0
    mass: float = 0.0
    total: float = 0.0

    def add(self, value: Value) -> Value:
        """See ``Tally.add``."""
        number = float(value)
        rise = (number - self.peak) / self.temperature if self.mass else 0.0
        if not self.mass or rise > 0:
            shrink = math.exp(-rise)
            self.mass, self.total, self.peak, rise = (
                self.mass * shrink, self.total * shrink, number, 0.0,
            )  # fmt: skip
        power = math.exp(rise)
        self.mass += power
        self.total += power * number
        return self.total / self.mass
