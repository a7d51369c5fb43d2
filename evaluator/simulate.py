"""Play a solved game many times, and sum up what came of it.

Input   a ``Solution``, the ``Behaviour`` that it was solved for, and what policies choose.
Output  a ``Simulation``.
Holds   the mean of the outcomes estimates the solution's value: a play adds up what the value
        equations do along its path, and plays every term of a sum. The same seed gives the
        same result to the last bit, on any number of threads.
Errors  ``UsageError`` where payoffs are beyond floats, or one play does not come to an end.
"""

# pyright: basic
from __future__ import annotations

import math
import os
from array import array
from collections import deque
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from threading import Event
from typing import TYPE_CHECKING, Any

from ..compiler.dag import AnyDag, Dag, Kind
from ..spec.diagnostics import UsageError
from .behaviour import Behaviour, Rule
from .policy import Mixture
from .solution import Numbers, Solution, Value

if TYPE_CHECKING:
    import numpy as np

    from ..compiler.limits import Limits
    from .game import Game
    from .sampler import Start, Tables
    from .tally import Block

PLAYS = 1 << 16  # of a block
SLICE = 1 << 20  # moves between two looks at whether to go on: some ten milliseconds
LONGEST = 1 << 26  # moves of one play, beyond as many as the game has nodes
PERCENT = (0, 5, 25, 50, 75, 95, 100)
WIDTH = 1.959963984540054  # standard errors: 95 % of a normal distribution

Progress = Callable[[int, int], None]
_MANY_BRANCHES = 1 << 16
_UNMETERED = 1 << 60


@dataclass(frozen=True, slots=True)
class BranchCount:
    """How many plays took a branch of the root, and its odds where the root draws."""

    label: str
    plays: int
    p: Fraction | float | None = None


@dataclass(frozen=True, slots=True)
class Simulation:
    """What ``gametree simulate`` prints.

    ``outcomes``, in increasing order, came up ``counts`` times in the first ``counted`` plays
    (all of them, unless there are millions of different outcomes); ``quantiles`` are theirs but
    for the least and the largest. ``standard_error`` and ``interval`` are None for one play,
    ``holds`` says whether the interval holds ``value``. ``draws`` counts what chance, and
    behaviours that mix, drew.
    """

    game: str
    algorithm: str
    policy: str | None
    seed: int
    plays: int
    draws: int
    numbers: Numbers
    value: Value
    error_bound: float
    mean: float
    deviation: float | None
    standard_error: float | None
    interval: tuple[float, float] | None
    holds: bool | None
    quantiles: tuple[tuple[int, float], ...]
    branches: tuple[BranchCount, ...]
    outcomes: array[float]
    counts: array[int]
    counted: int


