"""Unfold a program into its DAG: one node for each state that play can reach.

Input   a ``Program``: names resolved, expressions typed, parameters bound.
Output  a ``Dag``: children after their parents, equal calls shared.
Holds   every chance node's odds sum to 1; no node reaches itself; no node is spent on a
        call, an ``if`` or a ``let``; outcomes of probability 0 are not visited.
Errors  GT3xx (odds), GT401 (cycles), GT402 to GT404 (states), GT5xx (limits), as ``SpecError``.

A work list, no recursion: a chain of states may be as long as memory allows.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn

from ..spec.collector import collector_paused
from ..spec.diagnostics import Code as Fault
from ..spec.diagnostics import Diagnostic, Note, SpecError
from ..spec.expressions import Expr
from ..spec.source import Place
from .check import diagnose
from .dag import Dag, Exact, Kind
from .expressions import Code, Environment, Where
from .odds import integer_odds
from .program import (
    Bind,
    Branch,
    Choice,
    Choose,
    Form,
    Loop,
    NamedNode,
    Odds,
    Payoff,
    Program,
    Sum,
    Visit,
)
from .topology import find_cycle, in_topological_order
from .values import Distribution, EvaluationError, Value, checked, show

MAX_PROBLEMS = 20  # distinct mistakes of states reported in one run


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a game may unfold before it is stopped."""

    states: int = 1_000_000  # nodes of the DAG
    work: int = 100_000_000  # loop rounds and calls of definitions


State = tuple[NamedNode, Environment]
Terms = list[tuple[Exact, Form, Environment]]  # factor times form, for the local names


@dataclass(slots=True)
class NodeOrigin:
    """Where a node came from.

    ``env`` holds the values of the local names, ``owner`` is the state that the node is
    written in, and ``states`` are the states that it stands for.
    """

    form: Form
    env: Environment
    owner: State | None
    states: list[State] = field(default_factory=list[State])

    def labels(self) -> list[str]:
        """The label of each edge, in order."""
        if isinstance(self.form, Choice):
            return [outcome.label() for outcome in outcomes(self.form, self.env)]
        return []

    def title(self) -> str:
        """The node's own label, or its state such as ``turn(16)``, or ``""``."""
        label = getattr(self.form, "label", "")
        if label or not self.states:
            return label
        return state_title(*self.states[0])

    def note(self) -> str:
        """The node's ``note``, or ``""``."""
        return getattr(self.form, "note", "")

    def place(self) -> Place:
        """Where the node is written."""
        return self.form.place()


def state_title(node: NamedNode, arguments: Environment) -> str:
    """A state as a call: ``turn(16)``."""
    if not node.arguments:
        return node.name
    return f"{node.name}({', '.join(show(value) for value in arguments)})"


# --- the outcomes of a choice -----------------------------------------------------------------


@dataclass(slots=True)
class Outcome:
    """A branch in a state: where it leads, its odds, and how to name it."""

    form: Form
    env: Environment
    weight: int
    mode: str
    amount: Value
    label: Callable[[], str]


def outcomes(choice: Choice, env: Environment) -> list[Outcome]:
    """The branches of ``choice`` for the local names ``env``, with integer odds.

    Raises:
        EvaluationError: Where odds or loops have no value, or there is no branch at all.
    """
    found: list[Outcome] = []
    for branch in choice.branches:
        if isinstance(branch, Branch):
            mode, amount = _odds(branch.odds, env)
            found.append(Outcome(branch.form, env, 1, mode, amount, _written(branch.label)))
        else:
            found.extend(_loop(branch, env))
    if not found:
        raise EvaluationError(
            Fault.NO_BRANCHES,
            f"there is no branch to {'follow' if choice.kind is Kind.CHANCE else 'choose'} here",
            "an `if` in front of it can make this state a terminal",
        )
    if choice.kind is not Kind.CHANCE:
        return found
    weights, _ = integer_odds([(outcome.mode, outcome.amount) for outcome in found])
    for outcome, weight in zip(found, weights, strict=True):
        outcome.weight = weight
    return [outcome for outcome in found if outcome.weight]


def _written(label: str) -> Callable[[], str]:
    return lambda: label


