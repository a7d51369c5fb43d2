"""The page, in a real browser: what it shows, what its controls do, and what it must not do."""

from __future__ import annotations

import json
import random
import shutil
import time
from fractions import Fraction
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from gametree.cli.games import game_of, path_of, read
from gametree.compiler.functions import BUILTINS
from gametree.render import numbers
from gametree.render.page import json_in_html, page_html
from gametree.render.page_rules import FUNCTIONS, rules_data
from gametree.render.trace import step_json
from gametree.spec.diagnostics import SpecError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .game_strategies import stateful_games
from .native_strategies import as_yaml, native_games

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMEDRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and CHROMEDRIVER), reason="Chromium or its chromedriver is not installed"
)

TREES = sorted(path.stem for path in Path(path_of("dice")).parent.glob("*.tree"))
# Games that take machine code seconds as they are: here with smaller parameters.
SHRUNK = {
    "bandit": {"pulls": "6"},
    "hog": {"goal": "8", "most": "3"},
    "pig-race": {"target": "6"},
    "yahtzee-small": {"size": "3"},
}
ALGORITHMS = ("minimax", "expectimax", "expectiminimax")
HOSTILE = [
    "</script><script>document.title = 'hacked'</script>",
    "<img src=x onerror=\"document.title = 'hacked'\">",
    "\"double\" and 'single' & `back`",
    "👩‍👩‍👧 family, 🎲 die",
    "שלום עולם مرحبا",
    "x" * 300,
    "one two " * 40,
]


# --- a browser for the whole module --------------------------------------------------------


class Page:
    """The page in the browser."""

    def __init__(self, driver, folder):
        self.driver = driver
        self.folder = folder
        self.count = 0

    def open(self, game, **options):
        """Show a game: a bundled one's name, or one that was read."""
        self.count += 1
        path = self.folder / f"{self.count}.html"
        text = bundled_page(game) if isinstance(game, str) else page_html(game, **options)
        path.write_text(text, encoding="utf-8", newline="")
        self.driver.get(path.as_uri())
        return self

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def click(self, name):
        self.js("document.getElementById(arguments[0]).click()", name)

    def choose(self, algorithm):
        self.js("document.querySelector(`[data-algorithm=${arguments[0]}]`).click()", algorithm)

    def text(self, name):
        return self.js("return document.getElementById(arguments[0])?.textContent", name)

    def value(self):
        """The exact value that the page has for the root."""
        return self.js("return exactText(page.walked.values[0])")

    def steps(self):
        return self.js("return page.walked.steps.length")

    def step_to_the_end(self, last=60):
        """Press Step until the end; in a long walk only for its last steps."""
        self.js(
            """
            const left = Math.min(arguments[0], page.walked.steps.length);
            to(page.walked.steps.length - left);
            for (let i = 0; i < left; i++) document.getElementById("step").click();
            """,
            last,
        )

    def run_to_the_end(self):
        """Press Run at full speed, and wait."""
        self.driver.execute_async_script(
            """
            const done = arguments[0];
            document.getElementById("speed").value = 10;
            document.getElementById("reset").click();
            document.getElementById("run").click();
            const wait = () => (page.timer ? setTimeout(wait, 5) : done());
            wait();
            """
        )

    def set(self, name, text):
        """Type a value into a parameter's field; what the page says against it, or ``""``."""
        return self.js(
            """
            const field = document.querySelector(`.parameter input:not([type=range])[data-name="${arguments[0]}"]`);
            if (field.type === "checkbox") field.checked = arguments[1] === "true";
            else field.value = arguments[1];
            field.dispatchEvent(new Event("change"));
            const problem = document.getElementById("problem");
            return problem.hidden ? "" : problem.textContent;
            """,
            name,
            text,
        )

    def slide(self, name, place):
        """Move a slider to a place between 0 and 1; the text of its value, and what is wrong."""
        return self.js(
            """
            const slider = document.querySelector(`input[type=range][data-name="${arguments[0]}"]`);
            slider.value = Math.round(arguments[1] * slider.max);
            slider.dispatchEvent(new Event("input"));
            const problem = document.getElementById("problem");
            return [slider.getAttribute("aria-valuetext"), problem.hidden ? "" : problem.textContent];
            """,
            name,
            place,
        )

    def state(self):
        """All that a person sees of a step, but for where they have scrolled to."""
        return self.js(
            """
            const nodes = [...tree.made].sort(([a], [b]) => a - b).map(([at, made]) => [at,
              made.group.getAttribute("class"), made.group.getAttribute("transform"), made.group.getAttribute("aria-label"),
              made.value.textContent, made.badge.textContent, made.edge?.getAttribute("class"), made.edge?.getAttribute("d")]);
            return JSON.stringify([nodes, ...["message", "where", "counter", "statistics", "strategy", "strategy-note"]
              .map((id) => document.getElementById(id).innerHTML)]);
            """
        )

    def first_paint(self):
        """Milliseconds from asking for the page until something was there to see."""
        while not (
            found := self.js("return performance.getEntriesByType('paint').at(-1)?.startTime")
        ):
            time.sleep(0.01)
        return found

    def size(self, width, height, *, dark=False):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


