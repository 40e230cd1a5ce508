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
        super().__setitem__(index if type(index) is int and index >= 0 else _checked(index), value)


class _Integers(_Array):
    """Such a view of integers that become Python's: one of them is read without a NumPy scalar, in a fifth of the time.

    Tests read tens of millions of them.
    """

    def __getitem__(self, index: Any) -> Any:
        return self.item(index) if type(index) is int and index >= 0 and self.ndim == 1 else super().__getitem__(index)


def _checked(index: Any) -> Any:
    for part in index if isinstance(index, tuple) else (index,):
        if not isinstance(part, slice) and part < 0:
            raise IndexError(f"a kernel read or wrote at the negative index {index}")
    return index


def checked_view(argument: Any) -> Any:
    """Return a kernel's argument with each array, also in groups, as a view of a class above."""
    if type(argument) is np.ndarray:
        integers = argument.dtype.kind in "iu" and argument.dtype != np.uint64
        return argument.view(_Integers if integers else _Array)
    if isinstance(argument, tuple):
        parts = [checked_view(part) for part in argument]
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    return argument
