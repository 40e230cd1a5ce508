"""
Stiff differential equations
============================

Solve stiff differential equations by SciPy with a sparse Jacobian: two chemicals that react and diffuse.

The Brusselator in the unit square: u' = 1 + u² v - 4.4 u + a (u_xx + u_yy), v' = 3.4 u - u² v + a (v_xx + v_yy), with
no flow through the boundary. Each unknown affects itself, its neighbors, and the other chemical at the same point.
Without this pattern, a Jacobian takes one evaluation per unknown, and is dense. `~stablegraph.sparse_jacobian` returns
a function for the argument ``jac=`` of `scipy.integrate.solve_ivp`. SciPy's own alternative is ``jac_sparsity=``.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp
from scipy.sparse import block_array, eye_array

import stablegraph as sg

side = 20
laplacian = sg.gallery.laplacian((side, side))
laplacian.setdiag(-laplacian.sum(axis=1) + laplacian.diagonal())  # rows add up to zero: no flow through the boundary
spread = -0.02 * (side - 1) ** 2 * laplacian
calls = 0


def reaction(t, y):
    global calls
    calls += 1
    u, v = y.reshape(2, -1)
    return np.concatenate([1 + u * u * v - 4.4 * u + spread @ u, 3.4 * u - u * u * v + spread @ v])


both = eye_array(side**2)
pattern = block_array([[laplacian, both], [both, laplacian]], format="csr")
x, y = np.indices((side, side)).reshape(2, -1) / (side - 1)
start = np.concatenate([0.5 + y, 1 + 5 * x])
jacobian = sg.sparse_jacobian(reaction, pattern, argument=1)

ends, evaluations = [], {}
for name, options in {
    "nothing": {},
    "jac_sparsity=pattern": {"jac_sparsity": pattern},
    "jac=sparse_jacobian": {"jac": jacobian},
}.items():
    calls = 0
    answer = solve_ivp(reaction, (0, 5), start, "BDF", rtol=1e-5, atol=1e-7, **options)
    ends.append(answer.y[:, -1])
    evaluations[name] = calls
    print(f"{name:<22}{answer.t.size - 1} steps, {answer.njev} Jacobians, {calls:,} evaluations")
print(f"largest difference between the answers: {np.ptp(ends, axis=0).max():.1e}")

# %%
# The first chemical at five times, and the number of evaluations of the equations.

figure, axes = plt.subplots(1, 6, figsize=(12, 2.8), width_ratios=[1, 1, 1, 1, 1, 1.6], layout="constrained")
for ax, time in zip(axes, (0, 0.5, 1, 2, 5), strict=False):
    moment = answer.y[: side**2, np.argmin(np.abs(answer.t - time))].reshape(side, side)
    ax.imshow(moment, cmap="viridis", vmin=0, vmax=4)
    ax.set(xticks=[], yticks=[], title=f"t = {time}")
axes[-1].barh(list(evaluations), evaluations.values(), color=["#999999", "#999999", "#1f5f8b"])
axes[-1].bar_label(axes[-1].containers[0], fmt="{:,.0f}", padding=3)
axes[-1].set(xlim=(0, 1.4 * max(evaluations.values())), xticks=[], title="evaluations")
axes[-1].invert_yaxis()
axes[-1].spines[:].set_visible(False)
figure.suptitle("A reaction that starts in a corner and spreads, and the cost of computing it")
plt.show()
