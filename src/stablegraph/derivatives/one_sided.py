"""Colorings of the columns (or rows) of a matrix: structurally orthogonal columns share one product.

Result: colors that differ if two columns share a row. They depend only on the pattern and the order. (This is a
distance-2 coloring of one side of the bipartite graph of rows and columns.)

Rule: first fit in the given order: a column takes the lowest color that no earlier column with a common row has. In the
code: `fit` in coloring/nets.py.

Idea: rows are nets, and the colors of a net's columns are stored with the net; see coloring/nets.py.

Cost and work memory: as in coloring/nets.py.

Sources: A. Curtis, M. Powell, J. Reid, "On the Estimation of Sparse Jacobian Matrices", IMA J. Appl. Math. 13, 1974.
A. Gebremedhin, F. Manne, A. Pothen, "What Color Is Your Jacobian?", SIAM Review 47(4), 2005.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .._core.runtime import Rows
from .._core.runtime.primitives import sort_by_key
from ..coloring.nets import fit
from ..coloring.rules import NO_COLOR


def color_side(indptr: Any, indices: Any, nets: int, order: str) -> np.ndarray:
    """Return int32 colors of the rows of a pattern, which differ if two rows share one of the columns, the nets."""
    count = indptr.size - 1
    colors = np.full(count, NO_COLOR, np.int32)
    visited = np.arange(count)
    if order == "largest_first" and count:
        lengths = np.diff(indptr)
        visited = sort_by_key(lengths.max() - lengths)
    sizes = partial(np.bincount, indices, minlength=nets)
    fit(Rows(indptr, indices), nets, sizes, visited.astype(indices.dtype), colors, reflexive=False)
    return colors
