"""Rounds by residual degree: equal to a slow implementation of their definition in every form; and large sets."""

import heapq
import zlib
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.engines.rounds import History
from stablegraph._core.runtime import use_target
from stablegraph.independent_set.greedy import residual
from tests.independent_set.greedy import draw_conditions
from tests.support import naive, set_oracles
from tests.support.cases import each
from tests.support.zoo import graphs, symmetric_csr

# The threshold of large rounds, and the time for which one thread continues with small ones, must not matter.
FORMS = {
    "small rounds": {},
    "large rounds": {"_SMALL_ROUND": 0, "_LARGE": 2**40},
    "large rounds with full lists": {"_SMALL_ROUND": 0, "_LARGE": 2**40, "_SPARE_CHUNKS": 0},
    "both": {"_SMALL_ROUND": 4, "_BUDGET": 60},
}


@pytest.fixture(params=FORMS, ids=lambda name: name.replace(" ", "-"))
def form(request, monkeypatch):
    for name, value in FORMS[request.param].items():
        monkeypatch.setattr(residual, name, value)


def serial_size(graph):
    """Return the size of a greedy set that always takes some vertex with the fewest undecided neighbors."""
    neighbors = naive.simple_adjacency(graph)
    degrees = [len(around) for around in neighbors]
    queue = [(degree, naive.hash32(v), v) for v, degree in enumerate(degrees)]
    heapq.heapify(queue)
    remaining, size = set(range(len(degrees))), 0
    while queue:
        degree, _, v = heapq.heappop(queue)
        if v in remaining and degree == degrees[v]:
            size += 1
            removed = neighbors[v] & remaining
            remaining -= removed | {v}
            for u in removed:
                for x in neighbors[u] & remaining:
                    degrees[x] -= 1
                    heapq.heappush(queue, (degrees[x], naive.hash32(x), x))
    return size


def run(graph, seed=0, include=(), exclude=()):
    included, excluded = (np.array(sorted(ids), graph.indices.dtype) for ids in (include, exclude))
    history = History()
    mask, info = residual.independent_set(graph, included, excluded, history, seed=seed), history.info()
    assert mask.dtype == bool and mask.shape == (graph.num_vertices,)
    assert set(info) == {"rounds", "undecided", "edges", "seconds"}
    assert info["rounds"] == len(info["undecided"]) - 1
    assert min(info["seconds"].values()) >= 0
    return mask, info


def assert_as_defined(graph, *options, **chosen):
    mask, info = run(graph, *options, **chosen)
    expected, expected_undecided = set_oracles.residual(graph, *options, **chosen)
    assert mask.tolist() == expected.tolist()
    assert info["undecided"] == expected_undecided
    assert sg.explain(sg.is_maximal_independent_set, graph, mask, exclude=sorted(chosen.get("exclude", ()))) is None


def fingerprint(graph, seed=0):
    """Return all results that must be equal in every form, including the number of visited entries."""
    mask, info = run(graph, seed)
    return zlib.crc32(mask.tobytes()), info["undecided"], info["edges"]


@each(seed=[0, -7])
def test_zoo(zoo_graph, seed, form, threads):
    assert_as_defined(zoo_graph, seed)


def test_the_zoo_in_any_order_with_any_number_of_workers(zoo_graph, form):
    for seed, workers in ((0, None), (2, 7)):
        with use_target("python", seed=seed, workers=workers):
            assert_as_defined(zoo_graph, 5)
    with use_target("cpu", workers=16):
        assert_as_defined(zoo_graph, 5)


@given(thing=graphs(), seed=st.integers(0, 2**32 - 1), workers=st.integers(1, 20), data=st.data())
def test_any_graph(form, thing, seed, workers, data):
    graph = sg.as_graph(thing)
    include, exclude = draw_conditions(data, graph)
    assert_as_defined(graph, seed)
    assert_as_defined(graph, seed, include=include, exclude=exclude)
    with use_target("python", seed=seed, workers=workers):
        assert_as_defined(graph, seed, include=include, exclude=exclude)


def test_a_larger_graph(larger, form, threads):
    assert_as_defined(larger, 4, include=[17], exclude=range(9))


def test_a_wave_of_hundreds_of_rounds(form):
    """The wave starts at both ends of a narrow grid; short calls need many of them."""
    graph = gallery.grid((2, 600))
    assert_as_defined(graph)
    assert run(graph)[1]["rounds"] > 150


def test_the_same_for_all_workers_forms_and_widths(threads, monkeypatch):
    graph = gallery.delaunay(4_000)
    expected = fingerprint(graph, 3)
    for constants in FORMS.values():
        with monkeypatch.context() as patch:
            for constant, value in constants.items():
                patch.setattr(residual, constant, value)
            for workers in (2, 16, 1000):
                with use_target("cpu", workers=workers):
                    assert fingerprint(graph, 3) == expected
            for types in ((np.int64, np.int32), (np.int64, np.int64)):
                assert fingerprint(graph._with_dtypes(*types), 3) == expected
    assert fingerprint(graph, 4) != expected


def test_entries_looked_at(form):
    """In a star, leaves look for winners and for neighbors to exclude; then the center looks for leaves to notify."""
    assert run(sg.as_graph(symmetric_csr(11, [(0, v) for v in range(1, 11)])))[1]["edges"] == 10 + 10 + 10
    assert run(sg.as_graph(symmetric_csr(5, [])))[1]["edges"] == 0


@pytest.mark.parametrize(
    ("graph", "share"),
    [(gallery.grid((100, 100)), 0.98), (gallery.uniform_random(20_000), 0.975), (gallery.delaunay(20_000), 0.985)],
    ids=["grid", "random", "delaunay"],
)
def test_sets_are_nearly_as_large_as_the_serial_ones(graph, share):
    assert run(graph)[0].sum() >= share * serial_size(graph)


@cache
def real_graph(path):
    return sg.read_graph(path, symmetrize=True)


@pytest.mark.parametrize("name", ["USA-road-d.NY.gr.gz", "soc-Epinions1.mtx.gz", "wave.mtx.xz"])
def test_real_data(name, data_file, form):
    graph = real_graph(data_file(name))
    mask, _ = run(graph)
    assert sg.explain(sg.is_maximal_independent_set, graph, mask) is None
