"""All tiny graphs, each identified by a number.

================================================  =============
all graphs of up to 6 vertices                           33,868
all directed ones of up to 4                              4,166
all graphs of up to 4 vertices with loops                 1,098
all directed ones of up to 3 with loops                     530
all of up to 3 where each pair, or each loop,
is an edge never, once or twice                             759
================================================  =============

The digits of a number are the multiplicities of the possible edges: the pairs of vertices and the loops. Graphs are
labeled: two isomorphic graphs with different labels both count. A case can combine many of them into one graph with
disjoint parts, of which most answers are those of the parts. All tiny graphs are then tested in minutes; with one call
for each graph it takes hours.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, combinations, combinations_with_replacement, permutations, product
from typing import NamedTuple

from .input_graphs import Edges, InputGraph


class Family(NamedTuple):
    """All graphs of n vertices in which each possible edge has one of `kinds` multiplicities."""

    n: int
    directed: bool
    places: Edges
    kinds: int

    @property
    def size(self) -> int:
        return self.kinds ** len(self.places)


def _families() -> list[Family]:
    families = [Family(n, False, list(combinations(range(n), 2)), 2) for n in range(7)]
    families += [Family(n, False, list(combinations_with_replacement(range(n), 2)), 2) for n in range(1, 5)]
    families += [Family(n, False, list(combinations_with_replacement(range(n), 2)), 3) for n in range(1, 4)]
    families += [Family(n, True, list(permutations(range(n), 2)), 2) for n in range(5)]
    families += [Family(n, True, list(product(range(n), repeat=2)), 2) for n in range(1, 4)]
    return families


_FAMILIES = _families()
_ENDS = list(accumulate(family.size for family in _FAMILIES))
COUNT = _ENDS[-1]


def tiny(number: int) -> InputGraph:
    """Return the tiny graph of a number below `COUNT`."""
    place = bisect_right(_ENDS, number)
    family = _FAMILIES[place]
    remaining = number - (_ENDS[place - 1] if place else 0)
    edges: Edges = []
    for edge in family.places:
        remaining, copies = divmod(remaining, family.kinds)
        edges += [edge] * copies
    return InputGraph(family.n, edges, directed=family.directed)


def beside(numbers: range) -> InputGraph:
    """Combine the tiny graphs of some numbers into one; if some are directed, undirected edges become two arcs."""
    graphs = [tiny(number) for number in numbers if number < COUNT]
    directed = any(graph.directed for graph in graphs)
    n = 0
    edges: Edges = []
    for graph in graphs:
        edges += [(u + n, v + n) for u, v in graph.edges]
        if directed and not graph.directed:
            edges += [(v + n, u + n) for u, v in graph.edges if u != v]
        n += graph.n
    return InputGraph(n, edges, directed=directed)
