"""What the kernel and ``compiled`` agree on: statuses, and positions in arrays of numbers."""

from __future__ import annotations

# Why the kernel stopped; below these, what a game's own code says is wrong
DONE, PAUSE, ENTRIES_FULL, LEVELS_FULL, AT_OUTSIDE, AT_CIRCLE = 0, -20, -21, -22, -23, -24

# What it is about to do: look at a position, take what was found, go on with the open node
ENTER, HAVE, NEXT = range(3)

# Positions in the settings
(
    S_CUTS, S_EXPAND, S_KEY_WORDS, S_LEVELS, S_MASK, S_MOST, S_PROBES, S_ROOM, S_SCOUTS,
    S_STEPS, S_STRIDE, S_TABLE_SIZE, S_WIDEST,
) = range(13)  # fmt: skip

# Positions in the counters; three more follow `C_WATCHED`
(
    C_CHANCE_MET, C_CUT, C_DEEPEST, C_DEPTH, C_HORIZON, C_LEAST, C_MODE, C_NODES, C_OFF, C_SENT,
    C_STATE, C_STOPPED, C_TERMINALS, C_TOP, C_VISITED, C_WATCHED,
) = range(16)  # fmt: skip
C_SIZE = 19

# Whole numbers of an open node
(
    I_COUNT, I_DEFINITION, I_DEPTH, I_FIRST, I_IS_FIRST, I_KIND, I_MODE, I_MOVE, I_OPEN_HIGHS,
    I_OPEN_LOWS, I_PHASE, I_RANK, I_SCOUTS, I_SELF, I_SLOT,
) = range(15)  # fmt: skip
I_SIZE = 15

# Doubles of an open node; `D_BEST` are two
(
    D_ALPHA, D_BETA, D_HIGH, D_HIGHS, D_LOW, D_LOWS, D_ODDS, D_OFFSET, D_OFFSET_OFF,
    D_TOTAL_HIGH, D_TOTAL_LOW, D_WORST, D_BEST,
) = range(13)  # fmt: skip
D_SIZE = 14
