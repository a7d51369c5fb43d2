"""Run a file's ``expect`` entries: what ``gametree test`` does.

Each entry evaluates the game in its own way (algorithm, policy, play, state, parameters) and
compares. A value must be met exactly unless ``within`` says how far off it may be; a float is
compared within its own error bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..spec.diagnostics import Code, Diagnostic, Note, SpecError, UsageError
from ..spec.document import Data, expectations
from ..spec.numbers import read_number, show
from ..spec.suggest import did_you_mean
from .solution import Answer, Value

if TYPE_CHECKING:
    from ..compiler.limits import Limits
    from .game import Game

_LONGEST = 12  # characters of an exact value in a message
_LARGEST = 10**300


@dataclass(frozen=True, slots=True)
class Expected:
    """The outcome of one entry: what it asks, and what is wrong where it does not hold."""

    ok: bool
    title: str
    diagnostic: Diagnostic | None = None


@dataclass(frozen=True, slots=True)
class _Miss:
    """One thing that an entry got wrong: the key it stands under, and what was found."""

    key: str
    message: str
    help: str | None = None


def run_expectations(game: Game, limits: Limits | None = None) -> list[Expected]:
    """Run every entry of ``game``'s file, in order."""
    if game.saved_at is not None:  # expectations speak of the root
        game = type(game).from_document(game.document, game.settings)
    cache = {frozenset[tuple[str, str]](): game}
    return [_run(game, entry, limits, cache) for entry in expectations(game.document)]


def _run(
    game: Game,
    entry: dict[str, Data],
    limits: Limits | None,
    cache: dict[frozenset[tuple[str, str]], Game],
) -> Expected:
    title = _title(entry)
    document = game.document
    try:
        answer = _answer(_with_parameters(game, entry, cache), entry, limits)
        misses = list(_misses(game, entry, answer))
    except UsageError as error:
        place = document.place_of(entry)
        return Expected(False, title, Diagnostic(Code.EXPECTATION, place, str(error)))
    except SpecError as error:
        return Expected(False, title, error.diagnostics[0])
    if not misses:
        return Expected(True, title)
    first, *others = misses
    found = Diagnostic(
        Code.EXPECTATION,
        document.value_place(entry, first.key),
        first.message,
        notes=tuple(Note(m.message, document.value_place(entry, m.key)) for m in others),
        help=first.help,
    )
    return Expected(False, title, found)


def _title(entry: dict[str, Data]) -> str:
    """An entry in a few words: ``minimax, at turn(16): value 16, best "stand"``."""
    how = [str(entry[key]) for key in ("algorithm",) if key in entry]
    how += [f'policy "{entry["policy"]}"'] if "policy" in entry else []
    how += [f"at {entry['at']}"] if "at" in entry else []
    for key in ("play", "params"):
        group = entry.get(key)
        if isinstance(group, dict):
            how += [f"{name}={value}" for name, value in group.items()]
    what = [f"value {entry['value']}"] if "value" in entry else []
    what += [f"best {_quoted(_texts(entry['best']))}"] if "best" in entry else []
    what += [key for key in ("branches", "size") if key in entry]
    return ", ".join(how) + (": " if how else "") + ", ".join(what)


def _with_parameters(
    game: Game, entry: dict[str, Data], cache: dict[frozenset[tuple[str, str]], Game]
) -> Game:
    params = entry.get("params")
    if not isinstance(params, dict):
        return game
    settings = {name: _setting(value) for name, value in params.items()}
    key = frozenset(settings.items())
    if key not in cache:
        cache[key] = type(game).from_document(game.document, settings)
        cache[key].progress = game.progress
    return cache[key]


def _setting(value: Data) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_setting(item) for item in value) + "]"
    return str(value)


def _answer(game: Game, entry: dict[str, Data], limits: Limits | None) -> Answer:
    play = entry.get("play")
    at, policy = entry.get("at"), entry.get("policy")
    solution = game.solution(
        algorithm=str(entry.get("algorithm", "expectiminimax")),
        play={k: str(v) for k, v in play.items()} if isinstance(play, dict) else None,
        policy=None if policy is None else str(policy),
        at=None if at is None else str(at),
        limits=limits,
    )
    return game.answer(solution)


