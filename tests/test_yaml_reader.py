"""YAML in, documents and places out; every complaint in this project's words."""

from __future__ import annotations

import gc
import time

import pytest
from gametree.spec.diagnostics import Code
from gametree.spec.document import AnchoredText, Container, Document
from gametree.spec.reader import Reading, read_bytes


def read(text: str, **options: bool) -> Reading:
    return read_bytes("x.yaml", text.encode(), "yaml", **options)


def document(text: str, **options: bool) -> Document:
    reading = read(text, **options)
    assert reading.diagnostics == []
    assert reading.document is not None
    return reading.document


def data(text: str) -> object:
    return document(text).data


def only_problem(text: str):
    [problem] = read(text).diagnostics
    return problem


def spot(problem) -> tuple[int, int]:
    return problem.place.line, problem.place.column


# --- what is read ------------------------------------------------------------------------------


def test_scalars_are_kept_as_they_were_written():
    """A move may be called `no`, `on` or `1:30`; no scalar is turned into anything."""
    text = "{no: yes, on: ~, 1:30: 010, 2024-01-01: 1_000, 0o10: .5, =: null, 1: 1/3}"

    assert data(text) == {
        "no": "yes", "on": "~", "1:30": "010", "2024-01-01": "1_000", "0o10": ".5", "=": "null", "1": "1/3",
    }  # fmt: skip


def test_an_empty_value_is_an_empty_text():
    assert data("a:\nb: ''\n") == {"a": "", "b": ""}


def test_a_leading_byte_order_mark_and_windows_line_ends_are_accepted():
    """They shift no place either."""
    found = document("\ufeffa: 1\r\nb:\r\n  - x\r\n")

    assert found.data == {"a": "1", "b": ["x"]}
    assert found.value_place(found.data, "a").text == "1"
    assert found.key_place(found.data, "b").line == 2


def test_a_yaml_directive_is_accepted():
    assert data("%YAML 1.2\n---\na: 1\n...\n") == {"a": "1"}


def test_an_alias_is_the_object_it_names():
    """Sharing is kept as identity, for scalars as well, and anchors keep their names."""
    found = document("a: &x {b: 1}\nc: *x\nd: &y 3\ne: *y\n")

    assert found.data["a"] is found.data["c"]
    assert found.data["d"] is found.data["e"]
    assert isinstance(found.data["d"], AnchoredText)
    assert found.anchors == {id(found.data["a"]): "x", id(found.data["d"]): "y"}


def test_billion_laughs_is_read_in_no_time():
    """Nine levels of ten aliases are 90 references to 10 objects, never a billion."""
    lines = [
        "a0: &a0 1",
        *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)),
    ]
    start = time.process_time()

    assert len(document("\n".join(lines)).data) == 10
    assert time.process_time() - start < 1


def test_the_garbage_collector_is_left_as_it_was():
    for text in ("a: 1", "a: [", "a: b: c"):
        read(text)
        assert gc.isenabled()
    gc.disable()
    try:
        read("a: 1")
        assert not gc.isenabled()
    finally:
        gc.enable()


# --- places ------------------------------------------------------------------------------------

PLACES = """\
game: 'é😀'   # a comment

root: &r
  max:
    - 1
    -

    - {b: [x, "y"], c: }
    - *r2
    - |
      block
      # no comment

  note: &n "t"   # end
""".replace("    - *r2\n", "")


def places(found: Document) -> list[tuple[str, str, str]]:
    """The texts of all key and value places, containers before their items."""
    listed: list[tuple[str, str, str]] = []

    def walk(container: Container) -> None:
        for key in container if isinstance(container, dict) else range(len(container)):
            value = container[key]
            listed.append(
                (
                    str(key),
                    found.key_place(container, key).text,
                    found.value_place(container, key).text,
                )
            )
            if not isinstance(value, str):
                assert found.place_of(value) == found.value_place(container, key)
                walk(value)

    walk(found.data)
    return listed


def test_everything_has_its_place():
    """Blocks end with their last item, quotes belong to a scalar, anchors do not."""
    found = document(PLACES)
    by_key = {key: (at, value) for key, at, value in places(found)}

    assert by_key["game"] == ("game", "'é😀'")
    assert by_key["b"] == ("b", '[x, "y"]')
    assert by_key["c"] == ("c", "")
    assert by_key["note"] == ("note", '"t"')
    assert by_key["max"][1].startswith("- 1\n")
    assert by_key["max"][1].endswith("# no comment")
    assert by_key["root"][1].startswith("max:")
    assert by_key["root"][1].endswith('"t"')
    assert by_key["3"] == ("|\n      block\n      # no comment",) * 2


def test_an_alias_stands_where_it_is_written():
    found = document("a: &x [1]\nb: [*x, 2]\n")
    within = found.data["b"]
    assert isinstance(within, list)

    assert found.value_place(within, 0).text == "*x"
    assert found.place_of(found.data["a"]).text == "[1]"  # type: ignore[arg-type]


