"""The forms of a kernel: the combinations of types for which it is compiled, expanded from its declared types.

The docstring of _core/runtime/kernel.py explains the words of a declaration. `V` and `O` are the types of vertices and
offsets; indices have 32 bits if that is sufficient. Forms with constants exist for 32-bit indices and the first value
of each type variable; a form without constants is used in all other cases.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import re
import sys
from importlib.machinery import ModuleSpec
from typing import Any, NamedTuple
from unittest.mock import MagicMock

INDEX_TYPES = (("int32", "int32"), ("int32", "int64"), ("int64", "int64"))  # of V and O
_COMMON = {"I": "int32 int64", "F": "float64 complex128"}  # type variables that need not be declared
_NUMBERS = ("int", "float", "bool")
# A kernel, or a rule in an engine.
_DECLARES = re.compile(rb"^@kernel\b|\b(in_turn|in_pieces|in_queue|without_levels)\(", re.MULTILINE)
_ELEMENTS = (
    "bool", "int8", "uint8", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "complex128",
)  # fmt: skip


class Form(NamedTuple):
    """One combination of types and constants of a kernel."""

    kernel: str
    types: tuple[str, ...]
    constants: tuple[int, ...]


def all_kernels() -> dict[str, Any]:
    """Return the kernels of the package by name, after importing all modules that may define kernels."""
    from stablegraph._core.runtime.kernel import Kernel
    from stablegraph._core.runtime.sources import package_files

    _replace_dask()
    for place, text in package_files():
        if _DECLARES.search(text):
            name = place.with_suffix("").as_posix().removesuffix("/__init__").replace("/", ".")
            importlib.import_module(f"stablegraph.{name}")
    kernels = {kernel.name: kernel for kernel in Kernel.registry if kernel.name.startswith("stablegraph.")}
    if len(kernels) != sum(kernel.name.startswith("stablegraph.") for kernel in Kernel.registry):
        raise ValueError("two kernels of a module have the same name")
    return kernels


def _replace_dask() -> None:
    """Make the modules of `stablegraph.distributed` importable without Dask, which no kernel uses."""
    if importlib.util.find_spec("distributed") is None:
        for name in ("dask", "dask.delayed", "dask.sizeof", "distributed"):
            sys.modules[name] = MagicMock(__spec__=ModuleSpec(name, None), SchedulerPlugin=object)


def forms_of(kernel: Any, index_types: tuple[tuple[str, str], ...] = INDEX_TYPES) -> list[Form]:
    """Return the forms of a kernel for some types of vertices and offsets; none if it declares no types."""
    if kernel.declared is None:
        return []
    words = kernel.declared.split()
    used = [word.partition("[")[0] for word in words]
    variables = {name: values for name, values in _COMMON.items() if name in used} | kernel.variables
    names = [name for name in variables if name in used]
    if undeclared := {n for n in used if len(n) == 1 and (n not in "VO" or n in variables)} ^ set(variables):
        raise ValueError(f"{kernel!r}: {undeclared} must be both in types and among the type variables")
    forms: dict[Form, None] = {}
    first = tuple(variables[name].split()[0] for name in names)
    for values in itertools.product(*(variables[name].split() for name in names)):
        for vertex, offset in index_types:
            known = {"V": vertex, "O": offset} | dict(zip(names, values, strict=True))
            types = tuple(known.get(name, name) + word[len(name) :] for name, word in zip(used, words, strict=True))
            frequent = values == first and (vertex, offset) == INDEX_TYPES[0]
            for constants in ((), *kernel.constants) if frequent else ((),):
                forms[Form(kernel.name, _without_constants(kernel, types, constants), constants)] = None
    for form in forms:
        for word in form.types:
            element, _, dimensions = word.partition("[")
            if not (word in _NUMBERS or (element in _ELEMENTS and dimensions in ("]", ",]"))):
                raise ValueError(f"{kernel!r} declares the unknown type {word!r}")
    return list(forms)


def _without_constants(kernel: Any, types: tuple[str, ...], constants: tuple[int, ...]) -> tuple[str, ...]:
    """Return the types of the remaining arguments if constants are fixed."""
    if not constants:
        return types
    return tuple(word for word, fixed in zip(types, _fixed(kernel), strict=True) if not fixed)


def _fixed(kernel: Any) -> list[bool]:
    """Return for each flattened argument whether it is a constant of a group."""
    from stablegraph._core.runtime.declaration import constants_of

    return [
        field in constants_of(kernel.groups.get(name))
        for name in kernel.parameters
        for field in getattr(kernel.groups.get(name), "_fields", (name,))
    ]


def kinds_of(kernel: Any, types: tuple[str, ...], constants: tuple[int, ...]) -> str:
    """Return the letters by which `runtime.c` reads the arguments of a call: its `kinds`."""
    remaining = iter(types)
    text = "i" if kernel.by in ("items", "edges") else ""
    for name in kernel.parameters:
        group = kernel.groups.get(name)
        if group is None:
            text += _kind(next(remaining))
            continue
        from stablegraph._core.runtime.declaration import constants_of

        fixed = constants_of(group) if constants else ()
        text += "(" + "".join("x" if field in fixed else _kind(next(remaining)) for field in group._fields) + ")"
    return text


def _kind(word: str) -> str:
    if word in _NUMBERS:
        return word[0]
    return str(word.count(",") + 1)


def missing(kernels: dict[str, Any]) -> list[str]:
    """Return the names of kernels that declare no types."""
    return sorted(name for name, kernel in kernels.items() if kernel.declared is None)
