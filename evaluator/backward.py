"""Backward induction over the arrays of a large game: a kernel, see ``compiler.native.kernels``.

A node's value and the bound of its error lie side by side, ``RECORD`` bytes together, so that a
child costs one line of the cache. The bounds follow from running error analysis: Higham,
*Accuracy and Stability of Numerical Algorithms*, 3.3.
"""

# pyright: basic, reportCallIssue=false, reportGeneralTypeIssues=false
from __future__ import annotations

import numpy as np
from numba import njit

from ..compiler.native.pointers import (
    bytes_at,
    float32_at,
    float64_at,
    int32_at,
    int64_at,
    load_double,
    prefetch,
    store_double,
    uint16_at,
    uint32_at,
)

RECORD = 12  # bytes: a double and a float of 32 bits
AHEAD = 48  # edges: long enough for memory to answer
UNIT = 2.0**-53
UP = 1 + 2.0**-22  # bounds are kept in 32 bits, rounded up
MORE = 1 + 1e-12  # for the rounding of the bounds themselves
LEAST = 2.0**-149  # the smallest number of 32 bits
TINY = 2.0**-1074  # the smallest double
LARGEST = 1.7976931348623157e308
TERMINAL, CHANCE, SUM = 0, 3, 4
HIGHEST, LOWEST, UNIFORM, EXPECTED, MISTAKE, SOFTMAX = 0, 1, 2, 3, 4, 5  # `play_arrays.CODES`

# positions in what `backward` is given
(
    KIND, FIRST, CHILD, WEIGHT, FACTOR, OFFSET, AMOUNT, AMOUNT_ERROR, ODDS_ERROR,
    RULES, POLICY, POLICY_START, POLICY_EDGE, POLICY_ODDS, RECORDS,
) = range(15)  # fmt: skip

compiled = njit(error_model="numpy")


@compiled
def value_of(records, node):
    """The value of a node."""
    return load_double(records + np.int64(node) * RECORD)


@compiled
def bound_of(records, node):
    """The bound of a node's error."""
    return np.float64(float32_at(records + np.int64(node) * RECORD + 8)[0])


@compiled
def keep(records, node, value, off):
    """Write the value of a node and the bound of its error, rounded up."""
    store_double(records + node * RECORD, value)
    rounded = np.float32(off * UP + LEAST) if off > 0.0 else np.float32(0.0)
    float32_at(records + node * RECORD + 8)[0] = rounded


@compiled
def best_of(records, child, start, end, highest):
    """The best value of some children, and the largest of their bounds."""
    best, off = value_of(records, child[start]), bound_of(records, child[start])
    for e in range(start + 1, end):
        value, bound = value_of(records, child[e]), bound_of(records, child[e])
        off = max(off, bound)
        best = max(best, value) if highest else min(best, value)
    return best, off


@compiled
def sum_of(records, child, start, end):
    """The sum of some children's values, of their sizes, and of their bounds."""
    total = spread = off = 0.0
    for e in range(start, end):
        value = value_of(records, child[e])
        total += value
        spread += abs(value)
        off += bound_of(records, child[e])
    return total, spread, off


@compiled
def weighted_sum(records, child, start, end, factor, narrow, wide_code, wide):
    """The weighted sum of some children's values, of their sizes and bounds; the largest size."""
    total = spread = off = largest = 0.0
    for e in range(start, end):
        weight = factor[np.int64(wide_code[e]) if wide else np.int64(narrow[e])]
        value, bound = value_of(records, child[e]), bound_of(records, child[e])
        part = weight * value
        total += part
        spread += abs(part)
        off += abs(weight) * bound
        largest = max(largest, abs(value) + bound)
    return total, spread, off, largest


@compiled
def mixed_sum(records, child, start, end, edge, odds):
    """The same for the edges that a policy mixes."""
    total = spread = off = 0.0
    for i in range(start, end):
        node = child[edge[i]]
        part = odds[i] * value_of(records, node)
        total += part
        spread += abs(part)
        off += odds[i] * bound_of(records, node)
    if end - start > 1:
        off = (off + (end - start + 3) * UNIT * spread) * MORE
    return total, off


