"""Balls around the members of an independent set at distance k, and pairs of vertices of one color.

Idea: every member of the set is the owner of a ball of radius r = k // 2 around it. Two members are within distance 2 r
if and only if their balls intersect, and within 2 r + 1 if and only if their balls intersect or are joined by an edge.
Each step of growing the balls is one sweep over the entries, which finds the smallest and the largest owner around each
vertex. The two differ exactly where two balls meet, and they are then the two members to report.

Cost: at most k + (k + 1) // 2 sweeps. Work memory: one number per entry (4 bytes, or 8 from 2**31 vertices on) and
about 40 bytes per vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from .checks import ends_of_entries, first_entry, nearness, vertex, vertices


def two_members_too_near(graph: Graph, members: np.ndarray, k: int) -> str | None:
    """Name two members within distance k of each other; else return None."""
    # The owner -1 ("none") is the smallest signed number, and the largest unsigned number of the same bits. Therefore
    # the signed maximum and the unsigned minimum both ignore vertices without an owner.
    n = graph.num_vertices
    signed, unsigned = (np.int32, np.uint32) if n < 2**31 else (np.int64, np.uint64)
    owner = np.where(members, np.arange(n, dtype=signed), signed(-1))
    for step in range((k + 1) // 2):
        around = _Around(graph, owner)
        largest = around.reduce(np.maximum)
        smallest = around.reduce(np.minimum, unsigned)
        meeting = largest != smallest
        if 2 * (step + 1) > k:  # the last step of an odd k checks only edges between balls
            meeting &= owner >= 0
        culprits = np.flatnonzero(meeting)
        if culprits.size:
            v = culprits[0]
            return f"{vertices(graph, smallest[v], largest[v])} are {nearness(k)} and both in the set"
        if np.array_equal(largest, owner):
            break
        owner = largest
    return None


def within(graph: Graph, members: np.ndarray, k: int) -> np.ndarray:
    """Return a mask of the vertices within distance k of members."""
    reached = members.view(np.uint8)
    for _ in range(k):
        farther = _Around(graph, reached).reduce(np.maximum)
        if np.array_equal(farther, reached):
            break
        reached = farther
    near: np.ndarray = reached != 0
    return near


def vertex_that_could_join(graph: Graph, reached: np.ndarray, excluded: np.ndarray, k: int) -> str | None:
    """Name a vertex that is neither excluded nor reached within distance k; else return None."""
    free = np.flatnonzero(~(reached | excluded))
    if not free.size:
        return None
    nearby = "neighbor" if k == 1 else f"vertex within distance {k}"
    return f"{vertex(graph, free[0])} could join: it is not in the set and has no {nearby} in it"


class _Around:
    """The values of every vertex and its neighbors, for reductions at every vertex."""

    def __init__(self, graph: Graph, values: np.ndarray) -> None:
        indptr = graph.indptr
        self.values = values
        self.rows = np.flatnonzero(indptr[1:] > indptr[:-1])  # reduceat misreads empty rows
        self.starts = indptr[self.rows]
        self.gathered = values[graph.indices]

    def reduce(self, operation: np.ufunc, dtype: Any = None) -> np.ndarray:
        """Apply `operation` to the values of each vertex and its neighbors, with their bits read as `dtype`."""
        dtype = self.values.dtype if dtype is None else dtype
        result = self.values.view(dtype).copy()
        result[self.rows] = operation(result[self.rows], operation.reduceat(self.gathered.view(dtype), self.starts))
        reduced: np.ndarray = result.view(self.values.dtype)
        return reduced


def pair_of_one_color(graph: Graph, colors: Any, distance: int) -> tuple[int, int] | None:
    """Return two vertices of the same color within distance 1 or 2, or None; negative colors are ignored."""

    def clash(u: Any, v: Any) -> Any:
        return (colors[u] == colors[v]) & (u != v) & (colors[u] >= 0)

    if distance == 1:
        return first_entry(graph, clash)
    # The neighbors of a vertex and the vertex itself must all differ.
    rows, columns = ends_of_entries(graph)
    every = np.arange(graph.num_vertices, dtype=columns.dtype)
    rows, columns = np.concatenate([rows, every]), np.concatenate([columns, every])
    order = np.lexsort((columns, colors[columns], rows))
    rows, columns = rows[order], columns[order]
    same_row = rows[1:] == rows[:-1]
    u, v = columns[:-1][same_row], columns[1:][same_row]
    clashes = np.flatnonzero(clash(u, v))
    return (int(u[clashes[0]]), int(v[clashes[0]])) if clashes.size else None
