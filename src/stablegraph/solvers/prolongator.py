"""The smoothed prolongator P = (I - omega D^-1 A) T.

Result: P, bit for bit the same for any number of threads.

Rule: P = (I - omega D^-1 A) T. In the code: `smooth_node`.

Idea: T has one block a row, in the column of the node's aggregate. So a row of A T is a histogram of the aggregates of
its entries, weighted by A; P has a block for every aggregate that a node or one of its neighbors lies in.

Cost: that of the product A T (linalg/spgemm.py); its work memory, too.
"""

from __future__ import annotations

from typing import Any

from ..csr.arrays import read_only
from ..parallel import kernel
from ..parallel.groups import Rows
from ..patterns import Pattern, alike, transposed
from .linalg.spgemm import Blocks, product_pattern, product_values
from .tentative import Partition


def smoothed_pattern(A: Pattern, aggregates: Partition) -> Pattern:
    """The pattern of P' on nodes, from that of A, which must have a full diagonal."""
    return transposed(product_pattern(A, aggregates.pattern, aggregates.size), aggregates.size)


@kernel(by="edges")
def smooth_node(node, rows: Rows, tentative: Rows, T, inverse, omega, width, data):
    """Turn a node's rows of A T, in `data`, into rows of P; `tentative` is the pattern of T."""
    columns = T.shape[1]
    first = rows.indptr[node]
    length = rows.indptr[node + 1] - first

    # - omega D^-1 A T
    for s in range(width):
        start = (first * width + s * length) * columns
        factor = -omega * inverse[node * width + s]
        for e in range(start, start + length * columns):
            data[e] *= factor

    # + T, whose block is one of these
    for t in range(tentative.indptr[node], tentative.indptr[node + 1]):
        block = 0
        while rows.indices[first + block] != tentative.indices[t]:
            block += 1
        for s in range(width):
            start = (first * width + s * length + block) * columns
            for c in range(columns):
                data[start + c] += T[t * width + s, c]


def smoothed_values(
    A: Any, inverse: Any, omega: float, aggregates: Partition, T: Any, pattern: Pattern, width: int
) -> Any:
    """The values of P in its pattern."""
    rows, tentative = alike(pattern, aggregates.pattern)
    blocks = Blocks(width, width, T.shape[1])
    data = product_values(A, aggregates.pattern, T.ravel(), pattern, aggregates.size, blocks)
    smooth_node(pattern.rows, rows, tentative, read_only(T), inverse, omega, width, data)
    return data
