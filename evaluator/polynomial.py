"""Polynomials of one variable between 0 and 1 in exact numbers, and their roots there.

Form    ``sum(over[i] * x**i * (1 - x)**(n - i)) / divisor``: Bernstein's basis without its
        binomials. Where the signs of ``over`` agree, so do those of all values; the number of
        their changes bounds the number of roots and has its parity (Descartes).
Holds   nothing is rounded. A root is a ``Fraction`` where it is rational, and else a ``Root``:
        a polynomial and an interval that holds no other root of it.
Sources Collins and Akritas, *Polynomial real root isolation using Descartes' rule of signs*
        (1976), in Bernstein's basis: Lane and Riesenfeld, *Bounds on a polynomial* (1981).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

_SIMPLE = 24  # halvings before a polynomial is freed of repeated roots

Over = tuple[int, ...]


class Polynomial(NamedTuple):
    """A polynomial of degree ``len(over) - 1``, in lowest terms and of the least degree."""

    over: Over
    divisor: int

    @property
    def degree(self) -> int:
        """The highest power of x."""
        return len(self.over) - 1

    def at(self, x: Fraction) -> Fraction:
        """The value at ``x``."""
        return Fraction(_over_at(self.over, x), self.divisor * x.denominator**self.degree)


def constant(value: Fraction) -> Polynomial:
    """``value`` everywhere."""
    return Polynomial((value.numerator,), value.denominator)


def combination(
    items: Sequence[Polynomial], weights: Sequence[Fraction], offset: Fraction
) -> Polynomial:
    """``offset`` plus the sum of ``weight * item``."""
    degree = max(item.degree for item in items)
    divisor = math.lcm(
        offset.denominator,
        *(item.divisor * w.denominator for item, w in zip(items, weights, strict=True)),
    )
    total = [c * int(offset * divisor) for c in _binomials(degree)]
    for item, weight in zip(items, weights, strict=True):
        factor = int(weight * divisor / item.divisor)
        if factor:
            for i, c in enumerate(_raised(item.over, degree)):
                total[i] += factor * c
    return _least(total, divisor)


def slip(best: Polynomial, mean: Polynomial) -> Polynomial:
    """``(1 - x) * best + x * mean``."""
    degree = max(best.degree, mean.degree)
    divisor = math.lcm(best.divisor, mean.divisor)
    left = [c * (divisor // best.divisor) for c in _raised(best.over, degree)]
    right = [c * (divisor // mean.divisor) for c in _raised(mean.over, degree)]
    return _least([a + b for a, b in zip([*left, 0], [0, *right], strict=True)], divisor)


def difference(left: Polynomial, right: Polynomial) -> Polynomial:
    """``left - right``."""
    return combination((left, right), (Fraction(1), Fraction(-1)), Fraction(0))


def sign_everywhere(p: Polynomial) -> int | None:
    """1 or -1 where ``p`` is nowhere on the other side of 0 between 0 and 1; None: not known."""
    if min(p.over) >= 0:
        return 1
    return -1 if max(p.over) <= 0 else None


def _binomials(degree: int) -> list[int]:
    return [math.comb(degree, i) for i in range(degree + 1)]


def _raised(over: Sequence[int], degree: int) -> Sequence[int]:
    """``over`` times ``(x + (1 - x))`` until it has ``degree``."""
    missing = degree + 1 - len(over)
    if not missing:
        return over
    raised = [0] * (degree + 1)
    for j, times in enumerate(_binomials(missing)):
        for i, c in enumerate(over):
            raised[i + j] += times * c
    return raised


def _least(over: Sequence[int], divisor: int) -> Polynomial:
    """The polynomial with its degree and its numbers as small as can be."""
    while len(over) > 1 and sum(over[::2]) == sum(over[1::2]):  # a factor x + (1 - x)
        lower: list[int] = [over[0]]
        for c in over[1:-1]:
            lower.append(c - lower[-1])
        over = lower
    common = math.gcd(divisor, *over)
    return Polynomial(tuple(c // common for c in over), divisor // common)


def _over_at(over: Sequence[int], x: Fraction) -> int:
    """``sum(over[i] * a**i * (b - a)**(n - i))`` for x = a / b, by Horner's scheme."""
    a, rest = x.numerator, x.denominator - x.numerator
    total, power = 0, 1
    for c in reversed(over):
        total = total * a + c * power
        power *= rest
    return total


# --- roots -----------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Root:
    """The one root of ``over`` between ``low`` and ``high``; it is irrational.

    ``rising`` says that the values grow there. The interval shrinks as comparisons need it.
    """

    over: Over
    low: Fraction
    high: Fraction
    rising: bool

    def halve(self) -> Fraction | None:
        """Make the interval half as wide; the root, should it be the middle."""
        middle = (self.low + self.high) / 2
        value = _over_at(self.over, middle)
        if (value < 0) is self.rising:
            self.low = middle
        else:
            self.high = middle
        return None if value else middle

    def narrow(self, width: Fraction) -> None:
        """Make the interval no wider than ``width``."""
        while self.high - self.low > width:
            self.halve()

    def __float__(self) -> float:
        """The root, rounded."""
        self.narrow(self.high / (1 << 60))
        return float((self.low + self.high) / 2)


Point = Fraction | Root


