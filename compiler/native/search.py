"""Walk the states of a game depth first, with compiled code, into arrays.

A node is finished when all its children are, so nodes come out children first; they are
written from the end of the arrays towards their start, which leaves the parents in front.
A state on the way down that comes up again is a cycle.

Compiled by numba once and kept on disk; a game's own code is called through its address.
Arrays are taken larger than needed: memory that is never written to is never used.
"""

# pyright: basic, reportCallIssue=false
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from .layout import ALIAS, PAYOFF, RESULT

REGIONS = 8  # open nodes whose entries are kept; a power of two
NEW, OPEN = 0, -1  # what the table says of a state that is no node yet; nodes are 1, 2, …
DONE, CYCLE, STATES, NODE_SPACE, EDGE_SPACE = 0, -10, -11, -12, -13
PAUSE, WORK, OPEN_SPACE, KEY_SPACE, AMOUNT_SPACE, WEIGHT_SPACE = -14, -15, -16, -17, -18, -19

# positions in `counters`
DEPTH, NODES, EDGES, PAYOFFS, MERGED, KEYS, ROUNDS, AMOUNTS, WEIGHTS = range(9)


@intrinsic
def call_expand(
    typing_context, address, definition, state, definitions, weights, words, room, result
):  # fmt: skip
    """Call a game's ``expand`` by its address; pointers are given as integers."""
    signature = types.int64(*[types.int64] * 8)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        i64, i32, f64 = ir.IntType(64), ir.IntType(32), ir.DoubleType()
        kinds = [i64, i64.as_pointer(), i32.as_pointer(), f64.as_pointer(), i64.as_pointer()]
        kinds += [i64, f64.as_pointer()]
        function = builder.inttoptr(arguments[0], ir.FunctionType(i64, kinds).as_pointer())
        given = [
            builder.inttoptr(a, kind) if isinstance(kind, ir.PointerType) else a
            for a, kind in zip(arguments[1:], kinds, strict=True)
        ]
        return builder.call(function, given)

    return signature, generate


class Layout(NamedTuple):
    """How the states of each definition become keys."""

    keyed: np.ndarray  # uint8: equal states are one node
    words: np.ndarray  # int64: how many words a state has
    base: np.ndarray  # int64: the first key of the definition, where keys are single numbers
    factor: np.ndarray  # int64 (definitions, words): what each word counts in the key
    low: np.ndarray  # int64 (definitions, words): the smallest value of each word
    key_words: int  # words of a key; 1 where a state is packed into one number
    direct: int  # 1: a key is an index into the table; 0: it is looked up by its hash


class Arrays(NamedTuple):
    """Everything that grows."""

    entry_definition: np.ndarray  # int32: entries of the last few open nodes, a region each
    entry_weight: np.ndarray  # float64
    entry_words: np.ndarray  # int64, `stride` an entry
    result: np.ndarray  # float64, RESULT a region
    owner: np.ndarray  # int64: the depth of the node whose entries a region holds
    status: np.ndarray  # int64: what the node of a region comes to
    open_start: np.ndarray  # int64: of each open node, where its children's numbers begin
    open_at: np.ndarray  # int32: which of its entries it is at
    open_definition: np.ndarray  # int32
    open_words: np.ndarray  # int64, `stride` an open node
    number: np.ndarray  # int32: the children of the open nodes, counted from the end
    kind: np.ndarray  # uint8: nodes, from the end
    first: np.ndarray  # uint32: where a node's edges start, counted from the end
    offset: np.ndarray  # int32: a position in `amount`
    odds_error: np.ndarray  # float32
    child: np.ndarray  # int32: edges, from the end; nodes counted from the end
    weight: np.ndarray  # uint16 or uint32: a position in `factor`; 0: an equal share
    amount: np.ndarray  # float64: the different rewards and payoffs; the first is 0
    amount_error: np.ndarray  # float64
    amount_node: np.ndarray  # int32: the node of a payoff
    amount_table: np.ndarray  # int32: positions in `amount`, by their hash
    factor: np.ndarray  # float64: the different weights; the first is unused
    factor_table: np.ndarray  # int32
    table: np.ndarray  # int32: nodes by key, or by the hash of their key
    table_key: np.ndarray  # int64, where keys are hashed


