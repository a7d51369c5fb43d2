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
from collections import deque
from typing import NoReturn

from ..spec.collector import collector_paused
from ..spec.diagnostics import Code as Fault
from ..spec.diagnostics import Diagnostic, Note, SpecError
from ..spec.source import Place
from .dag import Amount, Dag, Kind
from .depth import room_to_recurse
from .endless import cycle_found, round_in_circles, too_many_states, too_much_memory
from .limits import EXACT_NODE, Limits
from .origin import NodeOrigin, State, state_title
from .outcomes import Outcome, check_labels, outcomes
from .program import Bind, Choice, Choose, Form, NamedNode, Payoff, Program, Sum, Visit
from .progress import Progress, Step
from .scope import Environment, Where
from .topology import find_cycle, in_topological_order
from .values import EvaluationError, Value, beyond_floats, checked

FIRST_CYCLE_CHECK = 4096  # nodes: a game that goes round is told before it has filled the limit
UNMETERED = 1 << 60
AFTER_PROBLEM = 10_000  # nodes still looked at for further mistakes, once there is one
MAX_PROBLEMS = 20  # distinct mistakes of states reported in one run
Terms = list[tuple[Amount, Form, Environment]]  # factor times form, for the local names


def unfold(
    program: Program,
    *,
    at: Form | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Dag:
    """Unfold ``program`` from its root, or from the state ``at``.

    Args:
        program: What ``check`` made of a document.
        at: A form that ``program.compile_state`` made of ``turn(16)``.
        limits: How many nodes and loop rounds to allow.
        progress: Called now and then.

    Returns:
        The DAG; ``n`` nodes and ``m`` edges take O(n + m) time and memory.

    Raises:
        SpecError: For odds, states or cycles that make no sense, and where a limit stops it.
    """
    with collector_paused(), room_to_recurse():
        return _Unfolder(program, limits or Limits(), progress).run(at or program.root)


class _Unfolder:
    """The nodes found so far, in the order of discovery, and those still to be expanded."""

    def __init__(self, program: Program, limits: Limits, progress: Progress | None) -> None:
        self.program = program
        self.limits = limits
        self.limit = limits.exact_states
        self.progress = progress
        self.kind = bytearray()
        self.offset: list[Amount] = []
        self.divisor: list[int] = []
        self.origin: list[NodeOrigin] = []
        self.edges: list[tuple[int, ...]] = []
        self.weights: list[tuple[Amount, ...] | None] = []
        self.states: dict[tuple[object, Environment], int] = {}
        self.open: deque[tuple[int, Terms | None]] = deque()
        self.problems: dict[tuple[Fault, int], Diagnostic] = {}

    def run(self, root: Form) -> Dag:
        self.program.names.meter.left = self.limits.work
        self.start(root)
        at, cycle_check = 0, FIRST_CYCLE_CHECK
        while at < len(self.open):
            self.step(*self.open[at])
            at += 1
            if not at & 0xFF and self.progress is not None:
                self.progress(Step(False, len(self.kind), len(self.open) - at))
            if len(self.kind) >= cycle_check:
                cycle = find_cycle(self.edges)
                if cycle:
                    raise self.cycle_error(cycle)
                cycle_check *= 4  # so that all the looking costs a third of one look at the end
        if self.problems:
            raise SpecError(self.problems.values())
        self.program.names.meter.left = UNMETERED  # labels are made again: within the same work
        return self.finish()

    def start(self, root: Form, env: Environment = (), owner: State | None = None) -> None:
        try:
            self.resolve(root, env, owner)
        except (EvaluationError, OverflowError) as failure:
            error = failure if isinstance(failure, EvaluationError) else beyond_floats()
            self.problem(error, root.place())
            raise SpecError(self.problems.values()) from None

    def look_at(self, form: Form, env: Environment, owner: State | None) -> None:
        """Expand one node and no further."""
        self.start(form, env, owner)
        if self.open:
            self.step(*self.open[0])
        if self.problems:
            raise SpecError(self.problems.values())

    def step(self, node: int, terms: Terms | None) -> None:
        """Find the children of one node."""
        try:
            self.expand(node) if terms is None else self.add_terms(node, terms)
        except (EvaluationError, OverflowError) as failure:
            error = failure if isinstance(failure, EvaluationError) else beyond_floats()
            error.state = error.state or self.origin[node].owner
            self.problem(error, self.origin[node].place())

    # --- making nodes ---

    def new(
        self, kind: Kind, form: Form, env: Environment, owner: State | None, offset: Amount
    ) -> int:
        if isinstance(offset, float) and not math.isfinite(offset):
            raise EvaluationError(Fault.NOT_FINITE, f"a payoff must be finite, and it is {offset}")
        node = len(self.kind)
        if node >= self.limit:
            raise SpecError(self.problems.values() or [self.too_large(form.place())])
        self.kind.append(kind)
        self.offset.append(offset)
        self.divisor.append(1)
        self.origin.append(NodeOrigin(form, env, owner))
        self.edges.append(())
        self.weights.append(None)
        return node

    def resolve(self, form: Form, env: Environment, owner: State | None) -> int:
        """The node that ``form`` comes to, made if need be; its children are found later."""
        passed: dict[tuple[object, Environment], None] = {}  # on the way: all are this node
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
                    constant, terms = sum_terms(form, env)
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
            reward: Amount = 0 if form.reward is None else form.reward.run(env)
            node = self.new(form.kind, form, env, owner, reward)
            self.open.append((node, None))
            return node
        assert isinstance(form, Payoff)
        value = form.value if form.code is None else form.code.run(env)
        return self.new(Kind.TERMINAL, form, env, owner, value)

    def new_sum(
        self, form: Sum, env: Environment, owner: State | None, constant: Amount, terms: Terms
    ) -> int:
        node = self.new(Kind.SUM if terms else Kind.TERMINAL, form, env, owner, constant)
        if terms:
            self.open.append((node, terms))
        return node

    def pass_by(
        self, key: tuple[object, Environment], passed: dict[tuple[object, Environment], None]
    ) -> int:
        """The node of a state if it is known, else -1; ``passed`` remembers the state."""
        node = self.states.get(key, -1)
        if node < 0:
            if key in passed:
                way = list(passed)
                self.stop_at_circle([*way[way.index(key) :], key])
            passed[key] = None
            if len(passed) > self.limit:
                self.stop_at_growth(list(passed))
        return node

    def arguments(self, visit: Visit, env: Environment) -> Environment:
        """The state that a call moves to, each argument within its range."""
        taken: list[Value] = []
        for code, check in zip(visit.arguments, visit.target.checks, strict=True):
            value = code.run(env)
            try:
                taken.append(check(value))
                if isinstance(value, tuple | range):
                    self.program.names.meter.spend(len(value))  # pyright: ignore[reportUnknownArgumentType]
            except EvaluationError as error:
                if error.where is None:
                    error.where = code.where
                    error.start, error.end = code.expr.start, code.expr.end
                raise
        return tuple(taken)

    # --- finding children ---

    def expand(self, node: int) -> None:
        origin = self.origin[node]
        choice, env = origin.form, origin.env
        assert isinstance(choice, Choice)
        found = outcomes(choice, env)
        if choice.kind is Kind.CHANCE:
            weights = [outcome.weight for outcome in found]
            self.weights[node] = tuple(weights)
            self.divisor[node] = sum(weights)
        check_labels(choice, found)
        children: list[int] = []
        for outcome in found:
            try:
                children.append(self.resolve(outcome.form, outcome.env, origin.owner))
            except EvaluationError as error:
                self.problem(error, outcome.form.place(), outcome)
                gap = Payoff(outcome.form.place)  # so that the other branches are looked at, too
                children.append(self.new(Kind.TERMINAL, gap, (), origin.owner, 0))
        self.edges[node] = tuple(children)

    def add_terms(self, node: int, terms: Terms) -> None:
        self.weights[node] = tuple([factor for factor, _, _ in terms])
        owner = self.origin[node].owner
        self.edges[node] = tuple([self.resolve(form, env, owner) for _, form, env in terms])

    # --- finishing ---

    def finish(self) -> Dag:
        order = in_topological_order(self.edges)
        if order is None:
            raise self.cycle_error(find_cycle(self.edges))
        number = array("i", bytes(4 * len(order)))
        for new, old in enumerate(order):
            number[old] = new
        first, child = array("q", [0]), array("i")
        weight: list[Amount] = []
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
        self.limit = min(self.limit, len(self.kind) + AFTER_PROBLEM)
        if error.code is Fault.WORK_LIMIT or len(self.problems) >= MAX_PROBLEMS:
            raise SpecError(self.problems.values())

    def cycle_error(self, cycle: list[int]) -> SpecError:
        return SpecError([cycle_found(cycle, self.edges, self.origin)])

    def too_large(self, place: Place) -> Diagnostic:
        """The report of a game beyond the limit: of nodes, or of the memory that they take."""
        limits = self.limits
        if self.limit != limits.exact_room or limits.exact_room == limits.states:
            return too_many_states(self.origin, self.limit, place)
        edges = sum(map(len, self.edges))
        instead = "leave --exact out: machine code takes a thirtieth of it"
        return too_much_memory(
            len(self.kind), edges, len(self.kind) * EXACT_NODE, limits.bytes, place, instead
        )

    def stop_at_growth(self, keys: list[tuple[object, Environment]]) -> NoReturn:
        """A state that is another state, and so on without end."""
        states = [(key, env) for key, env in keys if isinstance(key, NamedNode)]
        place = states[0][0].place
        way = NodeOrigin(Payoff(place), (), None, states)
        limit = too_many_states([way], self.limit, place())
        raise SpecError(self.problems.values() or [limit])

    def stop_at_circle(self, keys: list[tuple[object, Environment]]) -> NoReturn:
        titles = [state_title(key, env) for key, env in keys if isinstance(key, NamedNode)]
        first = next(key for key, _ in keys if isinstance(key, NamedNode))
        raise SpecError([round_in_circles(first.place(), titles)])


def settle(form: Form, env: Environment) -> tuple[Form, Environment]:
    """Follow ``if`` and ``let`` to what is written there."""
    while isinstance(form, Choose | Bind) and not form.shared:
        if isinstance(form, Choose):
            form = form.yes if form.condition.run(env) else form.no
        else:
            form, env = form.body, (*env, checked(form.value.run(env)))
    return form, env


def sum_terms(form: Sum, env: Environment) -> tuple[Amount, Terms]:
    """A sum's constant and terms; written payoffs go into the constant."""
    constant: Amount = 0 if form.constant is None else form.constant.run(env)
    terms: Terms = []
    for factor_code, term in form.terms:
        factor: Amount = 1 if factor_code is None else factor_code.run(env)
        inner, inner_env = settle(term, env)
        if not factor:
            continue
        if isinstance(inner, Payoff) and not inner.shared:
            value = inner.value if inner.code is None else inner.code.run(inner_env)
            constant += factor * value
        elif isinstance(inner, Sum) and not inner.shared:
            more, nested = sum_terms(inner, inner_env)
            constant += factor * more
            terms.extend((factor * f, t, e) for f, t, e in nested)
        else:
            terms.append((factor, inner, inner_env))
    return constant, terms


def examine(
    program: Program, form: Form, env: Environment, owner: State | None, limits: Limits
) -> None:
    """Look at one state and its children, as ``unfold`` does at every state.

    Raises:
        SpecError: If something is wrong there.
    """
    program.names.meter.left = limits.work
    with room_to_recurse():
        _Unfolder(program, limits, None).look_at(form, env, owner)
