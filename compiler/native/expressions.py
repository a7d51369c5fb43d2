"""Expressions to machine code.

Input   a syntax tree, and the values of the local names.
Output  LLVM instructions at the builder's place, and the value they leave.
Holds   whatever has no value, or not surely the exact one, returns from the function being
        written with a status below 0: ``FAULT`` for a person's mistake, ``UNSURE`` where 64 bits
        or a rounding error could make a difference. The exact engine then decides.
"""

# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from ...spec.expressions import (
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
    Table,
    Unary,
)
from ...spec.expressions import (
    Sequence as SequenceExpr,
)
from ...spec.expressions import (
    Truth as TruthExpr,
)
from .. import functions
from ..scope import Definition
from ..values import Distribution, EvaluationError, checked
from .aggregates import GATHERS
from .constants import (
    FAULT,
    MADE_ANEW,
    Scope,
    item_type,
)
from .functions import Functions
from .values import (
    F64,
    I1,
    I64,
    List,
    Odds,
    Real,
    Some,
    Span,
    Truth,
    Unsupported,
    const,
    known_length,
    most_items,
)


class Expressions(Functions):
    """Compiles expressions within one function."""

    def compile(self, expr: Expr, scope: Scope) -> Any:
        """Any expression."""
        method = getattr(self, "_" + type(expr).__name__.lower(), None)
        if method is None:
            raise Unsupported("a label in a calculation")
        return method(expr, scope)

    def _number(self, expr: Number, _: Scope) -> Any:
        return self.fraction(expr.value)

    def _truth(self, expr: TruthExpr, _: Scope) -> Any:
        return Truth(ir.Constant(I1, int(expr.value)))

    def _dice(self, expr: Dice, _: Scope) -> Any:
        return self.constant_odds(functions.dice(expr.count, expr.sides))

    def _name(self, expr: Name, scope: Scope) -> Any:
        for name, value in reversed(scope):
            if name == expr.name:
                return value
        if expr.name in self.names.constants:
            return self.constant(self.names.constants[expr.name])
        return self._defined(expr.name, (), scope)

    def _defined(self, name: str, arguments: tuple[Expr, ...], scope: Scope) -> Any:
        definition = self.names.definitions[name]
        if not arguments and (known := self.constant_of(definition)) is not None:
            return self.constant(known)
        given = [self.compile(argument, scope) for argument in arguments]
        names = [argument.name for argument in definition.header.arguments]
        self.size += 10
        return self.compile(definition.body, tuple(zip(names, given, strict=True)))

    def constant_of(self, definition: Definition) -> Any:
        """The exact value of a definition without arguments; None where there is none."""
        if self.names.approximate:
            return None  # how far off a float is, only its expression tells
        run, _ = definition.compiled[()]
        try:
            value = run(())
        except EvaluationError:
            return None  # a fault, if play comes by
        return None if isinstance(value, str | Distribution) else value

    def _letin(self, expr: LetIn, scope: Scope) -> Any:
        value = self.compile(expr.value, scope)
        return self.compile(expr.body, (*scope, (expr.name, value)))

    def _ifelse(self, expr: IfElse, scope: Scope) -> Any:
        condition = self.truth(self.compile(expr.condition, scope))
        return self.branches(
            condition, lambda: self.compile(expr.yes, scope), lambda: self.compile(expr.no, scope)
        )

    def _unary(self, expr: Unary, scope: Scope) -> Any:
        value = self.compile(expr.operand, scope)
        if expr.operator == "not":
            return Truth(self.b.not_(self.truth(value)))
        if expr.operator == "+":
            return value
        if expr.operator == "~":
            return self.subtract(const(-1), self.integer(value))
        return self.subtract(const(0), value)

    def _binary(self, expr: Binary, scope: Scope) -> Any:
        if expr.operator in {"and", "or"}:
            return self._logic(expr, scope)
        left, right = self.compile(expr.left, scope), self.compile(expr.right, scope)
        return self.arithmetic(expr.operator, left, right)

    def _logic(self, expr: Binary, scope: Scope) -> Truth:
        left = self.truth(self.compile(expr.left, scope))

        def right() -> Truth:
            return Truth(self.truth(self.compile(expr.right, scope)))

        if expr.operator == "and":
            return self.branches(left, right, lambda: Truth(ir.Constant(I1, 0)))
        return self.branches(left, lambda: Truth(ir.Constant(I1, 1)), right)

    def _compare(self, expr: Compare, scope: Scope) -> Truth:
        values = [self.compile(operand, scope) for operand in expr.operands]
        result: Any = None
        for i, operator in enumerate(expr.operators):
            test = self.test(operator, values[i], values[i + 1])
            result = test if result is None else self.b.and_(result, test)
        return Truth(result)

    def _sequence(self, expr: SequenceExpr, scope: Scope) -> List:
        return self.new_list([self.compile(item, scope) for item in expr.items])

    def _index(self, expr: Index, scope: Scope) -> Any:
        base = self.compile(expr.base, scope)
        i = self.integer(self.compile(expr.index, scope))
        if isinstance(base, Span):
            at = self.add(base.low, i)
            beyond = self.b.icmp_signed(">", at.v, base.high.v)
            below = self.b.icmp_signed("<", i.v, ir.Constant(I64, 0))
            self.stop_if(self.b.or_(beyond, below), FAULT)
            return at
        if not isinstance(base, List | Some):
            raise Unsupported("an index into something that is no list")
        self.check_index(base, i)
        return self.item_at(base, i.v)

    def _range(self, expr: Range, scope: Scope) -> Span:
        low = self.integer(self.compile(expr.low, scope))
        return Span(low, self.integer(self.compile(expr.high, scope)))

    def _table(self, expr: Table, scope: Scope) -> Odds:
        """A distribution written out: its values and odds in stack memory."""
        values = self.new_list([self.compile(key, scope) for key, _ in expr.entries])
        zero = ir.Constant(F64, 0.0)
        total: Any = Real(zero, zero)
        odds: list[Real | None] = []
        for _, given in expr.entries:
            p = None if given is None else self.real(self.compile(given, scope))
            odds.append(p)
            if p is not None:
                self.stop_if(self.b.fcmp_unordered("<", p.v, zero), FAULT)
                total = self.add(total, p)
        left = self.subtract(Real(ir.Constant(F64, 1.0), zero), total)
        sharers = odds.count(None)
        gap = left.v if sharers else self.b.fneg(self.fabs(left.v))
        self.stop_if(self.b.fcmp_unordered("<", gap, self.b.fneg(left.e)), FAULT)
        share = self.divide(left, const(max(sharers, 1)))
        count = len(odds)
        p_memory, e_memory = self.slot(I64, count=count), self.slot(I64, count=count)
        for i, p in enumerate(odds):
            self.put_word(p_memory, i, self.b.bitcast((p or share).v, I64))
            self.put_word(e_memory, i, self.b.bitcast((p or share).e, I64))
        return Odds(values, p_memory, ir.Constant(I64, count), e=e_memory)

    def _comprehension(self, expr: Comprehension, scope: Scope) -> Any:
        if expr.function == "":
            return self._list_comprehension(expr, scope)
        gather = GATHERS[expr.function](self)

        def take(inner: Scope, most: int | None) -> None:
            gather.most = most
            gather.take(self.compile(expr.element, inner))

        self._rounds(list(expr.clauses), scope, take)
        return gather.result()

    def _rounds(
        self,
        clauses: list[Clause],
        scope: Scope,
        body: Callable[[Scope, int | None], None],
        most: int | None = 1,
    ) -> None:
        """``body`` in all loops, with the scope there and the most rounds that there may be."""
        if not clauses:
            body(scope, most)
            return
        clause, *rest = clauses
        source = self.compile(clause.source, scope)
        here = most_items(source)
        within = None if most is None or here is None else most * here
        with self.each(source) as value:
            inner = (*scope, (clause.name, value))
            self._guarded(
                list(clause.conditions),
                inner,
                lambda inner=inner: self._rounds(rest, inner, body, within),
            )

    def _guarded(self, conditions: list[Expr], scope: Scope, body: Callable[[], None]) -> None:
        """``body`` where all conditions hold; each is looked at only where those before it do."""
        if not conditions:
            body()
            return
        with self.b.if_then(self.truth(self.compile(conditions[0], scope))):
            self._guarded(conditions[1:], scope, body)

    def _list_comprehension(self, expr: Comprehension, scope: Scope) -> List | Some:
        items: list[Any] = []
        whole = not any(clause.conditions for clause in expr.clauses)
        if whole and self._unrolled(expr, list(expr.clauses), scope, items):
            return self.new_list(items)
        return self._some(expr, scope)

    def _unrolled(
        self, expr: Comprehension, clauses: list[Clause], scope: Scope, items: list[Any]
    ) -> bool:
        """Append each item of a list whose length is known; False where it is not, or long."""
        if not clauses:
            items.append(self.compile(expr.element, scope))
            return True
        clause, *rest = clauses
        source = self.listed(self.compile(clause.source, scope))
        length = known_length(source)
        if length is None or len(items) + length > MADE_ANEW:
            return False
        return all(
            self._unrolled(expr, rest, (*scope, (clause.name, self._item(source, i))), items)
            for i in range(length)
        )

    def _item(self, source: Any, i: int) -> Any:
        return self.item_at(source, ir.Constant(I64, i))

    def _some(self, expr: Comprehension, scope: Scope) -> Some:
        """A list whose length depends on the state, in stack memory."""
        count = self.slot(I64)
        self.b.store(ir.Constant(I64, 0), count)
        made: list[Some] = []

        def take(inner: Scope, most: int | None) -> None:
            if most is None or most > MADE_ANEW:
                raise Unsupported(f"a list of more than {MADE_ANEW} items that is made anew")
            value = self.compile(expr.element, inner)
            kind = item_type(value)
            memory = self.slot(I64, count=max(most * kind.words, 1))
            n = self.b.load(count)
            self.store_item(memory, self.b.mul(n, ir.Constant(I64, kind.words)), value)
            self.b.store(self.b.add(n, ir.Constant(I64, 1)), count)
            made.append(Some(memory, n, most, kind))

        self._rounds(list(expr.clauses), scope, take)
        [some] = made
        return Some(some.p, self.b.load(count), some.most, some.item)

    def _call(self, expr: Call, scope: Scope) -> Any:
        if expr.name in self.names.definitions:
            return self._defined(expr.name, expr.arguments, scope)
        if expr.name == "draw":
            known = [self.known(argument, scope) for argument in expr.arguments]
            return self.constant(functions.draw(*known))
        given = [self.compile(argument, scope) for argument in expr.arguments]
        return self.builtin(expr.name, given)

    def known(self, expr: Expr, scope: Scope) -> Any:
        """The value of an expression that needs no state."""
        if isinstance(expr, Number):
            return checked(expr.value)
        if isinstance(expr, SequenceExpr):
            return tuple(self.known(item, scope) for item in expr.items)
        hidden = isinstance(expr, Name) and any(name == expr.name for name, _ in scope)
        if isinstance(expr, Name) and expr.name in self.names.constants and not hidden:
            return self.names.constants[expr.name]
        if isinstance(expr, Name) and expr.name in self.names.definitions and not hidden:
            return self.constant_of(self.names.definitions[expr.name])
        raise Unsupported("`draw` from cards that vary")
