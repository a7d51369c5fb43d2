"""Saved games: what comes back is what was kept, and no other file does harm."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile

import gametree
import numpy as np
import pytest
from gametree.compiler.limits import Limits
from gametree.evaluator.saved import read_game, write_game
from gametree.spec.diagnostics import SpecError, UsageError
from gametree.spec.reader import bundled_names

RACE = """\
game "race"
param goal = 12
node race(me: int, you: int, pot: 0..goal) = max {
  roll: chance {
    "1": if me + 1 >= goal then 1 else 1 - race(you, me + 1, 0)
    for d in 2..6: if me + pot + d >= goal then 1 else race(me, you, pot + d)
  }
  for h in [1] if pot > 0 as "hold": 1 - race(you, me + pot, 0)
}
root race(0, 0, 0)
policy "hold at 4" { race(me, you, pot): if pot >= 4 then "hold" else "roll" }
"""
CONSTRUCTS = """\
game: constructs
params: {stake: 2}
define: {double(x): 2 * x}
nodes:
  "place(board: [3] of 0..2, left: 0..3)":
    if: left == 0
    then: sum(b for b in board) - 3
    else:
      max:
        "for i in 0..2 if board[i] == 0 as \\"at {i + 1}\\"": flip(board, i, left)
        rest: {cost: 1/2, then: "place(board, left - 1)"}
  "flip(board: [3] of 0..2, i: 0..2, left: 1..3)":
    reward: 1/3
    chance:
      "for v in 1..2 @ v / 3 as \\"face {v}\\"": |
        place([if j == i then v else board[j] for j in 0..2], left - 1) * 2 + 1
root:
  label: start
  min: {play: "place([0, 0, 0], 3)", leave: 4, both: "stake * place([1, 0, 0], 1) - double(1)"}
policies:
  rests: {"place(board, left)": '"rest"'}
"""


def load(text, tmp_path, **settings):
    path = tmp_path / ("game.tree" if text.startswith('game "') else "game.yaml")
    path.write_text(text, encoding="utf-8")
    return gametree.load(path, **settings)


def kept(game, tmp_path, **how):
    """The game, and the same one after a way through a file."""
    path = tmp_path / "game.npz"
    with open(path, "wb") as file:
        write_game(game, game.dag(**how), file, how.get("at"))
    return gametree.load(path)


def native(game, **how):
    """The game with its DAG made by machine code."""
    from gametree.compiler.native.engine import unfold_native

    game.saved = unfold_native(game.program, **how)
    return game


def described(dag):
    """All that can be asked of a DAG's nodes and edges."""
    return [
        (
            int(dag.kind[i]), list(dag.children(i)), list(dag.weight[dag.first[i] : dag.first[i + 1]]),
            dag.offset[i], o.labels(), o.title(), o.note(), [(n.name, a) for n, a in o.states],
        )
        for i in range(len(dag))
        for o in [dag.origin[i]]
    ]  # fmt: skip


@pytest.mark.parametrize("name", bundled_names())
def test_a_bundled_game_comes_back_as_it_was(name, tmp_path):
    """Values, sizes, labels, states and expectations."""
    game = gametree.load(name)
    before = game.dag()
    after = kept(game, tmp_path).dag()

    assert (
        described(after) == described(before)
        if len(before) < 3000
        else after.size() == before.size()
    )
    again = gametree.load(tmp_path / "game.npz")
    assert again.evaluate() == game.evaluate()
    assert all(expected.ok for expected in again.expectations())


@pytest.mark.parametrize("text", [RACE, CONSTRUCTS], ids=["race", "constructs"])
@pytest.mark.parametrize("unfolded", [lambda game: game, native], ids=["exact", "float"])
def test_origins_policies_and_values_come_back(text, unfolded, tmp_path):
    game = unfolded(load(text, tmp_path))
    again = kept(game, tmp_path)

    assert described(again.dag()) == described(game.dag())
    for policy in game.policies:
        assert again.evaluate(policy=policy) == game.evaluate(policy=policy)
    for node in game.program.nodes.values():
        found, states = game.dag().states_of(node)
        named = again.program.nodes[node.name]
        same, values = again.dag().states_of(named)
        assert (list(found), list(states)) == (list(same), list(values))


