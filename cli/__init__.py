"""The command line: reads arguments, calls the layers below, prints what they give.

One file for each group of commands, none with logic of its own. ``main`` knows the commands
and imports the one that is asked for; nothing here imports a reader, the compiler or the
evaluator before a command needs it.
"""

from __future__ import annotations

import gc

# Imports and documents make many objects that stay: looking for garbage among them again and
# again takes a tenth of a small command's time. It is still looked for, only less often.
gc.set_threshold(100_000, 20, 20)
