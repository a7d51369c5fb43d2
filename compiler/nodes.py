"""Nodes of a document to node forms.

Input   the data of a node and the scope it stands in.
Output  a ``Form`` (see ``compiler.program``); every name in it resolved.
Holds   a container that the document holds once becomes one form, so that what an alias
        shares stays shared.
Errors  GT204, GT205 where the structure check let something by; those of expressions.

Recursion is bounded by the document's nesting limit of 200.
"""

from __future__ import annotations

from fractions import Fraction

from ..spec.diagnostics import Code as Fault
from ..spec.document import AnchoredText, Container, Data, Document, item
from ..spec.expressions import (
    Binary,
    Call,
    Expr,
    Header,
    IfElse,
    LetIn,
    Name,
    Number,
    Unary,
)
from ..spec.literal_odds import look_like_odds
from ..spec.numbers import number_problem, read_number
from ..spec.parser import ParseError, parse_expression, parse_for, parse_header
from ..spec.source import Place
from .dag import Kind
from .expressions import compile_expression
from .linear import LinearForm
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
    Sum,
    Visit,
)
from .runtime import countable
from .scope import Code, Environment, Names, Run, Scope, Where, declared_type, element_type
from .values import EvaluationError, Value

KINDS = {"max": Kind.MAX, "min": Kind.MIN, "chance": Kind.CHANCE}
BRANCH = 3  # steps that a branch made by a loop counts as
SIGNS = {"reward": 1, "cost": -1}


