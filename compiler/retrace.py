"""Find again where the nodes of a DAG came from, for a DAG that was kept without that.

Input   the DAG's edges, the form that it was unfolded from, and the states of its nodes.
Output  their ``NodeOrigin``, made when they are asked for.
Holds   the way from a state to its node is the one that ``unfold`` takes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from .origin import NodeOrigin, State
from .outcomes import outcomes
from .program import Bind, Choice, Choose, Form, Sum, Visit
from .scope import Environment
from .unfold import sum_terms


class Retraced(Sequence[NodeOrigin]):
    """The origins of a DAG's nodes."""

    def __init__(
        self,
        root: Form,
        first: Sequence[int],
        entry: Sequence[int],
        states: Mapping[int, list[State]],
    ) -> None:
        self.root = root
        self.first = first
        self.entry = entry  # of each node an edge that leads to it
        self.states = states
        self.known: dict[int, NodeOrigin] = {}

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.first) - 1

    def __getitem__(self, node: Any) -> Any:
        """The origin of a node: by its state, or from its nearest parent that has one."""
        way = [int(node)]
        while way[-1] and way[-1] not in self.known and way[-1] not in self.states:
            way.append(bisect_right(self.first, self.entry[way[-1]]) - 1)
        for number in reversed(way):
            if number not in self.known:
                self.known[number] = self.find(number)
        return self.known[way[0]]

    def find(self, node: int) -> NodeOrigin:
        """The origin of a node that has a state, is the root, or whose parent is known."""
        states = self.states.get(node, [])
        if states:
            named, arguments = states[0]
            assert named.body is not None
            way = follow(named.body, arguments, states[0])
        elif node == 0:
            way = follow(self.root, (), None)
        else:
            edge = self.entry[node]
            parent = bisect_right(self.first, edge) - 1
            origin = self.known[parent]
            form, env = _children(origin)[edge - self.first[parent]]
            way = follow(form, env, origin.owner)
        return NodeOrigin(*way, states)


def _children(origin: NodeOrigin) -> list[tuple[Form, Environment]]:
    """The forms that a node's edges lead to."""
    if isinstance(origin.form, Choice):
        return [(outcome.form, outcome.env) for outcome in outcomes(origin.form, origin.env)]
    if isinstance(origin.form, Sum):
        return [(form, env) for _, form, env in sum_terms(origin.form, origin.env)[1]]
    return []


def follow(
    form: Form, env: Environment, owner: State | None
) -> tuple[Form, Environment, State | None]:
    """What a form comes to: behind calls, ``if``, ``let`` and sums that add nothing."""
    while True:
        if form.shared:
            env = env[: form.needs] + (None,) * (form.depth - form.needs)
        if isinstance(form, Visit):
            checks = zip(form.arguments, form.target.checks, strict=True)
            owner = (form.target, tuple([check(code.run(env)) for code, check in checks]))
            assert form.target.body is not None
            form, env = form.target.body, owner[1]
        elif isinstance(form, Choose):
            form = form.yes if form.condition.run(env) else form.no
        elif isinstance(form, Bind):
            form, env = form.body, (*env, form.value.run(env))
        elif isinstance(form, Sum):
            constant, terms = sum_terms(form, env)
            if constant != 0 or len(terms) != 1 or terms[0][0] != 1:
                return form, env, owner
            _, form, env = terms[0]
        else:
            return form, env, owner
