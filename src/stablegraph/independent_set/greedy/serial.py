"""The serial greedy algorithm on the states of rounds.py: for remaining and included vertices, and the order by id."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..._core.runtime import Rows, edge_splits, kernel, prefetch, rule
from ...graph import Graph
from ..worklists import PREFETCH_DISTANCE
from .order import IN, OUT

_STEP = 1 << 26  # vertices and entries per call: bounds the latency of Ctrl-C
_SHORT_ROW = 24  # bytes; if rows are at most this long on average, hardware prefetching suffices for visits by id


@kernel(by="single", types="V[] O[] V[] uint8[]")
def _greedy(vertices, rows: Rows, state):
    """Run the serial greedy algorithm on vertices that are sorted by the order."""
    for i in range(vertices.size):
        _put_in_unless_out(vertices[i], rows, state)


@kernel(by="single", types="int int int O[] V[] uint8[]")
def _greedy_by_id(start, end, distance, rows: Rows, state):
    """Run the serial greedy algorithm on a range of vertices, in the order of their ids."""
    for v in range(start, end):
        if distance:
            prefetch(rows.indices, rows.indptr[min(v + distance, end)])
        _put_in_unless_out(v, rows, state)


@rule
def _put_in_unless_out(v, rows, state):
    """Put v in and its neighbors out, unless v is out."""
    if state[v] != OUT:
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            state[rows.indices[e]] = OUT
        state[v] = IN


def visit(graph: Graph, vertices: Any, state: Any) -> None:
    """Visit vertices in the given order: put each one in and its neighbors out, unless it is out.

    Each kernel call processes about `_STEP` vertices and entries if the rows have average length.
    """
    rows = Rows(graph.indptr, graph.indices)
    step = max(1, _STEP * graph.num_vertices // max(1, graph.num_vertices + graph.num_entries))
    for start in range(0, vertices.size, step):
        _greedy(vertices[start : start + step], rows, state)


def impose(graph: Graph, included: Any, excluded: Any, state: Any) -> None:
    """Put the excluded vertices out, the included ones in, and the neighbors of the included ones out."""
    if excluded.size:
        state[excluded] = OUT
    if included.size:
        state[included] = IN
        visit(graph, included, state)


def visit_by_id(graph: Graph, state: Any) -> None:
    """Visit all vertices in the order of their ids."""
    n = graph.num_vertices
    distance = PREFETCH_DISTANCE if graph.indices.nbytes > _SHORT_ROW * n else 0
    bounds = edge_splits(graph.indptr, 1 + (n + graph.num_entries) // _STEP).tolist()
    for start, end in pairwise(bounds):
        _greedy_by_id(start, end, distance, Rows(graph.indptr, graph.indices), state)
