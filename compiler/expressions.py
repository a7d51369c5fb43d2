"""Expressions to functions of an environment.

Input   a syntax tree, the ``Scope`` it stands in, and the names the game defines.
Output  ``Code``: a function from the environment (a tuple, one slot for each local name) to
        a value, with its static type; constant where no local name takes part.
Holds   every operation that can fail raises ``EvaluationError`` with the place of the
        innermost expression; loops and calls are counted by the ``Meter``.
Errors  GT210 unknown names, GT211 arguments, GT213 types, GT214 nodes used as numbers,
        GT215 recursion; GT403, GT404 and GT5xx when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import itemgetter

from ..spec.diagnostics import Code as Fault
from ..spec.expressions import (
    Binary,
    Call,
    Clause,
    Compare,
    Comprehension,
    Dice,
    Expr,
    IfElse,
    Index,
    LetIn,
    Name,
    Number,
    Range,
    Sequence,
    Table,
    Text,
    Truth,
    Unary,
)
from . import values
from .functions import AGGREGATES, APPROXIMATE, BUILTINS, Builtin, charged, total
from .odds import integer_odds
from .runtime import (
    COMPARISONS,
    EQUALITY,
    GUARDED,
    PLAIN,
    bounded,
    countable,
    distribution,
    membership,
    require,
    rounds_of,
)
from .scope import (
    WORDS,
    Code,
    Definition,
    Environment,
    Names,
    Run,
    Scope,
    Where,
    element_type,
    join,
    type_of,
)
from .templates import template_pieces
from .values import SMALL, EvaluationError, Meter, Value, beyond_floats, weigh

_FAILURES = (TypeError, ValueError, ArithmeticError, AttributeError, RecursionError)
CALL = 3  # steps that a call of a definition counts as
# What turns one type into the other, by what is needed and what is there.
_SLIPS = {
    ("number", "truth"): "`if c then 1 else 0` makes a number of it; `count(… for …)` counts",
    ("truth", "number"): "compare it: `n != 0`",
    ("list", "number"): "write `1..n` for the numbers from 1 to n, or `[n]` for a list of one",
    ("number", "list"): "`sum(…)` adds up a list, `len(…)` counts it, `[0]` takes its first item",
    ("number", "distribution"): "`sum(x for x in …)` adds up its values; in a chance node, "
    "`for x in …` takes its odds",
}
TOO_DEEP = "definitions call one another too deeply here"


@dataclass(frozen=True, slots=True)
class _Part:
    """A compiled piece: its function, type, and value where it is constant."""

    run: Run
    type: str
    constant: bool = False


def _constant(value: Value, kind: str | None = None) -> _Part:
    return _Part(lambda _: value, kind or type_of(value), constant=True)


def compile_expression(
    expr: Expr, scope: Scope, names: Names, where: Where, wants: str = "any"
) -> Code:
    """Compile ``expr``; ``wants`` is the type its place asks for (``any`` accepts all)."""
    compiler = _Compiler(names, where, expr)
    part = compiler.wanted(expr, compiler.compile(expr, scope), wants)
    return Code(part.run, part.type, part.constant, where, expr)


class _Compiler:
    """Compiles the expressions of one place."""

    def __init__(self, names: Names, where: Where, whole: Expr | None = None) -> None:
        self.names = names
        self.where = where
        self.whole = whole  # what a place holds; None for a part of it

    # --- reporting ---

    def fault(self, code: Fault, expr: Expr, message: str, help: str | None = None) -> _Part:  # noqa: A002
        """Report a mistake and go on with a value of any type."""
        self.names.report(code, self.where.place(expr.start, expr.end), message, help)
        return _Part(lambda _: 0, "any")

    def guarded(self, expr: Expr, run: Run) -> Run:
        """``run``, with failures placed at ``expr`` unless they know better."""
        where, start, end = self.where, expr.start, expr.end

        def guard(env: Environment) -> Value:
            try:
                return run(env)
            except EvaluationError as error:
                if error.where is None:
                    error.where, error.start, error.end = where, start, end
                raise
            except (
                TypeError,
                ValueError,
                ArithmeticError,
                AttributeError,
                RecursionError,
            ) as problem:
                failure = EvaluationError(Fault.EVALUATION, "this operation has no value here")
                if isinstance(problem, RecursionError):
                    failure = EvaluationError(Fault.NESTING, TOO_DEEP)
                failure.where, failure.start, failure.end = where, start, end
                raise failure from None

        return guard

    def folded(self, part: _Part, *parts: _Part) -> _Part:
        """``part`` as a constant where all the parts it is made of are."""
        if not all(piece.constant for piece in parts):
            return part
        try:
            value = part.run(())
        except EvaluationError:
            return part  # reported if play comes by
        return _constant(value, part.type if part.type != "any" else None)

    def wanted(self, expr: Expr, part: _Part, wants: str) -> _Part:
        """``part``, checked to be of type ``wants``: now where that is known, else when it runs."""
        if wants in {"any", part.type}:
            return part
        if wants in {"number", "truth"} and part.type == "scalar":
            return part
        if wants == "scalar" and part.type in {"number", "truth"}:
            return part
        if wants == "list" and part.type.startswith("list"):
            return part
        if part.type == "any":
            return _Part(self.guarded(expr, require(part.run, wants)), wants, part.constant)
        kind = part.type.split()[0]
        hint = _SLIPS.get((wants, kind))
        if part.type == "text" and isinstance(expr, Text):
            hint = "without the quotes it is a name"
        message = f"{WORDS[wants]} is needed here, not {WORDS[kind]}"
        return self.fault(Fault.TYPE, expr, message, hint)

    def number(self, expr: Expr, scope: Scope) -> _Part:
        return self.wanted(expr, self.compile(expr, scope), "number")

    def truth(self, expr: Expr, scope: Scope) -> _Part:
        return self.wanted(expr, self.compile(expr, scope), "truth")

    # --- one method for each kind of expression ---

    def compile(self, expr: Expr, scope: Scope) -> _Part:
        """Compile any expression."""
        method = getattr(self, "_" + type(expr).__name__.lower(), None)
        if method is None:
            return self.fault(Fault.TYPE, expr, "this can only stand in the header of a node")
        return method(expr, scope)

    def _number(self, expr: Number, _: Scope) -> _Part:
        value = expr.value
        return _constant(value.numerator if value.denominator == 1 else value)

    def _truth(self, expr: Truth, _: Scope) -> _Part:
        return _constant(expr.value)

    def _dice(self, expr: Dice, _: Scope) -> _Part:
        dice = charged(BUILTINS["dice"], self.names.meter)
        part = _Part(self.guarded(expr, lambda _: dice(expr.count, expr.sides)), "distribution")
        return self.folded(part)

    def _name(self, expr: Name, scope: Scope) -> _Part:
        slot = scope.slot(expr.name)
        if slot is not None:
            self.names.slots_used.add(slot)
            return _Part(itemgetter(slot), scope.types[slot])
        if expr.name in self.names.constants:
            self.names.used.add(expr.name)
            return _constant(self.names.constants[expr.name])
        if expr.name in self.names.definitions:
            return self._defined(expr, expr.name, (), scope)
        if expr.name in self.names.nodes:
            return self._misplaced_node(expr, expr.name)
        return self._unknown(expr, expr.name, scope)

    def _unknown(self, expr: Expr, name: str, scope: Scope) -> _Part:
        from ..spec.suggest import did_you_mean

        if name in self.names.spoilt:
            return _Part(lambda _: 0, "any")
        known = [*scope.names, *self.names.known()]
        suggestion = None
        if self.names.labels_meant and _is_result(expr, self.whole):
            suggestion = f'a label stands in double quotes: "{name}"'
            if self.where.document.notation != "text" and expr is self.whole:
                suggestion += f", in YAML inside single ones: '\"{name}\"'"
        if suggestion is None:
            suggestion = did_you_mean(name, known)
        if suggestion is None and name in BUILTINS:
            suggestion = f"`{name}` is a function: write {name}(…)"
        if suggestion is None and scope.names:
            suggestion = "names known here: " + ", ".join(dict.fromkeys(scope.names))
        return self.fault(Fault.UNKNOWN_NAME, expr, f"unknown name `{name}`", suggestion)

    def _misplaced_node(self, expr: Expr, name: str) -> _Part:
        self.names.used.add(name)
        return self.fault(
            Fault.NODE_ARITHMETIC,
            expr,
            f"the value of node `{name}` is not known while the game unfolds",
            "a node can be added, subtracted, or multiplied and divided by a number; "
            "it cannot be compared, looped over, or given to a function",
        )

    def _text(self, expr: Text, scope: Scope) -> _Part:
        if "{" not in expr.value and "}" not in expr.value:
            return _constant(expr.value)
        pieces = self.template(expr, scope)
        if pieces is None:
            return _Part(lambda _: "", "text")
        runs = tuple(piece.run for piece in pieces)

        spend = self.names.meter.spend

        def fill(env: Environment) -> str:
            filled = "".join(
                value if isinstance(value := run(env), str) else values.show(value) for run in runs
            )
            spend(len(filled) >> 3)
            return filled

        return self.folded(_Part(fill, "text"), *pieces)

    def template(self, expr: Text, scope: Scope) -> list[_Part] | None:
        """The pieces of ``"take {n} of {2 * k}"``: constants and expressions; ``{{`` is a brace."""
        from ..spec.parser import ParseError, parse_expression

        pieces: list[_Part] = []
        for text, is_code in template_pieces(expr.value):
            if not is_code:
                pieces.append(_constant(text))
                continue
            try:
                inner = parse_expression(text)
            except ParseError as error:
                self.fault(
                    Fault.SYNTAX,
                    expr,
                    f"`{{{text}}}` in a label is not an expression: {error.message}",
                    "a brace itself is written `{{` or `}}`",
                )
                return None
            at = self.where
            whole = Where(at.document, at.container, at.key, at.in_key)
            pieces.append(_Compiler(self.names, whole).compile(inner, scope))
        return pieces

    def _unary(self, expr: Unary, scope: Scope) -> _Part:
        if expr.operator == "not":
            part = self.truth(expr.operand, scope)
            return self.folded(_Part(lambda env: not part.run(env), "truth"), part)
        part = self.number(expr.operand, scope)
        run = part.run
        if expr.operator == "-":
            return self.folded(_Part(lambda env: -run(env), "number"), part)
        if expr.operator == "+":
            return _Part(run, "number", part.constant)
        invert = self.guarded(expr, lambda env: ~values.whole(run(env), "the operand of `~`"))
        return self.folded(_Part(invert, "number"), part)

    def _binary(self, expr: Binary, scope: Scope) -> _Part:
        if expr.operator in {"and", "or"}:
            return self._logic(expr, scope)
        left, right = self.number(expr.left, scope), self.number(expr.right, scope)
        run = _arithmetic(expr.operator, left, right, self.names.meter)
        if expr.operator not in PLAIN:
            run = self.guarded(expr, run)
        return self.folded(_Part(run, "number"), left, right)

    def _logic(self, expr: Binary, scope: Scope) -> _Part:
        left, right = self.truth(expr.left, scope), self.truth(expr.right, scope)
        first, second = left.run, right.run
        if expr.operator == "and":
            run: Run = lambda env: bool(first(env)) and bool(second(env))  # noqa: E731
        else:
            run = lambda env: bool(first(env)) or bool(second(env))  # noqa: E731
        return self.folded(_Part(run, "truth"), left, right)

    def _compare(self, expr: Compare, scope: Scope) -> _Part:
        parts = [self.compile(operand, scope) for operand in expr.operands]
        tests: list[Run] = []
        for i, name in enumerate(expr.operators):
            left, right = parts[i], parts[i + 1]
            if name in {"in", "not in"}:
                tests.append(self._membership(expr, name, left, right, expr.operands[i + 1]))
            elif name in {"==", "!="}:
                simple = {left.type, right.type} & {"number", "truth", "scalar", "text"}
                tests.append(
                    _compare_with((COMPARISONS if simple else EQUALITY)[name], left, right)
                )
            else:
                left = self.wanted(expr.operands[i], left, "number")
                right = self.wanted(expr.operands[i + 1], right, "number")
                tests.append(_compare_with(COMPARISONS[name], left, right))
        if len(tests) == 1:
            return self.folded(_Part(tests[0], "truth"), *parts)
        chain = tuple(tests)
        return self.folded(_Part(lambda env: all(t(env) for t in chain), "truth"), *parts)

    def _membership(
        self, expr: Compare, name: str, left: _Part, right: _Part, right_expr: Expr
    ) -> Run:
        if right.type != "distribution":
            right = self.wanted(right_expr, right, "list")
        return self.guarded(
            expr, membership(left.run, right.run, self.names.meter, wanted=name == "in")
        )

    def _ifelse(self, expr: IfElse, scope: Scope) -> _Part:
        condition = self.truth(expr.condition, scope)
        yes, no = self.compile(expr.yes, scope), self.compile(expr.no, scope)
        test, then, other = condition.run, yes.run, no.run
        part = _Part(lambda env: then(env) if test(env) else other(env), join(yes.type, no.type))
        return self.folded(part, condition, yes, no)

    def _letin(self, expr: LetIn, scope: Scope) -> _Part:
        value = self.compile(expr.value, scope)
        body = self.compile(expr.body, scope.add(expr.name, value.type))
        bind, inner = value.run, body.run
        run = self.guarded(expr.value, lambda env: inner((*env, values.checked(bind(env)))))
        return _Part(run, body.type)

    def _sequence(self, expr: Sequence, scope: Scope) -> _Part:
        parts = [self.compile(item, scope) for item in expr.items]
        runs = tuple(part.run for part in parts)
        kinds = {part.type for part in parts}
        kind = "list " + (kinds.pop() if len(kinds) == 1 else "any")
        return self.folded(_Part(lambda env: tuple(run(env) for run in runs), kind), *parts)

    def _index(self, expr: Index, scope: Scope) -> _Part:
        base = self.wanted(expr.base, self.compile(expr.base, scope), "list")
        index = self.number(expr.index, scope)
        of, at = base.run, index.run
        run = self.guarded(expr, lambda env: values.item(of(env), at(env)))
        return self.folded(_Part(run, element_type(base.type)), base, index)

    def _range(self, expr: Range, scope: Scope) -> _Part:
        low, high = self.number(expr.low, scope), self.number(expr.high, scope)
        first, last = low.run, high.run
        run = self.guarded(expr, lambda env: values.interval(first(env), last(env)))
        return self.folded(_Part(run, "list number"), low, high)

    def _table(self, expr: Table, scope: Scope) -> _Part:
        keys = [self.compile(key, scope) for key, _ in expr.entries]
        odds = [
            None if weight is None else self.number(weight, scope) for _, weight in expr.entries
        ]
        pairs = tuple(
            (key.run, None if weight is None else weight.run)
            for key, weight in zip(keys, odds, strict=True)
        )
        if not self.odds_fit(expr, odds):
            return _Part(lambda _: 0, "any")
        run = self.guarded(expr, lambda env: distribution(pairs, env))
        parts = [*keys, *(weight for weight in odds if weight is not None)]
        return self.folded(_Part(run, "distribution"), *parts)

    def odds_fit(self, expr: Table, odds: list[_Part | None]) -> bool:
        """Report odds that need no state and do not fit together, whatever they are odds of."""
        if not all(weight is None or weight.constant for weight in odds):
            return True
        try:
            from ..spec.expression_printer import print_expression

            integer_odds(
                [("rest", 0) if weight is None else ("p", weight.run(())) for weight in odds],
                lambda i: print_expression(expr.entries[i][0]),
            )
        except EvaluationError as error:
            if error.where is None:
                self.fault(error.code, expr, error.message, error.help)
                return False
        return True

    def _comprehension(self, expr: Comprehension, scope: Scope) -> _Part:
        if expr.function not in AGGREGATES:
            return self.fault(
                Fault.TYPE,
                expr,
                f"`{expr.function}` takes no `for`",
                "`sum`, `any`, `all`, `count`, `min` and `max` do, and lists: [x for x in …]",
            )
        sources: list[_Part] = []
        loops: list[tuple[Run, tuple[Run, ...]]] = []
        inner = scope
        for clause in expr.clauses:
            source, conditions, inner = self._clause(clause, inner)
            sources.append(source)
            loops.append((countable(source.run, self.names.meter), conditions))
        element = self.compile(expr.element, inner)
        if expr.function in {"any", "all", "count"}:
            element = self.wanted(expr.element, element, "truth")
        elif expr.function in {"sum", "min", "max"}:
            element = self.wanted(expr.element, element, "number")
        rounds = rounds_of(loops, element.run)
        gather = self._gatherer(expr.function)
        kinds = {"any": "truth", "all": "truth", "": "list " + element.type}
        run = self.guarded(
            expr,
            (lambda env: gather(rounds(env)))
            if expr.function in {"any", "all", "sum", "count"}
            else (lambda env: gather(bounded(rounds(env)))),
        )
        return _Part(run, kinds.get(expr.function, "number"))

    def _gatherer(self, function: str) -> Callable[[Iterable[Value]], Value]:
        if function == "sum":
            return lambda items: total(items, self.names.meter)
        return AGGREGATES[function]

    def _clause(self, clause: Clause, scope: Scope) -> tuple[_Part, tuple[Run, ...], Scope]:
        source = self.compile(clause.source, scope)
        kind = "any" if source.type == "distribution" else element_type(source.type)
        if source.type not in {"distribution", "any"}:
            source = self.wanted(clause.source, source, "list")
        inner = scope.add(clause.name, kind)
        return source, tuple(self.truth(c, inner).run for c in clause.conditions), inner

    def _call(self, expr: Call, scope: Scope) -> _Part:
        if expr.name in self.names.definitions:
            return self._defined(expr, expr.name, expr.arguments, scope)
        if expr.name in self.names.nodes:
            return self._misplaced_node(expr, expr.name)
        builtin = BUILTINS.get(expr.name)
        if builtin is None:
            if scope.slot(expr.name) is not None or expr.name in self.names.constants:
                return self.fault(
                    Fault.TYPE, expr, f"`{expr.name}` is a value, and cannot be called"
                )
            return self._unknown(expr, expr.name, scope)
        return self._builtin(expr, builtin, scope)

    def _builtin(self, expr: Call, builtin: Builtin, scope: Scope) -> _Part:
        given = len(expr.arguments)
        if given < builtin.least or (builtin.most is not None and given > builtin.most):
            return self.fault(
                Fault.ARGUMENT_COUNT,
                expr,
                f"`{expr.name}` takes {_arity(builtin)}, and gets {given}",
            )
        if expr.name in APPROXIMATE:
            self.names.approximate.append(self.where.place(expr.start, expr.end))
        if expr.name in {"min", "max"} and (found := self.node_among(expr.arguments, scope)):
            return self.node_in_extreme(expr, found)
        parts = [self.compile(argument, scope) for argument in expr.arguments]
        wants = builtin.takes
        if expr.name in {"min", "max"}:
            wants = "list" if given == 1 else "number"
        if wants:
            parts = [
                self.wanted(argument, part, wants)
                for argument, part in zip(expr.arguments, parts, strict=True)
            ]
        runs = tuple(part.run for part in parts)
        function = builtin.run if builtin.cost is None else charged(builtin, self.names.meter)
        gives = builtin.gives
        if expr.name in {"min", "max"}:
            gives = "number" if given > 1 else element_type(parts[0].type)
        elif expr.name == "put":
            gives = "list " + join(element_type(parts[0].type), parts[2].type)
        if len(runs) == 1:
            [only] = runs
            run = self.guarded(expr, lambda env: function(only(env)))
        else:
            run = self.guarded(expr, lambda env: function(*[r(env) for r in runs]))
        return self.folded(_Part(run, gives), *parts)

    def node_among(self, arguments: tuple[Expr, ...], scope: Scope) -> str:
        """The first named node that the arguments speak of, or ``""``."""
        for argument in arguments:
            for part in argument.walk():
                if (
                    isinstance(part, Name | Call)
                    and part.name in self.names.nodes
                    and (isinstance(part, Call) or scope.slot(part.name) is None)
                ):
                    self.names.used.add(part.name)
                    return part.name
        return ""

    def node_in_extreme(self, expr: Call, node: str) -> _Part:
        """``max(coin, 1)`` where ``max { coin, 1 }`` is meant."""
        from ..spec.expression_printer import print_expression

        written = ", ".join(print_expression(argument) for argument in expr.arguments)
        meant = f"`{expr.name} {{ {written} }}`"
        if self.where.document.notation != "text":
            meant = f"`{expr.name}: [{written}]`, as a node of its own"
        return self.fault(
            Fault.NODE_ARITHMETIC,
            expr,
            f"`{expr.name}(…)` takes numbers, and `{node}` is a node",
            f"the {'largest' if expr.name == 'max' else 'smallest'} of some nodes is {meant}",
        )

    def _defined(self, expr: Expr, name: str, arguments: tuple[Expr, ...], scope: Scope) -> _Part:
        definition = self.names.definitions[name]
        self.names.used.add(name)
        expected = len(definition.header.arguments)
        if len(arguments) != expected:
            return self.fault(
                Fault.ARGUMENT_COUNT,
                expr,
                f"`{name}` takes {_plural(expected, 'argument')}, and gets {len(arguments)}",
            )
        if definition.open:
            return self.fault(
                Fault.RECURSIVE_DEFINITION,
                expr,
                f"the definition of `{name}` uses itself",
                "definitions always end; a named node may refer to itself",
            )
        parts = [self.compile(argument, scope) for argument in arguments]
        try:
            types = tuple(part.type for part in parts)
            body, kind = compile_definition(definition, types, self.names)
        except RecursionError:
            return self.fault(Fault.NESTING, expr, TOO_DEEP)
        runs, spend = tuple(part.run for part in parts), self.names.meter.spend

        def call(env: Environment) -> Value:
            spend(CALL)
            return values.checked(body(tuple([run(env) for run in runs])))

        return self.folded(_Part(self.guarded(expr, call), kind), *parts)


def compile_definition(
    definition: Definition, types: tuple[str, ...], names: Names
) -> tuple[Run, str]:
    """The body of ``definition`` for arguments of ``types``: its function and type."""
    known = definition.compiled.get(types)
    if known is None:
        scope = Scope(tuple(a.name for a in definition.header.arguments), types)
        outer = names.slots_used, names.used
        names.slots_used, names.used = set(), set()  # its slots and names are not the caller's
        definition.open = True
        try:
            part = _Compiler(names, definition.where).compile(definition.body, scope)
        finally:
            definition.open = False
            definition.uses |= names.used
            names.slots_used, names.used = outer
        known = definition.compiled[types] = (part.run, part.type)
    return known


def _arithmetic(name: str, left: _Part, right: _Part, meter: Meter) -> Run:
    function = PLAIN.get(name) or GUARDED[name]
    first, second = left.run, right.run
    if right.constant:  # half of all operations: `total + 1`
        value = second(())

        def with_constant(env: Environment) -> Value:
            try:
                result = function(first(env), value)
            except OverflowError:
                raise beyond_floats() from None
            return (
                result if type(result) is int and SMALL > result > -SMALL else weigh(result, meter)
            )

        return with_constant

    def run(env: Environment) -> Value:
        try:
            result = function(first(env), second(env))
        except OverflowError:
            raise beyond_floats() from None
        return result if type(result) is int and SMALL > result > -SMALL else weigh(result, meter)

    return run


def _compare_with(function: Callable[[Value, Value], bool], left: _Part, right: _Part) -> Run:
    first, second = left.run, right.run
    if right.constant:
        value = second(())
        return lambda env: function(first(env), value)
    return lambda env: function(first(env), second(env))


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number or 'no'} {noun}s"


def _arity(builtin: Builtin) -> str:
    if builtin.most is None:
        return f"{_plural(builtin.least, 'argument')} or more"
    return _plural(builtin.least, "argument")


def _is_result(name: Expr, whole: Expr | None) -> bool:
    """Whether ``name`` is something that ``whole`` may come to, not a part of a condition."""
    stack = [] if whole is None else [whole]
    while stack:
        expr = stack.pop()
        if expr is name:
            return True
        if isinstance(expr, IfElse):
            stack += [expr.yes, expr.no]
        elif isinstance(expr, LetIn):
            stack.append(expr.body)
        elif isinstance(expr, Table):
            stack += [key for key, _ in expr.entries]
    return False