def test_settings_and_a_state_to_start_from_are_kept(tmp_path):
    game = load(RACE, tmp_path, goal=9)
    again = kept(game, tmp_path, at="race(3, 4, 2)")

    assert again.evaluate() == game.evaluate(at="race(3, 4, 2)")
    assert again.evaluate(at="race(1, 1, 0)") == game.evaluate(at="race(1, 1, 0)")
    assert again.settings == {"goal": "9"}


def test_floats_have_no_exact_value(tmp_path):
    again = kept(native(load(RACE, tmp_path)), tmp_path)
    with pytest.raises(UsageError, match="compile it with --exact"):
        again.evaluate(numbers="exact")


def test_numbers_of_any_length_are_kept(tmp_path):
    game = load("game: long\nroot: {max: [9 ** 4000 / 7 ** 3000, '-1 / 3', 0]}\n", tmp_path)
    assert kept(game, tmp_path).evaluate().value == game.evaluate().value


# --- the command line ------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["eval", "simulate", "dot", "table", "compare"])
def test_commands_take_a_saved_game_in_place_of_the_game(run, tmp_path, command):
    (tmp_path / "race.tree").write_text(RACE)
    done = run("compile", "race.tree", "--set", "goal=8", "-o", "race.npz")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("race.npz: ")

    direct = run(command, "race.tree", "--set", "goal=8")
    saved = run(command, "race.npz")
    assert (saved.stdout, saved.returncode) == (direct.stdout, 0)


def test_parameters_are_set_when_the_game_is_compiled(run, tmp_path):
    (tmp_path / "race.tree").write_text(RACE)
    run("compile", "race.tree", "-o", "race.npz")
    done = run("eval", "race.npz", "--set", "goal=9")
    assert done.returncode == 2
    assert "give --set to `gametree compile`" in done.stderr


@pytest.mark.parametrize("command", ["validate", "test", "convert", "fmt"])
def test_commands_that_need_the_text_say_so(run, tmp_path, command):
    (tmp_path / "race.tree").write_text(RACE)
    run("compile", "race.tree", "-o", "race.npz")
    done = run(command, "race.npz")
    assert done.returncode == 2
    assert "GT008" in done.stdout + done.stderr


def test_an_old_file_stays_where_compiling_fails(run, tmp_path):
    """Neither half a file nor a temporary one is left."""
    (tmp_path / "race.tree").write_text(RACE)
    (tmp_path / "race.npz").write_bytes(b"old")
    done = run("compile", "race.tree", "--set", "goal=60", "--max-states", "900", "-o", "race.npz")
    assert done.returncode == 1
    assert "GT501" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["race.npz", "race.tree"]
    assert (tmp_path / "race.npz").read_bytes() == b"old"


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupting_leaves_no_file(tmp_path):
    (tmp_path / "race.tree").write_text(RACE)
    command = ["compile", "race.tree", "--set", "goal=1000", "--exact", "-o", "race.npz"]
    with subprocess.Popen(
        [sys.executable, "-m", "gametree", *command], cwd=tmp_path, stderr=subprocess.PIPE
    ) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        assert process.stderr
        said = process.stderr.read()
        assert process.wait(30) == 130
    assert b"Traceback" not in said
    assert os.listdir(tmp_path) == ["race.tree"]


# --- files that anyone may have made ---------------------------------------------------------


def arrays_of(path):
    with np.load(path, allow_pickle=False) as file:
        return dict(file)


def refused(path):
    """What is said of a file that cannot be used."""
    with pytest.raises(SpecError) as caught:
        read_game(str(path))
    [found] = caught.value.diagnostics
    assert found.code.value == "GT008"
    return found.message


@pytest.fixture(params=["exact", "float"])
def saved(request, tmp_path):
    """A saved game of either kind."""
    game = load(RACE, tmp_path)
    kept(native(game) if request.param == "float" else game, tmp_path)
    return tmp_path / "game.npz"


