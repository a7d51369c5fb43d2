"""Check a document's structure against the JSON Schema that ships in the package.

Input   a ``Document`` of either notation.
Output  diagnostics: GT201 to GT208 (structure), GT218 (algorithms), GT301 to GT303 and GT308
        (literal odds).
Holds   each mapping and list is visited once, however often aliases name it; the validator is
        asked once for each shape that ``shapes`` does not know, and only then imported.
Cost    linear in the document; a small constant for each further mistake.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from .collector import collector_paused
from .diagnostics import Code, Diagnostic, Note
from .document import Container, Data, Document
from .literal_odds import OddsProblem, Outcomes, odds_problems
from .shapes import NODES, Context, context_below, is_usual, item
from .source import Place

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_STUBS: dict[Context, Data] = {  # what stands in for a mapping or list that is judged by itself
    **{context: {"then": "0"} for context in NODES},
    "labels": ["a"],
    "loop": {"for x in 1..2": "0"},
    "bounds": ["0", "1"],
    "expectation": {"value": "0"},
    "values": {"a": "0"},
}
_DEFINITION = {"loop": "item"}
_SHOWN_TERMS = 12


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of a document, draft 2020-12."""
    import json

    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema.json")
    with open(path, encoding="utf-8") as file:
        return cast("dict[str, Any]", json.load(file))


@cache
def validator() -> Validator:
    """A jsonschema validator of whole documents that knows the keyword ``sumsToOne``."""
    import jsonschema
    from jsonschema import validators

    def sums_to_one(_: object, wanted: object, outcomes: object, __: object) -> Iterator[object]:
        if wanted is True and isinstance(outcomes, dict | list):
            for problem in odds_problems(cast("Outcomes", outcomes)):
                yield jsonschema.ValidationError(problem.message)

    draft = cast("Any", jsonschema.Draft202012Validator)
    extended = cast("Any", validators).extend(draft, {"sumsToOne": sums_to_one})
    return cast("Validator", extended(schema()))


@cache
def part_validator(context: Context) -> Validator:
    """A validator of the part of the schema for ``context``, without the extra keyword."""
    import jsonschema

    if context == "document":
        return jsonschema.Draft202012Validator(schema())
    name = _DEFINITION.get(context, context)
    part = {**schema(), "$ref": f"#/$defs/{name}"}
    for key in ("type", "required", "properties", "additionalProperties"):
        del part[key]
    return jsonschema.Draft202012Validator(part)


def validate(document: Document) -> list[Diagnostic]:
    """Everything about the structure of ``document`` that the schema does not allow."""
    check = _Check(document)
    with collector_paused():
        check.run()
    return check.problems


