"""The size of the tree that a large game stands for, counted by compiled passes."""

# pyright: basic
from __future__ import annotations

import numpy as np
from numba import njit

from ..compiler.dag import Kind
from ..compiler.native.engine import ArrayDag
from ..compiler.progress import Progress, Step
from .statistics import Count, counted

_STRETCH = 1 << 22  # nodes between two looks at the progress
_BITS = 32  # of a digit: sums of four billion of them fit into 64
_WORK = 8_000_000_000  # edges over all passes: half a minute


def counts(dag: ArrayDag, progress: Progress | None) -> tuple[Count, Count]:
    """The nodes and the terminals of the tree: see ``evaluator.statistics``."""
    passes = max(2, _WORK // (len(dag) + len(dag.child)))
    digit = np.empty(len(dag), np.uint64)

    def one_pass(carry: np.ndarray) -> tuple[int, bool]:
        more = False
        for end in range(len(dag), 0, -_STRETCH):
            begin = max(0, end - _STRETCH)
            more |= _digits(dag.first, dag.child, begin, end, carry, digit)
            if progress is not None:
                progress(Step(True, len(dag), begin))
        return int(digit[0]), more

    def count(own: np.ndarray) -> Count:
        return counted(own.copy(), one_pass, _BITS, passes, lambda: _log2(dag, own))

    return count(np.ones(len(dag), np.uint64)), count((dag.kind == Kind.TERMINAL).astype(np.uint64))


def _log2(dag: ArrayDag, own: np.ndarray) -> float:
    logs = np.empty(len(dag))
    for end in range(len(dag), 0, -_STRETCH):
        _logs(dag.first, dag.child, max(0, end - _STRETCH), end, own, logs)
    return float(logs[0])


@njit(cache=True)
def _digits(
    first: np.ndarray,
    child: np.ndarray,
    begin: int,
    end: int,
    carry: np.ndarray,
    digit: np.ndarray,
) -> bool:
    """The next digit of nodes from ``begin`` up to ``end``; whether anything is carried on."""
    more = False
    for node in range(end - 1, begin - 1, -1):
        total = carry[node]
        for e in range(first[node], first[node + 1]):
            total += digit[child[e]]
        digit[node] = total & np.uint64(0xFFFFFFFF)
        carry[node] = total >> np.uint64(32)
        more = more or carry[node] > 0
    return more


@njit(cache=True)
def _logs(
    first: np.ndarray, child: np.ndarray, begin: int, end: int, own: np.ndarray, logs: np.ndarray
) -> None:
    """The binary logarithm of each node's count."""
    for node in range(end - 1, begin - 1, -1):
        top = 0.0 if own[node] > 0 else -np.inf
        for e in range(first[node], first[node + 1]):
            top = max(top, logs[child[e]])
        if top == -np.inf:
            logs[node] = top
            continue
        total = 2.0**-top if own[node] > 0 else 0.0
        for e in range(first[node], first[node + 1]):
            total += 2.0 ** (logs[child[e]] - top)
        logs[node] = top + np.log2(total)
