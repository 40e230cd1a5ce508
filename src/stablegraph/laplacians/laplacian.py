"""The Laplacian of a weighted graph, its components, and nonsingular matrices derived from it.

Result: a positive semidefinite matrix with a full diagonal, and the component of each vertex.

Rule: L = D - W, where W has the weights of the edges (1 without weights) and D their sums by rows. Loops do not count,
repeated entries are added, and an edge of weight 0 is no edge. In the code: `laplacian_of`.

Idea: *grounding* removes the equation and the unknown of one vertex of each component. The remaining matrix is positive
definite, and its solutions are potentials relative to the grounded vertex. The vertex with the largest degree is
grounded (ties by the smallest id), because this gives the best conditioned matrix; a hub thus disappears. Weights near
the ends of the range of floats are multiplied by a power of four, so that squares neither overflow nor vanish.

Cost: a few edge sweeps. Work memory: the Laplacian, and its part without the grounded vertices.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._core.runtime import Array, Int32s
from .._core.validation import host_array
from ..components.api import connected_components
from ..conversion import as_graph, undirected
from ..graph import Graph

LARGEST = 2.0**250  # weights whose maximum is between this and its inverse are not scaled
SMALL_SPREAD = 1e-6  # spreads below this need checks of rounding errors
_MAX_EXPONENT = 1020  # the smallest weight stays a normal number, if it is one


class Laplacian(NamedTuple):
    """The Laplacian of a graph."""

    matrix: sp.csr_array  # (n, n), with a full diagonal
    degrees: Array  # (n,): the sums of the weights of the edges of each vertex
    num_components: int
    labels: Int32s  # (n,): the component of each vertex
    spread: float  # the smallest weight divided by the largest
    exponent: int  # even; the weights of the graph are those of the matrix times 2**exponent

    def edges(self) -> tuple[Any, Any, Any]:
        """Return the ends u < v and the weight of each edge."""
        L = self.matrix.tocoo()
        upper = L.coords[0] < L.coords[1]
        return L.coords[0][upper], L.coords[1][upper], -L.data[upper]

    def advice(self) -> str:
        """Return what to do if rounding errors are too large."""
        factor = f"{1 / self.spread:.0e}" if self.spread > 1e-300 else "more than 1e+300"
        return f"the weights differ by a factor of {factor}; pass strongly joined parts of the graph separately"


class Grounded(NamedTuple):
    """The Laplacian without one vertex of each component."""

    matrix: sp.csr_array
    places: Array  # of each vertex in the matrix; -1 for grounded ones


def laplacian_of(graph: Any) -> Laplacian:
    """Return the Laplacian of an undirected graph with weights that are not negative."""
    checked = undirected(graph, weights=True)
    if checked.device != "cpu":
        raise TypeError("Laplacians are computed on the CPU: pass graph.to('cpu')")
    n = checked.num_vertices
    weights = np.ones(checked.num_entries) if checked.weights is None else _checked_weights(checked)
    W = sp.csr_array((weights, checked.indices.copy(), checked.indptr.copy()), shape=(n, n))
    W.sum_duplicates()
    W.data[W.indices == _rows_of(W)] = 0.0
    W.eliminate_zeros()
    _check_symmetric(W)
    return of_weights(W)


def of_weights(W: Any) -> Laplacian:
    """Return the Laplacian of a symmetric csr_array of positive weights without loops; the weights may be scaled."""
    n, rows = W.shape[0], _rows_of(W)
    largest, smallest = float(W.data.max(initial=0.0)), float(W.data.min(initial=np.inf))
    degrees = np.bincount(rows, W.data, n)  # each sum in the order of its row
    if not np.isfinite(degrees).all():
        raise ValueError(
            f"the weights of the edges of vertex {int(np.isfinite(degrees).argmin())} add up to infinity: divide all "
            "weights by the same number"
        )
    exponent = 0
    if W.nnz and not 1 / LARGEST < largest < LARGEST:
        exponent = math.frexp(largest)[1] // 2 * 2
        bound = _MAX_EXPONENT if exponent < 0 else max(math.frexp(smallest)[1] + _MAX_EXPONENT, 0) // 2 * 2
        exponent = max(-bound, min(exponent, bound))
        W.data, degrees = np.ldexp(W.data, -exponent), np.ldexp(degrees, -exponent)
    diagonal = np.arange(n, dtype=W.indices.dtype)
    entries = np.r_[-W.data, degrees], (np.r_[rows, diagonal], np.r_[W.indices, diagonal])
    matrix = sp.csr_array(sp.coo_array(entries, shape=(n, n)))  # zeros of isolated vertices stay stored
    matrix.sort_indices()
    count, labels = connected_components(as_graph((W.indptr, W.indices)))
    return Laplacian(matrix, degrees, count, labels, smallest / largest if W.nnz else 1.0, exponent)


def _rows_of(W: Any) -> Any:
    return np.repeat(np.arange(W.shape[0], dtype=W.indices.dtype), np.diff(W.indptr))


def _checked_weights(graph: Graph) -> Any:
    """Return the weights as float64; raise ValueError for one that is negative, infinite or NaN."""
    weights = host_array(graph.weights, "weights")
    if weights.dtype.kind not in "fiub":
        raise TypeError(f"weights must be real numbers, got dtype {weights.dtype}")
    weights = weights.astype(np.float64)
    valid = (weights >= 0) & (weights < np.inf)
    if not valid.all():
        e = int(valid.argmin())
        u = int(np.searchsorted(graph.indptr, e, side="right")) - 1
        raise ValueError(
            f"the weight of edge ({u}, {graph.indices[e]}) is {weights[e]}: weights are conductances, finite and at "
            "least 0; drop weights with as_graph(graph, weights=False)"
        )
    return weights


def _check_symmetric(W: Any) -> None:
    difference = sp.coo_array(W - W.T)
    different = np.flatnonzero(difference.data)
    if different.size:
        u, v = (int(ends[different[0]]) for ends in difference.coords)
        raise ValueError(
            f"the weights of edge ({u}, {v}) differ: {W[u, v]} and {W[v, u]}; pass symmetrize= to as_graph to combine "
            "them"
        )


def grounded(laplacian: Laplacian) -> Grounded:
    """Remove the vertex with the largest degree from each component."""
    n = laplacian.degrees.size
    order = np.lexsort((-np.arange(n), laplacian.degrees, laplacian.labels))
    is_last = np.append(np.diff(laplacian.labels[order]) != 0, True)[:n]
    keep = np.ones(n, bool)
    keep[order[is_last]] = False
    places = np.where(keep, keep.cumsum() - 1, -1)
    return Grounded(sp.csr_array(laplacian.matrix[keep][:, keep]), places)
