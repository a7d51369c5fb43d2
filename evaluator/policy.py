"""Policies on a DAG: what a file's policy chooses at each node it speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..compiler.check import diagnose
from ..compiler.dag import AnyDag, Kind
from ..compiler.origin import NodeOrigin, state_title
from ..compiler.program import Branch, Choice, Policy, PolicyRule
from ..compiler.scope import Environment
from ..compiler.unfold import settle
from ..compiler.values import Distribution, EvaluationError, show
from ..spec.diagnostics import Code, Diagnostic, Note, SpecError
from ..spec.suggest import did_you_mean
from .solution import Mixture


def policy_choices(dag: AnyDag, policy: Policy, *, most: int | None = None) -> dict[int, Mixture]:
    """What ``policy`` chooses at each choice node that it speaks of.

    Args:
        dag: The game.
        policy: A policy of its file.
        most: How many nodes to look at; None for all.

    Returns:
        For each such node the edges it takes and with what probability.

    Raises:
        SpecError: GT217 where it names a branch that is not there, or its expression fails.

    Time O(n), and the labels of the nodes that the policy speaks of.
    """
    choices: dict[int, Mixture] = {}
    problems: dict[int, Diagnostic] = {}
    for rule in policy.rules:
        for node, env in _spoken_of(rule, dag):
            if node in choices or dag.kind[node] not in {Kind.MAX, Kind.MIN}:
                continue
            if len(choices) == most:
                break
            try:
                choices[node] = _mixture(rule, env, dag, node)
            except EvaluationError as error:
                place = rule.code.place()
                note = Note(f"in the state {_title(rule, env)}")
                problems.setdefault(place.start, diagnose(error, rule.code, (note,)))
    if problems:
        raise SpecError(problems.values())
    return choices


def _spoken_of(rule: PolicyRule, dag: AnyDag) -> Iterator[tuple[int, Environment]]:
    """The nodes that a rule speaks of, and the arguments it sees there."""
    if rule.node is None:
        yield 0, ()
        return
    nodes, states = dag.states_of(rule.node)
    for node, state in zip(nodes, states, strict=True):
        yield int(node), state


def _title(rule: PolicyRule, env: Environment) -> str:
    return "root" if rule.node is None else state_title(rule.node, env)


def state_of(rule: PolicyRule, node: int, origin: NodeOrigin) -> Environment | None:
    """The arguments by which the rule speaks of this node, or None."""
    if rule.node is None:
        return () if node == 0 else None
    return next((env for named, env in origin.states if named is rule.node), None)


def _labels(rule: PolicyRule, env: Environment, dag: AnyDag, node: int) -> list[str]:
    """The labels of a node's edges; quickly, where all are written out and always there."""
    if rule.node is not None and rule.node.body is not None:
        form, _ = settle(rule.node.body, env)
        if isinstance(form, Choice):
            always = [b for b in form.branches if isinstance(b, Branch) and b.condition is None]
            written = [b.label for b in always]
            if len(written) == len(form.branches):
                return written
    return dag.origin[node].labels()


def _mixture(rule: PolicyRule, env: Environment, dag: AnyDag, node: int) -> Mixture:
    choice = rule.code.run(env)
    labels = _labels(rule, env, dag, node)
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