class _Check:
    """One walk over a document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Diagnostic] = []
        self.seen: set[tuple[int, Context]] = set()
        self.good: set[object] = set()  # shapes found good in this document
        self.leaves: set[object] = set()  # those of them with nothing in them to be visited
        # What is still to be visited, with the mapping or list around it and its key there.
        self.stack: list[tuple[Context, Container, Container | None, str | int]] = []
        self.bad: set[int] = set()  # the mappings and lists with problems of their own
        self.chances: list[tuple[Container, Container | None, str | int]] = []

    def run(self) -> None:
        """Visit every mapping and list once in each context in which it stands."""
        self.stack.append(("document", self.document.data, None, ""))
        while self.stack:
            context, container, parent, key = self.stack.pop()
            if (id(container), context) in self.seen:
                continue
            self.seen.add((id(container), context))
            self.judge(context, container, parent, key)
            self.descend(context, container)
            if context == "outcomes":
                self.chances.append((container, parent, key))
        for outcomes, parent, key in self.chances:
            self.odds(outcomes, parent, key)

    def descend(self, context: Context, container: Container) -> None:
        """Put the mappings and lists in ``container`` on the stack."""
        items = container.items() if isinstance(container, dict) else enumerate(container)
        for key, value in items:
            if isinstance(value, str):
                continue
            below = context_below(context, key, value)
            if below is not None and _shape(below, value) not in self.leaves:
                self.stack.append((below, value, container, key))

    def judge(
        self, context: Context, container: Container, parent: Container | None, key: str | int
    ) -> None:
        """Look at ``container`` itself: its keys, and which kinds of values they have."""
        shape = _shape(context, container)
        if shape in self.good:
            return
        if not is_usual(context, container):
            errors = list(part_validator(context).iter_errors(_stubbed(context, container)))
            if errors:
                from .structure_messages import explain

                self.bad.add(id(container))
                self.problems += explain(self.document, context, container, parent, key, errors)
                return
        if shape is not None:
            self.good.add(shape)
            if not any(isinstance(value, dict | list) for value in _values(container)):
                self.leaves.add(shape)

    def odds(self, outcomes: Container, parent: Container | None, key: str | int) -> None:
        """Look at the literal odds of a chance node."""
        # A misspelt `p` makes odds look missing, and their sum too small.
        follow = {Code.MIXED_ODDS, Code.PROBABILITY_SUM}
        is_bad = any(id(outcome) in self.bad for outcome in _values(outcomes))
        for problem in odds_problems(outcomes):
            if is_bad and problem.code in follow:
                continue
            self.problems.append(self.odds_diagnostic(problem, outcomes, parent, key))

    def odds_diagnostic(
        self, problem: OddsProblem, outcomes: Container, parent: Container | None, key: str | int
    ) -> Diagnostic:
        """The diagnostic for what is wrong with literal odds."""
        from .numbers import show

        place, label = self.odds_place(problem, outcomes), ""
        if place is None:
            if parent is None:
                place = self.document.place_of(outcomes)
            else:
                place = self.document.key_place(parent, key)
            label = "in this chance node"
        terms = [
            Note(show(term.value), self.field_place(outcomes, term.key, term.field))
            for term in problem.terms[:_SHOWN_TERMS]
        ]
        if len(problem.terms) > _SHOWN_TERMS:
            terms.append(Note(f"and {len(problem.terms) - _SHOWN_TERMS} more"))
        help_ = problem.help
        if help_ is not None and self.document.notation == "text":
            help_ = _in_text_notation(help_)
        return Diagnostic(problem.code, place, problem.message, label, tuple(terms), help_)

    def odds_place(self, problem: OddsProblem, outcomes: Container) -> Place | None:
        """Where the one outcome is that a problem is about."""
        if problem.key is None:
            return None
        if problem.field is None:
            return self.document.key_place(outcomes, problem.key)
        return self.field_place(outcomes, problem.key, problem.field)

    def field_place(self, outcomes: Container, key: str | int, field: str) -> Place:
        """Where the ``p`` or ``weight`` of an outcome stands."""
        return self.document.value_place(cast("Container", item(outcomes, key)), field)


def _in_text_notation(help_: str) -> str:
    changes = {
        "`{p: rest, then: 5}`": "`label @ rest: 5`",
        "`p: rest`": "`@ rest`",
        "`weight`": "`@ weight`",
        "`p`": "`@`",
    }
    for yaml, text in changes.items():
        help_ = help_.replace(yaml, text)
    return help_


def _shape(context: Context, container: Container) -> object:
    """What the verdict on ``container`` depends on; None where that is not worth finding out."""
    if context in NODES:
        mapping = cast("dict[str, Data]", container)
        return (context, *mapping, *map(type, mapping.values()))
    return None


def _values(container: Container) -> Iterable[Data]:
    return container.values() if isinstance(container, dict) else container


def _stubbed(context: Context, container: Container) -> Container:
    """``container`` with the mappings and lists in it replaced by good ones of their kind."""
    if isinstance(container, list):
        return [_stub(context, index, value) for index, value in enumerate(container)]
    return {key: _stub(context, key, value) for key, value in container.items()}


def _stub(context: Context, key: str | int, value: Data) -> Data:
    if isinstance(value, str):
        return value
    below = context_below(context, key, value)
    if below in _STUBS:
        return _STUBS[below]
    if below in ("branches", "outcomes"):
        return ["0"] if isinstance(value, list) else {"a": "0"}
    return [] if isinstance(value, list) else {}
