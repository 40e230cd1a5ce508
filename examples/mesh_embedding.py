"""
A mesh drawn by its eigenvectors
================================

The eigenvectors of the smallest eigenvalues of a Laplacian vary slowly along the edges. As coordinates they draw a
graph without knowing where its vertices were, and their signs divide it at narrow places.
"""

import matplotlib.pyplot as plt
import numpy as np

import stablegraph as sg
from stablegraph import plot

counties, _ = sg.largest_component(sg.gallery.load("us-counties"))
values, vectors = sg.spectral_embedding(counties, 5)
print("eigenvalues:", *values.round(6))
assert np.isclose(values[0], sg.fiedler_vector(counties, normalized=True)[0], rtol=1e-6)

positions = plot.layout(counties)
figure, axes = plt.subplots(1, 5, figsize=(15, 3), layout="constrained")
for ax, value, vector in zip(axes, values, vectors.T, strict=True):
    limit = np.abs(vector).max()
    ax.scatter(*positions.T, c=vector, s=2, cmap="RdBu", vmin=-limit, vmax=limit)
    ax.set(xticks=[], yticks=[], aspect="equal", title=f"eigenvalue {value:.5f}")
plt.show()

# %%
# The first two as coordinates. Each county is near the mean of its neighbors.

u, v = counties.to_scipy().tocoo().coords
figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
ax.plot(*np.stack([vectors[u, :2], vectors[v, :2]]).transpose(2, 0, 1), color="#1f5f8b", linewidth=0.4)
ax.set(xticks=[], yticks=[], title="The counties by two eigenvectors")
plt.show()

# %%
# The sign of the Fiedler vector cuts the graph into two connected parts, with few borders between them.

value, vector = sg.fiedler_vector(counties)
side = vector > 0
cut = np.count_nonzero(side[u] != side[v]) // 2
for part in (side, ~side):
    assert sg.connected_components(counties.subgraph(np.flatnonzero(part)))[0] == 1
print(f"{side.sum():,} and {(~side).sum():,} counties, {cut} of {len(u) // 2:,} borders between them")
