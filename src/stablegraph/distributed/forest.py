"""Minimum spanning forests, in partitions.

Result: the forest of minimum_spanning_forest on one machine: edges are ordered by weight, smaller end and larger end.

Rule: an edge is in the forest <=> no path of edges before it in the order connects its ends. In the code: `_unite`.

Idea: each partition determines which edges of its range are in the forest for sure, and which other edges may be
(candidates.py). One task, which stores the tree of each vertex, processes the candidates of all partitions in order, in
buckets (edge_buckets.py), and joins trees like Kruskal's algorithm. It returns one bit for each candidate, and the set
of vertices in the largest tree. Partitions no longer send edges inside this tree. On a random graph these are nearly
all edges, once the number of candidates sent is somewhat larger than half the number of vertices.

State: the number of candidates of a partition that have been processed, and which of them are in the forest.

Cost: two rounds; if partitions share edges five, and two for each further bucket. A candidate that is sent takes 12
bytes (24 if numbers take 64 bits), a vertex 4 (8) once, and one bit for each bucket and partition. **One worker must
hold a number for each vertex of the graph**, twice, and about 50 bytes for each edge of a bucket; if this does not fit,
a `MemoryError` is raised before.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._core.converters.matrices import mark_forest
from .._core.csr.arrays import index_type
from .._core.runtime import chunked, kernel
from .._core.runtime.primitives import compact, sort_by_key
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, choice
from ..forest.forest_state import Edges, link_to_root
from ..forest.kruskal import join_in_order
from ..forest.weights import Order, type_of_weights
from .candidates import Candidates, candidates_of
from .checked_weights import check_weights
from .edge_buckets import Buckets, OnePlace, Ordered, Place, columns_of, merged, rank_of, shown, shown_of
from .gather import take
from .graph import DistributedGraph
from .partition import Partition
from .supersteps import Supersteps

_GROWTH = 8  # at most, from a bucket to the next one
_SAMPLES = 4096  # vertices, to estimate which tree is the largest


@dataclass(frozen=True)
class DistributedForest:
    """The edges of a forest, each once, sorted by their ends: Dask arrays with one block for each partition.

    An edge is in the block of the partition that owns its smaller end.

    Attributes
    ----------
    u, v, weights : Dask arrays
        The smaller end, the larger end and the weight of each edge.
    num_vertices : int
        The number of vertices of the graph.
    pieces : list of futures, or None
        The three arrays of each partition, if `minimum_spanning_forest` made the forest; `forest_to_parquet` writes
        these.

    Examples
    --------
    >>> import stablegraph as sg
    >>> from distributed import Client
    >>> with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     forest = sg.minimum_spanning_forest(sg.distributed.grid((2, 3), 2))
    ...     print(forest.u.compute(), forest.v.compute(), forest.to_scipy().shape)
    [0 0 1 1 2] [1 3 2 4 5] (6, 6)
    """

    u: Any  # the smaller ends
    v: Any
    weights: Any
    num_vertices: int
    pieces: Any = None

    @suggests_options
    def to_scipy(self) -> Any:
        """Return the forest as a csr_array in this process, like `stablegraph.minimum_spanning_forest` of a Graph."""
        from dask.base import compute

        u, v, weights = compute(self.u, self.v, self.weights)
        shape = (self.num_vertices, self.num_vertices)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=self.num_vertices))]).astype(u.dtype)
        return mark_forest(sp.csr_array((weights, v, indptr), shape=shape))


def minimum_spanning_forest(
    graph: DistributedGraph,
    *,
    algorithm: str = "auto",
    maximum: bool = False,
    symmetrize: bool | str = False,
    return_info: bool = False,
) -> Any:
    """Compute `stablegraph.minimum_spanning_forest` for a graph in partitions; return a `DistributedForest`."""
    where = " for a graph in partitions"
    choice(algorithm, "algorithm", ["auto"], where=where)
    if symmetrize:
        raise ValueError(f"there is no symmetrize{where}: from_edges and from_table have it")
    maximum = boolean(maximum, "maximum")
    check_weights(graph, maximum)
    run, lists = Supersteps(graph, "forest"), graph.made(candidates_of, maximum)
    counts = run.step(_begin, shown_of(graph.num_partitions), each=lists)
    told, kinds = None, (np.int64, np.int64, type_of_weights(graph.weight_type))
    if sum(size for size, _ in counts):
        told = _join_all(run, lists, Buckets(*map(list, zip(*counts, strict=True))))
    sizes = run.step(_finish, told, kinds[2], each=lists)
    pieces = run.answers(_edges)
    columns = [graph.each_of(pieces, itemgetter(place)) for place in range(3)]
    u, v, weights = (graph._array(column, dtype, sizes) for column, dtype in zip(columns, kinds, strict=True))
    forest = DistributedForest(u, v, weights, graph.num_vertices, pieces)
    return (forest, run.info) if return_info else forest


class _State(NamedTuple):
    """The progress of a partition with its candidates."""

    beyond: int  # the number of candidates that have been processed
    handed: Any  # the places of the candidates that were sent in the last round
    chosen: list[Any]  # the places of the candidates in the forest


class _Told(NamedTuple):
    """The data that partitions receive after a bucket."""

    largest: Any  # bits: the vertices of the largest tree
    chosen: list[Any]  # bits, by partition: which of the candidates that it sent are in the forest


class _Trees(NamedTuple):
    """The state of the task that joins trees."""

    parent: Any  # (n,): leads to the root of each vertex's tree
    told: _Told

    @property
    def nbytes(self) -> int:
        """The number of bytes that are sent."""
        return int(self.told.largest.nbytes + sum(bits.nbytes for bits in self.told.chosen))


def _join_all(run: Supersteps, lists: list[Any], buckets: Buckets) -> Any:
    """Send all candidates bucket by bucket, and join trees by them; return the data after the last bucket."""
    graph = run.graph
    place = OnePlace(run, 2 * np.dtype(index_type(graph.num_vertices)).itemsize + 2)
    trees, last, share = run.run_on_one_worker(_plant, graph.bounds), buckets.next(place.wanted), 1.0
    while True:
        told = graph.each_of([trees], attrgetter("told"))[0]
        counts = run.step(_hand_on, told, last, each=lists, left=_left)
        handed, behind, _ = (sum(column) for column in zip(*counts, strict=True))
        place.check(handed)
        trees = run.run_on_one_worker(_unite, trees, place.at_once)
        if last is None:
            return graph.each_of([trees], attrgetter("told"))[0]
        share = max(handed / max(behind, 1), share / _GROWTH)
        last = buckets.next(place.wanted / share)


def _left(counts: Any) -> int:
    return sum(left for _, _, left in counts)


def _begin(part: Partition, state: Any, inbox: Any, count: int, mine: Candidates) -> Any:
    return _State(0, np.empty(0, np.int64), []), mine.trees, (mine.edges.u.size, shown(mine.edges, count))


@kernel(types="int32[] int32[] uint8[] bool[]")
def _mark_apart(i, us, vs, largest, apart):
    """Mark the i-th edge if one of its ends is outside the largest tree."""
    u = us[i]
    v = vs[i]
    apart[i] = ((largest[u >> 3] >> (u & 7)) & (largest[v >> 3] >> (v & 7)) & 1) == 0


def _hand_on(part: Partition, state: _State, inbox: Any, told: _Told, last: Place | None, mine: Candidates) -> Any:
    """Send the candidates of a bucket, except for those inside the largest tree."""
    state = _heard(part, state, told)
    end = rank_of(mine.edges, last)
    u, v = mine.edges.u[state.beyond : end], mine.edges.v[state.beyond : end]
    apart = np.empty(u.size, bool)
    _mark_apart(u.size, u, v, told.largest, apart)
    handed = compact(apart) + state.beyond
    box = mine.edges._replace(numbers=None).select(handed)
    counts = int(handed.size), end - state.beyond, mine.edges.u.size - end
    return state._replace(beyond=end, handed=handed), box, counts


def _heard(part: Partition, state: _State, told: _Told | None) -> _State:
    """Record which candidates of the last bucket are in the forest."""
    if told is not None and state.handed.size:
        chosen = np.unpackbits(told.chosen[part.number], count=state.handed.size).astype(bool)
        state = state._replace(handed=np.empty(0, np.int64), chosen=[*state.chosen, state.handed[chosen]])
    return state


def _finish(part: Partition, state: _State, inbox: Any, told: _Told | None, dtype: Any, mine: Candidates) -> Any:
    """Return the edges of the forest, by their ends: int64, int64, and the weights."""
    state = _heard(part, state, told)
    chosen = mine.edges.select(np.concatenate([np.empty(0, np.int64), *state.chosen]))
    pairs = zip(columns_of(chosen), columns_of(mine.sure), strict=True)
    numbers, *columns = map(np.concatenate, pairs)
    order = sort_by_key(numbers)
    u, v, bits = (take(order, column) for column in columns)
    weights = Order(dtype, mine.sure.weights).from_bits(bits)
    return (u.astype(np.int64), v.astype(np.int64), weights), None, int(order.size)


def _plant(boxes: list[Any], bounds: Any) -> _Trees:
    """Make the trees of all edges that are sure to be in the forest."""
    kind = index_type(int(bounds[-1]))
    parent = np.concatenate([trees.astype(kind) + kind(start) for trees, start in zip(boxes, bounds[:-1], strict=True)])
    return _Trees(parent, _Told(_largest(parent), []))


def _unite(boxes: list[Ordered], trees: _Trees, at_once: int) -> _Trees:
    """Join trees by the edges of a bucket, in order."""
    parent, chosen = trees.parent.copy(), [np.zeros(edges.u.size, bool) for edges in boxes]
    for parts, edges in merged(boxes, at_once):
        taken = np.zeros(edges.u.size, np.uint8)
        for start, end in chunked(taken.size):
            join_in_order(start, end, Edges(edges.u, edges.v, edges.numbers), parent, taken)
        ends = np.cumsum([part.stop - part.start for part in parts])
        for mask, part, piece in zip(chosen, parts, np.split(taken, ends[:-1]), strict=True):
            mask[part] = piece
    link_to_root(parent.size, parent)
    return _Trees(parent, _Told(_largest(parent), list(map(np.packbits, chosen))))


def _largest(parent: Any) -> Any:
    """Return the vertices of the tree that is the largest in a sample: bits, the lowest one first."""
    some = parent[:: max(parent.size // _SAMPLES, 1)]
    roots, counts = np.unique(some, return_counts=True)
    return np.packbits(parent == roots[counts.argmax()], bitorder="little")


def _edges(part: Partition, state: Any) -> Any:
    return state
