"""Graphs as DOT, and as what Graphviz makes of it."""

from __future__ import annotations

import html
import os
import re
import shutil
from array import array
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import gametree
import pytest
from gametree.compiler.dag import Amount, Dag, Kind
from gametree.evaluator.solution import Solution
from gametree.render.answer import strategy_rows, strategy_text
from gametree.render.dot import dot, quoted
from gametree.render.graphviz import GraphvizError, graphviz_picture
from gametree.render.wrap import wrapped
from gametree.spec.reader import bundled_names

GOLDEN = Path(__file__).parent / "golden"
needs_graphviz = pytest.mark.skipif(
    shutil.which("dot") is None, reason="Graphviz's `dot` is not installed"
)

# --- DAGs by hand ----------------------------------------------------------------------------


@dataclass
class FakeOrigin:
    """An origin that says what it was told to."""

    names: list[str]
    name: str = ""
    remark: str = ""

    def labels(self) -> list[str]:
        return self.names

    def title(self) -> str:
        return self.name

    def note(self) -> str:
        return self.remark


@dataclass
class Sample:
    """A node to be: ``branches`` maps labels to nodes; ``weights`` are odds or factors."""

    kind: Kind
    branches: dict[str, Sample] = field(default_factory=dict)
    offset: Amount = 0
    weights: list[Amount] | None = None
    title: str = ""
    note: str = ""


def pay(value: Amount | str, title: str = "") -> Sample:
    return Sample(Kind.TERMINAL, offset=Fraction(value), title=title)


def best(title: str = "", offset: Amount = 0, **branches: Sample) -> Sample:
    return Sample(Kind.MAX, branches, offset, title=title)


def worst(title: str = "", offset: Amount = 0, **branches: Sample) -> Sample:
    return Sample(Kind.MIN, branches, offset, title=title)


def luck(weights: list[int], title: str = "", offset: Amount = 0, **branches: Sample) -> Sample:
    return Sample(Kind.CHANCE, branches, offset, list(weights), title)


def build(root: Sample) -> Dag:
    """The DAG of ``root``: one node for each ``Sample`` object, children after parents."""
    order: list[Sample] = []
    seen: set[int] = set()

    def visit(sample: Sample) -> None:
        if id(sample) not in seen:
            seen.add(id(sample))
            for child in reversed(sample.branches.values()):
                visit(child)
            order.append(sample)

    visit(root)
    order.reverse()
    number = {id(sample): index for index, sample in enumerate(order)}
    first, child, weight = array("q", [0]), array("q"), list[Amount]()
    for sample in order:
        child.extend(number[id(below)] for below in sample.branches.values())
        weight += sample.weights or [1] * len(sample.branches)
        first.append(len(child))
    divisor = [
        int(sum(sample.weights)) if sample.kind is Kind.CHANCE and sample.weights else 1
        for sample in order
    ]
    origin = [FakeOrigin(list(s.branches), s.title, s.note) for s in order]
    offset = [sample.offset for sample in order]
    kinds = bytearray(sample.kind for sample in order)
    return Dag(kinds, first, child, weight, divisor, offset, list(origin))


def solved(dag: Dag) -> Solution:
    """Backward induction, as plain as can be."""
    value: list[Fraction] = [Fraction(0)] * len(dag)
    chosen: list[tuple[int, ...]] = [()] * len(dag)
    for node in reversed(range(len(dag))):
        kind, edges = dag.kind[node], dag.edges(node)
        below = [value[dag.child[edge]] for edge in edges]
        if kind in (Kind.MAX, Kind.MIN):
            pick = max(below) if kind == Kind.MAX else min(below)
            chosen[node] = tuple(e for e, v in zip(edges, below, strict=True) if v == pick)
            value[node] = pick
        else:
            value[node] = (
                sum((v * dag.weight[e] for e, v in zip(edges, below, strict=True)), Fraction(0))
                / dag.divisor[node]
            )
        value[node] += dag.offset[node]
    pairs = [(number.numerator, number.denominator) for number in value]
    return Solution(dag, "expectiminimax", "exact", chosen, pairs)


def dice() -> Dag:
    """The dice game: B is worth 5, A is worth 4."""

    def coin(a: tuple[int, int], b: tuple[int, int]) -> Sample:
        return luck(
            [1, 2],
            **{
                "1": worst(l=pay(a[0]), r=pay(a[1])),
                "2": worst(l=pay(b[0]), r=pay(b[1])),
            },
        )

    return build(best(A=coin((6, 8), (3, 9)), B=coin((3, 7), (6, 10))))


