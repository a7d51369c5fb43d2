"""The search of ``walk`` in floats, as one compiled loop over a game's own machine code.

What is asked and answered is the same: windows, intervals that the value lies in, and where
bounds stand for what was not looked at. Beside each interval goes a bound on its rounding error
(Higham, *Accuracy and Stability of Numerical Algorithms*, 3.3). A chance node is left as soon as
it is outside its window but for ``SLACK``; its interval says what is known, so that this rounds
nothing away.

Kernels: see ``compiler.native.kernels``. The entries of all open nodes stand on one stack; an
open node is a row of whole numbers (``DEFINITION`` …) and one of doubles (``ALPHA`` …).
"""

# pyright: basic, reportCallIssue=false, reportGeneralTypeIssues=false
from __future__ import annotations

import math

import numpy as np
from numba import njit

from ...compiler.native.layout import ALIAS, PAYOFF
from ...compiler.native.pointers import call_expand, double_of, float64_at, int32_at, int64_at
from ...compiler.native.search import mixed, packed
from .kernel_layout import (
    AT_CIRCLE,
    AT_OUTSIDE,
    C_CHANCE_MET,
    C_CUT,
    C_DEEPEST,
    C_DEPTH,
    C_HORIZON,
    C_LEAST,
    C_MODE,
    C_NODES,
    C_OFF,
    C_SENT,
    C_STATE,
    C_STOPPED,
    C_TERMINALS,
    C_TOP,
    C_VISITED,
    C_WATCHED,
    D_ALPHA,
    D_BEST,
    D_BETA,
    D_HIGH,
    D_HIGHS,
    D_LOW,
    D_LOWS,
    D_ODDS,
    D_OFFSET,
    D_OFFSET_OFF,
    D_SIZE,
    D_TOTAL_HIGH,
    D_TOTAL_LOW,
    D_WORST,
    DONE,
    ENTER,
    ENTRIES_FULL,
    HAVE,
    I_COUNT,
    I_DEFINITION,
    I_DEPTH,
    I_FIRST,
    I_IS_FIRST,
    I_KIND,
    I_MODE,
    I_MOVE,
    I_OPEN_HIGHS,
    I_OPEN_LOWS,
    I_PHASE,
    I_RANK,
    I_SCOUTS,
    I_SELF,
    I_SIZE,
    I_SLOT,
    LEVELS_FULL,
    NEXT,
    PAUSE,
    S_CUTS,
    S_EXPAND,
    S_KEY_WORDS,
    S_LEVELS,
    S_MASK,
    S_MOST,
    S_PROBES,
    S_ROOM,
    S_SCOUTS,
    S_STEPS,
    S_STRIDE,
    S_TABLE_SIZE,
    S_WIDEST,
)  # fmt: skip

WAYS = 8  # places that a key may have in the table
USED, OPEN, FINAL = 1, 2, 4  # of a place in the table
SLACK = 1e-13
SCOUT = 1e-9
UNIT = 2.0**-53
UP = 1.0 + 1e-12

compiled = njit(error_model="numpy")


@compiled
def place_of(keys, marks, depths, mask, key, width):
    """The place of a key in the table: its own, a free one, or the shallowest that may go; -1."""
    h = np.int64(0)
    for i in range(width):
        h = mixed(h, key[i])
    free, shallow = -1, -1
    for way in range(WAYS):
        slot = (h + way) & mask
        if marks[slot] == 0:
            if free < 0:
                free = slot
            continue
        same = True
        for i in range(width):
            if keys[slot * width + i] != key[i]:
                same = False
                break
        if same:
            return slot
        if marks[slot] & OPEN == 0 and (shallow < 0 or depths[slot] < depths[shallow]):
            shallow = slot
    return free if free >= 0 else -2 - shallow if shallow >= 0 else -1


@compiled
def scaled(edge, own, total, infinite):
    """What is left of ``edge`` for one term of a total, its own share put back."""
    if math.isinf(edge):
        return edge
    if math.isinf(own):
        return math.inf if infinite > 1 else edge - total
    return math.inf if infinite > 0 else edge - (total - own)


