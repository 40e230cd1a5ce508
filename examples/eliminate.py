"""Solve a sparse linear system after eliminating, all at once, unknowns that do not depend on each other.

    python examples/eliminate.py

The unknowns of an independent set of the matrix's graph are coupled to others only: their block of the matrix is
diagonal, so eliminating them is one scaling, in parallel. What remains is a smaller system for the other unknowns.

Shows: a SciPy matrix used as a graph as it is (its diagonal does not matter), and what an independent set is good for.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import spsolve

import stablegraph as sg
from stablegraph import gallery

A = csr_array(gallery.laplacian((60, 60)))
b = np.ones(A.shape[0])

first = sg.maximal_independent_set(A)
rest = ~first
D = A[first][:, first]
assert D.nnz == np.count_nonzero(first)  # nothing but the diagonal is left

#   | D  E | | x |   | f |          (C - F inv(D) E) y = g - F inv(D) f
#   | F  C | | y | = | g |    =>                     x = inv(D) (f - E y)
inverse = 1 / D.diagonal()
E, F, C = A[first][:, rest], A[rest][:, first], A[rest][:, rest]
reduced = C - F @ (inverse[:, None] * E)
solution = np.empty_like(b)
solution[rest] = spsolve(reduced.tocsc(), b[rest] - F @ (inverse * b[first]))
solution[first] = inverse * (b[first] - E @ solution[rest])

print(f"{A.shape[0]:,} unknowns, {np.count_nonzero(first):,} eliminated at once, {reduced.shape[0]:,} remain")
print(f"largest residual: {np.abs(A @ solution - b).max():.1e}")
