"""The smoothed prolongator P = (I - omega D^-1 A) T.

Result: P, bit for bit the same for any number of threads.

Rule: P = (I - omega D^-1 A) T. In the code: `smooth_node`.

Idea: T has one block per row, in the column of the node's aggregate. So a row of A T is a histogram of the aggregates
of its entries, weighted by A; a row of P has a block for every aggregate that contains the node or one of its
neighbors.

Cost: that of the product A T (linalg/spgemm.py); its work memory, too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core.csr.arrays import Pattern, alike, read_only
from .._core.csr.patterns import transposed, transposed_with_places
from .._core.runtime import kernel
from .._core.runtime.structs import Rows
from .linalg.block_csr import matrix
from .linalg.spgemm import product_pattern, product_values
from .linalg.spmv import MatrixRows, block_sizes, with_values
from .tentative import Partition


class Patterns(NamedTuple):
    """Of the prolongator, and of its transpose."""

    P: Pattern
    R: Pattern
    places: Any  # of the entries of R in P


def smoothed_patterns(A: Pattern, aggregates: Partition) -> Patterns:
    """The patterns from that of A, which must have a full diagonal."""
    return with_transpose(transposed(product_pattern(A, aggregates.pattern, aggregates.size), aggregates.size), A.rows)


def with_transpose(R: Pattern, columns: int) -> Patterns:
    """The patterns from that of R."""
    P, places = transposed_with_places(R, columns)
    return Patterns(P, R, places)


@kernel(
    by="edges",
    types="O[] V[] T[] int int int32[] int32[] T[,] T[] float",
    constants="1,1 1,3 2,2 3,3 3,6 6,6",
    T="float64 complex128",
)
def smooth_node(node, rows: MatrixRows, tentative: Rows, T, inverse, omega):
    """Turn a node's rows of A T into rows of P; `tentative` is the pattern of T."""
    height, width = rows.height, rows.width

    # - omega D^-1 A T
    for e in range(rows.indptr[node], rows.indptr[node + 1]):
        for s in range(height):
            factor = -omega * inverse[node * height + s]
            for c in range(width):
                rows.data[(e * height + s) * width + c] *= factor

    # + T, whose block is one of these
    for t in range(tentative.indptr[node], tentative.indptr[node + 1]):
        e = rows.indptr[node]
        while rows.indices[e] != tentative.indices[t]:
            e += 1
        for s in range(height):
            for c in range(width):
                rows.data[(e * height + s) * width + c] += T[t * height + s, c]


def smoothed_values(A: Any, inverse: Any, omega: float, aggregates: Partition, T: Any, pattern: Pattern) -> Any:
    """The values of P in its pattern; T are those of the tentative prolongator, one row after the other."""
    height, width = block_sizes(A)[0], T.shape[1]
    data = product_values(A, matrix(aggregates.pattern, T, height, width, aggregates.size), pattern)
    arrays, tentative = alike(pattern, aggregates.pattern)
    smooth_node(pattern.rows, with_values(arrays, data, height, width), tentative, read_only(T), inverse, omega)
    return data
