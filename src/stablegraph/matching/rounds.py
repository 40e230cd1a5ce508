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
If a round decides few of them (weights that rise along a path), serial.py finishes the remaining edges.

State: `free` and `best`, see `Pointers`; a vertex without a free neighbor points to itself.

Cost: two to three times the entries are read. Work memory: 9 bytes per vertex, in addition to the result.

Source: R. Preis, "Linear Time 1/2-Approximation Algorithm for Maximum Weighted Matching in General Graphs", STACS 1999;
F. Manne, R. H. Bisseling, "A Parallel Approximation Algorithm for the Weighted Maximum Matching Problem", PPAM 2007.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import (
    Bytes,
    Int32s,
    Int64s,
    Rows,
    chunk_bounds,
    edge_splits,
    kernel,
    prefetch,
    rule,
    with_gpu_form,
    worker_count,
)
from .._core.runtime.device import array_module, device_of
from .._core.runtime.primitives import compact
from ..forest.weights import Weights
from ..graph import Graph
from ..independent_set.worklists import LINE, PREFETCH_DISTANCE, Worklists, listed, no_counts, workers_for
from . import serial
from .cuda import rounds as rounds_cuda
from .rules import first_by_hash, first_by_weight

_ROWS_PREFETCH_DISTANCE = 8  # prefetch distance of rows, in vertices with stale pointers
_SERIAL_BELOW_VERTICES = 4096  # with at most this number of undecided vertices, one worker continues


class Pointers(NamedTuple):
    """The state of all vertices."""

    free: Bytes  # (n,): 1 if the vertex is undecided, 0 if it is matched or has no free neighbor
    best: Int32s  # (n,): the neighbor to which the vertex points; its partner after it is matched


@rule
def _first(v, rows, weights, free, seed):
    """Return the first free neighbor of v, or v."""
    if weights.bits.size:
        return first_by_weight(v, rows, weights, free, seed)
    return first_by_hash(v, rows, free, seed)


@kernel(by="workers", types="O[] V[] T[] int int int64[] int32[] int64[] int uint8[] uint8[] int32[]", T="int32 int64")
def _begin(worker, workers, rows: Rows, weights: Weights, lists: Worklists, seed, everything, pointers: Pointers):
    """List all vertices of a worker's share and set their pointers; `everything` is empty: all vertices are free."""
    start, end = lists.bounds[worker], lists.bounds[worker + 1]
    for v in range(start, end):
        lists.undecided[v] = v
        pointers.free[v] = 1
        pointers.best[v] = _first(v, rows, weights, everything, seed)
    lists.counts[worker * LINE] = end - start


@kernel(by="workers", types="O[] V[] T[] int int int64[] int32[] int64[] int uint8[] int32[] int32[]", T="int32 int64")
def _point(worker, workers, rows: Rows, weights: Weights, lists: Worklists, seed, pointers: Pointers, stale):
    """Renew the stale pointers among a worker's undecided vertices; `stale` has room for a list of these."""
    free, best = pointers
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
        best[v] = _first(v, rows, weights, free, seed)


@kernel(by="workers", V="int32")
def _settle(worker, workers, lists: Worklists, pointers: Pointers):
    """Decide a worker's vertices with mutual pointers, also to themselves, and pack the list of the other ones."""
    free, best = pointers
    start, end = listed(worker, lists)
    k = start
    for i in range(start, end):
        v = lists.undecided[i]
        prefetch(best, best[lists.undecided[min(i + PREFETCH_DISTANCE, end - 1)]])
        is_decided = best[best[v]] == v
        free[v] = int(not is_decided)
        lists.undecided[k] = v
        k += int(not is_decided)
    lists.counts[worker * LINE] = k - start


@with_gpu_form(rounds_cuda.find_partners)
def find_partners(graph: Graph, weights: Weights | None, seed: int) -> tuple[Any, list[int]]:
    """Return the partner of each vertex, or the vertex itself, and the number of undecided vertices after each round.

    With weights, a graph without repeated entries is expected.
    """
    xp, n, rows = graph.xp, graph.num_vertices, Rows(graph.indptr, graph.indices)
    if weights is None:
        weights = Weights(xp.empty(0, np.int32), 0, 0)
    pointers = Pointers(xp.empty(n, np.uint8), xp.empty(n, np.int32))
    workers, stale = workers_for(graph), xp.empty(n, np.int32)
    lists = Worklists(edge_splits(graph.indptr, workers), xp.empty(n, np.int32), no_counts(graph, workers))
    _begin(workers, rows, weights, lists, seed, pointers.free[:0], pointers)
    _settle(workers, lists, pointers)
    undecided = [n, int(lists.counts.sum())]
    while undecided[-1] and not serial.is_due(undecided):
        if undecided[-1] <= _SERIAL_BELOW_VERTICES and workers > 1:
            lists, workers = _on_one_worker(lists), 1
        _point(workers, rows, weights, lists, seed, pointers, stale)
        _settle(workers, lists, pointers)
        undecided.append(int(lists.counts.sum()))
    if undecided[-1]:
        serial.finish(graph, weights, compact(pointers.free).astype(np.int32), *pointers, seed)
    return pointers.best, undecided


def _on_one_worker(lists: Worklists) -> Worklists:
    """Return worklists with all undecided vertices for one worker."""
    starts, lengths = lists.bounds[:-1].tolist(), lists.counts[::LINE].tolist()
    vertices = np.concatenate([lists.undecided[s : s + k] for s, k in zip(starts, lengths, strict=True)])
    counts = np.zeros(LINE, np.int64)
    counts[0] = vertices.size
    return Worklists(np.array([0, vertices.size]), vertices, counts)


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


@with_gpu_form(rounds_cuda.mark_alone)
def mark_alone(partners: Any) -> int:
    """Replace the partner of each vertex that is its own partner by -1, in place; return the number of these."""
    device = device_of(partners)
    counts = array_module(device).empty(worker_count(device, partners.size), np.int64)
    _mark_alone(counts.size, partners, counts)
    return int(counts.sum())
