"""Policies of a document to compiled rules.

Errors  GT210 for nodes that are not there, GT211, GT213, and GT217 for branches that are not.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..spec.diagnostics import Code as Fault
from ..spec.document import Data
from ..spec.expressions import Expr, Table, Text
from ..spec.suggest import did_you_mean
from .expressions import compile_expression
from .nodes import NodeCompiler
from .program import Bind, Branch, Choice, Form, Policy, PolicyRule, Sum, Visit
from .scope import Code, Scope, Where, declared_type

SHOWN = 8  # names listed in a message


class PolicyCompiler:
    """Compiles the policies of the document that ``compiler`` works on."""

    def __init__(self, compiler: NodeCompiler) -> None:
        self.compiler = compiler
        self.document = compiler.document
        self.names = compiler.names

    def policies(self, policies: dict[str, Data], root: Form) -> dict[str, Policy]:
        """Every policy of the file, by name."""
        made: dict[str, Policy] = {}
        self.names.labels_meant = True
        for name, rules in policies.items():
            if not isinstance(rules, dict):
                continue
            compiled = [self._policy_rule(rules, key, root) for key in rules]
            made[name] = Policy(name, tuple(rule for rule in compiled if rule is not None))
        self.names.labels_meant = False
        return made

    def _policy_rule(self, rules: dict[str, Data], key: str, root: Form) -> PolicyRule | None:
        header = self.compiler.header(rules, key)
        if header is None:
            return None
        where = Where(self.document, rules, key, in_key=True)
        node = self.names.nodes.get(header.name)
        if node is None and header.name in self.names.spoilt:
            return None
        if node is None and header.name != "root":
            self.names.report(
                Fault.UNKNOWN_NAME,
                where.place(header.start, header.end),
                f"a policy speaks of nodes, and there is no node `{header.name}`",
                did_you_mean(header.name, [*self.names.nodes, "root"]),
            )
            return None
        if node is not None and len(header.arguments) != len(node.arguments):
            expected = ", ".join(a.name for a in node.arguments)
            self.names.report(
                Fault.ARGUMENT_COUNT,
                where.place(),
                f"`{header.name}` has {len(node.arguments)} arguments, not {len(header.arguments)}",
                f"write {node.name}({expected})",
            )
            return None
        kinds = () if node is None else tuple(declared_type(a.kind) for a in node.arguments)
        scope = Scope(tuple(argument.name for argument in header.arguments), kinds)
        code = self._policy_code(rules, key, scope)
        if code is not None:
            self._check_labels(code, root if node is None else node.body)
        return None if code is None else PolicyRule(node, code)

    def _policy_code(self, rules: dict[str, Data], key: str, scope: Scope) -> Code | None:
        choice = rules[key]
        where = Where(self.document, rules, key)
        if isinstance(choice, dict):
            entries: list[tuple[Expr, Expr | None]] = []
            for label, odds in choice.items():
                weight = None
                if isinstance(odds, str) and odds != "rest":
                    weight = self.compiler.parse(odds, Where(self.document, choice, label))
                entries.append((Text(label), weight))
            return compile_expression(Table(tuple(entries)), scope, self.names, where)
        code = self.compiler.code(rules, key, scope, "any")
        if code.type.split()[0] in {"number", "truth", "list"}:
            self.names.report(
                Fault.TYPE,
                where.place(),
                "a policy gives the label of a branch, in quotes, or odds over labels",
                'such as "stand", or {"hit": 1/2, "stand": rest}',
            )
            return None
        return code

    def _check_labels(self, code: Code, body: Form | None) -> None:
        """Report labels that no branch has, where all labels are written out."""
        labels = written_labels(body)
        if not labels:
            return
        for part in code.expr.walk():
            if isinstance(part, Text) and "{" not in part.value and part.value not in labels:
                self.names.report(
                    Fault.UNKNOWN_BRANCH,
                    code.where.place(part.start, part.end),
                    f'there is no branch "{part.value}" here',
                    did_you_mean(part.value, labels) or f"the branches are {listed(labels)}",
                )


def listed(names: Iterable[str]) -> str:
    """Some names, in backquotes."""
    shown = [f"`{name}`" for name in names]
    return ", ".join(shown[:SHOWN]) + (", …" if len(shown) > SHOWN else "")


def written_labels(form: Form | None) -> list[str]:
    """The labels of the choice that ``form`` always comes to, all written out; else nothing."""
    form = _settled(form)
    if not isinstance(form, Choice):
        return []
    if not all(isinstance(branch, Branch) for branch in form.branches):
        return []
    return [branch.label for branch in form.branches if isinstance(branch, Branch)]


def _settled(form: Form | None) -> Form | None:
    """What ``form`` comes to in every state: behind calls, ``let``, and what is paid before."""
    passed: set[int] = set()
    while form is not None and id(form) not in passed:
        passed.add(id(form))
        if isinstance(form, Bind):
            form = form.body
        elif isinstance(form, Visit):
            form = form.target.body
        elif isinstance(form, Sum) and len(form.terms) == 1:
            form = form.terms[0][1]
        else:
            return form
    return None
