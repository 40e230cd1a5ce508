"""What all tests share: three threads also on two cores, the zoo of graphs, random graphs, real data."""

import os
import signal

os.environ["NUMBA_NUM_THREADS"] = "3"  # before Numba is imported, or tests with 3 threads could not run on 2 cores
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job, whose children would ignore it, too
    signal.signal(signal.SIGINT, signal.default_int_handler)

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import stablegraph as sg

settings.register_profile(
    "stablegraph",
    deadline=None,  # the first example compiles
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("stablegraph")


def pytest_collection_modifyitems(items):
    for_gpu = [item for item in items if item.get_closest_marker("gpu")]
    if for_gpu:
        from stablegraph.parallel.device import cuda_available

        if not cuda_available():
            for item in for_gpu:
                item.add_marker(pytest.mark.skip(reason="no CUDA device, or CuPy or numba-cuda is not installed"))


# ----------------------------------------------------------------------------------------------------------- the zoo


def symmetric_csr(n, edges, dtype=np.int32):
    """A CSR matrix of ones with exactly these entries and their mirror images: loops and duplicates are kept."""
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    apart = ends[:, 0] != ends[:, 1]
    rows = np.concatenate([ends[:, 0], ends[apart, 1]])
    columns = np.concatenate([ends[:, 1], ends[apart, 0]])
    order = np.lexsort((columns, rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    return csr(np.ones(rows.size), columns[order].astype(dtype), indptr.astype(dtype))


def csr(data, indices, indptr):
    """A square CSR matrix of just these arrays (SciPy's constructor would turn int64 into int32)."""
    n = indptr.size - 1
    matrix = sp.csr_array((n, n))
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    return matrix


def reverse_rows(matrix):
    """The same matrix with every row's entries stored from right to left."""
    ends = np.repeat(matrix.indptr[1:], np.diff(matrix.indptr))
    starts = np.repeat(matrix.indptr[:-1], np.diff(matrix.indptr))
    mirrored = starts + ends - 1 - np.arange(matrix.nnz, dtype=matrix.indptr.dtype)
    return csr(matrix.data[mirrored], matrix.indices[mirrored], matrix.indptr)


def preferential(n, links, seed=0):
    """Every new vertex is joined to some that are picked from the ends of the edges so far: few hubs, many leaves."""
    rng = np.random.default_rng(seed)
    edges, ends = [], [0]
    for v in range(1, n):
        for u in rng.choice(ends, size=min(links, len(ends))):
            edges.append((v, int(u)))
            ends += [v, int(u)]
    return edges


def _grid(rows, columns):
    number = np.arange(rows * columns).reshape(rows, columns)
    across = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    down = np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)
    return np.concatenate([across, down])


def _diagonal(matrix, vertices):
    return sp.csr_array(matrix + sp.csr_array((np.full(len(vertices), 4.0), (vertices, vertices)), shape=matrix.shape))


_clique = [(u, v) for u in range(12) for v in range(u)]
_cycle = [(v, (v + 1) % 31) for v in range(31)]
_skewed = preferential(300, 3)

ZOO = {
    "empty": symmetric_csr(0, []),
    "one vertex": symmetric_csr(1, []),
    "isolated vertices": symmetric_csr(7, []),
    "isolated at both ends": symmetric_csr(9, [(3, 4), (4, 6)]),
    "single edge": symmetric_csr(2, [(0, 1)]),
    "only loops": symmetric_csr(4, [(0, 0), (2, 2), (3, 3)]),
    "loops": symmetric_csr(6, [(0, 0), (0, 1), (1, 2), (2, 2), (3, 4), (5, 5)]),
    "duplicates": symmetric_csr(6, [(0, 1), (0, 1), (1, 2), (1, 2), (1, 2), (3, 4), (3, 3), (3, 3)]),
    "unsorted rows": reverse_rows(symmetric_csr(300, _skewed)),
    "star": symmetric_csr(40, [(7, v) for v in range(40) if v != 7]),
    "clique": symmetric_csr(12, _clique),
    "path": symmetric_csr(50, [(v, v + 1) for v in range(49)]),
    "cycle": symmetric_csr(31, _cycle),
    "complete bipartite": symmetric_csr(15, [(u, v) for u in range(6) for v in range(6, 15)]),
    "disconnected": symmetric_csr(60, [*_cycle, *((u + 40, v + 40) for u, v in _clique)]),
    "skewed": symmetric_csr(300, _skewed),
    "grid": symmetric_csr(12 * 17, _grid(12, 17)),
    "int64 indices": symmetric_csr(300, _skewed, np.int64),
    "full diagonal": _diagonal(symmetric_csr(12 * 17, _grid(12, 17)), np.arange(12 * 17)),
    "partial diagonal": _diagonal(symmetric_csr(31, _cycle), np.arange(0, 31, 3)),
}


@pytest.fixture(params=ZOO, ids=lambda name: name.replace(" ", "-"))
def zoo_graph(request):
    """Every graph of the zoo in turn, as a Graph."""
    return sg.as_graph(ZOO[request.param])


# ----------------------------------------------------------------------------------------------------- random graphs


@st.composite
def graphs(draw, max_vertices=20):
    """What users hand in: (indptr, indices) or a CSR matrix; loops, duplicates, rows in any order, int32 or int64."""
    n = draw(st.integers(0, max_vertices))
    vertex = st.integers(0, max(n - 1, 0))
    edges = draw(st.lists(st.tuples(vertex, vertex), max_size=3 * n)) if n else []
    matrix = symmetric_csr(n, edges, draw(st.sampled_from([np.int32, np.int64])))
    if draw(st.booleans()):
        matrix = reverse_rows(matrix)
    if draw(st.booleans()):
        return matrix.indptr, matrix.indices
    if draw(st.booleans()):
        matrix.data[:] = 0  # an explicit zero is an edge
    return matrix


# ------------------------------------------------------------------------------------------------ threads, real data


@pytest.fixture(params=[1, 2, 3], ids=lambda n: f"{n}-threads")
def threads(request):
    """The test runs with 1, 2 and 3 threads."""
    before = sg.num_threads()
    sg.set_num_threads(request.param)
    yield request.param
    sg.set_num_threads(before)


@pytest.fixture(scope="session")
def data_file():
    """A function from the name of a file of the real data to its path; skips where the data are not at hand."""

    def find(name):
        folder = os.environ.get("STABLEGRAPH_DATA")
        if not folder:
            pytest.skip("STABLEGRAPH_DATA does not name the folder of real graphs")
        path = Path(folder) / name
        if not path.exists():
            pytest.skip(f"{name} is not in the folder STABLEGRAPH_DATA")
        return path

    return find
