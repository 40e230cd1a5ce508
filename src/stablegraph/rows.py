"""Rows of a graph among some of its vertices, with new ids: what remains when vertices have left."""

from __future__ import annotations

from typing import Any

import numpy as np

from .parallel import at, kernel
from .parallel.primitives import exclusive_scan


@kernel
def count_kept(i, vertices, first, beyond, indices, new_ids, lengths):
    """How many entries of the i-th chosen row lie in chosen columns."""
    u = vertices[at(i)]
    length = 0
    for e in range(first[at(u)], beyond[at(u)]):
        length += int(new_ids[at(indices[at(e)])] >= 0)
    lengths[at(i)] = length


@kernel
def copy_kept(i, vertices, first, beyond, indices, new_ids, new_indptr, new_indices, origins):
    """Copy the chosen entries of the i-th chosen row and, where there is room for that, where they come from."""
    u = vertices[at(i)]
    place = int(new_indptr[at(i)])
    for e in range(first[at(u)], beyond[at(u)]):
        v = new_ids[at(indices[at(e)])]
        if v >= 0:
            new_indices[at(place)] = v
            if origins.size:
                origins[at(place)] = e
            place += 1


def read_only(array: Any) -> Any:
    """A read-only view of a NumPy array, as the arrays of graphs are: kernels need not be compiled for both.

    Anything else is returned as it is.
    """
    if isinstance(array, np.ndarray):
        array = array.view()
        array.flags.writeable = False
    return array


def rows_among(vertices: Any, first: Any, beyond: Any, indices: Any, *, origins: bool = False) -> tuple[Any, ...]:
    """Rows of the given vertices, without entries elsewhere; the i-th of them is vertex i of the result.

    Parameters
    ----------
    vertices : int array (k,)
        Distinct vertices.
    first, beyond : int array (n,)
        Where in `indices` each row begins and ends.
    indices : int array
        The entries.
    origins : bool
        Also return where each entry comes from.

    Returns
    -------
    indptr : array (k + 1,) of the dtype of `first`
    indices : array of the dtype of `indices`
    origins : int64 array, optional
        The place of each entry in the given `indices`.
    """
    new_ids = np.full(first.size, -1, indices.dtype)
    new_ids[vertices] = np.arange(vertices.size)
    given = [read_only(array) for array in (vertices.astype(np.int64, copy=False), first, beyond, indices)]
    lengths = np.empty(vertices.size, np.int64)
    count_kept(vertices.size, *given, new_ids, lengths)
    indptr = exclusive_scan(lengths)
    entries = int(indptr[-1])
    kept, places = np.empty(entries, indices.dtype), np.empty(entries if origins else 0, np.int64)
    copy_kept(vertices.size, *given, new_ids, indptr, kept, places)
    indptr = indptr.astype(first.dtype, copy=False)
    return (indptr, kept, places) if origins else (indptr, kept)
