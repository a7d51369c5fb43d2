"""The outcomes of chance nodes with their odds."""

# pyright: basic
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir

from ..program import (
    Branch,
    Choice,
    Form,
    Loop,
)
from ..program import (
    Odds as OddsForm,
)
from .constants import FAULT, UNIT, UNSURE, Scope
from .values import F64, I64, Int, Odds, Real, Unsupported

if TYPE_CHECKING:
    from .forms import FunctionWriter

Outcome = tuple[OddsForm | None, Scope, Any]  # odds written, the scope they see, dice's odds


class EachWithOdds:
    """The context of ``each`` that also gives a distribution's odds."""

    def __init__(self, writer: FunctionWriter, source: Any) -> None:
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
        loop: Any = self.loop
        loop.__exit__(*exception)


class OddsWriter:
    """Writes the outcomes of a chance node with their odds."""

    def __init__(self, writer: FunctionWriter, form: Choice) -> None:
        self.w = writer
        self.form = form
        self.modes = {mode for branch in form.branches for mode in modes(branch)}
        self.sum: Real | None = None  # of odds that are all there, where more is known of it
        if all(isinstance(b, Branch) and b.condition is None for b in form.branches):
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
                product = factor if product is None else self.w.multiply(product, factor)
        return kind, product and self.w.exactly(product)

    def add(self, p: Real) -> None:
        """Add to what the odds sum to."""
        b = self.w.b
        if self.sum is not None:
            self.sum = self.w.add(self.sum, p)
        total = self.w.add(Real(b.load(self.total), b.load(self.error)), p)
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
            left = w.exactly(w.subtract(w.constant(1), self.sum))
        else:
            left = w.subtract(one, total)
        w.stop_if(w.b.fcmp_unordered("<", left.v, w.b.fneg(left.e)), FAULT)
        unsure = w.b.and_(
            w.b.fcmp_unordered("<=", left.v, left.e),
            w.b.fcmp_unordered(">", left.e, ir.Constant(F64, 0.0)),
        )
        w.stop_if(unsure, UNSURE)
        shared = w.b.load(count)
        many = w.pick(w.b.icmp_signed("==", shared, zero), ir.Constant(I64, 1), shared)
        self.share = w.divide(left, Int(many, 1, 2**40))
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


def modes(branch: Branch | Loop) -> set[str]:
    """How the outcomes of a branch say their odds."""
    if isinstance(branch, Branch):
        return {"none" if branch.odds is None else branch.odds.mode}
    own = "none" if branch.odds is None else branch.odds.mode
    if branch.odds is None and branch.source.type == "distribution":
        own = "p"
    if not isinstance(branch.body, Loop):
        return {own}
    inner = modes(branch.body)
    if own == "none" and inner == {"none"}:
        return {"none"}
    if own == "rest" or "rest" in inner:
        raise Unsupported("`rest` on one of two nested loops")
    weights = "weight" in {own, *inner} or "nested weight" in inner
    return {"nested weight" if weights else "nested"}
