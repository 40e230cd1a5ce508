"""Figures: drawings show the requested content, and content that cannot be drawn is rejected."""

from __future__ import annotations

import io

import numpy as np
import pytest

import stablegraph
from stablegraph import (
    aggregate,
    effective_resistance,
    from_edges,
    gallery,
    large_independent_set,
    maximal_independent_set,
    minimum_spanning_forest,
    plot,
    spectral_embedding,
    vertex_coloring,
)
from tests.support.processes import run_python

pytest.importorskip("matplotlib").use("Agg")

from matplotlib.colors import to_rgba, to_rgba_array  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from stablegraph.plot.page import palette  # noqa: E402


@pytest.fixture
def axes():
    return Figure().subplots()


def path_graph(n):
    return from_edges(np.arange(n - 1), np.arange(1, n), n=n, symmetrize=True)


def test_figures_take_the_result_of_a_search():
    graph = path_graph(9)
    best = large_independent_set(graph)
    assert plot.independent_set_figure(graph, best).axes
    assert plot.plot_matrix(graph, best).patches


def test_layout_of_a_path_is_a_line_with_even_steps():
    positions = plot.layout(path_graph(30))
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    assert np.allclose(steps, 1, atol=0.1)
    assert np.linalg.norm(positions[0] - positions[-1]) == pytest.approx(29, rel=0.05)


def test_layout_of_a_grid_keeps_distances():
    graph = gallery.grid((12, 9))
    positions = plot.layout(graph)
    u, v = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)), graph.indices
    lengths = np.linalg.norm(positions[u] - positions[v], axis=1)
    assert lengths.min() > 0.6 and lengths.max() < 1.6
    assert np.ptp(positions[:, 0]) > np.ptp(positions[:, 1])  # the longer side is horizontal


@pytest.mark.parametrize("method", ["spectral", "resistance"])
def test_layouts_by_eigenvectors(method):
    graph = gallery.delaunay(500, seed=1)
    positions = plot.layout(graph, method)
    positions = positions - positions.mean(axis=0)
    values, vectors = spectral_embedding(graph, 2, normalized=method == "spectral")
    expected = vectors if method == "spectral" else vectors / np.sqrt(values)
    expected = expected - expected.mean(axis=0)
    products = [X @ X.T / (X**2).sum() for X in (positions, expected)]  # independent of rotations and scale
    assert np.allclose(*products, atol=1e-9)
    u, v = graph.to_scipy().tocoo().coords
    assert np.isclose(np.hypot(*(positions[u] - positions[v]).T).mean(), 1)
    several = from_edges([0, 1, 2, 5], [1, 2, 3, 6], n=8, symmetrize=True)
    assert np.isfinite(plot.layout(several, method)).all()


def test_the_resistance_layout_shows_resistances():
    graph = gallery.grid((40, 4))
    positions = plot.layout(graph, "resistance")
    pairs = np.random.default_rng(0).integers(0, 160, (300, 2))
    squares = ((positions[pairs[:, 0]] - positions[pairs[:, 1]]) ** 2).sum(axis=1)
    assert np.corrcoef(squares, effective_resistance(graph, pairs))[0, 1] > 0.95


def test_layout_is_the_same_each_time():
    graph = gallery.uniform_random(300, 2)
    assert np.array_equal(plot.layout(graph), plot.layout(graph))


def test_layout_puts_components_apart():
    two = from_edges([0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], n=8, symmetrize=True)  # two triangles, two single vertices
    positions = plot.layout(two)
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    assert apart[:3, 3:].min() > 0.5 and apart[6, 7] > 0.5
    assert np.isfinite(positions).all()


@pytest.mark.parametrize("graph", [gallery.grid((50, 30)), gallery.rmat(11, 8, seed=3)], ids=["grid", "hubs"])
def test_layouts_of_several_levels_do_not_depend_on_threads(graph):
    positions = [plot.layout(graph)]
    for threads in (1, 2, 3):
        with stablegraph.threads(threads):
            positions.append(plot.layout(graph))
    assert np.isfinite(positions[0]).all() and all(np.array_equal(positions[0], other) for other in positions)


