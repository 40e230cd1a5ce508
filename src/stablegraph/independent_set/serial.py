"""The serial greedy algorithm on states as rounds.py has them: for leftovers, what must be in, and the order by id."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..graph import Graph
from ..parallel import at, kernel, prefetch, rule
from .order import IN, OUT
from .rounds import AHEAD_BY, shares

_STEP = 1 << 26  # entries, or vertices, that one thread goes through between two chances to be interrupted
_SHORT_ROW = 24  # bytes; where rows are no longer on average, in order of ids, the processor asks in time by itself


@kernel(by="single")
def _greedy(vertices, indptr, indices, state):
    """The serial greedy algorithm on undecided vertices that come in order."""
    for i in range(vertices.size):
        _visit(int(vertices[at(i)]), indptr, indices, state)


@kernel(by="single")
def _greedy_by_id(first, beyond, ahead, indptr, indices, state):
    """The serial greedy algorithm on a range of vertices, in the order of their ids."""
    for v in range(first, beyond):
        if ahead:
            prefetch(indices, int(indptr[at(min(v + ahead, beyond))]))
        _visit(v, indptr, indices, state)


@rule
def _visit(v, indptr, indices, state):
    if state[at(v)] != OUT:
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            state[at(indices[at(e)])] = OUT
        state[at(v)] = IN


def visit(graph: Graph, vertices: Any, state: Any) -> None:
    """Visit vertices in the order in which they come: each joins that is not out, and its neighbours are out.

    In calls of some `_STEP` vertices and entries, where rows are of average length.
    """
    step = max(1, _STEP * graph.num_vertices // max(1, graph.num_vertices + graph.num_entries))
    for first in range(0, vertices.size, step):
        _greedy(vertices[first : first + step], graph.indptr, graph.indices, state)


def impose(graph: Graph, included: Any, excluded: Any, state: Any) -> None:
    """Put out the vertices that must not be in the set, and put in those that must, with their neighbours out."""
    if excluded.size:
        state[excluded] = OUT
    if included.size:
        state[included] = IN
        visit(graph, included, state)


def visit_by_id(graph: Graph, state: Any) -> None:
    """Visit all vertices in the order of their ids."""
    n = graph.num_vertices
    ahead = AHEAD_BY if graph.indices.nbytes > _SHORT_ROW * n else 0
    steps = shares(graph, 1 + (n + graph.num_entries) // _STEP).tolist()
    for first, beyond in pairwise(steps):
        _greedy_by_id(first, beyond, ahead, graph.indptr, graph.indices, state)
