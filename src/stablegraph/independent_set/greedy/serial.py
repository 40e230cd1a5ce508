"""The serial greedy algorithm on states as rounds.py has them: for leftovers, what must be in, and the order by id."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ...graph import Graph
from ...parallel import kernel, prefetch, rule
from ...parallel.groups import Rows
from ..worklists import PREFETCH_DISTANCE, shares
from .order import IN, OUT

_STEP = 1 << 26  # vertices and entries of one call: bounds the latency of Ctrl-C
_SHORT_ROW = 24  # bytes; where rows are no longer on average, in order of ids, the processor prefetches by itself


@kernel(by="single", types="V[] O[] V[] uint8[]")
def _greedy(vertices, rows: Rows, state):
    """The serial greedy algorithm on undecided vertices that come in order."""
    for i in range(vertices.size):
        _visit(vertices[i], rows, state)


@kernel(by="single", types="int int int O[] V[] uint8[]")
def _greedy_by_id(start, end, distance, rows: Rows, state):
    """The serial greedy algorithm on a range of vertices, in the order of their ids."""
    for v in range(start, end):
        if distance:
            prefetch(rows.indices, rows.indptr[min(v + distance, end)])
        _visit(v, rows, state)


@rule
def _visit(v, rows, state):
    """If v is not out, it joins, and its neighbors are out."""
    if state[v] != OUT:
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            state[rows.indices[e]] = OUT
        state[v] = IN


def visit(graph: Graph, vertices: Any, state: Any) -> None:
    """Visit vertices in the order in which they come: each joins that is not out, and its neighbors are out.

    In calls of some `_STEP` vertices and entries, where rows are of average length.
    """
    rows = Rows(graph.indptr, graph.indices)
    step = max(1, _STEP * graph.num_vertices // max(1, graph.num_vertices + graph.num_entries))
    for start in range(0, vertices.size, step):
        _greedy(vertices[start : start + step], rows, state)


def impose(graph: Graph, included: Any, excluded: Any, state: Any) -> None:
    """Put out the vertices that must not be in the set, and put in those that must, with their neighbors out."""
    if excluded.size:
        state[excluded] = OUT
    if included.size:
        state[included] = IN
        visit(graph, included, state)


def visit_by_id(graph: Graph, state: Any) -> None:
    """Visit all vertices in the order of their ids."""
    n = graph.num_vertices
    distance = PREFETCH_DISTANCE if graph.indices.nbytes > _SHORT_ROW * n else 0
    bounds = shares(graph, 1 + (n + graph.num_entries) // _STEP).tolist()
    for start, end in pairwise(bounds):
        _greedy_by_id(start, end, distance, Rows(graph.indptr, graph.indices), state)
