"""What is installed is what is in the checkout, and the README tells the truth about it."""

from __future__ import annotations

import importlib.metadata
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import gametree
import pytest
from gametree.cli.table import COMMANDS

CHECKOUT = Path(__file__).parents[1]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGED = ("spec", "compiler", "evaluator", "render", "cli", "trees")
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")


def test_the_version_is_the_same_everywhere(run):
    assert importlib.metadata.version("gametree") == gametree.__version__
    assert run("--version").stdout == f"gametree {gametree.__version__}\n"


def test_the_changelog_speaks_of_this_version():
    changelog = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {gametree.__version__}" in changelog


def test_the_public_names_are_there():
    """Every name of `__all__` can be had, and an unknown one is an AttributeError."""
    assert all(hasattr(gametree, name) for name in gametree.__all__)
    assert set(gametree.__all__) <= set(dir(gametree))
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        _ = gametree.lod


def test_load_finds_bundled_games_and_takes_settings():
    assert gametree.load("dice").name == "dice"
    assert gametree.load("push-to-21", target=3, faces=2).evaluate().value > 0


def test_load_reports_mistakes_as_one_exception(tmp_path):
    """SpecError carries the diagnostics; nothing else is raised for a person's mistake."""
    with pytest.raises(gametree.SpecError) as caught:
        gametree.load(tmp_path / "missing.yaml")
    assert [found.code.value for found in caught.value.diagnostics] == ["GT001"]


def test_every_package_is_listed():
    """A folder that is not in the list would be missing from the wheel."""
    folders = {
        ".".join(path.parent.relative_to(CHECKOUT).parts)
        for layer in PACKAGED
        for path in (CHECKOUT / layer).rglob("__init__.py")
    }
    listed = {name.removeprefix("gametree.") for name in PROJECT["tool"]["setuptools"]["packages"]}
    assert listed - {"gametree"} == folders


def test_the_wheel_holds_everything(tmp_path):
    """Built without a network by the tools at hand, each module and data file is in it."""
    source = tmp_path / "source"
    ignore = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__", "tests")
    shutil.copytree(CHECKOUT, source, ignore=ignore)
    pytest.importorskip("setuptools", minversion="77")
    subprocess.run(
        [
            *[sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps"],
            *["--no-index", "--wheel-dir", tmp_path, source],
        ],
        check=True,
        capture_output=True,
    )

    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        held = {name.removeprefix("gametree/") for name in wheel.namelist()}
    sys.path.insert(0, str(CHECKOUT / "tests"))
    try:
        from wheel_contents import files_of
    finally:
        sys.path.pop(0)
    assert files_of(source) <= held
    assert {name for name in held if ".dist-info/" not in name} == files_of(source)


def _command_after(marker: str) -> str:
    found = re.search(rf"<!-- {marker} -->\n```sh\n(.*?)```\n", README, re.DOTALL)
    assert found, f"the README has lost its {marker}"
    return found[1].strip()


def test_the_readme_has_the_command_that_ci_runs():
    """`.ci/run` takes the test command from the README, so the marker has to stay."""
    assert "pytest" in _command_after("test command")
    assert "gametree eval dice" in _command_after("run command")
    assert "<!-- test command -->" in (CHECKOUT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_readme_names_every_command():
    missing = [name for name in COMMANDS if f"`gametree {name}" not in README]
    assert missing == []


def test_the_readme_shows_what_is_really_printed(run, tmp_path):
    """Each ```console block of the README, run again, prints the same."""
    files = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```\n", README, re.DOTALL))
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    blocks = re.findall(r"```console\n\$ gametree (.*?)\n(.*?)```\n", README, re.DOTALL)
    assert blocks
    for arguments, shown in blocks:
        done = run(*shlex.split(arguments))
        assert (done.stdout + done.stderr).rstrip() == shown.rstrip(), arguments


@pytest.mark.parametrize("path", ["README.md", "docs/ci.md", "CONTRIBUTING.md"])
def test_links_between_pages_lead_somewhere(path: str):
    page = CHECKOUT / path
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_hooks_call_commands_that_exist():
    import yaml

    hooks = yaml.safe_load((CHECKOUT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {hook["entry"].split()[1] for hook in hooks} <= set(COMMANDS)
    assert all(re.compile(hook["files"]).search("games/nim.tree") for hook in hooks)
