"""What compiled code depends on, as one number: a function's code, and the rules and constants that it uses.

Two functions with equal fingerprints compile to the same machine code, whatever file they stand in and whenever it was
written; a change in anything that a function reaches changes its fingerprint. The layer itself, the compiler and the
processor are not in here: `cache` adds them.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.WrapperDescriptorType, np.ufunc)


def fingerprint(function: Callable[..., Any]) -> str:
    """Sixteen hexadecimal digits for a plain function and all that it reaches through its globals.

    A global with an attribute ``fingerprint`` (a rule has one) contributes that. TypeError for a global of a kind whose
    part in the compiled code is not known here.
    """
    digest = hashlib.sha256()
    for part in _parts(function):
        digest.update(part.encode() + b"\n")
    return digest.hexdigest()[:16]


def groups_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters annotated with a NamedTuple, and its class: groups of arrays that travel as one argument."""
    found = {}
    for name, annotation in function.__annotations__.items():
        if isinstance(annotation, str):
            annotation = function.__globals__.get(annotation)
        if hasattr(annotation, "_fields"):
            found[name] = annotation
    return found


def _parts(function: Callable[..., Any]) -> Iterator[str]:
    code = function.__code__
    yield from _code_parts(code)
    yield repr(function.__defaults__)
    for name, group in groups_of(function).items():
        yield f"{name}: {_described(group, name)}"
    named = {name: function.__globals__[name] for name in code.co_names if name in function.__globals__}
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    for name, value in [*named.items(), *((name, cell.cell_contents) for name, cell in cells)]:
        yield f"{name} = {getattr(value, 'fingerprint', None) or _described(value, name)}"


def _code_parts(code: types.CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_argcount, code.co_flags, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code_parts(constant)
        else:
            yield _described(constant, code.co_name)


def _described(value: Any, name: str) -> str:
    kind = type(value).__name__
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        return f"{kind} {array.dtype.str} {array.shape} {array.tobytes().hex()}"
    if isinstance(value, _PLAIN):
        return f"{kind} {value!r}"
    if isinstance(value, tuple):
        return f"({', '.join(_described(item, name) for item in value)})"
    if isinstance(value, types.ModuleType) and not value.__name__.startswith(f"{__name__.partition('.')[0]}."):
        return f"module {value.__name__}"
    if fields := getattr(value, "_fields", None):
        return f"group {value.__name__} {fields}"
    if isinstance(value, _NAMED):
        return f"{kind} {getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value.__name__)}"
    raise TypeError(f"{name} is a {kind}: what it is to compiled code must be said in parallel/fingerprint.py")
