"""A program to machine code: one function for each named node and each node written inside one.

Input   a ``Program``.
Output  a ``Machine``: the address of ``expand(definition, words, …)``, which writes what a state
        comes to: its kind, reward, and an entry for each child (a payoff, or a definition with
        the words of its state).
Holds   the function returns a status: a ``Kind``, ``ALIAS`` (the state is another one), or a
        number below 0 (see ``native.expressions``), after which nothing it wrote counts.
Errors  ``Unsupported``, with what machine code cannot express.
"""

# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir

from ...spec.expression_printer import print_expression
from ...spec.expressions import Argument, Expr, ListOf, Name, Range
from ..dag import Kind
from ..program import (
    Bind,
    Branch,
    Choice,
    Choose,
    Form,
    Loop,
    NamedNode,
    Payoff,
    Program,
    Sum,
    Visit,
)
from ..program import (
    Odds as OddsForm,
)
from ..scope import Code
from ..values import EvaluationError
from .expressions import FAULT, GROW, UNIT, UNSURE, Emitter, Scope
from .values import F64, I32, I64, Int, Item, List, Odds, Real, Span, Truth, Unsupported

ALIAS = 5
PAYOFF = -1  # the definition of an entry that is a payoff: its words are value and error
MOST_DEFINITIONS = 500
MOST_COMPARED = 40  # items of a list that branches are named by
RESULT = 5  # doubles: reward, its error, the odds' error, entries, loop rounds

Shape = tuple[Any, ...]  # of a value that a state carries


@dataclass(slots=True)
class Definition:
    """A function of the machine: what it is called with and how its states are told apart."""

    number: int
    form: Form
    names: tuple[str, ...]
    shapes: tuple[Shape, ...]
    node: NamedNode | None = None
    keyed: bool = False  # equal states are one node

    @property
    def words(self) -> int:
        """How many words a state takes."""
        return sum(_words_of_shape(shape) for shape in self.shapes)

    def ranges(self) -> list[tuple[int, int]] | None:
        """The interval of each word, where all are known."""
        found: list[tuple[int, int]] = []
        for shape in self.shapes:
            if not _ranges_of_shape(shape, found):
                return None
        return found


@dataclass(slots=True)
class Machine:
    """Compiled code; it lives as long as this object."""

    address: int
    definitions: list[Definition]
    stride: int  # words an entry has room for
    engine: Any = field(repr=False)


def build(program: Program, root: Form) -> Machine:
    """Compile ``program`` as it unfolds from ``root``; a tenth of a second for a page of text.

    Raises:
        Unsupported: Where machine code cannot express the game.
    """
    try:
        return _Builder(program).build(root)
    except EvaluationError as error:  # `roll(2, 0)`: the exact engine says where
        raise Unsupported(f"an expression without a value: {error.message}") from None


