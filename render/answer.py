"""An answer and a strategy: text for a terminal, plain data for ``json.dumps``.

Holds   in exact numbers the JSON text of a value has every digit; the text for people cuts
        long ones and says how long they are. ``value_float`` and ``error_bound`` are null
        where the number is beyond a float's range: JSON has no infinity.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ..compiler.dag import AnyDag, Kind
from ..evaluator.solution import Answer, Branch, Solution, Value
from .numbers import as_float, decimal_text, exact_text, odds_text, table_text, value_text
from .paint import Paint
from .width import pad, safe, short_label, width

if TYPE_CHECKING:
    from ..evaluator.against import Against

_BRANCHES = 30  # rows of the table; the best ones are shown wherever they stand
_LINE = 20  # moves of the line
_PATH = 20  # labels of the way to a node without a title
_DIFFERING = 10  # states where a policy chooses differently


class StrategyRow(NamedTuple):
    """What to do at one choice node: ``labels`` are the tied ones, of which the first is taken.

    ``title`` is the node's own or, where it has none, the way to it: ``survey → favourable``.
    """

    title: str
    kind: Kind
    labels: tuple[str, ...]
    value: Value


def strategy_rows(solution: Solution) -> Iterator[StrategyRow]:
    """A row for each choice node that chooses, the root first."""
    dag = solution.dag
    parents = _first_parents(dag)
    for node, edges in enumerate(solution.chosen):
        if edges:
            labels, first = dag.origin[node].labels(), dag.first[node]
            chosen = tuple(labels[edge - first] for edge in edges)
            title = _title(dag, node, parents)
            yield StrategyRow(title, Kind(dag.kind[node]), chosen, solution.value(node))


def _first_parents(dag: AnyDag) -> array[int]:
    """For each node but the root, the first node with an edge to it."""
    parents = array("q", [-1]) * len(dag)
    for node in range(len(dag) - 1, -1, -1):
        for child in dag.children(node):
            parents[child] = node
    return parents


def _title(dag: AnyDag, node: int, parents: array[int]) -> str:
    """The node's title, or the labels that lead to it from a node with a title or the root."""
    path: list[str] = []
    while not (title := dag.origin[node].title()) and node and len(path) < _PATH:
        parent = parents[node]
        number = list(dag.children(parent)).index(node)
        labels = dag.origin[parent].labels()
        path += [labels[number]] if number < len(labels) and labels[number] else []
        node = parent
    start = title or ("…" if node else "")
    return " → ".join(part for part in (start, *reversed(path)) if part) or "root"


# --- JSON ------------------------------------------------------------------------------------


def answer_json(answer: Answer) -> dict[str, object]:
    """The object that ``eval --format json`` prints; its keys are a contract."""
    return {
        "game": answer.game,
        "algorithm": answer.algorithm,
        "numbers": answer.numbers,
        **_value_json(answer.value),
        "error_bound": as_float(answer.error_bound),
        "best": list(answer.best),
        "branches": [_branch_json(branch) for branch in answer.branches],
        "line": list(answer.line),
        "size": {
            "nodes": answer.size.nodes,
            "edges": answer.size.edges,
            "terminals": answer.size.terminals,
            "depth": answer.size.depth,
        },
        **({} if answer.policy is None else {"policy": _policy_json(answer.policy)}),
    }


def _policy_json(policy: Against) -> dict[str, object]:
    return {
        "name": policy.name,
        "optimum": exact_text(policy.optimum),
        "optimum_float": as_float(policy.optimum),
        "loss": exact_text(policy.loss),
        "loss_float": as_float(policy.loss),
        "differs": list(policy.differs),
        "differs_count": policy.count,
    }


def _value_json(value: Value) -> dict[str, object]:
    return {"value": exact_text(value), "value_float": as_float(value)}


def _branch_json(branch: Branch) -> dict[str, object]:
    odds = {} if branch.p is None else {"p": exact_text(branch.p)}
    return {"label": branch.label, **_value_json(branch.value), **odds}


def strategy_json(
    rows: Iterable[StrategyRow], players: Mapping[str, str] | None = None
) -> list[dict[str, object]]:
    """An object for each choice node: ``node``, ``kind``, ``player``, ``chosen``, its value.

    ``players`` are names by kind of node; where there is none, ``player`` is left out.
    """
    named = players or {}
    return [
        {
            "node": row.title,
            "kind": row.kind.name.lower(),
            **({"player": named[kind]} if (kind := row.kind.name.lower()) in named else {}),
            "chosen": list(row.labels),
            **_value_json(row.value),
        }
        for row in rows
    ]


# --- text ------------------------------------------------------------------------------------


def answer_text(answer: Answer, *, colour: bool = False) -> str:
    """What a person reads, without a line break at its end."""
    return "\n".join(_answer_lines(answer, Paint(colour)))