def search(settings_at, arrays_at, counts_at, floats_at):
    """Go on until the root is known or something must be seen to; a status.

    Everything that it has to remember is in the arrays, so that it goes on where it was.
    """
    settings, arrays = int64_at(settings_at), int64_at(arrays_at)
    counts, floats = int64_at(counts_at), float64_at(floats_at)
    address, stride, width = settings[S_EXPAND], settings[S_STRIDE], settings[S_KEY_WORDS]
    widest, cuts, probes = settings[S_WIDEST], settings[S_CUTS], settings[S_PROBES]
    scouts, mask, most = settings[S_SCOUTS], settings[S_MASK], settings[S_MOST]
    room, levels, tabled = settings[S_ROOM], settings[S_LEVELS], settings[S_TABLE_SIZE]
    keyed, words_of, base = int64_at(arrays[0]), int64_at(arrays[1]), int64_at(arrays[2])
    factor_of, low_of = int64_at(arrays[3]), int64_at(arrays[4])
    entry_definition, entry_weight = int32_at(arrays[5]), float64_at(arrays[6])
    entry_words, words_at = int64_at(arrays[7]), arrays[7]
    entry_low, entry_high, entry_off = (
        float64_at(arrays[8]), float64_at(arrays[9]), float64_at(arrays[10])
    )  # fmt: skip
    order, ints, doubles = int32_at(arrays[11]), int64_at(arrays[12]), float64_at(arrays[13])
    keys, marks, depths = int64_at(arrays[14]), int64_at(arrays[15]), int64_at(arrays[16])
    moves, known_low, known_high = (
        int64_at(arrays[17]),
        float64_at(arrays[18]),
        float64_at(arrays[19]),
    )
    known_off, key, result = float64_at(arrays[20]), int64_at(arrays[21]), float64_at(arrays[22])
    roles = int64_at(arrays[23])
    state, top, entry = counts[C_STATE], counts[C_TOP], counts[C_SENT]
    depth, mode = counts[C_DEPTH], counts[C_MODE]
    steps = settings[S_STEPS]
    alpha, beta, low, high = floats[0], floats[1], floats[2], floats[3]
    got_low, got_high, got_off = floats[4], floats[5], floats[6]
    status = DONE
    while True:
        if state == ENTER:
            got_low, got_high, got_off = (
                low,
                high,
                4
                * UNIT
                * max(abs(low) if low > -math.inf else 0.0, abs(high) if high < math.inf else 0.0),
            )
            if counts[C_STOPPED] != 0:
                state = HAVE
                continue
            definition = entry_definition[entry]
            if definition == PAYOFF:
                if counts[C_NODES] >= most:
                    counts[C_STOPPED] = 1
                    state = HAVE
                    continue
                value = double_of(entry_words[entry * stride])
                got_low, got_high = value, value
                got_off = double_of(entry_words[entry * stride + 1])
                counts[C_NODES] += 1
                counts[C_VISITED] += 1
                counts[C_TERMINALS] += 1
                counts[C_LEAST] = min(counts[C_LEAST], depth)
                loose = got_off + 1e-9 * max(1.0, abs(value))
                if value < low - loose or value > high + loose:
                    status = AT_OUTSIDE
                    break
                state = HAVE
                continue
            slot = np.int64(-1)
            if keyed[definition] and tabled > 0:
                if width == 1:
                    key[0] = packed(
                        entry_words, entry * stride, definition, words_of, base, factor_of, low_of,
                        widest,
                    )  # fmt: skip
                else:
                    key[0] = definition
                    for i in range(width - 1):
                        known = i < words_of[definition]
                        key[1 + i] = entry_words[entry * stride + i] if known else 0
                slot = place_of(keys, marks, depths, mask, key, width)
                if slot >= 0 and marks[slot] != 0:
                    if marks[slot] & OPEN != 0:
                        status = AT_CIRCLE
                        break
                    k_low, k_high = known_low[slot], known_high[slot]
                    enough = k_low == k_high or k_low >= beta or k_high <= alpha or mode == 1
                    if not enough and marks[slot] & FINAL != 0 and depths[slot] >= depth:
                        enough = True
                        counts[C_HORIZON] = 1  # it was met when the entry was made
                    if enough:
                        got_low, got_high, got_off = k_low, k_high, known_off[slot]
                        state = HAVE
                        continue
            if counts[C_NODES] >= most:
                counts[C_STOPPED] = 1
                state = HAVE
                continue
            if steps <= 0:
                status = PAUSE
                break
            open_nodes = counts[C_OFF]
            if open_nodes + 1 >= levels:
                status = LEVELS_FULL
                break
            status = call_expand(
                address,
                definition,
                words_at + entry * stride * 8,
                arrays[5] + top * 4,
                arrays[6] + top * 8,
                words_at + top * stride * 8,
                room - top,
                arrays[22],
            )
            if status == -1:
                status = ENTRIES_FULL
                break
            if status < 0:
                break
            count = np.int64(result[3])
            steps -= 1 + count
            kind = roles[2 * status] if status < ALIAS else ALIAS
            if kind != ALIAS:
                counts[C_NODES] += 1
                counts[C_VISITED] += 1
                counts[C_LEAST] = min(counts[C_LEAST], depth)
            if kind == 0:
                got_low, got_high, got_off = result[0], result[0], result[1]
                counts[C_TERMINALS] += 1
                loose = got_off + 1e-9 * max(1.0, abs(got_low))
                if got_low < low - loose or got_low > high + loose:
                    status = AT_OUTSIDE
                    break
                if slot < -1:
                    slot = -2 - slot
                if slot >= 0:
                    for i in range(width):
                        keys[slot * width + i] = key[i]
                    marks[slot], depths[slot], moves[slot] = USED, 0, -1
                    known_low[slot], known_high[slot], known_off[slot] = got_low, got_high, got_off
                state = HAVE
                continue
            if kind != ALIAS and depth <= 0:
                counts[C_HORIZON] = 1
                state = HAVE
                continue
            if mode == 1 and (kind == 3 or (kind == 4 and count > 1)):
                state = HAVE
                continue
            # an open node more
            offset = result[0] if kind != ALIAS else 0.0
            number = open_nodes
            row, line = number * I_SIZE, number * D_SIZE
            above = (number - 1) * I_SIZE
            first = 1
            if number > 0:
                through = ints[above + I_KIND] >= 4 and ints[above + I_COUNT] == 1
                first = ints[above + I_IS_FIRST] if through else 0
            ints[row + I_DEFINITION], ints[row + I_KIND], ints[row + I_COUNT] = (
                definition,
                kind,
                count,
            )
            ints[row + I_RANK], ints[row + I_FIRST], ints[row + I_SELF] = 0, top, entry
            ints[row + I_MOVE], ints[row + I_SLOT], ints[row + I_DEPTH] = -1, -1, depth
            ints[row + I_MODE], ints[row + I_PHASE], ints[row + I_IS_FIRST] = mode, 0, first
            ints[row + I_SCOUTS], ints[row + I_OPEN_LOWS], ints[row + I_OPEN_HIGHS] = 0, 0, 0
            doubles[line + D_ALPHA], doubles[line + D_BETA] = alpha - offset, beta - offset
            doubles[line + D_LOW], doubles[line + D_HIGH] = low - offset, high - offset
            doubles[line + D_OFFSET], doubles[line + D_OFFSET_OFF] = offset, result[1]
            doubles[line + D_ODDS], doubles[line + D_WORST] = result[2], 0.0
            best_move = -1
            if slot != -1:
                if slot >= 0 and marks[slot] != 0:
                    best_move = moves[slot]
                else:
                    if slot < -1:
                        slot = -2 - slot
                        if depths[slot] > depth:
                            slot = -1
                    if slot >= 0:
                        for i in range(width):
                            keys[slot * width + i] = key[i]
                        depths[slot], moves[slot] = depth, -1
                        known_low[slot], known_high[slot], known_off[slot] = (
                            -math.inf,
                            math.inf,
                            0.0,
                        )
                if slot >= 0:
                    marks[slot] |= OPEN | USED
                    ints[row + I_SLOT] = slot
            for i in range(count):
                order[top + i] = i
            if kind <= 2:
                worst = -math.inf if kind == 1 else math.inf
                doubles[line + D_BEST], doubles[line + D_BEST + 1] = worst, worst
                if first != 0 and counts[C_WATCHED] < 0:
                    counts[C_WATCHED] = number
                if cuts != 0 and 0 < best_move < count:
                    for i in range(best_move, 0, -1):
                        order[top + i] = order[top + i - 1]
                    order[top] = best_move
            else:
                alike = kind == 3 and roles[2 * status + 1] != 0
                if kind == 3:
                    counts[C_CHANCE_MET] = 1
                for i in range(count):
                    if kind == ALIAS:
                        entry_weight[top + i] = 1.0
                    elif alike or (kind == 3 and entry_weight[top + i] == 0.0):
                        entry_weight[top + i] = 1.0 / count
                if alike or kind == ALIAS:
                    doubles[line + D_ODDS] = 0.0
                share, positive = 0.0, True
                for i in range(count):
                    share += entry_weight[top + i]
                    positive = positive and entry_weight[top + i] > 0.0
                inner_low, inner_high = doubles[line + D_LOW], doubles[line + D_HIGH]
                if kind == 4 and count == 1:
                    inner_low /= entry_weight[top]
                    inner_high /= entry_weight[top]
                    if entry_weight[top] < 0.0:
                        inner_low, inner_high = inner_high, inner_low
                elif kind == 4 and not (positive and abs(share - 1.0) < 1e-12):
                    inner_low, inner_high = -math.inf, math.inf
                total_low = total_high = 0.0
                for i in range(count):
                    at = top + i
                    entry_low[at], entry_high[at] = inner_low, inner_high
                    entry_off[at] = -1.0  # not looked at
                    weight = entry_weight[at]
                    a, b = weight * inner_low, weight * inner_high
                    if weight < 0.0:
                        a, b = b, a
                    if math.isinf(a):
                        ints[row + I_OPEN_LOWS] += 1
                    else:
                        total_low += a
                    if math.isinf(b):
                        ints[row + I_OPEN_HIGHS] += 1
                    else:
                        total_high += b
                doubles[line + D_TOTAL_LOW], doubles[line + D_TOTAL_HIGH] = total_low, total_high
                doubles[line + D_LOWS], doubles[line + D_HIGHS] = inner_low, inner_high
                if cuts != 0 and kind == 3:  # the likeliest first
                    for i in range(1, count):
                        moved = order[top + i]
                        j = i - 1
                        while (
                            j >= 0
                            and entry_weight[top + order[top + j]] < entry_weight[top + moved]
                        ):
                            order[top + j + 1] = order[top + j]
                            j -= 1
                        order[top + j + 1] = moved
                ints[row + I_PHASE] = 0 if probes != 0 and count > 1 and mode == 0 else 1
            counts[C_OFF] += 1
            counts[C_DEEPEST] = max(counts[C_DEEPEST], counts[C_OFF])
            top += count
            state = NEXT
            continue
        number = counts[C_OFF] - 1
        if number < 0:  # the root itself has been answered
            floats[8], floats[9], floats[10] = got_low, got_high, got_off
            status = DONE
            break
        row, line = number * I_SIZE, number * D_SIZE
        kind, count, first_entry = ints[row + I_KIND], ints[row + I_COUNT], ints[row + I_FIRST]
        rank = ints[row + I_RANK]
        a_edge, b_edge = doubles[line + D_ALPHA], doubles[line + D_BETA]
        if state == HAVE:
            at = first_entry + order[first_entry + rank]
            if kind <= 2:
                best_low, best_high = doubles[line + D_BEST], doubles[line + D_BEST + 1]
                again = False
                if ints[row + I_SCOUTS] == 1:
                    if kind == 1:
                        again = (
                            got_low >= doubles[line + D_ODDS]
                            and got_low < got_high
                            and got_low < b_edge
                        )
                        again = again and got_low < doubles[line + D_HIGH]
                    else:
                        again = (
                            got_high <= doubles[line + D_ODDS]
                            and got_low < got_high
                            and got_high > a_edge
                        )
                        again = again and got_high > doubles[line + D_LOW]
                    again = again and counts[C_STOPPED] == 0
                ints[row + I_SCOUTS] = 0
                if again:
                    ints[row + I_SCOUTS] = 2
                    state = NEXT
                    continue
                if number == counts[C_WATCHED]:
                    entry_low[at], entry_high[at] = got_low, got_high
                doubles[line + D_WORST] = max(doubles[line + D_WORST], got_off)
                if kind == 1:
                    if got_low > best_low or (got_low == best_low and got_high > best_high):
                        ints[row + I_MOVE] = order[first_entry + rank]
                    best_low, best_high = max(best_low, got_low), max(best_high, got_high)
                    settled = best_low >= b_edge or best_low >= doubles[line + D_HIGH]
                else:
                    if got_high < best_high or (got_high == best_high and got_low < best_low):
                        ints[row + I_MOVE] = order[first_entry + rank]
                    best_low, best_high = min(best_low, got_low), min(best_high, got_high)
                    settled = best_high <= a_edge or best_high <= doubles[line + D_LOW]
                rank += 1
                if ints[row + I_MODE] == 1 and rank < count:
                    if kind == 1:
                        best_high = doubles[line + D_HIGH]
                    else:
                        best_low = doubles[line + D_LOW]
                    rank = count
                elif cuts != 0 and settled and counts[C_STOPPED] == 0 and rank < count:
                    counts[C_CUT] += count - rank
                    if number == counts[C_WATCHED]:
                        for i in range(rank, count):
                            entry_low[first_entry + order[first_entry + i]] = -math.inf
                            entry_high[first_entry + order[first_entry + i]] = math.inf
                    if kind == 1:
                        best_high = doubles[line + D_HIGH]
                    else:
                        best_low = doubles[line + D_LOW]
                    rank = count
                doubles[line + D_BEST], doubles[line + D_BEST + 1] = best_low, best_high
                ints[row + I_RANK] = rank
            else:
                weight = entry_weight[at]
                for sign in (-1.0, 1.0):
                    if sign > 0.0:
                        entry_low[at] = max(entry_low[at], got_low)
                        entry_high[at] = min(entry_high[at], got_high)
                        entry_off[at] = max(entry_off[at], got_off)
                        if entry_low[at] > entry_high[at]:  # by a rounding error
                            entry_low[at], entry_high[at] = entry_high[at], entry_low[at]
                    a, b = weight * entry_low[at], weight * entry_high[at]
                    if weight < 0.0:
                        a, b = b, a
                    if math.isinf(a):
                        ints[row + I_OPEN_LOWS] += np.int64(sign)
                    else:
                        doubles[line + D_TOTAL_LOW] += sign * a
                    if math.isinf(b):
                        ints[row + I_OPEN_HIGHS] += np.int64(sign)
                    else:
                        doubles[line + D_TOTAL_HIGH] += sign * b
                ints[row + I_RANK] = rank + 1
            state = NEXT
            continue
        # the next child of the open node, or its end
        finished = rank >= count
        if kind > 2:
            if finished and ints[row + I_PHASE] == 0:
                ints[row + I_PHASE], ints[row + I_RANK] = 1, 0
                rank, finished = 0, False
            total_low = -math.inf if ints[row + I_OPEN_LOWS] > 0 else doubles[line + D_TOTAL_LOW]
            total_high = math.inf if ints[row + I_OPEN_HIGHS] > 0 else doubles[line + D_TOTAL_HIGH]
            if cuts != 0 and not finished:
                slack = SLACK * (1.0 + (abs(b_edge) if b_edge < math.inf else 0.0))
                finished = total_low >= b_edge - slack
                slack = SLACK * (1.0 + (abs(a_edge) if a_edge > -math.inf else 0.0))
                finished = finished or total_high <= a_edge + slack
                if finished and counts[C_STOPPED] == 0:
                    counts[C_CUT] += count - (rank if ints[row + I_PHASE] > 0 else 0)
        if not finished:
            at = first_entry + order[first_entry + rank]
            entry, mode, depth = at, ints[row + I_MODE], ints[row + I_DEPTH]
            if kind < 4 and depth > 0:
                depth -= 1
            if kind <= 2:
                mode = 0
                alpha, beta = a_edge, b_edge
                low, high = doubles[line + D_LOW], doubles[line + D_HIGH]
                if cuts != 0 and kind == 1:
                    alpha = max(alpha, doubles[line + D_BEST])
                    if scouts != 0 and rank > 0 and ints[row + I_SCOUTS] == 0 and alpha > -math.inf:
                        wide = alpha + SCOUT * max(1.0, abs(alpha))
                        if wide < beta:
                            beta = wide
                            ints[row + I_SCOUTS] = 1
                            doubles[line + D_ODDS] = wide
                elif cuts != 0:
                    beta = min(beta, doubles[line + D_BEST + 1])
                    if scouts != 0 and rank > 0 and ints[row + I_SCOUTS] == 0 and beta < math.inf:
                        wide = beta - SCOUT * max(1.0, abs(beta))
                        if wide > alpha:
                            alpha = wide
                            ints[row + I_SCOUTS] = 1
                            doubles[line + D_ODDS] = wide
            else:
                low, high = doubles[line + D_LOWS], doubles[line + D_HIGHS]
                if kind == 3:
                    mode = 0
                if ints[row + I_PHASE] == 0:
                    mode = 1
                if cuts == 0:
                    alpha, beta = -math.inf, math.inf
                else:
                    weight = entry_weight[at]
                    a, b = weight * entry_low[at], weight * entry_high[at]
                    if weight < 0.0:
                        a, b = b, a
                    below = scaled(
                        a_edge, b, doubles[line + D_TOTAL_HIGH], ints[row + I_OPEN_HIGHS]
                    )
                    above = scaled(b_edge, a, doubles[line + D_TOTAL_LOW], ints[row + I_OPEN_LOWS])
                    if math.isinf(below):
                        below = -math.inf
                    if math.isinf(above):
                        above = math.inf
                    alpha, beta = below / weight, above / weight
                    if weight < 0.0:
                        alpha, beta = beta, alpha
                    alpha, beta = max(alpha, entry_low[at]), min(beta, entry_high[at])
            state = ENTER
            continue
        # the open node is finished
        offset, off = doubles[line + D_OFFSET], doubles[line + D_WORST]
        if kind <= 2:
            got_low, got_high = doubles[line + D_BEST], doubles[line + D_BEST + 1]
        else:
            got_low = got_high = spread = off = largest = 0.0
            for i in range(count):
                at = first_entry + i
                weight = entry_weight[at]
                a, b = weight * entry_low[at], weight * entry_high[at]
                if weight < 0.0:
                    a, b = b, a
                got_low += a
                got_high += b
                size = 0.0
                if not math.isinf(a):
                    size = abs(entry_low[at]) if weight > 0.0 else abs(entry_high[at])
                if not math.isinf(b):
                    size = max(size, abs(entry_high[at]) if weight > 0.0 else abs(entry_low[at]))
                own = entry_off[at] if entry_off[at] >= 0.0 else 4 * UNIT * size
                spread += abs(weight) * size
                off += abs(weight) * own
                largest = max(largest, size + own)
            if not (count == 1 and abs(entry_weight[first_entry]) == 1.0):
                off += (count + 2) * UNIT * spread
            off = (
                (off + doubles[line + D_ODDS] * largest) * UP
                if off > 0.0 or doubles[line + D_ODDS] > 0.0
                else 0.0
            )
        if offset != 0.0:
            got_low += offset
            got_high += offset
            size = 0.0 if math.isinf(got_low) else abs(got_low)
            size = max(size, 0.0 if math.isinf(got_high) else abs(got_high))
            off = (off + doubles[line + D_OFFSET_OFF] + UNIT * size) * UP
        got_off = off
        slot = ints[row + I_SLOT]
        if slot >= 0:
            marks[slot] = USED
            if counts[C_STOPPED] == 0:
                got_low = max(got_low, known_low[slot])
                got_high = min(got_high, known_high[slot])
                got_off = max(got_off, known_off[slot])
                known_low[slot], known_high[slot], known_off[slot] = got_low, got_high, got_off
                depths[slot], moves[slot] = ints[row + I_DEPTH], ints[row + I_MOVE]
                undecided = (
                    got_low < got_high and got_low < b_edge + offset and got_high > a_edge + offset
                )
                if undecided and ints[row + I_MODE] == 0 and counts[C_HORIZON] != 0:
                    marks[slot] = USED | FINAL
        if number == counts[C_WATCHED]:
            counts[C_WATCHED + 1] = first_entry
            counts[C_WATCHED + 2] = count
            counts[C_WATCHED + 3] = ints[row + I_MOVE]
        top = first_entry
        counts[C_OFF] -= 1
        if counts[C_OFF] == 0:
            floats[8], floats[9], floats[10] = got_low, got_high, got_off
            status = DONE
            break
        state = HAVE
    counts[C_STATE], counts[C_TOP], counts[C_SENT] = state, top, entry
    counts[C_DEPTH], counts[C_MODE] = depth, mode
    floats[0], floats[1], floats[2], floats[3] = alpha, beta, low, high
    floats[4], floats[5], floats[6] = got_low, got_high, got_off
    return np.int64(status)
