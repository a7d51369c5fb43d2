"""Policies on a DAG: what a file's policy chooses at each node it speaks of."""

from __future__ import annotations

from fractions import Fraction

from ..compiler.check import diagnose
from ..compiler.dag import Dag, Kind
from ..compiler.origin import NodeOrigin, state_title
from ..compiler.program import Policy, PolicyRule
from ..compiler.scope import Environment
from ..compiler.values import Distribution, EvaluationError, show
from ..spec.diagnostics import Code, Diagnostic, Note, SpecError
from ..spec.suggest import did_you_mean

Mixture = tuple[tuple[int, Fraction], ...]  # (edge, probability), probabilities summing to 1


def policy_choices(dag: Dag, policy: Policy) -> dict[int, Mixture]:
    """What ``policy`` chooses at each choice node that it speaks of.

    Returns:
        For each such node the edges it takes and with what probability.

    Raises:
        SpecError: GT217 where it names a branch that is not there, or its expression fails.

    Time O(n), and the labels of the nodes that the policy speaks of.
    """
    choices: dict[int, Mixture] = {}
    problems: dict[int, Diagnostic] = {}
    for node, origin in enumerate(dag.origin):
        if dag.kind[node] not in {Kind.MAX, Kind.MIN} or not isinstance(origin, NodeOrigin):
            continue
        for rule in policy.rules:
            env = state_of(rule, node, origin)
            if env is None:
                continue
            try:
                choices[node] = _mixture(rule, env, dag, node)
            except EvaluationError as error:
                place = rule.code.place()
                note = Note(f"in the state {_title(rule, env)}")
                problems.setdefault(place.start, diagnose(error, rule.code, (note,)))
            break
    if problems:
        raise SpecError(problems.values())
    return choices


def _title(rule: PolicyRule, env: Environment) -> str:
    return "root" if rule.node is None else state_title(rule.node, env)


def state_of(rule: PolicyRule, node: int, origin: NodeOrigin) -> Environment | None:
    """The arguments by which the rule speaks of this node, or None."""
    if rule.node is None:
        return () if node == 0 else None
    return next((env for named, env in origin.states if named is rule.node), None)


def _mixture(rule: PolicyRule, env: Environment, dag: Dag, node: int) -> Mixture:
    choice = rule.code.run(env)
    labels = dag.origin[node].labels()
    edges = dict(zip(labels, dag.edges(node), strict=True))

    def edge(label: object) -> int:
        if isinstance(label, str) and label in edges:
            return edges[label]
        text = label if isinstance(label, str) else show(label)
        raise EvaluationError(
            Code.UNKNOWN_BRANCH,
            f'there is no branch "{text}" here',
            did_you_mean(text, labels) or f"the branches are {', '.join(labels[:8])}",
        )

    if isinstance(choice, Distribution):
        total = choice.total
        return tuple(
            (edge(label), Fraction(odds, total))
            for label, odds in zip(choice.values, choice.odds, strict=True)
        )
    return ((edge(choice), Fraction(1)),)
