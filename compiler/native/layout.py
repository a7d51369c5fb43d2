"""What a game's code and the walk agree on."""

from __future__ import annotations

ALIAS = 5
PAYOFF = -1  # the definition of an entry that is a payoff: its words are value and error
RESULT = 5  # doubles: reward, its error, the odds' error, entries, loop rounds
