"""Arrays for kernels that run in plain Python, with the semantics of compiled code.

An integer that is read from an array becomes a Python int: compiled code computes in 64 bits for every array type,
while NumPy scalars would overflow in their own type. (Sets of 64 bits remain NumPy's, so that their complement is not a
negative number.) A negative index raises an error: compiled code does not count from the end (jit/pipeline.py), so no
kernel may rely on that.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class _Array(np.ndarray):
    """A view of an array with these semantics."""

    def __getitem__(self, index: Any) -> Any:
        value = super().__getitem__(_checked(index))
        return value.item() if isinstance(value, np.integer) and not isinstance(value, np.uint64) else value

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(_checked(index), value)


def _checked(index: Any) -> Any:
    for part in index if isinstance(index, tuple) else (index,):
        if not isinstance(part, slice) and part < 0:
            raise IndexError(f"a kernel read or wrote at the negative index {index}")
    return index


def checked_view(argument: Any) -> Any:
    """Return a kernel's argument with each array, also in groups, as a view of the class above."""
    if type(argument) is np.ndarray:
        return argument.view(_Array)
    if isinstance(argument, tuple):
        parts = [checked_view(part) for part in argument]
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    return argument
