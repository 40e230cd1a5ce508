"""
Communities of handwritten digits
=================================

Each image is joined to its 15 nearest neighbors, with weights that decrease with the distance. The communities of this
graph are clusters of images: no number of clusters is given, and no label is used. They are compared with the digits
that the images show.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score, confusion_matrix
from sklearn.neighbors import kneighbors_graph

import stablegraph as sg
from stablegraph import plot

points, digits = load_digits(return_X_y=True)
distances = kneighbors_graph(points, 15, mode="distance")
weights = distances.copy()
weights.data = np.exp(-distances.data / distances.data.mean())
graph = sg.as_graph(weights, symmetrize="max")

count, labels = sg.communities(graph)
assert sg.is_community_labeling(graph, labels)
print(f"{count} communities of {len(points):,} images, modularity {sg.modularity(graph, labels):.3f}, ", end="")
print(f"adjusted Rand index with the digits {adjusted_rand_score(digits, labels):.3f}")

# %%
# The resolution determines the number of communities. Labels are a function of the graph, the resolution and the seed,
# so a comparison of resolutions can be repeated on any machine.

for resolution in (0.5, 1, 2, 4):
    found, finer = sg.communities(graph, resolution=resolution)
    print(f"resolution {resolution}: {found} communities, index {adjusted_rand_score(digits, finer):.3f}")

# %%
# On the left the graph in the colors of its communities; on the right the number of images of each digit in each
# community. Some digits are divided by handwriting.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
plot.plot_communities(graph, labels, plot.layout(graph), ax=left)
left.set_title(f"{count} communities of {len(points):,} images")
table = confusion_matrix(digits, labels)[:10, :count]
right.imshow(table, cmap="Blues", aspect="auto")
for digit, community in np.argwhere(table > 0):
    dark = table[digit, community] > 100
    right.text(community, digit, table[digit, community], ha="center", va="center", color="w" if dark else "k")
right.set(xlabel="community", ylabel="digit", xticks=range(count), yticks=range(10), title="images of each digit")
plt.show()
