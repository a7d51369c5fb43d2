"""Take so many bytes of memory, use every page, and end: touch.py BYTES."""

import mmap
import sys

size = int(sys.argv[1])
memory = mmap.mmap(-1, size)
for at in range(0, size, mmap.PAGESIZE):
    memory[at] = 1