@intrinsic
def bits_of(typing_context, number):
    """The 64 bits of a double as an integer."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def double_of(typing_context, bits):
    """The double that has these 64 bits."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@njit(cache=True, inline="always")
def mixed(h, word):
    """A hash with one more word in it: the finaliser of SplitMix64 (Steele and others, 2014)."""
    x = np.uint64(h) ^ np.uint64(word)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((x ^ (x >> np.uint64(31))) >> np.uint64(1))


@njit(cache=True)
def find_slot(table, table_key, key, width):
    """The slot of a key in a hash table: its own, or a free one."""
    mask = table.shape[0] - 1
    h = np.int64(0)
    for i in range(width):
        h = mixed(h, key[i])
    slot = h & mask
    while table[slot] != NEW:
        same = True
        for i in range(width):
            if table_key[slot * width + i] != key[i]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@njit(cache=True)
def rehash(table, table_key, width):
    """The table at twice its size."""
    bigger = np.zeros(table.shape[0] * 2, np.int32)
    keys = np.zeros(table.shape[0] * 2 * width, np.int64)
    key = np.empty(width, np.int64)
    for old in range(table.shape[0]):
        if table[old] != NEW:
            key[:] = table_key[old * width : (old + 1) * width]
            slot = find_slot(bigger, keys, key, width)
            bigger[slot] = table[old]
            keys[slot * width : (slot + 1) * width] = key
    return bigger, keys


@njit(cache=True)
def grown_book(table, book):
    """The hash table of a book of numbers at twice its size; position 0 is not in it."""
    size = table.shape[0] * 2
    bigger = np.zeros(size, np.int32)
    for old in table:
        if old != NEW:
            slot = mixed(0, bits_of(book[old])) & (size - 1)
            while bigger[slot] != NEW:
                slot = (slot + 1) & (size - 1)
            bigger[slot] = old
    return bigger


