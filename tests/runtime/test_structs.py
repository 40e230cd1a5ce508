"""Groups of arrays as one argument, the searches that kernels share, and assumptions of compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from stablegraph._core.runtime import Constant, chunk_bounds, edge_chunk_bounds, kernel, lower_bound, rule, use_target
from stablegraph._core.runtime.cuda.gpu_code import can_compile
from stablegraph._core.runtime.kernel import checked_view

pytestmark = pytest.mark.jit  # the kernels of this file are compiled when they are called

INDPTR, INDICES = np.array([0, 2, 3, 3, 6], np.int32), np.array([1, 3, 0, 0, 1, 2], np.int32)
SUMS = [4, 0, 0, 3]


class Rows(NamedTuple):
    indptr: Any
    indices: Any


class Totals(NamedTuple):
    sums: Any
    largest: Any


@rule
def sum_of_row(v, rows):
    total = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        total += rows.indices[e]
    return total


@kernel
def by_items(v, rows: Rows, totals: Totals):
    totals.sums[v] = sum_of_row(v, rows)


@kernel(by="edges")
def by_edges(v, rows: Rows, totals: Totals):
    totals.sums[v] = sum_of_row(v, rows)


@kernel(by="workers")
def by_workers(worker, workers, n, rows: Rows, totals: Totals):
    start, end = edge_chunk_bounds(rows.indptr, n, worker, workers)
    for v in range(start, end):
        totals.sums[v] = sum_of_row(v, rows)


@kernel(by="single")
def by_one(rows: Rows, n, totals: Totals):
    for v in range(n):
        totals.sums[v] = sum_of_row(v, rows)


CALLS = {
    by_items: lambda rows, totals: by_items(4, rows, totals),
    by_edges: lambda rows, totals: by_edges(4, rows, totals),
    by_workers: lambda rows, totals: by_workers(3, 4, rows, totals),
    by_one: lambda rows, totals: by_one(rows, 4, totals),
}


@pytest.mark.parametrize("tested", CALLS, ids=lambda tested: tested.__name__)
@pytest.mark.parametrize("target", ["cpu", "python"])
def test_groups_arrive_whole_however_work_is_split(tested, target):
    totals = Totals(np.full(4, -1), np.zeros(1))
    with use_target(target, workers=3):
        CALLS[tested](Rows(INDPTR, INDICES), totals)
    assert totals.sums.tolist() == SUMS


@pytest.mark.skipif(not can_compile(), reason="no CUDA compiler for Python; install the extra 'ptx'")
@pytest.mark.parametrize("tested", CALLS, ids=lambda tested: tested.__name__)
def test_groups_compile_for_cuda(tested):
    from stablegraph._core.runtime.jit.cuda import compile_to_ptx

    words = ["int32[]", "int32[]", "int64[]", "float64[]"]
    words = {by_workers: ["int", *words], by_one: [*words[:2], "int", *words[2:]]}.get(tested, words)
    assert tested.__name__ in compile_to_ptx(tested, tuple(words), 90)


class Tiles(NamedTuple):
    values: Any
    height: Constant
    width: Constant


@rule
def sum_of_tile(i, tiles):
    total = 0
    for s in range(tiles.height):
        for c in range(tiles.width):
            total += tiles.values[(i * tiles.height + s) * tiles.width + c]
    return total


@kernel
def tiles_by_items(i, rows: Rows, tiles: Tiles, sums):
    sums[i] = sum_of_tile(i, tiles)


@kernel(by="edges")
def tiles_by_edges(i, rows: Rows, tiles: Tiles, sums):
    sums[i] = sum_of_tile(i, tiles)


@kernel(by="workers")
def tiles_by_workers(worker, workers, rows: Rows, tiles: Tiles, sums):
    for i in range(worker, 4, workers):
        sums[i] = sum_of_tile(i, tiles)


@kernel(by="single")
def tiles_by_one(rows: Rows, tiles: Tiles, sums):
    for i in range(4):
        sums[i] = sum_of_tile(i, tiles)


TILES = {tiles_by_items: (4,), tiles_by_edges: (4,), tiles_by_workers: (3,), tiles_by_one: ()}


@pytest.mark.parametrize("tested", TILES, ids=lambda tested: tested.__name__)
@pytest.mark.parametrize("target", ["cpu", "python"])
def test_members_of_a_group_may_be_constants(tested, target):
    for sizes in ((2, 3), (1, 1), (3, 2)):
        values, sums = np.arange(24), np.zeros(4, np.int64)
        with use_target(target):
            tested(*TILES[tested], Rows(INDPTR, INDICES), Tiles(values, *sizes), sums)
        assert sums.tolist() == values[: 4 * sizes[0] * sizes[1]].reshape(4, -1).sum(axis=1).tolist()


@pytest.mark.skipif(not can_compile(), reason="no CUDA compiler for Python; install the extra 'ptx'")
@pytest.mark.parametrize("tested", TILES, ids=lambda tested: tested.__name__)
def test_kernels_with_constants_compile_for_cuda(tested):
    from stablegraph._core.runtime.jit.cuda import compile_to_ptx

    words = ["int32[]", "int32[]", "int64[]", "int", "int", "int64[]"]
    assert tested.__name__ in compile_to_ptx(tested, tuple(words), 90)


@kernel
def count_from_the_end(i, values, result):
    result[i] = values[i - 1]


@kernel
def add_in_32_bits(i, values, result):
    result[i] = values[i] + values[i]


def test_plain_python_refuses_indices_that_compiled_code_would_not_count_from_the_end():
    with use_target("python"), pytest.raises(IndexError, match="negative index -1"):
        count_from_the_end(2, np.arange(2), np.zeros(2, np.int64))


@pytest.mark.parametrize("kind", [np.int8, np.uint32, np.int64])
def test_plain_python_checks_every_index_and_reads_python_integers(kind):
    """In vectors, matrices, rows and slices, for reading and writing."""
    matrix = checked_view(np.arange(6, dtype=kind).reshape(2, 3))
    row, vector = matrix[1], matrix.ravel()
    elements = row[2], matrix[1, 2], vector[5], vector[np.int64(5)], vector[1:][4]
    assert elements == (5,) * 5 and {type(element) for element in elements} == {int}
    assert matrix[1].tolist() == row[0:].tolist() == vector[3:6].tolist() == [3, 4, 5]
    for array, index in ((row, -1), (matrix, -1), (matrix, (1, -1)), (vector, -6)):
        with pytest.raises(IndexError, match="negative index"):
            array[index]
        with pytest.raises(IndexError, match="negative index"):
            array[index] = 1
    with pytest.raises(IndexError):
        vector[6]
    assert vector.tolist() == [*range(6)]


@pytest.mark.parametrize("target", ["cpu", "python"])
def test_integers_of_32_bits_are_added_in_64(target):
    values, result = np.array([2**31 - 1, -(2**31)], np.int32), np.zeros(2, np.int64)
    with use_target(target):
        add_in_32_bits(2, values, result)
    assert result.tolist() == [2**32 - 2, -(2**32)]


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize("n", [0, 1, 5, 100])
def test_shares_follow_one_another_and_are_even(n, workers):
    shares = [chunk_bounds(n, worker, workers) for worker in range(workers)]
    assert [start for start, _ in shares] + [n] == [0] + [end for _, end in shares]
    assert {end - start for start, end in shares} <= {n // workers, n // workers + 1}


def test_lower_bound_is_numpys_searchsorted():
    values = np.array([1, 3, 3, 8], np.int32)
    for value in range(10):
        assert lower_bound(values, 0, 4, value) == np.searchsorted(values, value)
    assert lower_bound(values, 2, 2, 0) == 2


# ----------------------------------------------------------------------------------------- rejections by kernels


def _no_workers(worker, n, sums):
    """A body without the parameter `workers`."""


def _no_indptr(v, rows, sums):
    """A body whose rows are not annotated with their class."""


@pytest.mark.parametrize(
    ("body", "by", "begin"),
    [
        (_no_workers, "workers", "w, workers"),
        (_no_indptr, "edges", "v, indptr, or v and a group that holds indptr"),
    ],
)
def test_parameters_that_do_not_fit_the_split(body, by, begin):
    with pytest.raises(TypeError, match=f"a kernel by {by} begin with {begin}: {body.__name__}"):
        kernel(by=by)(body)


def test_calls_that_do_not_fit_the_body():
    with pytest.raises(TypeError, match="by_items by items> takes 3 arguments, got 2"):
        by_items(4, Rows(INDPTR, INDICES))
    with pytest.raises(TypeError, match="by_workers by workers> takes 4 arguments, got 5"):
        by_workers(2, 2, 4, Rows(INDPTR, INDICES), Totals(np.zeros(4), np.zeros(1)))
    with pytest.raises(TypeError, match="by_one by single> expected at least one NumPy or CuPy array"):
        by_one(Rows([0], []), 0, Totals([], []))


def plain_function(v):
    return v


@kernel
def calls_a_plain_function(v, sums):
    sums[v] = plain_function(v)


def test_a_function_that_is_no_rule_is_named():
    with pytest.raises(TypeError, match="calls_a_plain_function uses the function plain_function: make it a @rule"):
        calls_a_plain_function(4, np.zeros(4, np.int64))
