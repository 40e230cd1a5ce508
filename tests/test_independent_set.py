"""Maximal independent sets: equal to the serial greedy set in the same order, on every target and number of threads."""

import csv
import os
import re
import zlib
from pathlib import Path

import naive
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import ZOO, csr, graphs, preferential, symmetric_csr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph.independent_set import order as order_file
from stablegraph.independent_set import priority as priority_file
from stablegraph.independent_set import serial as serial_file
from stablegraph.parallel import use_target

PRIORITIES = ["degree", "ecl", "random", "natural", "high-degree"]
ALGORITHMS = ["priority", "lexicographic", "luby", "luby-select", "locked", "karp-wigderson", "residual"]
SEEDS = [0, 1, 2**32 - 1]


def oracle(graph, priority="degree", seed=0, **chosen):
    return naive.greedy_independent_set(graph, naive.priority_key(graph, priority, seed), **chosen)


@pytest.fixture(params=["rounds", "as it comes"])
def rounds(request, monkeypatch):
    """Small graphs are finished serially; "rounds" takes them, and the natural order, through the parallel rounds."""
    if request.param == "rounds":
        monkeypatch.setattr(priority_file, "_FEW", 0)
        monkeypatch.setattr(priority_file, "_NATURAL_WORKERS", 0)


def crc(mask):
    assert mask.dtype == bool
    return zlib.crc32(mask.tobytes())


@pytest.fixture(scope="module")
def larger():
    """Some thousands of vertices, hubs among them: enough for all threads to have work at the same time."""
    return sg.as_graph(symmetric_csr(6000, preferential(6000, 5, seed=3)))


# ---------------------------------------------------------------------------------------------- equal to the oracle


@pytest.mark.parametrize("priority", PRIORITIES)
def test_zoo(zoo_graph, priority, threads, rounds):
    mask = sg.maximal_independent_set(zoo_graph, priority=priority)
    assert mask.dtype == bool and mask.shape == (zoo_graph.num_vertices,)
    assert mask.tolist() == oracle(zoo_graph, priority).tolist()
    assert sg.explain(sg.is_maximal_independent_set, zoo_graph, mask) is None


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


@pytest.mark.parametrize("priority", ["degree", "ecl", "random"])
@pytest.mark.parametrize("seed", [1, 77, 2**31, 2**32 - 1, 2**32, 3**100, -1, -(2**70)])
def test_seeds(priority, seed):
    graph = sg.as_graph(ZOO["skewed"])
    mask = sg.maximal_independent_set(graph, priority=priority, seed=seed)
    assert (mask == oracle(graph, priority, seed)).all()


def test_different_seeds_give_different_sets(larger):
    found = {crc(sg.maximal_independent_set(larger, priority="random", seed=seed)) for seed in range(5)}
    assert len(found) == 5


@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((60, 90), {"priority": "degree"}),
        ((60, 90), {"priority": "ecl"}),
        ((60, 90), {"priority": "random"}),
        ((60, 90), {"priority": np.zeros(60 * 90)}),
        ((60, 90), {"algorithm": "luby"}),
        ((60, 90), {"k": 2}),
        ((60, 90), {"k": 2, "priority": "degree"}),
        ((60 * 90,), {"algorithm": "residual"}),  # on grids with two sides its sets are chessboards for any seed
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", [1, 90, 2**32])
def test_near_seeds_have_nothing_in_common_on_a_lattice(shape, options, seed):
    """Hashes of (vertex + seed) would be the same numbers, moved by so many vertices."""
    grid = gallery.grid(shape)
    one, other = (sg.maximal_independent_set(grid, seed=s, **options) for s in (0, seed))
    for moved in (0, 1, 90):
        for first, second in ((one, other), (other, one)):
            related = np.corrcoef(first[450 + moved : -450], second[450 : -450 - moved])
            assert abs(related[0, 1]) < 0.3


@pytest.mark.parametrize("priority", PRIORITIES)
def test_a_larger_graph(larger, priority, threads):
    assert (sg.maximal_independent_set(larger, priority=priority) == oracle(larger, priority)).all()


