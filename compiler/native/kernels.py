"""Functions that numba compiles once and that later runs load without numba.

Importing numba and reading its cache takes half a second, longer than most games need to be
solved. A kernel takes and returns whole numbers of 64 bits only (addresses among them), so its
machine code needs nothing of numba's: it is kept as an object file and linked by LLVM.
The file's name holds a digest of the kernel's source, the versions, and the processor.
"""

# pyright: basic
from __future__ import annotations

import ctypes
import hashlib
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib import import_module, util
from pathlib import Path
from typing import Any

import llvmlite
import numpy as np
from llvmlite import binding as llvm

_ENTRY = "kernel"  # the function's name in the object file
_OUTSIDE = {"exp"}  # of the C library, which LLVM finds in the process
_IMPORT = re.compile(r"^from (\.+[\w.]+) import", re.MULTILINE)
_DIGEST = hashlib.sha256().digest_size


class Kernel:
    """The function ``name`` of ``module``, which is imported only when it has to be compiled."""

    def __init__(self, module: str, name: str, arguments: int) -> None:
        self.module, self.name, self.arguments = module, name, arguments
        self._call: Any = None
        self._engine: Any = None  # owns the code

    def __call__(self, *arguments: Any) -> int:
        """Call it; an array stands for its address."""
        call, found = self._call or self._load(), ctypes.c_int64()
        call(ctypes.byref(found), None, *(_number(argument) for argument in arguments))
        return found.value

    def _load(self) -> Any:
        code = _kept(self._file()) or self._compile()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        numbers = [ctypes.c_int64] * self.arguments
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 2, *numbers)
        self._call = prototype(self._engine.get_function_address(_ENTRY))
        return self._call

    def _file(self) -> Path:
        digest = hashlib.sha256(_platform())
        for source in (Path(__file__), *_sources(self.module)):
            digest.update(source.read_bytes())
        place = _folder(_source(self.module).parent)
        return place / f"{self.module.rpartition('.')[2]}.{self.name}-{digest.hexdigest()[:24]}.o"

    def _compile(self) -> bytes:
        """The object file, made by numba and kept for the next time."""
        from numba import cfunc, types

        function = getattr(import_module(self.module), self.name)
        signature = types.int64(*[types.int64] * self.arguments)
        compiled = cfunc(signature, error_model="numpy")(function)
        code = target_machine().emit_object(_alone(compiled))
        _keep(self._file(), code)
        return code


def addresses(arrays: Iterable[np.ndarray]) -> np.ndarray:
    """The addresses of arrays, in order: what a kernel is given instead of them.

    They hold as long as the arrays do.
    """
    return np.array([array.ctypes.data for array in arrays], np.int64)


def _source(module: str) -> Path:
    """The file of a module of this package."""
    return Path(__file__).parents[2].joinpath(*module.split(".")[1:]).with_suffix(".py")


def _sources(module: str) -> list[Path]:
    """The file of a module, and those of the modules of this package that it imports."""
    found = [module]
    for name in found:  # it grows meanwhile
        text = _source(name).read_text(encoding="utf-8")
        for imported in _IMPORT.findall(text):
            other = util.resolve_name(imported, name.rpartition(".")[0])
            if other not in found:
                found.append(other)
    return [_source(name) for name in found]


def _number(argument: Any) -> int:
    return argument if isinstance(argument, int) else argument.ctypes.data


def _alone(compiled: Any) -> Any:
    """The module of a compiled function, with nothing in it that calls Python or numba.

    The function itself is taken, not what numba puts around it for C, which reports errors to
    Python. It writes its result through its first argument.
    """
    name = compiled.native_name.removeprefix("cfunc.")
    module = llvm.parse_assembly(compiled.inspect_llvm().replace(f"@{name}(", f"@{_ENTRY}("))
    for function in module.functions:
        if not function.is_declaration and function.name != _ENTRY:
            function.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    options = llvm.create_pipeline_tuning_options()
    passes.run(module, llvm.create_pass_builder(target_machine(), options))
    outside = {f.name for f in module.functions if f.is_declaration} - _OUTSIDE
    strangers = [name for name in outside if not name.startswith("llvm.")]
    if strangers:
        raise AssertionError(f"{name} calls {', '.join(sorted(strangers))}")
    return module


def target_machine() -> Any:
    """This machine, for LLVM; each engine needs one of its own, which it takes over."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=2, codemodel="jitdefault"
    )


@cache
def _platform() -> bytes:
    numba = util.find_spec("numba")
    assert numba is not None
    made = ""
    with suppress(OSError):  # importlib.metadata would take 20 ms to tell the version
        made = Path(str(numba.origin)).with_name("_version.py").read_text(encoding="utf-8")
    features = llvm.get_host_cpu_features().flatten()
    parts = [sys.version, made, llvmlite.__version__, llvm.get_default_triple()]
    return "\n".join([*parts, llvm.get_host_cpu_name(), features]).encode()


@cache
def _folder(beside: Path) -> Path:
    """Where object files are kept: where numba's would be."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if os.access(beside, os.W_OK):
        return beside / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(home) / "gametree"


def _kept(file: Path) -> bytes | None:
    """The object file, unless it is missing or damaged."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    code = data[_DIGEST:]
    return code if hashlib.sha256(code).digest() == data[:_DIGEST] else None


def _keep(file: Path, code: bytes) -> None:
    """Write it in one step, in place of those of older sources; where that fails, do without."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        for older in file.parent.glob(f"{file.name.partition('-')[0]}-*.o"):
            older.unlink(missing_ok=True)
        partial = file.with_suffix(f".{os.getpid()}.part")
        partial.write_bytes(hashlib.sha256(code).digest() + code)
        partial.replace(file)
