"""What a game's code, the walk over its states and the engine agree on.

The walk is compiled apart from Python: it is given the address of each array, in the order of
``Arrays`` and ``Layout``, and of one array of counters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

ALIAS = 5
PAYOFF = -1  # the definition of an entry that is a payoff: its words are value and error
RESULT = 5  # doubles: reward, its error, the odds' error, entries, loop rounds
REGIONS = 8  # open nodes whose entries are kept; a power of two

# What the table says of a state that is no node yet; nodes are 1, 2, …
NEW, OPEN = 0, -1

# Why the walk stopped
DONE, CYCLE, STATES, NODE_SPACE, EDGE_SPACE = 0, -10, -11, -12, -13
PAUSE, WORK, OPEN_SPACE, KEY_SPACE, AMOUNT_SPACE, WEIGHT_SPACE = -14, -15, -16, -17, -18, -19

# Positions in the counters
COUNTERS = 9
DEPTH, NODES, EDGES, PAYOFFS, MERGED, KEYS, ROUNDS, AMOUNTS, WEIGHTS = range(COUNTERS)

# Positions in the settings of a walk
(
    EXPAND, STRIDE, WORDS, DEFINITIONS, WIDEST, KEY_WORDS, DIRECT, WIDE,
    MOST_STATES, MOST_ROUNDS, STEPS,
) = range(11)  # fmt: skip


class Layout(NamedTuple):
    """How the states of each definition become keys."""

    keyed: np.ndarray  # uint8: equal states are one node
    words: np.ndarray  # int64: how many words a state has
    base: np.ndarray  # int64: the first key of the definition, where keys are single numbers
    factor: np.ndarray  # int64 (definitions, words): what each word counts in the key
    low: np.ndarray  # int64 (definitions, words): the smallest value of each word
    key_words: int  # words of a key; 1 where a state is packed into one number
    direct: int  # above 0: a key is an index into a table of that size; 0: it is hashed


class Arrays(NamedTuple):
    """Everything that grows."""

    entry_definition: np.ndarray  # int32: entries of the last few open nodes, a region each
    entry_weight: np.ndarray  # float64
    entry_words: np.ndarray  # int64, `stride` an entry
    result: np.ndarray  # float64, RESULT a region
    owner: np.ndarray  # int64: the depth of the node whose entries a region holds
    open_start: np.ndarray  # uint32: of each open node, where its children begin
    open_at: np.ndarray  # int32: which of its children it is at
    open_definition: np.ndarray  # int32
    open_words: np.ndarray  # int64, `WORDS` an open node
    open_kind: np.ndarray  # uint8: what the node comes to
    open_offset: np.ndarray  # int32: a position in `amount`, where it is REWARDED
    open_odds_error: np.ndarray  # float32, where its odds are ROUNDED
    number: np.ndarray  # int32: the children of the open nodes: see below
    code: np.ndarray  # uint32: their weights, where the node is WEIGHTED: not all are equal
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


# The child of an open node in `number`: a node counted from the end, above 0; below 0, a state
# by its key, -1 for key 0; or this, a state that only the node's entries tell.
IN_ENTRIES = 0
WEIGHTED, REWARDED, ROUNDED = 0x80, 0x40, 0x20  # in `open_kind`: what else is kept of it
PLAIN = 0x1F  # the kind itself
