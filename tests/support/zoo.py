"""The graphs on which every algorithm is tested: the zoo, random graphs, and their construction."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st


def symmetric_csr(n, edges, dtype=np.int32):
    """Return a CSR matrix of ones with exactly these entries and their mirror images; loops and duplicates are kept."""
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    apart = ends[:, 0] != ends[:, 1]
    rows = np.concatenate([ends[:, 0], ends[apart, 1]])
    columns = np.concatenate([ends[:, 1], ends[apart, 0]])
    order = np.lexsort((columns, rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    return csr(np.ones(rows.size), columns[order].astype(dtype), indptr.astype(dtype))


def csr(data, indices, indptr):
    """Return a square CSR matrix of exactly these arrays (SciPy's constructor would convert int64 to int32)."""
    n = indptr.size - 1
    matrix = sp.csr_array((n, n))
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    return matrix


def reverse_rows(matrix):
    """Return the same matrix with the entries of every row stored in reverse order."""
    ends = np.repeat(matrix.indptr[1:], np.diff(matrix.indptr))
    starts = np.repeat(matrix.indptr[:-1], np.diff(matrix.indptr))
    mirrored = starts + ends - 1 - np.arange(matrix.nnz, dtype=matrix.indptr.dtype)
    return csr(matrix.data[mirrored], matrix.indices[mirrored], matrix.indptr)


def preferential(n, links, seed=0):
    """Join every new vertex to random ends of the edges so far: few hubs, many leaves."""
    rng = np.random.default_rng(seed)
    edges, ends = [], [0]
    for v in range(1, n):
        chosen = [ends[i] for i in rng.integers(0, len(ends), min(links, len(ends)))]
        for u in chosen:
            edges.append((v, u))
            ends += [v, u]
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
# The graphs of the zoo that differ from another large one in the form of their arrays or in loops, with fewer vertices.
_few = preferential(60, 3)
SMALL = {
    "unsorted rows": reverse_rows(symmetric_csr(60, _few)),
    "int64 indices": symmetric_csr(60, _few, np.int64),
    "full diagonal": _diagonal(symmetric_csr(5 * 7, _grid(5, 7)), np.arange(5 * 7)),
}
QUICK_ZOO = ZOO | SMALL
for _matrix in (*ZOO.values(), *SMALL.values()):  # all tests share them, and SciPy could sum duplicates in place
    for _array in (_matrix.data, _matrix.indices, _matrix.indptr):
        _array.flags.writeable = False


@st.composite
def graphs(draw, max_vertices=20):
    """Draw typical inputs: (indptr, indices) or a CSR matrix; loops, duplicates, unsorted rows, int32 or int64."""
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


# Graphs that have all difficulties: loops, duplicates, isolated vertices, a hub, many ties, rows of all lengths.
HARD = ("empty", "loops", "duplicates", "isolated at both ends", "star", "grid", "skewed")
