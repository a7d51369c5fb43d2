"""Writing documents: what is written reads back as the same document, in every notation."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from gametree.spec.canonical import canonical
from gametree.spec.document import Document, Notation
from gametree.spec.json_reader import read_json
from gametree.spec.json_writer import write_json
from gametree.spec.sharing import without_aliases
from gametree.spec.source import Source
from gametree.spec.text_reader import read_text
from gametree.spec.text_writer import write_text
from gametree.spec.yaml_reader import read_yaml
from gametree.spec.yaml_writer import write_yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .strategies import ODD_TEXTS, documents, games, with_comments

WRITERS: dict[Notation, Callable[[Document], str]] = {
    "yaml": write_yaml,
    "text": write_text,
    "json": write_json,
}
SLOW = settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)


def document_of(data: dict[str, Any], notation: Notation = "yaml") -> Document:
    """A document made by hand."""
    return Document(Source("made", ""), notation, data, dict)


def read(notation: Notation, text: str) -> Document:
    """The document that ``text`` is, without any diagnostic."""
    source = Source("written", text)
    if notation == "yaml":
        reading = read_yaml(source, comments=True)
    elif notation == "text":
        reading = read_text(source, comments=True)
    else:
        reading = read_json(source)
    assert reading.diagnostics == [], (reading.diagnostics[0].message, text)
    assert reading.document is not None
    return reading.document


def said(document: Document) -> str:
    """What a document says, with the order of everything in it."""
    return json.dumps(canonical(document))


def remarks(document: Document) -> list[str]:
    return [comment.text for comment in document.comments]


# ---- laws ------------------------------------------------------------------------------------


@pytest.mark.parametrize("notation", ["yaml", "text", "json"])
@SLOW
@given(data=documents())
def test_what_is_written_reads_back_as_the_same_document(notation: Notation, data: dict[str, Any]):
    """read(write(d)) says what d says, and writing that gives the very same text."""
    document = document_of(data)
    text = WRITERS[notation](document)

    again = read(notation, text)

    assert said(again) == said(document)
    assert WRITERS[notation](again) == text


@SLOW
@given(data=documents())
def test_yaml_to_text_to_yaml_says_the_same(data: dict[str, Any]):
    """Converting there and back loses nothing."""
    yaml = read("yaml", write_yaml(document_of(data)))
    text = read("text", write_text(yaml))
    back = read("yaml", write_yaml(text))

    assert said(yaml) == said(text) == said(back)


@SLOW
@given(data=games())
def test_small_games_keep_their_data_exactly_in_yaml_and_json(data: dict[str, Any]):
    """An explicit tree is written as the data that it is."""
    assert read("yaml", write_yaml(document_of(data))).data == data
    assert read("json", write_json(document_of(data))).data == data


@pytest.mark.parametrize("notation", ["yaml", "text"])
@SLOW
@given(data=documents(), draws=st.data())
def test_no_comment_is_lost_or_moved_past_another(
    notation: Notation, data: dict[str, Any], draws: st.DataObject
):
    """Formatting keeps every comment, once, in order, and is done after one run."""
    plain = WRITERS[notation](document_of(data))
    if '"""' in plain or "|" in plain or ">-" in plain:
        return
    source = draws.draw(with_comments(plain))
    document = read(notation, source)

    text = WRITERS[notation](document)

    again = read(notation, text)
    assert said(again) == said(document)
    assert remarks(again) == remarks(document)
    assert WRITERS[notation](again) == text


@SLOW
@given(data=documents(), draws=st.data())
def test_converting_keeps_every_comment(data: dict[str, Any], draws: st.DataObject):
    """There and back, each comment is there once."""
    plain = write_yaml(document_of(data))
    if "|" in plain or ">-" in plain:
        return
    yaml = read("yaml", draws.draw(with_comments(plain)))
    text = read("text", write_text(yaml))
    back = read("yaml", write_yaml(text))

    assert sorted(remarks(text)) == sorted(remarks(yaml))
    assert sorted(remarks(back)) == sorted(remarks(yaml))
    assert said(back) == said(yaml)