def test_layout_of_several_levels_keeps_the_shape_of_a_grid():
    graph = gallery.grid((50, 40))
    u, v = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)), graph.indices
    positions = plot.layout(graph)
    lengths = np.linalg.norm(positions[u] - positions[v], axis=1)
    assert lengths.min() > 0.6 and lengths.max() < 1.8
    corners = positions[[0, 39, 49 * 40, 50 * 40 - 1]]
    farthest = np.linalg.norm(corners[:, None] - corners[None], axis=2)
    assert farthest.max() == np.linalg.norm(positions[:, None] - positions[None], axis=2).max()


def test_small_components_are_in_a_strip_below_and_take_no_more_room():
    hub = np.arange(1, 500)  # a star of 500 vertices, a path of three, and twenty isolated vertices
    graph = from_edges([*np.zeros_like(hub), 500, 501], [*hub, 501, 502], n=523, symmetrize=True)
    positions = plot.layout(graph)
    star, remaining = positions[:500], positions[500:]
    assert remaining[:, 1].max() < star[:, 1].min()
    assert np.ptp(remaining[:, 1]) < 0.4 * np.ptp(star[:, 1])
    assert np.ptp(remaining[:, 0]) < 1.5 * np.ptp(star[:, 0])
    assert np.linalg.norm(remaining[0] - remaining[1]) < 0.5  # this edge is as short as crowded drawings require


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_layout_of_tiny_graphs(n):
    assert plot.layout(path_graph(n) if n else from_edges([], [], n=0)).shape == (n, 2)


def test_twins_do_not_lie_on_one_another():
    star = from_edges([0] * 8, np.arange(1, 9), symmetrize=True)
    positions = plot.layout(star)
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2) + np.eye(9)
    assert apart.min() > 0.3


def test_directions_and_loops_do_not_matter():
    arcs = from_edges([0, 1, 1], [1, 2, 1], n=3, directed=True)
    edges = from_edges([0, 1], [1, 2], n=3, symmetrize=True)
    assert np.allclose(plot.layout(arcs), plot.layout(edges))


def test_drawing_shows_each_edge_and_each_vertex_once(axes):
    graph = gallery.grid((5, 6))
    mask = maximal_independent_set(graph)
    plot.plot_independent_set(graph, mask, ax=axes)
    lines, points = axes.collections[:2], axes.collections[2:]
    assert sum(len(collection.get_segments()) for collection in lines) == graph.num_edges
    others, members = (len(collection.get_offsets()) for collection in points)
    assert (others, members) == (np.count_nonzero(~mask), np.count_nonzero(mask))


def test_edges_of_members_are_tinted(axes):
    graph = path_graph(5)
    plot.plot_independent_set(graph, np.array([True, False, False, False, True]), ax=axes)
    plain, tinted = axes.collections[:2]
    assert len(plain.get_segments()) == 2 and len(tinted.get_segments()) == 2


def test_given_positions_are_used(axes):
    graph, mask = path_graph(3), np.array([True, False, True])
    where = np.array([[0, 0], [5, 1], [9, 9]])
    plot.plot_independent_set(graph, mask, where, ax=axes)
    assert np.array_equal(axes.collections[-1].get_offsets(), where[mask])


NAMED = from_edges(["Ann", "Bob"], ["Bob", "$x$ of a name that is far too long"], symmetrize=True)
WHERE = {"Bob": (5, 1), "Ann": [0, 0], NAMED.nodes[2]: np.array([9.0, 9.0]), "nobody here": (0, 0)}


def test_positions_by_name_are_used(axes):
    mask = np.array([True, False, True])
    plot.plot_independent_set(NAMED, mask, WHERE, ax=axes)
    assert axes.collections[-1].get_offsets().tolist() == [[0, 0], [9, 9]]
    plot.plot_coloring(path_graph(2), [0, 1], {1: (3, 4), 0: (1, 2)}, ax=axes)  # without names, by number
    assert axes.collections[-1].get_offsets().tolist() == [[1, 2], [3, 4]]
    assert plot.aggregates_figure(NAMED, [0, 0, 0], WHERE).axes


