"""Arithmetic of the solver: exact rationals, or floats with a bound on their rounding error.

Both offer the same few operations, so that one loop solves with either. Amount values are
pairs ``(numerator, denominator)``; floats are pairs ``(value, bound)``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol, TypeVar

from ..compiler.dag import Amount

T = TypeVar("T")

UNIT = 2.0**-53  # the largest relative error of one rounded float operation
TINY = 2.0**-1074  # and the largest absolute error next to zero, where floats are sparse
LARGEST = sys.float_info.max
REDUCE_BITS = 512  # denominators up to this size are kept in lowest terms
RATIOS_KEPT = 4096

ExactPair = tuple[int, int]
FloatPair = tuple[float, float]


class Arithmetic(Protocol[T]):
    """What the solver needs of numbers."""

    def constant(self, value: Amount) -> T:
        """An exact payoff."""
        ...

    def mix(self, items: Sequence[T], weights: Sequence[Amount], divisor: int, offset: Amount) -> T:
        """``offset`` plus the sum of ``weight * item``, the sum divided by ``divisor``."""
        ...

    def best(self, items: Sequence[T], *, up: bool) -> list[int]:
        """The positions of the largest (``up``) or smallest items, ties in order."""
        ...

    def value_of(self, items: Sequence[T], tied: Sequence[int], *, up: bool) -> T:
        """The value of a choice whose best items, which cannot be told apart, are ``tied``."""
        ...

    def plus(self, item: T, offset: Amount) -> T:
        """``item + offset``."""
        ...

    def softmax(self, items: Sequence[T], temperature: Fraction, *, up: bool) -> T:
        """The average of ``items`` in proportion to ``exp(±item / temperature)``."""
        ...


class ExactNumbers:
    """Rationals as pairs of integers.

    Sums are taken over a common denominator. Large fractions are not reduced: along a game of
    many moves the denominators divide one another, so that sums need small factors only, while
    a greatest common divisor of numbers of thousands of digits costs more than all the rest.
    """

    def constant(self, value: Amount) -> ExactPair:
        """The pair of a payoff."""
        if type(value) is int:
            return value, 1
        fraction = Fraction(value)
        return fraction.numerator, fraction.denominator

    def __init__(self) -> None:
        # (id(a), id(b)) -> a // b, or 0 where b does not divide a; the solver keeps a and b alive
        self._ratios: dict[tuple[int, int], int] = {}

    def mix(
        self, items: Sequence[ExactPair], weights: Sequence[Amount], divisor: int, offset: Amount
    ) -> ExactPair:
        """See ``Arithmetic.mix``."""
        scale = math.lcm(*[Fraction(w).denominator for w in weights if type(w) is not int])
        total, common = self._weighted_sum(items, [int(w * scale) for w in weights])
        return self.plus(_reduced(total, common * divisor * scale), offset)

    def _weighted_sum(self, items: Sequence[ExactPair], factors: Sequence[int]) -> ExactPair:
        """The sum of factor times item, over a common denominator."""
        largest = max(items, key=_denominator)[1]
        if largest == 1:
            return sum([n * f for (n, _), f in zip(items, factors, strict=True)]), 1
        if largest.bit_length() > REDUCE_BITS:
            chained = self._chained_sum(items, factors)
            if chained is not None:
                return chained
        common = math.lcm(*[denominator for _, denominator in items])
        total = sum([n * (common // d) * f for (n, d), f in zip(items, factors, strict=True)])
        return total, common

    def _chained_sum(self, items: Sequence[ExactPair], factors: Sequence[int]) -> ExactPair | None:
        """The same where each denominator divides the next larger one, as Horner's scheme.

        Neighbouring denominators turn up again and again as the solver climbs, so almost all
        quotients are known and no two large numbers are divided or multiplied.
        """
        total, common = 0, 1
        for (numerator, denominator), factor in sorted(
            zip(items, factors, strict=True), key=_item_denominator
        ):
            if denominator is not common:
                ratio = self._ratio(denominator, common)
                if not ratio:
                    return None
                total, common = total * ratio, denominator
            total += numerator * factor
        return total, common

    def _ratio(self, large: int, small: int) -> int:
        """``large // small``, or 0 where ``small`` does not divide ``large``."""
        if small == 1:
            return large
        key = id(large), id(small)
        ratio = self._ratios.get(key)
        if ratio is None:
            if len(self._ratios) >= RATIOS_KEPT:
                self._ratios.clear()
            quotient, remainder = divmod(large, small)
            ratio = self._ratios[key] = 0 if remainder else quotient
        return ratio

    def best(self, items: Sequence[ExactPair], *, up: bool) -> list[int]:
        """See ``Arithmetic.best``.

        Quotients are compared as correctly rounded floats first: rounding never turns an
        order round, so only quotients that round to the same float are compared exactly.
        """
        keys: list[float] | list[int]
        try:
            keys = [n if d == 1 else n / d for n, d in items]
        except OverflowError:
            return self._best_of(items, list(range(len(items))), up=up)
        top = max(keys) if up else min(keys)
        rivals = [i for i, key in enumerate(keys) if key == top]
        if len(rivals) == 1:
            return rivals
        return self._best_of(items, rivals, up=up)

    def _best_of(self, items: Sequence[ExactPair], rivals: list[int], *, up: bool) -> list[int]:
        tied: list[int] = []
        for i in rivals:
            if not tied:
                tied = [i]
                continue
            (n, d), (m, e) = items[i], items[tied[0]]
            difference = n * e - m * d if (n, d) != (m, e) else 0
            if not difference:
                tied.append(i)
            elif (difference > 0) is up:
                tied = [i]
        return tied

    def value_of(self, items: Sequence[ExactPair], tied: Sequence[int], **_: bool) -> ExactPair:
        """See ``Arithmetic.value_of``."""
        return items[tied[0]]

    def plus(self, item: ExactPair, offset: Amount) -> ExactPair:
        """See ``Arithmetic.plus``."""
        if not offset:
            return item
        numerator, denominator = item
        if type(offset) is int:
            return numerator + offset * denominator, denominator
        return _sum(item, self.constant(offset))

    def softmax(self, items: Sequence[ExactPair], temperature: Fraction, *, up: bool) -> ExactPair:
        """Never asked for: it has no exact value."""
        raise NotImplementedError


