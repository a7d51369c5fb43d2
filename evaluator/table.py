"""A strategy as a table: one row for each state of a named node that play can reach.

Input   a ``Stage`` (a game, solved), the named node, and what to show.
Output  a ``Table`` of columns: lists where the game is small, numpy arrays where it is large.
Holds   a branch's value is what choosing it gives, the node's own reward included, so that the
        best branch has the value of the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from ..compiler.dag import Dag, Kind
from ..compiler.expressions import compile_expression
from ..compiler.origin import NodeOrigin, state_title
from ..compiler.program import Choice, NamedNode
from ..compiler.scope import Code, Scope, Where, declared_type
from ..compiler.unfold import settle
from ..compiler.values import EvaluationError, show
from ..spec.diagnostics import UsageError
from ..spec.expressions import Name
from ..spec.parser import ParseError, parse_expression
from ..spec.suggest import did_you_mean
from .compare import Followed, Stage
from .shown import Shown
from .solution import Numbers

Role = Literal[
    "argument", "branch", "value", "choice", "policy", "differs", "slip", "reach", "cost"
]
Taken = tuple[tuple[str, Fraction], ...]  # labels, with the odds of taking them

BRANCHES = 64  # columns of branches at most
NUMBERS = frozenset({"branch", "value", "slip", "reach", "cost"})
_TYPES = {"choice": "text", "policy": "text", "differs": "truth"}
_UNMETERED = 1 << 60


@dataclass(frozen=True, slots=True)
class Column:
    """A column: a list, or a numpy array in a large game.

    What is missing is None in a list and NaN in an array. The cells of ``choice`` and ``policy``
    are positions in ``book``, where the tied labels are (``choice``), or labels with the odds of
    taking them.
    """

    name: str
    role: Role
    cells: Any
    book: tuple[Taken, ...] = ()


@dataclass(frozen=True, slots=True)
class Table(Shown):
    """Some columns, and the numbers of the ``rows`` to show, in order.

    ``reachable`` states there are, ``matching`` of them are asked for. ``differs`` is the column
    by which rows are marked, where a policy is asked about. ``hidden_branches`` is how many
    different labels there are where they are too many for columns.
    """

    game: str
    node: str
    algorithm: str
    numbers: Numbers
    error_bound: float
    policy: str | None
    columns: tuple[Column, ...]
    differs: Column | None
    rows: Any
    reachable: int
    matching: int
    hidden_branches: int

    def __len__(self) -> int:
        """The number of rows to show."""
        return len(self.rows)

    def chunk(self, column: Column, start: int, end: int) -> list[Any]:
        """The cells of some rows, as Python values; None where there is none."""
        return _taken(column.cells, self.rows[start:end])


def _taken(cells: Any, rows: Any) -> list[Any]:
    if isinstance(cells, list):
        return [cells[row] for row in rows]
    found: list[Any] = cells[rows].tolist()
    if cells.dtype.kind != "f":
        return found
    return [None if cell != cell else cell for cell in found]  # noqa: PLR0124 - not a number


def choice_text(taken: Taken) -> str:
    """Tied labels: ``hit or stand``."""
    return " or ".join(label for label, _ in taken)


def policy_text(taken: Taken) -> str:
    """What a policy does: ``hit``, or ``hit 1/2, stand 1/2``."""
    if len(taken) == 1:
        return taken[0][0]
    return ", ".join(f"{label} {show(odds)}" for label, odds in taken)


def table(
    stage: Stage,
    node: str | None = None,
    *,
    policy: str | None = None,
    where: str | None = None,
    columns: Sequence[str] | None = None,
    sort: Sequence[str] = (),
    limit: int | None = None,
) -> Table:
    """The states of a named node.

    Args:
        stage: The game, solved.
        node: Its name; by default the root's, or else the only one that chooses.
        policy: A policy to hold against it: ``policy``, ``slip``, ``reach`` and ``cost`` are
            what it chooses, what that loses in the state, the chance of getting there, and what
            it takes from the root's value.
        where: An expression over the node's arguments and the columns but for the branches:
            only the states where it is true are shown.
        columns: The names of those to show, in order.
        sort: The names of columns to sort by, the first one first; ``-value`` turns it round.
        limit: The most rows to show.

    Raises:
        SpecError: Where the policy names a branch that is not there.
        UsageError: If a name is unknown, or ``where`` is no condition.

    Time O(n + m) of the whole game, and some microseconds a state in games solved in exact
    numbers; in large ones only where a policy, a condition or labels take more than arithmetic.
    """
    named = _node(stage, node)
    source = _rows(stage, named, policy)
    every = source.columns()
    found = source.all() if where is None else source.where(where)
    matching = len(found)
    for key in reversed(sort):
        name = key.removeprefix("-")
        found = source.sorted(found, source.column(name), down=key.startswith("-"))
    shown = tuple(every if columns is None else (source.column(name) for name in columns))
    optimum = stage.optimum
    return Table(
        game=stage.game.name,
        node=named.name,
        algorithm=optimum.algorithm,
        numbers=optimum.numbers,
        error_bound=source.error_bound(),
        policy=policy,
        columns=shown,
        differs=None if policy is None else source.column("differs"),
        rows=found if limit is None else found[:limit],
        reachable=len(source.nodes),
        matching=matching,
        hidden_branches=source.hidden,
    )


# --- which node ------------------------------------------------------------------------------


def _node(stage: Stage, name: str | None) -> NamedNode:
    """The named node to show."""
    nodes = {} if stage.game.tree is not None else stage.game.program.nodes
    if name is not None and name not in nodes:
        known = f"the named nodes are {', '.join(nodes)}" if nodes else "it has none"
        hint = did_you_mean(name, nodes) or known
        raise UsageError(f"this game has no named node `{name}`; {hint}")
    if name is not None:
        return nodes[name]
    if not nodes:
        raise UsageError(
            "this game has no named nodes, so no table of states; "
            "`gametree eval --strategy` lists what to choose"
        )
    origin = stage.optimum.dag.origin[0]
    at_root = [state for state, _ in origin.states] if isinstance(origin, NodeOrigin) else []
    choosing = [node for node in nodes.values() if _chooses(stage, node)]
    for node in at_root:
        if node in choosing or not choosing:
            return node
    if len(choosing) == 1:
        return choosing[0]
    listed = [node.name for node in choosing] or list(nodes)
    raise UsageError(f"say which named node: {', '.join(listed)}")


def _chooses(stage: Stage, named: NamedNode) -> bool:
    nodes, _ = stage.optimum.dag.states_of(named)
    kind = stage.optimum.dag.kind
    return any(kind[node] in {Kind.MAX, Kind.MIN} for node in nodes)


# --- the rows --------------------------------------------------------------------------------


def _rows(stage: Stage, named: NamedNode, policy: str | None) -> StateRows:
    if isinstance(stage.optimum.dag, Dag):
        return StateRows(stage, named, policy)
    from .table_arrays import ArrayRows

    return ArrayRows(stage, named, policy)


class StateRows:
    """The states of a named node, and their columns as they are asked for: lists."""

    def __init__(self, stage: Stage, named: NamedNode, policy: str | None) -> None:
        self.stage = stage
        self.named = named
        self.policy = policy
        self.optimum = stage.optimum
        self.dag = stage.optimum.dag
        self.nodes, self.arguments = self.dag.states_of(named)
        self.hidden = 0
        self._made: dict[str, Column] = {}

    @cached_property
    def followed(self) -> Followed:
        """Play in which the policy is followed."""
        if self.policy is None:
            raise UsageError("without --policy there is no policy to compare with")
        return self.stage.follow(self.policy)

    # --- columns ---

    def columns(self) -> list[Column]:
        """The columns shown where none are named."""
        told = () if self.policy is None else ("policy", "differs", "slip", "reach", "cost")
        names = ("value", "choice", *told)
        return [*self.argument_columns, *self.branch_columns, *map(self.column, names)]

    def column(self, name: str) -> Column:
        """The column of that name.

        Raises:
            UsageError: If there is none.
        """
        for column in (*self.argument_columns, *self.branch_columns):
            if column.name == name:
                return column
        if name not in self._made:
            make = getattr(self, f"make_{name}", None)
            if make is None:
                raise UsageError(self._unknown(name))
            self._made[name] = make()
        return self._made[name]

    def _unknown(self, name: str) -> str:
        told = ["value", "choice", "reach", "policy", "differs", "slip", "cost"]
        known = [*(c.name for c in (*self.argument_columns, *self.branch_columns)), *told]
        hint = did_you_mean(name, known) or f"the columns are {', '.join(known)}"
        return f"there is no column `{name}`; {hint}"

    @cached_property
    def argument_columns(self) -> list[Column]:
        """One for each argument."""
        made: list[Column] = []
        for i, argument in enumerate(self.named.arguments):
            made.append(Column(argument.name, "argument", [row[i] for row in self.arguments]))
        return made

    @cached_property
    def branch_columns(self) -> list[Column]:
        """One for each label, with the value of that branch; none where they are too many."""
        labels = _in_order(dict.fromkeys(label for row in self.labels for label in row))
        if len(labels) > BRANCHES:
            self.hidden = len(labels)
            return []
        cells: dict[str, list[Any]] = {label: [None] * len(self.nodes) for label in labels}
        for i, (node, row) in enumerate(zip(self.nodes, self.labels, strict=True)):
            for label, child in zip(row, self.dag.children(int(node)) if row else (), strict=True):
                cells[label][i] = self._seen(int(node), child)
        return [Column(self.free_name(label), "branch", cells[label]) for label in labels]

    def free_name(self, label: str) -> str:
        """The name of a branch's column, apart from those of other columns."""
        taken = {argument.name for argument in self.named.arguments}
        taken |= {"value", "choice", "policy", "differs", "slip", "reach", "cost"}
        return f"{label} (branch)" if label in taken else label

    def _seen(self, node: int, child: int) -> Any:
        value: Any = self.optimum.value(child)
        offset = self.dag.offset[node]
        return value + offset if offset else value

    @cached_property
    def labels(self) -> list[list[str]]:
        """The labels of each state's branches, told apart; none where play does not branch."""
        return [self.labels_at(i) for i in range(len(self.nodes))]

    def labels_at(self, row: int) -> list[str]:
        """The labels of one state's branches."""
        node = int(self.nodes[row])
        if self.dag.kind[node] not in {Kind.MAX, Kind.MIN, Kind.CHANCE}:
            return []
        return _told_apart(self.dag.origin[node].labels())

    def make_value(self) -> Column:
        """The value of each state."""
        return Column("value", "value", [self.optimum.value(int(n)) for n in self.nodes])

    def make_choice(self) -> Column:
        """The best branches of each state, all tied ones."""
        book = _Book()
        cells: list[int] = []
        for row, node in enumerate(self.nodes):
            chosen, first = self.optimum.chosen[int(node)], int(self.dag.first[int(node)])
            labels = self.labels[row] if chosen else []
            cells.append(book.code(tuple((labels[edge - first], Fraction(1)) for edge in chosen)))
        return Column("choice", "choice", cells, book.entries())

    def make_policy(self) -> Column:
        """What the policy does in each state; nothing where it is silent."""
        book = _Book()
        cells: list[int] = []
        for row, number in enumerate(self.nodes):
            node = int(number)
            mixture, first = self.followed.choices.get(node, ()), int(self.dag.first[node])
            labels = self.labels[row] if mixture else []
            cells.append(book.code(tuple((labels[edge - first], odds) for edge, odds in mixture)))
        return Column("policy", "policy", cells, book.entries())

    def make_differs(self) -> Column:
        """Whether the policy may take a branch that is not one of the best."""
        slips = self.followed.slips
        differs = dict(zip(slips.nodes, slips.differs, strict=True))
        return Column("differs", "differs", [differs.get(int(n), False) for n in self.nodes])

    def make_slip(self) -> Column:
        """What the policy loses in the state itself."""
        slips = self.followed.slips
        slip = dict(zip(slips.nodes, slips.slip, strict=True))
        return Column("slip", "slip", [slip.get(int(n)) for n in self.nodes])

    def make_cost(self) -> Column:
        """What that takes from the value of the root."""
        slips = self.followed.slips
        cost = dict(zip(slips.nodes, slips.cost, strict=True))
        return Column("cost", "cost", [cost.get(int(n)) for n in self.nodes])

    def make_reach(self) -> Column:
        """The chance that play gets to each state."""
        odds = self.reached
        return Column("reach", "reach", [odds[int(node)] for node in self.nodes])

    @cached_property
    def reached(self) -> Any:
        """For each node the chance that play gets there, the policy followed."""
        return (self.stage.reach() if self.policy is None else self.followed.reach).odds

    def error_bound(self) -> float:
        """How far the values shown can be off."""
        return max((self.optimum.error_bound(int(n)) for n in self.nodes), default=0.0)

    # --- which rows ---

    def all(self) -> Any:
        """The numbers of all rows."""
        return range(len(self.nodes))

    def where(self, text: str) -> Any:
        """The numbers of the rows for which a condition is true."""
        condition, columns = self.condition(text)
        return self.tried(condition, columns)

    def tried(self, condition: Code, columns: Mapping[str, Column]) -> list[int]:
        """Try ``condition`` row by row."""
        meter = self.stage.game.program.names.meter
        meter.left, unmetered = _UNMETERED, meter.left
        row = 0
        extras = [_plain_cells(column) for column in columns.values()]
        found: list[int] = []
        try:
            for row in range(len(self.nodes)):
                told = [cells[row] for cells in extras]
                if None not in told and condition.run((*told, *self.arguments[row])):
                    found.append(row)
        except EvaluationError as error:
            title = state_title(self.named, self.arguments[row])
            raise UsageError(f"`--where` has no value in {title}: {error.message}") from None
        finally:
            meter.left = unmetered
        return found

    def condition(self, text: str) -> tuple[Code, dict[str, Column]]:
        """``text`` compiled; its environment is the columns it names and then the arguments."""
        names = self.stage.game.program.names
        try:
            expr = parse_expression(text)
        except ParseError as error:
            raise UsageError(f"`{text}` is not a condition: {error.message}", error.help) from None
        used = {part.name for part in expr.walk() if isinstance(part, Name)}
        own = {argument.name for argument in self.named.arguments}
        told = ["value", "choice", "reach"]
        told += ["policy", "differs", "slip", "cost"] if self.policy is not None else []
        taken = {*own, *names.constants, *names.definitions, *names.nodes}
        columns = {name: self.column(name) for name in told if name in used and name not in taken}
        kinds = tuple(_TYPES.get(name, "number") for name in columns)
        kinds += tuple(declared_type(argument.kind) for argument in self.named.arguments)
        scope = Scope((*columns, *(argument.name for argument in self.named.arguments)), kinds)
        problems: list[str] = []

        def collect(_code: object, _place: object, message: str, hint: str | None) -> None:
            problems.append(message if hint is None else f"{message}; {hint}")

        report, names.report = names.report, collect
        document = self.stage.game.document
        here = Where(document, document.data, "root", in_key=True)
        try:
            condition = compile_expression(expr, scope, names, here, "truth")
        finally:
            names.report = report
        if problems:
            raise UsageError(f"`{text}` is not a condition: {problems[0]}")
        return condition, columns

    def sorted(self, rows: Any, column: Column, *, down: bool) -> Any:
        """Rows in the order of a column; equal ones stay, what is missing comes last."""
        cells = _plain_cells(column)
        with_cell = [row for row in rows if cells[row] is not None]
        without = [row for row in rows if cells[row] is None]
        return [*sorted(with_cell, key=cells.__getitem__, reverse=down), *without]


