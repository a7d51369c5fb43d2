"""Diagnostics as text, JSON and GitHub annotations."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from gametree.render.diagnostics import as_github, as_json_objects, as_text, summary
from gametree.render.width import cut, pad, safe, width
from gametree.spec.diagnostics import Code, Diagnostic, Note
from gametree.spec.source import Place, Source

GOLDEN = Path(__file__).parent / "golden"

URN = """\
game: urn



description: a ball is drawn
root:
    chance:
      red:   {p: 0.333, then: 5}
      blue:  {p: 0.333, then: 5}
      white: {p: 0.333, then: 5}
"""


def at(source: Source, text: str, nth: int = 0) -> Place:
    """The ``nth`` place in ``source`` where ``text`` stands."""
    start = -1
    for _ in range(nth + 1):
        start = source.text.index(text, start + 1)
    return source.place(start, start + len(text))


def urn() -> Diagnostic:
    source = Source("games/urn.yaml", URN)
    return Diagnostic(
        Code.PROBABILITY_SUM,
        at(source, "chance"),
        "the outcomes' probabilities sum to 999/1000, not 1",
        "in this chance node",
        tuple(Note("333/1000", at(source, "0.333", nth)) for nth in range(3)),
        "write `p: rest` on one outcome, or exact fractions such as 1/3",
    )


def check_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text + "\n", encoding="utf-8")
    assert text + "\n" == path.read_text(encoding="utf-8")


def shown(text: str, marked: str, label: str = "here", **more: object) -> list[str]:
    """The lines of a diagnostic on ``marked``, without its first line."""
    source = Source("t.yaml", text)
    problem = Diagnostic(Code.SYNTAX, at(source, marked), "wrong", label, **more)  # pyright: ignore[reportArgumentType]
    return as_text([problem]).splitlines()[1:]


# --- text ------------------------------------------------------------------------------------


def test_a_diagnostic_with_labels_on_other_lines():
    check_golden("diagnostic_urn.txt", as_text([urn()]))


def test_a_diagnostic_in_colour():
    check_golden("diagnostic_urn_colour.txt", as_text([urn()], colour=True))


def test_several_places_distant_lines_and_other_files():
    source = Source("games/urn.yaml", URN)
    other = Source("games/old.yaml", "game: urn\n")
    problem = Diagnostic(
        Code.DUPLICATE_KEY,
        at(source, "then", 2),
        "`then` is here twice",
        "again",
        (
            Note("the outcome", at(source, "white")),
            Note("its odds", at(source, "0.333", 2)),
            Note("the node", at(source, "root")),
            Note("the game", at(source, "game")),
            Note("the same game stands here", at(other, "game")),
            Note("a remark without a place\nof two lines"),
        ),
        "take one away",
    )
    check_golden("diagnostic_places.txt", as_text([problem, urn()]))


def test_colour_changes_nothing_but_colour():
    """Without its ANSI codes the coloured text is the plain one: meaning is never colour alone."""
    import re

    assert re.sub(r"\x1b\[[\d;]*m", "", as_text([urn()], colour=True)) == as_text([urn()])


def test_nothing_is_nothing():
    assert as_text([]) == ""


def test_a_file_that_cannot_be_read_has_no_snippet():
    missing = Diagnostic(Code.UNREADABLE, Source("no.yaml", "").place(0, 0), "no such file")

    assert as_text([missing]) == "error[GT001]: no such file\n  --> no.yaml:1:1"


def test_warnings_and_notes_say_what_they_are():
    place = Source("t", "abc").place(0)
    problems = [Diagnostic(code, place, "x") for code in (Code.UNUSED_PARAMETER, Code.NOT_VISITED)]

    assert as_text(problems[:1]).startswith("warning[GT601]: x")
    assert as_text(problems[1:]).startswith("note[GT604]: x")


@pytest.mark.parametrize(
    ("line", "marked", "expected", "underline"),
    [
        ("\tkey: x", "key", "    key: x", "    ^^^ here"),
        ("a\tb: x", "\t", "a   b: x", " ^^^ here"),
        ("世界: x", "x", "世界: x", "      ^ here"),
        ("x: 世界", "世界", "x: 世界", "   ^^^^ here"),
        ("e\u0301: x", "x", "e\u0301: x", "   ^ here"),
        ("\U0001f600: x", "x", "\U0001f600: x", "    ^ here"),
        ("a\u202eb: x", "x", "a\\u202eb: x", "          ^ here"),
        ("a\x07b\x1b[31m: x", "x", "a\\x07b\\x1b[31m: x", "                ^ here"),
        ("a\ufeff\u200b: x", "x", "a\\ufeff\\u200b: x", "               ^ here"),
        ("\x85a: x", "a", "a: x", "^ here"),
    ],
)
def test_columns_are_those_of_the_terminal(line, marked, expected, underline):
    _, _, source_line, annotation = shown(line, marked)

    assert source_line.split("| ", 1)[1] == expected
    assert annotation.split("| ", 1)[1] == underline


def test_line_ends_are_never_printed():
    source = Source("t", "a: 1\r\nb: 2\r\n")

    for start in range(len(source.text) + 1):
        text = as_text([Diagnostic(Code.SYNTAX, source.place(start, start), "x")])
        assert "\r" not in text
        assert "\\r" not in text
        assert "^" in text


def test_a_place_over_several_lines_is_underlined_on_its_first():
    lines = shown("root:\n  max:\n    a: 1\n", "max:\n    a: 1")

    assert lines[-1].endswith("|   ^^^^ here")
    assert len(lines) == 4


def test_a_place_at_the_end_of_the_file_has_a_caret():
    source = Source("t", "root:")
    text = as_text([Diagnostic(Code.SYNTAX, source.place(5, 5), "x", "a node belongs here")])

    assert text.endswith("| root:\n   |      ^ a node belongs here")


def test_one_line_between_two_places_is_shown_and_more_are_left_out():
    text = "\n".join(f"line{number}" for number in range(1, 12))
    source = Source("t", text)
    near = shown(text, "line1", notes=(Note("there", at(source, "line3")),))
    source_of_near = Source("t.yaml", text)
    problem = Diagnostic(
        Code.SYNTAX,
        at(source_of_near, "line1"),
        "x",
        notes=(
            Note("next but one", at(source_of_near, "line3")),
            Note("far", at(source_of_near, "line8")),
        ),
    )
    lines = as_text([problem]).splitlines()

    assert any("--> t:3:1" in line for line in near)  # another source is another file
    assert "  2 | line2" not in lines
    assert " 2 | line2" in lines
    assert lines.count("...") == 1


def test_labels_that_have_no_room_hang_below_their_places():
    source = Source("t.yaml", "one two three")
    problem = Diagnostic(
        Code.SYNTAX,
        at(source, "three"),
        "x",
        "last",
        (Note("first", at(source, "one")), Note("middle", at(source, "two"))),
    )

    assert as_text([problem]).splitlines()[3:] == [
        " 1 | one two three",
        "   | --- --- ^^^^^ last",
        "   | |   |",
        "   | |   middle",
        "   | first",
    ]


def test_long_lines_are_cut_around_the_place():
    _, _, line, annotation = shown("x" * 5000 + " HERE " + "y" * 5000, "HERE")

    assert line.count("…") == 2
    assert len(line) < 140
    assert line.index("HERE") == annotation.index("^^^^")


def test_a_place_wider_than_the_window_is_shown_from_its_start():
    _, _, line, annotation = shown("abc: " + "x" * 5000, "x" * 5000)

    assert line.startswith(" 1 | abc: xxx")
    assert line.endswith("x…")
    assert annotation.index("^") == line.index("x")
    assert len(annotation) < 140


def test_a_label_far_away_on_the_same_line_gets_its_own_snippet():
    source = Source("t.yaml", "first" + " " * 3000 + "second")
    problem = Diagnostic(
        Code.DUPLICATE_KEY, at(source, "second"), "x", notes=(Note("there", at(source, "first")),)
    )
    text = as_text([problem])

    assert "note: there\n  --> t.yaml:1:1" in text
    assert text.count("^") == len("second") + len("first")


def test_a_file_that_is_one_long_line_costs_no_more_than_a_short_one():
    """Only the part shown is looked at: a thousand problems in one line of megabytes."""
    source = Source("t.json", "[" + "1,  " * 1_000_000 + "]")
    problems = [
        Diagnostic(Code.SYNTAX, source.place(at, at + 1), "x") for at in range(1, 4_000_000, 4000)
    ]

    assert as_text(problems).count("\n -->") == 0
    assert as_text(problems).count("error[GT108]") == 1000


def test_many_notes_are_counted():
    source = Source("t.yaml", "\n" * 100)
    notes = tuple(Note("here", source.place(number, number)) for number in range(50))
    text = as_text([Diagnostic(Code.SYNTAX, source.place(99, 99), "x", notes=notes)])

    assert "= note: and 30 more" in text


def test_control_characters_in_messages_and_names_are_escaped():
    place = Source("evil\x1b[2J.yaml", "x").place(0)
    text = as_text([Diagnostic(Code.SYNTAX, place, "no \x1b[31m\nname", help="\u202ehelp")])

    assert "\x1b" not in text
    assert "no \\x1b[31m\\nname" in text
    assert "\\u202ehelp" in text


# --- the summary -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codes", "files", "expected"),
    [
        ([], 1, "no problems in 1 file"),
        ([Code.SYNTAX], 1, "1 error in 1 file"),
        (
            [Code.SYNTAX, Code.SHADOWED_NAME, Code.SYNTAX, Code.NOT_VISITED],
            1200,
            "2 errors, 1 warning, 1 note in 1,200 files",
        ),
    ],
)
def test_the_summary_counts(codes, files, expected):
    place = Source("t", "").place(0, 0)

    assert summary([Diagnostic(code, place, "x") for code in codes], files) == expected


# --- JSON ------------------------------------------------------------------------------------


def test_json_has_the_keys_of_the_contract():
    [problem] = as_json_objects([urn()])

    assert problem["code"] == "GT301"
    assert problem["severity"] == "error"
    assert (problem["line"], problem["column"]) == (7, 5)
    assert (problem["end_line"], problem["end_column"]) == (7, 11)
    assert problem["help"] == "write `p: rest` on one outcome, or exact fractions such as 1/3"
    assert problem["notes"][0] == {  # pyright: ignore[reportIndexIssue]
        "message": "333/1000",
        "path": "games/urn.yaml",
        "line": 8,
        "column": 18,
        "end_line": 8,
        "end_column": 23,
    }
    assert json.loads(json.dumps(problem)) == problem


def test_json_says_null_where_there_is_no_help():
    place = Source("t", "x").place(0)
    [problem] = as_json_objects([Diagnostic(Code.SYNTAX, place, "x", notes=(Note("y"),))])

    assert problem["help"] is None
    assert problem["notes"] == [{"message": "y"}]


# --- GitHub ----------------------------------------------------------------------------------


def test_github_annotations_are_one_line_each():
    text = as_github([urn()], {})

    assert text.startswith(
        "::error file=games/urn.yaml,line=7,col=5,endLine=7,endColumn=11,title=GT301::"
    )
    assert text.endswith("%0Ahelp: write `p: rest` on one outcome, or exact fractions such as 1/3")
    assert "\n" not in text


def test_github_annotations_leave_columns_out_over_several_lines():
    source = Source("t.yaml", URN)
    place = source.place(0, len(URN) - 1)

    assert as_github([Diagnostic(Code.SYNTAX, place, "x")], {}) == (
        "::error file=t.yaml,line=1,endLine=10,title=GT108::x"
    )


def test_github_annotations_are_escaped():
    source = Source("a,b:100%.yaml", "x")
    text = as_github(
        [Diagnostic(Code.SYNTAX, source.place(0), "100% a:b\r\n::error::", help="y")], {}
    )

    assert "file=a%2Cb%3A100%25.yaml," in text
    assert text.endswith("::100%25 a:b\\r\\n::error::%0Ahelp: y")


def test_github_annotations_put_errors_first():
    place = Source("t", "").place(0, 0)
    codes = [Code.NOT_VISITED, Code.SHADOWED_NAME, Code.SYNTAX]
    lines = as_github([Diagnostic(code, place, "x") for code in codes], {}).splitlines()

    assert [line.split()[0] for line in lines] == ["::error", "::warning", "::notice"]


def test_github_paths_are_relative_to_the_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = Source("games/a.yaml", "").place(0, 0)
    outside = Source("/elsewhere/b.yaml", "").place(0, 0)
    stdin = Source("<stdin>", "").place(0, 0)
    text = as_github(
        [Diagnostic(Code.SYNTAX, where, "x") for where in (place, outside, stdin)],
        {"GITHUB_WORKSPACE": str(tmp_path / "games")},
    )

    assert [line.split("file=")[1].split(",")[0] for line in text.splitlines()] == [
        "a.yaml",
        "/elsewhere/b.yaml",
        "<stdin>",
    ]


# --- widths ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("abc", 3),
        ("世界", 4),
        ("e\u0301", 1),
        ("\U0001f600", 2),
        ("한", 2),
        ("ᄒ\u1161", 2),
        ("", 0),
    ],
)
def test_the_width_of_text(text, columns):
    assert width(text) == columns


def test_text_is_padded_and_cut_by_columns():
    assert pad("世", 4) == "世  "
    assert pad("世", 4, right=True) == "  世"
    assert cut("世界世界", 5) == "世界…"
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"


def test_joiners_that_scripts_need_are_kept():
    assert safe("می\u200cخواهم") == "می\u200cخواهم"
    assert safe("a\ud800\U000e0041") == "a\\ud800\\U000e0041"
