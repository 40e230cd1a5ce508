"""Breadth-first search in SciPy's queue order, and the Cuthill-McKee order: two rules of one engine.

Result: the vertices in the order in which they enter a queue, and for each vertex the one that appended it. Both depend
only on the rows, in the order in which these are stored.

Rule: the queue begins with the first root. Whenever it runs empty, the first root that has not been in it is appended.
A vertex v that is taken from the queue appends those vertices of its row that have not been in it,

    in the order of the row                               for a search,
    by ascending degree, equal ones in the row's order    for Cuthill-McKee, with the vertices by degree as roots,

where degree(v) = the number of other neighbors, plus 2 for a loop. The oracles are SciPy's functions. In the code:
`_append_rows` and `_append_by_degree`.

Idea: each step depends on all previous steps, so one thread does the work. `breadth_first.py`, which guarantees less
about the order, has the search for all threads. A vertex is sorted only among those that were appended with it from one
row. This sorts n vertices in total, whereas sorting the rows would sort all entries. The merge sort has no slow case
for hubs.

State: `parent`, -1 for a vertex that has not been in the queue; a root is its own parent. Vertices that are taken from
the queue stay in the array, which becomes the result.

Cost: each entry is read once, and O(n log n) for sorting. Work memory: Cuthill-McKee takes three numbers per vertex in
addition to the result, searches none.

Source: E. Cuthill, J. McKee, "Reducing the Bandwidth of Sparse Symmetric Matrices", ACM '69.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.engines.frontier import in_queue
from .._core.runtime import Int32s, Offsets, Rows, Vertices, kernel, rule
from .._core.runtime.primitives import sort_by_key
from ..graph import Graph


class Search(NamedTuple):
    """The parents, and a second row of each vertex, or none."""

    parent: Vertices  # (n,): -1 for a vertex that has not been in the queue
    indptr: Offsets  # (n + 1,), or empty
    indices: Vertices


class Sorting(NamedTuple):
    """The parents, and the arrays for sorting."""

    parent: Vertices
    degree: Offsets  # (n,)
    spare: Vertices  # (n,): the output of merges


@rule
def _root_itself(v, state):
    """Make a vertex a root unless it has been in the queue."""
    is_new = state.parent[v] < 0
    if is_new:
        state.parent[v] = v
    return is_new


@rule
def _append_row(v, tail, indptr, indices, queue, parent):
    """Append the vertices of v's row that have not been in the queue; return the new end of the queue."""
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        if parent[u] < 0:
            parent[u] = v
            queue[tail] = u
            tail += 1
    return tail


@in_queue(make_root=_root_itself)
def _append_rows(v, first, tail, rows: Rows, queue, state: Search):
    """Append the vertices of v's rows in their order."""
    tail = _append_row(v, tail, rows.indptr, rows.indices, queue, state.parent)
    if state.indptr.size > 0:
        tail = _append_row(v, tail, state.indptr, state.indices, queue, state.parent)
    return tail


@rule
def _sort_by_degree(start, end, degree, queue, spare):
    """Sort a part of the queue by merging runs of 1, 2, 4, .. vertices; equal degrees keep their order."""
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


@in_queue(make_root=_root_itself)
def _append_by_degree(v, first, tail, rows: Rows, queue, state: Sorting):
    """Append the vertices of v's row by ascending degree."""
    end = _append_row(v, tail, rows.indptr, rows.indices, queue, state.parent)
    _sort_by_degree(tail, end, state.degree, queue, state.spare)
    return end


@kernel(by="edges", V="int32", O="int32")
def _add_loops(v, rows: Rows, degree: Int32s):
    """Add 2 to the degree of a vertex with a loop."""
    looped = False
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        looped |= rows.indices[e] == v
    if looped:
        degree[v] += 2


def queue_order(graph: Graph, source: int, transposed: Graph | None = None) -> tuple[Any, Any]:
    """Return the vertices that the source reaches in the order of the queue, and all parents, -1 for other vertices.

    With `transposed`, arcs are followed in both directions, forward ones first.
    """
    root, parent = np.array([source], graph.indices.dtype), np.full(graph.num_vertices, -1, graph.indices.dtype)
    second = (graph.indptr[:0], graph.indices[:0]) if transposed is None else (transposed.indptr, transposed.indices)
    return _append_rows(Rows(graph.indptr, graph.indices), root, Search(parent, *second)), parent


def cuthill_mckee(graph: Graph) -> Any:
    """Return all vertices in the Cuthill-McKee order; it begins with the smallest of the vertices of lowest degree."""
    rows, degree = Rows(graph.indptr, graph.indices), graph.degrees.copy()
    if graph.has_loops:
        _add_loops(graph.num_vertices, rows, degree)
    roots = sort_by_key(degree).astype(rows.indices.dtype, copy=False)
    state = Sorting(np.full(roots.size, -1, roots.dtype), degree, np.empty_like(roots))
    return _append_by_degree(rows, roots, state)