def random_opponent() -> Dag:
    def three(*values: int) -> Sample:
        return luck([1, 1, 1], **{str(i + 1): pay(v) for i, v in enumerate(values)})

    return build(best(A=three(3, 12, 9), B=three(5, 6, 4), C=three(1, 20, 15)))


def wildcatter() -> Dag:
    def drill_or_sell(title: str, oil: int) -> Sample:
        drill = luck([oil, 1000 - oil], offset=-100, oil=pay(800), dry=pay(0))
        return best(title, drill=drill, sell=pay(90))

    survey = luck(
        [7, 3],
        offset=-30,
        unfavourable=drill_or_sell("drill_or_sell(0.143)", 143),
        favourable=drill_or_sell("drill_or_sell(0.5)", 500),
    )
    return build(best(**{"survey": survey, "no survey": drill_or_sell("drill_or_sell(0.25)", 250)}))


def binary(depth: int) -> Dag:
    """A whole binary tree of alternating MAX and MIN nodes."""

    def node(level: int) -> Sample:
        if level == depth:
            return pay(level)
        maker = worst if level % 2 else best
        return maker(f"state({level})", left=node(level + 1), right=node(level + 1))

    return build(node(0))


NASTY = {
    'say "no" \\N \\G': pay(1),
    "two\nlines": pay(2),
    "<b>bold</b> & &lt;": pay("1/3"),
    "世界 ♞ é \U0001f600": pay(4),
    "a:b | {c}": pay(5),
    "word " * 60: pay("79292566171467/5000000000000"),
    "x" * 300: pay(10**30),
    "bidi \u202e and \x07 bell": pay(-5),
    "": pay(0),
    "back\\": pay("-37/3"),
}


def nasty() -> Dag:
    return build(Sample(Kind.MAX, NASTY, title='"root" <1>\\', note="a note\nof two lines"))


# --- the shapes and what stands in them ------------------------------------------------------


def statement(text: str, name: str) -> str:
    """The line of ``text`` that declares ``name``."""
    [line] = [line for line in text.splitlines() if line.startswith(f"  {name} [")]
    return line


def edges(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if re.match(r"  n\d+ -> ", line)]


@pytest.mark.parametrize(
    ("style", "shapes"),
    [
        ("game", ["triangle", "invtriangle", "circle", "box", "diamond"]),
        ("decision", ["square", "square", "circle", "triangle", "diamond"]),
    ],
)
def test_each_kind_has_its_shape(style, shapes):
    sum_node = Sample(Kind.SUM, {"": pay(3)}, offset=1, weights=[-1])
    dag = build(best(a=worst(x=pay(1)), b=luck([1], y=pay(2)), c=sum_node))
    text = dot(dag, style=style)
    kinds = [Kind.MAX, Kind.MIN, Kind.CHANCE, Kind.TERMINAL, Kind.SUM]

    for kind, shape in zip(kinds, shapes, strict=True):
        node = dag.kind.index(kind)
        assert f'shape="{shape}"' in statement(text, f"n{node}")


def test_the_dice_tree_is_drawn_like_this():
    text = dot(dice(), solved(dice()), title="dice")
    path = GOLDEN / "dice.dot"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")

    assert text == path.read_text(encoding="utf-8")


def test_the_same_game_gives_the_same_text():
    assert dot(nasty(), solved(nasty())) == dot(nasty(), solved(nasty()))


def test_chosen_branches_stand_out_by_more_than_colour():
    bold = [edge for edge in edges(dot(dice(), solved(dice()))) if "penwidth" in edge]

    assert len(bold) == 5  # B at the root, and one at each of MIN's four nodes
    assert 'label=" B "' in bold[0]


def test_without_a_solution_there_are_no_values_and_no_choices():
    text = dot(dice())

    assert "penwidth" not in text
    assert 'label=""' in statement(text, "n0")
    assert '"8"' in text  # payoffs are part of the game


def test_edges_carry_labels_and_probabilities():
    text = dot(random_opponent())

    assert edges(text).count(edges(text)[0]) == 1
    assert text.count("p = 1/3") == 9
    assert 'label=" A "' in text