def _odds(odds: Odds | None, env: Environment) -> tuple[str, Value]:
    if odds is None:
        return "none", 0
    return odds.mode, 0 if odds.code is None else odds.code.run(env)


def _loop(loop: Loop, env: Environment) -> Iterator[Outcome]:
    """One outcome for each value; inner loops multiply their odds with the outer ones."""
    rounds = list(_rounds(loop, env))
    for value, inner, mode, amount in rounds:
        if isinstance(loop.body, Form):
            yield Outcome(loop.body, inner, 1, mode, amount, _loop_label(loop, inner, value))
        else:
            yield from _inner_loop(loop, inner, value, mode, amount, len(rounds))


def _rounds(loop: Loop, env: Environment) -> Iterator[tuple[Value, Environment, str, Value]]:
    source = loop.source.run(env)
    condition = None if loop.condition is None else loop.condition.run
    if isinstance(source, Distribution):
        total = source.total
        for value, odds in zip(source.values, source.odds, strict=True):
            inner = (*env, value)
            if condition is None or condition(inner):
                mode, amount = "p", Fraction(odds, total)
                if loop.odds is not None:
                    mode, amount = _odds(loop.odds, inner)
                yield value, inner, mode, amount
        return
    for value in source:
        inner = (*env, value)
        if condition is None or condition(inner):
            yield (value, inner, *_odds(loop.odds, inner))


def _inner_loop(
    loop: Loop, env: Environment, value: Value, mode: str, amount: Value, count: int
) -> Iterator[Outcome]:
    assert isinstance(loop.body, Loop)
    inner = list(_loop(loop.body, env))
    for outcome in inner:
        own = outcome.label
        outcome.label = _nested_label(loop, env, value, own)
        if mode == "none" and outcome.mode == "none":
            continue  # equal odds throughout
        if "rest" in {mode, outcome.mode}:
            raise EvaluationError(
                Fault.MIXED_ODDS, "`rest` cannot stand on one of two nested loops"
            )
        first = Fraction(1, count) if mode == "none" else Fraction(amount)
        second = Fraction(1, len(inner)) if outcome.mode == "none" else Fraction(outcome.amount)
        if "weight" in {mode, outcome.mode}:
            first, second = amount if mode == "weight" else first, second
            outcome.mode, outcome.amount = "weight", first * second
        else:
            outcome.mode, outcome.amount = "p", first * second
    yield from inner


def _loop_label(loop: Loop, env: Environment, value: Value) -> Callable[[], str]:
    code = loop.label
    return (lambda: show(value)) if code is None else (lambda: str(code.run(env)))


def _nested_label(
    loop: Loop, env: Environment, value: Value, inner: Callable[[], str]
) -> Callable[[], str]:
    if loop.label is not None:
        code = loop.label
        return lambda: f"{code.run(env)}, {inner()}"
    if _has_label(loop.body):
        return inner  # the inner `as` names the whole branch
    return lambda: f"{show(value)}, {inner()}"


def _has_label(body: Form | Loop) -> bool:
    while isinstance(body, Loop):
        if body.label is not None:
            return True
        body = body.body
    return False


# --- unfolding --------------------------------------------------------------------------------