CHANGES = {
    "kind": lambda a: a + 9,
    "first": lambda a: a[::-1].copy(),
    "child": lambda a: a * 0,
    "weight_code": lambda a: a + a.dtype.type(30_000),
    "divisor_code": lambda a: a - 5_000,
    "offset_code": lambda a: a + 1_000_000,
    "odds_error": lambda a: a - 1,
    "amount": lambda a: a * np.nan,
    "amount_error": lambda a: a - 1,
    "factor": lambda a: a + np.inf,
    "table": lambda a: a + a.dtype.type(2**30),
    "table_key": lambda a: a[:-1].copy(),
    "layout": lambda a: a + 1,
    "extra": lambda a: a - 1_000_000,
    "book": lambda a: a[:-3].copy(),
    "state_node": lambda a: a + 1_000_000,
    "state_name": lambda a: a - 7,
    "states": lambda a: a[:0].copy(),
    "header": lambda a: a[5:].copy(),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("how", ["changed", "missing", "type", "shape"])
def test_an_array_that_does_not_fit_is_refused(saved, name, how):
    arrays = arrays_of(saved)
    if name not in arrays:
        pytest.skip("not part of this kind")
    if how == "changed":
        arrays[name] = CHANGES[name](arrays[name])
    elif how == "missing":
        del arrays[name]
    elif how == "type":
        arrays[name] = arrays[name].astype(np.complex128)
    else:
        arrays[name] = arrays[name].reshape(1, -1)
    np.savez(saved, **arrays)

    assert refused(saved).startswith("`game.npz` is not a saved game of this version: ")


def test_objects_are_never_unpickled(saved):
    arrays = arrays_of(saved)
    arrays["kind"] = np.array([print, len], dtype=object)
    np.savez(saved, **arrays)

    refused(saved)


def test_compressed_files_are_refused_whatever_they_grow_to(saved):
    np.savez_compressed(saved, **arrays_of(saved))
    assert "compressed" in refused(saved)


def test_a_length_beyond_the_file_takes_no_memory(saved):
    """The header of an array may claim any length: what the file holds counts."""
    out = io.BytesIO()
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.infolist():
            content = old.read(member)
            if member.filename == "kind.npy":
                head = {"descr": "|u1", "fortran_order": False, "shape": (10**15,)}
                claim = io.BytesIO()
                np.lib.format.write_array_header_1_0(claim, head)
                content = claim.getvalue() + content[-8:]
            new.writestr(member.filename, content)
    saved.write_bytes(out.getvalue())

    assert "not as long as it says" in refused(saved)


def test_a_file_beyond_the_memory_allowed_is_refused(saved):
    with pytest.raises(SpecError) as caught:
        read_game(str(saved), Limits(memory=1_000))
    assert "--max-memory" in str(caught.value.diagnostics[0].help)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"format": "zip"},
        {"notation": "toml"},
        {"text": "game: broken\nroot: {max: [}"},
        {"text": "game: other\nroot: {max: [1, 2]}"},
        {"text": "\ud800"},
        {"settings": {"goal": "x +"}},
        {"settings": {"gaol": "3"}},
        {"settings": ["goal"]},
        {"at": "race(0)"},
        {"graph": "tree"},
        {"graph": "dense"},
    ],
    ids=str,
)
def test_a_header_that_does_not_fit_is_refused(saved, change):
    arrays = arrays_of(saved)
    header = json.loads(arrays["header"].tobytes()) | change
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(saved, **arrays)

    refused(saved)


def outcome(path):
    """``fine``, or the code of what is wrong."""
    try:
        read_game(str(path)).evaluate()
    except SpecError as error:
        return error.diagnostics[0].code.value
    return "fine"


def test_cut_and_damaged_files_never_end_in_a_traceback(saved):
    """Each is refused, or is still the game."""
    whole = saved.read_bytes()
    chance = random.Random(1)
    for _ in range(60):
        content = bytearray(whole)
        if chance.random() < 0.3:
            del content[chance.randrange(4, len(content)) :]
        for _ in range(chance.randrange(1, 20)):
            content[chance.randrange(4, len(content))] = chance.randrange(256)
        saved.write_bytes(content)
        assert outcome(saved) in {"fine", "GT008"}


def test_nodes_of_another_game_are_the_files_mistake(run, tmp_path):
    """Labels that do not fit the edges are told without a traceback."""
    game = load(RACE, tmp_path)
    kept(game, tmp_path)
    path = tmp_path / "game.npz"
    arrays = arrays_of(path)
    header = json.loads(arrays["header"].tobytes())
    header["text"] = header["text"].replace("for d in 2..6", "for d in 2..5")
    header["text"] = header["text"].replace("max {\n  roll", "max {\n  stay: 0\n  roll")
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **arrays)

    done = run("eval", "game.npz", "--strategy")
    assert done.returncode == 2
    assert "GT008" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PK\x03\x04" + bytes(200), b"game: x"])
def test_other_files_are_no_saved_games(run, tmp_path, content):
    (tmp_path / "other.npz").write_bytes(content)
    done = run("eval", "other.npz")
    assert done.returncode == 2
    assert done.stderr.startswith("error[GT008]: ")
