"""Components named by their smallest vertices, and components that continue from earlier labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.csr.groups import as_groups, smallest_members
from stablegraph._core.runtime import use_target
from stablegraph.components import union
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import graphs

from .test_components import ALGORITHMS, one_way


def smallest_of(labels):
    """Return the smallest vertex with the label of each vertex."""
    labels = list(labels)
    return [labels.index(label) for label in labels]


def parts_of(graph, seed):
    """Split the edges of a graph into two graphs, and cut the vertices of the first one."""
    rng = np.random.default_rng(seed)
    u, v = graph._rows(), graph.indices
    k = int(rng.integers(0, graph.num_vertices + 1))
    first = (rng.random(u.size) < 0.5) & (u < k) & (v < k)
    earlier = sg.from_edges(u[first], v[first], n=k, symmetrize=True)
    later = sg.from_edges(u[~first], v[~first], n=graph.num_vertices, symmetrize=True)
    return earlier, later


# Labels by smallest vertices


@each(algorithm=ALGORITHMS)
def test_smallest_vertices_as_labels(zoo_graph, algorithm):
    for graph in (zoo_graph, one_way(zoo_graph)):
        count, labels = sg.connected_components(graph, algorithm=algorithm, label="smallest")
        expected, numbered = naive.connected_components(graph)
        assert (count, labels.tolist()) == (expected, smallest_of(numbered))
        assert labels.dtype == np.int32
        assert sg.is_component_labeling(graph, labels)


def test_labels_are_stable_when_data_grows():
    graph = gallery.uniform_random(3000, 1)
    count, labels = sg.connected_components(graph, label="smallest")
    u, v = graph._rows(), graph.indices
    grown = sg.from_edges([*u, 2999], [*v, 3000], n=3001, symmetrize=True)
    assert np.array_equal(sg.connected_components(grown, label="smallest")[1][:3000], labels)
    assert sg.connected_components(grown)[0] == count


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_smallest_members(dtype, threads):
    labels = np.random.default_rng(0).integers(0, 500, 20_000).astype(dtype)
    with sg.threads(threads):
        assert smallest_members(labels).tolist() == smallest_of(labels.tolist())
    assert as_groups(np.array([-5, 7, 7, -5])).tolist() == [0, 1, 1, 0]


@given(st.lists(st.integers(0, 9), min_size=10, max_size=30), st.integers(0, 99), st.integers(1, 5))
def test_smallest_members_on_shuffled_schedules(labels, seed, workers):
    with use_target("python", seed=seed, workers=workers):
        assert smallest_members(np.array(labels, np.int32)).tolist() == smallest_of(labels)


# Added edges


@each(seed=[0, 1, 2], label=["number", "smallest"])
def test_continued_as_from_scratch(zoo_graph, seed, label):
    earlier, later = parts_of(zoo_graph, seed)
    expected = sg.connected_components(zoo_graph, label=label)
    for more in (later, one_way(later, seed), later._with_dtypes(np.int64, np.int64)):
        for earlier_label in ("number", "smallest"):
            start = sg.connected_components(earlier, label=earlier_label)[1]
            count, labels = sg.connected_components(more, start=start, label=label)
            assert (count, labels.tolist()) == (expected[0], expected[1].tolist())
            assert labels.dtype == np.int32


@given(graphs(), st.integers(0, 99), st.integers(1, 5))
def test_shuffled_schedules(thing, seed, workers):
    graph = sg.as_graph(thing)
    earlier, later = parts_of(graph, seed)
    with use_target("python", seed=seed, workers=workers):
        start = sg.connected_components(earlier)[1]
        count, labels = sg.connected_components(later, start=start)
    assert (count, labels.tolist()) == naive.connected_components(graph)


@pytest.mark.parametrize("workers", [1, 7, 500])
def test_many_workers_in_short_steps(workers, monkeypatch):
    monkeypatch.setattr(union, "ENTRIES_PER_CALL", 1000)
    graph = gallery.uniform_random(20_000, 2)
    earlier, later = parts_of(graph, 3)
    expected = sg.connected_components(graph)
    start = np.random.default_rng(0).permutation(earlier.num_vertices)[sg.connected_components(earlier)[1]]
    with use_target("cpu", workers=workers):
        count, labels = sg.connected_components(later, start=start)
    assert count == expected[0]
    assert np.array_equal(labels, expected[1])


def test_the_start_is_not_changed_and_may_be_a_list():
    path = sg.from_edges([1], [2], n=4, symmetrize=True)
    start = np.array([0, 0, 1, 2])
    assert sg.connected_components(path, start=start)[1].tolist() == [0, 0, 0, 1]
    assert start.tolist() == [0, 0, 1, 2]
    assert sg.connected_components(path, start=[2, 2, 0])[1].tolist() == [0, 0, 0, 1]
    assert sg.connected_components(path, start=[])[0] == 3
    assert sg.connected_components(sg.from_edges([], [], n=0), start=[])[0] == 0


def test_names_of_an_earlier_graph():
    first = sg.from_edges(["Ann", "Eve"], ["Bob", "Dan"], symmetrize=True)
    start = sg.connected_components(first)[1]
    more = sg.from_edges(["Bob", "Zoe"], ["Zoe", "Dan"], nodes=[*first.nodes, "Zoe", "Kim"], symmetrize=True)
    assert sg.connected_components(more, start=start)[1].tolist() == [0, 0, 0, 0, 0, 1]


def test_refused_starts():
    path = sg.from_edges([0, 1], [1, 2], symmetrize=True)
    for start, message in (
        ([0, 1, 2, 0], "at most 3, got shape .4,.; if the graph has fewer vertices than before, pass n="),
        ([[0]], "got shape"),
        ([0, -1], r"start\[1\], the label of vertex 1, is -1, but labels are at least 0 and less than 2"),
        ([5, 0, 1], r"start\[0\], the label of vertex 0, is 5, .* less than 3, their number"),
    ):
        with pytest.raises(ValueError, match=message):
            sg.connected_components(path, start=start)
    with pytest.raises(TypeError, match="start must be labels of integers, got float64"):
        sg.connected_components(path, start=[0.0, 1.0])
    with pytest.raises(TypeError, match="start is a tuple of 2 results: pass one array"):
        sg.connected_components(path, start=sg.connected_components(path))
    with pytest.raises(ValueError, match="start= needs algorithm='union', got 'fastsv'"):
        sg.connected_components(path, start=[0], algorithm="fastsv")
    with pytest.raises(ValueError, match="label must be one of number, smallest"):
        sg.connected_components(path, label="min")
