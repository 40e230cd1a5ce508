"""The engine for rounds over the undecided vertices, with a problem that only this file has."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.engines import rounds as engine
from stablegraph._core.engines.rounds import Rounds, has_stalled, run_rounds, visits
from stablegraph._core.runtime import Bytes, Rows, use_target
from tests.support.cases import each

CALLS = (sg.maximal_independent_set, partial(sg.maximal_independent_set, distance=2), sg.maximal_matching)


class Kept(NamedTuple):
    """Whether each vertex was kept before the round, and after it."""

    before: Bytes
    after: Bytes


@visits(everywhere=True)
def begin(v, rows: Rows, kept: Kept):
    """Keep and list every vertex that has a neighbor; count the entries."""
    length = rows.indptr[v + 1] - rows.indptr[v]
    kept.before[v] = kept.after[v] = int(length > 0)
    return length > 0, length


@visits()
def find(v, rows: Rows, kept: Kept):
    """Drop v if fewer than two of its neighbors were kept; v stays on the list."""
    count = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        count += kept.before[rows.indices[e]]
    kept.after[v] = int(count >= 2)
    return True, 0


@visits()
def settle(v, rows: Rows, kept: Kept):
    """Make the change, and drop v from the list if it was dropped from the graph."""
    kept.before[v] = kept.after[v]
    return kept.after[v] == 1, 1


def two_core(graph, gather=False):
    """Return the mask of the vertices of the 2-core, and the rounds."""
    rounds = Rounds(graph)
    kept = Kept(*np.empty((2, graph.num_vertices), np.uint8))
    begin(rounds.workers, rounds.lists, rounds.rows, kept)
    assert rounds.counted() == graph.num_entries
    rounds.undecided[0] = rounds.count()

    def run_round():
        assert np.array_equal(np.sort(rounds.remaining()), np.flatnonzero(kept.before))
        if gather:
            rounds.gather()
        find(rounds.workers, rounds.lists, rounds.rows, kept)
        settle(rounds.workers, rounds.lists, rounds.rows, kept)
        return rounds.count()

    run_rounds(rounds.undecided, run_round, is_last=lambda undecided: undecided[-1:] == undecided[-2:-1])
    return kept.before == 1, rounds.undecided


def oracle(graph):
    """Return the mask of the 2-core: vertices with fewer than two kept neighbors are dropped one by one."""
    kept = np.ones(graph.num_vertices, bool)
    while True:
        counts = np.add.reduceat(kept[graph.indices], graph.indptr[:-1], dtype=int) * (np.diff(graph.indptr) > 0)
        if (kept == (kept & (counts >= 2))).all():
            return kept
        kept &= counts >= 2


@each(workers=[1, 2, 5], gather=[False, True])
@pytest.mark.parametrize("target", [pytest.param("cpu", marks=pytest.mark.jit), "python"])
def test_two_core(target, workers, gather):
    graph = gallery.delaunay(300, seed=1).subgraph(np.random.default_rng(0).random(300) < 0.6)
    expected = oracle(graph)
    assert 0 < expected.sum() < graph.num_vertices
    with use_target(target, workers=workers):
        mask, undecided = two_core(graph, gather)
    assert np.array_equal(mask, expected)
    assert undecided[-1] == expected.sum()
    with use_target(target, workers=3):
        assert undecided == two_core(graph)[1]  # the same for any number of workers


@pytest.mark.jit
@each(leaves=[1024, 1025], workers=[7, 8])
def test_a_long_row_gives_more_and_shorter_lists_to_many_threads(leaves, workers):
    u, v = np.random.default_rng(leaves).integers(1, 2000, (2, 4000))
    graph = sg.from_edges(np.append(u, np.zeros(leaves, int)), np.append(v, np.arange(1, leaves + 1)), symmetrize=True)
    assert graph.degrees.max() == leaves
    with use_target("cpu", workers=workers):
        assert Rounds(graph).workers == (2 * workers if leaves > 1024 and workers > 7 else workers)
        answers = [call(graph) for call in CALLS]
    with use_target("cpu", workers=1):
        assert all(np.array_equal(call(graph), answer) for call, answer in zip(CALLS, answers, strict=True))


@pytest.mark.parametrize("few", [0, 3])
def test_rounds_end_when_few_remain_or_when_they_stall(few):
    numbers = iter([50, 20, 19, 4, 3, 0])
    undecided = [100]
    run_rounds(undecided, lambda: next(numbers), few, has_stalled)
    assert undecided == [100, 50, 20, 19]  # 1 of 20 is less than a 16th
    run_rounds(undecided, lambda: next(numbers), few)
    assert undecided[-1] == few


def test_first_rounds_do_not_stall(monkeypatch):
    assert not has_stalled([100])
    assert not has_stalled([100, 99]) and has_stalled([100, 99], skipped=0)
    assert has_stalled([100, 99, 98]) and not has_stalled([100, 99, 98], 200)
    monkeypatch.setattr(engine, "STALLED", 1)
    assert has_stalled([100, 50, 1])