def _misses(game: Game, entry: dict[str, Data], answer: Answer) -> Iterator[_Miss]:
    margin = _number(game, str(entry.get("within", "0")))
    within = f" within {_as_written(entry['within'], margin)}" if margin else ""
    if "value" in entry:
        wanted = _number(game, str(entry["value"]))
        if not _close(answer.value, wanted, margin, answer.error_bound):
            differs = _differs(answer.value, wanted, str(entry["value"]))
            yield _Miss("value", f"the value is {differs}{within}")
    if "best" in entry:
        yield from _best_misses(_texts(entry["best"]), answer)
    branches = entry.get("branches")
    if isinstance(branches, dict):
        for label, text in branches.items():
            found = next((b.value for b in answer.branches if b.label == label), None)
            wanted = _number(game, str(text))
            if found is None:
                yield _no_branch("branches", label, answer)
            elif not _close(found, wanted, margin, answer.error_bound):
                differs = _differs(found, wanted, str(text))
                yield _Miss("branches", f'the branch "{label}" is {differs}{within}')
    size = entry.get("size")
    if isinstance(size, dict):
        for name, text in size.items():
            found = getattr(answer.size, name, None)
            if found != _number(game, str(text)):
                yield _Miss("size", f"the game has {found:,} {name}, not {text}")


def _best_misses(wanted: list[str], answer: Answer) -> Iterator[_Miss]:
    if set(wanted) == set(answer.best):
        return
    labels = {branch.label for branch in answer.branches}
    unknown = next((label for label in wanted if label not in labels), None)
    if unknown is not None:
        yield _no_branch("best", unknown, answer)
    elif not answer.best:
        yield _Miss("best", "nothing is chosen at the root: it averages its branches")
    else:
        tied = len(answer.best) > 1
        yield _Miss(
            "best",
            f"the best {'branches are' if tied else 'branch is'} {_quoted(answer.best)}, "
            f"not {_quoted(wanted)}",
            "tied branches are all named, in a list" if tied else None,
        )


def _no_branch(key: str, label: str, answer: Answer) -> _Miss:
    labels = [branch.label for branch in answer.branches]
    hint = did_you_mean(label, labels) or f"the branches are {_quoted(labels)}"
    return _Miss(key, f'the root has no branch "{label}"', hint)


def _number(game: Game, text: str) -> Fraction:
    """The number that an entry's text means; ``check`` has seen that it has one."""
    return game.program.constant(text)


def _close(value: Value, wanted: Fraction, within: Fraction, bound: float) -> bool:
    return abs(Fraction(value) - wanted) <= within + Fraction(bound)


def _differs(value: Value, wanted: Fraction, text: str) -> str:
    """``1.52, not 1.5``: in decimals, unless the file writes a fraction."""
    exact = show(value) if isinstance(value, Fraction) else repr(value)
    if isinstance(value, Fraction) and ("/" not in text or read_number(text) is None):
        exact = _decimal(value) or exact
    if len(exact) > _LONGEST:
        exact = f"{float(value):.10g}" if abs(value) < _LARGEST else "beyond 1e300"
    return f"{exact}, not {_as_written(text, wanted)}"


def _decimal(value: Fraction) -> str | None:
    """All digits of a decimal that ends soon, or None."""
    scaled = value * 10**_LONGEST
    if scaled.denominator != 1 or abs(value) >= 10**_LONGEST:
        return None
    digits = str(abs(scaled.numerator)).rjust(_LONGEST + 1, "0")
    decimals = digits[-_LONGEST:].rstrip("0")
    whole = f"{'-' if value < 0 else ''}{digits[:-_LONGEST]}"
    return f"{whole}.{decimals}" if decimals else whole


def _as_written(text: Data, number: Fraction) -> str:
    """A number as the file writes it; the value of what is an expression there."""
    return str(text) if read_number(str(text)) is not None else show(number)


def _texts(value: Data) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _quoted(labels: list[str] | tuple[str, ...]) -> str:
    shown = [f'"{label}"' for label in labels[:8]]
    return ", ".join(shown) + (", …" if len(labels) > 8 else "")
