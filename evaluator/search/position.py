"""A place in a game as a search sees it: its kind, its children when they are asked for.

Two kinds of game give positions: a tree that is there already (a ``Dag``), and a program whose
states are expanded as they are visited. Numbers are exact: ``int`` where they are whole, else
``Fraction``; a payoff that the game computes as a float is taken for the number that it is.

Errors  ``SpecError`` where a state makes no sense, worded as ``compiler.unfold`` words it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import NamedTuple, NoReturn

from ...compiler.dag import Amount, Dag, Kind
from ...compiler.endless import round_in_circles
from ...compiler.limits import Limits
from ...compiler.origin import NodeOrigin, State, state_title
from ...compiler.outcomes import outcomes
from ...compiler.program import Bind, Choice, Choose, Form, NamedNode, Payoff, Program, Sum, Visit
from ...compiler.scope import Code, Environment
from ...compiler.unfold import examine, sum_terms
from ...compiler.values import EvaluationError, beyond_floats, checked
from ...spec.diagnostics import Code as Fault
from ...spec.diagnostics import Diagnostic, SpecError

Exact = int | Fraction
PASSED = 10_000  # calls that a state may pass through before it counts as going round in circles


class Roles(NamedTuple):
    """What each kind of node is searched as, and whether its branches are then all alike."""

    kind: tuple[Kind, ...] = tuple(Kind)
    alike: tuple[bool, ...] = (False,) * len(Kind)


AS_WRITTEN = Roles()


class Moves(NamedTuple):
    """Where a position leads.

    ``weights`` are integer odds, or the exact factors of a sum; a choice has none.
    """

    children: Sequence[Position]
    weights: Sequence[Exact]
    divisor: int


class Position(ABC):
    """A place in a game.

    ``key`` is equal for positions that are one node, however they were reached, and None where
    the game does not say. ``offset`` is the payoff, reward or constant. Both, and ``kind``, are
    known once ``look`` has been called.
    """

    __slots__ = ("_moves", "counted", "key", "kind", "offset", "tag")

    kind: Kind
    offset: Exact
    key: Hashable
    tag: Hashable  # what the move to here is called among others: for the ordering of moves

    def __init__(self) -> None:
        self._moves: Moves | None = None
        self.counted = False
        self.key = self.tag = None

    @abstractmethod
    def look(self) -> None:
        """Find out what the position is, if that is not known yet."""

    @abstractmethod
    def find_moves(self) -> Moves:
        """Where it leads."""

    @abstractmethod
    def labels(self) -> list[str]:
        """The label of each move."""

    @abstractmethod
    def guess(self) -> Exact | None:
        """What the file's heuristic says it is worth; None where there is none."""

    @abstractmethod
    def first_visit(self) -> bool:
        """Whether it has not been counted before; it counts as visited from now on."""

    def moves(self) -> Moves:
        """Where it leads; kept until ``forget``."""
        if self._moves is None:
            self._moves = self.find_moves()
        return self._moves

    def forget(self) -> None:
        """Let go of the moves: they can be found again."""
        self._moves = None


def exact(number: Amount) -> Exact:
    """A number as it is kept: whole numbers as ``int``, floats as the fraction that they are."""
    if type(number) is int:
        return number
    fraction = Fraction(number)
    return fraction.numerator if fraction.denominator == 1 else fraction


# --- a tree that is there ---------------------------------------------------------------------


class Tree:
    """A DAG to search in."""

    def __init__(self, dag: Dag, roles: Roles = AS_WRITTEN) -> None:
        self.dag = dag
        self.roles = roles
        self.seen = bytearray(len(dag))

    def root(self) -> Position:
        """Where play starts."""
        return TreePosition(self, 0)

    def begin(self) -> None:
        """Count every node anew."""
        self.seen = bytearray(len(self.dag))


