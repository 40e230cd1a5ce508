"""Luby's sets with random selection by the GPU source, emulated: equal to those of the CPU."""

import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.study.cuda import luby_select as luby_select_cuda

from ..support.emulated_cuda import needs_a_compiler
from ..support.zoo import symmetric_csr
from .emulated_sets import WIDE_TYPES, same_for_types, same_sets, same_under_conditions, same_when_counted

pytestmark = needs_a_compiler


@pytest.fixture(params=[1, 1 << 32], ids=["a-turn-a-launch", "one-launch"])
def budget(request, monkeypatch):
    monkeypatch.setattr(luby_select_cuda, "_BUDGET", request.param)


WAYS = [{"algorithm": "luby_select", "adaptive": adaptive, "seed": 3} for adaptive in (True, False)]
each_way = pytest.mark.parametrize("way", WAYS, ids=["adaptive", "not-adaptive"])


@each_way
def test_the_same_sets(hard_graph, way, budget):
    same_sets(hard_graph, **way)


@each_way
def test_conditions(hard_graph, way):
    same_under_conditions(hard_graph, **way)


@each_way
@pytest.mark.parametrize("types", WIDE_TYPES)
def test_index_types(types, way, budget):
    same_for_types(types, **way)


@each_way
def test_hubs(way, budget):
    """Test long rows; and, with excluded leaves, hubs that no draw selects."""
    hubs = [(h, v) for h, degree in enumerate((900, 300, 257, 129, 60)) for v in range(10, 10 + degree)]
    graph = sg.as_graph(symmetric_csr(1000, [*hubs, (0, 1), (0, 2), (5, 3), (950, 951)]))
    same_sets(graph, **way)
    same_sets(graph, exclude=range(10, 1000), **way)


@each_way
def test_a_lattice(way):
    same_sets(gallery.grid((20, 21)), 2, **way)


def test_what_is_counted():
    same_when_counted(algorithm="luby_select")
