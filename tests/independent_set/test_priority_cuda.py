"""Sets by the GPU sources, emulated: equal to those of the CPU."""

from itertools import cycle
from typing import get_args

import numpy as np
import pytest

import stablegraph as sg
from stablegraph._core import option_names as names
from tests.support.cases import each

from ..support.emulated_cuda import emulated_cuda, needs_a_compiler
from .emulated_sets import same_sets

pytestmark = needs_a_compiler
ORDERS = get_args(names.Priority)


@each(order=ORDERS)
def test_the_same_sets(hard_graph, order):
    same_sets(hard_graph, 2, priority=order, seed=3)


@pytest.mark.parametrize(("order", "threads"), list(zip(ORDERS, cycle((1, 64, 1000, 64)), strict=False)))
def test_conditions_and_grids_of_other_sizes(larger, order, threads):
    options = {"priority": order, "include": [5], "exclude": [0, 9]}
    expected = sg.maximal_independent_set(larger, **options)
    with emulated_cuda(threads, threads=threads):
        np.testing.assert_array_equal(sg.maximal_independent_set(larger, **options), expected)


def test_numbers_as_an_order(hard_graph):
    numbers = np.random.default_rng(0).integers(-3, 4, hard_graph.num_vertices)
    same_sets(hard_graph, priority=numbers)


def test_what_one_launch_leaves_undecided_is_decided_by_the_next():
    """On a long path by id, every vertex waits for its predecessor."""
    path = sg.from_edges(np.arange(999), np.arange(1, 1000), symmetrize=True)
    with emulated_cuda(threads=64):
        mask = sg.maximal_independent_set(path, priority="natural")
    np.testing.assert_array_equal(mask, np.arange(1000) % 2 == 0)
