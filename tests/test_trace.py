"""Traces: every step of the textbook's recursion, in its order, in words and as data.

To write the golden files anew, and look at the difference before committing it:
``GAMETREE_UPDATE_GOLDEN=1 pytest tests/test_trace.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from itertools import islice
from pathlib import Path

import gametree
import pytest
from gametree.compiler.dag import Kind
from gametree.compiler.origin import state_title
from gametree.evaluator.fast import solve_arrays
from gametree.evaluator.search.run import Request, search
from gametree.evaluator.search.traced import SEARCHES
from gametree.evaluator.solve import solve
from gametree.evaluator.trace import ROOT, Recorder, Step, Trace
from gametree.evaluator.trace import Path as Labels
from gametree.render.numbers import exact_text
from gametree.render.trace import message, step_json, trace_json, trace_text
from gametree.render.width import width
from gametree.spec.reader import read_bytes
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from .game_strategies import stateful_games
from .strategies import games
from .test_native_laws import both_dags

GOLDEN = Path(__file__).parent / "golden"
LAW = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
SLOW = settings(LAW, max_examples=20)
PLAYS = ["optimal", "worst", "random", "mistake:1/4"]


def game_of(data):
    reading = read_bytes("random.json", json.dumps(data).encode(), "json")
    assert reading.document is not None, reading.diagnostics
    return gametree.Game.from_document(reading.document)


def game_in(text, notation="yaml"):
    reading = read_bytes("game." + notation, text.encode(), notation)
    assert reading.document is not None, reading.diagnostics
    return gametree.Game.from_document(reading.document)


# --- the textbook ----------------------------------------------------------------------------


def textbook(node, path, rules, steps):
    """EXPECTIMINIMAX of a tree written out, as AIMA has it, saying when it is called and returns."""
    if isinstance(node, str):
        steps.append(("terminal", path, "terminal", None, Fraction(node), None))
        return Fraction(node)
    if "then" in node:
        return textbook(node["then"], path, rules, steps)
    [kind] = {"max", "min", "chance"} & set(node)
    items = node[kind]
    if isinstance(items, list):
        items = {str(i): item for i, item in enumerate(items, 1)}
    said = [
        item.get("p", item.get("weight")) if isinstance(item, dict) else None
        for item in items.values()
    ]
    left = 1 - sum(Fraction(p) for p in said if p not in {None, "rest"})
    odds = [Fraction(1 if p is None else left if p == "rest" else Fraction(p)) for p in said]
    steps.append(("enter", path, kind, None, None, None))
    values = []
    for label, item in items.items():
        values.append(textbook(item, (*path, label), rules, steps))
        running = rules[kind](values, odds)
        steps.append(("return", path, kind, label, values[-1], running))
    steps.append(("done", path, kind, None, running, running))
    return running


def weighted(values, odds):
    return sum(v * p for v, p in zip(values, odds, strict=False)) / sum(odds)


def largest(values, _):
    return max(values)


def smallest(values, _):
    return min(values)


def average(values, _):
    return sum(values) / Fraction(len(values))


RULES = {
    "expectiminimax": {"max": largest, "min": smallest, "chance": weighted},
    "minimax": {"max": largest, "min": smallest, "chance": smallest},
    "expectimax": {"max": largest, "min": average, "chance": weighted},
}


@LAW
@given(games(), st.sampled_from(sorted(RULES)))
def test_a_trace_is_the_recursion_of_the_textbook(data, algorithm):
    """Every call, payoff and return of a tree without sharing, in order, with its figures."""
    steps = []
    textbook(data["root"], (), RULES[algorithm], steps)
    trace = game_of(data).trace(algorithm=algorithm)

    assert [(s.event, tuple(s.path), *s[2:6]) for s in trace] == steps
    assert len(trace) == len(steps)


def test_the_dice_tree_is_walked_as_the_textbook_walks_it():
    """All fifteen nodes, each chance node's sum of p times value."""
    trace = list(gametree.load("dice").trace())
    visits = ["/".join(s.path) for s in trace if s.event in {"enter", "terminal"}]

    assert visits == [
        "", "A", "A/1-2", "A/1-2/1", "A/1-2/2", "A/3-6", "A/3-6/1", "A/3-6/2",
        "B", "B/1-2", "B/1-2/1", "B/1-2/2", "B/3-6", "B/3-6/1", "B/3-6/2",
    ]  # fmt: skip
    sums = [s.running for s in trace if s.event == "return" and s.kind == "chance"]
    assert sums == [2, 4, 1, 5]


