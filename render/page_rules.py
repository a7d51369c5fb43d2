"""The rules of a game as data, from which the page unfolds it for other parameters.

Input   a checked ``Program``.
Output  plain data for JSON, which ``page/rules.js`` evaluates: expressions are lists ``[kind, …]``
        named after the methods of its ``Names``; forms are objects in one list, in which they
        name each other by position, so that what is shared in the program stays shared.
Holds   exact numbers are texts. A construct that the page does not have makes it None, and the
        page then has no sliders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

from ..compiler.functions import BUILTINS
from ..compiler.nodes import list_text
from ..compiler.program import (
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
from ..compiler.scope import Code
from ..compiler.templates import template_pieces
from ..spec import expressions as ex
from ..spec.document import Data
from ..spec.parser import parse_expression, parse_header
from .numbers import exact_text

Json = Any
# What the page knows of each form; one with more to it is another construct.
_KNOWN: dict[type, frozenset[str]] = {
    Payoff: frozenset({"value", "code", "label", "note"}),
    Choice: frozenset({"kind", "branches", "reward", "label", "note"}),
    Choose: frozenset({"condition", "yes", "no"}),
    Bind: frozenset({"name", "value", "body"}),
    Sum: frozenset({"constant", "terms", "label", "note"}),
    Visit: frozenset({"target", "arguments"}),
    Branch: frozenset({"label", "form", "odds", "condition"}),
    Loop: frozenset({"name", "source", "condition", "odds", "label", "body"}),
}
FUNCTIONS = frozenset(  # the built-in functions of ``rules.js``
    "abs floor ceil comb factorial popcount len put sorted sum any all count min max".split()
    + "dice roll draw sqrt exp log".split()
)
_EVERY_FORM = frozenset({"place", "depth", "needs", "shared"})


class _Unknown(Exception):
    """The program has a construct that the page has not."""


def rules_data(program: Program, root: Form | None = None) -> dict[str, Json] | None:
    """The rules of ``program``, from its root or from ``root``; None where the page lacks some."""
    try:
        return _Rules(program).data(root or program.root)
    except _Unknown:
        return None


class _Rules:
    """The forms met so far, and those still to be written out."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.numbers: dict[int, int] = {}  # id(form) -> its position
        self.open: list[Form] = []

    def data(self, root: Form) -> dict[str, Json]:
        start = self.form(root)
        nodes = {name: self.node(node) for name, node in self.program.nodes.items()}
        forms = [self.written(form) for form in self.open]  # grows while it is read
        return {
            "params": list(self.parameters()),
            "defines": dict(self.definitions()),
            "nodes": nodes,
            "root": start,
            "forms": forms,
            "policies": dict(self.policies()),
        }

    # --- names ---

    def parameters(self) -> Iterator[list[Json]]:
        for name in self.program.parameters:
            yield [name, _parsed(_mapping(self.program, "params")[name])]

    def definitions(self) -> Iterator[tuple[str, Json]]:
        for name, definition in self.program.names.definitions.items():
            arguments = [argument.name for argument in definition.header.arguments]
            yield name, [arguments, expression(definition.body)]

    def node(self, node: NamedNode) -> Json:
        if node.body is None:
            raise _Unknown
        arguments = [[argument.name, _kind(argument.kind)] for argument in node.arguments]
        return {"name": node.name, "args": arguments, "form": self.form(node.body)}

    def policies(self) -> Iterator[tuple[str, Json]]:
        written = _mapping(self.program, "policies")
        for name, policy in self.program.policies.items():
            rules = written[name]
            headers = [parse_header(key) for key in rules] if isinstance(rules, dict) else []
            if len(headers) != len(policy.rules):
                raise _Unknown
            yield (
                name,
                [
                    {
                        "node": None if rule.node is None else rule.node.name,
                        "args": [argument.name for argument in header.arguments],
                        "code": expression(rule.code.expr),
                    }
                    for rule, header in zip(policy.rules, headers, strict=True)
                ],
            )

    # --- forms ---

    def form(self, form: Form) -> int:
        """The position of ``form``, which is written out in its turn."""
        if id(form) not in self.numbers:
            self.numbers[id(form)] = len(self.open)
            self.open.append(form)
        return self.numbers[id(form)]

    def written(self, form: Form) -> dict[str, Json]:
        _check_known(form, _EVERY_FORM)
        made: dict[str, Json] = self.content(form)
        if form.shared:
            made |= {"shared": True, "needs": form.needs, "depth": form.depth}
        for name in ("label", "note"):
            if text := getattr(form, name, ""):
                made[name] = text
        return made

    def content(self, form: Form) -> dict[str, Json]:
        """What the form itself says."""
        if isinstance(form, Payoff):
            number = ["number", exact_text(form.value)]
            return {"is": "payoff", "value": number if form.code is None else _code(form.code)}
        if isinstance(form, Choice):
            branches = [self.branch(branch) for branch in form.branches]
            return {
                "is": form.kind.name.lower(),
                "branches": branches,
                "reward": _code(form.reward),
            }
        if isinstance(form, Choose):
            yes, no = self.form(form.yes), self.form(form.no)
            return {"is": "choose", "condition": _code(form.condition), "yes": yes, "no": no}
        if isinstance(form, Bind):
            value, body = _code(form.value), self.form(form.body)
            return {"is": "bind", "name": form.name, "value": value, "body": body}
        if isinstance(form, Sum):
            terms = [[_code(factor), self.form(term)] for factor, term in form.terms]
            return {"is": "sum", "constant": _code(form.constant), "terms": terms}
        if isinstance(form, Visit):
            arguments = [_code(argument) for argument in form.arguments]
            return {"is": "visit", "target": form.target.name, "args": arguments}
        raise _Unknown

    def branch(self, branch: Branch | Loop) -> dict[str, Json]:
        if isinstance(branch, Loop):
            return self.loop(branch)
        _check_known(branch)
        made: dict[str, Json] = {"label": branch.label, "form": self.form(branch.form)}
        if branch.odds is not None:
            made["odds"] = _odds(branch.odds)
        if branch.condition is not None:
            made["condition"] = _code(branch.condition)
        return made

    def loop(self, loop: Loop) -> dict[str, Json]:
        _check_known(loop, frozenset({"place"}))
        return {
            "loop": loop.name,
            "source": _code(loop.source),
            "condition": _code(loop.condition),
            "odds": None if loop.odds is None else _odds(loop.odds),
            "label": _code(loop.label),
            "body": self.loop(loop.body) if isinstance(loop.body, Loop) else self.form(loop.body),
        }


