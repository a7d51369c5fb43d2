"""Searches: the value of full evaluation, what is left out, and how far an answer is trusted."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from fractions import Fraction

import pytest
from gametree.compiler.dag import Kind
from gametree.evaluator.game import Game
from gametree.evaluator.search.budget import Budget, parse_budget
from gametree.evaluator.search.compare import compare
from gametree.evaluator.search.position import exact
from gametree.evaluator.search.run import Request, search
from gametree.evaluator.search.table import Entry, Table
from gametree.render.search import comparison_text, search_json, search_text
from gametree.spec.diagnostics import Code, SpecError, UsageError
from gametree.spec.reader import bundled, read_bytes, read_path
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .game_strategies import stateful_games
from .strategies import games

LAW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
EXACT = ("full", "alpha-beta", "pvs", "star1", "star2")
PRUNING = EXACT[1:]
TEXTBOOK = {"a": ["3", "12", "8"], "b": ["2", "4", "6"], "c": ["14", "5", "2"]}


def game_of(data, settings=None):
    reading = read_bytes("random.json", json.dumps(data).encode(), "json")
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document, settings)


def game_in(text, settings=None):
    reading = read_bytes("game.tree", text.encode(), "tree")
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document, settings)


def bundle(name, **settings):
    document = read_path(bundled(name)).document
    return Game.from_document(document, {key: str(value) for key, value in settings.items()})


def found(game, algorithm, **more):
    return search(game, Request(algorithm, numbers="exact", **more))


def totals(dag):
    """The least and the most that a play can pay in all."""
    known = [None] * len(dag)
    for node in range(len(dag) - 1, -1, -1):
        offset, edges = exact(dag.offset[node]), dag.edges(node)
        below = [known[child] for child in dag.children(node)]
        weights = [exact(dag.weight[edge]) for edge in edges]
        if dag.kind[node] == Kind.TERMINAL:
            known[node] = offset, offset
            continue
        if dag.kind[node] == Kind.SUM and not (min(weights) > 0 and sum(weights) == 1):
            terms = [
                sorted(w * end for end in ends) for w, ends in zip(weights, below, strict=True)
            ]
            below = [(sum(low for low, _ in terms), sum(high for _, high in terms))]
        known[node] = offset + min(e[0] for e in below), offset + max(e[1] for e in below)
    return known[0]


@st.composite
def bounded(draw, source):
    """A game's data, with or without bounds, which may be wider than they need be."""
    data = draw(source)
    ends = totals(game_of(data).dag(numbers="exact"))
    if draw(st.integers(0, 3)) == 0:
        return data
    slack = draw(st.sampled_from([0, 0, 1, 5]))
    return {**data, "bounds": [str(ends[0] - slack), str(ends[1] + slack)]}


# --- the value ---


@LAW
@given(st.data())
@pytest.mark.parametrize(
    ("source", "rooms"),
    [(games(4), [None, 0, 3]), (stateful_games(), [None, 60])],
    ids=["trees", "states"],
)
def test_every_exact_search_has_the_value_of_full_evaluation(source, rooms, data):
    """Whatever the order of moves and the room in the table, and the best move is a best one."""
    game = game_of(data.draw(bounded(source)))
    answer = game.evaluate(numbers="exact")
    order = data.draw(st.sampled_from(["learned", "written", 1, 2, 3]))
    table = data.draw(st.sampled_from(rooms))
    for algorithm in EXACT:
        got = found(game, algorithm, order=order, table=table)
        assert (got.certainty, got.value) == ("exact", answer.value), algorithm
        assert set(got.best) <= set(answer.best)
        assert bool(got.best) == bool(answer.best)
    assert found(game, "full").best == answer.best


@LAW
@given(bounded(stateful_games()), st.integers(0, 9), st.sampled_from(EXACT), st.booleans())
def test_a_depth_gives_a_bound_that_holds(data, depth, algorithm, deepening):
    """Without a heuristic nothing is guessed: the value lies between the two ends."""
    game = game_of(data)
    value = game.evaluate(numbers="exact").value
    budget = Budget(nodes=10**6) if deepening else None
    got = found(game, algorithm, depth=depth, budget=budget)

    assert got.certainty in {"exact", "bound"}
    assert got.low is None or got.low <= value
    assert got.high is None or got.high >= value
    if got.certainty == "exact":
        assert got.value == value


