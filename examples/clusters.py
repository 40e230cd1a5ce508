"""
Clusters by forests
===================

Cluster handwritten digits with scikit-learn, on graphs of neighbors: HDBSCAN's levels, and Ward's method.

HDBSCAN starts from the minimum spanning tree of all points by mutual reachability. This is the distance of two points,
but at least the distance of each to its fifth point. Up to a given distance, the sparse graph of all pairs within that
distance has the same tree edges. The edges of the tree below a level connect the clusters of that level, so one forest
is sufficient for all levels; single points are noise. Ward's method only joins clusters that the matrix
``connectivity=`` connects. The sparsest matrix that connects all points is a tree:
`~stablegraph.minimum_spanning_forest`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import HDBSCAN, AgglomerativeClustering
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

import stablegraph as sg

points, digits = load_digits(return_X_y=True)
neighbors = NearestNeighbors().fit(points)

core = neighbors.kneighbors(points, 5)[0][:, -1]  # the first is the point itself
pairs = neighbors.radius_neighbors_graph(points, 27, mode="distance").tocoo()
reachability = np.maximum(pairs.data, np.maximum(core[pairs.row], core[pairs.col]))
forest = sg.minimum_spanning_forest(sg.from_edges(pairs.row, pairs.col, reachability, len(points))).tocoo()
print(f"{len(points):,} points, {pairs.nnz // 2:,} pairs, {forest.nnz:,} edges in the forest")

reference = HDBSCAN(min_samples=5, copy=True).fit(points)
for level in 18, 20, 22, 24, 26:
    below = forest.data < level
    left = sg.from_edges(forest.row[below], forest.col[below], n=len(points), symmetrize=True)
    _, labels = sg.connected_components(left)
    noise = np.bincount(labels)[labels] == 1
    clusters = np.unique(labels[~noise]).size
    theirs = reference.dbscan_clustering(level, min_cluster_size=2)
    same = np.array_equal(noise, theirs == -1) and adjusted_rand_score(labels[~noise], theirs[~noise]) == 1
    print(f"below {level}: {clusters} clusters, {noise.sum()} points of noise, the same as HDBSCAN's: {same}")

graph = sg.as_graph(neighbors.kneighbors_graph(points, 20, mode="distance"), symmetrize="min")
for name, matrix in {"all neighbors": graph.to_scipy(), "a tree": sg.minimum_spanning_forest(graph)}.items():
    found = AgglomerativeClustering(10, connectivity=matrix).fit_predict(points)
    print(
        f"Ward's by {name}: {matrix.nnz:,} entries, agreement with the digits {adjusted_rand_score(digits, found):.2f}"
    )

# %%
# The digits projected to their two main directions: the true digits, and Ward's clusters along a tree.

centered = points - points.mean(axis=0)
where = centered @ np.linalg.svd(centered, full_matrices=False)[2][:2].T
figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
for ax, kinds, title in ((axes[0], digits, "the digits"), (axes[1], found, "clusters found along a tree")):
    ax.scatter(*where.T, c=kinds, cmap="tab10", s=6)
    ax.set(xticks=[], yticks=[], title=title)
    ax.spines[:].set_visible(False)
figure.suptitle("1,797 handwritten digits")
plt.show()
