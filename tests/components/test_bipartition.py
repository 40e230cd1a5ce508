"""The two sides of bipartite components, found in steps of any length, and from selected starts only."""

import numpy as np

from stablegraph._core.runtime import Rows
from stablegraph.traversal import bipartition
from stablegraph.traversal.bipartition import ODD, two_sides
from tests.support import naive
from tests.support.cases import each


@each(step=[1, 1 << 24])
def test_sides_where_components_are_bipartite(monkeypatch, zoo_graph, step):
    monkeypatch.setattr(bipartition, "_STEP", step)
    sides = two_sides(Rows(zoo_graph.indptr, zoo_graph.indices))
    neighbors = naive.simple_adjacency(zoo_graph)
    for v, row in enumerate(neighbors):
        assert all(sides[u] == sides[v] == ODD or sides[u] + sides[v] == 3 for u in row)
    for component in naive.components(neighbors):
        assert (sides[min(component)] == 1) == naive.is_bipartite(neighbors, component)


@each(every=[2, 7, 1000])
def test_searches_from_some_vertices(zoo_graph, every):
    neighbors = naive.simple_adjacency(zoo_graph)
    starts = np.arange(len(neighbors)) % every == 1
    sides = two_sides(Rows(zoo_graph.indptr, zoo_graph.indices), starts)
    for component in naive.components(neighbors):
        wanted = sorted(v for v in component if starts[v])
        result = {int(sides[v]) for v in component}
        if not wanted:
            assert result == {0}
        elif naive.is_bipartite(neighbors, component):
            assert sides[wanted[0]] == 1 and result <= {1, 2}
            assert all(sides[u] != sides[v] for v in component for u in neighbors[v])
        else:
            assert result <= {0, ODD} and (sides[wanted] == ODD).all()
