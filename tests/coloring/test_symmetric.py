"""Star and acyclic colorings: equal to first fit by the definitions, on any graph and schedule."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.engines import order as order_engine
from stablegraph._core.runtime import use_target
from stablegraph.coloring.order import visiting_order
from tests.support.cases import each
from tests.support.derivative_oracles import (
    first_fit_by_definition,
    has_two_colored_cycle,
    has_two_colored_path,
    is_proper,
)
from tests.support.naive import simple_adjacency
from tests.support.zoo import ZOO

KINDS = {
    "star": (sg.star_coloring, sg.is_star_coloring, has_two_colored_path),
    "acyclic": (sg.acyclic_coloring, sg.is_acyclic_coloring, has_two_colored_cycle),
}
ORDERS = ["natural", "largest_first", "smallest_last", "incidence", "random"]


@st.composite
def graphs(draw, most=9):
    n = draw(st.integers(0, most))
    ends = st.integers(0, max(n - 1, 0))
    edges = draw(st.lists(st.tuples(ends, ends), max_size=3 * n)) if n else []
    u, v = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return sg.from_edges(u, v, n=n, symmetrize=True)


@given(graphs(), st.sampled_from(sorted(KINDS)), st.sampled_from(ORDERS))
def test_first_fit_by_definition(graph, kind, order):
    color, is_right, is_wrong = KINDS[kind]
    colors = color(graph, order=order)
    assert colors.dtype == np.int32
    expected = first_fit_by_definition(simple_adjacency(graph), visiting_order(graph, order, "id", 0), is_wrong)
    assert colors.tolist() == expected
    assert is_right(graph, colors)


@given(graphs(7), st.data())
def test_verifiers_agree_with_the_definitions(graph, data):
    colors = data.draw(st.lists(st.integers(0, 3), min_size=len(graph), max_size=len(graph)))
    neighbors = simple_adjacency(graph)
    for _, is_right, is_wrong in KINDS.values():
        expected = is_proper(neighbors, colors) and not is_wrong(neighbors, colors)
        assert is_right(graph, np.array(colors, np.int64)) == expected
        assert (sg.explain(is_right, graph, np.array(colors, np.int64)) is None) == expected


@each(name=ZOO, kind=KINDS)
def test_graphs_of_the_zoo(name, kind):
    color, is_right, is_wrong = KINDS[kind]
    graph = sg.as_graph(ZOO[name])
    colors = color(graph)
    assert is_right(graph, colors)
    neighbors = simple_adjacency(graph)
    if len(graph) <= 40:
        orders = [visiting_order(graph.simple(), order, "id", 0) for order in ("natural", "smallest_last")]
        found = [first_fit_by_definition(neighbors, order, is_wrong) for order in orders]
        assert colors.tolist() == min(found, key=lambda colors: max(colors, default=-1))
    with use_target("python"):
        assert np.array_equal(color(graph), colors)
    for dtypes in ((np.int64, np.int32), (np.int64, np.int64)):
        assert np.array_equal(color(graph._with_dtypes(*dtypes)), colors)


def test_large_graphs_with_hubs(threads):
    graph = gallery.rmat(10, 8) if hasattr(gallery, "rmat") else gallery.uniform_random(1000, 8)
    for color, is_right, _ in KINDS.values():
        assert is_right(graph, color(graph))
    arrow = sg.from_edges(np.zeros(4000, int), np.arange(1, 4001), symmetrize=True)
    for color, _, _ in KINDS.values():
        assert color(arrow).tolist() == [0] + [1] * 4000


def test_published_numbers_for_bands():
    """Gebremedhin et al. 2009: with r off-diagonal bands, star colorings need r + 1 colors, acyclic r / 2 + 1."""
    for half in (1, 2, 5):
        i = np.arange(3000)
        u = np.concatenate([i[k:] for k in range(1, half + 1)])
        v = np.concatenate([i[:-k] for k in range(1, half + 1)])
        band = sg.from_edges(u, v, symmetrize=True)
        assert sg.star_coloring(band, order="natural").max() + 1 == 2 * half + 1
        assert sg.acyclic_coloring(band, order="natural").max() + 1 == half + 1


def test_the_best_of_several_orders():
    graph = gallery.uniform_random(300, 8)
    numbers = np.arange(300) % 7
    several = [sg.star_coloring(graph, order=order) for order in ("natural", "random", numbers)]
    best = min(several, key=lambda colors: colors.max())
    assert np.array_equal(sg.star_coloring(graph, order=["natural", "random", numbers]), best)


def test_work_comes_in_steps_that_can_be_interrupted(monkeypatch):
    graph = gallery.uniform_random(300, 6)
    expected = [color(graph).tolist() for color, _, _ in KINDS.values()]
    monkeypatch.setattr(order_engine, "ENTRIES_PER_CALL", 1 << 15)
    assert [color(graph).tolist() for color, _, _ in KINDS.values()] == expected


def test_errors_and_explanations():
    square = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    with pytest.raises(ValueError, match="order must be one of"):
        sg.star_coloring(square, order="smallest")
    with pytest.raises(ValueError, match="one number for each of the 4 vertices"):
        sg.acyclic_coloring(square, order=[1, 2])
    with pytest.raises(ValueError, match=r"symmetric|directed|partner"):
        sg.star_coloring(np.triu(np.ones((3, 3))))
    assert sg.explain(sg.is_star_coloring, square, [0, 0, 1, 2]) == (
        "vertices 0 and 1 are adjacent, but both have color 0"
    )
    assert "path on four vertices" in sg.explain(sg.is_star_coloring, square, [0, 1, 0, 1])
    assert "contain a cycle" in sg.explain(sg.is_acyclic_coloring, square, [5, 7, 5, 7])
    with pytest.raises(ValueError, match="shape"):
        sg.is_acyclic_coloring(square, [0, 1])
