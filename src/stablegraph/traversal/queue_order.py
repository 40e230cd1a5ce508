"""Breadth first in the order of a queue, which is SciPy's; and the order of Cuthill and McKee, by the same kernel.

Result: the vertices in the order in which a queue takes them up, and for each the vertex that did it. Both are
functions of the rows alone, in the order in which these are stored.

Rule: the queue begins with the first root; whenever it has run out, the first root follows that has not been in it. A
vertex v that is taken out of it appends the vertices of its row that have not been in it,

    in the order of the row                               for a search,
    by ascending degree, equal ones in the row's order    for Cuthill and McKee, from the vertices by degree as roots,

where degree(v) = the number of other neighbors, and 2 more for a loop. The oracles are SciPy's functions. In the code:
`_visit`.

Idea: what comes next depends on all that came before, so one thread does it; `breadth_first.py`, which promises less of
the order, has the search for all threads. A vertex is sorted among those only that one row has appended with it: n
vertices in all, where sorting rows would take all entries. It is a merge sort, so hubs cost no more than others.

State: `parent`, -1 for what has not been in the queue; a root is its own parent. The queue is never emptied: what has
been taken out of it is the result. Where the search stands is in `progress`, by the names below.

Cost: each entry is read once, and O(n log n) for the sorting. Work memory: Cuthill and McKee take three numbers a
vertex beside the result, searches none.

Source: E. Cuthill, J. McKee, "Reducing the Bandwidth of Sparse Symmetric Matrices", ACM '69.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..csr.arrays import index_type
from ..graph import Graph
from ..parallel import kernel, prefetch, rule
from ..parallel.groups import Rows
from ..parallel.primitives import sort_by_key

_ROOT, _HEAD, _TAIL = range(3)  # what is in `progress`
_BUDGET = 1 << 24  # vertices and entries of one call: bounds the latency of Ctrl-C
_PREFETCH_DISTANCE = 8  # vertices of the queue


class Search(NamedTuple):
    """What a search writes, and what it sorts by."""

    progress: Any  # (3,): where it stands
    parent: Any  # (n,): -1 for a vertex that has not been in the queue
    queue: Any  # (n,)
    degree: Any  # (n,); empty if nothing is to be sorted
    spare: Any  # as long: where runs are merged


@rule
def _append_row(v, rows, search, tail):
    """Append what is in v's row and has not been in the queue; the new end of the queue."""
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if search.parent[u] < 0:
            search.parent[u] = v
            search.queue[tail] = u
            tail += 1
    return tail


@rule
def _sort_by_degree(start, end, search):
    """Sort a part of the queue by merging runs of 1, 2, 4, .. vertices; equal degrees stay in their order."""
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


@kernel(by="single", types="int int32[] O[] V[] O[] V[] int64[] int32[] int32[] O[] int32[]")
def _visit(budget, roots, rows: Rows, more: Rows, search: Search):
    """Go on until all roots have been in the queue and it has run out, or the budget is spent.

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


@kernel(by="edges", types="int32[] int32[] int32[]")
def _add_loops(v, rows: Rows, degree):
    """A loop counts twice."""
    looped = False
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        looped |= rows.indices[e] == v
    if looped:
        degree[v] += 2


def _run(graph: Graph, roots: Any, transposed: Graph | None, degree: Any, spare: Any) -> tuple[Any, Any]:
    """(vertices in the order of the queue, parents)."""
    n, id_type = graph.num_vertices, index_type(graph.num_vertices)
    rows = Rows(graph.indptr, graph.indices)
    more = (
        Rows(rows.indptr[:0], rows.indices[:0]) if transposed is None else Rows(transposed.indptr, transposed.indices)
    )
    search = Search(np.zeros(3, np.int64), np.full(n, -1, id_type), np.empty(n, id_type), degree, spare)
    progress = search.progress
    while progress[_HEAD] < progress[_TAIL] or progress[_ROOT] < roots.size:
        _visit(_BUDGET, roots, rows, more, search)
    return search.queue[: progress[_TAIL]], search.parent


def queue_order(graph: Graph, source: int, transposed: Graph | None = None) -> tuple[Any, Any]:
    """The vertices that `source` reaches in the order of the queue, and all parents, -1 for the others.

    With `transposed` arcs are followed in both directions, forward ones first.
    """
    roots: Any = np.array([source], index_type(graph.num_vertices))
    return _run(graph, roots, transposed, np.empty(0, graph.indptr.dtype), roots[:0])


def cuthill_mckee(graph: Graph) -> Any:
    """All vertices, in the order of Cuthill and McKee; of least degrees the smallest vertex begins."""
    degree = graph.degrees.copy()
    if graph.has_loops:
        _add_loops(graph.num_vertices, Rows(graph.indptr, graph.indices), degree)
    roots = sort_by_key(degree).astype(index_type(graph.num_vertices), copy=False)
    return _run(graph, roots, None, degree, np.empty_like(roots))[0]