def test_the_random_opponent_comes_to_1_5_8_and_12():
    trace = gametree.load("random-opponent").trace()

    assert [s.running for s in trace if s.event == "return" and s.path == ("A",)] == [1, 5, 8]
    assert trace.value == list(trace)[-1].value == 12


# --- laws ------------------------------------------------------------------------------------


def consistent(trace):
    """What holds of every walk."""
    dag, steps = trace.solution.dag, list(trace)
    events = [step.event for step in steps]
    inner = len(dag) - dag.kind.count(Kind.TERMINAL)
    assert len(steps) == len(trace)
    assert events.count("enter") == events.count("done") == inner
    assert events.count("terminal") == dag.size().terminals
    assert events.count("return") == len(dag.child)
    assert events.count("shared") == len(dag.child) - (len(dag) - 1)
    known = {}
    for step in steps:
        if step.event in {"terminal", "done"}:
            assert step.node not in known
            known[step.node] = step.value
        if step.event == "done":
            assert step.value == step.running + step.offset
        if step.event == "shared":
            assert known[step.node] == step.value
        assert message(step)
    return steps


@LAW
@given(
    st.one_of(games(), stateful_games()),
    st.sampled_from(sorted(RULES)),
    st.dictionaries(st.sampled_from(["max", "min", "chance"]), st.sampled_from(PLAYS), max_size=2),
)
def test_the_last_step_has_the_value_of_the_game(data, algorithm, play):
    """However the nodes play; and each node's figure and reward make its value."""
    game = game_of(data)
    steps = consistent(game.trace(algorithm=algorithm, play=play, numbers="exact"))

    assert steps[-1].value == game.evaluate(algorithm, play, numbers="exact").value


@LAW
@given(
    st.one_of(games(), stateful_games()),
    st.sampled_from(["softmax:1/2", "softmax:1e-9", "optimal"]),
)
def test_floats_come_to_the_value_of_the_game_too(data, play):
    game = game_of(data)
    trace = list(game.trace(play={"max": play, "min": play}, numbers="float"))

    assert trace[-1].value == game.evaluate(play={"max": play, "min": play}, numbers="float").value
    for step in trace:
        if step.event == "done":
            assert float(step.running) + float(step.offset) == pytest.approx(step.value, 1e-9, 1e-9)
        json.dumps(step_json(step), allow_nan=False)


@pytest.mark.parametrize("policy", ["stay", "switch", "toss a coin"])
def test_a_policy_is_followed(policy):
    """Only the branches that it takes count, with the odds that it gives them."""
    game = gametree.load("monty-hall")
    steps = consistent(game.trace(policy=policy))
    told = [message(step) for step in steps if step.path == ("door 2 opens",)]

    assert steps[-1].value == game.evaluate(policy=policy).value
    assert (
        told[1:]
        == {
            "stay": [
                "stay returns 1/3; the policy takes it",
                "switch returns 2/3; the policy does not take it",
                "door 2 opens, choose(2) is worth 1/3, by stay",
            ],
            "switch": [
                "stay returns 1/3; the policy does not take it",
                "switch returns 2/3; the policy takes it",
                "door 2 opens, choose(2) is worth 2/3, by switch",
            ],
            "toss a coin": [
                "stay returns 1/3: 0.5 × 1/3 = 1/6",
                "switch returns 2/3: 1/6 + 0.5 × 2/3 = 0.5",
                "door 2 opens, choose(2) is worth 0.5",
            ],
        }[policy]
    )


def test_where_a_policy_of_one_kind_is_silent_the_best_counts():
    steps = list(gametree.load("push-to-21", target=4).trace(play={"max": "hit until 14"}))
    asked = {message(step).split("; ")[-1] for step in steps if step.event == "enter"}

    assert asked == {"follows the policy", "takes the sum of p × value"}


