"""What can be wrong with a file, as values.

Every layer reports a person's mistakes as ``Diagnostic`` values: facts in fields, text made
late. Readers and checks return lists of them; ``SpecError`` carries such a list through an
exception where a function has nothing else to return.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum

from .source import Place


class Severity(StrEnum):
    """How much a diagnostic matters: only errors make a file invalid."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Code(Enum):
    """Every kind of diagnostic; ``gametree explain CODE`` prints its page.

    GT0 reading files, GT1 notation, GT2 structure and names, GT3 numbers and odds, GT4 what
    play runs into, GT5 limits, GT6 warnings and notes, GT7 expectations, GT9 the tool itself.
    """

    UNREADABLE = "GT001"
    FILE_TOO_LARGE = "GT002"
    NOT_UTF8 = "GT003"
    EMPTY = "GT004"
    MANY_DOCUMENTS = "GT005"
    NESTING = "GT006"
    SAVED = "GT008"

    YAML_SYNTAX = "GT101"
    TAB = "GT102"
    DUPLICATE_KEY = "GT103"
    ALIAS = "GT104"
    TAG = "GT105"
    KEY_NOT_TEXT = "GT106"
    INVISIBLE_CHARACTER = "GT107"
    SYNTAX = "GT108"
    JSON_SYNTAX = "GT109"

    UNKNOWN_KEY = "GT201"
    MISSING_KEY = "GT202"
    WRONG_SHAPE = "GT203"
    NODE_KIND = "GT204"
    NO_BRANCHES = "GT205"
    ODDS_OUTSIDE_CHANCE = "GT206"
    RESERVED = "GT207"
    WHEN_OUTSIDE_BRANCH = "GT208"
    UNKNOWN_NAME = "GT210"
    ARGUMENT_COUNT = "GT211"
    DUPLICATE_NAME = "GT212"
    TYPE = "GT213"
    NODE_ARITHMETIC = "GT214"
    RECURSIVE_DEFINITION = "GT215"
    DUPLICATE_LABEL = "GT216"
    UNKNOWN_BRANCH = "GT217"
    UNKNOWN_CHOICE = "GT218"

    PROBABILITY_SUM = "GT301"
    PROBABILITY_RANGE = "GT302"
    MIXED_ODDS = "GT303"
    NOT_A_NUMBER = "GT304"
    AMBIGUOUS_NUMBER = "GT305"
    NOT_FINITE = "GT306"
    NEEDS_FLOAT = "GT307"
    WEIGHT = "GT308"

    CYCLE = "GT401"
    STATE_RANGE = "GT402"
    DIVISION_BY_ZERO = "GT403"
    EVALUATION = "GT404"
    OUT_OF_BOUNDS = "GT405"

    STATE_LIMIT = "GT501"
    WORK_LIMIT = "GT502"
    NUMBER_LIMIT = "GT503"

    UNUSED_PARAMETER = "GT601"
    UNUSED_DEFINITION = "GT602"
    SHADOWED_NAME = "GT603"
    NOT_VISITED = "GT604"
    SLOW = "GT605"
    LABELS_LIKE_ODDS = "GT606"

    EXPECTATION = "GT701"

    INTERNAL = "GT901"

    @property
    def severity(self) -> Severity:
        """The severity a diagnostic of this code has."""
        if self in {Code.NOT_VISITED, Code.SLOW}:
            return Severity.NOTE
        return Severity.WARNING if self.value.startswith("GT6") else Severity.ERROR


@dataclass(frozen=True, slots=True)
class Note:
    """A further remark, with a place of its own where it has one: "first defined here"."""

    message: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake, or one remark, and where it is.

    ``message`` is lower case, stands alone and has no full stop. ``label`` is the short text
    under the carets. ``help`` is the one field that says how to mend the mistake.
    """

    code: Code
    place: Place
    message: str
    label: str = ""
    notes: tuple[Note, ...] = ()
    help: str | None = None

    @property
    def severity(self) -> Severity:
        """Error, warning or note."""
        return self.code.severity

    @property
    def is_error(self) -> bool:
        """Whether this makes the file invalid."""
        return self.severity is Severity.ERROR


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by file and place, each said once: the order in which people read them."""
    unique = {(d.place.source.name, d.place.start, d.code.value, d.message): d for d in diagnostics}
    return [unique[key] for key in sorted(unique)]


class UsageError(ValueError):
    """A wrong setting, algorithm, behaviour or policy name given to a command or function.

    Its text is the message and, behind a semicolon, how to mend it.
    """

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002
        super().__init__(message if help is None else f"{message}; {help}")
        self.message = message
        self.help = help


class SpecError(Exception):
    """A file that cannot be used; ``diagnostics`` says why, in reading order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = in_order(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        """One line a diagnostic, for those who meet the exception in Python."""
        return "\n".join(
            f"{d.place.source.name}:{d.place.line}:{d.place.column}: "
            f"{d.severity.value}[{d.code.value}]: {d.message}"
            for d in self.diagnostics
        )
