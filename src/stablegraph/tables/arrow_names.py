"""Names of vertices in an Arrow array: a sequence that creates the Python object of a name only on access.

The names of a table are in ascending order, so that a name is found by bisection, without a dictionary.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .._core.texts import printable

_BLOCK = 1 << 16


class ArrowNames(Sequence[Any]):
    """Distinct names in ascending order, one for each vertex.

    ``names[v]`` is the name of vertex v as a Python object, ``names.array`` the whole pyarrow array.
    """

    def __init__(self, array: Any) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, v: Any) -> Any:
        if isinstance(v, slice):
            return self.array[v].to_pylist()
        return self.array[int(v)].as_py()

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), _BLOCK):
            yield from self[start : start + _BLOCK]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ArrowNames):
            return bool(self.array.equals(other.array)) or list(self) == list(other)
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = self[:3] + (["..."] if len(self) > 3 else [])
        return printable(f"<ArrowNames: {len(self):,} of type {self.array.type}, {', '.join(map(str, shown))}>")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(list(self), dtype)

    def get(self, name: Any) -> int | None:
        """Return the number of the vertex with this name; None if no vertex has it."""
        try:
            v = bisect_left(self, name)
        except TypeError:  # of another type
            return None
        return v if v < len(self) and self[v] == name else None

    def __contains__(self, name: Any) -> bool:
        return self.get(name) is not None

    def at(self, vertices: np.ndarray) -> Sequence[Any]:
        """Return the names of the given vertices: as ArrowNames if the vertices ascend, otherwise as a list."""
        taken = self.array.take(vertices)
        return ArrowNames(taken) if (vertices[1:] > vertices[:-1]).all() else taken.to_pylist()