@pytest.fixture(scope="module")
def driver():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(CHROMEDRIVER)
    started = webdriver.Chrome(options=options, service=service)
    started.set_script_timeout(60)
    yield started
    started.quit()


@pytest.fixture
def page(driver, tmp_path):
    """A page; whatever the test does, the console has to stay empty."""
    made = Page(driver, tmp_path)
    made.size(1280, 900)
    yield made
    assert driver.get_log("browser") == []


@cache
def bundled(name, **chosen):
    return game_of(read(path_of(name)), chosen)


@cache
def bundled_page(name):
    return page_html(bundled(name))


def game_from(text, tmp_path, name="game.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return game_of(read(str(path)), {})


def algorithms(game):
    """All of them for a small game: a large one takes its time three times."""
    return ALGORITHMS if len(game.dag()) < 2_000 else ALGORITHMS[2:]


def exact(game, algorithm="expectiminimax"):
    return numbers.exact_text(game.solution(algorithm=algorithm).value(0))


# --- values and steps ------------------------------------------------------------------------


@pytest.mark.parametrize("name", TREES)
def test_step_and_run_reach_the_value_of_every_bundled_game(page, name):
    """Whichever way the walk is gone, it ends at the value that `gametree eval` gives."""
    game = bundled(name, **SHRUNK.get(name, {}))
    page.open(game)
    for algorithm in algorithms(game):
        value = numbers.table_text(game.solution(algorithm=algorithm).value(0))
        page.choose(algorithm)
        page.step_to_the_end()
        assert page.text("stat-root") == value
        page.click("reset")
    page.run_to_the_end()
    assert page.text("stat-root") == value


@pytest.mark.parametrize("name", TREES)
def test_the_steps_are_those_of_the_trace(page, name):
    """Every step has the trace's event, path, figures and words."""
    game = bundled(name, **SHRUNK.get(name, {}))
    page.open(game)
    assert page.js("return !data.isCut && data.exact")
    for algorithm in algorithms(game):
        page.choose(algorithm)
        found = page.js(
            """
            const { drawn, steps } = page.walked;
            const text = (x) => (x === null ? null : exactText(x));
            const path = (at) => (drawn[at].parent < 0 ? [] : [...path(drawn[at].parent), branchLabel(page.graph, drawn, at)]);
            return steps.slice(0, 800).map((step) => ({
              event: step.event, path: path(step.at), kind: page.graph[drawn[step.at].node].kind,
              child: step.child < 0 ? null : branchLabel(page.graph, drawn, step.child),
              value: text(step.value), running: text(step.running), message: message(page.graph, page.walked, step),
            }));
            """
        )
        trace = game.trace(algorithm=algorithm)
        assert page.steps() == len(trace)
        assert found == [step_json(step) for step in islice(trace, 800)]


@pytest.mark.parametrize("name", ["dice", "oil-wildcatter", "push-to-21", "nim", "2048-2x2"])
def test_back_undoes_exactly(page, name):
    """After a step and a step back everything is as it was, all the way to the beginning."""
    page.open(name)
    states = [page.state()]
    for _ in range(min(page.steps(), 60)):
        page.click("step")
        states.append(page.state())
    for state in reversed(states[:-1]):
        page.click("back")
        assert page.state() == state
    page.click("end")
    over = page.state()
    page.click("back")
    page.click("step")
    assert page.state() == over


def test_the_numbers_of_the_textbook(page):
    """Which branch is best, and what it is worth, changes with the algorithm."""
    expected = {
        ("random-opponent", "minimax"): ("4", "B"),
        ("random-opponent", "expectimax"): ("12", "C"),
        ("random-opponent", "expectiminimax"): ("12", "C"),
        ("rescaled", "minimax"): ("7", "B"),
        ("rescaled", "expectiminimax"): ("9", "A"),
        ("dice", "expectiminimax"): ("5", "B"),
        ("dice", "minimax"): ("3", "A or B"),
    }
    for (name, algorithm), answer in expected.items():
        page.open(name)
        page.choose(algorithm)
        page.click("end")
        assert (page.text("stat-root"), page.text("stat-best")) == answer


def test_the_running_sum_of_a_chance_node_grows_step_by_step(page):
    """At A of the random opponent 3, 12 and 9 make 1, 5 and 8."""
    page.open("random-opponent")
    sums = []
    while page.text("where") != "at root › A" or page.js("return page.step") == 0 or len(sums) < 3:
        page.click("step")
        if page.js("return page.walked.steps[page.step - 1].event") == "return":
            sums.append(page.text("stat-running"))
    assert sums == ["1", "5", "8"]


def test_the_line_is_marked_at_the_end(page):
    """The branches from the root that are best stand out once the walk is over."""
    page.open("oil-wildcatter")
    assert page.js("return document.querySelectorAll('.edge.line').length") == 0
    page.click("end")
    lines = page.js(
        "return [...document.querySelectorAll('.node.on-line')].map((n) => n.dataset.at)"
    )
    assert lines == ["0", "1"]


# --- the strategy ----------------------------------------------------------------------------


def rows(page, selector="tr"):
    return page.js(
        "return [...document.querySelectorAll(`#strategy tbody ${arguments[0]}`)]"
        ".map((row) => [...row.children].map((cell) => cell.textContent))",
        selector,
    )


def test_the_table_flags_where_a_policy_differs(page):
    """Against "hit until 17" the totals 14, 15 and 16 of Push to 21 are marked."""
    page.open("push-to-21")
    page.click("end")
    assert [row[0] for row in rows(page, "tr.differs")] == ["14", "15", "16"]
    table = {row[0]: row for row in rows(page)}
    assert table["0"][3].startswith("15.8585")
    assert table["16"][1:] == ["16", "9.5", "16", "stand", "hit", "! 6.5"]
    assert "13.7174" in page.text("strategy-note")


def test_a_long_table_begins_where_somebody_chooses(page, tmp_path):
    """Where not all states have room, those in which play is over are left out."""
    game = game_from(
        """
        game: late choices
        nodes:
          "turn(left: 0..1, n: 1..160)":
            if: left == 0
            then: n
            else: {max: {stop: n, go: "turn(0, n)"}}
        root: {max: {"for n in 1..160": "turn(1, n)"}}
        """,
        tmp_path,
    )
    page.open(game)
    page.js("to(1e6)")
    table = rows(page)
    assert [row[:2] for row in table] == [["1", str(n)] for n in range(1, 161)]
    assert "160 further states are not in the table." in page.text("strategy-note")


def test_on_a_phone_a_parameter_stands_below_the_tree_and_the_outcome_stays(page):
    """Whoever moves a slider sees what it changes, or at least what the root is worth."""
    page.size(390, 844)
    page.open("oil-wildcatter")
    tops = page.js(
        """
        to(1e6);
        const top = (id) => document.getElementById(id).getBoundingClientRect().top;
        const found = ["stage", "parameters-part", "statistics"].map(top);
        scrollTo(0, top("defaults"));
        return [...found, top("message"), document.documentElement.scrollWidth];
        """
    )
    assert tops[:3] == sorted(tops[:3])
    assert 0 <= tops[3] < 60
    assert tops[4] <= 390


def test_only_what_is_chosen_is_filled(page):
    """Step is the button to press first, and no choice."""
    page.open("dice")
    colour = "return getComputedStyle(document.querySelector(arguments[0])).backgroundColor"
    step, run, chosen = (page.js(colour, name) for name in ("#step", "#run", "[aria-pressed=true]"))
    assert step == run != chosen


def test_the_table_fills_backwards(page):
    """A state is filled in when the walk is done with it: the last totals come first."""
    page.open("push-to-21")
    assert rows(page, "tr.filled") == []
    seen = []
    for _ in range(330):
        page.click("step")
        filled = {int(row[0]) for row in rows(page, "tr.filled")}
        seen += sorted(filled - set(seen))
    assert seen == list(range(21, 21 - len(seen), -1))
    assert len(seen) > 5


# --- parameters ------------------------------------------------------------------------------

SETTINGS = {
    "sign-contract": [{"fee": "60000"}, {"fee": "0"}, {"fee": "12345.5", "network_offer": "1e6"}],
    "oil-wildcatter": [{"survey_fee": "53"}, {"oil": "1/3", "find": "450"}, {"good_if_oil": "100%", "good_if_dry": "0"}],
    "push-to-21": [{"faces": "6"}, {"target": "31"}, {"target": "5", "faces": "3"}],
    "monty-hall": [{"left": "1"}, {"left": "0.3"}],
    "nim": [{"left": "1", "middle": "2", "right": "3"}, {"left": "0"}],
    "blackjack": [{"natural_pays": "6/5"}, {"peek": "false"}],
    "secretary": [{"candidates": "10"}, {"candidates": "31"}],
    "red-black-cards": [{"cards": "4"}, {"cards": "9"}],
    "2048-2x2": [{"target": "4"}, {"rows": "1", "target": "3"}],
    "yahtzee-small": [{"size": "2"}, {"sheet": "[11]", "size": "3"}],
    "dots-and-boxes": [{"rows": "1"}],
}  # fmt: skip


@pytest.mark.parametrize("name", SETTINGS)
def test_parameters_give_what_the_command_line_gives(page, name):
    """Typed values are unfolded in the page to the value of `gametree eval --set`."""
    page.open(name)
    for chosen in SETTINGS[name]:
        page.click("defaults")
        problems = [page.set(parameter, text) for parameter, text in chosen.items()]
        assert problems[-1] == ""
        game = bundled(name, **chosen)
        assert page.value() == exact(game)
        assert page.js("return page.graph.length") == len(game.dag())
        policy = page.js("return page.policy")
        if policy:
            value = game.solution(policy=policy).value(0)
            found = page.js(
                "return exactText(policyValue(page.graph, page.walked, choicesOf(page.policy)))"
            )
            assert found == numbers.exact_text(value)
    page.click("defaults")
    page.click("end")
    assert page.text("stat-root") == numbers.table_text(bundled(name).solution().value(0))


@pytest.mark.parametrize(
    "name", ["sign-contract", "oil-wildcatter", "push-to-21", "monty-hall", "nim"]
)
def test_sliders_give_what_the_command_line_gives(page, name):
    """Each place of a slider is an exact value; where it makes no sense the page says so."""
    page.open(name)
    for parameter in page.js("return data.parameters.map(({ name }) => name)"):
        for place in (0, 0.3, 0.8, 1):
            page.click("defaults")
            text, problem = page.slide(parameter, place)
            try:
                value = exact(game_of(read(path_of(name)), {parameter: text}))
            except SpecError:
                assert problem
            else:
                assert not problem
                assert page.value() == value


def test_the_command_line_itself_agrees_with_a_slider(page, run):
    """The same number comes from a real process."""
    page.open("oil-wildcatter")
    text, _ = page.slide("survey_fee", 0.9)
    answer = run("eval", "oil-wildcatter", "--set", f"survey_fee={text}", "--format", "json")
    assert page.value() == json.loads(answer.stdout)["value"]


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(native_games(), stateful_games().map(as_yaml)))
def test_games_are_unfolded_in_the_page_as_they_are_in_python(page, tmp_path, text):
    """Rules evaluated in the page make the same game: as many nodes, and the same values."""
    if page.js("return document.title") != "dice · gametree":
        page.open("dice")
    try:
        game = game_from(text, tmp_path)
        dag = game.dag(numbers="exact")
        values = [exact(game, name) for name in ALGORITHMS]
    except SpecError:
        return
    rules = rules_data(game.program)
    assert rules is not None
    found = page.js(
        """
        const nodes = unfold(arguments[0], new Map(), 30000);
        return [nodes.length, ["minimax", "expectimax", "expectiminimax"].map((name) => exactText(walk(nodes, name).values[0]))];
        """,
        json.loads(json.dumps(rules)),
    )
    assert found == [len(dag), values]