def test_positions_of_networkx_fit_its_graphs(axes):
    nx = pytest.importorskip("networkx")
    people = nx.les_miserables_graph()
    where = nx.circular_layout(people)
    plot.plot_coloring(people, vertex_coloring(people), where, ax=axes)
    assert np.allclose(axes.collections[-1].get_offsets(), np.array([where[name] for name in people]))
    assert [text.get_text() for text in axes.texts] == list(people)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ({"Ann": (0, 0), "Bob": (1, 1)}, "positions has no vertex '\\$x\\$ of a name"),
        (
            dict.fromkeys(NAMED.nodes, (0, 0, 0)),
            r"positions must be finite numbers of shape \(3, 2\), got shape \(3, 3\)",
        ),
    ],
)
def test_positions_by_name_that_do_not_fit_are_refused(axes, where, words):
    with pytest.raises(ValueError, match=words):
        plot.plot_coloring(NAMED, [0, 1, 0], where, ax=axes)


@pytest.mark.parametrize(
    "draw",
    [
        lambda graph, **how: plot.plot_independent_set(graph, np.zeros(len(graph), bool), **how),
        lambda graph, **how: plot.plot_coloring(graph, np.arange(len(graph)), **how),
        lambda graph, **how: plot.plot_aggregates(graph, np.arange(len(graph)), **how),
    ],
)
def test_names_stand_beside_vertices(draw):
    def shown(graph, **how):
        axes = draw(graph, ax=Figure().subplots(), **how)
        axes.figure.savefig(io.BytesIO())  # nothing in a name is interpreted as a formula
        return [text.get_text() for text in axes.texts]

    assert shown(NAMED) == ["Ann", "Bob", "$x$ of a name that is f\N{HORIZONTAL ELLIPSIS}"]
    assert shown(NAMED, names=False) == []
    assert shown(path_graph(2)) == []
    assert shown(path_graph(2), names=True) == ["0", "1"]
    many = from_edges([f"v{v}" for v in range(100)], [f"v{v}" for v in range(1, 101)], symmetrize=True)
    assert shown(many) == [] and len(shown(many, names=True)) == 101
    with pytest.raises(TypeError, match="names must be True or False, got 'all'"):
        shown(NAMED, names="all")


def test_figures_show_names():
    mask = maximal_independent_set(NAMED)
    colors = vertex_coloring(NAMED)
    drawings = [
        lambda **how: plot.independent_set_figure(NAMED, mask, **how),
        lambda **how: plot.coloring_figure(NAMED, colors, WHERE, **how),
        lambda **how: plot.aggregates_figure(NAMED, aggregate(NAMED)[1], **how),
    ]
    for draw in drawings:
        assert len(draw().axes[0].texts) == 3 and not draw(names=False).axes[0].texts


def test_anything_that_is_a_graph_can_be_drawn(axes):
    plot.plot_independent_set(path_graph(4).to_scipy(), np.array([True, False, True, False]), ax=axes)
    assert axes.collections


def test_matrix_keeps_the_members_square_empty_exactly_if_independent(axes):
    graph = gallery.uniform_random(2000, 3, seed=1)
    mask = maximal_independent_set(graph)

    def square(mask):
        figure_axes = Figure().subplots()
        plot.plot_matrix(graph, mask, ax=figure_axes, cells=50)
        mesh = figure_axes.collections[0]
        shown = mesh.get_array().filled(0)
        inside = mesh.get_coordinates()[0, :, 0].searchsorted(np.count_nonzero(mask))
        return shown[:inside, :inside].sum(), shown[inside:, :inside].any(axis=1).all()

    assert square(mask) == (0, True)
    worse = mask.copy()
    worse[graph.indices[graph.indptr[np.flatnonzero(mask)[0]]]] = True
    assert square(worse)[0] > 0


@pytest.mark.parametrize("members", ["none", "all"])
def test_matrix_of_extreme_sets(axes, members):
    graph = gallery.grid((4, 4))
    plot.plot_matrix(graph, np.full(16, members == "all"), ax=axes)
    assert axes.collections[0].get_array().count() > 0


