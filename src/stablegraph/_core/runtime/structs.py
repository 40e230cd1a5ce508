"""Groups of arrays that kernels of several modules take as one argument."""

from __future__ import annotations

from typing import Any, NamedTuple


class Rows(NamedTuple):
    """The rows of a graph or a matrix in CSR form."""

    indptr: Any  # (n + 1,): the start of each row in `indices`
    indices: Any  # (number of entries,): the columns of the entries, row after row
