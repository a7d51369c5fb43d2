"""The text notation: what it is read into, where everything stands, and what is refused."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from gametree.spec.diagnostics import Code, Diagnostic
from gametree.spec.document import Data, Document
from gametree.spec.reader import read_path
from gametree.spec.source import Source
from gametree.spec.text_reader import read_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TREES = Path(__file__).parent.parent / "trees"


def read(text: str) -> Document:
    """The document of a text that has nothing wrong with it."""
    reading = read_text(Source("game.tree", text))
    assert reading.diagnostics == []
    assert reading.document is not None
    return reading.document


def problems(text: str) -> list[Diagnostic]:
    """What is wrong with a text that has something wrong with it."""
    reading = read_text(Source("game.tree", text))
    assert reading.document is None
    assert reading.diagnostics
    return reading.diagnostics


# ---- both notations ----


@pytest.mark.parametrize("path", sorted(TREES.glob("*.tree")), ids=lambda path: path.stem)
def test_bundled_trees_read_alike_in_both_notations(path: Path):
    """A tree and its YAML twin are one document."""
    text, yaml = read_path(str(path)), read_path(str(path.with_suffix(".yaml")))

    assert text.document is not None
    assert yaml.document is not None
    assert text.document.data == yaml.document.data


NODES: dict[str, Data] = {
    "5": "5",
    "-5": "-5",
    "1/3 + x": "1/3 + x",
    "max { 1, -2; +3\n.5 }": {"max": ["1", "-2", "+3", ".5"]},
    "max { a: 1, b: f(2), }": {"max": {"a": "1", "b": "f(2)"}},
    "max {\n\n  a: 1\n\n  b: -2\n}": {"max": {"a": "1", "b": "-2"}},
    "max\n{ a: 1 }": {"max": {"a": "1"}},
    'max { "no such": 1, 2: 3, true: 4, `b c`: 5, 1.5: 6 }': {
        "max": {"no such": "1", "2": "3", "true": "4", "b c": "5", "1.5": "6"}
    },
    r'max { "a\"b\n": 1 }': {"max": {'a"b\n': "1"}},
    "max { a: min { 1, 2 } b: min { 3 } }": {
        "max": {"a": {"min": ["1", "2"]}, "b": {"min": ["3"]}}
    },
    "max { min { 1 } min { 2 } }": {"max": [{"min": ["1"]}, {"min": ["2"]}]},
    "max { max: 1, min: 2, label: 3, note: 4, cost: 5, rest: 6, as: 7, if: 8, for: 9, p: 0 }": {
        "max": dict(
            zip("max min label note cost rest as if for p".split(), "1234567890", strict=True)
        )
    },
    "chance { a @ 1/3: 1, b @ rest: 2, c @ weight 3: 4 }": {
        "chance": {
            "a": {"p": "1/3", "then": "1"},
            "b": {"p": "rest", "then": "2"},
            "c": {"weight": "3", "then": "4"},
        }
    },
    "chance { @ 1/3: 1, @ 2/3: min { 2 } }": {
        "chance": [{"p": "1/3", "then": "1"}, {"p": "2/3", "min": ["2"]}]
    },
    "chance { a @ 50%: if x then 1 else 2 }": {
        "chance": {"a": {"p": "50%", "if": "x", "then": "1", "else": "2"}}
    },
    'chance { for x in 1..3 if x != 2 @ x / 4 as "roll {x}": f(x) }': {
        "chance": {'for x in 1..3 if x != 2 @ x / 4 as "roll {x}"': "f(x)"}
    },
    "chance { for x in s @ weight x: for y in t: x + y }": {
        "chance": {"for x in s @ weight x": {"for y in t": "x + y"}}
    },
    "chance { 1, for x in s: x, 3 }": {"chance": ["1", {"for x in s": "x"}, "3"]},
    'chance { "1": 0, for x in {1: 1/2, 2: rest}: x }': {
        "chance": {"1": "0", "for x in {1: 1/2, 2: rest}": "x"}
    },
    "if a then 1 else if b\n then max { 2 }\n else 3": {
        "if": "a",
        "then": "1",
        "else": {"if": "b", "then": {"max": ["2"]}, "else": "3"},
    },
    "let n = t + d in f(n)": {"let": {"n": "t + d"}, "then": "f(n)"},
    "let n = 1, m = n in let k = m in max { n }": {
        "let": {"n": "1", "m": "n", "k": "m"},
        "max": ["n"],
    },
    "let n = 1 in let n = n + 1 in n": {
        "let": {"n": "1"},
        "then": {"let": {"n": "n + 1"}, "then": "n"},
    },
    "let n = 1 in then let m = 2 in m": {
        "let": {"n": "1"},
        "then": {"let": {"m": "2"}, "then": "m"},
    },
    'label "x" note "y" cost 3 reward a + 1 let n = 1 in max { 5 }': {
        "label": "x",
        "note": "y",
        "cost": "3",
        "reward": "a + 1",
        "let": {"n": "1"},
        "max": ["5"],
    },
    'label "x" 5': {"label": "x", "then": "5"},
    "cost 3 then f(0)": {"cost": "3", "then": "f(0)"},
    "cost -3 then 1": {"cost": "-3", "then": "1"},
    "cost (a + b) * 2 chance { 1 }": {"cost": "(a + b) * 2", "chance": ["1"]},
    "cost 3 then max { 1 }": {"cost": "3", "then": {"max": ["1"]}},
    "cost 3 if a then 1 else 2": {"cost": "3", "if": "a", "then": "1", "else": "2"},
    "then 5": {"then": "5"},
    "cost": "cost",
    "cost * 2": "cost * 2",
    "cost(1) - reward[2]": "cost(1) - reward[2]",
    "max(a, b) + min(c)": "max(a, b) + min(c)",
    "(if a then b else c)": "if a then b else c",
    "((let a = 1 in a))": "(let a = 1 in a)",
    "(if a then b else c) + 1": "(if a then b else c) + 1",
    "f(1, # one\n   2)": "f(1, 2)",
    "a +\n  b": "a + b",
    "`legal fees` * 2": "`legal fees` * 2",
    "max { }": {"max": {}},
    "max { a: 25%\n b: 10 % 3\n c: 1 }": {"max": {"a": "25%", "b": "10 % 3", "c": "1"}},
}


@pytest.mark.parametrize("text", NODES)
def test_nodes_are_read_into_the_documents_form(text: str):
    """What each way of writing a node is in the document."""
    assert read(f"root {text}").data == {"root": NODES[text]}
    assert read(f"root max {{ x: {text}\n y: 1 }}").data == {
        "root": {"max": {"x": NODES[text], "y": "1"}}
    }


def test_statements_make_the_sections_of_the_document():
    """Every statement, in one file."""
    document = read(
        'game "a \\"b\\""; description """\n  two\n    lines\n  """\n'
        "param target = 21\nparam `legal fees` = [1, 2]\n"
        "define won(b) = any(b & l == l\n  for l in lines)\ndefine lines = [7, 56]\n"
        "node turn(total: 0..target) = total\nnode start = turn(0)\n"
        "root start\nbounds 0..21\n"
        'policy "hit until 17" { turn(total): if total < 17 then "hit" else "stand", start: "x" }\n'
        'policy mixed { start: {"hit": 1/2, "stand": rest}\n turn(t): {t: 1} }\n'
        'expect { value: 15.5, within: 1e-6; best: ["a", "b"]\n branches: { hit: 9.5, "x y": 1/2 } }\n'
        'expect { at: turn(16), play: {min: "random"}, note: "so" }\n'
    )

    assert document.notation == "text"
    assert document.data == {
        "game": 'a "b"',
        "description": "two\n  lines",
        "params": {"target": "21", "legal fees": ["1", "2"]},
        "define": {"won(b)": "any(b & l == l for l in lines)", "lines": "[7, 56]"},
        "nodes": {"turn(total: 0..target)": "total", "start": "turn(0)"},
        "root": "start",
        "bounds": ["0", "21"],
        "policies": {
            "hit until 17": {
                "turn(total)": 'if total < 17 then "hit" else "stand"',
                "start": '"x"',
            },
            "mixed": {"start": {"hit": "1/2", "stand": "rest"}, "turn(t)": "{t: 1}"},
        },
        "expect": [
            {
                "value": "15.5",
                "within": "1e-6",
                "best": ["a", "b"],
                "branches": {"hit": "9.5", "x y": "1/2"},
            },
            {"at": "turn(16)", "play": {"min": "random"}, "note": "so"},
        ],
    }


def test_bounds_are_a_range_or_a_list():
    """Both are a list of two."""
    assert read("bounds [0, 21]").data == read("bounds 0..21").data == {"bounds": ["0", "21"]}


def test_windows_line_ends_change_nothing():
    """CRLF is a line break like any other."""
    text = "root max {\n  a: 1 +\n  2\n  b: 3\n}\n"

    assert read(text.replace("\n", "\r\n")).data == read(text).data


# ---- places ----


def test_every_key_and_value_has_its_place():
    """The stretch that marks give is the stretch that says the key or the value."""
    document = read(
        'game "x"\nparam k = 2\nnode f(a: 0..3) = max { stop: a, "go on": cost k then f(a - 1) }\n'
        "root chance { a @ 1/3: f(1), b @ rest: let n = 1 in min { n } }\n"
        "expect { value: 3, branches: { a: 1 } }"
    )
    seen: list[str] = []
    stack: list[Data] = [document.data]
    while stack:
        container = stack.pop()
        if isinstance(container, str):
            continue
        keys = range(len(container)) if isinstance(container, list) else list(container)
        for key in keys:
            value = container[key]  # pyright: ignore[reportArgumentType, reportCallIssue]
            place = document.value_place(container, key)
            if isinstance(value, str):
                assert place.text.strip('"') == value
            if isinstance(key, str) and key in (
                "stop",
                "go on",
                "cost",
                "let",
                "n",
                "branches",
                "k",
            ):
                assert document.key_place(container, key).text.strip('"') == key
                seen.append(key)
            stack.append(value)

    assert sorted(set(seen)) == sorted(["stop", "go on", "cost", "let", "n", "branches", "k"])


def test_a_place_inside_a_scalar_is_exact():
    """Also where the whole scalar stood in round brackets."""
    document = read("root max { a: (if x then yy else z), b: 1 + zz }")
    root = document.data["root"]
    assert isinstance(root, dict)
    branches = root["max"]
    assert isinstance(branches, dict)

    assert document.inner_place(branches, "a", 10, 12).text == "yy"
    assert document.inner_place(branches, "b", 4, 6).text == "zz"


def test_comments_are_kept_when_asked_for():
    """With their places, and whether they have a line of their own."""
    source = Source("g", "# one\nroot 5 # two\n  # three\n")
    kept = read_text(source, comments=True).document
    plain = read_text(source).document

    assert kept is not None
    assert plain is not None
    assert [(c.text, c.own_line) for c in kept.comments] == [
        ("one", True),
        ("two", False),
        ("three", True),
    ]
    assert [source.text[c.start] for c in kept.comments] == ["#", "#", "#"]
    assert plain.comments == ()


# ---- messages ----


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ("chance { 0.5: 10, 0.5: 0 }", "for odds write `label @ 0.5: …`; or rename one of them"),
        ("chance { 2: 10, 2: 0 }", "rename or delete one of them"),
        ("max { 0.5: 10, 0.5: 0 }", "rename or delete one of them"),
    ],
)
def test_odds_in_the_place_of_labels_that_are_written_twice(block: str, told: str):
    [problem] = problems(f'game "x"\nroot {block}')

    assert (problem.code, problem.help) == (Code.DUPLICATE_KEY, told)


SLIPS = [
    ('game: "x"', "1:5", "`game` takes no `:` in this notation", "write `game …`, without it"),
    ('gmae "x"', "1:1", "expected a statement, found `gmae`", "did you mean `game`?"),
    ("game x", "1:6", "expected a text in quotes after `game`, found `x`", 'write `game "…"`'),
    ("max { 1 }", "1:1", "expected a statement, found `max`", "write `root max { … }` or `node name = max { … }`"),
    ("root = 3", "1:6", "`root` takes no `=`", "leave the `=` out"),
    ("param x 3", "1:9", "expected `=` after `x`, found `3`", None),
    ("param = 3", "1:7", "expected a name after `param`, found `=`", None),
    ("param x =", "1:9", "expected a value after `=`, found nothing", None),
    ("node f(x) max { 1 }", "1:11", "expected `=` after `)`, found `max`", None),
    ("expect value: 3", "1:8", "expected `{` after `expect`, found `value`", None),
    ('policy "x" { turn "a" }', "1:19", 'expected `:` after `turn`, found `"a"`', None),
    ("root max { a: 1", "1:10", "`{` is never closed", "add `}` where it ends"),
    ("root max { a: 3 }}", "1:18", "`}` closes nothing", "remove it, or open it with `{`"),
    ("root max {\n a: (2 + 3\n b: 4\n}", "2:5", "`(` is never closed", "add `)` where it ends"),
    ("root max { a: 3 +\n b: 4 }", "1:17", "expected a value after `+`, found the end of the line", None),
    ("root 1\n + 2", "2:2", "a statement cannot begin with `+`", "a line that goes on ends with an operator, or the whole stands in round brackets"),
    ("root max { 1 2 }", "1:14", "expected an operator between `1` and `2`", "or a comma or a new line, if they are two things"),
    ("root max { a 3 }", "1:14", "expected an operator between `a` and `3`", "or a comma or a new line, if they are two things"),
    ("root chance { a @ 1/3 3 }", "1:23", "expected an operator between `3` and `3`", "or `:`, before the branch's node"),
    ("root chance { a: 3 @ 1/2 }", "1:20", "the odds of a branch stand before its `:`", "write `label @ 1/3: node`"),
    ("root chance { a @: 3 }", "1:18", "expected a value after `@`, found `:`", None),
    ("root max { a: , b: 3 }", "1:15", "expected a node after `:`, found `,`", None),
    ("root chance { six 1/6: 3, b @ rest: 0 }", "1:19", "the odds of an outcome stand behind its label and `@`", "write `six @ 1/6: …`"),
    ('root chance { "a b" 50%: 3 }', "1:21", "the odds of an outcome stand behind its label and `@`", 'write `"a b" @ 50%: …`'),
    ("root chance { a: 1, 1/3: 5 }", "1:21", "the odds of an outcome stand behind its label and `@`", 'write `label @ 1/3: …`, or `"1/3": …` if that is its label'),
    ("root chance { a: 1/6: 10, b: 5/6: 0 }", "1:18", "the odds of an outcome stand behind its label and `@`", "write `a @ 1/6: …`"),
    ("root chance {\n 1: 0.5: 10\n 2: 0.5: 0 }", "2:5", "the odds of an outcome stand behind its label and `@`", "write `1 @ 0.5: …`"),
    ("root min [3, 12, 8]", "1:10", "the branches of `min` stand in curly brackets", "write `min { 3, 12, 8 }`, or `min(3, 12, 8)` for a number"),
    ("root max { a: chance [max { 1, 2 }, 3] }", "1:22", "the branches of `chance` stand in curly brackets", "write `chance { … }`"),
    ("root chance { card 3: 5 }", "1:15", "`card 3` is no label as it stands", 'put it in quotes: `"card 3"`'),
    ("root chance { 2: 1 2 }", "1:20", "expected an operator between `1` and `2`", "or a comma or a new line, if they are two things"),
    ("root max { no such: 3 }", "1:12", "`no such` is no label as it stands", 'put it in quotes: `"no such"`'),
    ("root max { 1/3: 5 }", "1:12", "`1/3` is no label as it stands", 'put it in quotes: `"1/3"`'),
    ("root max { else: 5 }", "1:12", "`else` is no label as it stands", 'put it in quotes: `"else"`'),
    ("root max { a: 1, 2 }", "1:18", "1 branch of this block has a label and 1 has none", "give every branch of a block a label, or none"),
    ("root max { a: 0,5\n b: 2 }", "1:17", "2 branches of this block have a label and 1 has none", "for a decimal write `0.5`: a comma separates branches"),
    ("root 1 + max { 2 }", "1:10", "`max { … }` cannot be part of an expression", "give it a name, `node n = max { … }`, and use `n` here"),
    ("root max { 1 } + 2", "1:16", "`+` cannot follow a block", "give the block a name, `node n = …`, and calculate with `n`"),
    ("root max: { 1 }", "1:9", "`max` takes no `:` in this notation", "write `max { … }`"),
    ("root { a: 3 }", "1:6", "a block begins with `max`, `min` or `chance`", "write `max { … }`, `min { … }` or `chance { … }`"),
    ("root cost 3 5", "1:13", "expected a node after `cost 3`, found `5`", "a block such as `max { … }` can follow, or `then`: `cost 3 then 5`"),
    ("root max { a: label x 5 }", "1:21", "expected a text in quotes after `label`, found `x`", 'write `label "…"`'),
    ("root if x then max { 1 }", "1:11", "`then` without `else`", "it is written `if c then a else b`"),
    ('game "a" root 3', "1:10", "expected a new line before `root`", "statements stand on lines of their own"),
    ('game "a\\q"', "1:8", "`\\q` means nothing in a text", r'write `\\` for a backslash; the others are \" \/ \b \f \n \r \t \uXXXX'),
    ('description """a', "1:13", '`"""` is never closed', None),
    ("root max { a: 1 a: 2 }", "1:17", "a comma or a new line is missing between the branches", "write `, a: …`"),
    ("expect { value }", "1:10", "this entry has no value", "entries are written `key: value`, such as `value: 12`"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "message", "help_"), SLIPS, ids=[s[0] for s in SLIPS])
