"""
Currents through a city: effective resistance
=============================================

Every street is a resistor. A current of 1 enters at one crossing and leaves at another one. It takes all paths at once,
and more of it takes the short ones. The voltage between the two crossings is their effective resistance: a distance
that also measures how many paths there are. Three bridges cross the river of this city.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from matplotlib.collections import LineCollection

import stablegraph as sg

rows, columns, river, bridges = 40, 60, 30, (6, 9, 33)
crossings = np.arange(rows * columns).reshape(rows, columns)
across = np.stack([crossings[:, :-1].ravel(), crossings[:, 1:].ravel()])
along = np.stack([crossings[:-1].ravel(), crossings[1:].ravel()])
in_water = (across[0] % columns == river - 1) & ~np.isin(across[0] // columns, bridges)
tails, heads = np.hstack([across[:, ~in_water], along])
city = sg.from_edges(tails, heads, symmetrize=True)

source, sink = crossings[20, 3], crossings[20, 56]
W = city.to_scipy().astype(float)
L = sp.csr_array(sp.diags_array(W.sum(axis=1)) - W)
b = np.zeros(rows * columns)
b[source], b[sink] = 1, -1
voltage, info = sg.solve(L, b, nullspace=np.ones(rows * columns), tol=1e-10, return_info=True)
current = voltage[tails] - voltage[heads]
(resistance,) = sg.effective_resistance(city, [(source, sink)])
print(f"solved by {info['method']}: {info['reason']}")
print(f"resistance {resistance:.6f}, voltage {voltage[source] - voltage[sink]:.6f}")
assert np.isclose(resistance, voltage[source] - voltage[sink], rtol=1e-7)
on_bridges = np.abs(current[(tails % columns == river - 1) & (heads % columns == river)])
print("currents on the bridges:", *on_bridges.round(3), "together", on_bridges.sum().round(6))
assert np.isclose(on_bridges.sum(), 1)

places = np.stack([crossings.ravel() % columns, crossings.ravel() // columns], axis=1)
size = np.abs(current) / np.abs(current).max()
figure, ax = plt.subplots(figsize=(9, 6), layout="constrained")
streets = LineCollection(places[np.stack([tails, heads], axis=1)], array=size**0.5, cmap="magma_r", linewidths=2.2)
ax.add_collection(streets)
ax.plot(*places[[source, sink]].T, "o", color="#1f5f8b", markersize=9)
ax.set(xticks=[], yticks=[], aspect="equal", title="The square root of the current in each street")
ax.autoscale()
plt.show()

# %%
# Resistances from one crossing to all others, by random projections with a relative error of at most 0.3. Some of them
# are also computed exactly. Behind the river they jump, because all paths share three bridges.

others = np.delete(crossings.ravel(), source)
pairs = np.stack([np.full(others.size, source), others], axis=1)
about = sg.effective_resistance(city, pairs, error=0.3)
exact = sg.effective_resistance(city, pairs[::40])
print(f"largest relative error of {exact.size} resistances: {np.abs(about[::40] / exact - 1).max():.3f}")
assert np.abs(about[::40] / exact - 1).max() < 0.3

picture = np.zeros(rows * columns)
picture[others] = about
figure, ax = plt.subplots(figsize=(9, 6), layout="constrained")
image = ax.imshow(picture.reshape(rows, columns), origin="lower", cmap="viridis")
ax.plot(*places[source], "o", color="white", markersize=9)
figure.colorbar(image, ax=ax, shrink=0.7)
ax.set(xticks=[], yticks=[], title="Effective resistance from the marked crossing")
plt.show()