@settings(SLOW, max_examples=8)
@given(stateful_games())
def test_both_engines_walk_the_same_way(data):
    """Machine code keeps payoffs of one value as one node; each is examined where it is met."""
    game = game_of(data)
    exact_dag, fast_dag = both_dags(game)
    behaviour = game.behaviour("expectiminimax")
    exact = Trace("", solve(exact_dag, behaviour), behaviour, {})
    fast = Trace("", solve_arrays(fast_dag, behaviour), behaviour, {})
    assert len(list(fast)) == len(fast)
    assume(len(exact) == len(fast))  # else a sum of payoffs was worked out by one of them
    for one, other in zip(exact, fast, strict=True):
        assert one.path == other.path
        assert one.kind == other.kind
        assert one.child == other.child
        assert one.event == other.event or (other.event == "terminal" and one.event == "shared")
        if one.value is not None:
            assert other.value == pytest.approx(float(one.value), 1e-6, 1e-6)
        if one.running is not None:
            assert other.running == pytest.approx(float(one.running), 1e-6, 1e-6)
        if one.title and one.kind != "terminal":  # a node of several states has a name of one
            states = exact_dag.origin[one.node].states
            assert other.title in {state_title(*state) for state in states}


def test_rewards_and_sums_are_said():
    game = game_in("""\
game: sums
nodes: {"f(n)": {max: [n, "2 * n"]}}
root: {max: {a: "3 + 2 * f(1) - f(2)", b: {cost: 1, max: {c: {reward: 2, chance: [4, 8]}}}}}
""")
    told = [message(step) for step in game.trace() if len(step.path) < 2 or step.kind == "chance"]

    assert told == [
        "root: MAX, 2 branches; takes the largest value",
        "a: sum, 2 terms; takes the sum of factor × value, plus 3",
        "term 1 returns 2: 2 × 2 = 4",
        "term 2 returns 4: 4 + (-1) × 4 = 0",
        "a is worth 0 + 3 = 3",
        "a returns 3, the largest so far",
        "b: MAX, 1 branch; takes the largest value, less 1",
        "c: chance, 2 outcomes; takes the sum of p × value, plus 2",
        "outcome 1 returns 4: 0.5 × 4 = 2",
        "outcome 2 returns 8: 2 + 0.5 × 8 = 6",
        "c is worth 6 + 2 = 8",
        "c returns 8, the largest so far",
        "b is worth 8 - 1 = 7, by c",
        "b returns 7, the largest so far",
        "root is worth 7, by b",
    ]


def test_a_game_that_is_a_payoff_has_one_step():
    [step] = game_in("game: none\nroot: 5\n").trace()

    assert (step.event, step.value, len(step.path)) == ("terminal", 5, 0)
    assert message(step) == "root: payoff 5"


# --- streams ---------------------------------------------------------------------------------


def test_a_walk_keeps_no_steps():
    """It takes a few bytes for each step where a step has some 250."""
    trace = gametree.load("tic-tac-toe").trace(at="x_moves(1, 2)")
    assert all(step.event for step in trace)  # what is kept for good is kept now
    tracemalloc.start()
    try:
        count = sum(1 for _ in trace)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == len(trace) > 3_000
    assert peak < 20 * count


def test_a_chain_of_20_000_states_is_walked():
    """No recursion, and a path costs no more for being long."""
    game = game_in(
        "game: chain\nnodes: {'walk(n)': {max: [{if: n == 0, then: 7, else: walk(n - 1)}]}}\n"
        "root: walk(20000)\n"
    )
    trace = game.trace(numbers="exact")
    deepest = max(trace, key=lambda step: len(step.path))

    assert len(deepest.path) == 20_001
    assert deepest.path[-1] == "1"
    assert list(islice(deepest.path, 3)) == ["1", "1", "1"]
    last = list(trace_text(trace, 10**6))[-1]
    assert last.endswith("root, walk(20000) is worth 7, by branch 1")


def test_deep_levels_are_numbered():
    text = list(trace_text(gametree.load("push-to-21").trace(), 200))

    assert any("[22] outcome 1, turn(11): MAX" in line for line in text)
    assert max(map(width, text)) < 130


