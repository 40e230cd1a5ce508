"""Breadth-first search in SciPy's queue order, and the Cuthill-McKee order, by the same kernel.

Result: the vertices in the order in which they enter a queue, and for each vertex the one that appended it. Both depend
only on the rows, in the order in which these are stored.

Rule: the queue begins with the first root. Whenever it runs empty, the first root that has not been in it is appended.
A vertex v that is taken from the queue appends those vertices of its row that have not been in it,

    in the order of the row                               for a search,
    by ascending degree, equal ones in the row's order    for Cuthill-McKee, with the vertices by degree as roots,

where degree(v) = the number of other neighbors, plus 2 for a loop. The oracles are SciPy's functions. In the code:
`_process_queue`.

Idea: each step depends on all previous steps, so one thread does the work. `breadth_first.py`, which guarantees less
about the order, has the search for all threads. A vertex is sorted only among those that were appended with it from one
row. This sorts n vertices in total, whereas sorting the rows would sort all entries. The merge sort has no slow case
for hubs.

State: `parent`, -1 for a vertex that has not been in the queue; a root is its own parent. Vertices that are taken from
the queue stay in the array, which becomes the result. The state of the search is in `progress`, with the field names
below.

Cost: each entry is read once, and O(n log n) for sorting. Work memory: Cuthill-McKee takes three numbers per vertex in
addition to the result, searches none.

Source: E. Cuthill, J. McKee, "Reducing the Bandwidth of Sparse Symmetric Matrices", ACM '69.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import Int32s, Int64s, Offsets, Rows, kernel, prefetch, rule
from .._core.runtime.primitives import sort_by_key
from ..graph import Graph

_ROOT, _HEAD, _TAIL = range(3)  # the fields of `progress`
_BUDGET = 1 << 24  # vertices and entries per call: bounds the latency of Ctrl-C
_PREFETCH_DISTANCE = 8  # vertices of the queue


class Search(NamedTuple):
    """The output of a search, and the arrays for sorting."""

    progress: Int64s  # (3,): the state of the search
    parent: Int32s  # (n,): -1 for a vertex that has not been in the queue
    queue: Int32s  # (n,)
    degree: Offsets  # (n,); empty if nothing is to be sorted
    spare: Int32s  # of the same length: the output of merges


@rule
def _append_row(v, rows, search, tail):
    """Append the vertices of v's row that have not been in the queue; return the new end of the queue."""
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if search.parent[u] < 0:
            search.parent[u] = v
            search.queue[tail] = u
            tail += 1
    return tail


@rule
def _sort_by_degree(start, end, search):
    """Sort a part of the queue by merging runs of 1, 2, 4, .. vertices; equal degrees keep their order."""
    degree, queue, spare = search.degree, search.queue, search.spare
    width = 1
    while width < end - start:
        for low in range(start, end, 2 * width):
            middle, high = min(low + width, end), min(low + 2 * width, end)
            i, j = low, middle
            for k in range(low, high):
                if j == high or (i < middle and degree[queue[i]] <= degree[queue[j]]):
                    spare[k] = queue[i]
                    i += 1
                else:
                    spare[k] = queue[j]
                    j += 1
        for k in range(start, end):
            queue[k] = spare[k]
        width *= 2


@kernel(by="single")
def _process_queue(budget: int, roots: Int32s, rows: Rows, more: Rows, search: Search):
    """Continue until all roots have been in the queue and it is empty, or the budget is spent.

    `more` has a second row of each vertex, or is empty.
    """
    progress, parent, queue = search.progress, search.parent, search.queue
    root, head, tail = progress[_ROOT], progress[_HEAD], progress[_TAIL]
    while budget > 0:
        if head == tail:
            while root < roots.size and parent[roots[root]] >= 0:
                root += 1
            if root == roots.size:
                break
            queue[tail] = roots[root]
            parent[roots[root]] = roots[root]
            tail += 1
        v = queue[head]
        head += 1
        prefetch(rows.indices, rows.indptr[queue[min(head + _PREFETCH_DISTANCE, tail - 1)]])
        appended = tail
        tail = _append_row(v, rows, search, tail)
        if more.indptr.size > 0:
            tail = _append_row(v, more, search, tail)
        if search.degree.size > 0:
            _sort_by_degree(appended, tail, search)
        budget -= 1 + rows.indptr[v + 1] - rows.indptr[v]
    progress[_ROOT], progress[_HEAD], progress[_TAIL] = root, head, tail


@kernel(by="edges", V="int32", O="int32")
def _add_loops(v, rows: Rows, degree: Int32s):
    """Add 2 to the degree of a vertex with a loop."""
    looped = False
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        looped |= rows.indices[e] == v
    if looped:
        degree[v] += 2


def _run_search(graph: Graph, roots: Any, transposed: Graph | None, degree: Any, spare: Any) -> tuple[Any, Any]:
    """Return the vertices in the order of the queue, and all parents."""
    n, id_type = graph.num_vertices, index_type(graph.num_vertices)
    rows = Rows(graph.indptr, graph.indices)
    more = Rows(rows.indptr[:0], rows.indices[:0])
    if transposed is not None:
        more = Rows(transposed.indptr, transposed.indices)
    search = Search(np.zeros(3, np.int64), np.full(n, -1, id_type), np.empty(n, id_type), degree, spare)
    progress = search.progress
    while progress[_HEAD] < progress[_TAIL] or progress[_ROOT] < roots.size:
        _process_queue(_BUDGET, roots, rows, more, search)
    return search.queue[: progress[_TAIL]], search.parent


def queue_order(graph: Graph, source: int, transposed: Graph | None = None) -> tuple[Any, Any]:
    """Return the vertices that `source` reaches in the order of the queue, and all parents, -1 for other vertices.

    With `transposed`, arcs are followed in both directions, forward ones first.
    """
    roots: Any = np.array([source], index_type(graph.num_vertices))
    return _run_search(graph, roots, transposed, np.empty(0, graph.indptr.dtype), roots[:0])


def cuthill_mckee(graph: Graph) -> Any:
    """Return all vertices in the Cuthill-McKee order; it begins with the smallest of the vertices of lowest degree."""
    degree = graph.degrees.copy()
    if graph.has_loops:
        _add_loops(graph.num_vertices, Rows(graph.indptr, graph.indices), degree)
    roots = sort_by_key(degree).astype(index_type(graph.num_vertices), copy=False)
    return _run_search(graph, roots, None, degree, np.empty_like(roots))[0]