@pytest.mark.parametrize("shape", [(200,), (40, 50), (2, 3000), (13, 14, 15)], ids=str)
@pytest.mark.parametrize("priority", PRIORITIES)
def test_grids(shape, priority):
    graph = gallery.grid(shape)
    assert (sg.maximal_independent_set(graph, priority=priority) == oracle(graph, priority)).all()


def test_isolated_vertices_are_in():
    for name in ("isolated vertices", "only loops", "one vertex"):
        for priority in PRIORITIES:
            assert sg.maximal_independent_set(ZOO[name], priority=priority).all()


# ------------------------------------------------------------------------------------------------- the user's order

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, bool], ids=lambda dtype: np.dtype(dtype).name)
def test_an_array_of_any_numeric_dtype(dtype):
    graph = sg.as_graph(ZOO["skewed"])
    rng = np.random.default_rng(5)
    n = graph.num_vertices
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        values = rng.integers(limits.min, limits.max, n, dtype, endpoint=True)
        values[:20] = limits.max
        values[20:40] = limits.max - 1  # doubles cannot tell these from the former in the 64-bit types
        values[40:60] = limits.min
    else:
        values = np.round(rng.normal(size=n), 1).astype(dtype)
    for order in (values, values[::-1], np.repeat(values, 2)[::2]):
        for seed in (0, 3):
            mask = sg.maximal_independent_set(graph, priority=order, seed=seed)
            assert (mask == oracle(graph, order, seed)).all()


def test_a_list_is_an_array_too():
    assert sg.maximal_independent_set(ZOO["single edge"], priority=[1, 2]).tolist() == [False, True]
    assert sg.maximal_independent_set(ZOO["single edge"], priority=[0.5, -2]).tolist() == [True, False]


