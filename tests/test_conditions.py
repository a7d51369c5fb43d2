"""Branches that are there only under a condition: ``when``, in the text notation ``if``."""

from __future__ import annotations

import json

import gametree
import pytest
from gametree.evaluator.expectations import run_expectations
from gametree.spec.canonical import canonical
from gametree.spec.diagnostics import Code, SpecError
from gametree.spec.reader import read_bytes
from gametree.spec.text_writer import write_text
from gametree.spec.validate import validate
from gametree.spec.yaml_writer import write_yaml


def document(text, notation):
    reading = read_bytes(f"game.{notation}", text.encode(), notation)
    assert reading.document is not None, reading.diagnostics
    return reading.document


def root(text):
    """The root of a game in the text notation, as data."""
    return document(f'game "g"\nparam pot = 1\nroot {text}\n', "text").data["root"]


def game(text, notation="yaml", **settings):
    return gametree.Game.from_document(document(text, notation), settings or None)


# --- the text notation -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("max { hold if pot > 0: pot }", {"max": {"hold": {"when": "pot > 0", "then": "pot"}}}),
        (
            "max { hold if pot > 0: max { 1 } }",
            {"max": {"hold": {"when": "pot > 0", "max": ["1"]}}},
        ),
        (
            "chance { heads if pot > 0 @ 1/3: 2, tails @ rest: 3 }",
            {
                "chance": {
                    "heads": {"when": "pot > 0", "p": "1/3", "then": "2"},
                    "tails": {"p": "rest", "then": "3"},
                }
            },
        ),
        (
            'chance { "a b" if pot in [1, 2] @ weight 3: 2 }',
            {"chance": {"a b": {"when": "pot in [1, 2]", "weight": "3", "then": "2"}}},
        ),
        ("max { 3, if pot > 0: 4 }", {"max": ["3", {"when": "pot > 0", "then": "4"}]}),
        (
            "max { if pot > 0: 4, if pot > 0 then 1 else 2 }",
            {
                "max": [
                    {"when": "pot > 0", "then": "4"},
                    {"if": "pot > 0", "then": "1", "else": "2"},
                ]
            },
        ),
        (
            "max { hold if pot > 0: if pot > 1 then 1 else 2 }",
            {"max": {"hold": {"when": "pot > 0", "if": "pot > 1", "then": "1", "else": "2"}}},
        ),
        (
            "max { hold if (if pot > 0 then true else false): cost 1 then 3 }",
            {
                "max": {
                    "hold": {
                        "when": "(if pot > 0 then true else false)",
                        "cost": "1",
                        "then": "3",
                    }
                }
            },
        ),
        ("max { 1 if pot > 0: 4 }", {"max": {"1": {"when": "pot > 0", "then": "4"}}}),
        ("max { max if pot\n > 0: 4\n }", {"max": {"max": {"when": "pot > 0", "then": "4"}}}),
        ('max { "if" if pot > 0: 4 }', {"max": {"if": {"when": "pot > 0", "then": "4"}}}),
        ("max { if: 4 }", {"max": {"if": "4"}}),
    ],
)
def test_a_condition_stands_between_label_and_odds(text, data):
    assert root(text) == data


def test_a_condition_stands_where_it_is_written():
    made = document('game "g"\nparam pot = 1\nroot max { hold if pot > 0: 3 }\n', "text")
    group = made.data["root"]["max"]

    assert made.key_place(group["hold"], "when").column == 17
    place = made.value_place(group["hold"], "when")
    assert made.source.text[place.start : place.end] == "pot > 0"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max { hold: 3 if pot > 0 }", "the condition comes first"),
        ("chance { hold @ 1/2 if pot > 0: 3 }", "the condition comes first"),
        ("max { pot if pot > 0 else 3 }", "the condition comes first"),
        ("max { if pot > 0: 3 else 4 }", "`else` without `then`"),
        ("max { hold: if pot > 0: 3 }", "`if` is followed by `then`, not by `:`"),
        ("max { hold when pot > 0: 3 }", "`when` is written `if` here"),
        ("max { hold now if pot > 0: 3 }", "`hold now` is no label as it stands"),
        ("max { hold if pot > 0: 3, if pot > 1: 4 }", "has a label"),
        ("if pot > 0: 3", "`if` is followed by `then`, not by `:`"),
    ],
)
def test_a_slip_is_told(text, words):
    reading = read_bytes("g.tree", f'game "g"\nparam pot = 1\nroot {text}\n'.encode(), "text")

    assert words in reading.diagnostics[0].message


# --- where it may stand ----------------------------------------------------------------------


def codes(root):
    text = json.dumps({"game": "g", "root": root})
    return [problem.code for problem in validate(document(text, "json"))]


@pytest.mark.parametrize(
    "root",
    [
        {"when": "true", "then": 3},
        {"max": {"a": {"then": {"when": "true", "max": [1]}}}},
        {"max": {"a": {"if": "true", "then": {"when": "true", "then": 3}, "else": 3}}},
        {"max": {"for n in 1..2": {"when": "n > 1", "then": 3}}},
        {"chance": [{"for n in 1..2": {"when": "n > 1", "then": 3}}]},
        {"chance": {"for n in 1..2": {"for m in 1..2": {"when": "n > 1", "then": 3}}}},
    ],
)
def test_only_a_branch_has_a_condition(root):
    assert codes(root) == [Code.WHEN_OUTSIDE_BRANCH]


