"""Expressions: their values, exactly, and what they refuse."""

from __future__ import annotations

from fractions import Fraction

import pytest
from gametree.evaluator.game import Game
from gametree.spec.diagnostics import Code, SpecError
from gametree.spec.reader import read_bytes

HEAD = "game: x\nparams: {xs: [3, 1, 2], half: 1/2, yes: true}\n"
DEFINE = "define: {pairs: '[[1, 2], [3, 4]]', square(n): n ** 2, total: sum(xs), odd(n): n % 2 == 1, pick(list, i): 'list[i]'}\n"


def value(expression):
    """The exact value of an expression at the root."""
    text = HEAD + DEFINE + f"root: >-\n  {expression}\n"
    return Game.from_document(read_bytes("x.yaml", text.encode(), "yaml").document).evaluate().value


def codes(expression):
    with pytest.raises(SpecError) as caught:
        value(expression)
    return [found.code for found in caught.value.diagnostics if found.is_error]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1/3 + 2/3", "1"),
        ("3 * 0.1 + 25%", "11/20"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("7/2 // 1", "3"),
        ("7/2 % 1", "1/2"),
        ("2 ** -2", "1/4"),
        ("(1/2) ** 3", "1/8"),
        ("2 ** 3 ** 2", "512"),
        ("-2 ** 2", "-4"),
        ("7 & 5 | 8 ^ 1", "13"),
        ("~5", "-6"),
        ("1 << 4 >> 1", "8"),
        ("if 1 < 2 <= 2 != 3 then 1 else 0", "1"),
        ("if 3 > 2 > 2 then 1 else 0", "0"),
        ("if yes and not (1 == 2) or 1/0 == 1 then 1 else 0", "1"),
        ("if false and 1/0 == 1 then 1 else 0", "0"),
        ("if 2 in xs and 5 not in xs then 1 else 0", "1"),
        ("if 2 in 1..3 and half not in 0..1 then 1 else 0", "1"),
        ("if [1, 2] in pairs then 1 else 0", "1"),
        ("if [1, 2] == pairs[0] then 1 else 0", "1"),
        ("xs[0] + xs[len(xs) - 1]", "5"),
        ("pairs[1][0]", "3"),
        ("let a = 2 in let b = a + 1 in a * b", "6"),
        ("let a = 1, b = a + 1 in b", "2"),
        ("sum(i for i in 1..10 if odd(i))", "25"),
        ("sum(i * j for i in 1..3 for j in i..3)", "25"),
        ("count(i > 2 for i in 1..5)", "3"),
        ("max(x for x in xs) - min(x for x in xs)", "2"),
        ("max(1, half, -3) + min(xs)", "2"),
        ("if any(x == 2 for x in xs) and all(x > 0 for x in xs) then 1 else 0", "1"),
        ("sum([square(x) for x in xs])", "14"),
        ("len([i for i in 0..-1])", "0"),
        ("sum(i for i in 1..0)", "0"),
        ("abs(-half) + floor(-half) + ceil(half)", "1/2"),
        ("comb(5, 2) + factorial(4) + popcount(7)", "37"),
        ("put(xs, 1, 9)[1] + xs[1]", "10"),
        ("if sorted([3, half, -1, 2, half]) == [-1, half, half, 2, 3] then 1 else 0", "1"),
        ("if sorted(2..4) == 2..4 and len(sorted([i for i in 1..0])) == 0 then 1 else 0", "1"),
        (
            "if sorted(xs) == 1..3 and 1..2 == [1, 2] and xs != 1..2 and 1..2 in pairs then 1 else 0",
            "1",
        ),
        ("total + square(half)", "25/4"),
        ("pick(pairs, 1)[1]", "4"),
        ("sum(x for x in 2d2)", "9"),
        ("sum(1 for x in 2d6)", "11"),
        ("if 12 in 2d6 and 13 not in 2d6 then 1 else 0", "1"),
        ("sum(1 for f in roll(3, 2))", "4"),
        ("sum(sum(h) for h in draw(2, [1, 1, 2]))", "5"),
        ("sum(x for x in {1: 1/2, 5: rest})", "6"),
        ("if true then 1 else 1/0", "1"),
        ("1_000 + 1e-3", "1000001/1000"),
        ("(1/2 + 1/2) << 3", "8"),
        ("xs[1/2 + 1/2]", "1"),
    ],
)
def test_an_expression_has_its_exact_value(expression, expected):
    assert value(expression) == Fraction(expected)


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("1 + true", Code.TYPE),
        ("not 1", Code.TYPE),
        ("if xs then 1 else 0", Code.TYPE),
        ("xs + 1", Code.TYPE),
        ("1[0]", Code.TYPE),
        ("sum(3)", Code.TYPE),
        ("sum(true for i in 1..2)", Code.TYPE),
        ("any(i for i in 1..2)", Code.TYPE),
        ("xs", Code.TYPE),
        ("half(2)", Code.TYPE),
        ("'\"a\"' if false else 1", Code.SYNTAX),
        ("pairs[0][0][0]", Code.TYPE),
        ("xs[3]", Code.EVALUATION),
        ("xs[-1]", Code.EVALUATION),
        ("xs[half]", Code.EVALUATION),
        ("half..3", Code.TYPE),
        ("sum(1..half)", Code.EVALUATION),
        ("half & 1", Code.EVALUATION),
        ("1 << -1", Code.EVALUATION),
        ("comb(-1, 2)", Code.EVALUATION),
        ("factorial(half)", Code.EVALUATION),
        ("max([i for i in 1..0])", Code.EVALUATION),
        ("sum(1 for i in dice(2, 0))", Code.EVALUATION),
        ("sum(1 for h in draw(4, xs))", Code.EVALUATION),
        ("sum(1 for h in draw(-1, xs))", Code.EVALUATION),
        ("sorted(3)[0]", Code.TYPE),
        ("sorted(pairs)[0]", Code.EVALUATION),
        ("len(sorted([yes, 1]))", Code.EVALUATION),
        ("0 ** -1", Code.DIVISION_BY_ZERO),
        ("1 // 0", Code.DIVISION_BY_ZERO),
        ("1 % (half - half)", Code.DIVISION_BY_ZERO),
        ("square()", Code.ARGUMENT_COUNT),
        ("abs(1, 2)", Code.ARGUMENT_COUNT),
        ("total(1)", Code.ARGUMENT_COUNT),
        ("squar(1)", Code.UNKNOWN_NAME),
        ("square", Code.ARGUMENT_COUNT),
        ("abs", Code.UNKNOWN_NAME),
        ("2 ** half", Code.EVALUATION),
    ],
)
def test_an_expression_that_makes_no_sense_has_a_code(expression, code):
    assert code in codes(expression)


