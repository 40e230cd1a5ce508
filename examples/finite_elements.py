"""
Finite elements of scikit-fem
=============================

Solve systems that scikit-fem assembles by multigrid: an elastic bracket that bends under its own weight.

scikit-fem accepts any function of a matrix and a right-hand side as its solver. Multigrid needs two facts about this
problem: each node has two unknowns, and the bracket can move without any force in three ways, two translations and a
rotation, which follow from the positions of the nodes. With sixteen times as many unknowns, multigrid then needs only a
few more iterations.
"""

import matplotlib.pyplot as plt
import numpy as np
from skfem import Basis, ElementTriP1, ElementVector, LinearForm, MeshTri, condense, solve
from skfem.helpers import dot
from skfem.models.elasticity import lame_parameters, linear_elasticity

import stablegraph as sg


@LinearForm
def weight(v, _):
    return -dot(np.array([0.0, 1.0])[:, None, None], v)


def rigid_body_modes(basis):
    """Return three columns: a translation to the right, a translation upward, and a rotation around the origin."""
    x, y = basis.doflocs
    upward = np.zeros(basis.N, bool)
    upward[basis.nodal_dofs[1]] = True
    return np.stack([~upward, upward, np.where(upward, x, -y)], axis=1).astype(float)


for level in 4, 5, 6:
    basis = Basis(MeshTri.init_lshaped().refined(level), ElementVector(ElementTriP1()))
    A = linear_elasticity(*lame_parameters(1e3, 0.3)).assemble(basis)
    b = weight.assemble(basis)
    clamped = basis.get_dofs(lambda x: x[0] == -1)
    modes = rigid_body_modes(basis)[np.setdiff1d(np.arange(basis.N), clamped)]
    residuals = []

    def multigrid(A, b, modes=modes, residuals=residuals):
        return sg.smoothed_aggregation(A, B=modes, block_size=2).solve(b, tol=1e-10, residuals=residuals)

    u = solve(*condense(A, b, D=clamped), solver=multigrid)
    print(f"{u.size:>6,} unknowns: {len(residuals) - 1:>2} iterations, lowest point {u[basis.nodal_dofs[1]].min():.4f}")

free = basis.complement_dofs(clamped)
print(f"residual by scikit-fem's matrix: {np.linalg.norm((b - A @ u)[free]) / np.linalg.norm(b[free]):.1e}")

# %%
# The original bracket, and the bent one with displacements enlarged 40 times.

figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
mesh = basis.mesh
moved = mesh.p + 40 * u[basis.nodal_dofs]
ax.triplot(*mesh.p, mesh.t.T, color="#cccccc", linewidth=0.3)
ax.triplot(*moved, mesh.t.T, color="#1f5f8b", linewidth=0.3)
ax.set(aspect="equal", xticks=[], yticks=[], title="A bracket clamped on the left bends under its own weight")
ax.spines[:].set_visible(False)
plt.show()
