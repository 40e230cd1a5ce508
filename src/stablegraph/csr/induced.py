"""Rows of a graph among some of its vertices, with new ids: what remains when vertices have left."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..parallel import kernel
from ..parallel.device import array_module, device_of
from ..parallel.primitives import exclusive_scan
from .arrays import read_only


class ScatteredRows(NamedTuple):
    """Rows that need not follow one another."""

    starts: Any  # (n,): where each row starts in `indices`
    ends: Any  # (n,): where it ends
    indices: Any


@kernel(types="int64[] V[]")
def number_kept(i, vertices, new_ids):
    """The i-th chosen row gets the id i."""
    new_ids[vertices[i]] = i


@kernel(types="int64[] O[] O[] V[] V[] int64[]")
def count_kept(i, vertices, rows: ScatteredRows, new_ids, lengths):
    """How many entries of the i-th chosen row lie in chosen columns."""
    u = vertices[i]
    length = 0
    for e in range(rows.starts[u], rows.ends[u]):
        length += int(new_ids[rows.indices[e]] >= 0)
    lengths[i] = length


@kernel(types="int64[] O[] O[] V[] V[] int64[] V[] int64[]")
def copy_kept(i, vertices, rows: ScatteredRows, new_ids, new_indptr, new_indices, origins):
    """Copy the chosen entries of the i-th chosen row and, where there is room for that, where they come from."""
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
    """Rows of the given vertices, without entries elsewhere; the i-th of them is vertex i of the result.

    Parameters
    ----------
    vertices : int array (k,)
        Distinct vertices.
    starts, ends : int array (n,)
        Where in `indices` each row starts and ends.
    indices : int array
        The entries.
    origins : bool
        Also return where each entry comes from.

    Returns
    -------
    indptr : array (k + 1,) of the dtype of `starts`
    indices : array of the dtype of `indices`
    origins : int64 array, optional
        The place of each entry in the given `indices`.
    """
    xp = array_module(device_of(indices))
    new_ids = xp.full(starts.size, -1, indices.dtype)
    chosen = read_only(vertices.astype(np.int64, copy=False))
    number_kept(vertices.size, chosen, new_ids)
    rows = ScatteredRows(*map(read_only, (starts, ends, indices)))
    lengths = xp.empty(vertices.size, np.int64)
    count_kept(vertices.size, chosen, rows, new_ids, lengths)
    indptr = exclusive_scan(lengths)
    entries = int(indptr[-1])
    kept, places = xp.empty(entries, indices.dtype), xp.empty(entries if origins else 0, np.int64)
    copy_kept(vertices.size, chosen, rows, new_ids, indptr, kept, places)
    indptr = indptr.astype(starts.dtype, copy=False)
    return (indptr, kept, places) if origins else (indptr, kept)