def test_approximate_functions_give_floats():
    text = "game: x\nroot: sqrt(2) * exp(0) + log(1)\n"
    answer = Game.from_document(read_bytes("x.yaml", text.encode(), "yaml").document).evaluate()

    assert answer.numbers == "float"
    assert answer.value == pytest.approx(2**0.5, abs=1e-15)


def test_draw_and_roll_have_the_odds_of_urns_and_dice():
    """Hands are multisets, each with the number of ways to get it."""
    text = """\
game: x
root:
  max:
    urn: {chance: {'for h in draw(2, [1, 1, 1, 2, 2])': 'if h == [1, 2] then 1 else 0'}}
    all: {chance: {'for h in draw(40, 1..40)': len(h)}}
    but two: {chance: {'for h in draw(38, 1..40)': sum(h) / 40}}
    dice: {chance: {'for f in roll(2, 6)': 'if f[0] == f[1] then 0 else 1'}}
    none: {chance: {'for f in roll(0, 6)': len(f)}}
    sum: {chance: {'for f in roll(3, 6)': sum(f)}}
    added: {chance: {for s in 3d6: s}}
    given: {chance: {'for s in dice(1 + 2, 6)': s}}
"""
    answer = Game.from_document(read_bytes("x.yaml", text.encode(), "yaml").document).evaluate()
    values = {branch.label: branch.value for branch in answer.branches}

    assert values["urn"] == Fraction(6, 10)
    assert values["all"] == 40
    assert values["but two"] == Fraction(38 * 41, 80)
    assert values["dice"] == Fraction(5, 6)
    assert values["none"] == 0
    assert values["sum"] == values["added"] == values["given"] == Fraction(21, 2)
