"""Value every node of a tree written out, exactly, a level at a time.

Input   a ``TreeDag`` and a ``Behaviour`` whose every play is to take the best, the worst, the
        plain average or the average by the odds.
Output  its ``Solution``, the one that ``solve`` gives; None where that is the better way.
Holds   all values of a level have one denominator, so comparing and adding them is comparing
        and adding integers. Where that would be long, it is the better way to do without.
Cost    some 100 nanoseconds an edge: maps of the built-in functions over slices.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import islice
from operator import mul
from typing import Any

from ..compiler.dag import Amount, Kind
from ..compiler.explicit import TreeDag
from ..compiler.progress import Progress, Step
from .behaviour import Behaviour, Rule
from .numbers import REDUCE_BITS
from .solution import Solution

Take = Callable[[Iterable[int]], int]
_BEST: dict[Rule, Take] = {Rule.HIGHEST: max, Rule.LOWEST: min}
_AVERAGES = frozenset({Rule.UNIFORM, Rule.EXPECTED})


def solve_levels(
    dag: TreeDag, behaviour: Behaviour, progress: Progress | None = None
) -> Solution | None:
    """Value every node of ``dag`` exactly; None where the general solver has to."""
    rules = [behaviour.of(kind).rule for kind in (Kind.MAX, Kind.MIN, Kind.CHANCE)]
    if not {*_BEST, *_AVERAGES}.issuperset(rules):
        return None
    scale = _common_denominator(dag.offset)
    if scale is None:
        return None
    levels = _Levels(dag, behaviour, scale)
    for level in range(len(dag.levels) - 1, -1, -1):
        if not levels.solve(level):
            return None
        if progress is not None:
            progress(Step(True, len(dag), dag.levels[level]))
    pairs = Pairs(dag, levels.values, levels.denominators)
    chosen = Chosen(dag, behaviour, levels.values)
    return Solution(dag, behaviour.name, "exact", chosen, pairs)


def _common_denominator(amounts: Sequence[Amount]) -> int | None:
    """The least common denominator; None if it is long, or there is a float."""
    kinds = set(map(type, amounts))
    if not kinds <= {int, Fraction}:
        return None
    return 1 if kinds == {int} else _short_multiple({a.denominator for a in amounts})  # type: ignore[union-attr]


def _short_multiple(numbers: Iterable[int]) -> int | None:
    multiple = 1
    for number in numbers:
        multiple = math.lcm(multiple, number)
        if multiple.bit_length() > REDUCE_BITS:
            return None
    return multiple


class _Levels:
    """The levels that have been solved, from the last one up."""

    def __init__(self, dag: TreeDag, behaviour: Behaviour, scale: int) -> None:
        self.dag = dag
        self.values: list[int] = [0] * len(dag)
        self.ends = [*dag.levels[1:], len(dag)]
        self.denominators = [scale] * len(dag.levels)
        self.rules = [behaviour.of(kind).rule for kind in range(4)]
        self.take: list[Take] = [_BEST.get(rule, sum) for rule in self.rules]

    def solve(self, level: int) -> bool:
        """Value the nodes of a level, whose next one is done; False if numbers grow long."""
        start, end = self.dag.levels[level], self.ends[level]
        kinds = self.dag.kind[start:end]
        if not any(kinds):
            self.values[start:end] = self.payoffs(start, end, self.denominators[level])
            return True
        divisors = self.divisors(kinds, start, end)
        factor = _short_multiple(set(divisors))
        if factor is None:
            return False
        denominator = self.denominators[level + 1] * factor
        if denominator.bit_length() > REDUCE_BITS:
            return False
        self.denominators[level] = denominator
        size = self.size(kinds, start, end)
        below = self.below(level)
        if size:
            self.values[start:end] = self.alike(kinds[0], size, below, divisors, factor)
        else:
            payoffs = self.payoffs(start, end, denominator)
            self.values[start:end] = self.mixed(kinds, start, below, divisors, factor, payoffs)
        return True

    def payoffs(self, start: int, end: int, denominator: int) -> list[Any]:
        """Payoffs over a denominator."""
        amounts: Any = self.dag.offset[start:end]
        if denominator == 1:
            return amounts
        return [a.numerator * (denominator // a.denominator) for a in amounts]

    def divisors(self, kinds: bytearray, start: int, end: int) -> list[int]:
        """What the sum of each node's branches is to be divided by; 1 where it takes one."""
        rules, first = self.rules, self.dag.first
        if rules[Kind.CHANCE] is Rule.EXPECTED and Rule.UNIFORM not in rules:
            return self.dag.divisor[start:end]  # 1 at all other nodes
        return [
            first[node + 1] - first[node]
            if kind and rules[kind] is Rule.UNIFORM
            else self.dag.divisor[node]
            if kind and rules[kind] is Rule.EXPECTED
            else 1
            for node, kind in enumerate(kinds, start)
        ]

    def size(self, kinds: bytearray, start: int, end: int) -> int:
        """How many branches each node of a level has, where they are all of one kind; else 0."""
        first = self.dag.first
        size = first[start + 1] - first[start]
        alike = size and kinds.count(kinds[0]) == len(kinds)
        every = array("q", range(first[start], first[end] + 1, size or 1))
        return size if alike and first[start : end + 1] == every else 0

    def below(self, level: int) -> Iterable[int]:
        """The values of the next level, times their odds."""
        start, end = self.ends[level], self.ends[level + 1]
        values = self.values[start:end]
        if self.rules[Kind.CHANCE] is not Rule.EXPECTED:
            return values
        weights: Any = self.dag.weight[start - 1 : end - 1]  # 1 but below chance
        return map(mul, values, weights)

    def alike(
        self, kind: int, size: int, below: Iterable[int], divisors: list[int], factor: int
    ) -> list[int]:
        """The values of nodes of one kind and size."""
        branches = zip(*[iter(below)] * size, strict=True)
        values = list(map(self.take[kind], branches))
        if all(divisor == factor for divisor in divisors):
            return values
        return [v * (factor // divisor) for v, divisor in zip(values, divisors, strict=True)]

    def mixed(
        self,
        kinds: bytearray,
        start: int,
        below: Iterable[int],
        divisors: list[int],
        factor: int,
        payoffs: list[int],
    ) -> list[int]:
        """The values of any nodes."""
        first, take, rest = self.dag.first, self.take, iter(below)
        return [
            take[kind](islice(rest, first[node + 1] - first[node])) * (factor // divisor)
            if kind
            else payoff
            for node, (kind, divisor, payoff) in enumerate(
                zip(kinds, divisors, payoffs, strict=True), start
            )
        ]


class Pairs(Sequence[tuple[int, int]]):
    """Numerators and denominators, not in lowest terms."""

    def __init__(self, dag: TreeDag, values: list[int], denominators: list[int]) -> None:
        self.levels, self.values, self.denominators = dag.levels, values, denominators

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.values)

    def __getitem__(self, node: Any) -> Any:
        """The value of a node."""
        return self.values[node], self.denominators[bisect_right(self.levels, node) - 1]


class Chosen(Sequence[tuple[int, ...]]):
    """The edges that each node chooses, found again from the values."""

    def __init__(self, dag: TreeDag, behaviour: Behaviour, values: list[int]) -> None:
        self.dag, self.values = dag, values
        self.rules = [behaviour.of(kind).rule for kind in range(4)]

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.values)

    def __getitem__(self, node: Any) -> Any:
        """The edges that ``node`` chooses, ties in written order."""
        return self._edges(int(node))

    def _edges(self, node: int) -> tuple[int, ...]:
        kind = self.dag.kind[node]
        take = _BEST.get(self.rules[kind]) if kind else None
        if take is None:
            return ()
        start = self.dag.first[node]
        values = self.values[start + 1 : self.dag.first[node + 1] + 1]
        best = take(values)
        return tuple([start + i for i, value in enumerate(values) if value == best])
