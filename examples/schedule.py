"""
Work that conflicts, in rounds
==============================

Add up contributions of triangles to their corners, many triangles at a time, without two writing to one corner.

Assembling a finite element matrix or a load vector is a sum over elements. Done for all elements at once, additions to
a shared corner get lost; one after another they are slow. In rounds of triangles that share no corner they are neither.
`~stablegraph.schedule` makes the rounds from a graph of conflicts, `~stablegraph.bipartite_coloring` from the table of
who uses what, without making that graph.
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
        mass[triangles[tasks]] += areas[tasks, None] / 3  # NumPy reads all, adds, and writes all
    return mass


numbers = np.repeat(np.arange(len(triangles)), 3)
uses = csr_array((np.ones(triangles.size), (numbers, triangles.ravel())), shape=(len(triangles), len(points)))
conflicts = uses @ uses.T  # an entry where two triangles have a corner in common

rounds = sg.schedule(conflicts)
sizes = [len(tasks) for tasks in rounds]
print(f"{len(triangles):,} triangles in {len(rounds)} rounds of {min(sizes):,} to {max(sizes):,}")
print(f"all at once: {add_up([np.arange(len(triangles))]).sum():.3f} of the area {areas.sum():.3f}")
print(f"in rounds:   {add_up(rounds).sum():.3f}")

offsets, tasks = sg.color_classes(sg.bipartite_coloring(uses, side="rows"))
print(
    f"without the graph of conflicts: {add_up(np.split(tasks, offsets[1:-1])).sum():.3f} in {offsets.size - 1} rounds"
)

# %%
# A part of the mesh; triangles of one round have one color, and no corner in common.

figure, ax = plt.subplots(figsize=(6.5, 6), layout="constrained")
number = np.empty(len(triangles))
for color, members in enumerate(rounds):
    number[members] = color
ax.tripcolor(*points.T, triangles, facecolors=number, cmap="turbo", edgecolors="white", linewidth=0.4)
ax.set(xlim=(0.3, 0.6), ylim=(0.3, 0.6), aspect="equal", xticks=[], yticks=[])
ax.set_title(f"{len(triangles):,} triangles in {len(rounds)} rounds: equal colors share no corner")
plt.show()
