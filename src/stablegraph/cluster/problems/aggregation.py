"""Aggregates around independent sets at distance 2, in partitions.

Result: the labels of coarsening/aggregation.py, for "mis2" and "kokkos".

Rule: that of coarsening/aggregation.py. In the code: `_select_second_roots` and `_join_most_linked` run its kernels on
the vertices of a partition.

Idea: each vertex stores the number and the size of its aggregate. A root sends both to its neighbors. A vertex that
joins an aggregate also sends both. The phases of the single-machine algorithm thus take six rounds, in addition to
those of the two sets.

State: for each vertex of the partition its aggregate, or `FREE` for none, and the number of vertices in the aggregate.

Cost: the rounds of two sets at distance 2, and six more; 16 bytes for each boundary vertex. Work memory: 40 bytes per
vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.csr.build import build_rows
from ..._core.runtime import Bools, Int64s, Rows, kernel, worker_count
from ...coarsening.aggregation import FREE, MAX_COUNTERS, Aggregates, has_enough, join_most_linked, moves
from ..graph import DistributedGraph
from ..messages import messages_named, pack_boundary_updates, updated_ghosts, with_ghost_fields
from ..partition import Partition
from ..supersteps import Supersteps, merge_stats
from ..workers import gather
from .components import starts_of
from .distant_sets import mask_pieces


class _Joined(NamedTuple):
    labels: Int64s  # (k,)
    sizes: Int64s  # (k,): of each vertex's aggregate
    second: Bools  # (k,): the roots of the second phase


@kernel(by="edges", V="int32", O="int32")
def _join_root(v, rows: Rows, roots: Bools, labels: Int64s, sizes: Int64s, free: Bools):
    """Let a free vertex next to a root join it; no vertex is next to two roots."""
    if free[v]:
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            if roots[u]:
                labels[v] = labels[u]
                sizes[v] = sizes[u]


@kernel(types="int64[] int bool[] int32[]", V="int32", O="int32")
def _move_to_second(i, candidates, first_label, rows: Rows, second, aggregates: Aggregates, after):
    """Move a vertex of the first phase to an adjacent root of the second one, if `moves` prefers that aggregate."""
    v = candidates[i]
    label = aggregates.labels[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if second[u] and label < first_label and moves(v, u, label, aggregates.labels[u], rows, aggregates):
            after[v] = aggregates.labels[u]


def aggregate(graph: DistributedGraph, algorithm: str, priority: str) -> tuple[tuple[int, Any], dict[str, Any]]:
    """Compute `stablegraph.aggregate` for a graph in partitions: the count, labels as a Dask array; statistics."""
    kokkos = algorithm == "kokkos"
    run, sets = Supersteps(graph, "aggregate"), [Supersteps(graph, "mis2") for _ in range(2)]
    roots = mask_pieces(sets[0], priority, 0)
    firsts = starts_of(gather(graph.client, graph.map_futures(roots, np.count_nonzero)))
    run.step(_number_first_roots, firsts, each=roots)
    run.step(_join_first_roots)
    free = run.answers(_are_free)
    counts = run.step(_select_second_roots, each=mask_pieces(sets[1], priority, 0, free, induced=not kokkos))
    seconds = starts_of(counts, firsts[-1])
    run.step(_number_second_roots, seconds)
    run.step(_join_second_roots)
    run.step(_join_most_linked, kokkos, firsts[-1])
    labels = graph.labels_array(run.answers(_labels))
    return (seconds[-1], labels), merge_stats([one.info for one in (run, *sets)])


def _pack_aggregates(part: Partition, changed: Any, labels: Any, sizes: Any) -> dict[str, Any]:
    return {
        "labels": pack_boundary_updates(part, changed, labels),
        "sizes": pack_boundary_updates(part, changed, sizes),
    }


def _with_ghost_aggregates(part: Partition, state: _Joined, inbox: Any) -> tuple[_Joined, Any]:
    """Update the state with the neighbors' messages; return it, and the ghosts with new values."""
    state = with_ghost_fields(part, state, inbox, "labels", "sizes")
    return state, updated_ghosts(part, messages_named(inbox, "labels"))


def _number_first_roots(part: Partition, state: Any, inbox: Any, firsts: list[int], mask: Any) -> Any:
    """Number the roots of the first phase, which take all of their neighbors."""
    roots = part.with_owned(np.asarray(mask), False)
    labels, sizes = np.full(part.size, FREE, np.int64), np.zeros(part.size, np.int64)
    labels[roots] = firsts[part.number] + np.arange(np.count_nonzero(roots))
    sizes[roots] = part.degrees[roots] + 1
    return _Joined(labels, sizes, np.zeros(part.size, bool)), _pack_aggregates(part, roots, labels, sizes), None


