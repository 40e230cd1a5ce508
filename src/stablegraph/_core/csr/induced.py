"""Rows of an induced subgraph, with new vertex ids, for example of the vertices that remain after a reduction."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..runtime import Int64s, Offsets, Vertices, array_module, device_of, kernel
from ..runtime.primitives import exclusive_scan


class ScatteredRows(NamedTuple):
    """Rows that need not be contiguous."""

    starts: Offsets  # (n,): the start of each row in `indices`
    ends: Offsets  # (n,): the end of each row
    indices: Vertices


@kernel
def number_kept(i, vertices: Int64s, new_ids: Vertices):
    """Give the i-th chosen vertex the id i."""
    new_ids[vertices[i]] = i


@kernel
def count_kept(i, vertices: Int64s, rows: ScatteredRows, new_ids: Vertices, lengths: Int64s):
    """Count the entries of the i-th chosen row that are in chosen columns."""
    u = vertices[i]
    length = 0
    for e in range(rows.starts[u], rows.ends[u]):
        length += int(new_ids[rows.indices[e]] >= 0)
    lengths[i] = length


@kernel(types="int64[] V[] int64[] V[] int64[]")
def copy_kept(i, vertices, rows: ScatteredRows, new_ids, new_indptr, new_indices, origins):
    """Copy the chosen entries of the i-th chosen row, and their positions unless `origins` is empty."""
    u = vertices[i]
    place = new_indptr[i]
    for e in range(rows.starts[u], rows.ends[u]):
        v = new_ids[rows.indices[e]]
        if v >= 0:
            new_indices[place] = v
            if origins.size:
                origins[place] = e
            place += 1


def induced_rows(vertices: Any, starts: Any, ends: Any, indices: Any, *, origins: bool = False) -> tuple[Any, ...]:
    """Return the rows of the subgraph induced by some vertices; the i-th of them becomes vertex i.

    Parameters
    ----------
    vertices : int array (k,)
        Distinct vertices.
    starts, ends : int array (n,)
        The start and the end of each row in `indices`.
    indices : int array
        The entries.
    origins : bool
        Whether to return also the position of each entry in `indices`.

    Returns
    -------
    indptr : array (k + 1,) of the dtype of `starts`
    indices : array of the dtype of `indices`
    origins : int64 array, optional
        The position of each entry in the given `indices`.
    """
    xp = array_module(device_of(indices))
    new_ids = xp.full(starts.size, -1, indices.dtype)
    chosen = vertices.astype(np.int64, copy=False)
    number_kept(vertices.size, chosen, new_ids)
    rows = ScatteredRows(starts, ends, indices)
    lengths = xp.empty(vertices.size, np.int64)
    count_kept(vertices.size, chosen, rows, new_ids, lengths)
    indptr = exclusive_scan(lengths)
    entries = int(indptr[-1])
    kept, places = xp.empty(entries, indices.dtype), xp.empty(entries if origins else 0, np.int64)
    copy_kept(vertices.size, chosen, rows, new_ids, indptr, kept, places)
    indptr = indptr.astype(starts.dtype, copy=False)
    return (indptr, kept, places) if origins else (indptr, kept)