@LAW
@given(bounded(stateful_games()), st.sampled_from(EXACT), st.sampled_from(["exact", "float"]))
def test_looking_deeper_and_deeper_comes_to_the_value(data, algorithm, numbers):
    """However the passes begin: the last one decides everything."""
    game = game_of(data)
    request = Request(algorithm, numbers=numbers, budget=Budget(nodes=10**6))
    got = search(game, request)

    assert got.certainty == "exact"
    assert holds(got, game.evaluate(numbers="exact").value)


@LAW
@given(bounded(games(4)), st.integers(1, 60), st.sampled_from(EXACT))
def test_a_search_that_is_stopped_gives_a_bound_that_holds(data, nodes, algorithm):
    """What a budget leaves out counts with the file's bounds."""
    game = game_of(data)
    value = game.evaluate(numbers="exact").value
    got = found(game, algorithm, budget=Budget(nodes=nodes))

    assert got.certainty in {"exact", "bound"}
    assert got.low is None or got.low <= value
    assert got.high is None or got.high >= value


@LAW
@given(bounded(games(4)), st.sampled_from(PRUNING), st.sampled_from([None, 0]))
def test_no_search_visits_more_terminals_of_a_tree_than_full_evaluation(data, algorithm, table):
    game = game_of(data)
    full, got = (found(game, name, table=table) for name in ("full", algorithm))

    assert got.terminals <= full.terminals
    assert got.nodes <= full.nodes


@LAW
@given(games(3), st.sampled_from(["min=random", "chance=worst", "chance=optimal", "max=worst"]))
def test_other_play_is_searched_as_it_is_evaluated(data, play):
    game = game_of(data)
    kind, _, behaviour = play.partition("=")
    answer = game.evaluate(play={kind: behaviour}, numbers="exact")

    for algorithm in EXACT:
        assert found(game, algorithm, play={kind: behaviour}).value == answer.value