class _Builder:
    """The module under construction and the definitions found so far."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.module = ir.Module("game")
        self.definitions: list[Definition] = []
        self.known: dict[tuple[Any, ...], Definition] = {}
        self.stride = ir.GlobalVariable(self.module, I64, "stride")
        self.stride.global_constant = True
        self.stride.linkage = "internal"

    def build(self, root: Form) -> Machine:
        self.definition(root, (), ())
        done = 0
        functions: list[Any] = []
        while done < len(self.definitions):
            if done == MOST_DEFINITIONS:
                raise Unsupported("a tree written out: it has no states to find")
            functions.append(_FunctionWriter(self, self.definitions[done]).write())
            done += 1
        stride = max(2, *(definition.words for definition in self.definitions))
        self.stride.initializer = ir.Constant(I64, stride)
        self.dispatcher(functions)
        engine = _to_machine_code(self.module)
        return Machine(engine.get_function_address("expand"), self.definitions, stride, engine)

    def definition(
        self,
        form: Form,
        names: tuple[str, ...],
        shapes: tuple[Shape, ...],
        *,
        node: NamedNode | None = None,
        keyed: bool = False,
    ) -> Definition:
        """The definition of a form in a scope; made once."""
        key = (node or form, keyed, names, shapes)
        if key not in self.known:
            made = Definition(len(self.definitions), form, names, shapes, node, keyed)
            self.definitions.append(made)
            self.known[key] = made
        return self.known[key]

    def named(self, node: NamedNode) -> Definition:
        """The definition of a named node."""
        assert node.body is not None
        names = tuple(argument.name for argument in node.arguments)
        shapes = tuple(self.declared(argument.kind) for argument in node.arguments)
        return self.definition(node.body, names, shapes, node=node, keyed=True)

    def declared(self, kind: Expr | None) -> Shape:
        """The shape of an argument from its declaration."""
        if kind is None:
            return ("int", None, None)
        if isinstance(kind, Range):
            return ("int", self.constant(kind.low), self.constant(kind.high))
        if isinstance(kind, ListOf):
            length, inner = self.constant(kind.length), self.declared(kind.item)
            return ("list", length, _item_of_shape(inner))
        if isinstance(kind, Name) and kind.name == "bool":
            return ("truth",)
        return ("int", None, None)

    def constant(self, expr: Expr) -> int:
        """A bound of a range."""
        return int(self.program.constant(print_expression(expr)))

    def dispatcher(self, functions: list[Any]) -> None:
        """``expand``: the function of a definition by its number."""
        parameters = [I64, *functions[0].function_type.args]
        expand = ir.Function(self.module, ir.FunctionType(I64, parameters), "expand")
        builder = ir.IRBuilder(expand.append_basic_block())
        wrong = expand.append_basic_block("wrong")
        switch = builder.switch(expand.args[0], wrong)
        for number, function in enumerate(functions):
            block = expand.append_basic_block()
            switch.add_case(ir.Constant(I64, number), block)
            inner = ir.IRBuilder(block)
            inner.ret(inner.call(function, expand.args[1:]))
        ir.IRBuilder(wrong).ret(ir.Constant(I64, UNSURE))


class _FunctionWriter(Emitter):
    """Writes the function of one definition."""

    def __init__(self, builder: _Builder, definition: Definition) -> None:
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
        return List(pointer, shape[1], shape[2]), at + _words_of_shape(shape)

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
        total = self._add(Real(self.b.load(self.offset), self.b.load(self.offset_error)), amount)
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
        shapes = tuple(_shape_of(value) for _, value in scope)
        return self.builder.definition(form, names, shapes, keyed=keyed)

    def inner_entry(self, definition: Definition, scope: Scope, weight: Any) -> None:
        words = [word for _, value in scope for word in self.flat(value)]
        self.put_entry(definition.number, words, weight)

    def flat(self, value: Any) -> list[Any]:
        """A value as the words that a state keeps."""
        if isinstance(value, List | Odds) and _is_static(value):
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
        if isinstance(value, Span):
            raise Unsupported("a range in the place of a list of the state")
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

    def check_range(self, number: Int, low: int | None, high: int | None) -> None:
        """A fault where ``number`` is outside low..high."""
        if low is not None and (number.low is None or number.low < low):
            self.stop_if(self.b.icmp_signed("<", number.v, ir.Constant(I64, low)), FAULT)
        if high is not None and (number.high is None or number.high > high):
            self.stop_if(self.b.icmp_signed(">", number.v, ir.Constant(I64, high)), FAULT)

    # --- sums ---

    def sum(self, form: Sum, scope: Scope) -> None:
        """A constant plus factors times nodes; one node of factor 1 and no constant is that node."""
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
        zero_or_doubt = self.b.or_(zero_in_doubt, self.b.fcmp_ordered("==", offset.v, ir.Constant(F64, 0.0)))
        one_or_doubt = self.b.or_(one_in_doubt, self.b.fcmp_ordered("==", scale.v, ir.Constant(F64, 1.0)))
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
            self.add_offset(self._multiply(factor, amount))
        for code, term in form.terms:
            scale = factor
            if code is not None:
                scale = self._multiply(factor, self.real(self.expression(code, scope)))
            self.add_term(term, scope, scale)

    def add_term(self, form: Form, scope: Scope, factor: Real) -> None:
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
            self.add_offset(self._multiply(factor, self.payoff(form, scope)))
        else:
            assert isinstance(form, Sum)
            self.add_terms(form, scope, factor)

    def exactly(self, number: Real) -> Real:
        """A number from the quotient that it is known to be: nothing lost on the way."""
        if number.ratio is None or not all(part.bounded for part in number.ratio):
            return number
        return self._divide(*number.ratio)

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
        if not self.by_chance and len(names) < len(form.branches):
            if any(name.lstrip("-").isdigit() for name in names):
                raise Unsupported("numbers as names beside a loop, which might be the same")
        if form.kind is Kind.CHANCE:
            _OddsWriter(self, form).write(scope)
        else:
            for branch in form.branches:
                self.each_outcome(branch, scope, self.plain)
        none = self.b.icmp_signed("==", self.b.load(self.count), ir.Constant(I64, 0))
        self.stop_if(none, FAULT)
        self.leave(form.kind)

    def plain(self, form: Form, scope: Scope, _: list[Outcome]) -> None:
        self.child(form, scope, ir.Constant(F64, 0.0))

    def each_outcome(
        self,
        branch: Branch | Loop,
        scope: Scope,
        take: Callable[[Form, Scope, list[Outcome]], None],
    ) -> None:
        """Call ``take`` for the code of each outcome, within its loops."""
        nested = isinstance(branch, Loop) and "nested" in _modes(branch)
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
        return self._divide(Int(ir.Constant(I64, 1), 1, 1), Int(many, 1, 2**40))

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
            take(branch.form, scope, [*odds, (branch.odds, scope, None)])
            return
        source = self.expression(branch.source, scope)
        if isinstance(source, List) and branch.label is None:
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

            if branch.condition is None:
                go()
            else:
                with self.b.if_then(self.truth(self.expression(branch.condition, inner))):
                    go()

    def check_distinct(self, items: List) -> None:
        """A fault where two branches of a choice have one name: equal items of a list."""
        if self.by_chance or items.length > MOST_COMPARED:
            return
        for at in range(1, items.length):
            item = self.item_at(items, ir.Constant(I64, at))
            for before in range(at):
                other = self.item_at(items, ir.Constant(I64, before))
                self.stop_if(self.test("==", item, other), FAULT)

    def each_with_odds(self, source: Any) -> Any:
        """The values of a loop, with their odds where it goes over a distribution."""
        return _EachWithOdds(self, source)


Outcome = tuple[OddsForm | None, Scope, Any]  # odds written, the scope they see, dice's odds


class _EachWithOdds:
    """The context of ``each`` that also gives a distribution's odds."""

    def __init__(self, writer: _FunctionWriter, source: Any) -> None:
        self.writer = writer
        self.source = source

    def __enter__(self) -> tuple[Any, Any]:
        w, source = self.writer, self.source
        if not isinstance(source, Odds):
            self.loop = w.each(source)
            return self.loop.__enter__(), None
        self.loop = w.loop(ir.Constant(I64, 0), source.count)
        i = self.loop.__enter__()
        p = w.b.bitcast(w.word(source.p, i), F64)
        if source.e is None:
            odds = Real(p, w.b.fmul(p, ir.Constant(F64, UNIT)))
        else:
            odds = Real(p, w.b.bitcast(w.word(source.e, i), F64))
        if source.values is not None:
            return w.item_at(source.values, i), odds
        assert source.first is not None
        first = source.first
        low, high = first.low, None
        return Int(w.b.add(first.v, i), low, high), odds

    def __exit__(self, *exception: object) -> None:
        self.loop.__exit__(*exception)


