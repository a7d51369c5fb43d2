"""Arithmetic on nodes: ``1 - pig(you, me, 0)`` as a constant and factors of nodes."""

from __future__ import annotations

from collections.abc import Callable, Container
from fractions import Fraction

from ..spec.expressions import Binary, Call, Expr, IfElse, LetIn, Name, Number, Unary


class LinearForm:
    """An expression taken apart: the sum of ``constants`` and of factor times node.

    ``has_nodes`` says whether an expression mentions a node; ``nodes`` are their names.
    """

    def __init__(self, has_nodes: Callable[[Expr], bool], nodes: Container[str]) -> None:
        self.has_nodes = has_nodes
        self.nodes = nodes
        self.constants: list[Expr] = []
        self.terms: list[tuple[Expr | None, Expr]] = []

    def constant(self) -> Expr | None:
        """The sum of the constants; None where there are none."""
        return _joined("+", self.constants)

    def split(self, expr: Expr, factor: Expr | None = None) -> bool:
        """Split ``factor * expr`` into constants and node terms; False where it is not linear."""
        if not self.has_nodes(expr):
            self.constants.append(_times(factor, expr))
            return True
        if isinstance(expr, Unary) and expr.operator in {"-", "+"}:
            sign = factor if expr.operator == "+" else _negated(factor, expr)
            return self.split(expr.operand, sign)
        if isinstance(expr, Binary):
            left_has, right_has = (
                self.has_nodes(expr.left),
                self.has_nodes(expr.right),
            )
            if expr.operator in {"+", "-"}:
                sign = factor if expr.operator == "+" else _negated(factor, expr)
                return self.split(expr.left, factor) and self.split(expr.right, sign)
            if expr.operator == "*" and left_has != right_has:
                node, scale = (expr.left, expr.right) if left_has else (expr.right, expr.left)
                return self.split(node, _times(factor, scale))
            if expr.operator == "/" and not right_has:
                one = Number(Fraction(1), start=expr.start, end=expr.end)
                scale = Binary("/", one, expr.right, start=expr.start, end=expr.end)
                return self.split(expr.left, _times(factor, scale))
            return False
        if isinstance(expr, IfElse | LetIn | Name | Call) and (
            not isinstance(expr, Call) or expr.name in self.nodes
        ):
            self.terms.append((factor, expr))
            return True
        return False


def _times(factor: Expr | None, expr: Expr) -> Expr:
    if factor is None:
        return expr
    return Binary("*", factor, expr, start=expr.start, end=expr.end)


def _negated(factor: Expr | None, expr: Expr) -> Expr:
    if factor is None:
        return Number(Fraction(-1), start=expr.start, end=expr.end)
    return Unary("-", factor, start=factor.start, end=factor.end)


def _joined(operator: str, parts: list[Expr]) -> Expr | None:
    if not parts:
        return None
    whole = parts[0]
    for part in parts[1:]:
        whole = Binary(operator, whole, part, start=whole.start, end=part.end)
    return whole
