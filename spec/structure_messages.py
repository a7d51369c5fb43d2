"""What the schema's validator found, in this project's words.

The validator speaks of properties and types; people want to know which key is wrong, what may
stand there, and what they probably meant. One report for each mistake: what only follows from
another one is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

from .canonical import BRANCH_KEYS
from .diagnostics import Code, Diagnostic, Note
from .document import Container, Data, Document
from .shapes import EXPECTED, FIXED, KIND_KEYS, NODES, Context, item
from .source import Place
from .suggest import did_you_mean, nearest

if TYPE_CHECKING:
    from jsonschema import ValidationError

RESERVED = ("sees", "discount", "horizon")
_LISTED = 14  # keys shown as allowed
_SHOWN = 40  # characters of a key
# What people write who know other tools; their own words come first in did-you-mean.
_OTHER_WORDS = {
    **dict.fromkeys(("payoff", "value", "utility", "score", "leaf", "terminal", "node"), "then"),
    **dict.fromkeys(("prob", "probability", "odds", "chance_of"), "p"),
    **dict.fromkeys(("weights",), "weight"),
    **dict.fromkeys(("decision", "choice", "player", "maximize", "maximise"), "max"),
    **dict.fromkeys(("opponent", "minimize", "minimise"), "min"),
    **dict.fromkeys(("random", "nature", "outcomes"), "chance"),
    **dict.fromkeys(("name", "title"), "label"),
    **dict.fromkeys(("comment", "description", "desc"), "note"),
    **dict.fromkeys(("where", "with"), "let"),
    **dict.fromkeys(("condition", "guard", "enabled", "available", "requires"), "when"),
    **dict.fromkeys(("otherwise", "elif"), "else"),
}
_OTHER_TOP_WORDS = {
    **dict.fromkeys(("name", "title"), "game"),
    **dict.fromkeys(("parameters", "variables", "constants", "param"), "params"),
    **dict.fromkeys(("definitions", "functions", "defines"), "define"),
    **dict.fromkeys(("tree", "start"), "root"),
    **dict.fromkeys(("tests", "expected", "expects"), "expect"),
    **dict.fromkeys(("strategies", "strategy"), "policies"),
}
_A_NODE = (
    "a node: a number, an expression, or a mapping with one of `max`, `min`, `chance`, `if`, `then`"
)
_BRANCHES = "branches: a mapping from label to node, or a list of nodes"
_SCALAR = "a number or an expression"
_WANTED: dict[tuple[Context, str], str] = {
    ("document", "params"): "a mapping from names to numbers",
    ("document", "define"): "a mapping from headers to expressions",
    ("document", "nodes"): "a mapping from headers to nodes",
    ("document", "root"): _A_NODE,
    ("document", "policies"): "a mapping from names to policies",
    ("document", "players"): "a mapping such as `{max: you, min: dealer}`",
    ("document", "bounds"): "a list of two numbers, the lowest and the highest payoff",
    ("document", "expect"): "a list of expectations, such as `{value: 12, best: C}`",
    ("document", "game"): "a text: the name of the game",
    ("document", "description"): "a text",
    ("document", "$schema"): "a text",
    ("expectation", "best"): "a label, or a list of labels",
    ("expectation", "branches"): "a mapping from labels to values",
    ("expectation", "play"): "a mapping such as `{min: random}`",
    ("expectation", "params"): "a mapping from names to values",
    ("expectation", "size"): "a mapping such as `{nodes: 15}`",
    **{
        (node, key): wanted
        for node in NODES
        for key, wanted in {
            "max": _BRANCHES,
            "min": _BRANCHES,
            "chance": "outcomes: a mapping from label to node, or a list of nodes",
            "then": _A_NODE,
            "else": _A_NODE,
            "let": "a mapping from names to expressions",
            "label": "a text",
            "note": "a text",
        }.items()
    },
}
_WANTED_ANYWHERE: dict[Context, str] = {
    "branches": _A_NODE,
    "outcomes": _A_NODE,
    "loop": _A_NODE,
    "nodes": _A_NODE,
    "parameters": "a number, an expression, or a list of them",
    "policies": "a policy: a mapping from headers to what is chosen there",
    "policy": "an expression that gives a label, or a mapping from labels to probabilities",
    "expectations": "an expectation: a mapping such as `{value: 12}`",
}


def explain(
    document: Document,
    context: Context,
    container: Container,
    parent: Container | None,
    key: str | int,
    errors: Iterable[ValidationError],
) -> list[Diagnostic]:
    """Diagnostics for what the validator found at ``container``, stubs below it."""
    explainer = _Explainer(document, context, container, parent, key)
    found = list(errors)
    if context in NODES:
        return [*explainer.node(found), *explainer.others(found)]
    return [*explainer.unknown_keys(found), *explainer.others(found)]


class _Explainer:
    """One mapping or list that is not as it should be."""

    def __init__(
        self,
        document: Document,
        context: Context,
        container: Container,
        parent: Container | None,
        key: str | int,
    ) -> None:
        self.document = document
        self.context = context
        self.container = container
        self.parent = parent
        self.key = key

    # --- places ------------------------------------------------------------------------------

    def head(self) -> Place:
        """A short place for the whole: its key, or its first key, or all of it."""
        if self.parent is not None and not isinstance(self.parent, list):
            return self.document.key_place(self.parent, self.key)
        if isinstance(self.container, dict) and self.container:
            return self.document.key_place(self.container, next(iter(self.container)))
        return self.document.place_of(self.container)

    def make(
        self,
        code: Code,
        place: Place,
        message: str,
        help_: str | None = None,
        notes: tuple[Note, ...] = (),
    ) -> Diagnostic:
        """A diagnostic."""
        return Diagnostic(code, place, message, notes=notes, help=help_)

    # --- nodes -------------------------------------------------------------------------------

    def node(self, errors: list[ValidationError]) -> Iterator[Diagnostic]:
        """Unknown keys of a node, and what kind of node it is."""
        mapping = cast("dict[str, Data]", self.container)
        kinds = [name for name in KIND_KEYS if name in mapping]
        unknown = self.unknown(errors)
        of_branches = [name for name in unknown if name in BRANCH_KEYS]
        others = [name for name in unknown if name not in of_branches]
        yield from map(self.of_branches, of_branches)
        meant = self.means_a_kind(others)
        if others and (kinds or meant or len(unknown) < len(mapping)):
            yield from map(self.unknown_key, others)
            if not kinds:
                return
        if not kinds:
            yield self.no_kind(mapping, others)
        elif any(not error.validator for error in errors):
            yield self.two_kinds(kinds)
        else:
            yield from self.incomplete_choice(mapping, errors)

    def means_a_kind(self, names: list[str]) -> bool:
        """Whether one of ``names`` may have been meant to be `max`, `then` and so on."""
        meant = {f"did you mean `{kind}`?" for kind in KIND_KEYS}
        return any(self.meant(name) in meant for name in names)

    def no_kind(self, mapping: dict[str, Data], unknown: list[str]) -> Diagnostic:
        """A mapping that says nothing about what kind of node it is."""
        loops = [name for name in unknown if name.startswith("for ")]
        if len(loops) > 1:
            help_ = "a loop in a list, or in another loop, is a mapping with one key"
        elif loops:
            help_ = "loops stand among the branches: put this under `max`, `min` or `chance`"
        elif unknown:
            keys = list(mapping)[:2]
            shown = ", ".join(f"{_short(key)}: …" for key in keys)
            shown += ", …" if len(mapping) > len(keys) else ""
            help_ = f"branches stand under `max:`, `min:` or `chance:`, as in `max: {{{shown}}}`"
        elif mapping:
            help_ = (
                "the node that these keys speak of stands under `then`, as in `{cost: 3, then: 5}`"
            )
        else:
            help_ = None
        what = "this mapping" if mapping else "an empty mapping"
        return self.make(
            Code.NODE_KIND,
            self.head(),
            f"{what} is no node: it has none of `max`, `min`, `chance`, `if`, `then`",
            help_,
        )

    def two_kinds(self, kinds: list[str]) -> Diagnostic:
        """A mapping that is two nodes at once."""
        written = [name for name in cast("dict[str, Data]", self.container) if name in kinds]
        named = " and ".join(f"`{name}`" for name in written[:2])
        first = self.document.key_place(self.container, written[0])
        help_ = "put one of them below the other, as a branch"
        if "then" in written and "if" not in written:
            help_ = "`then` stands for the node itself: delete it, or move the rest below it"
        elif "else" in written and "if" not in written:
            help_ = "`else` belongs to an `if`"
        elif "if" in written:
            other = next(name for name in written if name not in ("if", "then", "else"))
            help_ = f"put `{other}` under `then` or `else`"
        return self.make(
            Code.NODE_KIND,
            self.document.key_place(self.container, written[1]),
            f"a node is of one kind, and this one has {named}",
            help_,
            (Note(f"the first is `{written[0]}`", first),),
        )

    def incomplete_choice(
        self, mapping: dict[str, Data], errors: list[ValidationError]
    ) -> Iterator[Diagnostic]:
        """``if`` without ``then`` or ``else``, ``else`` without ``if``."""
        if not any(error.validator == "required" for error in errors):
            return
        has = [name for name in ("if", "then", "else") if name in mapping]
        missing = [name for name in ("if", "then", "else") if name not in mapping]
        place = self.document.key_place(self.container, has[0])
        help_ = "a choice by rule has all three: `{if: a > b, then: 1, else: 0}`"
        if missing == ["else"] and "when" in self.allowed():
            help_ += "; a branch that is not always there has `when: a > b`"
        yield self.make(
            Code.MISSING_KEY,
            place,
            f"`{has[0]}` without {' and '.join(f'`{name}`' for name in missing)}",
            help_,
        )

    def of_branches(self, name: str) -> Diagnostic:
        """``when`` on a node that is no branch, ``p`` or ``weight`` on one that is no outcome."""
        return self.when_outside() if name == "when" else self.odds_outside(name)

    def when_outside(self) -> Diagnostic:
        """``when`` on a node that is no branch."""
        message = "`when` stands on a node that is no branch"
        help_ = (
            "it belongs to a branch, directly under `max`, `min` or `chance`; "
            "elsewhere write `{if: c, then: a, else: b}`"
        )
        if isinstance(self.key, str) and self.key.startswith("for "):
            message = "`when` stands below a loop"
            help_ = "a loop has its condition in its key: `for x in S if c`"
        place = self.document.key_place(self.container, "when")
        return self.make(Code.WHEN_OUTSIDE_BRANCH, place, message, help_)

    def odds_outside(self, name: str) -> Diagnostic:
        """``p`` or ``weight`` on a node that is no outcome."""
        message = f"`{name}` stands outside a chance node"
        help_ = "only the outcomes directly under `chance` have odds"
        if isinstance(self.key, str) and self.key.startswith("for "):
            at = "@ " if name == "p" else "@ weight "
            message = f"`{name}` stands below a loop"
            help_ = f"under `chance`, a loop has its odds in its key: `for x in S {at}…`"
        place = self.document.key_place(self.container, name)
        return self.make(Code.ODDS_OUTSIDE_CHANCE, place, message, help_)

    # --- unknown keys ------------------------------------------------------------------------

    def allowed(self) -> list[str]:
        """The keys that may stand here."""
        return sorted({entry.split(":")[0] for entry in FIXED.get(self.context, ())})

    def unknown(self, errors: list[ValidationError]) -> list[str]:
        """The keys that may not stand here."""
        if not any(error.validator == "additionalProperties" for error in errors):
            return []
        known = self.allowed()
        return [name for name in cast("dict[str, Data]", self.container) if name not in known]

    def unknown_keys(self, errors: list[ValidationError]) -> Iterator[Diagnostic]:
        """A diagnostic for each unknown key."""
        return map(self.unknown_key, self.unknown(errors))

    def meant(self, name: str) -> str | None:
        """What ``name`` may have been meant to be."""
        others = _OTHER_TOP_WORDS if self.context == "document" else _OTHER_WORDS
        known = self.allowed()
        other = others.get(name.casefold())
        if other in known and not nearest(name, known, 1):
            return f"did you mean `{other}`?"
        return did_you_mean(name, known)

    def unknown_key(self, name: str) -> Diagnostic:
        """A key that may not stand here."""
        place = self.document.key_place(self.container, name)
        shown = name if len(name) <= _SHOWN else name[: _SHOWN - 1] + "…"
        if self.context == "document" and name in RESERVED:
            return self.make(
                Code.RESERVED,
                place,
                f"the key `{name}` is reserved for a later version of the language",
                "delete it: games have one player, one opponent and chance",
            )
        if name.startswith("for ") and self.context in NODES:
            return self.make(
                Code.UNKNOWN_KEY,
                place,
                "a loop stands here, beside the keys of a node",
                "loops stand among the branches, under `max`, `min` or `chance`; "
                "a loop in a list, or in a loop, stands alone",
            )
        allowed = self.allowed()
        code, what = Code.UNKNOWN_KEY, f"unknown key `{shown}`"
        listed = ", ".join(f"`{known}`" for known in allowed[:_LISTED])
        hint = self.meant(name) or self.without_then(name)
        return self.make(code, place, what, hint, (Note(f"allowed here: {listed}"),))

    def without_then(self, name: str) -> str | None:
        """How to write what stands alone among the keys of a node, as 3 in ``{p: 1/2, 3}``."""
        given = cast("dict[str, Data]", self.container)
        if self.context not in NODES or given[name] or not given.keys().isdisjoint(KIND_KEYS):
            return None
        return f"write `then: {name}`" if len(name) <= _SHOWN else "write `then:` before it"

    # --- everything else ---------------------------------------------------------------------

    def others(self, errors: list[ValidationError]) -> Iterator[Diagnostic]:
        """Missing keys, wrong types, things that are empty."""
        for error in errors:
            at = error.path[0] if error.path else None
            if error.validator == "type":
                yield self.wrong_type(at)
            elif error.validator in ("minProperties", "minItems", "maxItems"):
                yield self.wrong_count()
            elif error.validator == "enum" and at is not None:
                yield self.unknown_choice(at, cast("list[str]", error.validator_value))
            elif error.validator == "anyOf" and not self.unknown(errors):
                yield self.nothing_expected()
            elif error.validator == "required" and self.context == "document":
                yield from self.missing_key(error)

    def missing_key(self, error: ValidationError) -> Iterator[Diagnostic]:
        """``game`` or ``root`` is not there."""
        name = next(iter(error.message.split("'")[1:2]), "")
        mapping = cast("dict[str, Data]", self.container)
        others = [other for other in mapping if other not in self.allowed()]
        if any((self.meant(other) or "").startswith(f"did you mean `{name}`") for other in others):
            return  # it is there, and misspelt
        example = {"game": "the name of the game", "root": "the node where the game starts"}
        write = f"{name}: …"
        if self.document.notation == "text":
            write = {"game": 'game "name"', "root": "root max { … }"}.get(name, name)
        yield self.make(
            Code.MISSING_KEY,
            self.head(),
            f"`{name}` is missing: {example.get(name, '')}",
            f"write `{write}`",
        )

    def wrong_type(self, at: str | int | None) -> Diagnostic:
        """A scalar, list or mapping where another of the three is wanted."""
        if at is None:  # the schema's type of this very value: judged where it stands
            return self.make(Code.WRONG_SHAPE, self.head(), "this has the wrong shape")
        value = item(self.container, at)
        wanted = _WANTED.get((self.context, str(at)))
        wanted = wanted or _WANTED_ANYWHERE.get(self.context, _SCALAR)
        if value == "" and at in ("max", "min", "chance"):
            return self.no_branches(str(at), self.document.key_place(self.container, at))
        place = self.document.value_place(self.container, at)
        if value == "":
            place = self.document.key_place(self.container, at)
        help_ = None
        if wanted is _A_NODE and isinstance(value, list):
            help_ = "put the list under `max`, `min` or `chance`"
        elif wanted is _SCALAR and isinstance(value, dict):
            help_ = "quote an expression that starts with `{`"
        elif wanted is _SCALAR and isinstance(value, list):
            help_ = "quote an expression that starts with `[`"
        name = f"item {at + 1}" if isinstance(at, int) else f"`{_short(at)}`"
        return self.make(
            Code.WRONG_SHAPE, place, f"{name} wants {wanted}; here stands {_found(value)}", help_
        )

    def wrong_count(self) -> Diagnostic:
        """Too few or too many items."""
        if self.context in ("branches", "outcomes"):
            return self.no_branches(str(self.key), self.head())
        if self.context == "bounds":
            count = len(self.container)
            return self.make(
                Code.WRONG_SHAPE,
                self.document.place_of(self.container),
                f"`bounds` wants two numbers, the lowest and the highest payoff; it has {count}",
                "write `[low, high]`",
            )
        return self.make(Code.WRONG_SHAPE, self.head(), f"`{self.key}` is empty")

    def no_branches(self, name: str, place: Place) -> Diagnostic:
        """``max``, ``min`` or ``chance`` without anything below it."""
        what = "outcomes" if name == "chance" else "branches"
        return self.make(
            Code.NO_BRANCHES,
            place,
            f"`{name}` has no {what}",
            "give it at least one: a mapping from label to node, or a list of nodes",
        )

    def unknown_choice(self, at: str | int, choices: list[str]) -> Diagnostic:
        """An algorithm that is none."""
        value = str(item(self.container, at))
        listed = ", ".join(f"`{choice}`" for choice in sorted(choices))
        return self.make(
            Code.UNKNOWN_CHOICE,
            self.document.value_place(self.container, at),
            f"unknown algorithm `{_short(value)}`",
            did_you_mean(value, choices),
            (Note(f"there are {listed}"),),
        )

    def nothing_expected(self) -> Diagnostic:
        """An expectation that every game meets."""
        listed = ", ".join(f"`{name}`" for name in EXPECTED)
        return self.make(
            Code.MISSING_KEY, self.head(), f"this expects nothing: it has none of {listed}"
        )


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _found(value: Data) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return f"the text `{_short(value)}`" if value else "nothing"
