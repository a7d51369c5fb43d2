"""A large tree is read in bulk: what is accepted so is what the careful readers make of it."""

from __future__ import annotations

import json
import subprocess
import sys

import gametree
import pytest
from gametree.compiler.explicit import SURE_LEVELS, sketched_dag
from gametree.evaluator import game as games_module
from gametree.evaluator.game import Game, tree_or_reading
from gametree.render.diagnostics import as_text
from gametree.spec.diagnostics import SpecError
from gametree.spec.reader import MAX_DEPTH, read_bytes, read_path
from gametree.spec.sketch import Sketch, sketch
from gametree.spec.source import Source
from hypothesis import given
from hypothesis import strategies as st

from .strategies import games
from .test_explicit import told

SPACES = st.sampled_from(["", " ", "\n ", "  "])
WORDS = st.sampled_from(["a", "hit", "go left", "x1", "b-2", "10", "1/2", "yes", "p", "max"])
NUMBERS = st.sampled_from(["0", "-7", "12", "1/3", "-0.5", "25%", "1e3", "+4", ".5", "1_000"])


@st.composite
def plain_trees(draw, depth=3):
    """Trees with labels and numbers such as YAML has without quotes."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(NUMBERS)
    kind = draw(st.sampled_from(["max", "min", "chance"]))
    labels = draw(st.lists(WORDS, min_size=1, max_size=4, unique=True))
    below = [draw(plain_trees(depth - 1)) for _ in labels]
    if kind == "chance" and draw(st.booleans()):
        field, odds = draw(st.sampled_from([("p", f"1/{len(labels)}"), ("weight", "3")]))
        below = [
            {field: odds, **(each if isinstance(each, dict) else {"then": each})} for each in below
        ]
    return {kind: dict(zip(labels, below, strict=True))}


def flow(data, space=" "):
    """YAML in braces, with no quotes at all."""
    if isinstance(data, list):
        return "[" + f",{space}".join(flow(each, space) for each in data) + "]"
    if not isinstance(data, dict):
        return str(data)
    return "{" + f",{space}".join(f"{k}: {flow(v, space)}" for k, v in data.items()) + "}"


def block(data, indent="  ", more="  "):
    """YAML in lines, with no quotes at all."""
    lines = []
    for key, value in data.items():
        inner = isinstance(value, dict)
        text = f"\n{block(value, indent + more, more)}" if inner else f" {flow(value)}"
        lines.append(f"{indent}{key}:{text}")
    return "\n".join(lines)


def in_bulk(text, notation):
    """The DAG of a text that is read in bulk; None where it is not."""
    found = sketch(Source("game", text), notation)
    game = None if found is None else Game.from_sketch(found)
    return None if game is None else game.tree


def carefully(text, notation):
    """The DAG of a text that the careful reader reads, and what there is to say of it."""
    reading = read_bytes("game", text.encode("utf-8", "surrogatepass"), notation)
    if reading.document is None:
        return None, reading.diagnostics
    try:
        game = Game.from_document(reading.document, {}, reading.diagnostics)
    except SpecError as error:
        return None, [*reading.diagnostics, *error.diagnostics]
    return game.tree, [*reading.diagnostics, *game.warnings]


def agree(text, notation):
    """Check that what is read in bulk is good, and the same; return whether it was."""
    bulk = in_bulk(text, notation)
    if bulk is None:
        return False
    careful, problems = carefully(text, notation)
    assert problems == []
    assert careful is not None
    assert told(bulk) == told(careful)
    assert bulk.levels == careful.levels
    return True


def written(root, style):
    """A game in one of the styles, and its notation."""
    if style == "json":
        return json.dumps({"game": "x", "root": root}), "json"
    if style == "flow":
        return f"game: x\nroot: {flow(root)}\n", "yaml"
    return f"game: x\nroot:\n{block(root)}\n", "yaml"


@given(games(4), st.sampled_from([None, 1]), st.sampled_from([(",", ":"), (", ", ": ")]))
def test_json_read_in_bulk_is_the_same(game, indent, separators):
    agree(json.dumps(game, indent=indent, separators=separators), "json")
    agree(json.dumps(game, ensure_ascii=False), "json")


@given(
    plain_trees().filter(lambda root: isinstance(root, dict)),
    st.sampled_from(["json", "flow", "block"]),
)
def test_a_plain_tree_is_read_in_bulk(root, style):
    """Whatever the style; or nothing here would be any faster."""
    assert agree(*written(root, style))


@given(plain_trees().filter(lambda root: isinstance(root, dict)), SPACES, SPACES)
def test_yaml_may_have_spaces_and_lines_anywhere(root, before, after):
    agree(f"game: x\nroot:{before or ' '}{flow(root, after or ' ')}\n", "yaml")
    agree(
        f"description: >\n  two\n  lines\nroot:\n{block(root, '   ', '    ')}\n\ngame: x\n", "yaml"
    )


@given(
    plain_trees().filter(lambda root: isinstance(root, dict)),
    st.sampled_from(["json", "flow", "block"]),
    st.lists(
        st.tuples(
            st.integers(0, 10_000),
            st.integers(0, 3),
            st.sampled_from(
                [
                    "", " ", "\n", "  ", "\n\n", "\t", "{", "}", "[", "]", ",", ":", ": ", "-", "- ",
                    '"', "'", "#", " #", "&a ", "*a", "!t ", "|", "? ", "\\", "\\u0041", "\\ud800", "é",
                    "\x07", "\r", "0", "1", "e", "max", "p: 1, ", '"p": true, ', "null", "for x in ", "<<",
                    "---\n", "...", "root:", "\nroot: ", "a: 1", '"a": 1, ', "NaN", "1e999",
                ]
            ),
        ),
        min_size=1,
        max_size=3,
    ),
)  # fmt: skip
def test_whatever_is_changed_in_a_text_both_ways_agree(root, style, changes):
    """Either it is left to the careful reader, or that has nothing to say, and it is the same."""
    text, notation = written(root, style)
    for at, length, instead in changes:
        start = at % (len(text) + 1)
        text = text[:start] + instead + text[start + length :]

    agree(text, notation)


@pytest.mark.parametrize(
    "text",
    [
        '{"game": "x", "root": {"max": {"a": 1, "a": 2}}}',
        '{"game": "x", "game": "y", "root": {"max": {"a": 1}}}',
        '{"game": "x", "root": {"max": {"a": 1}}, "root": {"max": {"a": 2}}}',
        '{"game": "x", "root": {"max": {"a": 1}}} x',
        '{"game": "x", "root": {"max": {"a": 1}},}',
        '{"game": "x", "root": {"max": {"a": NaN}}}',
        '{"game": "x", "root": {"max": {"a": true}}}',
        '{"game": "x", "root": {"max": {"\\ud800": 1}}}',
        '{"game": "x", "root": {"max": {"a": "b"}}}',
        '{"game": "x", "root": {"max": {}}}',
        '{"game": "x", "root": {"chance": [{"p": 1, "then": 1}, {"p": true, "then": 1}]}}',
        '{"game": "x", "root": {"chance": [{"p": null, "then": 1}, {"p": 1, "then": 1}]}}',
        '{"game": "x", "root": {"chance": [{"p": [1], "then": 1}]}}',
        '{"game": "x", "root": {"chance": [{"weight": {"max": [1]}, "then": 1}]}}',
        '{"game": "x", "root": {"chance": [{"weight": true, "then": 1}]}}',
        '{"game": "x", "root": {"chance": [{"p": "1/2", "then": 1}, {"p": "1/3", "then": 1}]}}',
        '{"game": "x", "root": {"max": [{"p": 1, "then": 1}]}}',
        '{"game": "x", "root": {"max": {"for x in 1..2": 1}}}',
        '{"game": "x", "root": {"max": [1, {"for x in 1..2": "x"}]}}',
        '{"game": "x", "root": {"max": [1], "label": "a"}}',
        '{"game": "x", "params": {"a": 1}, "root": {"max": [1]}}',
        '{"game": "x", "expect": {"value": 3, "best": "c"}, "root": {"max": {"a": 1}}}',
        '{"game": "x", "root": {"max": [' + "9" * 4_001 + "]}}",
        '{"game": "x", "root": {"max": [' + "9" * 5_000 + "]}}",
        '[{"game": "x", "root": {"max": [1]}}]',
        '{"game": "x", "root": 1e5}{',
        '{"root": {"max": [1]}}',
    ],
)
def test_json_that_is_no_plain_tree_is_left_to_the_careful_reader(text):
    assert in_bulk(text, "json") is None


@pytest.mark.parametrize(
    "text",
    [
        "game: x\nroot: {max: {a: 1, a: 2}}\n",
        "game: x\nroot: {max: {a: 1, }}\n",
        "game: x\nroot: {max: {a:1}}\n",
        "game: x\nroot: {max: {a: 1 2}}\n",
        "game: x\nroot: {max: {a: 1} }}\n",
        "game: x\nroot: {max: {a: 010}}\n",
        "game: x\nroot: {max: {a: &b 1, c: *b}}\n",
        "game: x\nroot: {max: {a: 1}} # a comment\n",
        "game: x\nroot: {max: {---: 1}}\n",
        "game: x\nroot: {max: {a: 1}}\nroot: {max: {a: 2}}\n",
        'game: x\ndescription: "a\nroot: {max: {a: 1}}\nb"\n"root": 0\n',
        "{game: x,\nroot:\n  max:\n    a: 1\n}\n",
        "game: x\nroot: foo\n  max:\n    a: 1\n",
        "game: x\nroot:\n  max:\n    a: 1\n   b: 2\n",
        "game: x\nroot:\n  max:\n    a: 1\n      b: 2\n",
        "game: x\nroot:\n  max:\n    a:\n    b: 2\n",
        "game: x\nroot:\n  max:\n    a:\n",
        "game: x\nroot:\n\tmax:\n    a: 1\n",
        "game: x\nroot:\n",
        "game: x\nroot: |\n  max:\n    a: 1\n",
        "--- |\ngame: x\nroot: {max: {a: 1}}\n",
        "game: x\nroot: {max: {" + "a" * 2_000 + ": 1}}\n",
    ],
)
def test_yaml_that_is_no_plain_tree_is_left_to_the_careful_reader(text):
    assert in_bulk(text, "yaml") is None


def test_a_tree_that_may_be_nested_too_deeply_is_left_to_the_careful_reader():
    def chain(levels):
        return '{"max":[' * levels + "1" + "]}" * levels

    deep = f'{{"game": "x", "root": {chain(MAX_DEPTH // 2)}}}'
    sure = f'{{"game": "x", "root": {chain(SURE_LEVELS)}}}'

    assert in_bulk(deep, "json") is None
    assert agree(sure, "json")


@pytest.mark.parametrize("style", ["json", "flow", "block"])
@pytest.mark.parametrize("error", [None, "twice", "odds", "name"])
def test_a_file_says_the_same_both_ways(tmp_path, monkeypatch, style, error):
    """The same game, or the same mistakes at the same places."""
    below = {f"b{i}": str(i) for i in range(300)}
    if error == "name":
        below["b7"] = "fee"
    root = {"chance": {"x": {"p": "1/2", "max": below}, "y": {"p": "1/2", "min": below}}}
    if error == "odds":
        root["chance"]["y"]["p"] = "1/3"
    text, notation = written(root, style)
    if error == "twice":
        text = text.replace("b299", "b298")
    path = tmp_path / f"game.{notation}"
    path.write_text(text)
    monkeypatch.setattr(games_module, "LARGE_TEXT", 0)

    found, careful = tree_or_reading(str(path)), read_path(str(path))

    if error is None:
        assert isinstance(found, Game)
        assert careful.document is not None
        assert found.evaluate() == Game.from_document(careful.document).evaluate()
        assert found.document.data == careful.document.data
        assert found.document.place_of(found.document.data).end == len(text.rstrip())
    else:
        assert not isinstance(found, Game)
        assert as_text(found.diagnostics, False) == as_text(careful.diagnostics, False)
        assert carefully(text, notation)[1]


def test_a_large_file_is_evaluated_and_its_mistakes_are_found(tmp_path):
    """Through the command line, in either case."""
    below = {f"leaf number {i}": i * 7919 % 10_007 for i in range(5_000)}
    good = json.dumps({"game": "large", "root": {"max": below}}, indent=1)
    path = tmp_path / "game.json"

    def evaluate(text):
        path.write_text(text)
        command = [sys.executable, "-m", "gametree", "eval", str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    well, ill = evaluate(good), evaluate(good.replace("leaf number 4999", "leaf number 4998"))

    best = max(below, key=below.__getitem__)
    assert (well.returncode, well.stderr) == (0, "")
    assert f"best   {best}" in well.stdout
    assert (ill.returncode, ill.stdout) == (1, "")
    assert "GT103" in ill.stderr
    assert "game.json:5004:4" in ill.stderr


def test_a_large_tree_is_evaluated_without_its_document(tmp_path, monkeypatch):
    """It would take longer than all the rest."""

    def refuse(_):
        raise AssertionError("the document was read")

    monkeypatch.setattr(games_module, "LARGE_TEXT", 0)
    monkeypatch.setattr(Sketch, "read", refuse)
    path = tmp_path / "game.json"
    path.write_text('{"game": "x", "root": {"max": {"a": 1, "b": 2}}}')

    game = gametree.load(path)

    assert (game.name, game.evaluate().best) == ("x", ("b",))
    assert game.evaluate(play={"max": "worst"}, numbers="float").value == 1


def test_what_was_sketched_is_let_go():
    """The DAG takes the tree, so that both are never whole at once."""
    found = sketch(Source("game", '{"game": "x", "root": {"max": [1, 2]}}'), "json")

    assert found is not None
    assert sketched_dag(found.root) is not None
    assert found.root == []
