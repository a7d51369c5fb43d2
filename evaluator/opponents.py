"""Other opponents: where the best first move changes, and what it costs to be wrong.

Input   a game, and the kind of node whose play is in doubt.
Output  an ``Opponents``: a sweep from a perfect opponent to a random one, and the value of each
        first move against several opponents, with its regret.
Holds   a value against an opponent is what the first move and then the best answers to that
        opponent come to. A regret is what the best first move would bring more; the largest over
        the opponents is least for the minimax-regret move: Savage, *The theory of statistical
        decision*, JASA 46 (1951).
        An opponent whose values would be beyond floats is left out.
Errors  ``UsageError`` where there is no first move or no opponent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, cast

from ..compiler.dag import AnyDag, Dag, Kind
from ..spec.diagnostics import SpecError, UsageError
from ..spec.suggest import did_you_mean
from .behaviour import KINDS, Behaviour, parse_behaviour
from .engines import solve_any
from .players import by_kind, kind_of
from .solution import Mixture, Numbers, Value
from .sweep import Moves, Stage, Sweep, Values, sweep

if TYPE_CHECKING:
    from ..compiler.limits import Limits
    from .game import Game

KNOWN = ("optimal", "mistake:0.1", "softmax:1", "random", "worst")
MODELS = ("mistake", "softmax")
MOST_POLICIES = 20
_NEAR = 1e-9  # of the largest value: regrets in floats that differ by less are tied


@dataclass(frozen=True, slots=True)
class Column:
    """The first moves against one opponent, by position: values, the best ones, regrets."""

    opponent: str  # as ``--play`` has it
    numbers: Numbers
    values: Values
    best: tuple[int, ...]
    regrets: Values


@dataclass(frozen=True, slots=True)
class Opponents:
    """What ``gametree opponents`` prints.

    ``regrets`` are the largest of each move; ``safest`` are the moves whose is the least.
    """

    game: str
    algorithm: str
    opponent: str  # max, min or chance
    mover: str  # max or min: who has the first move
    players: dict[str, str]  # what the file calls them, by kind
    moves: tuple[str, ...]
    sweep: Sweep
    columns: tuple[Column, ...]
    regrets: Values
    safest: tuple[int, ...]


def opponents(
    game: Game,
    *,
    kind: str | None = None,
    model: str = "mistake",
    algorithm: str = "expectiminimax",
    play: Mapping[str, str] | None = None,
    numbers: Numbers | None = None,
    at: str | None = None,
    limits: Limits | None = None,
) -> Opponents:
    """Ask how the first move of ``game`` depends on how well an opponent plays.

    Args:
        game: The game.
        kind: Whose play is in doubt: ``max``, ``min``, ``chance`` or a player's name. Left out,
            the player who does not have the first move.
        model: ``mistake`` (``mistake:E`` for E from 0 to 1) or ``softmax`` (``softmax:T`` for T
            from a thousandth of the payoffs' spread to a thousand times as much).
        algorithm: How the others play: see ``Game.solution``, here and below.
        play: By kind of node, how others play instead.
        numbers: ``float`` samples the sweep even where it could be exact.
        at: A state to start from.
        limits: How far the game may unfold.

    Raises:
        SpecError: Where the states make no sense, a limit stops it, or exact numbers are asked of
            an approximate game.
        UsageError: If a name is unknown, nobody has a first move, no node is the opponent's, or
            the game is too large to be evaluated a few dozen times.

    Time: a sweep takes at most some 400 evaluations, an exact one about ten seconds; the rest
    is an evaluation for each opponent.
    """
    if model not in MODELS:
        hint = did_you_mean(model, MODELS) or "the models are mistake and softmax"
        raise UsageError(f"unknown model `{model}`", hint)
    behaviour = game.behaviour(algorithm, play)
    game.check_numbers(numbers, behaviour, at)
    dag = game.dag(limits, at=at, numbers=numbers)
    moves = Moves.of(dag)
    asked = _opponent(dag, moves, None if kind is None else kind_of(kind, game.players))
    if asked in by_kind(play or {}, game.players):
        raise UsageError(f"the play of {asked} is what is asked about; leave it out of --play")
    policies = _of_others(game.choices(dag, behaviour, limits=limits), dag, asked)
    stage = Stage(dag, behaviour, policies, asked, game.progress)
    exact = game.numbers_for(numbers, behaviour, dag, at) == "exact"
    swept = sweep(stage, moves, model, exact=exact)
    columns = tuple(_columns(game, stage, moves, exact, limits))
    regrets = tuple(max(found) for found in zip(*(c.regrets for c in columns), strict=True))
    return Opponents(
        game.name,
        behaviour.name,
        asked,
        Kind(dag.kind[moves.node]).name.lower(),
        dict(game.players),
        moves.labels,
        swept,
        columns,
        regrets,
        _least(regrets, columns),
    )


def _opponent(dag: AnyDag, moves: Moves, kind: str | None) -> Literal["max", "min", "chance"]:
    """The kind that is asked about; by default the player who does not move first."""
    there = [name for name, code in KINDS.items() if _has(dag, code)]
    if kind is None:
        other = "min" if dag.kind[moves.node] == Kind.MAX else "max"
        if other not in there:
            raise UsageError(
                f"this game has no {other} nodes to be an opponent's",
                f"say whose play is in doubt, with --kind {' or '.join(there)}",
            )
        return other
    if kind not in there:
        raise UsageError(f"this game has no {kind} nodes; it has {' and '.join(there)}")
    return cast("Literal['max', 'min', 'chance']", kind)


def _has(dag: AnyDag, kind: int) -> bool:
    if isinstance(dag, Dag):
        return kind in dag.kind
    return bool((dag.kind == kind).any())


def _of_others(choices: Mapping[int, Mixture], dag: AnyDag, kind: str) -> Mapping[int, Mixture]:
    """What policies choose at nodes that are not the opponent's."""
    code = KINDS[kind]
    if all(dag.kind[node] != code for node in choices):
        return choices
    return {node: mixture for node, mixture in choices.items() if dag.kind[node] != code}


def _columns(
    game: Game, stage: Stage, moves: Moves, exact: bool, limits: Limits | None
) -> Iterator[Column]:
    for text in KNOWN:
        play = parse_behaviour(stage.kind, text, [])
        try:
            solution = stage.solve(play, exact=exact and not play.approximate)
        except SpecError:  # values beyond floats, which a softmax takes
            if play.approximate and exact:
                continue
            raise
        yield _column(text, moves, solution.numbers, moves.values(solution), moves.best(solution))
    if stage.kind == "chance":
        return
    for name in list(game.policies)[:MOST_POLICIES]:
        behaviour = _following(stage, name)
        choices = game.choices(stage.dag, behaviour, limits=limits)
        if not any(stage.dag.kind[node] == stage.code for node in choices):
            continue
        numbers: Numbers = "exact" if exact else "float"
        merged = {**stage.policies, **choices} if stage.policies else choices
        solution = solve_any(stage.dag, behaviour, numbers=numbers, policies=merged)
        yield _column(name, moves, numbers, moves.values(solution), moves.best(solution))


def _following(stage: Stage, name: str) -> Behaviour:
    from dataclasses import replace

    return replace(stage.behaviour, **{stage.kind: parse_behaviour(stage.kind, name, [name])})


def _column(
    opponent: str, moves: Moves, numbers: Numbers, values: Values, best: tuple[int, ...]
) -> Column:
    top = values[best[0]]
    gaps = tuple(top - value if moves.up else value - top for value in values)
    nothing = Fraction(0) if numbers == "exact" else 0.0
    regrets = tuple(nothing if i in best else max(gap, nothing) for i, gap in enumerate(gaps))
    return Column(opponent, numbers, values, best, regrets)


def _least(regrets: Values, columns: tuple[Column, ...]) -> tuple[int, ...]:
    """The positions of the least regrets; floats that nearly agree are tied."""
    least = min(regrets)
    largest = max(abs(value) for column in columns for value in column.values)

    def tied(regret: Value) -> bool:
        if isinstance(regret, Fraction) and isinstance(least, Fraction):
            return regret == least
        return float(regret) - float(least) <= _NEAR * float(largest)

    return tuple(i for i, regret in enumerate(regrets) if tied(regret))