class _Book:
    """Gives each different entry a number."""

    def __init__(self) -> None:
        self._codes: dict[Taken, int] = {}

    def code(self, entry: Taken) -> int:
        """The number of an entry."""
        return self._codes.setdefault(entry, len(self._codes))

    def entries(self) -> tuple[Taken, ...]:
        """All entries, by number."""
        return tuple(self._codes)


def _plain_cells(column: Column) -> Any:
    """The cells of a column, texts as they are shown."""
    if column.role in {"choice", "policy"}:
        text = choice_text if column.role == "choice" else policy_text
        book = [text(entry) for entry in column.book]
        return [book[int(code)] for code in column.cells]
    return column.cells


def _told_apart(labels: list[str]) -> list[str]:
    """Labels of which no two are the same: outcomes of chance may share one."""
    if len(set(labels)) == len(labels):
        return labels
    return list(_numbered(labels))


def _numbered(labels: list[str]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        yield label if seen[label] == 1 else f"{label} ({seen[label]})"


def _in_order(labels: Mapping[str, object]) -> list[str]:
    """Labels as they come up; by size where all are whole numbers."""
    found = list(labels)
    if all(label.isdecimal() and label.isascii() and len(label) < 20 for label in found):
        found.sort(key=int)
    return found


def settled_labels(named: NamedNode, arguments: tuple[Any, ...]) -> list[str] | None:
    """The labels of a state's branches, where the state's own body is the choice."""
    from ..compiler.outcomes import outcomes

    if named.body is None:
        return None
    form, env = settle(named.body, arguments)
    if not isinstance(form, Choice):
        return None
    return [outcome.label() for outcome in outcomes(form, env)]
