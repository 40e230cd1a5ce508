"""The two sides of bipartite components, found in steps of any length, and from selected starts only."""

import numpy as np
import pytest
from hypothesis import given

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.engines import frontier
from stablegraph._core.runtime import Rows, use_target
from stablegraph.traversal import bipartition
from stablegraph.traversal.bipartition import ODD, two_sides
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import graphs


@each(step=[1, 1 << 24])
def test_sides_where_components_are_bipartite(monkeypatch, zoo_graph, step):
    monkeypatch.setattr(frontier, "_BUDGET", step)
    sides = two_sides(Rows(zoo_graph.indptr, zoo_graph.indices))
    neighbors = naive.simple_adjacency(zoo_graph)
    for v, row in enumerate(neighbors):
        assert all(sides[u] == sides[v] == ODD or sides[u] + sides[v] == 3 for u in row)
    for component in naive.components(neighbors):
        assert (sides[min(component)] == 1) == naive.is_bipartite(neighbors, component)


@each(every=[2, 7, 1000], workers=[1, 16])
def test_searches_from_some_vertices(zoo_graph, every, workers):
    neighbors = naive.simple_adjacency(zoo_graph)
    starts = np.arange(len(neighbors)) % every == 1
    with use_target("cpu", workers=workers):
        sides = two_sides(Rows(zoo_graph.indptr, zoo_graph.indices), starts)
    for component in naive.components(neighbors):
        wanted = sorted(v for v in component if starts[v])
        result = {int(sides[v]) for v in component}
        if not wanted and result != {0}:
            assert workers > 1 and result <= {0, ODD} and not naive.is_bipartite(neighbors, component)
        elif not wanted:
            continue
        elif naive.is_bipartite(neighbors, component):
            assert sides[wanted[0]] == 1 and result <= {1, 2}
            assert all(sides[u] != sides[v] for v in component for u in neighbors[v])
        else:
            assert result <= {0, ODD} and (sides[wanted] == ODD).all()


@each(few=[True, False])
def test_many_workers_mark_vertices_next_to_odd_cycles(few, monkeypatch):
    graph, marked, spread = gallery.delaunay(500), [], bipartition._spread_odd
    monkeypatch.setattr(bipartition, "_spread_odd", lambda *arguments: (marked.append(True), spread(*arguments)))
    with use_target("cpu", workers=bipartition.MIN_MARKING_WORKERS - few):
        sides = two_sides(Rows(graph.indptr, graph.indices), np.arange(500) % 2 == 0)
    assert bool(marked) != few and set(sides[::2].tolist()) == {ODD}


def check_bipartition(graph):
    """Check the sides, or the cycle, and that the answer is right."""
    neighbors = naive.simple_adjacency(graph)
    components = naive.components(neighbors)
    sides, cycle = sg.bipartition(graph)
    assert sg.is_bipartite(graph) == (cycle is None) == all(naive.is_bipartite(neighbors, part) for part in components)
    if cycle is None:
        assert sides.dtype == np.int32
        assert set(sides.tolist()) <= {0, 1}
        assert all(sides[min(part)] == 0 for part in components)
        assert all(sides[u] != sides[v] for u in range(len(neighbors)) for v in neighbors[u])
    else:
        assert sides is None
        assert len(cycle) % 2
        assert len(set(cycle.tolist())) == len(cycle) >= 3
        assert all(v in neighbors[u] for u, v in zip(cycle.tolist(), np.roll(cycle, -1).tolist(), strict=True))


def test_bipartitions_of_the_zoo(zoo_graph):
    check_bipartition(zoo_graph)


@given(graphs())
def test_bipartitions_of_random_graphs(thing):
    check_bipartition(sg.as_graph(thing))


def test_the_cycle_does_not_depend_on_threads_or_the_order_of_entries(threads):
    graph = sg.gallery.delaunay(3000)
    rows = graph._rows()
    reverse = sg.as_graph(
        (graph.indptr, graph.indices[graph.indptr[rows] + graph.indptr[rows + 1] - 1 - np.arange(rows.size)])
    )
    assert sg.bipartition(graph)[1].tolist() == sg.bipartition(reverse)[1].tolist() == [0, 611, 2088]


def test_directed_graphs_have_no_sides():
    with pytest.raises(ValueError, match="directed"):
        sg.is_bipartite(sg.from_edges([0], [1], directed=True))
