"""Read the text notation (``.tree``) into a document.

Input   a ``Source``.
Output  a ``Reading``. A scalar of the document is the stretch of the source that says it, with
        line breaks and comments inside it turned into one space.
Holds   one pass over the text, one over what it parses to; a mistake in one statement hides
        none in another. Numbers and names are not looked into here: every later check sees
        them in the document, whichever notation it came from.
Errors  GT103 (said twice), GT108 (syntax), GT006 (nesting); and where those leave no document,
        also the numbers that are none (GT304, GT305, GT306, GT503).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from . import expressions as ex
from .complaints import bad_escape, token_problem
from .diagnostics import Code, Diagnostic, Note, in_order
from .document import Comment, Container, Data, Document, Marks
from .layout import MAX_DEPTH, ParseError, Statement, join_percents, lay_out_file, too_deep_at
from .parser import parse_tokens, tokens_of
from .reader import SMALLEST, Reading
from .syntax import (
    Block,
    Branch,
    Choice,
    Entry,
    Local,
    LoopBranch,
    Payment,
    Remark,
    StatementTree,
    Then,
    name_of,
    string_of,
    unknown_escape,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lark import Token

    from .source import Source
    from .syntax import Node

_BREAK = re.compile(
    r'"(?:[^"\\\r\n]|\\.)*"|`[^`\r\n]*`'  # left alone, whatever is inside
    "|((?:[ \t]*(?:#[^\r\n\x85\u2028\u2029]*)?(?:\r\n|[\r\n\x85\u2028\u2029]))+[ \t]*)"
)
_HAS_BREAK = re.compile("[\r\n\x85\u2028\u2029]")
_WRAPPED = (ex.IfElse, ex.LetIn)

# A value of the document, and where it stands.
_Placed = tuple[Data, int, int]


def read_text(source: Source, comments: bool = False) -> Reading:
    """Read ``source``; ``comments`` keeps its comments in the document."""
    tokens = tokens_of(source.text)
    builder = _Builder(source)
    for statement in lay_out_file(tokens, source.text):
        builder.statement(statement)
    if not builder.root and not builder.found:
        place = source.place(0, 0)
        help_ = SMALLEST["text"]
        builder.found.append(Diagnostic(Code.EMPTY, place, "the file holds no game", help=help_))
    if builder.found:
        return Reading(source, None, in_order([*builder.found, *builder.numbers]))
    marks = builder.marks
    document = Document(
        source,
        "text",
        builder.root,
        lambda: marks,
        comments=_comments(tokens) if comments else (),
    )
    return Reading(source, document, [])


def _comments(tokens: Iterable[Token]) -> tuple[Comment, ...]:
    found: list[Comment] = []
    own_line = True
    for token in tokens:
        if token.type == "COMMENT":
            found.append(Comment(token.start_pos or 0, str(token[1:]).strip(), own_line))
        own_line = token.type == "NEWLINE"
    return tuple(found)


_RENAME = "rename or delete one of them"
_ODDS_AS_LABEL = "for odds write `label @ {}: …`; or rename one of them"


class _Builder:
    """The document so far: its data, its marks and what was found wrong."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.root: dict[str, Data] = {}
        self.marks: Marks = {id(self.root): [0, len(source.text)]}
        self.found: list[Diagnostic] = []
        self.numbers: list[Diagnostic] = []

    # ---- statements ----

    def statement(self, statement: Statement) -> None:
        """Add one statement to the document, or say what is wrong with it."""
        tokens = join_percents(statement.tokens)
        self.numbers.extend(
            self._as_diagnostic(p) for token in tokens if (p := token_problem(token)) is not None
        )
        try:
            tree: StatementTree = parse_tokens("statement", tokens, self.text, statement.problem)
            end = tokens[-1].end_pos or 0
            getattr(self, f"_{tree.word}")(tree, end)
        except ParseError as problem:
            self.found.append(self._as_diagnostic(problem))

    def _as_diagnostic(self, problem: ParseError) -> Diagnostic:
        place = self.source.place(problem.start, max(problem.end, problem.start))
        return Diagnostic(problem.code, place, problem.message, help=problem.help)

    def _game(self, tree: StatementTree, _end: int) -> None:
        self._top(tree.word, self._string(tree.parts[0]))

    _description = _game

    def _param(self, tree: StatementTree, end: int) -> None:
        name, _equals, value = tree.parts
        placed = self._param_value(value)
        self._entry("params", tree.word, (name_of(name), *_span(name)), placed, end)

    def _param_value(self, value: ex.Expr) -> _Placed:
        if isinstance(value, ex.Sequence) and self.text[value.start] == "[":
            return self._list(value, [self._slice(item.start, item.end) for item in value.items])
        return self._slice(value.start, value.end)

    def _define(self, tree: StatementTree, end: int) -> None:
        header, equals, value = tree.parts
        key = self._slice_before(header.start, equals.start_pos)
        self._entry("define", tree.word, key, self._slice(value.start, value.end), end)

    def _node(self, tree: StatementTree, end: int) -> None:
        header, equals, node = tree.parts
        key = self._slice_before(header.start, equals.start_pos)
        self._entry("nodes", tree.word, key, self._value(node, 3), end)

    def _root(self, tree: StatementTree, _end: int) -> None:
        self._top(tree.word, self._value(tree.parts[0], 2))

    def _policy(self, tree: StatementTree, end: int) -> None:
        title, brace, *_ = tree.parts
        rules: list[tuple[ex.Header, int, ex.Expr]]
        rules = [rule for rule in tree.parts if isinstance(rule, tuple)]
        policy: dict[str, Data] = {}
        self._open(policy, brace.start_pos, end)
        for header, colon, value in rules:
            self._add(policy, self._slice_before(header.start, colon), self._choice_of(value))
        quoted = title.type not in {"NAME", "QUOTED_NAME"}
        name = self._string(title) if quoted else (name_of(title), *_span(title))
        self._entry("policies", tree.word, name, (policy, brace.start_pos, end), end)

    def _choice_of(self, value: ex.Expr) -> _Placed:
        """What a policy says: an expression, or a mapping from labels to odds."""
        if not isinstance(value, ex.Table):
            return self._slice(value.start, value.end)
        if self.text[value.start] == "(":
            return self._unwrapped(value)
        if not all(isinstance(key, ex.Text) for key, _ in value.entries):
            return self._slice(value.start, value.end)
        return self._table(value, 4)

    def _bounds(self, tree: StatementTree, _end: int) -> None:
        value = tree.parts[0]
        if isinstance(value, ex.Range) and self.text[value.start] != "(":
            ends = [self._slice(e.start, e.end) for e in (value.low, value.high)]
            self._top(tree.word, self._list(value, ends))
        else:
            self._top(tree.word, self._param_value(value))

    def _players(self, tree: StatementTree, end: int) -> None:
        self._top(tree.word, (self._entries(tree, end), tree.parts[0].start_pos, end))

    def _entries(self, tree: StatementTree, end: int) -> dict[str, Data]:
        """What stands in the braces of a statement."""
        brace, *entries = tree.parts
        found: dict[str, Data] = {}
        self._open(found, brace.start_pos, end)
        for entry in entries:
            if isinstance(entry, Entry):
                value = entry.value
                placed = self._plain(value, 4) if value else self._missing(entry.key)
                self._add(found, self._key(entry.key), placed)
        return found

    def _expect(self, tree: StatementTree, end: int) -> None:
        brace = tree.parts[0]
        expectation = self._entries(tree, end)
        start = tree.word.start_pos or 0
        found = self.root.get("expect")
        all_of_them: list[Data] = found if isinstance(found, list) else []
        if found is None:
            self._open(all_of_them, brace.start_pos, end)
            self._add(self.root, ("expect", start, start + 6), (all_of_them, brace.start_pos, end))
        all_of_them.append(expectation)
        place = (brace.start_pos, end)
        self.marks[id(all_of_them)].extend((*place, *place))
        self._stretch("expect", all_of_them, end)

    def _missing(self, key: ex.Expr) -> _Placed:
        raise ParseError(
            "this entry has no value",
            key.start,
            key.end,
            "entries are written `key: value`, such as `value: 12`",
        )

    # ---- expressions as plain data ----

    def _plain(self, value: ex.Expr, depth: int) -> _Placed:
        """Texts, lists and tables as data, anything else as the expression it is."""
        if isinstance(value, ex.Text) and self.text[value.start] == '"':
            return value.value, value.start, value.end
        if isinstance(value, ex.Sequence) and self.text[value.start] == "[":
            self._check_depth(depth, value.start)
            return self._list(value, [self._plain(item, depth + 1) for item in value.items])
        if isinstance(value, ex.Table) and self.text[value.start] == "{":
            return self._table(value, depth)
        return self._slice(value.start, value.end)

    def _table(self, table: ex.Table, depth: int) -> _Placed:
        self._check_depth(depth, table.start)
        made: dict[str, Data] = {}
        self._open(made, table.start, table.end)
        for key, value in table.entries:
            placed = self._plain(value, depth + 1) if value else ("rest", key.start, key.end)
            self._add(made, self._key(key), placed)
        return made, table.start, table.end

    def _list(self, whole: ex.Expr, items: Sequence[_Placed]) -> _Placed:
        made: list[Data] = []
        self._open(made, whole.start, whole.end)
        for value, start, end in items:
            made.append(value)
            self.marks[id(made)].extend((start, end, start, end))
        return made, whole.start, whole.end

    def _key(self, key: ex.Expr) -> tuple[str, int, int]:
        if isinstance(key, ex.Text) and self.text[key.start] == '"':
            return key.value, key.start, key.end
        text, start, end = self._slice(key.start, key.end)
        return (name_of(text) if isinstance(key, ex.Name) else text), start, end

    # ---- nodes ----

    def _value(self, node: Node, depth: int) -> _Placed:
        """A node, or a loop inside another, whose containers begin at ``depth``."""
        kind = type(node)
        if kind in (Block, Choice, Then, Local, Remark, Payment):
            return self._mapping(node, depth)
        if isinstance(node, LoopBranch):
            return self._loop(node, depth)
        if isinstance(node, ex.Expr):
            return self._scalar(node)
        return str(node), *_span(node)

    def _scalar(self, expr: ex.Expr) -> _Placed:
        if isinstance(expr, _WRAPPED) and self.text[expr.start] == "(":
            return self._unwrapped(expr)
        if isinstance(expr, ex.Table):
            raise ParseError(
                "a block begins with `max`, `min` or `chance`",
                expr.start,
                expr.start + 1,
                "write `max { … }`, `min { … }` or `chance { … }`",
            )
        return self._slice(expr.start, expr.end)

    def _unwrapped(self, expr: ex.Expr) -> _Placed:
        """An expression without the brackets that only kept it from being read as a node."""
        start, end = expr.start + 1, expr.end - 1
        text, _, _ = self._slice(start, end)
        lead = len(text) - len(text.lstrip())
        if _HAS_BREAK.search(self.text, start, end):
            return text.strip(), start, end
        return text.strip(), start + lead, start + len(text.rstrip())

    def _mapping(self, node: Node, depth: int, branch: Branch | None = None) -> _Placed:
        self._check_depth(depth, _start_of(node))
        made: dict[str, Data] = {}
        first = branch and (branch.word or branch.at)
        start = _start_of(node) if first is None else first.start_pos or 0
        marks = self._open(made, start, start)
        if branch is not None:
            self._conditions(made, branch)
        node = self._prefixes(made, node, depth)
        self._core(made, node, depth)
        marks[1] = max(marks[5::4])
        return made, start, marks[1]

    def _conditions(self, made: dict[str, Data], branch: Branch) -> None:
        """Add what stands between a branch's label and its node: when it is there, its odds."""
        if branch.word is not None and branch.when is not None:
            place = self._slice(branch.when.start, branch.when.end)
            self._add(made, ("when", *_span(branch.word)), place)
        if branch.at is not None and branch.odds is not None:
            odds = branch.odds
            key = (branch.at, "p") if odds.weight is None else (odds.weight, "weight")
            place = self._slice(odds.value.start, odds.value.end)
            self._add(made, (key[1], *_span(key[0])), place)

    def _prefixes(self, made: dict[str, Data], node: Node, depth: int) -> Node:
        """Add labels, notes, costs, rewards and local names; what is left is returned."""
        while True:
            if isinstance(node, Remark):
                self._add(made, (str(node.tag), *_span(node.tag)), self._string(node.text))
            elif isinstance(node, Payment):
                amount = self._slice(node.amount.start, node.amount.end)
                self._add(made, (str(node.tag), *_span(node.tag)), amount)
            elif not isinstance(node, Local) or not self._let(made, node, depth):
                return node
            node = node.node

    def _let(self, made: dict[str, Data], node: Local, depth: int) -> bool:
        """Add local names; False where one is taken, which needs a mapping of its own."""
        found = made.get("let")
        local: dict[str, Data] = found if isinstance(found, dict) else {}
        if any(name_of(b.name) in local for b in node.bindings):
            return False
        if found is None:
            self._check_depth(depth + 1, node.word.start_pos or 0)
            first, last = node.bindings[0].name, node.bindings[-1].value
            self._open(local, first.start_pos or 0, last.end)
            place = (local, first.start_pos or 0, last.end)
            self._add(made, ("let", *_span(node.word)), place)
        for binding in node.bindings:
            value = binding.value
            key = (name_of(binding.name), *_span(binding.name))
            self._add(local, key, self._slice(value.start, value.end))
        return True

    def _core(self, made: dict[str, Data], node: Node, depth: int) -> None:
        if isinstance(node, Block):
            self._add(made, (str(node.kind), *_span(node.kind)), self._block(node, depth + 1))
        elif isinstance(node, Choice):
            if_, then, else_ = node.words
            condition = self._slice(node.condition.start, node.condition.end)
            self._add(made, ("if", *_span(if_)), condition)
            self._add(made, ("then", *_span(then)), self._value(node.yes, depth + 1))
            self._add(made, ("else", *_span(else_)), self._value(node.no, depth + 1))
        elif isinstance(node, Then):
            self._add(made, ("then", *_span(node.word)), self._value(node.node, depth + 1))
        else:
            placed = self._value(node, depth + 1)
            self._add(made, ("then", placed[1], placed[1]), placed)

    def _block(self, block: Block, depth: int) -> _Placed:
        start = block.kind.start_pos or 0
        self._check_depth(depth, start)
        plain = [b for b in block.branches if isinstance(b, Branch)]
        labelled = sum(1 for b in plain if b.label is not None)
        if 0 < labelled < len(plain):
            raise self._mixed(plain, labelled)
        start = self.text.find("{", start)
        if plain and not labelled:
            return self._branch_list(block, start, depth)
        made: dict[str, Data] = {}
        self._open(made, start, block.end)
        for branch in block.branches:
            if isinstance(branch, LoopBranch):
                self._add_loop(made, branch, depth)
            else:
                key = self._label(branch.label)
                is_odds = _has_odds_as_label(block, branch)
                remedy = _ODDS_AS_LABEL.format(key[0]) if is_odds else _RENAME
                self._add(made, key, self._outcome(branch, depth + 1), remedy)
        return made, start, block.end

    def _branch_list(self, block: Block, start: int, depth: int) -> _Placed:
        made: list[Data] = []
        marks = self._open(made, start, block.end)
        for branch in block.branches:
            if isinstance(branch, LoopBranch):
                value, begin, end = self._loop(branch, depth + 1)
            else:
                value, begin, end = self._outcome(branch, depth + 1)
            made.append(value)
            marks.extend((begin, end, begin, end))
        return made, start, block.end

    def _outcome(self, branch: Branch, depth: int) -> _Placed:
        if branch.odds is None and branch.when is None:
            return self._value(branch.node, depth)
        return self._mapping(branch.node, depth, branch)

    def _loop(self, branch: LoopBranch, depth: int) -> _Placed:
        self._check_depth(depth, branch.loop.start)
        made: dict[str, Data] = {}
        marks = self._open(made, branch.loop.start, branch.loop.start)
        self._add_loop(made, branch, depth)
        marks[1] = marks[5]
        return made, branch.loop.start, marks[1]

    def _add_loop(self, made: dict[str, Data], branch: LoopBranch, depth: int) -> None:
        key = self._slice(branch.loop.start, branch.loop.end)
        self._add(made, key, self._value(branch.node, depth + 1))

    def _label(self, token: Token | None) -> tuple[str, int, int]:
        assert token is not None
        if token.startswith('"'):
            return self._string(token)
        return (name_of(token) if token.startswith("`") else str(token)), *_span(token)

    def _mixed(self, plain: list[Branch], labelled: int) -> ParseError:
        bare = len(plain) - labelled
        odd = next(b for b in plain if (b.label is None) == (bare <= labelled))
        start = _start_of(odd.node) if odd.label is None else odd.label.start_pos or 0
        end = start + 1 if odd.label is None else odd.label.end_pos or 0
        help_ = "give every branch of a block a label, or none"
        slip = re.compile(r"([0-9]+),([0-9]+)").search(self.text, max(start - 12, 0), start + 12)
        if odd.label is None and slip and slip.start(2) == start:
            help_ = f"for a decimal write `{slip[1]}.{slip[2]}`: a comma separates branches"
        return ParseError(
            f"{_count(labelled, 'branch', 'branches')} of this block "
            f"{'has' if labelled == 1 else 'have'} a label "
            f"and {bare} {'has' if bare == 1 else 'have'} none",
            start,
            end,
            help_,
        )

    # ---- pieces of data ----

    def _open(self, container: Container, start: int, end: int) -> list[int]:
        marks = self.marks[id(container)] = [start, end]
        return marks

    def _add(
        self,
        made: dict[str, Data],
        key: tuple[str, int, int],
        placed: _Placed,
        remedy: str = _RENAME,
    ) -> None:
        name, start, end = key
        if name in made:
            self.found.append(self._twice(made, key, remedy))
            return
        value, value_start, value_end = placed
        made[name] = value
        self.marks[id(made)].extend((start, end, value_start, value_end))

    def _twice(self, made: dict[str, Data], key: tuple[str, int, int], remedy: str) -> Diagnostic:
        name, start, end = key
        at = 2 + 4 * list(made).index(name)
        first = self.marks[id(made)][at : at + 2]
        return Diagnostic(
            Code.DUPLICATE_KEY,
            self.source.place(start, end),
            f"`{name}` is written twice",
            notes=(Note("first written here", self.source.place(*first)),),
            help=remedy,
        )

    def _top(self, word: Token, placed: _Placed) -> None:
        self._add(self.root, (str(word), *_span(word)), placed)

    def _entry(
        self, section: str, word: Token, key: tuple[str, int, int], placed: _Placed, end: int
    ) -> None:
        """Add to ``params``, ``define``, ``nodes`` or ``policies``."""
        found = self.root.get(section)
        made: dict[str, Data] = found if isinstance(found, dict) else {}
        if found is None:
            self._open(made, key[1], end)
            self._add(self.root, (section, *_span(word)), (made, key[1], end))
        self._add(made, key, placed)
        self._stretch(section, made, end)

    def _stretch(self, section: str, made: Container, end: int) -> None:
        """Let a section reach to the end of the last statement that adds to it."""
        self.marks[id(made)][1] = end
        self.marks[id(self.root)][5 + 4 * list(self.root).index(section)] = end

    def _string(self, token: Token) -> tuple[str, int, int]:
        start, end = _span(token)
        if "\\" in token and (at := unknown_escape(token)) is not None:
            self.found.append(self._as_diagnostic(bad_escape(token, at)))
        return string_of(token), start, end

    def _slice_before(self, start: int, end: int) -> tuple[str, int, int]:
        return self._slice(start, start + len(self.text[start:end].rstrip()))

    def _slice(self, start: int, end: int) -> tuple[str, int, int]:
        text = self.text[start:end]
        if _HAS_BREAK.search(text) is not None:
            text = _BREAK.sub(lambda match: match[0] if match[1] is None else " ", text)
        return text, start, end

    def _check_depth(self, depth: int, start: int) -> None:
        if depth > MAX_DEPTH:
            raise too_deep_at(start, start + 1)


def _span(token: Any) -> tuple[int, int]:
    return token.start_pos, token.end_pos


def _has_odds_as_label(block: Block, branch: Branch) -> bool:
    """``0.5: 10`` among the outcomes of chance: a label, where odds may be meant."""
    if block.kind != "chance" or branch.odds is not None or branch.label is None:
        return False
    return branch.label.strip(".0123456789") == "" and "." in branch.label


def _start_of(node: Node | LoopBranch) -> int:
    if isinstance(node, ex.Expr):
        return node.start
    if isinstance(node, LoopBranch):
        return node.loop.start
    first: Any = node
    if isinstance(node, Block):
        first = node.kind
    elif isinstance(node, Choice):
        first = node.words[0]
    elif isinstance(node, (Then, Local)):
        first = node.word
    elif isinstance(node, (Remark, Payment)):
        first = node.tag
    return first.start_pos


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
