"""The fast engine, construct by construct: faults, fallbacks, growth, and which engine is taken."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import gametree
import pytest
from gametree.compiler.unfold import Limits, unfold
from gametree.evaluator import engines
from gametree.evaluator.fast import solve_arrays
from gametree.evaluator.game import Game
from gametree.evaluator.solve import solve
from gametree.spec.diagnostics import Code, SpecError
from gametree.spec.reader import read_bytes

pytest.importorskip("llvmlite")

from gametree.compiler.native import engine
from gametree.compiler.native.engine import Unsure, unfold_native
from gametree.compiler.native.values import Unsupported


def game_in(text):
    reading = read_bytes("game.yaml", text.encode(), "yaml")
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document)


def countdown(body, end="1", header="f(n: 0..20)", root="f(20)", extra=""):
    """A game that counts ``n`` down."""
    node = f'{{if: n <= 0, then: "{end}", else: {body}}}'
    return game_in(f'game: count\n{extra}nodes:\n  "{header}": {node}\nroot: {root}\n')


def values(game, algorithm="expectiminimax", play=None):
    """The exact value; the fast one and its bound; sizes must be equal."""
    behaviour = game.behaviour(algorithm, play or {})
    exact, fast = unfold(game.program), unfold_native(game.program)
    assert fast.size() == exact.size()
    found = solve_arrays(fast, behaviour)
    return solve(exact, behaviour).value(0), found.value(0), found.error_bound(0)


def said(unfolding, game, **limits):
    """What an engine says is wrong."""
    with pytest.raises(SpecError) as error:
        unfolding(game.program, limits=Limits(**limits))
    return [
        (found.code, found.message, found.place.start, [note.message for note in found.notes])
        for found in error.value.diagnostics
    ]


# --- constructs that have gone wrong, or might ------------------------------------------------

SAME = {
    "min and max of fractions": '{max: ["min(n / 3, 1/2)", "max(1/7, n / 9, 2)", f(n - 1)]}',
    "floor of a quotient": '{max: ["floor(n / 2 + 1/2)", "ceil(abs(-n / 3))", "floor(0.3 * n)", f(n - 1)]}',
    "quotients that are equal": '{max: ["if n / 3 + 1/3 == 1 then 5 else 2", "if n * 0.1 >= 0.3 then 5 else 2", f(n - 1)]}',
    "negative operands": '{max: ["(3 - n) // 2 + (3 - n) % 4", "(n - 4) // -3", "(n - 4) % -3", "(2 - n) >> 1", f(n - 1)]}',
    "bits": '{max: ["n & 5 | 8 ^ n", "~n & 7", "popcount(n) << 2", "-n & 6", f(n - 1)]}',
    "powers": '{max: ["(9/10) ** n", "2 ** n", "(n + 1) ** (-2)", "(-n) ** 3", f(n - 1)]}',
    "a quotient without a range": '{max: ["5 // factorial(n % 5)", "comb(n, 2)", f(n - 1)]}',
    "guards": '{max: ["sum(6 // e for e in 0..3 if e != 0 if 6 // e > 2)", "if n != 3 and 1 / (n - 3) > 0 then 1 else 2", f(n - 1)]}',
    "extremes of fractions": '{max: ["max(e / 2 for e in 0..n)", "min(-e / 3 for e in 0..n)", f(n - 1)]}',
    "lists": '{max: ["put([n, 2, 3], n % 3, 7)[1]", "sum([e * e for e in 0..3])", "if [n, 1] in [[2, 1], [3, 1]] then 1 else 3", f(n - 1)]}',
    "a list parameter of fractions": '{max: ["tab[n % 3] * n", "sum(tab)", f(n - 1)]}',
    "equal terms": '"(f(n - 1) + f(n - 1)) / 3"',
    "a factor that comes to one": '"(1/3 * 3) * f(n - 1)"',
    "sums that come to nothing": '{max: {a: "(n / 49 * 49 - n) * f(n - 1) + 2", b: "f(n - 1) + (n / 10 + n / 5 - 3 * n / 10)"}}',
    "odds that come to one": '{chance: {a: {p: "n / 30", then: f(n - 1)}, b: {p: "1 - n / 30", then: n}}}',
    "a rest of nothing": '{chance: {a: {p: "1/3", then: f(n - 1)}, b: {p: "2/3", then: n}, c: {p: rest, then: f(0 - n)}}}',
    "an outcome of no chance": '{chance: {a: {p: "if n > 3 then 0 else 1/2", then: "f(n - 1)"}, b: {p: rest, then: "f(n - 1)"}}}',
    "dice": '{chance: {"for e in dice(n % 3 + 1, 4)": "f(n - 1) + e"}}',
    "some dice": '{chance: {"for e in 2d6 if e < n + 3 @ weight e": "f(n - 1) + e"}}',
    "a roll": '{chance: {"for h in roll(2, 3)": "f(n - 1) + h[0] * h[1]"}}',
    "rolls of several sizes": '{chance: {"for h in roll(n % 3, 3)": "f(max(0, n - 1 - sum(h) - len(h)))"}}',
    "a roll of what is left": '{chance: {"for h in roll(3 - sum([e for e in 1..2 if e <= n % 3]), 2)": "f(max(0, n - 1 - sum(h)))"}}',
    "faces of rolls of several sizes": '{chance: {"for h in roll(n % 3 + 1, 4)": "if 2 in h or h[0] == 3 then f(n - 1) else n + max(h)"}}',
    "a list that a condition shortens": '{max: ["sum([e * n for e in 0..3 if e != n])", "[e for e in 0..n if e % 2 == 0][n // 3]", "len([e for e in [n, 2, 5] if e > 2])", f(n - 1)]}',
    "branches of a list that a condition shortens": '{max: {"for e in [e for e in 1..4 if e < n]": "f(n - 1) - e", "none": 1}}',
    "a list over two loops": '{max: ["[a * b + n for a in 1..3 for b in 1..2][n % 6]", "sum([d for a in 0..3 for d in 0..a if d != n])", f(n - 1)]}',
    "items in order": '{max: ["sorted([n, 3, 7 - n])[1]", "sorted([e * (5 - e) for e in 0..n])[0]", "sum(sorted(1..4)) * n / 9", f(n - 1)]}',
    "ranges as lists": '{max: ["put(1..3, n % 3, 7)[1]", "if [1, n, 3] == 1..3 then 9 else 2", "if 1..2 in [[n, 2], [1, n]] then 5 else n", f(n - 1)]}',
    "cards": '{chance: {"for h in draw(2, [1, 2, 2, 3])": "f(n - 1) + h[0] * h[1]"}}',
    "a table": '{chance: {"for e in {0: n / 30, 1: rest}": "f(n - 1) + e"}}',
    "nested loops": '{chance: {"for e in 1..2 @ e / 3": {"for d in 1..3 @ weight d + n": "f(n - 1) * d"}}}',
    "numbers beyond 53 bits": '{max: ["9007199254740993 + n", "-100000000000000000000", "1 + f(n - 1)"]}',
    "numbers next to zero": '{chance: ["1e-30 / 3", "2e-31", f(n - 1)]}',
    "approximate numbers": '{max: ["exp(n / 3)", "sqrt(n / 2) * 3 - 1", "log(n + 1)", f(n - 1)]}',
}  # fmt: skip


@pytest.mark.parametrize("body", [pytest.param(body, id=name) for name, body in SAME.items()])
def test_a_construct_has_the_same_value(body):
    game = countdown(
        body,
        header="f(n: 0..9)",
        root="{max: {a: f(9), b: -1000}}",
        extra="params: {tab: [1/2, 2, 3]}\n",
    )
    for play in (
        {},
        {"max": "worst"},
        {"max": "random"},
        {"chance": "random"},
        {"max": "mistake:1/3"},
    ):
        exact, fast, bound = values(game, play=play)

        assert abs(Fraction(fast) - Fraction(exact)) <= Fraction(bound)
        assert bound <= 1e-11 * max(1, abs(exact)) or "9007199254740993" in body


FALLS_BACK = {
    "a number that outgrows 64 bits": '{max: ["(n + 1000000) ** 4", f(n - 1)]}',
    "a number beyond floats": '{max: ["(1/3 + n * 1e15) ** 30", f(n - 1)]}',
    "a number written beyond floats": '{max: ["1e400", f(n - 1)]}',
    "a number written next to zero": '{chance: ["1e-400", f(n - 1)]}',
    "values that float cannot compare": '{max: ["if (n + 1/3) ** 11 - (n + 1/3) ** 11 == 0 then 1 else 2", f(n - 1)]}',
    "dice of several numbers for a node within": '{chance: {"for h in roll(n % 3, 3)": "f(n - 1) + sum(h)"}}',
    "sides that vary": '{chance: {"for e in dice(2, n)": "f(n - 1) + e"}}',
    "lists whose length varies": '{max: ["len([[d for d in 0..e] for e in 0..3 if e != n])", f(n - 1)]}',
    "a label that is a number beside a loop": '{max: {"for e in 5..6": "f(n - 1)", "2": 4}}',
}  # fmt: skip


@pytest.mark.parametrize("body", [pytest.param(b, id=name) for name, b in FALLS_BACK.items()])
def test_what_machine_code_cannot_do_is_done_exactly(body, monkeypatch):
    monkeypatch.setattr(engines, "EXACT_NODES", 5)
    game = countdown(body)
    with pytest.raises((Unsure, Unsupported)):
        unfold_native(game.program)

    answer = game.evaluate()
    assert answer.numbers == "exact"
    assert answer.value == solve(unfold(game.program)).value(0)
    assert [note.code for note in game.notes] == [Code.SLOW]


def test_truth_is_not_made_of_numbers():
    """An undeclared argument may hold either, and only one of them fits."""
    game = game_in(
        'game: t\nnodes:\n  "h(b: bool)": {if: b, then: 1, else: 2}\n  "f(w)": {max: [h(w), 1]}\nroot: f(1)\n'
    )
    with pytest.raises(Unsupported):
        unfold_native(game.program)


LISTS = """
game: lists
nodes:
  "hand(h: [3] of 0..9, n: 0..6)":
    if: n == 0
    then: sum(h) + h[0]
    else:
      max:
        from a range: hand(n..n + 2, n - 1)
        in order: hand(sorted([n, h[2], 1]), n - 1)
        without one: hand([c for c in 0..3 if c != n % MOST], n - 1)
        for c in [c for c in 1..2 if c < n]: hand(put(h, 0, c), n - 1)
