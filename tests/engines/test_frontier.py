"""The engine for searches, with problems that only this file has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from stablegraph import gallery
from stablegraph._core.engines import frontier as engine
from stablegraph._core.engines.frontier import Frontier, in_queue, push, without_levels
from stablegraph._core.runtime import Rows, Vertices, atomic_or, rule, use_target
from tests.support import naive
from tests.support.cases import each


class Levels(NamedTuple):
    """The level of each vertex in its search, and the largest level to which searches go."""

    of: Vertices
    last: int


@rule
def at_level_zero(v, state):
    """Begin a search unless v has a level."""
    is_new = state.of[v] < 0
    if is_new:
        state.of[v] = 0
    return is_new


@in_queue(make_root=at_level_zero)
def number_levels(v, first, tail, rows: Rows, queue, state: Levels):
    """Give the neighbors of v the next level; a search ends after the last level."""
    if state.of[v] == state.last:
        return first
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if state.of[u] < 0:
            state.of[u] = state.of[v] + 1
            queue[tail] = u
            tail += 1
    return tail


@without_levels()
def mark_reached(v, depth, bottom, lists, rows: Rows, state: Vertices):
    """Mark the neighbors of v."""
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        if atomic_or(state, rows.indices[e], 1) == 0:
            depth = push(rows.indices[e], depth, bottom, lists)
    return depth


each_target = pytest.mark.parametrize("target", [pytest.param("cpu", marks=pytest.mark.jit), "python"])


@each(budget=[1, 7, 1 << 20])
@each_target
def test_a_queue_visits_one_level_after_another(zoo_graph, target, budget, monkeypatch):
    monkeypatch.setattr(engine, "_BUDGET", budget)
    n, rows = zoo_graph.num_vertices, Rows(zoo_graph.indptr, zoo_graph.indices)
    roots = np.arange(n - 1, -1, -1, dtype=rows.indices.dtype)[: min(n, 2)]
    levels = Levels(np.full(n, -1, rows.indices.dtype), n)
    with use_target(target):
        found = number_levels(rows, roots, levels)
    first, _ = naive.breadth_first(zoo_graph, roots[:1].tolist())
    reached = np.array(first, int) >= 0
    assert levels.of[reached].tolist() == [distance for distance in first if distance >= 0]
    assert np.unique(found).size == found.size == np.count_nonzero(levels.of >= 0)


@pytest.mark.jit
def test_a_rule_ends_its_search_and_the_next_root_begins():
    path = gallery.grid((12,))
    levels = Levels(np.full(12, -1, np.int32), 2)
    number_levels(Rows(path.indptr, path.indices), None, levels)
    assert levels.of.tolist() == [0, 1, 2] * 4


@each(workers=[1, 3, 16], budget=[1, 1 << 14])
@each_target
def test_without_levels_all_reached_vertices_are_visited(zoo_graph, target, workers, budget, monkeypatch):
    monkeypatch.setattr(engine, "_WORKER_BUDGET", budget)
    n, ids = zoo_graph.num_vertices, zoo_graph.indices.dtype
    reached, start = np.zeros(n, ids), np.arange(min(n, 1), dtype=ids)
    reached[start] = 1
    with use_target(target, seed=2, workers=workers):
        Frontier(zoo_graph).exhaust(mark_reached, start, Rows(zoo_graph.indptr, zoo_graph.indices), reached)
    assert reached.tolist() == [int(d >= 0) for d in naive.breadth_first(zoo_graph, start.tolist())[0]]