@compiled
def softmax(records, child, start, end, t, up):
    """The average in proportion to exp(±value / t); bounded as in ``numbers.softmax_error``."""
    low = high = value_of(records, child[start])
    off = 0.0
    for e in range(start, end):
        value = value_of(records, child[e])
        low, high = min(low, value), max(high, value)
        off = max(off, bound_of(records, child[e]))
    peak = high if up else low
    shift = off / t
    mass = total = size = gaps = far = curve = steep = 0.0
    for e in range(start, end):
        value = value_of(records, child[e])
        gap = abs(value - peak)
        power = np.exp(-gap / t)
        if power > 0.0:
            mass += power
            total += power * value
            size += power * abs(value)
            gaps += power * gap
            far += power * (gap / t)
            curve += power * (gap / t) * gap
            steep += power * max(gap / t + 2 * shift - 1, 0.0)
    count = end - start
    unsure = UNIT * ((2 * count + 4) * size + 3 * curve + (3 * far / mass + 4) * gaps) / mass
    unsure += 2 * count * TINY * (1 + min(high - low, LARGEST))
    slope = np.log(1 + (count - 1) / np.e**2)
    if shift <= 1:
        slope = min(slope, np.exp(4 * shift) * steep / mass)
    moved = off + min(2 * slope * off, t * np.log(1 + (count - 1) / np.e))
    bound = (unsure + moved) * (1 + 1e-9)
    return total / mass, min(bound, high - low + 2 * off)


def backward(given, begin, end_node, policies, wide):
    """Value the nodes from ``begin`` up to ``end_node``, the last one first.

    ``given`` is the address of the addresses of ``KIND`` to ``RECORDS``; ``policies`` says
    whether any policy speaks of a node, and ``wide`` whether weights have 32 bits.
    """
    given = int64_at(given)
    kinds, first, child = bytes_at(given[KIND]), uint32_at(given[FIRST]), int32_at(given[CHILD])
    narrow, wide_code = uint16_at(given[WEIGHT]), uint32_at(given[WEIGHT])
    factor, offset = float64_at(given[FACTOR]), int32_at(given[OFFSET])
    amount, amount_error = float64_at(given[AMOUNT]), float64_at(given[AMOUNT_ERROR])
    odds_error, rules = float32_at(given[ODDS_ERROR]), float64_at(given[RULES])
    policy, policy_start = int32_at(given[POLICY]), int64_at(given[POLICY_START])
    policy_edge, policy_odds = int64_at(given[POLICY_EDGE]), float64_at(given[POLICY_ODDS])
    records, wide = given[RECORDS], wide != 0
    for node in range(end_node - 1, begin - 1, -1):
        kind, own = kinds[node], offset[node]
        if kind == TERMINAL:
            keep(records, node, amount[own], amount_error[own])
            continue
        start, end = np.int64(first[node]), np.int64(first[node + 1])
        count = end - start
        for e in range(max(start - AHEAD, 0), max(end - AHEAD, 0)):  # of nodes still to come
            prefetch(records + np.int64(child[e]) * RECORD)
        rule = np.int64(rules[3 * kind]) if kind != SUM else np.int64(SUM)
        equal = (wide_code[start] if wide else narrow[start]) == 0
        if kind == SUM:
            total, spread, off, largest = weighted_sum(
                records, child, start, end, factor, narrow, wide_code, wide
            )
            code = np.int64(wide_code[start]) if wide else np.int64(narrow[start])
            if count != 1 or abs(factor[code]) != 1.0:
                off += (count + 1) * UNIT * spread
            off = (off + np.float64(odds_error[node]) * largest) * MORE
        elif policies and policy[node]:
            number = policy[node] - 1
            total, off = mixed_sum(
                records, child, policy_start[number], policy_start[number + 1], policy_edge,
                policy_odds,
            )  # fmt: skip
        elif rule == UNIFORM or (rule == EXPECTED and equal):
            total, spread, off = sum_of(records, child, start, end)
            total /= count
            off = (off + (count + 1) * UNIT * spread) / count * MORE
        elif rule == EXPECTED:
            total, spread, off, largest = weighted_sum(
                records, child, start, end, factor, narrow, wide_code, wide
            )
            off += (count + 1) * UNIT * spread
            off = (off + np.float64(odds_error[node]) * largest) * MORE
        elif rule == SOFTMAX:
            up = rules[3 * kind + 1] > 0.0
            total, off = softmax(records, child, start, end, rules[3 * kind + 2], up)
        else:
            up = rules[3 * kind + 1] > 0.0
            total, off = best_of(records, child, start, end, up if rule > LOWEST else rule == 0)
            if rule == MISTAKE:
                mean, spread, _ = sum_of(records, child, start, end)
                mean /= count
                error = rules[3 * kind + 2]
                size = spread / count + abs(total)
                total = (1.0 - error) * total + error * mean
                off = (off + (count + 5) * UNIT * size) * MORE
        if amount[own] != 0.0:
            total += amount[own]
            off = (off + amount_error[own] + UNIT * abs(total)) * MORE
        keep(records, node, total, off)
    return 0
