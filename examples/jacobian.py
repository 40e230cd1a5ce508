"""
A sparse Jacobian from a handful of differences
===============================================

Newton's method for a nonlinear differential equation: Bratu's equation, - (u_xx + u_yy) = 5 exp(u) in the unit square
with u = 0 on its boundary, on a grid of points. The residual at a point depends on five unknowns, so columns of the
Jacobian that have no row in common can share one finite difference. `~stablegraph.jacobian_coloring` finds groups of
such columns, and its `~stablegraph.CompressionPlan` recovers the Jacobian in each iteration.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.linalg import spsolve

import stablegraph as sg
from stablegraph import gallery

shape = 60, 60
source = 5 / (shape[0] + 1) ** 2


def residual(u):
    field = np.pad(u.reshape(shape), 1)
    around = field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:]
    return 4 * u - around.ravel() - source * np.exp(u)


pattern = gallery.laplacian(shape)  # the unknowns on which each residual depends; the values do not matter
plan = sg.jacobian_coloring(pattern)
directions = plan.seeds().T
size = pattern.shape[1]
each, saved = 1 + len(directions), size - len(directions)
print(f"{size:,} unknowns: {each} evaluations of the residual for a Jacobian, not {size + 1:,}")


def jacobian(u, step=1e-7):
    before = residual(u)
    return plan.recover(np.stack([(residual(u + step * d) - before) / step for d in directions], axis=1))


u = np.zeros(size)
iterations = 0
while np.abs(residual(u)).max() > 1e-12:
    u -= spsolve(jacobian(u).tocsc(), residual(u))
    iterations += 1

exact = pattern - diags_array(source * np.exp(u))
print(f"{iterations} steps of Newton's method: {iterations * saved:,} evaluations saved")
print(f"largest error of an entry of the Jacobian: {np.abs(jacobian(u) - exact).max():.1e}")

# %%
# Columns of one color have no row in common, so their sum contains all their entries. Instead of the wide matrix of a
# 7 x 7 grid on the left, the narrow one on the right is evaluated.

small = gallery.laplacian((7, 7))
groups = sg.jacobian_coloring(small).column_colors
figure, axes = plt.subplots(1, 2, figsize=(8, 4.6), width_ratios=[5, 1], layout="constrained")
entries = small.tocoo()
for ax, columns, width in ((axes[0], entries.col, 49), (axes[1], groups[entries.col], groups.max() + 1)):
    ax.scatter(columns, entries.row, c=groups[entries.col], cmap="Set1", marker="s", s=14)
    ax.set(xlim=(-0.7, width - 0.3), ylim=(48.7, -0.7), xticks=[], yticks=[])
    ax.set_title(f"{width} columns")
figure.suptitle("A Jacobian by colors of its columns, and compressed")
plt.show()
