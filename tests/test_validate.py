"""Structure: the schema, the shapes known without it, and what is said about the rest."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

import jsonschema
import pytest
from gametree.spec import shapes
from gametree.spec import validate as validation
from gametree.spec.diagnostics import Code, Diagnostic, in_order
from gametree.spec.literal_odds import odds_problems
from gametree.spec.reader import bundled, bundled_names, read_bytes
from gametree.spec.validate import part_validator, schema, validate, validator
from hypothesis import given, settings
from hypothesis import strategies as st


def problems_of(text: str) -> list[Diagnostic]:
    reading = read_bytes("x.yaml", text.encode(), "yaml")
    assert reading.diagnostics == []
    assert reading.document is not None
    return in_order(validate(reading.document))


def problems_at(root: str) -> list[Diagnostic]:
    return problems_of(f"game: x\nroot: {root}\n")


def only(problems: list[Diagnostic]) -> Diagnostic:
    [problem] = problems
    return problem


# --- what is wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("root", "code", "says", "at"),
    [
        ("{max: {a: 1}, min: [2]}", Code.NODE_KIND, "`max` and `min`", "min"),
        ("{max: [1], min: [2], chance: [3]}", Code.NODE_KIND, "`max` and `min`", "min"),
        ("{if: a, max: [1]}", Code.NODE_KIND, "`if` and `max`", "max"),
        ("{then: 3, max: [1]}", Code.NODE_KIND, "`then` and `max`", "max"),
        ("{a: 1, b: 2}", Code.NODE_KIND, "no node", "root"),
        ("{}", Code.NODE_KIND, "empty mapping is no node", "root"),
        ("{cost: 3}", Code.NODE_KIND, "no node", "root"),
        ("{max: {a: {for x in S: 3}}}", Code.NODE_KIND, "no node", "a"),
        ("{max: [{for x in S: 3, for y in S: 3}]}", Code.NODE_KIND, "no node", "for x in S"),
        ("{mac: [1]}", Code.UNKNOWN_KEY, "unknown key `mac`", "mac"),
        ("{payoff: 3}", Code.UNKNOWN_KEY, "unknown key `payoff`", "payoff"),
        ("{max: [1], colour: red}", Code.UNKNOWN_KEY, "unknown key `colour`", "colour"),
        ("{max: [1], for x in S: 3}", Code.UNKNOWN_KEY, "a loop stands here", "for x in S"),
        ("{if: a}", Code.MISSING_KEY, "`if` without `then` and `else`", "if"),
        ("{if: a, then: 3}", Code.MISSING_KEY, "`if` without `else`", "if"),
        ("{then: 3, else: 4}", Code.MISSING_KEY, "`then` without `if`", "then"),
        ("{max: []}", Code.NO_BRANCHES, "`max` has no branches", "max"),
        ("{max: {}}", Code.NO_BRANCHES, "`max` has no branches", "max"),
        ("{min: }", Code.NO_BRANCHES, "`min` has no branches", "min"),
        ("{chance: {}}", Code.NO_BRANCHES, "`chance` has no outcomes", "chance"),
        ("{max: 3}", Code.WRONG_SHAPE, "here stands the text `3`", "3"),
        ("[1, 2]", Code.WRONG_SHAPE, "here stands a list", "[1, 2]"),
        ("{max: [[1]]}", Code.WRONG_SHAPE, "item 1 wants a node", "[1]"),
        ("{then: 3, cost: [1]}", Code.WRONG_SHAPE, "`cost` wants a number", "[1]"),
        ("{then: 3, let: n}", Code.WRONG_SHAPE, "`let` wants a mapping", "n"),
        ("{p: 1/2, then: 3}", Code.ODDS_OUTSIDE_CHANCE, "`p` stands outside a chance node", "p"),
        ("{max: [{weight: 1, then: 3}]}", Code.ODDS_OUTSIDE_CHANCE, "`weight` stands outside", "weight"),
        ("{chance: {for x in 1..2: {p: 1/2, then: 3}}}", Code.ODDS_OUTSIDE_CHANCE, "below a loop", "p"),
        ("{chance: [{p: 1/3, then: 1}, {p: 1/3, then: 2}]}", Code.PROBABILITY_SUM, "2/3, not 1", "chance"),
        ("{chance: [{p: 0.8, then: 1}, {p: 0.3, then: 2}]}", Code.PROBABILITY_SUM, "11/10, not 1", "chance"),
        ("{chance: [{p: 2/3, then: 1}, {p: 2/3, then: 1}, {p: rest, then: 2}]}",
         Code.PROBABILITY_SUM, "beside `rest` sum to 4/3", "chance"),
        ("{chance: [{p: 1.5, then: 1}, {p: rest, then: 2}]}", Code.PROBABILITY_RANGE, "3/2 is above 1", "1.5"),
        ("{chance: [{p: -1%, then: 1}, {p: rest, then: 2}]}", Code.PROBABILITY_RANGE, "-1/100 is negative", "-1%"),
        ("{chance: [{p: 1/2, then: 1}, {weight: 2, then: 2}]}", Code.MIXED_ODDS, "mixed", "2"),
        ("{chance: [{p: 1, weight: 2, then: 1}]}", Code.MIXED_ODDS, "both", "2"),
        ("{chance: {a: {p: 1/2, then: 1}, b: 2}}", Code.MIXED_ODDS, "`b` has no probability", "b"),
        ("{chance: {a: {p: x, then: 1}, b: 2}}", Code.MIXED_ODDS, "`b` has no probability", "b"),
        ("{chance: [{weight: -1, then: 1}, {weight: 2, then: 2}]}", Code.WEIGHT, "-1 is negative", "-1"),
        ("{chance: [{weight: 0, then: 1}]}", Code.WEIGHT, "all weights are 0", "chance"),
    ],
)  # fmt: skip
def test_a_wrong_node_is_one_report_at_its_place(root: str, code: Code, says: str, at: str):
    """No mistake has knock-ons."""
    problem = only(problems_at(root))

    assert problem.code is code
    assert says in problem.message
    assert problem.place.text == at


@pytest.mark.parametrize(
    ("text", "code", "says", "at"),
    [
        ("game: x\n", Code.MISSING_KEY, "`root` is missing", "game"),
        ("root: 3\n", Code.MISSING_KEY, "`game` is missing", "root"),
        ("gam: x\nroot: 3\n", Code.UNKNOWN_KEY, "unknown key `gam`", "gam"),
        ("game: x\nroot: 3\nsees: 2\n", Code.RESERVED, "`sees` is reserved", "sees"),
        ("game: x\nroot: 3\nplayers: 2\n", Code.WRONG_SHAPE, "`players` wants a mapping", "2"),
        ("game: x\nroot: 3\nplayers: {mix: a}\n", Code.UNKNOWN_KEY, "`mix`", "mix"),
        ("game: x\nroot: 3\nbounds: [1]\n", Code.WRONG_SHAPE, "it has 1", "[1]"),
        ("game: x\nroot: 3\nnodes:\n", Code.WRONG_SHAPE, "here stands nothing", "nodes"),
        ("game: x\nroot: 3\nparams: [1]\n", Code.WRONG_SHAPE, "`params` wants a mapping", "[1]"),
        ("game: x\nroot: 3\npolicies: {a: 3}\n", Code.WRONG_SHAPE, "`a` wants a policy", "3"),
        ("game: x\nroot: 3\nexpect: {valu: 3}\n", Code.UNKNOWN_KEY, "unknown key `valu`", "valu"),
        ("game: x\nroot: 3\nexpect: [{note: a}]\n", Code.MISSING_KEY, "expects nothing", "note"),
        (
            "game: x\nroot: 3\nexpect: {value: 3, algorithm: minmax}\n",
            Code.UNKNOWN_CHOICE,
            "`minmax`",
            "minmax",
        ),
        ("game: x\nroot: 3\nexpect: {size: {node: 3}}\n", Code.UNKNOWN_KEY, "`node`", "node"),
        ("game: x\nroot: 3\nexpect: [3]\n", Code.WRONG_SHAPE, "item 1 wants an expectation", "3"),
    ],
)
def test_a_wrong_top_is_one_report_at_its_place(text: str, code: Code, says: str, at: str):
    problem = only(problems_of(text))

    assert problem.code is code
    assert says in problem.message
    assert problem.place.text == at


@pytest.mark.parametrize(
    ("root", "help_"),
    [
        ("{mac: [1]}", "did you mean `max`?"),
        ("{payoff: 3}", "did you mean `then`?"),
        ("{chance: [{prob: 1, then: 3}]}", "did you mean `p`?"),
        (
            "{then: 3, \u0441ost: 3}",
            "did you mean `cost`? `\u0441` is U+0441 CYRILLIC SMALL LETTER ES",
        ),
    ],
)
def test_an_unknown_key_offers_the_one_that_was_meant(root: str, help_: str):
    """Also for the words of other tools, and for letters that only look right."""
    problem = only(problems_at(root))

    assert problem.help == help_
    assert problem.notes[0].message.startswith("allowed here: `chance`, `cost`")


def test_three_decimal_thirds_are_reported_with_what_is_missing():
    """0.333 three times leaves 1/1000, the message says so, and each term is shown."""
    text = "game: x\nroot:\n  chance:\n" + "".join(
        f"    {c}: {{p: 0.333, then: 1}}\n" for c in "abc"
    )
    problem = only(problems_of(text))

    assert problem.message == "the outcomes' probabilities sum to 999/1000, not 1"
    assert problem.place.line == 3
    assert [(note.message, note.place.text) for note in problem.notes] == [
        ("333/1000", "0.333")
    ] * 3
    assert "1/1000 is missing" in problem.help
    assert "`p: rest`" in problem.help


def test_all_mistakes_of_a_file_are_reported_in_reading_order():
    text = (
        "game: x\nroot:\n  max:\n    a: {}\n    b: {chance: []}\n    c: {p: 1, then: 3}\nfoo: 1\n"
    )

    assert [(p.code, p.place.line) for p in problems_of(text)] == [
        (Code.NODE_KIND, 4), (Code.NO_BRANCHES, 5), (Code.ODDS_OUTSIDE_CHANCE, 6), (Code.UNKNOWN_KEY, 7),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "root",
    [
        "{max: {no: 1, on: 2, off: 3}}",
        "{chance: [{p: 1/3, then: 1}, {p: 2/3, then: 2}]}",
        "{chance: [{p: 0.1, then: 1}, {p: rest, then: 2}, {p: rest, then: 3}]}",
        "{chance: [{p: 1, then: 1}, {p: rest, then: 2}]}",
        "{chance: [{p: x, then: 1}, {p: 1/3, then: 2}]}",
        "{chance: {for x in S @ 1/3: 1, a: {p: 1/3, then: 2}}}",
        "{chance: [{for x in S: {for y in S: 1}}, 3]}",
        "{max: [{for x in S: {max: [1]}}]}",
        "{chance: {a: {weight: 0, then: 1}, b: {weight: 3, then: 2}}}",
        "{if: a, then: {cost: 3, then: 4}, else: {let: {n: 1}, max: [n]}}",
        "{label: a, note: b, reward: 1, cost: 2, let: {}, then: 3}",
    ],
)
def test_what_is_right_is_accepted(root: str):
    assert problems_at(root) == []


def test_an_alias_is_judged_in_each_place_and_each_object_once():
    """An outcome may carry `p`; the same object under `max` may not."""
    found = problems_of(
        "game: x\n"
        "root: {chance: &a [{p: 1, then: 3}]}\n"
        "nodes: {f: {max: *a}, g: {max: *a}, h: {chance: *a}}\n"
    )

    assert [p.code for p in found] == [Code.ODDS_OUTSIDE_CHANCE]


def test_billion_laughs_is_validated_in_no_time():
    """The walk visits each object once, however many paths lead to it."""
    lines = [
        "a0: &a0 {then: 1}",
        *(f"a{i}: &a{i} {{max: [{', '.join([f'*a{i - 1}'] * 10)}]}}" for i in range(1, 40)),
    ]
    text = "game: x\nroot: 1\nnodes:\n" + "".join(f"  {line}\n" for line in lines)

    assert problems_of(text) == []


# --- the schema and the shapes -----------------------------------------------------------------


def test_the_schema_is_a_schema_and_tells_editors_everything():
    """Each property has a description and examples that it accepts."""
    jsonschema.Draft202012Validator.check_schema(schema())
    text = json.dumps(schema())
    assert '"oneOf"' not in text

    definitions = schema()["$defs"]
    described = [schema()["properties"]]
    described += [{name: part} for name, part in definitions.items() if name.startswith("key-")]
    described += [
        part["properties"]
        for part in definitions.values()
        if "properties" in part
        and not part["properties"].get("max", {}).get("$ref", "").startswith("#/$defs/key-")
    ]
    for properties in described:
        for name, part in properties.items():
            assert part.get("description"), name
            assert part.get("examples"), name
            check = jsonschema.Draft202012Validator({"$defs": definitions, **part})
            for example in part["examples"]:
                check.validate(example)


def test_the_schema_takes_numbers_and_booleans_as_they_are():
    validator().validate(
        {"game": 1, "root": {"max": {"a": 1.5, "b": {"if": True, "then": 0, "else": 1}}}}
    )


def candidates(context: str) -> list[shapes.Container]:
    """Mappings and lists of every shape over the keys of a context, and of some it has not."""
    values = {"s": "1", "l": ["0"], "d": {"then": "0"}}
    if context == "bounds":
        return [list(items) for n in range(4) for items in itertools.product(["1", []], repeat=n)]
    if context in shapes.FREE:
        keys = (["a", "b"], ["for x in S", "b"], ["for x in S", "for y in S"])
        items = [pair for n in range(3) for pair in itertools.product(values.values(), repeat=n)]
        mappings = [dict(zip(two, pair, strict=False)) for pair in items for two in keys]
        return [*map(list, items), *mappings]
    allowed = sorted(shapes.FIXED[context])
    keys = sorted({entry.split(":")[0] for entry in allowed})
    held = {key: [e.split(":")[1] for e in allowed if e.startswith(key + ":")] for key in keys}
    chosen = [
        some for n in range(min(len(keys), 4) + 1) for some in itertools.combinations(keys, n)
    ]
    return [
        {key: values.get(letter, letter) for key, letter in zip(some, letters, strict=True)}
        for some in chosen
        for letters in itertools.product(*(held[key] for key in some))
    ]


@pytest.mark.parametrize("context", [*shapes.FIXED, *shapes.FREE, "bounds"])
def test_the_known_shapes_are_what_the_schema_allows(context: str):
    """For each combination of up to four keys: known without the schema exactly if it says yes."""
    check = part_validator(context)
    usual = 0
    for container in candidates(context):
        known = shapes.is_usual(context, container)
        usual += known
        allowed = check.is_valid(validation._stubbed(context, container))
        assert not known or allowed, container
        if context in shapes.FIXED:
            assert known == allowed, container
    assert usual


# --- what is imported, what is asked -----------------------------------------------------------


def run_python(program: str, text: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout


HEAVY = """
import sys
from gametree.spec.reader import read_bytes, read_path
from gametree.spec.validate import validate
"""


def test_the_bundled_trees_are_validated_without_jsonschema():
    """Nothing heavy is imported while nothing is wrong."""
    paths = [bundled(name) for name in bundled_names()]
    assert paths
    program = (
        HEAVY
        + f"""
