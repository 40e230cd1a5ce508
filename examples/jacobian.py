"""Newton's method for a nonlinear differential equation, with Jacobians from a handful of finite differences.

    python examples/jacobian.py

The equation is Bratu's: - (u_xx + u_yy) = 5 exp(u) in the unit square, u = 0 on its boundary, on a grid of points. The
residual at a point depends on five unknowns, so columns of the Jacobian that have no row in common can share one
difference.

Shows: coloring the columns of a matrix, its use for differences, and putting the Jacobian together again and again.
"""

import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.linalg import spsolve

from stablegraph import gallery
from stablegraph.coloring.jacobian import JacobianDecompression, bipartite_coloring, seed_matrix

shape = 60, 60
source = 5 / (shape[0] + 1) ** 2


def residual(u):
    field = np.pad(u.reshape(shape), 1)
    around = field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:]
    return 4 * u - around.ravel() - source * np.exp(u)


pattern = gallery.laplacian(shape)  # which unknowns each residual depends on: the values do not matter
colors = bipartite_coloring(pattern)
directions = seed_matrix(colors).T
restore = JacobianDecompression(pattern, colors)
each, saved = 1 + len(directions), colors.size - len(directions)
print(f"{colors.size:,} unknowns: {each} evaluations of the residual for a Jacobian, not {colors.size + 1:,}")


def jacobian(u, step=1e-7):
    before = residual(u)
    return restore(np.stack([(residual(u + step * d) - before) / step for d in directions], axis=1))


u = np.zeros(colors.size)
iterations = 0
while np.abs(residual(u)).max() > 1e-12:
    u -= spsolve(jacobian(u).tocsc(), residual(u))
    iterations += 1

exact = pattern - diags_array(source * np.exp(u))
print(f"{iterations} steps of Newton's method: {iterations * saved:,} evaluations saved")
print(f"largest error of an entry of the Jacobian: {np.abs(jacobian(u) - exact).max():.1e}")
