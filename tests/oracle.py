"""A slow, obvious evaluator to compare with: recursion over the document, and nothing else.

It reads expressions with the parser and interprets their trees itself; a call of a named node
is a number here, so ``1 - f(n - 1)`` needs no theory. Values are remembered by state.
"""

from __future__ import annotations

import operator
from fractions import Fraction
from itertools import product

from gametree.spec.expressions import (
    Binary,
    Call,
    Compare,
    Comprehension,
    Dice,
    IfElse,
    Index,
    LetIn,
    Name,
    Number,
    Range,
    Sequence,
    Table,
    Truth,
    Unary,
)  # fmt: skip
from gametree.spec.parser import parse_expression, parse_for, parse_header


def mean(values, odds):
    return sum(v * p for v, p in zip(values, odds, strict=True)) / sum(odds)


def best_of(values, _):
    return max(values)


def worst_of(values, _):
    return min(values)


def blind(values, _):
    return mean(values, [1] * len(values))


def slips(error, pick):
    return lambda values, odds: (1 - error) * pick(values, odds) + error * blind(values, odds)


EXPECTIMINIMAX = {"max": best_of, "min": worst_of, "chance": mean}
ALGORITHMS = {
    "expectiminimax": EXPECTIMINIMAX,
    "minimax": {**EXPECTIMINIMAX, "chance": worst_of},
    "expectimax": {**EXPECTIMINIMAX, "min": blind},
}
PLAYS = {  # what `play` says, and what it means
    "worst": {"max": worst_of, "min": best_of, "chance": worst_of},
    "random": {"max": blind, "min": blind, "chance": blind},
    "mistake:1/4": {
        "max": slips(Fraction(1, 4), best_of),
        "min": slips(Fraction(1, 4), worst_of),
        "chance": slips(Fraction(1, 4), best_of),
    },
}
OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "/": lambda a, b: Fraction(a) / b, "**": operator.pow, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "in": lambda a, b: a in list(b), "not in": lambda a, b: a not in list(b),
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


