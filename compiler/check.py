"""Check a document and make it a program: everything that needs no state.

Input   a ``Document`` whose structure has been validated, and the parameters' settings.
Output  ``Checked``: the ``Program``, or None where there are errors, and all diagnostics.
Holds   a program's names are resolved, its expressions typed, its parameters bound.
Errors  GT2xx (names, arguments, types), GT3xx (numbers), GT6xx (unused, shadowed names).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from ..spec.collector import collector_paused
from ..spec.diagnostics import Code as Fault
from ..spec.diagnostics import Diagnostic, Note, UsageError, in_order
from ..spec.document import Data, Document, expectations
from ..spec.expressions import Argument, Call, Expr, ListOf, Name, Range
from ..spec.parser import ParseError, parse_expression
from ..spec.source import Place, Source
from ..spec.suggest import did_you_mean
from . import values
from .arguments import TYPE_CHECKS, Check, list_check, range_check, scalar_check
from .depth import room_to_recurse
from .expressions import compile_definition, compile_expression
from .functions import BUILTINS
from .nodes import NodeCompiler, list_text
from .policies import PolicyCompiler, listed, written_labels
from .program import Checked, Form, NamedNode, Payoff, Policy, Program
from .scope import Code, Definition, Names, Scope, Where, declared_type
from .values import EvaluationError, Meter, Value

WORK = 20_000_000  # loop rounds and calls of definitions
# The same, for the whole check: what it takes to compute more is left to the states. It keeps a
# look at the text alone quick, whatever the file asks for.
CHECK_WORK = 1_000_000


def check(document: Document, settings: Mapping[str, str] | None = None) -> Checked:
    """Resolve, type and bind ``document``.

    Args:
        document: A document that ``validate`` has seen.
        settings: Parameters to override, as text: ``{"faces": "6"}``.

    Raises:
        UsageError: If a setting names no parameter or has no value.
    """
    with collector_paused(), room_to_recurse():
        return _Checker(document, settings or {}).run()


class _Checker:
    """The checks of one document, in the order in which later ones need earlier ones."""

    def __init__(self, document: Document, settings: Mapping[str, str]) -> None:
        self.document = document
        self.settings = settings
        self.found: list[Diagnostic] = []
        self.names = Names(report=self.report, meter=Meter(CHECK_WORK))
        self.work = CHECK_WORK  # for values that must be known, whatever folding has used up
        self.compiler = NodeCompiler(document, self.names)
        self.defined: dict[str, Place] = {}
        self.parameters: dict[str, Value] = {}
        self.parameter_uses: dict[str, set[str]] = {}

    def report(self, code: Fault, place: Place, message: str, help: str | None = None) -> None:  # noqa: A002
        self.found.append(Diagnostic(code, place, message, help=help))

    def run(self) -> Checked:
        data = self.document.data
        self.bind_parameters(_mapping(data, "params"))
        self.declare_definitions(_mapping(data, "define"))
        declared = self.declare_nodes(_mapping(data, "nodes"))
        self.check_definitions()
        self.compile_nodes(_mapping(data, "nodes"), declared)
        root: Form = Payoff(lambda: self.document.place_of(data))
        if "root" in data:
            root = self.compiler.node(data, "root", Scope())
        policies = PolicyCompiler(self.compiler).policies(_mapping(data, "policies"), root)
        self.check_bounds(data.get("bounds"))
        self.check_expectations(policies, root)
        self.check_unused()
        diagnostics = in_order(self.found)
        if any(diagnostic.is_error for diagnostic in diagnostics):
            return Checked(None, diagnostics)
        return Checked(self.program(root, policies), diagnostics)

    def program(self, root: Form, policies: dict[str, Policy]) -> Program:
        data = self.document.data
        return Program(
            name=str(data.get("game", "")),
            description=str(data.get("description", "")),
            document=self.document,
            names=self.names,
            parameters=self.parameters,
            nodes=self.names.nodes,
            root=root,
            policies=policies,
            compile_state=self.compile_state,
            constant=self.constant,
            approximate=tuple(self.names.approximate),
        )

    # --- names ---

    def define(self, name: str, place: Place, what: str) -> bool:
        """Take ``name``; False, and a report, where something else has it."""
        if name in self.defined:
            self.found.append(
                Diagnostic(
                    Fault.DUPLICATE_NAME,
                    place,
                    f"`{name}` is defined twice",
                    notes=(Note("first defined here", self.defined[name]),),
                )
            )
            return False
        self.defined[name] = place
        if name in BUILTINS:
            self.report(
                Fault.SHADOWED_NAME, place, f"the {what} `{name}` hides the built-in of that name"
            )
        return True

    # --- parameters and definitions ---

    def bind_parameters(self, params: dict[str, Data]) -> None:
        unknown = next((name for name in self.settings if name not in params), None)
        if unknown is not None:
            hint = did_you_mean(unknown, params) or (
                f"it has: {', '.join(params)}" if params else "it has none"
            )
            message = f"this game has no parameter `{unknown}`; {hint}"
            raise UsageError(message)
        for name in params:
            place = self.document.key_place(params, name)
            self.names.used = set()
            code = self.compiler.code(params, name, Scope(), "any")
            value = self.value(code)
            if name in self.settings:
                value = self.setting(name, self.settings[name])
            if self.define(name, place, "parameter"):
                self.names.constants[name] = self.parameters[name] = value
                self.parameter_uses[name] = self.names.used
        self.names.used = set()  # a parameter that only feeds an unused one is unused

    def value(self, code: Code) -> Value:
        """The value of a constant expression; 0 after a report."""
        meter = self.names.meter
        meter.left, folding = self.work, meter.left
        try:
            return values.finite(values.checked(code.run(())))
        except EvaluationError as error:
            if meter.left < 0:
                error.message = f"computing this takes more than {CHECK_WORK:,} steps"
                error.help = "loop over fewer items"
            self.found.append(diagnose(error, code))
            return 0
        finally:
            self.work, meter.left = meter.left, folding

    def setting(self, name: str, text: str) -> Value:
        """The value of ``--set name=text``."""
        try:
            expr = parse_expression(text)
        except ParseError as error:
            raise UsageError(f"the value of {name}, `{text}`: {error.message}") from None
        problems: list[str] = []
        names = Names(
            report=lambda _code, _place, message, _help: problems.append(message),
            meter=Meter(CHECK_WORK),
            constants=self.names.constants,
        )
        where = Where(self.document, self.document.data, "params", in_key=True)
        try:
            value = values.checked(compile_expression(expr, Scope(), names, where).run(()))
        except EvaluationError as error:
            raise UsageError(f"the value of {name}, `{text}`: {error.message}") from None
        if problems:
            raise UsageError(f"the value of {name}, `{text}`: {problems[0]}")
        if names.approximate:
            self.names.approximate.append(where.place())
        return value

    def declare_definitions(self, define: dict[str, Data]) -> None:
        for key, text in define.items():
            header = self.compiler.header(define, key)
            where = Where(self.document, define, key)
            if isinstance(text, list):
                text = list_text(text)  # noqa: PLW2901
            if header is None or not isinstance(text, str):
                continue
            body = self.compiler.parse(text, where)
            place = Where(self.document, define, key, in_key=True).place(header.start, header.end)
            if body is not None and self.define(header.name, place, "definition"):
                self.names.definitions[header.name] = Definition(header, body, where)

    def check_definitions(self) -> None:
        """Compile each definition for arguments of any type: one that is never called, too."""
        for definition in self.names.definitions.values():
            types = tuple("any" for _ in definition.header.arguments)
            compile_definition(definition, types, self.names)

    # --- named nodes ---

    def declare_nodes(self, nodes: dict[str, Data]) -> dict[str, NamedNode]:
        """Take every node's name, so that bodies may refer to any of them."""
        keys: dict[str, NamedNode] = {}
        for key in nodes:
            header = self.compiler.header(nodes, key)
            if header is None:
                continue
            where = Where(self.document, nodes, key, in_key=True)
            place = _placed(where, header.start, header.end)
            if self.define(header.name, place(), "node"):
                checks = tuple(self.argument_check(a, where) for a in header.arguments)
                node = NamedNode(header.name, len(keys), header.arguments, checks, place)
                self.names.nodes[header.name] = keys[key] = node
        return keys

    def compile_nodes(self, nodes: dict[str, Data], declared: dict[str, NamedNode]) -> None:
        for key, node in declared.items():
            for argument in node.arguments:
                where = Where(self.document, nodes, key, in_key=True)
                self.compiler.check_local(argument.name, where.place(argument.start, argument.end))
            scope = Scope(
                tuple(argument.name for argument in node.arguments),
                tuple(declared_type(argument.kind) for argument in node.arguments),
            )
            self.names.used, outer = set(), self.names.used
            node.body = self.compiler.node(nodes, key, scope)
            node.heuristic = self.heuristic(nodes[key], scope)
            node.uses = self.names.used - {node.name}
            self.names.used = outer

    def heuristic(self, data: Data, scope: Scope) -> Code | None:
        """What a named node says that its states are worth, for searches.

        It is an estimate anyway: `sqrt` in it does not make the game approximate.
        """
        if not isinstance(data, dict) or "heuristic" not in data:
            return None
        approximate = len(self.names.approximate)
        code = self.compiler.code(data, "heuristic", scope)
        del self.names.approximate[approximate:]
        return code

    def argument_check(self, argument: Argument, where: Where) -> Check:
        return self.kind_check(argument.name, argument.kind, where)

    def kind_check(self, name: str, kind: Expr | None, where: Where) -> Check:
        """The function that takes a value of argument ``name``, or raises."""
        if kind is None:
            return scalar_check(name)
        if isinstance(kind, Range):
            low, high = self.bound(kind.low, where), self.bound(kind.high, where)
            return range_check(name, low, high)
        if isinstance(kind, ListOf):
            length = self.bound(kind.length, where)
            return list_check(name, length, self.kind_check(f"an item of {name}", kind.item, where))
        if isinstance(kind, Name) and kind.name in TYPE_CHECKS:
            return TYPE_CHECKS[kind.name](name)
        self.report(
            Fault.TYPE,
            where.place(kind.start, kind.end),
            "an argument is declared as a range such as 0..9, `int`, `bool`, `number`, "
            "or a list of these, `[3] of 0..9`",
            did_you_mean(kind.name, TYPE_CHECKS) if isinstance(kind, Name) else None,
        )
        return scalar_check(name)

    def constant(self, text: str) -> Fraction:
        """The value of an expression that ``check`` has seen to have one."""
        number = self.compiler.number(text)
        if number is None:
            meter = self.names.meter
            meter.left, unmetered = WORK, meter.left
            where = Where(self.document, self.document.data, "root", in_key=True)
            expr = parse_expression(text)
            number = compile_expression(expr, Scope(), self.names, where, "number").run(())
            meter.left = unmetered
        return Fraction(number)

    def bound(self, expr: Expr, where: Where) -> int:
        code = compile_expression(expr, Scope(), self.names, where, "number")
        try:
            return values.whole(self.value(code), "the bound of a range")
        except EvaluationError as error:
            self.found.append(diagnose(error, code))
            return 0

    def compile_state(self, expr: Expr, place: Callable[[], Place], text: str) -> Form:
        """The form of a state such as ``turn(16)``; raises UsageError where it is none.

        ``text`` is what was typed: what is wrong in it is shown there, not in the file.
        """
        problems: list[str] = []
        report = self.names.report

        def collect(_code: Fault, _place: Place, message: str, _help: str | None) -> None:
            problems.append(message)

        meter = self.names.meter
        meter.left, unmetered = CHECK_WORK, meter.left
        self.names.report = collect
        typed: dict[str, Data] = {"at": text}
        marks = {id(typed): [0, len(text), 0, 0, 0, len(text)]}
        document = Document(Source("the state to start at", text), "text", typed, lambda: marks)
        form = self.compiler.expression(expr, Scope(), Where(document, typed, "at"))
        self.names.report, meter.left = report, unmetered
        if problems:
            raise UsageError(problems[0])
        form.place = place
        return form

    # --- bounds and expectations ---

    def check_bounds(self, bounds: Data | None) -> None:
        """Report bounds that have no value, or that no payoff can lie between."""
        if not isinstance(bounds, list) or len(bounds) != 2:
            return
        before = len(self.found)
        low, high = (self.value(self.compiler.code(bounds, i, Scope(), "number")) for i in (0, 1))
        if len(self.found) == before and low > high:
            self.report(
                Fault.WRONG_SHAPE,
                self.document.value_place(self.document.data, "bounds"),
                f"the lower bound {values.show(low)} is above the upper bound {values.show(high)}",
                f"the lowest payoff stands first: `[{values.show(high)}, {values.show(low)}]`",
            )

    def check_expectations(self, policies: dict[str, Policy], root: Form) -> None:
        for entry in expectations(self.document):
            self.check_expectation(entry, policies)
            self.check_labels(entry, self.check_state(entry) if "at" in entry else root)

    def check_labels(self, entry: dict[str, Data], start: Form | None) -> None:
        """Report branches that an entry names and that are not there, where all are written out."""
        labels = written_labels(start)
        for place, label in _labels_of(entry, self.document) if labels else ():
            if label not in labels:
                self.report(
                    Fault.UNKNOWN_BRANCH,
                    place,
                    f'there is no branch "{label}" here',
                    did_you_mean(label, labels) or f"the branches are {listed(labels)}",
                )

    def check_expectation(self, entry: dict[str, Data], policies: dict[str, Policy]) -> None:
        name = entry.get("policy")
        if isinstance(name, str) and name not in policies:
            self.report(
                Fault.UNKNOWN_NAME,
                self.document.value_place(entry, "policy"),
                f"there is no policy `{name}`",
                did_you_mean(name, policies)
                or ("the policies are " + listed(policies) if policies else None),
            )
        for key in ("value", "within"):
            if key not in entry:
                continue
            value = self.value(self.compiler.code(entry, key, Scope(), "number"))
            if key == "within" and value < 0:
                self.report(
                    Fault.WRONG_SHAPE,
                    self.document.value_place(entry, key),
                    f"`within` says how far off a value may be, and {values.show(value)} is "
                    "negative",
                    f"write `{values.show(-value)}`",
                )
        for key in ("branches", "size"):
            group = entry.get(key)
            if isinstance(group, dict):
                for name in group:
                    self.value(self.compiler.code(group, name, Scope(), "number"))
        overrides = entry.get("params")
        if isinstance(overrides, dict):
            for name in overrides:
                self.check_override(overrides, name)

    def check_state(self, entry: dict[str, Data]) -> Form | None:
        """The form of the state that an entry starts ``at``; None where it names none."""
        where = Where(self.document, entry, "at")
        text = entry["at"]
        expr = self.compiler.parse(text, where) if isinstance(text, str) else None
        if expr is None:
            return None
        if isinstance(expr, Name | Call) and expr.name in self.names.nodes:
            used = set(self.names.used)
            form = self.compiler.expression(expr, Scope(), where)
            self.names.used = used  # being tested is no use
            return form
        if isinstance(expr, Name | Call) and expr.name in self.names.spoilt:
            return None
        self.report(
            Fault.UNKNOWN_NAME,
            where.place(expr.start, expr.end),
            "`at` names a state: a call of one of the file's nodes",
            "the nodes are " + listed(self.names.nodes) if self.names.nodes else None,
        )
        return None

    def check_override(self, overrides: dict[str, Data], name: str) -> None:
        if name not in self.parameters:
            self.report(
                Fault.UNKNOWN_NAME,
                self.document.key_place(overrides, name),
                f"there is no parameter `{name}`",
                did_you_mean(name, self.parameters),
            )
        else:
            self.value(self.compiler.code(overrides, name, Scope(), "any"))

    def check_unused(self) -> None:
        """Warn of parameters, definitions and nodes that the root never comes to."""
        uses = {node.name: node.uses for node in self.names.nodes.values()}
        uses |= {name: made.uses for name, made in self.names.definitions.items()}
        uses |= self.parameter_uses
        reached = _closure(self.names.used, uses)
        for name, place in self.defined.items():
            if name in reached:
                continue
            if name in self.parameters:
                self.report(Fault.UNUSED_PARAMETER, place, f"the parameter `{name}` is not used")
            else:
                what = "node" if name in self.names.nodes else "definition"
                self.report(Fault.UNUSED_DEFINITION, place, f"the {what} `{name}` is not used")
            # what only an unused thing uses is not reported beside it
            reached |= _closure(uses.get(name, set()), uses)


