"""
Search waves
============

Count the borders that must be crossed between counties. `~stablegraph.breadth_first_search` spreads like a wave from
one vertex, or from several at once. The parents that it returns lead back along a shortest path.
"""

import matplotlib.pyplot as plt

import stablegraph as sg

counties = sg.gallery.load("us-counties")
mainland, kept = sg.largest_component(counties)
where = sg.gallery.positions("us-counties")[kept]
number = {str(name): vertex for vertex, name in enumerate(mainland.nodes)}
start, goal = number["King County, WA"], number["Miami-Dade County, FL"]

distance, parent = sg.breadth_first_search(mainland, start)
assert sg.is_bfs_tree(mainland, start, distance, parent)
way = sg.bfs_path(parent, goal)
print(f"from {mainland.nodes[start]} to {mainland.nodes[goal]}: {distance[goal]} borders; farthest: {distance.max()}")

# %%
# Bands of color are waves. The line is a shortest path; among several parents, the search takes the smallest number.

figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
waves = ax.scatter(*where.T, c=distance, cmap="turbo", s=10)
ax.plot(*where[way].T, color="black", linewidth=1.5)
ax.set(aspect="equal", xticks=[], yticks=[])
ax.spines[:].set_visible(False)
figure.colorbar(waves, label="borders crossed", shrink=0.7)
ax.set_title(f"From Seattle's county to Miami's: {distance[goal]} borders")
plt.show()
