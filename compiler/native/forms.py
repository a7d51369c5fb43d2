"""One definition to one function: what its states come to, and their children."""

# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from ...spec.expressions import Argument
from ..dag import Kind
from ..program import (
    Bind,
    Branch,
    Choice,
    Choose,
    Form,
    Loop,
    Payoff,
    Sum,
    Visit,
)
from ..scope import Code
from .constants import FAULT, GROW, MADE_ANEW, UNSURE, Scope
from .expressions import Expressions
from .layout import ALIAS, PAYOFF
from .odds import EachWithOdds, OddsWriter, Outcome, modes
from .shapes import Definition, Shape, is_static, shape_of, words_of_shape
from .values import F64, I32, I64, Int, List, Odds, Real, Some, Span, Truth, Unsupported, const

if TYPE_CHECKING:
    from .machine import Builder

MOST_COMPARED = 40  # items of a list that branches are named by


class FunctionWriter(Expressions):
    """Writes the function of one definition."""

    def __init__(self, builder: Builder, definition: Definition) -> None:
        kind = ir.FunctionType(
            I64,
            [
                I64.as_pointer(),  # the state's words
                I32.as_pointer(),  # entries: definition
                F64.as_pointer(),  # weight
                I64.as_pointer(),  # words, `stride` each
                I64,  # room for entries
                F64.as_pointer(),  # RESULT doubles
            ],
        )
        function = ir.Function(builder.module, kind, f"d{definition.number}")
        function.linkage = "internal"
        super().__init__(builder.module, function, builder.program.names)
        self.builder = builder
        self.definition = definition
        self.count = self.slot(I64, ir.Constant(I64, 0))
        zero = ir.Constant(F64, 0.0)
        self.offset, self.offset_error = self.slot(F64, zero), self.slot(F64, zero)
        self.odds_error = self.slot(F64, zero)
        self.by_chance = False

    def write(self) -> Any:
        """The whole function."""
        self.body(self.definition.form, self.arguments(), own=True)
        self.close()
        return self.function

    def arguments(self) -> Scope:
        """The local names, read from the state's words."""
        at, scope = 0, []
        for name, shape in zip(self.definition.names, self.definition.shapes, strict=True):
            value, at = self.unpack(shape, at)
            scope.append((name, value))
        return tuple(scope)

    def unpack(self, shape: Shape, at: int) -> tuple[Any, int]:
        """A value from the words from ``at``, and where the next one begins."""
        words = self.function.args[0]
        if shape[0] == "static":
            return shape[1], at
        if shape[0] == "int":
            return Int(self.word(words, at), shape[1], shape[2]), at + 1
        if shape[0] == "truth":
            bit = self.b.trunc(self.word(words, at), ir.IntType(1))
            return Truth(bit), at + 1
        if shape[0] == "real":
            v = self.b.bitcast(self.word(words, at), F64)
            return Real(v, self.b.bitcast(self.word(words, at + 1), F64)), at + 2
        if shape[0] == "span":
            low, at = self.unpack(shape[1], at)
            high, at = self.unpack(shape[2], at)
            return Span(low, high), at
        pointer = self.b.gep(words, [ir.Constant(I64, at)])
        return List(pointer, shape[1], shape[2]), at + words_of_shape(shape)

    # --- what a definition comes to ---

    def body(self, form: Form, scope: Scope, *, own: bool = False) -> None:
        """Write what ``form`` comes to, and return from the function."""
        if form.shared and not (own and self.definition.node is None):
            self.child(form, scope, ir.Constant(F64, 0.0))
            self.leave(ALIAS)
        elif isinstance(form, Choose):
            condition = self.truth(self.expression(form.condition, scope))
            yes, no = self.function.append_basic_block(), self.function.append_basic_block()
            self.b.cbranch(condition, yes, no)
            for block, side in ((yes, form.yes), (no, form.no)):
                self.b.position_at_end(block)
                self.body(side, scope)
        elif isinstance(form, Bind):
            self.body(form.body, self.bound(form, scope))
        elif isinstance(form, Visit):
            self.visit(form, scope, ir.Constant(F64, 0.0))
            self.leave(ALIAS)
        elif isinstance(form, Payoff):
            self.add_offset(self.payoff(form, scope))
            self.leave(Kind.TERMINAL)
        elif isinstance(form, Sum):
            self.sum(form, scope)
        else:
            assert isinstance(form, Choice)
            self.choice(form, scope)

    def leave(self, status: int | Any) -> None:
        """Write the result and return."""
        result = self.function.args[5]
        counts = [self.b.sitofp(self.b.load(slot), F64) for slot in (self.count, self.rounds)]
        numbers = [self.b.load(s) for s in (self.offset, self.offset_error, self.odds_error)]
        for i, number in enumerate([*numbers, *counts]):
            self.b.store(number, self.b.gep(result, [ir.Constant(I64, i)]))
        self.b.ret(ir.Constant(I64, int(status)) if isinstance(status, int) else status)

    def expression(self, code: Code, scope: Scope) -> Any:
        """The value of compiled code, from its syntax tree."""
        if code.constant:
            return self.constant(code.run(()))
        return self.compile(code.expr, scope)

    def bound(self, form: Bind, scope: Scope) -> Scope:
        """The scope with the name that ``let`` binds."""
        return (*scope, (form.name, self.expression(form.value, scope)))

    def payoff(self, form: Payoff, scope: Scope) -> Real:
        """A payoff as a double."""
        if form.code is None:
            return self.real(self.constant(form.value))
        return self.exactly(self.real(self.expression(form.code, scope)))

    def add_offset(self, amount: Real) -> None:
        """Add to the state's reward or constant."""
        self.finite(amount.v)
        total = self.add(Real(self.b.load(self.offset), self.b.load(self.offset_error)), amount)
        self.b.store(total.v, self.offset)
        self.b.store(total.e, self.offset_error)

    # --- children ---

    def child(self, form: Form, scope: Scope, weight: Any) -> None:
        """Write the entry of a child with its weight."""
        if form.shared:
            kept = scope[: form.needs]
            self.inner_entry(self.inner(form, kept, keyed=True), kept, weight)
        elif isinstance(form, Choose):
            condition = self.truth(self.expression(form.condition, scope))
            with self.b.if_else(condition) as (then, other):
                with then:
                    self.child(form.yes, scope, weight)
                with other:
                    self.child(form.no, scope, weight)
        elif isinstance(form, Bind):
            self.child(form.body, self.bound(form, scope), weight)
        elif isinstance(form, Visit):
            self.visit(form, scope, weight)
        elif isinstance(form, Payoff):
            amount = self.payoff(form, scope)
            self.finite(amount.v)
            words = [self.b.bitcast(part, I64) for part in (amount.v, amount.e)]
            self.put_entry(PAYOFF, words, weight)
        else:
            self.inner_entry(self.inner(form, scope, keyed=False), scope, weight)

    def inner(self, form: Form, scope: Scope, *, keyed: bool) -> Definition:
        """The definition of a node written inside another."""
        names = tuple(name for name, _ in scope)
        shapes = tuple(shape_of(value) for _, value in scope)
        return self.builder.definition(form, names, shapes, keyed=keyed)

    def inner_entry(self, definition: Definition, scope: Scope, weight: Any) -> None:
        """Write the entry of a node that is written inside this one."""
        words = [word for _, value in scope for word in self.flat(value)]
        self.put_entry(definition.number, words, weight)

    def flat(self, value: Any) -> list[Any]:
        """A value as the words that a state keeps."""
        if isinstance(value, List | Odds) and is_static(value):
            return []
        if isinstance(value, Real):
            return [self.b.bitcast(part, I64) for part in (value.v, value.e)]
        if isinstance(value, Span):
            return [value.low.v, value.high.v]
        return self.words(value)

    def put_entry(self, definition: int, words: list[Any], weight: Any) -> None:
        """Append an entry, if there is room."""
        _, definitions, weights, memory, room, _ = self.function.args
        n = self.b.load(self.count)
        self.stop_if(self.b.icmp_signed(">=", n, room), GROW)
        self.b.store(ir.Constant(I32, definition), self.b.gep(definitions, [n]))
        self.b.store(weight, self.b.gep(weights, [n]))
        start = self.b.mul(n, self.b.load(self.builder.stride))
        base = self.b.gep(memory, [start])
        for i, word in enumerate(words):
            self.put_word(base, i, word)
        self.b.store(self.b.add(n, ir.Constant(I64, 1)), self.count)

    def visit(self, form: Visit, scope: Scope, weight: Any) -> None:
        """Write the entry of a call, its arguments checked against their ranges."""
        target = self.builder.named(form.target)
        words: list[Any] = []
        for argument, shape, code in zip(
            form.target.arguments, target.shapes, form.arguments, strict=True
        ):
            value = self.expression(code, scope)
            words.extend(self.checked(argument, shape, value))
        self.put_entry(target.number, words, weight)

    def checked(self, argument: Argument, shape: Shape, value: Any) -> list[Any]:
        """An argument's words; a fault where it is outside its range."""
        if shape[0] == "truth":
            if not isinstance(value, Truth):
                raise Unsupported(f"`{argument.name}` from a value that may be a number")
            return [self.b.zext(value.v, I64)]
        if shape[0] == "int":
            if isinstance(value, Real) and value.ratio is None:
                raise Unsupported(f"`{argument.name}`, a number of the state that is not whole")
            number = self.integer(value)
            self.check_range(number, shape[1], shape[2])
            return [number.v]
        value = self.of_length(value, shape[1])
        if not isinstance(value, List) or value.length != shape[1]:
            raise Unsupported(f"`{argument.name}`, a list whose length varies")
        low, high = shape[2].low, shape[2].high
        words = self.words(value)
        known = value.item
        inside = known.low is not None and known.high is not None and low is not None
        if not (inside and low <= known.low and known.high <= high) and low is not None:  # type: ignore[operator]
            for word in words:
                self.check_range(Int(word), low, high)
        return words

    def of_length(self, value: Any, length: int) -> Any:
        """A list of ``length`` items; a fault where there are more or fewer."""
        if isinstance(value, Some) and value.most >= length:
            other = self.b.icmp_signed("!=", value.count, ir.Constant(I64, length))
            self.stop_if(other, FAULT)
            return List(value.p, length, value.item)
        if isinstance(value, Span) and 0 < length <= MADE_ANEW:
            last = self.add(value.low, const(length - 1))
            self.stop_if(self.b.icmp_signed("!=", last.v, value.high.v), FAULT)
            return self.new_list([self.add(value.low, const(i)) for i in range(length)])
        return value

    def check_range(self, number: Int, low: int | None, high: int | None) -> None:
        """A fault where ``number`` is outside low..high."""
        if low is not None and (number.low is None or number.low < low):
            self.stop_if(self.b.icmp_signed("<", number.v, ir.Constant(I64, low)), FAULT)
        if high is not None and (number.high is None or number.high > high):
            self.stop_if(self.b.icmp_signed(">", number.v, ir.Constant(I64, high)), FAULT)

    # --- sums ---

    def sum(self, form: Sum, scope: Scope) -> None:
        """A constant plus factors times nodes; one node alone is that node."""
        self.add_terms(form, scope, self.real(self.constant(1)))
        n = self.b.load(self.count)
        zero, single = ir.Constant(I64, 0), ir.Constant(I64, 1)
        weight = self.b.load(self.function.args[2])
        same = self.b.and_(
            self.b.icmp_signed("==", n, single),
            self.b.and_(
                self.b.fcmp_ordered("==", weight, ir.Constant(F64, 1.0)),
                self.b.fcmp_ordered("==", self.b.load(self.offset), ir.Constant(F64, 0.0)),
            ),
        )
        offset = Real(self.b.load(self.offset), self.b.load(self.offset_error))
        scale = Real(weight, self.b.load(self.odds_error))
        zero_in_doubt, one_in_doubt = self.maybe(offset, 0.0), self.maybe(scale, 1.0)
        zero_or_doubt = self.b.or_(
            zero_in_doubt, self.b.fcmp_ordered("==", offset.v, ir.Constant(F64, 0.0))
        )
        one_or_doubt = self.b.or_(
            one_in_doubt, self.b.fcmp_ordered("==", scale.v, ir.Constant(F64, 1.0))
        )
        doubt = self.b.and_(
            self.b.and_(zero_or_doubt, one_or_doubt), self.b.or_(zero_in_doubt, one_in_doubt)
        )
        self.stop_if(self.b.and_(self.b.icmp_signed("==", n, single), doubt), UNSURE)
        kinds = [ir.Constant(I64, int(k)) for k in (ALIAS, Kind.TERMINAL, Kind.SUM)]
        other = self.pick(self.b.icmp_signed("==", n, zero), kinds[1], kinds[2])
        self.leave(self.pick(same, kinds[0], other))

    def add_terms(self, form: Sum, scope: Scope, factor: Real) -> None:
        """Add ``factor`` times a sum: payoffs to the constant, nodes as entries."""
        if form.constant is not None:
            amount = self.exactly(self.real(self.expression(form.constant, scope)))
            self.add_offset(self.multiply(factor, amount))
        for code, term in form.terms:
            scale = factor
            if code is not None:
                scale = self.multiply(factor, self.real(self.expression(code, scope)))
            self.add_term(term, scope, scale)

    def add_term(self, form: Form, scope: Scope, factor: Real) -> None:
        """Add ``factor`` times a node to a sum."""
        if form.shared or isinstance(form, Visit | Choice):
            factor = self.exactly(factor)
            self.finite(factor.v)
            self.stop_if(self.maybe(factor, 0.0), UNSURE)
            present = self.b.fcmp_unordered("!=", factor.v, ir.Constant(F64, 0.0))
            with self.b.if_then(present):
                self.child(form, scope, factor.v)
                self.add_odds_error(factor.e)
        elif isinstance(form, Choose):
            condition = self.truth(self.expression(form.condition, scope))
            with self.b.if_else(condition) as (then, other):
                with then:
                    self.add_term(form.yes, scope, factor)
                with other:
                    self.add_term(form.no, scope, factor)
        elif isinstance(form, Bind):
            self.add_term(form.body, self.bound(form, scope), factor)
        elif isinstance(form, Payoff):
            self.add_offset(self.multiply(factor, self.payoff(form, scope)))
        else:
            assert isinstance(form, Sum)
            self.add_terms(form, scope, factor)

    def exactly(self, number: Real) -> Real:
        """A number from the quotient that it is known to be: nothing lost on the way."""
        if number.ratio is None or not all(part.bounded for part in number.ratio):
            return number
        return self.divide(*number.ratio)

    def maybe(self, number: Real, point: float) -> Any:
        """Whether a number with an error cannot be told from ``point``."""
        gap = self.fabs(self.b.fsub(number.v, ir.Constant(F64, point)))
        near = self.b.fcmp_unordered("<=", gap, number.e)
        return self.b.and_(near, self.b.fcmp_unordered(">", number.e, ir.Constant(F64, 0.0)))

    def add_odds_error(self, error: Any) -> None:
        """Add to how far the weights are off, all together."""
        self.b.store(self.b.fadd(self.b.load(self.odds_error), error), self.odds_error)

    # --- choices ---

    def choice(self, form: Choice, scope: Scope) -> None:
        """MAX, MIN or CHANCE."""
        if form.reward is not None:
            self.add_offset(self.real(self.expression(form.reward, scope)))
        self.by_chance = form.kind is Kind.CHANCE
        names = [b.label for b in form.branches if isinstance(b, Branch)]
        beside_loops = not self.by_chance and len(names) < len(form.branches)
        if beside_loops and any(name.lstrip("-").isdigit() for name in names):
            raise Unsupported("numbers as names beside a loop, which might be the same")
        if form.kind is Kind.CHANCE:
            OddsWriter(self, form).write(scope)
        else:
            for branch in form.branches:
                self.each_outcome(branch, scope, self.plain)
        none = self.b.icmp_signed("==", self.b.load(self.count), ir.Constant(I64, 0))
        self.stop_if(none, FAULT)
        self.leave(form.kind)

    def plain(self, form: Form, scope: Scope, _: list[Outcome]) -> None:
        """An outcome without odds."""
        self.child(form, scope, ir.Constant(F64, 0.0))

    def each_outcome(
        self,
        branch: Branch | Loop,
        scope: Scope,
        take: Callable[[Form, Scope, list[Outcome]], None],
    ) -> None:
        """Call ``take`` for the code of each outcome, within its loops."""
        nested = isinstance(branch, Loop) and "nested" in modes(branch)
        self._within(branch, scope, [], take, nested=nested)

    def equal_share(self, loop: Loop, source: Any, scope: Scope) -> Real:
        """One share of a loop without odds inside or around one that has some."""
        count = self.slot(I64)
        self.b.store(ir.Constant(I64, 0), count)
        with self.each(source) as value:
            more: Any = ir.Constant(I64, 1)
            if loop.condition is not None:
                inner = (*scope, (loop.name, value))
                more = self.b.zext(self.truth(self.expression(loop.condition, inner)), I64)
            self.b.store(self.b.add(self.b.load(count), more), count)
        found = self.b.load(count)
        none = self.b.icmp_signed("==", found, ir.Constant(I64, 0))
        many = self.pick(none, ir.Constant(I64, 1), found)
        return self.divide(Int(ir.Constant(I64, 1), 1, 1), Int(many, 1, 2**40))

    def _within(
        self,
        branch: Branch | Loop,
        scope: Scope,
        odds: list[Outcome],
        take: Callable[[Form, Scope, list[Outcome]], None],
        *,
        nested: bool,
    ) -> None:
        if isinstance(branch, Branch):
            own = [*odds, (branch.odds, scope, None)]
            self.where(branch.condition, scope, lambda: take(branch.form, scope, own))
            return
        source = self.expression(branch.source, scope)
        if isinstance(source, List | Some) and branch.label is None:
            self.check_distinct(source)
        share: Real | None = None
        if nested and branch.odds is None and not isinstance(source, Odds):
            share = self.equal_share(branch, source, scope)
        with self.each_with_odds(source) as (value, dice):
            p = share if dice is None else dice
            inner = (*scope, (branch.name, value))
            rest = [*odds, (branch.odds, inner, p)]

            def go() -> None:
                if isinstance(branch.body, Loop):
                    self._within(branch.body, inner, rest, take, nested=nested)
                else:
                    take(branch.body, inner, rest)

            self.where(branch.condition, inner, go)

    def where(self, condition: Code | None, scope: Scope, write: Callable[[], None]) -> None:
        """What ``write`` writes, run only where the condition, if there is one, is true."""
        if condition is None:
            write()
        else:
            with self.b.if_then(self.truth(self.expression(condition, scope))):
                write()

    def check_distinct(self, items: List | Some) -> None:
        """A fault where two branches of a choice have one name: equal items of a list."""
        if self.by_chance:
            return
        if isinstance(items, Some):
            with self.loop(ir.Constant(I64, 0), items.count) as at:
                item = self.item_at(items, at)
                with self.loop(ir.Constant(I64, 0), at) as before:
                    same = self.test("==", item, self.item_at(items, before))
                    self.stop_if(same, FAULT)
            return
        if items.length > MOST_COMPARED:
            return
        for at in range(1, items.length):
            item = self.item_at(items, ir.Constant(I64, at))
            for before in range(at):
                other = self.item_at(items, ir.Constant(I64, before))
                self.stop_if(self.test("==", item, other), FAULT)

    def each_with_odds(self, source: Any) -> Any:
        """The values of a loop, with their odds where it goes over a distribution."""
        return EachWithOdds(self, source)
