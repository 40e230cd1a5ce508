"""The smoothed prolongator P = (I - omega D^-1 A) T.

T has one block a row, in the column of the node's aggregate. So a row of A T is a histogram of the aggregates of its
entries, weighted by A; P has a block for every aggregate that a node or one of its neighbours lies in.
"""

from __future__ import annotations

from typing import Any

from ..parallel import at, kernel
from ..patterns import Pattern, alike, transposed
from ..rows import read_only
from .sparse_product import product_pattern, product_values
from .tentative import Partition


def smoothed_pattern(A: Pattern, aggregates: Partition) -> Pattern:
    """The pattern of P' on nodes, from that of A, which must have a full diagonal."""
    return transposed(product_pattern(A, aggregates.pattern, aggregates.size), aggregates.size)


@kernel(by="edges")
def smooth_node(node, indptr, indices, t_indptr, t_indices, T, inverse, omega, width, columns, data):
    """Turn a node's rows of A T into rows of P."""
    first = int(indptr[at(node)])
    length = int(indptr[at(node + 1)]) - first
    for s in range(width):
        begin = (first * width + s * length) * columns
        factor = -omega * inverse[at(node * width + s)]
        for e in range(begin, begin + length * columns):
            data[at(e)] *= factor
    for t in range(t_indptr[at(node)], t_indptr[at(node + 1)]):
        block = 0
        while indices[at(first + block)] != t_indices[at(t)]:
            block += 1
        for s in range(width):
            begin = (first * width + s * length + block) * columns
            for c in range(columns):
                data[at(begin + c)] += T[at(int(t) * width + s), c]


def smoothed_values(
    A: Any, inverse: Any, omega: float, aggregates: Partition, T: Any, pattern: Pattern, width: int
) -> Any:
    """The values of P in its pattern."""
    columns = T.shape[1]
    own, cut = alike(pattern, aggregates.pattern)
    data = product_values(A, aggregates.pattern, T.ravel(), pattern, aggregates.size, width, width, columns)
    smooth_node(pattern.rows, *own, *cut, read_only(T), inverse, omega, width, columns, data)
    return data
