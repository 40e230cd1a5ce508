"""The checks of the benchmarks: they accept the same answers as the verifiers, and reject wrong ones."""

import numpy as np
import pytest

import stablegraph as sg
from benchmarks import large_checks as checks
from stablegraph import gallery

GRAPHS = {
    "grid": lambda: gallery.grid((9, 11)),
    "random": lambda: gallery.uniform_random(300, 2, seed=3),
    "hubs": lambda: gallery.rmat(8, 6, seed=1),
    "parts": lambda: sg.from_edges([0, 1, 3, 5, 6], [1, 2, 4, 6, 7], n=10, symmetrize=True),
}
pytestmark = [pytest.mark.slow, pytest.mark.jit]  # the checks are Numba loops


@pytest.fixture(params=GRAPHS)
def graph(request):
    return GRAPHS[request.param]()


def changed(array, v, value):
    other = np.array(array)
    other[v] = value
    return other


@pytest.mark.parametrize("distance", [1, 2])
def test_sets(graph, distance):
    arrays = graph.indptr, graph.indices
    members = sg.maximal_independent_set(graph, distance=distance)
    assert checks.independent_and_maximal(*arrays, members, distance)
    for v in range(graph.num_vertices):
        assert not checks.independent_and_maximal(*arrays, changed(members, v, not members[v]), distance)


@pytest.mark.parametrize("distance", [1, 2])
def test_colorings(graph, distance):
    arrays, rng = (graph.indptr, graph.indices), np.random.default_rng(0)
    colors = sg.vertex_coloring(graph, distance=distance)
    assert checks.properly_colored(*arrays, colors, distance)
    for v in range(graph.num_vertices):
        other = changed(colors, v, rng.integers(-1, colors.max() + 1))
        assert checks.properly_colored(*arrays, other, distance) == (
            other.min() >= 0 and sg.is_proper_coloring(graph, other, distance=distance)
        )


def test_searches(graph):
    distances, parents = sg.breadth_first_search(graph, 0)
    assert checks.wrong_in_search(graph.indptr, graph.indices, 0, distances, parents) == 0
    for v in range(graph.num_vertices):
        for wrong in (
            (changed(distances, v, distances[v] + 1), parents),
            (distances, changed(parents, v, parents[v] + 1)),
        ):
            assert checks.wrong_in_search(graph.indptr, graph.indices, 0, *wrong) > 0


def test_components_and_aggregates(graph):
    arrays = graph.indptr, graph.indices
    count, labels = sg.connected_components(graph)
    assert checks.edges_between(*arrays, labels) == 0
    assert checks.pieces(*arrays, labels) == count
    assert checks.pieces(*arrays, np.zeros_like(labels)) == count
    count, labels = sg.aggregate(graph)
    assert checks.pieces(*arrays, labels) == count
    coarse = sg.coarse_graph(graph, labels)
    assert checks.is_quotient(*arrays, labels, coarse.indptr, coarse.indices)
    if coarse.num_edges:
        assert not checks.is_quotient(*arrays, labels, coarse.indptr, np.zeros_like(coarse.indices))
        assert not checks.is_quotient(*arrays, np.zeros_like(labels), coarse.indptr, coarse.indices)
    rotated = (labels + 1) % count
    assert checks.same_partition(labels, rotated)
    assert count == 1 or not checks.same_partition(labels, changed(rotated, 0, (rotated[0] + 1) % count))


def test_forests(graph):
    rng, rows = np.random.default_rng(1), np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    upper = rows < graph.indices
    u, v = rows[upper], graph.indices[upper]
    weights = rng.integers(0, 20, u.size).astype(np.int32)
    weighted = sg.from_edges(u, v, weights, n=graph.num_vertices, symmetrize=True)
    parts, forest = sg.connected_components(weighted)[0], sg.minimum_spanning_forest(weighted)
    assert checks.is_minimum_forest(weighted, forest, parts)
    largest = sg.minimum_spanning_forest(weighted, maximum=True)
    assert checks.is_minimum_forest(weighted, largest, parts) == sg.is_minimum_spanning_forest(weighted, largest)
    assert not checks.is_minimum_forest(weighted, forest, parts + 1)
    forest.data[0] += 1
    assert not checks.is_minimum_forest(weighted, forest, parts)
    twice = forest.copy()
    twice.data[0] -= 1
    if np.diff(twice.indptr).max() > 1:  # one edge twice, another one missing: a cycle
        row = int(np.diff(twice.indptr).argmax())
        twice.indices[twice.indptr[row] + 1] = twice.indices[twice.indptr[row]]
        twice.data[twice.indptr[row] + 1] = twice.data[twice.indptr[row]]
        assert not checks.is_minimum_forest(weighted, twice, parts)


def test_arcs(graph):
    n, arrays = graph.num_vertices, (graph.indptr, graph.indices)
    directed = gallery.with_directions(graph)
    turned = directed.transpose()
    sums = [checks.fingerprint(g.indptr, g.indices, way, n) for g, way in ((directed, False), (turned, True))]
    assert sums[0] == sums[1] != checks.fingerprint(turned.indptr, turned.indices, False, n)
    tenth = sg.subgraph(graph, np.arange(n // 10))
    assert checks.fingerprint(*arrays, False, n // 10) == checks.fingerprint(tenth.indptr, tenth.indices, False, n)
    assert checks.rows_not_in_order(*arrays) == 0
    assert checks.rows_not_in_order(graph.indptr, graph.indices[::-1].copy()) > 0
