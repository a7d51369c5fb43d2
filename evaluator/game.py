"""A game: a checked document, ready to be unfolded and evaluated.

This is what the command line and ``gametree.load`` work with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from ..compiler.dag import AnyDag, Dag
from ..compiler.explicit import SURE_LEVELS, explicit_dag, sketched_dag
from ..compiler.limits import Limits
from ..compiler.progress import Progress
from ..spec.diagnostics import Code, Diagnostic, Note, SpecError, UsageError, in_order
from ..spec.document import Data, Document, expectations
from ..spec.numbers import read_number
from ..spec.suggest import did_you_mean
from ..spec.validate import validate
from .behaviour import Behaviour, algorithm, with_play
from .players import by_kind, player_problems, players_of
from .shown import Shown
from .solution import Answer, Mixture, Numbers, Solution
from .solution import answer as answer_of

if TYPE_CHECKING:
    from ..compiler.program import Form, Policy, Program
    from ..spec.reader import Reading
    from ..spec.sketch import Sketch
    from ..spec.source import Place
    from .against import Against
    from .expectations import Expected
    from .opponents import Opponents
    from .trace import Steps

_UNUSED = frozenset({Code.UNUSED_PARAMETER, Code.UNUSED_DEFINITION})  # may follow from an error
_PLAIN = frozenset({"$schema", "game", "description", "players", "root", "expect"})
LARGE_TEXT = 50_000  # characters: below it a document takes some milliseconds
POLICY_STATES = 20_000  # of each policy that ``check_states`` follows, if it goes state by state
_PLAIN_EXPECTATION = frozenset(
    {"value", "within", "best", "branches", "algorithm", "play", "size", "note"}
)


@dataclass(slots=True, eq=False, repr=False)
class Game(Shown):
    """A game read from a document, with its parameters bound.

    A tree written out goes straight to its DAG, ``tree``; its program is made only when
    something asks for it, and so is the document of a large one, of which ``head`` is all but
    the root. ``progress`` is called now and then by whatever takes long.
    ``saved`` is a DAG that was kept in a file, unfolded from the root or from ``saved_at``.
    """

    head: Document
    settings: Mapping[str, str]
    warnings: list[Diagnostic]
    tree: Dag | None = None
    notes: list[Diagnostic] = field(default_factory=list[Diagnostic])
    progress: Progress | None = None
    saved: AnyDag | None = None
    saved_at: str | None = None
    _sketch: Sketch | None = None  # of a game whose document has not been read
    _program: Program | None = None
    _dags: dict[tuple[str, Limits, bool], AnyDag] = field(
        default_factory=dict[tuple[str, Limits, bool], AnyDag]
    )

    @staticmethod
    def from_document(
        document: Document,
        settings: Mapping[str, str] | None = None,
        reported: Sequence[Diagnostic] = (),
    ) -> Game:
        """Check ``document``; ``settings`` override its parameters, as text.

        What is found where the reader has ``reported`` something is left out: it follows from
        that.

        Raises:
            SpecError: If the document has errors; it carries the warnings as well.
            UsageError: If a setting names no parameter, or has no value.
        """
        tree = None if settings or reported else _plain_tree(document)
        if tree is not None:
            return Game(document, {}, [], tree)
        program, diagnostics = _checked(document, settings or {}, reported)
        return Game(document, settings or {}, diagnostics, _program=program)

    @staticmethod
    def from_sketch(sketch: Sketch) -> Game | None:
        """The game in a file that is a tree of numbers; None of any other file."""
        tree = sketched_dag(sketch.root, SURE_LEVELS)
        if tree is None or not _is_plain_head(sketch.head, tree):
            return None
        return Game(sketch.head, {}, [], tree, _sketch=sketch)

    @property
    def document(self) -> Document:
        """The document."""
        if self._sketch is not None:
            document = self._sketch.read().document
            assert document is not None, "a sketch is made of what can be read"
            self.head, self._sketch = document, None
        return self.head

    @property
    def program(self) -> Program:
        """The checked program."""
        if self._program is None:
            self._program, _ = _checked(self.document, self.settings, ())
        return self._program

    @property
    def policies(self) -> Mapping[str, Policy]:
        """The policies of the file, by name."""
        return {} if self.tree is not None else self.program.policies

    @property
    def players(self) -> Mapping[str, str]:
        """What the file calls the players, by kind of node."""
        return players_of(self.head)

    @property
    def name(self) -> str:
        """What the file calls the game."""
        return str(self.head.data.get("game", ""))

    # --- unfolding ---

    def dag(
        self,
        limits: Limits | None = None,
        *,
        at: str | None = None,
        numbers: Numbers | None = None,
    ) -> AnyDag:
        """The game's DAG, from its root or from the state ``at`` (``"turn(16)"``); kept.

        A large game is unfolded by machine code unless ``numbers`` are to be exact; ``notes``
        say where that could not be.

        Raises:
            SpecError: Where the states make no sense, or a limit stops it.
            UsageError: If ``at`` is no state of the game.
        """
        limits = limits or Limits()
        if self.saved is not None and at in {None, self.saved_at}:
            if numbers == "exact" and not isinstance(self.saved, Dag):
                raise UsageError("the game was saved in floats; compile it with --exact")
            return self.saved
        tree = self.tree
        if tree is not None and at is None and len(tree) <= (limits.states or len(tree)):
            return tree
        from .engines import unfold_any

        key = (at or "", limits, numbers == "exact")
        if key not in self._dags:
            form = None if at is None else self.state(at)
            self._dags[key] = unfold_any(
                self.program,
                at=form,
                limits=limits,
                numbers=numbers,
                progress=self.progress,
                notes=self.notes,
            )
        return self._dags[key]

    def state(self, text: str) -> Form:
        """The form that is the state ``text``, such as ``turn(16)``.

        Raises:
            UsageError: If it is no state of the game.
        """
        from ..spec.parser import ParseError, parse_expression

        try:
            expr = parse_expression(text)
        except ParseError as error:
            raise UsageError(f"`{text}` is not a state: {error.message}") from None
        data = self.document.data
        try:
            place = partial(self.document.key_place, data, "root")
            return self.program.compile_state(expr, place, text)
        except UsageError as error:
            raise UsageError(f"`{text}` is not a state of this game: {error}") from None

    def check_states(self, limits: Limits | None = None) -> list[Diagnostic]:
        """Unfold the game, follow each policy, and report what goes wrong in some state.

        A policy that has to be followed state by state is followed through ``POLICY_STATES``.

        A game larger than the limit is no mistake: a note says what was not visited.
        """
        try:
            dag = self.dag(limits)
        except SpecError as error:
            return [_not_visited(found) for found in error.diagnostics]
        return self._policy_problems(dag, limits)

    def check_policies(self, limits: Limits | None = None) -> list[Diagnostic]:
        """Follow each policy, as ``check_states`` does; nothing where the game does not unfold."""
        if not self.policies:  # nor need it be unfolded
            return []
        try:
            dag = self.dag(limits)
        except SpecError:
            return []
        return self._policy_problems(dag, limits)

    def _policy_problems(self, dag: AnyDag, limits: Limits | None) -> list[Diagnostic]:
        """What policies name that is not there."""
        if not self.policies:
            return []
        from .compare import choices_of

        found: list[Diagnostic] = []
        for policy in self.policies.values():
            try:
                choices_of(self, dag, policy, limits, most=POLICY_STATES)
            except SpecError as error:
                found += error.diagnostics
        return in_order(found)

    # --- evaluating ---

    def behaviour(self, name: str, play: Mapping[str, str] | None = None) -> Behaviour:
        """The algorithm ``name`` with the play of some kinds of node replaced.

        Raises:
            UsageError: If the algorithm, a kind of node or a behaviour is unknown.
        """
        return with_play(algorithm(name), by_kind(play or {}, self.players), self.policies)

    def solution(
        self,
        *,
        algorithm: str = "expectiminimax",
        play: Mapping[str, str] | None = None,
        policy: str | None = None,
        numbers: Numbers | None = None,
        at: str | None = None,
        limits: Limits | None = None,
    ) -> Solution:
        """Value every node.

        Args:
            algorithm: ``expectiminimax``, ``minimax`` or ``expectimax``.
            play: By kind of node (``max``, ``min``, ``chance``) or player, how it plays instead.
            policy: A policy of the file to follow wherever it speaks, at every kind of node.
            numbers: ``exact`` or ``float``; left out, exact unless the game is approximate or
                large.
            at: A state to start from, such as ``turn(16)``.
            limits: How far the game may unfold.

        Raises:
            SpecError: Where the states make no sense, a limit stops it, or exact numbers are
                asked of an approximate game.
            UsageError: If a name or a behaviour is unknown.
        """
        behaviour = self.behaviour(algorithm, play)
        self.check_numbers(numbers, behaviour, at)
        names = [] if policy is None else [policy]
        for name in names:
            self._known_policy(name)
        dag = self.dag(limits, at=at, numbers=numbers)
        choices = self.choices(dag, behaviour, names, limits)
        from .engines import solve_any

        return solve_any(
            dag,
            behaviour,
            numbers=self.numbers_for(numbers, behaviour, dag, at),
            policies=choices,
            progress=self.progress,
        )

    def answer(self, solution: Solution) -> Answer:
        """What ``solution`` says, as seen from the root."""
        return answer_of(self.name, solution)

    def against(
        self,
        policy: str,
        solution: Solution,
        *,
        algorithm: str = "expectiminimax",
        play: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> Against:
        """``solution``, in which ``policy`` was followed, against play without that policy."""
        from .against import against
        from .engines import solve_any

        behaviour = self.behaviour(algorithm, play)
        dag = solution.dag
        others = self.choices(dag, behaviour, [], limits)
        optimum = solve_any(
            dag,
            behaviour,
            numbers=solution.numbers,
            policies=others,
            progress=self.progress,
        )
        followed = self._policy_choices(dag, policy, limits)
        return against(self.policies[policy], solution, optimum, followed)

    def evaluate(
        self,
        algorithm: str = "expectiminimax",
        play: Mapping[str, str] | None = None,
        policy: str | None = None,
        numbers: Numbers | None = None,
        at: str | None = None,
        limits: Limits | None = None,
    ) -> Answer:
        """The value of the game and of each of the root's branches: see ``solution``.

        With a ``policy``, the answer also says what it loses against optimal play.
        """
        solution = self.solution(
            algorithm=algorithm, play=play, policy=policy, numbers=numbers, at=at, limits=limits
        )
        answer = self.answer(solution)
        if policy is None:
            return answer
        compared = self.against(policy, solution, algorithm=algorithm, play=play, limits=limits)
        return replace(answer, policy=compared)

    def trace(
        self,
        *,
        algorithm: str = "expectiminimax",
        play: Mapping[str, str] | None = None,
        policy: str | None = None,
        numbers: Numbers | None = None,
        at: str | None = None,
        limits: Limits | None = None,
    ) -> Steps:
        """The depth-first walk through the game, ``Step`` by step; arguments as ``solution``.

        ``algorithm`` may also be a search that cuts: ``alpha-beta``, ``pvs``, ``star1``, ``star2``.
        The game is solved first; the steps are made when they are asked for.
        """
        from .behaviour import ALGORITHMS
        from .trace import Trace

        if algorithm not in ALGORITHMS:
            from .search.traced import search_trace

            return search_trace(
                self, algorithm, play=play, policy=policy, numbers=numbers, at=at, limits=limits
            )
        solution = self.solution(
            algorithm=algorithm, play=play, policy=policy, numbers=numbers, at=at, limits=limits
        )
        behaviour, names = self.behaviour(algorithm, play), [] if policy is None else [policy]
        choices = self.choices(solution.dag, behaviour, names, limits)
        return Trace(self.name, solution, behaviour, choices)

    def opponents(
        self,
        kind: str | None = None,
        model: str = "mistake",
        *,
        algorithm: str = "expectiminimax",
        play: Mapping[str, str] | None = None,
        numbers: Numbers | None = None,
        at: str | None = None,
        limits: Limits | None = None,
    ) -> Opponents:
        """How the best first move depends on how well an opponent plays.

        See ``gametree.evaluator.opponents.opponents``.
        """
        from .opponents import opponents

        return opponents(
            self,
            kind=kind,
            model=model,
            algorithm=algorithm,
            play=play,
            numbers=numbers,
            at=at,
            limits=limits,
        )

    def expectations(self, limits: Limits | None = None) -> list[Expected]:
        """Run every ``expect`` entry of the file, in order."""
        from .expectations import run_expectations

        return run_expectations(self, limits)

    def choices(
        self,
        dag: AnyDag,
        behaviour: Behaviour,
        names: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> Mapping[int, Mixture]:
        """What policies choose: named ones at all nodes, those in ``play`` at their kind."""
        played = behaviour.policies()
        if not played and len(names) == 1:
            return self._policy_choices(dag, names[0], limits)
        choices: dict[int, Mixture] = {}
        for name in played:
            choices |= {
                node: mixture
                for node, mixture in self._policy_choices(dag, name, limits).items()
                if behaviour.of(dag.kind[node]).policy == name
            }
        for name in names:
            choices.update(self._policy_choices(dag, name, limits))
        return choices

    def numbers_for(
        self,
        numbers: Numbers | None,
        behaviour: Behaviour,
        dag: AnyDag,
        at: str | None = None,
    ) -> Numbers:
        """The numbers to solve in: those asked for, else exact where the game and engine are."""
        if numbers is not None:
            return numbers
        inexact = behaviour.approximate or not isinstance(dag, Dag) or self._approximate(at)
        return "float" if inexact else "exact"

    def check_numbers(
        self, numbers: Numbers | None, behaviour: Behaviour, at: str | None = None
    ) -> None:
        """Refuse exact numbers where there are none.

        Raises:
            SpecError: Where the file or the state ``at`` is approximate.
            UsageError: Where the behaviour is.
        """
        places = self._approximate(at) if numbers == "exact" else []
        if numbers != "exact" or not (behaviour.approximate or places):
            return
        from ..compiler.functions import APPROXIMATE

        if behaviour.approximate:
            raise UsageError("softmax has no exact value; leave --exact out")
        raise SpecError(
            Diagnostic(
                Code.NEEDS_FLOAT,
                place,
                f"`{place.text.partition('(')[0].strip()}` has no exact value"
                if place.text.startswith(tuple(APPROXIMATE))
                else "`sqrt`, `exp` and `log` have no exact value",
                help="leave --exact out: the answer is then a float with an error bound",
            )
            for place in places
        )

    def _known_policy(self, name: str) -> None:
        policies = self.policies
        if name not in policies:
            hint = did_you_mean(name, policies)
            hint = hint or (f"it has: {', '.join(policies)}" if policies else "it has none")
            raise UsageError(f"this game has no policy `{name}`; {hint}")

    def _policy_choices(
        self, dag: AnyDag, name: str, limits: Limits | None
    ) -> Mapping[int, Mixture]:
        from .compare import choices_of

        return choices_of(self, dag, self.policies[name], limits)

    def _approximate(self, at: str | None) -> list[Place]:
        """Where `sqrt`, `exp` or `log` stand: in the file, and in the state ``at``."""
        if self.tree is not None and at is None:
            return []
        places = list(self.program.approximate)
        if at is not None:
            found = self.program.names.approximate
            known = len(found)
            self.state(at)
            places += found[known:]
            del found[known:]
        return places


def tree_or_reading(path: str) -> Game | Reading:
    """The game in the file at ``path``, if it is a large tree of numbers; else what it holds.

    Large trees need no document, which would take most of their time and memory.
    """
    from ..spec.reader import Reading, read_source, text_at

    text = text_at(path)
    if isinstance(text, Reading):
        return text
    if len(text[0].text) > LARGE_TEXT:
        from ..spec.sketch import sketch

        found = sketch(*text)
        game = None if found is None else Game.from_sketch(found)
        if game is not None:
            return game
    return read_source(*text)


def _checked(
    document: Document, settings: Mapping[str, str], reported: Sequence[Diagnostic]
) -> tuple[Program, list[Diagnostic]]:
    """The program of ``document`` and its warnings.

    Raises:
        SpecError: If it has errors.
    """
    from ..compiler.check import check

    structure = _elsewhere(validate(document), reported)
    checked = check(document, settings)
    names = [*checked.diagnostics, *player_problems(document)]
    rest = _elsewhere(names, [*reported, *structure])
    diagnostics = in_order([*structure, *rest])
    if any(found.is_error for found in [*reported, *diagnostics]):
        diagnostics = [found for found in diagnostics if found.code not in _UNUSED]
    if checked.program is None or any(found.is_error for found in diagnostics):
        raise SpecError(diagnostics)
    return checked.program, diagnostics


def _plain_tree(document: Document) -> Dag | None:
    """The DAG of a document that is a tree of numbers, with nothing wrong in it.

    Of any other document, or where there is the least thing to say, None: the checks say it.
    """
    if not document.data.keys() <= _PLAIN:
        return None
    tree = explicit_dag(document)
    if tree is None:
        return None
    head = replace(document, data={**document.data, "root": "0"})
    return tree if _is_plain_head(head, tree) else None


def _is_plain_head(head: Document, tree: Dag) -> bool:
    """Whether there is nothing to say of a tree's document, of which ``head`` lacks the root."""
    if not head.data.keys() <= _PLAIN:
        return False
    labels = tree.origin[0].labels()
    if not all(_is_plain(entry, labels) for entry in expectations(head)):
        return False
    return not any(player_problems(head)) and not validate(head)