class _OddsWriter:
    """Writes the outcomes of a chance node with their odds."""

    def __init__(self, writer: _FunctionWriter, form: Choice) -> None:
        self.w = writer
        self.form = form
        self.modes = {mode for branch in form.branches for mode in _modes(branch)}
        self.sum: Real | None = None  # of odds without loops, where more is known of it
        if all(isinstance(branch, Branch) for branch in form.branches):
            self.sum = writer.real(writer.constant(0))

    def write(self, scope: Scope) -> None:
        """All outcomes; equal odds are weights of 0, which stand for one share each."""
        if self.modes == {"none"}:
            for branch in self.form.branches:
                self.w.each_outcome(branch, scope, self.w.plain)
            return
        if self.modes & {"nested", "nested weight"}:
            self.modes = {mode.removeprefix("nested ") for mode in self.modes}
            self.modes = {"p" if mode == "nested" else mode for mode in self.modes}
        if "none" in self.modes or ("weight" in self.modes and len(self.modes) > 1):
            raise Unsupported("odds of several kinds at one chance node")
        zero = ir.Constant(F64, 0.0)
        self.total, self.error = self.w.slot(F64, zero), self.w.slot(F64, zero)
        for slot in (self.total, self.error):
            self.w.b.store(zero, slot)
        if "rest" in self.modes:
            self.shares(scope)
        for branch in self.form.branches:
            self.w.each_outcome(branch, scope, self.outcome)
        if self.modes == {"weight"}:
            self.normalise()
        elif "rest" not in self.modes:
            self.check_sum()

    def amount(self, odds: list[Outcome]) -> tuple[str, Real | None]:
        """The odds of an outcome: of its one loop or branch that has some."""
        product: Real | None = None
        kind = "p"
        for written, scope, p in odds:
            if written is not None and written.code is None:
                return "rest", None
            factor = p
            if written is not None and written.code is not None:
                kind = written.mode if written.mode == "weight" else kind
                factor = self.w.real(self.w.expression(written.code, scope))
            if factor is not None:
                product = factor if product is None else self.w._multiply(product, factor)
        return kind, product and self.w.exactly(product)

    def add(self, p: Real) -> None:
        """Add to what the odds sum to."""
        b = self.w.b
        if self.sum is not None:
            self.sum = self.w._add(self.sum, p)
        total = self.w._add(Real(b.load(self.total), b.load(self.error)), p)
        b.store(total.v, self.total)
        b.store(total.e, self.error)

    def shares(self, scope: Scope) -> None:
        """Before anything is written: what ``rest`` leaves to each that shares it."""
        w, zero = self.w, ir.Constant(I64, 0)
        count = w.slot(I64, zero)
        w.b.store(zero, count)

        def take(_: Form, __: Scope, odds: list[Outcome]) -> None:
            mode, p = self.amount(odds)
            if p is None:
                w.b.store(w.b.add(w.b.load(count), ir.Constant(I64, 1)), count)
            else:
                assert mode == "p"
                self.add(p)

        for branch in self.form.branches:
            w.each_outcome(branch, scope, take)
        one = Real(ir.Constant(F64, 1.0), ir.Constant(F64, 0.0))
        total = Real(w.b.load(self.total), w.b.load(self.error))
        if self.sum is not None:
            left = w.exactly(w._subtract(w.constant(1), self.sum))
        else:
            left = w._subtract(one, total)
        w.stop_if(w.b.fcmp_unordered("<", left.v, w.b.fneg(left.e)), FAULT)
        unsure = w.b.and_(
            w.b.fcmp_unordered("<=", left.v, left.e),
            w.b.fcmp_unordered(">", left.e, ir.Constant(F64, 0.0)),
        )
        w.stop_if(unsure, UNSURE)
        shared = w.b.load(count)
        many = w.pick(w.b.icmp_signed("==", shared, zero), ir.Constant(I64, 1), shared)
        self.share = w._divide(left, Int(many, 1, 2**40))
        nobody = w.b.icmp_signed("==", shared, zero)
        w.stop_if(w.b.and_(nobody, w.b.fcmp_unordered(">", left.v, left.e)), FAULT)

    def outcome(self, form: Form, scope: Scope, odds: list[Outcome]) -> None:
        """One outcome, unless its odds are 0."""
        w = self.w
        mode, p = self.amount(odds)
        if p is None:
            p = self.share
        elif mode == "p":
            below = w.b.fcmp_unordered("<", p.v, ir.Constant(F64, 0.0))
            above = w.b.fcmp_unordered(">", w.b.fsub(p.v, p.e), ir.Constant(F64, 1.0))
            w.stop_if(w.b.or_(below, above), FAULT)
        else:
            w.stop_if(w.b.fcmp_unordered("<", p.v, ir.Constant(F64, 0.0)), FAULT)
        zero = ir.Constant(F64, 0.0)
        unsure = w.b.and_(w.b.fcmp_unordered("<=", p.v, p.e), w.b.fcmp_unordered(">", p.e, zero))
        w.stop_if(unsure, UNSURE)
        if "rest" not in self.modes:
            self.add(p)
        with w.b.if_then(w.b.fcmp_unordered(">", p.v, zero)):
            w.add_odds_error(p.e)
            w.child(form, scope, p.v)

    def check_sum(self) -> None:
        """A fault unless the probabilities sum to 1, as far as they are known."""
        w = self.w
        if self.sum is not None and self.sum.ratio is not None:
            top, bottom = self.sum.ratio
            w.stop_if(w.b.icmp_signed("!=", top.v, bottom.v), FAULT)
            return
        gap = w.fabs(w.b.fsub(w.b.load(self.total), ir.Constant(F64, 1.0)))
        slack = w.b.fmul(w.b.load(self.error), ir.Constant(F64, 1.01))
        w.stop_if(w.b.fcmp_unordered(">", gap, slack), FAULT)

    def normalise(self) -> None:
        """Divide the weights by their sum."""
        w = self.w
        total, error = w.b.load(self.total), w.b.load(self.error)
        w.stop_if(w.b.fcmp_unordered("<=", total, ir.Constant(F64, 0.0)), FAULT)
        w.finite(total)
        count = w.b.load(w.count)
        weights = w.function.args[2]
        with w.loop(ir.Constant(I64, 0), count) as i:
            at = w.b.gep(weights, [i])
            w.b.store(w.b.fdiv(w.b.load(at), total), at)
        relative = w.b.fdiv(w.b.fadd(error, w.b.load(w.odds_error)), total)
        rounding = ir.Constant(F64, 2 * UNIT)
        w.b.store(w.b.fadd(relative, rounding), w.odds_error)


