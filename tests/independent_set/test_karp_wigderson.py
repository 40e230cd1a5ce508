"""Karp and Wigderson's algorithm: equal to plain Python on sets, step by step and draw by draw."""

import zlib
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph.independent_set.greedy import karp_wigderson
from stablegraph.independent_set.history import History
from stablegraph.parallel import use_target
from tests.support import naive
from tests.support.zoo import ZOO, graphs, preferential, symmetric_csr

from . import greedy


def edges_inside(neighbors, chosen):
    return sum(len(neighbors[u] & chosen) for u in chosen) // 2


def heavy_find(neighbors, undecided):
    """K, its heavy vertices, and the edges in K at each step."""
    share = len(undecided) / max(1, ceil(log2(len(undecided))))
    i = max(1, ceil(log2(len(undecided))))
    rest, steps = set(undecided), []
    while True:
        i -= 1
        steps.append(edges_inside(neighbors, rest))
        heavy = {u for u in rest if len(neighbors[u] & rest) >= 2**i - 1}
        if len(heavy) >= share or i == 0:
            return rest, heavy, steps
        rest -= heavy


def score(neighbors, rest, chosen):
    """By pairs, as the definition has it; common neighbors are charged for adjacent pairs too."""
    degree = {u: len(neighbors[u] & rest) for u in chosen}
    total = sum(1 + degree[u] for u in chosen)
    for u in chosen:
        for w in chosen:
            if u < w:
                total -= len(neighbors[u] & neighbors[w] & rest)
                if w in neighbors[u]:
                    total -= 1 + max(degree[u], degree[w])
    return total


def score_find(neighbors, rest, heavy, seed):
    largest = max(len(neighbors[u] & rest) for u in rest)
    if largest == 0:
        return heavy
    size = max(1, len(heavy) // (8 * largest))
    best = None
    for draw in range(8):
        ranked = sorted(heavy, key=lambda v: (naive.hash32(v + naive.hash32(draw + seed)), v))
        chosen = set(ranked[:size])
        value = score(neighbors, rest, chosen)
        if best is None or value > best[0]:
            best = value, chosen
    return best[1]


def oracle(graph, seed=0, include=(), exclude=()):
    """The mask, the numbers of undecided vertices after each round, and how many edges the steps went through."""
    neighbors = naive.simple_adjacency(graph)
    n = len(neighbors)
    members = set(include)
    left = set(range(n)) - set(exclude) - members - {u for v in members for u in neighbors[v]}
    sizes, edges = [n], 0
    while left:
        rest, heavy, steps = heavy_find(neighbors, left)
        candidates = score_find(neighbors, rest, heavy, naive.hash32(len(sizes) - 1 + seed))
        edges += sum(steps) + 8 * steps[-1] + edges_inside(neighbors, candidates) + edges_inside(neighbors, left)
        joined = {v for v in candidates if not any(u < v for u in neighbors[v] & candidates)}
        members |= joined
        before = len(left)
        left -= joined | {u for v in joined for u in neighbors[v]}
        assert before - len(left) >= score(neighbors, rest, candidates)  # the score is a lower bound
        sizes.append(len(left))
    mask = np.zeros(n, bool)
    mask[sorted(members)] = True
    return mask, sizes, edges


def run(graph, seed=0, **conditions):
    mask, info = greedy.run(karp_wigderson, graph, seed=seed, **conditions)
    assert info["rounds"] == len(info["inner"])
    assert set(info["seconds"]) == {"prepare", "rounds"}
    return mask, info


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, -7])
def test_zoo(zoo_graph, seed, threads):
    expected, sizes, edges = oracle(zoo_graph, seed)
    mask, info = run(zoo_graph, seed)
    assert mask.tolist() == expected.tolist()
    assert (info["undecided"], info["edges"]) == (sizes, edges)
    assert sg.explain(sg.is_maximal_independent_set, zoo_graph, mask) is None


@pytest.mark.parametrize("name", ["empty", "duplicates", "disconnected", "skewed", "partial diagonal"])
def test_without_numba(name):
    graph = sg.as_graph(ZOO[name])
    with use_target("python", seed=3, workers=7):
        mask, _ = run(graph, 5)
    assert mask.tolist() == oracle(graph, 5)[0].tolist()


@given(thing=graphs(), seed=st.sampled_from([0, 1, 2**32 - 1]), data=st.data())
def test_any_graph(thing, seed, data):
    graph = sg.as_graph(thing)
    include, exclude = greedy.draw_conditions(data, graph)
    mask, _ = run(graph, seed, include=include, exclude=exclude)
    assert mask.tolist() == oracle(graph, seed, include, exclude)[0].tolist()
    assert sg.explain(sg.is_maximal_independent_set, graph, mask, exclude=exclude) is None


@pytest.mark.parametrize(
    "graph",
    [gallery.grid((900,)), gallery.grid((24, 31)), sg.as_graph(symmetric_csr(700, preferential(700, 3, seed=1)))],
    ids=["path", "grid", "skewed"],
)
def test_subsets_of_several_vertices(graph):
    """Graphs large enough that a draw has more than one vertex, so that members clash and share neighbors."""
    for seed in range(3):
        mask, info = run(graph, seed)
        expected, sizes, edges = oracle(graph, seed)
        assert mask.tolist() == expected.tolist()
        assert (info["undecided"], info["edges"]) == (sizes, edges)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 16, 17, 500])
def test_stars_and_cliques_take_one_round(n):
    star = sg.from_edges(np.zeros(n - 1, np.int64), np.arange(1, n), n=n, symmetrize=True)
    clique = sg.as_graph(1 - np.eye(n, dtype=int))
    for graph in (star, clique):
        mask, info = run(graph)
        assert info["rounds"] == 1
        assert mask.tolist() == oracle(graph)[0].tolist()


def test_the_score_of_a_path_by_hand():
    """0 - 1 - 2 - 3 - 4: the members 1 and 3 bring 3 each, and share vertex 2; 1 and 2 clash, and share nobody."""
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
    nobody = cupy.empty(0, graph.indices.dtype)
    mask = karp_wigderson.independent_set(graph.to("cuda"), nobody, nobody, History(), seed=0)
    assert isinstance(mask, cupy.ndarray) and mask.get().tolist() == run(graph)[0].tolist()
