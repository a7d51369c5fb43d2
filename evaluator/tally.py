"""What many plays came to: counts of their outcomes, mean and spread.

Holds   blocks are added in their order, so that the result does not depend on who played them
        when. Mean and spread come from every play. Outcomes are counted one by one while there
        are some ``KEPT`` different ones at most; of a game with more, the counts are those of
        its first plays, which are a sample like any other.
"""

# pyright: basic
from __future__ import annotations

import math

import numpy as np

from . import sampler

KEPT = 1 << 21  # different outcomes; twice as many between two counts
_NOISE = 64 * 2.0**-52  # outcomes this close, relative to their size, differ by rounding only
_MERGED = 1 << 16  # more outcomes than this are nobody's list of endings


class Block:
    """The outcomes of one block: distinct ones sorted, how often each came, and their moments."""

    def __init__(self, outcome: np.ndarray) -> None:
        value, times = np.empty(sampler.MOST), np.empty(sampler.MOST, np.int64)
        found = sampler.count_outcomes(outcome, value, times)
        if found < 0:
            value, times = np.unique(outcome, return_counts=True)
        else:
            order = np.argsort(value[:found])
            value, times = value[order], times[order]
        self.value, self.times = value, times
        self.plays = len(outcome)
        with np.errstate(over="ignore", invalid="ignore"):  # the tally looks for infinities
            away = value - value[0]  # one outcome only: its mean is itself, and its spread 0
            shift = float(np.dot(away, times)) / self.plays
            self.mean = float(value[0]) + shift
            self.squares = float(np.dot((away - shift) ** 2, times))


class Tally:
    """The sum of blocks."""

    def __init__(self) -> None:
        self.plays = 0
        self.mean = 0.0
        self.squares = 0.0
        self.low, self.high = math.inf, -math.inf
        self.value, self.times = np.empty(0), np.empty(0, np.int64)
        self.waiting: list[Block] = []
        self.room = 1 << 16
        self.full = False

    def add(self, block: Block) -> None:
        """Add the next block. Chan, Golub and LeVeque, *The American Statistician* 37, 1983."""
        both, away = self.plays + block.plays, block.mean - self.mean
        self.mean += away * (block.plays / both)
        self.squares += block.squares + away * away * (self.plays * block.plays / both)
        self.plays = both
        self.low = min(self.low, float(block.value[0]))
        self.high = max(self.high, float(block.value[-1]))
        if self.full:
            return
        self.waiting.append(block)
        self.room -= len(block.value)
        if self.room < 0:
            self.settle()
            self.room = max(1 << 16, len(self.value))
            self.full = len(self.value) > KEPT

    def settle(self) -> None:
        """Count what has been added since the last time."""
        value = np.concatenate([self.value, *(block.value for block in self.waiting)])
        times = np.concatenate([self.times, *(block.times for block in self.waiting)])
        self.waiting.clear()
        if len(value):
            order = np.argsort(value, kind="stable")
            value, times = value[order], times[order]
            starts = np.flatnonzero(np.concatenate([[True], value[1:] != value[:-1]]))
            value, times = value[starts], np.add.reduceat(times, starts)
        self.value, self.times = value, times

    def outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        """The distinct outcomes and how often each came; those that only rounding parts are one.

        ``0.1 + 0.2`` and ``0.3`` are one ending, which is shown by its shorter name.
        """
        self.settle()
        value, times = self.value, self.times
        if len(value) > _MERGED or np.array_equal(value, np.rint(value)):
            return value, times
        near = np.diff(value) <= _NOISE * np.maximum(np.abs(value[1:]), np.abs(value[:-1]))
        starts = np.flatnonzero(np.concatenate([[True], ~near]))
        groups = np.split(value, starts[1:])
        shortest = [min(group.tolist(), key=lambda v: len(repr(v))) for group in groups]
        return np.array(shortest), np.add.reduceat(times, starts)


def quantile(value: np.ndarray, times: np.ndarray, percent: int) -> float:
    """The smallest outcome that ``percent`` of the plays, or more, do not exceed."""
    upto = np.cumsum(times)
    rank = max(1, -(-percent * int(upto[-1]) // 100))
    return float(value[np.searchsorted(upto, rank)])