def test_what_is_folded_stays_folded_when_a_number_changes(page):
    """A slider that leaves the tree as it is leaves the picture as it is."""
    page.open("oil-wildcatter")
    page.js("tree.toggle(1)")
    places = "return tree.visible.map((at) => [at, tree.drawn[at].x, tree.drawn[at].y])"
    before = page.js(places)
    page.slide("survey_fee", 0.6)
    assert page.js(places) == before
    assert page.text("stat-root") != "123"


def test_run_starts_over_at_the_end(page):
    """At the end there is nothing left to run, so Run begins again."""
    page.open("dice")
    page.click("end")
    page.click("run")
    assert page.js("return page.step") < page.steps()
    page.click("run")


def test_the_page_has_every_function_of_the_language(page):
    """A new built-in function has to be written in the page's rules, too."""
    page.open("dice")
    assert set(page.js("return Object.keys(BUILTINS)")) == set(BUILTINS) == FUNCTIONS


def test_a_setting_that_makes_no_sense_is_said_and_the_tree_stays(page):
    """Probabilities that do not sum to one are told beside the sliders."""
    page.open("monty-hall")
    before = page.value()
    assert "probabilit" in page.set("left", "7/2")
    assert page.value() == before
    assert page.set("left", "1/4") == ""


# --- numbers ---------------------------------------------------------------------------------