class TreePosition(Position):
    """A node of a DAG."""

    __slots__ = ("node", "tree")

    def __init__(self, tree: Tree, node: int) -> None:
        super().__init__()
        self.tree = tree
        self.node = self.key = node
        self.kind = tree.roles.kind[tree.dag.kind[node]]
        self.offset = exact(tree.dag.offset[node])

    def look(self) -> None:
        """See ``Position``: all is known."""

    def find_moves(self) -> Moves:
        """See ``Position``."""
        dag, node, tree = self.tree.dag, self.node, self.tree
        children = [TreePosition(tree, child) for child in dag.children(node)]
        for number, child in enumerate(children):
            child.tag = number
        edges = dag.edges(node)
        if tree.roles.alike[dag.kind[node]]:
            return Moves(children, [1] * len(children), len(children))
        if self.kind not in {Kind.CHANCE, Kind.SUM}:
            return Moves(children, (), 1)
        weights = [exact(weight) for weight in dag.weight[edges.start : edges.stop]]
        return Moves(children, weights, dag.divisor[node])

    def labels(self) -> list[str]:
        """See ``Position``."""
        return self.tree.dag.origin[self.node].labels()

    def guess(self) -> Exact | None:
        """See ``Position``: a tree written out has no heuristic."""
        return None

    def first_visit(self) -> bool:
        """See ``Position``: each node of the tree counts once."""
        first = not self.tree.seen[self.node]
        self.tree.seen[self.node] = 1
        return first


# --- a program ----------------------------------------------------------------------------------


class Rules:
    """A program whose states are expanded as they are visited."""

    def __init__(
        self, program: Program, root: Form, limits: Limits, roles: Roles = AS_WRITTEN
    ) -> None:
        self.program = program
        self.form = root
        self.limits = limits
        self.roles = roles
        self.numbers: dict[Form, int] = {}

    def root(self) -> Position:
        """Where play starts."""
        return StatePosition(self, self.form, (), None, None)

    def begin(self) -> None:
        """Count every position anew: they are made anew."""

    def number(self, form: Form) -> int:
        """A form's number: the same in every run, as its address is not."""
        return self.numbers.setdefault(form, len(self.numbers))


