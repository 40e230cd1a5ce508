"""Maximal independent sets at distance two and more: equal to published ones, and in every detail to slow rounds."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.engines.rounds import History
from stablegraph._core.runtime import use_target
from stablegraph.independent_set.distance import k as distance_k
from stablegraph.independent_set.distance import two as distance_two
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import ZOO, graphs

ORDERS = ["random", "degree"]
SEEDS = [0, 1, 2**31, 2**32 - 1]


def set_of(graph, k, **options):
    """Return the set as ids, and the numbers of undecided vertices after each round."""
    mask, info = sg.maximal_independent_set(graph, k, return_info=True, **options)
    assert mask.dtype == bool and info["algorithm"] == "priority"
    assert info["rounds"] == len(info["undecided"]) - 1
    return np.flatnonzero(mask).tolist(), info["undecided"]


def expected(graph, k, **options):
    mask, lefts = naive.set_at_distance(graph, k, **options)
    return np.flatnonzero(mask).tolist(), lefts


def by_sweeps(graph, k, priority="random", seed=0):
    no_vertices = np.empty(0, graph.indices.dtype)
    history = History()
    chosen = {"priority": priority, "seed": naive.hash_seed(seed)}
    mask = distance_k.independent_set(graph, no_vertices, no_vertices, history, k=k, **chosen)
    return np.flatnonzero(mask).tolist(), history.undecided


@pytest.fixture(scope="module")
def larger():
    """Return a graph with thousands of vertices, including hubs, so that all threads work at the same time."""
    return gallery.kronecker(14, 5, seed=1)


# ------------------------------------------------------------------------------------------------- published figures


@pytest.mark.parametrize(
    ("shape", "size", "rounds"),
    [((50, 50, 50), 11469, 9), ((50, 50, 100), 22909, 9), ((50, 100, 100), 45333, 9), ((100, 100, 100), 90041, 10)],
    ids=str,
)
def test_the_paper_s_grids(shape, size, rounds):
    mask, info = sg.maximal_independent_set(gallery.grid(shape), distance=2, return_info=True)
    assert (int(mask.sum()), info["rounds"]) == (size, rounds)
    if shape == (100, 100, 100):
        assert zlib.crc32(np.flatnonzero(mask).astype(np.int32).tobytes()) == 0x29F85146


@pytest.mark.parametrize(("shape", "size", "rounds"), [((30, 30, 30), 634, 8), ((30, 30, 60), 1291, 10)], ids=str)
def test_the_paper_s_elasticity_problems(shape, size, rounds):
    mask, info = sg.maximal_independent_set(gallery.elasticity_3d(shape)[0], distance=2, return_info=True)
    assert (int(mask.sum()), info["rounds"]) == (size, rounds)


@pytest.mark.parametrize(("side", "candidates", "induced"), [(50, 8721, False), (50, 12628, True)])
def test_the_second_phase_of_aggregation(side, candidates, induced):
    graph = gallery.grid((side,) * 3)
    roots = sg.maximal_independent_set(graph, distance=2)
    remaining = ~roots
    remaining[graph.indices[np.repeat(roots, np.diff(graph.indptr))]] = False
    assert int(distance_two.set_among(graph, remaining, induced=induced).sum()) == candidates


# ---------------------------------------------------------------------------------------------- equal to slow rounds


@each(pairs=True, priority=ORDERS, k=[2, 3, 5])
def test_zoo(zoo_graph, k, priority, threads):
    result = set_of(zoo_graph, k, priority=priority)
    assert result == expected(zoo_graph, k, priority=priority)
    assert sg.explain(sg.is_maximal_independent_set, zoo_graph, result[0], k) is None


@given(
    thing=graphs(), k=st.integers(2, 5), priority=st.sampled_from(ORDERS), seed=st.sampled_from(SEEDS), data=st.data()
)
def test_any_graph(thing, k, priority, seed, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    exclude = data.draw(st.lists(st.integers(0, n - 1), max_size=n, unique=True)) if n else []
    include = expected(graph, k, seed=9, exclude=exclude)[0][: data.draw(st.integers(0, n))]
    options = {"priority": priority, "seed": seed, "include": include, "exclude": exclude}
    result = set_of(thing, k, **options)
    assert result == expected(graph, k, **options)
    assert naive.is_maximal_independent(graph, np.isin(np.arange(n), result[0]), k, exclude)
    with use_target("python", seed=seed % 1000, workers=1 + seed % 7):
        assert set_of(graph, k, **options) == result


@each(priority=ORDERS)
def test_sweeps_give_the_same_sets(larger, zoo_graph, priority):
    for graph in (zoo_graph, larger):
        assert by_sweeps(graph, 2, priority, 5) == set_of(graph, 2, priority=priority, seed=5)


@given(thing=graphs(), data=st.data())
def test_among_chosen_vertices(thing, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    rows = data.draw(st.lists(st.integers(0, n - 1), max_size=n, unique=True)) if n else []
    for induced in (False, True):
        mask = distance_two.set_among(graph, np.isin(np.arange(n), rows), induced=induced)
        assert set(np.flatnonzero(mask).tolist()) == naive.distance_two_set(graph, rows, rows if induced else None)


def test_a_set_at_distance_one_by_sweeps(zoo_graph):
    assert by_sweeps(zoo_graph, 1) == expected(zoo_graph, 1)


def test_farther_than_anything(zoo_graph):
    assert set_of(zoo_graph, 10**30) == set_of(zoo_graph, max(zoo_graph.num_vertices, 2))
    assert len(set_of(zoo_graph, 10**9)[0]) == sg.connected_components(zoo_graph)[0]


# ------------------------------------------------------------------------------------- the same answer, however done


@each(priority=ORDERS, k=[2, 3])
def test_threads_workers_and_dtypes_do_not_matter(larger, k, priority, threads):
    result = by_sweeps(larger, k, priority)
    assert set_of(larger, k, priority=priority) == result
    for types in ((np.int64, np.int32), (np.int64, np.int64)):
        assert set_of(larger._with_dtypes(*types), k, priority=priority) == result
    for workers in (7, 1000):
        with use_target("cpu", workers=workers):
            assert set_of(larger, k, priority=priority) == result


def test_seeds_differ(larger):
    assert len({tuple(set_of(larger, 2, seed=seed)[0]) for seed in range(5)}) == 5


def test_low_degrees_first_gives_larger_sets(larger):
    assert len(set_of(larger, 2, priority="degree")[0]) > 1.02 * len(set_of(larger, 2)[0])


def test_random_is_the_default():
    assert set_of(ZOO["skewed"], 2) == set_of(ZOO["skewed"], 2, priority="random", algorithm="priority")


# ---------------------------------------------------------------------------------------------------- rejections


@pytest.mark.parametrize(
    ("k", "options", "words"),
    [
        (0, {}, "distance must be at least 1, got 0"),
        (2, {"algorithm": "luby"}, "algorithm must be one of priority at distance 2; got 'luby'"),
        (3, {"priority": "ecl"}, "one of random, degree, or an array of numbers at distance 3; got 'ecl'"),
        (2, {"priority": np.arange(49)}, r"must have one number for each of the 50 vertices, got shape \(49,\)"),
        (
            2,
            {"synchronous": True},
            "has no option synchronous at distance 2; it has priority, seed, weights, include, exclude",
        ),
        (2, {"include": [3, 5]}, "vertices 3 and 5 are in include, but are within distance 2 of each other"),
        (4, {"include": [13, 9, 40]}, "vertices 9 and 13 are in include, but are within distance 4"),
        (2, {"include": [3], "exclude": [3]}, "vertex 3 is both in include and in exclude"),
        (2, {"exclude": [50]}, "exclude names vertex 50"),
    ],
    ids=str,
)
def test_errors(k, options, words):
    with pytest.raises(ValueError, match=words):
        sg.maximal_independent_set(ZOO["path"], k, **options)


@pytest.mark.parametrize("k", [True, 2.0, "2", None])
def test_the_distance_must_be_an_integer(k):
    with pytest.raises(TypeError, match="distance must be an integer"):
        sg.maximal_independent_set(ZOO["path"], k)


def test_directed_graphs_are_refused():
    with pytest.raises(ValueError, match="no partner"):
        sg.maximal_independent_set(sg.from_edges([0], [1], directed=True), distance=2)


@pytest.mark.gpu
@each(k=[2, 3])
def test_the_same_answer_on_a_gpu(zoo_graph, k):
    import cupy

    for graph in (zoo_graph, gallery.uniform_random(50_000, 3)):
        for priority in ORDERS:
            mask = sg.maximal_independent_set(graph.to("cuda"), k, priority=priority)
            assert isinstance(mask, cupy.ndarray)
            assert np.array_equal(mask.get(), sg.maximal_independent_set(graph, k, priority=priority))


# ---------------------------------------------------------------------------------------------------------- real data


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "file", ["bcsstk15.mtx.gz", "ca-CondMat.mtx.gz", "internet.mtx.gz", "mesh-ogre.mtx.gz", "minnesota-weighted.mtx.gz"]
)
def test_real_graphs(file, k, data_file):
    graph = sg.read_graph(data_file(file), symmetrize="max")
    for priority in ORDERS:
        mask = sg.maximal_independent_set(graph, k, priority=priority)
        assert sg.explain(sg.is_maximal_independent_set, graph, mask, k) is None
