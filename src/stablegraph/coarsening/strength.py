"""Strength of connection: the matrix entries that are large compared with the diagonal, as a graph.

Result: an undirected graph without weights and without the diagonal.

Rule: (i, j) is kept  <=>  |a_ij| >= theta sqrt(|a_ii a_jj|), or this holds for a_ji. In the code: `_copy_strong`.

Squares are compared. If one of them, or a product, does not fit into a float64, `_strong_by_exponents` compares
mantissas and exponents instead, with the same rounding.

Cost: two passes over the entries. Work memory: 8 bytes per vertex, and a copy of the values if they are not float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.arrays import on_host
from .._core.runtime import Float64s, Int64s, Rows, array_module, kernel, place_of, rule
from .._core.runtime.primitives import exclusive_scan
from .._core.validation import number
from .._core.vertex_names import shown_entry
from ..conversion import as_graph, undirected
from ..graph import Graph

_NOT_A_NUMBER, _OUT_OF_RANGE = -1, -2
_LEAST, _LARGEST = 2.0**-1000, 2.0**1000  # of squares and products


@kernel(by="edges")
def _add_up_diagonal(v, rows: Rows, values: Float64s, diagonal: Float64s):
    """Compute the absolute value of a diagonal entry."""
    total = 0.0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        if rows.indices[e] == v:
            total += values[e]
    diagonal[v] = abs(total)


@rule
def _fits(product, is_zero):
    """Return whether a product is a float64 of full precision, or is zero because a factor is."""
    return is_zero or (product >= _LEAST and product <= _LARGEST)


@kernel(by="edges")
def _count_strong(v, rows: Rows, values: Float64s, diagonal: Float64s, threshold: float, lengths: Int64s):
    """Count the strong entries of row v, or write why they cannot be counted."""
    bound = threshold * diagonal[v]
    fits = _fits(bound, diagonal[v] == 0.0)
    length = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        value = values[e]
        square, product = value * value, bound * diagonal[u]
        fits &= _fits(square, value == 0.0) and _fits(product, diagonal[v] == 0.0 or diagonal[u] == 0.0)
        length += int(u != v and square >= product)
        if value != value:
            length = _NOT_A_NUMBER
            break
    lengths[v] = length if fits or length == _NOT_A_NUMBER else _OUT_OF_RANGE


@kernel(by="edges", types="float64[] float64[] float O[] V[]")
def _copy_strong(v, rows: Rows, values, diagonal, threshold, new_indptr, new_indices):
    """Copy the strong entries of row v."""
    bound = threshold * diagonal[v]
    place = new_indptr[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        value = values[e]
        if u != v and value * value >= bound * diagonal[u]:
            new_indices[place] = u
            place += 1


def strong_connections(A: Any, theta: Any) -> Graph:
    """Build the graph of a matrix's strong entries: those with ``abs(a_ij) >= theta * sqrt(abs(a_ii * a_jj))``.

    Parameters
    ----------
    A : sparse array or matrix, Graph with weights, or anything else `as_graph` takes
        With a symmetric pattern. Entries that are stored twice are summed. A missing diagonal entry is zero; all
        entries of its row and column are then strong.
    theta : float
        At least 0 and below 1. With 0 all entries are kept.

    Returns
    -------
    Graph
        Undirected, without weights and without the diagonal. If a_ij and a_ji differ, (i, j) is kept if either is
        strong.

    Raises
    ------
    TypeError
        If `theta` is not a number.
    ValueError
        If `theta` is out of range, there are no weights to compare, or a weight is NaN; if the sum of repeated entries,
        or the absolute value of a complex one, is larger than the largest float64.
    """
    theta = number(theta, "strength", minimum=0, below=1)
    graph = undirected(A, weights=True)
    nodes = graph.nodes
    if theta == 0:
        return graph.simple()
    if graph.weights is None:
        raise ValueError(
            "a strength compares the entries of a matrix, but this graph has no weights; pass the matrix, or the graph "
            "of its strong connections as strength="
        )
    if graph.has_duplicates:
        matrix, kind = graph.to_scipy().copy(), graph.weights.dtype
        if kind.kind in "biu":  # in SciPy the sums could overflow
            matrix = matrix.astype(np.int64 if kind.itemsize < 8 else np.float64)
        matrix.sum_duplicates()
        _refuse_infinite(matrix.data, graph.weights, "a sum of repeated entries")
        graph = as_graph(matrix)
    xp, n = graph.xp, graph.num_vertices
    indptr, indices, values = graph.indptr, graph.indices, graph.weights
    if values.dtype.kind == "c":
        with np.errstate(over="ignore"):
            values = abs(values)
        _refuse_infinite(values, graph.weights, "the absolute value of an entry")
    values = values.astype(np.float64, copy=False)
    rows, diagonal, lengths = Rows(indptr, indices), xp.empty(n), xp.empty(n, np.int64)
    _add_up_diagonal(n, rows, values, diagonal)
    _count_strong(n, rows, values, diagonal, theta * theta, lengths)
    worst = int(lengths.min()) if n else 0
    if worst < 0 and (lengths == _NOT_A_NUMBER).any():
        v = int((lengths == _NOT_A_NUMBER).argmax())
        e = int(indptr[v]) + int(xp.isnan(values[int(indptr[v]) : int(indptr[v + 1])]).argmax())
        raise ValueError(f"entry {shown_entry(v, indices[e], nodes)} is NaN, which is neither strong nor weak")
    if worst < 0:
        host = graph.to("cpu")
        u, v = host._rows(), host.indices
        kept = (u != v) & _strong_by_exponents(u, v, on_host(values), on_host(diagonal), theta)
        return as_graph((np.append(0, np.cumsum(kept))[host.indptr], v[kept]), symmetrize=True).to(graph.device)
    new_indptr = exclusive_scan(lengths).astype(indptr.dtype, copy=False)
    new_indices = xp.empty(int(new_indptr[-1]), indices.dtype)
    _copy_strong(n, rows, values, diagonal, theta * theta, new_indptr, new_indices)
    return as_graph((new_indptr, new_indices), symmetrize=True)


def _strong_by_exponents(u: Any, v: Any, values: Any, diagonal: Any, theta: float) -> Any:
    """Return which entries (u, v) are strong, for numbers of any size, rounded as in `_count_strong`."""
    with np.errstate(over="ignore", invalid="ignore"):
        (value, e), (d, k), (t, j) = map(np.frexp, (values, diagonal, theta))
        return np.ldexp(value * value, 2 * (e - j) - k[u] - k[v]) >= t * t * d[u] * d[v]


def _refuse_infinite(values: Any, weights: Any, what: str) -> None:
    """Raise ValueError if one of some values is not finite although all weights are."""
    xp = array_module(place_of(weights))
    if not xp.isfinite(values).all() and xp.isfinite(weights).all():
        raise ValueError(f"{what} is larger than the largest {values.dtype}; scale the matrix down")