@pytest.mark.parametrize("notation", ["yaml", "text", "json"])
@pytest.mark.parametrize("odd", ODD_TEXTS)
def test_odd_texts_survive_everywhere(notation: Notation, odd: str):
    """A label or a text is kept to the character, in block and in flow style."""
    label = "x" if odd.startswith("for ") else odd
    data: dict[str, Any] = {
        "game": odd,
        "description": odd,
        "root": {"max": {label: {"label": odd, "then": "1"}, label + "2": {"min": {label: "1"}}}},
        "policies": {odd: {"root": {label: "1"}}},
        "expect": [{"best": [odd], "branches": {label: "2"}}, {"best": odd}],
    }

    again = read(notation, WRITERS[notation](document_of(data)))

    assert said(again) == said(document_of(data))


# ---- style -----------------------------------------------------------------------------------


def yaml_of(text: str, notation: Notation = "yaml") -> str:
    return write_yaml(read(notation, text))


def text_of(text: str, notation: Notation = "yaml") -> str:
    return write_text(read(notation, text))


def test_short_branches_flow_and_deep_ones_do_not():
    """Three levels of brackets are one line, four are a block."""
    text = """\
game: dice

root:
  max:
    A: {chance: [3, 12, 9]}
    B:
      chance:
        1-2: {p: 1/3, min: [6, 8]}
        3-6: {p: 2/3, min: [3, 9]}
"""

    assert yaml_of(text) == text


def test_quotes_stand_only_where_a_reader_would_be_fooled():
    """Numbers, names and ordinary labels are bare; `no`, `1:30` and `010` are not."""
    text = """\
game: a game

root:
  max:
    no survey: 1
    "no": -2.5
    "1:30": 1/3
    "010": 25%
    3: turn(a, b)
    1-2: {then: "turn(a, b)"}
    '"a" said': 1_000
    "a: b": total + 1
"""

    assert yaml_of(text) == text


def test_long_text_is_folded_and_lines_are_a_block():
    """A long line is wrapped; several lines are kept as they are."""
    long = " ".join(["word"] * 30)
    data = {"game": "x", "description": long, "root": {"note": "a\nb", "then": "1"}}

    text = write_yaml(document_of(data))

    assert "description: >-\n  word word" in text
    assert "  note: |-\n    a\n    b\n" in text
    assert max(map(len, text.splitlines())) <= 88


def test_anchors_and_aliases_are_kept_in_yaml():
    """Sharing is written as it was read."""
    text = """\
game: x

root:
  max:
    A: &end
      chance:
        for d in 1..6: d
    B: *end
    C: {min: [&one 1, *one, *end]}
"""

    assert yaml_of(text) == text


def test_aliases_become_named_nodes_in_text():
    """A shared node is a named node, and takes the local names it uses."""
    text = """\
game: x
nodes:
  turn(total, extra):
    max:
      a: &the-end {chance: [total, 2]}
      b: {min: [*the-end, 3]}
root: turn(0, 1)
"""

    written = text_of(text)

    assert "node the_end(total) = chance { total, 2 }" in written
    assert "a: the_end(total)" in written
    assert "b: min { the_end(total), 3 }" in written
    assert said(read("text", written)) == said(without_aliases(read("yaml", text)))
    assert said(read("json", write_json(read("yaml", text)))) == said(read("text", written))


