"""Unfolding: what becomes a node, what is shared, how branches are called, what is warned of."""

from __future__ import annotations

from fractions import Fraction

import pytest
from gametree.compiler.dag import Kind
from gametree.evaluator.game import Game
from gametree.spec.diagnostics import Code, SpecError, UsageError
from gametree.spec.reader import read_bytes


def game_in(text, notation="text", **settings):
    raw = (text if notation == "yaml" else 'game "x"\n' + text).encode()
    reading = read_bytes("x." + notation, raw, notation)
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document, settings)


def labels(text, notation="text"):
    return game_in(text, notation).dag().origin[0].labels()


def codes(text, notation="text"):
    with pytest.raises(SpecError) as caught:
        game_in(text, notation).dag()
    return [found.code for found in caught.value.diagnostics]


# --- what is a node --------------------------------------------------------------------------


def test_calls_ifs_and_lets_take_no_nodes():
    game = game_in("""\
node f(n) = if n > 1 then g(n) else let m = n + 1 in g(m)
node g(n) = let k = n in if k == 2 then max { 1, 2 } else 0
root max { a: f(1), b: f(2), c: g(2) }
""")
    dag = game.dag()

    assert len(dag) == 4  # the root, g(2) and its two payoffs
    assert len(set(dag.children(0))) == 1
    assert sorted(origin.title() for origin in dag.origin if origin.states) == ["f(1)"]
    assert {(node.name, *env) for node, env in dag.origin[1].states} == {
        ("f", 1),
        ("f", 2),
        ("g", 2),
    }


def test_equal_states_are_one_node_however_they_are_written():
    game = game_in(
        "node f(n, b: bool) = max { n, 1 }\nroot max { a: f(2, true), b: f(4/2, 1 < 2), c: f(1 + 1, not false) }\n"
    )

    assert len(set(game.dag().children(0))) == 1


def test_a_state_of_fractions_and_lists():
    game = game_in("""\
node f(x: number, b: [2] of [2] of 0..3) = if x >= 1 then b[1][0] else max { go: f(x + 1/3, [b[1], b[0]]) }
root f(0, [[1, 2], [3, 0]])
""")
    answer = game.evaluate()

    assert answer.value == 1
    assert answer.size.nodes == 4
    assert game.dag().origin[1].title() == "f(1/3, [[3, 0], [1, 2]])"


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("int", ["0", "-3", "4/2"], ["1/2", "true", "[1]"]),
        ("bool", ["true", "1 < 2"], ["1", "0", "[true]"]),
        ("number", ["1/2", "3"], ["[1]"]),
        ("0..3", ["0", "3", "6/2"], ["4", "-1", "1/2", "true"]),
        (
            "[2] of 0..3",
            ["[0, 3]", "1..2", "[x for x in 0..1]"],
            ["[0]", "[0, 4]", "[1, 1/2]", "3"],
        ),
        ("[2] of bool", ["[true, false]"], ["[1, true]"]),
        ("[1] of [2] of int", ["[[1, -2]]"], ["[1, 2]", "[[1]]"]),
    ],
)
def test_an_argument_takes_what_it_declares(kind, good, bad):
    for value in good:
        assert game_in(f"node f(a: {kind}) = 1\nroot f({value})\n").evaluate().value == 1
    for value in bad:
        assert set(codes(f"node f(a: {kind}) = 1\nroot f({value})\n")) <= {
            Code.STATE_RANGE,
            Code.TYPE,
        }


def test_outcomes_of_probability_0_are_not_visited():
    game = game_in("""\
node urn(r: 0..2, b: 0..2) = if r + b == 0 then 0 else chance {
  red @ r / (r + b): 1 + urn(r - 1, b)
  blue @ rest: urn(r, b - 1)
}
root urn(2, 2)
""")

    assert game.evaluate().value == 2
    assert game.evaluate("minimax").value == 2


