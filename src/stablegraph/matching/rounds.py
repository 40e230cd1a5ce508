"""Matchings in rounds: every free vertex points to its first edge to a free neighbor, and mutual pointers match.

Result: the matching of the serial greedy algorithm that visits all edges in the order of rules.py and takes an edge
if both of its ends are free. It depends only on the graph, its weights and the seed.

Rule: in each round, every free vertex v has a pointer best(v), the first free neighbor in the order at v, and

    v and u match  <=>  best(v) = u and best(u) = v;    v stays single  <=>  it has no free neighbor

An edge whose ends point to each other is before all edges next to it, so the greedy algorithm takes it, too. The oracle
is `greedy_matching` in tests/support/naive_matchings.py. In the code: the line of `_settle` that sets `is_decided`.

Idea: a pointer changes only when its end is matched. Thus after the first round, which reads all rows, only the rows of
vertices with stale pointers are read again. A round is two passes over the undecided vertices, each of which writes
only to the worker's own vertices: *point* reads which vertices are free, *settle* reads pointers. The first edge of all
remaining ones is mutual, so each round makes progress. With random orders, a round decides about half of the vertices.
If a round decides few of them (weights that rise along a path), one thread in host memory visits the remaining edges in
the order, and takes an edge if both of its ends are free (`_match`): a sort takes less time than many rounds. Edges
without a common end may have the same weight and value; their order does not matter.

State: `free` and `best`, see `Pointers`; a vertex without a free neighbor points to itself.

Cost: two to three times the entries are read; for the remaining edges a sort. Work memory: 9 bytes per vertex, in
addition to the result, and about 60 bytes for each remaining edge.

Source: R. Preis, "Linear Time 1/2-Approximation Algorithm for Maximum Weighted Matching in General Graphs", STACS 1999;
F. Manne, R. H. Bisseling, "A Parallel Approximation Algorithm for the Weighted Maximum Matching Problem", PPAM 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import on_host
from .._core.engines.order import in_turn
from .._core.engines.rounds import PREFETCH_DISTANCE, Rounds, Worklists, has_stalled, listed, run_rounds, visits
from .._core.runtime import (
    ArrayT,
    Bytes,
    Int32s,
    Int32Table,
    Int64s,
    Int64Table,
    Rows,
    chunk_bounds,
    kernel,
    prefetch,
    rule,
    worker_count,
)
from .._core.runtime.device import array_module, device_of
from .._core.runtime.primitives import compact, exclusive_scan
from ..forest.weights import Weights, key_at
from ..graph import Graph
from .rules import first_by_hash, first_by_weight, hash_of

_ROWS_PREFETCH_DISTANCE = 8  # prefetch distance of rows, in vertices with stale pointers
_STALLED = (
    128  # after a round that decides less than 1 / _STALLED of its vertices, one thread visits the remaining edges
)
_SERIAL_BELOW_VERTICES = 4096  # with at most this number of undecided vertices, one worker continues


class Matching(NamedTuple):
    """The order of the edges (forest/weights.py, rules.py), and the state of all vertices."""

    bits: ArrayT  # empty without weights
    flip: int
    bias: int
    seed: int
    free: Bytes  # (n,): 1 if the vertex is undecided, 0 if it is matched or has no free neighbor
    best: Int32s  # (n,): the neighbor to which the vertex points; its partner after it is matched


@rule
def _first(v, rows, matching, free):
    """Return the first free neighbor of v, or v."""
    if matching.bits.size:
        return first_by_weight(v, rows, matching, free, matching.seed)
    return first_by_hash(v, rows, free, matching.seed)


@visits(everywhere=True, types="int64[] int32[] int64[] O[] V[] T[] int int int uint8[] int32[]", T="int32 int64")
def _begin(v, rows: Rows, matching: Matching):
    """List v and set its pointer; all vertices are free."""
    matching.free[v] = 1
    matching.best[v] = _first(v, rows, matching, matching.free[:0])
    return True, 0


@kernel(by="workers", types="O[] V[] T[] int int int uint8[] int32[] int64[] int32[] int64[] int32[]", T="int32 int64")
def _point(worker, workers, rows: Rows, matching: Matching, lists: Worklists, stale):
    """Renew the stale pointers among a worker's undecided vertices; `stale` has room for a list of these."""
    free, best = matching.free, matching.best
    start, end = listed(worker, lists)
    k = start
    for i in range(start, end):
        v = lists.undecided[i]
        prefetch(free, best[lists.undecided[min(i + PREFETCH_DISTANCE, end - 1)]])
        stale[k] = v
        k += int(free[best[v]] == 0)
    for i in range(start, k):
        v = stale[i]
        prefetch(rows.indices, rows.indptr[stale[min(i + _ROWS_PREFETCH_DISTANCE, k - 1)]])
        best[v] = _first(v, rows, matching, free)


@rule
def _fetch_partner(v, free, best):
    """Prefetch the pointer of the vertex to which v points."""
    prefetch(best, best[v])


@visits(fetch=_fetch_partner, V="int32")
def _settle(v, free: Bytes, best: Int32s):
    """Decide v if its pointer is mutual, also to itself."""
    is_decided = best[best[v]] == v
    free[v] = int(not is_decided)
    return not is_decided, 0


# ---- The remaining edges


class Listed(NamedTuple):
    """The listed edges."""

    ends: Int32Table  # (2, edges): the smaller end and the larger one
    keys: Int64Table  # (2, edges): the order of the edges, first by the last row