def test_bars_count_vertices_by_degree(axes):
    star = from_edges([0] * 4, [1, 2, 3, 4], symmetrize=True)
    plot.plot_degrees(star, np.array([False, True, True, True, True]), ax=axes)
    heights = {}
    for bar in axes.patches:
        heights.setdefault(bar.get_facecolor(), []).append(bar.get_height())
    assert heights[to_rgba("#B4C2CE")] == [4, 0, 0, 1]  # all vertices: four of degree 1, one of degree 4
    assert heights[to_rgba("#D9480F")] == [4, 0, 0, 0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "3", "4"]


def test_large_degrees_share_bars(axes):
    star = from_edges([0] * 40, np.arange(1, 41), symmetrize=True)
    plot.plot_degrees(star, np.zeros(41, bool), ax=axes)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "3", "4-7", "8-15", "16-31", "32-63"]


@pytest.mark.parametrize("large", [False, True])
def test_figure_can_be_saved(tmp_path, monkeypatch, large):
    if large:
        monkeypatch.setattr(plot.page, "MAX_DRAWN", 10)
    graph = gallery.grid((6, 6))
    figure = plot.independent_set_figure(graph, maximal_independent_set(graph), title="A grid")
    figure.savefig(tmp_path / "grid.png", dpi=40)
    assert (tmp_path / "grid.png").read_bytes().startswith(b"\x89PNG")
    assert "A grid" in [text.get_text() for text in figure.texts]


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (gallery.uniform_random(600, 80), "edges would hide each other in a drawing"),  # only by its numbers
        (gallery.uniform_random(1500, 12), "edges would hide each other in a drawing"),  # detected after the layout
        (gallery.grid((150, 150)), "22,500 vertices are too many to be drawn"),
    ],
)
def test_what_a_drawing_would_not_show_is_shown_as_a_matrix_that_says_so(graph, words):
    mask = np.zeros(graph.num_vertices, bool)
    axes = plot.independent_set_figure(graph, mask).axes[0]
    assert words in axes.get_xlabel() and len(axes.patches) == 1


def test_a_dense_graph_is_drawn_where_it_is_asked_to_be():
    graph = gallery.uniform_random(600, 80)
    where = np.random.default_rng(0).random((600, 2))
    axes = plot.independent_set_figure(graph, np.zeros(600, bool), where).axes[0]
    assert sum(len(lines.get_segments()) for lines in axes.collections[:2]) == graph.num_edges


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(
    ("members", "claim"),
    [
        ([0, 2], "form a maximal independent set"),
        ([0], "form an independent set"),
        ([0, 1], "do not form an independent"),
    ],
)
def test_figure_claims_what_is_so(directed, members, claim):
    path = from_edges([0, 1], [1, 2], directed=directed, symmetrize=not directed)
    figure = plot.independent_set_figure(path, np.isin(np.arange(3), members))
    assert [text.get_text() for text in figure.texts if text.get_text().startswith(claim)]


def test_empty_graph_has_a_figure(tmp_path):
    figure = plot.independent_set_figure(from_edges([], [], n=0), np.zeros(0, bool))
    figure.savefig(tmp_path / "empty.svg")
    assert {"0 vertices, 0 edges", "0 vertices"} <= {text.get_text() for text in figure.texts}


def test_too_large_a_drawing_is_refused(monkeypatch, axes):
    monkeypatch.setattr(plot.page, "MAX_DRAWN", 10)
    with pytest.raises(ValueError, match=r"a drawing of 11 vertices .* show its matrix"):
        plot.plot_independent_set(path_graph(11), np.zeros(11, bool), ax=axes)


@pytest.mark.parametrize("draw", [plot.plot_independent_set, plot.plot_matrix, plot.plot_degrees])
@pytest.mark.parametrize("mask", [np.zeros(3, bool), np.zeros(4, int), np.zeros((2, 2), bool)])
def test_a_mask_that_does_not_fit_is_refused(axes, draw, mask):
    with pytest.raises(ValueError, match=r"mask must be a bool array of shape \(4,\)"):
        draw(path_graph(4), mask, ax=axes)


