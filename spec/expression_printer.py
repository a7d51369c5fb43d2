"""Print expressions in one canonical form: ``1 - pig(you, me + pot, 0)``.

Input   an expression as the parser makes it.
Output  text with one space around operators and no brackets but those that are needed.
Holds   ``parse_expression(print_expression(e)) == e``.

Recursion is bounded, since no expression is nested deeper than ``parser.MAX_DEPTH``.
"""

from __future__ import annotations

from fractions import Fraction

from . import expressions as ex
from .layout import HARD_WORDS
from .numbers import number_problem, read_number, show

# How tightly each operator binds; an operand that binds less tightly needs brackets.
_LOOSEST = 0  # if, let
_COMPARE = 4
_RANGE = 5
_SIGN = 12
_POSTFIX = 14
_ATOM = 15
_STRENGTH = {
    "or": 1, "and": 2, "|": 6, "^": 7, "&": 8, "<<": 9, ">>": 9, "+": 10, "-": 10,
    "*": 11, "/": 11, "//": 11, "%": 11, "**": 13,
}  # fmt: skip
_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
}  # fmt: skip
_BREAKS = "\x85\u2028\u2029"


def print_expression(expr: ex.Expr) -> str:
    """The canonical text of ``expr``."""
    return _printed(expr)[0]


def print_name(name: str) -> str:
    """``name``, in backquotes where it is no identifier or means something else."""
    plain = name.isidentifier() and name not in HARD_WORDS and number_problem(name) is None
    return name if plain else f"`{name}`"


def print_text(text: str) -> str:
    """``text`` in quotes."""
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if ord(char) < 0x20 or char in _BREAKS or 0xD800 <= ord(char) < 0xE000:
        return f"\\u{ord(char):04x}"
    return char


def _at_least(expr: ex.Expr, strength: int) -> str:
    text, bound = _printed(expr)
    return text if bound >= strength else f"({text})"


def _printed(expr: ex.Expr) -> tuple[str, int]:
    """The text of ``expr``, and how tightly it binds."""
    match expr:
        case ex.Number():
            return _number(expr), _ATOM
        case ex.Truth():
            return ("true" if expr.value else "false"), _ATOM
        case ex.Text():
            return print_text(expr.value), _ATOM
        case ex.Name():
            return print_name(expr.name), _ATOM
        case ex.Dice():
            return f"{expr.count}d{expr.sides}", _ATOM
        case ex.Call():
            return f"{print_name(expr.name)}({_list(expr.arguments)})", _ATOM
        case ex.Sequence():
            return f"[{_list(expr.items)}]", _ATOM
        case ex.Index():
            base = _at_least(expr.base, _POSTFIX)
            if isinstance(expr.base, ex.Number):  # `25%[0]` would be a remainder
                base = f"({base})"
            return f"{base}[{print_expression(expr.index)}]", _POSTFIX
        case ex.Comprehension():
            return _comprehension(expr), _ATOM
        case ex.Table():
            return "{" + ", ".join(_entry(*entry) for entry in expr.entries) + "}", _ATOM
        case _:
            return _operation(expr)


def _operation(expr: ex.Expr) -> tuple[str, int]:
    match expr:
        case ex.Unary(operator="not"):
            return f"not {_at_least(expr.operand, 3)}", 3
        case ex.Unary():
            return expr.operator + _at_least(expr.operand, _SIGN), _SIGN
        case ex.Binary():
            return _binary(expr)
        case ex.Compare():
            text = _at_least(expr.operands[0], _COMPARE + 1)
            for operator, operand in zip(expr.operators, expr.operands[1:], strict=True):
                text += f" {operator} {_at_least(operand, _COMPARE + 1)}"
            return text, _COMPARE
        case ex.Range():
            low, high = _at_least(expr.low, _RANGE + 1), _at_least(expr.high, _RANGE + 1)
            return f"{low}..{high}", _RANGE
        case ex.ListOf():
            return f"[{print_expression(expr.length)}] of {print_expression(expr.item)}", _LOOSEST
        case ex.IfElse():
            condition, yes, no = map(print_expression, (expr.condition, expr.yes, expr.no))
            return f"if {condition} then {yes} else {no}", _LOOSEST
        case ex.LetIn():
            return _let(expr), _LOOSEST
        case _:
            raise TypeError(f"no expression: {expr!r}")


def _binary(expr: ex.Binary) -> tuple[str, int]:
    strength = _STRENGTH[expr.operator]
    if expr.operator == "**":  # binds to the right, and looser than a sign on its right
        return f"{_at_least(expr.left, _POSTFIX)}**{_at_least(expr.right, _SIGN)}", strength
    left, right = _at_least(expr.left, strength), _at_least(expr.right, strength + 1)
    return f"{left} {expr.operator} {right}", strength


def _let(expr: ex.LetIn) -> str:
    value = print_expression(expr.value)
    if _has_bare_in(expr.value):
        value = f"({value})"
    return f"let {print_name(expr.name)} = {value} in {print_expression(expr.body)}"


def _has_bare_in(expr: ex.Expr) -> bool:
    """Whether an ``in`` outside brackets could be taken for the one of an enclosing ``let``."""
    if isinstance(expr, (ex.Call, ex.Sequence, ex.Comprehension, ex.Table)):
        return False
    if isinstance(expr, ex.Index):
        return _has_bare_in(expr.base)
    if isinstance(expr, ex.Compare) and "in" in expr.operators:
        return True
    return any(_has_bare_in(child) for child in expr.children())


def _comprehension(expr: ex.Comprehension) -> str:
    text = print_expression(expr.element)
    for clause in expr.clauses:
        text += f" for {print_name(clause.name)} in {_at_least(clause.source, 1)}"
        text += "".join(f" if {_at_least(condition, 1)}" for condition in clause.conditions)
    return f"{print_name(expr.function)}({text})" if expr.function else f"[{text}]"


def _entry(key: ex.Expr, odds: ex.Expr | None) -> str:
    return f"{print_expression(key)}: {'rest' if odds is None else print_expression(odds)}"


def _list(items: tuple[ex.Expr, ...]) -> str:
    return ", ".join(print_expression(item) for item in items)


def _number(number: ex.Number) -> str:
    if number.text[:1].isdigit() and read_number(number.text) == number.value:
        return number.text
    return _decimal(number.value)


def _decimal(value: Fraction) -> str:
    """``value`` without a fraction bar, which would be a division; else in brackets."""
    if value.denominator == 1 and value >= 0:
        return show(value)
    twos, fives, rest = 0, 0, value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1 or value < 0:
        return f"({show(value)})"
    places = max(twos, fives)
    digits = show(value * 10**places).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"
