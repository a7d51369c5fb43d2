"""Keep the garbage collector out of code that only builds."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Generator[None]:
    """Switch the cyclic collector off meanwhile.

    Reading, checking and unfolding make millions of objects and no garbage; looking for it
    takes up to two thirds of their time.
    """
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_collecting:
            gc.enable()
