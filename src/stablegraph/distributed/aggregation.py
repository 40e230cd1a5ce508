"""Aggregates around independent sets at distance 2, in partitions.

Result: the labels of coarsening/aggregation.py, for "mis2" and "kokkos".

Rule: as there. In the code: `_second` and `_last` run its kernels on the vertices of a partition.

Idea: a root knows its own number, its size and, once the boundary has told these, so does each neighbor: what a vertex
knows of its aggregate, number and size, it tells itself. So the phases of one machine are six rounds, beside those of
the two sets.

State: the aggregate of each vertex here, `FREE` for none, and how many vertices that has.

Cost: the rounds of two sets at distance 2, and six; 16 bytes for each boundary vertex. Work memory: 40 bytes a vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._arguments import choice
from ..coarsening.aggregation import FREE, MOST_COUNTERS, Aggregates, has_enough, join_most_linked, moves
from ..csr.arrays import index_type
from ..csr.build import build_rows
from ..parallel import kernel, worker_count
from ..parallel.groups import Rows
from .at_two import mask_pieces
from .boxes import ghosts_told, hear, tell
from .graph import DistributedGraph
from .partition import Partition
from .supersteps import Supersteps, of_several
from .workers import gather


class _State(NamedTuple):
    labels: Any  # int64 (k,)
    sizes: Any  # int64 (k,): of each vertex's aggregate
    second: Any  # bool (k,): the roots of the second phase


@kernel(by="edges", types="int32[] int32[] bool[] int64[] int64[] bool[]")
def _take(v, rows: Rows, roots, labels, sizes, free):
    """A free vertex beside a root joins it; no vertex is beside two."""
    if free[v]:
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            if roots[u]:
                labels[v] = labels[u]
                sizes[v] = sizes[u]


@kernel(types="int64[] int int32[] int32[] bool[] int32[] int32[] int32[]")
def _move_to_second(i, candidates, first_label, rows: Rows, second, aggregates: Aggregates, after):
    """A vertex of the first phase beside a root of the second one moves there, if that is worth more to it."""
    v = candidates[i]
    here = aggregates.labels[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if second[u] and here < first_label and moves(v, u, here, aggregates.labels[u], rows, aggregates):
            after[v] = aggregates.labels[u]


def aggregate(
    graph: DistributedGraph, *, algorithm: str = "mis2", strength: Any = None, return_info: bool = False
) -> tuple[Any, ...]:
    """`stablegraph.aggregate` for a graph in partitions: the count, and the labels as a Dask array."""
    where = " for a graph in partitions"
    choice(algorithm, "algorithm", ["mis2", "kokkos"], where=where)
    if strength is not None:
        raise ValueError(f"there is no strength{where}")
    kokkos = algorithm == "kokkos"
    run, sets = Supersteps(graph, "aggregate"), [Supersteps(graph, "mis2") for _ in range(2)]
    roots = mask_pieces(sets[0], "random", 0)
    firsts = _firsts(0, gather(graph.client, graph.each_of(roots, _count)))
    run.step(_number_first, firsts, each=roots)
    run.step(_first)
    free = run.answers(_are_free)
    counts = run.step(_second, each=mask_pieces(sets[1], "random", 0, free, induced=not kokkos))
    seconds = _firsts(firsts[-1], counts)
    run.step(_number_second, seconds)
    run.step(_join_second)
    run.step(_last, kokkos, firsts[-1])
    labels = graph.labels_array(run.answers(_labels))
    info = of_several([one.info for one in (run, *sets)])
    return (seconds[-1], labels, info) if return_info else (seconds[-1], labels)


def _firsts(before: int, counts: list[int]) -> list[int]:
    """Where the numbers of each partition's roots begin, and where the last ones end."""
    firsts: list[int] = (before + np.concatenate([[0], np.cumsum(counts)])).astype(np.int64).tolist()
    return firsts


def _count(mask: Any) -> int:
    return int(np.count_nonzero(mask))


def _told(part: Partition, changed: Any, labels: Any, sizes: Any) -> dict[str, Any]:
    return {"labels": tell(part, changed, labels), "sizes": tell(part, changed, sizes)}


def _heard(part: Partition, state: _State, inbox: Any) -> tuple[_State, Any]:
    """The state with what neighbors have told, and the ghosts they told of."""
    labels, sizes = state.labels.copy(), state.sizes.copy()
    told = {q: box["labels"] for q, box in inbox.items()}
    hear(part, told, labels)
    hear(part, {q: box["sizes"] for q, box in inbox.items()}, sizes)
    return state._replace(labels=labels, sizes=sizes), ghosts_told(part, told)


