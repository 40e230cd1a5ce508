"""Sets by the sources for a GPU, emulated: the same as by the CPU."""

import numpy as np
import pytest

import stablegraph as sg

from ..support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler
ORDERS = ("degree", "ecl", "random", "natural", "high_degree")


@pytest.mark.parametrize("order", ORDERS)
def test_the_same_sets(emulated_graph, order):
    expected = sg.maximal_independent_set(emulated_graph, priority=order, seed=3)
    for seed in range(2):
        with emulated_cuda(seed):
            found = sg.maximal_independent_set(emulated_graph, priority=order, seed=3)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("order", ORDERS)
def test_conditions_and_grids_of_other_sizes(larger, order):
    options = {"priority": order, "include": [5], "exclude": [0, 9]}
    expected = sg.maximal_independent_set(larger, **options)
    for threads in (1, 64, 1000):
        with emulated_cuda(threads, threads=threads):
            np.testing.assert_array_equal(sg.maximal_independent_set(larger, **options), expected)


def test_numbers_as_an_order(emulated_graph):
    numbers = np.random.default_rng(0).integers(-3, 4, emulated_graph.num_vertices)
    expected = sg.maximal_independent_set(emulated_graph, priority=numbers)
    with emulated_cuda():
        np.testing.assert_array_equal(sg.maximal_independent_set(emulated_graph, priority=numbers), expected)


def test_what_one_launch_leaves_undecided_is_decided_by_the_next():
    """A long path by id: every vertex waits for the one before it."""
    path = sg.from_edges(np.arange(999), np.arange(1, 1000), symmetrize=True)
    with emulated_cuda(threads=64):
        mask = sg.maximal_independent_set(path, priority="natural")
    np.testing.assert_array_equal(mask, np.arange(1000) % 2 == 0)