def _is_plain(entry: dict[str, Data], labels: list[str]) -> bool:
    """Whether an expectation has numbers and labels only, and labels that are there."""
    best = entry.get("best", [])
    branches = entry.get("branches", {})
    size = entry.get("size", {})
    known = entry.keys() <= _PLAIN_EXPECTATION
    if not known or not isinstance(branches, dict) or not isinstance(size, dict):
        return False
    if str(entry.get("within", "0")).startswith("-"):
        return False
    numbers = [entry[key] for key in ("value", "within") if key in entry]
    numbers += [*branches.values(), *size.values()]
    named = [*branches, *(best if isinstance(best, list) else [best])]
    return all(isinstance(n, str) and read_number(n) is not None for n in numbers) and all(
        label in labels for label in named
    )


def _elsewhere(found: Sequence[Diagnostic], reported: Sequence[Diagnostic]) -> list[Diagnostic]:
    """What was ``found`` at places where nothing has been ``reported``."""
    taken = {problem.place.start for problem in reported if problem.is_error}
    for problem in reported:
        if problem.code is Code.TAG:  # it stands before the value that it spoils
            text, at = problem.place.source.text, problem.place.end
            taken.add(at + len(text[at:]) - len(text[at:].lstrip()))
    return [problem for problem in found if problem.place.start not in taken]


def _not_visited(found: Diagnostic) -> Diagnostic:
    if found.code is not Code.STATE_LIMIT:
        return found
    return Diagnostic(
        Code.NOT_VISITED,
        found.place,
        f"not all states were visited: {found.message}",
        notes=(*found.notes, Note("what was visited is fine")),
        help="raise --max-states to visit more, or use --static to visit none",
    )
