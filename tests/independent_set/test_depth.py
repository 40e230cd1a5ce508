"""Dependence depths of orders: equal to the oracle, and to published numbers of real graphs."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core import option_names as names
from stablegraph._core.runtime import use_target
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import graphs

PRIORITIES = get_args(names.Priority)


def oracle(graph, priority, seed=0):
    depths = naive.dependence_depths(graph, naive.priority_key(graph, priority, seed))
    return (max(depths), sum(depths) / len(depths)) if depths else (0, 0.0)


@each(priority=PRIORITIES)
def test_zoo(zoo_graph, priority):
    assert sg.dependence_depth(zoo_graph, priority=priority) == oracle(zoo_graph, priority)
    with use_target("python"):
        assert sg.dependence_depth(zoo_graph, priority=priority) == oracle(zoo_graph, priority)


@given(graphs(), st.sampled_from(PRIORITIES), st.integers(-5, 2**33))
def test_any_graph(thing, priority, seed):
    graph = sg.as_graph(thing)
    assert sg.dependence_depth(thing, priority=priority, seed=seed) == oracle(graph, priority, seed)
    values = np.arange(graph.num_vertices) % 3
    assert sg.dependence_depth(graph, priority=values, seed=seed) == oracle(graph, values, seed)


def test_a_path_in_its_own_order_is_one_long_chain():
    n = 10_000
    path = sg.from_edges(np.arange(n - 1), np.arange(1, n), symmetrize=True)
    assert sg.dependence_depth(path, priority="natural") == (n, (n + 1) / 2)


def test_the_grid_has_the_depth_that_is_known():
    maximum, average = sg.dependence_depth(gallery.grid((1024, 1024)), priority="ecl")
    assert (maximum, round(average, 3)) == (18, 3.470)


@pytest.mark.parametrize(
    ("file", "ecl", "maxima", "mean"),
    [("USA-road-d.NY.gr.gz", (14, 2.473), (10, 15), 2.55), ("internet.mtx.gz", (33, 2.000), (24, 31), 3.4)],
)
def test_real_graphs_have_the_depths_that_are_known(data_file, file, ecl, maxima, mean):
    graph = sg.read_graph(data_file(file), weights=False, symmetrize=True)
    maximum, average = sg.dependence_depth(graph, priority="ecl")
    assert (maximum, round(average, 3)) == ecl
    for seed in range(3):
        maximum, average = sg.dependence_depth(graph, priority="random", seed=seed)
        assert maxima[0] <= maximum <= maxima[1]
        assert abs(average - mean) <= 0.1


def test_bad_options():
    path = sg.from_edges([0, 1], [1, 2], symmetrize=True)
    with pytest.raises(ValueError, match="priority must be one of"):
        sg.dependence_depth(path, priority="alphabetical")
    with pytest.raises(TypeError, match="seed"):
        sg.dependence_depth(path, seed="one")
    with pytest.raises(ValueError, match="symmetrize=True"):
        sg.dependence_depth(sg.from_edges([0], [1], directed=True))
