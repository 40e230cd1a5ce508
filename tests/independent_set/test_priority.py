"""Maximal independent sets: equal to the serial greedy set in the same order, on every target and number of threads."""

import csv
import os
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.engines import order as order_engine
from stablegraph._core.runtime import Rows, use_target
from stablegraph.independent_set.greedy import order as order_file
from stablegraph.independent_set.greedy import serial
from tests.independent_set.greedy import PRIORITIES, SEEDS, crc, oracle
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import ZOO, csr, graphs, preferential, symmetric_csr

# ---------------------------------------------------------------------------------------------- equal to the oracle


@pytest.mark.parametrize("priority", PRIORITIES)
def test_zoo(zoo_graph, priority, threads, rounds):
    mask = sg.maximal_independent_set(zoo_graph, priority=priority)
    assert mask.dtype == bool and mask.shape == (zoo_graph.num_vertices,)
    assert mask.tolist() == oracle(zoo_graph, priority).tolist()
    assert sg.explain(sg.is_maximal_independent_set, zoo_graph, mask) is None


@pytest.mark.parametrize(
    ("graph", "on_threads"),
    [(gallery.grid((200, 200)), False), (gallery.grid((40_000,)), False), (gallery.uniform_random(30_000, 4), True)],
    ids=["grid", "path", "random"],
)
def test_threads_share_the_natural_order_only_if_few_vertices_wait(graph, on_threads):
    for workers in (4, 16):
        states = np.full(graph.num_vertices, serial.UNDECIDED)
        state = serial.StatesById(graph.is_sorted, states)
        assert serial.decide_by_id(Rows(graph.indptr, graph.indices), None, state, workers) == on_threads
        assert (states != serial.UNDECIDED).any() == on_threads


@each(workers=[4, 16], graph=[gallery.grid((60, 50)), gallery.grid((3000,)), "larger", "unsorted"])
def test_the_natural_order_on_many_threads(workers, graph, larger, monkeypatch):
    monkeypatch.setattr(order_engine, "_MAX_WAITING", 1)  # also where vertices wait
    if graph == "unsorted":
        rows = np.split(larger.indices, larger.indptr[1:-1])
        graph = sg.as_graph((larger.indptr, np.concatenate([row[::-1] for row in rows])))
        assert not graph.is_sorted
    graph = larger if isinstance(graph, str) else graph
    exclude, include = list(range(7, graph.num_vertices, 50)), [graph.num_vertices - 2]
    with use_target("cpu", workers=workers):
        mask = sg.maximal_independent_set(graph, priority="natural")
        chosen = sg.maximal_independent_set(graph, priority="natural", include=include, exclude=exclude)
    assert mask.tolist() == oracle(graph, "natural").tolist()
    assert chosen.tolist() == oracle(graph, "natural", include=include, exclude=exclude).tolist()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(thing=graphs(), priority=st.sampled_from(PRIORITIES), seed=st.sampled_from(SEEDS), data=st.data())
