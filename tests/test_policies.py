"""Policies: labels, odds, templates, what they leave out, and what they get wrong."""

from __future__ import annotations

from fractions import Fraction

import pytest
from gametree.compiler.limits import Limits
from gametree.evaluator.game import Game
from gametree.spec.diagnostics import Code, SpecError, UsageError
from gametree.spec.reader import read_bytes

GAME = """\
game "x"
node turn(n: 0..4) = if n == 4 then 10 else max {
  stop: n
  for k in 1..min(2, 4 - n) as "step {k}": turn(n + k)
}
node toss(n: 0..4) = min { heads: n, tails: turn(n) }
root max { begin: turn(0), toss: toss(2), none: 3 }
"""


def game_with(policy):
    reading = read_bytes("x.tree", (GAME + policy).encode(), "text")
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document)


def value(policy, **how):
    return game_with(policy).evaluate(policy="p", **how)


def code(policy):
    with pytest.raises(SpecError) as caught:
        value(policy)
    [found] = [f for f in caught.value.diagnostics if f.is_error]
    return found


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ('turn(n): "stop"', "0 2 3"),
        ('turn(n): if n < 2 then "step 2" else "stop"', "2 2 3"),
        ('turn(n): "step {min(2, 4 - n)}"', "10 2 3"),
        ('turn(k): "step {1}"', "10 2 3"),
        ('turn(n): if n == 0 then {"stop": 1/4, "step 1": rest} else "stop"', "3/4 2 3"),
        ('turn(n): {"stop": 1/2, "step 1": rest}', "21/16 2 3"),
        ('toss(n): "tails"', "10 10 3"),
        ('toss(n): {"heads": 1/2, "tails": 1/2}', "10 6 3"),
        ('toss(n): "tails"\n  turn(n): "stop"', "0 2 3"),
        ('root: "none"', "10 2 3"),
    ],
)
def test_a_policy_is_followed_where_it_speaks(rules, expected):
    """What it leaves out is played as it would be without it."""
    answer = value(f"policy p {{\n  {rules}\n}}\n")

    assert [branch.value for branch in answer.branches] == [Fraction(v) for v in expected.split()]
    if "root" in rules:
        assert (answer.value, answer.best, answer.line) == (3, ("none",), ("none",))
    else:
        assert answer.value == max(branch.value for branch in answer.branches)


def test_odds_over_labels_may_be_a_mapping_in_yaml():
    text = b"game: x\nroot: {max: {a: 1, b: 5}}\npolicies: {p: {root: {a: 1/4, b: rest}}}\n"
    answer = Game.from_document(read_bytes("x.yaml", text, "yaml").document).evaluate(policy="p")

    assert answer.value == 4
    assert answer.best == ()


def test_a_policy_holds_for_one_kind_where_play_asks_for_it():
    game = game_with('policy p {\n  toss(n): "tails"\n  turn(n): "stop"\n}\n')

    assert [b.value for b in game.evaluate(play={"min": "p"}).branches] == [10, 10, 3]
    assert [b.value for b in game.evaluate(play={"max": "p"}).branches] == [0, 2, 3]


def test_a_policy_speaks_of_its_node_when_the_game_begins_there():
    game = game_with('policy p { turn(n): "stop" }\n')

    assert game.evaluate(policy="p", at="turn(3)").value == 3


def test_a_branch_that_is_not_there_is_told_before_play():
    found = code('policy p { toss(n): if n > 9 then "head" else "tails" }\n')

    assert found.code is Code.UNKNOWN_BRANCH
    assert found.help == "did you mean `heads`?"


def test_a_branch_that_is_not_there_in_one_state_names_the_state():
    found = code('policy p { turn(n): "step 2" }\n')

    assert found.code is Code.UNKNOWN_BRANCH
    assert 'no branch "step 2"' in found.message
    assert "turn(3)" in str(found.notes)


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ("turn(n): 3", Code.TYPE),
        ("turn(n): [1]", Code.TYPE),
        ('turn(n): "step {m}"', Code.UNKNOWN_NAME),
        ('turn(n): "step {1 +}"', Code.SYNTAX),
        ('turn: "stop"', Code.ARGUMENT_COUNT),
        ('trun(n): "stop"', Code.UNKNOWN_NAME),
        ('turn(n): {"stop": 1/2, "step 1": 1/3}', Code.PROBABILITY_SUM),
        ('turn(n): {"stop": n}', Code.PROBABILITY_SUM),
        ('turn(n): if n / 0 > 1 then "stop" else "stop"', Code.DIVISION_BY_ZERO),
        ('root: "nothing"', Code.UNKNOWN_BRANCH),
    ],
)
def test_a_wrong_rule_has_a_code(rule, wanted):
    assert code(f"policy p {{ {rule} }}\n").code is wanted


def test_an_unknown_policy_is_wrong_use():
    with pytest.raises(UsageError, match="did you mean `p`"):
        game_with('policy p { turn(n): "stop" }\n').evaluate(policy="P")
    with pytest.raises(UsageError, match="it has none"):
        game_with("").evaluate(policy="p")


def test_a_policy_that_takes_too_much_work_stops():
    rule = 'turn(n): if sum(1 for i in 1..1000 for j in 1..100000) > 0 then "stop" else "stop"'

    with pytest.raises(SpecError) as caught:
        value(f"policy p {{ {rule} }}\n", limits=Limits(work=100_000))
    assert [found.code for found in caught.value.diagnostics] == [Code.WORK_LIMIT]


MISSING = """\
game: x
nodes:
  "turn(n: 0..3)": {max: {stop: n, more: {when: n < 3, then: turn(n + 1)}}}
root: turn(0)
policies:
  greedy: {turn(n): '"more"'}
expect: {value: 3}
"""


def test_a_policy_that_names_a_missing_branch_in_some_state_fails_the_test_too(run, tmp_path):
    """The expectation holds, and still the file has an error, which is said once."""
    (tmp_path / "x.yaml").write_text(MISSING, encoding="utf-8")
    done = run("test", "x.yaml")

    assert done.returncode == 1
    assert done.stdout.count("GT217") == 1
    assert "in the state turn(3)" in done.stdout
    assert "1 expectation in 1 file, all hold, 1 other error" in done.stderr

    followed = MISSING.replace("{value: 3}", "{policy: greedy, value: 3}")
    (tmp_path / "x.yaml").write_text(followed, encoding="utf-8")
    assert run("test", "x.yaml").stdout.count("GT217") == 1


def test_policies_are_checked_only_where_there_are_some():
    assert game_with("").check_policies() == []
    assert game_with('policy p { turn(n): "stop" }').check_policies() == []
    [problem] = game_with('policy p { turn(n): "step 2" }').check_policies()
    assert problem.code is Code.UNKNOWN_BRANCH
    assert game_with('policy p { turn(n): "step 2" }').check_policies(Limits(2)) == []
