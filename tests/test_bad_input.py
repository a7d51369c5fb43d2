"""Bad files: each mistake has a code, a place and a message, and no file stops another.

All files of the table are validated by one process, as a person would validate a folder.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time

import pytest

HEAD = "game: x\n"
# name: (content, [(code, line, column, part of the message)])
ROWS = {
    "sum.yaml": (
        HEAD + "root:\n  chance:\n    a: {p: 0.333, then: 1}\n    b: {p: 0.333, then: 2}\n    c: {p: 0.333, then: 3}\n",
        [("GT301", 3, 3, "sum to 999/1000, not 1")],
    ),
    "sum_text.tree": ('game "x"\nroot chance {\n  a @ 1/3: 1\n  b @ 1/3: 2\n}\n', [("GT301", 2, None, "sum to 2/3, not 1")]),
    "sum_too_much.yaml": (
        HEAD + "root: {chance: [{p: 1/2, then: 1}, {p: 2/3, then: 1}]}\n",
        [("GT301", 2, None, "sum to 7/6, not 1")],
    ),
    "sum_state.yaml": (
        HEAD + "nodes:\n  'f(n: 0..3)':\n    chance:\n      a: {p: n / 3, then: 1}\n      b: {p: 1 / 3, then: f(n + 1)}\n"
        "root: f(2)\n",
        [("GT301", 4, None, "sum to 4/3, not 1 (1 + 1/3)")],
    ),
    "rest_negative.yaml": (
        HEAD + "nodes:\n  f(n):\n    chance:\n      a: {p: n / 4, then: 1}\n      b: {p: n / 3, then: 1}\n"
        "      c: {p: rest, then: 'if n == 3 then 0 else f(n + 1)'}\nroot: f(0)\n",
        [("GT301", 4, None, "beside `rest` sum to 7/6, more than 1 (1/2 + 2/3)")],
    ),
    "negative_p.yaml": (
        HEAD + "root: {chance: {a: {p: -1/2, then: 1}, b: {p: rest, then: 1}}}\n",
        [("GT302", 2, None, "-1/2")],
    ),
    "p_above_one.yaml": (HEAD + "root: {chance: {a: {p: 3/2, then: 1}, b: {p: rest, then: 1}}}\n", [("GT302", 2, None, "3/2")]),
    "p_above_one_in_one_state.yaml": (
        HEAD + "nodes:\n  f(n):\n    chance:\n      a: {p: n / 2, then: 0}\n      b: {p: 1 - n / 2, then: 0}\n"
        "root: {max: ['f(0)', 'f(1)', 'f(3)']}\n",
        [("GT302", 5, None, "3/2")],
    ),
    "p_and_weight.yaml": (
        HEAD + "root: {chance: {a: {p: 1/2, then: 1}, b: {weight: 1, then: 1}}}\n",
        [("GT303", 2, None, "weight")],
    ),
    "p_on_some.yaml": (HEAD + "root: {chance: {a: {p: 1/2, then: 1}, b: 1}}\n", [("GT303", 2, None, "")]),
    "p_outside_chance.yaml": (HEAD + "root: {max: {a: {p: 1/2, then: 1}, b: 1}}\n", [("GT206", 2, 18, "")]),
    "p_at_the_root.yaml": (HEAD + "root: {p: 1/2, then: 1}\n", [("GT206", 2, None, "")]),
    "negative_weight.yaml": (
        HEAD + "nodes: {f(n): {chance: {a: {weight: n, then: 1}, b: {weight: 1, then: 1}}}}\nroot: f(-1)\n",
        [("GT308", 2, None, "-1")],
    ),
    "no_weight.yaml": (
        HEAD + "nodes: {f(n): {chance: {a: {weight: n, then: 1}}}}\nroot: f(0)\n",
        [("GT308", 2, None, "all weights are 0")],
    ),
    "no_branches.yaml": (HEAD + "root: {max: []}\n", [("GT205", 2, None, "branch")]),
    "no_branches_in_a_state.yaml": (
        HEAD + "nodes: {'f(n)': {max: {for i in 1..n: f(n - i)}}}\nroot: f(2)\n",
        [("GT205", 2, None, "no branch")],
    ),
    "two_kinds.yaml": (HEAD + "root: {max: [1], min: [2]}\n", [("GT204", 2, None, "`max`")]),
    "unknown_key.yaml": (HEAD + "root: {maxx: [1]}\n", [("GT201", 2, 8, "unknown key `maxx`")]),
    "without_then.yaml": (
        HEAD + "root: {chance: {a: {p: 1/2, 3}, b: {p: 1/2, max: [1], 4}}}\n",
        [("GT201", 2, 29, "unknown key `3`"), ("GT201", 2, 55, "unknown key `4`")],
    ),
    "unknown_top_key.yaml": (HEAD + "root: 1\nexpct: {value: 1}\n", [("GT201", 3, 1, "`expct`")]),
    "reserved_key.yaml": (HEAD + "root: 1\nsees: 2\n", [("GT207", 3, 1, "`sees`")]),
    "unknown_name.yaml": (
        HEAD + "params: {faces: 6}\nroot: {max: [faces, face + 1]}\n",
        [("GT210", 3, 21, "unknown name `face`")],
    ),
    "unknown_algorithm.yaml": (HEAD + "root: 1\nexpect: {value: 1, algorithm: minmax}\n", [("GT218", 3, None, "minmax")]),
    "unknown_policy.yaml": (
        HEAD + "root: {max: [1]}\npolicies: {one: {root: '\"1\"'}}\nexpect: {value: 1, policy: on}\n",
        [("GT210", 4, 28, "no policy `on`")],
    ),
    "arguments.yaml": (
        HEAD + "nodes: {'f(a, b)': a + b}\nroot: {max: ['f(1)', 'f(1, 2)', f]}\n",
        [("GT211", 3, 15, "takes 2 arguments, and gets 1"), ("GT211", 3, None, "and gets 0")],
    ),
    "arguments_of_a_function.yaml": (HEAD + "root: comb(3)\n", [("GT211", 2, 7, "`comb` takes 2 arguments, and gets 1")]),
    "range.yaml": (
        HEAD + "nodes: {'f(n: 0..3)': {max: [n, f(n + 1)]}}\nroot: f(0)\n",
        [("GT402", 2, None, "`n` is 4, outside its range 0..3")],
    ),
    "range_whole.yaml": (HEAD + "nodes: {'f(n: 0..3)': n}\nroot: f(1/2)\n", [("GT402", 3, 9, "1/2")]),
    "range_list.yaml": (
        HEAD + "nodes: {'f(b: [2] of 0..1)': sum(b)}\nroot: {max: ['f([0, 2])', 'f([0, 1, 1])']}\n",
        [("GT402", 3, None, "2"), ("GT402", 3, None, "a list of 2")],
    ),
    "division.yaml": (
        HEAD + "nodes: {'f(n)': {max: [6 / (n - 2), f(n + 1)]}}\nroot: f(0)\n",
        [("GT403", 2, None, "division by zero")],
    ),
    "remainder.yaml": (HEAD + "root: 5 % 0\n", [("GT403", 2, None, "division by zero")]),
    "endless.yaml": (
        HEAD + "nodes:\n  'f(n: 0..9)': {max: {on: g(n), stop: n}}\n  'g(n: 0..9)': {chance: {a: f(n), b: f((n + 1) % 10)}}\n"
        "root: f(0)\n",
        [("GT401", 3, None, "f(0) can lead back to itself")],
    ),
    "endless_call.yaml": (HEAD + "nodes: {f(n): g(n), g(n): f(n)}\nroot: f(1)\n", [("GT401", 2, None, "can lead back to itself")]),
    "endless_sum.yaml": (HEAD + "nodes: {f(n): 1 - f(n)}\nroot: f(1)\n", [("GT401", 2, None, "can lead back to itself")]),
    "unused.yaml": (
        HEAD + "params: {a: 1, b: a}\ndefine: {c: 2}\nnodes: {f(n): n}\nroot: 1\n",
        [("GT601", 2, 10, "`a`"), ("GT601", 2, 16, "`b`"), ("GT602", 3, None, "`c`"), ("GT602", 4, None, "`f`")],
    ),
    "duplicate_key.yaml": (HEAD + "root:\n  max:\n    a: 1\n    b: 2\n    a: 3\n", [("GT103", 6, 5, "a")]),
    "duplicate_key.json": ('{"game": "x", "root": 1,\n "root": 2}', [("GT103", 2, 2, "root")]),
    "duplicate_label.tree": ('game "x"\nroot max {\n  a: 1\n  a: 2\n}\n', [("GT103", 4, 3, "a")]),
    "duplicate_name.yaml": (HEAD + "params: {f: 1}\nnodes: {f(n): n}\nroot: f\n", [("GT212", 3, None, "`f` is defined twice")]),
    "colliding_labels.yaml": (
        HEAD + "nodes: {'f(n)': {max: {'for i in 1..3 as \"to {i // 2}\"': i * n}}}\nroot: f(2)\n",
        [("GT216", 2, None, 'two branches are called "to 1"')],
    ),
    "label_and_loop_collide.yaml": (
        HEAD + "root: {max: {'2': 0, for i in 1..3: i}}\n",
        [("GT216", 2, None, 'two branches are called "2"')],
    ),
    "label_fails.yaml": (
        HEAD + "root: {chance: {'for i in 0..2 as \"a {1 / i}\"': i}}\n",
        [("GT403", 2, None, "division by zero")],
    ),
    "alias_cycle.yaml": (HEAD + "root: &a {max: [1, *a]}\n", [("GT104", 2, None, "a")]),
    "alias_unknown.yaml": (HEAD + "root: {max: [1, *a]}\n", [("GT104", 2, 17, "a")]),
    "tab.yaml": (HEAD + "root:\n\tmax: [1]\n", [("GT102", 3, 1, "tab")]),
    "documents.yaml": (HEAD + "root: 1\n---\ngame: y\nroot: 2\n", [("GT005", 3, 1, "second document")]),
    "empty.yaml": ("", [("GT004", 1, 1, "")]),
    "empty.tree": ("# only a comment\n", [("GT004", None, None, "")]),
    "not_utf8.yaml": (b"game: caf\xe9\nroot: 1\n", [("GT003", 1, None, "")]),
    "infinite.yaml": (HEAD + "root: {max: [.inf, .nan, 1]}\n", [("GT306", 2, 14, ".inf"), ("GT306", 2, 20, ".nan")]),
    "leading_zero.yaml": (HEAD + "root: {max: [010]}\n", [("GT305", 2, 14, "")]),
    "comma.yaml": (HEAD + "root: '0,5'\n", [("GT304", 2, None, "0,5")]),
    "deep.yaml": (HEAD + "root: " + "[" * 100_000 + "]" * 100_000 + "\n", [("GT006", 2, None, "200 levels")]),
    "deep.json": ('{"game": "x", "root": ' + "[" * 100_000 + "]" * 100_000 + "}", [("GT006", 1, None, "200 levels")]),
    "deep.tree": ('game "x"\nroot ' + "max { " * 100_000 + "}" * 100_000 + "\n", [("GT006", 2, None, "200 levels")]),
    "deep_expression.yaml": (HEAD + "root: '" + "(" * 100_000 + "1" + ")" * 100_000 + "'\n", [("GT006", 2, None, "200 levels")]),
    "policy_branch.yaml": (
        HEAD + "nodes: {f(n): {max: {hit: 1, stand: n}}}\nroot: f(1)\npolicies:\n  p: {f(n): 'if n > 3 then \"hot\" else \"stand\"'}\n",
        [("GT217", 5, None, 'no branch "hot"')],
    ),
    "policy_node.yaml": (
        HEAD + "nodes: {f(n): {max: [n]}}\nroot: f(1)\npolicies: {p: {g(n): '\"1\"'}}\n",
        [("GT210", 4, None, "no node `g`")],
    ),
    "policy_arguments.yaml": (
        HEAD + "nodes: {f(n): {max: [n]}}\nroot: f(1)\npolicies: {p: {f: '\"1\"'}}\n",
        [("GT211", 4, None, "argument")],
    ),
    "nodes_compared.yaml": (HEAD + "nodes: {f(n): n}\nroot: if f(1) > 2 then 1 else 0\n", [("GT214", 3, None, "`f`")]),
    "nodes_multiplied.yaml": (HEAD + "nodes: {f(n): n}\nroot: f(1) * f(2)\n", [("GT214", 3, None, "f")]),
    "recursive.yaml": (HEAD + "define: {d(x): d(x - 1)}\nroot: d(1)\n", [("GT215", 2, None, "uses itself")]),
    "type.yaml": (HEAD + "root: if 1 then 2 else 3\n", [("GT213", 2, None, "true or false is needed here, not a number")]),
    "quoted_number.yaml": (HEAD + "root: '1 + \"2\"'\n", [("GT213", 2, None, "a number is needed here, not a label")]),
    "index.yaml": (HEAD + "root: '[1, 2][2]'\n", [("GT404", 2, None, "no item 2 in a list of 2")]),
    "shadow.yaml": (
        HEAD + "params: {n: 1}\nnodes: {f(n): n}\nroot: f(n)\n",
        [("GT603", 3, None, "`n` hides the parameter")],
    ),
    "sqrt_range.yaml": (HEAD + "root: sqrt(-1)\n", [("GT404", 2, None, "sqrt(-1) is not a number")]),
    "float_power.yaml": (HEAD + "root: (-exp(1)) ** (1/2)\n", [("GT404", 2, None, "not a real number")]),
    "float_zero.yaml": (HEAD + "root: (0 * exp(1)) ** -1\n", [("GT403", 2, None, "division by zero")]),
    "float_infinite.yaml": (HEAD + "root: exp(700) * exp(700)\n", [("GT306", 2, None, "inf")]),
    "float_cost.yaml": (HEAD + "root: {cost: exp(700) * exp(700), max: [1, 2]}\n", [("GT306", 2, None, "inf")]),
    "float_too_large.yaml": (HEAD + "root: 10**400 * exp(1)\n", [("GT306", 2, None, "too large")]),
    "loop_over_number.yaml": (
        HEAD + "nodes: {'f(i: int)': {max: {'for x in [[1, 2], 3][i]': x}}}\nroot: f(1)\n",
        [("GT213", 2, None, "not over a number (3)")],
    ),
    "many_at_once.yaml": (
        HEAD + "root:\n  max:\n    a: {mx: [1]}\n    b: unknown + 1\n    c: {chance: {x: {p: 1/2, then: 1}}}\n    d: 1 +\n",
        [("GT201", 4, 9, "`mx`"), ("GT210", 5, 8, "`unknown`"), ("GT301", 6, None, "1/2"), ("GT108", 7, None, "")],
    ),
    # accepted
    "bom_crlf.yaml": (b"\xef\xbb\xbfgame: x\r\nroot: {max: [1]}\r\n", []),
    "bom_crlf.tree": (b'\xef\xbb\xbfgame "x"\r\nroot max {\r\n  1\r\n}\r\n', []),
    "no.yaml": (HEAD + "root: {max: {no: 1, on: 2, yes: 3, off: 0, null: 1, 1:30: 2}}\nexpect: {value: 3, best: yes}\n", []),
    "not_visited.yaml": (
        HEAD + "nodes:\n  'urn(r: 0..2, b: 0..2)':\n    if: r + b == 0\n    then: 0\n    else:\n      chance:\n"
        "        red: {p: r / (r + b), then: 'urn(r - 1, b)'}\n        black: {p: rest, then: 'urn(r, b - 1)'}\nroot: urn(2, 2)\n",
        [],
    ),
}  # fmt: skip
NOTES = {  # what else must be said somewhere in the diagnostic
    "sum.yaml": "rest",
    "sum_state.yaml": "f(3)",
    "rest_negative.yaml": "f(2)",
    "p_above_one_in_one_state.yaml": "f(3)",
    "negative_weight.yaml": "f(-1)",
    "no_branches_in_a_state.yaml": "f(0)",
    "unknown_key.yaml": "did you mean `max`",
    "unknown_top_key.yaml": "did you mean `expect`",
    "unknown_name.yaml": "did you mean `faces`",
    "unknown_algorithm.yaml": "did you mean `minimax`",
    "range.yaml": "f(3)",
    "division.yaml": "f(2)",
    "endless.yaml": "f(0)",
    "endless_call.yaml": "g(1)",
    "colliding_labels.yaml": "f(2)",
    "policy_branch.yaml": "did you mean `hit`",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """One run of `validate` over all files: its exit code, its report by file, and stderr."""
    folder = tmp_path_factory.mktemp("bad")
    for name, (content, _) in ROWS.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    done = subprocess.run(
        [sys.executable, "-m", "gametree", "validate", "--format", "json", *sorted(ROWS)],
        cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=300,
    )  # fmt: skip
    files = {os.path.basename(entry["path"]): entry for entry in json.loads(done.stdout)["files"]}
    return done, files


def test_one_bad_file_does_not_stop_the_others(report):
    done, files = report

    assert done.returncode == 2  # one of them is no text at all
    assert "Traceback" not in done.stdout + done.stderr
    assert "GT901" not in done.stdout + done.stderr
    assert set(files) == set(ROWS)


def test_a_payoff_beside_odds_is_told_where_it_belongs(report):
    found = report[1]["without_then.yaml"]["diagnostics"]

    assert [d["help"] for d in found] == ["write `then: 3`", None]


@pytest.mark.parametrize("name", ROWS)
def test_a_mistake_is_reported_where_it_is(report, name):
    found = report[1][name]["diagnostics"]
    wanted = ROWS[name][1]
    left = list(found)

    for code, line, column, part in wanted:
        match = [
            d
            for d in left
            if d["code"] == code
            and part in d["message"]
            and line in {None, d["line"]}
            and column in {None, d["column"]}
        ]
        assert match, (code, line, column, part, found)
        left.remove(match[0])
    assert left == []
    assert report[1][name]["ok"] is not any(d["severity"] == "error" for d in found)
    assert all(d["line"] >= 1 and d["column"] >= 1 and d["message"] for d in found)


@pytest.mark.parametrize("name", NOTES)
def test_a_mistake_says_the_state_or_the_way_out(run, report, name, tmp_path):
    (tmp_path / name).write_text(ROWS[name][0])

    assert NOTES[name] in run("validate", name).stdout


def test_the_sum_shows_what_is_missing(run, tmp_path):
    (tmp_path / "sum.yaml").write_text(ROWS["sum.yaml"][0])
    shown = run("validate", "sum.yaml").stdout

    assert "1/1000 is missing" in shown
    assert "sum.yaml:3:3" in shown


def test_a_cycle_is_shown_as_a_path(run, tmp_path):
    (tmp_path / "endless.yaml").write_text(ROWS["endless.yaml"][0])

    assert 'f(0) ("on") -> g(0) ("a") -> f(0)' in run("validate", "endless.yaml").stdout


def test_a_duplicate_key_shows_both_places(run, tmp_path):
    (tmp_path / "duplicate_key.yaml").write_text(ROWS["duplicate_key.yaml"][0])
    shown = run("validate", "duplicate_key.yaml").stdout

    assert "6:5" in shown
    assert " 4 |     a: 1" in shown


def test_accepted_oddities_evaluate(run, tmp_path):
    for name in ("bom_crlf.yaml", "bom_crlf.tree", "no.yaml", "not_visited.yaml"):
        content = ROWS[name][0]
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        assert run("eval", name).returncode == 0
    assert json.loads(run("eval", "no.yaml", "--format", "json").stdout)["best"] == ["yes"]


# --- what cannot be read ---------------------------------------------------------------------


@pytest.mark.parametrize("command", ["validate", "eval", "test"])
def test_a_missing_file_is_exit_2(run, command):
    done = run(command, "nowhere.yaml")

    assert done.returncode == 2
    assert "nowhere.yaml" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_a_directory_is_exit_2(run, tmp_path):
    (tmp_path / "folder.yaml").mkdir()
    done = run("eval", "folder.yaml")

    assert done.returncode == 2
    assert "directory" in (done.stdout + done.stderr) or "folder" in (done.stdout + done.stderr)


def test_an_unreadable_file_does_not_stop_the_others(run, tmp_path):
    (tmp_path / "good.yaml").write_text(HEAD + "root: 1\n")
    (tmp_path / "bad.yaml").write_text(HEAD + "root: {max: []}\n")
    done = run("validate", "missing.yaml", "good.yaml", "bad.yaml", "--format", "json")
    files = {entry["path"]: entry for entry in json.loads(done.stdout)["files"]}

    assert done.returncode == 2
    assert files["good.yaml"]["ok"]
    assert files["missing.yaml"]["diagnostics"][0]["code"] == "GT001"
    assert files["bad.yaml"]["diagnostics"][0]["code"] == "GT205"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--algorithm", "minmax"], "minimax"),
        (["--set", "feces=1"], "faces"),
        (["--set", "faces"], "faces"),
        (["--set", "faces=1 +"], "faces"),
        (["--set", "faces=1/0"], "division by zero"),
        (["--set", "faces=9**9**9**9"], "digits"),
        (["--set", "faces=1e999999999"], "digits"),
        (["--set", "faces=" + "9" * 5000], "digits"),
        (["--set", "faces=.inf"], "inf"),
        (["--set", 'faces="six"'], ""),
        (["--set", "faces=unknown"], "unknown"),
        (["--play", "min=randm"], "random"),
        (["--play", "max=softmax:0"], "above 0"),
        (["--play", "max=softmax:1e-400"], "1e-300"),
        (["--play", "max=softmax:1e400"], "1e300"),
        (["--play", "max=mistake:2"], "between 0 and 1"),
        (["--play", "maxi=random"], "max"),
        (["--policy", "hit"], "hit until 17"),
        (["--at", "turn(99)"], "outside its range"),
        (["--at", "trun(1)"], "trun"),
        (["--at", "turn(1, 2)"], "argument"),
        (["--at", "turn("], ""),
    ],
)
def test_wrong_options_say_what_is_wrong(run, arguments, said):
    """Wrong use is exit 2; a state or a setting that makes no sense in the game may be exit 1."""
    done = run("eval", "push-to-21", *arguments)

    assert done.returncode in {1, 2}, done.stdout
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert "GT901" not in done.stdout + done.stderr


# --- hostile games ---------------------------------------------------------------------------

TEXT = 'game "x"\n'


def doubling(first, last, root):
    """Definitions that each call the one before twice."""
    return TEXT + f"define d0{first} = {last}\n" + "".join(
        f"define d{i}{first} = d{i - 1}{first} + d{i - 1}{first}\n" for i in range(1, 61)
    ) + root  # fmt: skip


def laughs(levels):
    lines = ["game: laughs", "root:", "  max:", "    l0: &l0 {max: [1, 2]}"]
    lines += [
        f"    l{i}: &l{i} {{max: [{', '.join([f'*l{i - 1}'] * 10)}]}}" for i in range(1, levels)
    ]
    return "\n".join(lines) + "\n"


HOSTILE = {
    "power_tower": (TEXT + "root 2**2**2**2**100\n", "GT503"),
    "factorial": (TEXT + "root factorial(10**9)\n", "GT503"),
    "shift": (TEXT + "root 1 << 10**10\n", "GT503"),
    "long_range": (TEXT + "root max { for i in 1..10**12: i }\n", "GT502"),
    "sum_of_long_range": (TEXT + "root sum(i for i in 1..10**12)\n", "GT502"),
    "max_of_billions": (TEXT + "root max(1..10**10)\n", "GT502"),
    "nested_rounds": (TEXT + "root sum(i + j for i in 1..1000000 for j in 1..1000000)\n", "GT502"),
    "nested_lists": (TEXT + "root len([[0 for j in 1..1000000] for i in 1..1000000])\n", "GT502"),
    "puts": (TEXT + "root let b = [0 for j in 1..1000000] in len([put(b, i, 1) for i in 1..1000000])\n", "GT502"),
    "membership": (TEXT + "root let b = [i for i in 1..1000000] in count(0 in b for i in 1..1000000)\n", "GT502"),
    "doubling": (doubling("(x)", "x", "node f(n) = d60(n)\nroot f(1)\n"), "GT502"),
    "doubling_of_constants": (doubling("(x)", "x", "root d60(1)\n"), "GT502"),
    "deep_definitions": (
        TEXT + "".join(f"define d{i}(x) = d{i - 1}(x) + 1\n" for i in range(3000, 0, -1)) + "define d0(x) = x\nroot d3000(1)\n",
        "GT006",
    ),
    "squaring_lets": (
        TEXT + "root let a0 = 3 in " + "".join(f"let a{i} = a{i - 1} * a{i - 1} in " for i in range(1, 61)) + "a60\n",
        "GT503",
    ),
    "squaring_states": (TEXT + "node f(n) = max { stop: 1, go: f(n * n) }\nroot f(2)\n", "GT503"),
    "growing_fractions": (TEXT + "root sum(1 / i for i in 1..1000000)\n", "GT503"),
    "many_fractions": (TEXT + "root sum(sum(1 / i for i in 1..1000) for j in 1..1000000)\n", "GT502"),
    "long_products": (TEXT + "root let b = 2**16000 in sum(b * b for i in 1..1000000)\n", "GT503"),
    "dice": (TEXT + "root chance { for i in dice(10**6, 10**6): i }\n", "GT404"),
    "many_dice": (TEXT + "node f(n) = chance { for i in dice(n, 2): f(n - 1) }\nroot f(5000)\n", "GT404"),
    "roll": (TEXT + "root chance { for i in roll(50, 50): 1 }\n", "GT404"),
    "roll_of_a_billion": (TEXT + "root chance { for i in roll(10**9, 10**9): 1 }\n", "GT404"),
    "long_hands": (TEXT + "root chance { for i in roll(10**5, 2): 1 }\n", "GT404"),
    "draw_from_a_million": (TEXT + "root chance { for i in draw(2, 1..1000000): 1 }\n", "GT502"),
    "draw_of_equal_cards": (TEXT + "root chance { for i in draw(500000, [0 for i in 1..1000000]): 1 }\n", "GT502"),
    "draw_half": (TEXT + "root chance { for i in draw(20, 1..40): 1 }\n", "GT502"),
    "many_branches": (TEXT + "node f(n) = max { for i in 1..1000000: f(n + 1) }\nroot f(2)\n", "GT502"),
    "nested_branches": (
        TEXT + 'root max { for i in 1..1000: for j in 1..1000: for k in 1..1000 as "{i} {j} {k}": 1 }\n',
        "GT502",
    ),
    "long_lists_in_states": (
        TEXT + "node f(n, b: [1000] of 0..1000000) = max { stop: 0, go: f(n + 1, put(b, n % 1000, n)) }\n"
        "root f(0, [0 for i in 1..1000])\n",
        "GT502",
    ),
    "long_labels": (TEXT + 'root max { for i in 1..1000 as "{2**16000} {i}": i }\n', None),
    "laughs.yaml": (laughs(60), None),
    "growing_call": (TEXT + "node f(n) = f(n + 1)\nroot f(0)\n", "GT501"),
}  # fmt: skip


AT_FULL_LENGTH = {
    "nested_rounds",
    "puts",
    "growing_fractions",
}  # with the work limit that users have


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_game_stops_with_a_diagnostic(name, tmp_path):
    """Soon, within 500 MB, and without a traceback; the work limit is lowered to keep this short."""
    content, code = HOSTILE[name]
    path = tmp_path / (name if "." in name else f"{name}.tree")
    path.write_text(content)
    out = tmp_path / "out"
    work = "20000000" if name in AT_FULL_LENGTH else "2000000"
    command = f'exec {sys.executable} -m gametree eval --exact --max-work {work} "$0"'
    began = time.monotonic()
    with out.open("wb") as sink:
        process = subprocess.Popen(
            ["sh", "-c", f"ulimit -v 8000000; {command}", str(path)],
            stdout=sink,
            stderr=subprocess.STDOUT,
            cwd=tmp_path,
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    shown = out.read_text()

    assert "Traceback" not in shown
    assert process.returncode == (1 if code else 0), shown[:2000]
    assert code is None or f"[{code}]" in shown, shown[:2000]
    assert usage.ru_maxrss < 500 * 1024
    assert time.monotonic() - began < 100  # of a slow and busy machine


def test_the_limit_of_states_says_what_grows(run, tmp_path):
    (tmp_path / "grow.tree").write_text(
        TEXT + "node f(n, k: 0..3) = max { stop: n, go: f(n + 1, k) }\nroot f(0, 1)\n"
    )
    done = run("eval", "grow.tree", "--max-states", "3000")

    assert done.returncode == 1
    assert "[GT501]" in done.stdout + done.stderr
    assert "`n` of `f` keeps growing, to 1,499 so far" in (done.stdout + done.stderr).replace(
        "1499", "1,499"
    )


def test_the_limit_of_states_is_a_note_to_validate(run, tmp_path):
    (tmp_path / "grow.tree").write_text(
        TEXT + "node f(n) = max { stop: n, go: f(n + 1) }\nroot f(0)\n"
    )
    done = run("validate", "grow.tree", "--max-states", "3000")

    assert done.returncode == 0
    assert "[GT604]" in done.stdout


def test_floats_beyond_their_range_are_reported(run, tmp_path):
    """Numbers that only an exact game can hold are an error where floats are asked for."""
    (tmp_path / "big.yaml").write_text(
        HEAD + "nodes: {f(n): n}\nroot: {max: [10**400 * f(1), 1]}\n"
    )
    exact, rounded = run("eval", "big.yaml"), run("eval", "big.yaml", "--float")

    assert exact.returncode == 0
    assert rounded.returncode == 1
    assert "[GT306]" in rounded.stdout + rounded.stderr
    (tmp_path / "sum.yaml").write_text(HEAD + "root: {chance: [1e308, 1e308, 10**400]}\n")
    assert (
        "[GT306]"
        in run("eval", "sum.yaml", "--float").stderr + run("eval", "sum.yaml", "--float").stdout
    )


def test_memory_of_the_tests_is_measured_in_kilobytes():
    """`ru_maxrss` is what the limit above takes it for."""
    assert 10_000 < resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 10_000_000
