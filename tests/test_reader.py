"""Paths, bytes, folders and standard input: what cannot be read is a diagnostic."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from gametree.spec.diagnostics import Code, Diagnostic
from gametree.spec.reader import (
    bundled,
    bundled_names,
    find_files,
    notation_of,
    read_bytes,
    read_path,
)
from gametree.spec.suggest import did_you_mean


def only(problems: list[Diagnostic]) -> Diagnostic:
    [problem] = problems
    return problem


# --- bytes -------------------------------------------------------------------------------------


def test_a_byte_that_is_not_utf8_is_named_with_its_place():
    """Line and column count characters, and the text is shown with the byte escaped."""
    reading = read_bytes("x.yaml", "é: 1\nname: caf".encode() + b"\xe9\n", "yaml")
    problem = only(reading.diagnostics)

    assert reading.document is None
    assert problem.code is Code.NOT_UTF8
    assert (problem.place.line, problem.place.column) == (2, 10)
    assert problem.place.text == "\\xe9"
    assert "byte 0xE9 at offset 15" in problem.message
    assert "`é`" in problem.label


def test_utf16_is_recognised():
    problem = only(read_bytes("x.yaml", "game: x".encode("utf-16"), "yaml").diagnostics)

    assert problem.code is Code.NOT_UTF8
    assert "UTF-16" in problem.label


def test_control_characters_are_named():
    problems = read_bytes("x.yaml", b"a: 1\nb: \x00\x07\n", "yaml").diagnostics

    assert [(p.code, p.place.line, p.place.column) for p in problems] == [
        (Code.INVISIBLE_CHARACTER, 2, 4), (Code.INVISIBLE_CHARACTER, 2, 5),
    ]  # fmt: skip
    assert "U+0000" in problems[0].message
    assert "U+0007" in problems[1].message


def test_many_control_characters_are_not_all_reported():
    assert len(read_bytes("x.json", b"\x01" * 500, "json").diagnostics) == 10


@pytest.mark.parametrize("raw", [b"", b" \n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("notation", ["yaml", "json", "text"])
def test_an_empty_file_is_said_to_be_empty(raw: bytes, notation):
    assert only(read_bytes("x", raw, notation).diagnostics).code is Code.EMPTY


def test_one_byte_order_mark_is_stripped_and_no_more():
    assert read_bytes("x", b"\xef\xbb\xbfa: 1", "yaml").diagnostics == []
    problem = only(read_bytes("x", b"\xef\xbb\xbf\xef\xbb\xbfa: 1", "yaml").diagnostics)
    assert "BYTE ORDER MARK" in problem.message


# --- paths -------------------------------------------------------------------------------------


def test_the_suffix_says_the_notation():
    assert [notation_of(name) for name in ("a.yaml", "b.YML", "c.json", "d.tree", "e.txt")] == [
        "yaml", "yaml", "json", "text", None,
    ]  # fmt: skip


def test_a_directory_a_missing_file_and_a_dangling_link_are_unreadable(tmp_path: Path):
    (tmp_path / "dangling").symlink_to(tmp_path / "gone.yaml")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    says = {
        "": "directory",
        "missing.yaml": "no such file",
        "dangling": "gone.yaml",
        "loop": "links",
    }

    for name, part in says.items():
        reading = read_path(str(tmp_path / name))
        problem = only(reading.diagnostics)
        assert reading.document is None
        assert problem.code is Code.UNREADABLE
        assert part in problem.message
        assert (problem.place.line, problem.place.column) == (1, 1)


def test_a_missing_file_offers_one_that_is_there(tmp_path: Path):
    (tmp_path / "dices.yaml").write_text("game: x\nroot: 1\n")

    assert "dices.yaml" in (only(read_path(str(tmp_path / "dicse.yaml")).diagnostics).help or "")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_unreadable(tmp_path: Path):
    path = tmp_path / "x.yaml"
    path.write_text("game: x")
    path.chmod(0)

    assert "permission" in only(read_path(str(path)).diagnostics).message


def test_a_path_that_cannot_be_one_is_unreadable():
    assert only(read_path("a\0b").diagnostics).code is Code.UNREADABLE


def test_a_file_over_the_limit_is_too_large(tmp_path: Path):
    path = tmp_path / "x.yaml"
    path.write_text("game: 12345\n")

    assert read_path(str(path), max_bytes=12).diagnostics == []
    assert only(read_path(str(path), max_bytes=11).diagnostics).code is Code.FILE_TOO_LARGE


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_read(tmp_path: Path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("game: piped\n",))
    writer.start()
    reading = read_path(str(path))
    writer.join()

    assert reading.document is not None
    assert reading.document.data == {"game": "piped"}


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ('{"game": "x"}', "json"),
        ("{game: x}", "yaml"),
        ("game: x\nroot: 1\n", "yaml"),
        ("# a remark\nparams: {a: 1}\n", "yaml"),
    ],
)
def test_the_notation_of_standard_input_is_guessed(text: str, notation: str):
    program = "from gametree.spec.reader import read_path as r; d = r('-').document; print(d.notation, d.source.name)"
    done = subprocess.run(
        [sys.executable, "-c", program], input=text, capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == [notation, "<stdin>"]


def test_statements_are_guessed_to_be_text():
    from gametree.spec.reader import _guess

    assert _guess(b'# c\n\ngame "x"\nroot 3\n') == "text"
    assert _guess(b"root max { a: 1 }") == "text"
    assert _guess(b"game : x\n") == "yaml"


# --- folders -----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with games in it, and other files."""
    files = {
        "b.yaml": "game: x\nroot: 1\n",
        "a.tree": "root 1\n",
        "sub/c.yml": "# remark\nroot:\n  max: [1]\n",
        "sub/d.json": '{"game": "x", "root": 1}',
        "sub/e.yaml": "name: ci\njobs: {game: 1}\n",
        "package.json": '{"name": "x", "root": true}',
        "flow.yaml": "{game: x, root: 1}\n",
        ".hidden/f.yaml": "game: x\n",
        ".g.yaml": "game: x\n",
        "h.txt": "game: x\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    return tmp_path


def test_a_folder_is_searched_for_games_and_other_files_are_left_alone(folder: Path):
    found, problems = find_files([str(folder)])

    assert problems == []
    assert [str(Path(path).relative_to(folder)) for path in found] == [
        "a.tree", "b.yaml", "flow.yaml", "sub/c.yml", "sub/d.json",
    ]  # fmt: skip


def test_a_file_named_explicitly_is_taken_whatever_it_looks_like(folder: Path):
    named = [str(folder / "sub" / "e.yaml"), str(folder / ".g.yaml"), "-"]

    assert find_files([*named, named[0]]) == (named, [])


def test_what_is_missing_or_holds_no_game_is_a_diagnostic(folder: Path):
    (folder / "empty").mkdir()
    found, problems = find_files(
        [str(folder / "empty"), str(folder / "gone"), str(folder / "a.tree")]
    )

    assert found == [str(folder / "a.tree")]
    assert [p.code for p in problems] == [Code.UNREADABLE] * 2
    assert "no game file" in problems[0].message
    assert "no such file" in problems[1].message


def test_bundled_trees_are_found_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)

    assert "dice" in bundled_names()
    assert (bundled("dice") or "").endswith("dice.yaml")
    assert bundled("../trees/dice") is None
    assert find_files(["dice"]) == ([bundled("dice")], [])
    assert only(find_files(["dise"])[1]).help == "did you mean `dice`?"


