"""
Eliminate independent unknowns
==============================

Solve a sparse linear system after eliminating, in one step, unknowns that do not depend on each other.

The unknowns of an independent set of the matrix's graph are coupled only to other unknowns. Their block of the matrix
is diagonal, so eliminating them is one scaling, in parallel. The result is a smaller system for the other unknowns. The
SciPy matrix is used directly as a graph; its diagonal is ignored.
"""

import matplotlib.pyplot as plt
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
assert D.nnz == np.count_nonzero(first)  # the block is diagonal

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

# %%
# The matrix of a 12 x 12 grid in its original order, and with the members of the set first: their block is diagonal.

small = csr_array(gallery.laplacian((12, 12)))
chosen = sg.maximal_independent_set(small)
order = np.argsort(~chosen, kind="stable")
figure, axes = plt.subplots(1, 2, figsize=(8, 4.4), layout="constrained")
for ax, matrix, title in ((axes[0], small, "as it is"), (axes[1], small[order][:, order], "members of the set first")):
    ax.spy(matrix, markersize=2.2, color="#1f5f8b")
    ax.set(xticks=[], yticks=[], title=title)
axes[1].axhline(np.count_nonzero(chosen) - 0.5, color="#b5532a", linewidth=1)
axes[1].axvline(np.count_nonzero(chosen) - 0.5, color="#b5532a", linewidth=1)
figure.suptitle("The entries of a matrix")
plt.show()