def test_slips_are_explained(text: str, place: str, message: str, help_: str | None):
    """One message, at the right place, with what to do about it."""
    [problem] = problems(text)

    assert problem.code is Code.SYNTAX
    assert f"{problem.place.line}:{problem.place.column}" == place
    assert (problem.message, problem.help) == (message, help_)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("root max { a: 1, b: 2, a: 3 }", ["1:12", "1:24"]),
        ("root 1\nroot 2", ["1:1", "2:1"]),
        ('game "a"\ngame "b"', ["1:1", "2:1"]),
        ("param a = 1\nparam a = 2", ["1:7", "2:7"]),
        ("node a = 1\nnode a = 2", ["1:6", "2:6"]),
        ("root let a = 1, a = 2 in a", ["1:10", "1:17"]),
        ("root cost 1 cost 2 then 3", ["1:6", "1:13"]),
        ("expect { value: 1, value: 2 }", ["1:10", "1:20"]),
        ('policy p { a: "x" }\npolicy p { a: "y" }', ["1:8", "2:8"]),
    ],
)
def test_what_is_said_twice_shows_both_places(text: str, places: list[str]):
    """Labels, statements, names: none replaces another silently."""
    [problem] = problems(text)
    [note] = problem.notes
    assert note.place is not None

    assert problem.code is Code.DUPLICATE_KEY
    assert [f"{p.line}:{p.column}" for p in (note.place, problem.place)] == places