def _closure(names: set[str], uses: Mapping[str, set[str]]) -> set[str]:
    """``names`` and all that they use, directly or through others."""
    reached, frontier = set(names), list(names)
    while frontier:
        new = uses.get(frontier.pop(), set()) - reached
        reached |= new
        frontier.extend(new)
    return reached


def _labels_of(entry: dict[str, Data], document: Document) -> Iterator[tuple[Place, str]]:
    """The labels that an expectation names, each with where it stands."""
    best, branches = entry.get("best"), entry.get("branches")
    if isinstance(best, str):
        yield document.value_place(entry, "best"), best
    elif isinstance(best, list):
        for index, label in enumerate(best):
            if isinstance(label, str):
                yield document.value_place(best, index), label
    if isinstance(branches, dict):
        for label in branches:
            yield document.key_place(branches, label), label


def diagnose(error: EvaluationError, code: Code, notes: tuple[Note, ...] = ()) -> Diagnostic:
    """The diagnostic of a failed evaluation of ``code``."""
    if isinstance(error.where, Where):
        place = error.where.place(error.start, error.end)
    else:
        place = code.place()
    return Diagnostic(error.code, place, error.message, notes=notes, help=error.help)


def _mapping(data: dict[str, Data], key: str) -> dict[str, Data]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _placed(where: Where, start: int, end: int) -> Callable[[], Place]:
    return lambda: where.place(start, end)
