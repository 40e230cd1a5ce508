"""
A sparse Jacobian by JAX
========================

One product per color, all in one compiled call, accurate to the last digits.

``jax.jacfwd`` computes a product with the Jacobian for each unknown, and returns a dense matrix. Columns that have no
row in common can share a product (``jax.jvp``), so a few products are sufficient: seeds become directions of
``jax.jvp`` under ``jax.vmap``. The equation is that of the previous example, whose Jacobians are finite differences.
"""

import jax
import jax.numpy as jnp
import numpy as np
from scipy.sparse.linalg import spsolve

import stablegraph as sg

jax.config.update("jax_enable_x64", True)
shape = 60, 60
source = 5 / (shape[0] + 1) ** 2


@jax.jit
def residual(u):
    field = jnp.pad(u.reshape(shape), 1)
    around = field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:]
    return 4 * u - around.ravel() - source * jnp.exp(u)


pattern = sg.gallery.laplacian(shape)  # the unknowns on which each residual depends; the values do not matter
colors = sg.bipartite_coloring(pattern)
seeds = jnp.asarray(sg.seed_matrix(colors))
restore = sg.JacobianDecompression(pattern, colors)


@jax.jit
def compressed(u):
    """Return the Jacobian times the seeds, with one column per color."""
    return jax.vmap(lambda seed: jax.jvp(residual, (u,), (seed,))[1], in_axes=1, out_axes=1)(seeds)


u = np.zeros(colors.size)
iterations = 0
while np.abs(residual(u)).max() > 1e-12:
    u -= spsolve(restore(compressed(u)).tocsc(), np.asarray(residual(u)))
    iterations += 1

print(f"{colors.size:,} unknowns: {seeds.shape[1]} products for a Jacobian; {iterations} steps of Newton's method")
dense = jax.jacfwd(residual)(u)
print(f"largest difference from the dense Jacobian: {np.abs(restore(compressed(u)).toarray() - dense).max():.1e}")
