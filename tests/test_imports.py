"""Imports run one way between the layers, and a small game starts fast.

Speed itself is measured in ``benchmarks/``; what is imported decides it, so that is asserted.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import gametree
import pytest

LAYERS = ["spec", "compiler", "evaluator", "render", "cli"]  # each may use those before it
PACKAGE = Path(gametree.__file__).parent
HEAVY = {"igraph", "jsonschema", "lark", "numba", "numpy", "pydantic", "referencing", "rich"}


def _imported_layers(path: Path) -> set[str]:
    """The layers that the module at ``path`` imports, at its top or inside functions."""
    found: set[str] = set()
    up = len(path.relative_to(PACKAGE).parts)  # dots that lead to the package itself
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == up:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {name.partition(".")[0] for name in names}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            found |= {name.split(".")[1] for name in names if name.startswith("gametree.")}
    return found & set(LAYERS)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_only_the_layers_below_it(layer: str):
    """From cli to render, evaluator, compiler and spec, and never up."""
    allowed = set(LAYERS[: LAYERS.index(layer) + 1])
    reaching_up = {
        path.name: sorted(_imported_layers(path) - allowed)
        for path in (PACKAGE / layer).rglob("*.py")
        if _imported_layers(path) - allowed
    }

    assert reaching_up == {}


def _modules_after(*arguments: str) -> set[str]:
    """The top-level modules that a process has imported when the command is done."""
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('\\n'.join(sys.modules), file=sys.stderr))\n"
        "from gametree.cli.main import run\n"
        f"sys.argv = ['gametree', *{arguments!r}]\n"
        "run()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    names = done.stderr.split()
    return {*names, *(name.partition(".")[0] for name in names)}


@pytest.mark.parametrize("command", ["eval", "validate", "test"])
def test_a_small_yaml_game_needs_no_heavy_library(command: str):
    """Numbers and labels are read without the grammar, and good shapes without the schema."""
    assert _modules_after(command, "dice") & HEAVY == set()


@pytest.mark.parametrize("command", ["eval", "validate"])
def test_a_tree_of_numbers_needs_no_compiler(command: str):
    """Nor does it pay for what follows policies, when it has none."""
    compiler = {f"gametree.{name}" for name in ("compiler.check", "compiler.unfold", "spec.parser")}
    assert _modules_after(command, "dice") & {*compiler, "gametree.evaluator.compare"} == set()


@pytest.mark.parametrize("command", ["trees", "explain", "schema"])
def test_looking_something_up_needs_no_heavy_library(command: str):
    assert _modules_after(command) & HEAVY == set()


def test_importing_the_package_imports_nothing_else_of_it():
    """`import gametree` is cheap; its classes come when they are asked for."""
    program = "import sys, gametree; print(*(m for m in sys.modules if m.startswith('gametree')))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.split() == ["gametree"]