class NodeCompiler:
    """Compiles the nodes of one document."""

    def __init__(self, document: Document, names: Names) -> None:
        self.document = document
        self.names = names
        self._numbers: dict[str, int | Fraction | None] = {}
        self._literals: dict[str, tuple[Run, Expr]] = {}
        self._forms: dict[int, tuple[Form, Scope]] = {}
        self._branches: dict[int, tuple[tuple[Branch | Loop, ...], Scope]] = {}

    # --- scalars ---

    def number(self, text: str) -> int | Fraction | None:
        """The number that ``text`` is, or None where it is an expression."""
        if text not in self._numbers:
            value = read_number(text)
            whole = value is not None and value.denominator == 1
            self._numbers[text] = value.numerator if whole and value is not None else value
        return self._numbers[text]

    def _literal(self, text: str, number: int | Fraction) -> tuple[Run, Expr]:
        """What a number compiles to, made once for each text."""
        if text not in self._literals:
            expr = Number(Fraction(number), start=0, end=len(text))
            self._literals[text] = (lambda _: number), expr
        return self._literals[text]

    def parse(self, text: str, where: Where) -> Expr | None:
        """The expression in ``text``; None, and a report, where it is none."""
        problem = number_problem(text)
        if problem is not None:
            code, message, hint = problem
            self.names.report(code, where.place(), message, hint)
            return None
        if not text.strip():
            self._report_missing(where)
            return None
        try:
            return parse_expression(text)
        except ParseError as error:
            place = where.place(error.start, error.end)
            code = getattr(error, "code", Fault.SYNTAX)
            self.names.report(code, place, error.message, error.help)
            return None

    def _report_missing(self, where: Where) -> None:
        """Nothing is written under a key."""
        name = f"`{where.key}`" if isinstance(where.key, str) else f"item {where.key + 1}"
        place = where.document.key_place(where.container, where.key)
        self.names.report(Fault.MISSING_KEY, place, f"{name} has no value", None)

    def code(
        self, container: Container, key: str | int, scope: Scope, wants: str = "number"
    ) -> Code:
        """The scalar under ``key``, compiled; a constant 0 after a report."""
        where = Where(self.document, container, key)
        text = item(container, key)
        if isinstance(text, list):
            text = list_text(text)
        if not isinstance(text, str):
            self.names.report(
                Fault.WRONG_SHAPE, where.place(), "a number or an expression is needed here", None
            )
            return _nothing(where)
        number = self.number(text)
        if number is not None and wants in {"number", "any"}:
            run, expr = self._literal(text, number)
            return Code(run, "number", True, where, expr)
        expr = self.parse(text, where)
        if expr is None:
            return _nothing(where)
        return compile_expression(expr, scope, self.names, where, wants)

    def header(self, container: Container, key: str) -> Header | None:
        """The key ``key`` as a header; None, and a report, where it is none."""
        where = Where(self.document, container, key, in_key=True)
        try:
            return parse_header(key)
        except ParseError as error:
            place = where.place(error.start, error.end)
            self.names.report(
                getattr(error, "code", Fault.SYNTAX), place, error.message, error.help
            )
            self.names.spoilt.add(key.partition("(")[0].strip().strip("`"))
            return None

    # --- nodes ---

    def node(self, container: Container, key: str | int, scope: Scope) -> Form:
        """The node under ``key`` of ``container``."""
        data = item(container, key)
        if isinstance(data, str) and not isinstance(data, AnchoredText):
            form = self._scalar(data, Where(self.document, container, key), scope)
            form.depth = form.needs = len(scope.names)
            return form
        known = self._forms.get(id(data))
        if known is not None and _reusable(*known, scope):
            known[0].shared = True
            self.names.slots_used |= set(range(known[0].needs))
            return known[0]
        outer, self.names.slots_used = self.names.slots_used, set()
        where = Where(self.document, container, key)
        if isinstance(data, dict):
            form = self._mapping(data, where, scope)
        elif isinstance(data, str):
            form = self._scalar(data, where, scope)
        else:
            form = self._not_a_node(where)
        used = {slot for slot in self.names.slots_used if slot < len(scope.names)}
        if form.depth < 0:  # else `then: *alias` gave a form that has its place already
            form.depth, form.needs = len(scope.names), max(used, default=-1) + 1
        self.names.slots_used = outer | used
        self._forms[id(data)] = (form, scope)
        return form

    def _not_a_node(self, where: Where) -> Form:
        self.names.report(
            Fault.WRONG_SHAPE,
            where.place(),
            "a list is not a node",
            "write `max:`, `min:` or `chance:` in front of it",
        )
        return Payoff(where.place)

    def _scalar(self, text: str, where: Where, scope: Scope) -> Form:
        number = self.number(text)
        if number is not None:
            return Payoff(where.place, value=number)
        expr = self.parse(text, where)
        return Payoff(where.place) if expr is None else self.expression(expr, scope, where)

    def _mapping(self, data: dict[str, Data], where: Where, scope: Scope) -> Form:
        lets = data.get("let")
        bound: list[tuple[str, Code]] = []
        if isinstance(lets, dict):
            for name in lets:
                code = self.code(lets, name, scope, "any")
                self.check_local(name, where.document.key_place(lets, name))
                bound.append((name, code))
                scope = scope.add(name, code.type)
        form = self._rewarded(data, where, scope)
        for name, code in reversed(bound):
            form = Bind(where.place, name=name, value=code, body=form)
        return form

    def _rewarded(self, data: dict[str, Data], where: Where, scope: Scope) -> Form:
        form = self._core(data, where, scope)
        label, note = _text(data, "label"), _text(data, "note")
        rewards = [(SIGNS[name], self.code(data, name, scope)) for name in SIGNS if name in data]
        if rewards:
            total = _signed_sum(rewards)
            if isinstance(form, Choice) and "then" not in data:
                form.reward = total
            else:
                form = Sum(where.place, constant=total, terms=((None, form),))
        if isinstance(form, Choice | Sum | Payoff) and (label or note) and not form.shared:
            form.label, form.note = label, note
        return form

    def _core(self, data: dict[str, Data], where: Where, scope: Scope) -> Form:
        for name, kind in KINDS.items():
            if name in data:
                branches = self.branches(data, name, scope, kind)
                return Choice(where.place, kind=kind, branches=branches)
        if "if" in data and "then" in data and "else" in data:
            condition = self.code(data, "if", scope, "truth")
            yes, no = self.node(data, "then", scope), self.node(data, "else", scope)
            return Choose(where.place, condition=condition, yes=yes, no=no)
        if "then" in data:
            return self.node(data, "then", scope)
        return Payoff(where.place)  # the structure check has reported it

    # --- branches ---

    def branches(
        self, data: dict[str, Data], name: str, scope: Scope, kind: Kind
    ) -> tuple[Branch | Loop, ...]:
        """The branches under ``name``: a list or a mapping; once for each container."""
        group = data[name]
        if isinstance(group, str):
            return ()
        known = self._branches.get(id(group))
        if known is not None and known[1] == scope:
            for branch in known[0]:
                _share(branch)
            return known[0]
        made: list[Branch | Loop] = []
        for position, key in enumerate(group if isinstance(group, dict) else range(len(group))):
            loop = _loop_in(group, key)
            if loop is not None:
                made.append(self._loop(*loop, scope, kind))
                continue
            label = key if isinstance(key, str) else str(position + 1)
            odds = self._odds(group, key, scope) if kind is Kind.CHANCE else None
            condition = self._condition(group, key, scope)
            made.append(Branch(label, self.node(group, key, scope), odds, condition))
        if kind is Kind.CHANCE and isinstance(group, dict):
            self._check_labels(made, group)
        self._branches[id(group)] = (tuple(made), scope)
        return tuple(made)

    def _check_labels(self, outcomes: list[Branch | Loop], group: Container) -> None:
        """Warn where the labels of equally likely outcomes look like their probabilities."""
        labels = [o.label for o in outcomes if isinstance(o, Branch) and o.odds is None]
        if len(labels) == len(outcomes) and look_like_odds(labels):
            first = labels[0]
            self.names.report(
                Fault.LABELS_LIKE_ODDS,
                Where(self.document, group, first, in_key=True).place(),
                "these labels look like probabilities, and the outcomes are equally likely",
                f"write `p: {first}` in the outcome, or in text `@ {first}` behind its label",
            )

    def _condition(self, group: Container, key: str | int, scope: Scope) -> Code | None:
        branch = item(group, key)
        if not isinstance(branch, dict) or "when" not in branch:
            return None
        return self.code(branch, "when", scope, "truth")

    def _odds(self, group: Container, key: str | int, scope: Scope) -> Odds | None:
        outcome = item(group, key)
        if not isinstance(outcome, dict):
            return None
        for name in ("p", "weight"):
            if name in outcome:
                if name == "p" and outcome[name] == "rest":
                    return Odds("rest")
                return Odds(name, self.code(outcome, name, scope))
        return None

    def _loop(
        self, container: dict[str, Data], key: str, scope: Scope, kind: Kind
    ) -> Branch | Loop:
        where = Where(self.document, container, key, in_key=True)
        try:
            loop = parse_for(key)
        except ParseError as error:
            self.names.report(
                getattr(error, "code", Fault.SYNTAX),
                where.place(error.start, error.end),
                error.message,
                error.help,
            )
            return Branch(key, Payoff(where.place))
        source = compile_expression(loop.source, scope, self.names, where)
        if not (source.type.startswith("list") or source.type in {"distribution", "any"}):
            self.names.report(
                Fault.TYPE,
                source.place(),
                "a loop goes over a range, a list or a distribution, not over a number",
                "write `1..n` for the numbers from 1 to n",
            )
        source = _loop_items(source, self.names)
        self.check_local(loop.name, where.place())
        inner = scope.add(loop.name, element_type(source.type))

        def part(expr: Expr | None, wants: str) -> Code | None:
            if expr is None:
                return None
            return compile_expression(expr, inner, self.names, where, wants)

        odds = None
        if loop.odds is not None:
            is_rest = isinstance(loop.odds, Name) and loop.odds.name == "rest"
            mode = "weight" if loop.is_weight else "p"
            odds = Odds("rest") if is_rest else Odds(mode, part(loop.odds, "number"))
            if kind is not Kind.CHANCE:
                self.names.report(
                    Fault.ODDS_OUTSIDE_CHANCE,
                    where.place(loop.odds.start, loop.odds.end),
                    "only the outcomes of a chance node have odds",
                    None,
                )
        body_data = container[key]
        nested = isinstance(body_data, dict) and len(body_data) == 1
        body: Form | Loop
        inner_key = next(iter(body_data)) if nested and isinstance(body_data, dict) else ""
        if isinstance(body_data, dict) and nested and inner_key.startswith("for "):
            made = self._loop(body_data, inner_key, inner, kind)
            body = made if isinstance(made, Loop) else made.form
        else:
            body = self.node(container, key, inner)
        label = part(loop.label, "text")
        condition = part(loop.condition, "truth")
        return Loop(loop.name, source, condition, odds, label, body, where.place)

    def check_local(self, name: str, place: Place) -> None:
        """Warn where a local name hides a parameter, a definition, a node or a built-in."""
        hidden = self.names.what_is(name)
        if hidden:
            self.names.report(
                Fault.SHADOWED_NAME, place, f"`{name}` hides the {hidden} of that name", None
            )

    # --- node expressions ---

    def expression(self, expr: Expr, scope: Scope, where: Where) -> Form:
        """An expression in the place of a node."""
        if not self.has_nodes(expr, scope):
            code = compile_expression(expr, scope, self.names, where, "number")
            return Payoff(code.place, code=code)
        place = lambda: where.place(expr.start, expr.end)  # noqa: E731
        if isinstance(expr, Name | Call) and expr.name in self.names.nodes:
            return self._visit(expr, scope, where)
        if isinstance(expr, IfElse):
            condition = compile_expression(expr.condition, scope, self.names, where, "truth")
            yes, no = (
                self.expression(expr.yes, scope, where),
                self.expression(expr.no, scope, where),
            )
            return Choose(place, condition=condition, yes=yes, no=no)
        if isinstance(expr, LetIn):
            value = compile_expression(expr.value, scope, self.names, where)
            body = self.expression(expr.body, scope.add(expr.name, value.type), where)
            return Bind(place, name=expr.name, value=value, body=body)
        return self._sum(expr, scope, where)

    def has_nodes(self, expr: Expr, scope: Scope) -> bool:
        """Whether ``expr`` mentions a named node."""
        return any(
            isinstance(part, Name | Call)
            and part.name in self.names.nodes
            and (isinstance(part, Call) or scope.slot(part.name) is None)
            for part in expr.walk()
        )

    def _visit(self, expr: Name | Call, scope: Scope, where: Where) -> Form:
        node: NamedNode = self.names.nodes[expr.name]
        self.names.used.add(expr.name)
        given = expr.arguments if isinstance(expr, Call) else ()
        place = lambda: where.place(expr.start, expr.end)  # noqa: E731
        if len(given) != len(node.arguments):
            expected = ", ".join(argument.name for argument in node.arguments)
            self.names.report(
                Fault.ARGUMENT_COUNT,
                place(),
                f"`{expr.name}` takes {_arguments(len(node.arguments))}, and gets {len(given)}",
                f"it is defined as {expr.name}({expected})",
            )
            return Payoff(place)
        codes = [
            compile_expression(
                argument, scope, self.names, where, declared_type(declared.kind).split()[0]
            )
            for argument, declared in zip(given, node.arguments, strict=True)
        ]
        return Visit(place, target=node, arguments=tuple(codes))

    def _sum(self, expr: Expr, scope: Scope, where: Where) -> Form:
        parts = LinearForm(lambda part: self.has_nodes(part, scope), self.names.nodes)
        if not parts.split(expr):
            self._report_misplaced(expr, scope, where)
            return Payoff(where.place)

        def number(part: Expr | None) -> Code | None:
            if part is None:
                return None
            return compile_expression(part, scope, self.names, where, "number")

        terms = [
            (number(factor), self.expression(term, scope, where)) for factor, term in parts.terms
        ]
        place = lambda: where.place(expr.start, expr.end)  # noqa: E731
        return Sum(place, constant=number(parts.constant()), terms=tuple(terms))

    def _report_misplaced(self, expr: Expr, scope: Scope, where: Where) -> None:
        """Say where and why a node cannot stand in ``expr``; once, however many do."""
        report, told = self.names.report, list[Place]()

        def once(code: Fault, place: Place, message: str, help: str | None) -> None:  # noqa: A002
            if code is Fault.NODE_ARITHMETIC:
                told.append(place)
            if code is not Fault.NODE_ARITHMETIC or len(told) == 1:
                report(code, place, message, help)

        self.names.report = once
        compile_expression(expr, scope, self.names, where)
        self.names.report = report


