"""Run a file's ``expect`` entries: what ``gametree test`` does.

Each entry evaluates the game in its own way (algorithm, policy, play, state, parameters) and
compares. A value must be met exactly unless ``within`` says how far off it may be; a float is
compared within its own error bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ..compiler.check import expectations
from ..spec.diagnostics import Code, Diagnostic, Note, SpecError, UsageError
from ..spec.document import Data
from ..spec.numbers import show
from ..spec.records import dataclass
from ..spec.suggest import did_you_mean
from .solution import Answer, Value

if TYPE_CHECKING:
    from ..compiler.unfold import Limits
    from .game import Game


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
    within = _number(game, str(entry.get("within", "0")))
    if "value" in entry:
        wanted = _number(game, str(entry["value"]))
        if not _close(answer.value, wanted, within, answer.error_bound):
            yield _Miss("value", _differs("the value", answer.value, wanted, within))
    if "best" in entry:
        yield from _best_misses(_texts(entry["best"]), answer)
    branches = entry.get("branches")
    if isinstance(branches, dict):
        for label, text in branches.items():
            yield from _branch_misses(label, _number(game, str(text)), within, answer)
    size = entry.get("size")
    if isinstance(size, dict):
        for name, text in size.items():
            found = getattr(answer.size, name, None)
            if found != _number(game, str(text)):
                yield _Miss("size", f"the game has {found:,} {name}, not {text}")


def _best_misses(wanted: list[str], answer: Answer) -> Iterator[_Miss]:
    if set(wanted) == set(answer.best):
        return
    labels = [branch.label for branch in answer.branches]
    unknown = next((label for label in wanted if label not in labels), None)
    if unknown is not None:
        hint = did_you_mean(unknown, labels) or f"the branches are {_quoted(labels)}"
        yield _Miss("best", f'the root has no branch "{unknown}"', hint)
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


def _branch_misses(
    label: str, wanted: Fraction, within: Fraction, answer: Answer
) -> Iterator[_Miss]:
    found = next((branch for branch in answer.branches if branch.label == label), None)
    labels = [branch.label for branch in answer.branches]
    if found is None:
        hint = did_you_mean(label, labels) or f"the branches are {_quoted(labels)}"
        yield _Miss("branches", f'the root has no branch "{label}"', hint)
    elif not _close(found.value, wanted, within, answer.error_bound):
        message = _differs(f'the branch "{label}"', found.value, wanted, within)
        yield _Miss("branches", message)


def _number(game: Game, text: str) -> Fraction:
    """The number that an entry's text means; ``check`` has seen that it has one."""
    return game.program.constant(text)


def _close(value: Value, wanted: Fraction, within: Fraction, bound: float) -> bool:
    return abs(Fraction(value) - wanted) <= within + Fraction(bound)


def _differs(what: str, value: Value, wanted: Fraction, within: Fraction) -> str:
    exact = show(value) if isinstance(value, Fraction) else repr(value)
    if len(exact) > 12:
        exact = f"{float(value):.10g}"
    miss = f" within {show(within)}" if within else ""
    return f"{what} is {exact}, not {show(wanted)}{miss}"


def _texts(value: Data) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _quoted(labels: list[str] | tuple[str, ...]) -> str:
    shown = [f'"{label}"' for label in labels[:8]]
    return ", ".join(shown) + (", …" if len(labels) > 8 else "")