def test_paths_behave_like_tuples():
    path = Labels(Labels(Labels(), "a"), "b")

    assert path == ("a", "b") == tuple(path)
    assert path != ("a",)
    assert path != "ab"
    assert hash(path) == hash(("a", "b"))
    assert (path[0], path[-1], path[:1], len(path), repr(path)) == (
        "a",
        "b",
        ("a",),
        2,
        "('a', 'b')",
    )
    with pytest.raises(IndexError):
        Labels()[-1]


# --- text and JSON ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("dice", ["dice"]),
        ("random-opponent", ["random-opponent"]),
        ("push-to-21", ["push-to-21", "--set", "target=4"]),
        ("tic-tac-toe", ["tic-tac-toe", "--max-steps", "60"]),
        ("dice-json", ["dice", "--algorithm", "minimax", "--format", "json"]),
    ],
)
def test_what_people_read(run, name, arguments):
    """Whole outputs, read by a person before they were committed."""
    golden = GOLDEN / f"trace-{name}.txt"
    done = run("trace", *arguments)
    if os.environ.get("GAMETREE_UPDATE_GOLDEN"):
        golden.write_text(done.stdout, encoding="utf-8")

    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout == golden.read_text(encoding="utf-8")


@LAW
@given(games(), st.sampled_from(sorted(RULES)), st.integers(1, 40))
def test_json_is_one_schema_for_every_algorithm(data, algorithm, most):
    trace = game_of(data).trace(algorithm=algorithm)
    told = json.loads("\n".join(trace_json(trace, most)))

    left = len(trace) - most
    assert list(told) == ["game", "algorithm", "value", "steps"] + ["left_out"] * (left > 0)
    assert told.get("left_out", 0) == max(left, 0)
    assert (told["algorithm"], told["value"]) == (algorithm, exact_text(trace.value))
    assert len(told["steps"]) == min(most, len(trace))
    for step in told["steps"]:
        assert list(step) == ["event", "path", "kind", "child", "value", "running", "message"]
        assert step["event"] in {"enter", "terminal", "return", "shared", "cut", "done"}
        assert step["kind"] in {"max", "min", "chance", "sum", "terminal"}
        assert (step["child"] is None) is (step["event"] not in {"return", "cut"})
        assert all(
            step[key] is None or Fraction(step[key]) is not None for key in ("value", "running")
        )


ODD = [
    "<script>alert(1)</script>",
    'say "hi"',
    "👩‍👩‍👧",
    "\u202eabc",
    "x" * 300,
    "a\nb",
    "שלום",
    "",
]


def test_odd_labels_are_safe_in_text_and_whole_in_json():
    game = game_of({"game": "odd\x1b[31m", "root": {"max": dict.fromkeys(ODD, "1")}})
    text = list(trace_text(game.trace(), 100))
    told = json.loads("\n".join(trace_json(game.trace(), 100)))

    assert {step["path"][0] for step in told["steps"] if step["path"]} == set(ODD)
    assert any("x" * 300 in step["message"] for step in told["steps"])
    assert len(text) == len(told["steps"]) + 2
    assert all(line.isprintable() or "\u200d" in line for line in text)
    assert all("\u202e" not in line for line in text)
    assert max(width(line) for line in text[:-1]) < 90


def test_colours_change_nothing_but_colour():
    import re

    trace = gametree.load("dice").trace()
    coloured = list(trace_text(trace, 100, colour=True))

    assert [re.sub("\x1b\\[[0-9;]*m", "", line) for line in coloured] == list(
        trace_text(trace, 100)
    )
    assert coloured != list(trace_text(trace, 100))


# --- the command -----------------------------------------------------------------------------


def test_a_trace_that_stops_says_what_is_left_out_and_what_to_do(run):
    text = run("trace", "dice", "--max-steps", "30")
    data = run("trace", "dice", "--max-steps", "30", "--format", "json")
    advice = "6 more steps: raise --max-steps, start further down with --at, or"

    assert text.stdout.splitlines()[-1].startswith(f"… {advice}")
    assert data.stderr.startswith(f"note: {advice}")
    assert json.loads(data.stdout)["left_out"] == 6
    assert text.returncode == data.returncode == 0


