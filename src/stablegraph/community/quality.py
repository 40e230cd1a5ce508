"""Fixed-point weights, the first level of the hierarchy, and the objectives: exact sums of integers.

Result: weights as integers, in proportion to the given ones; their sums are the same in every order. They are a
function of the multiset of the weights. Modularity, or the constant Potts objective, as a fraction: for weights that
are no small integers, it is that of fixed-point weights with 88 bits, or 132 in large graphs, so that its error is far
below 1e-12. The Potts objective is the difference of two sums; for its error to be small compared with these, only
weights inside communities set the unit.

Rule: integer weights stay as they are if (number of entries) x (largest weight) <= 2**44. All other weights are
multiplied by the power of two for which that product is in (2**43, 2**44], and rounded to the nearest integer, ties to
even. In the code: `shift_of`, and `fixed_point`.

modularity = inside / all - resolution * (sum of the squares of the masses of communities) / all**2, where `inside` is
the sum of the weights of the entries inside communities, and a loop counts twice; potts = inside / 2 - resolution *
(sum of s * (s - 1) / 2 for the sizes s of communities). In the code: `Score.value`.

Idea: sums of masses and of links are then below 2**46, so they convert to float64 exactly. The power of two depends on
the largest weight and on the number of entries only, not on a floating-point sum. Integers and floats with equal values
give the same communities, because no later comparison depends on a common power of two (rules.py).

Entries of weight 0 (also after rounding) are dropped: they are no links. Loops are dropped after they have been counted
in the masses, twice as in the literature: their weight has no influence on where a vertex should be. Repeated entries
count once without weights; with weights they are summed.

Cost: two passes over the weights, and one for the masses; a pass over the entries for each 44 bits of an objective.
Work memory: 8 bytes per entry for weights, 16 bytes per vertex, and a copy of the graph if it has loops or weights of
0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy

from .._core.csr.arrays import on_host
from .._core.runtime import Int32s, Int64s, Int64Table, edge_chunk_bounds, kernel, rule, worker_count
from .._core.runtime.device import array_module, device_of
from .._core.runtime.partitioning import APART
from .._core.runtime.primitives import exclusive_scan
from .._core.texts import short_repr
from .._core.vertex_names import shown_entry
from ..conversion import in_order
from ..forest.weights import check_type, checked
from ..graph import Graph
from .coarse_level import sum_weights, sums_by_part
from .cuda import rows as rows_cuda
from .rules import Level, by_level, weight_of

BITS = 44  # of the product of the number of entries and the largest weight
_LARGEST = 2**63 - 1
_MANY = 1 << 22  # entries whose rounding errors are too large in 88 bits if one weight is far above all others


# ---- The first level


class Base(NamedTuple):
    """The first level, and the numbers that the objective needs."""

    level: Level
    shift: int  # weights were multiplied by 2**shift
    links: int  # the sum of the weights of all entries, with loops twice


@by_level(rows_cuda.strengths_of)
def strengths_of(level: Level) -> Any:
    """Return the sum of the weights of each row; a loop counts twice."""
    strengths = np.empty(level.mass.size, np.int64)
    sum_weights(int(level.mass.size), level, np.empty(0, np.int32), strengths)
    return strengths


@rule
def is_link(e, v, level):
    """Return whether entry e of v is no loop, and has a positive weight."""
    return level.indices[e] != v and weight_of(e, level.weights) > 0


@kernel(by="edges")
def count_links(v, level: Level, counts: Int64s):
    """Count the links of v."""
    count = 0
    for e in range(level.indptr[v], level.indptr[v + 1]):
        count += is_link(e, v, level)
    counts[v] = count


@kernel(by="edges")
def copy_links(v, level: Level, links: Level):
    """Copy the links of v to another level."""
    place = links.indptr[v]
    for e in range(level.indptr[v], level.indptr[v + 1]):
        if is_link(e, v, level):
            links.indices[place] = level.indices[e]
            if links.weights.size:
                links.weights[place] = level.weights[e]
            place += 1


@by_level(rows_cuda.only_links)
def only_links(level: Level) -> Level:
    """Return the level without loops and entries of weight 0."""
    n, counts = int(level.mass.size), np.empty_like(level.mass)
    count_links(n, level, counts)
    indptr = exclusive_scan(counts, narrow=level.indptr.itemsize == 4)
    entries = int(indptr[-1])
    weights = np.empty(entries if level.weights.size else 0, np.int64)
    links = level._replace(indptr=indptr, indices=np.empty(entries, level.indices.dtype), weights=weights)
    copy_links(n, level, links)
    return links


def shift_of(entries: int, largest: Any) -> int:
    """Return the power of two: (2**43 <) entries * largest * 2**shift <= 2**44."""
    mantissa, exponent = np.frexp(np.float64(largest))
    product = float(mantissa) * entries  # exact below 2**53 for most weights; rounded the same way everywhere
    more, above = np.frexp(product)
    return BITS - int(exponent) - int(above) + int(more == 0.5)


def fixed_point(weights: Any) -> tuple[Any, int]:
    """Return the weights as integers, and their shift."""
    shift = shift_for(weights, int(weights.size), largest_of(weights))
    return shifted(weights, shift), shift


def largest_of(weights: Any) -> Any:
    """Return the largest weight as a number, or 0."""
    return weights.max().item() if weights.size else 0


def shift_for(weights: Any, entries: int, largest: Any) -> int:
    """Return the shift of weights; 0 for integers that remain as they are."""
    shift = shift_of(entries, largest) if largest else 0
    return 0 if weights.dtype.kind in "biu" and shift >= 0 else shift


def shifted(weights: Any, shift: int) -> Any:
    """Return weights as integers."""
    if weights.dtype.kind in "biu" and shift == 0:
        return weights.astype(np.int64)
    xp = array_module(device_of(weights))
    return xp.rint(xp.ldexp(weights.astype(np.float64), shift)).astype(np.int64)


def with_fixed_weights(graph: Graph) -> tuple[Graph, int]:
    """Return the graph with integer weights and no repeated entries, and their shift.

    ValueError is raised for weights that are not finite, negative, or not equal in both directions.
    """
    weights = graph.weights
    check_type(weights.dtype)
    wrong = ~((weights >= 0) & (weights < np.inf)) if weights.dtype.kind == "f" else weights < 0
    if wrong.any():
        e, host = int(wrong.argmax()), graph.to("cpu")
        u = int(np.searchsorted(host.indptr, e, side="right")) - 1
        raise ValueError(
            f"the weight of entry {shown_entry(u, host.indices[e], graph.nodes)} is {short_repr(weights[e].item())}, "
            "but communities need finite weights that are not negative; drop the entry, or pass as_graph(graph, "
            "weights=False)"
        )
    fixed, shift = fixed_point(weights)
    if graph.has_duplicates:
        host = graph.to("cpu")
        sums = scipy.sparse.csr_array(
            (on_host(fixed), host.indices, host.indptr), shape=(graph.num_vertices,) * 2, copy=True
        )
        sums.sum_duplicates()
        merged = Graph._trusted(sums.indptr, sums.indices, sums.data, nodes=graph.nodes)
        checked(merged, False)
        return merged.to(graph.device), shift
    checked(graph, False)
    return graph._replace(weights=fixed), shift


def base_level(graph: Graph, objective: str, limited: bool) -> Base:
    """Build the first level of an undirected graph; with `limited`, communities have a maximum size."""
    shift = 0
    if graph.weights is not None:
        graph, shift = with_fixed_weights(graph)
    elif graph.has_duplicates:
        graph = in_order(graph)
    n, indptr, indices = graph.num_vertices, graph.indptr, graph.indices
    weights = graph.xp.empty(0, np.int64) if graph.weights is None else graph.weights
    sizes = graph.xp.ones(n, np.int64)
    level = Level(indptr, indices, weights, sizes, sizes if limited else sizes[:0])
    strengths = strengths_of(level)
    if graph.has_loops or (weights.size and not weights.all()):
        level = only_links(level)
    if objective == "modularity":
        level = level._replace(mass=strengths)
    return Base(level, shift, int(strengths.sum()))


# ---- Objectives

Sums = tuple[int, int, Any]  # of all weights, of those inside communities, and the masses of communities


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
    results = array_module(device).zeros((workers, APART), np.int64)
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

    Weights are split into fixed-point numbers: one as above, and one or two for the remainders.
    """
    xp = graph.xp
    weights, shift = xp.empty(0, np.int64), 0
    values = weights
    if graph.weights is not None:
        with_fixed_weights(graph)  # checks them
        values = graph.weights
        if objective == "cpm":
            values = xp.where(labels[graph._rows()] == labels[graph.indices], values, values.dtype.type(0))
        weights, shift = fixed_point(values)
    elif graph.has_duplicates:
        graph = in_order(graph)
    return score_of(digits(graph, labels, values, weights, shift), graph, labels, objective, shift)