@njit(cache=True)
def search(address, stride, layout, arrays, counters, limits, key, steps):
    """Go on until the root is finished, or something must be seen to.

    Returns a status: ``DONE``; ``PAUSE`` after ``steps`` edges and rounds of loops; a number
    that says what is wrong (below 0 from ``expand``: with the state one deeper than the last
    open node); or which array is full.

    The entries of an open node are kept for a few levels only and written again when the walk
    comes back from further down: in a deep game they would be most of the memory.

    One long function on purpose: handing arrays from one compiled function to another counts
    references, which would take most of the time.
    """
    entry_definition, entry_words = arrays.entry_definition, arrays.entry_words
    entry_weight, result, owner = arrays.entry_weight, arrays.result, arrays.owner
    came_to, start_of, at_of = arrays.status, arrays.open_start, arrays.open_at
    definition_of, words_of, numbers = (
        arrays.open_definition,
        arrays.open_words,
        arrays.number,
    )
    node_kind, node_first, node_offset = arrays.kind, arrays.first, arrays.offset
    node_odds, child, edge_weight = arrays.odds_error, arrays.child, arrays.weight
    amount, amount_error, amount_node = arrays.amount, arrays.amount_error, arrays.amount_node
    amount_table, factors, factor_table = arrays.amount_table, arrays.factor, arrays.factor_table
    table, table_key = arrays.table, arrays.table_key
    keyed, words, base = layout.keyed, layout.words, layout.base
    factor, low, width = layout.factor, layout.low, layout.key_words
    direct = layout.direct != 0
    total, edge_total = node_kind.shape[0], child.shape[0]
    amount_mask, factor_mask = amount_table.shape[0] - 1, factor_table.shape[0] - 1
    definition_address, weight_address = entry_definition.ctypes.data, entry_weight.ctypes.data
    words_address, result_address = entry_words.ctypes.data, result.ctypes.data
    open_address = words_of.ctypes.data
    depth, nodes, edges = counters[DEPTH], counters[NODES], counters[EDGES]
    amounts, weights = counters[AMOUNTS], counters[WEIGHTS]
    room, most = entry_definition.shape[0] // REGIONS, limits[0]
    deepest, number_room = start_of.shape[0] - 2, numbers.shape[0]
    last_bits, last_code = np.int64(0), 0
    status = DONE
    while True:
        region = depth & (REGIONS - 1)
        if depth == 0 and owner[0] != 0:  # below the root: one entry, the root itself
            entry_definition[0], result[3], owner[0] = 0, 1.0, 0
        if owner[region] != depth:  # its entries were overwritten further down: write them again
            status = call_expand(
                address,
                definition_of[depth],
                open_address + depth * stride * 8,
                definition_address + region * room * 4,
                weight_address + region * room * 8,
                words_address + region * room * stride * 8,
                room,
                result_address + region * RESULT * 8,
            )
            if status < 0:
                break
            owner[region] = depth
            came_to[region] = status
        count = np.int64(result[region * RESULT + 3])
        start, first_entry = start_of[depth], region * room
        if start + count > number_room:
            status = OPEN_SPACE
            break
        child_found = False
        while at_of[depth] < count:
            at = first_entry + at_of[depth]
            definition = entry_definition[at]
            if definition == PAYOFF:
                bits, error = entry_words[at * stride], double_of(entry_words[at * stride + 1])
                code = 0
                if double_of(bits) != 0.0:  # 0 is the first amount
                    slot = mixed(0, bits) & amount_mask
                    code = amount_table[slot]
                    while code != NEW and bits_of(amount[code]) != bits:
                        slot = (slot + 1) & amount_mask
                        code = amount_table[slot]
                    if code == NEW:
                        if amounts * 2 > amount_mask or amounts == amount.shape[0]:
                            status = AMOUNT_SPACE
                            break
                        code = amounts
                        amounts += 1
                        amount[code] = double_of(bits)
                        amount_table[slot] = code
                if amount_node[code] == NEW:
                    if nodes == total:
                        status = NODE_SPACE
                        break
                    nodes += 1
                    node_offset[total - nodes] = code
                    node_first[total - nodes] = edges
                    amount_node[code] = nodes
                    counters[MERGED] += 1
                amount_error[code] = max(amount_error[code], error)
                counters[PAYOFFS] += 1
                numbers[start + at_of[depth]] = amount_node[code]
                at_of[depth] += 1
                continue
            if keyed[definition]:
                if width == 1:
                    number = base[definition]
                    for i in range(words[definition]):
                        word = entry_words[at * stride + i] - low[definition, i]
                        number += word * factor[definition, i]
                    key[0] = number
                else:
                    key[0] = definition
                    for i in range(width - 1):
                        key[1 + i] = entry_words[at * stride + i] if i < words[definition] else 0
                slot = key[0] if direct else find_slot(table, table_key, key, width)
                known = table[slot]
                if known > 0:
                    numbers[start + at_of[depth]] = known
                    at_of[depth] += 1
                    continue
                if known == OPEN:
                    status = CYCLE
                    break
            child_found = True
            break
        if child_found:
            if steps <= 0:
                status = PAUSE
                break
            if depth == deepest or start + count + 1 > number_room:
                status = OPEN_SPACE
                break
            if not direct and counters[KEYS] * 2 >= table.shape[0]:
                status = KEY_SPACE
                break
            if nodes + depth >= most:
                status = STATES
                break
            below = depth + 1
            for i in range(stride):
                words_of[below * stride + i] = entry_words[at * stride + i]
            definition_of[below] = definition
            region = below & (REGIONS - 1)
            owner[region] = -1
            status = call_expand(
                address,
                definition,
                open_address + below * stride * 8,
                definition_address + region * room * 4,
                weight_address + region * room * 8,
                words_address + region * room * stride * 8,
                room,
                result_address + region * RESULT * 8,
            )
            if status < 0:
                break
            counters[ROUNDS] += np.int64(result[region * RESULT + 4])
            steps -= np.int64(result[region * RESULT + 3] + result[region * RESULT + 4])
            if counters[ROUNDS] > limits[1]:
                status = WORK
                break
            if keyed[definition]:
                table[slot] = OPEN
                if not direct:
                    for i in range(width):
                        table_key[slot * width + i] = key[i]
                    counters[KEYS] += 1
            owner[region] = below
            came_to[region] = status
            start_of[below] = start + count
            at_of[below] = 0
            depth = below
            continue
        if at_of[depth] < count:
            break  # something must be seen to
        # all children are known: the node is finished
        if depth == 0:
            status = DONE
            break
        kind, definition = came_to[region], definition_of[depth]
        if kind == ALIAS:
            number = np.int64(numbers[start])
        else:
            if edges + count > edge_total:
                status = EDGE_SPACE
                break
            if nodes == total:
                status = NODE_SPACE
                break
            if amounts + 1 >= amount.shape[0] or amounts * 2 > amount_mask:
                status = AMOUNT_SPACE
                break
            if weights + count >= factors.shape[0] or (weights + count) * 2 > factor_mask:
                status = WEIGHT_SPACE
                break
            nodes += 1
            edges += count
            number = nodes
            node = total - nodes
            node_kind[node] = kind
            node_first[node] = edges
            offset = result[region * RESULT]
            if offset != 0.0:
                bits = bits_of(offset)
                spot = mixed(0, bits) & amount_mask
                while amount_table[spot] != NEW and bits_of(amount[amount_table[spot]]) != bits:
                    spot = (spot + 1) & amount_mask
                if amount_table[spot] == NEW:
                    amount[amounts] = offset
                    amount_table[spot] = amounts
                    amounts += 1
                code = amount_table[spot]
                amount_error[code] = max(amount_error[code], result[region * RESULT + 1])
                node_offset[node] = code
            if result[region * RESULT + 2] > 0.0:
                error = result[region * RESULT + 2] * (1 + 1e-6)
                node_odds[node] = np.float32(error + 2.0**-149)
            edge = edge_total - edges
            for i in range(count):
                child[edge + i] = numbers[start + i]
                weight = entry_weight[first_entry + i]
                if weight != 0.0:
                    bits = bits_of(weight)
                    if bits != last_bits:
                        spot = mixed(0, bits) & factor_mask
                        code = factor_table[spot]
                        while code != NEW and bits_of(factors[code]) != bits:
                            spot = (spot + 1) & factor_mask
                            code = factor_table[spot]
                        if code == NEW:
                            code = weights
                            factors[code] = weight
                            factor_table[spot] = code
                            weights += 1
                        last_bits, last_code = bits, code
                    edge_weight[edge + i] = last_code
        if keyed[definition]:
            if width == 1:
                slot = base[definition]
                for i in range(words[definition]):
                    word = words_of[depth * stride + i] - low[definition, i]
                    slot += word * factor[definition, i]
                key[0] = slot
            else:
                key[0] = definition
                for i in range(width - 1):
                    key[1 + i] = words_of[depth * stride + i] if i < words[definition] else 0
            if not direct:
                slot = find_slot(table, table_key, key, width)
            table[slot] = number
        depth -= 1
        numbers[start_of[depth] + at_of[depth]] = number
        at_of[depth] += 1
    counters[DEPTH], counters[NODES], counters[EDGES] = depth, nodes, edges
    counters[AMOUNTS], counters[WEIGHTS] = amounts, weights
    return status


@njit(cache=True)
def finish(child, first, edges):
    """Count nodes and edges from the start instead of the end."""
    n, m = first.shape[0] - 1, child.shape[0]
    for e in range(m):
        child[e] = n - child[e]
    for i in range(n):
        first[i] = edges - first[i]
    first[n] = m


@njit(cache=True)
def depths(first, child, begin, end, depth):
    """Fill in the number of edges of the longest path from nodes ``begin`` up to ``end``."""
    for node in range(end - 1, begin - 1, -1):
        best = -1
        for e in range(first[node], first[node + 1]):
            best = max(best, depth[child[e]])
        depth[node] = best + 1
