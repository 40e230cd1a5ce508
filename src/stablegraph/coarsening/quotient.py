"""The quotient of a graph by a partition: a vertex for each part, and an edge between parts that an edge joins.

Result: a graph with sorted rows, each edge once; the same for any number of threads.

Rule: parts a and b are adjacent if the row of a vertex of a has a vertex of b. In the code: `_copy_labels`, and the
product in `quotient`.

Idea: if the columns of the graph's entries are replaced by their labels, the graph becomes a matrix C from vertices to
parts. The partition is a matrix M from parts to vertices; each row has the members of a part. The quotient is the
pattern of the product M C (patterns.py), whose rows are ascending.

Cost: two sweeps for the labels, a step for each entry between parts, and a transposition. Work memory: four bytes for
each of these entries, up to three times the quotient, 24 bytes per vertex, 12 per part and worker, and up to 4 MB per
worker.

With weights, the entries between parts are sorted, and the weights of equal entries are summed. Work memory: 13 bytes
for each entry of the graph; then, for each entry between parts, 36 bytes and three times the size of a weight,
including the result. With 64-bit ids this is up to twice as much.

All memory is checked before it is allocated (memory.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from .._core.csr.arrays import Pattern
from .._core.csr.build import build_rows
from .._core.csr.merge import distinct_entries, may_overflow, merge_duplicates, refuse_overflow
from .._core.csr.patterns import product_pattern, row_pointers, transposed
from .._core.memory import allocate_or_raise, check_memory
from .._core.runtime import Int32s, Int64s, Rows, kernel, worker_count
from ..conversion import as_graph
from ..graph import Graph

_PURPOSE = "the graph of aggregates; fewer or larger aggregates need less"
_NAME = "the graph of aggregates"
_WHERE = f" of {_NAME}"
_A_VERTEX, _A_PART = 24, 12  # bytes per vertex, and bytes per part and worker


@kernel(by="edges")
def _count_labels(v, rows: Rows, labels: Int32s, inner: bool, lengths: Int64s):
    """Count the entries of row v that lead to other parts; with `inner`, count all entries."""
    length = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        length += int(inner or labels[rows.indices[e]] != labels[v])
    lengths[v] = length


@kernel(by="edges")
def _copy_labels(v, rows: Rows, labels: Int32s, inner: bool, new_indptr: Int32s, columns: Int32s):
    """Write the labels of the entries that `_count_labels` counts."""
    place = new_indptr[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        label = labels[rows.indices[e]]
        if inner or label != labels[v]:
            columns[place] = label
            place += 1


def quotient(graph: Graph, parts: int, labels: Any, *, loops: bool) -> Graph:
    """Build the quotient from the number of parts and the part of each vertex; in host memory, like the graph.

    With `loops`, a part that contains an edge or a loop has a loop.
    """
    n, rows = graph.num_vertices, Rows(graph.indptr, graph.indices)
    check_memory(_A_VERTEX * n + _A_PART * parts * worker_count("cpu", graph.num_entries), _NAME)
    lengths = np.empty(n, np.int64)
    _count_labels(n, rows, labels, loops, lengths)
    indptr = row_pointers(lengths)
    columns = allocate_or_raise(int(indptr[-1]), labels.dtype, _PURPOSE)
    _copy_labels(n, rows, labels, loops, indptr, columns)
    members = transposed(Pattern(np.arange(n + 1, dtype=indptr.dtype), labels), parts)
    product = product_pattern(members, Pattern(indptr, columns), parts, purpose=_PURPOSE)
    check_memory(product.indices.nbytes, _NAME)
    indptr, indices = product
    if indices.dtype == np.int64:  # a graph never has 64-bit ids with a 32-bit indptr
        indptr = indptr.astype(np.int64, copy=False)
    return Graph._trusted(indptr, indices, facts={"duplicates": 0} if loops else {"duplicates": 0, "loops": 0})


def weighted_quotient(graph: Graph, parts: int, labels: Any, *, count: bool, loops: bool) -> Graph:
    """Build the quotient with the sums of the weights of all entries between two parts; with `count`, their number.

    With `loops`, the edges inside a part become a loop with the sum of their weights.
    """
    check_memory((1 + 3 * labels.itemsize) * graph.num_entries, _NAME)
    u, v, weights = _entries_between(graph, labels, count, loops)
    check_memory((20 + 4 * labels.itemsize + 3 * weights.itemsize) * u.size, _NAME)
    if weights.dtype.kind in "biu" or weights.dtype == np.float16:
        rows = build_rows(u, v, parts, drop_duplicates=False, positions=True)
        weights = weights[rows.positions]
        del u, v  # no longer needed
        merged = merge_duplicates(rows.indptr, rows.indices, weights, "sum", where=_WHERE)
        return Graph._trusted(*merged, facts={"duplicates": 0} if loops else {"duplicates": 0, "loops": 0})
    # The order of additions determines how a sum is rounded.
    sums = _mirrored(scipy.sparse.coo_array((weights, (u, v)), shape=(parts, parts)).tocsr())
    if may_overflow(weights, sums.data, u.size):
        rows = build_rows(u, v, parts, drop_duplicates=False, positions=True)
        selected, distinct, first = distinct_entries(rows.indptr, rows.indices)
        if first is not None:
            refuse_overflow(selected, distinct, weights[rows.positions], first, sums.data, where=_WHERE)
    return as_graph(sums)


def _mirrored(sums: Any) -> Any:
    """Replace the lower triangle of a matrix of sums by the upper one; they may be rounded differently."""
    mirror = sums.T.tocsr()  # its rows have the same columns, in ascending order
    lower = np.repeat(np.arange(sums.shape[0], dtype=sums.indices.dtype), np.diff(sums.indptr)) > sums.indices
    np.copyto(sums.data, mirror.data, where=lower)
    return sums


def _entries_between(graph: Graph, labels: Any, count: bool, loops: bool) -> tuple[Any, Any, Any]:
    """Return the parts that each entry joins, and the weights; with `loops` also each edge inside a part, once."""
    rows, columns = graph._rows(), graph.indices
    u, v = labels[rows], labels[columns]
    selected = u != v
    if loops:
        selected |= rows <= columns
    del rows  # no longer needed
    u, v = u[selected], v[selected]
    return u, v, np.ones(u.size, np.int8) if count else graph.weights[selected]