root: hand([1, 1, 1], 6)
"""


def test_a_range_or_a_list_of_the_right_length_is_a_state():
    exact, fast, bound = values(game_in(LISTS.replace("MOST", "4")))

    assert abs(Fraction(fast) - exact) <= Fraction(bound)


def test_a_list_of_another_length_than_the_state_is_a_mistake_in_either_engine():
    game = game_in(LISTS.replace("MOST", "5"))

    assert said(unfold_native, game) == said(unfold, game)


def test_a_definition_without_arguments_is_worked_out_beforehand():
    """However long a table is and whatever its loop leaves out, a state only looks it up."""
    game = countdown(
        '{max: {a: "thirds[9 * n] + sum(odd) + near[n][1]", b: "f(n - 1)",'
        ' c: {chance: {"for h in draw(2, deck)": "f(n - 1) + sum(h)"}}}}',
        extra="define: {thirds: '[k / 3 for k in 0..199]', odd: '[k for k in 1..9 if k % 2 == 1]', "
        "near: '[[n - 1, n + 1] for n in 0..20]', deck: '[1, 1, 2]'}\n",
    )
    exact, fast, bound = values(game)

    assert abs(Fraction(fast) - exact) <= Fraction(bound) < Fraction(1, 10**10)


# --- aliases ----------------------------------------------------------------------------------

ALIASES = {
    "of a call": "{min: {a: &x {then: f(n - 1)}, b: *x, c: 2 * n}}",
    "of a condition": '{min: {a: &x {if: n > 3, then: {max: [f(n - 1), n]}, else: f(n - 1)}, b: *x, "for d in 1..2": {chance: ["f(n - 1) + d", 1]}}}',
    "of a sum": "{min: {a: &x {reward: n - 3, then: {max: {yes: f(n - 1), no: 2}}}, b: *x, c: 2 * n}}",
    "of a choice": "{min: {a: &x {max: {yes: f(n - 1), no: 2}}, b: *x}}",
    "with a let": "{let: {q: n % 3}, then: {max: {a: &x {chance: [f(n - 1), q]}, b: *x, c: {let: {r: q + 1}, max: [*x, r]}}}}",
}


@pytest.mark.parametrize("body", [pytest.param(body, id=name) for name, body in ALIASES.items()])
def test_aliases_are_one_node_with_its_labels(body):
    game = countdown(body, header="f(n: 0..6)", root="{max: {go: f(6), stay: 1}}")
    exact, fast, bound = values(game)
    dag = unfold_native(game.program)

    assert abs(Fraction(fast) - exact) <= Fraction(bound)
    for node in range(len(dag)):
        if dag.kind[node] in {1, 2, 3}:
            assert len(dag.origin[node].labels()) == len(dag.edges(node))


# --- mistakes ---------------------------------------------------------------------------------

FAULTS = {
    "range": "{max: {a: f(n - 1), b: f(n - 3)}}",
    "sum of odds": "{chance: {a: {p: n / 30, then: f(n - 1)}, b: {p: 1/3, then: 2}}}",
    "sum beside rest": "{chance: {a: {p: n / 20, then: f(n - 1)}, b: {p: 1/3, then: 2}, c: {p: rest, then: 3}}}",
    "probability above one": "{chance: {a: {p: 22/20 - n / 20, then: f(n - 1)}, c: {p: rest, then: 3}}}",
    "probability below zero": "{max: {a: f(n - 1), b: {chance: {a: {p: n / 20 - 1/10, then: 2}, c: {p: rest, then: 3}}}}}",
    "weight below zero": "{max: {a: f(n - 1), b: {chance: {a: {weight: n - 5, then: 2}, c: {weight: 30, then: 3}}}}}",
    "no weight": "{chance: {a: {weight: n - 5, then: f(n - 1)}, c: {weight: 0, then: 3}}}",
    "division by zero": "{max: {a: f(n - 1), b: 3 / (n - 4)}}",
    "division in an inner node": "{max: {a: f(n - 1), b: {chance: [3 // (n - 4), 2]}}}",
    "remainder": "{max: {a: f(n - 1), b: 3 % (n - 4)}}",
    "index": '{max: {a: f(n - 1), b: "[1, 2, 3][n - 18 + 2]"}}',
    "put": '{max: {a: f(n - 1), b: "put([1, 2, 3], n - 18, 1)[0]"}}',
    "not whole": '{max: {a: f(n - 1), b: "f(n / 2)"}}',
    "reward": "{reward: 1 / (n - 3), max: {a: f(n - 1), b: 2}}",
    "condition": "{if: 1 / (n - 3) > 0, then: {max: {a: f(n - 1), b: 2}}, else: {max: {a: f(n - 1)}}}",
    "let": "{let: {z: 1 // (n - 3)}, max: {a: f(n - 1), b: z}}",
    "condition of a loop": '{max: {"for e in 1..3 if 6 // (e - n + 9) > -9": f(n - 1), z: 1}}',
    "no branch": '{max: {"for e in 5..n": f(n - 1)}}',
    "largest of nothing": "{max: {a: f(n - 1), b: max(e for e in 5..n)}}",
    "factorial": "{max: {a: f(n - 1), b: factorial(n - 5)}}",
    "popcount": "{max: {a: f(n - 1), b: popcount(n - 5)}}",
    "shift": '{max: {a: f(n - 1), b: "1 << (n - 5)"}}',
    "sum of nodes": '"1 / (n - 3) + f(n - 1)"',
    "root of a negative number": "{max: {a: f(n - 1), b: sqrt(n - 5)}}",
    "equal labels": '{max: {"for e in [n, 2]": f(n - 1)}}',
    "a cycle of one state": "{max: {a: f(n), b: 2}}",
}


@pytest.mark.parametrize("body", [pytest.param(body, id=name) for name, body in FAULTS.items()])
def test_a_mistake_is_told_in_the_same_words(body):
    """The first that the fast engine finds is one of those that the exact one lists."""
    game = countdown(body)

    found = said(unfold_native, game)
    exact = said(unfold, game)
    assert {(code, place) for code, _, place, _ in found} <= {(c, p) for c, _, p, _ in exact}
    if len({place for _, _, place, _ in exact}) == 1 and body not in {
        FAULTS["index"],
        FAULTS["put"],
    }:
        assert [one[0] for one in found] == [one[0] for one in exact]


@pytest.mark.parametrize(
    "text",
    [
        "nodes: {'f(n: 0..20)': {if: n <= 0, then: {max: {z: f(5), y: 2}}, else: {max: {a: f(n - 1)}}}}\nroot: f(20)",
        "nodes: {'f(n: 0..20)': {if: n <= 0, then: {max: {z: 1 - f(5)}}, else: {max: {a: {chance: [f(n - 1), 4]}, b: 2}}}}\nroot: f(20)",
        "nodes: {'f(n: 0..20)': {if: n <= 0, then: f(5), else: f(n - 1)}}\nroot: f(20)",
        "nodes: {f: {max: {a: g, b: 1}}, g: {chance: {c: f, d: 1}}}\nroot: f",
    ],
)
def test_a_cycle_is_told_as_the_path_of_its_states(text):
    game = game_in(f"game: round\n{text}\n")

    assert said(unfold_native, game) == said(unfold, game)


def test_endless_growth_is_told():
    game = countdown("{max: {a: f(n + 1), b: 2}}", header="f(n)", root="f(1)")
    [(code, message, _, notes)] = said(unfold_native, game, states=5000)

    assert code is Code.STATE_LIMIT
    assert "5,000" in message
    assert any("keeps growing" in note for note in notes)


# --- growth -----------------------------------------------------------------------------------

LARGE = {
    "hashed states": ("f(n, m)", "f(60, 1)", "{max: {a: 'f(n - 1, (m * 7 + n) % 1009)', b: {chance: ['f(n - 2, m)', 'f(n - 1, m - 1)']}}}"),
    "wide": ("f(n: 0..3)", "f(3)", "{chance: {'for i in 1..10000 @ weight i': 'f(n - 1) + i'}}"),
    "weights": ("f(n: 0..300)", "f(300)", "{chance: {'for i in 1..300 @ weight i * 301 + n': f(n - 1)}}"),
    "payoffs": ("f(n: 0..300)", "f(300)", "{max: {'for i in 1..30': 'n * 31 + i / 3', x: f(n - 1)}}"),
    "rewards": ("f(n: 0..5000)", "f(5000)", "{reward: n / 7, max: {x: f(n - 1), y: f(n - 1) / (n + 1)}}"),
    "deep below a root of several branches": ("f(n: 0..5000)", "f(5000)", "{max: {x: f(n - 1), y: 2 - f(n - 1)}}"),
}  # fmt: skip


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in LARGE.items()])
def test_what_grows_keeps_what_it_holds(case, monkeypatch):
    """Starting small, every array is doubled many times; the result is that of large ones."""
    header, start, body = case
    game = countdown(
        body,
        end="n / 7 + 1/3",
        header=header,
        root=f"{{max: {{a: '{start}', b: '1 - {start}', c: -5}}}}",
    )
    behaviour = game.behaviour("expectiminimax")
    large = unfold_native(game.program)
    monkeypatch.setattr(engine, "NODES", 16)
    monkeypatch.setattr(engine, "EDGES", 16)
    small = unfold_native(game.program)

    assert small.size() == large.size()
    assert (small.child == large.child).all()
    one, other = solve_arrays(large, behaviour), solve_arrays(small, behaviour)
    assert (one.pairs.value == other.pairs.value).all()
    if header != "f(n: 0..300)":  # exact numbers of 300 different denominators take long
        exact = solve(unfold(game.program), behaviour).value(0)
        assert abs(Fraction(one.value(0)) - exact) <= Fraction(one.error_bound(0))


def test_a_million_levels():
    game = countdown(
        "{max: {a: f(n - 1), b: -1}}",
        header="f(n: 0..1000000)",
        root="{max: {a: f(1000000), b: 0}}",
    )
    dag = unfold_native(game.program)
    found = solve_arrays(dag, game.behaviour("expectiminimax"))

    assert dag.size().depth == 1_000_001
    assert (found.value(0), found.error_bound(0)) == (1.0, 0.0)


# --- which engine -----------------------------------------------------------------------------


def test_a_small_game_needs_no_compiler():
    code = (
        "import sys, gametree; game = gametree.load('dice'); game.evaluate();"
        "print([name for name in ('numpy', 'numba', 'llvmlite') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_a_large_game_is_solved_in_floats_unless_told_otherwise(monkeypatch):
    monkeypatch.setattr(engines, "EXACT_NODES", 5)
    game = countdown("{chance: {a: {p: 1/3, then: f(n - 1)}, b: {p: rest, then: n}}}")
    quick, exact = game.evaluate(), game.evaluate(numbers="exact")

    assert (quick.numbers, exact.numbers) == ("float", "exact")
    assert 0 < quick.error_bound < 1e-12
    assert abs(Fraction(quick.value) - exact.value) <= Fraction(quick.error_bound)
    assert exact.error_bound == 0
    assert quick.size == exact.size
    assert not game.notes


def test_a_game_whose_rules_take_long_is_solved_by_machine_code(monkeypatch):
    """The exact engine goes as far as ``EXACT_WORK`` steps; a limit below that is the user's."""
    monkeypatch.setattr(engines, "EXACT_WORK", 50)
    game = countdown("{max: ['sum(k for k in 1..n)', f(n - 1)]}")
    quick = game.evaluate()

    assert (quick.numbers, quick.value) == ("float", 210)
    with pytest.raises(SpecError) as error:
        game.evaluate(limits=Limits(work=40))
    assert [found.code for found in error.value.diagnostics] == [Code.WORK_LIMIT]
    assert game.evaluate(numbers="exact").numbers == "exact"


