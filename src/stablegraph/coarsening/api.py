"""Graph coarsening: aggregates of neighboring vertices, and the smaller graph with one vertex per aggregate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Real
from typing import Any, Literal, TypedDict, Unpack, get_args, overload

import numpy as np
import numpy.typing as npt
import scipy

from .._core.csr.arrays import index_type
from .._core.csr.groups import smallest_members
from .._core.dispatch import Supported, dispatches_on_graph, in_partitions
from .._core.option_names import Aggregation, DistancePriority
from .._core.runtime import by_device
from .._core.typing import ArrayLike, GraphLike, Labels, Numbers
from .._core.unknown_options import suggests_options
from .._core.validation import IN_PARTITIONS, ON_CARDS, PartitionedGraph, boolean, choice, host_array
from .._core.vertex_names import names_of
from .._core.vertex_values import in_vertex_order
from ..conversion import in_order, undirected
from ..graph import Graph
from ..independent_set.conditions import checked_priority
from ..spread_graph import SpreadGraph
from . import aggregation
from .cuda import aggregation as aggregation_cuda
from .cuda import spread_aggregation
from .quotient import quotient, weighted_quotient
from .strength import strong_connections

__all__ = ["aggregate", "aggregation_operator", "coarse_graph"]

_around_one_set = by_device(
    aggregation.around_one_set, aggregation_cuda.around_one_set, spread_aggregation.around_one_set
)
_around_two_sets = by_device(
    aggregation.around_two_sets, aggregation_cuda.around_two_sets, spread_aggregation.around_two_sets
)
# Each function takes a graph with sorted rows and without repeated entries, whose loops are ignored, and a priority.
ALGORITHMS: dict[Aggregation, Callable[..., aggregation.Answer]] = {
    "mis2": partial(_around_two_sets, induced=True, moves=False),
    "mis2_basic": _around_one_set,
    "kokkos": partial(_around_two_sets, induced=False, moves=True),
}

# For a graph in partitions.
SUPPORTED = Supported({"algorithm": ("mis2", "kokkos")}, {"strength": "", "return_roots": ""})
SUPPORTED_ON_CARDS = Supported(without={"strength": ""}, where=ON_CARDS)


class _Options(TypedDict, total=False):
    algorithm: Aggregation
    strength: float | GraphLike | None
    priority: DistancePriority | Numbers | None


@overload
def aggregate(
    graph: GraphLike, *, return_roots: Literal[False] = False, **options: Unpack[_Options]
) -> tuple[int, Labels]: ...


@overload
def aggregate(
    graph: GraphLike, *, return_roots: Literal[True], **options: Unpack[_Options]
) -> tuple[int, Labels, npt.NDArray[np.int64]]: ...


@overload
def aggregate(
    graph: GraphLike, *, return_roots: bool, **options: Unpack[_Options]
) -> tuple[int, Labels] | tuple[int, Labels, npt.NDArray[np.int64]]: ...


@dispatches_on_graph
def aggregate(
    graph: GraphLike,
    *,
    algorithm: Aggregation = "mis2",
    strength: float | GraphLike | None = None,
    priority: DistancePriority | Numbers | None = None,
    return_roots: bool = False,
) -> tuple[int, Labels] | tuple[int, Labels, npt.NDArray[np.int64]]:
    """Partition the vertices into small aggregates around the members of distance-2 independent sets.

    >>> import stablegraph as sg
    >>> sg.aggregate(sg.gallery.grid((9,)))
    (2, array([0, 0, 0, 0, 1, 1, 1, 1, 1], dtype=int32))

    Each aggregate has a root, and all its other vertices are at most two steps away from the root. A vertex without
    neighbors forms an aggregate by itself.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops, repeated entries and the order inside rows do
        not matter.
    algorithm : {"mis2", "mis2_basic", "kokkos"}
        - "mis2": the members of a maximal independent set at distance 2 become roots and take their neighbors. A second
          such set is found among the remaining vertices; its members with at least two free neighbors also become
          roots and take these. Each vertex that is still free then joins the aggregate with most of its neighbors.
          (Kelley and Rajamanickam's Algorithm 3.)
        - "kokkos": the result of Kokkos Kernels, bit for bit. It has fewer and more even aggregates: the second set is
          smaller, and vertices next to two roots may change to the other aggregate. In rare cases an aggregate is not
          connected.
        - "mis2_basic": only one set; each remaining vertex joins the aggregate of its first neighbor (Algorithm 2).
          Gives few, large aggregates, which are less suitable for multigrid.
    strength : float, Graph or matrix, optional
        Which connections count; all by default. A number theta, at least 0 and below 1, selects those with
        ``abs(a_ij) >= theta * sqrt(abs(a_ii * a_jj))``; this needs a matrix or a graph with weights. A graph on the
        same vertices gives the connections directly.
    priority : {"random", "degree"} or array (n,), optional
        The order in which vertices become roots, as for ``maximal_independent_set(graph, distance=2)``, whose members
        are the roots of the first set. "random" is the default. "degree" prefers vertices with few neighbors. Of an
        array of real numbers, or a dict by name, the larger number comes first: with learned scores, aggregation is a
        pooling layer. Members of the second set are in the same order.
    return_roots : bool
        Also return the root of each aggregate.

    Returns
    -------
    count : int
        The number of aggregates.
    labels : int32 (n,)
        The aggregate of each vertex. Aggregates are numbered from 0 in the order of their roots, first the aggregates
        of the first set, then those of the second. A CuPy array for a graph on a GPU; int64 from 2**31 vertices on.
    roots : int64 (count,), optional
        The root of each aggregate, so ``labels[roots]`` is 0, 1, .. ``count - 1``. The first ones are the members of
        ``maximal_independent_set(graph, distance=2, priority=priority)``, ascending, and no two of them have a common
        neighbor. Those of the second set follow, ascending ("mis2_basic" has none). They are at least two steps away
        from the roots of the first set. In "mis2", two of them may have a common neighbor that is in an aggregate of
        the first set. A CuPy array for a graph on a GPU. Not supported for graphs in partitions.

    Raises
    ------
    ValueError
        If the algorithm or the priority is unknown, the graph is directed or its pattern not symmetric, or the strength
        or the priority does not fit or contains NaN.
    TypeError
        If the strength is neither a number nor a graph, the priority is neither a text nor real numbers, or
        `return_roots` is no bool.

    See Also
    --------
    aggregation_operator : Convert the labels to a matrix.
    coarse_graph : Build the graph of the aggregates.
    is_aggregation : Check aggregate labels with an independent method.

    Notes
    -----
    Deterministic: the same for any number of threads, on every device, for every dtype. Cost: two distance-2 sets and
    five or six edge sweeps; in total about 10 to 25 edge sweeps on two threads. If rows are not sorted or have repeated
    entries, the graph is first copied and sorted. Work memory: about 40 bytes per vertex.

    With an array as `priority`, all vertices are sorted first; an order that leaves no parallelism is finished by one
    thread. Work memory: 40 bytes more per vertex, and with "mis2" a copy of the edges between the free vertices.

    References
    ----------
    B. Kelley, S. Rajamanickam, "Parallel, Portable Algorithms for Distance-2 Maximal Independent Set and Graph
    Coarsening", IPDPS 2022. N. Bell, S. Dalton, L. Olson, "Exposing Fine-Grained Parallelism in Algebraic Multigrid
    Methods", SIAM Journal on Scientific Computing 34(4), 2012.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.gallery.grid((9,))
    >>> count, labels = sg.aggregate(path)
    >>> count, labels.tolist()
    (2, [0, 0, 0, 0, 1, 1, 1, 1, 1])
    >>> count, labels, roots = sg.aggregate(path, priority=[0, 9, 0, 0, 7, 0, 0, 8, 0], return_roots=True)
    >>> labels.tolist(), roots.tolist()
    ([0, 0, 0, 1, 1, 1, 2, 2, 2], [1, 4, 7])
    """
    return_roots = boolean(return_roots, "return_roots")
    run = ALGORITHMS[choice(algorithm, "algorithm", ALGORITHMS)]
    if isinstance(graph, PartitionedGraph):
        SUPPORTED.check(algorithm=algorithm, strength=strength, return_roots=return_roots)
        order = checked_priority(priority, graph, 2)
        choice(order, "priority", get_args(DistancePriority), where=IN_PARTITIONS)
        return in_partitions(aggregate, graph, algorithm, order)
    if isinstance(graph, SpreadGraph):
        all_count = isinstance(strength, Graph) or (isinstance(strength, int | float) and strength == 0)
        SUPPORTED_ON_CARDS.check(strength=None if all_count else strength)
    connections = in_order(_connections(graph, strength))
    named = graph if isinstance(graph, Graph) else connections
    count, labels, roots = run(connections, priority=checked_priority(priority, named, 2))
    if not return_roots:
        return count, labels
    return count, labels, connections.xp.concatenate(roots).astype(np.int64, copy=False)


@suggests_options
def aggregation_operator(labels: ArrayLike | Sequence[int]) -> scipy.sparse.csr_array[np.int32, tuple[int, int]]:
    """Build the matrix that copies values on aggregates to their vertices (PyAMG's ``AggOp``).

    >>> import stablegraph as sg
    >>> sg.aggregation_operator([1, 0, 1]).toarray().tolist()
    [[0, 1], [1, 0], [0, 1]]

    Parameters
    ----------
    labels : integer array (n,)
        The aggregate of each vertex, numbered from 0 without gaps.

    Returns
    -------
    csr_array (n, count) of int32
        Row v has a single 1, in column ``labels[v]``. In host memory, also for labels on a GPU.

    Raises
    ------
    TypeError
        If the labels are not integers.
    ValueError
        If the labels are not one-dimensional, a label is negative, or a number below the largest label is not used.

    Examples
    --------
    >>> import stablegraph as sg
    >>> sg.aggregation_operator([1, 0, 1]).toarray()
    array([[0, 1],
           [1, 0],
           [0, 1]], dtype=int32)
    """
    count, labels = checked_labels(labels)
    n = labels.size
    indptr = np.arange(n + 1, dtype=labels.dtype)
    return scipy.sparse.csr_array((np.ones(n, np.int32), labels, indptr), shape=(n, count))


@suggests_options
def coarse_graph(
    graph: GraphLike,
    labels: ArrayLike | Sequence[int],
    *,
    count: bool = False,
    loops: bool = False,
    names: bool = False,
) -> Graph:
    """Build the graph of the aggregates; two aggregates are adjacent if an edge joins a vertex of each.

    >>> import stablegraph as sg
    >>> sg.coarse_graph(sg.gallery.grid((6,)), [0, 0, 1, 1, 2, 2]).num_edges
    2

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Undirected.
    labels : integer array (n,)
        The aggregate of each vertex, numbered from 0 without gaps, as returned by `aggregate`; any partition is
        accepted.
    count : bool
        Set the weight of each edge to the number of edges between the two aggregates, and ignore the weights of
        `graph`.
    loops : bool
        Keep the edges inside an aggregate as a loop whose weight is their sum, with each edge counted once. Louvain and
        Leiden need this: the modularity then equals that of the original graph (without weights, with ``count=True``).
    names : bool
        Give each aggregate the name of its smallest vertex, which is its smallest id in a graph of `from_table`. If
        `graph` has no names, the names are the numbers of these vertices. ``to_table(coarse, edges=coarse)`` makes a
        table of the edges with these names.

    Returns
    -------
    Graph
        Each edge once, sorted, without loops unless `loops` is set. It has weights if `graph` has weights or `count` is
        set: each weight is the sum over all entries between the two aggregates. (With `aggregation_operator` as P,
        ``P.T @ A @ P`` has the same entries off the diagonal. Its diagonal has the sums inside aggregates, where an
        edge counts twice.) Sums of integers and booleans are int64, sums of uint64 are uint64; floats keep their dtype.

    Raises
    ------
    TypeError
        If the labels are not integers, or `count`, `loops` or `names` is no bool.
    ValueError
        If the labels do not fit the graph, a label is negative, or a number below the largest label is not used; if a
        sum of weights does not fit its dtype.
    MemoryError
        If there is not enough memory; this is checked before the allocation.

    Notes
    -----
    Without weights the result is a parallel product of patterns (see quotient.py). With weights, integers are sorted
    and summed on all threads; floats are summed by SciPy on one thread. With `count`, entries that are stored twice
    count once.

    Work memory, in host memory. Without weights: 24 bytes per vertex, 4 for each entry between aggregates, 12 for each
    aggregate and thread, up to 4 MB per thread, and up to three times the result. With weights or `count`: 13 bytes for
    each entry of `graph`; then, for each entry between aggregates, 36 bytes and three times the size of a weight,
    including the result.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 4], symmetrize=True)
    >>> coarse = sg.coarse_graph(path, [0, 0, 1, 2, 2])
    >>> coarse.num_vertices, coarse.num_edges
    (3, 2)
    >>> sg.coarse_graph(path, [0, 0, 0, 1, 1], count=True, loops=True).to_scipy().toarray()
    array([[2, 1],
           [1, 1]])
    """
    count, loops, names = boolean(count, "count"), boolean(loops, "loops"), boolean(names, "names")
    graph = undirected(graph, weights=not count)
    parts, labels = checked_labels(in_vertex_order(labels, "labels", graph), graph.num_vertices)
    host = (in_order(graph) if count else graph).to("cpu")
    if not count and host.weights is None:
        coarse = quotient(host, parts, labels, loops=loops)
    else:
        coarse = weighted_quotient(host, parts, labels, count=count, loops=loops)
    if names:
        members, smallest = smallest_members(labels), np.empty(parts, np.int64)
        smallest[labels[members]] = members
        coarse = coarse._replace(nodes=smallest if graph.nodes is None else names_of(smallest, graph.nodes))
    return coarse.to(graph.device)


def _connections(graph: Any, strength: Any) -> Graph:
    """Build the graph of the connections that count."""
    if strength is None:
        return undirected(graph)
    if isinstance(strength, Real):
        return strong_connections(graph, strength)
    strong, n = undirected(strength), undirected(graph).num_vertices
    if strong.num_vertices != n:
        raise ValueError(f"strength is a graph of {strong.num_vertices} vertices, but the graph has {n}")
    return strong


def checked_labels(labels: Any, n: int | None = None) -> tuple[int, np.ndarray]:
    """Return the number of aggregates and the aggregate of each vertex, in host memory."""
    array = host_array(labels, "labels")
    if array.ndim != 1 or n not in (None, array.size):
        expected = "one-dimensional" if n is None else f"one number for each of the {n} vertices"
        raise ValueError(f"labels must be {expected}, got shape {array.shape}")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers, got {array.dtype}")
    if array.size and array.min() < 0:
        v = int(array.argmin())
        raise ValueError(f"vertex {v} is in no aggregate, but has label {array[v]}: labels are numbers from 0 on")
    if array.size and array.max() >= array.size:
        v = int(array.argmax())
        raise ValueError(
            f"vertex {v} has label {array[v]}, but {array.size} vertices have at most {array.size} aggregates"
        )
    array = array.astype(index_type(array.size), copy=False)
    sizes = np.bincount(array)
    if array.size and not sizes.all():
        raise ValueError(f"no vertex has label {int((sizes == 0).argmax())}: labels must be numbered without gaps")
    return sizes.size, array
