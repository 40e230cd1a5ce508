"""
Spectral clustering with scikit-learn
=====================================

Spectral clustering embeds the points by the eigenvectors of a neighborhood graph and clusters the coordinates.
`~stablegraph.spectral_embedding` computes them with multigrid, deterministically, and k-means of scikit-learn does the
rest. The two half moons touch: their graph is connected, so components do not separate them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

import stablegraph as sg

points, truth = make_moons(3000, noise=0.08, random_state=0)
neighbors = kneighbors_graph(points, 20)
graph = sg.as_graph(neighbors, symmetrize="max")
assert sg.connected_components(graph)[0] == 1

values, vectors = sg.spectral_embedding(graph, 4)
labels = KMeans(2, n_init=10, random_state=0).fit_predict(vectors[:, :1])
score = adjusted_rand_score(truth, labels)
plain = adjusted_rand_score(truth, KMeans(2, n_init=10, random_state=0).fit_predict(points))
print("eigenvalues:", *values.round(6))
print(f"adjusted Rand index {score:.3f}; k-means on the points themselves {plain:.3f}")
assert score > 0.9 > plain

figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
axes[0].scatter(*points.T, c=labels, s=3, cmap="coolwarm")
axes[0].set(xticks=[], yticks=[], title="two clusters")
axes[1].scatter(np.arange(len(truth)), np.sort(vectors[:, 0]), s=3)
axes[1].set(xlabel="points, sorted", title="the first eigenvector")
plt.show()