def _denominator(item: ExactPair) -> int:
    return item[1]


def _item_denominator(entry: tuple[ExactPair, int]) -> int:
    return entry[0][1]


def _common_multiple(a: int, b: int) -> int:
    if a == 1 or b % a == 0:
        return b
    return a if a % b == 0 else math.lcm(a, b)


def _reduced(numerator: int, denominator: int) -> ExactPair:
    if denominator == 1 or denominator.bit_length() > REDUCE_BITS:
        return numerator, denominator
    shared = math.gcd(numerator, denominator)
    return numerator // shared, denominator // shared


def _sum(left: ExactPair, right: ExactPair) -> ExactPair:
    common = _common_multiple(left[1], right[1])
    total = left[0] * (common // left[1]) + right[0] * (common // right[1])
    return _reduced(total, common)


class FloatNumbers:
    """Floats with a running bound on their rounding error.

    A number beyond the floats raises ``OverflowError``, or becomes infinite or not a number.

    Each operation adds what it can round off to what its operands were off by: Higham,
    *Accuracy and Stability of Numerical Algorithms*, 2nd edition, section 3.3.
    """

    def constant(self, value: Amount) -> FloatPair:
        """The float nearest to a payoff."""
        number = float(value)
        exact = isinstance(value, float) or number == value
        return number, 0.0 if exact else abs(number) * UNIT + TINY

    def mix(
        self, items: Sequence[FloatPair], weights: Sequence[Amount], divisor: int, offset: Amount
    ) -> FloatPair:
        """See ``Arithmetic.mix``."""
        total = spread = bound = 0.0
        for (value, off), weight in zip(items, weights, strict=True):
            p = float(Fraction(weight) / divisor) if type(weight) is not int else weight / divisor
            total += p * value
            spread += abs(p * value)
            bound += abs(p) * off
        rounding = (len(items) + 2) * UNIT * spread
        exact = divisor == 1 and len(items) == 1 and weights[0] in {1, -1}
        if not math.isfinite(bound + spread):
            raise OverflowError
        if not exact:
            bound = (bound + rounding) * (1 + 8 * UNIT) + 2 * len(items) * TINY
        return self.plus((total, bound), offset)

    def best(self, items: Sequence[FloatPair], *, up: bool) -> list[int]:
        """See ``Arithmetic.best``; values that the bounds cannot tell apart are tied."""
        top, off = max(items) if up else min(items)
        return [i for i, (v, e) in enumerate(items) if v == top or abs(v - top) <= off + e]

    def value_of(self, items: Sequence[FloatPair], tied: Sequence[int], *, up: bool) -> FloatPair:
        """See ``Arithmetic.value_of``: any of them may be the best one in truth."""
        if len(tied) == 1:
            return items[tied[0]]
        rivals = [items[i] for i in tied]
        value = (max(rivals) if up else min(rivals))[0]
        return value, max(off for _, off in rivals)

    def plus(self, item: FloatPair, offset: Amount) -> FloatPair:
        """See ``Arithmetic.plus``."""
        if not offset:
            return item
        number, off = self.constant(offset)
        total = item[0] + number
        if not math.isfinite(total):
            raise OverflowError
        return total, (item[1] + off + abs(total) * UNIT) * (1 + 4 * UNIT)

    def softmax(self, items: Sequence[FloatPair], temperature: Fraction, *, up: bool) -> FloatPair:
        """See ``Arithmetic.softmax``; the bound is derived at ``softmax_slope``."""
        t = float(temperature)
        values = [value for value, _ in items]
        peak = max(values) if up else min(values)
        off, count = max(off for _, off in items), len(items)
        shift = off / t
        mass = total = size = gaps = far = curve = steep = 0.0
        for value in values:
            gap = abs(value - peak)
            power = math.exp(-gap / t)
            if not power:
                continue  # and the gap may be infinite
            mass += power
            total += power * value
            size += power * abs(value)
            gaps += power * gap
            far += power * (gap / t)
            curve += power * (gap / t) * gap
            steep += power * max(gap / t + 2 * shift - 1, 0.0)
        spread = max(values) - min(values)
        unsure = UNIT * ((2 * count + 4) * size + 3 * curve + (3 * far / mass + 4) * gaps) / mass
        unsure += 2 * count * TINY * (1 + min(spread, LARGEST))
        bound = (unsure + softmax_error(off, t, steep / mass, count)) * (1 + 1e-9)
        return total / mass, min(bound, spread + 2 * off)  # it lies between the least and the most


def softmax_error(off: float, t: float, steep: float, count: int) -> float:
    """How far the softmax of items can be off that are off by ``off``.

    Let p be the odds of the items and x their distances from the best one, over t. The sizes of
    the average's derivatives add up to 1 + 2 Σ p max(0, x - 1 - Σ p x). Items that are off by
    d t change an x by 2 d, and a p by a factor of e^(4 d) at most. However they lie,
    Σ p max(0, x - 1) is not above W((count - 1) / e²), with Lambert's W, and W(y) <= log1p(y).
    Nor is Σ p x above W((count - 1) / e): times t, how far the average lies from the best item.

    Args:
        off: The largest error of an item.
        t: The temperature.
        steep: Σ p max(0, x + 2 d - 1), where d is off / t.
        count: How many items there are.
    """
    slope, shift = math.log1p((count - 1) / math.e**2), off / t
    if shift <= 1:
        slope = min(slope, math.exp(4 * shift) * steep)
    return off + min(2 * slope * off, t * math.log1p((count - 1) / math.e))
