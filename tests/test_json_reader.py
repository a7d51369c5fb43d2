"""JSON in, the same documents and places out."""

from __future__ import annotations

import pytest
from gametree.spec.diagnostics import Code
from gametree.spec.reader import Reading, read_bytes


def read(text: str) -> Reading:
    return read_bytes("x.json", text.encode(), "json")


def test_numbers_and_literals_are_kept_as_they_were_written():
    reading = read(
        '{"a": [1.50, -0, 1E3, 12345678901234567890], "b": [true, false, null], "c": "true"}'
    )

    assert reading.diagnostics == []
    assert reading.document is not None
    assert reading.document.data == {
        "a": ["1.50", "-0", "1E3", "12345678901234567890"],
        "b": ["true", "false", "null"],
        "c": "true",
    }


def test_everything_has_its_place():
    """Places come from a second pass, made when the first one is asked for."""
    found = read('{"a": 1, "b\\n": [3, {"c": "x y"}, []], "d": {}}').document
    assert found is not None
    b = found.data["b\n"]
    assert isinstance(b, list)
    assert isinstance(b[1], dict)

    assert found.key_place(found.data, "b\n").text == '"b\\n"'
    assert found.value_place(found.data, "b\n").text == '[3, {"c": "x y"}, []]'
    assert found.place_of(b[1]).text == '{"c": "x y"}'
    assert found.value_place(b[1], "c").text == '"x y"'
    assert found.inner_place(b[1], "c", 2, 3).text == "y"
    assert found.value_place(b, 2).text == "[]"
    assert found.value_place(found.data, "d").text == "{}"


def test_reading_makes_no_places():
    found = read('{"a": {"b": 1}}').document
    assert found is not None
    assert found._marks == []
    found.place_of(found.data)
    assert len(found._marks) == 1


def test_duplicate_keys_show_both_places():
    reading = read('{"a": 1,\n "a": {"x": 1, "x": 2},\n "b": 3}')

    codes = [(p.code, p.place.line, p.notes[0].place.line) for p in reading.diagnostics]
    assert codes == [(Code.DUPLICATE_KEY, 2, 1), (Code.DUPLICATE_KEY, 2, 2)]
    assert reading.document is not None
    assert reading.document.data == {"a": "1", "b": "3"}
    assert reading.document.value_place(reading.document.data, "b").text == "3"


def test_numbers_that_are_not_finite_are_all_reported():
    reading = read('{"a": NaN, "b": [-Infinity, "NaN"]}')

    assert [(p.code, p.place.text) for p in reading.diagnostics] == [
        (Code.NOT_FINITE, "NaN"), (Code.NOT_FINITE, "-Infinity"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ['{"a":' * 100_000, "[" * 201 + "]" * 201, "[" * 5000 + "]" * 5000]
)
def test_nesting_is_limited(text: str):
    [problem] = read(text).diagnostics

    assert problem.code is Code.NESTING
    assert problem.place.column == (1001 if text.startswith("{") else 201)


@pytest.mark.parametrize(
    ("text", "column", "message", "help_"),
    [
        ('{"a": 1,}', 8, "a comma before the closing `}`", "delete the comma"),
        ('{"a": [1, ]}', 9, "a comma before the closing `]`", "delete the comma"),
        ("{'a': 1}", 2, "double quotes", '"text"'),
        ("{\"a\": 'x'}", 7, "double quotes", '"text"'),
        ("{a: 1}", 2, "a key needs double quotes", '"a"'),
        ('{"a": turn}', 7, "a text needs double quotes", '"turn"'),
        ('{"a": True}', 7, "a text needs double quotes", "`true`"),
        ('{"a": 1/3}', 7, "`1/3` is not a number", '"1/3"'),
        ('{"a": 25%}', 7, "`25%` is not a number", '"25%"'),
        ('{"a": .5}', 7, "`.5` is not a number", '".5"'),
        ('{"a": 010}', 7, "`010` is not a number", "leading zero"),
        ('{"a": 1 // why\n}', 9, "no comments", ".yaml"),
        ('# why\n{"a": 1}', 1, "no comments", ".yaml"),
        ('{"a": 1 "b": 2}', 9, "a comma is missing", "commas"),
        ('{"a": [1 2]}', 10, "a comma is missing", "commas"),
        ('{"a" 1}', 6, "a colon is missing", '"key": value'),
        ('{"a": [1, 2', 7, "`[` is never closed", "`]`"),
        ('{"a": "x', 7, "never closed", '`"`'),
        ('{"a": "x\ny"}', 9, "over the end of its line", "\\n"),
        ('{"a": "\\q"}', 8, "`\\q` means nothing", "\\\\"),
        ('{"a": 1}}', 9, "behind the end", "delete"),
        ('{"a": }', 7, "a value is expected", ""),
    ],
)
def test_what_is_wrong_is_said_with_a_hint(text: str, column: int, message: str, help_: str):
    [problem] = read(text).diagnostics

    assert problem.code is Code.JSON_SYNTAX
    assert problem.place.column == column
    assert message in problem.message
    assert help_ in (problem.help or "")


def test_other_shapes_than_an_object_are_refused():
    assert [p.code for p in read("[1]").diagnostics] == [Code.WRONG_SHAPE]
    assert [p.code for p in read("3").diagnostics] == [Code.WRONG_SHAPE]
    assert [p.code for p in read(" ").diagnostics] == [Code.EMPTY]
    assert [p.code for p in read('{"a": 1} {"b": 2}').diagnostics] == [Code.MANY_DOCUMENTS]
    assert [p.code for p in read('{"a": "\\ud800"}').diagnostics] == [Code.INVISIBLE_CHARACTER]


def test_mangled_files_give_diagnostics_only():
    """Cutting and doubling pieces of a file never raises."""
    text = '{"game": "x", "root": {"max": {"a": 1, "b": [true, "\\u00e9", -2.5e3]}}, "n": null}'
    for cut in range(len(text)):
        for mangled in (text[:cut], text[:cut] + text[cut + 1 :], text[:cut] + ",'" + text[cut:]):
            reading = read(mangled)
            assert reading.document is not None or reading.diagnostics