SMALL = {
    "dice": {}, "push-to-21": {}, "pig-race": {"target": 6}, "nim": {}, "dots-and-boxes": {},
    "red-black-cards": {}, "monty-hall": {}, "oil-wildcatter": {}, "secretary": {},
    "rescaled": {}, "sign-contract": {}, "random-opponent": {}, "bandit": {"pulls": 4},
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_bundled_games_have_their_value_by_every_search(name):
    game = bundle(name, **SMALL[name])
    answer = game.evaluate(numbers="exact")

    for algorithm in EXACT:
        got = found(game, algorithm)
        assert (got.certainty, got.value) == ("exact", answer.value), algorithm
        assert set(got.best) <= set(answer.best)


# --- what is left out ---


def test_alpha_beta_leaves_two_leaves_of_the_textbook_tree_out():
    """Russell and Norvig's tree: after 2, neither 4 nor 6 can matter."""
    tree = {name: {"min": leaves} for name, leaves in TEXTBOOK.items()}
    got = found(game_of({"game": "textbook", "root": {"max": tree}}), "alpha-beta")

    assert (got.value, got.best, got.certainty) == (3, ("a",), "exact")
    assert (got.terminals, got.cut) == (7, 2)


def leaf(number, seed):
    return str((number * 7919 + seed * 104729) % 101)


def regular(kinds, width, seed, at=1):
    """A tree whose levels are of ``kinds``, with payoffs from 0 to 100."""
    if not kinds:
        return leaf(at, seed)
    below = [regular(kinds[1:], width, seed, at * width + i) for i in range(width)]
    return {kinds[0]: below}


@pytest.mark.parametrize("algorithm", ["star1", "star2"])
def test_star_leaves_something_out_of_most_trees_of_depth_4_with_bounds(algorithm):
    """Of 40 trees MAX, chance, MIN, chance with payoffs all over the bounds."""
    less = 0
    for seed in range(40):
        tree = regular(["max", "chance", "min", "chance"], 3, seed)
        game = game_of({"game": "regular", "root": tree, "bounds": ["0", "100"]})
        full, got = (found(game, name) for name in ("full", algorithm))
        assert got.value == full.value
        assert got.terminals <= full.terminals
        less += got.terminals < full.terminals
    assert less > 20


def test_tic_tac_toe_has_its_nodes_as_a_graph():
    """5,478 positions, of which 958 end the game; every first move holds the draw."""
    got = found(bundle("tic-tac-toe"), "full")

    assert (got.nodes, got.terminals, got.cut, got.value) == (5478, 958, 0, 0)
    assert len(got.best) == 9


@pytest.mark.parametrize("algorithm", PRUNING)
def test_tic_tac_toe_is_a_draw_by_every_exact_search(algorithm):
    got = found(bundle("tic-tac-toe"), algorithm)

    assert (got.value, got.certainty) == (0, "exact")
    assert got.nodes < 5478


def test_payoffs_outside_the_bounds_are_reported():
    """A bound that is too tight would make a wrong value pass for an exact one."""
    game = game_in('game "tight"\nroot max { a: 4, b: chance { 10, 0 } }\nbounds 0..9\n')

    for algorithm in EXACT:
        with pytest.raises(SpecError) as problem:
            found(game, algorithm)
        [diagnostic] = problem.value.diagnostics
        assert diagnostic.code is Code.OUT_OF_BOUNDS
        assert "10" in diagnostic.message


def test_bounds_hold_for_a_whole_play_with_its_costs():
    """The 20 costs 15 to reach: a play pays 5."""
    game = game_in(
        'game "costs"\nroot max { a: chance { 4, 6 }, b: then cost 15 then chance { 20, 19 } }\n'
        "bounds 4..6\n".replace("then cost 15 then", "cost 15")
    )

    for algorithm in EXACT:
        assert found(game, algorithm).value == 5


# --- budgets ---


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("1s", Budget(seconds=1.0)),
        ("500ms", Budget(seconds=0.5)),
        ("2min", Budget(seconds=120.0)),
        ("100000n", Budget(nodes=100000)),
        ("100,000n", Budget(nodes=100000)),
        ("200000p", Budget(playouts=200000)),
    ],
)
def test_a_budget_is_seconds_nodes_or_playouts(text, budget):
    assert parse_budget(text) == budget


@pytest.mark.parametrize(
    "text", ["", "s", "1", "0s", "0n", "-1s", "1.5n", "1h", "1e9999s", "nan s"]
)
def test_any_other_budget_is_refused(text):
    with pytest.raises(UsageError, match="no budget"):
        parse_budget(text)


@pytest.mark.parametrize("algorithm", [*EXACT, "sampled", "mcts"])
def test_a_budget_of_nodes_is_never_passed(algorithm):
    """And what came out is the same each time."""
    game = bundle("pig-race", target=40)
    first, second = (found(game, algorithm, budget=Budget(nodes=3000), seed=5) for _ in range(2))

    assert 2000 < first.nodes <= 3000 or algorithm not in {"sampled", "mcts"}
    assert first.nodes <= 3000
    assert first.certainty != "exact"
    assert (first.value, first.best, first.nodes, first.cut) == (
        second.value, second.best, second.nodes, second.cut
    )  # fmt: skip


@pytest.mark.parametrize("algorithm", ["star1", "star2", "sampled", "mcts", "full"])
def test_a_budget_of_time_is_kept_within_a_tenth(algorithm):
    game = bundle("pig-race", target=60)
    found(game, algorithm, budget=Budget(nodes=100))
    for _ in range(5):  # other work on the machine may take the processor for a while
        got = found(game, algorithm, budget=Budget(seconds=1.0))
        assert got.certainty != "exact"
        if 0.9 <= got.seconds <= 1.1:
            return
    pytest.fail(f"it took {got.seconds} seconds")


def test_ctrl_c_ends_a_search_cleanly():
    """Exit code 130 and nothing said, in the middle of a search."""
    command = [sys.executable, "-m", "gametree", "search", "pig-race", "--budget", "60s", "--exact"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ}
    )
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)

    assert (process.returncode, out, err) == (130, b"", b"")


# --- luck ---