def _check_known(item: Form | Branch | Loop, more: frozenset[str] = frozenset()) -> None:
    """Refuse what says something that the page does not know of."""
    kind = type(item)
    if kind not in _KNOWN:
        raise _Unknown
    known = _KNOWN[kind] | more
    if any(part.name not in known and getattr(item, part.name) for part in fields(item)):
        raise _Unknown


def _mapping(program: Program, key: str) -> dict[str, Data]:
    data = program.document.data.get(key)
    return data if isinstance(data, dict) else {}


def _odds(odds: Odds) -> list[Json]:
    return [odds.mode, _code(odds.code)]


def _code(code: Code | None) -> list[Json] | None:
    return None if code is None else expression(code.expr)


def _parsed(data: Data) -> list[Json]:
    """The expression of a parameter, which is written as a text or a list of texts."""
    if isinstance(data, dict):
        raise _Unknown
    return expression(parse_expression(data if isinstance(data, str) else list_text(data)))


def _kind(kind: ex.Expr | None) -> Json:
    """What the declaration of an argument says."""
    if isinstance(kind, ex.Name):
        return kind.name
    if isinstance(kind, ex.ListOf):
        return ["of", expression(kind.length), _kind(kind.item)]
    return None if kind is None else expression(kind)


# --- expressions -----------------------------------------------------------------------------


def expression(expr: ex.Expr) -> list[Json]:
    """``expr`` as a list: its kind, and its parts."""
    write = _WRITERS.get(type(expr))
    if write is None:
        raise _Unknown
    return write(expr)


def _several(exprs: tuple[ex.Expr, ...]) -> list[Json]:
    return [expression(expr) for expr in exprs]


def _text(expr: ex.Text) -> list[Json]:
    pieces = [
        expression(parse_expression(piece)) if filled_in else piece
        for piece, filled_in in template_pieces(expr.value)
    ]
    return ["text", pieces]


def _call(expr: ex.Call) -> list[Json]:
    if expr.name in BUILTINS.keys() - FUNCTIONS:
        raise _Unknown
    return ["call", expr.name, _several(expr.arguments)]


def _loop(expr: ex.Comprehension) -> list[Json]:
    clauses = [
        [clause.name, expression(clause.source), _several(clause.conditions)]
        for clause in expr.clauses
    ]
    return ["loop", expr.function, expression(expr.element), clauses]


def _table(expr: ex.Table) -> list[Json]:
    entries = [
        [expression(key), None if odds is None else expression(odds)] for key, odds in expr.entries
    ]
    return ["table", entries]


_WRITERS: dict[type[ex.Expr], Callable[[Any], list[Json]]] = {
    ex.Number: lambda e: ["number", exact_text(e.value)],
    ex.Truth: lambda e: ["truth", e.value],
    ex.Text: _text,
    ex.Name: lambda e: ["name", e.name],
    ex.Unary: lambda e: ["unary", e.operator, expression(e.operand)],
    ex.Binary: lambda e: ["binary", e.operator, expression(e.left), expression(e.right)],
    ex.Compare: lambda e: ["compare", _several(e.operands), list(e.operators)],
    ex.IfElse: lambda e: ["if", expression(e.condition), expression(e.yes), expression(e.no)],
    ex.LetIn: lambda e: ["let", e.name, expression(e.value), expression(e.body)],
    ex.Sequence: lambda e: ["list", _several(e.items)],
    ex.Index: lambda e: ["index", expression(e.base), expression(e.index)],
    ex.Range: lambda e: ["range", expression(e.low), expression(e.high)],
    ex.Call: _call,
    ex.Comprehension: _loop,
    ex.Dice: lambda e: ["dice", e.count, e.sides],
    ex.Table: _table,
}