@pytest.mark.parametrize(
    "odds",
    [
        [{"p": "1/2"}, {"p": "1/2", "when": "true"}, {"p": "1/2", "when": "false"}],
        [{"weight": 0}, {"weight": 1, "when": "true"}],
        [{"p": "1/2"}, {"p": "rest", "when": "true"}],
        [{"when": "true"}, {}],
    ],
)
def test_what_odds_sum_to_is_judged_in_each_state(odds):
    assert codes({"chance": [{**said, "then": 1} for said in odds]}) == []


def test_odds_of_two_kinds_are_refused_all_the_same():
    outcomes = [{"p": "1/2", "when": "true", "then": 1}, {"weight": 1, "then": 1}]

    assert codes({"chance": outcomes}) == [Code.MIXED_ODDS]


# --- what it means ---------------------------------------------------------------------------

LEFT = """
game: what is left
params: {n: 0}
root:
  chance:
    a: {when: n > 0, p: 1/4, then: 8}
    b: {when: n > 1, p: 1/4, then: 16}
    c: {p: rest, then: 0}
"""


@pytest.mark.parametrize(("n", "value", "labels"), [("0", 0, "c"), ("1", 2, "ac"), ("2", 6, "abc")])
def test_rest_is_what_the_outcomes_that_are_there_leave(n, value, labels):
    answer = game(LEFT, n=n).evaluate()

    assert answer.value == value
    assert "".join(branch.label for branch in answer.branches) == labels


def test_weights_and_equal_odds_are_shared_by_what_is_there():
    text = "game: g\nroot: {chance: [1, {when: 1 > 2, then: 100}, 3]}\n"
    weights = (
        "game: g\nroot: {chance: {a: {weight: 1, then: 0}, "
        "b: {when: false, weight: 5, then: 9}, c: {weight: 3, then: 4}}}\n"
    )

    assert game(text).evaluate().value == 2
    assert [branch.label for branch in game(text).evaluate().branches] == ["1", "3"]
    assert game(weights).evaluate().value == 3


def test_a_tree_written_out_has_conditions_too():
    """Also where the file is JSON, which has a quicker way for trees without them."""
    root = {"max": [{"when": "true", "then": 3}, {"when": "false", "then": 4}]}
    text = json.dumps({"game": "g", "root": root})

    assert game(text, "json").evaluate().value == 3


def test_a_condition_does_not_see_the_names_of_its_own_let():
    text = "game: g\nroot: {max: [1, {when: q > 0, let: {q: 1}, then: q}]}\n"

    with pytest.raises(SpecError) as caught:
        game(text)
    assert [problem.code for problem in caught.value.diagnostics] == [Code.UNKNOWN_NAME]


def test_a_condition_is_a_truth_value():
    with pytest.raises(SpecError) as caught:
        game("game: g\nroot: {max: [1, {when: 1, then: 2}]}\n")
    assert [problem.code for problem in caught.value.diagnostics] == [Code.TYPE]


def test_an_aliased_branch_keeps_its_condition_in_each_place():
    text = """
game: shared
nodes:
  "f(n: 0..2)":
    max: {a: &x {when: n > 1, max: [5, n]}, b: n}
  "g(n: 0..2)":
    min: {a: *x, b: 9}
root: {max: {f: "f(2)", g: "g(1)", h: "g(2)"}}
"""
    made = game(text)

    assert [branch.value for branch in made.evaluate().branches] == [5, 9, 5]
    again = document(write_text(made.document), "text")
    assert gametree.Game.from_document(again).evaluate().value == 9


TURN = """
game "turn"
node turn(pot: 0..3) = max { hold if pot > 0: pot, roll: if pot < 3 then turn(pot + 1) else 2 }
root turn(0)
policy timid { turn(pot): if pot > 0 then "hold" else "roll" }
policy rash { turn(pot): "hold" }
expect { at: turn(0), best: "roll", branches: {roll: 3} }
"""


def test_a_policy_that_holds_only_where_it_can_is_played():
    assert game(TURN, "text").evaluate(policy="timid").value == 1


def test_a_policy_that_names_a_branch_that_is_not_there_is_told():
    with pytest.raises(SpecError) as caught:
        game(TURN, "text").evaluate(policy="rash")
    [problem] = caught.value.diagnostics

    assert problem.code is Code.UNKNOWN_BRANCH
    assert "turn(0)" in problem.notes[0].message


def test_an_expectation_that_names_a_branch_that_is_not_there_fails():
    [entry] = run_expectations(game(TURN.replace('best: "roll"', 'best: "hold"'), "text"))

    assert not entry.ok


def test_no_branch_is_left():
    with pytest.raises(SpecError) as caught:
        game(
            'game "g"\nnode f(n: 0..1) = max { a if n > 0: 1 }\nroot max { f(1), f(0) }', "text"
        ).dag()
    [problem] = caught.value.diagnostics

    assert problem.code is Code.NO_BRANCHES
    assert "f(0)" in problem.notes[0].message


def test_both_notations_say_the_same():
    first = document(LEFT, "yaml")
    second = document(write_text(first), "text")
    third = document(write_yaml(second), "yaml")

    assert "a if n > 0 @ 1/4: 8" in second.source.text
    assert canonical(first) == canonical(second) == canonical(third)
