"""Walk the states of a game depth first, with compiled code, into arrays.

A node is finished when all its children are, so nodes come out children first; they are
written from the end of the arrays towards their start, which leaves the parents in front.
A state on the way down that comes up again is a cycle.

Kernels: see ``native.kernels``. A game's own code is called through its address.
Arrays are taken larger than needed: memory that is never written to is never used.
"""

# pyright: basic, reportCallIssue=false, reportGeneralTypeIssues=false
from __future__ import annotations

import numpy as np
from numba import njit

from .layout import (
    ALIAS,
    AMOUNT_SPACE,
    AMOUNTS,
    CYCLE,
    DEFINITIONS,
    DEPTH,
    DIRECT,
    DONE,
    EDGE_SPACE,
    EDGES,
    EXPAND,
    IN_ENTRIES,
    KEY_SPACE,
    KEY_WORDS,
    KEYS,
    MERGED,
    MOST_ROUNDS,
    MOST_STATES,
    NEW,
    NODE_SPACE,
    NODES,
    OPEN,
    OPEN_SPACE,
    PAUSE,
    PAYOFF,
    PAYOFFS,
    PLAIN,
    REGIONS,
    RESULT,
    REWARDED,
    ROUNDED,
    ROUNDS,
    STATES,
    STEPS,
    STRIDE,
    WEIGHT_SPACE,
    WEIGHTED,
    WEIGHTS,
    WIDE,
    WIDEST,
    WORDS,
    WORK,
    Arrays,
)
from .pointers import (
    bits_of,
    bytes_at,
    call_expand,
    double_of,
    float32_at,
    float64_at,
    int32_at,
    int64_at,
    uint16_at,
    uint32_at,
)

# positions in `Arrays`
(
    ENTRY_DEFINITION, ENTRY_WEIGHT, ENTRY_WORDS, RESULTS, OWNER,
    OPEN_START, OPEN_AT, OPEN_DEFINITION, OPEN_WORDS, OPEN_KIND, OPEN_OFFSET, OPEN_ODDS,
    NUMBER, CODE, KIND, FIRST, OFFSET, ODDS, CHILD, WEIGHT,
    AMOUNT, AMOUNT_ERROR, AMOUNT_NODE, AMOUNT_TABLE, FACTOR, FACTOR_TABLE, TABLE, TABLE_KEY,
) = range(len(Arrays._fields))  # fmt: skip

compiled = njit(error_model="numpy")


@compiled
def mixed(h, word):
    """A hash with one more word in it: the finaliser of SplitMix64 (Steele and others, 2014)."""
    x = np.uint64(h) ^ np.uint64(word)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((x ^ (x >> np.uint64(31))) >> np.uint64(1))


@compiled
def find_slot(table, table_key, mask, key, at, width):
    """The slot of a key in a hash table: its own, or a free one."""
    h = np.int64(0)
    for i in range(width):
        h = mixed(h, key[at + i])
    slot = h & mask
    while table[slot] != NEW:
        same = True
        for i in range(width):
            if table_key[slot * width + i] != key[at + i]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@compiled
def find_number(table, mask, book, bits):
    """The slot of a number in the hash table of a book: its own, or a free one."""
    slot = mixed(0, bits) & mask
    while table[slot] != NEW and bits_of(book[table[slot]]) != bits:
        slot = (slot + 1) & mask
    return slot


@compiled
def packed(words, at, definition, count, base, factor, low, widest):
    """The key of a state, where keys are single numbers."""
    row, key = definition * widest, base[definition]
    for i in range(count[definition]):
        key += (words[at + i] - low[row + i]) * factor[row + i]
    return key


@compiled
def unpacked(key, words, at, definitions, keyed, count, base, factor, low, widest):
    """The definition of the state that has a key; its words are written to ``words[at:]``."""
    definition = definitions - 1
    while not keyed[definition] or base[definition] > key:
        definition -= 1
    row, rest = definition * widest, np.uint64(key - base[definition])
    for i in range(count[definition]):
        size = np.uint64(factor[row + i])
        part = rest // size
        rest -= part * size
        words[at + i] = np.int64(part) + low[row + i]
    return definition


@compiled
def slot_of(
    key, words, at, definition, count, base, factor, low, widest, width,
    direct, table, table_key, mask,
):  # fmt: skip
    """The slot of a state in the table; its key is written to ``key``."""
    if width == 1:
        key[0] = packed(words, at, definition, count, base, factor, low, widest)
    else:
        key[0] = definition
        for i in range(width - 1):
            key[1 + i] = words[at + i] if i < count[definition] else 0
    return key[0] if direct else find_slot(table, table_key, mask, key, 0, width)


