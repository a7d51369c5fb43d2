"""What the gallery shows is what its script makes."""

from __future__ import annotations

import re
import runpy
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from gametree.spec.reader import bundled_names

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def made():
    return runpy.run_path(str(ROOT / "scripts" / "gallery.py"))["made"]()


def test_what_is_kept_is_what_the_script_makes(made):
    """If not, run ``python scripts/gallery.py`` and look at the difference."""
    kept = {path.relative_to(DOCS).as_posix() for path in (DOCS / "gallery").iterdir()}

    assert kept == made.keys() - {"gallery.md"}
    for name, text in made.items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, f"{name} is not up to date"


def test_every_bundled_game_is_in_the_gallery_with_a_small_picture(made):
    for name in bundled_names():
        text = made[f"gallery/{name}.svg"]

        assert f"(gallery/{name}.svg)" in made["gallery.md"]
        assert len(text.encode()) < 60_000
        assert ET.fromstring(text).get("role") == "img"


def test_the_gallery_says_something_of_its_own_about_each_game():
    exhibits = runpy.run_path(str(ROOT / "scripts" / "gallery.py"))["EXHIBITS"]

    assert exhibits.keys() == set(bundled_names())


@pytest.mark.parametrize("name", ["dice", "oil-wildcatter", "push-to-21", "tic-tac-toe"])
def test_the_command_below_a_picture_draws_it(run, tmp_path, name):
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    [command] = re.findall(rf"`gametree (dot {name} .*)`", page)

    done = run(*shlex.split(command))

    assert done.returncode == 0, done.stderr
    kept = (DOCS / "gallery" / f"{name}.svg").read_bytes()
    assert next(tmp_path.rglob("*.svg")).read_bytes() == kept
