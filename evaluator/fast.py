"""Value every node of an ``ArrayDag`` in one compiled pass.

The rules are those of ``evaluator.solve``; every value carries a bound on its rounding error,
and values that the bounds cannot tell apart are tied.
"""

# pyright: basic
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..compiler.native.engine import ArrayDag
from ..compiler.native.kernels import Kernel, addresses
from ..compiler.progress import Progress, Step
from .behaviour import Behaviour, Rule
from .play_arrays import policy_arrays, rules_of
from .solution import Mixture, Solution

STRETCH = 1 << 20  # nodes between two looks at the progress
RECORD = np.dtype([("value", np.float64), ("bound", np.float32)])  # side by side: see `backward`
_backward = Kernel("gametree.evaluator.backward", "backward", arguments=5)


def solve_arrays(
    dag: ArrayDag,
    behaviour: Behaviour,
    policies: Mapping[int, Mixture] | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Value every node of ``dag`` by backward induction: a few nanoseconds an edge.

    Args and result as for ``evaluator.solve.solve``, in floats.
    """
    policy, start, edge, odds = policy_arrays(len(dag), policies or {})
    rules, records = rules_of(behaviour), np.empty(len(dag), RECORD)
    arrays = (
        dag.kind, dag.first, dag.child, dag.weight_code, dag.factor, dag.offset_code,
        dag.amount, dag.amount_error, dag.odds_error, rules, policy, start, edge, odds, records,
    )  # fmt: skip
    given = addresses(arrays)
    wide = int(dag.weight_code.dtype == np.uint32)
    for end in range(len(dag), 0, -STRETCH):
        _backward(given, max(0, end - STRETCH), end, int(len(policy) > 0), wide)
        if progress is not None:
            progress(Step(True, len(dag), max(0, end - STRETCH)))
    chosen = Chosen(dag, behaviour, policies or {}, records["value"], records["bound"])
    return Solution(dag, behaviour.name, "float", chosen, Pairs(records))  # type: ignore[arg-type]


class Pairs(Sequence[tuple[float, float]]):
    """Values with their bounds, as the exact solver's pairs."""

    def __init__(self, records: np.ndarray) -> None:
        self.value, self.bound = records["value"], records["bound"]

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.value)

    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Values and bounds, each in one piece, for code that goes through all of them."""
        return np.ascontiguousarray(self.value), np.ascontiguousarray(self.bound)

    def __getitem__(self, node: Any) -> Any:
        """The value of a node and its bound."""
        return float(self.value[node]), float(self.bound[node])


class Chosen(Sequence[tuple[int, ...]]):
    """The edges that each node chooses, found again from the values."""

    def __init__(
        self,
        dag: ArrayDag,
        behaviour: Behaviour,
        policies: Mapping[int, Mixture],
        value: np.ndarray,
        bound: np.ndarray,
    ) -> None:
        self.dag, self.behaviour, self.policies = dag, behaviour, policies
        self.value, self.bound = value, bound

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.value)

    def __getitem__(self, node: Any) -> Any:
        """The edges that ``node`` chooses, ties in written order."""
        kind = int(self.dag.kind[node])
        if kind not in {1, 2, 3}:
            return ()
        if node in self.policies:
            mixture = self.policies[node]
            return (mixture[0][0],) if len(mixture) == 1 else ()
        play = self.behaviour.of(kind)
        if play.rule in {Rule.UNIFORM, Rule.EXPECTED, Rule.SOFTMAX}:
            return ()
        up = play.up if play.rule in {Rule.MISTAKE, Rule.POLICY} else play.rule is Rule.HIGHEST
        start, end = int(self.dag.first[node]), int(self.dag.first[node + 1])
        children = self.dag.child[start:end]
        values, bounds = self.value[children], self.bound[children]
        best = int(np.argmax(values) if up else np.argmin(values))
        near = np.abs(values - values[best]) <= bounds + bounds[best]
        return tuple((start + np.flatnonzero(near)).tolist())
