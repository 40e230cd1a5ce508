"""Every public function accepts each common kind of array, and its answers do not depend on the kind.

The calls are those of the table of pinned calls. A missing form of a kernel would be a TypeError.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from tests.pins.calls import CALLS
from tests.pins.checksums import checksum
from tests.pins.graphs import Subject
from tests.support.cases import each

WEIGHTS = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")


def strided(array):
    apart = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)[..., ::2]
    apart[...] = array
    return apart


def read_only(array):
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def unaligned(array):
    memory = np.zeros(array.nbytes + 1, np.uint8)
    view = memory[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


ARRAYS = {
    "read-only": read_only,
    "strided": strided,
    "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
    "unaligned": unaligned,
}
INDICES = {"64-bit offsets": (np.int64, np.int32), "64-bit vertices": (np.int64, np.int64)}


class Changed:
    """A subject whose forms have other arrays."""

    device = "cpu"

    def __init__(self, subject, change):
        self._subject, self._change = subject, change

    def __getattr__(self, name):
        return self._change(getattr(self._subject, name))


def with_arrays(change):
    def changed(value):
        if isinstance(value, np.ndarray):
            return change(value)
        if sp.issparse(value):
            value = value.copy()
            value.data, value.indices, value.indptr = map(change, (value.data, value.indices, value.indptr))
        return value

    return changed


def with_indices(types):
    return lambda value: value._with_dtypes(*types) if isinstance(value, sg.Graph) else value


def outcome(call, subject):
    try:
        return checksum(call.answer(subject))
    except (ValueError, TypeError) as error:
        return str(error)


@pytest.fixture(scope="module")
def expected():
    subject = Subject("grid", gallery.grid((12, 11), 9))
    calls = [call for call in CALLS if call.least <= subject.entries <= call.limit]
    return subject, {call: outcome(call, subject) for call in calls}


@pytest.mark.parametrize(
    "change",
    [*map(with_arrays, ARRAYS.values()), *map(with_indices, INDICES.values())],
    ids=[*ARRAYS, *INDICES],
)
def test_answers_do_not_depend_on_how_arrays_are_stored(expected, change):
    subject, answers = expected
    changed = Changed(subject, change)
    wrong = [(call.name, result) for call, answer in answers.items() if (result := outcome(call, changed)) != answer]
    assert wrong == []
    assert len(answers) > 100


@each(store=[*ARRAYS, *INDICES, "contiguous"], dtype=WEIGHTS)
def test_graphs_with_weights_of_any_kind(dtype, store):
    grid = gallery.grid((12, 11), 9)
    rows = np.repeat(np.arange(len(grid)), np.diff(grid.indptr))
    weights = ((rows * grid.indices + rows + grid.indices) % 100 + 1).astype(dtype)
    change = ARRAYS.get(store, lambda array: array)
    offset, vertex = INDICES.get(store, (np.int32, np.int32))
    arrays = map(change, (grid.indptr.astype(offset), grid.indices.astype(vertex), weights))
    graph = sg.as_graph(tuple(arrays))
    assert graph.weights.tolist() == weights.tolist()
    again = sg.from_edges(change(rows), change(grid.indices.astype(vertex)), change(weights))
    assert np.array_equal(again.weights, weights)
    forest = sg.minimum_spanning_forest(graph)
    assert sg.is_minimum_spanning_forest(graph, forest)
    labels = change(np.arange(len(grid)) // 5)
    coarse = sg.coarse_graph(graph, labels)
    between = labels[rows] != labels[grid.indices]
    assert np.isclose(float(coarse.weights.sum()), float(weights[between].sum(dtype=float)))
    assert sg.is_maximal_independent_set(
        graph, sg.maximal_independent_set(graph, priority=change(weights[: len(grid)]))
    )


@each(store=[*ARRAYS, *INDICES, "contiguous"], dtype=["float32", "float64", "complex128"], width=[1, 2, 3, 5])
def test_matrices_of_any_kind_are_solved(dtype, store, width):
    poisson = gallery.laplacian((9, 8, 7))
    A = poisson if width == 1 else sp.bsr_array(sp.kron(poisson, np.eye(width) + 0.1), blocksize=(width, width))
    change = ARRAYS.get(store, lambda array: array)
    offset, vertex = INDICES.get(store, (np.int32, np.int32))
    A.data, A.indices, A.indptr = map(change, (A.data.astype(dtype), A.indices.astype(vertex), A.indptr.astype(offset)))
    b = change(np.sin(np.arange(A.shape[0])).astype(dtype))
    solver = sg.smoothed_aggregation(A, coarse_size=40, block_size=width)
    x = solver.solve(b, tol=1e-4)
    assert np.linalg.norm(b - A.astype(complex) @ x) <= 2e-4 * np.linalg.norm(b)
    sweeps = sg.gauss_seidel(A if width == 1 else A.tocsr())
    assert np.isfinite(sweeps.sweep(np.zeros(A.shape[0], x.dtype), b)).all()
