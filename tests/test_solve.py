"""Solutions and answers: values, ties, the line, and roots of every kind."""

from __future__ import annotations

from fractions import Fraction

import pytest
from gametree.compiler.dag import Kind
from gametree.evaluator.game import Game
from gametree.render.answer import strategy_rows
from gametree.spec.diagnostics import Code, SpecError
from gametree.spec.reader import read_bytes


def game_in(text):
    reading = read_bytes("x.tree", ('game "x"\n' + text).encode(), "text")
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document)


def answer_to(text, **how):
    return game_in(text).evaluate(**how)


def test_ties_are_all_best_in_written_order_and_the_first_is_followed():
    answer = answer_to("root max { a: 1, b: min { x: 2, y: 2 }, c: 2, d: chance { 2, 2 } }\n")

    assert answer.best == ("b", "c", "d")
    assert answer.line == ("b", "x")


def test_the_line_ends_where_chance_decides():
    answer = answer_to("root max { a: min { x: chance { max { 1 }, 2 } } }\n")

    assert answer.line == ("a", "x")


def test_the_line_passes_through_sums_of_one_node():
    answer = answer_to(
        "node f(n) = if n == 0 then 0 else max { stop: -n, go: 1 - f(n - 1) }\nroot 2 * f(2) - 1\n"
    )

    assert answer.line == ("go", "go")
    assert answer.value == 2 * (1 - (1 - 0)) - 1


def test_a_root_that_adds_to_a_choice_shows_that_choice_as_the_root_sees_it():
    answer = answer_to("root cost 3 then max { a: 5, b: 7 }\n")

    assert answer.value == 4
    assert [(branch.label, branch.value) for branch in answer.branches] == [("a", 2), ("b", 4)]
    assert answer.best == ("b",)


def test_a_root_that_turns_a_choice_round():
    """The best branch is the one its own player chooses."""
    answer = answer_to("node f = max { a: 5, b: 7 }\nroot 1 - f\n")

    assert answer.value == -6
    assert answer.best == ("b",)
    assert [branch.value for branch in answer.branches] == [-4, -6]


def test_a_root_of_two_nodes_has_no_branches():
    answer = answer_to("node f(n) = max { a: n, b: 7 }\nroot f(1) + f(9)\n")

    assert (answer.value, answer.branches, answer.best, answer.line) == (16, (), (), ())


def test_a_root_that_is_a_payoff():
    answer = answer_to("root 22/7\n")

    assert (answer.value, answer.branches, answer.line) == (Fraction(22, 7), (), ())
    assert (answer.size.nodes, answer.size.edges, answer.size.terminals, answer.size.depth) == (
        1,
        0,
        1,
        0,
    )


def test_a_chance_root_shows_its_odds_and_chooses_nothing():
    answer = answer_to("root chance { a @ 1/3: 3, b @ rest: 6 }\n")

    assert answer.value == 5
    assert [branch.p for branch in answer.branches] == [Fraction(1, 3), Fraction(2, 3)]
    assert answer.best == answer.line == ()
    assert answer_to("root chance { a @ 1/3: 3, b @ rest: 6 }\n", algorithm="minimax").best == (
        "a",
    )


def test_the_strategy_names_states_and_every_choice():
    game = game_in(
        "node f(n) = if n == 2 then 5 else max { stop: n, go: f(n + 1) }\nroot min { a: f(0), b: 9 }\n"
    )
    found = list(strategy_rows(game.solution()))

    assert [(c.title, c.kind, c.labels, c.value) for c in found] == [
        ("root", Kind.MIN, ("a",), 5),
        ("f(0)", Kind.MAX, ("go",), 5),
        ("f(1)", Kind.MAX, ("go",), 5),
    ]


def test_floats_say_how_far_off_they_can_be():
    answer = answer_to("root chance { 1/3, 0.1, 7 }\n", numbers="float")
    exact = Fraction(1, 3) * (Fraction(1, 3) + Fraction(1, 10) + 7)

    assert answer.numbers == "float"
    assert 0 < answer.error_bound < 1e-14
    assert abs(Fraction(answer.value) - exact) <= Fraction(answer.error_bound)


def test_near_ties_of_floats_are_ties():
    """A float that cannot tell two branches apart names both; exact numbers tell."""
    text = "root max { a: chance { 1/3, 1/3, 1/3 }, b: 1/3 + 1 / 10**30 }\n"

    assert answer_to(text).best == ("b",)
    assert answer_to(text, numbers="float").best == ("a", "b")


def test_approximate_games_are_refused_exact_numbers():
    with pytest.raises(SpecError) as caught:
        answer_to("root max { sqrt(2), exp(1) }\n", numbers="exact")

    assert [found.code for found in caught.value.diagnostics] == [Code.NEEDS_FLOAT] * 2


def test_fractions_of_thousands_of_digits_stay_exact():
    game = game_in(
        "node f(n) = if n == 0 then 1 else chance { win @ 1 / (n + 6): n, next @ rest: f(n - 1) }\nroot f(400)\n"
    )
    value = Fraction(1)
    for n in range(1, 401):
        value = Fraction(1, n + 6) * n + (1 - Fraction(1, n + 6)) * value

    assert game.evaluate().value == value