def _answer_lines(answer: Answer, paint: Paint) -> Iterator[str]:
    yield f"{paint('bold', safe(answer.game))}, {safe(answer.algorithm)}"
    yield ""
    yield _field("value", paint("bold", _whole_value(answer)), paint)
    if answer.policy is not None:
        yield from _policy_lines(answer.policy, answer.value, paint)
    if answer.best:
        tied = " (tied)" if len(answer.best) > 1 else ""
        best = ", ".join(short_label(label) for label in answer.best[:_LINE])
        more = _more(len(answer.best) - _LINE)
        yield _field("best", paint("help", best + more) + tied, paint)
    if len(answer.line) > 1:
        line = " → ".join(short_label(label) for label in answer.line[:_LINE])
        yield _field("line", line + _more(len(answer.line) - _LINE), paint)
    yield _field("size", _size(answer), paint)
    if answer.branches:
        yield ""
        yield from _branch_lines(answer, paint)


def _policy_lines(policy: Against, value: Value, paint: Paint) -> Iterator[str]:
    optimum = table_text(policy.optimum)
    if policy.loss:
        side = "below" if policy.loss > 0 else "above"
        compared = f"{_rounded(abs(policy.loss))} {side} the optimum {optimum}"
    else:
        compared = "the optimum"
    told = f'"{short_label(policy.name)}": {table_text(value)}, {compared}'
    yield _field("policy", told, paint)
    if policy.differs:
        listed = ", ".join(short_label(title) for title in policy.differs[:_DIFFERING])
        more = policy.count - _DIFFERING
        told = f"chooses differently at {listed}{f' and {more:,} more' if more > 0 else ''}"
        yield _field("", told, paint)


def _rounded(value: Value) -> str:
    return table_text(value) if isinstance(value, float) else decimal_text(value, 4)


def _field(name: str, text: str, paint: Paint) -> str:
    return f"{paint('dim', f'{name:<6}')} {text}"


def _more(count: int) -> str:
    return f" … and {count:,} more" if count > 0 else ""


def _whole_value(answer: Answer) -> str:
    text = value_text(answer.value)
    if answer.numbers == "float" and answer.error_bound:
        return f"{text} (float, off by {answer.error_bound:.2g} at most)"
    return f"{text} (float)" if answer.numbers == "float" else text


def _size(answer: Answer) -> str:
    size = answer.size
    counts = [(size.nodes, "node"), (size.edges, "edge"), (size.terminals, "terminal")]
    listed = ", ".join(f"{count:,} {word}{'' if count == 1 else 's'}" for count, word in counts)
    return f"{listed}, depth {size.depth:,}"


def _branch_lines(answer: Answer, paint: Paint) -> Iterator[str]:
    best = set(answer.best)
    shown = [
        branch
        for number, branch in enumerate(answer.branches)
        if number < _BRANCHES or branch.label in answer.best[:_LINE]
    ]
    by_chance = any(branch.p is not None for branch in shown)
    rows = [_branch_row(branch, by_chance) for branch in shown]
    heads = ["branch", "odds", "value", ""] if by_chance else ["branch", "value", ""]
    marks = [branch.label in best for branch in shown]
    for mark, line in zip([False, *marks], _table([heads, *rows]), strict=True):
        text = f"{'*' if mark else ' '} {line}"
        yield paint("help", text) if mark else text
    hidden = len(answer.branches) - len(shown)
    if hidden:
        yield f"  … and {hidden:,} more"


def _branch_row(branch: Branch, by_chance: bool) -> list[str]:
    odds = [odds_text(branch.p) if branch.p is not None else ""] if by_chance else []
    return [short_label(branch.label), *odds, *_value_cells(branch.value)]


def _value_cells(value: Value) -> list[str]:
    """The value, and a decimal beside it where it is a fraction."""
    text = table_text(value)
    if "/" in text and isinstance(value, Fraction):
        return [text, f"= {decimal_text(value, 8)}"]
    return [text, ""]


def strategy_text(
    rows: Iterable[StrategyRow],
    *,
    players: Mapping[str, str] | None = None,
    colour: bool = False,
) -> str:
    """A table of what to do at each choice node, without a line break at its end.

    ``players`` are names by kind of node, to be shown in its place.
    """
    paint, named = Paint(colour), players or {}
    heads = ["node", "player" if named else "kind", "choose", "value", ""]
    cells = [
        [
            short_label(row.title),
            short_label(named.get(row.kind.name.lower(), row.kind.name.lower())),
            " or ".join(map(short_label, row.labels[:_LINE])) + _more(len(row.labels) - _LINE),
            *_value_cells(row.value),
        ]
        for row in rows
    ]
    if not cells:
        return "no node of this game chooses"
    first, *lines = _table([heads, *cells])
    return "\n".join([paint("dim", first), *lines])


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as aligned lines: the last two columns are a number and a remark on it."""
    columns = [max(map(width, column)) for column in zip(*rows, strict=True)]
    number = len(columns) - 2
    for row in rows:
        cells = [pad(cell, columns[index], right=index == number) for index, cell in enumerate(row)]
        yield "  ".join(cells).rstrip()
