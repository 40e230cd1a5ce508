"""Minimum spanning forests, in partitions.

Result: the forest of minimum_spanning_forest on one machine: edges are ordered by weight, smaller end and larger end.

Rule: an edge is in the forest  <=>  no path of edges before it in the order connects its ends. So an edge that is not
in the forest of some of the edges, among them itself, is not in that of all. In the code: `_inside` and `_merge`.

Idea: each partition finds the forest of the edges that it has, with those to its ghosts. Of these, the edges whose
smaller end is its own are its candidates. Two by two the candidates of partitions are put together, and the forest of
both is what goes on, until there is one. All forests are found by the algorithms of one machine.

Cost: as many rounds as halvings, and two more. An edge between partitions is looked at by both. A candidate takes 16
bytes (24 if ids take 64 bits) for each halving. The last merge has at most two edges for each vertex of the graph:
**one worker must hold these**, with 70 bytes each while it works; `MemoryError` says so before it is begun.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._arguments import boolean, choice
from ..csr.build import build_rows
from ..csr.facts import first_hash, second_hash
from ..csr.merge import merge_duplicates
from ..forest import minimum_spanning_forest as at_home
from ..forest.weights import Weights, checked, hash_of_key, key_at, order_of
from ..graph import Graph
from ..parallel import edge_share, kernel, worker_count, wrapping_add, wrapping_multiply
from ..parallel.groups import Rows
from .graph import DistributedGraph
from .partition import Partition
from .supersteps import Supersteps, run_alone

_BYTES_AN_EDGE = 70  # of a merge
_WIDTH = 8  # of a worker's results: a cache line


@dataclass(frozen=True)
class DistributedForest:
    """The edges of a forest, each once, sorted: Dask arrays with a block for the smaller ends in each partition.

    Attributes
    ----------
    u, v, weights : Dask arrays
        The smaller end, the larger end and the weight of each edge.
    num_vertices : int
        Of the graph.
    pieces : list of futures, or None
        The three of each partition, where `minimum_spanning_forest` has made them; `forest_to_parquet` writes these.

    Examples
    --------
    >>> import stablegraph as sg
    >>> from distributed import Client
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0") as client:
    ...     forest = sg.minimum_spanning_forest(sg.distributed.grid((2, 3), 2))
    ...     print(forest.u.compute(), forest.v.compute(), forest.to_scipy().shape)
    [0 0 1 1 2] [1 3 2 4 5] (6, 6)
    """

    u: Any  # the smaller ends
    v: Any
    weights: Any
    num_vertices: int
    pieces: Any = None

    def to_scipy(self) -> Any:
        """What `stablegraph.minimum_spanning_forest` returns for a Graph: a csr_array in this process."""
        from dask.base import compute

        u, v, weights = compute(self.u, self.v, self.weights)
        shape = (self.num_vertices, self.num_vertices)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=self.num_vertices))]).astype(u.dtype)
        return sp.csr_array((weights, v, indptr), shape=shape)


def minimum_spanning_forest(
    graph: DistributedGraph,
    *,
    algorithm: str = "auto",
    maximum: bool = False,
    symmetrize: bool | str = False,
    return_info: bool = False,
) -> Any:
    """`stablegraph.minimum_spanning_forest` for a graph in partitions: a `DistributedForest`."""
    where = " for a graph in partitions"
    choice(algorithm, "algorithm", ["auto"], where=where)
    if symmetrize:
        raise ValueError(f"there is no symmetrize{where}: from_edges and from_table have it")
    maximum, run = boolean(maximum, "maximum"), Supersteps(graph, "forest")
    counts = run.step(_inside, maximum)
    if sum(directions for _, directions in counts) % 2**63:
        _name_different(graph)
    candidates = min(sum(edges for edges, _ in counts), 2 * graph.num_vertices)
    if graph.num_partitions > 1:
        run.check_one_place(_BYTES_AN_EDGE * candidates, "the candidates for the forest")
    pieces = run.split(run.tree(_merge, maximum), _edges_of)
    sizes = graph.client.gather(graph.each_of(pieces, _size))
    kind = np.dtype(np.int8) if graph.weight_type is None else np.dtype(graph.weight_type)
    kinds = (np.int64, np.int64, np.dtype(np.float32) if kind == np.float16 else kind)
    columns = [graph.each_of(pieces, _column, place) for place in range(3)]
    u, v, weights = (graph._array(column, dtype, sizes) for column, dtype in zip(columns, kinds, strict=True))
    forest = DistributedForest(u, v, weights, graph.num_vertices, pieces)
    return (forest, run.info) if return_info else forest


@kernel(by="workers")
def _hash_edges(worker, workers, rows: Rows, ids, weights: Weights, results):
    """Two sums over the entries (u, v) of a worker's share, one for u < v and one for u > v: equal in all if each edge
    has one weight.
    """
    start, end = edge_share(rows.indptr, rows.indptr.size - 1, worker, workers)
    upper = 0
    lower = 0
    for u in range(start, end):
        for e in range(rows.indptr[u], rows.indptr[u + 1]):
            v = rows.indices[e]
            first, second = first_hash(ids[min(u, v)]), second_hash(first_hash(ids[max(u, v)]))
            hashed = wrapping_multiply(wrapping_multiply(first, second), hash_of_key(key_at(e, weights)))
            if u < v:
                upper = wrapping_add(upper, hashed)
            elif u > v:
                lower = wrapping_add(lower, hashed)
    results[worker, 0] = upper
    results[worker, 1] = lower


def _tidy(part: Partition, maximum: bool) -> Graph:
    """The local graph with names, and the best one of repeated entries; NaN is refused."""
    graph = part.graph._replace(nodes=part.ids)
    if graph.weights is not None and graph.weights.dtype.kind == "f" and np.isnan(graph.weights).any():
        checked(graph._replace(directed=False), False)  # names the entry
    if graph.weights is None or not graph.has_duplicates:
        return graph
    best = merge_duplicates(graph.indptr, graph.indices, graph.weights, "max" if maximum else "min")
    return Graph._trusted(*best, directed=True, nodes=part.ids)


def _inside(part: Partition, state: Any, inbox: Any, maximum: bool) -> Any:
    """The edges of the forest of what a partition has, whose smaller ends are its own."""
    graph, directions = _tidy(part, maximum), 0
    if graph.weights is not None:
        results = np.zeros((worker_count("cpu", graph.num_entries), _WIDTH), np.int64)
        rows = Rows(graph.indptr, graph.indices)
        _hash_edges(results.shape[0], rows, part.ids, order_of(graph, False).weights, results)
        upper, lower = results[:, :2].sum(axis=0).tolist()
        directions = (upper - lower) % 2**63
    u, v, ghost = graph._rows(), graph.indices, part.ghosts()
    once = (u < v) | ghost[v]  # ghosts have no rows
    weights = None if graph.weights is None else graph.weights[once]
    u, v, weights = _forest_of(u[once], v[once], weights, part.size, maximum)
    own = ~ghost[u]
    return None, (part.ids[u[own]], part.ids[v[own]], weights[own]), (int(np.count_nonzero(own)), directions)


def _forest_of(u: Any, v: Any, weights: Any, n: int, maximum: bool) -> tuple[Any, Any, Any]:
    """The edges of a minimum spanning forest, sorted, from smaller to larger ends."""
    rows = build_rows(
        u, v, n, mirror=True, drop_loops=True, drop_duplicates=weights is None, positions=weights is not None
    )
    weights = None if weights is None else weights[rows.positions]
    forest = at_home(Graph._trusted(rows.indptr, rows.indices, weights), maximum=maximum)
    return np.repeat(np.arange(n, dtype=forest.indices.dtype), np.diff(forest.indptr)), forest.indices, forest.data


def _merge(boxes: list[Any], maximum: bool) -> tuple[Any, Any, Any]:
    """The forest of the edges of several forests."""
    u, v, weights = (np.concatenate(column) for column in zip(*boxes, strict=True))
    ids, places = np.unique(np.concatenate([u, v]), return_inverse=True)
    places = places.astype(np.int32 if ids.size < 2**31 else np.int64)
    u, v, weights = _forest_of(places[: u.size], places[u.size :], weights, ids.size, maximum)
    return ids[u], ids[v], weights


def _edges_of(edges: tuple[Any, Any, Any], bounds: Any) -> tuple[Any, Any, Any]:
    """Those whose smaller ends are in a range."""
    a, b = np.searchsorted(edges[0], bounds)
    u, v, weights = edges
    return u[a:b].astype(np.int64), v[a:b].astype(np.int64), weights[a:b]


def _column(edges: tuple[Any, Any, Any], place: int) -> Any:
    return edges[place]


def _size(edges: tuple[Any, Any, Any]) -> int:
    return int(edges[0].size)


def _name_different(graph: DistributedGraph) -> None:
    """Refuse weights of an edge that differ, by its first entry."""
    everyone, submit = range(graph.num_partitions), graph.client.submit
    pieces = [
        [submit(run_alone, _weights_in, part, graph.bounds[q : q + 2], pure=False) for q in everyone]
        for part in graph.parts
    ]
    for k, part in enumerate(graph.parts):
        found = graph.client.gather([submit(run_alone, _first_different, part, [p[k] for p in pieces], pure=False)])[0]
        if found is not None:
            (u, v), (weight, other) = found
            raise ValueError(
                f"entry ({u}, {v}) has weight {weight}, but ({v}, {u}) has {other}; pass symmetrize='min', 'max' "
                "or 'sum'"
            )


def _weights_in(part: Partition, ends: Any) -> tuple[Any, Any, Any]:
    """The entries of a partition with columns in a range."""
    graph = _tidy(part, False)
    rows, columns = part.ids[graph._rows()].astype(np.int64), part.ids[graph.indices].astype(np.int64)
    inside = (columns >= ends[0]) & (columns < ends[1])
    return rows[inside], columns[inside], graph.weights[inside]


def _first_different(part: Partition, pieces: list[Any]) -> Any:
    rows, columns, weights = _weights_in(part, (0, part.num_vertices))
    tails, heads, others = (np.concatenate(column) for column in zip(*pieces, strict=True))
    places = np.lexsort((tails, heads))  # turned round, in the order of the rows here
    different = np.flatnonzero(weights != others[places])
    if not different.size:
        return None
    e = different[0]
    return (int(rows[e]), int(columns[e])), (weights[e], others[places][e])
