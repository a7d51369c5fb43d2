"""The command line, as real processes: what is printed where, and the exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from gametree.cli.table import COMMANDS

GOOD = """\
game: coin
params: {stake: 2}
root:
  max:
    play: {chance: {heads: {p: 1/2, then: 3 * stake}, tails: {p: rest, then: -1}}}
    pass: 1
expect: {value: 5/2, best: play}
"""
BAD = """\
game: urn
root:
  chance:
    red: {p: 0.333, then: 5}
    blue: {p: 0.333, then: 4}
    green: {p: 0.333, then: 3}
"""
WRONG = GOOD.replace("value: 5/2", "value: 3")
TURNS = """\
game: turns
nodes:
  "turn(n: 0..9)":
    if: n == 9
    then: 9
    else: {max: {stop: n, go: turn(n + 1)}}
root: turn(0)
policies:
  early: {turn(n): '"stop"'}
"""


@pytest.fixture
def games(tmp_path):
    """Files with a good game, a broken one, and one whose expectation fails."""
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(BAD)
    (tmp_path / "wrong.yaml").write_text(WRONG)
    (tmp_path / "turns.yaml").write_text(TURNS)
    return tmp_path


# --- help and wrong use ----------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_help_begins_with_examples(run, name):
    """Two or three examples come before anything else, and each is of this command."""
    done = run(name, "--help")

    assert done.returncode == 0
    usage, rest = done.stdout.split("\n\n", 1)
    examples = rest.split("\n\n", 1)[0].splitlines()
    assert usage.startswith(f"Usage: gametree {name}")
    assert examples[0].strip() == "Examples:"
    assert 2 <= len(examples) - 1 <= 3
    assert all(line.strip().startswith(f"gametree {name}") for line in examples[1:])


def test_help_lists_every_command_with_a_line(run):
    shown = run("--help").stdout
    assert all(f"  {name} " in shown and entry.summary in shown for name, entry in COMMANDS.items())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evl"], "Did you mean 'eval'?"),
        (["--versoin"], "Did you mean '--version'?"),
        (["eval", "dice", "--algoritm", "minimax"], "Did you mean '--algorithm'?"),
        (["eval"], "Missing argument 'FILE'"),
        (["eval", "dice", "--algorithm", "minmax"], "did you mean `minimax`?"),
        (["eval", "dice", "--play", "min"], "`min` is not KIND=BEHAVIOUR"),
        (["eval", "dice", "--play", "mim=random"], "min"),
        (["eval", "dice", "--play", "min=randm"], "random"),
        (["eval", "dice", "--policy", "bold"], "bold"),
        (["eval", "dice", "--set", "x"], "--set takes NAME=VALUE"),
        (["eval", "push-to-21", "--set", "targt=3"], "did you mean `target`?"),
        (["eval", "dice", "--format", "github"], "'github' is not one of 'text', 'json'"),
        (["eval", "dice", "--max-states", "0"], "--max-states"),
        (["convert", "dice", "-o", "dice.txt"], "does not end in"),
        (["fmt", "dice"], "is a bundled game"),
        (["trees", "dcie"], "did you mean `dice`?"),
        (["explain", "GT3O1"], "did you mean"),
        (["explain", "nonsense"], "there is no code `nonsense`"),
        (["--show-completion", "csh"], "is not one of bash"),
    ],
)
def test_wrong_use_says_what_was_meant_and_exits_with_2(run, arguments, said):
    done = run(*arguments)

    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


# --- eval ------------------------------------------------------------------------------------


def test_eval_json_is_the_contract(run):
    """The keys and the texts of the object do not change between versions."""
    done = run("eval", "dice", "--format", "json")

    assert done.returncode == 0
    assert done.stderr == ""
    assert json.loads(done.stdout) == {
        "game": "dice",
        "algorithm": "expectiminimax",
        "numbers": "exact",
        "value": "5",
        "value_float": 5.0,
        "error_bound": 0.0,
        "best": ["B"],
        "branches": [
            {"label": "A", "value": "4", "value_float": 4.0},
            {"label": "B", "value": "5", "value_float": 5.0},
        ],
        "line": ["B"],
        "size": {"nodes": 15, "edges": 14, "terminals": 8, "depth": 3},
    }


def test_eval_text_names_the_value_and_the_best_branch(run):
    shown = run("eval", "dice").stdout
    assert "value  5" in shown
    assert "best   B" in shown


def _value(done) -> str:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["value"]


def test_eval_takes_settings_algorithms_and_a_start(run, games):
    json_of = ("--format", "json")
    assert _value(run("eval", "good.yaml", *json_of)) == "5/2"
    assert _value(run("eval", "good.yaml", "--set", "stake=1/3", *json_of)) == "1"
    assert _value(run("eval", "good.yaml", "--algorithm", "minimax", *json_of)) == "1"
    assert _value(run("eval", "good.yaml", "--play", "max=random", *json_of)) == "7/4"
    assert _value(run("eval", "turns.yaml", *json_of)) == "9"
    assert _value(run("eval", "turns.yaml", "--policy", "early", *json_of)) == "0"
    assert (
        _value(run("eval", "turns.yaml", "--policy", "early", "--at", "turn(4)", *json_of)) == "4"
    )


def test_eval_says_which_numbers_it_used(run, games):
    exact = json.loads(run("eval", "good.yaml", "--exact", "--format", "json").stdout)
    floats = json.loads(run("eval", "good.yaml", "--float", "--format", "json").stdout)

    assert (exact["numbers"], floats["numbers"]) == ("exact", "float")
    assert floats["value_float"] == 2.5


def test_eval_lists_the_strategy_when_asked(run, games):
    rows = json.loads(run("eval", "turns.yaml", "--strategy", "--format", "json").stdout)
    assert [row["chosen"] for row in rows["strategy"]] == [["go"]] * 9
    assert "turn(8)" in run("eval", "turns.yaml", "--strategy").stdout


@pytest.mark.parametrize(
    "text",
    [GOOD, 'game "coin"\nroot max { play: 5/2\n pass: 1 }\n', '{"game": "c", "root": "5/2"}'],
)
def test_eval_reads_any_notation_from_standard_input(run, text):
    assert _value(run("eval", "-", "--format", "json", stdin=text)) == "5/2"


def test_eval_of_a_broken_file_prints_nothing_but_what_is_wrong(run, games):
    """Diagnostics on stderr, nothing on stdout, exit code 1."""
    done = run("eval", "bad.yaml")

    assert done.returncode == 1
    assert done.stdout == ""
    assert "error[GT301]" in done.stderr
    assert "bad.yaml:3:" in done.stderr


def test_eval_prints_warnings_beside_the_answer(run, games):
    (games / "unused.yaml").write_text("game: g\nparams: {x: 1}\nroot: 2\n")
    done = run("eval", "unused.yaml")

    assert done.returncode == 0
    assert "warning[GT601]" in done.stderr
    assert "value  2" in done.stdout


@pytest.mark.parametrize("argument", ["missing.yaml", ".", "no-such-game"])
def test_what_cannot_be_read_is_exit_code_2(run, argument):
    done = run("eval", argument)

    assert done.returncode == 2
    assert done.stdout == ""
    assert "error[GT001]" in done.stderr


def test_a_file_comes_before_a_bundled_game_of_its_name(run, games):
    (games / "dice").write_text(GOOD)
    assert json.loads(run("eval", "dice", "--format", "json").stdout)["game"] == "coin"


def test_the_state_limit_stops_a_game_and_says_how_to_raise_it(run, games):
    done = run("eval", "turns.yaml", "--max-states", "5")

    assert done.returncode == 1
    assert "error[GT501]" in done.stderr
    assert "--max-states" in done.stderr


# --- validate --------------------------------------------------------------------------------


def test_validate_goes_on_after_a_bad_file(run, games):
    """Findings of each on stdout, one summary on stderr, the highest exit code."""
    done = run("validate", "bad.yaml", "missing.yaml", "good.yaml")

    assert done.returncode == 2
    assert "error[GT301]" in done.stdout
    assert "error[GT001]" in done.stdout
    assert done.stderr.strip() == "2 errors in 3 files"


def test_validate_of_a_good_file_prints_only_a_summary(run, games):
    done = run("validate", "good.yaml")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "no problems in 1 file\n")


def test_validate_searches_folders(run, games):
    done = run("validate", ".")
    assert done.returncode == 1
    assert done.stderr.strip() == "1 error in 4 files"


def test_validate_json_is_the_contract(run, games):
    done = run("validate", "bad.yaml", "good.yaml", "--format", "json")

    assert done.returncode == 1
    bad, good = json.loads(done.stdout)["files"]
    assert good == {"path": "good.yaml", "ok": True, "diagnostics": []}
    assert (bad["path"], bad["ok"]) == ("bad.yaml", False)
    [found] = bad["diagnostics"]
    required = {"code", "severity", "message", "line", "column", "end_line", "end_column", "help"}
    assert required <= set(found)
    assert (found["code"], found["severity"], found["line"]) == ("GT301", "error", 3)


def test_validate_json_is_json_whatever_happens(run):
    done = run("validate", "missing.yaml", "--format", "json")

    assert done.returncode == 2
    [file] = json.loads(done.stdout)["files"]
    assert (file["path"], file["ok"]) == ("missing.yaml", False)
    assert file["diagnostics"][0]["code"] == "GT001"


def test_validate_prints_annotations_for_github(run, games):
    done = run("validate", "bad.yaml", "--format", "github")

    assert done.returncode == 1
    assert done.stdout.startswith("::error ")
    assert "file=bad.yaml,line=3" in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_validate_visits_states_unless_it_is_told_not_to(run, games):
    """A mistake that only play runs into, and the note about what was not visited."""
    (games / "state.yaml").write_text(TURNS.replace("n == 9", "n == 10"))

    found = run("validate", "state.yaml")
    assert found.returncode == 1
    assert "error[GT402]" in found.stdout
    assert run("validate", "state.yaml", "--static").returncode == 0

    stopped = run("validate", "state.yaml", "--max-states", "3")
    assert stopped.returncode == 0
    assert "note[GT604]" in stopped.stdout


# --- test ------------------------------------------------------------------------------------


def test_test_compares_with_what_files_expect(run, games):
    assert run("test", "good.yaml").returncode == 0
    done = run("test", "good.yaml", "wrong.yaml")

    assert done.returncode == 1
    assert "error[GT701]" in done.stdout
    assert done.stderr.strip() == "2 expectations in 2 files, 1 failed"


def test_test_json_lists_every_expectation(run, games):
    done = run("test", "wrong.yaml", "bad.yaml", "--format", "json")

    assert done.returncode == 1
    wrong, bad = json.loads(done.stdout)["files"]
    assert [expected["ok"] for expected in wrong["expectations"]] == [False]
    assert wrong["expectations"][0]["diagnostic"]["code"] == "GT701"
    assert "expectations" not in bad
    assert bad["diagnostics"][0]["code"] == "GT301"


def test_test_lists_what_holds_when_asked(run, games):
    shown = run("test", "good.yaml", "wrong.yaml", "--verbose").stdout.splitlines()
    assert any(line.startswith("ok     good.yaml: ") for line in shown)
    assert any(line.startswith("FAILED wrong.yaml: ") for line in shown)


def test_test_says_when_a_file_expects_nothing(run, games):
    done = run("test", "turns.yaml")
    assert done.returncode == 0
    assert "turns.yaml: the file expects nothing" in done.stderr


# --- dot -------------------------------------------------------------------------------------


def test_dot_prints_dot(run):
    done = run("dot", "dice")
    assert done.returncode == 0
    assert done.stdout.startswith("digraph")


def test_dot_without_graphviz_says_how_to_get_it(run, games):
    done = run("dot", "dice", "-o", "dice.png", PATH="")

    assert done.returncode == 2
    assert "Graphviz" in done.stderr
    assert not (games / "dice.png").exists()


def test_dot_draws_an_svg_without_graphviz(run, games):
    done = run("dot", "dice", "-o", "dice.svg", PATH="")

    assert done.returncode == 0, done.stderr
    assert (games / "dice.svg").read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-o", "wide.svg"], "`--rankdir LR` draws it to the right, `--max-nodes` cuts it"),
        (["-o", "wide.svg", "--rankdir", "LR"], ""),
        (["-o", "wide.svg", "--max-nodes", "20"], ""),
        (["--format", "svg"], ""),  # read by another program
    ],
)
def test_a_very_wide_picture_comes_with_what_makes_it_narrower(run, arguments, told):
    done = run("dot", "blackjack", *arguments)

    assert done.returncode == 0
    assert told in done.stderr
    assert done.stderr.count("pixels wide") == bool(told)


@pytest.mark.parametrize(
    ("format_", "begins"),
    [("svg", "<svg "), ("mermaid", "---\ntitle:"), ("tikz", "\\documentclass"), ("dot", "digraph")],
)
def test_dot_prints_the_format_asked_for(run, format_, begins):
    done = run("dot", "dice", "--format", format_)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(begins)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "dice.bmp"], "cannot tell the format"),
        (["-o", "dice.svg", "--format", "tikz"], "another format"),
        (["--format", "mermaid", "--engine", "graphviz"], "Graphviz does not draw mermaid"),
        (["--format", "png", "--engine", "gametree"], "PNG is drawn by Graphviz"),
        (["--trace", "37"], "steps 1 to 36"),
        (["--trace", "1", "--highlight", "line"], "not both"),
        (["--highlight", "policy"], "needs --policy NAME"),
        (["--highlight", "line", "--no-solve"], "--no-solve makes none"),
        (["--highlight", "policy", "--policy", "x"], "no policy `x`"),
    ],
)
def test_dot_refuses_what_does_not_go_together(run, arguments, said):
    done = run("dot", "dice", *arguments)

    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_dot_draws_a_step_of_the_trace(run):
    """After step 17 A is done and worth 4, and nothing is known of B."""
    done = run("dot", "dice", "--format", "svg", "--trace", "17")

    assert "step 17 of 36: A is worth 4" in done.stdout
    assert "chance: 4" in done.stdout
    assert "chance: 5" not in done.stdout


def test_dot_marks_a_policy_where_it_leads(run):
    done = run("dot", "push-to-21", "--format", "svg", "--at", "turn(14)", "--highlight", "policy",
               "--policy", "hit until 17")  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "the policy “hit until 17”" in done.stdout
    assert "faint" in done.stdout


# --- convert and fmt -------------------------------------------------------------------------


def test_convert_writes_the_other_notation_and_back(run, games):
    text = run("convert", "good.yaml")
    assert text.returncode == 0
    assert text.stdout.startswith('game "coin"')
    (games / "good.tree").write_text(text.stdout)

    back = run("convert", "good.tree", "-o", "back.json")
    assert (back.returncode, back.stdout) == (0, "")
    assert json.loads((games / "back.json").read_text())["game"] == "coin"
    assert _value(run("eval", "back.json", "--format", "json")) == "5/2"


def test_convert_of_a_broken_file_writes_nothing(run, games):
    done = run("convert", "bad.yaml", "-o", "bad.tree")
    assert done.returncode == 1
    assert not (games / "bad.tree").exists()


UNTIDY = "game:   coin   # a comment\nroot: {max:   {a: 1,   b: 2}}\n"


def test_fmt_rewrites_in_place_and_keeps_the_mode(run, games):
    """In one step, through links, and the second time nothing is left to do."""
    file = games / "untidy.yaml"
    file.write_text(UNTIDY)
    file.chmod(0o640)
    (games / "link.yaml").symlink_to("untidy.yaml")

    done = run("fmt", "link.yaml")

    assert done.returncode == 0
    assert (games / "link.yaml").is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert "# a comment" in file.read_text()
    assert file.read_text() != UNTIDY
    assert run("fmt", "untidy.yaml", "--check").returncode == 0
    assert not list(games.glob(".untidy*"))


def test_fmt_only_looks_with_check_and_diff(run, games):
    (games / "untidy.yaml").write_text(UNTIDY)

    checked = run("fmt", "untidy.yaml", "--check")
    shown = run("fmt", "untidy.yaml", "--check", "--diff")

    assert (checked.returncode, shown.returncode) == (1, 1)
    assert checked.stdout == "would reformat untidy.yaml\n"
    assert shown.stdout.startswith("--- untidy.yaml\n+++ untidy.yaml\n@@")
    assert (games / "untidy.yaml").read_text() == UNTIDY


def test_fmt_leaves_a_broken_file_alone(run, games):
    (games / "untidy.yaml").write_text(UNTIDY)
    done = run("fmt", "bad.yaml", "untidy.yaml")

    assert done.returncode == 1
    assert "error[GT301]" in done.stderr
    assert done.stderr.endswith("\n1 of 2 files changed, 1 with errors\n")
    assert (games / "bad.yaml").read_text() == BAD
    assert (games / "untidy.yaml").read_text() != UNTIDY


def test_fmt_of_standard_input_writes_standard_output(run):
    once = run("fmt", "-", stdin=UNTIDY)
    assert once.returncode == 0
    assert "# a comment" in once.stdout
    assert run("fmt", "-", stdin=once.stdout).stdout == once.stdout


# --- schema, trees, explain ------------------------------------------------------------------


def test_schema_prints_a_json_schema(run, games):
    done = run("schema")
    assert "$schema" in json.loads(done.stdout)
    run("schema", "-o", "schema.json")
    assert (games / "schema.json").read_text(encoding="utf-8") == done.stdout


def test_trees_lists_the_bundled_games_and_prints_them(run):
    listed = run("trees").stdout.splitlines()
    assert {"dice", "nim", "tic-tac-toe"} <= {line.split()[0] for line in listed}
    assert all(len(line.split()) > 3 for line in listed)
    assert run("trees", "dice").stdout.startswith("game: dice")
    assert 'game "dice"' in run("trees", "dice", "--notation", "text").stdout


def test_explain_prints_the_page_of_a_code(run):
    assert run("explain", "GT301").stdout.startswith("# GT301")
    assert run("explain", "gt301").stdout == run("explain", "GT301").stdout


def test_explain_alone_lists_every_code(run):
    from gametree.spec.diagnostics import Code

    listed = run("explain").stdout.splitlines()
    assert [line.split()[0] for line in listed] == [code.value for code in Code]
    assert all(len(line.split()) > 1 for line in listed)


# --- streams, colour, completion, faults -----------------------------------------------------


@pytest.mark.parametrize(
    ("options", "environment", "coloured"),
    [
        ([], {}, False),  # not a terminal
        (["--color", "always"], {"NO_COLOR": "1"}, True),  # the option comes first
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": ""}, True),  # empty means unset
        ([], {"TERM": "dumb"}, False),
    ],
)
def test_colour_follows_the_option_and_then_the_environment(
    run, games, options, environment, coloured
):
    done = run("validate", "bad.yaml", *options, **environment)
    assert ("\x1b[" in done.stdout) is coloured


def test_a_reader_that_stops_reading_is_no_fault():
    """`| head` ends the program without a word."""
    with subprocess.Popen(
        [sys.executable, "-m", "gametree", "explain"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout
        process.stdout.close()
        assert process.stderr
        assert process.stderr.read() == ""
        assert process.wait() == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["trees"], ["--help"], ["eval", "--help"]])
def test_a_full_disk_is_reported(arguments):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gametree", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot write the output: ")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupting_ends_with_130_and_no_traceback():
    with subprocess.Popen(
        [sys.executable, "-m", "gametree", "eval", "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        _wait_until_reading(process.pid)
        process.send_signal(signal.SIGINT)
        assert process.stderr
        said = process.stderr.read()
        assert process.wait(10) == 130
    assert "Traceback" not in said


def _wait_until_reading(pid: int) -> None:
    """Wait until the process sleeps in a read of its standard input."""
    import time

    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        time.sleep(0.2)
        try:
            with open(f"/proc/{pid}/wchan", encoding="ascii") as file:
                if "pipe" in file.read():
                    return
        except OSError:
            time.sleep(2)
            return


def test_labels_that_a_stream_cannot_show_are_escaped(run, games):
    (games / "greek.yaml").write_text("game: γ\nroot: {max: {α: 1}}\n", encoding="utf-8")
    done = run("eval", "greek.yaml", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert r"\u03b1" in done.stdout


@pytest.mark.parametrize(
    ("words", "position", "offered"),
    [
        ("gametree ev", 1, "eval"),
        ("gametree eval di", 2, "dice"),
        ("gametree validate goo", 2, "good.yaml"),
        ("gametree explain GT30", 2, "GT301"),
        ("gametree trees tic", 2, "tic-tac-toe"),
        ("gametree eval dice --algorithm mini", 4, "minimax"),
        ("gametree eval --form", 2, "--format"),
    ],
)
def test_the_shell_completes_commands_options_games_and_codes(run, games, words, position, offered):
    done = run(_GAMETREE_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(position))
    assert offered in done.stdout.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_there_is_a_completion_script_for_each_shell(run, shell):
    done = run("--show-completion", shell)
    assert done.returncode == 0
    assert "_GAMETREE_COMPLETE" in done.stdout


FAULTY = textwrap.dedent(
    """
    import sys
    import gametree.evaluator.game as game
    def fail(*arguments, **options):
        raise KeyError("secret payoff 42")
    game.Game.from_document = fail
    from gametree.cli.main import run
    sys.argv = ["gametree", *sys.argv[1:]]
    run()
    """
)


def _faulty(folder, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", FAULTY, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_a_mistake_of_our_own_is_reported_as_one(games):
    """Version, type and our frames; nothing of the file, no traceback; exit code 3."""
    done = _faulty(games, "eval", "good.yaml")

    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith("internal error GT901: KeyError; this is a bug in gametree")
    assert "cli/games.py:" in done.stderr
    assert "secret" not in done.stderr
    assert "Traceback" not in done.stderr


def test_the_traceback_of_a_mistake_of_our_own_is_shown_when_asked_for(games):
    done = _faulty(games, "eval", "good.yaml", GAMETREE_DEBUG="1")
    assert done.returncode == 3
    assert "Traceback" in done.stderr


def test_a_mistake_of_our_own_in_one_file_does_not_stop_the_others(games):
    """The JSON object lists it as GT901, and the other file's problems all the same."""
    done = _faulty(games, "validate", "good.yaml", "missing.yaml", "--format", "json")

    assert done.returncode == 3
    codes = {
        file["path"]: [found["code"] for found in file["diagnostics"]]
        for file in json.loads(done.stdout)["files"]
    }
    assert codes == {"good.yaml": ["GT901"], "missing.yaml": ["GT001"]}