@compiled
def expanded(expand, arrays, definition, state, region, room, stride):
    """Write the entries of an open state, whose words begin at ``state``, to a region."""
    return call_expand(
        expand,
        definition,
        arrays[OPEN_WORDS] + state * 8,
        arrays[ENTRY_DEFINITION] + region * room * 4,
        arrays[ENTRY_WEIGHT] + region * room * 8,
        arrays[ENTRY_WORDS] + region * room * stride * 8,
        room,
        arrays[RESULTS] + region * RESULT * 8,
    )


def search(given, layout, arrays, sizes, counters, key):
    """Go on until the root is finished, or something must be seen to.

    All arguments are addresses: of the settings ``EXPAND`` to ``STEPS``; of the addresses of the
    arrays of ``Layout`` and of ``Arrays``, and of the latters' lengths; of the counters; and of
    room for a key.

    Returns a status: ``DONE``; ``PAUSE`` after ``STEPS`` edges and rounds of loops; a number
    that says what is wrong (below 0 from ``expand``: with the state one deeper than the last
    open node); or which array is full. Nothing is changed before there is room for all of it.

    A node's children are looked up as soon as it is expanded, and only their numbers or keys
    are kept. The entries themselves, which tell a state that has no such key, are kept for a
    few levels, and written again when the walk comes back from further down: in a deep game
    they would be most of the memory.
    """
    given, arrays, sizes = int64_at(given), int64_at(arrays), int64_at(sizes)
    layout, counters, key = int64_at(layout), int64_at(counters), int64_at(key)
    expand, stride, width, each = given[EXPAND], given[STRIDE], given[KEY_WORDS], given[WORDS]
    direct, widest = given[DIRECT] != 0, given[WIDEST]
    keyed, words = bytes_at(layout[0]), int64_at(layout[1])
    base, factor, low = int64_at(layout[2]), int64_at(layout[3]), int64_at(layout[4])
    entry_definition = int32_at(arrays[ENTRY_DEFINITION])
    entry_weight, entry_words = float64_at(arrays[ENTRY_WEIGHT]), int64_at(arrays[ENTRY_WORDS])
    result, owner = float64_at(arrays[RESULTS]), int64_at(arrays[OWNER])
    start_of, at_of = uint32_at(arrays[OPEN_START]), int32_at(arrays[OPEN_AT])
    definition_of, state_of = int32_at(arrays[OPEN_DEFINITION]), int64_at(arrays[OPEN_WORDS])
    kind_of, offset_of = bytes_at(arrays[OPEN_KIND]), int32_at(arrays[OPEN_OFFSET])
    odds_of = float32_at(arrays[OPEN_ODDS])
    number, code = int32_at(arrays[NUMBER]), uint32_at(arrays[CODE])
    node_kind, node_first = bytes_at(arrays[KIND]), uint32_at(arrays[FIRST])
    node_offset, node_odds = int32_at(arrays[OFFSET]), float32_at(arrays[ODDS])
    child, narrow_weight = int32_at(arrays[CHILD]), uint16_at(arrays[WEIGHT])
    wide, wide_weight = given[WIDE] != 0, uint32_at(arrays[WEIGHT])
    amount, amount_error = float64_at(arrays[AMOUNT]), float64_at(arrays[AMOUNT_ERROR])
    amount_node, amount_table = int32_at(arrays[AMOUNT_NODE]), int32_at(arrays[AMOUNT_TABLE])
    factors, factor_table = float64_at(arrays[FACTOR]), int32_at(arrays[FACTOR_TABLE])
    table, table_key = int32_at(arrays[TABLE]), int64_at(arrays[TABLE_KEY])
    total, edge_total = sizes[KIND], sizes[CHILD]
    room, deepest = sizes[ENTRY_DEFINITION] // REGIONS, sizes[OPEN_START] - 2
    amount_mask, factor_mask = sizes[AMOUNT_TABLE] - 1, sizes[FACTOR_TABLE] - 1
    amount_room = min(sizes[AMOUNT], sizes[AMOUNT_TABLE] // 2)
    factor_room = min(sizes[FACTOR], sizes[FACTOR_TABLE] // 2)
    mask, most_keys = sizes[TABLE] - 1, sizes[TABLE] // 2
    depth, nodes, edges = counters[DEPTH], counters[NODES], counters[EDGES]
    amounts, weights, keys = counters[AMOUNTS], counters[WEIGHTS], counters[KEYS]
    rounds, steps = counters[ROUNDS], given[STEPS]
    last_bits, last_code = np.int64(0), 0
    status = DONE
    while True:
        # the next child that is no node yet
        start, end = np.int64(start_of[depth]), np.int64(start_of[depth + 1])
        at = start + at_of[depth]
        known, slot = np.int64(NEW), np.int64(0)
        while at < end:
            known = np.int64(number[at])
            if known < 0:
                slot = -1 - known
                known = np.int64(table[slot])
                number[at] = known if known > 0 else number[at]
            if known <= 0:
                break
            at += 1
        at_of[depth] = at - start
        if at < end:
            below = depth + 1
            state = below * each
            if below > deepest:
                status = OPEN_SPACE
                break
            region, has_key = depth & (REGIONS - 1), number[at] != IN_ENTRIES
            if owner[region] != depth and has_key:
                definition = unpacked(
                    slot, state_of, state, given[DEFINITIONS], keyed, words, base, factor, low,
                    widest,
                )  # fmt: skip
            else:
                if owner[region] != depth:  # its entries were overwritten further down
                    status = expanded(
                        expand, arrays, definition_of[depth], depth * each, region, room, stride
                    )
                    if status < 0:
                        break
                    owner[region] = depth
                entry = region * room + at - start
                definition = entry_definition[entry]
                for i in range(words[definition]):
                    state_of[state + i] = entry_words[entry * stride + i]
            definition_of[below] = definition
            if keyed[definition] and not has_key:
                slot = slot_of(
                    key, state_of, state, definition, words, base, factor, low, widest, width,
                    direct, table, table_key, mask,
                )  # fmt: skip
                known = np.int64(table[slot])
                if known > 0:
                    number[at] = known
                    continue
            # go down
            if known == OPEN:
                status = CYCLE
                break
            if steps <= 0:
                status = PAUSE
                break
            if not direct and keys >= most_keys:
                status = KEY_SPACE
                break
            if nodes + depth >= given[MOST_STATES]:
                status = STATES
                break
            region = below & (REGIONS - 1)
            owner[region] = -1
            status = expanded(expand, arrays, definition, state, region, room, stride)
            if status < 0:
                break
            kind = status
            count = np.int64(result[region * RESULT + 3])
            # room for everything that follows
            if end + count > sizes[NUMBER]:
                status = OPEN_SPACE
                break
            if nodes + count >= total:
                status = NODE_SPACE
                break
            if amounts + count + 1 >= amount_room:
                status = AMOUNT_SPACE
                break
            if weights + count >= factor_room:
                status = WEIGHT_SPACE
                break
            rounds += np.int64(result[region * RESULT + 4])
            steps -= np.int64(result[region * RESULT + 3] + result[region * RESULT + 4])
            if rounds > given[MOST_ROUNDS]:
                status = WORK
                break
            if keyed[definition]:
                table[slot] = OPEN
                if not direct:
                    for i in range(width):
                        table_key[slot * width + i] = key[i]
                    keys += 1
            owner[region] = below
            depth = below
            start_of[depth + 1], at_of[depth] = end + count, 0
            offset = result[region * RESULT]
            if offset != 0.0:
                spot = find_number(amount_table, amount_mask, amount, bits_of(offset))
                if amount_table[spot] == NEW:
                    amount[amounts] = offset
                    amount_table[spot] = amounts
                    amounts += 1
                this = amount_table[spot]
                amount_error[this] = max(amount_error[this], result[region * RESULT + 1])
                offset_of[depth] = this
                kind |= REWARDED
            if result[region * RESULT + 2] > 0.0:
                kind |= ROUNDED
                odds_of[depth] = np.float32(result[region * RESULT + 2] * (1 + 1e-6) + 2.0**-149)
            # look its children up
            for i in range(count):
                entry = region * room + i
                definition = entry_definition[entry]
                known = np.int64(IN_ENTRIES)
                if definition == PAYOFF:
                    bits = entry_words[entry * stride]
                    error = double_of(entry_words[entry * stride + 1])
                    this = 0
                    if double_of(bits) != 0.0:  # 0 is the first amount
                        spot = find_number(amount_table, amount_mask, amount, bits)
                        if amount_table[spot] == NEW:
                            amount[amounts] = double_of(bits)
                            amount_table[spot] = amounts
                            amounts += 1
                        this = amount_table[spot]
                    if amount_node[this] == NEW:
                        nodes += 1
                        node_offset[total - nodes] = this
                        node_first[total - nodes] = edges
                        amount_node[this] = nodes
                        counters[MERGED] += 1
                    amount_error[this] = max(amount_error[this], error)
                    counters[PAYOFFS] += 1
                    known = amount_node[this]
                elif direct and keyed[definition]:
                    slot = packed(
                        entry_words, entry * stride, definition, words, base, factor, low, widest
                    )
                    known = np.int64(table[slot])
                    if known <= 0:
                        known = -1 - slot
                number[end + i] = known
                weight = entry_weight[entry]
                if weight != 0.0:
                    bits = bits_of(weight)
                    if bits != last_bits:
                        spot = find_number(factor_table, factor_mask, factors, bits)
                        if factor_table[spot] == NEW:
                            factors[weights] = weight
                            factor_table[spot] = weights
                            weights += 1
                        last_bits, last_code = bits, factor_table[spot]
                    if not kind & WEIGHTED:
                        kind |= WEIGHTED
                        for before in range(i):
                            code[end + before] = 0
                    code[end + i] = last_code
                elif kind & WEIGHTED:
                    code[end + i] = 0
            kind_of[depth] = kind
            continue
        # all children are nodes: it is finished
        if depth == 0:
            status = DONE
            break
        if steps <= 0:
            status = PAUSE
            break
        steps -= end - start
        kind, definition, count = kind_of[depth], definition_of[depth], end - start
        if kind & PLAIN == ALIAS:
            finished = np.int64(number[start])
        else:
            if edges + count > edge_total:
                status = EDGE_SPACE
                break
            if nodes == total:
                status = NODE_SPACE
                break
            nodes += 1
            edges += count
            finished = nodes
            node = total - nodes
            node_kind[node] = kind & PLAIN
            node_first[node] = edges
            if kind & REWARDED:
                node_offset[node] = offset_of[depth]
            if kind & ROUNDED:
                node_odds[node] = odds_of[depth]
            edge = edge_total - edges
            for i in range(count):
                child[edge + i] = number[start + i]
            if kind & WEIGHTED:
                if wide:
                    for i in range(count):
                        wide_weight[edge + i] = code[start + i]
                else:
                    for i in range(count):
                        narrow_weight[edge + i] = code[start + i]
        if keyed[definition]:
            state = depth * each
            slot = slot_of(
                key, state_of, state, definition, words, base, factor, low, widest, width,
                direct, table, table_key, mask,
            )  # fmt: skip
            table[slot] = finished
        depth -= 1
        number[np.int64(start_of[depth]) + at_of[depth]] = finished
        at_of[depth] += 1
    counters[DEPTH], counters[NODES], counters[EDGES] = depth, nodes, edges
    counters[AMOUNTS], counters[WEIGHTS], counters[KEYS] = amounts, weights, keys
    counters[ROUNDS] = rounds
    return status


def rehash(table, table_key, mask, bigger, bigger_key, bigger_mask, width):
    """Fill the empty tables ``bigger`` and ``bigger_key`` with what is in the others."""
    table, table_key = int32_at(table), int64_at(table_key)
    bigger, bigger_key = int32_at(bigger), int64_at(bigger_key)
    for old in range(mask + 1):
        if table[old] != NEW:
            slot = find_slot(bigger, bigger_key, bigger_mask, table_key, old * width, width)
            bigger[slot] = table[old]
            for i in range(width):
                bigger_key[slot * width + i] = table_key[old * width + i]
    return 0


def rebook(table, mask, book, bigger, bigger_mask):
    """Fill the empty hash table ``bigger`` of a book of numbers; position 0 is not in it."""
    table, book, bigger = int32_at(table), float64_at(book), int32_at(bigger)
    for old in range(mask + 1):
        if table[old] != NEW:
            slot = find_number(bigger, bigger_mask, book, bits_of(book[table[old]]))
            bigger[slot] = table[old]
    return 0


def finish(child, first, nodes, edges):
    """Count nodes and edges from the start instead of the end."""
    child, first = int32_at(child), uint32_at(first)
    for e in range(edges):
        child[e] = nodes - child[e]
    for i in range(nodes):
        first[i] = edges - first[i]
    first[nodes] = edges
    return 0


def depths(first, child, begin, end, depth):
    """Fill in the number of edges of the longest path from nodes ``begin`` up to ``end``."""
    first, child, depth = uint32_at(first), int32_at(child), int32_at(depth)
    for node in range(end - 1, begin - 1, -1):
        best = -1
        for e in range(np.int64(first[node]), np.int64(first[node + 1])):
            best = max(best, depth[child[e]])
        depth[node] = best + 1
    return 0
