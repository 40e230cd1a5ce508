"""Greedy sets in a user's order, with vertices that must be in or out; rejected arguments."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph._core.engines import order as order_engine
from stablegraph._core.engines import rounds as engine
from tests.independent_set.greedy import PRIORITIES, numbers_in, oracle
from tests.support.cases import each
from tests.support.zoo import ZOO

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
        values[20:40] = limits.max - 1  # as doubles these and the maxima would be equal in the 64-bit types
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
    """An array with its own method `get`, like that of pandas."""

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
    monkeypatch.setattr(order_engine, "ENTRIES_PER_CALL", step)
    monkeypatch.setattr(engine, "STALLED", 1)  # after the second round one thread finishes
    chosen = np.arange(larger.num_vertices) if priority == "values" else priority
    include = np.flatnonzero(sg.maximal_independent_set(larger, seed=1))[:20]
    mask = sg.maximal_independent_set(larger, priority=chosen, include=include)
    assert (mask == oracle(larger, chosen, include=include.tolist())).all()


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


@pytest.mark.parametrize("values", [np.ones(11), np.ones((12, 2)), np.ones(()), np.ones(13, int)])
def test_a_priority_of_another_shape_is_refused(values):
    with pytest.raises(ValueError, match=r"priority.*12"):
        sg.maximal_independent_set(ZOO["clique"], priority=values)


@pytest.mark.parametrize("values", [np.ones(12, complex), np.array(["a"] * 12), np.array([None] * 12)])
def test_a_priority_that_is_no_number_is_refused(values):
    with pytest.raises((TypeError, ValueError), match="priority"):
        sg.maximal_independent_set(ZOO["clique"], priority=values)


# ---------------------------------------------------------------------------------------------- include and exclude


@each(priority=[*PRIORITIES, "array"])
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