def test_any_graph(rounds, thing, priority, seed, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    vertices = st.lists(st.integers(0, n - 1), max_size=n, unique=True) if n else st.just([])
    exclude = data.draw(vertices)
    include = np.flatnonzero(oracle(graph, "random", data.draw(st.integers(0, 9)), exclude=exclude))
    include = include[: data.draw(st.integers(0, n))].tolist()
    assert sg.maximal_independent_set(thing, priority=priority, seed=seed).tolist() == (
        oracle(graph, priority, seed).tolist()
    )
    mask = sg.maximal_independent_set(graph, priority=priority, seed=seed, include=include, exclude=exclude)
    assert mask.tolist() == oracle(graph, priority, seed, include=include, exclude=exclude).tolist()
    assert sg.explain(sg.is_maximal_independent_set, graph, mask, exclude=exclude) is None


def test_the_default_is_degree_first():
    graph = sg.as_graph(ZOO["skewed"])
    mask = sg.maximal_independent_set(graph)
    assert (mask == sg.maximal_independent_set(graph, priority="degree")).all()
    assert (mask == sg.maximal_independent_set(graph, 1, algorithm="priority", priority=None, seed=0)).all()


@each(priority=["degree", "ecl", "random"], seed=[1, 77, 2**31, 2**32 - 1, 2**32, 3**100, -1, -(2**70)])
def test_seeds(priority, seed):
    graph = sg.as_graph(ZOO["skewed"])
    mask = sg.maximal_independent_set(graph, priority=priority, seed=seed)
    assert (mask == oracle(graph, priority, seed)).all()


def test_different_seeds_give_different_sets(larger):
    result = {crc(sg.maximal_independent_set(larger, priority="random", seed=seed)) for seed in range(5)}
    assert len(result) == 5


@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((60, 90), {"priority": "degree"}),
        ((60, 90), {"priority": "ecl"}),
        ((60, 90), {"priority": "random"}),
        ((60, 90), {"priority": np.zeros(60 * 90)}),
        ((60, 90), {"algorithm": "luby"}),
        ((60, 90), {"distance": 2}),
        ((60, 90), {"distance": 2, "priority": "degree"}),
        ((60 * 90,), {"algorithm": "residual"}),  # on grids with two sides its sets are chessboards for any seed
    ],
    ids=str,
)
@each(seed=[1, 90, 2**32])
def test_near_seeds_have_nothing_in_common_on_a_lattice(shape, options, seed):
    """Hashes of (vertex + seed) would be the same numbers, shifted by the difference of the seeds."""
    grid = gallery.grid(shape)
    one, other = (sg.maximal_independent_set(grid, seed=s, **options) for s in (0, seed))
    for moved in (0, 1, 90):
        for first, second in ((one, other), (other, one)):
            related = np.corrcoef(first[450 + moved : -450], second[450 : -450 - moved])
            assert abs(related[0, 1]) < 0.3


@pytest.mark.parametrize("priority", PRIORITIES)
def test_a_larger_graph(larger, priority, threads):
    assert (sg.maximal_independent_set(larger, priority=priority) == oracle(larger, priority)).all()


@each(shape=[(200,), (40, 50), (2, 3000), (13, 14, 15)], priority=PRIORITIES)
def test_grids(shape, priority):
    graph = gallery.grid(shape)
    assert (sg.maximal_independent_set(graph, priority=priority) == oracle(graph, priority)).all()


def test_isolated_vertices_are_in():
    for name in ("isolated vertices", "only loops", "one vertex"):
        for priority in PRIORITIES:
            assert sg.maximal_independent_set(ZOO[name], priority=priority).all()


# ---------------------------------------------------------------------------------- the same answer on all targets


@pytest.mark.parametrize("priority", PRIORITIES)
def test_the_python_target_in_any_order_with_any_number_of_workers(zoo_graph, priority, rounds):
    expected = oracle(zoo_graph, priority).tolist()
    for seed, workers in ((1, 1), (3, 50)):
        with use_target("python", seed=seed, workers=workers):
            assert sg.maximal_independent_set(zoo_graph, priority=priority).tolist() == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(thing=graphs(), priority=st.sampled_from(PRIORITIES), seed=st.integers(0, 1000), workers=st.integers(1, 20))
def test_the_python_target_on_any_graph(rounds, thing, priority, seed, workers):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    exclude = np.arange(n) % 5 == 4
    with use_target("python", seed=seed, workers=workers):
        mask = sg.maximal_independent_set(graph, priority=priority, exclude=exclude)
    assert mask.tolist() == oracle(graph, priority, exclude=np.flatnonzero(exclude).tolist()).tolist()


@each(priority=PRIORITIES, workers=[1, 2, 16, 1000])
def test_more_workers_than_threads(larger, priority, workers, rounds):
    expected = crc(sg.maximal_independent_set(larger, priority=priority))
    with use_target("cpu", workers=workers):
        assert crc(sg.maximal_independent_set(larger, priority=priority)) == expected


