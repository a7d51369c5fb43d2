"""Answers and strategies as text and JSON, and the numbers in them."""

from __future__ import annotations

import json
import sys
from fractions import Fraction

import pytest
from gametree.compiler.dag import Kind, Size
from gametree.evaluator.solution import Answer, Branch
from gametree.render.answer import (
    StrategyRow,
    answer_json,
    answer_text,
    strategy_json,
    strategy_text,
)
from gametree.render.numbers import (
    as_float,
    decimal_text,
    exact_text,
    odds_text,
    picture_text,
    table_text,
    value_text,
)

SIZE = Size(15, 14, 8, 3)
PUSH = Fraction(79292566171467, 5000000000000)


def dice(**changes: object) -> Answer:
    fields: dict[str, object] = {
        "game": "dice",
        "algorithm": "expectiminimax",
        "numbers": "exact",
        "value": Fraction(5),
        "error_bound": 0.0,
        "best": ("B",),
        "branches": (Branch("A", Fraction(4)), Branch("B", Fraction(5))),
        "line": ("B",),
        "size": SIZE,
    }
    return Answer(**{**fields, **changes})  # pyright: ignore[reportArgumentType]


def huge(digits: int) -> Fraction:
    return Fraction(10 ** (digits - 1) + 1, 3)


# --- JSON ------------------------------------------------------------------------------------


def test_json_is_the_contract():
    assert json.dumps(answer_json(dice())) == (
        '{"game": "dice", "algorithm": "expectiminimax", "numbers": "exact",'
        ' "value": "5", "value_float": 5.0, "error_bound": 0.0, "best": ["B"],'
        ' "branches": [{"label": "A", "value": "4", "value_float": 4.0},'
        ' {"label": "B", "value": "5", "value_float": 5.0}], "line": ["B"],'
        ' "size": {"nodes": 15, "edges": 14, "terminals": 8, "depth": 3}}'
    )


def test_json_of_a_chance_root_has_odds_and_no_best():
    branches = (Branch("x", Fraction(37, 3), Fraction(1, 3)),)
    content = answer_json(dice(branches=branches, best=(), line=()))

    assert content["branches"] == [
        {"label": "x", "value": "37/3", "value_float": 37 / 3, "p": "1/3"}
    ]
    assert content["best"] == []


def test_json_in_floats_has_the_shortest_exact_text():
    content = answer_json(dice(numbers="float", value=0.1, error_bound=1e-17, branches=()))

    assert (content["value"], content["value_float"]) == ("0.1", 0.1)
    assert content["error_bound"] == 1e-17


@pytest.mark.parametrize("value", [Fraction(10) ** 400, Fraction(-(10**400), 3), float("inf")])
def test_json_has_no_infinity(value):
    content = answer_json(dice(value=value, error_bound=float("inf")))

    assert content["value_float"] is None
    assert content["error_bound"] is None
    json.dumps(content, allow_nan=False)


def test_json_has_every_digit_and_leaves_the_interpreters_limit_alone():
    limit = sys.get_int_max_str_digits()
    value = Fraction(10**19_999 + 1, 10**20_000)
    content = answer_json(dice(value=value))

    assert content["value"] == f"1{'0' * 19_998}1/1{'0' * 20_000}"
    assert content["value_float"] == 0.1
    assert sys.get_int_max_str_digits() == limit


# --- numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(5), "5"),
        (Fraction(-5), "-5"),
        (Fraction(19, 2), "9.5"),
        (Fraction(37, 3), "37/3 (12.33333333…)"),
        (Fraction(-37, 3), "-37/3 (-12.33333333…)"),
        (PUSH, "15.85851323… (exact: 79292566171467/5000000000000)"),
        (Fraction(1, 128), "0.0078125"),
        (Fraction(1, 10**9), "1e-9"),
        (Fraction(10**14), "100000000000000"),
        (Fraction(10**30), "1e+30"),
        (Fraction(10**30 + 1), "1.000000000…e+30 (exact: 1000000000000000000000000000001)"),
        (Fraction(123456789012, 7), "17636684144.5714… (exact: 123456789012/7)"),
        (huge(20_000), "3.333333333…e+19998 (exact: a fraction of 20,001 digits)"),
        (Fraction(10**4999 + 1), "1.000000000…e+4999 (exact: an integer of 5,000 digits)"),
        (0.1, "0.1"),
        (1 / 3, "0.3333333333"),
        (1e300, "1e+300"),
    ],
)
def test_a_value_is_exact_where_short_and_says_how_long_where_not(value, text):
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("odds", "text"),
    [
        (Fraction(1, 2), "1/2"),
        (Fraction(1, 3), "1/3"),
        (Fraction(5, 36), "5/36"),
        (Fraction(143, 1000), "0.143"),
        (Fraction(3, 10), "0.3"),
        (Fraction(1), "1"),
        (Fraction(123456789, 987654321987), "≈ 0.000125"),
        (0.25, "0.25"),
    ],
)
def test_probabilities_are_shown_as_people_write_them(odds, text):
    assert odds_text(odds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(37, 3), "37/3"),
        (PUSH, "≈ 15.8585"),
        (Fraction(-2, 3), "-2/3"),
        (Fraction(1234567, 2), "617283.5"),
        (Fraction(123456789012, 7), "≈ 17636684145"),
        (Fraction(10**12 + 1), "≈ 1000000000001"),
        (2.5, "2.5"),
    ],
)
def test_numbers_in_pictures_are_short(value, text):
    assert picture_text(value) == text


