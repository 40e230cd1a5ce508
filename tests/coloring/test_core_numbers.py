"""Core numbers: equal to removing vertices from sets; their verifier accepts them and nothing else."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import stablegraph as sg
from tests.support import naive
from tests.support.zoo import graphs

REAL = [*(pytest.param(f, marks=pytest.mark.slow) for f in ("USA-road-d.NY.gr.gz", "internet.mtx.gz")), "Reed98.mtx.gz"]


@given(graphs())
def test_equal_to_repeated_removal(thing):
    graph = sg.as_graph(thing)
    numbers = sg.core_numbers(graph)
    assert numbers.tolist() == naive.core_numbers(naive.simple_adjacency(graph))
    assert numbers.dtype == graph.indices.dtype
    assert sg.is_core_labeling(graph, numbers)


@given(graphs(max_vertices=6))
def test_the_verifier_refuses_every_other_number(thing):
    graph = sg.as_graph(thing)
    numbers = sg.core_numbers(graph)
    for v in range(len(graph)):
        for change in (-1, 1, 2, -2):
            other = numbers.astype(np.int64)
            other[v] += change
            assert not sg.is_core_labeling(graph, other)
    assert sg.is_core_labeling(graph, numbers - 1) == (len(graph) == 0)


def test_numbers_that_are_all_too_small_are_refused_although_each_vertex_has_enough_neighbors():
    cycle = sg.gallery.grid((3, 3))
    assert sg.explain(sg.is_core_labeling, cycle, np.ones(9, int)) == (
        "vertex 0 has the core number 1, but it belongs to a part in which all vertices have more than 1 neighbors"
    )
    assert "at least 0" in sg.explain(sg.is_core_labeling, cycle, np.full(9, -1))


@pytest.mark.parametrize("file", REAL)
def test_real_graphs(file, data_file):
    graph = sg.read_graph(data_file(file), weights=False, symmetrize=True)
    numbers = sg.core_numbers(graph)
    assert sg.is_core_labeling(graph, numbers)
    assert numbers.tolist() == [k for _, k in sorted(nx.core_number(graph.simple().to_networkx()).items())]


def test_arcs_and_partitions_are_refused():
    with pytest.raises(ValueError, match="directed"):
        sg.core_numbers(sg.from_edges([0], [1], directed=True))
    with pytest.raises(ValueError, match="expected shape"):
        sg.is_core_labeling(sg.gallery.grid((2, 2)), [1])
    with pytest.raises(TypeError, match="integers"):
        sg.is_core_labeling(sg.gallery.grid((2, 2)), [2.0] * 4)
