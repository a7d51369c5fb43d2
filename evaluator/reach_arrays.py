"""``reach`` over the arrays of a large game: a few nanoseconds an edge."""

# pyright: basic
# ruff: noqa: ANN001, ANN202
from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numba import njit

from .behaviour import Behaviour, Rule
from .reach import Reach
from .solution import Mixture, Solution

_CODES = {
    Rule.HIGHEST: 0,
    Rule.LOWEST: 1,
    Rule.UNIFORM: 2,
    Rule.EXPECTED: 3,
    Rule.MISTAKE: 4,
    Rule.SOFTMAX: 5,
    Rule.POLICY: 6,
}


class PurePolicy(Mapping[int, Mixture]):
    """What a policy that never mixes chooses: ``edge[node]``, -1 where it says nothing."""

    def __init__(self, edge: np.ndarray) -> None:
        self.edge = edge
        self.nodes = np.flatnonzero(edge >= 0)

    def __len__(self) -> int:
        """The number of nodes that it speaks of."""
        return len(self.nodes)

    def __iter__(self) -> Iterator[int]:
        """Those nodes."""
        return iter(self.nodes.tolist())

    def __contains__(self, node: object) -> bool:
        """Whether it speaks of a node."""
        return isinstance(node, int) and self.edge[node] >= 0

    def __getitem__(self, node: int) -> Mixture:
        """What it chooses at a node."""
        edge = int(self.edge[node])
        if edge < 0:
            raise KeyError(node)
        return ((edge, Fraction(1)),)


def mixtures(policies: Mapping[int, Mixture]) -> tuple[np.ndarray, ...]:
    """The nodes policies speak of; where each one's edges start; the edges; their odds."""
    if isinstance(policies, PurePolicy):
        nodes = policies.nodes
        return nodes, np.arange(len(nodes) + 1), policies.edge[nodes], np.ones(len(nodes))
    start, edge, odds = [0], [], []
    for mixture in policies.values():
        edge.extend(e for e, _ in mixture)
        odds.extend(float(p) for _, p in mixture)
        start.append(len(edge))
    nodes = np.fromiter(policies, np.int64, len(policies))
    return nodes, np.array(start, np.int64), np.array(edge, np.int64), np.array(odds, np.float64)


def reach_arrays(
    solution: Solution, behaviour: Behaviour, policies: Mapping[int, Mixture]
) -> Reach:
    """See ``reach``."""
    dag: Any = solution.dag
    pairs: Any = solution.pairs
    nodes, start, edge, odds = mixtures(policies)
    policy = np.zeros(len(dag) if len(nodes) else 0, np.int32)
    if len(nodes):
        policy[nodes] = np.arange(1, len(nodes) + 1)
    rules = np.array(
        [
            (_CODES[play.rule], float(play.up), float(play.amount))
            for play in map(behaviour.of, range(4))
        ]
    )
    reached, weight = np.zeros(len(dag)), np.zeros(len(dag))
    _forward(
        dag.kind, dag.first, dag.child, dag.weight_code, dag.factor, rules,
        policy, start, edge, odds, pairs.value, pairs.bound, reached, weight,
    )  # fmt: skip
    return Reach(reached, weight)  # type: ignore[arg-type]


@njit(cache=True)
def _forward(  # noqa: PLR0915 - compiled: a call would cost more than it says
    kind, first, child, code, factor, rules,
    policy, policy_start, policy_edge, policy_odds, value, bound, reached, weight,
):  # fmt: skip
    reached[0] = weight[0] = 1.0
    for node in range(kind.shape[0]):
        k = kind[node]
        r, w = reached[node], weight[node]
        if k == 0 or r == 0.0:
            continue
        start, end = first[node], first[node + 1]
        count = end - start
        if k == 4:
            for e in range(start, end):
                reached[child[e]] += r
                weight[child[e]] += w * factor[code[e]]
        elif policy.shape[0] and policy[node]:
            number = policy[node] - 1
            for i in range(policy_start[number], policy_start[number + 1]):
                c = child[policy_edge[i]]
                reached[c] += r * policy_odds[i]
                weight[c] += w * policy_odds[i]
        else:
            rule, up = rules[k, 0], rules[k, 1] > 0.0
            if rule == 2.0 or (rule == 3.0 and code[start] == 0):
                for e in range(start, end):
                    reached[child[e]] += r / count
                    weight[child[e]] += w / count
            elif rule == 3.0:
                for e in range(start, end):
                    p = factor[code[e]]
                    reached[child[e]] += r * p
                    weight[child[e]] += w * p
            elif rule == 5.0:
                t = rules[k, 2] if up else -rules[k, 2]
                peak = value[child[start]]
                for e in range(start, end):
                    v = value[child[e]]
                    if (v > peak) == up:
                        peak = v
                mass = 0.0
                for e in range(start, end):
                    mass += np.exp((value[child[e]] - peak) / t)
                for e in range(start, end):
                    p = np.exp((value[child[e]] - peak) / t) / mass
                    reached[child[e]] += r * p
                    weight[child[e]] += w * p
            else:
                if rule <= 1.0:
                    up = rule == 0.0
                best = child[start]
                for e in range(start, end):
                    c = child[e]
                    if (value[c] > value[best]) == up and value[c] != value[best]:
                        best = c
                for e in range(start, end):
                    c = child[e]
                    if abs(value[c] - value[best]) <= bound[c] + bound[best]:
                        best = c
                        break
                keep = 1.0
                if rule == 4.0:
                    keep = 1.0 - rules[k, 2]
                    p = rules[k, 2] / count
                    for e in range(start, end):
                        reached[child[e]] += r * p
                        weight[child[e]] += w * p
                reached[best] += r * keep
                weight[best] += w * keep
