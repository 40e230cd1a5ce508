"""First fit by threads that wait for each other, compared with first fit by one thread."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.engines import order as order_engine
from stablegraph._core.runtime import use_target
from stablegraph.coloring import first_fit
from stablegraph.coloring.order import visiting_order
from stablegraph.coloring.rules import NO_COLOR
from tests.support import naive
from tests.support.cases import each

LARGE = {  # three threads process them at once
    "random": lambda: gallery.uniform_random(2**15, 4, seed=0),
    "hubs, more than 63 colors": lambda: gallery.kronecker(11, 48, seed=1),
    "clique": lambda: sg.as_graph(1 - np.eye(400)),
}


@pytest.fixture
def always(monkeypatch):
    """Make threads wait even where a sample indicates that one thread is as fast."""
    monkeypatch.setattr(order_engine, "_MAX_WAITING", 1)


@each(distance=[1, 2])
@pytest.mark.parametrize("order, ties", [("largest_first", "id"), ("natural", "id"), ("random", "hash")])
def test_zoo(zoo_graph, order, ties, distance, always):
    if distance == 2 and zoo_graph.facts["longest_row"] > 60:
        pytest.skip("that is for nets.py")
    expected = naive.first_fit(zoo_graph, naive.coloring_order(zoo_graph, order, ties), distance)
    with use_target("cpu", workers=5):
        result = sg.vertex_coloring(zoo_graph, distance=distance, order=order, ties=ties, reduce="none")
    assert result.tolist() == expected


@pytest.mark.parametrize("name", LARGE)
def test_threads_at_once(name, always):
    graph = LARGE[name]()
    vertices = visiting_order(graph, "largest_first", "id", 0)
    expected = sg.vertex_coloring(graph, reduce="none")
    for _ in range(5):
        colors = np.full(graph.num_vertices, NO_COLOR, np.int32)
        assert first_fit.color_on_threads(graph, vertices, colors, 3)
        np.testing.assert_array_equal(colors, expected)


def test_given_colors_stay_in_short_calls(always, monkeypatch):
    monkeypatch.setattr(order_engine, "ENTRIES_PER_CALL", 1000)
    graph = LARGE["random"]()
    fixed = np.where(sg.maximal_independent_set(graph, seed=3), 7, -1)
    expected = sg.vertex_coloring(graph, fixed=fixed)
    with use_target("cpu", workers=3):
        np.testing.assert_array_equal(sg.vertex_coloring(graph, fixed=fixed), expected)


def test_given_colors_as_high_as_positions_are_waited_for_by_nobody(always):
    graph = LARGE["random"]()
    fixed = np.where(sg.maximal_independent_set(graph, seed=3), 2**31 - 2, -1)
    expected = sg.vertex_coloring(graph, fixed=fixed)
    with use_target("cpu", workers=3):
        np.testing.assert_array_equal(sg.vertex_coloring(graph, fixed=fixed), expected)


def test_a_hub_asks_for_no_more_memory_than_the_graph(always, monkeypatch):
    monkeypatch.setattr(first_fit, "_FREE_MARKS", 0)
    leaves = np.arange(1, 1000)
    star = sg.from_edges(np.zeros(999, int), leaves, symmetrize=True)
    colors = np.full(1000, NO_COLOR, np.int32)
    assert not first_fit.color_on_threads(star, visiting_order(star, "natural", "id", 0), colors, 16)


def test_a_path_in_its_order_is_for_one_thread():
    path = gallery.grid((4000,))
    colors = np.full(4000, NO_COLOR, np.int32)
    assert not first_fit.color_on_threads(path, np.arange(4000, dtype=np.int32), colors, 3)
    assert (colors == NO_COLOR).all()


def test_a_path_whose_neighbors_are_far_in_the_order_is_for_threads():
    path = gallery.grid((8000,))
    vertices = np.r_[np.arange(0, 8000, 2), np.arange(1, 8000, 2)].astype(np.int32)
    colors = np.full(8000, NO_COLOR, np.int32)
    assert first_fit.color_on_threads(path, vertices, colors, 3)
    assert (colors[::2] == 0).all() and (colors[1::2] == 1).all()


@each(workers=[1, 3, 16])
def test_distance_two_has_the_same_colors_for_any_number_of_workers(workers):
    grid = gallery.grid((40, 30))
    expected = naive.first_fit(grid, naive.coloring_order(grid, "largest_first", "id"), 2)
    with use_target("cpu", workers=workers):
        colors = sg.vertex_coloring(grid, distance=2, order="largest_first", reduce="none")
    assert colors.tolist() == expected
