"""Functions between 0 and 1 that are polynomials in pieces, in exact numbers.

Holds   the functions are continuous; neighbouring pieces differ. Sums, averages and the best of
        several such functions are such functions again: the cuts of the parts, and the places
        where two parts change their order, are all that can be cuts.
Errors  ``TooMuch`` where the meter runs out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key
from typing import NamedTuple

from .polynomial import (
    Point,
    Polynomial,
    before,
    between,
    constant,
    difference,
    roots,
    same,
    sign_everywhere,
)

START, END = Fraction(0), Fraction(1)
MOST_DEGREE = 48
MOST_CUTS = 400
MOST_BITS = 4096


class TooMuch(Exception):
    """Exact functions would take too long."""


class Piecewise(NamedTuple):
    """``pieces[i]`` holds from ``cuts[i - 1]`` to ``cuts[i]``; the ends are 0 and 1."""

    cuts: tuple[Point, ...]
    pieces: tuple[Polynomial, ...]

    def at(self, x: Fraction) -> Fraction:
        """The value at ``x``."""
        return self.pieces[sum(before(cut, x) for cut in self.cuts)].at(x)


class Meter:
    """How much may still be computed, in operations on 64 bits: some tenths of a microsecond."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, p: Polynomial, times: int = 1) -> None:
        """Pay for going over the coefficients of ``p`` so often.

        Raises:
            TooMuch: Where nothing is left, or ``p`` is too large in itself.
        """
        bits = p.divisor.bit_length() + max(abs(c) for c in p.over).bit_length()
        self.left -= times * (p.degree + 4) * (8 + bits // 64)
        if self.left < 0 or p.degree > MOST_DEGREE or bits > MOST_BITS:
            raise TooMuch


def flat(value: Fraction) -> Piecewise:
    """``value`` everywhere."""
    return Piecewise((), (constant(value),))


def combined(
    items: Sequence[Piecewise], make: Callable[[Sequence[Polynomial]], Polynomial], meter: Meter
) -> Piecewise:
    """What ``make`` makes of the items' pieces, wherever they lie."""
    found: list[tuple[Point, Polynomial]] = []
    for _, high, pieces in cells(items):
        made = make(pieces)
        meter.spend(made, len(pieces))
        found.append((high, made))
    return _joined(found)


def best(items: Sequence[Piecewise], meter: Meter, *, up: bool) -> Piecewise:
    """The largest (``up``) or smallest of the items everywhere: their envelope."""
    found: list[tuple[Point, Polynomial]] = []
    for low, high, pieces in cells(items):
        parts = [(low, high, pieces[0])]
        for rival in dict.fromkeys(pieces[1:]):
            parts = [won for part in parts for won in _better(*part, rival, meter, up=up)]
        found += [(end, piece) for _, end, piece in parts]
    return _joined(found)


def cells(items: Sequence[Piecewise]) -> Iterator[tuple[Point, Point, list[Polynomial]]]:
    """From the left, the parts of [0, 1] in which no item has a cut, and the items' pieces."""
    at = [0] * len(items)
    low: Point = START
    for cut in _sorted([cut for item in items for cut in item.cuts]):
        yield low, cut, [item.pieces[i] for item, i in zip(items, at, strict=True)]
        for number, item in enumerate(items):
            i = at[number]
            if i < len(item.cuts) and same(item.cuts[i], cut):
                at[number] += 1
        low = cut
    yield low, END, [item.pieces[i] for item, i in zip(items, at, strict=True)]


def _sorted(cuts: Sequence[Point]) -> list[Point]:
    """The cuts from the left, equal ones once."""
    if not cuts:
        return []
    found: list[Point] = []
    for cut in sorted(cuts, key=cmp_to_key(_order)):
        if not found or not same(found[-1], cut):
            found.append(cut)
    if len(found) > MOST_CUTS:
        raise TooMuch
    return found


def _order(left: Point, right: Point) -> int:
    if before(left, right):
        return -1
    return 0 if same(left, right) else 1


def _better(
    low: Point, high: Point, piece: Polynomial, rival: Polynomial, meter: Meter, *, up: bool
) -> Iterator[tuple[Point, Point, Polynomial]]:
    """Who is better from ``low`` to ``high``, in parts."""
    if piece == rival:
        yield low, high, piece
        return
    lead = difference(piece, rival) if up else difference(rival, piece)
    meter.spend(lead)
    sign = sign_everywhere(lead)
    if sign is not None:
        yield low, high, piece if sign > 0 else rival
        return
    meter.spend(lead, 8 * (lead.degree + 1))
    inside = [root for root in roots(lead) if before(low, root) and before(root, high)]
    for start, end in zip([low, *inside], [*inside, high], strict=True):
        yield start, end, piece if lead.at(between(start, end)) > 0 else rival


def _joined(found: Sequence[tuple[Point, Polynomial]]) -> Piecewise:
    """One piece where neighbours agree."""
    cuts: list[Point] = []
    pieces: list[Polynomial] = []
    for end, piece in found:
        if pieces and pieces[-1] == piece:
            cuts[-1] = end
        else:
            cuts.append(end)
            pieces.append(piece)
    return Piecewise(tuple(cuts[:-1]), tuple(pieces))
