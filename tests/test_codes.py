"""Every code has a page whose examples do what it says, and golden outputs that were read.

Golden pairs: ``tests/diagnostics/GT301_sum.yaml`` beside ``GT301_sum.out``, what the command
line says about it. To write the outputs anew, and look at the difference before committing it:
``GAMETREE_UPDATE_GOLDEN=1 pytest tests/test_codes.py``.
"""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from gametree.cli.main import run
from gametree.spec.diagnostics import Code

ROOT = Path(__file__).parent.parent
FOLDER = Path(__file__).parent / "diagnostics"
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix != ".out")
PAGES = sorted((ROOT / "spec" / "codes").glob("*.md"))

COMMANDS = {  # where `validate` is not the command that finds it, or needs a low limit
    "GT217_state": ["eval", "--policy", "greedy"],
    "GT307": ["eval", "--exact"],
    "GT405": ["search"],
    "GT501": ["eval", "--max-states", "1000"],
    "GT502": ["eval", "--max-work", "10000"],
    "GT604": ["validate", "--max-states", "100"],
    "GT605": ["eval"],
    "GT701": ["test"],
}
NOT_CAUSED_BY_CONTENT = {Code.UNREADABLE, Code.FILE_TOO_LARGE, Code.SAVED, Code.INTERNAL}
SHOWN_OTHERWISE = {  # pages without a failing example: the limits of this machine, not the text
    *NOT_CAUSED_BY_CONTENT,
    *{
        Code.NOT_UTF8,
        Code.NESTING,
        Code.NEEDS_FLOAT,
        Code.OUT_OF_BOUNDS,
        Code.STATE_LIMIT,
        Code.WORK_LIMIT,
    },
    *{Code.NOT_VISITED, Code.SLOW, Code.EXPECTATION},
}


def gametree(arguments, monkeypatch, capsys):
    """The output and the exit code of a command."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "argv", ["gametree", *arguments])
    with pytest.raises(SystemExit) as end:
        run()
    captured = capsys.readouterr()
    return captured.out, captured.err, end.value.code


# --- pages ---


def examples(page, heading):
    """The fenced blocks under a heading: pairs of notation and text."""
    parts = re.split(r"(?m)^## ", page.read_text(encoding="utf-8"))
    [*found] = (part for part in parts if part.startswith(heading + "\n"))
    return re.findall(r"(?ms)^```(yaml|tree|json)\n(.*?)^```$", "".join(found))


def cases(heading):
    """All examples under a heading, as parameters of a test."""
    return [
        pytest.param(page.stem, *example, id=f"{page.stem}-{i}")
        for page in PAGES
        for i, example in enumerate(examples(page, heading), start=1)
    ]


def problems(notation, text, tmp_path, monkeypatch, capsys):
    """The codes that `validate` reports."""
    path = tmp_path / f"game.{notation}"
    path.write_text(text, encoding="utf-8")
    output, _, _ = gametree(["validate", "--format", "json", str(path)], monkeypatch, capsys)
    [file] = json.loads(output)["files"]
    return [found["code"] for found in file["diagnostics"]]


@pytest.mark.parametrize(("code", "notation", "text"), cases("Fails"))
def test_a_failing_example_fails_with_its_code_only(
    code, notation, text, tmp_path, monkeypatch, capsys
):
    """What a page shows as a mistake is that mistake and no other."""
    assert set(problems(notation, text, tmp_path, monkeypatch, capsys)) == {code}


@pytest.mark.parametrize(("code", "notation", "text"), [*cases("Passes"), *cases("How to mend it")])
def test_a_passing_example_is_clean(code, notation, text, tmp_path, monkeypatch, capsys):
    """What a page shows as right has not even a warning."""
    assert problems(notation, text, tmp_path, monkeypatch, capsys) == []


def test_every_code_has_a_page():
    assert {page.stem for page in PAGES} == {code.value for code in Code}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_its_parts(page):
    """A title with the code, a failing and a passing example, and the way to mend it."""
    text = page.read_text(encoding="utf-8")
    shown = Code(page.stem) not in SHOWN_OTHERWISE

    assert text.startswith(f"# {page.stem}: ")
    assert "\n## How to mend it\n" in text
    assert bool(examples(page, "Fails")) is shown
    assert bool(examples(page, "Passes")) is shown
    assert ("\n## How it comes about\n" in text) is not shown


# --- golden pairs ---


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_gets_the_messages_beside_it(path, monkeypatch, capsys):
    """Each file's output is the one reviewed, and shows the code that the file is named after."""
    monkeypatch.chdir(FOLDER)
    command = COMMANDS.get(path.stem) or COMMANDS.get(path.name[:5]) or ["validate"]
    out, err, code = gametree([*command, path.name], monkeypatch, capsys)
    output = f"{out}{err}exit code {code}\n"
    golden = path.with_suffix(".out")
    if os.environ.get("GAMETREE_UPDATE_GOLDEN"):
        golden.write_text(output, encoding="utf-8")

    assert f"[{path.name[:5]}]" in output
    assert "Traceback" not in output
    assert output == golden.read_text(encoding="utf-8")


def test_every_code_has_a_golden_pair():
    """A code that a file can cause is shown by at least one."""
    shown = {path.name[:5] for path in FILES}

    assert {code.value for code in set(Code) - NOT_CAUSED_BY_CONTENT} <= shown


def test_files_and_outputs_belong_together():
    assert [path.stem for path in FILES] == sorted(path.stem for path in FOLDER.glob("*.out"))


@pytest.mark.parametrize("golden", sorted(FOLDER.glob("*.out")), ids=lambda path: path.name)
def test_messages_keep_to_the_house_style(golden):
    """A message begins in lower case (or with a word such as JSON) and has no full stop."""
    text = golden.read_text(encoding="utf-8")
    messages = re.findall(r"(?m)^(?:error|warning|note)\[GT\d+\]: (.*)$", text)

    assert messages
    for message in messages:
        assert not message.endswith(".")
        assert not re.match("[A-Z][a-z ]", message)