def test_mcts_comes_near_the_value_of_push_to_21():
    """200,000 playouts, and the report says what the error is made of."""
    got = found(bundle("push-to-21"), "mcts", budget=Budget(playouts=200_000), seed=3)

    assert got.playouts == 200_000
    assert got.certainty == "estimate"
    assert abs(got.value - 15.8585132) < 0.25
    assert got.standard_error < 0.05
    assert got.best == ("hit",)
    assert "sampling" in got.notes[-2]
    assert "exploration that has not died out" in got.notes[-1]


@LAW
@given(games(3), st.integers(0, 2**32))
def test_mcts_stays_between_the_least_and_the_largest_payoff(data, seed):
    game = game_of(data)
    low, high = totals(game.dag(numbers="exact"))
    got = found(game, "mcts", budget=Budget(playouts=50), seed=seed)

    assert float(low) - 1e-9 <= got.value <= float(high) + 1e-9
    assert got == found(game, "mcts", budget=Budget(playouts=50), seed=seed).__class__(
        **{name: getattr(got, name) for name in got.__slots__}
    )


def test_mcts_finds_the_best_move_of_small_games():
    for name in ("dice", "oil-wildcatter"):
        game = bundle(name)
        best = game.evaluate(numbers="exact").best
        assert found(game, "mcts", budget=Budget(playouts=3000)).best[0] in best


def test_sampling_says_how_far_luck_may_have_thrown_it_off():
    """Means of whole searches: their standard error, and the lean of choices among them."""
    got = found(bundle("push-to-21"), "sampled", samples=6, seed=2)

    assert got.certainty == "estimate"
    assert abs(got.value - 15.8585132) < 8 * got.standard_error
    assert any("leans" in note for note in got.notes)


def test_sampling_where_nothing_is_left_out_is_exact():
    got = found(bundle("push-to-21"), "sampled", samples=10)

    assert (got.certainty, got.value) == ("exact", Fraction(79292566171467, 5000000000000))


# --- the table ---


def test_a_full_table_keeps_what_was_searched_deeper():
    table = Table(1)
    table.put("a", Entry(1, 2, 5, True, False, 0))
    table.put("b", Entry(3, 4, 4, True, False, 0))
    assert table.get("a") is not None
    assert table.get("b") is None
    table.put("b", Entry(3, 4, 5, True, False, 0))
    assert table.get("a") is None
    assert table.get("b") is not None


# --- side by side ---


def test_comparison_shows_the_algorithms_that_apply():
    with_chance = compare(bundle("push-to-21"), Request(numbers="exact", algorithm="full"))
    without = compare(bundle("nim"), Request(numbers="exact", algorithm="full"))

    assert [row.found.algorithm for row in with_chance.rows] == [
        "full", "star1", "star2", "pvs", "sampled", "mcts"
    ]  # fmt: skip
    assert [row.found.algorithm for row in without.rows] == ["full", "alpha-beta", "pvs", "mcts"]
    assert all(row.agrees for row in with_chance.rows)


def test_comparison_marks_the_errors_that_are_luck_alone_and_says_each_note_once():
    shown = comparison_text(compare(bundle("push-to-21"), Request("full", budget=Budget(nodes=60))))

    rows = dict(line.split(maxsplit=1) for line in shown.splitlines() if line)
    assert [name for name in ("full", "star1", "pvs", "mcts") if " *  " in rows[name]] == ["mcts"]
    assert "* the ± is luck's part alone" in shown
    assert shown.count("the budget came to its end") == 1
    assert "exploration that has not died out" in shown


def test_nothing_known_is_no_bound_and_says_what_would_help():
    """Neither bounds nor a heuristic: see the difference that either makes."""
    text = (
        'game "counter"\nroot count(0)\n'
        "node count(n: 0..9) = if n == 9 then 9 else chance { count(n + 1), count(min(9, n + 2)) }\n"
    )
    shown = search_text(found(game_in(text), "alpha-beta", depth=3))

    assert "value    not known\n" in shown
    assert "no `bounds` and its nodes no `heuristic`" in shown
    assert ", a bound" in search_text(found(game_in(text + "bounds 0..9\n"), "star1", depth=3))


