"""Pictures: each format read by its own tools, what they bring out, and labels of all kinds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from importlib.resources import files
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import gametree
import pytest
from gametree.render.drawing import draw_graph, draw_tree
from gametree.render.marks import line_marks, reached_marks, trace_marks
from gametree.render.mermaid import mermaid
from gametree.render.numbers import picture_text
from gametree.render.pictures import Look, format_of, picture
from gametree.render.svg import svg
from gametree.render.tikz import escaped, tikz
from gametree.render.wrap import wrapped
from gametree.spec.diagnostics import UsageError
from gametree.spec.reader import read_bytes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .game_strategies import stateful_games
from .strategies import games
from .test_drawing import overlaps

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMEDRIVER = shutil.which("chromedriver")
needs_mermaid = pytest.mark.skipif(
    find_spec("mermaidx") is None, reason="mermaidx is not installed"
)
needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="LaTeX (`pdflatex`) is not installed"
)
LAW = settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
SVG = "{http://www.w3.org/2000/svg}"
DIRECTIONS = ("TB", "BT", "LR", "RL")
HOSTILE = [
    "<script>document.title = 'hacked'</script>",
    "</title></svg><img src=x onerror=alert(1)>",
    "\"double\" and 'single' & `back`; &lt; #35; #quot;",
    "\\input{/etc/passwd} $x_1^2$ 100% {a} ~ #1 & \\end{document}",
    "end subgraph --> A[b] |c| %% ```",
    "1. a list",
    "- a list, too",
    "https://example.org/a?b=c",
    "👩‍👩‍👧 family, 🎲 die",
    "שלום עולם مرحبا",
    "世界 é ß ½ ‐‑–—",
    "two\nlines\tand a tab",
    "bidi \u202e and \x07 bell and \ufffe",
    "x" * 300,
    "one two " * 40,
    "",
]


def hostile_game(tmp_path):
    """A game whose every label, title and note is as bad as can be."""
    outcomes = {label: {"p": f"1/{len(HOSTILE)}", "then": i} for i, label in enumerate(HOSTILE)}
    root = {label: i for i, label in enumerate(HOSTILE)} | {"chance": {"chance": outcomes}}
    text = json.dumps({"game": HOSTILE[0] + HOSTILE[2], "root": {"max": root, "note": HOSTILE[1]}})
    path = tmp_path / "hostile.json"
    path.write_text(text, encoding="utf-8")
    return gametree.load(path)


def game_of(data):
    reading = read_bytes("random.json", json.dumps(data).encode(), "json")
    assert reading.document is not None, reading.diagnostics
    return gametree.Game.from_document(reading.document)


def drawn(name, *, most=200, marks=None, **options):
    game = gametree.load(name) if isinstance(name, str) else name
    solution = game.solution()
    more = {} if marks is None else {"marks": marks(solution)}
    return draw_tree(solution.dag, solution, most=most, **options, **more)


def root_of(text):
    return ET.fromstring(text)


# --- SVG -------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["game", "decision"])
@pytest.mark.parametrize("rankdir", DIRECTIONS)
def test_an_svg_is_xml_with_a_shape_for_each_node(rankdir, style):
    drawing = drawn("oil-wildcatter", rankdir=rankdir, style=style)
    root = root_of(svg(drawing, title="oil", legend=True))

    assert root.tag == f"{SVG}svg"
    assert root.find(f"{SVG}title").text == "oil"
    assert "It is worth 123." in root.find(f"{SVG}desc").text
    shapes = [e for e in root.iter() if e.get("class") == "shape"]
    assert len(shapes) == len(drawing.nodes) + 3  # and MAX, chance and payoff in the legend


def test_an_svg_shows_hostile_labels_as_they_are(tmp_path):
    """Every line of every label is the whole text of an element; nothing became markup."""
    root = root_of(svg(drawn(hostile_game(tmp_path)), title=HOSTILE[0], legend=True))

    shown = [element.text for element in root.iter(f"{SVG}text")]
    for label in HOSTILE:
        for line in wrapped(label):
            assert shown.count(line.replace("\ufffe", "\ufffd")) >= 2, line
    kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert kinds == {"svg", "title", "desc", "style", "rect", "g", "text", "path", "polygon", "ellipse"}  # fmt: skip
    assert not re.search(r"\b(href|on\w+|src)=", re.sub(r">[^<]*<", "><", svg(drawn("dice"))))


def test_a_cut_label_is_whole_where_one_points_at_it(tmp_path):
    root = root_of(svg(drawn(hostile_game(tmp_path))))
    titles = [element.text for element in root.iter(f"{SVG}title")]

    assert any("x" * 300 in title for title in titles)


def test_payoffs_are_exact_where_that_is_short_enough(tmp_path):
    path = tmp_path / "thirds.yaml"
    path.write_text("game: g\nroot: {max: {a: 12345678901/3, b: 1/3, c: 2.5, d: 1e30}}\n")
    [*texts] = [drawn.text for drawn in drawn_nodes(path)]

    assert texts[1:4] == ["12345678901/3", "1/3", "2.5"]


def drawn_nodes(path):
    return drawn(gametree.load(path)).nodes


# --- in a browser ----------------------------------------------------------------------------

MEASURE = """
const family = arguments[0];
if (family) for (const text of document.querySelectorAll("text")) text.style.fontFamily = family;
const box = (element) => {
  const {left, top, right, bottom} = element.getBoundingClientRect();
  return [left, top, right, bottom];
};
const view = box(document.querySelector("svg"));
const nodes = [...document.querySelectorAll("g.node")].map((group) => ({
  shape: box(group.querySelector(".shape")),
  figure: [...group.querySelectorAll(".figure")].map(box),
  texts: [...group.querySelectorAll("text:not(.figure)")].map(box),
}));
const heads = [...document.querySelectorAll("svg > text")].map(box);
return {view, nodes, heads};
"""


@pytest.fixture(scope="module")
def driver():
    if not (CHROMIUM and CHROMEDRIVER):
        pytest.skip("Chromium or its chromedriver is not installed")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(CHROMEDRIVER))
    started.set_script_timeout(60)
    yield started
    started.quit()


def opened(driver, folder, text, name="picture.svg"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    driver.get(path.as_uri())


def meet(a, b):
    """Whether two boxes have more than a hair in common."""
    return a[0] + 0.5 < b[2] and b[0] + 0.5 < a[2] and a[1] + 0.5 < b[3] and b[1] + 0.5 < a[3]


def overlapping(measured):
    """What overlaps: anything of two nodes, or in one node a text and the shape below it."""
    every = [
        (number, kind, box)
        for number, node in enumerate(measured["nodes"])
        for kind, boxes in (("shape", [node["shape"]]), ("text", node["texts"]), ("figure", node["figure"]))
        for box in boxes
    ]  # fmt: skip
    every += [("head", "text", box) for box in measured["heads"]]
    return [
        (a, b)
        for index, a in enumerate(every)
        for b in every[index + 1 :]
        if meet(a[2], b[2])
        and (
            a[0] != b[0] or {a[1], b[1]} == {"shape", "text"} or {a[1], b[1]} == {"figure", "text"}
        )
        and not (a[1] == b[1] == "text" and a[0] == b[0])
    ]


@pytest.mark.parametrize("family", ["", "DejaVu Sans", "serif"])
@pytest.mark.parametrize("rankdir", ["TB", "LR"])
def test_nothing_overlaps_in_a_browser_whatever_the_font(driver, tmp_path, rankdir, family):
    for number, game in enumerate([hostile_game(tmp_path), "dice", "oil-wildcatter", "push-to-21"]):
        drawing = drawn(game, rankdir=rankdir, most=60)
        opened(driver, tmp_path, svg(drawing, title="a game", legend=True), f"{number}.svg")
        measured = driver.execute_script(MEASURE, family)

        assert overlapping(measured) == []
        left, top, right, bottom = measured["view"]
        for node in measured["nodes"]:
            for box in (node["shape"], *node["texts"], *node["figure"]):
                assert left <= box[0] <= box[2] <= right
                assert top <= box[1] <= box[3] <= bottom


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screenshot_has_the_colours_of_the_scheme(driver, tmp_path, scheme):
    """The picture is painted: the paper as light or dark as the screen, and not only paper."""
    from io import BytesIO

    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    opened(driver, tmp_path, svg(drawn("dice"), legend=True))

    shown = image.open(BytesIO(driver.get_screenshot_as_png())).convert("L")
    assert (shown.getpixel((3, 3)) > 200) == (scheme == "light")
    assert len(shown.getcolors(256) or range(257)) > 20


def test_paper_is_light_where_the_screen_is_dark(driver, tmp_path):
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": features})
    opened(driver, tmp_path, svg(drawn("dice")))
    fill = driver.execute_script(
        "return getComputedStyle(document.querySelector('.paper')).fill.match(/\\d+/g).map(Number)"
    )
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})

    assert min(fill) > 200


def test_hostile_labels_run_nothing_in_a_browser(driver, tmp_path):
    opened(driver, tmp_path, svg(drawn(hostile_game(tmp_path)), title=HOSTILE[0]))

    assert driver.execute_script("return document.querySelectorAll('script, img').length") == 0


# --- Mermaid ---------------------------------------------------------------------------------

RENDER = """
const [text, done] = arguments;
const library = globalThis.mermaid ?? __esbuild_esm_mermaid_nm.mermaid;
const mermaid = library.default ?? library;
mermaid.initialize({startOnLoad: false});
mermaid.render("picture", text).then(({svg}) => {
  document.body.innerHTML = svg;
  const texts = [...document.querySelectorAll(".nodeLabel, .edgeLabel, .flowchartTitleText")];
  done({
    texts: texts.map((element) => element.innerHTML.replace(/<br ?\\/?>/g, "\\n")).map((html) =>
      new DOMParser().parseFromString(html, "text/html").body.textContent),
    edges: document.querySelectorAll(".flowchart-link").length,
    nodes: document.querySelectorAll("g.node").length,
  });
}, (error) => done({error: String(error)}));
"""


@pytest.fixture(scope="module")
def by_mermaid(driver, tmp_path_factory):
    """What Mermaid makes of a text."""
    page = tmp_path_factory.mktemp("mermaid") / "page.html"
    library = files("mermaidx") / "assets" / "mermaid.js"
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><script src="{Path(str(library)).as_uri()}"></script>'
    )

    def render(text):
        driver.get(page.as_uri())
        made = driver.execute_async_script(RENDER, text)
        assert "error" not in made, made["error"]
        return made

    return render


def graph(name, **options):
    game = gametree.load(name) if isinstance(name, str) else name
    solution = game.solution()
    return draw_graph(solution.dag, solution, **options)


@needs_mermaid
@pytest.mark.parametrize("name", ["dice", "oil-wildcatter", "push-to-21", "monty-hall"])
def test_mermaid_draws_every_node_and_edge(by_mermaid, name):
    drawing = graph(name, most=60)
    made = by_mermaid(mermaid(drawing, title=name))

    unique = sum(drawn.stub_of < 0 for drawn in drawing.nodes)
    hidden = sum(bool(drawn.hidden_text) for drawn in drawing.nodes)
    assert made["nodes"] == unique + hidden
    assert made["edges"] == len(drawing.nodes) - 1 + hidden


@needs_mermaid
@pytest.mark.parametrize("rankdir", DIRECTIONS)
@pytest.mark.parametrize("style", ["game", "decision"])
def test_mermaid_shows_hostile_labels_as_they_are(by_mermaid, tmp_path, rankdir, style):
    drawing = graph(hostile_game(tmp_path), rankdir=rankdir, style=style)
    made = by_mermaid(mermaid(drawing, title=HOSTILE[0], legend=True))

    shown = [" ".join(text.split()) for text in made["texts"]]
    for label in HOSTILE:
        lines = " ".join(" ".join(wrapped(label)).split()).replace("\ufffe", "\ufffd")
        assert any(text.replace("\ufffe", "\ufffd").startswith(lines) for text in shown), label


def test_mermaid_says_what_is_too_much(tmp_path):
    with pytest.raises(UsageError, match="up to 500 edges"):
        mermaid(graph("tic-tac-toe", most=400))


# --- TikZ ------------------------------------------------------------------------------------


def compiled(text, folder):
    """The log of pdfLaTeX, which is to find nothing wrong."""
    (folder / "picture.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "picture.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=120,
    )
    log = done.stdout.decode(errors="replace")
    assert done.returncode == 0, log[-2000:]
    return log


@needs_latex
@pytest.mark.parametrize("style", ["game", "decision"])
def test_latex_compiles_hostile_labels_to_one_page(tmp_path, style):
    game = hostile_game(tmp_path)
    log = compiled(tikz(drawn(game, style=style), title=HOSTILE[0], legend=True), tmp_path)

    assert "(1 page," in " ".join(log.split())
    assert "Missing character" not in log
    assert "Overfull" not in log


@needs_latex
def test_latex_compiles_a_step_of_the_trace(tmp_path):
    game = gametree.load("dice")
    marks = trace_marks(game.trace(), game.dag(), 17)
    log = compiled(tikz(drawn(game, marks=lambda _: marks)), tmp_path)

    assert "(1 page," in " ".join(log.split())


@given(st.text(max_size=40))
def test_what_is_escaped_for_latex_has_no_command_of_its_own(text):
    """Behind each backslash stands what we put there; braces balance."""
    found = escaped(text)
    known = (r"\\(textbackslash|textless|textgreater|textbar|textquotedbl(left|right)|ttfamily|char34"
             r"|dots|approx|times|to|cdot|gtchar|[{}$&#_%^~`])")  # fmt: skip

    assert re.fullmatch(rf"([^\\]|{known})*", found, re.DOTALL)
    plain = re.sub(r"\\[{}]", "", found)
    assert plain.count("{") == plain.count("}")


def test_tikz_says_what_is_too_wide_for_a_page():
    with pytest.raises(UsageError, match="TeX's pages"):
        tikz(drawn("tic-tac-toe", most=2500))


# --- what is brought out ---------------------------------------------------------------------


def edge_to(drawing, *labels):
    """The node that ``labels`` lead to from the root."""
    node = drawing.nodes[0]
    for label in labels:
        [node] = [drawing.nodes[c] for c in node.children if drawing.nodes[c].label == label]
    return node


def test_the_line_ends_where_chance_decides():
    drawing = drawn("oil-wildcatter", marks=line_marks)

    assert [node.label for node in drawing.nodes if node.bold] == ["survey"]


def test_a_strategy_is_bold_where_it_leads_and_the_rest_is_faint():
    drawing = drawn("oil-wildcatter", marks=reached_marks)

    assert edge_to(drawing, "survey", "looks good", "drill").bold
    assert edge_to(drawing, "no survey").faint
    assert edge_to(drawing, "no survey", "drill").faint
    assert not edge_to(drawing, "no survey", "drill").bold
    for node in drawing.nodes[1:]:
        if drawing.nodes[node.parent].faint:
            assert node.faint


@pytest.mark.parametrize("name", ["dice", "oil-wildcatter", "monty-hall", "nim"])
def test_the_last_step_of_the_trace_knows_the_whole_solution(name):
    """Nothing is faint then, and each node has the value it is worth."""
    game = gametree.load(name)
    walk = game.trace()
    solution = walk.solution
    marks = trace_marks(walk, solution.dag, len(walk))
    after = draw_tree(solution.dag, solution, marks=marks)
    before = draw_tree(solution.dag, solution)

    assert [n.text for n in after.nodes] == [n.text for n in before.nodes]
    assert not any(n.faint for n in after.nodes)
    assert after.nodes[0].current


@LAW
@given(st.one_of(games(), stateful_games()), st.data())
def test_a_step_of_the_trace_shows_what_was_met_and_the_running_figures(spec, data):
    """What is not faint are the nodes of the steps so far, and each has its last figure."""
    game = game_of(spec)
    walk = game.trace(numbers="exact")
    number = data.draw(st.integers(1, len(walk)))
    solution = walk.solution
    drawing = draw_tree(solution.dag, solution, marks=trace_marks(walk, solution.dag, number))

    figures = {}
    met = 0
    for step in islice(walk, number):
        met += step.event in ("enter", "terminal", "shared")
        figures.setdefault(step.node, None)
        if step.event == "return":
            figures[step.node] = step.running
        elif step.value is not None:
            figures[step.node] = step.value
    assert sum(not node.faint for node in drawing.nodes) == met
    assert sum(node.current for node in drawing.nodes) == 1
    for node in drawing.nodes:
        if not node.faint and node.kind != "terminal":
            figure = figures[node.node]
            assert node.text == ("" if figure is None else picture_text(figure))


@LAW
@given(st.one_of(games(), stateful_games()))
def test_what_is_lit_of_a_strategy_is_what_play_under_it_can_reach(spec):
    """Found by a recursive walk along what is chosen."""
    solution = game_of(spec).solution(numbers="exact")
    dag = solution.dag
    taken, lit = set(), set()

    def follow(node):
        for edge in solution.chosen[node][:1] or dag.edges(node):
            lit.add(edge)
            if solution.chosen[node]:
                taken.add(edge)
            follow(dag.child[edge])

    follow(0)
    marks = reached_marks(solution)

    assert (set(marks.lit), set(marks.bold)) == (lit, taken)


@LAW
@given(st.one_of(games(), stateful_games()), st.sampled_from(DIRECTIONS), st.booleans())
def test_any_game_is_drawn_in_every_text_format(spec, rankdir, collapse):
    game = game_of(spec)
    solution = game.solution()
    for style in ("game", "decision"):
        drawing = draw_tree(solution.dag, solution, rankdir=rankdir, style=style, collapse=collapse)
        root = root_of(svg(drawing))

        assert overlaps(drawing) == []
        assert sum(e.get("class") == "shape" for e in root.iter()) == len(drawing.nodes)
        graph_ = draw_graph(solution.dag, solution, rankdir=rankdir, collapse=collapse, style=style)
        arrows = re.findall(r"^ +n\d+ (?:-->|==>)", mermaid(graph_), re.MULTILINE)
        assert len(arrows) == len(graph_.nodes) - 1
        assert tikz(drawing).count(r"\path[gt/shape") == len(drawing.nodes)


def test_steps_that_there_are_not_are_refused():
    game = gametree.load("dice")
    for number in (0, -1, 37):
        with pytest.raises(UsageError, match="steps 1 to 36"):
            trace_marks(game.trace(), game.dag(), number)


@pytest.mark.parametrize("algorithm", ["alpha-beta", "pvs", "star1", "star2"])
@pytest.mark.parametrize("name", ["dice", "random-opponent-min", "oil-wildcatter"])
def test_every_step_of_a_search_that_cuts_can_be_drawn(name, algorithm):
    """What it leaves out stays faint, and at the end the root has its value."""
    game = gametree.load(name)
    walk = game.trace(algorithm=algorithm)
    solution = game.solution(numbers="exact")
    for number in range(1, len(walk) + 1):
        marks = trace_marks(walk, solution.dag, number)
        drawing = draw_tree(solution.dag, solution, marks=marks)

        assert any(node.current for node in drawing.nodes)
        for node in drawing.nodes[1:]:
            assert node.faint or not drawing.nodes[node.parent].faint
    cut = any(step.event == "cut" for step in walk)
    assert any(node.faint for node in drawing.nodes) or not cut or algorithm == "pvs"
    assert drawing.nodes[0].text == draw_tree(solution.dag, solution).nodes[0].text


def test_equal_subtrees_are_drawn_once(tmp_path):
    path = tmp_path / "twice.yaml"
    inner = "{min: {x: 1, y: {chance: {h: {p: 1/2, then: 3}, t: {p: 1/2, then: 4}}}}}"
    path.write_text(
        f"game: g\nroot: {{max: {{a: {inner}, b: {inner}, c: {inner.replace('4', '5')}}}}}\n"
    )
    game = gametree.load(path)

    plain, collapsed = drawn(game), drawn(game, collapse=True)
    assert not any(node.is_stub for node in plain.nodes)
    [stub] = [node for node in collapsed.nodes if node.is_stub]
    assert (stub.label, stub.mark, stub.text) == ("b", "#1", "1")
    assert edge_to(collapsed, "a").mark == "#1"
    assert [line.text for line in stub.lines] == ["b", "see #1"]
    assert len(collapsed.nodes) == len(plain.nodes) - 4


@pytest.mark.parametrize("format_", ["svg", "dot", "mermaid", "tikz"])
def test_players_are_called_by_their_names(tmp_path, format_):
    path = tmp_path / "named.yaml"
    path.write_text(
        "game: g\nplayers: {max: Ann, min: Bo}\nroot: {max: {a: {min: {b: 1, c: 2}}}}\n"
    )
    game = gametree.load(path)
    solution = game.solution()
    look = Look(format_, legend=True, players=game.players)
    text = picture(solution.dag, solution, look).decode()

    assert "Ann chooses" in text
    assert "Bo chooses" in text
    assert "MAX" not in text


# --- which format, and by whom ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "wanted", "format_"),
    [
        (None, None, "dot"),
        ("-", None, "dot"),
        ("a.SVG", None, "svg"),
        ("a.gv", None, "dot"),
        ("a.mmd", None, "mermaid"),
        ("a.tex", "tikz", "tikz"),
        ("a.txt", "mermaid", "mermaid"),
        (None, "pdf", "pdf"),
    ],
)
def test_the_format_follows_from_the_name_or_is_asked_for(path, wanted, format_):
    assert format_of(path, wanted) == format_


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz's `dot` is not installed")
def test_graphviz_draws_what_it_is_asked_for():
    solution = gametree.load("dice").solution()

    made = picture(solution.dag, solution, Look("svg", engine="graphviz", title="dice"))
    assert b"Generated by graphviz" in made
    assert picture(solution.dag, solution, Look("png")).startswith(b"\x89PNG")
    assert picture(solution.dag, solution, Look("pdf")).startswith(b"%PDF")


@pytest.mark.parametrize("format_", ["svg", "tikz", "mermaid", "dot"])
@pytest.mark.parametrize("rankdir", DIRECTIONS)
def test_every_text_format_takes_every_option(format_, rankdir):
    """And the same input gives the same text."""
    solution = gametree.load("push-to-21").solution()
    marks = reached_marks(solution)
    look = Look(format_, None, "decision", rankdir, 40, True, True, "a & b", marks)

    assert picture(solution.dag, solution, look) == picture(solution.dag, solution, look)