def test_long_traces_are_limited_unless_asked_for(run):
    done = run("trace", "tic-tac-toe")

    assert len(done.stdout.splitlines()) == 10_000 + 4
    assert "26,855 more steps" in done.stdout


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_reader_that_stops_reading_ends_the_command(output):
    """`| head` gets its lines and no message."""
    command = [sys.executable, "-m", "gametree", "trace", "tic-tac-toe", "--max-steps", "1000000"]
    with subprocess.Popen(
        [*command, "--format", output], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["dice", "--algorithm", "minmax"], "did you mean `minimax`?"),
        (["push-to-21", "--at", "trn(3)"], "`trn(3)` is not a state of this game"),
        (["push-to-21", "--policy", "hit"], "this game has no policy `hit`"),
        (["dice", "--max-steps", "0"], "--max-steps"),
    ],
)
def test_wrong_use_is_said(run, arguments, said):
    done = run("trace", *arguments)

    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert done.stdout == ""


# --- searches that cut -----------------------------------------------------------------------


def alpha_beta(dag, recorder, edge=ROOT, alpha=-(10**9), beta=10**9):
    """Alpha-beta as a search would write it, telling a recorder what it does."""
    node = 0 if edge == ROOT else dag.child[edge]
    if dag.kind[node] == Kind.TERMINAL:
        value = Fraction(dag.offset[node])
        recorder.terminal(edge, value)
        return value
    recorder.enter(edge)
    up, best = dag.kind[node] == Kind.MAX, None
    for below in dag.edges(node):
        value = alpha_beta(dag, recorder, below, alpha, beta)
        best = value if best is None else max(best, value) if up else min(best, value)
        recorder.returned(below, value, best)
        alpha, beta = (max(alpha, best), beta) if up else (alpha, min(beta, best))
        if alpha >= beta and below + 1 in dag.edges(node):
            recorder.cut(below + 1, best, beta if up else alpha)
            break
    recorder.done(best)
    return best


def test_a_search_writes_the_same_steps_and_its_cuts():
    """A 4-branching MIN node is left after its first child: three branches are not looked at."""
    data = {"game": "cut", "root": {"max": {"a": {"min": ["5", "6"]}, "b": {"min": list("2345")}}}}
    dag, steps = game_of(data).dag(), []
    value = alpha_beta(dag, Recorder(dag, sink=steps.append))

    assert value == 5
    assert all(isinstance(step, Step) for step in steps)
    [cut] = [step for step in steps if step.event == "cut"]
    assert (cut.path, cut.kind, cut.child, cut.running, cut.left) == (("b",), "min", "2", 2, 3)
    assert message(cut) == "branch 2 and 2 more left out: here it is 2 at most, elsewhere 5 already"
    assert message(cut._replace(left=1, remark="a remark", running=None)) == (
        "branch 2 left out: whatever there is, it changes nothing further up (a remark)"
    )
    assert message(steps[-1]) == "root is worth 5"


@SLOW
@given(games())
def test_a_recorder_without_cuts_is_the_walk(data):
    """A search of MAX and MIN that never cuts tells what the trace tells."""

    def no_chance(node):
        if isinstance(node, str):
            return True
        return "chance" not in node and all(
            no_chance(n) for g in node.values() for n in (g.values() if isinstance(g, dict) else g)
        )

    assume(no_chance(data["root"]))
    game, steps = game_of(data), []
    alpha_beta(game.dag(), Recorder(game.dag(), sink=steps.append), alpha=-(10**9), beta=10**99)
    assume(all(step.event != "cut" for step in steps))
    assert steps == [step._replace(chosen=()) for step in game.trace()]


# --- the searches ----------------------------------------------------------------------------


def told_once(steps):
    """What a search looked at: its nodes, the payoffs among them, and how many branches it cut."""
    nodes = {step.node for step in steps if step.event in {"enter", "terminal"}}
    payoffs = {step.node for step in steps if step.event == "terminal"}
    return len(nodes), len(payoffs), sum(step.left for step in steps if step.event == "cut")