@pytest.mark.parametrize("priority", PRIORITIES)
def test_ten_repetitions(larger, priority, threads, rounds):
    expected = crc(oracle(larger, priority))
    for _ in range(10):
        assert crc(sg.maximal_independent_set(larger, priority=priority)) == expected


def test_the_number_of_threads_does_not_matter(larger):
    values = np.random.default_rng(1).integers(0, 9, larger.num_vertices)
    before = sg.num_threads()
    try:
        for priority in [*PRIORITIES, values]:
            result = set()
            for n in (1, 2, 3):
                sg.set_num_threads(n)
                result.add(crc(sg.maximal_independent_set(larger, priority=priority, exclude=np.arange(9))))
            assert len(result) == 1
    finally:
        sg.set_num_threads(before)


@pytest.mark.parametrize("priority", PRIORITIES)
def test_32_and_64_bits(priority):
    edges = preferential(2000, 4, seed=9)
    narrow, wide = symmetric_csr(2000, edges, np.int32), symmetric_csr(2000, edges, np.int64)
    mixed = csr(narrow.data, narrow.indices, wide.indptr)
    expected = oracle(sg.as_graph(narrow), priority)
    for matrix in (narrow, wide, mixed):
        assert (sg.maximal_independent_set(matrix, priority=priority) == expected).all()


FORCED = [(np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)]


@each(dtypes=FORCED, priority=PRIORITIES)
def test_each_width_that_a_graph_can_have(larger, dtypes, priority):
    graph = larger._with_dtypes(*dtypes)
    assert (graph.indptr.dtype, graph.indices.dtype) == dtypes
    mask = sg.maximal_independent_set(graph, priority=priority)
    assert crc(mask) == crc(sg.maximal_independent_set(larger, priority=priority))


def test_the_order_of_the_entries_loops_and_duplicates_do_not_matter():
    plain = ZOO["skewed"]
    edges = preferential(300, 3)
    messy = symmetric_csr(300, [*edges, *edges[::3], *((v, v) for v in range(0, 300, 4))])
    for priority in PRIORITIES:
        expected = crc(sg.maximal_independent_set(plain, priority=priority))
        assert crc(sg.maximal_independent_set(ZOO["unsorted rows"], priority=priority)) == expected
        assert crc(sg.maximal_independent_set(messy, priority=priority)) == expected