def test_a_part_of_a_scalar_can_be_pointed_at():
    found = document('root: "turn(total)"\nnote: plain text\n')

    assert found.inner_place(found.data, "root", 5, 10).text == "total"
    assert found.inner_place(found.data, "note", 6, 10).text == "text"


# --- comments ----------------------------------------------------------------------------------


def test_comments_are_found_between_scalars_only():
    """A `#` in quotes, inside a word or in a block scalar starts none."""
    text = """\
# first
a: 1 # one
b: "x # no"
c: y#no
d: | # header
  # no
  text
# last
e: [1, # inside
  2]
"""
    found = document(text, comments=True).comments

    assert [(c.text, c.own_line) for c in found] == [
        ("first", True), ("one", False), ("header", False), ("last", True), ("inside", False),
    ]  # fmt: skip
    assert all(text[c.start] == "#" for c in found)
    assert document(text).comments == ()


# --- what is refused ---------------------------------------------------------------------------


def test_a_duplicate_key_shows_both_places_and_reading_goes_on():
    """The first one counts; a second mistake further down is reported too."""
    reading = read("a: 1\nb: {x: 1, x: {y: 2}}\na: 3\n")

    assert [p.code for p in reading.diagnostics] == [Code.DUPLICATE_KEY] * 2
    assert spot(reading.diagnostics[1]) == (3, 1)
    assert reading.diagnostics[1].notes[0].place.line == 1
    assert reading.document is not None
    assert reading.document.data == {"a": "1", "b": {"x": "1"}}
    assert places(reading.document)[-1] == ("x", "x", "1")


def test_an_alias_cycle_shows_the_anchor():
    problem = only_problem("a: &x\n  b: [1, *x]\n")

    assert problem.code is Code.ALIAS
    assert spot(problem) == (2, 10)
    assert problem.notes[0].place.line == 1


def test_an_undefined_alias_offers_a_near_anchor():
    problem = only_problem("a: &left 1\nb: *lefft\n")

    assert problem.code is Code.ALIAS
    assert problem.help == "did you mean `*left`?"


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "says"),
    [
        ("a: &x 1\nb: &x 2\n", Code.ALIAS, 2, 4, "defined twice"),
        ("a: *x\nb: &x 1\n", Code.ALIAS, 1, 4, "names nothing"),
        ("a: !!python/object:os.system x\n", Code.TAG, 1, 4, "!!python/object:os.system"),
        ("a: &y !t x\n", Code.TAG, 1, 7, "`!t`"),
        ("<<: {a: 1}\n", Code.TAG, 1, 1, "merge keys"),
        ("? [1, 2]\n: 3\n", Code.KEY_NOT_TEXT, 1, 3, "a list cannot be a key"),
        ("a: {{ x }}\n", Code.KEY_NOT_TEXT, 1, 5, "a mapping cannot be a key"),
        ("a: 1\n---\nb: 2\n", Code.MANY_DOCUMENTS, 2, 1, "second document"),
        ("a: 1\n---\n", Code.MANY_DOCUMENTS, 2, 1, "second document"),
        ("a: 1\n...\nb: 2\n", Code.MANY_DOCUMENTS, 3, 1, "second document"),
        ("a:\n\tb: 1\n", Code.TAB, 2, 1, "tab"),
        ("a:\n  b: 1\n\tc: 2\n", Code.TAB, 3, 1, "tab"),
        ("a: |\n x\n\ty\n", Code.TAB, 3, 1, "tab"),
        ("", Code.EMPTY, 1, 1, "empty"),
        ("# only a comment\n", Code.EMPTY, 1, 1, "no game"),
        ("---\n", Code.EMPTY, 1, 1, "no game"),
        ("- 1\n- 2\n", Code.WRONG_SHAPE, 1, 1, "this file is a list"),
        ("just words\n", Code.WRONG_SHAPE, 1, 1, "this file is one text"),
        ("a:\n\u00a0\u00a0b: 1\n", Code.INVISIBLE_CHARACTER, 2, 1, "U+00A0 NO-BREAK SPACE"),
        ("pay\u200boff: 1\n", Code.INVISIBLE_CHARACTER, 1, 4, "U+200B"),
        ("'pay\u200boff': 1\n", Code.INVISIBLE_CHARACTER, 1, 5, "U+200B"),
        ("cafe\u0301: 1\n", Code.INVISIBLE_CHARACTER, 1, 1, "separate accents"),
        ("a: b: c\n", Code.YAML_SYNTAX, 1, 5, "second colon"),
        ("a: f(x: b): c\n", Code.YAML_SYNTAX, 1, 7, "second colon"),
        ("n:\n  f(x: 0..3, y: 0..3):\n    1\n", Code.YAML_SYNTAX, 2, 3, "a key with a colon"),
        ("n:\n  f(x: 0..3): {max: [1]}\n", Code.YAML_SYNTAX, 2, 3, "a key with a colon"),
        ("a:1\nb: 2\n", Code.YAML_SYNTAX, 1, 2, "space is missing"),
        ("b: 2\na:1\n", Code.YAML_SYNTAX, 2, 2, "space is missing"),
        ("a: 'x\nb: 2\n", Code.YAML_SYNTAX, 1, 4, "never closed"),
        ("a: [1, 2\n", Code.YAML_SYNTAX, 1, 4, "`[` is never closed"),
        ("a: {b: 1 c: 2}\n", Code.YAML_SYNTAX, 1, 11, "comma"),
        ("a: {b: 1}}\n", Code.YAML_SYNTAX, 1, 10, "closes nothing"),
        ("a: `x` + 1\n", Code.YAML_SYNTAX, 1, 4, "cannot start with"),
        ("a: @x\n", Code.YAML_SYNTAX, 1, 4, "cannot start with"),
        ("a:\n  b: 1\n c: 2\n", Code.YAML_SYNTAX, 3, 2, "indented"),
        ("a: 1\n- 2\n", Code.YAML_SYNTAX, 2, 1, "list item"),
        ("a: - 1\n", Code.YAML_SYNTAX, 1, 4, "list cannot start"),
        ('a: "x" + 1\n', Code.YAML_SYNTAX, 1, 8, "behind the closing quote"),
        ('a: "\\q"\n', Code.YAML_SYNTAX, 1, 5, "means nothing"),
        ("a: x\n  b: 2\n", Code.YAML_SYNTAX, 2, 4, "key cannot stand here"),
        ("a: 1\nkey\n", Code.YAML_SYNTAX, 2, 1, "stands alone"),
    ],
)
def test_what_is_wrong_is_said_where_it_is(
    text: str, code: Code, line: int, column: int, says: str
):
    """One mistake, one diagnostic, at its place."""
    problem = only_problem(text)

    assert problem.code is code
    assert spot(problem) == (line, column)
    assert says in problem.message


