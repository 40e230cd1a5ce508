"""Graph (minimal first version)."""
from __future__ import annotations
import numpy as np
import scipy.sparse as sp


class Graph:
    def __init__(self, indptr, indices, weights=None, *, directed=False, nodes=None, facts=None):
        self.indptr, self.indices, self.weights = indptr, indices, weights
        self.directed, self.nodes, self.facts = directed, nodes, dict(facts or {})
        self.device = "cpu"

    @property
    def num_vertices(self): return self.indptr.size - 1
    @property
    def num_entries(self): return self.indices.size
    @property
    def num_edges(self):
        a = self.to_scipy()
        a = sp.csr_array((np.ones(a.nnz, bool), a.indices, a.indptr), shape=a.shape); a.sum_duplicates()
        loops = int(a.diagonal().sum())
        return (a.nnz - loops) // (1 if self.directed else 2)
    def degrees(self): return np.diff(self.indptr)
    def to_scipy(self):
        w = self.weights if self.weights is not None else np.ones(self.indices.size, np.int8)
        n = self.num_vertices
        return sp.csr_array((w, self.indices, self.indptr), shape=(n, n))


def as_graph(obj, *, directed=False, symmetrize=False, weights=True):
    if isinstance(obj, Graph): return obj
    a = sp.csr_array(obj)
    if symmetrize: a = sp.csr_array(a + a.T)
    return Graph(a.indptr, a.indices, a.data, directed=directed)


def from_edges(u, v, w=None, n=None, *, directed=False, symmetrize=False, drop_loops=False, drop_duplicates=True, nodes=None):
    u, v = np.asarray(u), np.asarray(v)
    n = n or int(max(u.max(initial=-1), v.max(initial=-1)) + 1)
    a = sp.coo_array((np.ones(u.size) if w is None else w, (u, v)), shape=(n, n)).tocsr()
    if symmetrize: a = sp.csr_array(a + a.T)
    return Graph(a.indptr, a.indices, None if w is None else a.data, directed=directed, nodes=nodes)