def test_numbers_are_written_as_in_python(page):
    """All texts of numbers come from the same rules in both languages."""
    chance = random.Random(4)
    values = [
        Fraction(chance.randint(-(10**a), 10**a), chance.randint(1, 10**b))
        for a in range(1, 24, 3)
        for b in range(0, 24, 2)
        for _ in range(6)
    ]
    values += [Fraction(n, d) for n in range(-4, 25) for d in (1, 2, 3, 7, 8, 10, 128, 1000)]
    values += [
        Fraction(10**k + j, 10**i)
        for k in (9, 10, 14, 15, 16, 20)
        for j in (-1, 0, 1)
        for i in (0, 3, 25)
    ]
    values += [
        Fraction(79292566171467, 5 * 10**12),
        Fraction(10**400 + 1, 3**700),
        Fraction(3**900, 2),
    ]
    writers = {"exactText": numbers.exact_text, "valueText": numbers.value_text, "tableText": numbers.table_text,
               "oddsText": numbers.odds_text, "pictureText": numbers.picture_text, "stepText": numbers.step_text}  # fmt: skip
    page.open("dice")
    for name, write in writers.items():
        found = page.js(
            "return arguments[0].map((text) => eval(arguments[1])(readExact(text)))",
            [numbers.exact_text(v) for v in values],
            name,
        )
        assert found == [write(value) for value in values]
    floats = [
        0.5,
        1 / 3,
        1e-7,
        123456.789,
        1e15,
        1e16,
        1.5e22,
        -2.0,
        0.1 + 0.2,
        5e-324,
        1.7e308,
        12345678901.25,
    ]
    for name, write in writers.items():
        found = page.js(
            "return arguments[0].map((x) => eval(arguments[1])(Number(x)))",
            list(map(repr, floats)),
            name,
        )
        assert found == [write(value) for value in floats]


