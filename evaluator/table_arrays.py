"""The rows of a table where the game is large: columns of numpy.

Labels, conditions and policies that are plain arithmetic take some nanoseconds a state; others
some ten microseconds.
"""

# pyright: basic
from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..compiler.dag import Kind
from ..compiler.program import NamedNode
from .behaviour import Rule
from .compare import Stage
from .play_arrays import PurePolicy
from .slips_arrays import argument_columns, read_labels
from .table import (
    BRANCHES,
    Column,
    StateRows,
    Taken,
    _in_order,  # pyright: ignore[reportPrivateUsage]
    _told_apart,  # pyright: ignore[reportPrivateUsage]
    choice_text,
    policy_text,
    settled_labels,
)
from .vector import Scalar, TextColumn, column

_CHOOSING = {Rule.HIGHEST, Rule.LOWEST, Rule.MISTAKE, Rule.POLICY}
CHUNK = 1 << 16  # rows of the widest intermediate arrays


class ArrayRows(StateRows):
    """The states of a named node of an ``ArrayDag``."""

    def __init__(self, stage: Stage, named: NamedNode, policy: str | None) -> None:
        super().__init__(stage, named, policy)
        self.dag: Any = stage.optimum.dag
        self.nodes: Any = np.asarray(self.nodes)
        self.local = argument_columns(named, self.arguments)  # type: ignore[arg-type]
        own = (argument.name for argument in named.arguments)
        unknown = TextColumn(np.zeros(0, np.int16), ())  # no number: states go one by one
        self.known: dict[str, Any] = dict(self.local) or dict.fromkeys(own, unknown)
        self.pairs: Any = self.optimum.pairs

    @cached_property
    def argument_columns(self) -> list[Column]:
        """One for each argument."""
        if len(self.local) != len(self.named.arguments):
            return list(super().argument_columns)
        return [Column(name, "argument", cells) for name, cells in self.local.items()]

    @cached_property
    def edges(self) -> dict[str, np.ndarray] | None:
        """By label, the edge of that branch in each row, or -1; None where they are too many."""
        first = self.dag.first[self.nodes].astype(np.int64)
        kind = self.dag.kind[self.nodes]
        branching = (kind >= Kind.MAX) & (kind <= Kind.CHANCE)
        try:
            names = self.stage.game.program.names
            labels = read_labels(self.dag, self.named, self.nodes, self.known, names)
            at = {label: where for label, where in labels.at.items() if np.any(where >= 0)}
        except Scalar:
            at = self._by_state()
        if at is None:
            return None
        return {
            label: np.where((at[label] >= 0) & branching, first + at[label], -1)
            for label in _in_order(at)
        }

    def _by_state(self) -> dict[str, np.ndarray] | None:
        at: dict[str, np.ndarray] = {}
        for row, labels in enumerate(self.labels):
            for position, label in enumerate(labels):
                if label not in at:
                    if len(at) == BRANCHES:
                        self.hidden = len({text for texts in self.labels for text in texts})
                        return None
                    at[label] = np.full(len(self.nodes), -1, np.int32)
                at[label][row] = position
        return at

    def labels_at(self, row: int) -> list[str]:
        """The labels of one state's branches."""
        node = int(self.nodes[row])
        if self.dag.kind[node] not in {Kind.MAX, Kind.MIN, Kind.CHANCE}:
            return []
        labels = settled_labels(self.named, self.arguments[row])
        if labels is None or len(labels) != len(self.dag.edges(node)):
            labels = self.dag.origin[node].labels()
        return _told_apart(labels)

    @cached_property
    def branch_columns(self) -> list[Column]:
        """One for each label, with the value of that branch."""
        made: list[Column] = []
        dag = self.dag
        own = dag.amount[dag.offset_code[self.nodes]]
        for label, edge in (self.edges or {}).items():
            child = dag.child[np.maximum(edge, 0)]
            seen = np.where(edge >= 0, self.pairs.value[child] + own, np.nan)
            made.append(Column(self.free_name(label), "branch", seen))
        return made

    def make_value(self) -> Column:
        """The value of each state."""
        return Column("value", "value", self.pairs.value[self.nodes])

    def make_choice(self) -> Column:
        """The best branches of each state, all that are tied."""
        if self.edges is None or self.stage.base or len(self.edges) > 62:
            return super().make_choice()
        bits = np.zeros(len(self.nodes), np.int64)
        for start in range(0, len(bits), CHUNK):
            bits[start : start + CHUNK] = self._best(slice(start, start + CHUNK))
        labels = list(self.edges)
        patterns, codes = np.unique(bits, return_inverse=True)
        book = tuple(self._entry(int(pattern), labels, bits) for pattern in patterns)
        return Column("choice", "choice", codes, book)

    def _entry(self, pattern: int, labels: Sequence[str], bits: np.ndarray) -> Taken:
        """The labels of a pattern, in the order in which the first such row has them."""
        chosen = [label for j, label in enumerate(labels) if pattern >> j & 1]
        if len(chosen) > 1 and self.edges is not None:
            row, edges = int(np.argmax(bits == pattern)), self.edges
            chosen.sort(key=lambda label: int(edges[label][row]))
        return tuple((label, Fraction(1)) for label in chosen)

    def _best(self, part: slice) -> np.ndarray:
        """For some rows the set of best branches: bit j is the label number j."""
        nodes = self.nodes[part]
        kind = self.dag.kind[nodes]
        up = np.zeros(len(nodes))
        for number in (Kind.MAX, Kind.MIN, Kind.CHANCE):
            play = self.stage.behaviour.of(number)
            if play.rule in _CHOOSING:
                highest = play.rule is Rule.HIGHEST
                if play.rule in {Rule.MISTAKE, Rule.POLICY}:
                    highest = play.up
                up[kind == number] = 1.0 if highest else -1.0
        edges = np.array([edge[part] for edge in (self.edges or {}).values()])
        if not edges.size:
            return np.zeros(len(nodes), np.int64)
        child = self.dag.child[np.maximum(edges, 0)]
        there = edges >= 0
        seen = np.where(there, self.pairs.value[child] * up, -np.inf)
        best = seen.argmax(axis=0)
        every = np.arange(len(nodes))
        bound = self.pairs.bound[child]
        with np.errstate(invalid="ignore"):
            near = np.abs(seen - seen[best, every]) <= bound + bound[best, every]
        chosen = near & there & (up != 0)
        return (chosen.astype(np.int64) << np.arange(len(edges))[:, None]).sum(axis=0)

    # --- the policy ---

    def make_policy(self) -> Column:
        """What the policy does in each state."""
        choices = self.followed.choices
        if not isinstance(choices, PurePolicy) or self.edges is None:
            return super().make_policy()
        taken = choices.edge[self.nodes]
        codes = np.zeros(len(self.nodes), np.int64)
        for number, edge in enumerate(self.edges.values()):
            codes[(edge == taken) & (taken >= 0)] = number + 1
        book: tuple[Taken, ...] = ((), *(((label, Fraction(1)),) for label in self.edges))
        return Column("policy", "policy", codes, book)

    def _spread(self, of_nodes: Any, missing: Any) -> np.ndarray:
        """Numbers by the policy's nodes, as a column."""
        slips = self.followed.slips
        everywhere = np.full(len(self.dag), missing)
        everywhere[np.asarray(slips.nodes, np.int64)] = of_nodes
        return everywhere[self.nodes]

    def make_differs(self) -> Column:
        """Whether the policy may take a branch that is not one of the best."""
        return Column(
            "differs", "differs", self._spread(self.followed.slips.differs, missing=False)
        )

    def make_slip(self) -> Column:
        """What the policy loses in the state itself."""
        return Column("slip", "slip", self._spread(self.followed.slips.slip, np.nan))

    def make_cost(self) -> Column:
        """What that takes from the value of the root."""
        return Column("cost", "cost", self._spread(self.followed.slips.cost, np.nan))

    def make_reach(self) -> Column:
        """The chance that play gets to each state."""
        return Column("reach", "reach", np.asarray(self.reached)[self.nodes])

    def error_bound(self) -> float:
        """How far the values shown can be off."""
        return float(self.pairs.bound[self.nodes].max()) if len(self.nodes) else 0.0

    # --- which rows ---

    def all(self) -> Any:
        """The numbers of all rows."""
        return np.arange(len(self.nodes))

    def where(self, text: str) -> Any:
        """The numbers of the rows for which a condition is true."""
        condition, columns = self.condition(text)
        names = self.stage.game.program.names
        local = {name: _as_column(made) for name, made in columns.items()} | self.known
        try:
            with np.errstate(invalid="ignore"):
                true = column(condition.expr, local, names)
        except Scalar:
            return np.array(self.tried(condition, _as_lists(columns)), np.int64)
        found = np.broadcast_to(true, (len(self.nodes),)).astype(bool)
        for cells in local.values():
            if isinstance(cells, np.ndarray) and cells.dtype.kind == "f":
                found &= ~np.isnan(cells)  # where something is missing, nothing is said
        return np.flatnonzero(found)

    def sorted(self, rows: Any, column: Column, *, down: bool) -> Any:
        """Rows in the order of a column."""
        cells = column.cells
        if isinstance(cells, list):
            return np.array(super().sorted(rows.tolist(), column, down=down), np.int64)
        if column.book:
            text = choice_text if column.role == "choice" else policy_text
            ranks = np.unique([text(entry) for entry in column.book], return_inverse=True)[1]
            cells = ranks[cells]
        keys = cells[rows]
        if keys.dtype.kind == "b":
            keys = keys.astype(np.int8)
        return rows[np.argsort(-keys if down else keys, kind="stable")]


def _as_column(made: Column) -> Any:
    if made.role not in {"choice", "policy"}:
        return np.asarray(made.cells)
    text = choice_text if made.role == "choice" else policy_text
    return TextColumn(np.asarray(made.cells), tuple(text(entry) for entry in made.book))


def _as_lists(columns: dict[str, Column]) -> dict[str, Column]:
    """The same columns with Python's own numbers, for conditions run row by row."""
    return {
        name: Column(made.name, made.role, _with_none(np.asarray(made.cells)), made.book)
        for name, made in columns.items()
    }


def _with_none(cells: np.ndarray) -> list[Any]:
    return [None if cell != cell else cell for cell in cells.tolist()]  # noqa: PLR0124 - NaN