class LikeSeries:
    """An array with a `get` of its own, as pandas has."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)

    def get(self, key):
        return self.values[key]


def test_series_of_other_libraries():
    path = sg.from_edges([0, 1], [1, 2], symmetrize=True)
    assert sg.maximal_independent_set(path, priority=LikeSeries([0, 1, 0])).tolist() == [False, True, False]
    assert sg.maximal_independent_set(path, include=LikeSeries([1])).tolist() == [False, True, False]


@pytest.mark.parametrize("step", [1, 50])
@pytest.mark.parametrize("priority", ["natural", "values"])
def test_serial_passes_in_short_steps(larger, priority, step, monkeypatch):
    monkeypatch.setattr(serial_file, "_STEP", step)
    monkeypatch.setattr(priority_file, "_STALLED", 1)  # after the second round one thread finishes
    chosen = np.arange(larger.num_vertices) if priority == "values" else priority
    include = np.flatnonzero(sg.maximal_independent_set(larger, seed=1))[:20]
    mask = sg.maximal_independent_set(larger, priority=chosen, include=include)
    keys = naive.priority_key(larger, chosen)
    assert (mask == naive.greedy_independent_set(larger, keys, include.tolist())).all()


def test_infinities_and_signed_zeros():
    graph = sg.as_graph(ZOO["clique"])
    values = np.zeros(12)
    values[::2] = -0.0
    assert (sg.maximal_independent_set(graph, priority=values) == oracle(graph, values)).all()
    for v, extreme in ((4, np.inf), (9, np.finfo(float).max)):
        values[v] = extreme
    values[2] = -np.inf
    assert np.flatnonzero(sg.maximal_independent_set(graph, priority=values)).tolist() == [4]


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_is_refused_with_its_place(dtype):
    values = np.ones(12, dtype)
    values[[7, 9]] = np.nan
    with pytest.raises(ValueError, match=r"(?i)\b7\b.*nan|nan.*\b7\b"):
        sg.maximal_independent_set(ZOO["clique"], priority=values)


@pytest.mark.parametrize("values", [np.ones(11), np.ones((12, 1)), np.ones(()), np.ones(13, int)])
def test_a_priority_of_another_shape_is_refused(values):
    with pytest.raises(ValueError, match=r"priority.*12"):
        sg.maximal_independent_set(ZOO["clique"], priority=values)


@pytest.mark.parametrize("values", [np.ones(12, complex), np.array(["a"] * 12), np.array([None] * 12)])
def test_a_priority_that_is_no_number_is_refused(values):
    with pytest.raises((TypeError, ValueError), match="priority"):
        sg.maximal_independent_set(ZOO["clique"], priority=values)


# ---------------------------------------------------------------------------------------------- include and exclude


@pytest.mark.parametrize("priority", [*PRIORITIES, "array"])
def test_include_and_exclude_on_the_zoo(zoo_graph, priority):
    n = zoo_graph.num_vertices
    order = np.arange(n) % 5 if priority == "array" else priority
    exclude = np.flatnonzero(np.arange(n) % 7 == 3)
    include = np.flatnonzero(oracle(zoo_graph, "random", 8, exclude=exclude.tolist()))[:10]
    expected = oracle(zoo_graph, order, include=include.tolist(), exclude=exclude.tolist())
    include_mask, exclude_mask = np.zeros(n, bool), np.zeros(n, bool)
    include_mask[include], exclude_mask[exclude] = True, True
    for inside, outside in ((include, exclude), (include_mask, exclude_mask), (include.tolist(), exclude[::-1])):
        mask = sg.maximal_independent_set(zoo_graph, priority=order, include=inside, exclude=outside)
        assert (mask == expected).all()
    assert mask[include].all() and not mask[exclude].any()
    assert sg.is_maximal_independent_set(zoo_graph, mask, exclude=exclude)


def test_excluding_everything_or_nothing():
    graph = sg.as_graph(ZOO["grid"])
    n = graph.num_vertices
    assert not sg.maximal_independent_set(graph, exclude=np.arange(n)).any()
    for nothing in ([], np.zeros(n, bool), np.zeros(0, np.int64)):
        mask = sg.maximal_independent_set(graph, include=nothing, exclude=nothing)
        assert (mask == oracle(graph)).all()


def test_an_included_vertex_may_have_a_loop():
    assert sg.maximal_independent_set(ZOO["loops"], include=[0, 2])[[0, 2]].all()


def numbers_in(error):
    return {int(number) for number in re.findall(r"\d+", str(error.value))}


def test_adjacent_included_vertices_are_named():
    for thing in (ZOO["path"], sg.as_graph(ZOO["path"])):
        with pytest.raises(ValueError, match="adjacent") as error:
            sg.maximal_independent_set(thing, include=[3, 30, 17, 31])
        assert {30, 31} <= numbers_in(error)


def test_a_vertex_both_included_and_excluded_is_named():
    mask = np.zeros(50, bool)
    mask[17] = True
    for exclude in ([17, 20], mask):
        with pytest.raises(ValueError, match=r"include.*exclude|exclude.*include") as error:
            sg.maximal_independent_set(ZOO["path"], include=[3, 17], exclude=exclude)
        assert 17 in numbers_in(error)


@pytest.mark.parametrize("option", ["include", "exclude"])
def test_wrong_vertices(option):
    for vertices, culprit in (([0, 50], "50"), ([-1], "-1"), (np.array([2**40]), str(2**40))):
        with pytest.raises(ValueError, match=rf"{option}.*{culprit}"):
            sg.maximal_independent_set(ZOO["path"], **{option: vertices})
    with pytest.raises(ValueError, match=rf"{option}.*49.*50"):
        sg.maximal_independent_set(ZOO["path"], **{option: np.zeros(49, bool)})
    with pytest.raises(ValueError, match=rf"{option}.*astype"):
        sg.maximal_independent_set(ZOO["path"], **{option: np.arange(50) % 2})
    for wrong in (np.array([1.0, 2.0]), np.array(["a"])):
        with pytest.raises((TypeError, ValueError), match=option):
            sg.maximal_independent_set(ZOO["path"], **{option: wrong})


# ------------------------------------------------------------------------------------- the same answer everywhere


@pytest.mark.parametrize("priority", PRIORITIES)
def test_the_python_target_in_any_order_with_any_number_of_workers(zoo_graph, priority, rounds):
    expected = oracle(zoo_graph, priority).tolist()
    for seed, workers in ((0, None), (1, 1), (2, 7), (3, 50)):
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


@pytest.mark.parametrize("priority", PRIORITIES)
@pytest.mark.parametrize("workers", [1, 2, 16, 1000])
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
            found = set()
            for n in (1, 2, 3):
                sg.set_num_threads(n)
                found.add(crc(sg.maximal_independent_set(larger, priority=priority, exclude=np.arange(9))))
            assert len(found) == 1
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


@pytest.mark.parametrize("dtypes", FORCED, ids=["int32-int32", "int64-int32", "int64-int64"])
@pytest.mark.parametrize("priority", PRIORITIES)
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


# ------------------------------------------------------------------------------------------------------- the door


def test_every_kind_of_input():
    matrix = ZOO["skewed"]
    expected = sg.maximal_independent_set(matrix).tolist()
    assert sg.maximal_independent_set(sp.csr_matrix(matrix)).tolist() == expected
    for format in ("coo", "csc", "lil", "bsr"):
        assert sg.maximal_independent_set(matrix.asformat(format)).tolist() == expected
    assert sg.maximal_independent_set((matrix.indptr, matrix.indices)).tolist() == expected
    assert sg.maximal_independent_set(matrix.toarray().astype(bool)).tolist() == expected


def test_the_input_is_left_alone():
    matrix = ZOO["unsorted rows"].copy()
    before = [array.tobytes() for array in (matrix.data, matrix.indices, matrix.indptr)]
    values = np.arange(300.0)
    include, exclude = np.array([250, 3]), np.arange(300) == 7
    kept = [array.copy() for array in (values, include, exclude)]
    sg.maximal_independent_set(matrix, priority=values, exclude=exclude)
    sg.maximal_independent_set(matrix, include=include[:1])
    assert [array.tobytes() for array in (matrix.data, matrix.indices, matrix.indptr)] == before
    assert all((a == b).all() for a, b in zip(kept, (values, include, exclude), strict=True))


def test_read_only_input():
    matrix = symmetric_csr(300, preferential(300, 3))
    values = np.arange(300)
    for array in (matrix.indptr, matrix.indices, matrix.data, values):
        array.flags.writeable = False
    mask = sg.maximal_independent_set(matrix, priority=values)
    assert (mask == oracle(sg.as_graph(matrix), values)).all()
    assert mask.flags.writeable


def test_a_directed_graph_is_an_error_with_the_cure():
    with pytest.raises(ValueError, match="symmetrize=True"):
        sg.maximal_independent_set(sg.from_edges([0, 1, 2], [1, 2, 0], directed=True))


def test_an_unsymmetric_matrix_is_an_error_with_the_cure():
    matrix = sp.csr_array(([1.0], ([3], [7])), shape=(9, 9))
    with pytest.raises(ValueError, match=r"symmetrize=True") as error:
        sg.maximal_independent_set(matrix)
    assert {3, 7} <= numbers_in(error)


def test_options_that_are_not_there():
    matrix = ZOO["path"]
    with pytest.raises(ValueError, match=r"priority, lexicographic, luby.*; got 'bogus'"):
        sg.maximal_independent_set(matrix, algorithm="bogus")
    with pytest.raises(ValueError, match=r"degree.*ecl.*random.*natural|natural.*random"):
        sg.maximal_independent_set(matrix, priority="largest")
    with pytest.raises(TypeError):
        sg.maximal_independent_set(matrix, rounds=3)


@pytest.mark.parametrize("k", [0, -1])
def test_distances_that_are_not_there(k):
    with pytest.raises(ValueError, match=r"\bk\b"):
        sg.maximal_independent_set(ZOO["path"], k)


@pytest.mark.parametrize("priority", PRIORITIES)
def test_return_info(priority):
    mask, info = sg.maximal_independent_set(ZOO["skewed"], priority=priority, return_info=True)
    assert (mask == sg.maximal_independent_set(ZOO["skewed"], priority=priority)).all()
    assert set(info) == {"algorithm", "rounds", "undecided", "edges", "seconds"}
    assert info["algorithm"] == "priority"
    assert info["undecided"][0] == 300 and len(info["undecided"]) == info["rounds"] + 1
    assert info["undecided"] == sorted(info["undecided"], reverse=True)
    assert set(info["seconds"]) == {"prepare", "rounds", "finish"} and min(info["seconds"].values()) >= 0


# ---------------------------------------------------------------------------------- rounds to the end, and counting


def rounds_of(graph, priority, seed=0, **chosen):
    """The oracle's set, and who is left after each round."""
    keys = naive.priority_key(graph, priority, seed)
    return naive.in_rounds(graph, lambda _: keys, **chosen)


