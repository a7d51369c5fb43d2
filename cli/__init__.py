"""The command line: reads arguments, calls the layers below, prints what they give.

One file for each group of commands, none with logic of its own. ``main`` knows the commands
and imports the one that is asked for; nothing here imports a reader, the compiler or the
evaluator before a command needs it.
"""
