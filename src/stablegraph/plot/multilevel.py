"""Layouts of graphs, with small components in a strip below the large ones: by stress, or by eigenvectors.

For "stress", a connected graph is coarsened by aggregates until few vertices remain. These are placed by classical
scaling of their distances. Then, level by level, each vertex starts at the position of its aggregate, all are spread a
little, and rounds of stress minimization improve the positions. Few rounds suffice, since the coarse levels have
arranged the graph on a large scale.

Stress minimization reduces the difference between distances on paper and in the graph. Every vertex is moved towards
its graph distance from its neighbors, from some vertices two steps away, and from a few near and far pivots, which
represent all other vertices (sparse stress). A round moves each vertex to the weighted mean of the positions that these
distances demand, computed from the positions before the round. All vertices move at once, so nothing depends on the
schedule, and sums have a fixed order.

Cost of a round: 2 to 3 nanoseconds per pull on one thread. There are at most three pulls per entry of the graph, and
one per vertex and pivot. Work memory: 36 bytes per entry, and 8 per vertex and pivot.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from .._core.option_names import Layout
from .._core.runtime import Float32s, Float32Table, Float64Table, Int32s, Int64s, kernel
from .._core.unknown_options import suggests_options
from .._core.validation import choice
from ..coarsening.api import aggregate, coarse_graph
from ..components.api import connected_components
from ..conversion import as_graph
from ..graph import Graph
from ..laplacians.api import spectral_embedding
from ..traversal.api import breadth_first_search

Positions = npt.NDArray[np.float64]

_TINY = 1e-9  # minimum length, to avoid a division by zero


class Pulls(NamedTuple):
    """Pairs of vertices with a desired distance, in CSR form."""

    indptr: Int64s  # (n + 1,)
    other: Int32s  # the other vertex
    length: Float32s  # the desired distance
    weight: Float32s  # the weight of the pull


class Pivots(NamedTuple):
    """A few vertices with desired distances to all other vertices."""

    vertices: Int32s  # (p,)
    length: Float32Table  # (n, p)
    weight: Float32Table  # (n, p), 0 for neighbors, which are among the pulls


@kernel(by="edges")
def _move_to_mean(v, pulls: Pulls, pivots: Pivots, before: Float64Table, after: Float64Table):
    """Move v to the weighted mean of the positions that its pulls and pivots demand."""
    x, y = before[v, 0], before[v, 1]
    to_x, to_y, total = 0.0, 0.0, 0.0
    for e in range(pulls.indptr[v], pulls.indptr[v + 1]):
        u, weight = pulls.other[e], pulls.weight[e]
        away_x, away_y = x - before[u, 0], y - before[u, 1]
        stretch = pulls.length[e] / max(sqrt(away_x * away_x + away_y * away_y), _TINY)
        to_x += weight * (before[u, 0] + stretch * away_x)
        to_y += weight * (before[u, 1] + stretch * away_y)
        total += weight
    for p in range(pivots.vertices.size):
        u, weight = pivots.vertices[p], pivots.weight[v, p]
        away_x, away_y = x - before[u, 0], y - before[u, 1]
        stretch = pivots.length[v, p] / max(sqrt(away_x * away_x + away_y * away_y), _TINY)
        to_x += weight * (before[u, 0] + stretch * away_x)
        to_y += weight * (before[u, 1] + stretch * away_y)
        total += weight
    after[v, 0] = to_x / total
    after[v, 1] = to_y / total


def relax(pulls: Pulls, pivots: Pivots, positions: Positions, rounds: int) -> Positions:
    """Return the positions after `rounds` rounds."""
    before, after = np.ascontiguousarray(positions, np.float64), np.empty_like(positions)
    for _ in range(rounds):
        _move_to_mean(len(before), pulls, pivots, before, after)
        before, after = after, before
    return before


def pulls_of(graph: Graph) -> Pulls:
    """Return the pulls of a simple, sorted graph: its edges, and pairs of consecutive vertices in a row.

    Such a pair has a common neighbor, so its distance is two if it is not an edge. These pulls spread the leaves of a
    vertex around it; all leaves have the same distances to the pivots.
    """
    n = graph.num_vertices
    rows, columns = graph._rows().astype(np.int64), graph.indices.astype(np.int64)
    repeats = np.flatnonzero(rows[1:] == rows[:-1])
    pairs = np.unique(
        np.minimum(columns[repeats], columns[repeats + 1]) * n + np.maximum(columns[repeats], columns[repeats + 1])
    )
    pairs = pairs[~np.isin(pairs, rows * n + columns, assume_unique=True)]
    low, high = np.divmod(pairs, n)
    u = np.concatenate([rows, low, high])
    order = np.argsort(u, kind="stable")
    other = np.concatenate([columns, high, low])[order].astype(np.int32)
    length = np.concatenate([np.ones(rows.size), np.full(2 * pairs.size, 2.0)])[order].astype(np.float32)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=n))])
    return Pulls(indptr, other, length, np.reciprocal(length**2))


def pivots_of(graph: Graph, count: int) -> Pivots:
    """Return pivots of a connected graph, each the farthest from the earlier ones; the first has maximum degree.

    The weight of a pivot for a vertex is the number of vertices in the pivot's region that are at most half as far from
    the pivot as the vertex is. A region consists of the vertices whose nearest pivot it is.
    """
    n = graph.num_vertices
    count = min(n, count)
    vertices = np.zeros(count, np.int32)
    length = np.empty((count, n), np.float32)
    nearest, region = np.full(n, np.inf, np.float32), np.zeros(n, np.int32)
    for p in range(count):
        vertices[p] = graph.degrees.argmax() if p == 0 else nearest.argmax()
        length[p] = breadth_first_search(graph, int(vertices[p]))[0]
        region[length[p] < nearest] = p
        np.minimum(nearest, length[p], out=nearest)
    weight = np.empty_like(length)
    for p in range(count):
        inner = np.sort(length[p, region == p])
        weight[p] = np.searchsorted(inner, length[p] / 2, side="right")
    weight[length <= 1] = 0
    weight /= np.maximum(length, 1) ** 2
    return Pivots(vertices, np.ascontiguousarray(length.T), np.ascontiguousarray(weight.T))


def at_scale(pulls: Pulls, pivots: Pivots, positions: Positions) -> Positions:
    """Scale the positions such that their stress is minimal."""
    rows = np.repeat(np.arange(len(positions)), np.diff(pulls.indptr))
    near = np.hypot(*(positions[rows] - positions[pulls.other]).T)
    desired, actual = (pulls.weight * pulls.length * near).sum(), (pulls.weight * near**2).sum()
    for p, pivot in enumerate(pivots.vertices):
        far = np.hypot(*(positions - positions[pivot]).T)
        desired += (pivots.weight[:, p] * pivots.length[:, p] * far).sum()
        actual += (pivots.weight[:, p] * far**2).sum()
    return positions * (desired / actual if actual > 0 else 1.0)


_MAX_COARSEST = 200  # maximum number of vertices of the coarsest level, which all are pivots
_PIVOTS = 100  # number of pivots on the other levels
_ROUNDS_AT_FIRST, _ROUNDS = 150, 40
_MAX_LEFT = 0.8  # a level with a larger fraction of the finer level's vertices is useless; that one is the coarsest
_GOLDEN = 2.399963  # the golden angle in radians: points at its multiples keep apart
_LARGE = 0.1  # a component with at least this fraction of the largest one's vertices is large


@suggests_options
def layout(graph: Any, method: Layout = "stress") -> Positions:
    """Compute positions for drawing a graph, with distances on paper close to distances in the graph.

    >>> import stablegraph as sg
    >>> sg.plot.layout(sg.gallery.grid((3,))).shape
    (3, 2)

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Loops, duplicates and weights are ignored; so are the directions of a directed Graph.
    method : "stress", "spectral" or "resistance"
        - "stress": distances on paper are close to the lengths of shortest paths;
        - "spectral": the coordinates of `spectral_embedding`: each vertex is near the mean of its neighbors, and parts
          that few edges connect to the graph are far outside;
        - "resistance": eigenvectors of L x = lambda x, divided by the square roots of lambda. Squared distances are the
          part of the effective resistances that two coordinates can show.

    Returns
    -------
    ndarray of float64, shape (n, 2)
        Edges of the largest component are about one unit long, on average. Connected components are next to each other,
        the largest one first. Those with less than a tenth of its vertices are in a strip below. They are scaled down
        such that their vertices have no more room than those of the largest component.

    Notes
    -----
    "stress": sparse stress minimization [1]_. Every vertex is moved towards its graph distance from its neighbors, from
    some vertices two steps away and from 100 pivots, on each of several levels. On the coarsest level the rounds start
    from classical scaling of the distances to pivots [2]_, on each other level from the next coarser one, made by
    `aggregate`. The other methods need two eigenvectors. The layout is deterministic on the same machine: no sum
    depends on the number of threads. By stress, a planar triangulation with 10,000 vertices takes a second on two
    cores, one with 100,000 vertices about ten. Work memory: 0.8 kB per vertex and 100 bytes per entry.

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
    choice(method, "method", get_args(Layout))
    graph = simple_graph(graph if isinstance(graph, Graph) else as_graph(graph))
    if graph.num_vertices == 0:
        return np.zeros((0, 2))
    count, component = connected_components(graph)
    sizes = np.bincount(component, minlength=count)
    parts = np.split(np.argsort(component, kind="stable"), np.cumsum(sizes)[:-1])
    parts.sort(key=lambda part: (-part.size, part[0]))
    draw = _by_stress if method == "stress" else partial(_by_eigenvectors, method == "spectral")
    drawings = [draw(graph if count == 1 else graph.subgraph(part)) if part.size > 2 else _row(part) for part in parts]
    positions = np.zeros((graph.num_vertices, 2))
    positions[np.concatenate(parts)] = np.concatenate(_on_a_page(drawings))
    return positions


