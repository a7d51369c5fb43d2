"""Kernels: compiled once, kept as object files, loaded without numba."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from gametree.compiler.native import kernels
from gametree.compiler.native.kernels import Kernel

SOURCE = "gametree.compiler.native.search"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    kernels._folder.cache_clear()
    yield tmp_path / "kept"
    kernels._folder.cache_clear()


def finish():
    """The kernel that counts nodes and edges from the start instead of the end."""
    kernel = Kernel(SOURCE, "finish", arguments=4)
    child, first = np.array([1, 2], np.int32), np.array([4, 2, 0, 0], np.uint32)
    assert kernel(child, first, 3, 4 - 2) == 0
    return child.tolist(), first.tolist()


RIGHT = ([2, 1], [2**32 - 2, 0, 2, 2])  # n - child and m - first, where m is 2


def test_a_kernel_is_compiled_once_and_kept(folder, monkeypatch):
    assert finish() == RIGHT
    kept = list(folder.iterdir())
    assert [file.name.partition("-")[0] for file in kept] == ["search.finish"]

    monkeypatch.setattr(Kernel, "_compile", lambda _: pytest.fail("it was compiled again"))
    assert finish() == RIGHT


def test_a_damaged_object_file_is_made_again(folder):
    finish()
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))

    assert finish() == RIGHT
    assert len(file.read_bytes()) == len(whole)
    assert kernels._kept(file) is not None


def test_where_nothing_can_be_kept_it_is_compiled_each_time(folder):
    folder.write_text("a file, where a folder should be")

    assert finish() == RIGHT


def test_a_large_game_needs_no_numba_once_its_kernels_are_there(tmp_path):
    code = (
        "import sys, gametree; game = gametree.load('push-to-21', target='20000');"
        "print(game.evaluate().numbers, 'numba' in sys.modules)"
    )
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def run():
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    assert run() == ["float", "True"]
    assert run() == ["float", "False"]


@pytest.mark.parametrize("module", [SOURCE, "gametree.evaluator.search.kernel"])
def test_the_digest_is_of_everything_that_is_compiled(module):
    """Of every function that a kernel's source takes from this package."""
    import importlib

    source = importlib.import_module(module)
    files = {str(path) for path in kernels._sources(module)}
    ours = (getattr(value, "py_func", None) for value in vars(source).values())
    used = {function.__code__.co_filename for function in ours if function is not None}
    assert used
    assert used <= files
