"""
Communities of counties, level by level
=======================================

The counties of the United States are the vertices, and common borders are the edges. Communities have many borders
inside and few between them. The method of Leiden finds them level by level: parts of communities become the vertices of
a smaller graph. The labels are the same on every machine, for any number of threads.
"""

import matplotlib.pyplot as plt
import numpy as np

import stablegraph as sg
from stablegraph import plot

mainland, vertices = sg.largest_component(sg.gallery.load("us-counties"))
count, labels, info = sg.communities(mainland, iterations=None, return_info=True)
assert sg.is_community_labeling(mainland, labels, objective="modularity")
print(f"{count} communities of {np.bincount(labels).min()} to {np.bincount(labels).max()} counties, ", end="")
print(f"modularity {info['objective']:.4f}; no county can improve it by moving")

# %%
# Each level is inside the next one: its parts are joined, never divided.

positions = sg.gallery.positions("us-counties")[vertices]
chosen = [info["levels"][0], info["levels"][len(info["levels"]) // 2], labels]
figure, axes = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
for ax, level in zip(axes, chosen, strict=True):
    plot.plot_communities(mainland, level, positions, ax=ax)
    ax.set_title(f"{level.max() + 1:,} parts, modularity {sg.modularity(mainland, level):.3f}", fontsize=10)
plt.show()

# %%
# The resolution determines how many communities there are. The constant Potts model has a resolution that is a density:
# communities are denser than it inside, and sparser between them.

for resolution in (0.01, 0.05, 0.2):
    found, of_density = sg.communities(mainland, objective="cpm", resolution=resolution)
    print(f"density {resolution}: {found:,} communities, the largest of {np.bincount(of_density).max()} counties")
