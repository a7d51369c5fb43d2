"""Arrays in a file: a numpy ``.npz`` whose reader trusts nothing.

Input   a file, and which arrays may be in it, of which types.
Output  the arrays: each of one dimension.
Holds   nothing is unpickled or decompressed, and no memory is taken that the file does not fill:
        members are stored as they are, so that no small file can grow into a large one.
Errors  ``Damaged``, with what is wrong with the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

if TYPE_CHECKING:
    import numpy as np

    Arrays = Mapping[str, np.ndarray[Any, Any]]

_CHUNK = 1 << 24  # bytes between two looks at an interruption
_HEADER = 1_000  # bytes that the header of an array may have


class Damaged(Exception):
    """A file that holds no such arrays."""


def write_arrays(file: IO[bytes], arrays: Arrays) -> None:
    """Write ``arrays`` to ``file``."""
    import numpy as np

    members: dict[str, Any] = {name: np.ascontiguousarray(a) for name, a in arrays.items()}
    np.savez(file, **members)


def require(arrays: Arrays, types: Mapping[str, Sequence[str]]) -> None:
    """Check that the arrays are those of ``types``.

    Raises:
        Damaged: If not.
    """
    if arrays.keys() != types.keys():
        raise Damaged("some of its arrays are missing")
    for name, array in arrays.items():
        if array.dtype.str not in types[name]:
            raise Damaged(f"`{name}` has the type {array.dtype.str}")


def read_arrays(path: str, allowed: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The arrays in the file at ``path``; ``allowed`` has the types of each that may be there.

    Raises:
        Damaged: If the file is anything else.
        OSError: If it cannot be read.

    Memory: as much as the file is long.
    """
    import struct
    import tokenize
    import zlib

    try:
        with ZipFile(path) as archive:
            members = archive.infolist()
            _check_members(members, allowed, _length(path))
            return {
                member.filename.removesuffix(".npy"): _read(archive, member, allowed)
                for member in members
            }
    except BadZipFile as error:
        raise Damaged("it is cut off or was changed") from error
    except (
        ValueError, KeyError, TypeError, SyntaxError, EOFError, NotImplementedError, RuntimeError,
        struct.error, zlib.error, tokenize.TokenError, OverflowError,
    ) as error:  # fmt: skip
        raise Damaged("it holds something else than arrays of numbers") from error


def _length(path: str) -> int:
    import os

    return os.stat(path).st_size


def _check_members(
    members: list[ZipInfo], allowed: Mapping[str, Sequence[str]], length: int
) -> None:
    names = [member.filename for member in members]
    known = {f"{name}.npy" for name in allowed}
    if len(set(names)) != len(names) or not known.issuperset(names):
        raise Damaged("it holds something else than a game")
    for member in members:
        if member.compress_type != ZIP_STORED or member.file_size != member.compress_size:
            raise Damaged("it is compressed, which saved games are not")
    if sum(member.file_size for member in members) > length:
        raise Damaged("its parts are longer than the file")


def _read(archive: ZipFile, member: ZipInfo, allowed: Mapping[str, Sequence[str]]) -> Any:
    import numpy as np
    from numpy.lib import format as npy

    name = member.filename.removesuffix(".npy")
    with archive.open(member) as file:
        if npy.read_magic(file) != (1, 0):
            raise Damaged(f"`{name}` is written in a way that saved games do not use")
        shape, _, dtype = npy.read_array_header_1_0(file, max_header_size=_HEADER)
        if len(shape) != 1 or dtype.str not in allowed[name]:
            raise Damaged(f"`{name}` has the type {dtype.str[:20]} in {len(shape)} dimensions")
        length = shape[0] * dtype.itemsize
        if length != member.file_size - file.tell():
            raise Damaged(f"`{name}` is not as long as it says")
        array: Any = np.empty(shape, dtype)
        room, at = memoryview(array).cast("B") if length else memoryview(b""), 0
        while at < length:
            piece = file.read(min(_CHUNK, length - at))
            if not piece:
                raise Damaged("it is cut off")
            room[at : at + len(piece)] = piece
            at += len(piece)
    return array
