"""
The Hessian of a net of springs
===============================

Newton's method for the equilibrium of a net of nonlinear springs, with a sparse Hessian from a few products.

A square net hangs on its boundary, and each knot carries a load. A spring of length d has the energy (d - 1/2)² / 2;
its length at rest is half the distance of the knots. The energy of the net is a function of the coordinates of all
knots, and a coordinate is coupled only with the coordinates of the same knot and of its neighbors.
`~stablegraph.hessian_coloring` colors the coordinates so that one difference of the gradient per color determines the
Hessian, which is symmetric; `~stablegraph.sparse_jacobian` computes it. With a function of JAX or PyTorch,
`~stablegraph.sparse_hessian` is exact.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import kron
from scipy.sparse.linalg import spsolve

import stablegraph as sg

side = 25
grid = sg.gallery.grid((side, side))
u, v = np.repeat(np.arange(side**2), np.diff(grid.indptr)), grid.indices
u, v = u[u < v], v[u < v]
spots = np.stack([*np.indices((side, side)).reshape(2, -1), np.zeros(side**2)], axis=1)
is_free = ((spots[:, :2] > 0) & (spots[:, :2] < side - 1)).all(axis=1)
free = np.flatnonzero(np.repeat(is_free, 3))
load = 0.02


def place(x):
    """Return the positions of all knots for the coordinates of the free ones."""
    places = spots.ravel().copy()
    places[free] = x
    return places.reshape(-1, 3)


def gradient(x):
    places = place(x)
    arrows = places[v] - places[u]
    lengths = np.linalg.norm(arrows, axis=1, keepdims=True)
    forces = (lengths - 0.5) * arrows / lengths
    total = np.zeros_like(places)
    np.add.at(total, v, forces)
    np.add.at(total, u, -forces)
    total[:, 2] += load
    return total.ravel()[free]


neighbors = grid.to_scipy()
neighbors.setdiag(1)
pattern = kron(neighbors, np.ones((3, 3)), format="csr")[free][:, free]
plans = {mode: sg.hessian_coloring(pattern, mode) for mode in ("star", "acyclic")}
columns = sg.jacobian_coloring(pattern)
print(f"{free.size:,} unknowns; products for a Hessian:")
for name, plan in {"columns": columns, **plans}.items():
    print(f"  {name}: {plan.num_colors}")

hessian = sg.sparse_jacobian(gradient, plans["star"])
x = spots.ravel()[free]
for _ in range(30):
    slope = gradient(x)
    if np.abs(slope).max() < 1e-9:
        break
    x -= spsolve(hessian(x).tocsc(), slope)
print(f"largest remaining force: {np.abs(gradient(x)).max():.0e}")

# %%
# The net in equilibrium, and the colors of the vertical coordinates of its knots: no path of four knots has only two.

colors = np.full(side**2 * 3, -1)
colors[free] = plans["star"].column_colors
figure = plt.figure(figsize=(8, 4), layout="constrained")
net = figure.add_subplot(1, 2, 1, projection="3d")
places = place(x).reshape(side, side, 3)
net.plot_wireframe(*np.moveaxis(places, -1, 0), linewidth=0.5)
net.set(title="equilibrium", zticks=[])
picture = figure.add_subplot(1, 2, 2)
picture.imshow(np.ma.masked_less(colors[2::3].reshape(side, side), 0), cmap="tab20")
picture.set(title="colors of vertical coordinates", xticks=[], yticks=[])
plt.show()
