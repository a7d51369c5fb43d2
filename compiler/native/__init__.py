"""The fast engine: a program to machine code, and whole state spaces to arrays.

``machine`` writes one function for each named node (through LLVM, in a tenth of a second),
``search`` walks the states with it, ``engine`` joins them. ``search`` is compiled once by numba
and kept as an object file, which ``kernels`` loads without numba.
What it cannot express it refuses with a reason, and the exact engine takes over.
"""