def simple_graph(graph: Graph) -> Graph:
    """Return the graph in host memory, undirected and sorted, without weights, loops and duplicates."""
    plain = as_graph(graph, symmetrize=True, weights=False) if graph.directed else graph._replace(weights=None)
    return plain.to("cpu").simple()


def edges_once(graph: Graph) -> tuple[Any, Any]:
    """Return the two ends of each edge, the smaller one first."""
    simple = simple_graph(graph)
    rows, columns = simple._rows(), simple.indices
    once = rows < columns
    return rows[once], columns[once]


def _row(part: npt.NDArray[np.int64]) -> Positions:
    """Return positions of one vertex, or of two adjacent ones."""
    return np.column_stack([np.arange(part.size), np.zeros(part.size)])


def _by_eigenvectors(normalized: bool, graph: Graph) -> Positions:
    """Compute positions of a connected graph with at least three vertices from two eigenvectors of its Laplacian."""
    values, positions = spectral_embedding(graph, 2, normalized=normalized)
    if not normalized:
        positions = positions / np.sqrt(values)
    u, v = edges_once(graph)
    return _upright(positions / np.hypot(*(positions[u] - positions[v]).T).mean())


def _by_stress(graph: Graph) -> Positions:
    """Compute positions of a connected graph with at least three vertices, level by level."""
    finer = []  # graphs with the aggregates of their vertices
    while graph.num_vertices > _MAX_COARSEST:
        count, labels = aggregate(graph)
        if not 3 <= count <= _MAX_LEFT * graph.num_vertices:
            break
        finer.append((graph, labels))
        graph = coarse_graph(graph, labels)
    pulls, pivots = pulls_of(graph), pivots_of(graph, _MAX_COARSEST)
    positions = relax(pulls, pivots, _classical_scaling(pivots.length), _ROUNDS_AT_FIRST)
    for graph, labels in reversed(finer):
        pulls, pivots = pulls_of(graph), pivots_of(graph, _PIVOTS)
        start = at_scale(pulls, pivots, _spread_around_aggregates(graph, positions, labels))
        positions = relax(pulls, pivots, start, _ROUNDS)
    return _upright(positions)


