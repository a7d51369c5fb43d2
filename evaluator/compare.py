"""Policies against optimal play: what each is worth, and the states where that is lost.

Holds   the immediate losses of a policy, each weighted by how often its play gets there, add up
        to what the policy loses at the root: Kakade and Langford, *Approximately Optimal
        Approximate Reinforcement Learning* (2002), lemma 6.1. Where others answer to the policy,
        their gains are part of the sum: ``Compared.elsewhere``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import nsmallest

from ..compiler.dag import AnyDag, Dag, Kind
from ..compiler.limits import Limits
from ..compiler.origin import NodeOrigin, state_title
from ..compiler.program import NamedNode, Policy
from ..spec.diagnostics import UsageError
from ..spec.suggest import did_you_mean
from .behaviour import Behaviour
from .engines import solve_any
from .game import Game
from .policy import policy_choices, state_of
from .reach import Reach, edge_odds, expected, reach
from .solution import Mixture, Numbers, Solution, Value


@dataclass(frozen=True, slots=True)
class Slips:
    """What a policy does at the nodes that it speaks of.

    ``slip`` is what its choice is worth less than the node's value, in the eyes of the player who
    chooses (never negative where that player plays the best); ``cost`` is what the slip takes
    from the value of the root: the same for every unit, times how often play gets there.
    ``differs`` says where a branch is taken that is not one of the best. All by position in
    ``nodes``.
    """

    nodes: Sequence[int]
    differs: Sequence[bool]
    slip: Sequence[Value]
    cost: Sequence[Value]


@dataclass(frozen=True, slots=True)
class Followed:
    """Play in which a policy is followed, and all others answer it."""

    policy: Policy
    choices: Mapping[int, Mixture]  # of this policy alone
    solution: Solution
    reach: Reach
    slips: Slips


@dataclass(frozen=True, slots=True)
class CostlyState:
    """A state where a policy chooses worse, and what that costs."""

    title: str
    node: str  # the named node; "" for the root's own
    arguments: tuple[tuple[str, object], ...]
    policy: tuple[tuple[str, Fraction], ...]  # labels and odds
    best: tuple[str, ...]
    slip: Value
    reach: Value
    cost: Value


@dataclass(frozen=True, slots=True)
class Compared:
    """One policy beside the optimum.

    ``loss`` is the optimum less ``value``: the sum of what slips cost and of ``elsewhere``, which
    is what changes where the policy is silent and others answer to it.
    """

    name: str
    value: Value
    error_bound: float
    loss: Value
    differs: int
    elsewhere: Value
    states: tuple[CostlyState, ...]  # the costliest first


@dataclass(frozen=True, slots=True)
class Comparison:
    """Policies in the order of what they lose, the least first."""

    game: str
    algorithm: str
    numbers: Numbers
    optimum: Value
    error_bound: float
    policies: tuple[Compared, ...]


@dataclass(slots=True)
class Stage:
    """A game solved without the policies in question, on which they are then tried."""

    game: Game
    behaviour: Behaviour
    base: Mapping[int, Mixture]  # of the policies that the behaviour asks for
    optimum: Solution
    limits: Limits | None

    @staticmethod
    def of(
        game: Game,
        *,
        algorithm: str = "expectiminimax",
        play: Mapping[str, str] | None = None,
        numbers: Numbers | None = None,
        at: str | None = None,
        limits: Limits | None = None,
    ) -> Stage:
        """Solve ``game``: arguments and errors as for ``Game.solution``."""
        behaviour = game.behaviour(algorithm, play)
        optimum = game.solution(
            algorithm=algorithm, play=play, numbers=numbers, at=at, limits=limits
        )
        base: dict[int, Mixture] = {}
        for name in behaviour.policies():
            spoken = choices_of(game, optimum.dag, game.program.policies[name], limits)
            kind = optimum.dag.kind
            base |= {
                node: mixture
                for node, mixture in spoken.items()
                if behaviour.of(kind[node]).policy == name
            }
        return Stage(game, behaviour, base, optimum, limits)

    def known(self, name: str) -> Policy:
        """The policy of that name.

        Raises:
            UsageError: If the game has none.
        """
        policies = self.game.program.policies
        if name not in policies:
            hint = did_you_mean(name, policies)
            hint = hint or (f"it has: {', '.join(policies)}" if policies else "it has none")
            raise UsageError(f"this game has no policy `{name}`; {hint}")
        return policies[name]

    def follow(self, name: str) -> Followed:
        """Follow a policy wherever it speaks: one more pass over the game, and one for reach.

        Raises:
            SpecError: Where it names a branch that is not there.
            UsageError: If the game has no such policy.
        """
        policy, optimum = self.known(name), self.optimum
        choices = choices_of(self.game, optimum.dag, policy, self.limits)
        merged = {**self.base, **choices} if self.base else choices
        solution = solve_any(optimum.dag, self.behaviour, numbers=optimum.numbers, policies=merged)
        reached = reach(solution, self.behaviour, merged)
        return Followed(policy, choices, solution, reached, self._slips(choices, reached))

    def reach(self) -> Reach:
        """How often play without any of the policies gets to each node."""
        return reach(self.optimum, self.behaviour, self.base)

    def _slips(self, choices: Mapping[int, Mixture], reached: Reach) -> Slips:
        optimum = self.optimum
        dag: AnyDag = optimum.dag
        if not isinstance(dag, Dag) and not self.base:
            from .slips_arrays import slips_arrays

            return slips_arrays(optimum, self.behaviour, choices, reached)
        nodes = sorted(choices)
        differs: list[bool] = []
        slips: list[Value] = []
        costs: list[Value] = []
        for node in nodes:
            taken = {edge for edge, odds in choices[node] if odds}
            best = optimum.chosen[node]
            worse = bool(best) and not taken <= set(best)
            less = _less(optimum, node, choices[node])
            if isinstance(less, float) and best and not worse:
                less = 0.0
            differs.append(worse)
            slips.append(less if dag.kind[node] == Kind.MAX else -less)
            costs.append(less * reached.weight[node])
        return Slips(nodes, differs, slips, costs)


def choices_of(
    game: Game, dag: AnyDag, policy: Policy, limits: Limits | None, *, most: int | None = None
) -> Mapping[int, Mixture]:
    """What ``policy`` chooses; whole columns at once where the game is large and it can be.

    A policy that is more than arithmetic, comparisons and written labels takes some
    microseconds a state; of such a one at most ``most`` states are looked at.
    """
    if not isinstance(dag, Dag):
        from .slips_arrays import pure_policy

        pure = pure_policy(dag, policy, game.program.names)
        if pure is not None:
            return pure
    meter = game.program.names.meter
    meter.left, unmetered = (limits or Limits()).work, meter.left
    try:
        return policy_choices(dag, policy, most=most)
    finally:
        meter.left = unmetered


def compare(stage: Stage, names: Sequence[str] = (), *, top: int = 10) -> Comparison:
    """Policies of the game (all, where none is named) against optimal play.

    Args:
        stage: The game, solved.
        names: The policies to compare.
        top: How many of the costliest states to name for each.

    Raises:
        SpecError: Where a policy names a branch that is not there.
        UsageError: If the game has no such policy, or none at all.
    """
    every = stage.game.program.policies
    if not every:
        raise UsageError("this game has no policies to compare; write some under `policies`")
    wanted = list(dict.fromkeys(names or every))
    for name in wanted:
        stage.known(name)
    compared = [_compared(stage, stage.follow(name), top) for name in wanted]
    compared.sort(key=lambda policy: abs(policy.loss))
    optimum = stage.optimum
    return Comparison(
        stage.game.name,
        optimum.algorithm,
        optimum.numbers,
        optimum.value(0),
        optimum.error_bound(0),
        tuple(compared),
    )


def _compared(stage: Stage, followed: Followed, top: int) -> Compared:
    optimum, solution, slips = stage.optimum, followed.solution, followed.slips
    within = optimum.error_bound(0) + solution.error_bound(0)
    loss = _difference(optimum.value(0), solution.value(0), within)
    paid = _total(slips.cost)
    elsewhere = _difference(loss, paid, within + 1e-12 * abs(float(paid)) if within else 0.0)
    return Compared(
        name=followed.policy.name,
        value=solution.value(0),
        error_bound=solution.error_bound(0),
        loss=loss,
        differs=int(sum(slips.differs)),
        elsewhere=elsewhere,
        states=tuple(_costly(stage, followed, i) for i in _costliest(slips, top)),
    )


def _difference(left: Value, right: Value, within: float) -> Value:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left - right
    less = float(left) - float(right)
    return 0.0 if abs(less) <= within else less


def _total(costs: Sequence[Value]) -> Value:
    if isinstance(costs, list):
        return sum(costs, Fraction(0))
    return float(costs.sum())  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]


def _costliest(slips: Slips, top: int) -> list[int]:
    """The positions of the costliest slips, the costliest first."""
    if not isinstance(slips.cost, list):
        from .slips_arrays import costliest

        return costliest(slips, top)
    some = [i for i, differs in enumerate(slips.differs) if differs and slips.cost[i]]
    return nsmallest(top, some, key=lambda i: -abs(slips.cost[i]))


def _costly(stage: Stage, followed: Followed, position: int) -> CostlyState:
    node = int(followed.slips.nodes[position])
    optimum, slips = stage.optimum, followed.slips
    origin = optimum.dag.origin[node]
    labels, first = origin.labels(), int(optimum.dag.first[node])
    named, arguments = _state(followed.policy, origin, node)
    return CostlyState(
        title="root" if named is None else state_title(named, arguments),
        node="" if named is None else named.name,
        arguments=()
        if named is None
        else tuple(zip((a.name for a in named.arguments), arguments, strict=True)),
        policy=tuple((labels[edge - first], odds) for edge, odds in followed.choices[node]),
        best=tuple(labels[edge - first] for edge in optimum.chosen[node]),
        slip=_plain(slips.slip[position]),
        reach=_plain(followed.reach.odds[node]),
        cost=_plain(slips.cost[position]),
    )


def _plain(value: Value) -> Value:
    return value if isinstance(value, Fraction) else float(value)


def _state(
    policy: Policy, origin: object, node: int
) -> tuple[NamedNode | None, tuple[object, ...]]:
    """The state by which a policy speaks of a node."""
    if isinstance(origin, NodeOrigin):
        for rule in policy.rules:
            env = state_of(rule, node, origin)
            if env is not None:
                return rule.node, env
    return None, ()


def _less(solution: Solution, node: int, play: Sequence[tuple[int, Value]]) -> Value:
    """How much less than its value ``node`` is worth where its edges are taken so."""
    less: Value = solution.value(node) - expected(solution, node, play)
    return less


def answers_cost(stage: Stage, followed: Followed) -> Value:
    """What the nodes of which the policy does not speak add to its loss, summed node by node.

    It is ``Compared.elsewhere``, found the long way: for tests.
    """
    optimum, dag = stage.optimum, stage.optimum.dag
    merged = {**stage.base, **followed.choices}
    total: Value = Fraction(0)
    for node in range(len(dag)):
        if node in followed.choices or dag.kind[node] in {Kind.TERMINAL, Kind.SUM}:
            continue
        weight = followed.reach.weight[node]
        if weight:
            play = edge_odds(followed.solution, stage.behaviour, merged, node)
            total += weight * _less(optimum, node, play)
    return total