class Oracle:
    """One document under one way to play."""

    def __init__(self, data, rules=EXPECTIMINIMAX):
        self.rules = rules
        self.globals = {}
        for name, text in data.get("params", {}).items():
            self.globals[name] = self.number(text, {})
        self.nodes = {}
        for key, body in data.get("nodes", {}).items():
            header = parse_header(key)
            self.nodes[header.name] = ([argument.name for argument in header.arguments], body)
        self.states = {}
        self.root = data["root"]

    def value(self):
        return self.node(self.root, {})

    def branches(self):
        """The values of the root's branches, in order."""
        return [value for _, value in self.outcomes(self.root, {})]

    # --- nodes ---

    def node(self, node, env):
        if isinstance(node, str):
            return self.number(node, env)
        for name, text in node.get("let", {}).items():
            env = {**env, name: self.number(text, env)}
        extra = self.number(node.get("reward", "0"), env) - self.number(node.get("cost", "0"), env)
        if "if" in node:
            return extra + self.node(node["then" if self.number(node["if"], env) else "else"], env)
        if "then" in node:
            return extra + self.node(node["then"], env)
        [kind] = {"max", "min", "chance"} & set(node)
        found = self.outcomes(node, env)
        return extra + self.rules[kind]([value for _, value in found], [odds for odds, _ in found])

    def outcomes(self, node, env):
        """Odds and value of each outcome that can happen."""
        [kind] = {"max", "min", "chance"} & set(node)
        group = node[kind]
        if isinstance(group, dict):
            items = list(group.items())
        else:
            items = [next(iter(g.items())) if loop_in(g) else ("", g) for g in group]
        places = [place for key, item in items for place in self.places(key, item, env)]
        fixed = sum(odds for odds, _, _ in places if odds not in {None, "rest"})
        sharers = [odds for odds, _, _ in places].count("rest")
        found = []
        for odds, item, local in places:
            share = (
                1 if odds is None else (1 - fixed) / Fraction(sharers) if odds == "rest" else odds
            )
            if share or kind != "chance":
                found.append((share, self.node(item, local)))
        return found

    def places(self, key, item, env):
        """Odds (None where nothing is said), node and local names of each branch."""
        if not key.startswith("for "):
            odds = None
            if isinstance(item, dict) and not self.number(item.get("when", "true"), env):
                return []
            if isinstance(item, dict) and {"p", "weight"} & set(item):
                text = item.get("p", item.get("weight"))
                odds = "rest" if text == "rest" else self.number(text, env)
            return [(odds, item, env)]
        loop = parse_for(key)
        source = self.expression(loop.source, env)
        pairs = source.items() if isinstance(source, dict) else [(x, None) for x in source]
        made = []
        for x, chance in pairs:
            odds = chance
            local = {**env, loop.name: x}
            if loop.condition is not None and not self.expression(loop.condition, local):
                continue
            if loop.odds is not None:
                is_rest = isinstance(loop.odds, Name) and loop.odds.name == "rest"
                odds = "rest" if is_rest else self.expression(loop.odds, local)
            if loop_in(item):
                made += self.places(*next(iter(item.items())), local)
            else:
                made.append((odds, item, local))
        return made

    # --- expressions ---

    def number(self, text, env):
        return self.expression(parse_expression(text), env)

    def expression(self, expr, env):
        def of(part):
            return self.expression(part, env)

        match expr:
            case Number(value=value) | Truth(value=value):
                return value
            case Name(name=name):
                return (
                    env[name]
                    if name in env
                    else self.globals[name]
                    if name in self.globals
                    else self.call(name, [])
                )
            case Unary(operator="-", operand=operand):
                return -of(operand)
            case Unary(operator="not", operand=operand):
                return not of(operand)
            case Binary(operator="and", left=left, right=right):
                return of(left) and of(right)
            case Binary(operator="or", left=left, right=right):
                return of(left) or of(right)
            case Binary(operator=name, left=left, right=right):
                return OPERATORS[name](of(left), of(right))
            case Compare(operands=operands, operators=names):
                numbers = [of(operand) for operand in operands]
                return all(
                    OPERATORS[name](numbers[i], numbers[i + 1]) for i, name in enumerate(names)
                )
            case IfElse(condition=condition, yes=yes, no=no):
                return of(yes) if of(condition) else of(no)
            case LetIn(name=name, value=value, body=body):
                return self.expression(body, {**env, name: of(value)})
            case Sequence(items=items):
                return [of(item) for item in items]
            case Index(base=base, index=index):
                return of(base)[int(of(index))]
            case Range(low=low, high=high):
                return [Fraction(i) for i in range(int(of(low)), int(of(high)) + 1)]
            case Dice(count=count, sides=sides):
                return sums_of_dice(count, sides)
            case Table(entries=entries):
                said = {of(key): None if odds is None else of(odds) for key, odds in entries}
                left = 1 - sum(odds for odds in said.values() if odds is not None)
                silent = list(said.values()).count(None)
                return {
                    key: left / Fraction(silent) if odds is None else odds
                    for key, odds in said.items()
                }
            case Comprehension(function=function, element=element, clauses=[clause]):
                rounds = [{**env, clause.name: x} for x in of(clause.source)]
                rounds = [
                    r for r in rounds if all(self.expression(c, r) for c in clause.conditions)
                ]
                return {
                    "sum": sum,
                    "max": max,
                    "min": min,
                    "any": any,
                    "all": all,
                    "count": sum,
                    "": list,
                }[function]([self.expression(element, r) for r in rounds])
            case Call(name=name, arguments=arguments):
                return self.call(name, [of(argument) for argument in arguments])
        raise NotImplementedError(expr)

    def call(self, name, given):
        if name in {"min", "max", "abs"}:
            return {"min": min, "max": max, "abs": abs}[name](*given)
        state = (name, *given)
        if state not in self.states:
            names, body = self.nodes[name]
            self.states[state] = self.node(body, dict(zip(names, given, strict=True)))
        return self.states[state]


def loop_in(item):
    return isinstance(item, dict) and len(item) == 1 and next(iter(item)).startswith("for ")


def sums_of_dice(count, sides):
    odds = {}
    for faces in product(range(1, sides + 1), repeat=count):
        odds[sum(faces)] = odds.get(sum(faces), 0) + Fraction(1, sides**count)
    return odds