def before(left: Point, right: Point) -> bool:
    """Whether ``left`` is smaller."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left < right
    if same(left, right):
        return False
    while _low(left) < _high(right) and _low(right) < _high(left):
        _halve(left)
        _halve(right)
    return _high(left) <= _low(right)


def same(left: Point, right: Point) -> bool:
    """Whether two points are equal."""
    if isinstance(left, Fraction) or isinstance(right, Fraction):
        return left == right  # a root is never rational
    low, high = max(left.low, right.low), min(left.high, right.high)
    if left is right or low >= high:
        return left is right
    shared = _common_divisor(left.over, right.over)
    return (_over_at(shared, low) > 0) != (_over_at(shared, high) > 0)


def between(left: Point, right: Point) -> Fraction:
    """A rational number behind ``left`` and before ``right``, which is larger."""
    while _high(left) >= _low(right):
        _halve(left)
        _halve(right)
    return (_high(left) + _low(right)) / 2


def _low(point: Point) -> Fraction:
    return point if isinstance(point, Fraction) else point.low


def _high(point: Point) -> Fraction:
    return point if isinstance(point, Fraction) else point.high


def _halve(point: Point) -> None:
    if isinstance(point, Root):
        point.halve()


def roots(p: Polynomial) -> list[Point]:
    """The roots of ``p``, which is not 0, behind 0 and before 1, in increasing order.

    Time: n² additions for each halving of an interval, and as many halvings as its closest
    roots, or the bits of a leading coefficient, ask for.
    """
    over = _primitive(p.over)
    if len(over) == 2:  # over[0] * (1 - x) + over[1] * x
        return [Fraction(over[0], over[0] - over[1])] if over[0] * over[1] < 0 else []
    found = _isolated(over, _SIMPLE)
    return _isolated(_without_repeated(over), None) or [] if found is None else found


def _isolated(over: Over, deepest: int | None) -> list[Point] | None:
    """Halve [0, 1] until no part can hold two roots; None beyond ``deepest`` halvings."""
    found: list[Point] = []
    parts: list[tuple[list[int], Fraction, Fraction]] = [
        (_bernstein(over), Fraction(0), Fraction(1))
    ]
    while parts:
        part, low, high = parts.pop()
        changes = _changes(part)
        middle = (low + high) / 2
        if low == high:
            found.append(low)
        elif changes == 1:
            rising = next(c for c in part if c) < 0
            found.append(_settled(Root(over, low, high, rising)))
        elif changes:
            if deepest is not None and (high - low).denominator >> deepest:
                return None
            left, right = _halves(part)
            parts.append((right, middle, high))
            if not right[0]:
                parts.append(([], middle, middle))
            parts.append((left, low, middle))
    return found


def _settled(root: Root) -> Point:
    """The root, as a fraction if it is one, else with an interval whose ends are no roots.

    With t = x / (1 - x), ``over`` are the coefficients of a polynomial in t: a rational root is
    a multiple of 1 over the last one, and in a small interval there is one such number.
    """
    over, last = root.over, abs(root.over[-1])
    while True:
        low, high = root.low, root.high
        if high < 1 and (high / (1 - high) - low / (1 - low)) * last < 1:
            number = math.floor(high / (1 - high) * last)
            near = Fraction(number, number + last)
            if low < near < high and not _over_at(over, near):
                return near
            if _over_at(over, low) and _over_at(over, high):
                return root
        middle = root.halve()
        if middle is not None:
            return middle


def _changes(over: Sequence[int]) -> int:
    signs = [c > 0 for c in over if c]
    return sum(a != b for a, b in pairwise(signs))


def _bernstein(over: Over) -> list[int]:
    binomials = _binomials(len(over) - 1)
    common = math.lcm(*binomials)
    return [c * (common // times) for c, times in zip(over, binomials, strict=True)]


def _halves(part: list[int]) -> tuple[list[int], list[int]]:
    """The coefficients on both halves: de Casteljau's scheme, times a power of two."""
    row, degree = part, len(part) - 1
    left, right = [row[0] << degree], [row[-1] << degree]
    for level in range(degree - 1, -1, -1):
        row = [a + b for a, b in pairwise(row)]
        left.append(row[0] << level)
        right.append(row[-1] << level)
    return left, right[::-1]


def _primitive(over: Sequence[int]) -> Over:
    """Without the factors x and 1 - x and what all coefficients share."""
    used = [i for i, c in enumerate(over) if c]
    kept = over[used[0] : used[-1] + 1] if used else ()
    common = math.gcd(*kept)
    return tuple(c // common for c in kept)


def _trimmed(over: Sequence[int]) -> Over:
    """Without zeros at the end, which are no coefficients of a polynomial in t."""
    used = [i for i, c in enumerate(over) if c]
    common = math.gcd(*over)
    return tuple(c // common for c in over[: used[-1] + 1]) if used else ()


def _without_repeated(over: Over) -> Over:
    """The polynomial with the same roots, each of them once."""
    slope = [i * c for i, c in enumerate(over)][1:]
    shared = _common_divisor(over, _trimmed(slope))
    return _primitive(_quotient(over, shared))


def _common_divisor(left: Over, right: Over) -> Over:
    """Euclid's algorithm for polynomials in t, in whole numbers."""
    while right:
        left, right = right, _trimmed(_divided(left, right)[1])
    return left


def _quotient(over: Over, by: Over) -> Over:
    return _trimmed(_divided(over, by)[0])


def _divided(over: Sequence[int], by: Sequence[int]) -> tuple[list[int], list[int]]:
    """Quotient and remainder, both times a power of the divisor's last coefficient."""
    rest, quotient = list(over), list[int]()
    while len(rest) >= len(by):
        top = rest.pop()
        quotient = [c * by[-1] for c in quotient] + [top]
        rest = [c * by[-1] for c in rest]
        shift = len(rest) + 1 - len(by)
        for i, c in enumerate(by[:-1]):
            rest[shift + i] -= top * c
    return quotient[::-1], rest