# --- who reads it ----------------------------------------------------------------------------


def test_paper_is_white_where_the_screen_is_dark(page):
    """A page is printed in its light colours, whatever the system prefers."""
    page.open("dice")
    seen = {}
    for media in ("screen", "print"):
        scheme = {"name": "prefers-color-scheme", "value": "dark"}
        page.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"media": media, "features": [scheme]}
        )
        seen[media] = page.js(
            "return [getComputedStyle(document.body).backgroundColor,"
            " getComputedStyle(document.documentElement).colorScheme]"
        )
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    assert seen["print"] == ["rgb(255, 255, 255)", "light"]
    assert seen["screen"][0] != seen["print"][0]


@pytest.fixture(scope="module")
def axe():
    package = pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")
    return Path(package.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["dice", "oil-wildcatter", "push-to-21"])
def test_axe_finds_no_fault(page, axe, name, dark):
    """At the beginning, on the way and at the end, wide and narrow."""
    for width, steps in ((1280, (0, 20, 10**6)), (390, (20,))):
        page.size(width, 844, dark=dark)
        page.open(name)
        page.js(axe)
        page.js("for (const part of document.querySelectorAll('details')) part.open = true")
        for step in steps:
            page.js("to(arguments[0])", step)
            found = page.driver.execute_async_script("axe.run().then(arguments[0])")
            told = [
                (fault["id"], fault["impact"], [node["html"][:200] for node in fault["nodes"][:3]])
                for fault in found["violations"]
            ]
            assert told == []


