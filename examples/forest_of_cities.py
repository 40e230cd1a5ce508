"""
The shortest network that joins all places
==========================================

The shortest network of straight lines between places is a minimum spanning tree of all pairs. It is part of the
Delaunay triangulation, so a graph with three edges per place is sufficient for `~stablegraph.minimum_spanning_forest`.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

import stablegraph as sg

mainland, kept = sg.largest_component(sg.gallery.load("us-counties"))
places = sg.gallery.positions("us-counties")[kept].astype(float)
near = sg.gallery.delaunay(places).to_scipy().tocoo()
miles = np.linalg.norm(places[near.row] - places[near.col], axis=1)
triangulation = sg.from_edges(near.row, near.col, miles, len(places))

forest = sg.minimum_spanning_forest(triangulation)
assert sg.is_minimum_spanning_forest(triangulation, forest)
print(
    f"{len(places):,} places, {triangulation.num_edges:,} lines of which {forest.nnz:,} are left: "
    f"{sg.total_weight(forest):,.0f} of {miles.sum() / 2:,.0f} miles"
)

# %%
# Thin lines are the triangulation, thick lines the tree.

figure, ax = plt.subplots(figsize=(9, 5.5), layout="constrained")
ends = forest.tocoo()
for row, col, look in ((near.row, near.col, ("#dddddd", 0.3)), (ends.row, ends.col, ("#1f5f8b", 1))):
    ax.add_collection(LineCollection(places[np.stack([row, col], axis=1)], colors=look[0], linewidths=look[1]))
ax.autoscale()
ax.set(aspect="equal", xticks=[], yticks=[])
ax.spines[:].set_visible(False)
ax.set_title(f"{sg.total_weight(forest):,.0f} miles of lines join {len(places):,} counties")
plt.show()
