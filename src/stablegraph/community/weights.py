"""The first level of the hierarchy: a graph with 64-bit fixed-point weights.

Result: integers in proportion to the weights, whose sums are the same in every order; a function of the multiset of the
weights.

Rule: integer weights stay as they are if (number of entries) x (largest weight) <= 2**44. All other weights are
multiplied by the power of two for which that product is in (2**43, 2**44], and rounded to the nearest integer, ties to
even. In the code: `shift_of`, and `fixed_point`.

Idea: sums of masses and of links are then below 2**46, so they convert to float64 exactly. The power of two depends on
the largest weight and on the number of entries only, not on a floating-point sum. Integers and floats with equal values
give the same communities, because no later comparison depends on a common power of two (rules.py).

Entries of weight 0 (also after rounding) are dropped: they are no links. Loops are dropped after they have been counted
in the masses, twice as in the literature: their weight has no influence on where a vertex should be. Repeated entries
count once without weights; with weights they are summed.

Cost: two passes over the weights, and one for the masses. Work memory: 8 bytes per entry for weights, and a copy of the
graph if it has loops or weights of 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._core.csr.arrays import on_host
from .._core.runtime import Int64s, kernel
from .._core.runtime.device import array_module, device_of
from .._core.runtime.primitives import exclusive_scan
from .._core.validation import short_repr
from .._core.vertex_names import shown_entry
from ..conversion import in_order
from ..forest.weights import check_type, checked
from ..graph import Graph
from .cuda import rows as rows_cuda
from .level import Level, by_level, weight_of

BITS = 44  # of the product of the number of entries and the largest weight


class Base(NamedTuple):
    """The first level, and the numbers that the objective needs."""

    level: Level
    shift: int  # weights were multiplied by 2**shift
    links: int  # the sum of the weights of all entries, with loops twice


@kernel(by="edges")
def sum_strengths(v, level: Level, strengths: Int64s):
    """Sum the weights of the entries of v; a loop counts twice."""
    total = 0
    for e in range(level.indptr[v], level.indptr[v + 1]):
        weight = weight_of(e, level.weights)
        total += 2 * weight if level.indices[e] == v else weight
    strengths[v] = total


@by_level(rows_cuda.strengths_of)
def strengths_of(level: Level) -> Any:
    """Return the sum of the weights of each row; a loop counts twice."""
    strengths = np.empty(level.mass.size, np.int64)
    sum_strengths(int(level.mass.size), level, strengths)
    return strengths


def shift_of(entries: int, largest: Any) -> int:
    """Return the power of two: (2**43 <) entries * largest * 2**shift <= 2**44."""
    mantissa, exponent = np.frexp(np.float64(largest))
    product = float(mantissa) * entries  # exact below 2**53 for most weights; rounded the same way everywhere
    more, above = np.frexp(product)
    return BITS - int(exponent) - int(above) + int(more == 0.5)


def fixed_point(weights: Any) -> tuple[Any, int]:
    """Return the weights as integers, and their shift."""
    xp = array_module(device_of(weights))
    largest = weights.max().item() if weights.size else 0
    if largest == 0:
        return xp.zeros(weights.size, np.int64), 0
    shift = shift_of(int(weights.size), largest)
    if weights.dtype.kind in "biu" and shift >= 0:
        return weights.astype(np.int64), 0
    return xp.rint(xp.ldexp(weights.astype(np.float64), shift)).astype(np.int64), shift


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
        sums = sp.csr_array((on_host(fixed), host.indices, host.indptr), shape=(graph.num_vertices,) * 2, copy=True)
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
        kept = indices != graph._rows()
        if weights.size:
            kept &= weights > 0
        ends = exclusive_scan(kept.view(np.uint8))
        level = level._replace(indptr=ends[indptr].astype(indptr.dtype), indices=indices[kept])
        level = level._replace(weights=weights[kept] if weights.size else weights)
    if objective == "modularity":
        level = level._replace(mass=strengths)
    return Base(level, shift, int(strengths.sum()))
