"""Memory by its address, for kernels: what numba's own arrays would count references for."""

# pyright: basic
from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _typed(kind: Any) -> Any:
    """A function from an address, an integer, to a pointer to numbers of ``kind``."""

    @intrinsic
    def pointer(typing_context, address):
        def generate(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(types.CPointer(kind)))

        return types.CPointer(kind)(types.int64), generate

    return pointer


bytes_at = _typed(types.uint8)
uint16_at = _typed(types.uint16)
uint32_at = _typed(types.uint32)
int32_at = _typed(types.int32)
int64_at = _typed(types.int64)
float32_at = _typed(types.float32)
float64_at = _typed(types.float64)


@intrinsic
def bits_of(typing_context, number):
    """The 64 bits of a double as an integer."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def double_of(typing_context, bits):
    """The double that has these 64 bits."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@intrinsic
def call_expand(
    typing_context, address, definition, state, definitions, weights, words, room, result
):  # fmt: skip
    """Call a game's ``expand`` by its address; pointers are given as integers."""
    signature = types.int64(*[types.int64] * 8)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        i64, i32, f64 = ir.IntType(64), ir.IntType(32), ir.DoubleType()
        kinds = [i64, i64.as_pointer(), i32.as_pointer(), f64.as_pointer(), i64.as_pointer()]
        kinds += [i64, f64.as_pointer()]
        function = builder.inttoptr(arguments[0], ir.FunctionType(i64, kinds).as_pointer())
        given = [
            builder.inttoptr(a, kind) if isinstance(kind, ir.PointerType) else a
            for a, kind in zip(arguments[1:], kinds, strict=True)
        ]
        return builder.call(function, given)

    return signature, generate


@intrinsic
def load_double(typing_context, address):
    """The double at an address that need not be a multiple of 8."""

    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())
        return builder.load(pointer, align=4)

    return types.float64(types.int64), generate


@intrinsic
def store_double(typing_context, address, number):
    """Write a double to an address that need not be a multiple of 8."""

    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())
        builder.store(arguments[1], pointer, align=4)
        return context.get_dummy_value()

    return types.void(types.int64, types.float64), generate


@intrinsic
def prefetch(typing_context, address):
    """Ask for the line of the cache that an address is in, without waiting for it."""

    def generate(context, builder, signature, arguments):
        i32, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, i32, i32, i32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        read, keep, data = i32(0), i32(3), i32(1)
        builder.call(function, [builder.inttoptr(arguments[0], pointer), read, keep, data])
        return context.get_dummy_value()

    return types.void(types.int64), generate
