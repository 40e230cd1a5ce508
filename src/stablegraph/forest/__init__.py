"""Minimum spanning forests: of all ways to connect the vertices, the lightest one, and it is always the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from .._arguments import boolean, choice
from ..conversion import as_graph
from ..elsewhere import or_elsewhere
from ..graph import Graph
from ..names import ForestAlgorithm, Merge
from ..parallel import worker_count
from ..parallel.cuda_source import by_device
from ..parallel.device import has_gpu_forms
from ..parallel.primitives import reduce
from ..typing import GraphLike
from . import awerbuch_shiloach, boruvka, kruskal
from .weights import Order, checked, order_of

__all__ = ["minimum_spanning_forest", "total_weight"]


_MANY_WORKERS = 8  # on fewer, joining edges one by one takes less time than Borůvka's rounds
_boruvka = by_device(boruvka.minimum_spanning_forest, ".boruvka_cuda", __package__)


def _by_the_faster(graph: Graph, order: Order) -> Any:
    workers = worker_count(graph.device, graph.num_vertices + graph.num_entries)
    many = has_gpu_forms(graph.device) or workers >= _MANY_WORKERS
    return (_boruvka if many else kruskal.minimum_spanning_forest)(graph, order)


def _by_awerbuch_shiloach(graph: Graph, order: Order) -> Any:
    return awerbuch_shiloach.minimum_spanning_forest(graph, order)[0]


_ALGORITHMS: dict[ForestAlgorithm, Callable[[Graph, Order], Any]] = {
    "auto": _by_the_faster,
    "boruvka": _boruvka,
    "filter_kruskal": kruskal.minimum_spanning_forest,
    "awerbuch_shiloach": _by_awerbuch_shiloach,
}


@or_elsewhere
def minimum_spanning_forest(
    graph: GraphLike, *, algorithm: ForestAlgorithm = "auto", maximum: bool = False, symmetrize: bool | Merge = False
) -> sp.csr_array[Any, tuple[int, int]]:
    """Find the lightest edges that connect all vertices of each component, without a cycle.

    Edges of equal weight are ordered by (smaller end, larger end), so there is one such forest.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. The weights may be integers of any size, booleans or
        floats of at most 64 bits; negative, zero (also as a stored zero: it is an edge), equal, infinite. Without
        weights all are one. Loops are ignored; of repeated entries the lightest counts (for a maximum spanning forest,
        the heaviest).
    algorithm : {"auto", "boruvka", "filter_kruskal", "awerbuch_shiloach"}
        They differ in speed, never in the result.

        - "auto": "filter_kruskal", or on many threads and on a GPU "boruvka".
        - "boruvka": all trees find their lightest edges at once; light edges first, the others filtered.
        - "filter_kruskal": light edges are sorted and joined in order by one thread, the others filtered.
        - "awerbuch_shiloach": flat trees hook on to others, in O(log n) rounds over all edges. For comparison.
    maximum : bool
        Find the heaviest edges instead. Ties are ordered as before.
    symmetrize : bool or {"min", "max", "sum"}
        Add (v, u) for every (u, v), as `as_graph` does; a name says how to combine weights of an edge that differ.

    Returns
    -------
    csr_array (n, n)
        Each edge of the forest once, from its smaller to its larger end, in sorted rows, with the weights in their own
        dtype (float32 for float16; int8 ones, where there are none). Stored zeros are edges. On a GPU a csr_matrix of
        CuPy's, which knows no integers: float64 in their place (exact up to 2**53).

    Raises
    ------
    ValueError
        If the graph is directed or its pattern not symmetric, a weight is NaN, the weights of (u, v) and (v, u) differ
        (both with the entry's place), the weights are complex, or the algorithm is unknown.
    TypeError
        If `maximum` is no bool.

    See Also
    --------
    total_weight : The sum of a forest's weights, without overflow.
    is_minimum_spanning_forest : Check a forest with other means.

    Notes
    -----
    Deterministic: the forest depends on the graph alone. O(m log n) at worst; on random weights a few passes over the
    entries, and one over the weights of a Graph never seen before, to check them. Work memory: 1 byte an entry, 4 to 20
    a vertex, and 60 for each edge that is sorted at a time (half as many as vertices); 4 bytes an entry more for
    weights of less than 32 bits or without weights. Rows that are not sorted, and repeated entries, are tidied up in a
    copy.

    References
    ----------
    V. Osipov, P. Sanders, J. Singler, "The Filter-Kruskal Minimum Spanning Tree Algorithm", ALENEX 2009.

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
    find = _ALGORITHMS[choice(algorithm, "algorithm", _ALGORITHMS)]
    maximum = boolean(maximum, "maximum")
    graph = checked(as_graph(graph, symmetrize=symmetrize), maximum)
    return cast("sp.csr_array[Any, tuple[int, int]]", find(graph, order_of(graph, maximum)))


def total_weight(forest: sp.sparray | sp.spmatrix) -> int | float:
    """The sum of a forest's weights: exact for integers, and for floats in double precision.

    Parameters
    ----------
    forest : sparse matrix
        As `minimum_spanning_forest` returns it, or any other one.

    Returns
    -------
    int or float
        An int for integers and booleans, which cannot overflow. A float64 for floats, added up in the same order
        everywhere (infinities of both signs give NaN).

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> path = sg.from_edges([0, 1], [1, 2], np.array([2**63 - 1, 2**63 - 1]), symmetrize=True)
    >>> sg.total_weight(sg.minimum_spanning_forest(path)) == 2 * (2**63 - 1)
    True
    """
    weights: Any = forest.data  # type: ignore[union-attr, unused-ignore]
    if weights.dtype.kind == "f":
        return float(reduce(weights.astype(np.float64, copy=False), "sum"))
    wide = weights.astype(np.uint64 if weights.dtype.kind == "u" else np.int64, copy=False)
    return (int((wide >> 32).sum()) << 32) + int((wide & 0xFFFF_FFFF).sum())
