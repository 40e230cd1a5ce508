"""Minimum spanning forests: the unique lightest set of edges that connects the vertices of each component."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import scipy

from .._core.csr.merge import check_symmetrize, exact_sum
from .._core.dispatch import Supported, dispatches_on_graph, in_partitions
from .._core.option_names import ForestAlgorithm, Merge
from .._core.runtime import by_device
from .._core.runtime.device import has_gpu_forms
from .._core.typing import GraphLike
from .._core.unknown_options import suggests_options
from .._core.validation import ON_CARDS, PartitionedGraph, boolean, choice
from ..conversion import as_graph, undirected
from ..graph import Graph
from ..spread_graph import SpreadGraph
from ..study import awerbuch_shiloach
from . import boruvka, kruskal, linkage, unweighted
from .cuda import boruvka as boruvka_cuda
from .cuda.spread_forest import forest_of_parts
from .weights import Order, checked, order_of

__all__ = ["minimum_spanning_forest", "single_linkage", "total_weight"]


# With the advice that `by_device` adds to a MemoryError.
_forest_of_parts = by_device(forest_of_parts, forest_of_parts, forest_of_parts)
_boruvka = by_device(boruvka.minimum_spanning_forest, boruvka_cuda.minimum_spanning_forest)


def _by_the_faster(graph: Graph, order: Order) -> Any:
    return (_boruvka if boruvka.is_faster(graph) else kruskal.minimum_spanning_forest)(graph, order)


ALGORITHMS: dict[ForestAlgorithm, Callable[[Graph, Order], Any]] = {
    "auto": _by_the_faster,
    "boruvka": _boruvka,
    "filter_kruskal": kruskal.minimum_spanning_forest,
    "awerbuch_shiloach": lambda graph, order: awerbuch_shiloach.minimum_spanning_forest(graph, order)[0],
}

SUPPORTED = Supported({"algorithm": ("auto",)}, {"symmetrize": "from_edges and from_table have it"})  # in partitions
SUPPORTED_ON_CARDS = Supported({"algorithm": ("auto", "boruvka")}, where=ON_CARDS)


@dispatches_on_graph
def minimum_spanning_forest(
    graph: GraphLike, *, algorithm: ForestAlgorithm = "auto", maximum: bool = False, symmetrize: bool | Merge = False
) -> scipy.sparse.csr_array[Any, tuple[int, int]]:
    """Find the lightest edges that connect all vertices of each component, without a cycle.

    >>> import stablegraph as sg
    >>> sg.minimum_spanning_forest(sg.from_edges([0, 1, 2], [1, 2, 0], [5, 3, 4], symmetrize=True)).toarray().tolist()
    [[0, 0, 4], [0, 0, 3], [0, 0, 0]]

    Edges of equal weight are ordered by (smaller end, larger end), so the forest is unique.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. The weights may be integers, booleans or floats of at
        most 64 bits. They may be negative, zero (a stored zero is an edge), equal or infinite. Without weights, all
        edges have weight one. Loops are ignored. Of repeated entries, only the lightest is used (for a maximum spanning
        forest, the heaviest).
    algorithm : {"auto", "boruvka", "filter_kruskal", "awerbuch_shiloach"}
        The algorithms differ in speed, but not in the result.

        - "auto": "boruvka" on a GPU and with many threads, otherwise "filter_kruskal". On a CPU without weights,
          union-find by all threads, which keeps the position of the edge with each link and needs no list of edges.
        - "boruvka": all trees find their lightest edges in parallel. Light edges are processed first, and heavy edges
          are filtered.
        - "filter_kruskal": light edges are sorted, and one thread joins trees in this order; heavy edges are filtered.
        - "awerbuch_shiloach": flat trees are hooked to other trees, in O(log n) rounds over all edges. For comparison.
    maximum : bool
        Find the heaviest edges instead. Ties are broken in the same way.
    symmetrize : bool or {"min", "max", "sum"}
        Add (v, u) for every (u, v), as `as_graph` does; a name specifies how to combine different weights of an edge.

    Returns
    -------
    csr_array (n, n)
        Each edge of the forest once, from its smaller to its larger end, in sorted rows. The weights keep their dtype
        (float32 for float16; int8 ones for a graph without weights). Stored zeros are edges. For a graph on a GPU, a
        CuPy csr_matrix. It does not support integers, so these become float64 (exact up to 2**53).

    Raises
    ------
    ValueError
        If the graph is directed or its pattern is not symmetric, a weight is NaN, the weights of (u, v) and (v, u)
        differ, the weights are complex, or the algorithm is unknown. For NaN and different weights, the message names
        the entry.
    TypeError
        If `maximum` is not a bool.

    See Also
    --------
    total_weight : Add up the weights of a forest, without overflow.
    single_linkage : Convert a forest to the tree of its clusters.
    is_minimum_spanning_forest : Check a forest by an independent method.

    Notes
    -----
    Deterministic: the forest depends only on the graph. O(m log n) at worst; with random weights, a few passes over the
    entries. The first call for a Graph takes one more pass to check its weights. Work memory: 1 byte per entry, 4 to 20
    bytes per vertex, and 60 bytes for each edge that is sorted at the same time (about n / 2 edges); 4 more bytes per
    entry for weights of less than 32 bits. Without weights: 17 bytes per vertex (25 with 64-bit indices) and 1 bit per
    entry; on a GPU or with another algorithm than "auto", as for weights of less than 32 bits. A graph with unsorted
    rows or repeated entries is first copied into sorted rows without repetition.

    References
    ----------
    V. Osipov, P. Sanders, J. Singler, "The Filter-Kruskal Minimum Spanning Tree Algorithm", ALENEX 2009. X. Ding, Y.
    Gu, Y. Sun, "New Algorithms for Incremental Minimum Spanning Trees and Temporal Graph Applications", arXiv
    2504.04619, 2025.

    Examples
    --------
    >>> import stablegraph as sg
    >>> triangle = sg.from_edges([0, 1, 2], [1, 2, 0], [5, 3, 4], symmetrize=True)
    >>> print(sg.minimum_spanning_forest(triangle))
    <Compressed Sparse Row sparse array of dtype 'int64'
        with 2 stored elements and shape (3, 3)>
      Coords	Values
      (0, 2)	4
      (1, 2)	3
    """
    find = ALGORITHMS[choice(algorithm, "algorithm", ALGORITHMS)]
    maximum = boolean(maximum, "maximum")
    check_symmetrize(symmetrize, False)
    if isinstance(graph, PartitionedGraph):
        SUPPORTED.check(algorithm=algorithm, symmetrize=symmetrize)
        return in_partitions(minimum_spanning_forest, graph, maximum)
    given = undirected(graph, weights=True) if symmetrize is False else as_graph(graph, symmetrize=symmetrize)
    if isinstance(given, SpreadGraph):
        SUPPORTED_ON_CARDS.check(algorithm=algorithm)
        return cast("scipy.sparse.csr_array[Any, tuple[int, int]]", _forest_of_parts(given, maximum))
    graph = checked(given, maximum)
    on_rows = graph.weights is None and not has_gpu_forms(graph.device) and unweighted.fits(graph)
    if algorithm == "auto" and on_rows:
        return cast("scipy.sparse.csr_array[Any, tuple[int, int]]", unweighted.spanning_forest(graph))
    return cast("scipy.sparse.csr_array[Any, tuple[int, int]]", find(graph, order_of(graph, maximum)))


@suggests_options
def total_weight(forest: scipy.sparse.sparray | scipy.sparse.spmatrix) -> int | float:
    """Add up the weights of a forest: exactly for integers, in double precision for floats.

    >>> import stablegraph as sg
    >>> sg.total_weight(sg.minimum_spanning_forest(sg.from_edges([0, 1], [1, 2], [2.5, 4.0], symmetrize=True)))
    6.5

    Parameters
    ----------
    forest : sparse array or matrix
        A result of `minimum_spanning_forest`, or any other sparse matrix, whose stored entries are added.

    Returns
    -------
    int or float
        An int for integers and booleans, which cannot overflow. A float64 for floats, which are added in the same order
        on every machine (infinities of both signs give NaN). A complex number for complex matrices.

    Raises
    ------
    TypeError
        If `forest` is not a sparse matrix. A Graph is refused because it stores each edge twice.
    ValueError
        If the sum of finite weights is larger than the largest float64.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> path = sg.from_edges([0, 1], [1, 2], np.array([2**63 - 1, 2**63 - 1]), symmetrize=True)
    >>> sg.total_weight(sg.minimum_spanning_forest(path)) == 2 * (2**63 - 1)
    True
    """
    kind = getattr(forest, "format", None)
    if kind not in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok"):
        raise TypeError(
            f"forest must be a sparse array, such as minimum_spanning_forest(graph), got {type(forest).__name__}"
        )
    values = (forest if kind in ("csr", "csc", "coo") else forest.tocoo()).data  # type: ignore[union-attr, unused-ignore]
    return cast("int | float", exact_sum(values))


@suggests_options
def single_linkage(forest: GraphLike) -> npt.NDArray[np.float64]:
    """Convert a minimum spanning forest to the tree of single-linkage clusters, as SciPy's linkage matrix.

    >>> import stablegraph as sg
    >>> sg.single_linkage(sg.minimum_spanning_forest(sg.from_edges([0, 1], [1, 2], [0.5, 2.0], symmetrize=True)))
    array([[0. , 1. , 0.5, 2. ],
           [2. , 3. , 2. , 3. ]])

    Parameters
    ----------
    forest : sparse array or matrix, or Graph
        A result of `minimum_spanning_forest`, or another forest. Each edge is stored in one direction or in both, with
        its length as the weight. Without weights, all lengths are one.

    Returns
    -------
    float64 (n - 1, 4)
        Row i joins the clusters ``[i, 0]`` and ``[i, 1]``, the smaller number first, at the distance ``[i, 2]``, to
        cluster n + i of ``[i, 3]`` vertices. Clusters 0 to n - 1 are the vertices. All functions of
        ``scipy.cluster.hierarchy`` accept this matrix. A forest of several trees has infinite distances in its last
        rows, which join the trees in the order of their smallest vertices. In host memory, also for a forest on a GPU.

    Raises
    ------
    ValueError
        If an edge closes a cycle, a length is negative or NaN, or the two directions of an edge have different lengths.

    See Also
    --------
    minimum_spanning_forest : Find the forest.

    Notes
    -----
    Deterministic: edges of equal length are joined in the order of (smaller end, larger end). For points in general
    position, this is the matrix that ``scipy.cluster.hierarchy.linkage(points, "single")`` finds from all pairs.
    Lengths are rounded to float64 after they have been ordered. Sorting runs on all threads, joining on one. Work
    memory: about 16 bytes per vertex and 100 per edge.

    References
    ----------
    J. Gower, G. Ross, "Minimum Spanning Trees and Single Linkage Cluster Analysis", Journal of the Royal Statistical
    Society C 18(1), 1969.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 0], [1, 2, 2], [0.5, 2.0, 3.0], n=4, symmetrize=True)
    >>> sg.single_linkage(sg.minimum_spanning_forest(graph))
    array([[0. , 1. , 0.5, 2. ],
           [2. , 4. , 2. , 3. ],
           [3. , 5. , inf, 4. ]])
    """
    graph = checked(as_graph(forest, symmetrize=True), maximum=False)
    return cast("npt.NDArray[np.float64]", linkage.single_linkage(graph.to("cpu")))