def test_policies_are_followed_in_either_engine(monkeypatch):
    text = (
        "game: p\nnodes: {'f(n: 0..20)': {if: n <= 0, then: 1, else: {max: {go: {chance: [f(n - 1), n / 3]}, stay: n / 4}}}}\n"
        "root: f(20)\n"
        'policies: {some: {\'f(n)\': \'if n % 3 == 0 then "go" else {"go": 1/3, "stay": rest}\'}}\n'
    )
    exact = game_in(text).evaluate(policy="some")
    monkeypatch.setattr(engines, "EXACT_NODES", 5)
    quick = game_in(text).evaluate(policy="some")

    assert quick.numbers == "float"
    assert abs(Fraction(quick.value) - exact.value) <= Fraction(quick.error_bound)
    assert quick.policy.differs == exact.policy.differs
    assert float(exact.policy.loss) == pytest.approx(quick.policy.loss)


def test_states_can_be_named_after_a_trial_that_spent_its_work(monkeypatch):
    """The exact engine's trial ends for its work; labels are then made by the same expressions."""
    monkeypatch.setattr(engines, "TRIAL_WORK", 10_000)
    monkeypatch.setattr(engines, "EXACT_WORK", 20_000)
    game = gametree.load("yahtzee-small")
    assert [branch.label for branch in game.evaluate().branches] == list("123456")