def test_a_tower_of_aliases_stays_small_in_every_notation():
    """Sharing thirty levels deep is thirty definitions, not a billion nodes."""
    lines = ["game: laughs", "nodes:", "  n0: &n0 {max: &b0 [1, 2]}"]
    lines += [f"  n{i}: &n{i} {{max: &b{i} [*n{i - 1}, *n{i - 1}]}}" for i in range(1, 20)]
    lines += ["  m0: {max: &c0 {x: 1, y: {max: *b3}}}"]
    lines += [
        f"  m{i}: {{max: &c{i} {{x: {{max: *c{i - 1}}}, y: {{max: *c{i - 1}}}}}}}"
        for i in range(1, 30)
    ]
    document = read("yaml", "\n".join([*lines, "root: *n19", ""]))

    for notation, write in WRITERS.items():
        text = write(document)
        assert len(text) < 10_000
        read(notation, text)


def test_text_puts_short_blocks_on_a_line():
    """Two levels of braces are one line."""
    text = """\
game "dice"

param target = 21
param `legal fees` = 10

define won(b) = any(b & l == l for l in lines)

node turn(total: 0..target) = max {
  stand: total
  hit: cost 1 then roll(total)
}

root max {
  A: chance { "1-2" @ 1/3: min { 6, 8 }, "3-6" @ rest: min { 3, 9 } }
  for d in 1..6 @ 1/6 as "roll {d}": let n = d + 1 in turn(n)
  B: if target > 21 then max { 1, 2 } else 3
}

bounds 0..21

expect { value: 12, best: ["A", "B"], branches: {A: 9.5, "1-2": 3} }
expect { at: turn(16), play: {min: "random"} }
"""

    assert text_of(text, "text") == text


def test_a_long_choice_is_a_line_for_each_case():
    """`else` stands on a line of its own."""
    condition = " and ".join(["total > target"] * 3)
    text = f'game "x"\nroot max {{ a: if {condition} then turn(1) else if total then turn(2) else turn(3) }}\n'

    assert (
        text_of(text, "text")
        == f"""\
game "x"

root max {{
  a:
    if {condition} then turn(1)
    else if total then turn(2) else turn(3)
}}
"""
    )


def test_json_numbers_are_numbers():
    """What JSON has as numbers is written so; labels and fractions are strings."""
    data = {"game": "3", "root": {"max": {"1": "2", "b": "1/3"}}, "expect": [{"best": "1"}]}

    assert (
        write_json(document_of(data))
        == """\
{
  "game": "3",
  "root": {"max": {"1": 2, "b": "1/3"}},
  "expect": [
    {"best": "1"}
  ]
}
"""
    )


def test_converting_uses_the_order_of_the_schema():
    """The author's order is kept by the author's notation only."""
    text = "root: 1\ngame: x\n"

    assert yaml_of(text) == text
    assert text_of(text) == 'game "x"\n\nroot 1\n'
    assert yaml_of('root 1\ngame "x"\n', "text") == "game: x\nroot: 1\n"


# ---- size ------------------------------------------------------------------------------------


def _full_tree(depth: int, counter: list[int]) -> Any:
    if depth == 0:
        counter[0] += 1
        return str(counter[0] % 97)
    kind = ("max", "chance", "min")[depth % 3]
    return {kind: [_full_tree(depth - 1, counter) for _ in range(4)]}


@pytest.mark.parametrize("notation", ["yaml", "text", "json"])
def test_a_large_tree_is_written_in_seconds(notation: Notation):
    """65,536 leaves, each visited a bounded number of times."""
    document = document_of({"game": "large", "root": _full_tree(8, [0])})
    start = time.perf_counter()

    text = WRITERS[notation](document)

    assert time.perf_counter() - start < 20
    assert read(notation, text).data == document.data


@pytest.mark.parametrize("notation", ["yaml", "text", "json"])
def test_two_hundred_levels_are_written(notation: Notation):
    """The deepest document that a reader lets in meets no recursion limit."""
    node: Any = "1"
    for level in range(99):
        node = {"max": {"a": node, f"b{level}": "2"}}
    document = document_of({"game": "deep", "root": node})

    again = read(notation, WRITERS[notation](document))

    assert said(again) == said(document)
