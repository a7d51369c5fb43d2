"""A game kept in a file with its DAG, so that it need not be unfolded again.

Input   a game, unfolded; or such a file, which anyone may have made.
Output  the file; or the game.
Holds   the game is read and checked from its own text, which the file holds; nothing in the
        file is run, and what it says of nodes and edges is checked before it is used.
Errors  GT008, as ``SpecError``.

The file's format: ``docs/saved-games.md``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, Any, NamedTuple, cast

from ..compiler.archive import Damaged
from ..compiler.dag import AnyDag, Dag
from ..compiler.limits import Limits
from ..spec.diagnostics import Code, Diagnostic, SpecError, UsageError
from ..spec.document import Notation
from ..spec.source import Source
from .game import Game

VERSION = 1
_NOTATIONS: dict[str, Notation] = {"yaml": "yaml", "json": "json", "text": "text"}
_GRAPHS = ("tree", "exact", "float")


class Header(NamedTuple):
    """What the file says beside its arrays."""

    notation: Notation
    name: str
    text: str
    settings: dict[str, str]
    at: str | None
    graph: str


def write_game(game: Game, dag: AnyDag, file: IO[bytes], at: str | None = None) -> None:
    """Write ``game`` and its ``dag``, unfolded from the state ``at``, to ``file``."""
    from ..compiler.archive import write_arrays
    from ..compiler.saved import as_bytes, to_arrays

    if dag is game.tree:
        graph, arrays = "tree", dict[str, Any]()
    elif isinstance(dag, Dag):
        graph, arrays = "exact", to_arrays(dag, game.program)
    else:
        from ..compiler.native.saved import to_arrays as to_float_arrays

        graph, arrays = "float", to_float_arrays(dag)
    text, notation = game.document.source.text, game.document.notation
    if not text.strip():  # a document that was made, not read
        from ..spec.json_writer import write_json

        text, notation = write_json(game.document), "json"
    header = {
        "format": "gametree",
        "version": VERSION,
        "notation": notation,
        "name": game.document.source.name,
        "text": text,
        "settings": dict(game.settings),
        "at": at,
        "graph": graph,
    }
    write_arrays(file, {"header": as_bytes(header), **arrays})


def read_game(path: str, limits: Limits | None = None) -> Game:
    """The game that was kept in the file at ``path``.

    Raises:
        SpecError: If the file is no saved game, is damaged, or is larger than the memory
            that ``limits`` allow.

    Time and memory O(n + m); a game kept in floats compiles its machine code again, a tenth of
    a second.
    """
    try:
        return _read(path, limits or Limits())
    except Damaged as problem:
        raise SpecError([_damaged(path, str(problem))]) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise SpecError([_diagnostic(path, f"cannot read `{path}`: {reason.lower()}")]) from None


def _diagnostic(path: str, message: str, help_: str | None = None) -> Diagnostic:
    return Diagnostic(Code.SAVED, Source(path, "").place(0, 0), message, help=help_)


def _damaged(path: str, reason: str) -> Diagnostic:
    return _diagnostic(
        path,
        f"`{os.path.basename(path)}` is not a saved game of this version: {reason}",
        "make it again from the game's own file, with `gametree compile`",
    )


def _read(path: str, limits: Limits) -> Game:
    from ..compiler import saved
    from ..compiler.archive import read_arrays

    size = os.stat(path).st_size
    if size > limits.bytes:
        message = (
            f"the file takes {size / 2**30:.3g} GiB, and {limits.bytes / 2**30:.3g} are allowed"
        )
        raise SpecError([_diagnostic(path, message, "raise --max-memory if the machine has more")])
    arrays = read_arrays(path, _types())
    header = _header(saved.from_bytes(arrays.pop("header"))) if "header" in arrays else None
    if header is None:
        raise Damaged("it has no header")
    game = _game(header)
    if header.graph == "tree":
        if arrays or game.tree is None:
            raise Damaged("its game is no tree written out")
        return game
    try:
        root = game.program.root if header.at is None else game.state(header.at)
    except UsageError as error:
        raise Damaged(str(error)) from None
    if header.graph == "exact":
        game.saved = saved.from_arrays(arrays, game.program, root)
    else:
        from ..compiler.native.saved import from_arrays

        game.saved = from_arrays(arrays, game.program, root)
    game.saved_at = header.at
    return game


def _types() -> Mapping[str, tuple[str, ...]]:
    from ..compiler.saved import FLOAT_TYPES, TYPES

    names = {*TYPES, *FLOAT_TYPES}
    both = {name: (*TYPES.get(name, ()), *FLOAT_TYPES.get(name, ())) for name in names}
    return {"header": ("|u1",), **both}


def _header(content: Any) -> Header:
    if not isinstance(content, dict):
        raise Damaged("it was not written by gametree")
    found = cast("dict[str, Any]", content)
    if found.get("format") != "gametree":
        raise Damaged("it was not written by gametree")
    if found.get("version") != VERSION:
        raise Damaged(f"its format has the version {str(found.get('version'))[:10]}, not {VERSION}")
    notation: Any = found.get("notation")
    settings: Any = found.get("settings")
    name, text, at, graph = (found.get(key) for key in ("name", "text", "at", "graph"))
    fits = (
        isinstance(settings, dict)
        and all(isinstance(value, str) for value in cast("dict[str, Any]", settings).values())
        and isinstance(name, str)
        and isinstance(text, str)
        and (at is None or isinstance(at, str))
        and isinstance(notation, str)
        and notation in _NOTATIONS
        and graph in _GRAPHS
    )
    if not fits:
        raise Damaged("its header makes no sense")
    return Header(*cast("Any", (_NOTATIONS[notation], name, text, settings, at, graph)))


def _game(header: Header) -> Game:
    """The game, from its text; the text of a game that was saved has no errors."""
    from ..spec.reader import MAX_BYTES, read_bytes

    try:
        raw = header.text.encode()
    except UnicodeEncodeError:
        raise Damaged("its text is no Unicode") from None
    if len(raw) > MAX_BYTES:
        raise Damaged("its text is too long")
    reading = read_bytes(header.name, raw, header.notation)
    if reading.document is None or any(found.is_error for found in reading.diagnostics):
        raise Damaged("its text is no game")
    try:
        return Game.from_document(reading.document, header.settings)
    except SpecError:
        raise Damaged("its text is no game without mistakes") from None
    except UsageError as error:
        raise Damaged(str(error)) from None
