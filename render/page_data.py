"""What a page holds of a game: plain data for JSON, which ``page/*.js`` reads.

Input   a game, and how it is to be shown first.
Output  a dictionary; every number that a person may meet is an exact text, or a float's.
Holds   a game of up to ``MAX_NODES`` nodes and ``MAX_EDGES`` edges is there as a whole. Of a
        larger one there are the first levels, the values of the nodes at which they end, and
        the beginning of its table of states.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..compiler.dag import AnyDag, Dag, Kind
from ..compiler.limits import Limits
from ..compiler.origin import state_title
from ..compiler.values import show
from ..evaluator.behaviour import ALGORITHMS
from ..evaluator.game import Game
from ..evaluator.players import players_of
from ..evaluator.solution import Mixture, Solution
from ..spec.diagnostics import UsageError
from .drawing import draw_tree
from .numbers import exact_text, table_text
from .page_rules import rules_data
from .spanning import Spot, below, levels

if TYPE_CHECKING:
    from ..evaluator.table import Table

Json = Any

MAX_NODES, MAX_EDGES = 10_000, 30_000  # of a game that the page walks as a whole
LEVELS = 250  # drawn nodes of a larger one, at most
COUNTED = 50_000  # nodes of a game of which it is counted what its levels leave out
PLACED = 1_500  # drawn nodes that are laid out beforehand
ROWS = 200  # of a larger game's table
_AT_ONCE = 10_000  # states in which choices are looked for
LONGEST = 2_000  # bits of a denominator, where there are only the first levels
EFFORT = 5 * 10**9  # of a browser with exact numbers: bits squared, summed over the edges
_BINARY = 1 << 32
_LETTERS = {Kind.TERMINAL: "T", Kind.MAX: "X", Kind.MIN: "N", Kind.CHANCE: "C", Kind.SUM: "S"}


def page_data(
    game: Game,
    *,
    algorithm: str = "expectiminimax",
    policy: str | None = None,
    at: str | None = None,
    limits: Limits | None = None,
) -> dict[str, Json]:
    """All that the page needs to know.

    Args:
        game: The game.
        algorithm: The one that the page begins with.
        policy: The one that the table begins with; by default the file's first, or none where
            the game is too large for the page.
        at: A state to start from.
        limits: How far the game may unfold.

    Raises:
        SpecError: Where the states make no sense, or a limit stops it.
        UsageError: If a name or the state is unknown.

    Time as solving the game takes, three times where it is too large for the page.
    """
    game.behaviour(algorithm)
    at = at or game.saved_at
    if policy is not None and policy not in game.policies:
        game.solution(policy=policy, at=at, limits=limits)  # says which there are
    solution = game.solution(at=at, limits=limits)
    dag = solution.dag
    is_whole = isinstance(dag, Dag) and len(dag) <= MAX_NODES and len(dag.child) <= MAX_EDGES
    size = dag.size()
    content: dict[str, Json] = {
        "name": game.name,
        "description": _description(game),
        "algorithm": algorithm,
        "players": players_of(game.document),
        "policy": policy or next(iter(game.policies), None),
        "at": at or "",
        "size": {"nodes": size.nodes, "edges": size.edges, "terminals": size.terminals},
        "isCut": not is_whole,
    }
    if isinstance(dag, Dag) and is_whole:
        content |= _whole(game, solution, dag, limits)
    else:
        content |= _first_levels(game, solution, at, limits)
        content |= {"policy": policy, "table": _first_rows(game, policy, at, limits)}
    return content | {"arguments": _argument_names(game)} | _parameters(game, at)


def _argument_names(game: Game) -> dict[str, list[str]]:
    """The names of the arguments of each named node."""
    if game.tree is not None:
        return {}
    nodes = game.program.nodes.values()
    return {node.name: [argument.name for argument in node.arguments] for node in nodes}


def _description(game: Game) -> str:
    description = game.document.data.get("description", "")
    return description if isinstance(description, str) else ""


# --- graphs ----------------------------------------------------------------------------------


class _Texts:
    """Texts, each kept once: what repeats them has numbers."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}

    def of(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


class _Graph:
    """Nodes written out one after the other.

    ``numbers`` says how an amount is written. Lists are by node; ``weights`` of a chance node are
    whole numbers, or None where all are alike, of a sum texts; the dictionaries have only nodes
    for which there is something to say.
    """

    def __init__(self, dag: AnyDag, *, exact: bool) -> None:
        self.dag = dag
        self.exact = exact
        self.texts = _Texts()
        self.kinds: list[str] = []
        self.children: list[Json] = []
        self.labels: list[list[int]] = []
        self.weights: dict[int, Json] = {}
        self.offset: dict[int, str] = {}
        self.title: dict[int, str] = {}
        self.note: dict[int, str] = {}
        self.states: dict[int, Json] = {}
        self.known: dict[int, list[str]] = {}
        self.hidden: dict[int, int] = {}

    def amount(self, amount: Any) -> str:
        """An exact amount as it is, or as a float."""
        return exact_text(amount if self.exact else float(amount))

    def add(self, node: int, children: Sequence[int]) -> None:
        """One more node; ``children`` are numbers in this graph."""
        dag, here = self.dag, len(self.kinds)
        kind, origin = Kind(dag.kind[node]), dag.origin[node]
        self.kinds.append(_LETTERS[kind])
        self.children.append(list(children))
        self.labels.append([self.texts.of(label) for label in origin.labels() if children])
        if dag.offset[node] or kind is Kind.TERMINAL:
            self.offset[here] = self.amount(dag.offset[node])
        if children and (weights := self._weights(kind, node)):
            self.weights[here] = weights
        states = origin.states
        title = origin.title()
        if title and not (states and title == _state_title(*states[0])):
            self.title[here] = title
        if note := origin.note():
            self.note[here] = note
        if states:
            self.states[here] = [
                [self.texts.of(named.name), *map(_plain, arguments)] for named, arguments in states
            ]

    def _weights(self, kind: Kind, node: int) -> Json:
        weights = [self.dag.weight[edge] for edge in self.dag.edges(node)]
        if kind is Kind.SUM:
            return [self.amount(weight) for weight in weights]
        if kind is not Kind.CHANCE or len(set(weights)) == 1:
            return None
        if self.exact and max(weights) < 1 << 53:
            return weights
        return [self._odds(self.dag.probability(node, edge)) for edge in self.dag.edges(node)]

    def _odds(self, p: Fraction) -> str:
        """A probability: in floats as well a fraction, unless it is one that a float made."""
        return exact_text(p) if self.exact or p.denominator < _BINARY else self.amount(p)

    def data(self) -> dict[str, Json]:
        """The graph for JSON."""
        return {
            "texts": list(self.texts.numbers),
            "kinds": "".join(self.kinds),
            "children": self.children,
            "labels": self.labels,
            "weights": self.weights,
            "offset": self.offset,
            "title": self.title,
            "note": self.note,
            "states": self.states,
            "known": self.known,
            "hidden": self.hidden,
        }


def _state_title(named: Any, arguments: tuple[Any, ...]) -> str:
    return state_title(named, arguments)


def _plain(value: Any) -> Json:
    """An argument of a state: numbers are texts."""
    if isinstance(value, tuple | range):
        return [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value if isinstance(value, bool) else exact_text(value)


def _whole(game: Game, solution: Solution, dag: Dag, limits: Limits | None) -> dict[str, Json]:
    """The game as a whole, where its nodes are drawn, and what its policies choose."""
    exact = solution.numbers == "exact" and not _is_long(solution)
    graph = _Graph(dag, exact=exact)
    for node in range(len(dag)):
        graph.add(node, list(dag.children(node)))
    across: list[float] = []
    if len(dag.child) < PLACED:
        drawing = draw_tree(dag, solution, most=PLACED)
        across = [] if drawing.cut else [round(node.x, 1) for node in drawing.nodes]
    return {
        "exact": exact,
        "value": graph.amount(solution.value(0)),
        "graph": graph.data(),
        "across": across,
        "choices": {name: _choices(game, dag, name, limits) for name in game.policies},
    }


def _is_long(solution: Solution) -> bool:
    """Whether exact values have more digits than a browser should compute with."""
    dag, effort = solution.dag, 0
    for node in range(len(dag)):
        bits = int(solution.pairs[node][1]).bit_length()
        effort += len(dag.edges(node)) * bits * bits
        if effort > EFFORT:
            return True
    return False


def _choices(game: Game, dag: Dag, policy: str, limits: Limits | None) -> Json:
    """What a policy takes: node, then positions of branches with their probabilities."""
    from ..evaluator.compare import choices_of

    def pairs(node: int, mixture: Mixture) -> list[Json]:
        return [[int(edge) - dag.first[node], exact_text(p)] for edge, p in mixture]

    chosen = choices_of(game, dag, game.policies[policy], limits)
    return [[int(node), pairs(int(node), mixture)] for node, mixture in chosen.items()]


def _first_levels(
    game: Game, solution: Solution, at: str | None, limits: Limits | None
) -> dict[str, Json]:
    """The first levels of a large game, with the values of the nodes at which they end."""
    dag = solution.dag
    spots = levels(dag, None, LEVELS)
    children: dict[int, list[int]] = {}  # position of a spot -> of those below it
    for number, spot in enumerate(spots[1:], 1):
        children.setdefault(spot.parent, []).append(number)
    kept = [number for number, spot in enumerate(spots) if not _is_stub(dag, spot)]
    place = {number: at for at, number in enumerate(kept)}
    counts = below(dag, {spot.node for spot in spots}) if len(dag) <= COUNTED else {}
    sizes = [int(solution.pairs[spots[number].node][1]).bit_length() for number in kept]
    exact = solution.numbers == "exact" and max(sizes) < LONGEST
    graph = _Graph(dag, exact=exact)
    solved = [game.solution(algorithm=name, at=at, limits=limits) for name in ALGORITHMS]
    for at_spot in kept:
        node, under = spots[at_spot].node, children.get(at_spot, [])
        graph.add(node, [place.get(n, place.get(spots[n].stub_of, 0)) for n in under])
        if not under and dag.kind[node] != Kind.TERMINAL:
            graph.hidden[place[at_spot]] = counts.get(node, 0)
            graph.known[place[at_spot]] = [graph.amount(each.value(node)) for each in solved]
    return {
        "exact": exact,
        "value": graph.amount(solution.value(0)),
        "graph": graph.data(),
        "across": [],
        "choices": {},
        "algorithms": list(ALGORITHMS),
    }


def _is_stub(dag: AnyDag, spot: Spot) -> bool:
    """Whether another spot has its branches; a payoff is just drawn again."""
    return spot.stub_of >= 0 and dag.kind[spot.node] != Kind.TERMINAL


# --- the table of a large game ---------------------------------------------------------------


def _first_rows(game: Game, policy: str | None, at: str | None, limits: Limits | None) -> Json:
    """The first states of a large game as texts; None where there is no such table.

    Where they do not all have room, those in which somebody chooses.
    """
    from ..evaluator.compare import Stage
    from ..evaluator.table import Column, choice_text, policy_text
    from ..evaluator.table import table as table_of

    def cells(column: Column) -> Iterable[str]:
        found = table.chunk(column, 0, len(table))
        if column.role in {"choice", "policy"}:
            text = choice_text if column.role == "choice" else policy_text
            return [text(column.book[int(cell)]) for cell in found]
        if column.role == "argument":
            return map(show, found)
        return ["" if cell is None else table_text(cell) for cell in found]

    try:
        stage = Stage.of(game, at=at, limits=limits)
        table = table_of(stage, policy=policy)
    except UsageError:
        return None
    choosing = _choosing(table) if len(table) > ROWS else []
    table = replace(table, rows=choosing or table.rows[:ROWS])
    shown = [column for column in table.columns if column.role in _SHOWN]
    marks = [] if table.differs is None else table.chunk(table.differs, 0, len(table))
    return {
        "node": table.node,
        "head": [[column.name, column.role] for column in shown],
        "rows": [list(row) for row in zip(*map(cells, shown), strict=True)],
        "differs": [position for position, mark in enumerate(marks) if mark],
        "left": table.reachable - len(table),
        "isChosen": bool(choosing),
    }


def _choosing(table: Table) -> list[int]:
    """The first rows in which somebody chooses, at most ``ROWS``; none where nobody does."""
    choice = next(column for column in table.columns if column.role == "choice")
    is_choice = [bool(labels) for labels in choice.book]
    found: list[int] = []
    for start in range(0, len(table), _AT_ONCE):
        codes = table.chunk(choice, start, start + _AT_ONCE)
        found += [start + i for i, code in enumerate(codes) if is_choice[int(code)]]
        if len(found) >= ROWS:
            break
    return found[:ROWS]


_SHOWN = frozenset({"argument", "branch", "value", "choice", "policy"})


# --- parameters ------------------------------------------------------------------------------


def _parameters(game: Game, at: str | None) -> dict[str, Json]:
    """The parameters with their values, and the rules that say what they change."""
    if game.tree is not None or not game.program.parameters:
        return {"parameters": [], "rules": None}
    program = game.program
    rules = rules_data(program, None if at is None else game.state(at))
    return {
        "parameters": [
            {"name": name, "value": _setting(value), "isSet": name in game.settings}
            for name, value in program.parameters.items()
        ],
        "rules": rules,
    }


def _setting(value: Any) -> Json:
    """A parameter's value: true, false, the text of a number, a list; None for what is else."""
    if isinstance(value, tuple | range):
        return [_setting(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, bool | int | Fraction | float):
        return _plain(value)
    return None