for path in {paths!r}:
    reading = read_path(path)
    assert not reading.diagnostics and not validate(reading.document), path
print([name for name in ('jsonschema', 'lark', 'numpy') if name in sys.modules])
"""
    )
    assert run_python(program).strip() == "[]"


USUAL = """\
$schema: schema.json
game: everything at once
description: every construct of the language
params: {target: 21, faces: 10, list: [1, 2]}
define: {won(b): b > 0, c: 3}
nodes:
  "turn(total: 0..target)":
    max:
      stand: {reward: 1, then: total}
      hit: {cost: c, let: {n: total + 1}, label: Hit, note: a remark, then: roll(n)}
      for x in 1..2 as "{x}": {min: [1, {for y in 1..2: y}]}
  "roll(total: 0..target)":
    chance:
      for d in 1..faces: {if: total + d > target, then: 0, else: turn(total + d)}
      for a in 1..2: {for b in 1..2: {chance: {x: {p: 1/3, min: [6, 8]}, y: {p: rest, then: {max: [1]}}}}}
root: {chance: [{weight: 2, then: turn(0)}, {weight: c, chance: [3, 12, 9]}]}
policies: {stop: {turn(total): '"stand"', root: {a: 1/2, b: rest}}}
bounds: [0, 21]
expect:
  - {value: 1, within: 1e-6, best: [a, b], branches: {a: 1}, at: turn(16), note: x}
  - {policy: stop, value: 1}
  - {algorithm: minimax, best: a, play: {min: random}, params: {target: 3}, size: {nodes: 3}}