@pytest.mark.parametrize("where", [np.zeros((3, 2)), np.full((4, 2), np.nan)])
def test_positions_that_do_not_fit_are_refused(axes, where):
    with pytest.raises(ValueError, match="positions must be finite numbers"):
        plot.plot_independent_set(path_graph(4), np.zeros(4, bool), where, ax=axes)


def test_importing_it_does_not_import_matplotlib_and_its_absence_is_said():
    code = """
import sys
sys.modules["matplotlib"] = None
import numpy as np
from stablegraph import from_edges, plot
try:
    plot.plot_matrix(from_edges([0], [1], symmetrize=True), np.array([True, False]))
except ModuleNotFoundError as error:
    print(error)
"""
    assert run_python(code).stdout.strip() == 'figures need Matplotlib: pip install "stablegraph[plot]"'


def test_colors_are_drawn(axes):
    graph = gallery.grid((5, 6))
    plot.plot_coloring(graph, vertex_coloring(graph), ax=axes)
    lines, points = axes.collections
    assert len(lines.get_segments()) == graph.num_edges
    assert len(np.unique(points.get_facecolors(), axis=0)) == 2


def test_squares_of_colors_are_empty_exactly_if_the_coloring_is_proper():
    graph = gallery.uniform_random(2000, 3, seed=1)
    colors = vertex_coloring(graph)

    def inside(colors):
        axes = Figure().subplots()
        plot.plot_color_matrix(graph, colors, ax=axes, cells=50)
        squares = axes.collections[1].get_paths()
        mesh = axes.collections[0]
        corners, shown = mesh.get_coordinates()[0, :, 0], mesh.get_array().filled(0)
        ends = [corners.searchsorted(square.get_extents().intervalx) for square in squares]
        return [shown[begin:end, begin:end].sum() for begin, end in ends]

    assert inside(colors) == [0] * (colors.max() + 1)
    u, v = 0, graph.indices[0]
    colors[v] = colors[u]
    assert np.flatnonzero(inside(colors)).tolist() == [colors[u]]


@pytest.mark.parametrize("count", [0, 1, 40, 400])
def test_any_number_of_colors_has_a_figure(tmp_path, count):
    graph = from_edges([], [], n=count)
    figure = plot.coloring_figure(graph, np.arange(count))
    figure.savefig(tmp_path / "colors.png", dpi=30)
    assert f"{count} color{'s' * (count != 1)}" in [text.get_text() for text in figure.texts]
    assert len(figure.axes[1].patches) == count


def test_bars_count_vertices_by_color(axes):
    plot.plot_color_sizes([0, 1, 1, 3], ax=axes)
    assert [bar.get_height() for bar in axes.patches] == [1, 2, 0, 1]
    assert axes.get_yscale() == "linear"


@pytest.mark.parametrize(
    ("colors", "distance", "claim"),
    [([0, 1, 0], 1, "No two adjacent"), ([0, 0, 1], 1, "Some adjacent"), ([0, 1, 0], 2, "Some vertices")],
)
def test_coloring_figure_claims_what_is_so(colors, distance, claim):
    figure = plot.coloring_figure(path_graph(3), np.array(colors), distance=distance)
    assert [text.get_text() for text in figure.texts if text.get_text().startswith(claim)]


@pytest.mark.parametrize("colors", [np.zeros(3, int), np.zeros(4), np.array([0, 1, -1, 0])])
def test_colors_that_do_not_fit_are_refused(axes, colors):
    with pytest.raises(ValueError, match="colors"):
        plot.plot_color_matrix(path_graph(4), colors, ax=axes)


TIMETABLE = {"rooms": {"lab": 25, "Great hall": 120}, "sizes": {"Math 1": 90, "Art": 20, "Music": 25}}


