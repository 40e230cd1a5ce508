"""An upper bound for heavy independent sets: prices of cliques, improved one clique at a time.

Result: an upper bound for the weight of all independent sets, mostly close to the optimum of the linear relaxation with
the constraints of the cliques.

Rule: let y(C) >= 0 be the price of each clique C. A set contains at most one vertex of each clique, so that

    w(I)  <=  sum of y(C) over all cliques  +  sum of max(0, w(v) - sum of y(C) for cliques C with v)  over all vertices

In the code: `_lower_prices` changes the prices, and `clique_bounds` adds up the bound.

Idea: any prices give a bound, so they need not be optimal. The best price of one clique, if all other prices are fixed,
is between the second largest and the largest remaining weight of its vertices. The middle is chosen: it leaves some
weight for the other cliques of the heaviest vertex. Sweeps over all cliques, in alternating directions, never raise the
bound. The cliques cover all edges: each edge that is not yet covered is extended to a maximal clique.

State: the remaining weight of each vertex, w(v) minus all prices, possibly negative. Prices are multiples of 2**-10,
and the bound is rounded down in the end.

Cost: to find a clique, a search in a row for each pair of a member and a common neighbor. A sweep reads all members of
all cliques. One thread. Work memory: up to 50 bytes per entry.

Sources: the pairwise form of block-coordinate ascent: A. Globerson, T. Jaakkola, "Fixing Max-Product: Convergent
Message Passing Algorithms for MAP LP-Relaxations", NIPS 2007; cliques of edges: L. T. Kou, L. J. Stockmeyer, C. K.
Wong, "Covering Edges by Cliques with Regard to Keyword Conflicts and Intersection Graphs", Communications of the ACM
21(2), 1978.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Bools, Int64s, Rows, Vertices, chunked, kernel, lower_bound, rule
from ..._core.runtime.partitioning import VERTICES_PER_CALL

_MIN_SWEEPS, _MAX_SWEEPS = 30, 300
_MAX_READ = 1 << 28  # members of cliques, if there are more than the minimum number of sweeps
_FRACTION_BITS = 10  # of prices; the bound is rounded down
_ROOM = 4  # the maximum number of members of cliques with more than two vertices, as a multiple of the entries
_CLIQUES, _MEMBERS = range(2)  # places in `counters`


class Cliques(NamedTuple):
    """Cliques, one after another."""

    starts: Int64s  # (cliques + 1,): the start of each clique in `members`
    members: Vertices


@rule(inline=False)
def _position(u, v, rows):
    """Return the position of v in the sorted row of u, or of the next larger entry."""
    return lower_bound(rows.indices, rows.indptr[u], rows.indptr[u + 1], v)


@rule(inline=False)
def _are_adjacent(u, v, rows):
    """Return whether u and v are adjacent, by searching the shorter of their rows."""
    if rows.indptr[u + 1] - rows.indptr[u] > rows.indptr[v + 1] - rows.indptr[v]:
        u, v = v, u
    e = _position(u, v, rows)
    return e < rows.indptr[u + 1] and rows.indices[e] == v


@kernel(by="single")
def _find_cliques(
    start: int, end: int, rows: Rows, covered: Bools, cliques: Cliques, common: Vertices, counters: Int64s
):
    """Extend each edge of a range of vertices that is not yet covered to a maximal clique."""
    for v in range(start, end):
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            if covered[e] or u < v:
                continue
            place = first = counters[_MEMBERS]
            cliques.members[place], cliques.members[place + 1] = v, u
            place += 2
            # The common neighbors of all members, from which the next member is taken.
            count = 0
            if place < _ROOM * rows.indices.size:
                for f in range(rows.indptr[v], rows.indptr[v + 1]):
                    x = rows.indices[f]
                    if x != u and _are_adjacent(u, x, rows):
                        common[count] = x
                        count += 1
            while count:
                member = common[0]
                cliques.members[place] = member
                place += 1
                kept = 0
                for i in range(1, count):
                    x = common[i]
                    if _are_adjacent(member, x, rows):
                        common[kept] = x
                        kept += 1
                count = kept
            for i in range(first, place):
                x = cliques.members[i]
                for k in range(first, place):
                    if i != k:
                        covered[_position(x, cliques.members[k], rows)] = True
            counters[_CLIQUES] += 1
            counters[_MEMBERS] = cliques.starts[counters[_CLIQUES]] = place


@kernel(by="single")
def _lower_prices(start: int, end: int, backward: int, cliques: Cliques, prices: Int64s, remaining: Int64s):
    """Choose the best prices of a range of cliques, one after another."""
    for i in range(start, end):
        c = end - 1 - (i - start) if backward else i
        first, last = cliques.starts[c], cliques.starts[c + 1]
        price = prices[c]
        largest = second = 0
        for k in range(first, last):
            weight = remaining[cliques.members[k]] + price
            if weight > largest:
                largest, second = weight, largest
            elif weight > second:
                second = weight
        change = (largest + second) // 2 - price
        if change != 0:
            prices[c] = price + change
            for k in range(first, last):
                remaining[cliques.members[k]] -= change


def find_cliques(indptr: Any, indices: Any) -> Cliques:
    """Return cliques that cover all edges of a graph with sorted rows."""
    entries = indices.size
    starts, members = np.zeros(entries // 2 + 1, np.int64), np.empty((_ROOM + 2) * entries, indices.dtype)
    common = np.empty(int((indptr[1:] - indptr[:-1]).max(initial=0)), indices.dtype)
    counters, covered = np.zeros(2, np.int64), np.zeros(entries, bool)
    for start, end in chunked(indptr.size - 1, VERTICES_PER_CALL):
        _find_cliques(start, end, Rows(indptr, indices), covered, Cliques(starts, members), common, counters)
    return Cliques(starts[: counters[_CLIQUES] + 1].copy(), members[: counters[_MEMBERS]].copy())


def clique_bounds(indptr: Any, indices: Any, weights: Any, count: int, labels: Any) -> Any:
    """Return upper bounds for the weight of independent sets in each component of a graph with sorted rows."""
    cliques = find_cliques(indptr, indices)
    fraction_bits = min(_FRACTION_BITS, 62 - int(weights.sum()).bit_length())
    prices, remaining = np.zeros(cliques.starts.size - 1, np.int64), weights << fraction_bits
    for sweep in range(min(max(_MAX_READ // (cliques.members.size + 1), _MIN_SWEEPS), _MAX_SWEEPS)):
        chunks = list(chunked(prices.size, VERTICES_PER_CALL))
        for start, end in reversed(chunks) if sweep % 2 else chunks:
            _lower_prices(start, end, sweep % 2, cliques, prices, remaining)
    bounds = np.zeros(count, np.int64)
    np.add.at(bounds, labels, np.maximum(remaining, 0))
    np.add.at(bounds, labels[cliques.members[cliques.starts[:-1]]], prices)
    return bounds >> fraction_bits
