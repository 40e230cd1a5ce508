"""Color classes: each vertex once, in its own. Rounds: no conflict inside any."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph.coloring.schedule import color_classes, schedule
from stablegraph.parallel import use_target
from tests.support.zoo import graphs


@given(st.lists(st.integers(0, 9), max_size=40))
def test_classes(colors):
    offsets, vertices = color_classes(colors)
    number = max(colors, default=-1) + 1
    assert offsets.size == number + 1
    for c in range(number):
        assert vertices[offsets[c] : offsets[c + 1]].tolist() == [v for v, color in enumerate(colors) if color == c]


def test_threads_change_nothing(threads):
    colors = np.random.default_rng(0).integers(0, 300, 200_000).astype(np.int32)
    offsets, vertices = color_classes(colors)
    assert np.array_equal(vertices, np.argsort(colors, kind="stable"))
    assert np.array_equal(np.diff(offsets), np.bincount(colors))
    with use_target("cpu", workers=5):
        assert np.array_equal(color_classes(colors)[1], vertices)


def test_what_is_no_color_is_refused():
    with pytest.raises(ValueError, match="position 2 has color -1"):
        color_classes([0, 1, -1])
    with pytest.raises(TypeError, match="float64"):
        color_classes(np.ones(3))
    with pytest.raises(ValueError, match=r"\(2, 2\)"):
        color_classes(np.ones((2, 2), int))


@given(graphs())
def test_rounds_have_no_conflicts(thing):
    graph = sg.as_graph(thing)
    rounds = schedule(thing)
    assert sorted(np.concatenate([*rounds, np.empty(0, int)]).tolist()) == list(range(len(graph)))
    for tasks in rounds:
        assert tasks.size
        assert np.all(np.diff(tasks) > 0)
        assert graph.subgraph(tasks).num_edges == 0


def test_directed_conflicts_are_refused():
    with pytest.raises(ValueError, match="symmetrize=True"):
        schedule(sg.from_edges([0], [1], directed=True))
