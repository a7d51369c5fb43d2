"""Where nodes come from: what finds their labels, states and places again."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..spec.source import Place
from .outcomes import outcomes
from .program import Choice, Form, NamedNode
from .scope import Environment
from .values import show

State = tuple[NamedNode, Environment]


@dataclass(slots=True)
class NodeOrigin:
    """Where a node came from.

    ``env`` holds the values of the local names, ``owner`` is the state that the node is
    written in, and ``states`` are the states that it stands for.
    """

    form: Form
    env: Environment
    owner: State | None
    states: list[State] = field(default_factory=list[State])

    def labels(self) -> list[str]:
        """The label of each edge, in order."""
        if isinstance(self.form, Choice):
            return [outcome.label() for outcome in outcomes(self.form, self.env)]
        return []

    def title(self) -> str:
        """The node's own label, or its state such as ``turn(16)``, or ``""``."""
        label = getattr(self.form, "label", "")
        if label or not self.states:
            return label
        return state_title(*self.states[0])

    def note(self) -> str:
        """The node's ``note``, or ``""``."""
        return getattr(self.form, "note", "")

    def place(self) -> Place:
        """Where the node is written."""
        return self.form.place()


def state_title(node: NamedNode, arguments: Environment) -> str:
    """A state as a call: ``turn(16)``."""
    if not node.arguments:
        return node.name
    return f"{node.name}({', '.join(show(value) for value in arguments)})"