def test_a_reward_stays_on_its_node_and_a_scaled_call_is_a_sum():
    game = game_in(
        "node f(n) = max { n, 2 }\nroot max { a: reward 3 max { 1 }, b: 2 * f(1) - 1, c: cost 1 then f(5) }\n"
    )
    dag = game.dag()

    assert [Kind(dag.kind[child]) for child in dag.children(0)] == [Kind.MAX, Kind.SUM, Kind.SUM]
    assert [branch.value for branch in game.evaluate().branches] == [4, 3, 4]


def test_sums_of_nodes_are_flattened_and_zero_factors_are_not_visited():
    game = game_in("""\
node f(n: 0..2) = max { n }
root max { a: (f(1) - (2 - f(2))) / 2, b: 0 * f(9) + 3, c: -(-f(1)) }
""")

    assert [branch.value for branch in game.evaluate().branches] == [Fraction(1, 2), 3, 1]


# --- labels ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("branches", "expected"),
    [
        ("for x in 1..3: x", ["1", "2", "3"]),
        ("for x in [1/2, 3]: x", ["1/2", "3"]),
        ("for x in [true, false]: 1", ["true", "false"]),
        ("for x in [[1, 2], [3]]: 1", ["[1, 2]", "[3]"]),
        ('for x in 1..2 as "take {x} of {2 * x}": x', ["take 1 of 2", "take 2 of 4"]),
        ('for x in 1..2 as "{{{x}}}": x', ["{1}", "{2}"]),
        ("for x in 1..2: for y in 1..2: x", ["1, 1", "1, 2", "2, 1", "2, 2"]),
        ('for x in 1..2: for y in 1..2 as "{x}{y}": x', ["11", "12", "21", "22"]),
        ('for x in 1..2 as "row {x}": for y in 1..2: x', ["row 1, 1", "row 1, 2", "row 2, 1", "row 2, 2"]),
        ('for x in 1..2 as "row {x}": for y in 1..2 as "column {y}": x', ["row 1, column 1", "row 1, column 2", "row 2, column 1", "row 2, column 2"]),
        ("for x in 1..2 if x > 1: for y in 1..x: for z in [y]: 1", ["2, 1, 1", "2, 2, 2"]),
        ("stay: 0\n  for x in 1..2: x", ["stay", "1", "2"]),
        ("1\n  for x in [7]: x\n  2", ["1", "7", "3"]),
    ],
)  # fmt: skip
def test_branches_are_called_as_their_loops_say(branches, expected):
    assert labels(f"root max {{\n  {branches}\n}}\n") == expected


def test_outcomes_of_a_distribution_have_its_odds():
    game = game_in('root chance { for s in 2d2 as "sum {s}": s }\n')
    branches = game.evaluate().branches

    assert [(b.label, b.value, b.p) for b in branches] == [
        ("sum 2", 2, Fraction(1, 4)),
        ("sum 3", 3, Fraction(1, 2)),
        ("sum 4", 4, Fraction(1, 4)),
    ]


@pytest.mark.parametrize(
    ("outcomes", "odds"),
    [
        ("for a in 1..2: for b in 1..a: 1", ["1/3", "1/3", "1/3"]),
        ("for a in 2d2: for b in 1..2: 1", ["1/8", "1/8", "1/4", "1/4", "1/8", "1/8"]),
        ("for a in 1..2: for b in {1: 1/3, 2: rest}: 1", ["1/6", "1/3", "1/6", "1/3"]),
        ("for a in 1..2 @ a / 3: for b in 1..2 @ b / 3: 1", ["1/9", "2/9", "2/9", "4/9"]),
        ("for a in 1..2 @ weight a: for b in 1..2 @ weight b: 1", ["1/9", "2/9", "2/9", "4/9"]),
        ("for a in 1..2 @ 1/4: 1\n  other @ rest: 0", ["1/4", "1/4", "1/2"]),
        ("for a in 1..2 @ rest: 1\n  other @ 1/2: 0", ["1/4", "1/4", "1/2"]),
    ],
)
def test_odds_of_loops_multiply(outcomes, odds):
    answer = game_in(f"root chance {{\n  {outcomes}\n}}\n").evaluate()

    assert [str(branch.p) for branch in answer.branches] == odds


