"""Play a game many times by machine code.

Input   a DAG as arrays, and what decides at each of its nodes.
Output  the outcome of each play, and how often each branch of the first node was taken.
Holds   a block of plays depends on its seed and its number only: not on threads, on other
        blocks, or on where it was interrupted.

Numbers come from xoshiro256++ (Blackman and Vigna, *ACM TOMS* 47, 2021), whose state for each
block is four steps of SplitMix64. One of k equal branches is drawn without any bias, by a product
in place of a division (Lemire, *ACM TOMACS* 29, 2019). Unequal odds use the alias method (Walker,
1977; built as by Vose, *IEEE TSE* 17, 1991): two draws and one look-up however many outcomes there
are, where a search of cumulative odds takes log k steps that the processor cannot foresee. Its
odds are off by 2**-53 at most.
"""

# pyright: basic
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

END, FIXED, UNIFORM, WEIGHTED, SCALE, SUM = range(6)
CHOOSES, EQUALLY, BY_ODDS, SLIPS, SOFTLY = range(5)  # rules of a kind of node
INDEX, MOVES, DICE, STATUS = range(4)  # of a block's counters
DONE, PAUSED, TOO_LONG = range(3)
SLOTS = 1 << 12  # of the table that counts a block's distinct outcomes
MOST = SLOTS // 2

_MASK = (1 << 64) - 1
_GAMMA = 0x9E3779B97F4A7C15


class Tables(NamedTuple):
    """What decides at each of ``n`` nodes; edges as in the DAG.

    A play at ``node`` adds ``offset[node]``, and then, as ``move[node]`` says, ends; follows
    edge ``first[node] + pick[node]``; draws one of its ``count[node]`` edges, by the alias table
    from ``pick[node]`` on if they are unequal; goes on with a multiple of what follows; or
    plays each of its terms. ``target`` is where an edge leads, without nodes that only pass on.
    """

    move: np.ndarray  # n, uint8
    first: np.ndarray  # n, int64
    count: np.ndarray  # n, int32
    pick: np.ndarray  # n, int64
    offset: np.ndarray  # n, float64
    target: np.ndarray  # m, int32
    threshold: np.ndarray  # float64, of weighted nodes' edges
    alias: np.ndarray  # int32
    factor: np.ndarray  # float64, of sums' edges


class Start(NamedTuple):
    """Where each play starts, with what it has by then, and what it may cost."""

    node: int
    total: float
    scale: float
    limit: int  # moves of one play


# --- the generator ---------------------------------------------------------------------------


def _mixed(word: int) -> int:
    """The output function of SplitMix64 (Steele, Lea and Flood, 2014)."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    return word ^ (word >> 31)


def block_state(seed: int, block: int) -> np.ndarray:
    """The generator's state at the start of a block: different for each block and seed."""
    start = _mixed((seed + _GAMMA) & _MASK)
    words = [_mixed((start + (4 * block + i + 1) * _GAMMA) & _MASK) for i in range(4)]
    return np.array(words, np.uint64)


@njit(inline="always")
def _random(s0, s1, s2, s3):
    """64 random bits, and the next state."""
    word = s0 + s3
    word = ((word << np.uint64(23)) | (word >> np.uint64(41))) + s0
    t = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    return word, s0, s1, s2, s3


@njit(inline="always")
def _below(count, s0, s1, s2, s3):
    """A number from 0 to ``count`` - 1, each as likely, and the next state."""
    k = np.uint64(count)
    word, s0, s1, s2, s3 = _random(s0, s1, s2, s3)
    product = (word >> np.uint64(32)) * k
    low = product & np.uint64(0xFFFFFFFF)
    if low < k:
        unfair = (np.uint64(1 << 32) - k) % k
        while low < unfair:
            word, s0, s1, s2, s3 = _random(s0, s1, s2, s3)
            product = (word >> np.uint64(32)) * k
            low = product & np.uint64(0xFFFFFFFF)
    return np.int64(product >> np.uint64(32)), s0, s1, s2, s3


@njit(inline="always")
def _by_alias(threshold, alias, start, count, s0, s1, s2, s3):
    """One of ``count`` outcomes by their odds, and the next state."""
    column, s0, s1, s2, s3 = _below(count, s0, s1, s2, s3)
    word, s0, s1, s2, s3 = _random(s0, s1, s2, s3)
    share = np.float64(word >> np.uint64(11)) * 2.0**-53
    if share >= threshold[start + column]:
        column = np.int64(alias[start + column])
    return column, s0, s1, s2, s3