def test_one_slip_does_not_hide_the_next():
    """Each statement is read for itself, also past a bracket that is never closed."""
    found = problems(
        "game x\nparam a = 1 +\nnode f(a) = max {\n  b: (1\nnode g = max { 1, 2 }\nroot max { a: 010, a: 2 }\n"
    )

    assert [(p.code.value, p.place.line) for p in found] == [
        ("GT108", 1),
        ("GT108", 2),
        ("GT108", 4),
        ("GT305", 6),
        ("GT103", 6),
    ]


def test_a_file_of_comments_is_empty():
    """It has no statement."""
    [problem] = problems("# nothing\n\n")

    assert problem.code is Code.EMPTY


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_mangled_files_give_documents_or_diagnostics(data: st.DataObject):
    """Whatever is cut, doubled or put in, nothing else comes out, and places are inside the file."""
    text = data.draw(st.sampled_from([p.read_text("utf-8") for p in sorted(TREES.glob("*.tree"))]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 20)))
        piece = data.draw(
            st.sampled_from(
                [
                    "",
                    "{",
                    "}",
                    "(",
                    ")",
                    '"',
                    "\n",
                    ":",
                    "@",
                    "if ",
                    "let ",
                    "for ",
                    "é",
                    " = ",
                    "`",
                    ",",
                ]
            )
        )
        text = text[:start] + piece + text[end:]
    reading = read_text(Source("g", text), comments=True)

    assert (reading.document is None) == bool(reading.diagnostics)
    for problem in reading.diagnostics:
        assert 0 <= problem.place.start <= problem.place.end <= len(text)
        assert not any(word in problem.message for word in ("LPAR", "$END", "Token"))