def unfold(
    program: Program,
    *,
    at: Form | None = None,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Dag:
    """Unfold ``program`` from its root, or from the state ``at``.

    Args:
        program: What ``check`` made of a document.
        at: A form that ``program.compile_state`` made of ``turn(16)``.
        limits: How many nodes and loop rounds to allow.
        progress: Called now and then with the numbers of nodes found and still open.

    Returns:
        The DAG; ``n`` nodes and ``m`` edges take O(n + m) time and memory.

    Raises:
        SpecError: For odds, states or cycles that make no sense, and where a limit stops it.
    """
    with collector_paused():
        return _Unfolder(program, limits or Limits(), progress).run(at or program.root)


class _Unfolder:
    """The nodes found so far, in the order of discovery, and those still to be expanded."""

    def __init__(
        self, program: Program, limits: Limits, progress: Callable[[int, int], None] | None
    ) -> None:
        self.program = program
        self.limits = limits
        self.progress = progress
        self.kind = bytearray()
        self.offset: list[Exact] = []
        self.divisor: list[int] = []
        self.origin: list[NodeOrigin] = []
        self.edges: list[list[int]] = []
        self.weights: list[list[Exact] | None] = []
        self.states: dict[tuple[object, Environment], int] = {}
        self.open: list[tuple[int, Terms | None]] = []
        self.problems: dict[tuple[Fault, int], Diagnostic] = {}

    def run(self, root: Form) -> Dag:
        self.program.names.meter.left = self.limits.work
        self.start(root)
        at = 0
        while at < len(self.open):
            node, terms = self.open[at]
            at += 1
            try:
                self.expand(node) if terms is None else self.add_terms(node, terms)
            except EvaluationError as error:
                error.state = error.state or self.origin[node].owner
                self.problem(error, self.origin[node].place())
            if not at & 0xFFF:
                self.report_progress(at)
        if self.problems:
            raise SpecError(self.problems.values())
        return self.finish()

    def start(self, root: Form) -> None:
        try:
            self.resolve(root, (), None)
        except EvaluationError as error:
            self.problem(error, root.place())
            raise SpecError(self.problems.values()) from None

    def report_progress(self, at: int) -> None:
        if self.progress is not None:
            self.progress(len(self.kind), len(self.open) - at)

    # --- making nodes ---

    def new(
        self, kind: Kind, form: Form, env: Environment, owner: State | None, offset: Exact
    ) -> int:
        node = len(self.kind)
        if node >= self.limits.states:
            self.stop_at_limit(form)
        self.kind.append(kind)
        self.offset.append(offset)
        self.divisor.append(1)
        self.origin.append(NodeOrigin(form, env, owner))
        self.edges.append([])
        self.weights.append(None)
        return node

    def resolve(self, form: Form, env: Environment, owner: State | None) -> int:
        """The node that ``form`` comes to, made if need be; its children are found later."""
        passed: list[tuple[object, Environment]] = []  # states on the way: all are this node
        node = -1
        try:
            while node < 0:
                if form.shared:
                    node = self.pass_by((form, env[: form.needs]), passed)
                    env = env[: form.needs] + (None,) * (form.depth - form.needs)
                if node >= 0:
                    break
                if isinstance(form, Visit):
                    owner = (form.target, self.arguments(form, env))
                    node = self.pass_by(owner, passed)
                    assert form.target.body is not None
                    form, env = form.target.body, owner[1]
                elif isinstance(form, Choose):
                    form = form.yes if form.condition.run(env) else form.no
                elif isinstance(form, Bind):
                    form, env = form.body, (*env, checked(form.value.run(env)))
                elif isinstance(form, Sum):
                    constant, terms = self.terms(form, env)
                    if constant == 0 and len(terms) == 1 and terms[0][0] == 1:
                        _, form, env = terms[0]
                    else:
                        node = self.new_sum(form, env, owner, constant, terms)
                else:
                    node = self.new_leaf_or_choice(form, env, owner)
        except EvaluationError as error:
            error.state = error.state or owner
            raise
        for key in passed:
            self.states[key] = node
            if isinstance(key[0], NamedNode):
                self.origin[node].states.append((key[0], key[1]))
        return node

    def new_leaf_or_choice(self, form: Form, env: Environment, owner: State | None) -> int:
        if isinstance(form, Choice):
            reward: Exact = 0 if form.reward is None else form.reward.run(env)
            node = self.new(form.kind, form, env, owner, reward)
            self.open.append((node, None))
            return node
        assert isinstance(form, Payoff)
        value = form.value if form.code is None else form.code.run(env)
        if isinstance(value, float) and not math.isfinite(value):
            raise EvaluationError(Fault.NOT_FINITE, f"a payoff must be finite, and it is {value}")
        return self.new(Kind.TERMINAL, form, env, owner, value)

    def new_sum(
        self, form: Sum, env: Environment, owner: State | None, constant: Exact, terms: Terms
    ) -> int:
        node = self.new(Kind.SUM if terms else Kind.TERMINAL, form, env, owner, constant)
        if terms:
            self.open.append((node, terms))
        return node

    def pass_by(
        self, key: tuple[object, Environment], passed: list[tuple[object, Environment]]
    ) -> int:
        """The node of a state if it is known, else -1; ``passed`` remembers the state."""
        node = self.states.get(key, -1)
        if node < 0:
            if key in passed:
                self.stop_at_circle([*passed[passed.index(key) :], key])
            passed.append(key)
        return node

    def arguments(self, visit: Visit, env: Environment) -> Environment:
        """The state that a call moves to, each argument within its range."""
        taken: list[Value] = []
        for code, check in zip(visit.arguments, visit.target.checks, strict=True):
            value = code.run(env)
            try:
                taken.append(check(value))
            except EvaluationError as error:
                if error.where is None:
                    error.where = code.where
                    error.start, error.end = code.expr.start, code.expr.end
                raise
        return tuple(taken)

    def terms(
        self, form: Sum, env: Environment
    ) -> tuple[Exact, Terms]:
        """A sum's constant and terms; written payoffs go into the constant."""
        constant: Exact = 0 if form.constant is None else form.constant.run(env)
        terms: Terms = []
        for factor_code, term in form.terms:
            factor: Exact = 1 if factor_code is None else factor_code.run(env)
            inner, inner_env = _settle(term, env)
            if not factor:
                continue
            if isinstance(inner, Payoff) and not inner.shared:
                value = inner.value if inner.code is None else inner.code.run(inner_env)
                constant += factor * value
            elif isinstance(inner, Sum) and not inner.shared:
                more, nested = self.terms(inner, inner_env)
                constant += factor * more
                terms.extend((factor * f, t, e) for f, t, e in nested)
            else:
                terms.append((factor, inner, inner_env))
        return constant, terms

    # --- finding children ---

    def expand(self, node: int) -> None:
        origin = self.origin[node]
        choice, env = origin.form, origin.env
        assert isinstance(choice, Choice)
        found = outcomes(choice, env)
        if choice.kind is Kind.CHANCE:
            weights = [outcome.weight for outcome in found]
            self.weights[node] = list(weights)
            self.divisor[node] = sum(weights)
        else:
            _check_labels(choice, found)
        children = self.edges[node]
        for outcome in found:
            try:
                children.append(self.resolve(outcome.form, outcome.env, origin.owner))
            except EvaluationError as error:
                self.problem(error, outcome.form.place(), outcome)
                gap = Payoff(outcome.form.place)  # so that the other branches are looked at, too
                children.append(self.new(Kind.TERMINAL, gap, (), origin.owner, 0))

    def add_terms(self, node: int, terms: Terms) -> None:
        self.weights[node] = [factor for factor, _, _ in terms]
        for _, form, env in terms:
            self.edges[node].append(self.resolve(form, env, self.origin[node].owner))

    # --- finishing ---

    def finish(self) -> Dag:
        order = in_topological_order(self.edges)
        if order is None:
            self.stop_at_cycle()
        number = array("i", bytes(4 * len(order)))
        for new, old in enumerate(order):
            number[old] = new
        first, child = array("q", [0]), array("i")
        weight: list[Exact] = []
        for old in order:
            child.extend([number[c] for c in self.edges[old]])
            weight.extend(self.weights[old] or [1] * len(self.edges[old]))
            first.append(len(child))
        return Dag(
            kind=bytearray(self.kind[old] for old in order),
            first=first,
            child=child,
            weight=weight,
            divisor=[self.divisor[old] for old in order],
            offset=[self.offset[old] for old in order],
            origin=[self.origin[old] for old in order],
        )

    # --- problems ---

    def problem(self, error: EvaluationError, at: Place, outcome: Outcome | None = None) -> None:
        """Note a state's mistake, once for each place; too many end the run."""
        place = at
        if isinstance(error.where, Where):
            place = error.where.place(error.start, error.end)
        notes: list[Note] = []
        if error.state is not None:
            notes.append(Note(f"in the state {state_title(*error.state)}"))
        if outcome is not None:
            notes.append(Note(f'in the branch "{outcome.label()}"'))
        found = Diagnostic(error.code, place, error.message, notes=tuple(notes), help=error.help)
        self.problems.setdefault((error.code, place.start), found)
        if error.code is Fault.WORK_LIMIT or len(self.problems) >= MAX_PROBLEMS:
            raise SpecError(self.problems.values())

    def stop_at_limit(self, form: Form) -> NoReturn:
        recent = [
            state_title(*origin.states[0]) for origin in self.origin[-2000:] if origin.states
        ]
        examples = recent[-3:]
        notes = [Note(f"the last states found: {', '.join(examples)}")] if examples else []
        notes.extend(self.growth())
        raise SpecError(
            [
                Diagnostic(
                    Fault.STATE_LIMIT,
                    form.place(),
                    f"the game is larger than {self.limits.states:,} nodes, the limit",
                    notes=tuple(notes),
                    help="raise --max-states if it is meant to be this large; a declared range "
                    "such as `n: 0..100` finds a game that never stops growing",
                )
            ]
        )

    def growth(self) -> Iterator[Note]:
        """What keeps growing: arguments whose largest values were found last."""
        seen: dict[NamedNode, list[Environment]] = {}
        for origin in self.origin:
            for node, arguments in origin.states:
                seen.setdefault(node, []).append(arguments)
        for node, states in seen.items():
            for i, argument in enumerate(node.arguments):
                early = [s[i] for s in states[: len(states) // 2] if isinstance(s[i], int)]
                late = [s[i] for s in states[len(states) // 2 :] if isinstance(s[i], int)]
                if argument.kind is None and early and late and _grows(early, late):
                    yield Note(
                        f"`{argument.name}` of `{node.name}` keeps growing: it has reached "
                        f"{show(max(late, key=abs))}",
                        node.place(),
                    )

    def stop_at_circle(self, keys: list[tuple[object, Environment]]) -> NoReturn:
        titles = [state_title(k, env) for k, env in keys if isinstance(k, NamedNode)]
        node = next(k for k, _ in keys if isinstance(k, NamedNode))
        raise SpecError([_cycle(node.place(), titles)])

    def stop_at_cycle(self) -> NoReturn:
        cycle = find_cycle(self.edges)
        titles: list[str] = []
        for i, node in enumerate(cycle):
            title = self.origin[node].title()
            following = cycle[(i + 1) % len(cycle)]
            labels = self.origin[node].labels()
            at = self.edges[node].index(following)
            titles.append((title or "…") + (f' ("{labels[at]}")' if at < len(labels) else ""))
        first = next((i for i, node in enumerate(cycle) if self.origin[node].states), 0)
        titles = titles[first:] + titles[:first]
        place = self.origin[cycle[first]].place()
        raise SpecError([_cycle(place, [*titles, titles[0].split(" (")[0]])])


def _cycle(place: Place, titles: list[str]) -> Diagnostic:
    shown = titles if len(titles) <= 12 else [*titles[:6], f"… {len(titles) - 11} more", *titles[-5:]]  # noqa: PLR2004
    return Diagnostic(
        Fault.CYCLE,
        place,
        f"play can go round in circles: {titles[0]} comes back to itself",
        notes=(Note("the way round: " + " -> ".join(shown)),),
        help="games must end: give the state something that only grows or shrinks, "
        "such as the number of turns left",
    )


def _settle(form: Form, env: Environment) -> tuple[Form, Environment]:
    """Follow ``if`` and ``let`` to what is written there."""
    while isinstance(form, Choose | Bind) and not form.shared:
        if isinstance(form, Choose):
            form = form.yes if form.condition.run(env) else form.no
        else:
            form, env = form.body, (*env, checked(form.value.run(env)))
    return form, env


def _check_labels(choice: Choice, found: list[Outcome]) -> None:
    """Two branches of one name cannot be told apart by a policy or a report."""
    if all(isinstance(branch, Branch) for branch in choice.branches):
        return
    labels: set[str] = set()
    for outcome in found:
        label = outcome.label()
        if label in labels:
            raise EvaluationError(
                Fault.DUPLICATE_LABEL,
                f'two branches are called "{label}"',
                'name them apart with `as "…"` in the loop',
            )
        labels.add(label)


def _grows(early: list[int], late: list[int]) -> bool:
    return max(late) > max(early) or min(late) < min(early)


__all__ = ["Limits", "NodeOrigin", "Outcome", "diagnose", "outcomes", "state_title", "unfold"]
