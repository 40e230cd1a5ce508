"""The serial greedy algorithm on the states of rounds.py: for remaining and included vertices, and the order by id."""

from __future__ import annotations

from typing import Any

from ..._core.engines.order import in_turn
from ..._core.runtime import Bytes, Rows
from ...graph import Graph
from ..worklists import PREFETCH_DISTANCE
from .order import IN, OUT

_SHORT_ROW = 24  # bytes; if rows are at most this long on average, hardware prefetching suffices for visits by id


@in_turn(by_id=True)
def _put_in_unless_out(worker, v, rows: Rows, state: Bytes):
    """Put v in and its neighbors out, unless v is out."""
    if state[v] != OUT:
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            state[rows.indices[e]] = OUT
        state[v] = IN
    return True


def visit(graph: Graph, vertices: Any | None, state: Any) -> None:
    """Visit vertices in the given order: put each one in and its neighbors out, unless it is out.

    If `vertices` is None, visit all vertices in the order of their ids.
    """
    distance = PREFETCH_DISTANCE if graph.indices.nbytes > _SHORT_ROW * graph.num_vertices else 0
    _put_in_unless_out(Rows(graph.indptr, graph.indices), vertices, state, distance=distance)


def impose(graph: Graph, included: Any, excluded: Any, state: Any) -> None:
    """Put the excluded vertices out, the included ones in, and the neighbors of the included ones out."""
    if excluded.size:
        state[excluded] = OUT
    if included.size:
        state[included] = IN
        visit(graph, included, state)
