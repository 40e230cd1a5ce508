"""Every set algorithm with an oracle: equal to it on every target, schedule, number of threads and index type.

A new algorithm is tested by this module as soon as it has a line in `tests/support/set_oracles.py`.
"""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph._core.runtime import use_target
from stablegraph.independent_set.api import ALGORITHMS
from tests.independent_set.greedy import crc, draw_conditions
from tests.support import naive
from tests.support.cases import each
from tests.support.set_oracles import ORACLES
from tests.support.zoo import graphs

FORMS = {
    f"{name} {options}" if options else name: (name, options)
    for name in ORACLES
    for options in ([{"adaptive": True}, {"adaptive": False}] if "adaptive" in ALGORITHMS[name].options else [{}])
}
each_form = pytest.mark.parametrize("form", FORMS)
CONDITIONS = {"include": [17], "exclude": range(9)}


def set_of(graph, form, seed=0, **conditions):
    """Return the mask, and the reported counts."""
    algorithm, options = FORMS[form]
    options = options | ({"seed": seed} if "seed" in ALGORITHMS[algorithm].options else {})
    mask, info = sg.maximal_independent_set(graph, algorithm=algorithm, return_info=True, **options, **conditions)
    assert mask.dtype == bool and mask.shape == (graph.num_vertices,)
    assert info["algorithm"] == algorithm
    assert info["rounds"] == len(info["undecided"]) - 1
    assert min(info["seconds"].values()) >= 0 and info["edges"] >= 0
    return mask, info


def expected(graph, form, seed=0, **conditions):
    """Return the mask, the number of undecided vertices after each round, and perhaps the number of entries read."""
    algorithm, options = FORMS[form]
    return ORACLES[algorithm](graph, naive.hash_seed(seed), **options, **conditions)


def check(graph, form, seed=0, **conditions):
    mask, info = set_of(graph, form, seed, **conditions)
    its_mask, undecided, *entries = expected(graph, form, seed, **conditions)
    assert mask.tolist() == its_mask.tolist()
    assert info["undecided"] == undecided
    assert [info["edges"]] == entries or not entries
    excluded = sorted(conditions.get("exclude", ()))
    assert sg.explain(sg.is_maximal_independent_set, graph, mask, exclude=excluded) is None


@each_form
@each(pairs=True, seed=[0, 1, 2**32 - 1, -7])
def test_zoo(zoo_graph, form, seed, threads):
    check(zoo_graph, form, seed)


@each_form
def test_the_zoo_in_any_order_with_any_number_of_workers(zoo_graph, form):
    for seed, workers in ((0, None), (1, 1), (3, 50)):
        with use_target("python", seed=seed, workers=workers):
            check(zoo_graph, form, 5)
    with use_target("cpu", workers=16):
        check(zoo_graph, form, 5)


@each_form
@given(thing=graphs(), seed=st.integers(-(2**70), 2**70), workers=st.integers(1, 20), data=st.data())
def test_any_graph(form, thing, seed, workers, data):
    graph = sg.as_graph(thing)
    include, exclude = draw_conditions(data, graph)
    check(graph, form, seed)
    check(graph, form, seed, include=include, exclude=exclude)
    with use_target("python", seed=seed % 2**32, workers=workers):
        check(graph, form, seed, include=include, exclude=exclude)


@cache
def on_larger(graph, form):
    return expected(graph, form, 3, **CONDITIONS)


@each_form
def test_a_larger_graph(larger, form, threads):
    mask, info = set_of(larger, form, 3, **CONDITIONS)
    its_mask, undecided, *_ = on_larger(larger, form)
    assert (mask == its_mask).all() and info["undecided"] == undecided


@each_form
@each(workers=[1, 2, 16, 1000])
def test_more_workers_than_threads(larger, form, workers):
    for _ in range(3):
        with use_target("cpu", workers=workers):
            assert crc(set_of(larger, form, 3, **CONDITIONS)[0]) == crc(on_larger(larger, form)[0])


@each_form
@pytest.mark.parametrize("dtypes", [(np.int64, np.int32), (np.int64, np.int64)], ids=str)
def test_each_width_that_a_graph_can_have(larger, form, dtypes):
    mask, _ = set_of(larger._with_dtypes(*dtypes), form, 3, **CONDITIONS)
    assert (mask == on_larger(larger, form)[0]).all()


@each_form
def test_different_seeds_give_different_sets(larger, form):
    if "seed" in ALGORITHMS[FORMS[form][0]].options:
        assert len({crc(set_of(larger, form, seed)[0]) for seed in range(5)}) == 5