def test_a_long_value_stays_within_its_triangle(page):
    """Where the digits begin, a MAX node is as broad as the number in it."""
    page.open("push-to-21")
    page.click("end")
    room = page.js(
        """
        return [...tree.made].filter(([at]) => tree.graph[tree.drawn[at].node].kind === "max").map(([at, made]) => {
          const [box, { width, height, text }] = [made.value.getBBox(), tree.drawn[at]];
          return [text.length, width * (box.y + box.height / 4 + height / 2) / height - box.width];
        });
        """
    )
    assert max(length for length, _ in room) > 8
    assert min(spare for _, spare in room) > 0


@pytest.mark.parametrize("name", ["dice", "oil-wildcatter", "push-to-21", "tic-tac-toe"])
def test_nothing_is_wider_than_a_phone(page, name):
    """At 390 pixels the page itself never scrolls sideways: the picture and the table do."""
    page.size(390, 844)
    page.open(name)
    page.click("end")
    assert page.js("return document.documentElement.scrollWidth") == 390


def test_axe_finds_no_fault_with_long_labels(page, axe, tmp_path):
    """Labels of 300 characters, and of any script, at the narrow width."""
    page.size(390, 844)
    page.open(hostile_game(tmp_path))
    page.js(axe)
    page.click("end")
    found = page.driver.execute_async_script("axe.run().then(arguments[0])")
    assert [(fault["id"], fault["nodes"][0]["html"][:200]) for fault in found["violations"]] == []
    assert page.js("return document.documentElement.scrollWidth") == 390


def keys(page, *pressed):
    from selenium.webdriver.common.action_chains import ActionChains

    for key in pressed:
        ActionChains(page.driver, duration=0).send_keys(key).perform()


