"""What ``compare`` and ``table`` do with the arrays of a large game: policies, slips, labels."""

# pyright: basic
# ruff: noqa: ANN001, ANN202
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import njit

from ..compiler.dag import Kind
from ..compiler.native.engine import ArrayDag, Rows
from ..compiler.program import NamedNode, Policy
from ..compiler.scope import Names
from ..spec.parser import parse_header
from .behaviour import Behaviour, Rule
from .compare import Slips
from .play_arrays import PurePolicy, mixtures
from .reach import Reach
from .solution import Mixture, Solution
from .vector import Labels, Scalar, texts

_NO_CHOICE = {Rule.UNIFORM, Rule.EXPECTED, Rule.SOFTMAX}


def argument_columns(node: NamedNode, rows: Rows) -> dict[str, np.ndarray]:
    """The arguments of many states as columns; nothing where some are lists or fractions."""
    shapes = () if rows.definition is None else rows.definition.shapes
    if any(shape[0] not in {"int", "truth"} for shape in shapes):
        return {}
    found: dict[str, np.ndarray] = {}
    for i, (argument, shape) in enumerate(zip(node.arguments, shapes, strict=False)):
        words = np.ascontiguousarray(rows.words[:, i])
        found[argument.name] = words.astype(bool) if shape[0] == "truth" else words
    return found


def read_labels(
    dag: ArrayDag, node: NamedNode, nodes: np.ndarray, local: Mapping[str, Any], names: Names
) -> Labels:
    """The labels of the branches of many states of a named node.

    Raises:
        Scalar: Where they have to be found state by state.
    """
    labels = Labels(len(nodes), names)
    labels.read(node.body, local, np.ones(len(nodes), bool))
    kind = dag.kind[nodes]
    branching = (kind == Kind.MAX) | (kind == Kind.MIN) | (kind == Kind.CHANCE)
    edges = np.diff(dag.first)[nodes]
    if np.any((labels.count != edges) & (branching | (labels.count > 0))):
        raise Scalar
    return labels


def pure_policy(dag: ArrayDag, policy: Policy, names: Names) -> PurePolicy | None:
    """What ``policy`` chooses, found by columns; None where it has to be found by states."""
    edge = np.full(len(dag), -1, np.int64)
    try:
        for rule in policy.rules:
            if rule.node is None:
                return None
            nodes, rows = dag.states_of(rule.node)
            local = argument_columns(rule.node, rows)
            if len(local) != len(rule.node.arguments):
                return None
            labels = read_labels(dag, rule.node, nodes, local, names)
            header = parse_header(str(rule.code.where.key))
            own = (argument.name for argument in header.arguments)
            inner = dict(zip(own, local.values(), strict=True))
            chosen = texts(rule.code.expr, inner, names, len(nodes))
            kind = dag.kind[nodes]
            spoken = ((kind == Kind.MAX) | (kind == Kind.MIN)) & (edge[nodes] < 0)
            position = np.full(len(nodes), -1, np.int64)
            for code, label in enumerate(chosen.book):
                mine = chosen.codes == code
                if label in labels.at:
                    position[mine] = labels.at[label][mine]
            if np.any(spoken & (position < 0)):
                return None
            edge[nodes[spoken]] = dag.first[nodes[spoken]].astype(np.int64) + position[spoken]
    except Scalar:
        return None
    return PurePolicy(edge)


def slips_arrays(
    optimum: Solution, behaviour: Behaviour, choices: Mapping[int, Mixture], reached: Reach
) -> Slips:
    """See ``Stage.follow``."""
    dag: Any = optimum.dag
    pairs: Any = optimum.pairs
    value, bound = pairs.columns()
    nodes, start, edge, odds = mixtures(choices)
    rules = np.array([_direction(behaviour, kind) for kind in range(4)], np.int8)
    differs, less = np.zeros(len(nodes), bool), np.zeros(len(nodes))
    _slips(
        nodes, start, edge, odds, dag.kind, dag.first, dag.child, dag.offset_code, dag.amount,
        rules, value, bound, differs, less,
    )  # fmt: skip
    slip = np.where(dag.kind[nodes] == Kind.MAX, less, -less) + 0.0
    return Slips(nodes, differs, slip, less * reached.weight[nodes])  # type: ignore[arg-type]


def _direction(behaviour: Behaviour, kind: int) -> int:
    """1 where the highest branch is chosen, -1 for the lowest, 0 where none is."""
    play = behaviour.of(kind)
    if play.rule in _NO_CHOICE:
        return 0
    up = play.up if play.rule in {Rule.MISTAKE, Rule.POLICY} else play.rule is Rule.HIGHEST
    return 1 if up else -1


def costliest(slips: Slips, top: int) -> list[int]:
    """The positions of the costliest slips, the costliest first."""
    cost = np.where(slips.differs, np.abs(slips.cost), 0.0)  # type: ignore[arg-type]
    some = np.flatnonzero(cost)
    if len(some) > top:
        some = some[np.argpartition(-cost[some], top - 1)[:top]]
    return some[np.argsort(-cost[some], kind="stable")].tolist()


@njit(cache=True)
def _slips(
    nodes, start, edge, odds, kind, first, child, offset, amount, rules, value, bound,
    differs, less,
):  # fmt: skip
    for i in range(nodes.shape[0]):
        node = nodes[i]
        total = amount[offset[node]]
        for j in range(start[i], start[i + 1]):
            total += odds[j] * value[child[edge[j]]]
        less[i] = value[node] - total
        up = rules[kind[node]]
        if up == 0:
            continue
        best = child[first[node]]
        for e in range(first[node], first[node + 1]):
            if (value[child[e]] - value[best]) * up > 0.0:
                best = child[e]
        for j in range(start[i], start[i + 1]):
            c = child[edge[j]]
            if odds[j] > 0.0 and abs(value[c] - value[best]) > bound[c] + bound[best]:
                differs[i] = True
        if not differs[i]:
            less[i] = 0.0