def test_a_full_width_colon_is_named():
    assert "U+FF1A" in (only_problem("game\uff1adice\n").help or "")


# --- values that a comma cuts ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "read_as", "quoted"),
    [
        (
            "{then: deck(r - 1, b), p: 1/2}",
            {"then": "deck(r - 1, b)", "p": "1/2"},
            '"deck(r - 1, b)"',
        ),
        ("{then: f(a, g(b, c), d)}", {"then": "f(a, g(b, c), d)"}, '"f(a, g(b, c), d)"'),
        ("{a: [f(1, 2), 3]}", {"a": ["f(1, 2)", "3"]}, '"f(1, 2)"'),
        ("{f(a, b): 3, z: 1}", {"f(a, b)": "3", "z": "1"}, '"f(a, b)"'),
    ],
)
def test_a_call_cut_by_a_comma_is_one_mistake(text: str, read_as: object, quoted: str):
    """The message says to quote it, and the pieces are put together: no knock-ons."""
    reading = read(text)

    [problem] = reading.diagnostics
    assert problem.code is Code.YAML_SYNTAX
    assert "a comma" in problem.message
    assert problem.help == f"quote the value: {quoted}"
    assert reading.document is not None
    assert reading.document.data == read_as


def test_two_cut_calls_are_two_mistakes():
    """Their second pieces look the same, and are no duplicate key."""
    reading = read("{x: f(a, b), y: g(c, b)}")

    assert [p.code for p in reading.diagnostics] == [Code.YAML_SYNTAX] * 2
    assert reading.document is not None
    assert reading.document.data == {"x": "f(a, b)", "y": "g(c, b)"}
    assert reading.document.value_place(reading.document.data, "y").text == "g(c, b)"


@pytest.mark.parametrize("text", ["{a: f([1, 2], 3)}", "{a: f(x, [1, 2])}", '{a: f("x", 2)}'])
def test_a_call_cut_by_a_bracket_or_a_quote_says_quote(text: str):
    assert "quote" in (only_problem(text).help or "")


def test_an_open_bracket_alone_is_left_to_the_expression():
    assert data("{a: f(1}") == {"a": "f(1"}


# --- depth -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("[" * 201 + "]" * 201, 201),
        ("[" * 100_000, 201),
        ("{a: " * 100_000, 801),
        ("- " * 100_000, 401),
        ('["[[[", ' * 300, 1601),
    ],
)
def test_nesting_is_limited_at_the_place_where_it_goes_too_far(text: str, column: int):
    """100,000 levels are refused at once, and no stack overflows."""
    start = time.process_time()
    problem = only_problem(text)

    assert problem.code is Code.NESTING
    assert spot(problem) == (1, column)
    assert time.process_time() - start < 1


def test_two_hundred_levels_are_read():
    assert read("{a: " * 199 + "{}" + "}" * 199).diagnostics == []


# --- mangled files -----------------------------------------------------------------------------


def test_mangled_files_give_diagnostics_only():
    """Cutting and doubling pieces of a file never raises."""
    for cut in range(len(PLACES)):
        for mangled in (
            PLACES[:cut],
            PLACES[:cut] + PLACES[cut + 1 :],
            PLACES[:cut] + '(,"{' + PLACES[cut:],
        ):
            reading = read(mangled)
            assert reading.document is not None or reading.diagnostics
            if reading.document is not None:
                places(reading.document)
