"""
Matrices reordered: RCM and colored Gauss-Seidel
================================================

One matrix in three orders. `~stablegraph.csgraph.reverse_cuthill_mckee` moves entries close to the diagonal. A coloring
puts rows that do not depend on each other next to each other, so a Gauss-Seidel sweep updates all rows of a color in
parallel, and always with the same result: `~stablegraph.gauss_seidel`.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.linalg import cg

import stablegraph as sg
from stablegraph import csgraph

mesh = sg.gallery.delaunay(4000, seed=2).to_scipy().astype(float)
A = (diags_array(mesh.sum(axis=1) + 0.01) - mesh).tocsr()
rcm = csgraph.reverse_cuthill_mckee(A, symmetric_mode=True)
colors = sg.vertex_coloring(A)
by_color = np.argsort(colors, kind="stable")


def bandwidth(matrix):
    entries = matrix.tocoo()
    return np.abs(entries.row - entries.col).max()


figure, axes = plt.subplots(1, 3, figsize=(12, 4.4), layout="constrained")
for ax, order, name in (
    (axes[0], np.arange(4000), "as numbered"),
    (axes[1], rcm, "reverse Cuthill-McKee"),
    (axes[2], by_color, f"by {colors.max() + 1} colors"),
):
    matrix = A[order][:, order]
    print(f"{name}: bandwidth {bandwidth(matrix):,}")
    ax.spy(matrix, markersize=0.25, color="#1f5f8b")
    ax.set(xticks=[], yticks=[], title=name)
figure.suptitle("The entries of one matrix in three orders")

# %%
# Preconditioners for SciPy's conjugate gradients: none, sweeps by points, and sweeps by clusters of rows.

b = np.random.default_rng(0).standard_normal(A.shape[0])
courses = {}
for name, M in {
    "nothing": None,
    "by points": sg.gauss_seidel(A).aspreconditioner(),
    "by clusters": sg.gauss_seidel(A, clusters="mis2").aspreconditioner(),
}.items():
    courses[name] = [np.linalg.norm(b)]
    x, info = cg(A, b, rtol=1e-8, M=M, callback=lambda x, c=courses[name]: c.append(np.linalg.norm(b - A @ x)))
    print(f"{name}: {len(courses[name]) - 1} iterations, residual {np.linalg.norm(b - A @ x):.1e}, info {info}")

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
sg.plot.plot_convergence(courses, target=1e-8 * np.linalg.norm(b), ax=ax)
ax.texts[2].set(horizontalalignment="right", position=(-8, 0))  # two curves end at the same point
ax.margins(x=0.15)
ax.set_title("Conjugate gradients with Gauss-Seidel sweeps")
plt.show()
