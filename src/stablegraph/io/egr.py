"""ECL's binary CSR: little-endian 32-bit integers n, m, indptr (n + 1), indices (m), and optionally weights (m).

The format has no magic number. A file is recognized if its size fits its first two numbers and its indptr runs from 0
to m. The format does not state whether a graph is directed.
"""

from __future__ import annotations

from typing import IO, Any

import numpy as np

from .contents import Contents
from .source import Source

_INT = np.dtype("<i4")
_MOST = 2**31 - 1


def _sizes(source: Source) -> tuple[int, int]:
    if len(source.data) < 12:
        return -1, -1
    n, m = np.frombuffer(source.data, _INT, 2).tolist()
    return n, m


def looks_like(source: Source) -> bool:
    """Return whether the size fits the first two numbers, and indptr runs from 0 to m."""
    n, m = _sizes(source)
    if n < 0 or m < 0 or len(source.data) not in (4 * (3 + n + m), 4 * (3 + n + 2 * m)):
        return False
    return bool((np.frombuffer(source.data, _INT, n + 1, 8)[[0, -1]] == (0, m)).all())


def read(source: Source, *, weights: bool) -> Contents:
    """Read an ECL graph."""
    n, m = _sizes(source)
    if n < 0 or m < 0:
        raise source.error("an .egr file must begin with its numbers of vertices and entries")
    size, plain = len(source.data), 4 * (3 + n + m)
    if size not in (plain, plain + 4 * m):
        raise source.error(
            f"{size} bytes, but {n} vertices and {m} entries take {plain}, or {plain + 4 * m} with weights; "
            "the file is cut short or not in the format egr"
        )
    indptr = np.frombuffer(source.data, _INT, n + 1, 8)
    indices = np.frombuffer(source.data, _INT, m, 12 + 4 * n)
    if indptr[0] != 0 or indptr[-1] != m or (np.diff(indptr) < 0).any():
        k = int(np.flatnonzero(np.diff(indptr, prepend=0) < 0)[0]) if (np.diff(indptr) < 0).any() else 0
        raise source.error(f"the row starts must rise from 0 to {m}, but do not at vertex {k}")
    wrong = np.flatnonzero((indices < 0) | (indices >= n))
    if wrong.size:
        raise source.error(
            f"entry {int(wrong[0])} names vertex {int(indices[wrong[0]])}, but there are vertices 0 to {n - 1}"
        )
    has_weights = weights and m > 0 and size > plain
    return Contents(
        n,
        indptr=indptr.astype(np.int32),
        indices=indices.astype(np.int32),
        weights=np.frombuffer(source.data, _INT, m, plain).astype(np.int32) if has_weights else None,
    )


def write(stream: IO[bytes], graph: Any) -> None:
    """Write an ECL graph."""
    n, m = graph.num_vertices, graph.num_entries
    if n >= _MOST or m > _MOST:
        raise ValueError(f"the format egr counts in 32 bits, but there are {n} vertices and {m} entries; write 'npz'")
    columns = [np.array([n, m]), graph.indptr, graph.indices]
    if graph.weights is not None:
        w = graph.weights
        if w.dtype.kind not in "iub" or (w.size and (int(w.min()) < -_MOST - 1 or int(w.max()) > _MOST)):
            raise ValueError("the weights of the format egr are 32-bit integers, but these do not fit; write 'npz'")
        columns.append(w)
    for column in columns:
        stream.write(np.ascontiguousarray(column, _INT).data)
