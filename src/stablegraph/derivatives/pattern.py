"""Patterns: the positions of the entries of a matrix, checked, by rows or by columns.

Result: `indptr` and `indices` in CSR form, ascending and without repeated entries, and the shape.

Rule: every stored entry of a sparse matrix counts, also if it is zero; of a dense array all nonzero elements count.

Cost: nothing for a CSR matrix whose rows are wanted, or a CSC matrix whose columns are wanted; otherwise a parallel
sort (csr/build.py). Work memory: that of the sort.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .._core.csr.build import build_rows
from .._core.csr.facts import scan_facts
from .._core.validation import host_array, is_sparse
from ..graph import Graph

_CHECKED_BY_SCIPY = ("csr", "csc", "bsr")  # the formats whose indices `check_format` validates


def checked_pattern(matrix: Any, by: str) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Return the rows (or columns) of a matrix in CSR form, ascending and without repeated entries, and its shape.

    Indices are checked. The conversion is not left to SciPy, which would also transpose the values, and would delay
    Ctrl-C by ten seconds for 30 million entries.
    """
    matrix = matrix.to("cpu").to_scipy() if isinstance(matrix, Graph) else matrix
    stored: Any = matrix if is_sparse(matrix) else host_array(matrix, "the matrix")
    if stored.ndim != 2:
        raise ValueError(f"the matrix must have two dimensions, got shape {stored.shape}")
    if not is_sparse(stored):
        stored = sp.coo_array(stored)
    elif stored.format in _CHECKED_BY_SCIPY:
        stored = type(stored)((stored.data, stored.indices, stored.indptr), shape=stored.shape)
        stored.check_format()  # on a copy of the object, because SciPy may change its index types
    if stored.format == ("csr" if by == "rows" else "csc") and stored.has_canonical_format:
        return stored.indptr, stored.indices, stored.shape
    if stored.format in ("csr", "csc") and stored.shape[0] == stored.shape[1]:
        facts = scan_facts(stored.indptr, stored.indices, "cpu")
        if facts.descents == facts.repeats == 0 and facts.forward == facts.backward:  # symmetric: equals its transpose
            return stored.indptr, stored.indices, stored.shape
    entries = stored.tocoo(copy=False)
    ends = [np.ascontiguousarray(ids) for ids in (entries.row, entries.col)]
    if stored.format not in _CHECKED_BY_SCIPY:
        for ids, size, name in zip(ends, stored.shape, ("rows", "columns"), strict=True):
            if ids.size and not (ids.min() >= 0 and ids.max() < size):
                raise ValueError(f"indices of {name} must be from 0 to {size - 1}, got {ids.min()} to {ids.max()}")
    major, minor = ends if by == "rows" else ends[::-1]
    rows = build_rows(major, minor, max(stored.shape))
    return rows.indptr[: stored.shape[0 if by == "rows" else 1] + 1], rows.indices, stored.shape
