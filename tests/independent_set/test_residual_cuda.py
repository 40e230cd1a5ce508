"""Large sets by the GPU source, emulated: equal to those of the CPU."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.independent_set.cuda import residual as residual_cuda

from ..support.emulated_cuda import needs_a_compiler
from ..support.zoo import symmetric_csr
from .emulated_sets import WIDE_TYPES, same_for_types, same_sets, same_under_conditions, same_when_counted

pytestmark = needs_a_compiler


@pytest.fixture(params=[1, 1 << 31], ids=["a-round-a-launch", "one-launch"])
def budget(request, monkeypatch):
    monkeypatch.setattr(residual_cuda, "_BUDGET", request.param)


WAY = {"algorithm": "residual", "seed": 3}


def test_the_same_sets(hard_graph, budget):
    same_sets(hard_graph, 2, **WAY)


def test_conditions(hard_graph):
    same_under_conditions(hard_graph, **WAY)


@pytest.mark.parametrize("types", WIDE_TYPES)
def test_index_types(types, budget):
    same_for_types(types, **WAY)


def test_hubs(budget):
    """Long rows of vertices that go out; and, with excluded leaves, of vertices that join."""
    hubs = [(h, v) for h, degree in enumerate((700, 300, 257, 129, 60)) for v in range(10, 10 + degree)]
    graph = sg.as_graph(symmetric_csr(800, [*hubs, (0, 1), (0, 2), (5, 3), (5, 6), (6, 7), (750, 751)]))
    same_sets(graph, 2, **WAY)
    same_sets(graph, exclude=range(10, 700), **WAY)
    same_sets(graph, include=[0], **WAY)


def test_dense_rounds(budget):
    """Degrees far above 2, with rounds from the other list."""
    rng = np.random.default_rng(0)
    same_sets(sg.from_edges(*rng.integers(0, 250, (2, 3000)), n=250, symmetrize=True), 2, **WAY)


def test_a_wave():
    same_sets(gallery.grid((12, 30)), 2, **WAY)
    same_sets(gallery.grid((6, 7, 8)), **WAY)


def test_what_is_counted():
    same_when_counted(algorithm="residual")
