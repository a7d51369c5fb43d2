"""An ``ArrayDag`` to plain arrays and back; see ``docs/saved-games.md``.

What comes back is checked before compiled code sees it, which looks at no bounds: O(n + m).
"""

# pyright: basic
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import njit

from ..archive import Damaged, require
from ..program import Form, Program
from ..saved import FLOAT_TYPES
from .engine import STRETCH, ArrayDag, States
from .machine import build
from .values import Unsupported

_SLACK = 1e-6  # that odds may be off their sum, 1


def to_arrays(dag: ArrayDag) -> dict[str, np.ndarray]:
    """The arrays that a DAG is kept in."""
    arrays = {name: getattr(dag, name) for name in FLOAT_TYPES if name not in {"layout", "extra"}}
    arrays["layout"] = _layout_of(dag.states)
    arrays["extra"] = np.array([dag.extra], np.int64)
    return {name: array.astype(array.dtype.newbyteorder("<")) for name, array in arrays.items()}


def from_arrays(arrays: Mapping[str, Any], program: Program, root: Form) -> ArrayDag:
    """The DAG that was kept in ``arrays``, unfolded from ``root``.

    Raises:
        Damaged: If they are no DAG, or that of another game.
    """
    require(arrays, FLOAT_TYPES)
    try:
        states = States(build(program, root), root)
    except Unsupported as problem:
        raise Damaged(f"its game cannot be one for machine code: {problem}") from None
    if not np.array_equal(_layout_of(states), arrays["layout"]):
        raise Damaged("its states are numbered otherwise")
    native = {name: array.astype(array.dtype.newbyteorder("="), copy=False)
              for name, array in arrays.items()}  # fmt: skip
    extra = native.pop("extra")
    del native["layout"]
    dag = ArrayDag(**native, extra=int(extra[0]) if len(extra) == 1 else -1, states=states)
    _check_lengths(dag)
    _check_books(dag)
    _check_table(dag)
    for begin in range(0, len(dag), STRETCH):
        end = min(len(dag), begin + STRETCH)
        node = _first_fault(
            dag.kind, dag.first, dag.child, dag.weight_code, dag.factor, dag.offset_code,
            len(dag.amount), begin, end, _SLACK,
        )  # fmt: skip
        if node >= 0:
            raise Damaged(f"its node {node:,} makes no sense")
    return dag


def _layout_of(states: States) -> np.ndarray:
    """Everything that says how states are numbered, in one array."""
    layout = states.layout
    parts = [
        np.array([layout.key_words, layout.direct]),
        *(part.ravel() for part in (layout.keyed, layout.words, layout.base)),
        *(part.ravel() for part in (layout.factor, layout.low)),
    ]
    return np.concatenate([part.astype(np.int64) for part in parts])


def _check_lengths(dag: ArrayDag) -> None:
    n, m, layout = len(dag.kind), len(dag.child), dag.states.layout
    fits = (
        n > 0
        and len(dag.first) == n + 1
        and dag.first[0] == 0
        and dag.first[n] == m
        and len(dag.weight_code) == m
        and len(dag.offset_code) == len(dag.odds_error) == n
        and len(dag.amount) == len(dag.amount_error) > 0
        and len(dag.factor) > 0
        and dag.extra >= 0
    )
    if layout.direct:
        fits = fits and len(dag.table) == layout.direct and not len(dag.table_key)
    else:
        fits = fits and len(dag.table_key) == len(dag.table) * layout.key_words
    if not fits:
        raise Damaged("its arrays do not fit each other")


def _check_books(dag: ArrayDag) -> None:
    numbers = (dag.amount, dag.amount_error, dag.factor, dag.odds_error)
    if not all(np.isfinite(book).all() for book in numbers):
        raise Damaged("it holds a number that is not finite")
    if (dag.amount_error < 0).any() or (dag.odds_error < 0).any():
        raise Damaged("it holds an error bound below 0")


def _check_table(dag: ArrayDag) -> None:
    """Every state is a node, and has a number that a state can have."""
    layout, table = dag.states.layout, dag.table
    fits = not len(table) or (table.min() >= 0 and table.max() <= len(dag))
    if fits and not layout.direct:
        keys = dag.table_key.reshape(-1, layout.key_words)[table > 0, 0]
        if layout.key_words == 1:
            lowest = min((layout.base[layout.keyed > 0]).tolist(), default=0)
            fits = not len(keys) or keys.min() >= lowest
        else:
            fits = bool(np.isin(keys, np.flatnonzero(layout.keyed)).all())
    if not fits:
        raise Damaged("its table of states makes no sense")


@njit(cache=True)
def _first_fault(kind, first, child, code, factor, offset, amounts, begin, end, slack):
    """The first node from ``begin`` up to ``end`` that is no node of a DAG; -1: none."""
    n, m = kind.shape[0], child.shape[0]
    for node in range(begin, end):
        k = kind[node]
        start, stop = np.int64(first[node]), np.int64(first[node + 1])
        if k > 4 or start > stop or stop > m or (k == 0) != (start == stop):
            return node
        if offset[node] < 0 or offset[node] >= amounts:
            return node
        total = 0.0
        for e in range(start, stop):
            if child[e] <= node or child[e] >= n or code[e] >= factor.shape[0]:
                return node
            if k == 3:
                if (code[e] == 0) != (code[start] == 0):
                    return node
                if code[e] != 0:
                    if factor[code[e]] <= 0.0:
                        return node
                    total += factor[code[e]]
            elif k == 4 and code[e] == 0:
                return node
        if k == 3 and code[start] != 0 and abs(total - 1.0) > slack:
            return node
    return -1
