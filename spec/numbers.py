"""Numbers as they are written, and exact text for them.

Input   the text of one scalar: ``3``, ``-2.5``, ``1/3``, ``25%``, ``1e-3``, ``1_000``, ``.5``.
Output  an exact ``Fraction``, or None for a text that is no number.
Holds   a text with two readings is never read; no number of over 4,000 digits is computed.
Errors  none raised: ``number_problem`` says why a text that looks like a number is not read
        (GT304 not a number, GT305 ambiguous, GT306 not finite, GT503 too long).
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from fractions import Fraction

from .diagnostics import Code

MAX_DIGITS = 4_000
_SHORT = 13_000  # bits: fewer than MAX_DIGITS digits

Problem = tuple[Code, str, str | None]  # code, message, help

_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_NUMBER = re.compile(
    rf"([+-]?)(?:(0|[1-9][0-9]*(?:_[0-9]+)*)(?:\.({_DIGITS}))?|\.({_DIGITS}))"
    r"(?:[eE]([+-]?[0-9]+))?(%?)"
)
_RATIO = re.compile(r"([+-]?)(0|[1-9][0-9]*(?:_[0-9]+)*)/(0|[1-9][0-9]*(?:_[0-9]+)*)")

# Compiled when something looks wrong, which is seldom: a small game starts faster.
_LEADING_ZERO = r"([+-]?)0[0-9_]*[0-9](?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?%?"
_NOT_FINITE = r"(?i:[+-]?\.?(?:inf|infinity|nan|∞))"
_COMMA = r"([+-]?[0-9]+),([0-9]+)(%?)"
_THOUSANDS = r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+"
_SPACED = "[+-]?[0-9]{1,3}(?:[ \u00a0\u2009\u202f'\u2019][0-9]{3})+"
_POINT_LAST = r"([+-]?[0-9][0-9_]*)\.(%?)"
_UNDERSCORES = r"[+-]?[0-9][0-9_]*(?:\.[0-9_]*)?%?"
_BASED = r"0(?:[xX][0-9a-fA-F]{1,15}|[oO][0-7]{1,20}|[bB][01]{1,60})"
_CURRENCY = r"([+-]?)([$€£¥₹]?)\s*([+-]?[0-9][0-9_.]*)\s*([$€£¥₹]?)"
_SPACED_PERCENT = r"([+-]?[0-9][0-9_.]*)\s+%"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"


def read_number(text: str) -> Fraction | None:
    """The number that ``text`` is, exactly; None where it is none, or is refused.

    Time and memory are bounded: nothing above ``MAX_DIGITS`` digits is computed.
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        return _ratio(text)
    sign, whole, decimals, bare_decimals, exponent, percent = match.groups()
    decimals = decimals or bare_decimals
    if decimals is None and exponent is None and not percent:
        if len(whole) > MAX_DIGITS and _long(whole):
            return None
        return Fraction(int(sign + whole))
    return _scaled(sign + (whole or ""), decimals or "", exponent or "0", percent)


def _long(digits: str) -> bool:
    return len(digits.replace("_", "")) > MAX_DIGITS


def _scaled(whole: str, decimals: str, exponent: str, percent: str) -> Fraction | None:
    decimals = decimals.replace("_", "")
    if len(exponent) > len(str(MAX_DIGITS)) + 1 or _long(whole + decimals):
        return None
    shift = int(exponent) - len(decimals) - (2 if percent else 0)
    if abs(int(exponent)) + len(whole) + len(decimals) > MAX_DIGITS:
        return None
    mantissa = int(whole + decimals)
    return Fraction(mantissa * 10**shift) if shift >= 0 else Fraction(mantissa, 10**-shift)


def _ratio(text: str) -> Fraction | None:
    match = _RATIO.fullmatch(text)
    if match is None:
        return None
    sign, top, bottom = match.groups()
    if _long(top) or _long(bottom) or int(bottom) == 0:
        return None
    return Fraction(int(sign + top), int(bottom))


def number_problem(text: str) -> Problem | None:
    """Why ``text``, which looks like a number, is not read as one.

    None both for numbers and for texts that do not look like numbers at all.
    """
    if not text or read_number(text) is not None:
        return None
    return _size_problem(text) or _form_problem(text) or _foreign_problem(text)


def _size_problem(text: str) -> Problem | None:
    match = _NUMBER.fullmatch(text) or _RATIO.fullmatch(text)
    if match is None or (match.re is _RATIO and not (_long(match[2]) or _long(match[3]))):
        return None
    shown = text if len(text) <= 40 else f"{text[:12]}…{text[-12:]}"
    return (
        Code.NUMBER_LIMIT,
        f"`{shown}` has more than {MAX_DIGITS:,} digits",
        f"numbers may have up to {MAX_DIGITS:,} digits when they are written out",
    )