def nested(steps):
    """Nodes are entered and done like brackets, and only the innermost one has returns and cuts."""
    open_nodes = []
    for step in steps:
        if step.event == "enter":
            assert len(step.path) == len(open_nodes)
            open_nodes.append(step.node)
        elif step.event in {"return", "cut"}:
            assert open_nodes[-1] == step.node
        elif step.event == "done":
            assert open_nodes.pop() == step.node
    assert not open_nodes


@LAW
@given(games(), st.sampled_from(SEARCHES), st.sampled_from(["expected", "worst", "random"]))
def test_a_search_is_told_as_it_is_made(data, algorithm, chance):
    """The value, what is looked at and what is cut are those of `gametree search`."""
    game = game_of(data)
    trace = game.trace(algorithm=algorithm, play={"chance": chance})
    steps = list(trace)
    found = search(game, Request(algorithm, play={"chance": chance}, order="written"))

    nested(steps)
    assert steps[-1].value == trace.value == found.value
    assert steps[-1].value == game.evaluate(play={"chance": chance}).value
    assert len(steps) == len(trace)
    nodes, payoffs, cut = told_once(steps)
    assert (nodes, payoffs) == (found.nodes, found.terminals)
    assert cut <= found.cut if algorithm == "star2" else cut == found.cut  # it looked at some twice
    for step in steps:
        assert message(step)
        json.dumps(step_json(step))


@LAW
@given(stateful_games(), st.sampled_from(SEARCHES))
def test_a_search_of_states_comes_to_the_value_of_the_game(data, algorithm):
    """With rewards, sums that turn the sides round, and shared states."""
    game = game_of(data)
    steps = list(game.trace(algorithm=algorithm))

    nested(steps)
    assert steps[-1].value == game.evaluate(numbers="exact").value


def test_a_search_with_nothing_to_cut_is_the_walk():
    game = gametree.load("dice")
    search_steps, walk = (list(game.trace(algorithm=a)) for a in ("star1", "expectiminimax"))

    assert [s[:7] for s in search_steps] == [s[:7] for s in walk]


@pytest.mark.parametrize(
    ("text", "algorithm", "said"),
    [
        (
            "root: {max: {a: {min: [5, 6]}, b: {min: [2, 3, 4, 5]}}}",
            "alpha-beta",
            "branch 2 and 2 more left out: here it is 2 at most, elsewhere 5 already",
        ),
        (
            "root: {min: {a: {max: [5, 6]}, b: {max: [7, 8]}}}",
            "pvs",
            "branch 2 left out: here it is 7 at least, elsewhere 6 already",
        ),
        (
            "nodes: {f: {max: [5, 10, 7]}}\nbounds: [0, 10]\nroot: f",
            "alpha-beta",
            "branch 3 left out: nothing can be better than 10",
        ),
        (
            "nodes: {f: {max: [8, {chance: [3, 2, 10]}]}}\nbounds: [0, 10]\nroot: f",
            "star1",
            "outcome 2 and 1 more left out: whatever there is, it changes nothing further up",
        ),
        (
            "nodes: {f: {max: [8, {chance: [{min: [3, 4]}, {min: [2, 9]}]}]}}\nbounds: [0, 10]\nroot: f",
            "star2",
            "branch 2 is worth between 0 and 6.5",
        ),
    ],
)
def test_cuts_are_explained(text, algorithm, said):
    told = [message(step) for step in game_in(f"game: cut\n{text}\n").trace(algorithm=algorithm)]

    assert any(said in line for line in told), told


def test_a_payoff_outside_the_bounds_is_a_mistake_of_the_file(run, tmp_path):
    (tmp_path / "tight.yaml").write_text(
        "game: tight\nbounds: [0, 1]\nnodes: {f: {max: [0, 5]}}\nroot: f\n"
    )
    done = run("trace", "tight.yaml", "--algorithm", "star1")

    assert done.returncode == 1
    assert "error[GT405]" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["monty-hall", "--policy", "stay"], "alpha-beta follows no policy"),
        (["dice", "--float"], "in exact numbers"),
        (["dice", "--play", "max=softmax:1"], "a search cannot play max so"),
    ],
)
def test_what_a_search_cannot_do_is_said(run, arguments, said):
    done = run("trace", *arguments, "--algorithm", "alpha-beta")

    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
