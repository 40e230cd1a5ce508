"""The engine for vertices that are decided in a fixed order, with a problem that only this file has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from stablegraph import gallery
from stablegraph._core.engines import order as engine
from stablegraph._core.engines.order import in_pieces, in_turn
from stablegraph._core.runtime import Bytes, Rows, Vertices, rule, use_target
from stablegraph.coloring import symmetric
from tests.support.cases import each

OUT, UNDECIDED, IN = 0, 1, 2


class Ranked(NamedTuple):
    """The position of each vertex in the order, and its state."""

    ranks: Vertices
    states: Bytes


def at_most_two(worker, v, rows: Rows, state: Ranked):
    """Put v in unless more than two of its neighbors are in; neighbors behind v are not in yet."""
    inside = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if state.ranks[u] < state.ranks[v]:
            if state.states[u] == UNDECIDED:
                return False
            inside += int(state.states[u] == IN)
    state.states[v] = IN if inside <= 2 else OUT
    return True


on_one_thread, on_threads = in_turn()(at_most_two), in_pieces(entries=100)(at_most_two)


def oracle(graph, order):
    """Return the vertices that are in, as a set, by the definition."""
    inside = set()
    for v in order.tolist():
        row = graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
        if sum(u in inside for u in row if u != v) <= 2:
            inside.add(v)
    return inside


def solved(graph, order, workers):
    ranks = np.empty_like(order)
    ranks[order] = np.arange(order.size)
    state = Ranked(ranks, np.full(order.size, UNDECIDED, np.uint8))
    rows = Rows(graph.indptr, graph.indices)
    if workers == 1:
        on_one_thread(rows, order, state)
    else:
        assert on_threads(rows, order, state, workers)
    return set(np.flatnonzero(state.states == IN).tolist())


@each(workers=[1, 2, 16])
@pytest.mark.parametrize("target", [pytest.param("cpu", marks=pytest.mark.jit), "python"])
def test_a_new_problem_is_one_rule(zoo_graph, target, workers):
    order = np.random.default_rng(3).permutation(zoo_graph.num_vertices).astype(zoo_graph.indices.dtype)
    # A worker of the Python target finishes before the next one begins, so that a single one takes all pieces.
    with use_target(target, seed=1, workers=workers):
        assert solved(zoo_graph, order, workers) == oracle(zoo_graph, order)


@pytest.mark.jit
@each(step=[1, 1000], workers=[1, 2, 16])
def test_vertices_that_wait_are_decided_in_short_calls_too(step, workers, monkeypatch):
    monkeypatch.setattr(engine, "ENTRIES_PER_CALL", step)
    graph = gallery.grid((60, 50))
    order = np.arange(3000, dtype=np.int32)  # most vertices wait for the vertex before them
    with use_target("cpu", workers=workers):
        assert solved(graph, order, workers) == oracle(graph, order)


@each(size=[0, 1, 63, 64, 65, 1000], entries=[None, 1, 40, 10**6])
def test_pieces_cover_the_order_and_are_short_where_rows_are_long(size, entries):
    graph = gallery.uniform_random(1000, 5)
    vertices = np.random.default_rng(0).permutation(1000)[:size]
    starts = engine._piece_starts(Rows(graph.indptr, graph.indices), vertices, size, 64, entries)
    lengths = np.diff(starts)
    assert starts[-1] == size and (size == 0 or starts[0] == 0) and (lengths > 0).all() and (lengths <= 64).all()
    if entries == 1:
        assert (lengths == 1).all()
    if entries != 40:
        return
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=False):
        first = vertices[start - start % 64]
        assert length <= 1 + 40 // (1 + graph.degrees[first])


def test_few_workers_leave_the_work_to_one_thread(monkeypatch):
    graph = gallery.uniform_random(50, 2)
    rows = Rows(graph.indptr, graph.indices)
    for workers in (1, 2, 3, 6):
        with use_target("cpu", workers=workers):
            assert on_threads.workers(rows) == (workers if workers >= engine.MIN_WORKERS else 0)
            slower = in_pieces(slowdown=2)(at_most_two)
            assert slower.workers(rows) == (workers if workers >= 2 * engine.MIN_WORKERS else 0)


def test_lists_and_declarations_must_fit():
    rows, order = Rows(np.array([0, 0]), np.array([], np.int32)), np.array([0], np.int32)
    state = Ranked(order, np.array([UNDECIDED], np.uint8))
    with pytest.raises(TypeError, match="at_most_two is declared for a list of vertices, but got none"):
        on_one_thread(rows, None, state)
    with pytest.raises(TypeError, match="at_most_two is declared for a list of vertices, but got none"):
        on_threads(rows, None, state, 3)
    with pytest.raises(TypeError, match="is declared for all vertices by id, but got a list"):
        in_pieces(by_id=True)(at_most_two)(rows, order, state, 3)

    def without_types(worker, v, rows, state):
        return True

    def with_a_type_too_many(worker: int, v, rows: Rows, state: Bytes):
        return True

    for function in (without_types, with_a_type_too_many):
        with pytest.raises(TypeError, match="must have four parameters"):
            in_turn()(function)


# ---- Instances of an engine in the library


def test_instances_have_names_and_keys_of_their_own():
    compile = pytest.importorskip("build_kernels.compile")
    kernels = symmetric._color_star._listed, symmetric._color_acyclic._listed
    assert [kernel.name for kernel in kernels] == [
        "stablegraph.coloring.symmetric._color_star",
        "stablegraph.coloring.symmetric._color_acyclic",
    ]
    assert kernels[0].function.__code__ is kernels[1].function.__code__
    one, other = (compile.texts_of(kernel.function) for kernel in kernels)
    assert one != other


def texts(**names):
    """Return the inputs of the key of a problem whose rule has other globals or another name."""
    compile = pytest.importorskip("build_kernels.compile")
    namespace = at_most_two.__globals__ | names
    copy = type(at_most_two)(at_most_two.__code__, namespace, names.get("name", "at_most_two"))
    copy.__annotations__ = at_most_two.__annotations__
    problem = in_turn()(copy)
    compile.texts_of.cache_clear()
    return compile.texts_of(problem._listed.function)


def test_a_key_contains_the_rule_and_the_engine(monkeypatch):
    known = [texts(), texts(IN=3), texts(name="another_name")]
    monkeypatch.setattr(engine, "_LIST_PREFETCH_DISTANCE", 7)
    known.append(texts())
    monkeypatch.setattr(engine, "prefetch_start", rule(lambda v, rows: 0))
    known.append(texts())
    assert len(set(known)) == 5