def test_json_is_the_contract(run):
    done = run("search", "push-to-21", "--algorithm", "star2", "--depth", "50", "--format", "json")
    content = json.loads(done.stdout)

    assert done.returncode == 0
    assert {
        "game", "algorithm", "value", "value_float", "certainty", "standard_error", "best",
        "visited", "depth", "seconds",
    } <= content.keys()  # fmt: skip
    assert content["value"] == "79292566171467/5000000000000"
    assert content["certainty"] == "exact"
    assert content["standard_error"] is None
    assert set(content["visited"]) == {"nodes", "terminals", "cut"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--algorithm", "alphabeta"], "did you mean"),
        (["--algorithm", "expectimax"], "`gametree eval --algorithm expectimax`"),
        (["--algorithm", "mcts", "--depth", "3"], "leave --depth out"),
        (["--budget", "100p"], "playouts"),
        (["--budget", "soon"], "no budget"),
        (["--play", "min=softmax:1"], "cannot play min"),
        (["--at", "nowhere(3)"], "not a state"),
    ],
)
def test_wrong_use_says_what_is_right(run, arguments, told):
    done = run("search", "push-to-21", *arguments)

    assert done.returncode == 2
    assert told in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


# --- machine code ---


COMPILED = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def by_machine(game, algorithm, **more):
    return search(game, Request(algorithm, numbers="float", **more))


def holds(got, value):
    """Whether what a search says of a value is true."""
    if got.certainty == "exact":
        return abs(Fraction(got.value) - value) <= Fraction(got.error_bound) * (
            1 + Fraction(1, 10**9)
        )
    return (got.low is None or got.low <= value) and (got.high is None or got.high >= value)


@COMPILED
@given(bounded(stateful_games()), st.sampled_from([None, 60]))
def test_machine_code_has_the_value_of_full_evaluation(data, table):
    """Within the error that it states, for every algorithm and with little room in the table."""
    game = game_of(data)
    value = game.evaluate(numbers="exact").value
    for algorithm in EXACT:
        got = by_machine(game, algorithm, table=table)
        assert got.certainty == "exact", algorithm
        assert holds(got, value), (algorithm, got, value)
        assert got.error_bound < 1e-6 * max(1, abs(value))
        assert set(got.best) <= set(game.evaluate(numbers="float").best) or got.error_bound


@COMPILED
@given(bounded(stateful_games()), st.integers(0, 9), st.sampled_from(EXACT), st.booleans())
def test_machine_code_gives_bounds_that_hold_at_a_depth(data, depth, algorithm, deepening):
    game = game_of(data)
    budget = Budget(nodes=10**6) if deepening else None
    got = by_machine(game, algorithm, depth=depth, budget=budget)

    assert holds(got, game.evaluate(numbers="exact").value)


@COMPILED
@given(bounded(stateful_games()), st.integers(1, 200), st.sampled_from(EXACT))
def test_machine_code_that_is_stopped_gives_bounds_that_hold(data, nodes, algorithm):
    game = game_of(data)
    got = by_machine(game, algorithm, budget=Budget(nodes=nodes))

    assert got.nodes <= nodes
    assert holds(got, game.evaluate(numbers="exact").value)


def test_tic_tac_toe_has_its_nodes_as_a_tree():
    """549,946 positions on 255,168 ways to play."""
    got = by_machine(bundle("tic-tac-toe"), "full", table=0)

    assert (got.nodes, got.terminals, got.value) == (549_946, 255_168, 0)
    assert (got.certainty, got.numbers, got.error_bound) == ("exact", "exact", 0.0)
    assert len(got.best) == 9


def test_machine_code_reports_payoffs_outside_the_bounds():
    text = 'game "tight"\nnode f(n: 0..9) = max { a: n, b: if n == 9 then 11 else f(n + 1) }\n'
    game = game_in(text + "root f(0)\nbounds 0..10\n")

    for algorithm in EXACT:
        with pytest.raises(SpecError) as problem:
            by_machine(game, algorithm)
        assert problem.value.diagnostics[0].code is Code.OUT_OF_BOUNDS


