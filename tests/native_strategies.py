"""Random games of every construct, as YAML: what the fast engine must read as the exact one does.

Each named node counts ``n`` down and carries a few more arguments of different kinds. What an
expression needs (a whole number, truth, any number) is known while it is made, so that most
games make sense in every state.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import strategies as st

KINDS = {  # of an argument besides `n`: how it is declared
    "m": "0..3",
    "s": "-3..2",
    "u": None,
    "i": "int",
    "b": "bool",
    "v": "[3] of 0..2",
    "w": "[2] of bool",
    "t": "[2] of [2] of -1..1",
}
DEFINE = {
    "twice(x)": "2 * x - 1",
    "mid(x, y)": "max(min(x, y), min(max(x, y), 2))",
    "odd(x)": "x % 2 == 1",
    "ring": "[3, 1, 2]",
}
PARAMS: dict[str, Any] = {"k": "2", "third": "1/3", "steps": ["1", "3", "2"], "mixed": ["1/2", "2"]}

Scope = dict[str, str]  # name -> whole, truth, number, or a kind of list


class Writer:
    """Makes the parts of one game from a source of chance."""

    def __init__(self, random: Random) -> None:
        self.r = random
        self.nodes: dict[str, list[str]] = {}

    def pick(self, *items: Any) -> Any:
        return self.r.choice(items)

    def chance(self, one_in: int) -> bool:
        return self.r.randrange(one_in) == 0

    def known(self, scope: Scope, kind: str) -> list[str]:
        return [name for name, of in scope.items() if of == kind]

    # --- expressions ---

    def whole(self, scope: Scope, depth: int = 2) -> str:  # noqa: PLR0915  # one case a shape
        """A whole number."""
        names = [*self.known(scope, "whole"), "k"]
        if depth == 0 or self.chance(4):
            return self.pick(str(self.r.randint(-3, 5)), *names, *names)

        def x() -> str:
            return self.whole(scope, depth - 1)

        def truth() -> str:
            return self.truth(scope, depth - 1)

        c = self.r.randint(1, 4)
        lists = self.lists(scope)
        spans = [*lists, f"0..{c}", f"{c}..({x()})"]
        shape = self.r.randrange(28)
        match shape:
            case 0 | 1:
                return f"({x()} {self.pick('+', '-', '*')} {x()})"
            case 2:
                return f"({x()} {self.pick('//', '%')} {self.pick(c, -c)})"
            case 3:
                return f"({x()} {self.pick('//', '%')} (abs({x()}) + 1))"
            case 4:
                return f"({x()}) ** {self.r.randrange(4)}"
            case 5:
                return f"({x()} {self.pick('&', '|', '^')} {x()})"
            case 6:
                return f"(~({x()}))"
            case 7:
                return f"(({x()}) {self.pick('<<', '>>')} {self.r.randrange(4)})"
            case 8:
                return f"{self.pick('min', 'max')}({x()}, {x()}, {x()})"
            case 9:
                return f"abs({x()})"
            case 10:
                return f"(if {truth()} then {x()} else {x()})"
            case 11:
                inner = {**scope, "z": "whole"}
                return f"(let z = {x()} in {self.whole(inner, depth - 1)})"
            case 12:
                return f"popcount(abs({x()}))"
            case 13:
                return f"comb(abs({x()}) % 6, {self.r.randrange(4)})"
            case 14:
                return f"factorial(abs({x()}) % 5)"
            case 15:
                return self.pick(
                    f"floor(({x()}) / {self.pick(c, -c)})", f"ceil(({x()}) / {self.pick(c, -c)})"
                )
            case 16:
                return f"{self.pick(*lists)}[abs({x()}) % {self.pick(2, 3) if c > 1 else 2}]"
            case 17:
                return f"{self.pick('sum', 'max', 'min')}({self.pick(*lists)})"
            case 18:
                inner = {**scope, "e": "whole"}
                condition = f" if {self.truth(inner, depth - 1)}" if self.chance(2) else ""
                element = self.whole(inner, depth - 1)
                return f"sum({element} for e in {self.pick(*spans)}{condition})"
            case 19:
                inner = {**scope, "e": "whole"}
                return f"count({self.truth(inner, depth - 1)} for e in {self.pick(*spans)})"
            case 20:
                inner = {**scope, "e": "whole"}
                element = self.whole(inner, depth - 1)
                return f"{self.pick('max', 'min')}({element} for e in {self.pick(*lists)})"
            case 21:
                return self.pick(f"twice({x()})", f"mid({x()}, {x()})")
            case 22:
                inner = {**scope, "e": "whole", "j": "whole"}
                element = self.whole(inner, depth - 1)
                return f"sum({element} for e in 1..2 for j in {self.pick('e..3', *lists)})"
            case 23:
                return f"len({self.pick(*lists)})"
            case 24:
                inner = {**scope, "e": "whole"}
                return f"[{self.whole(inner, depth - 1)} for e in {self.pick('0..2', *lists)}][{self.r.randrange(2)}]"
            case 25:
                inner = {**scope, "e": "whole"}
                some = f"[e for e in {self.pick(*lists)} if {self.truth(inner, depth - 1)}]"
                return self.pick(
                    f"sum({some})", f"len({some})", f"count(e > 0 for e in sorted({some}))"
                )
            case 26:
                inner = {**scope, "e": "whole", "j": "whole"}
                element = self.whole(inner, depth - 1)
                two = f"[{element} for e in 1..2 for j in {self.pick('e..3', *lists)}]"
                return f"{self.pick(two, f'sorted({two})')}[{self.r.randrange(3)}]"
            case _:
                return f"(-({x()}))"

    def lists(self, scope: Scope) -> list[str]:
        """Lists of whole numbers of at least two items (three where they are plain)."""
        found = [
            f"[{self.r.randint(0, 3)}, k, n]" if "n" in scope else "[1, k, 0]",
            "ring",
            "steps",
        ]
        found += self.known(scope, "v3")
        found += [f"{name}[{self.r.randrange(2)}]" for name in self.known(scope, "g22")]
        if self.known(scope, "v3"):
            name = self.pick(*self.known(scope, "v3"))
            found.append(f"put({name}, {self.r.randrange(3)}, {self.whole(scope, 0)})")
            found.append(f"sorted({name})")
        return found

    def truth(self, scope: Scope, depth: int = 2) -> str:
        """Something true or false."""
        names = self.known(scope, "truth")
        if depth == 0:
            x = self.whole(scope, 0)
            return self.pick(f"{x} > 1", f"{x} == {self.r.randint(0, 2)}", "true", *names, *names)

        def x() -> str:
            return self.whole(scope, depth - 1)

        def t() -> str:
            return self.truth(scope, depth - 1)

        op = self.pick("<", "<=", "==", "!=", ">", ">=")
        inner = {**scope, "e": "whole"}
        match self.r.randrange(13):
            case 0 | 1:
                return f"({x()} {op} {x()})"
            case 2:
                return f"({x()} < {x()} {self.pick('<', '<=', '!=')} {x()})"
            case 3:
                return f"({x()} {self.pick('in', 'not in')} {self.pick(f'[{x()}, {x()}]', f'{x()}..{x()}', *self.lists(scope))})"
            case 4:
                return f"({t()} {self.pick('and', 'or')} {t()})"
            case 5:
                return f"(not {t()})"
            case 6:
                return (
                    f"({x()} != 0 and 6 / ({x()}) > 1)"
                    if self.chance(8)
                    else f"(let q = {x()} in q != 0 and 6 / q {op} 2)"
                )
            case 7:
                return f"(let q = {x()} in q == 0 or 6 // q {op} 2)"
            case 8:
                return f"{self.pick('any', 'all')}({self.truth(inner, depth - 1)} for e in {self.pick(*self.lists(scope))})"
            case 9:
                return f"odd({x()})"
            case 10:
                return f"(if {t()} then {t()} else {t()})"
            case 11:
                flags = self.known(scope, "w2")
                return (
                    f"{self.pick(*flags)}[{self.r.randrange(2)}]" if flags else f"({t()} == {t()})"
                )
            case _:
                return f"({self.number(scope, depth - 1)} {op} {self.number(scope, depth - 1)})"

    def number(self, scope: Scope, depth: int = 2) -> str:
        """Any number."""
        if depth == 0 or self.chance(2):
            fractions = ["1/2", "0.25", "third", "-2/7", *self.known(scope, "number")]
            return self.pick(self.whole(scope, depth), self.pick(*fractions))
        x, y = self.number(scope, depth - 1), self.number(scope, depth - 1)
        match self.r.randrange(10):
            case 0:
                return f"({x} {self.pick('+', '-', '*')} {y})"
            case 1:
                return f"(({self.whole(scope, depth - 1)}) / (abs({self.whole(scope, depth - 1)}) + 1))"
            case 2:
                return f"({x} / {self.pick('3', '-7', '2/3')})"
            case 3:
                return f"{self.pick('min', 'max')}({x}, {y})"
            case 4:
                return f"(if {self.truth(scope, depth - 1)} then {x} else {y})"
            case 5:
                return f"abs({x})"
            case 6:
                return f"(let y = {x} in {self.number({**scope, 'y': 'number'}, depth - 1)})"
            case 7:
                inner = {**scope, "e": "whole"}
                return f"sum({self.number(inner, depth - 1)} for e in 0..2)"
            case 8:
                return f"mixed[{self.r.randrange(2)}]"
            case _:
                return f"(-({x})) ** {self.r.randrange(3)}"

    # --- states ---

    def argument(self, name: str, scope: Scope) -> str:
        """A value that fits the declaration."""
        x = self.whole(scope, 1)
        match name:
            case "m":
                return self.pick(f"({x}) % 4", "m" if "m" in scope else "1", f"max(0, min(3, {x}))")
            case "s":
                return self.pick(f"({x}) % 6 - 3", "-3", f"max(-3, min(2, {x}))")
            case "u" | "i":
                return self.pick(
                    f"({x}) % 5", f"-(({x}) % 3)", name if name in scope else "7", "1000000 * k"
                )
            case "b":
                return self.truth(scope, 1)
            case "v":
                own = (
                    ["v", f"put(v, ({x}) % 3, k)", f"put(put(v, 0, 1), ({x}) % 3, 0)"]
                    if "v" in scope
                    else []
                )
                made = ["[0, 1, 2]", f"[({x}) % 3, 0, 1]", f"[(e + {x}) % 3 for e in 0..2]", *own]
                if own:
                    made.append("[2 - e for e in v]")
                return self.pick(*made)
            case "w":
                own = ["w", f"put(w, 0, {self.truth(scope, 0)})"] if "w" in scope else []
                return self.pick("[true, false]", f"[{self.truth(scope, 1)}, false]", *own)
            case _:
                own = (
                    ["t", f"put(t, 1, put(t[1], ({x}) % 2, -1))", "[t[1], t[0]]"]
                    if "t" in scope
                    else []
                )
                return self.pick("[[0, 1], [-1, 0]]", f"[[({x}) % 2, 0], [1, 1]]", *own)

    def call(self, scope: Scope, less: str | None = None) -> str:
        """A call of a named node, with a smaller ``n``."""
        name = self.pick(*self.nodes)
        step = less or str(self.pick(1, 1, 2))
        arguments = [f"max(0, n - {step})" if "n" in scope else str(self.r.randint(2, 4))]
        arguments += [self.argument(a, scope) for a in self.nodes[name]]
        return f"{name}({', '.join(arguments)})"

    def arithmetic(self, scope: Scope) -> str:
        """Arithmetic on nodes."""
        f, g = self.call(scope), self.call(scope)
        a = self.number(scope, 1)
        return self.pick(
            f, f, f, f, f"1 - {f}", f"-{f}", f"({a}) + 2 * {f} - {g}", f"{f} / 3 - {g}", f"{f} + {f}",
            f"({a}) * {f} + 1", f"if {self.truth(scope, 1)} then {f} else {g} + ({a})", f"({a})",
            f"let y = ({a}) in {f} + y", f"(if {self.truth(scope, 1)} then {f} else 2 * {g}) - 1",
            f"2 * (1 - {f})", f"0 * {f} + ({a})", f"(n - 2) * {f} + {g}" if "n" in scope else f,
        )  # fmt: skip

    # --- nodes ---

    def body(self, scope: Scope, depth: int = 2) -> Any:
        """A node, which is given no odds."""
        if depth == 0 or self.chance(4):
            return self.arithmetic(scope)
        said: dict[str, Any] = {}
        if self.chance(3):
            said[self.pick("reward", "cost")] = self.number(scope, 1)
        match self.r.randrange(9):
            case 0:
                yes, no = self.body(scope, depth - 1), self.body(scope, depth - 1)
                return {**said, "if": self.truth(scope, 1), "then": yes, "else": no}
            case 1:
                value, kind = self.pick(
                    (self.whole(scope, 1), "whole"), (self.number(scope, 1), "number"), (self.truth(scope, 1), "truth"),
                    ("[k, 1, 0]", "v3"), (f"[{self.whole(scope, 1)}, 1, 0]", "v3"),
                )  # fmt: skip
                name = self.pick("q", "r")
                inner = self.body({**scope, name: kind}, depth - 1)
                return {"let": {name: value}, "then": inner}
            case 2:
                return {**said, "then": self.body(scope, depth - 1)}
            case 3 | 4 | 5:
                return {**said, "chance": self.outcomes(scope, depth)}
            case _:
                return {**said, self.pick("max", "min"): self.moves(scope, depth)}

    def moves(self, scope: Scope, depth: int) -> Any:
        """The branches of a choice."""
        made = [self.body(scope, depth - 1) for _ in range(self.r.randint(1, 3))]
        shared = [x for x in made if isinstance(x, dict)]
        if shared and self.chance(2):
            made.append(self.pick(*shared))  # an alias of a node that stands beside it
        made[1:] = [self.perhaps(x, scope) for x in made[1:]]
        if self.chance(6):
            made.append(self.pick(*made))  # and one of a branch, with its condition
        if self.chance(3):
            return made
        group = {f"b{i}": branch for i, branch in enumerate(made)}
        inner = {**scope, "d": "whole"}
        loop = self.pick(
            None, "for d in 1..2", "for d in [1, 2, 3] if d != k", f"for d in 0..({self.whole(scope, 1)}) % 3",
            "for d in steps", "for d in 1..2: for e in d..2", 'for d in 1..2 as "go {d}"',
        )  # fmt: skip
        if loop is None:
            return group
        body = self.body(inner, depth - 1)
        if shared and self.chance(3):
            body = self.pick(*shared)
        if loop.count("for") == 2:
            return {**group, "for d in 1..2": {"for e in d..2": body}}
        return {**group, loop: body}

    def perhaps(self, node: Any, scope: Scope) -> Any:
        """A node as a branch, which now and then is there only under a condition."""
        if not self.chance(3):
            return node
        condition = {"when": self.truth(scope, 1)}
        is_outcome = isinstance(node, dict) and not {"p", "weight"}.isdisjoint(node)
        if is_outcome or (isinstance(node, dict) and self.chance(2)):
            return {**condition, **node}
        return {**condition, "then": node}  # the node itself may be shared

    def outcomes(self, scope: Scope, depth: int) -> Any:
        """The outcomes of chance, with one of the ways to say their odds."""
        made = [self.body(scope, depth - 1) for _ in range(self.r.randint(2, 3))]
        x = self.whole(scope, 1)
        loose = {**scope, "d": "whole"}
        inner = self.body(loose, depth - 1)

        def over(key: str) -> dict[str, Any]:
            return {key: inner}

        odd = self.pick(
            "1/3",
            "1/7",
            f"(abs({x}) % 4 + 1) / 5",
            f"(({x}) % 3) / 4",
            f"(if {self.truth(scope, 1)} then 0 else 1/2)",
        )
        match self.r.randrange(14):
            case 0:
                return [made[0], *[self.perhaps(x, scope) for x in made[1:]]]
            case 1 | 2:
                odds = [odd, *["rest"] * (len(made) - 1)]
                return self.with_odds(made, "p", odds, scope)
            case 3:
                there = self.truth(scope, 1)
                pair = [{"when": there, "p": p, "then": made[0]} for p in (odd, f"1 - {odd}")]
                other = {"when": f"not ({there})", "p": "1", "then": made[1]}
                return self.pick(
                    self.with_odds(made[:2], "p", [f"{odd}", f"1 - {odd}"], {}), [*pair, other]
                )
            case 4 | 5:
                weights = [f"abs({x})", "n / 2 + 1" if "n" in scope else "2", "3"][: len(made)]
                return self.with_odds(made, "weight", weights, scope)
            case 6:
                return over(f"for d in {self.pick('2d2', '1d3', 'dice(2, 3)')}")
            case 7:
                count = (
                    self.pick("dice(n + 1, 2)", "dice(m, 3)") if {"n", "m"} <= set(scope) else "1d4"
                )
                return over(f"for d in {count}")
            case 8:
                return over("for d in {1: 1/3, 2: rest}")
            case 9:
                return {"for d in 1..2 @ 1/5": inner, "other": {"p": "rest", "then": made[0]}}
            case 10:
                return over(
                    self.pick("for d in 1..3 @ d / 6", "for d in 1..3 @ weight d * (abs(k) + 1)")
                )
            case 11:
                body = {"for d in 1..2": inner}
                return {
                    self.pick(
                        "for e in [0, 1]", "for e in [0, 1] @ weight e + 1", "for e in 1..3 @ e / 6"
                    ): body
                }
            case 12:
                face = self.body({**scope, "h": "v2"}, depth - 1)
                return {"for h in roll(2, 3)": face}
            case _:
                return over(f"for d in {{0: {odd}, 2: rest}}")

    def with_odds(
        self, nodes: list[Any], key: str, odds: list[str], scope: Scope
    ) -> dict[str, Any]:
        """Labelled outcomes; where a scope is given, all but the second may be missing."""
        said = [{key: p, "then": node} for p, node in zip(odds, nodes, strict=True)]
        return {
            f"o{i}": self.perhaps(outcome, scope) if scope and i != 1 else outcome
            for i, outcome in enumerate(said)
        }

    def game(self) -> dict[str, Any]:
        """A whole document."""
        for name in ("f", "g", "h")[: self.r.randint(1, 3)]:
            others = list(KINDS)
            self.r.shuffle(others)
            self.nodes[name] = sorted(others[: self.r.randint(0, 3)])
        kinds = {"v": "v3", "w": "w2", "t": "g22", "b": "truth"}
        nodes: dict[str, Any] = {}
        for name, extra in self.nodes.items():
            scope: Scope = {"n": "whole", **{a: kinds.get(a, "whole") for a in extra}}
            header = ", ".join(
                ["n: 0..4", *[a if KINDS[a] is None else f"{a}: {KINDS[a]}" for a in extra]]
            )
            end = self.number(scope, 1)
            nodes[f"{name}({header})"] = {"if": "n <= 0", "then": end, "else": self.body(scope, 2)}
        root = {
            self.pick("max", "min", "chance"): {
                "a": self.call({}),
                "b": f"1 - {self.call({})}",
                "c": self.pick("k", "third"),
            }
        }
        return {"game": "random", "params": PARAMS, "define": DEFINE, "nodes": nodes, "root": root}


def as_yaml(data: Any) -> str:
    """YAML in flow style; a mapping that stands in several places is written once and named."""
    often: dict[int, int] = {}

    def count(node: Any) -> None:
        if isinstance(node, dict | list):
            often[id(node)] = often.get(id(node), 0) + 1
            if often[id(node)] == 1:
                for item in node.values() if isinstance(node, dict) else node:
                    count(item)

    count(data)
    named: dict[int, str] = {}

    def write(node: Any) -> str:
        if isinstance(node, str):
            return json.dumps(node)
        if id(node) in named:
            return f"*{named[id(node)]}"
        mark = ""
        if often[id(node)] > 1:
            named[id(node)] = f"x{len(named)}"
            mark = f"&{named[id(node)]} "
        if isinstance(node, dict):
            rows = ", ".join(f"{json.dumps(key)}: {write(item)}" for key, item in node.items())
            return f"{mark}{{{rows}}}"
        return f"{mark}[{', '.join(write(item) for item in node)}]"

    return "\n".join(f"{key}: {write(item)}" for key, item in data.items()) + "\n"


def native_games() -> st.SearchStrategy[str]:
    """The YAML of a game."""
    return st.randoms(use_true_random=False).map(lambda random: as_yaml(Writer(random).game()))