# --- playing ---------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def play(tables, start, state, outcome, branches, counters, budget):
    """Play on until the block is full or some ``budget`` moves are made.

    ``state``, ``outcome``, ``branches`` and ``counters`` are the block's own, and change.
    """
    move, first, count, pick = tables.move, tables.first, tables.count, tables.pick
    offset, target, factor = tables.offset, tables.target, tables.factor
    threshold, alias = tables.threshold, tables.alias
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    stack_node, stack_scale = np.empty(64, np.int64), np.empty(64, np.float64)
    index, dice, moves = counters[INDEX], counters[DICE], np.int64(0)
    status = DONE
    while index < outcome.shape[0]:
        if moves >= budget:
            status = PAUSED
            break
        node, total, scale, depth = np.int64(start.node), start.total, start.scale, 0
        last = moves + start.limit
        how = move[node]
        if FIXED <= how <= WEIGHTED:
            total += scale * offset[node]
            edge = pick[node]
            if how == UNIFORM:
                edge, s0, s1, s2, s3 = _below(count[node], s0, s1, s2, s3)
                dice += 1
            elif how == WEIGHTED:
                edge, s0, s1, s2, s3 = _by_alias(
                    threshold, alias, pick[node], count[node], s0, s1, s2, s3
                )
                dice += 1
            branches[edge] += 1
            node = np.int64(target[first[node] + edge])
        while True:
            total += scale * offset[node]
            how = move[node]
            moves += 1
            if how == UNIFORM:
                edge, s0, s1, s2, s3 = _below(count[node], s0, s1, s2, s3)
                node = np.int64(target[first[node] + edge])
                dice += 1
            elif how == END:
                if depth == 0:
                    break
                depth -= 1
                node, scale = stack_node[depth], stack_scale[depth]
            elif how == FIXED:
                node = np.int64(target[first[node] + pick[node]])
            elif how == WEIGHTED:
                edge, s0, s1, s2, s3 = _by_alias(
                    threshold, alias, pick[node], count[node], s0, s1, s2, s3
                )
                node = np.int64(target[first[node] + edge])
                dice += 1
            elif how == SCALE:
                scale *= factor[pick[node]]
                node = np.int64(target[first[node]])
            else:
                terms = count[node]
                while depth + terms > stack_node.shape[0]:
                    stack_node = _longer(stack_node)
                    stack_scale = _longer(stack_scale)
                for term in range(terms - 1, 0, -1):  # the first term is played first
                    stack_node[depth] = target[first[node] + term]
                    stack_scale[depth] = scale * factor[pick[node] + term]
                    depth += 1
                scale *= factor[pick[node]]
                node = np.int64(target[first[node]])
            if moves > last:
                status = TOO_LONG
                break
        if status == TOO_LONG:
            break
        outcome[index] = total + 0.0  # no negative zero: outcomes are compared by their bits
        index += 1
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    counters[INDEX], counters[DICE], counters[STATUS] = index, dice, status
    counters[MOVES] += moves


@njit(nogil=True, cache=True)
def _longer(old):
    new = np.empty(2 * old.shape[0], old.dtype)
    new[: old.shape[0]] = old
    return new


@njit(nogil=True, cache=True)
def count_outcomes(outcome, value, times):
    """Count the distinct outcomes of a block: how many there are, or -1 if more than ``MOST``.

    ``value`` and ``times`` (``MOST`` long) get them, in the order in which they first came.
    """
    bits = outcome.view(np.uint64)
    table = np.zeros(SLOTS, np.int32)
    found = 0
    for i in range(bits.shape[0]):
        slot = np.int64((bits[i] * np.uint64(_GAMMA)) >> np.uint64(52))
        while True:
            at = table[slot] - 1
            if at < 0:
                if found == MOST:
                    return -1
                value[found], times[found] = outcome[i], 1
                found += 1
                table[slot] = found
                break
            if value[at] == outcome[i]:
                times[at] += 1
                break
            slot = (slot + 1) & (SLOTS - 1)
    return found


# --- from a solved DAG to tables -------------------------------------------------------------


@njit(cache=True)
def first_best(kind, first, child, value, bound, rules, chosen):
    """The first best edge, counted from the node's first, where a rule chooses; else -1.

    ``rules`` has a row for each kind: whether it chooses the best, and whether that is the
    highest. Values that their bounds cannot tell apart are tied.
    """
    for node in range(kind.shape[0]):
        k = kind[node]
        chosen[node] = -1
        if k < 1 or k > 3 or not rules[k, 0]:
            continue
        start, end = first[node], first[node + 1]
        best = child[start]
        for e in range(start, end):
            c = child[e]
            if value[c] != value[best] and (value[c] > value[best]) == rules[k, 1]:
                best = c
        for e in range(start, end):
            c = child[e]
            if abs(value[c] - value[best]) <= bound[c] + bound[best]:
                chosen[node] = e - start
                break


