"""The objectives, exact: sums of integers, and one division at the end.

Result: modularity, or the constant Potts objective, as a fraction. For weights that are no small integers, it is that
of fixed-point weights with 88 bits, or 132 in large graphs, so that its error is far below 1e-12. The Potts objective
is the difference of two sums; for its error to be small compared with these, only weights inside communities set the
unit.

Rule: modularity = inside / all - resolution * (sum of the squares of the masses of communities) / all**2, where
`inside` is the sum of the weights of the entries inside communities, and a loop counts twice; potts = inside / 2 -
resolution * (sum of s * (s - 1) / 2 for the sizes s of communities). In the code: `Score.value`.

Cost: a pass over the entries for each 44 bits. Work memory: 16 bytes per vertex.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import on_host
from .._core.runtime import Int32s, Int64Table, edge_chunk_bounds, kernel, worker_count
from .._core.runtime.device import array_module, device_of
from ..conversion import in_order
from ..graph import Graph
from .coarse_level import sums_by_part
from .cuda import rows as rows_cuda
from .level import Level, by_level, weight_of
from .weights import BITS, fixed_point, strengths_of, with_fixed_weights

_WIDTH = 8  # int64 of results per worker: a cache line
_LARGEST = 2**63 - 1
_MANY = 1 << 22  # entries whose rounding errors are too large in 88 bits if one weight is far above all others


class Score(NamedTuple):
    """The integers of an objective."""

    objective: str
    links: int  # the sum of all weights
    inside: int  # of those inside communities
    squares: int  # the sum of the squares of the masses of communities
    vertices: int
    unit: Fraction  # the weight 1 in the unit of `links` and `inside`

    def value(self, resolution: Fraction) -> Fraction:
        """Return the objective; the modularity of a graph without links is 0."""
        if self.objective == "cpm":
            return Fraction(self.inside, 2) / self.unit - resolution * Fraction(self.squares - self.vertices, 2)
        if self.links == 0:
            return Fraction(0)
        return Fraction(self.inside, self.links) - resolution * Fraction(self.squares, self.links**2)


@kernel(by="workers")
def sum_between(worker, workers, level: Level, label: Int32s, results: Int64Table):
    """Sum the weights of the entries between communities in a worker's share."""
    start, end = edge_chunk_bounds(level.indptr, level.indptr.size - 1, worker, workers)
    total = 0
    for v in range(start, end):
        for e in range(level.indptr[v], level.indptr[v + 1]):
            if label[level.indices[e]] != label[v]:
                total += weight_of(e, level.weights)
    results[worker, 0] = total


@by_level(rows_cuda.links_between)
def links_between(level: Level, label: Any) -> int:
    """Return the sum of the weights of the entries between communities."""
    device = device_of(label)
    workers = worker_count(device, int(label.size + level.indices.size))
    results = array_module(device).zeros((workers, _WIDTH), np.int64)
    sum_between(workers, level, label, results)
    return int(results[:, 0].sum())


def sum_of_squares(masses: Any) -> int:
    """Return the sum of the squares of numbers below 2**48 as a Python integer."""
    if int(masses.sum()) ** 2 <= _LARGEST:  # which the sum of squares does not exceed
        return int((masses * masses).sum())
    parts = [masses & 0xFFFF, (masses >> 16) & 0xFFFF, masses >> 32]
    return sum(int((parts[i] * parts[j]).sum()) << (16 * (i + j)) for i in range(3) for j in range(3))


def exact_score(graph: Graph, labels: Any, objective: str) -> Score:
    """Return the integers of an objective for a graph and labels below its number of vertices.

    Weights are split into fixed-point numbers: one as in weights.py, and one or two for the remainders.
    """
    xp = graph.xp
    weights, shift = xp.empty(0, np.int64), 0
    if graph.weights is not None:
        with_fixed_weights(graph)  # checks them
        values = graph.weights
        if objective == "cpm":
            values = xp.where(labels[graph._rows()] == labels[graph.indices], values, values.dtype.type(0))
        weights, shift = fixed_point(values)
    elif graph.has_duplicates:
        graph = in_order(graph)
    n, ones, rounded = graph.num_vertices, xp.ones(graph.num_vertices, np.int64), shift != 0
    links, inside, masses = _sums(Level(graph.indptr, graph.indices, weights, ones, ones[:0]), labels)
    remainders = xp.ldexp(values.astype(np.float64), shift) if rounded else weights
    for _ in range(rounded + (rounded and weights.size >= _MANY)):
        remainders = xp.ldexp(remainders - weights, BITS)
        weights = xp.rint(remainders).astype(np.int64)
        lower = _sums(Level(graph.indptr, graph.indices, weights, ones, ones[:0]), labels)
        links, inside = (links << BITS) + lower[0], (inside << BITS) + lower[1]
        masses = on_host(masses).astype(object) * (1 << BITS) + on_host(lower[2])
        shift += BITS
    if objective == "cpm":
        masses, rounded = xp.bincount(labels, minlength=n), False
    squares = int((masses * masses).sum()) if rounded else sum_of_squares(masses)
    return Score(objective, links, inside, squares, n, Fraction(2) ** shift)


def as_float(objective: Fraction) -> float:
    """Return an objective, rounded once."""
    try:
        return float(objective)
    except OverflowError:
        raise ValueError(
            "the objective is larger than the largest float64, 1.8e308; scale the weights and the resolution down"
        ) from None


def _sums(level: Level, labels: Any) -> tuple[int, int, Any]:
    """Return the sum of all weights, with loops twice, of those inside communities, and the masses of communities."""
    strengths = strengths_of(level)
    links = int(strengths.sum())
    return links, links - links_between(level, labels), sums_by_part(strengths, labels, int(labels.size))