# --- did you mean ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "known", "answer"),
    [
        ("payof", ["payoff", "root"], "did you mean `payoff`?"),
        ("Payoff", ["payoff", "payout"], "did you mean `payoff`?"),
        ("r0ot", ["root", "rot"], "did you mean `root`?"),
        (
            "\u0440ayoff",
            ["payoff"],
            "did you mean `payoff`? `\u0440` is U+0440 CYRILLIC SMALL LETTER ER",
        ),
        (
            "\uff50ayoff",
            ["payoff"],
            "did you mean `payoff`? `\uff50` is U+FF50 FULLWIDTH LATIN SMALL LETTER P",
        ),
        ("pay\u200doff", ["payoff"], "did you mean `payoff`? `\u200d` is U+200D ZERO WIDTH JOINER"),
        ("minmax", ["minimax", "expectimax"], "did you mean `minimax`?"),
        ("xyz", ["root", "game"], None),
        ("root", ["root"], None),
        ("", ["root"], None),
    ],
)
def test_near_words_are_offered_and_far_ones_are_not(
    word: str, known: list[str], answer: str | None
):
    assert did_you_mean(word, known) == answer


def test_at_most_three_words_are_offered():
    assert (did_you_mean("turn", [f"turn{i}" for i in range(9)]) or "").count("`") == 6