def _form_problem(text: str) -> Problem | None:
    if re.fullmatch(_NOT_FINITE, text):
        return (
            Code.NOT_FINITE,
            f"`{text}` is not a finite number",
            "payoffs and odds are finite numbers; for one above all others write a large number",
        )
    if re.fullmatch(_LEADING_ZERO, text):
        return _leading_zero(text)
    if match := re.fullmatch(_COMMA, text):
        return _comma(text, f"{match[1]}.{match[2]}{match[3]}")
    if re.fullmatch(_THOUSANDS, text) or re.fullmatch(_SPACED, text):
        return _not_a_number(text, re.sub("[^0-9+-]", "_", text))
    if match := re.fullmatch(_POINT_LAST, text):
        return _not_a_number(text, match[1] + match[2], "has no digits after the point")
    if re.fullmatch(_UNDERSCORES, text):
        plain = re.sub("_+", "_", text).strip("_").replace("_.", ".").replace("._", ".")
        return _not_a_number(text, plain, "has an underscore that is not between two digits")
    return None


def _not_a_number(text: str, meant: str, why: str = "is not a number") -> Problem:
    return Code.NOT_A_NUMBER, f"`{text}` {why}", f"did you mean `{meant}`?"


def _comma(text: str, with_point: str) -> Problem:
    if not re.fullmatch(_THOUSANDS, text):
        return _not_a_number(text, with_point, "is not a number: decimals stand after a point")
    grouped = text.replace(",", "_")
    return (
        Code.AMBIGUOUS_NUMBER,
        f"`{text}` could mean {text.replace(',', '')} or {with_point}",
        f"write `{grouped}` or `{with_point}`",
    )


def _leading_zero(text: str) -> Problem:
    plain = re.sub("^([+-]?)[0_]+(?=[0-9])", r"\1", text)
    digits = text.lstrip("+-").replace("_", "")
    if digits.isdigit() and not set(digits) & set("89") and int(digits[:20], 8) > 7:
        octal = text[: -len(text.lstrip("+-"))] if text[0] in "+-" else ""
        octal += str(int(digits, 8)) if len(digits) <= 20 else "its octal reading"
        return (
            Code.AMBIGUOUS_NUMBER,
            f"`{text}` could mean {plain} or, read as octal, {octal}",
            f"write `{plain}` or `{octal}`",
        )
    return Code.AMBIGUOUS_NUMBER, f"`{text}` has a leading zero", f"write `{plain}`"


def _foreign_problem(text: str) -> Problem | None:
    if len(text) > MAX_DIGITS:
        return None
    if re.fullmatch(_BASED, text):
        return _not_a_number(text, str(int(text, 0)), "is not a number: only decimals are")
    if match := re.fullmatch(_CURRENCY, text):
        meant = match[1] + match[3]
        if (match[2] or match[4]) and read_number(meant) is not None:
            return _not_a_number(text, meant, "is not a number: currencies are left out")
    if (match := re.fullmatch(_SPACED_PERCENT, text)) and read_number(match[1]) is not None:
        return _not_a_number(text, match[1] + "%", "has a space before `%`")
    plain = _in_ascii(text)
    if plain != text and read_number(plain) is not None:
        return _not_a_number(text, plain, f"is not a number: it has {_culprit(text)} in it")
    return None


def _in_ascii(text: str) -> str:
    """``text`` with digits, fractions, dashes and signs of other scripts in their ASCII form."""
    pieces: list[str] = []
    for char in text:
        if char.isascii():
            pieces.append(char)
        elif char in _DASHES:
            pieces.append("-")
        elif (digit := unicodedata.decimal(char, None)) is not None:
            pieces.append(str(digit))
        elif (value := unicodedata.numeric(char, None)) is not None and 0 < value < 1:
            pieces.append(str(Fraction(value).limit_denominator(100)))
        else:
            pieces.append(unicodedata.normalize("NFKC", char))
    return "".join(pieces)


def _culprit(text: str) -> str:
    char = next(char for char in text if not char.isascii())
    return f"U+{ord(char):04X} ({unicodedata.name(char, 'unnamed').lower()})"


def show(number: Fraction | int) -> str:
    """Exact text: ``5``, ``37/3``. Any length; a decimal form is never used."""
    if isinstance(number, int) or number.denominator == 1:
        return _digits(int(number))
    return f"{_digits(number.numerator)}/{_digits(number.denominator)}"


def _digits(number: int) -> str:
    # Python refuses to write integers of over 4,300 digits, a limit that a deep game's exact
    # value passes; Decimal writes them, and fast.
    if number.bit_length() < _SHORT:
        return str(number)
    return format(Decimal(number), "f")