def _texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_a_timetable_has_boxes_with_names():
    exams = from_edges(["Math 1", "Math 1"], ["Art", "Music"], symmetrize=True)
    rounds = stablegraph.schedule(exams, **TIMETABLE)
    figure = plot.schedule_figure(exams, rounds, **TIMETABLE, title="June")
    (ax,) = figure.axes
    assert sorted(_texts(figure)) == ["Art", "Math 1", "Music"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["Great hall\n120 seats", "lab\n25 seats"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["slot 0", "slot 1"]
    places = {text.get_text(): text.get_position() for text in ax.texts}
    assert places["Math 1"] == (0.5, 0) and places["Music"] == (1.5, 1)
    used = sorted(box.get_width() for box in ax.containers[1])
    assert np.allclose(used, [0.94 * part for part in sorted([90 / 120, 20 / 120, 1])])
    assert ax.get_title() == "June: 3 vertices, 2 slots"
    rows = plot.schedule_figure(exams, vertex_coloring(exams), sizes=TIMETABLE["sizes"]).axes[0]
    assert [(box.get_x(), box.get_width()) for box in rows.patches] == [(0, 90), (0, 25), (25, 20)]


@pytest.mark.parametrize("count", [1, 50, pytest.param(700, marks=pytest.mark.slow)])
def test_no_texts_of_a_timetable_overlap(count):
    graph = from_edges([], [], n=count, nodes=[f"Exam of topic {v}" for v in range(count)])
    limits = {"sizes": 1 + np.arange(count) % 40, "rooms": {f"Building {i}": 20 + 5 * i for i in range(20)}}
    colors = vertex_coloring(graph, **limits)
    for options in ({}, {"sizes": limits["sizes"]}, limits):
        figure = plot.schedule_figure(graph, colors, **options)
        figure.draw_without_rendering()
        (ax,) = figure.axes
        for labels in (ax.get_yticklabels(), ax.get_xticklabels(), ax.texts):
            x0, y0, x1, y1 = np.array([label.get_window_extent().extents for label in labels if label.get_text()]).T
            high, wide = (
                np.minimum(end[:, None], end) - np.maximum(start[:, None], start) for start, end in ((x0, x1), (y0, y1))
            )
            assert (np.count_nonzero((high > 1) & (wide > 1), axis=1) == 1).all(), options  # only the text itself
    assert any(_texts(figure))


def test_timetables_that_show_nothing_are_refused(axes):
    assert plot.schedule_figure(path_graph(4), [0, 1, 0, 1], ax=axes) is axes.figure and len(axes.patches) == 4
    with pytest.raises(ValueError, match="a figure of 3,000 boxes shows nothing; draw slots with at most 2,000"):
        plot.schedule_figure(path_graph(3000), np.arange(3000) % 2)
    with pytest.raises(ValueError, match="no room for vertex 2 of size 1 is free in round 0"):
        plot.schedule_figure(path_graph(4), [0, 1, 0, 1], rooms={"lab": 1})
    assert plot.schedule_figure(path_graph(0), []).axes


def test_aggregates_that_touch_have_different_colors(axes):
    graph = gallery.grid((9, 9))
    labels = aggregate(graph)[1]
    plot.plot_aggregates(graph, labels, ax=axes)
    inside, points, between, *_ = axes.collections
    u, v = np.repeat(np.arange(81), np.diff(graph.indptr)), graph.indices
    together = labels[u] == labels[v]
    assert len(inside.get_segments()) == np.count_nonzero(together) // 2
    assert len(between.get_segments()) == np.count_nonzero(~together) // 2
    colors = points.get_facecolors()
    assert np.array_equal((colors[u] == colors[v]).all(axis=1), together)


def test_sizes_of_aggregates(axes):
    plot.plot_aggregate_sizes(np.array([0, 0, 1, 2, 2, 2, 3]), ax=axes)
    assert [bar.get_height() for bar in axes.patches] == [2, 1, 1]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: (gallery.grid((3, 3)), np.repeat([0, 1, 2], 3)), "each is connected."),
        (lambda: (path_graph(5), np.array([0, 1, 0, 1, 1])), "some are not connected, but all are near."),
        (lambda: (path_graph(5), np.array([0, 1, 1, 1, 0])), "some fall apart."),
        (lambda: (gallery.grid((150, 150)), np.arange(22_500) // 150), "1,500 vertices of them are drawn."),
        (lambda: (from_edges([], [], n=0), np.zeros(0, np.int32)), "0 aggregates"),
    ],
)
def test_figure_of_aggregates_tells_what_they_are(make, words):
    figure = plot.aggregates_figure(*make(), title="some graph")
    assert words in [text.get_text() for text in figure.texts]


def test_labels_must_be_labels(axes):
    with pytest.raises(ValueError, match="vertex 1 has no label, but -1"):
        plot.plot_aggregates(path_graph(2), np.array([0, -1]), ax=axes)


def test_edges_of_a_forest_are_dark(axes):
    graph = gallery.grid((5, 6))
    forest = minimum_spanning_forest(graph)
    plot.plot_forest(graph, forest, ax=axes)
    others, inside, points = axes.collections
    assert (len(inside.get_segments()), len(others.get_segments())) == (29, graph.num_edges - 29)
    where = points.get_offsets()
    rows, columns = forest.nonzero()
    drawn = {frozenset(map(tuple, np.round(line, 9).tolist())) for line in inside.get_segments()}
    known = {frozenset(map(tuple, np.round(where[[u, v]], 9).tolist())) for u, v in zip(rows, columns, strict=True)}
    assert drawn == known
    both = Figure().subplots()
    plot.plot_forest(graph, forest + forest.T, ax=both)
    assert len(both.collections[1].get_segments()) == 29


def test_a_forest_of_another_graph_is_refused(axes):
    with pytest.raises(ValueError, match=r"forest must have shape \(4, 4\), got \(3, 3\)"):
        plot.plot_forest(path_graph(4), minimum_spanning_forest(path_graph(3)), ax=axes)


def test_a_matrix_and_degrees_are_shown_without_a_set(axes):
    graph = path_graph(6)
    plot.plot_matrix(graph, ax=axes)
    shown = axes.collections[0].get_array().filled(0)
    assert np.array_equal(shown > 0, graph.to_scipy().toarray() > 0) and not axes.patches
    bars = Figure().subplots()
    plot.plot_degrees(graph, ax=bars)
    assert sorted({bar.get_height() for bar in bars.patches}) == [0, 2, 4]


@pytest.mark.parametrize("name", [name for name in plot.__all__ if name.startswith("plot_")])
def test_what_is_drawn_is_drawn_where_it_is_asked_for(axes, name):
    """Every plot_... accepts `ax`, and returns it."""
    graph = gallery.grid((3, 3))
    numbers = np.arange(9) % 2
    arguments = {
        "plot_aggregate_sizes": (numbers,),
        "plot_color_sizes": (numbers,),
        "plot_community_sizes": (numbers,),
        "plot_convergence": ([1.0, 0.1],),
        "plot_degrees": (graph,),
        "plot_forest": (graph, minimum_spanning_forest(graph)),
        "plot_independent_set": (graph, numbers == 0),
        "plot_matrix": (graph,),
    }.get(name, (graph, numbers))
    assert getattr(plot, name)(*arguments, ax=axes) is axes


@pytest.mark.parametrize("name", plot.__all__)
def test_docstrings_are_filled_in(name):
    documented = getattr(plot, name).__doc__
    assert "Parameters\n" in documented and "{" not in documented.replace("{1, 2}", "")


def test_bars_of_few_communities_have_their_numbers_and_colors(axes):
    """The largest community is first; a number without vertices has no bar."""
    labels = np.array([0, 2, 2, 2, 3, 3])
    plot.plot_community_sizes(labels, ax=axes)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["2", "3", "0"]
    assert [bar.get_height() for bar in axes.patches] == [3, 2, 1]
    drawn = [tuple(np.round(bar.get_facecolor()[:3], 6)) for bar in axes.patches]
    assert drawn == [tuple(np.round(color[:3], 6)) for color in to_rgba_array(palette(4))[[2, 3, 0]]]
