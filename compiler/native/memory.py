"""Arrays of zeros that take memory only where they are written, and give it back at once."""

# pyright: basic
from __future__ import annotations

import mmap
from contextlib import suppress
from typing import Any

import numpy as np

_LARGE = 1 << 22  # bytes; smaller ones are numpy's own


def zeros(count: int, dtype: Any, *, sparse: bool = False) -> np.ndarray:
    """An array of ``count`` zeros.

    ``sparse``: it is written here and there. Others get pages of 2 MB where the system has them,
    which are quicker; of a sparse one they would leave nothing unused.
    """
    size = count * np.dtype(dtype).itemsize
    if size < _LARGE:
        return np.zeros(count, dtype)
    if not hasattr(mmap, "MAP_ANONYMOUS"):
        return np.zeros(count, dtype)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    advice = getattr(mmap, "MADV_NOHUGEPAGE" if sparse else "MADV_HUGEPAGE", None)
    if advice is not None:
        with suppress(OSError):  # a system without such pages
            memory.madvise(advice)
    return np.frombuffer(memory, dtype)


def release(array: np.ndarray, used: int) -> None:
    """Give back the memory of all but the first ``used`` numbers of what ``zeros`` made.

    What they are afterwards is not said.
    """
    start = -(-used * array.itemsize // _LARGE) * _LARGE
    memory = getattr(array.base, "obj", array.base)
    if isinstance(memory, mmap.mmap) and start < len(memory) and hasattr(mmap, "MADV_DONTNEED"):
        memory.madvise(mmap.MADV_DONTNEED, start)
