"""Arrays of kernels that plain Python runs, with what compiled code takes for granted.

An integer read from an array is a Python int there: compiled code computes in 64 bits whatever the array's type is,
where NumPy's scalars would overflow in their own. (Sets of 64 bits stay NumPy's: their complement is no negative
number.) And a negative index is an error: compiled code does not count from
the end (`compiler`), so that no kernel may rely on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class _Array(np.ndarray):
    """A view of an array."""

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


def as_seen_by_python(argument: Any) -> Any:
    """The argument of a kernel: an array as a view of the kind above; a group of them likewise; else as it is."""
    if type(argument) is np.ndarray:
        return argument.view(_Array)
    if isinstance(argument, tuple):
        parts = [as_seen_by_python(part) for part in argument]
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    return argument