# ---- limits and cost ----


@pytest.mark.parametrize(
    "text",
    [
        "root " + "max { " * 100_000,
        "root " + "max { a: " * 120 + "1" + " }" * 120,
        "root " + "if a then 1 else " * 5_000 + "1",
        "root " + "let a = 1 in " * 5_000 + "a",
        "root " + "then " * 5_000 + "1",
        "root chance { " + "for x in s: " * 5_000 + "1 }",
        "expect { best: " + "[" * 150 + "{ a: " * 60 + "1" + " }" * 60 + "]" * 150 + " }",
    ],
    ids=lambda text: text[:14],
)
def test_deep_files_are_refused(text: str):
    """One clear limit for every way of nesting; it is reached quickly."""
    start = time.perf_counter()
    [problem] = problems(text)

    assert problem.code is Code.NESTING
    assert time.perf_counter() - start < 20


def test_repeated_prefixes_do_not_nest():
    """A long row of costs is many duplicates, not many levels."""
    found = problems("root " + "cost 1 " * 3_000 + "then 1")

    assert {p.code for p in found} == {Code.DUPLICATE_KEY}


def test_a_large_tree_is_read():
    """65,536 leaves, every one of them."""
    number = random.Random(1)

    def node(level: int) -> str:
        if level == 8:
            return str(number.randrange(100))
        inner = (f"m{i}: {node(level + 1)}" for i in range(4))
        return "max min chance".split()[level % 3] + " {\n" + "\n".join(inner) + "\n}"

    text = f'game "large"\nroot {node(0)}\n'
    level = [read(text).data["root"]]
    for _ in range(8):
        level = [child for data in level for child in next(iter(data.values())).values()]

    assert len(level) == 4**8