def _modes(branch: Branch | Loop) -> set[str]:
    """How the outcomes of a branch say their odds."""
    if isinstance(branch, Branch):
        return {"none" if branch.odds is None else branch.odds.mode}
    own = "none" if branch.odds is None else branch.odds.mode
    if branch.odds is None and branch.source.type == "distribution":
        own = "p"
    if not isinstance(branch.body, Loop):
        return {own}
    inner = _modes(branch.body)
    if own == "none" and inner == {"none"}:
        return {"none"}
    if own == "rest" or "rest" in inner:
        raise Unsupported("`rest` on one of two nested loops")
    weights = "weight" in {own, *inner} or "nested weight" in inner
    return {"nested weight" if weights else "nested"}


# --- shapes ------------------------------------------------------------------------------------


def _is_static(value: Any) -> bool:
    return isinstance(value, Odds) or (isinstance(value, List) and value.static)


def _shape_of(value: Any) -> Shape:
    if isinstance(value, Int):
        return ("int", value.low, value.high)
    if isinstance(value, Truth):
        return ("truth",)
    if isinstance(value, Real):
        return ("real",)
    if isinstance(value, Span):
        return ("span", _shape_of(value.low), _shape_of(value.high))
    if isinstance(value, Odds) and not isinstance(value.count, ir.Constant):
        raise Unsupported("dice whose number varies, kept under a name")
    if isinstance(value, Odds) and value.e is not None:
        raise Unsupported("a distribution that depends on the state, kept under a name")
    if _is_static(value):
        return ("static", value)
    return ("list", value.length, value.item)


