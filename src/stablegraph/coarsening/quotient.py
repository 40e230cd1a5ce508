"""The quotient of a graph by a partition: a vertex for each part, and an edge where an edge joins two of them.

Result: a graph with sorted rows, each edge once; the same for any number of threads.

Rule: parts a and b are adjacent if the row of a vertex of a has one of b. In the code: `_copy_labels`, and the product
in `quotient`.

Idea: with the columns of its entries replaced by their labels, the graph becomes a matrix C from vertices to parts, and
the partition is one M from parts to vertices, a row of members each. The quotient is the pattern of the product M C
(patterns.py). It is symmetric, so its transpose, which has ascending rows, is itself.

Cost: two sweeps for the labels, a step for each entry between parts, and a transpose. Work memory: four bytes for each
of these entries, once more the quotient, and four bytes a part and worker.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import kernel
from ..parallel.groups import Rows
from ..patterns import Pattern, product_pattern, row_pointers, transposed

_PURPOSE = "the graph of aggregates; fewer or larger aggregates need less"


@kernel(by="edges")
def _count_labels(v, rows: Rows, labels, inner, lengths):
    """How many entries of row v lead to other parts; with `inner`, all count."""
    length = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        length += int(inner or labels[rows.indices[e]] != labels[v])
    lengths[v] = length


@kernel(by="edges")
def _copy_labels(v, rows: Rows, labels, inner, new_indptr, found):
    """Write the labels that these entries have."""
    place = new_indptr[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        label = labels[rows.indices[e]]
        if inner or label != labels[v]:
            found[place] = label
            place += 1


def quotient(graph: Graph, parts: int, labels: Any, *, loops: bool) -> Graph:
    """The graph of so many parts, from the part of each vertex; in host memory, as the graph is.

    With `loops` a part with an edge or a loop inside has a loop.
    """
    n, rows = graph.num_vertices, Rows(graph.indptr, graph.indices)
    lengths = np.empty(n, np.int64)
    _count_labels(n, rows, labels, loops, lengths)
    indptr = row_pointers(lengths)
    found = np.empty(int(indptr[-1]), labels.dtype)
    _copy_labels(n, rows, labels, loops, indptr, found)
    members = transposed(Pattern(np.arange(n + 1, dtype=indptr.dtype), labels), parts)
    product = product_pattern(members, Pattern(indptr, found), parts, purpose=_PURPOSE)
    indptr, indices = transposed(product, parts)
    if indices.dtype == np.int64:  # no graph has 64 bits for ids and 32 for places
        indptr = indptr.astype(np.int64, copy=False)
    return Graph._trusted(indptr, indices, facts={"duplicates": 0} if loops else {"duplicates": 0, "loops": 0})
