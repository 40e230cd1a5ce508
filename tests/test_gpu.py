"""What only a GPU can show: streams, threads, memory that is too small, grids of other sizes."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.parallel import use_target

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def graph():
    return gallery.uniform_random(2**15, 4, seed=0).to("cuda")


def answers(graph, seed):
    """Some answers, on the host."""
    mask = sg.maximal_independent_set(graph, seed=seed)
    colors = sg.vertex_coloring(graph, ties="hash", reduce="none", seed=seed)
    _, labels = sg.connected_components(graph)
    distance, parent = sg.breadth_first_search(graph, seed)
    return [part.get() for part in (mask, colors, labels, distance, parent)]


def test_threads_with_a_stream_each_do_not_disturb_each_other(graph):
    import cupy

    expected = [answers(graph, seed) for seed in range(3)]
    cupy.cuda.Device().synchronize()
    wrong = []

    def work(seed):
        with cupy.cuda.Stream(non_blocking=True):
            for _ in range(10):
                if any((a != b).any() for a, b in zip(answers(graph, seed), expected[seed], strict=True)):
                    wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_memory_that_is_too_small():
    import cupy

    graph = gallery.grid((1000, 1000)).to("cuda")
    expected, pool = answers(graph, 0), cupy.get_default_memory_pool()
    pool.free_all_blocks()
    used = pool.used_bytes()
    pool.set_limit(size=used + 1000)
    try:
        with pytest.raises(MemoryError, match=r"(?s)allocating [\d,]+ bytes.*graph\.to\(\"cpu\"\)"):
            sg.maximal_independent_set(graph, 2)
    finally:
        pool.set_limit(size=0)
    assert pool.used_bytes() == used
    for found, before in zip(answers(graph, 0), expected, strict=True):
        np.testing.assert_array_equal(found, before)


@pytest.mark.parametrize("threads", [1, 256, 1000, 50_000])
def test_grids_of_other_sizes(graph, threads):
    expected = answers(graph, 1)
    with use_target("cuda", workers=threads):
        for found, before in zip(answers(graph, 1), expected, strict=True):
            np.testing.assert_array_equal(found, before)


def test_odd_components_are_never_taken_for_bipartite_ones():
    """Deep trees of a union-find structure, which many threads flatten at once."""
    graph = gallery.grid((50, 50))
    expected = sg.vertex_coloring(graph, distance=2, order="largest_first")
    there = graph.to("cuda")
    for _ in range(50):
        np.testing.assert_array_equal(sg.vertex_coloring(there, distance=2, order="largest_first").get(), expected)