def synchronous(graph, priority, **options):
    """The mask as bytes, and all that is told of how it was made but the seconds."""
    mask, info = sg.maximal_independent_set(graph, priority=priority, synchronous=True, return_info=True, **options)
    assert min(info.pop("seconds").values()) >= 0
    assert info["rounds"] == len(info["undecided"]) - 1
    return mask.tobytes(), info


@pytest.mark.parametrize("priority", PRIORITIES)
def test_synchronous_on_the_zoo(zoo_graph, priority, threads):
    expected, lefts = rounds_of(zoo_graph, priority)
    mask, info = synchronous(zoo_graph, priority)
    assert mask == expected.tobytes() == oracle(zoo_graph, priority).tobytes()
    assert info["undecided"] == [len(left) for left in lefts]
    assert info["rounds"] <= sg.dependence_depth(zoo_graph, priority=priority)[0]
    for seed, workers in ((1, 1), (2, 7), (3, 50)):
        with use_target("python", seed=seed, workers=workers):
            assert synchronous(zoo_graph, priority) == (mask, info)


@given(thing=graphs(), priority=st.sampled_from(PRIORITIES), seed=st.sampled_from(SEEDS), data=st.data())
def test_synchronous_on_any_graph(thing, priority, seed, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    exclude = data.draw(st.lists(st.integers(0, n - 1), max_size=n, unique=True)) if n else []
    include = np.flatnonzero(oracle(graph, "random", 5, exclude=exclude))[:3].tolist()
    expected, lefts = rounds_of(graph, priority, seed, include=include, exclude=exclude)
    mask, info = synchronous(graph, priority, seed=seed, include=include, exclude=exclude)
    assert mask == expected.tobytes()
    assert info["undecided"] == [len(left) for left in lefts]


@pytest.mark.parametrize("priority", [*PRIORITIES, "values"])
def test_synchronous_on_a_larger_graph(larger, priority, threads):
    order = np.arange(larger.num_vertices) % 97 if priority == "values" else priority
    expected, lefts = rounds_of(larger, order)
    mask, info = synchronous(larger, order)
    assert mask == expected.tobytes()
    assert info["undecided"] == [len(left) for left in lefts]
    for workers in (1, 16, 1000):
        with use_target("cpu", workers=workers):
            assert synchronous(larger, order) == (mask, info)


def test_a_path_by_id_takes_half_as_many_rounds_as_vertices():
    path = gallery.grid((101,))
    mask, info = sg.maximal_independent_set(path, algorithm="lexicographic", synchronous=True, return_info=True)
    assert mask.tolist() == [v % 2 == 0 for v in range(101)]
    assert info["rounds"] == 51
    assert synchronous(path, "natural")[1]["undecided"] == info["undecided"]


def looks(graph, state, lefts):
    """The entries that rounds look at: four at a time, until one of them has a larger byte."""
    total = 0
    for left in lefts[:-1]:
        for v in left:
            row = graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
            for e in range(0, len(row), 4):
                total += len(row[e : e + 4])
                if any(u in left and state[u] > state[v] for u in row[e : e + 4]):
                    break
    return total


@pytest.mark.parametrize("priority", PRIORITIES)
def test_entries_are_counted(larger, priority, threads):
    _, info = synchronous(larger, priority)
    mask, lefts = rounds_of(larger, priority)
    state = np.empty(mask.size, np.uint8)
    order_file.write_bytes(order_file.make_order(larger, priority, 0), np.array([0, mask.size]), state)
    assert info["edges"] == looks(larger, state, lefts) + np.diff(larger.indptr)[mask].sum()


@pytest.mark.parametrize("algorithm", [{"algorithm": "luby"}, {"priority": "random"}, {"priority": "natural"}], ids=str)
def test_entries_where_each_look_takes_the_whole_row(algorithm, threads):
    graph = gallery.grid((40, 50))
    mask, info = sg.maximal_independent_set(graph, **algorithm, return_info=True)
    lefts = naive.luby(graph)[1] if "algorithm" in algorithm else rounds_of(graph, algorithm["priority"])[1]
    degrees = graph.degrees()
    looked_at = sum(degrees[list(left)].sum() for left in lefts[: info["rounds"]])
    assert info["edges"] == looked_at + degrees[mask].sum()


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


# ------------------------------------------------------------------------------------------------ other algorithms


def test_lexicographic_is_natural_by_its_own_name(zoo_graph, threads):
    mask = sg.maximal_independent_set(zoo_graph, algorithm="lexicographic")
    assert mask.tolist() == oracle(zoo_graph, "natural").tolist()


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, -7])
def test_luby_on_the_zoo(zoo_graph, seed, threads):
    expected = naive.luby(zoo_graph, seed)[0].tolist()
    assert sg.maximal_independent_set(zoo_graph, algorithm="luby", seed=seed).tolist() == expected
    with use_target("python", seed=3, workers=7):
        assert sg.maximal_independent_set(zoo_graph, algorithm="luby", seed=seed).tolist() == expected
    with use_target("cpu", workers=16):
        assert sg.maximal_independent_set(zoo_graph, algorithm="luby", seed=seed).tolist() == expected


