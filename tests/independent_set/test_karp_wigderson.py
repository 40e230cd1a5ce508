"""Karp and Wigderson's algorithm, in addition to its oracle (test_oracles.py): subsets, scores, its rounds, a GPU."""

import zlib

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.engines.rounds import History
from stablegraph.study import karp_wigderson
from tests.support import set_oracles
from tests.support.zoo import ZOO, preferential, symmetric_csr


def run(graph, seed=0, include=(), exclude=()):
    included, excluded = (np.array(sorted(vertices), graph.indices.dtype) for vertices in (include, exclude))
    history = History()
    mask, info = karp_wigderson.independent_set(graph, included, excluded, history, seed=seed), history.info()
    assert mask.dtype == bool and mask.shape == (graph.num_vertices,)
    assert info["rounds"] == len(info["undecided"]) - 1 == len(info["inner"])
    assert info["undecided"][0] == graph.num_vertices
    assert set(info["seconds"]) == {"prepare", "rounds"} and min(info["seconds"].values()) >= 0
    return mask, info


@pytest.mark.parametrize(
    "graph",
    [gallery.grid((900,)), gallery.grid((24, 31)), sg.as_graph(symmetric_csr(700, preferential(700, 3, seed=1)))],
    ids=["path", "grid", "skewed"],
)
def test_subsets_of_several_vertices(graph):
    """The graphs are large enough for draws of several vertices, so that members conflict and share neighbors."""
    for seed in range(3):
        mask, info = run(graph, seed)
        expected, sizes, edges = set_oracles.karp_wigderson(graph, seed)
        assert mask.tolist() == expected.tolist()
        assert (info["undecided"], info["edges"]) == (sizes, edges)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 16, 17, 500])
def test_stars_and_cliques_take_one_round(n):
    star = sg.from_edges(np.zeros(n - 1, np.int64), np.arange(1, n), n=n, symmetrize=True)
    clique = sg.as_graph(1 - np.eye(n, dtype=int))
    for graph in (star, clique):
        mask, info = run(graph)
        assert info["rounds"] == 1
        assert mask.tolist() == set_oracles.karp_wigderson(graph)[0].tolist()


def test_the_score_of_a_path_by_hand():
    """Path 0 - 1 - 2 - 3 - 4: members 1 and 3 score 3 each and share vertex 2; 1 and 2 conflict and share no vertex."""
    path = karp_wigderson._whole(gallery.grid((5,)))
    degrees = path.degrees()
    assert degrees.tolist() == [1, 2, 2, 2, 1]
    of = {places: np.isin(np.arange(5), places) for places in ((1, 3), (1, 2), (0, 1), (0, 4), (1, 2, 3))}
    scores = {places: karp_wigderson._score(path, degrees, mask) for places, mask in of.items()}
    assert scores == {(1, 3): 5, (1, 2): 3, (0, 1): 2, (0, 4): 4, (1, 2, 3): 2}


def test_everything_excluded():
    graph = sg.as_graph(ZOO["grid"])
    mask, info = run(graph, exclude=range(graph.num_vertices))
    assert not mask.any() and info["rounds"] == 0


def test_a_hundred_thousand_edges():
    rng = np.random.default_rng(3)
    u = np.repeat(np.arange(20_000), 6)
    v = (20_000 * rng.random(u.size) ** 4).astype(np.int64)  # small ids have many neighbors
    graph = sg.from_edges(u, v, n=20_000, symmetrize=True, drop_loops=True)
    assert graph.num_edges > 100_000 and graph.degrees.max() > 1000
    mask, info = run(graph)
    assert sg.explain(sg.is_maximal_independent_set, graph, mask) is None
    assert info["undecided"][-1] == 0 and sorted(info["undecided"], reverse=True) == info["undecided"]
    again, _ = run(graph)
    assert zlib.crc32(again.tobytes()) == zlib.crc32(mask.tobytes())
    other, _ = run(graph, seed=10**6)
    assert (other != mask).any()
    assert sg.explain(sg.is_maximal_independent_set, graph, other) is None


@pytest.mark.gpu
def test_the_same_answer_on_a_gpu(zoo_graph):
    import cupy

    graph = sg.as_graph(zoo_graph)
    no_vertices = cupy.empty(0, graph.indices.dtype)
    mask = karp_wigderson.independent_set(graph.to("cuda"), no_vertices, no_vertices, History(), seed=0)
    assert isinstance(mask, cupy.ndarray) and mask.get().tolist() == run(graph)[0].tolist()
