"""
Colorings of a mesh
===================

Color the vertices of a triangulation so that neighbors differ, with few colors: `~stablegraph.vertex_coloring` at
distance one, and at distance two, where vertices with a common neighbor differ, too.
"""

import matplotlib.pyplot as plt
import numpy as np

import stablegraph as sg

points = np.random.default_rng(0).random((250, 2))
mesh = sg.gallery.delaunay(points)

colorings = {
    "in the order of the numbers": sg.vertex_coloring(mesh, order="natural", reduce="none"),
    "the default": sg.vertex_coloring(mesh),
    "at distance two": sg.vertex_coloring(mesh, distance=2),
}

# %%
# The lower bound is the size of a clique; the upper bound follows from the degrees.

print("colors needed, at least and at most:", *sg.color_bounds(mesh))
figure, axes = plt.subplots(1, 3, figsize=(12, 4.3), layout="constrained")
for ax, (name, colors) in zip(axes, colorings.items(), strict=True):
    assert sg.is_proper_coloring(mesh, colors, distance=2 if "two" in name else 1)
    print(f"{name}: {colors.max() + 1} colors, sizes of the classes {np.bincount(colors).tolist()}")
    sg.plot.plot_coloring(mesh, colors, points, ax=ax)
    ax.set_title(f"{name}: {colors.max() + 1} colors")
figure.suptitle("A triangulation of 250 points")
plt.show()