def _with_joined(part: Partition, state: _Joined, inbox: Any, roots: Any) -> tuple[_Joined, Any]:
    """Let free vertices next to roots join them; return the state, and a mask of the vertices that joined."""
    state, ghosts = _with_ghost_aggregates(part, state, inbox)
    roots[ghosts] = True
    free = state.labels == FREE
    _join_root(part.size, part.rows, roots, state.labels, state.sizes, free)
    return state, free & (state.labels != FREE)


def _join_first_roots(part: Partition, state: _Joined, inbox: Any) -> Any:
    roots = state.labels != FREE
    state, joined = _with_joined(part, state, inbox, roots)
    return state, _pack_aggregates(part, joined, state.labels, state.sizes), None


def _are_free(part: Partition, state: _Joined) -> Any:
    return state.labels[part.owned] == FREE


def _select_second_roots(part: Partition, state: _Joined, inbox: Any, mask: Any) -> Any:
    """Select the roots of the second phase: the members of the set that have enough free neighbors."""
    state, _ = _with_ghost_aggregates(part, state, inbox)
    candidates = np.flatnonzero(mask) + part.owned.start
    enough = np.empty(candidates.size, bool)
    has_enough(candidates.size, candidates, _simple_rows(part), state.labels, enough)
    second = np.zeros(part.size, bool)
    second[candidates[enough]] = True
    return state._replace(second=second), None, int(np.count_nonzero(enough))


def _simple_rows(part: Partition) -> Rows:
    """Return the rows without repeated entries."""
    graph = part.graph
    if not graph.has_duplicates:
        return part.rows
    built = build_rows(graph._rows(), graph.indices, part.size)
    return Rows(built.indptr, built.indices)


def _number_second_roots(part: Partition, state: _Joined, inbox: Any, firsts: list[int]) -> Any:
    labels, sizes = state.labels.copy(), state.sizes.copy()
    roots, rows = np.flatnonzero(state.second), _simple_rows(part)
    for v in roots:
        around = rows.indices[rows.indptr[v] : rows.indptr[v + 1]]
        sizes[v] = 1 + np.count_nonzero((state.labels[around] == FREE) & (around != v))
    labels[roots] = firsts[part.number] + np.arange(roots.size)
    return state._replace(labels=labels, sizes=sizes), _pack_aggregates(part, state.second, labels, sizes), None


def _join_second_roots(part: Partition, state: _Joined, inbox: Any) -> Any:
    second = state.second.copy()
    state, joined = _with_joined(part, state, inbox, second)
    return state._replace(second=second), _pack_aggregates(part, joined, state.labels, state.sizes), None


def _join_most_linked(part: Partition, state: _Joined, inbox: Any, kokkos: bool, first_label: int) -> Any:
    """Let each remaining vertex join the aggregate of most of its neighbors; with `kokkos` some other vertices move."""
    state, _ = _with_ghost_aggregates(part, state, inbox)
    # Renumber the local aggregates from 0 on, in the same order, so that counters are small.
    known, places, numbers = np.unique(state.labels, return_index=True, return_inverse=True)
    free = int(known.size > 0 and known[0] == FREE)
    labels: Any = (numbers - free).astype(index_type(part.size))
    sizes = state.sizes[places[free:]].astype(labels.dtype)
    aggregates, rows, owned = Aggregates(labels, sizes), _simple_rows(part), ~part.ghosts()
    after, remaining = labels.copy(), np.flatnonzero(owned & (labels == FREE))
    if kokkos:
        candidates = np.flatnonzero(owned & (labels != FREE))
        boundary = int(np.searchsorted(known[free:], first_label))
        _move_to_second(candidates.size, candidates, boundary, rows, state.second, aggregates, after)
    workers = min(worker_count("cpu", int(remaining.size)), 1 + MAX_COUNTERS // max(1, sizes.size))
    counters = np.zeros((workers, sizes.size + 1), labels.dtype)
    join_most_linked(workers, remaining, kokkos, rows, aggregates, counters, after)
    return state._replace(labels=known[free:][after] if sizes.size else state.labels), None, None


def _labels(part: Partition, state: _Joined) -> Any:
    return state.labels[part.owned].astype(index_type(part.num_vertices))
