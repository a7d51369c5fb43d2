"""``reach`` over the arrays of a large game: a few nanoseconds an edge."""

# pyright: basic
# ruff: noqa: ANN001, ANN202
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import njit

from .behaviour import Behaviour
from .play_arrays import policy_arrays, rules_of
from .reach import Reach
from .solution import Mixture, Solution


def reach_arrays(
    solution: Solution, behaviour: Behaviour, policies: Mapping[int, Mixture]
) -> Reach:
    """See ``reach``."""
    dag: Any = solution.dag
    pairs: Any = solution.pairs
    value, bound = pairs.columns()
    policy, start, edge, odds = policy_arrays(len(dag), policies)
    rules = rules_of(behaviour)
    reached, weight = np.zeros(len(dag)), np.zeros(len(dag))
    _forward(
        dag.kind, dag.first, dag.child, dag.weight_code, dag.factor, rules,
        policy, start, edge, odds, value, bound, reached, weight,
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
