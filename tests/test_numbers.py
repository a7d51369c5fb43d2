"""Numbers: what is read, what is refused, and exact text."""

from __future__ import annotations

import subprocess
import sys
import time
from fractions import Fraction

import pytest
from gametree.spec.diagnostics import Code
from gametree.spec.numbers import number_problem, read_number, show
from hypothesis import given
from hypothesis import strategies as st

READ = {
    "3": Fraction(3),
    "-2.5": Fraction(-5, 2),
    "+4": Fraction(4),
    "0": Fraction(0),
    "-0": Fraction(0),
    "0.5": Fraction(1, 2),
    ".5": Fraction(1, 2),
    "-.5": Fraction(-1, 2),
    "1/3": Fraction(1, 3),
    "-4/6": Fraction(-2, 3),
    "25%": Fraction(1, 4),
    "12.5%": Fraction(1, 8),
    "1e-3": Fraction(1, 1000),
    "1.5E2": Fraction(150),
    "1_000": Fraction(1000),
    "1_000.000_1": Fraction(10000001, 10000),
    "1e05": Fraction(100000),
}


@pytest.mark.parametrize("text", READ)
def test_numbers_are_read_exactly(text: str):
    """Every form that the language lists is an exact rational."""
    assert read_number(text) == READ[text]
    assert number_problem(text) is None


REFUSED = {
    "010": (Code.AMBIGUOUS_NUMBER, "`010` could mean 10 or, read as octal, 8", "write `10` or `8`"),
    "-010": (Code.AMBIGUOUS_NUMBER, "could mean -10 or, read as octal, -8", "`-10` or `-8`"),
    "007": (Code.AMBIGUOUS_NUMBER, "`007` has a leading zero", "write `7`"),
    "089": (Code.AMBIGUOUS_NUMBER, "`089` has a leading zero", "write `89`"),
    "00.5": (Code.AMBIGUOUS_NUMBER, "leading zero", "`0.5`"),
    "1,000": (Code.AMBIGUOUS_NUMBER, "could mean 1000 or 1.000", "`1_000` or `1.000`"),
    "0,5": (Code.NOT_A_NUMBER, "decimals stand after a point", "did you mean `0.5`?"),
    "12,5%": (Code.NOT_A_NUMBER, "decimals stand after a point", "did you mean `12.5%`?"),
    "1,000,000": (Code.NOT_A_NUMBER, "is not a number", "did you mean `1_000_000`?"),
    "1 000": (Code.NOT_A_NUMBER, "is not a number", "did you mean `1_000`?"),
    ".inf": (Code.NOT_FINITE, "`.inf` is not a finite number", "large number"),
    "-.INF": (Code.NOT_FINITE, "not a finite number", "large number"),
    "NaN": (Code.NOT_FINITE, "`NaN` is not a finite number", ""),
    "inf": (Code.NOT_FINITE, "", ""),
    "-Infinity": (Code.NOT_FINITE, "", ""),
    "∞": (Code.NOT_FINITE, "", ""),
    "½": (Code.NOT_A_NUMBER, "U+00BD", "did you mean `1/2`?"),
    "−1": (Code.NOT_A_NUMBER, "U+2212 (minus sign)", "did you mean `-1`?"),
    "１２": (Code.NOT_A_NUMBER, "U+FF11", "did you mean `12`?"),
    "٣": (Code.NOT_A_NUMBER, "U+0663", "did you mean `3`?"),
    "0x1F": (Code.NOT_A_NUMBER, "", "did you mean `31`?"),
    "$5": (Code.NOT_A_NUMBER, "currencies", "did you mean `5`?"),
    "20 €": (Code.NOT_A_NUMBER, "currencies", "did you mean `20`?"),
    "50 %": (Code.NOT_A_NUMBER, "a space before `%`", "did you mean `50%`?"),
    "5.": (Code.NOT_A_NUMBER, "no digits after the point", "did you mean `5`?"),
    "1_": (Code.NOT_A_NUMBER, "underscore", "did you mean `1`?"),
    "1__0": (Code.NOT_A_NUMBER, "underscore", "did you mean `1_0`?"),
    "1e999999": (Code.NUMBER_LIMIT, "more than 4,000 digits", ""),
    "1e-999999999999": (Code.NUMBER_LIMIT, "more than 4,000 digits", ""),
    "9" * 4001: (Code.NUMBER_LIMIT, "`999999999999…999999999999` has more than 4,000", ""),
    "1/" + "9" * 4001: (Code.NUMBER_LIMIT, "more than 4,000 digits", ""),
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:12])
def test_near_numbers_are_refused_with_what_was_meant(text: str):
    """A text with two readings, or in the manner of another place, is never read."""
    code, message, help_ = REFUSED[text]

    problem = number_problem(text)

    assert read_number(text) is None
    assert problem is not None
    assert problem[0] is code
    assert message in problem[1]
    assert help_ in (problem[2] or "")


@pytest.mark.parametrize("text", ["", "x", "total", "1/0", "a,b", "no", "1:30", "turn(0)", "3-6"])
def test_other_texts_are_neither_numbers_nor_problems(text: str):
    """What does not look like a number is left to others."""
    assert read_number(text) is None
    assert number_problem(text) is None


def test_huge_exponents_cost_nothing():
    """Numbers over the limit are refused before they are computed."""
    start = time.perf_counter()

    for text in ("1e999999999", "1e-999999999", "1" * 3_000_000, "1e" + "9" * 100_000):
        assert read_number(text) is None
        assert number_problem(text) is not None

    assert time.perf_counter() - start < 2


@given(st.fractions())
def test_what_is_shown_reads_back(number: Fraction):
    """``show`` writes exact text."""
    assert read_number(show(number)) == number


def test_numbers_of_any_length_are_shown():
    """An exact value may be longer than what Python writes by itself."""
    number = Fraction(10**20_000 + 1, 3**10_000)

    assert show(Fraction(37, 3)) == "37/3"
    assert show(5) == "5"
    assert show(10**20_000) == "1" + "0" * 20_000
    assert show(-(10**5_000)).startswith("-10000")
    assert len(show(number)) > 20_000


def test_reading_numbers_imports_no_parser():
    """A file of numbers only is read without lark."""
    script = (
        "import sys; from gametree.spec.numbers import read_number; "
        "from gametree.spec.parser import parse_expression; "
        "read_number('1/3'); parse_expression('12.5'); print('lark' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "False"