def _share(branch: Branch | Loop) -> None:
    while isinstance(branch, Loop):
        if isinstance(branch.body, Form):
            branch.body.shared = True
            return
        branch = branch.body
    branch.form.shared = True


def _loop_items(source: Code, names: Names) -> Code:
    """``source``, its items counted, and a failure placed where it is written."""
    items = countable(source.run, names.meter, BRANCH)

    def run(env: Environment) -> Value:
        try:
            return items(env)
        except EvaluationError as error:
            if error.where is None:
                error.where = source.where
                error.start, error.end = source.expr.start, source.expr.end
            raise

    return Code(run, source.type, False, source.where, source.expr)


def _loop_in(group: Container, key: str | int) -> tuple[dict[str, Data], str] | None:
    """The mapping and the key of a ``for``, where this branch is one."""
    if isinstance(group, dict):
        return (group, key) if isinstance(key, str) and key.startswith("for ") else None
    branch = item(group, key)
    if isinstance(branch, dict) and len(branch) == 1:
        [only] = branch
        return (branch, only) if only.startswith("for ") else None
    return None


def _reusable(form: Form, first: Scope, scope: Scope) -> bool:
    """Whether a form compiled in scope ``first`` means the same in ``scope``."""
    n = form.needs
    return first.names[:n] == scope.names[:n] and first.types[:n] == scope.types[:n]


def _signed_sum(rewards: list[tuple[int, Code]]) -> Code:
    first = rewards[0][1]
    signed = [
        c.expr if sign > 0 else Unary("-", c.expr, start=c.expr.start, end=c.expr.end)
        for sign, c in rewards
    ]
    expr = (
        signed[0]
        if len(signed) == 1
        else Binary("+", *signed, start=first.expr.start, end=first.expr.end)
    )
    runs = [(sign, code.run) for sign, code in rewards]
    return Code(
        lambda env: sum(sign * run(env) for sign, run in runs),
        "number",
        all(code.constant for _, code in rewards),
        first.where,
        expr,
    )


def _text(data: dict[str, Data], key: str) -> str:
    value = data.get(key, "")
    return value if isinstance(value, str) else ""


def _nothing(where: Where) -> Code:
    return Code(lambda _: 0, "any", True, where, Number(Fraction(0)))


def list_text(items: list[Data]) -> str:
    """A list of scalars as an expression."""
    return "[" + ", ".join(i if isinstance(i, str) else list_text(list(i)) for i in items) + "]"


def _arguments(number: int) -> str:
    return f"{number} argument" if number == 1 else f"{number or 'no'} arguments"