def _classical_scaling(distances: npt.NDArray[np.float32]) -> Positions:
    """Compute two coordinates per vertex from distances (n, pivots): the main directions of the centered squares."""
    squares = distances.astype(np.float64) ** 2
    far = np.sqrt(squares.mean())
    squares = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    _, vectors = np.linalg.eigh(squares.T @ squares)
    start: Positions = squares @ vectors[:, :-3:-1]
    spread = np.sqrt((start**2).mean(axis=0))
    start = start / np.where(spread > 0, spread, 1) * far
    # Vertices with equal distances (twins, leaves of one vertex) would stay together: shift each a little differently.
    return start + 0.05 * _directions(np.arange(len(start)))


def _directions(numbers: npt.NDArray[np.int64]) -> Positions:
    """Return a direction for each number; close numbers have very different directions."""
    return np.column_stack([np.cos(numbers * _GOLDEN), np.sin(numbers * _GOLDEN)])


def _spread_around_aggregates(graph: Graph, positions: Positions, labels: npt.NDArray[np.int64]) -> Positions:
    """Place each vertex in a small disc around its aggregate, and then halfway to the mean of its neighbors."""
    sizes = np.bincount(labels)
    order = np.argsort(labels, kind="stable")
    rank = np.empty(labels.size, np.int64)  # within its aggregate
    rank[order] = np.arange(labels.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    room = np.ptp(positions, axis=0).max() / np.sqrt(sizes.size)
    start = positions[labels] + (0.3 * room * np.sqrt(rank / sizes[labels]))[:, None] * _directions(rank)
    rows = graph._rows()
    means = [np.bincount(rows, along[graph.indices], minlength=labels.size) for along in start.T]
    begun: Positions = (start + np.column_stack(means) / np.diff(graph.indptr)[:, None]) / 2
    return begun


def _upright(positions: Positions) -> Positions:
    """Center the positions, rotate the longer side to the horizontal, and select one of the four reflections."""
    positions = positions - positions.mean(axis=0)
    _, axes = np.linalg.eigh(positions.T @ positions)
    positions = np.asarray(positions @ axes[:, ::-1], np.float64)
    third = (positions**3).sum(axis=0)
    positions *= np.where(third < 0, -1.0, 1.0)
    return positions


def _on_a_page(drawings: list[Positions]) -> list[Positions]:
    """Arrange drawings without overlap: large ones in rows, small ones in a strip of the same width below."""
    room = _room(drawings[0])
    large = [drawing for drawing in drawings if len(drawing) >= max(_LARGE * len(drawings[0]), 2)] or drawings[:1]
    small = [drawing * min(1.0, np.sqrt(room / _room(drawing))) for drawing in drawings[len(large) :]]
    above = _in_rows(large, 1.0)
    if not small:
        return above
    corner, across = np.concatenate(above).min(axis=0), np.ptp(np.concatenate(above)[:, 0])
    gap = 1.5 * min(1.0, np.sqrt(room))
    below = _in_rows(small, gap, across)
    return above + [drawing + corner - [0, max(gap, 1.0)] for drawing in below]


def _room(drawing: Positions) -> float:
    """Return the area per vertex; lines count as one unit wide."""
    wide, high = np.maximum(np.ptp(drawing, axis=0), 1.0)
    return float(wide * high / len(drawing))


def _in_rows(drawings: list[Positions], gap: float, width: float = 0.0) -> list[Positions]:
    """Arrange drawings in rows of at least this width; if they need more room, about as wide as high."""
    sizes = [np.ptp(drawing, axis=0) + gap for drawing in drawings]
    area = sum(float(wide * high) for wide, high in sizes)
    width = max(width + gap, max(float(wide) for wide, _ in sizes), 1.3 * np.sqrt(area) if width == 0 else area**0.5)
    placed, x, y, height = [], 0.0, 0.0, 0.0
    for drawing, (wide, high) in zip(drawings, sizes, strict=True):
        if x + wide > width * (1 + 1e-9):
            x, y, height = 0.0, y - height, 0.0
        placed.append(drawing - [drawing[:, 0].min(), drawing[:, 1].max()] + [x, y])
        x, height = x + float(wide), max(height, float(high))
    return placed
