"""A program to machine code: one function for each named node and each node written inside one.

Input   a ``Program``.
Output  a ``Machine``: the address of ``expand(definition, words, …)``, which writes what a state
        comes to: its kind, reward, and an entry for each child (a payoff, or a definition with
        the words of its state).
Holds   the function returns a status: a ``Kind``, ``ALIAS`` (the state is another one), or a
        number below 0 (see ``native.expressions``), after which nothing it wrote counts.
Errors  ``Unsupported``, with what machine code cannot express.
"""

# pyright: basic
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir

from ...spec.expression_printer import print_expression
from ...spec.expressions import Expr, ListOf, Name, Range
from ..program import (
    Form,
    NamedNode,
    Program,
)
from ..values import EvaluationError
from .constants import UNSURE
from .forms import FunctionWriter
from .kernels import target_machine
from .shapes import Definition, Shape, item_of_shape
from .values import I64, Unsupported

MOST_DEFINITIONS = 500


@dataclass(slots=True)
class Machine:
    """Compiled code; it lives as long as this object."""

    address: int
    definitions: list[Definition]
    stride: int  # words an entry has room for
    engine: Any = field(repr=False)


def build(program: Program, root: Form) -> Machine:
    """Compile ``program`` as it unfolds from ``root``; a tenth of a second for a page of text.

    Raises:
        Unsupported: Where machine code cannot express the game.
    """
    try:
        return Builder(program).build(root)
    except EvaluationError as error:  # `roll(2, 0)`: the exact engine says where
        raise Unsupported(f"an expression without a value: {error.message}") from None


class Builder:
    """The module under construction and the definitions found so far."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.module = ir.Module("game")
        self.definitions: list[Definition] = []
        self.known: dict[tuple[Any, ...], Definition] = {}
        self.stride: Any = ir.GlobalVariable(self.module, I64, "stride")
        self.stride.global_constant = True
        self.stride.linkage = "internal"

    def build(self, root: Form) -> Machine:
        """The machine of a root form."""
        self.definition(root, (), ())
        done = 0
        functions: list[Any] = []
        while done < len(self.definitions):
            if done == MOST_DEFINITIONS:
                raise Unsupported("a tree written out: it has no states to find")
            functions.append(FunctionWriter(self, self.definitions[done]).write())
            done += 1
        stride = max(2, *(definition.words for definition in self.definitions))
        self.stride.initializer = ir.Constant(I64, stride)
        self.dispatcher(functions)
        engine = _to_machine_code(self.module)
        return Machine(engine.get_function_address("expand"), self.definitions, stride, engine)

    def definition(
        self,
        form: Form,
        names: tuple[str, ...],
        shapes: tuple[Shape, ...],
        *,
        node: NamedNode | None = None,
        keyed: bool = False,
    ) -> Definition:
        """The definition of a form in a scope; made once."""
        key = (node or form, keyed, names, shapes)
        if key not in self.known:
            made = Definition(len(self.definitions), form, names, shapes, node, keyed)
            self.definitions.append(made)
            self.known[key] = made
        return self.known[key]

    def named(self, node: NamedNode) -> Definition:
        """The definition of a named node."""
        assert node.body is not None
        names = tuple(argument.name for argument in node.arguments)
        shapes = tuple(self.declared(argument.kind) for argument in node.arguments)
        return self.definition(node.body, names, shapes, node=node, keyed=True)

    def declared(self, kind: Expr | None) -> Shape:
        """The shape of an argument from its declaration."""
        if kind is None:
            return ("int", None, None)
        if isinstance(kind, Range):
            return ("int", self.constant(kind.low), self.constant(kind.high))
        if isinstance(kind, ListOf):
            length, inner = self.constant(kind.length), self.declared(kind.item)
            return ("list", length, item_of_shape(inner))
        if isinstance(kind, Name) and kind.name == "bool":
            return ("truth",)
        return ("int", None, None)

    def constant(self, expr: Expr) -> int:
        """A bound of a range."""
        return int(self.program.constant(print_expression(expr)))

    def dispatcher(self, functions: list[Any]) -> None:
        """``expand``: the function of a definition by its number."""
        parameters = [I64, *functions[0].function_type.args]
        expand = ir.Function(self.module, ir.FunctionType(I64, parameters), "expand")
        builder = ir.IRBuilder(expand.append_basic_block())
        wrong = expand.append_basic_block("wrong")
        switch = builder.switch(expand.args[0], wrong)
        for number, function in enumerate(functions):
            block = expand.append_basic_block()
            switch.add_case(ir.Constant(I64, number), block)
            inner = ir.IRBuilder(block)
            inner.ret(inner.call(function, expand.args[1:]))
        ir.IRBuilder(wrong).ret(ir.Constant(I64, UNSURE))


def _to_machine_code(module: ir.Module) -> Any:
    machine = target_machine()
    module.triple = llvm.get_default_triple()
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(parsed, passes)
    engine = llvm.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()
    return engine