def test_digits_are_cut_not_rounded():
    assert decimal_text(Fraction(2, 3), 5) == "0.66666…"
    assert decimal_text(Fraction(-2, 3), 5) == "-0.66666…"


def test_the_shortcut_for_huge_fractions_agrees_with_long_division():
    """Only the leading bits of a huge fraction are divided; where they do not settle it, all."""
    scale = 3**5000
    for value in (Fraction(7**4000, scale), Fraction(-(7**4000), scale), Fraction(1, scale)):
        digits = abs(value.numerator) * 10**3000 // value.denominator
        leading = exact_text(digits).lstrip("0")[:10]
        text = decimal_text(value).lstrip("-").replace(".", "")
        assert text.startswith(leading)
    near_one = Fraction(scale - 1, scale)
    assert decimal_text(near_one) == "0.9999999999…"
    assert decimal_text(1 / near_one) == "1.000000000…"


def test_text_of_a_strategy_of_long_fractions_is_quick():
    """Twenty thousand values of four thousand digits take seconds by full conversion."""
    value = Fraction(7**4000, 3**5000)
    for _ in range(5000):
        table_text(value)


def test_floats_beyond_range_and_below_it():
    assert as_float(Fraction(1, 10**400)) == 0.0
    assert as_float(Fraction(10**400)) is None
    assert as_float(float("nan")) is None


# --- text ------------------------------------------------------------------------------------


def test_the_text_of_an_answer():
    answer = dice(
        branches=(
            Branch("A", Fraction(37, 3)),
            Branch("世界\n\u202e", Fraction(4)),
            Branch("B", PUSH),
        ),
        value=PUSH,
        line=("B", "stand"),
    )

    assert answer_text(answer).splitlines() == [
        "dice, expectiminimax",
        "",
        "value  15.85851323… (exact: 79292566171467/5000000000000)",
        "best   B",
        "line   B → stand",
        "size   15 nodes, 14 edges, 8 terminals, depth 3",
        "",
        "  branch               value",
        "  A                     37/3  = 12.333333…",
        "  世界\\n\\u202e             4",
        "* B             15.85851323…",
    ]


def test_a_chance_root_shows_odds():
    branches = (
        Branch("heads", Fraction(1), Fraction(1, 3)),
        Branch("tails", Fraction(-10), Fraction(2, 3)),
    )

    assert answer_text(dice(branches=branches, best=(), line=())).splitlines()[-3:] == [
        "  branch  odds  value",
        "  heads   1/3       1",
        "  tails   2/3     -10",
    ]


def test_ties_are_all_named():
    text = answer_text(dice(best=("A", "B")))

    assert "best   A, B (tied)" in text
    assert text.count("\n* ") == 2


def test_a_terminal_root_has_no_table():
    text = answer_text(dice(best=(), branches=(), line=(), size=Size(1, 0, 1, 0)))

    assert text.splitlines()[-1] == "size   1 node, 0 edges, 1 terminal, depth 0"


def test_floats_say_that_they_are_and_how_far_off():
    text = answer_text(dice(numbers="float", value=15.85851323429341, error_bound=2.5e-14))

    assert "value  15.85851323 (float, off by 2.5e-14 at most)" in text


def test_many_branches_are_cut_but_the_best_is_there():
    branches = tuple(Branch(f"move {number}", Fraction(number)) for number in range(1000))
    lines = answer_text(dice(branches=branches, best=("move 999",))).splitlines()

    assert "* move 999    999" in lines
    assert lines[-1] == "  … and 969 more"


def test_a_long_line_is_cut():
    text = answer_text(dice(line=("go",) * 200_000))

    assert "go → go … and 199,980 more" in text
    assert len(text) < 1000


def test_long_and_empty_labels_are_safe():
    branches = (Branch("x" * 300, Fraction(1)), Branch("", Fraction(2)))
    text = answer_text(dice(branches=branches, best=("",), line=("",)))

    assert "x" * 59 + "…" in text
    assert 'best   ""' in text


def test_colour_changes_nothing_but_colour():
    import re

    coloured = answer_text(dice(), colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == answer_text(dice())


# --- strategies ------------------------------------------------------------------------------

ROWS = [
    StrategyRow("turn(16)", Kind.MAX, ("stand",), Fraction(16)),
    StrategyRow("turn(1)", Kind.MIN, ("hit", "stand"), Fraction(-16, 7)),
]


def test_a_strategy_as_text():
    assert strategy_text(ROWS).splitlines() == [
        "node      kind  choose        value",
        "turn(16)  max   stand            16",
        "turn(1)   min   hit or stand  -16/7  = -2.2857142…",
    ]


def test_a_strategy_as_json():
    assert strategy_json(ROWS)[1] == {
        "node": "turn(1)",
        "kind": "min",
        "chosen": ["hit", "stand"],
        "value": "-16/7",
        "value_float": -16 / 7,
    }


def test_a_game_without_choices_says_so():
    assert strategy_text([]) == "no node of this game chooses"