@njit(cache=True)
def ways(kind, first, code, factor, rules, chosen, policy, move, pick):
    """Set the ``move`` of each node, and where its tables are in ``pick``.

    ``rules`` has a row for each kind: its rule and the rule's amount. ``policy`` is empty, or
    for each node 0, or -1 where a policy made what is ``chosen``, or 1 + the number of a mixture.

    Returns:
        The sizes of the alias tables and of the factors.
    """
    aliases = factors = 0
    for node in range(kind.shape[0]):
        k = kind[node]
        start, end = np.int64(first[node]), np.int64(first[node + 1])
        count = end - start
        pick[node] = 0
        if count == 0:
            move[node] = END
        elif k == 4:
            plain = count == 1 and factor[code[start]] == 1.0
            move[node] = FIXED if plain else SCALE if count == 1 else SUM
            if not plain:
                pick[node] = factors
                factors += count
        elif count == 1:
            move[node] = FIXED
        elif policy.shape[0] and policy[node]:
            move[node] = WEIGHTED if policy[node] > 0 else FIXED
        elif rules[k, 0] == CHOOSES or (rules[k, 0] == SLIPS and rules[k, 1] == 0.0):
            move[node] = FIXED
        elif rules[k, 0] == EQUALLY or (
            rules[k, 0] == BY_ODDS and _equal(code, factor, start, end)
        ):
            move[node] = UNIFORM
        else:
            move[node] = WEIGHTED
        if move[node] == WEIGHTED:
            pick[node] = aliases
            aliases += count
        elif move[node] == FIXED and count > 1:
            pick[node] = chosen[node]
    return aliases, factors


@njit(inline="always")
def _equal(code, factor, start, end):
    """Whether the odds of a chance node are equal."""
    if code[start] == 0:
        return True
    for e in range(start + 1, end):  # noqa: SIM110 - numba has no `all`
        if factor[code[e]] != factor[code[start]]:
            return False
    return True


@njit(cache=True)
def fill(
    kind, first, child, code, factor, value, rules, chosen,
    policy, policy_start, policy_edge, policy_odds, move, pick, threshold, alias, factors,
):  # fmt: skip
    """Make the alias tables of weighted nodes and the factors of sums."""
    for node in range(kind.shape[0]):
        k = kind[node]
        start, end = np.int64(first[node]), np.int64(first[node + 1])
        if move[node] == SCALE or move[node] == SUM:
            for e in range(start, end):
                factors[pick[node] + e - start] = factor[code[e]]
        if move[node] != WEIGHTED:
            continue
        odds = np.zeros(end - start)
        if policy.shape[0] and policy[node] > 0:
            number = policy[node] - 1
            for i in range(policy_start[number], policy_start[number + 1]):
                odds[policy_edge[i] - start] += policy_odds[i]
        elif rules[k, 0] == BY_ODDS:
            for e in range(start, end):
                odds[e - start] = factor[code[e]]
        elif rules[k, 0] == SOFTLY:
            _softmax(child[start:end], value, rules[k, 1], k != 2, odds)
        else:
            odds[:] = rules[k, 1] / odds.shape[0]
            odds[chosen[node]] += 1.0 - rules[k, 1]
        at = pick[node]
        _vose(odds, threshold[at : at + odds.shape[0]], alias[at : at + odds.shape[0]])


@njit(cache=True)
def _softmax(children, value, temperature, up, odds):
    t = temperature if up else -temperature
    peak = value[children[0]]
    for c in children:
        peak = max(peak, value[c]) if up else min(peak, value[c])
    for i in range(children.shape[0]):
        odds[i] = np.exp((value[children[i]] - peak) / t)


@njit(cache=True)
def _vose(odds, threshold, alias):
    """An alias table: column i is outcome i below its threshold, and ``alias[i]`` above it."""
    count = odds.shape[0]
    room = odds * (count / odds.sum())
    small, large = np.empty(count, np.int64), np.empty(count, np.int64)
    few = many = 0
    for i in range(count):
        threshold[i], alias[i] = 1.0, i
        if room[i] < 1.0:
            small[few] = i
            few += 1
        else:
            large[many] = i
            many += 1
    while few and many:
        few -= 1
        i, j = small[few], large[many - 1]
        threshold[i], alias[i] = room[i], j
        room[j] -= 1.0 - room[i]
        if room[j] < 1.0:
            many -= 1
            small[few] = j
            few += 1
    for i in range(few):  # rounding left it: 1 but for that, unless the outcome is impossible
        if odds[small[i]] == 0.0:
            threshold[small[i]], alias[small[i]] = 0.0, np.argmax(odds)


@njit(cache=True)
def skip(child, first, move, pick, offset, target):
    """Let each edge lead to the first node where something happens."""
    n = move.shape[0]
    beyond = np.empty(n, np.int32)
    for node in range(n - 1, -1, -1):
        beyond[node] = node
        if move[node] == FIXED and offset[node] == 0.0:
            beyond[node] = beyond[child[np.int64(first[node]) + pick[node]]]
    for e in range(child.shape[0]):
        target[e] = beyond[child[e]]
