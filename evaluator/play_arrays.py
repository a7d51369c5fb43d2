"""Behaviours and policies as arrays, for the compiled passes over large games."""

# pyright: basic
from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from .behaviour import Behaviour, Rule
from .solution import Mixture, Solution

CODES = {
    Rule.HIGHEST: 0,
    Rule.LOWEST: 1,
    Rule.UNIFORM: 2,
    Rule.EXPECTED: 3,
    Rule.MISTAKE: 4,
    Rule.SOFTMAX: 5,
    Rule.POLICY: 6,
}


def rules_of(behaviour: Behaviour) -> np.ndarray:
    """For each kind of node: the code of its rule, whether its best is the highest, its amount."""
    plays = map(behaviour.of, range(4))
    return np.array([(CODES[p.rule], float(p.up), float(p.amount)) for p in plays], np.float64)


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


def policy_arrays(
    n: int, policies: Mapping[int, Mixture]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Policies over ``n`` nodes: for each node 0, or 1 + its number; and each number's edges."""
    nodes, start, edge, odds = mixtures(policies)
    policy = np.zeros(n if len(nodes) else 0, np.int32)
    policy[nodes] = np.arange(1, len(nodes) + 1)
    return policy, start, edge, odds


def worse_choices(optimum: Solution, policy: Mapping[int, Mixture]) -> list[int]:
    """The nodes where a policy takes a branch that is surely worse than the best one."""
    assert isinstance(policy, PurePolicy)
    dag: Any = optimum.dag
    pairs: Any = optimum.pairs
    nodes = policy.nodes
    taken = dag.child[policy.edge[nodes]]
    own = dag.amount[dag.offset_code[nodes]]
    gap = np.abs(pairs.value[nodes] - own - pairs.value[taken])
    unsure = pairs.bound[nodes].astype(np.float64) + pairs.bound[taken]
    return nodes[gap > unsure].tolist()
