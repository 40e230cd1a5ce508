"""Sets by the sources for a GPU, emulated: the same as by the CPU."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.independent_set.greedy import priority_cuda

from ..support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler
ORDERS = ("degree", "ecl", "random", "natural", "high_degree")


@pytest.mark.parametrize("most_in_place", [0, 1 << 20])
@pytest.mark.parametrize("order", ORDERS)
def test_the_same_sets(zoo_graph, order, most_in_place, monkeypatch):
    monkeypatch.setattr(priority_cuda, "_MOST_IN_PLACE", most_in_place)
    expected = sg.maximal_independent_set(zoo_graph, priority=order, seed=3)
    for seed in range(2):
        with emulated_cuda(seed):
            found = sg.maximal_independent_set(zoo_graph, priority=order, seed=3)
        np.testing.assert_array_equal(found, expected)
