"""Numbers as text: exact ones in full for programs, short ones for people.

Exact   ``37/3``, ``-5``: every digit, however many.
Short   no more than some ten digits. ``…`` ends digits that go on (they are cut, not rounded),
        ``≈`` stands before a rounded number.

Works through ``decimal``, which ``fractions`` loads anyway: it has no limit on the digits of
an integer, so that the interpreter's own limit (``sys.set_int_max_str_digits``) may stay.
"""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, ROUND_DOWN, ROUND_HALF_EVEN, Context, Decimal, Inexact
from fractions import Fraction

Number = int | Fraction | float

DIGITS = 10
_KEPT_BITS = 512
_WHOLE_DIGITS = 15  # integers up to here are written out
_SHORT_FRACTION = 11  # characters: 12345/67891 is still easier to read than a decimal
_STEP = 24  # digits, or characters of a fraction
_LONG_FRACTION = 48  # characters: beyond, only the number of digits is said
_PICTURE_DIGITS = 6
_PICTURE_FRACTION = 7


def exact_text(value: Number) -> str:
    """All of ``value``: ``37/3`` or ``5``; for a float its shortest exact text (``repr``)."""
    if isinstance(value, float):
        return repr(float(value))  # float(): a numpy float writes its type's name
    if value.denominator == 1:
        return str(Decimal(value.numerator))
    return f"{Decimal(value.numerator)}/{Decimal(value.denominator)}"


def as_float(value: Number) -> float | None:
    """``value`` rounded to a float; ``None`` beyond their range, which JSON cannot say."""
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def value_text(value: Number) -> str:
    """A value for a line of its own: ``5``, ``37/3 (12.33333333…)``, ``15.8… (exact: …)``."""
    short = table_text(value)
    if isinstance(value, float):
        return short
    if "/" in short:
        return f"{short} ({decimal_text(value)})"
    if "…" not in short:
        return short
    return f"{short} ({_exact_remark(value)})"


def _exact_remark(value: int | Fraction) -> str:
    exact = exact_text(value)
    if len(exact) <= _LONG_FRACTION:
        return f"exact: {exact}"
    digits = sum(map(str.isdigit, exact))
    return f"exact: {'a fraction' if '/' in exact else 'an integer'} of {digits:,} digits"


def table_text(value: Number) -> str:
    """A value in a table: ``5``, ``9.5``, ``37/3``, or ``15.85851323…`` for a long fraction."""
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    decimal = decimal_text(value)
    if "…" not in decimal:
        return decimal
    return _fraction_text(value, _SHORT_FRACTION) or decimal


def step_text(value: Number) -> str:
    """A value in a sum that is to come out: exact as long as that takes some 24 characters."""
    if isinstance(value, float):
        return table_text(value)
    decimal = decimal_text(value, _STEP)
    if "…" not in decimal:
        return decimal
    return _fraction_text(value, _STEP) or decimal_text(value)


def odds_text(odds: Number) -> str:
    """A probability: ``1/3``, ``0.143``, ``≈ 0.1234``."""
    if isinstance(odds, float):
        return f"{odds:.{_PICTURE_DIGITS}g}"
    halves = odds.denominator & (odds.denominator - 1) == 0
    if not halves and 10_000 % odds.denominator == 0:
        return decimal_text(odds)
    return _fraction_text(odds, _SHORT_FRACTION) or picture_text(odds)


def picture_text(value: Number) -> str:
    """A value in a picture: ``9.5``, ``37/3``, or ``≈ 15.8585`` for what is longer."""
    if isinstance(value, float):
        return f"{value:.{_PICTURE_DIGITS}g}"
    digits = DIGITS if value.denominator == 1 else _PICTURE_DIGITS + 1
    decimal, exact = _divide(value, digits, ROUND_HALF_EVEN)
    if exact:
        return _plain_or_scientific(decimal)
    decimal, _ = _divide(value, _enough(value, _PICTURE_DIGITS, 0), ROUND_HALF_EVEN)
    return _fraction_text(value, _PICTURE_FRACTION) or f"≈ {_plain_or_scientific(decimal)}"


def decimal_text(value: int | Fraction, digits: int = DIGITS) -> str:
    """``value`` to ``digits`` digits, with ``…`` where more follow: ``12.33333333…``."""
    decimal, exact = _divide(value, _enough(value, digits, 4), ROUND_DOWN)
    if exact:
        return _plain_or_scientific(decimal)
    mantissa, exponent, power = _plain_or_scientific(decimal, trim=False).partition("e")
    return f"{mantissa}…{exponent}{power}"


def _enough(value: int | Fraction, digits: int, behind: int) -> int:
    """At least ``digits``, and ``behind`` the point where the whole part is written out."""
    whole = abs(value.numerator) // value.denominator
    return max(digits, len(str(whole)) + behind) if whole < 10**_WHOLE_DIGITS else digits


def _fraction_text(value: int | Fraction, longest: int) -> str | None:
    # Bits first: the text of a fraction of a million digits takes seconds.
    if value.denominator.bit_length() + value.numerator.bit_length() > 4 * longest:
        return None
    text = str(value)
    return text if len(text) <= longest else None


def _divide(value: int | Fraction, digits: int, rounding: str) -> tuple[Decimal, bool]:
    """``value`` to ``digits`` significant digits, and whether nothing was lost."""
    context = Context(
        prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[], capitals=0
    )
    near = _bounds(value)
    if near is not None:
        low, high = (context.divide(Decimal(top), Decimal(bottom)) for top, bottom in near)
        if low == high:
            return low, False
    context.clear_flags()
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return quotient, not context.flags[Inexact]


def _bounds(value: int | Fraction) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Smaller fractions just below and above one with a huge denominator.

    To turn an integer of n digits into decimal takes time O(n * n), and a strategy can have
    thousands of values of thousands of digits.
    """
    drop = value.denominator.bit_length() - _KEPT_BITS
    if drop <= _KEPT_BITS:
        return None
    top, bottom = value.numerator >> drop, value.denominator >> drop
    if abs(top) < 1 << (_KEPT_BITS // 2):
        return None
    if value < 0:
        return (top, bottom), (top + 1, bottom + 1)
    return (top, bottom + 1), (top + 1, bottom)


def _plain_or_scientific(decimal: Decimal, *, trim: bool = True) -> str:
    if -7 < decimal.adjusted() < _WHOLE_DIGITS:
        text = f"{decimal:f}"
        return text.rstrip("0").rstrip(".") if trim and "." in text else text
    digits = "".join(map(str, decimal.as_tuple().digits))
    behind = digits[1:].rstrip("0") if trim else digits[1:]
    sign = "-" if decimal.is_signed() else ""
    return f"{sign}{digits[0]}{'.' if behind else ''}{behind}e{decimal.adjusted():+d}"