@given(thing=graphs(), seed=st.sampled_from(SEEDS), data=st.data())
def test_luby_on_any_graph(thing, seed, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    exclude = data.draw(st.lists(st.integers(0, n - 1), max_size=n, unique=True)) if n else []
    include = np.flatnonzero(oracle(graph, "random", 5, exclude=exclude))[:3].tolist()
    mask = sg.maximal_independent_set(graph, algorithm="luby", seed=seed, include=include, exclude=exclude)
    assert mask.tolist() == naive.luby(graph, seed, include, exclude)[0].tolist()
    assert sg.explain(sg.is_maximal_independent_set, graph, mask, exclude=exclude) is None


def test_luby_on_a_larger_graph(larger, threads):
    mask, info = sg.maximal_independent_set(larger, algorithm="luby", return_info=True)
    expected, lefts = naive.luby(larger)
    assert crc(mask) == crc(expected)
    assert info["algorithm"] == "luby" and info["undecided"] == [len(left) for left in lefts]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_by_its_name(zoo_graph, algorithm):
    n = sg.as_graph(zoo_graph).num_vertices
    exclude = np.arange(n) % 7 == 2
    mask, info = sg.maximal_independent_set(zoo_graph, algorithm=algorithm, exclude=exclude, return_info=True)
    assert sg.explain(sg.is_maximal_independent_set, zoo_graph, mask, exclude=exclude) is None
    assert info["algorithm"] == algorithm
    assert info["undecided"][0] == n and len(info["undecided"]) == info["rounds"] + 1


def test_adaptive_is_a_truth_value():
    drawn = [
        sg.maximal_independent_set(ZOO["skewed"], algorithm="luby-select", adaptive=a) for a in (None, True, False)
    ]
    assert crc(drawn[0]) == crc(drawn[1]) != crc(drawn[2])
    with pytest.raises(TypeError, match="adaptive"):
        sg.maximal_independent_set(ZOO["path"], algorithm="luby-select", adaptive=1.5)
    with pytest.raises(TypeError, match="synchronous"):
        sg.maximal_independent_set(ZOO["path"], synchronous="yes")


@pytest.mark.parametrize(
    ("algorithm", "option"),
    [
        ("luby", {"priority": "degree"}),
        ("luby", {"synchronous": True}),
        ("locked", {"seed": 3}),
        ("lexicographic", {"priority": "natural"}),
        ("priority", {"adaptive": True}),
    ],
)
def test_an_option_that_the_algorithm_does_not_have(algorithm, option):
    with pytest.raises(
        ValueError, match=rf"{algorithm}.* has no option {next(iter(option))}; it has .*include, exclude"
    ):
        sg.maximal_independent_set(ZOO["path"], algorithm=algorithm, **option)


# ---------------------------------------------------------------------------------------------------------- on a GPU


@pytest.mark.gpu
@pytest.mark.parametrize("priority", [*PRIORITIES, "values"])
def test_the_same_answer_on_a_gpu(zoo_graph, larger, priority, rounds):
    import cupy

    for graph in (sg.as_graph(zoo_graph), larger):
        n = graph.num_vertices
        order = np.arange(n) % 17 if priority == "values" else priority
        exclude = np.arange(n) % 11 == 3
        there = graph.to("cuda")
        mask = sg.maximal_independent_set(there, priority=order, exclude=exclude)
        assert isinstance(mask, cupy.ndarray) and mask.dtype == bool
        assert crc(mask.get()) == crc(sg.maximal_independent_set(graph, priority=order, exclude=exclude))
        include = cupy.asarray(np.flatnonzero(sg.maximal_independent_set(graph, priority="random"))[:3])
        mask = sg.maximal_independent_set(there, priority=order, include=include)
        assert crc(mask.get()) == crc(sg.maximal_independent_set(graph, priority=order, include=include.get()))


@pytest.mark.gpu
def test_cupy_in_cupy_out():
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    matrix = ZOO["skewed"].astype(np.float32)
    there = csr_matrix(matrix)
    mask = sg.maximal_independent_set(there)
    assert isinstance(mask, cupy.ndarray)
    assert crc(mask.get()) == crc(sg.maximal_independent_set(matrix))
    with pytest.raises(ValueError, match="symmetrize=True"):
        sg.maximal_independent_set(csr_matrix(sp.triu(ZOO["path"], format="csr").astype(np.float32)))


# ------------------------------------------------------------------------------------------- the bytes of an order


@pytest.mark.parametrize("priority", [*PRIORITIES, "values"])
@pytest.mark.parametrize("degrees", ["few", "many", "only huge ones in the sample"])
def test_bytes_never_contradict_the_order(priority, degrees):
    """A larger byte means ahead in the exact order, also for degrees that the sample missed."""
    random = np.random.default_rng(3)
    n = 10_000
    drawn = {"few": random.integers(1, 6, n), "many": (2.0 ** random.uniform(0, 20, n)).astype(np.int64)}
    huge = np.where(np.arange(n) % 2 == 0, 2**23 + np.arange(n) % 4, random.integers(1, 9, n))
    counts = drawn.get(degrees, huge)
    degree_ptr = np.concatenate([[0], np.cumsum(counts)])
    rule = order_file.NAMED_ORDERS.get(priority, order_file.BY_VALUE)
    values = (
        order_file._monotone_bits(random.normal(size=n).round(2)) if priority == "values" else np.empty(0, np.uint64)
    )
    order = order_file.Order(rule, 0, degree_ptr, 0, values)
    state = np.empty(n, np.uint8)
    order_file.write_bytes(order, np.array([0, n // 3, n]), state)
    assert state.min() >= 1 and state.max() <= 253
    if priority != "ecl":  # there the byte is the order
        exact = order_file.in_order(order, np.arange(n), np.ones(n, np.uint8))
        assert (np.diff(state[exact].astype(int)) <= 0).all()
    if degrees == "few":
        assert np.unique(state).size > (5 if priority == "ecl" else 100)
