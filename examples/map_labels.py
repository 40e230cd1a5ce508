"""
Map labels without overlaps
===========================

The vertices are labels of places, and two labels are adjacent if their boxes overlap. An independent set is a map
without overlaps. Weights prefer important places: the greedy set takes the label with the largest ratio of weight and
number of overlaps first. The set is the same on every machine, for any number of threads.
"""

import matplotlib.pyplot as plt
import numpy as np

import stablegraph as sg

rng = np.random.default_rng(4)
n = 1500
where = rng.random((n, 2)) * [2, 1]
importance = np.rint(200 / rng.integers(1, 200, n)).astype(int) + 1  # few important places
size = 0.03 + 0.0002 * importance  # of a label: its height, and half of its width
near = np.abs(where[:, None] - where[None]) < (size[:, None, None] + size[None, :, None]) * [1, 0.5]
overlaps = sg.as_graph(near.all(axis=2) & ~np.eye(n, dtype=bool))

# %%
# The default order takes labels with few overlaps first. With weights, fewer labels are drawn, and more important ones.

chosen = {}
for order, options in (
    ("few overlaps first", {}),
    ("ratio of weight and overlaps", {"weights": importance}),
    ("largest weight first", {"weights": importance, "priority": "weight"}),
):
    mask = chosen[order] = sg.maximal_independent_set(overlaps, **options)
    assert sg.is_maximal_independent_set(overlaps, mask)
    print(f"{order}: {mask.sum()} labels, weight {importance[mask].sum():,}")

# %%
# A label is drawn as its box; darker boxes are more important.

figure, axes = plt.subplots(1, 2, figsize=(12, 3.4), layout="constrained")
for ax, order in zip(axes, ("few overlaps first", "ratio of weight and overlaps"), strict=True):
    for v in np.flatnonzero(chosen[order]):
        x, y, half = *where[v], size[v]
        shade = min(1.0, 0.15 + np.log(importance[v]) / 5)
        ax.add_patch(plt.Rectangle((x - half, y - half / 2), 2 * half, half, color=plt.cm.Blues(shade)))
    ax.set(title=f"{order}: weight {importance[chosen[order]].sum():,}", xlim=(0, 2), ylim=(0, 1), aspect="equal")
    ax.set_axis_off()
plt.show()
