"""
Problem information for multigrid
=================================

Bend an elastic block under its own weight: linear elasticity by conjugate gradients with multigrid.

The block is clamped on one side. Information about the problem makes multigrid faster: three unknowns belong to each
point, and a rigid body can move and rotate without any force.
"""

import matplotlib.pyplot as plt
import numpy as np

import stablegraph as sg
from stablegraph import gallery

shape = 24, 8, 8
A, modes = gallery.elasticity_3d(shape)  # the stiffness matrix, and the six motions of a rigid body
weight = np.tile([0.0, 0.0, -1.0], A.shape[0] // 3)

courses = {}
for name, options in {
    "nothing known": {},
    "three unknowns a point": {"block_size": 3},
    "rigid-body modes": {"B": modes},
}.items():
    solver = sg.smoothed_aggregation(A, **options)
    courses[name] = []
    u = solver.solve(weight, tol=1e-10, residuals=courses[name])
    print(f"{name:<24}{len(courses[name]) - 1:>4} iterations, residual {np.linalg.norm(weight - A @ u):.1e}")

print(solver)
print("residuals:", *(f"{size:.0e}" for size in courses["rigid-body modes"]))

# %%
# The norms of residuals by iteration: they fall faster with more information.

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
sg.plot.plot_convergence(courses, target=1e-10 * np.linalg.norm(weight), ax=ax)
ax.set_title("An elastic block, by what multigrid knows of it")
ax.margins(x=0.2)
plt.show()