def test_everything_can_be_done_by_keyboard(page):
    """Keys step, run and choose; in the tree arrows walk, fold and unfold."""
    from selenium.webdriver.common.keys import Keys

    page.open("dice")
    at = "return page.step"
    keys(page, "s", "s", "s", "b")
    assert page.js(at) == 2
    keys(page, "e")
    assert page.js(at) == page.steps()
    keys(page, "0", "1")
    assert page.js("return [page.step, page.algorithm]") == [0, "minimax"]
    keys(page, "r")
    assert page.text("run") == "Pause"
    keys(page, "r")
    assert page.text("run") == "Run"
    page.js("document.querySelector('.node').focus()")
    focused = "return document.activeElement.dataset.at"
    keys(page, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert page.js(focused) == "2"
    shown = page.js("return tree.visible.length")
    keys(page, Keys.ENTER)
    assert page.js("return document.activeElement.getAttribute('aria-expanded')") == "false"
    assert page.js("return tree.visible.length") == shown - 2
    keys(page, Keys.ARROW_RIGHT)
    assert page.js("return tree.visible.length") == shown
    keys(page, Keys.ARROW_RIGHT, Keys.ARROW_LEFT, Keys.HOME)
    assert page.js(focused) == "0"
    keys(page, Keys.END)
    assert page.js(focused) == page.js("return String(tree.visible.at(-1))")


def test_the_tree_is_there_for_those_who_hear_it(page):
    """Each node is an item of a tree, with its level and what there is to say of it."""
    page.open("oil-wildcatter")
    page.click("end")
    items = page.js(
        "return [...document.querySelectorAll('[role=tree] [role=treeitem]')]"
        ".map((node) => [node.getAttribute('aria-level'), node.getAttribute('aria-label')])"
    )
    assert ["2", "survey, cost 30, chance, worth 123, chosen"] in items
    assert len(items) == 17


# --- what a file may contain -----------------------------------------------------------------


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def hostile_game(tmp_path):
    """A game whose name, description, labels and notes are what nobody hopes for."""
    branches = "\n".join(
        f"    {quoted(label)}: {{label: {quoted(label)}, note: {quoted(label)}, chance: [1, 2]}}"
        for label in HOSTILE
    )
    name = quoted(HOSTILE[0])
    text = f"game: {name}\ndescription: {name}\nroot:\n  max:\n{branches}\n"
    return game_from(text, tmp_path)


def test_labels_are_text_whatever_they_say(page, tmp_path):
    """Markup, quotes, emoji, right-to-left text and 300 characters are shown as they are."""
    page.open(hostile_game(tmp_path))
    assert page.driver.title == f"{HOSTILE[0]} · gametree"
    assert page.text("name") == HOSTILE[0]
    assert page.js("return [document.images.length, document.scripts.length]") == [0, 2]
    labels = page.js(
        "return [...document.querySelectorAll('.node title')].map((title) => title.textContent)"
    )
    for label in HOSTILE:
        assert any(label.strip() in text for text in labels)
    page.click("end")
    assert HOSTILE[0] in page.text("message")
    assert page.js("return document.querySelector('.picture').scrollWidth") <= 1280


def test_json_never_ends_its_script():
    """`<` and the line ends that JavaScript once tripped over are escaped."""
    text = json_in_html({"a": "</script>\u2028<!--"})
    assert "<" not in text
    assert "\u2028" not in text
    assert json.loads(text) == {"a": "</script>\u2028<!--"}


def test_the_page_loads_nothing_and_runs_nothing_else(page):
    """No request goes out, and the page's own policy stops scripts that are not its own."""
    page.open("dice")
    assert page.js("return performance.getEntriesByType('resource').length") == 0
    ran = page.js(
        """
        const script = document.createElement("script");
        script.textContent = "window.intruder = true";
        document.body.append(script);
        return window.intruder === true;
        """
    )
    assert not ran
    refused = page.driver.get_log("browser")
    assert ["Content Security Policy" in line["message"] for line in refused] == [True]


# --- size and speed --------------------------------------------------------------------------


def full_tree(branching, depth):
    """A tree written out: MAX, chance and MIN in turn."""
    kinds = ["max", "chance", "min"]

    def node(level, seed):
        if level == depth:
            return str(seed % 17 - 8)
        below = [node(level + 1, seed * branching + i + 1) for i in range(branching)]
        return f"{{{kinds[level % 3]}: [{', '.join(below)}]}}"

    return f"game: full\nroot: {node(0, 0)}\n"


def test_a_tree_of_200_nodes_is_small_and_there_at_once(page, tmp_path):
    """Under 300 KB, and painted within half a second."""
    game = game_from(full_tree(3, 4) + "", tmp_path)
    game = game_from(
        "game: two\nroot: {max: ["
        + full_tree(3, 4).split("root: ")[1].strip()
        + ", "
        + full_tree(2, 6).split("root: ")[1].strip()
        + "]}",
        tmp_path,
    )
    assert 200 <= len(game.dag()) <= 260
    assert len(page_html(game).encode()) < 300_000
    paints = []
    for _ in range(3):
        page.open(game)
        paints.append(page.first_paint())
    assert min(paints) < 500


def test_a_tree_of_5000_nodes_steps_smoothly(page, tmp_path):
    """A step takes less than 50 milliseconds, laid out and all."""
    game = game_from(full_tree(17, 3), tmp_path)
    assert len(game.dag()) > 5_000
    page.open(game)
    assert page.js("return tree.visible.length") < 100
    times = page.js(
        """
        return Array.from({ length: 150 }, () => {
          const start = performance.now();
          document.getElementById("step").click();
          document.getElementById("stage").getBoundingClientRect();
          return performance.now() - start;
        });
        """
    )
    assert sorted(times)[len(times) // 2] < 50
    page.click("unfold")
    assert page.js("return tree.visible.length") <= 3_000


def test_a_game_too_large_for_a_page_has_its_first_levels_and_rows(page):
    """The page says so, walks the levels that it has, and gets the value right."""
    game = bundled("push-to-21", target="6000")
    page.open(game, policy="hit until 17")
    assert "more than a page can hold" in page.text("notice")
    page.step_to_the_end()
    value = game.solution().value(0)
    assert float(page.value()) == pytest.approx(float(value))
    assert len(rows(page)) == 200
    assert page.js("return document.querySelectorAll('.badge').length") > 0
    assert page.set("target", "21") == ""
    assert page.value() == exact(bundled("push-to-21"))


def test_the_table_of_a_large_game_begins_where_somebody_chooses(page, tmp_path):
    """The rows in which play is over, though they come first, are left out."""
    game = game_from(
        """
        game: late choices
        nodes:
          "turn(left: 0..1, n: 1..12000)":
            if: left == 0
            then: n
            else: {max: {stop: n, go: "turn(0, n)"}}
        root: {max: {"for n in 1..12000": "turn(1, n)"}}
        """,
        tmp_path,
    )
    page.open(game)
    assert [row[:2] for row in rows(page)] == [["1", str(n)] for n in range(1, 201)]
    assert page.text("strategy-note") == (
        "The first in which somebody chooses: 200 of 24,000 states. "
    )


# --- the command -----------------------------------------------------------------------------


def test_view_writes_a_page(run, tmp_path):
    """`gametree view GAME -o FILE` writes it; without -o it goes to stdout."""
    written = run("view", "dice", "-o", "dice.html")
    assert (written.returncode, written.stdout, written.stderr) == (0, "", "")
    text = (tmp_path / "dice.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert run("view", "dice").stdout == text


def test_view_says_what_is_wrong(run, tmp_path):
    """A broken file, an unknown policy and a folder that is not there are told, without a page."""
    (tmp_path / "bad.yaml").write_text("game: bad\nroot: {max: {}}\n", encoding="utf-8")
    assert run("view", "bad.yaml").returncode == 1
    unknown = run("view", "push-to-21", "--policy", "hit until 71")
    assert unknown.returncode == 2
    assert "hit until 17" in unknown.stderr
    assert run("view", "dice", "-o", "nowhere/dice.html").returncode == 2
    assert run("view", "dice", "--algorithm", "maximin").returncode == 2


def test_a_page_begins_as_it_is_asked_to(page):
    """With the algorithm, the policy, the state and the parameters given."""
    game = bundled("push-to-21", target="15")
    page.open(game, algorithm="minimax", policy="hit until 14", at="turn(9)")
    assert page.js("return [page.algorithm, page.policy, page.graph[0].title]") == [
        "minimax",
        "hit until 14",
        "turn(9)",
    ]
    assert page.set("faces", "4") == ""
    assert page.value() == numbers.exact_text(
        bundled("push-to-21", target="15", faces="4")
        .solution(algorithm="minimax", at="turn(9)")
        .value(0)
    )


def test_a_saved_game_has_its_page(page, run, tmp_path):
    """With its strategy and its sliders, from the state that it was saved at."""
    run("compile", "push-to-21", "--set", "faces=6", "--at", "turn(9)", "-o", "push.npz")
    written = run("view", "push.npz", "-o", "push.html")
    assert (written.returncode, written.stderr) == (0, "")
    page.driver.get((tmp_path / "push.html").as_uri())
    game = bundled("push-to-21", faces="6")
    assert page.value() == numbers.exact_text(game.solution(at="turn(9)").value(0))
    assert page.set("target", "25") == ""
    game = bundled("push-to-21", faces="6", target="25")
    assert page.value() == numbers.exact_text(game.solution(at="turn(9)").value(0))
