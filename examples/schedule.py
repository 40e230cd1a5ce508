"""
Schedule conflicting work in rounds
===================================

Add up contributions of triangles to their corners in parallel, without conflicting updates of a corner.

Assembling a finite element matrix or a load vector is a sum over elements. If all elements are processed at once,
additions to shared corners get lost; processing them one after another is slow. In rounds of triangles without common
corners, the sum is both correct and fast. `~stablegraph.schedule` computes the rounds from a graph of conflicts,
`~stablegraph.jacobian_coloring` from the matrix of triangles and corners, without building that graph.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import Delaunay

import stablegraph as sg

points = np.random.default_rng(0).random((5000, 2))
triangles = Delaunay(points).simplices
a, b, c = (points[triangles[:, corner]] for corner in range(3))
areas = np.abs((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])) / 2


def add_up(rounds):
    mass = np.zeros(len(points))
    for tasks in rounds:
        mass[triangles[tasks]] += areas[tasks, None] / 3  # NumPy reads all corners, adds, and then writes all
    return mass


numbers = np.repeat(np.arange(len(triangles)), 3)
uses = csr_array((np.ones(triangles.size), (numbers, triangles.ravel())), shape=(len(triangles), len(points)))
conflicts = uses @ uses.T  # an entry for each pair of triangles with a common corner

rounds = sg.schedule(conflicts)
sizes = [len(tasks) for tasks in rounds]
print(f"{len(triangles):,} triangles in {len(rounds)} rounds of {min(sizes):,} to {max(sizes):,}")
print(f"all at once: {add_up([np.arange(len(triangles))]).sum():.3f} of the area {areas.sum():.3f}")
print(f"in rounds:   {add_up(rounds).sum():.3f}")

offsets, tasks = sg.color_classes(sg.jacobian_coloring(uses, "row").row_colors)
print(
    f"without the graph of conflicts: {add_up(np.split(tasks, offsets[1:-1])).sum():.3f} in {offsets.size - 1} rounds"
)

# %%
# A part of the mesh. Triangles of the same color belong to the same round, and have no corner in common.

figure, ax = plt.subplots(figsize=(6.5, 6), layout="constrained")
number = np.empty(len(triangles))
for color, members in enumerate(rounds):
    number[members] = color
ax.tripcolor(*points.T, triangles, facecolors=number, cmap="turbo", edgecolors="white", linewidth=0.4)
ax.set(xlim=(0.3, 0.6), ylim=(0.3, 0.6), aspect="equal", xticks=[], yticks=[])
ax.set_title(f"{len(triangles):,} triangles in {len(rounds)} rounds: equal colors share no corner")
plt.show()
