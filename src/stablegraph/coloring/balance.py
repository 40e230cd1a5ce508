"""Color classes of even sizes: vertices move from large classes to small ones.

Result: a proper coloring with the same number of colors. With a level of n / K vertices, be it rounded up or down, no
vertex of a class above the level could still move to one below it.

Idea: rounds. In each, every vertex of a class above the level looks at its neighbours' colors and wishes for one of the
classes below the level that none of them is in; a hash says which. If neighbours wish for the same class, the larger
hash (then the larger id) has it. Of those left, in the order of their hashes, as many leave a class as are too many in
it, and as many come to one as there is room. All look at colors as they were before the round, so it is a function of
these. A set of 62 classes fits in a register; if there are more, rounds take turns with them. It ends when all of them
have had a round without a move. A move brings the sizes nearer to the level, so an end comes.

Cost: the edges of all vertices in classes above the level in each round; 2 to 20 rounds. Work memory: 8 to 12 bytes a
vertex, and some 50 for each one that wishes to move.

Compare: H. Lu, M. Halappanavar, D. Chavarría-Miranda, A. H. Gebremedhin, A. Panyala, A. Kalyanaraman, "Algorithms for
Balanced Graph Colorings with Applications in Parallel Computing", IEEE Transactions on Parallel and Distributed Systems
28(5), 2017.
"""

from __future__ import annotations

from typing import Any

from ..graph import Graph
from ..parallel import at, hash32, kernel
from ..parallel.device import array_module, device_of
from ..parallel.primitives import compact, histogram, sort_by_key

_WINDOW = 62  # classes to choose from in a round: bits in a signed word
_NO_WISH = -1


@kernel(by="edges")
def wish(v, indptr, indices, colors, surplus, place, width, draw, wishes):
    """Choose one of `width` classes for a vertex that may leave its own; place[c] is color c's place among them."""
    choice = _NO_WISH
    if surplus[at(colors[at(v)])] > 0:
        free = (1 << width) - 1
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            there = int(place[at(colors[at(indices[at(e)])])])
            if there >= 0:
                free &= ~(1 << there)
        if free:
            choice = hash32(v + draw) % width
            while not (free >> choice) & 1:
                choice = choice + 1 if choice + 1 < width else 0
    wishes[at(v)] = choice


@kernel
def keep_apart(i, movers, indptr, indices, draw, wishes, draws):
    """Note the hash of a vertex, or -1 if a neighbour with the same wish is ahead of it."""
    v = int(movers[i])
    own = hash32(v + draw)
    result = own
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        if wishes[at(u)] == wishes[at(v)]:
            other = hash32(u + draw)
            if other > own or (other == own and u > v):
                result = -1
    draws[i] = result


def is_even(colors: Any) -> bool:
    """Whether no class has two vertices more than another: nothing is left to move."""
    sizes = histogram(colors, int(colors.max()) + 1) if colors.size else colors
    return bool(sizes.size == 0 or int(sizes.max()) - int(sizes.min()) <= 1)


def even_out(graph: Graph, colors: Any) -> Any:
    """The coloring (int32, proper, no color empty) with its classes evened out."""
    colors = colors.copy()
    n = graph.num_vertices
    count = int(colors.max()) + 1 if n else 1
    number, moved = 0, count > 1
    while moved:
        moved = False
        for level in (-(-n // count), n // count):
            for first in range(0, count, _WINDOW):
                number += 1
                moved |= _round(graph, colors, count, level, first, hash32(number))
    return colors


def _round(graph: Graph, colors: Any, count: int, level: int, first: int, draw: int) -> bool:
    """Move vertices to the classes below the level, from the `first` of these on; say whether there were any."""
    xp = array_module(graph.device)
    n = graph.num_vertices
    sizes = histogram(colors, count)
    surplus = (sizes - level).clip(0)
    small = xp.flatnonzero(sizes < level)[first : first + _WINDOW].astype(xp.int32)
    if small.size == 0 or not bool(surplus.any()):
        return False
    place = xp.full(count, -1, xp.int32)
    place[small] = xp.arange(small.size)
    wishes = xp.empty(n, xp.int32)
    wish(n, graph.indptr, graph.indices, colors, surplus, place, int(small.size), draw, wishes)
    movers = compact(wishes != _NO_WISH)
    draws = xp.empty(movers.size, xp.int64)
    keep_apart(int(movers.size), movers, graph.indptr, graph.indices, draw, wishes, draws)
    ahead = draws >= 0
    movers = movers[ahead][sort_by_key(draws[ahead])]
    movers = movers[_first_of_each(colors[movers], surplus)]
    targets = small[wishes[movers]]
    chosen = _first_of_each(targets, level - sizes)
    colors[movers[chosen]] = targets[chosen]
    return bool(chosen.any())


def _first_of_each(groups: Any, most: Any) -> Any:
    """Say who is among the first ``most[g]`` of its group g."""
    order = sort_by_key(groups)
    sizes = histogram(groups, int(most.size))
    rank = array_module(device_of(groups)).empty(groups.size, "int64")
    rank[order] = array_module(device_of(groups)).arange(groups.size) - (sizes.cumsum() - sizes)[groups[order]]
    return rank < most[groups]
