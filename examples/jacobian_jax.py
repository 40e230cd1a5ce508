"""
A sparse Jacobian by JAX
========================

One product per color, all in one compiled call, accurate to the last digits.

``jax.jacfwd`` computes a product with the Jacobian for each unknown, and returns a dense matrix. Columns that have no
row in common can share a product (``jax.jvp``), so a few products are sufficient: `~stablegraph.sparse_jacobian`
computes them under ``jax.vmap``. The equation is that of the previous example, whose Jacobians are finite differences.
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
sparse = sg.sparse_jacobian(residual, pattern)
values = jax.jit(sparse.values)


def jacobian(u):
    """Return the Jacobian as a matrix of SciPy."""
    return sparse.plan.matrix(np.asarray(values(jnp.asarray(u))))


u = np.zeros(pattern.shape[1])
iterations = 0
while np.abs(residual(u)).max() > 1e-12:
    u -= spsolve(jacobian(u).tocsc(), np.asarray(residual(u)))
    iterations += 1

print(f"{u.size:,} unknowns: {sparse.plan.num_colors} products for a Jacobian; {iterations} steps of Newton's method")
dense = jax.jacfwd(residual)(u)
print(f"largest difference from the dense Jacobian: {np.abs(jacobian(u).toarray() - dense).max():.1e}")