def test_equal_labels_are_refused_for_choices_and_allowed_for_chance():
    assert codes('root max { for x in 1..2 as "same": x }\n') == [Code.DUPLICATE_LABEL]
    assert game_in('root chance { for x in 1..2 as "same": x }\n').evaluate().value == Fraction(
        3, 2
    )


# --- warnings --------------------------------------------------------------------------------


def warnings(text):
    return [(found.code, found.message.split("`")[1]) for found in game_in(text).warnings]


def test_what_is_not_used_is_warned_of():
    found = warnings(
        "param a = 1\nparam b = 2\ndefine c(x) = x + b\ndefine d = 1\nnode f(n) = n + d\nroot a\n"
    )

    assert (Code.UNUSED_DEFINITION, "c") in found
    assert (Code.UNUSED_DEFINITION, "f") in found
    assert (Code.UNUSED_PARAMETER, "a") not in [*found]


def test_a_parameter_of_a_range_a_label_or_a_policy_is_used():
    assert warnings("""\
param a = 3
param b = 1
param c = 2
node f(n: 0..a) = max { for i in 1..1 as "{b}": n }
root f(1)
policy p { f(n): if c > 1 then "1" else "1" }
""") == []  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "param n = 1\nnode f(n) = n\nroot f(n)\n",
        "param n = 1\nroot max { for n in 1..2: n, other: n }\n",
        "param n = 1\nroot let n = 2 in max { n, 1 }\n",
        "node f(k) = k\nroot max { for f in 1..2: f, other: f(1) }\n",
    ],
)
def test_hidden_names_are_warned_of(text):
    assert Code.SHADOWED_NAME in [code for code, _ in warnings(text)]


# --- parameters and states -------------------------------------------------------------------


def test_settings_override_parameters_and_what_follows_from_them():
    text = "param a = 1\nparam b = a + 1\nparam xs = [1, 2]\nroot max { a, b, sum(xs) }\n"

    assert [b.value for b in game_in(text).evaluate().branches] == [1, 2, 3]
    assert [b.value for b in game_in(text, a="10/2", xs="[4, 5]").evaluate().branches] == [5, 6, 9]


def test_an_unknown_setting_is_wrong_use():
    with pytest.raises(UsageError, match="faces"):
        game_in("param faces = 6\nroot faces\n", feces="3")


def test_a_game_can_begin_in_any_state():
    game = game_in(
        "node f(n: 0..9) = if n == 9 then 9 else max { stop: n, go: f(n + 1) }\nroot f(0)\n"
    )

    assert game.evaluate(at="f(8)").size.nodes == 3
    assert game.evaluate(at="f(4 + 4)").line == ("go",)
    with pytest.raises(SpecError):
        game.evaluate(at="f(10)")
    for wrong in ("g(1)", "f()", "f(", "f(1, 2)", "1 + 1 +"):
        with pytest.raises(UsageError):
            game.evaluate(at=wrong)


def test_mistakes_of_states_are_collected():
    """Two places, each told once, with the first state that shows it."""
    game = """\
node f(n: 0..5) = chance {
  a @ n / 4: 1 / (n - 3)
  b @ rest: if n == 5 then 0 else f(n + 1)
}
root f(0)
"""
    assert set(codes(game)) == {Code.DIVISION_BY_ZERO} or Code.PROBABILITY_SUM in codes(game)


def test_the_first_mistake_comes_before_the_limit_of_states():
    assert codes("node f(n) = max { 1 / (n - 7), f(n + 1) }\nroot f(0)\n") == [
        Code.DIVISION_BY_ZERO
    ]
