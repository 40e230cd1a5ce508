"""Small matrices, and comparisons of graphs with them."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st


def stored(indptr, indices, data=None):
    """Return a CSR array of exactly these arrays."""
    n = len(indptr) - 1
    matrix = sp.csr_array((n, n))
    matrix.indptr, matrix.indices = np.asarray(indptr), np.asarray(indices)
    matrix.data = np.ones(len(indices)) if data is None else np.asarray(data)
    return matrix


def dense(graph):
    """Return the pattern as a boolean matrix."""
    result = np.zeros((len(graph), len(graph)), bool)
    result[np.repeat(np.arange(len(graph)), np.diff(graph.indptr)), graph.indices] = True
    return result


def shuffled_rows(matrix, seed=0):
    random = np.random.default_rng(seed)
    matrix = matrix.copy()
    for u in range(matrix.shape[0]):
        row = slice(matrix.indptr[u], matrix.indptr[u + 1])
        order = random.permutation(row.stop - row.start)
        matrix.indices[row], matrix.data[row] = matrix.indices[row][order], matrix.data[row][order]
    matrix.has_sorted_indices = False
    return matrix


@st.composite
def edge_lists(draw):
    n = draw(st.integers(1, 12))
    ids = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(ids, ids), max_size=40))
    return n, np.array(edges, np.int64).reshape(-1, 2)


PATH = np.array([[0, 2, 0, 0], [2, 0, 3, 0], [0, 3, 0, 0], [0, 0, 0, 0]])
FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]
