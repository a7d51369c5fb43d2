"""Value every node of an ``ArrayDag`` in one compiled pass.

The rules are those of ``evaluator.solve``; every value carries a bound on its rounding error,
and values that the bounds cannot tell apart are tied.
"""

# pyright: basic
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba import njit

from ..compiler.native.engine import ArrayDag
from ..compiler.progress import Progress, Step
from .behaviour import Behaviour, Rule
from .play_arrays import policy_arrays, rules_of
from .solution import Mixture, Solution

STRETCH = 1 << 20  # nodes between two looks at the progress
UP = 1 + 2.0**-22  # bounds are kept in 32 bits, rounded up
LEAST = 2.0**-149  # the smallest number of 32 bits


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
    rules = rules_of(behaviour)
    value, bound = np.empty(len(dag)), np.empty(len(dag), np.float32)
    for end in range(len(dag), 0, -STRETCH):
        _solve(
            dag.kind, dag.first, dag.child, dag.weight_code, dag.factor, dag.offset_code,
            dag.amount, dag.amount_error, dag.odds_error, rules, policy, start, edge, odds,
            max(0, end - STRETCH), end, value, bound,
        )  # fmt: skip
        if progress is not None:
            progress(Step(True, len(dag), max(0, end - STRETCH)))
    chosen = Chosen(dag, behaviour, policies or {}, value, bound)
    return Solution(dag, behaviour.name, "float", chosen, Pairs(value, bound))  # type: ignore[arg-type]


class Pairs(Sequence[tuple[float, float]]):
    """Values with their bounds, as the exact solver's pairs."""

    def __init__(self, value: np.ndarray, bound: np.ndarray) -> None:
        self.value, self.bound = value, bound

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.value)

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


@njit(cache=True)
def _solve(
    kind, first, child, code, factor, offset, amount, amount_error, odds_error, rules,
    policy, policy_start, policy_edge, policy_odds, begin, end_node, value, bound,
):  # fmt: skip
    """Value the nodes from ``begin`` up to ``end_node``, the last one first.

    Higham, *Accuracy and Stability of Numerical Algorithms*, 3.3: running error analysis.
    """
    unit = 2.0**-53
    for node in range(end_node - 1, begin - 1, -1):
        k = kind[node]
        own, own_error = amount[offset[node]], amount_error[offset[node]]
        if k == 0:
            value[node] = own
            bound[node] = np.float32(own_error * UP + LEAST) if own_error > 0.0 else 0.0
            continue
        start, end = first[node], first[node + 1]
        total = 0.0
        spread = 0.0
        off = 0.0
        largest = 0.0
        count = end - start
        if k == 4:
            for e in range(start, end):
                c = child[e]
                part = factor[code[e]] * value[c]
                total += part
                spread += abs(part)
                off += abs(factor[code[e]]) * bound[c]
                largest = max(largest, abs(value[c]) + bound[c])
            slack = (count + 1) * unit * spread
            if count == 1 and abs(factor[code[start]]) == 1.0:
                slack = 0.0
            off = (off + slack + np.float64(odds_error[node]) * largest) * (1 + 1e-12)
        elif policy.shape[0] and policy[node]:
            number = policy[node] - 1
            for i in range(policy_start[number], policy_start[number + 1]):
                c = child[policy_edge[i]]
                part = policy_odds[i] * value[c]
                total += part
                spread += abs(part)
                off += policy_odds[i] * bound[c]
            if policy_start[number + 1] - policy_start[number] > 1:
                off = (off + (count + 3) * unit * spread) * (1 + 1e-12)
        else:
            rule = rules[k, 0]
            up = rules[k, 1] > 0.0
            if rule in (2.0, 3.0):
                if rule == 2.0 or code[start] == 0:
                    for e in range(start, end):
                        c = child[e]
                        total += value[c]
                        spread += abs(value[c])
                        off += bound[c]
                    total /= count
                    off = (off + (count + 1) * unit * spread) / count * (1 + 1e-12)
                else:
                    for e in range(start, end):
                        c = child[e]
                        part = factor[code[e]] * value[c]
                        total += part
                        spread += abs(part)
                        off += factor[code[e]] * bound[c]
                        largest = max(largest, abs(value[c]) + bound[c])
                    off += (count + 1) * unit * spread
                    off = (off + np.float64(odds_error[node]) * largest) * (1 + 1e-12)
            elif rule == 5.0:
                total, off = _softmax(child[start:end], value, bound, rules[k, 2], up)
            else:
                if rule in (0.0, 1.0):
                    up = rule == 0.0
                best = value[child[start]]
                for e in range(start, end):
                    c = child[e]
                    off = max(off, bound[c])
                    if (value[c] > best) == up and value[c] != best:
                        best = value[c]
                    total += value[c]
                    spread += abs(value[c])
                if rule == 4.0:
                    error = rules[k, 2]
                    mean = total / count
                    total = (1.0 - error) * best + error * mean
                    off = (off + (count + 5) * unit * (spread / count + abs(best))) * (1 + 1e-12)
                else:
                    total = best
        if own != 0.0:
            total += own
            off = (off + own_error + unit * abs(total)) * (1 + 1e-12)
        value[node] = total
        bound[node] = np.float32(off * UP + LEAST) if off > 0.0 else 0.0


@njit(cache=True)
def _softmax(children, value, bound, temperature, up):
    """The average in proportion to exp(±value / temperature), and a bound of first order."""
    t = temperature if up else -temperature
    peak = value[children[0]]
    low = high = peak
    off = 0.0
    for c in children:
        low, high = min(low, value[c]), max(high, value[c])
        off = max(off, bound[c])
    peak = high if up else low
    total = mass = 0.0
    for c in children:
        power = np.exp((value[c] - peak) / t)
        mass += power
        total += power * value[c]
    spread = high - low
    size = max(abs(low), abs(high))
    rounding = (children.shape[0] + 8) * 2.0**-53 * size * (1 + spread / temperature)
    return total / mass, off * (1 + 2 * spread / temperature) + rounding