def test_rewards_costs_and_factors_are_written_out():
    inner = worst("state(1)", offset=5, x=pay(1))
    dag = build(best(offset=-30, a=Sample(Kind.SUM, {"": inner}, offset=1, weights=[-1])))
    text = dot(dag, solved(dag))

    assert all(word in text for word in ("cost 30", "reward 5", "constant 1", "× -1", "= -5"))


def test_a_decision_tree_grows_to_the_right_with_its_payoffs_in_one_column():
    text = dot(wildcatter(), solved(wildcatter()), style="decision")

    assert 'rankdir="LR"' in text
    [column] = [line for line in text.splitlines() if "rank=max" in line]
    assert column.count("n") == wildcatter().kind.count(Kind.TERMINAL) + 1


def test_a_shared_node_is_drawn_once_with_all_its_edges():
    shared = pay(7)
    text = dot(build(best(a=shared, b=shared, c=worst(d=shared))))

    assert len(re.findall(r"^  n\d+ \[", text, re.MULTILINE)) == 3
    assert len(edges(text)) == 4


def test_the_legend_names_only_the_shapes_that_occur():
    text = dot(random_opponent(), legend=True)

    assert all(word in text for word in ("MAX chooses", "chance", "payoff"))
    assert "MIN chooses" not in text


# --- cutting ---------------------------------------------------------------------------------


def test_a_large_game_is_cut_at_a_whole_level_and_says_so():
    dag = binary(9)
    text = dot(dag, solved(dag), max_nodes=20, title="binary")

    assert "cut at depth 3 of 9: 15 of 1,023 nodes shown; --max-nodes raises it" in text
    assert text.count("… 126 more nodes") == 8
    assert len(re.findall(r"^  n\d+ \[", text, re.MULTILINE)) == 15


def test_a_chosen_branch_that_is_cut_off_is_named_at_the_stub():
    dag = build(best(wait=pay(0), go=best(x=best(deep=pay(5), low=pay(1)))))
    text = dot(dag, solved(dag), max_nodes=4)
    [stub] = [edge for edge in edges(text) if "-> c" in edge]

    assert 'label=" deep "' in stub
    assert "penwidth" in stub
    assert "… 2 more nodes" in text


def test_nodes_below_several_stubs_are_counted_below_each():
    """Each stub says how many hidden nodes lie below *it*; shared ones count every time."""
    shared = best(x=pay(1), y=pay(2))
    dag = build(best(a=best(s=shared), b=best(s=shared, t=pay(3))))
    text = dot(dag, max_nodes=3)

    assert text.count("… 3 more nodes") == 1
    assert text.count("… 4 more nodes") == 1


def test_a_root_with_too_many_branches_is_drawn_alone():
    dag = build(Sample(Kind.MAX, {str(number): pay(number) for number in range(300)}))

    assert "… 300 more nodes" in dot(dag, solved(dag), max_nodes=200)
    assert "more nodes" not in dot(dag, max_nodes=0)


def test_the_limit_itself_still_fits():
    assert "cut at" not in dot(dice(), max_nodes=len(dice()))
    assert "cut at" in dot(dice(), max_nodes=len(dice()) - 1)


# --- labels ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a"b', '"a\\"b"'),
        ("\\N", '"\\\\N"'),
        ("two\nlines", '"two\\nlines"'),
        ("<b>", '"<b>"'),
        ("&lt;", '"&amp;lt;"'),
    ],
)
def test_quoted_text_means_itself(text, expected):
    assert quoted(text) == expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("short", ["short"]),
        ("two\nlines", ["two", "lines"]),
        ("carriage\r\nreturn", ["carriage", "return"]),
        ("a label of several words", ["a label of several", "words"]),
        ("x" * 30, ["x" * 22, "x" * 8]),
        ("x" * 300, ["x" * 22, "x" * 22, "x" * 21 + "…"]),
        ("世" * 12, ["世" * 11, "世"]),
        ("\u202eevil\x07", ["\\u202eevil\\x07"]),
    ],
)
def test_long_labels_are_wrapped_then_cut(text, lines):
    assert wrapped(text) == lines


def test_a_label_that_is_cut_is_whole_in_the_tooltip():
    assert f'labeltooltip="{"x" * 300}"' in dot(nasty())


