"""Policies against the optimum: the performance difference lemma, and what is printed."""

from __future__ import annotations

import json
from fractions import Fraction

import gametree
import pytest
from gametree.evaluator.compare import Stage, answers_cost, compare
from gametree.evaluator.game import Game
from gametree.spec.diagnostics import SpecError
from gametree.spec.reader import read_bytes
from hypothesis import assume, given
from hypothesis import strategies as st

from .game_strategies import stateful_games

PUSH = """\
Push to 21, expectiminimax

  policy               value     loss
  the optimum   15.85851323…
  hit until 14  15.85851323…        0
  hit until 17  13.71741860…  2.1410…

hit until 17 chooses differently in 3 states

  state     policy  best   slip       reach        cost  of the loss
  turn(16)  hit     stand   6.5  ≈ 0.183469   ≈ 1.19255        55.7%
  turn(15)  hit     stand   3.9    ≈ 0.1801  ≈ 0.702389        32.8%
  turn(14)  hit     stand   1.4  ≈ 0.175827  ≈ 0.246158        11.5%
"""


def test_the_habit_loses_two_points(run):
    done = run("compare", "push-to-21")
    assert (done.returncode, done.stdout) == (0, PUSH)


def test_json_has_exact_numbers(run):
    done = run(
        "compare", "push-to-21", "--policy", "hit until 17", "--top", "1", "--format", "json"
    )
    content = json.loads(done.stdout)
    [policy] = content["policies"]
    assert Fraction(policy["loss"]) == Fraction(content["optimum"]) - Fraction(policy["value"])
    assert policy["elsewhere"] == "0"
    [state] = policy["states"]
    assert (state["node"], state["arguments"], state["slip"]) == ("turn", {"total": 16}, "13/2")


def test_a_game_without_policies_says_so(run):
    done = run("compare", "dice")
    assert done.returncode == 2
    assert "no policies" in done.stderr


def game_with_policy(data, label, share):
    data = {**data, "policies": {"p": {"root": f'{{"{label}": {share}, "c": rest}}'}}}
    for header in data["nodes"]:
        name = header.partition("(")[0]
        data["policies"]["p"][f"{name}(n, m)"] = 'if (n + m) % 2 == 0 then "b0" else "b0"'
    reading = read_bytes("random.json", json.dumps(data).encode(), "json")
    assert reading.document is not None
    return Game.from_document(reading.document)


@given(
    stateful_games(),
    st.sampled_from(["a", "b"]),
    st.sampled_from(["1", "1/2", "1/3"]),
    st.sampled_from([{}, {"max": "mistake:1/3"}, {"min": "random"}, {"chance": "worst"}]),
)
def test_what_slips_cost_adds_up_to_the_loss(data, label, share, play):
    """The performance difference lemma, in exact fractions, whatever is scaled or negated."""
    assume("chance" not in data["root"])
    try:
        game = game_with_policy(data, label, share)
        stage = Stage.of(game, play=play, numbers="exact")
        followed = stage.follow("p")
    except SpecError:  # the policy names a branch that is not there
        assume(False)
        raise
    [compared] = compare(stage).policies
    optimum = stage.optimum.value(0)
    assert compared.loss == optimum - followed.solution.value(0)
    assert compared.loss == sum(followed.slips.cost) + answers_cost(stage, followed)
    assert compared.elsewhere == answers_cost(stage, followed)
    if not play:
        assert all(slip >= 0 for slip in followed.slips.slip)


def test_reach_is_a_probability():
    """Whatever play does, it ends: the chances of the endings add up to one."""
    stage = Stage.of(gametree.load("push-to-21"))
    for reach in (stage.reach(), stage.follow("hit until 17").reach):
        dag = stage.optimum.dag
        ends = [node for node in range(len(dag)) if not dag.kind[node]]
        assert sum(reach.odds[node] for node in ends) == 1
        assert reach.odds == reach.weight


@pytest.mark.parametrize("policy", ["hold at 9", "mixed"])
def test_floats_of_a_large_game_add_up(tmp_path, policy):
    path = tmp_path / "race.tree"
    path.write_text(
        """game "race"
param target = 60
node race(me: 0..target, you: 0..target, pot: 0..target) = max {
  roll: chance {
    "1": if me + 1 >= target then 1 else 1 - race(you, me + 1, 0)
    for d in 2..6: if me + pot + d >= target then 1 else race(me, you, pot + d)
  }
  for h in [1] if pot > 0 as "hold": 1 - race(you, me + pot, 0)
}
root race(0, 0, 0)
policy "hold at 9" { race(me, you, pot): if pot >= 9 then "hold" else "roll" }
policy "mixed" { race(me, you, pot): if pot > 0 then {"hold": pot / 100, "roll": rest} else "roll" }
"""
    )
    stage = Stage.of(gametree.load(str(path)))
    [compared] = compare(stage, [policy], top=3).policies
    assert compared.elsewhere == 0.0
    assert len(compared.states) == 3
    costs = [abs(state.cost) for state in compared.states]
    assert costs == sorted(costs, reverse=True)


def test_how_others_answer_is_put_beside_what_the_states_cost(run):
    """Drilling without a survey costs nothing where it is said, and 23 before."""
    done = run("compare", "oil-wildcatter", "--policy", "always drill")

    assert (
        "  its states cost 0 in all; others, who answer it, cost 23 more: a loss of 23\n"
        in done.stdout
    )


def test_what_others_give_back_is_said_as_such(run):
    done = run("compare", "nim")

    assert (
        "  its states cost 10 in all; others, who answer it, give 8 back: a loss of 2\n"
        in done.stdout
    )