def simulate(
    game: Game,
    plays: int,
    *,
    seed: int = 1,
    threads: int | None = None,
    algorithm: str = "expectiminimax",
    play: Mapping[str, str] | None = None,
    policy: str | None = None,
    numbers: Numbers | None = None,
    at: str | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Solve ``game`` and play it ``plays`` times.

    Args:
        game: The game.
        plays: How many, at least 1.
        seed: 0 to 2**64 - 1.
        threads: How many play at once; left out, as many as there are processors.
        algorithm: See ``Game.solution``, here and below.
        play: By kind of node, how it plays; of tied branches the first is taken.
        policy: A policy of the file to follow wherever it speaks.
        numbers: Of the value that the outcomes are compared with.
        at: A state to start from.
        limits: How far the game may unfold.
        progress: Called now and then with the numbers of plays done and wanted.

    Raises:
        SpecError: Where the game cannot be solved.
        UsageError: If a name is unknown; where payoffs are beyond floats, or one play does not
            come to an end.

    Time some ten nanoseconds a move; memory 25 bytes a node, 4 an edge, and 16 for each
    different outcome.
    """
    solution = game.solution(
        algorithm=algorithm, play=play, policy=policy, numbers=numbers, at=at, limits=limits
    )
    behaviour = game.behaviour(algorithm, play)
    names = [] if policy is None else [policy]
    policies = _policies(game, solution.dag, behaviour, names)
    return sample(
        game.name, solution, behaviour, policies,
        plays=plays, seed=seed, threads=threads, policy=policy, progress=progress,
    )  # fmt: skip


def _policies(
    game: Game, dag: AnyDag, behaviour: Behaviour, names: list[str]
) -> dict[int, Mixture]:
    """What policies choose; solving has asked them already, within the limits."""
    from .policy import policy_choices

    choices: dict[int, Mixture] = {}
    for name in [*behaviour.policies(), *names]:
        meter = game.program.names.meter
        meter.left, left = _UNMETERED, meter.left
        try:
            spoken = policy_choices(dag, game.program.policies[name])
        finally:
            meter.left = left
        choices |= {
            node: mixture
            for node, mixture in spoken.items()
            if name in names or behaviour.of(dag.kind[node]).policy == name
        }
    return choices


def sample(
    name: str,
    solution: Solution,
    behaviour: Behaviour,
    policies: Mapping[int, Mixture],
    *,
    plays: int,
    seed: int = 1,
    threads: int | None = None,
    policy: str | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Play a solved game: see ``simulate``, which finds ``behaviour`` and ``policies``."""
    from .tally import Tally

    dag = solution.dag
    tables = tables_of(solution, behaviour, policies)
    start, shown = _start(dag, tables)
    tally, draws = Tally(), 0
    branches = [0] * len(shown)
    blocks = _blocks(tables, start, plays, seed, threads, len(shown), progress)
    with closing(blocks):  # whatever happens, nobody plays on
        for block, taken, dice in blocks:
            tally.add(block)
            draws += dice
            branches = [a + b for a, b in zip(branches, taken, strict=True)] if shown else []
    if not math.isfinite(tally.squares):
        raise _beyond_floats()
    return _summed_up(
        tally,
        tuple(BranchCount(label, n, p) for (label, p), n in zip(shown, branches, strict=True)),
        solution,
        game=name, policy=policy, seed=seed, draws=draws,
    )  # fmt: skip


def _summed_up(
    tally: Any, branches: tuple[BranchCount, ...], solution: Solution, **said: Any
) -> Simulation:
    from .tally import quantile

    plays, mean = tally.plays, tally.mean
    outcomes, counts = tally.outcomes()
    ends = {0: tally.low, 100: tally.high}
    deviation = error = interval = holds = None
    if plays > 1:
        deviation = math.sqrt(tally.squares / (plays - 1))
        error = deviation / math.sqrt(plays)
        interval = mean - WIDTH * error, mean + WIDTH * error
        holds = _holds(interval, solution)
    return Simulation(
        algorithm=solution.algorithm,
        plays=plays,
        numbers=solution.numbers,
        value=solution.value(0),
        error_bound=solution.error_bound(0),
        mean=mean,
        deviation=deviation,
        standard_error=error,
        interval=interval,
        holds=holds,
        quantiles=tuple(
            (percent, ends.get(percent, quantile(outcomes, counts, percent))) for percent in PERCENT
        ),
        branches=branches,
        outcomes=array("d", outcomes.tolist()),
        counts=array("q", counts.tolist()),
        counted=int(counts.sum()),
        **said,
    )


def _holds(interval: tuple[float, float], solution: Solution) -> bool:
    """Whether the interval holds the value, but for the rounding of outcomes that never vary."""
    value = float(solution.value(0))
    slack = solution.error_bound(0) + 1e-12 * max(abs(value), abs(interval[0]))
    return interval[0] - slack <= value <= interval[1] + slack


# --- blocks and threads ----------------------------------------------------------------------


def usable_processors() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _blocks(
    tables: Tables, start: Start, plays: int, seed: int, threads: int | None,
    branches: int, progress: Progress | None,
) -> Generator[tuple[Block, list[int], int]]:  # fmt: skip
    """Play all blocks, several at once, and give them in their order."""
    count = -(-plays // PLAYS)
    workers = min(threads or usable_processors(), count)
    stopped, active = Event(), dict[int, int]()  # block: plays so far
    waiting: deque[tuple[int, Future[Any]]] = deque()

    def run(number: int) -> tuple[Block, list[int], int]:
        size = min(PLAYS, plays - number * PLAYS)
        return _play_block(tables, start, size, seed, number, branches, stopped, active)

    with ThreadPoolExecutor(workers) as pool:
        try:
            begun = 0
            while begun < count or waiting:
                while begun < count and len(waiting) < 2 * workers:
                    active[begun] = 0
                    waiting.append((begun, pool.submit(run, begun)))
                    begun += 1
                number, future = waiting.popleft()
                done = False
                while not done:
                    done = _done(future)
                    if progress is not None:
                        progress(number * PLAYS + sum(active.values()), plays)
                yield future.result()
                del active[number]
        finally:
            stopped.set()
            pool.shutdown(cancel_futures=True)


def _done(future: Future[Any]) -> bool:
    """Whether the block is done, after a tenth of a second at most."""
    return future in wait([future], timeout=0.1).done


def _play_block(
    tables: Tables, start: Start, size: int, seed: int, number: int,
    branches: int, stopped: Event, active: dict[int, int],
) -> tuple[Block, list[int], int]:  # fmt: skip
    """Play one block, a slice at a time."""
    import numpy as np

    from . import sampler
    from .tally import Block

    state = sampler.block_state(seed, number)
    outcome, taken = np.empty(size), np.zeros(max(branches, 1), np.int64)
    counters = np.zeros(4, np.int64)
    while not stopped.is_set():
        sampler.play(tables, start, state, outcome, taken, counters, SLICE)
        active[number] = int(counters[sampler.INDEX])
        if counters[sampler.STATUS] == sampler.TOO_LONG:
            raise UsageError(
                f"one play takes more than {start.limit:,} moves: this game adds up so many nodes"
                " that they cannot be played one by one",
                "`gametree eval` gives its value",
            )
        if counters[sampler.STATUS] == sampler.DONE:
            break
    return Block(outcome), taken.tolist(), int(counters[sampler.DICE])


# --- tables ----------------------------------------------------------------------------------


def tables_of(solution: Solution, behaviour: Behaviour, policies: Mapping[int, Mixture]) -> Tables:
    """What decides at each node of a solved DAG, of either engine: time O(n + m)."""
    import numpy as np

    from . import sampler

    dag = solution.dag
    kind, first, child, code, factor, offset = _arrays(dag)
    value, chosen = _choices(solution, behaviour, kind, first, child)
    rules = np.zeros((5, 2))
    for of in (Kind.MAX, Kind.MIN, Kind.CHANCE):
        play = behaviour.of(of)
        rules[of] = _RULES.get(play.rule, sampler.CHOOSES), play.amount
    policy, begin, edge, odds = _policy_arrays(policies, first, chosen)
    move, pick = np.empty(len(dag), np.uint8), np.empty(len(dag), np.int64)
    aliases, factors = sampler.ways(kind, first, code, factor, rules, chosen, policy, move, pick)
    threshold, alias = np.empty(aliases), np.empty(aliases, np.int32)
    book, target = np.empty(factors), np.empty(len(child), np.int32)
    sampler.fill(
        kind, first, child, code, factor, value, rules, chosen,
        policy, begin, edge, odds, move, pick, threshold, alias, book,
    )  # fmt: skip
    sampler.skip(child, first, move, pick, offset, target)
    count = np.diff(first.astype(np.int64)).astype(np.int32)
    return sampler.Tables(
        move, first[:-1].astype(np.int64), count, pick, offset, target, threshold, alias, book
    )


_RULES = {Rule.UNIFORM: 1, Rule.EXPECTED: 2, Rule.MISTAKE: 3, Rule.SOFTMAX: 4}  # see ``sampler``


def _arrays(dag: AnyDag) -> tuple[np.ndarray, ...]:
    """``kind``, ``first``, ``child``, the codes and book of weights, and ``offset``, as numbers."""
    import numpy as np

    if not isinstance(dag, Dag):
        return (
            dag.kind,
            dag.first,
            dag.child,
            dag.weight_code,
            dag.factor,
            dag.amount[dag.offset_code],
        )
    first = np.array(dag.first, np.int64)
    divisors = np.repeat(np.array(dag.divisor, object), np.diff(first)).tolist()
    try:
        weights = [
            float(w) if d == 1 else float(w / d) for w, d in zip(dag.weight, divisors, strict=True)
        ]
        offset = np.array([float(amount) for amount in dag.offset])
    except OverflowError:
        raise _beyond_floats() from None
    return (
        np.frombuffer(bytes(dag.kind), np.uint8),
        first,
        np.array(dag.child, np.int32),
        np.arange(1, len(weights) + 1),  # 0 would say that all are equal
        np.array([0.0, *weights]),
        offset,
    )


def _choices(
    solution: Solution, behaviour: Behaviour, kind: Any, first: Any, child: Any
) -> tuple[np.ndarray, np.ndarray]:
    """The nodes' values, and the edge that each chooses, counted from its first; or -1."""
    import numpy as np

    from . import sampler
    from .fast import Pairs

    n = len(kind)
    plays = [behaviour.of(of) for of in range(4)]
    if isinstance(solution.pairs, Pairs):
        averages = {Rule.UNIFORM, Rule.EXPECTED, Rule.SOFTMAX}
        best = [(play.rule not in averages, _WAYS.get(play.rule, play.up)) for play in plays]
        chosen = np.empty(n, np.int64)
        value, bound = solution.pairs.columns()
        sampler.first_best(kind, first, child, value, bound, np.array(best), chosen)
        return value, chosen
    edges = (edges[0] if edges else -1 for edges in solution.chosen)
    chosen = np.fromiter(edges, np.int64, n)
    chosen -= np.where(chosen < 0, 0, first[:-1])
    soft = any(play.rule is Rule.SOFTMAX for play in plays)  # nobody else asks for the values
    return np.array([float(solution.value(i)) for i in range(n)] if soft else []), chosen


_WAYS = {Rule.HIGHEST: True, Rule.LOWEST: False}


def _policy_arrays(
    policies: Mapping[int, Mixture], first: Any, chosen: Any
) -> tuple[np.ndarray, ...]:
    """Policies as ``sampler.ways`` takes them, and the edges and odds of each mixture."""
    import numpy as np

    where = np.zeros(len(chosen) if policies else 0, np.int32)
    begin, edge, odds = [0], list[int](), list[float]()
    for node, mixture in policies.items():
        if len(mixture) == 1:
            where[node], chosen[node] = -1, mixture[0][0] - int(first[node])
            continue
        where[node] = len(begin)
        edge += [e for e, _ in mixture]
        odds += [float(p) for _, p in mixture]
        begin.append(len(edge))
    return where, np.array(begin), np.array(edge, np.int64), np.array(odds, np.float64)


def _start(dag: AnyDag, tables: Tables) -> tuple[Start, list[tuple[str, Fraction | float | None]]]:
    """Where plays start: at the first node that branches; and its branches with their odds."""
    from . import sampler

    node, total, scale = 0, 0.0, 1.0
    while dag.kind[node] == Kind.SUM and tables.count[node] == 1:  # adds to one node, or scales it
        total += scale * float(tables.offset[node])
        scale *= float(dag.weight[int(dag.first[node])])
        node = int(dag.child[int(dag.first[node])])
    start = sampler.Start(node, total, scale, LONGEST + len(dag))
    if dag.kind[node] in {Kind.TERMINAL, Kind.SUM} or tables.count[node] > _MANY_BRANCHES:
        return start, []
    by_chance = dag.kind[node] == Kind.CHANCE and tables.move[node] != sampler.FIXED
    labels = dag.origin[node].labels()
    edges = dag.edges(node)
    return start, [
        (label, dag.probability(node, edge) if by_chance else None)
        for label, edge in zip(labels, edges, strict=True)
    ]


def _beyond_floats() -> UsageError:
    return UsageError(
        "the payoffs of this game are too large for floats, which plays are added up in",
        "`gametree eval` gives its value in exact numbers",
    )