@pytest.mark.parametrize(
    ("shape", "size", "fingerprint"),
    [
        ((256, 256), 23890, 0xEEF48F56),
        ((30, 30, 30), 8721, 0xE50FDE2A),
        pytest.param((1024, 1024), 382687, 0x50271636, marks=pytest.mark.slow),
        pytest.param((50, 50, 50), 39274, 0xA539F516, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_ecl_mis_bit_for_bit(shape, size, fingerprint, threads):
    mask = sg.maximal_independent_set(gallery.grid(shape), priority="ecl")
    assert (mask.sum(), crc(mask)) == (size, fingerprint)


@pytest.mark.parametrize("shape", [(256, 256), (30, 30, 30)], ids=str)
def test_the_oracle_has_the_fingerprints_of_ecl_mis_too(shape):
    sizes = {(256, 256): (23890, 0xEEF48F56), (30, 30, 30): (8721, 0xE50FDE2A)}
    mask = oracle(gallery.grid(shape), "ecl")
    assert (mask.sum(), crc(mask)) == sizes[shape]
    assert [naive.hash32(v) for v in range(5)] == [0, 0x31251BA7, 0x66A79298, 0xDFB6D245, 0xCD4F2531]


# ------------------------------------------------------------------------------------------------------ real graphs


def real_graphs():
    folder = os.environ.get("STABLEGRAPH_DATA")
    if not folder:
        return [pytest.param(None, None, id="no-data")]
    with open(Path(folder) / "MANIFEST.tsv", newline="") as manifest:
        rows = [row for row in csv.DictReader(manifest, delimiter="\t") if re.match("(un)?directed", row["kind"])]
    return [pytest.param(row["file"], row["kind"], id=row["file"]) for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "kind"), real_graphs())
def test_real_graphs(file, kind, data_file):
    path = data_file(file or "MANIFEST.tsv")
    one_way = kind.startswith("directed")
    graph = sg.read_graph(path, symmetrize="min" if one_way and "weighted" in kind else one_way)
    for priority in PRIORITIES:
        mask = sg.maximal_independent_set(graph, priority=priority)
        assert sg.explain(sg.is_maximal_independent_set, graph, mask) is None


# ---------------------------------------------------------------------------------------------------------- on a GPU


@pytest.mark.gpu
@each(priority=[*PRIORITIES, "values"])
def test_the_same_answer_on_a_gpu(zoo_graph, larger, priority, rounds):
    import cupy

    for graph in (sg.as_graph(zoo_graph), larger):
        n = graph.num_vertices
        order = np.arange(n) % 17 if priority == "values" else priority
        exclude = np.arange(n) % 11 == 3
        on_gpu = graph.to("cuda")
        mask = sg.maximal_independent_set(on_gpu, priority=order, exclude=exclude)
        assert isinstance(mask, cupy.ndarray) and mask.dtype == bool
        assert crc(mask.get()) == crc(sg.maximal_independent_set(graph, priority=order, exclude=exclude))
        include = cupy.asarray(np.flatnonzero(sg.maximal_independent_set(graph, priority="random"))[:3])
        mask = sg.maximal_independent_set(on_gpu, priority=order, include=include)
        assert crc(mask.get()) == crc(sg.maximal_independent_set(graph, priority=order, include=include.get()))


@pytest.mark.gpu
def test_cupy_in_cupy_out():
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    matrix = ZOO["skewed"].astype(np.float32)
    on_gpu = csr_matrix(matrix)
    mask = sg.maximal_independent_set(on_gpu)
    assert isinstance(mask, cupy.ndarray)
    assert crc(mask.get()) == crc(sg.maximal_independent_set(matrix))
    with pytest.raises(ValueError, match="symmetrize=True"):
        sg.maximal_independent_set(csr_matrix(sp.triu(ZOO["path"], format="csr").astype(np.float32)))


# ------------------------------------------------------------------------------------------- the bytes of an order


@each(priority=[*PRIORITIES, "values"], degrees=["few", "many", "only huge ones in the sample"])
def test_bytes_never_contradict_the_order(priority, degrees):
    """A larger byte means earlier in the exact order, even for degrees that the sample missed."""
    random = np.random.default_rng(3)
    n = 10_000
    drawn = {"few": random.integers(1, 6, n), "many": (2.0 ** random.uniform(0, 20, n)).astype(np.int64)}
    huge = np.where(np.arange(n) % 2 == 0, 2**23 + np.arange(n) % 4, random.integers(1, 9, n))
    counts = drawn.get(degrees, huge)
    degree_ptr = np.concatenate([[0], np.cumsum(counts)])
    by = order_file.NAMED_ORDERS.get(priority, order_file.BY_VALUE)
    values = (
        order_file.monotone_bits(random.normal(size=n).round(2)) if priority == "values" else np.empty(0, np.uint64)
    )
    order = order_file.Order(by, 0, degree_ptr, 0, values)
    state = np.empty(n, np.uint8)
    order_file.write_bytes(order, np.array([0, n // 3, n]), state)
    assert state.min() >= 1 and state.max() <= 253
    if priority != "ecl":  # for "ecl" the byte is the order
        exact = order_file.sort_by_order(order, np.arange(n), np.ones(n, np.uint8))
        assert (np.diff(state[exact].astype(int)) <= 0).all()
    if degrees == "few":
        assert np.unique(state).size > (5 if priority == "ecl" else 100)
