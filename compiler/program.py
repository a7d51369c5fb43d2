"""The program: a document with its names resolved and its expressions compiled.

Node *forms* are what a node is written as; the unfolder turns a form and an environment
(the values of the local names) into nodes of the DAG. A ``Visit`` (a call), ``Choose``
(``if``) and ``Bind`` (``let``) come to another form and never to a node of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from ..spec.diagnostics import Diagnostic
from ..spec.document import Document
from ..spec.expressions import Argument, Expr
from ..spec.source import Place
from .dag import Kind
from .scope import Code, Names
from .values import Value


@dataclass(slots=True, eq=False)
class Form:
    """Any node form.

    ``depth`` is the number of local names where it is written and ``needs`` how many of them
    (from the outermost) it depends on. ``shared`` forms, which an alias names, become one node
    for each environment ``env[:needs]``.
    """

    place: Callable[[], Place]
    depth: int = field(default=-1, kw_only=True)  # -1: not set yet
    needs: int = field(default=0, kw_only=True)
    shared: bool = field(default=False, kw_only=True)


@dataclass(slots=True, eq=False)
class Payoff(Form):
    """A terminal: what ``code`` gives, or ``value`` where there is none."""

    value: int | Fraction = 0
    code: Code | None = None
    label: str = ""
    note: str = ""


@dataclass(slots=True, eq=False)
class Odds:
    """What an outcome says of its odds: ``mode`` is ``p``, ``rest`` or ``weight``."""

    mode: str
    code: Code | None = None


@dataclass(slots=True, eq=False)
class Branch:
    """A branch with a written label; where ``condition`` is false it is not there."""

    label: str
    form: Form
    odds: Odds | None = None
    condition: Code | None = None


@dataclass(slots=True, eq=False)
class Loop:
    """``for``: a branch for each value of ``source``; ``body`` may be a further loop."""

    name: str
    source: Code
    condition: Code | None
    odds: Odds | None
    label: Code | None
    body: Form | Loop
    place: Callable[[], Place]


@dataclass(slots=True, eq=False)
class Choice(Form):
    """MAX, MIN or CHANCE over branches and loops; ``reward`` is added to its value."""

    kind: Kind = Kind.MAX
    branches: tuple[Branch | Loop, ...] = ()
    reward: Code | None = None
    label: str = ""
    note: str = ""


@dataclass(slots=True, eq=False)
class Choose(Form):
    """``if condition then yes else no``."""

    condition: Code
    yes: Form
    no: Form


@dataclass(slots=True, eq=False)
class Bind(Form):
    """``let``: one more local name for ``body``."""

    name: str
    value: Code
    body: Form


@dataclass(slots=True, eq=False)
class Sum(Form):
    """A constant plus nodes times factors; ``None`` stands for 0 and for 1."""

    constant: Code | None
    terms: tuple[tuple[Code | None, Form], ...]
    label: str = ""
    note: str = ""


@dataclass(slots=True, eq=False)
class Visit(Form):
    """A call of a named node: play moves to that state."""

    target: NamedNode
    arguments: tuple[Code, ...]


@dataclass(slots=True, eq=False)
class NamedNode:
    """A named node: a family of nodes, one for each state."""

    name: str
    index: int
    arguments: tuple[Argument, ...]
    checks: tuple[Callable[[Value], Value], ...]  # each returns the value, or raises
    place: Callable[[], Place]
    body: Form | None = None  # None while it is being compiled
    uses: set[str] = field(default_factory=set[str])  # the names in its body
    heuristic: Code | None = None  # what a state is worth, roughly; for searches that stop there


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """What a policy does at one named node (``node`` None: at the root)."""

    node: NamedNode | None
    code: Code  # gives a label, or a distribution over labels


@dataclass(frozen=True, slots=True)
class Policy:
    """A named way to choose; where it says nothing, play is as it would be without it."""

    name: str
    rules: tuple[PolicyRule, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A game ready to unfold."""

    name: str
    description: str
    document: Document
    names: Names
    parameters: dict[str, Value]
    nodes: dict[str, NamedNode]
    root: Form
    policies: dict[str, Policy]
    compile_state: Callable[[Expr, Callable[[], Place], str], Form]  # for `at: turn(16)`
    constant: Callable[[str], Fraction]  # the value of an expression without local names
    approximate: tuple[Place, ...] = ()  # where `sqrt`, `exp` or `log` stand


@dataclass(frozen=True, slots=True)
class Checked:
    """A program, or None where there are errors; and all that was found."""

    program: Program | None
    diagnostics: list[Diagnostic]