class StatePosition(Position):
    """A form of a program with the values of its local names, looked at when need is."""

    __slots__ = ("env", "form", "heuristic", "known", "owner", "parent", "rules")

    form: Form
    env: Environment
    owner: State | None  # the state that it is written in
    parent: StatePosition | None
    heuristic: tuple[Code, Environment] | None

    def __init__(
        self,
        rules: Rules,
        form: Form,
        env: Environment,
        owner: State | None,
        parent: StatePosition | None,
    ) -> None:
        super().__init__()
        self.rules = rules
        self.form = form
        self.env = env
        self.owner = owner
        self.parent = parent
        self.known = False
        self.heuristic = None

    def look(self) -> None:
        """See ``Position``: follow calls, ``if`` and ``let`` to the node that is meant."""
        if self.known:
            return
        written = self.form, self.env, self.owner
        self.rules.program.names.meter.left = self.rules.limits.work
        try:
            self.settle()
        except (EvaluationError, OverflowError) as failure:
            self.form, self.env, self.owner = written
            self.fail(failure)
        self.known = True

    def settle(self) -> None:
        """Find the node, its kind and its offset."""
        passed = 0
        while True:
            form, env = self.form, self.env
            if form.shared:
                self.key = (-1 - self.rules.number(form), env[: form.needs])
                env = env[: form.needs] + (None,) * (form.depth - form.needs)
            if isinstance(form, Visit):
                self.enter(form, env)
                passed += 1
                if passed > PASSED:
                    raise EvaluationError(Fault.CYCLE, "play can go round in circles")
            elif isinstance(form, Choose):
                self.form, self.env = form.yes if form.condition.run(env) else form.no, env
            elif isinstance(form, Bind):
                self.form, self.env = form.body, (*env, checked(form.value.run(env)))
            elif isinstance(form, Sum):
                constant, terms = sum_terms(form, env)
                if constant != 0 or len(terms) != 1 or terms[0][0] != 1:
                    return self.add_up(form, env, constant, terms)
                _, self.form, self.env = terms[0]
            else:
                return self.stand(form, env)

    def enter(self, visit: Visit, env: Environment) -> None:
        """Follow a call."""
        target = visit.target
        arguments = tuple(
            [
                check(code.run(env))
                for code, check in zip(visit.arguments, target.checks, strict=True)
            ]
        )
        self.owner = target, arguments
        self.key = target.index, arguments
        if self.heuristic is None and target.heuristic is not None:
            self.heuristic = target.heuristic, arguments
        assert target.body is not None
        self.form, self.env = target.body, arguments

    def add_up(
        self,
        form: Sum,
        env: Environment,
        constant: Amount,
        terms: Sequence[tuple[Amount, Form, Environment]],
    ) -> None:
        """Be a sum, or the terminal that a sum without nodes is."""
        self.form, self.env = form, env
        self.offset = exact(constant)
        self.kind = Kind.SUM if terms else Kind.TERMINAL
        children = [self.child(inner, inner_env) for _, inner, inner_env in terms]
        self._moves = Moves(children, [exact(factor) for factor, _, _ in terms], 1)

    def stand(self, form: Form, env: Environment) -> None:
        """Be a terminal or a choice."""
        self.form, self.env = form, env
        if isinstance(form, Choice):
            self.offset = 0 if form.reward is None else exact(form.reward.run(env))
            self.kind = self.rules.roles.kind[form.kind]
        else:
            assert isinstance(form, Payoff)
            self.offset = exact(form.value if form.code is None else form.code.run(env))
            self.kind = Kind.TERMINAL

    def child(self, form: Form, env: Environment) -> StatePosition:
        """A position that this one leads to."""
        return StatePosition(self.rules, form, env, self.owner, self)

    def find_moves(self) -> Moves:
        """See ``Position``."""
        form, env = self.form, self.env
        self.rules.program.names.meter.left = self.rules.limits.work
        try:
            if isinstance(form, Sum):
                _, terms = sum_terms(form, env)
                children = [self.child(inner, inner_env) for _, inner, inner_env in terms]
                return Moves(children, [exact(factor) for factor, _, _ in terms], 1)
            assert isinstance(form, Choice)
            found = outcomes(form, env)
        except (EvaluationError, OverflowError) as failure:
            self.fail(failure)
        children = [self.child(outcome.form, outcome.env) for outcome in found]
        for outcome, child in zip(found, children, strict=True):
            child.tag = self.rules.number(outcome.form), outcome.env[len(env) :]
        if self.rules.roles.alike[form.kind]:
            return Moves(children, [1] * len(found), len(found))
        if self.kind is not Kind.CHANCE:
            return Moves(children, (), 1)
        weights = [outcome.weight for outcome in found]
        return Moves(children, weights, sum(weights))

    def labels(self) -> list[str]:
        """See ``Position``."""
        return NodeOrigin(self.form, self.env, None).labels()

    def guess(self) -> Exact | None:
        """See ``Position``."""
        if self.heuristic is None:
            return None
        code, env = self.heuristic
        try:
            return exact(checked(code.run(env)))
        except (EvaluationError, OverflowError, ValueError) as failure:
            self.fail(failure)

    def first_visit(self) -> bool:
        """See ``Position``: a position that is looked at again straight away counts once."""
        first = not self.counted
        self.counted = True
        return first

    # --- what goes wrong ---

    def fail(self, failure: Exception) -> NoReturn:
        """Say what is wrong with this position, in the words of the unfolder."""
        error = failure if isinstance(failure, EvaluationError) else beyond_floats()
        limits = self.rules.limits
        for place in (self.parent, self):  # its parent says in which branch
            if place is not None:
                examine(self.rules.program, place.form, place.env, place.owner, limits)
        raise SpecError([Diagnostic(error.code, self.form.place(), error.message, help=error.help)])

    def go_round(self) -> NoReturn:
        """Say that this position leads back to itself.

        Raises:
            SpecError: GT401.
        """
        way = [self.title()]
        place = self.parent
        while place is not None:
            way.append(place.title())
            if place.key == self.key:
                break
            place = place.parent
        steps = [step for step in reversed(way) if step]
        raise SpecError([round_in_circles(self.form.place(), steps)])

    def title(self) -> str:
        """The state that the position is, such as ``turn(16)``; ``""`` for one inside a state."""
        key = self.key
        if self.owner is None or not isinstance(key, tuple):
            return ""
        node: NamedNode = self.owner[0]
        return state_title(*self.owner) if key == (node.index, self.owner[1]) else ""