"""


def test_a_game_with_every_construct_is_validated_without_jsonschema():
    program = (
        HEAVY
        + f"""
reading = read_bytes('x', {USUAL!r}.encode(), 'yaml')
assert not reading.diagnostics and not validate(reading.document), validate(reading.document)
print('jsonschema' in sys.modules)
"""
    )
    assert run_python(program).strip() == "False"


def test_text_documents_go_through_the_same_check():
    """Their places are their own, and the advice is given in their notation."""
    text = 'game "x"\nroot chance { a @ 1/3: 1, b @ 1/3: 2 }\nexpect { value: 1, algorithm: "minmax" }\n'
    reading = read_bytes("x.tree", text.encode(), "text")
    assert reading.document is not None
    first, second = in_order(validate(reading.document))

    assert (first.code, first.place.line) == (Code.PROBABILITY_SUM, 2)
    assert "`@ rest`" in (first.help or "")
    assert (second.code, second.place.line) == (Code.UNKNOWN_CHOICE, 3)


def test_a_large_tree_asks_the_schema_once_for_each_unknown_shape(monkeypatch: pytest.MonkeyPatch):
    """5,000 leaves and two shapes: at most two questions, and none while the shapes are known."""
    asked: list[str] = []
    ask = part_validator
    monkeypatch.setattr(
        validation, "part_validator", lambda context: (asked.append(context), ask(context))[1]
    )
    leaves = "".join(
        f"    m{i}: {{chance: {{a: {{p: 1/2, then: {i}}}, b: {{p: rest, then: 1}}}}}}\n"
        for i in range(2500)
    )
    assert problems_of(f"game: x\nroot:\n  max:\n{leaves}") == []
    assert asked == []

    monkeypatch.setattr(validation, "is_usual", lambda context, _: context not in shapes.NODES)
    assert problems_of(f"game: x\nroot:\n  max:\n{leaves}") == []
    assert sorted(asked) == ["branch", "node", "outcome"]  # the root, a branch, an outcome


# --- agreement with whole-document validation --------------------------------------------------

scalars = st.sampled_from(["1", "1/2", "0.3", "rest", "x", "", "minimax", "-1"])
keys = st.sampled_from([
    *("max min chance if then else p weight label cost let max chance then".split()),
    "for x in S", "for y in S", "a", "b", "value", "best", "algorithm", "branches", "play", "size",
])  # fmt: skip
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


def outcome(inner):
    return st.fixed_dictionaries(
        {"then": inner}, optional={"p": scalars, "weight": scalars, "cost": scalars}
    )


def likely(inner):
    """Nodes that are mostly right, so that mistakes stand alone."""
    branches = st.dictionaries(keys, inner, min_size=1, max_size=3) | st.lists(
        inner, min_size=1, max_size=3
    )
    outcomes = st.dictionaries(keys, outcome(inner) | inner, min_size=1, max_size=3)
    return st.one_of(
        *(
            st.fixed_dictionaries({kind: branches}, optional={"label": scalars})
            for kind in ("max", "min")
        ),
        st.fixed_dictionaries(
            {"chance": outcomes | st.lists(outcome(inner) | inner, min_size=1, max_size=3)}
        ),
        st.fixed_dictionaries(
            {"if": scalars, "then": inner}, optional={"else": inner, "let": anything}
        ),
    )


nodes = st.recursive(scalars | anything, likely, max_leaves=12)
documents = st.fixed_dictionaries(
    {"game": scalars, "root": nodes},
    optional={
        "params": st.dictionaries(keys, anything, max_size=2),
        "nodes": st.dictionaries(keys, nodes, max_size=2) | anything,
        "policies": anything,
        "bounds": anything,
        "define": anything,
        "expect": st.lists(st.dictionaries(keys, anything, max_size=3), max_size=2) | anything,
        "horizon": scalars,
    },
)


@settings(max_examples=300, deadline=None)
@given(documents)
def test_judging_shape_by_shape_agrees_with_judging_the_whole(data):
    """The verdict is jsonschema's on the whole document with the extra keyword."""
    reading = read_bytes("x.json", json.dumps(data).encode(), "json")
    assert reading.document is not None
    found = validate(reading.document)
    valid = validator().is_valid(data)

    assert (not found) == valid, (found, [e.message for e in validator().iter_errors(data)])
    structure = [p for p in found if p.code.value < "GT3"]
    assert (not structure) == jsonschema.Draft202012Validator(schema()).is_valid(data)


@settings(max_examples=100, deadline=None)
@given(documents)
def test_another_implementation_of_json_schema_agrees(data):
    """jsonschema-rs, which does not know the extra keyword, says the same of the structure."""
    other = pytest.importorskip("jsonschema_rs")

    assert other.Draft202012Validator(schema()).is_valid(data) == jsonschema.Draft202012Validator(
        schema()
    ).is_valid(data)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=6))
def test_literal_odds_are_judged_exactly(parts: list[int]):
    """Twelfths sum to one exactly when the numerators sum to twelve."""
    outcomes = {
        str(i): {"p": f"{part}/12" if part <= 12 else "1", "then": 1}
        for i, part in enumerate(parts)
    }
    total = sum(min(part, 12) for part in parts)

    assert bool(odds_problems(outcomes)) == (total != 12)
