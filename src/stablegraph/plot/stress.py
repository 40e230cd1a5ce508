"""Positions for drawing a graph: sparse stress minimization, from classical scaling."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse import csgraph

from ..conversion import as_graph
from ..graph import Graph

Positions = npt.NDArray[np.float64]

_PIVOTS = 200  # vertices from which distances are measured: all of them in a small graph
_ROUNDS = 150


def layout(graph: Any) -> Positions:
    """Positions for drawing a graph: distances on paper as near as can be to distances in the graph.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Loops and duplicates are ignored; so are the directions of a directed Graph.

    Returns
    -------
    ndarray of float64, shape (n, 2)
        Edges are about one unit long. Connected components lie side by side, the largest first.

    Notes
    -----
    Sparse stress minimization [1]_: every vertex is pulled and pushed to its graph distance from its neighbors and
    from at most 200 pivots, starting from classical scaling of the distances to them [2]_. Nothing in it is random:
    the same graph gets the same picture on the same machine. Cost: one breadth-first search per pivot and 150
    rounds over n times the pivots; n = 1,000 takes a second, n = 10,000 some ten seconds.

    References
    ----------
    .. [1] M. Ortmann, M. Klimenta, U. Brandes, "A sparse stress model", Journal of Graph Algorithms and Applications
       21 (2017).
    .. [2] U. Brandes, C. Pich, "Eigensolver methods for progressive multidimensional scaling of large data", Graph
       Drawing 2006.

    Examples
    --------
    >>> from stablegraph import from_edges, plot
    >>> square = from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    >>> plot.layout(square).shape
    (4, 2)
    """
    adjacency = simple_adjacency(graph if isinstance(graph, Graph) else as_graph(graph))
    if adjacency.shape[0] == 0:
        return np.zeros((0, 2))
    count, component = csgraph.connected_components(adjacency, directed=False)
    order = np.argsort(component, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(component, minlength=count))[:-1])
    parts.sort(key=lambda part: (-part.size, part[0]))
    drawings = [_stress_layout(adjacency[part][:, part]) for part in parts]
    positions = np.zeros((adjacency.shape[0], 2))
    for part, drawing in zip(parts, _side_by_side(drawings), strict=True):
        positions[part] = drawing
    return positions


def edges_once(graph: Graph) -> tuple[Any, Any]:
    """The two ends of each edge, the smaller one first."""
    rows, columns = simple_adjacency(graph).nonzero()
    once = rows < columns
    return rows[once], columns[once]


def simple_adjacency(graph: Graph) -> Any:
    """The symmetric pattern without loops and duplicates, as a SciPy CSR array of ones."""
    n = graph.num_vertices
    rows = np.repeat(np.arange(n, dtype=graph.indices.dtype), np.diff(graph.indptr))
    columns = np.asarray(graph.indices)
    apart = rows != columns
    rows, columns = rows[apart], columns[apart]
    both = sp.coo_array(
        (np.ones(2 * rows.size), (np.concatenate([rows, columns]), np.concatenate([columns, rows]))), shape=(n, n)
    )
    adjacency = sp.csr_array(both)
    adjacency.data[:] = 1
    return adjacency


def _stress_layout(adjacency: Any) -> Positions:
    """Positions of one connected component."""
    n = adjacency.shape[0]
    if n == 1:
        return np.zeros((1, 2))
    if n == 2:
        return np.array([[0.0, 0.0], [1.0, 0.0]])
    pivots, distances = _distances_from_pivots(adjacency)
    positions = _classical_scaling(distances)
    rows = np.repeat(np.arange(n), np.diff(adjacency.indptr))
    columns = adjacency.indices

    # How many vertices a pivot stands for, as seen from each vertex: those nearer to it than half way.
    region = distances.argmin(axis=0)
    weight = np.empty_like(distances)
    for p in range(pivots.size):
        inner = np.sort(distances[p, region == p])
        weight[p] = np.searchsorted(inner, distances[p] / 2, side="right")
    neighbor = distances <= 1
    with np.errstate(divide="ignore"):
        weight = np.where(neighbor, 0.0, weight / distances**2)
    total = weight.sum(axis=0) + np.bincount(rows, minlength=n)

    for _ in range(_ROUNDS):
        pull = np.zeros_like(positions)
        for axis in range(2):
            pull[:, axis] = np.bincount(rows, positions[columns, axis], minlength=n) + positions[pivots, axis] @ weight
        step = positions[rows] - positions[columns]
        step /= np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-9)[:, None]
        away = positions[None, :, :] - positions[pivots][:, None, :]
        scale = weight * distances / np.maximum(np.hypot(away[..., 0], away[..., 1]), 1e-9)
        for axis in range(2):
            pull[:, axis] += np.bincount(rows, step[:, axis], minlength=n) + np.einsum(
                "pv,pv->v", scale, away[..., axis]
            )
        positions = pull / total[:, None]
    return _upright(positions)


def _distances_from_pivots(adjacency: Any) -> tuple[npt.NDArray[np.int64], Positions]:
    """Pivots spread over the graph, each the farthest from those before it, and hop distances (pivots, n)."""
    n = adjacency.shape[0]
    count = min(n, _PIVOTS)
    pivots = np.zeros(count, np.int64)
    distances = np.zeros((count, n))
    nearest = np.full(n, np.inf)
    pivots[0] = np.argmax(np.diff(adjacency.indptr))
    for p in range(count):
        if p > 0:
            pivots[p] = np.argmax(nearest)
        distances[p] = csgraph.dijkstra(adjacency, indices=pivots[p], unweighted=True)
        np.minimum(nearest, distances[p], out=nearest)
    return pivots, distances


def _classical_scaling(distances: Positions) -> Positions:
    """Two coordinates for each vertex from distances (pivots, n): the main directions of the centred squares."""
    squares = distances.T**2
    squares = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    _, vectors = np.linalg.eigh(squares.T @ squares)
    start: Positions = squares @ vectors[:, :-3:-1]
    spread = np.sqrt((start**2).mean(axis=0))
    start = start / np.where(spread > 0, spread, 1) * np.sqrt((distances**2).mean())
    # Vertices with equal distances (twins, leaves of one vertex) would never part: a small push, different for each.
    angle = np.arange(len(start)) * 2.399963  # the golden angle
    return start + 0.05 * np.column_stack([np.cos(angle), np.sin(angle)])


def _upright(positions: Positions) -> Positions:
    """Centred, the longer side across, and mirrored into one of the four positions that are equally good."""
    positions = positions - positions.mean(axis=0)
    _, axes = np.linalg.eigh(positions.T @ positions)
    positions = positions @ axes[:, ::-1]
    third = (positions**3).sum(axis=0)
    return positions * np.where(third < 0, -1, 1)


def _side_by_side(drawings: list[Positions], gap: float = 1.0) -> list[Positions]:
    """Move drawings into rows, as words on a page about as wide as high."""
    sizes = [np.ptp(drawing, axis=0) + gap for drawing in drawings]
    width = max([size[0] for size in sizes] + [1.3 * np.sqrt(sum(size[0] * size[1] for size in sizes))])
    placed, x, y, height = [], 0.0, 0.0, 0.0
    for drawing, size in zip(drawings, sizes, strict=True):
        if x + size[0] > width * (1 + 1e-9):
            x, y, height = 0.0, y - height, 0.0
        placed.append(drawing - [drawing[:, 0].min(), drawing[:, 1].max()] + [x, y])
        x, height = x + size[0], max(height, size[1])
    return placed