@rule
def _remains(v, e, rows, matching):
    """Return whether the entry e of row v is an upper entry between two free vertices, with a weight that counts."""
    u = rows.indices[e]
    counts = (matching.bits.size == 0) or key_at(e, matching) <= matching.bias
    return (u > v) & (matching.free[u] == 1) & counts


@kernel(types="int32[] O[] V[] T[] int int int uint8[] int32[] int64[]", T="int32 int64")
def _count_edges(i, vertices, rows: Rows, matching: Matching, counts):
    """Count the remaining edges from a vertex to larger ones."""
    v = vertices[i]
    count = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        count += int(_remains(v, e, rows, matching))
    counts[i] = count


@kernel(types="int32[] O[] V[] T[] int int int uint8[] int32[] int64[] int32[,] int64[,]", T="int32 int64")
def _list_edges(i, vertices, rows: Rows, matching: Matching, starts, edges: Listed):
    """Write the remaining edges from a vertex to larger ones, their weight keys and values."""
    v, seed = vertices[i], matching.seed
    k = starts[i]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        if _remains(v, e, rows, matching):
            u = rows.indices[e]
            edges.ends[0, k], edges.ends[1, k] = v, u
            edges.keys[0, k] = -int(hash_of(u, seed) ^ hash_of(v, seed))
            edges.keys[1, k] = key_at(e, matching) if matching.bits.size else 0
            k += 1


@in_turn()
def _match(worker, edge, ends: Int32Table, best: Int32s):
    """Match the ends of an edge if both are their own partners."""
    u, v = ends[0, edge], ends[1, edge]
    if (best[u] == u) & (best[v] == v):
        best[u] = v
        best[v] = u
    return True


def is_due(undecided: list[int]) -> bool:
    """Return whether the last round decided few vertices, given the numbers before the rounds and after each."""
    return has_stalled(undecided, _STALLED, skipped=0)


def finish(graph: Graph, matching: Matching) -> None:
    """Set the partners of the remaining vertices; those without a partner point to themselves."""
    vertices = compact(matching.free).astype(np.int32)
    match_remaining([vertices], [listed_edges(graph, matching, vertices)], matching.best)


def listed_edges(graph: Graph, matching: Matching, vertices: Any) -> Listed:
    """Return the remaining edges from some vertices to larger ones."""
    xp, rows = graph.xp, Rows(graph.indptr, graph.indices)
    counts = xp.empty(vertices.size, np.int64)
    _count_edges(vertices.size, vertices, rows, matching, counts)
    starts = exclusive_scan(counts)
    size = int(starts[-1])
    edges = Listed(xp.empty((2, size), np.int32), xp.empty((2, size), np.int64))
    _list_edges(vertices.size, vertices, rows, matching, starts, edges)
    return edges


def match_remaining(vertices: Sequence[Any], edges: Sequence[Listed], best: Any) -> None:
    """Set the partners of the remaining vertices, in pieces with their edges; the pieces may be on several GPUs."""
    remaining, partners = np.concatenate([on_host(piece) for piece in vertices]), on_host(best)
    ends, keys = (np.concatenate([on_host(piece[i]) for piece in edges], axis=1) for i in range(2))
    partners[remaining] = remaining
    _match(ends, np.lexsort(keys), partners)
    xp = array_module(device_of(best))
    best[xp.asarray(remaining)] = xp.asarray(partners[remaining])


# ---- The rounds


def find_partners(graph: Graph, weights: Weights | None, seed: int) -> tuple[Any, list[int]]:
    """Return the partner of each vertex, or the vertex itself, and the number of undecided vertices after each round.

    With weights, a graph without repeated entries is expected.
    """
    xp, n, rounds = graph.xp, graph.num_vertices, Rounds(graph, id_type=np.int32)
    if weights is None:
        weights = Weights(xp.empty(0, np.int32), 0, 0)
    free, best, stale = xp.empty(n, np.uint8), xp.empty(n, np.int32), xp.empty(n, np.int32)
    rows, matching = rounds.rows, Matching(*weights, seed, free, best)
    _begin(rounds.workers, rounds.lists, rows, matching)
    _settle(rounds.workers, rounds.lists, free, best)
    undecided = [n, rounds.count()]

    def run_round() -> int:
        if undecided[-1] <= _SERIAL_BELOW_VERTICES and rounds.workers > 1:
            rounds.gather()
        _point(rounds.workers, rows, matching, rounds.lists, stale)
        _settle(rounds.workers, rounds.lists, free, best)
        return rounds.count()

    run_rounds(undecided, run_round, is_last=is_due)
    if undecided[-1]:
        finish(graph, matching)
    return best, undecided


@kernel(by="workers")
def _mark_alone(worker, workers, partners: Int32s, counts: Int64s):
    """Replace the partner of each vertex of a share that is its own partner by -1, and count these vertices."""
    count = 0
    start, end = chunk_bounds(partners.size, worker, workers)
    for v in range(start, end):
        if partners[v] == v:
            partners[v] = -1
            count += 1
    counts[worker] = count


def mark_alone(partners: Any) -> int:
    """Replace the partner of each vertex that is its own partner by -1, in place; return the number of these."""
    device = device_of(partners)
    counts = array_module(device).empty(worker_count(device, partners.size), np.int64)
    _mark_alone(counts.size, partners, counts)
    return int(counts.sum())
