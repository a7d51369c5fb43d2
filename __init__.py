"""gametree: a language for game trees and stochastic games, and their exact evaluation.

``load`` opens a file or a bundled tree; the ``Game`` it gives evaluates, draws and checks
itself. A file's mistakes raise ``SpecError``, which carries one ``Diagnostic`` for each.

>>> import gametree
>>> gametree.load("dice").evaluate().best
('B',)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from .evaluator.game import Game
    from .evaluator.solution import Answer
    from .spec.diagnostics import Diagnostic, SpecError

__all__ = ["Answer", "Diagnostic", "Game", "SpecError", "__version__", "load"]

__version__ = "0.1.0"

_HOMES = {
    "Answer": "gametree.evaluator.solution",
    "Diagnostic": "gametree.spec.diagnostics",
    "Game": "gametree.evaluator.game",
    "SpecError": "gametree.spec.diagnostics",
}


def load(name_or_path: str | PathLike[str], /, **settings: object) -> Game:
    """Open a game.

    Args:
        name_or_path: A file (a saved game, too), or the name of a bundled tree such as
            ``"dice"``. A file of that name comes first.
        **settings: Parameters to set, as ``--set`` does: numbers, or text to be read as one.

    Returns:
        The game, checked as far as it can be without playing it.

    Raises:
        SpecError: If the file cannot be read or has errors.
        UsageError: If a setting names no parameter, or is no value for it.
    """
    import os

    from .evaluator.game import Game, tree_or_reading
    from .spec.diagnostics import SpecError
    from .spec.reader import bundled, is_saved

    given = os.fspath(name_or_path)
    if is_saved(given):
        from .evaluator.saved import read_game
        from .spec.diagnostics import UsageError

        if settings:
            raise UsageError("a saved game has its parameters", "set them when it is compiled")
        return read_game(given)
    texts = {name: _as_written(value) for name, value in settings.items()}
    reading = tree_or_reading(given if os.path.isfile(given) else bundled(given) or given)
    if isinstance(reading, Game):
        return Game.from_document(reading.document, texts) if texts else reading
    if reading.document is None or any(found.is_error for found in reading.diagnostics):
        raise SpecError(reading.diagnostics)
    return Game.from_document(reading.document, texts)


def _as_written(value: object) -> str:
    """A Python value as a game's file would write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def __getattr__(name: str) -> object:
    """Import the public classes when they are first asked for: the command line starts fast."""
    if name not in _HOMES:
        message = f"module 'gametree' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """The public names, those not imported yet among them."""
    return sorted({*globals(), *__all__})
