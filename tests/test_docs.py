"""The games in the documentation work, and its commands print what it says they print.

To write their outputs anew, and look at the difference before committing it:
``GAMETREE_UPDATE_GOLDEN=1 pytest tests/test_docs.py``.
"""

import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from gametree.cli.main import run

ROOT = Path(__file__).parent.parent
REPLAYED = [
    ROOT / "docs" / name for name in ("tutorial.md", "traces.md", "opponents.md", "statistics.md")
]
PAGES = sorted((ROOT / "docs").glob("*.md"))  # the README has a test of its own
BLOCK = re.compile(
    r"(?ms)^(?:<!-- file: (?P<file>\S+) -->\n)?"
    r"(?P<indent> *)```(?P<notation>\w+)\n(?P<text>.*?)^(?P=indent)```$"
)
START = re.compile(r"(?:\s*#[^\n]*\n)*\s*game\b")
MISTAKES_ON_PURPOSE = ("tails @ 0.66: 0", "with a hole")


def games():
    """The fenced blocks that start with a game, as parameters of a test."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            game = re.sub(rf"(?m)^{block['indent']}", "", block["text"])
            on_purpose = any(mistake in game for mistake in MISTAKES_ON_PURPOSE)
            if block["notation"] in {"yaml", "tree"} and START.match(game) and not on_purpose:
                line = text.count("\n", 0, block.start()) + 1
                yield pytest.param(block["notation"], game, id=f"{page.name}:{line}")


def gametree(arguments, monkeypatch, capsys):
    """What a command prints, and its exit code."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "argv", ["gametree", *arguments])
    with pytest.raises(SystemExit) as end:
        run()
    captured = capsys.readouterr()
    return captured.out + captured.err, end.value.code


@pytest.mark.parametrize(("notation", "game"), list(games()))
def test_a_game_in_the_documentation_works(notation, game, tmp_path, monkeypatch, capsys):
    """It is valid without a warning, and `gametree test` agrees with it."""
    path = tmp_path / f"game.{notation}"
    path.write_text(game, encoding="utf-8")
    for command in ("validate", "test") if "expect" in game else ("validate",):
        output, code = gametree([command, str(path)], monkeypatch, capsys)

        assert code == 0, output
        assert "[GT" not in output


def test_the_reference_is_full_of_games():
    """The test above found what it was to find."""
    names = [str(parameter.id) for parameter in games()]

    assert sum(name.startswith("language.md") for name in names) >= 10
    assert sum(name.startswith("tutorial.md") for name in names) >= 3


@pytest.mark.parametrize("page", REPLAYED, ids=lambda page: page.name)
def test_a_page_prints_what_gametree_prints(page, tmp_path, monkeypatch, capsys):
    """Its files are written and its commands run in order, from the first to the last."""
    monkeypatch.chdir(tmp_path)

    def replay(block):
        if block["file"]:
            Path(block["file"]).write_text(block["text"], encoding="utf-8")
        if block["notation"] != "console":
            return block[0]
        commands = [line for line in block["text"].splitlines() if line.startswith("$ gametree ")]
        said = [
            f"{command}\n{gametree(shlex.split(command)[2:], monkeypatch, capsys)[0].rstrip()}\n"
            for command in commands
        ]
        return "```console\n" + "\n".join(said) + "```"

    text = page.read_text(encoding="utf-8")
    replayed = BLOCK.sub(replay, text)
    if os.environ.get("GAMETREE_UPDATE_GOLDEN"):
        page.write_text(replayed, encoding="utf-8")

    assert replayed == page.read_text(encoding="utf-8")