def test_a_note_is_in_the_tooltip():
    dag = build(Sample(Kind.MAX, {"a": pay(1)}, note="why this matters"))

    assert 'tooltip="why this matters"' in statement(dot(dag), "n0")


# --- Graphviz --------------------------------------------------------------------------------


def texts(svg: str) -> list[str]:
    return [
        html.unescape(text).replace("\xa0", " ").strip()
        for text in re.findall(r"<text[^>]*>(.*?)</text>", svg)
    ]


def drawn(text: str) -> str:
    return graphviz_picture(text, "svg").decode()


@needs_graphviz
@pytest.mark.parametrize("style", ["game", "decision"])
def test_labels_come_out_of_graphviz_as_they_were(style):
    dag = nasty()
    svg = drawn(dot(dag, solved(dag), style=style, title='<title> & "quotes"'))
    shown = texts(svg)

    for label in NASTY:
        for line in wrapped(label):
            assert line in shown
    assert '<title> & "quotes"' in shown
    assert any('"root" <1>\\' in text for text in shown)
    titles = [html.unescape(title) for title in re.findall(r'xlink:title="([^"]*)"', svg)]
    assert "x" * 300 in titles


@needs_graphviz
@pytest.mark.parametrize("make", [dice, random_opponent, wildcatter, nasty])
@pytest.mark.parametrize("style", ["game", "decision"])
def test_graphviz_draws_every_sample_without_a_word(make, style, capfd):
    dag = make()
    svg = drawn(dot(dag, solved(dag), style=style, legend=True))

    assert svg.count('class="edge"') == len(dag.child)
    assert capfd.readouterr().err == ""


@needs_graphviz
@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_graphviz_makes_pixels_and_pages(suffix, magic):
    assert graphviz_picture(dot(dice()), suffix).startswith(magic)


def test_a_missing_graphviz_is_said_with_how_to_get_it(monkeypatch):
    monkeypatch.setenv("PATH", "")

    with pytest.raises(GraphvizError, match="apt-get install graphviz"):
        graphviz_picture("digraph {}", "svg")


@needs_graphviz
def test_what_graphviz_says_is_passed_on():
    with pytest.raises(GraphvizError, match="syntax error"):
        graphviz_picture("digraph {", "svg")


def fake_dot(folder: Path, script: str) -> str:
    """A folder with a ``dot`` that does something else."""
    folder.mkdir()
    program = folder / "dot"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_a_dot_that_takes_too_long_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", fake_dot(tmp_path / "bin", "exec sleep 20"))

    with pytest.raises(GraphvizError, match="longer than"):
        graphviz_picture("digraph {}", "svg", timeout=0.2)


# --- bundled games ---------------------------------------------------------------------------


@needs_graphviz
@pytest.mark.parametrize("name", bundled_names())
def test_every_bundled_game_can_be_drawn(name):
    solution = gametree.load(name).solution()
    svg = drawn(dot(solution.dag, solution, max_nodes=40))

    assert svg.count('class="node"') >= min(len(solution.dag), 2)


def test_tic_tac_toe_is_cut_after_the_first_two_moves():
    solution = gametree.load("tic-tac-toe").solution()
    text = dot(solution.dag, solution)

    assert "cut at depth 2 of 9: 82 of 5,478 nodes shown" in text


# --- the strategy of a DAG -------------------------------------------------------------------


def test_a_node_without_a_title_is_named_by_the_way_to_it():
    inner = best(x=pay(1), y=pay(2))
    halved = Sample(Kind.SUM, {"": inner}, weights=[2])
    dag = build(best(go=best("state(1)", on=luck([1, 1], h=halved, t=pay(0))), stop=pay(-1)))

    assert [row.title for row in strategy_rows(solved(dag))] == [
        "root",
        "state(1)",
        "state(1) → on → h",
    ]


def test_the_strategy_has_a_row_for_each_node_that_chooses():
    rows = list(strategy_rows(solved(wildcatter())))

    assert [(row.title, row.labels, row.value) for row in rows] == [
        ("root", ("survey",), 123),
        ("drill_or_sell(0.143)", ("sell",), 90),
        ("drill_or_sell(0.5)", ("drill",), 300),
        ("drill_or_sell(0.25)", ("drill",), 100),
    ]
    assert strategy_text(rows).splitlines()[2] == "drill_or_sell(0.143)  max   sell       90"