def test_machine_code_reports_circles_and_faults_as_ever():
    round_and_round = game_in(
        'game "round"\nnode f(n: 0..3) = max { a: 1, b: f((n + 1) % 4) }\nroot f(0)\n'
    )
    outside = game_in('game "out"\nnode f(n: 0..3) = max { a: 1, b: f(n + 1) }\nroot f(0)\n')

    for game, code in ((round_and_round, Code.CYCLE), (outside, Code.STATE_RANGE)):
        for find in (by_machine, found):
            with pytest.raises(SpecError) as problem:
                find(game, "full")
            assert problem.value.diagnostics[0].code is code


def test_a_search_that_takes_long_goes_on_by_machine_code():
    """Exact numbers at first; a thousand times as many positions are no matter."""
    game = bundle("pig-race", target=30)
    got = search(game, Request("star1"))

    assert got.numbers == "float"
    assert abs(got.value - game.evaluate().value) < 1e-12
    assert got.error_bound < 1e-12


@pytest.mark.parametrize("algorithm", ["star1", "full"])
def test_machine_code_keeps_a_budget_of_time(algorithm):
    game = bundle("pig-race", target=100)
    by_machine(game, algorithm, budget=Budget(nodes=10))
    got = by_machine(game, algorithm, budget=Budget(seconds=1.0))

    assert 0.9 <= got.seconds <= 1.1
    assert got.certainty == "bound"


# --- heuristics ---

ROUGHLY = """game "Push, roughly"
param target = 21
node turn(total: 0..target) = heuristic min(total + 4, target) max {
  stand: total
  hit: chance { for d in 1..10: if total + d > target then 0 else turn(total + d) }
}
root turn(0)
bounds 0..21
"""


@pytest.mark.parametrize("algorithm", EXACT)
def test_a_heuristic_makes_an_estimate_of_it(algorithm):
    """Two moves deep, a position is worth what the file says; to the end, it has no part."""
    game = game_in(ROUGHLY)
    rough = found(game, algorithm, depth=2)

    assert (rough.certainty, rough.value, rough.low) == ("estimate", Fraction(19, 2), None)
    assert found(game, algorithm).certainty == "exact"
    assert found(game, algorithm, budget=Budget(nodes=60)).certainty == "estimate"


def test_a_heuristic_with_a_root_makes_no_game_approximate():
    game = game_in(ROUGHLY.replace("min(total + 4, target)", "sqrt(total)"))

    assert game.evaluate().numbers == "exact"
    assert found(game, "star1", depth=4).certainty == "estimate"


# --- what people read ---


def test_text_says_what_the_answer_is():
    """Exact, a bound or an estimate, in the line of the value itself."""
    push = bundle("push-to-21")

    assert "79292566171467/5000000000000), exact\n" in search_text(found(push, "star1"))
    assert "between 5.5 and 21, a bound\n" in search_text(found(push, "star1", depth=3))
    estimate = search_text(found(push, "mcts", budget=Budget(playouts=500)))
    assert re.search(
        r"value +1\d\.\d+ ± 0\.\d+, an estimate; the ± is luck's part alone\n", estimate
    )
    nothing = search_text(found(game_in('game "x"\nroot max { a: 1, b: 2 }\n'), "full", depth=0))
    assert "not known\n" in nothing


def test_text_of_a_comparison_has_a_row_for_each_algorithm():
    text = comparison_text(compare(bundle("nim"), Request("full", numbers="exact")))
    lines = text.splitlines()

    assert lines[0] == "Nim" or lines[0].lower().startswith("nim")
    assert [line.split()[0] for line in lines[3:7]] == ["full", "alpha-beta", "pvs", "mcts"]
    assert all(len(line) < 120 for line in lines[:7])


@pytest.mark.parametrize(
    "label", ["<script>", "\x1b[31m", "שלום", "👩‍👩‍👧", "x" * 300, "two\nlines"]
)
def test_any_label_can_be_shown(label):
    """No label breaks a line or reaches the terminal as a command."""
    game = game_of({"game": label, "root": {"max": {label: "1", "b": "0"}}})
    text = search_text(found(game, "alpha-beta"))
    table = comparison_text(compare(game, Request("full", numbers="exact")))

    assert len(text.splitlines()) == 7
    assert "\x1b" not in text + table
    assert found(game, "alpha-beta").best == (label,)
    json.dumps(search_json(found(game, "pvs")))