def digits(graph: Graph, labels: Any, values: Any, weights: Any, shift: int, entries: int = 0) -> list[Sums]:
    """Return the sums of the fixed-point weights of some values, and of one or two fixed-point remainders.

    `entries`: the number of entries of the whole graph, of which `graph` has some rows.
    """
    xp, n, many = graph.xp, graph.num_vertices, max(entries, int(weights.size)) >= _MANY
    ones, result = xp.ones(n, np.int64), []
    remainders = xp.ldexp(values.astype(np.float64), shift) if shift else weights
    for digit in range(1 + (shift != 0) + (shift != 0 and many)):
        if digit:
            remainders = xp.ldexp(remainders - weights, BITS)
            weights = xp.rint(remainders).astype(np.int64)
        result.append(_sums(Level(graph.indptr, graph.indices, weights, ones, ones[:0]), labels))
    return result


def score_of(sums: list[Sums], graph: Graph, labels: Any, objective: str, shift: int) -> Score:
    """Return the integers of an objective, from the sums of each digit."""
    (links, inside, masses), *more = sums
    rounded = bool(more)
    for lower in more:
        links, inside = (links << BITS) + lower[0], (inside << BITS) + lower[1]
        masses = on_host(masses).astype(object) * (1 << BITS) + on_host(lower[2])
        shift += BITS
    if objective == "cpm":
        masses, rounded = graph.xp.bincount(labels, minlength=graph.num_vertices), False
    squares = int((masses * masses).sum()) if rounded else sum_of_squares(masses)
    return Score(objective, links, inside, squares, graph.num_vertices, Fraction(2) ** shift)


def as_float(objective: Fraction) -> float:
    """Return an objective, rounded once."""
    try:
        return float(objective)
    except OverflowError:
        raise ValueError(
            "the objective is larger than the largest float64, 1.8e308; scale the weights and the resolution down"
        ) from None


def _sums(level: Level, labels: Any) -> Sums:
    """Return the sum of all weights, with loops twice, of those inside communities, and the masses of communities."""
    strengths = strengths_of(level)
    links = int(strengths.sum())
    return links, links - links_between(level, labels), sums_by_part(strengths, labels, int(labels.size))
