"""DistributedGraph and DistributedForest: a graph and a forest in partitions that the workers of a cluster hold.

A DistributedGraph has the same guarantees as a `Graph`; `partition.py` describes its representation. The client stores
only a few numbers for each partition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter, methodcaller
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._core.csr.arrays import index_type, mark_forest
from .._core.texts import counted, in_units
from .._core.unknown_options import suggests_options
from .._core.validation import PartitionedGraph, host_array
from ..graph import Graph
from .partition import Partition
from .progress_line import shows_progress
from .tasks import run_alone, run_to_disk, submit_each
from .workers import do_not_fit, gather, placements


class Facts(NamedTuple):
    """The numbers of a partition that the client stores."""

    vertices: int
    entries: int
    neighbors: tuple[int, ...]  # the partitions that own its ghosts
    degrees: tuple[int, int, int]  # minimum, maximum, and sum, of the numbers of distinct neighbors
    nbytes: int
    asymmetry: int  # see `sum_directions`


class DistributedGraph(PartitionedGraph):
    """A graph whose rows are spread over a cluster; `stablegraph.distributed` has the functions that make it.

    The public functions accept it like a `Graph`, and return Dask arrays.

    Attributes
    ----------
    num_vertices, num_entries, num_edges : int
        As for a `Graph`.
    num_partitions : int
        The number of ranges of vertices into which the graph is split.
    bounds : int64 array (num_partitions + 1,)
        Partition k has the vertices from ``bounds[k]`` up to ``bounds[k + 1] - 1``.
    degrees : Dask array (n,)
        The number of distinct neighbors of each vertex, loops not counted; for a directed graph, out-neighbors.
    directed : bool
        Whether entry (u, v) is an arc from u to v, and not half of an edge.
    weight_type : dtype or None
        The dtype of the weights, or None for an unweighted graph.
    nodes : Dask array (n,) or None
        The user's ids of the vertices, if they came from a table.
    progress : callable or None
        Called as ``progress(function, rounds, left)`` after each round; `left` is the number of unfinished vertices or
        edges, or None. May be set at any time. If it is None, a call that takes more than two seconds shows a line on
        standard error if that is a terminal, unless Dask's configuration has ``stablegraph.progress: false``.

    Examples
    --------
    >>> import stablegraph as sg
    >>> from stablegraph import distributed
    >>> from distributed import Client
    >>> with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     graph = distributed.from_graph(sg.gallery.grid((4, 4)), partitions=2)
    ...     print(graph)
    ...     mask = sg.maximal_independent_set(graph)
    ...     print(int(mask.sum()), sg.is_maximal_independent_set(graph, mask))
    <DistributedGraph: 16 vertices, 24 edges, undirected, degrees 2 to 4, unweighted, 2 partitions, 520 bytes>
    6 True
    """

    def __init__(
        self,
        client: Any,
        parts: list[Any],
        bounds: Any,
        facts: list[Facts],
        weight_type: Any | None,
        nodes: list[Any] | None = None,
        directed: bool = False,
    ) -> None:
        self.client, self.parts, self.bounds, self.weight_type = client, parts, bounds, weight_type
        self._facts, self._nodes = facts, nodes
        self.placements = placements(client, len(parts))
        self.directed = directed
        self.neighbors = [list(fact.neighbors) for fact in facts]
        self.progress: Callable[[str, int, int | None], None] | None = None
        self._cached: dict[str, list[Any]] = {}

    def _with_progress(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that shows its progress on a terminal."""
        return shows_progress(function)

    @property
    def num_vertices(self) -> int:  # type: ignore[override]
        """The number of vertices, n."""
        return int(self.bounds[-1])

    @property
    def num_entries(self) -> int:
        """The number of stored entries; an edge is stored twice."""
        return sum(fact.entries for fact in self._facts)

    @property
    def num_edges(self) -> int:
        """The number of distinct edges without loops; for a directed graph, of distinct arcs."""
        arcs = sum(fact.degrees[2] for fact in self._facts)
        return arcs if self.directed else arcs // 2

    @property
    def num_partitions(self) -> int:
        """The number of ranges of vertices into which the graph is split."""
        return len(self.parts)

    def __len__(self) -> int:
        return self.num_vertices

    @property
    def degrees(self) -> Any:
        """The number of distinct neighbors of each vertex, loops not counted."""
        kind = np.int32 if self.num_entries < 2**31 else np.int64
        return self.dask_array(self.map_partitions(owned_degrees, np.dtype(kind)), kind)

    @property
    def nodes(self) -> Any:
        """The user's ids of the vertices, or None."""
        if self._nodes is None:
            return None
        pieces = self.map_futures(self._nodes, methodcaller("to_numpy", zero_copy_only=False))
        return self.dask_array(pieces, gather(self.client, self.map_futures(pieces[:1], attrgetter("dtype")))[0])

    def map_partitions(self, function: Callable[..., Any], *shared: Any) -> list[Any]:
        """Apply a function to each partition, and return futures of the results."""
        return self.map_futures(self.parts, function, *shared)

    def map_futures(self, futures: list[Any], function: Callable[..., Any], *shared: Any) -> list[Any]:
        """Apply a function to the value of each future, and return futures of the results."""
        places = self.placements if len(futures) == len(self.placements) else None
        return submit_each(self.client, function, [futures], *shared, placements=places)

    def map_once(self, function: Callable[[Partition], Any]) -> list[Any]:
        """Apply a function to each partition once, and cache the futures of the results.

        The results are stored like the partitions, in memory or on disk.
        """
        name = function.__name__
        if name not in self._cached:
            self._cached[name] = self.map_and_store(function)
        return self._cached[name]

    def map_and_store(self, function: Callable[..., Any], *shared: Any, each: list[Any] | None = None) -> list[Any]:
        """Apply a function to each partition, and return futures of the results.

        The results are stored like the partitions, in memory or on disk. `each` has a second argument for every
        partition.
        """
        columns = [self.parts] if each is None else [self.parts, each]
        run = run_to_disk if self.is_on_disk else run_alone
        return submit_each(self.client, function, columns, *shared, placements=self.placements, run=run)

    @property
    def is_on_disk(self) -> bool:
        """Whether workers keep partitions in files, because these would fill their memory."""
        return do_not_fit(self.client, [fact.nbytes for fact in self._facts])

    def dask_array(self, pieces: list[Any], dtype: Any, sizes: Any = None) -> Any:
        """Make a Dask array of one piece for each partition."""
        import dask.array as da

        sizes = np.diff(self.bounds).tolist() if sizes is None else sizes
        blocks = [da.from_delayed(piece, (size,), dtype) for piece, size in zip(pieces, sizes, strict=True)]
        return da.concatenate(blocks)

    def labels_array(self, pieces: list[Any]) -> Any:
        """Make a Dask array of labels, whose dtype follows from the number of vertices."""
        return self.dask_array(pieces, index_type(self.num_vertices))

    def split(self, values: Any, name: str) -> list[Any]:
        """Split a Dask or NumPy array into the values of each partition's vertices: futures or arrays."""
        n = self.num_vertices
        if not hasattr(values, "to_delayed"):
            values = host_array(values, name)
        if values.shape != (n,):
            raise ValueError(f"{name} has shape {values.shape}, but the graph has {n} vertices: expected shape ({n},)")
        sizes = tuple(np.diff(self.bounds).tolist())
        if not n:
            values = np.empty(0, values.dtype)  # Dask merges empty chunks, so make a NumPy array
        if isinstance(values, np.ndarray):
            return np.split(values, self.bounds[1:-1])
        blocks = values.rechunk((sizes,)).to_delayed().ravel().tolist()
        futures: list[Any] = self.client.compute(blocks)
        return futures

    def split_vertices(self, vertices: Any) -> list[Any]:
        """Split vertices among the partitions: a mask that is a Dask array, ascending numbers, or None for no vertex.

        Return for each partition a mask, numbers, or None.
        """
        if vertices is None:
            return [None] * self.num_partitions
        if hasattr(vertices, "to_delayed"):
            return self.split(vertices, "vertices")
        return np.split(vertices, np.searchsorted(vertices, self.bounds[1:-1]))

    @suggests_options
    @shows_progress
    def to_graph(self) -> Graph:
        """Return the whole graph as a `Graph` in this process, whose memory must hold it."""
        pieces = gather(self.client, self.map_partitions(_owned_rows))
        lengths = np.concatenate([lengths for lengths, _, _ in pieces])
        entries = int(lengths.sum())
        indptr = np.zeros(lengths.size + 1, np.int32 if entries < 2**31 else np.int64)
        np.cumsum(lengths, out=indptr[1:])
        indices = np.concatenate([columns for _, columns, _ in pieces])
        weights = None if self.weight_type is None else np.concatenate([w for _, _, w in pieces])
        nodes = None
        if self._nodes is not None:
            nodes = _joined_names(gather(self.client, self._nodes))
        return Graph._trusted(indptr, indices, weights, directed=self.directed, nodes=nodes)

    def __repr__(self) -> str:
        n, facts = self.num_vertices, self._facts
        parts = [
            counted(n, "vertex", "vertices"),
            counted(self.num_edges, *(("arc", "arcs") if self.directed else ("edge", "edges"))),
            "directed" if self.directed else "undirected",
            *([f"degrees {self.min_degree} to {self.max_degree}"] if n else []),
            "unweighted" if self.weight_type is None else f"{self.weight_type} weights",
            counted(self.num_partitions, "partition", "partitions"),
            in_units(sum(fact.nbytes for fact in facts)),
        ]
        return f"<DistributedGraph: {', '.join(parts)}>"

    @property
    def min_degree(self) -> int:
        """The smallest degree."""
        return min((fact.degrees[0] for fact in self._facts if fact.vertices), default=0)

    @property
    def max_degree(self) -> int:
        """The largest degree."""
        return max((fact.degrees[1] for fact in self._facts), default=0)


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


def owned_degrees(part: Partition, dtype: Any) -> Any:
    """Return the degrees of a partition's owned vertices."""
    return part.degrees[part.owned].astype(dtype)


def _owned_rows(part: Partition) -> tuple[Any, Any, Any]:
    """Return the lengths of a partition's owned rows, their columns by id, and weights."""
    lengths = np.diff(part.graph.indptr)[part.owned]
    return lengths, part.ids[part.graph.indices], part.graph.weights


def _joined_names(pieces: list[Any]) -> Any:
    """Concatenate the ids of all partitions to an array of integers or to Arrow names, like the `nodes` of a Graph."""
    import pyarrow as pa

    from ..tables.numbering import ArrowNames

    names = pa.concat_arrays(pieces)
    return names.to_numpy() if pa.types.is_integer(names.type) else ArrowNames(names)
