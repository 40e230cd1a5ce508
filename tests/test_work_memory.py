"""What calls allocate beside their input and result, at the worst moment, is at most what docstrings promise."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

N = 200_000
GRAPHS = {"random": lambda: gallery.uniform_random(N, 4), "grid": lambda: gallery.grid((400, 500))}
BYTES_A_VERTEX = {
    "components": (4, sg.connected_components),
    "fastsv": (12, lambda graph: sg.connected_components(graph, algorithm="fastsv")),
    "search": (6, lambda graph: sg.breadth_first_search(graph, 0)),
    "strong components": (17, sg.strongly_connected_components),
}
SLACK = 1 << 17  # for what does not grow with the graph


def allocated(call):
    """The most bytes that there were at a time, those of the result among them."""
    call()  # compiled now, and the graph's facts known
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("name", BYTES_A_VERTEX)
def test_bytes_a_vertex(name, kind):
    graph = GRAPHS[kind]()
    if name == "strong components":
        graph = gallery.with_directions(graph)
    promised, function = BYTES_A_VERTEX[name]
    result = sum(part.nbytes for part in function(graph) if isinstance(part, np.ndarray))
    assert allocated(lambda: function(graph)) <= promised * N + result + SLACK


@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("algorithm", ["filter_kruskal", "boruvka"])
def test_bytes_an_edge_of_forests(kind, algorithm):
    pattern = sp.triu(GRAPHS[kind]().to_scipy(), 1, format="coo")
    weights = np.random.default_rng(0).random(pattern.nnz)
    graph = sg.from_edges(pattern.row, pattern.col, weights, N, symmetrize=True)
    forest = sg.minimum_spanning_forest(graph, algorithm=algorithm)
    result = forest.data.nbytes + forest.indices.nbytes + forest.indptr.nbytes
    needed = allocated(lambda: sg.minimum_spanning_forest(graph, algorithm=algorithm))
    assert needed <= 24 * graph.num_edges + result + SLACK
