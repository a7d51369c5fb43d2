"""What to say of a game that does not end: one that goes round, or one that is too large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..spec.diagnostics import Code, Diagnostic, Note
from ..spec.source import Place
from .origin import NodeOrigin, State, state_title
from .program import NamedNode
from .values import show

SHOWN = 12  # states of a cycle in a message


def cycle_found(
    cycle: list[int], edges: Sequence[Sequence[int]], origins: Sequence[NodeOrigin]
) -> Diagnostic:
    """The report of a cycle of nodes, as a path of states and branches."""
    first = next((i for i, node in enumerate(cycle) if origins[node].states), 0)
    cycle = cycle[first:] + cycle[:first]
    path: list[str] = []
    for node, following in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        labels = origins[node].labels()
        step = [origins[node].title()]
        if labels:
            step.append(f'("{labels[edges[node].index(following)]}")')
        path.append(" ".join(part for part in step if part))
    path.append(origins[cycle[0]].title())
    return round_in_circles(origins[cycle[0]].place(), [step for step in path if step])


def round_in_circles(place: Place, path: list[str]) -> Diagnostic:
    """The report of a cycle; ``path`` ends where it began."""
    shown = path
    if len(path) > SHOWN:
        shown = [*path[:6], f"… {len(path) - 11} more", *path[-5:]]
    return Diagnostic(
        Code.CYCLE,
        place,
        f"play can go round in circles: {path[-1]} can lead back to itself",
        notes=(Note("the way round: " + " -> ".join(shown)),),
        help="games must end: give the state something that only grows or shrinks, "
        "such as the number of turns left",
    )


def too_many_states(origins: Sequence[NodeOrigin], limit: int, place: Place) -> Diagnostic:
    """The report of a game larger than ``limit`` nodes, and what of it keeps growing."""
    recent: list[State] = [state for origin in origins[-2000:] for state in origin.states]
    notes: list[Note] = []
    if recent:
        examples = ", ".join(state_title(*state) for state in recent[-3:])
        notes.append(Note(f"the last states found: {examples}"))
    notes.extend(_growth(origins))
    return Diagnostic(
        Code.STATE_LIMIT,
        place,
        f"the game is larger than {limit:,} nodes, the limit",
        notes=tuple(notes),
        help="raise --max-states if it is meant to be this large; a declared range "
        "such as `n: 0..100` finds a game that never stops growing",
    )


def _growth(origins: Sequence[NodeOrigin]) -> Iterator[Note]:
    """The arguments without a range whose largest or smallest values were found last."""
    seen: dict[NamedNode, list[tuple[object, ...]]] = {}
    for origin in origins:
        for node, arguments in origin.states:
            seen.setdefault(node, []).append(arguments)
    for node, states in seen.items():
        for i, argument in enumerate(node.arguments):
            half = len(states) // 2
            early = [value for s in states[:half] if isinstance(value := s[i], int)]
            late = [value for s in states[half:] if isinstance(value := s[i], int)]
            if argument.kind is None and early and late and _grows(early, late):
                extreme = show(max(late, key=abs))
                message = f"`{argument.name}` of `{node.name}` keeps growing, to {extreme} so far"
                yield Note(message, node.place())


def _grows(early: list[int], late: list[int]) -> bool:
    return max(late) > max(early) or min(late) < min(early)


def too_much_memory(
    nodes: int,
    edges: int,
    used: int,
    limit: int,
    place: Place,
    instead: str = "make the game smaller with --set",
) -> Diagnostic:
    """The report of a game that takes more memory than it may; all of it in bytes."""
    return Diagnostic(
        Code.STATE_LIMIT,
        place,
        f"the game takes more than {_gibibytes(limit)} of memory, the limit",
        notes=(Note(f"found so far: {nodes:,} nodes and {edges:,} edges, {_gibibytes(used)}"),),
        help=f"raise --max-memory if the machine has more, or {instead}",
    )


def _gibibytes(count: int) -> str:
    return f"{count / 2**30:.3g} GiB"