def _words_of_shape(shape: Shape) -> int:
    if shape[0] == "static":
        return 0
    if shape[0] == "real":
        return 2
    if shape[0] == "span":
        return 2
    return shape[1] * shape[2].words if shape[0] == "list" else 1


def _ranges_of_shape(shape: Shape, found: list[tuple[int, int]]) -> bool:
    """Append the interval of each word; False where one is unknown."""
    if shape[0] == "truth":
        found.append((0, 1))
        return True
    if shape[0] == "int":
        if shape[1] is None or shape[2] is None:
            return False
        found.append((shape[1], shape[2]))
        return True
    if shape[0] == "list":
        item = shape[2]
        while item.item is not None:
            item = item.item
        if item.low is None or item.high is None:
            return False
        found.extend([(item.low, item.high)] * (shape[1] * shape[2].words))
        return True
    return shape[0] == "static"


def _item_of_shape(shape: Shape) -> Item:
    if shape[0] == "list":
        return Item("list", None, None, shape[1], shape[2])
    if shape[0] == "truth":
        return Item("truth", 0, 1)
    return Item("int", shape[1], shape[2])


# --- LLVM --------------------------------------------------------------------------------------


def _to_machine_code(module: ir.Module) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
    )
    module.triple = llvm.get_default_triple()
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(parsed, passes)
    engine = llvm.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()
    return engine
