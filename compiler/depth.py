"""Room for recursion over what the language limits to 200 levels.

Documents and expressions nest at most 200 levels each, and definitions call one another. A few
Python frames for each level can be more than Python allows to begin with.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager

FRAMES = 5_000


@contextmanager
def room_to_recurse() -> Generator[None]:
    """Allow ``FRAMES`` Python frames, where fewer are allowed, for as long as it is open."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
