"""Maximal independent sets (minimal first version)."""
from __future__ import annotations
import numpy as np
from ..graph import as_graph

def maximal_independent_set(graph, k=1, *, algorithm="priority", priority=None, seed=0, include=None, exclude=None, return_info=False):
    g = as_graph(graph)
    order = np.argsort(g.degrees(), kind="stable")
    state = np.zeros(g.num_vertices, np.int8)
    for v in order:
        if state[v] == 0:
            state[g.indices[g.indptr[v]:g.indptr[v+1]]] = 2
            state[v] = 1
    mask = state == 1
    return (mask, {}) if return_info else mask
