"""The options by which commands say how a game is to be evaluated, declared once for all of them.

A command takes one parameter, ``asked: Evaluation``, and is decorated with ``with_evaluation``: on
the command line it then has the fields of ``Evaluation`` as options in that place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

from . import options
from .output import Colour

if TYPE_CHECKING:
    from typing import Literal, TypedDict

    from ..compiler.limits import Limits
    from ..evaluator.game import Game

    class Arguments(TypedDict):
        """What the evaluating methods of ``Game`` take."""

        algorithm: str
        play: dict[str, str]
        numbers: Literal["exact", "float"] | None
        at: str | None
        limits: Limits


class Evaluation(NamedTuple):
    """How a game is to be evaluated, as it was typed."""

    settings: options.Settings = None
    algorithm: options.Algorithm = "expectiminimax"
    play: options.Play = None
    exact: options.Exact = None
    at: options.At = None
    max_states: options.MaxStates = options.STATES
    max_work: options.MaxWork = options.WORK
    max_memory: options.MaxMemory = options.MEMORY

    def open(self, file: str, colour: Colour) -> Game:
        """The game in ``file``, with its parameters set; its warnings go to stderr."""
        from .games import open_game

        return open_game(file, self.settings, colour, self.max_memory)

    def arguments(self) -> Arguments:
        """The same for ``Game.solution`` and its like.

        Raises:
            UsageError: If --play is not KIND=BEHAVIOUR.
        """
        from ..evaluator.behaviour import parse_play

        return {
            "algorithm": self.algorithm,
            "play": parse_play(self.play or ()),
            "numbers": options.numbers_of(self.exact),
            "at": self.at,
            "limits": options.limits(self.max_states, self.max_work, self.max_memory),
        }


def with_evaluation(command: Callable[..., None]) -> Callable[..., None]:
    """``command`` with the fields of an ``Evaluation`` in place of its parameter ``asked``."""
    hints = get_type_hints(command, include_extras=True)
    kept: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name == "asked":
            kept += _shared(parameter.kind)
        else:
            kept.append(parameter.replace(annotation=hints[name]))

    @wraps(command)
    def run(**given: Any) -> None:
        asked = Evaluation(**{name: given.pop(name) for name in Evaluation._fields})
        command(**given, asked=asked)

    run.__signature__ = inspect.Signature(kept)  # pyright: ignore[reportAttributeAccessIssue]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in kept}
    return run


def _shared(kind: Any) -> Iterator[inspect.Parameter]:
    """A parameter for each field of ``Evaluation``."""
    hints, defaults = get_type_hints(Evaluation, include_extras=True), Evaluation._field_defaults
    for name in Evaluation._fields:
        yield inspect.Parameter(name, kind, default=defaults[name], annotation=hints[name])