def _number_first(part: Partition, state: Any, inbox: Any, firsts: list[int], mask: Any) -> Any:
    """Roots of the first phase take their neighbors, all of them."""
    roots = part.with_owned(np.asarray(mask), False)
    labels, sizes = np.full(part.size, FREE, np.int64), np.zeros(part.size, np.int64)
    labels[roots] = firsts[part.number] + np.arange(np.count_nonzero(roots))
    sizes[roots] = part.degrees[roots] + 1
    return _State(labels, sizes, np.zeros(part.size, bool)), _told(part, roots, labels, sizes), None


def _joined(part: Partition, state: _State, inbox: Any, roots: Any) -> tuple[_State, Any]:
    """The state in which free vertices beside roots have joined these, and who did."""
    state, ghosts = _heard(part, state, inbox)
    roots[ghosts] = True
    free = state.labels == FREE
    _take(part.size, part.rows, roots, state.labels, state.sizes, free)
    return state, free & (state.labels != FREE)


def _first(part: Partition, state: _State, inbox: Any) -> Any:
    roots = state.labels != FREE
    state, joined = _joined(part, state, inbox, roots)
    return state, _told(part, joined, state.labels, state.sizes), None


def _are_free(part: Partition, state: _State) -> Any:
    return state.labels[part.owned] == FREE


def _second(part: Partition, state: _State, inbox: Any, mask: Any) -> Any:
    """The roots of the second phase are those of the set that have enough free neighbors."""
    state, _ = _heard(part, state, inbox)
    candidates = np.flatnonzero(mask) + part.owned.start
    enough = np.empty(candidates.size, bool)
    has_enough(candidates.size, candidates, _simple_rows(part), state.labels, enough)
    second = np.zeros(part.size, bool)
    second[candidates[enough]] = True
    return state._replace(second=second), None, int(np.count_nonzero(enough))


def _simple_rows(part: Partition) -> Rows:
    """The rows without repeated entries."""
    graph = part.graph
    if not graph.has_duplicates:
        return part.rows
    built = build_rows(graph._rows(), graph.indices, part.size)
    return Rows(built.indptr, built.indices)


def _number_second(part: Partition, state: _State, inbox: Any, firsts: list[int]) -> Any:
    labels, sizes = state.labels.copy(), state.sizes.copy()
    roots, rows = np.flatnonzero(state.second), _simple_rows(part)
    for v in roots:
        around = rows.indices[rows.indptr[v] : rows.indptr[v + 1]]
        sizes[v] = 1 + np.count_nonzero((state.labels[around] == FREE) & (around != v))
    labels[roots] = firsts[part.number] + np.arange(roots.size)
    return state._replace(labels=labels, sizes=sizes), _told(part, state.second, labels, sizes), None


def _join_second(part: Partition, state: _State, inbox: Any) -> Any:
    second = state.second.copy()
    state, joined = _joined(part, state, inbox, second)
    return state._replace(second=second), _told(part, joined, state.labels, state.sizes), None


def _last(part: Partition, state: _State, inbox: Any, kokkos: bool, first_label: int) -> Any:
    """Vertices that are left join the aggregate with most of their neighbors; with `kokkos` some others move."""
    state, _ = _heard(part, state, inbox)
    # Numbers as small as there are aggregates here, in the same order, for counters.
    known, places, numbers = np.unique(state.labels, return_index=True, return_inverse=True)
    free = int(known.size > 0 and known[0] == FREE)
    labels: Any = (numbers - free).astype(index_type(part.size))
    sizes = state.sizes[places[free:]].astype(labels.dtype)
    aggregates, rows, own = Aggregates(labels, sizes), _simple_rows(part), ~part.ghosts()
    after, left = labels.copy(), np.flatnonzero(own & (labels == FREE))
    if kokkos:
        candidates = np.flatnonzero(own & (labels != FREE))
        boundary = int(np.searchsorted(known[free:], first_label))
        _move_to_second(candidates.size, candidates, boundary, rows, state.second, aggregates, after)
    workers = min(worker_count("cpu", int(left.size)), 1 + MOST_COUNTERS // max(1, sizes.size))
    counters = np.zeros((workers, sizes.size + 1), labels.dtype)
    join_most_linked(workers, left, kokkos, rows, aggregates, counters, after)
    return state._replace(labels=known[free:][after] if sizes.size else state.labels), None, None


def _labels(part: Partition, state: _State) -> Any:
    return state.labels[part.owned].astype(index_type(part.num_vertices))
