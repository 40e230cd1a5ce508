"""
An independent set of counties
==============================

Choose counties of the United States so that no two of them touch and no further one can be added.
`~stablegraph.maximal_independent_set` takes constraints by `include=` and `exclude=`, and a custom order. The result is
verified and drawn.
"""

import matplotlib.pyplot as plt
import numpy as np

import stablegraph as sg

graph = sg.gallery.load("us-counties")  # 3,234 vertices, joined where counties touch
names = np.array([str(name) for name in graph.nodes])

# %%
# Anchorage must be chosen, no county in Texas may be chosen, and counties late in the alphabet are preferred.

wanted = np.flatnonzero(names == "Anchorage Municipality, AK")
unwanted = np.char.endswith(names, ", TX")
late_first = np.argsort(np.argsort(names))

chosen = sg.maximal_independent_set(graph, priority=late_first, include=wanted, exclude=unwanted)

problem = sg.explain(sg.is_maximal_independent_set, graph, chosen, exclude=unwanted)
print(f"{np.count_nonzero(chosen):,} of {len(graph):,} counties; anything wrong: {problem}")
print("the first three by name:", "; ".join(sorted(names[chosen])[:3]))

# %%
# Each vertex is a county, red if it was chosen. The area without red is Texas.

figure, ax = plt.subplots(figsize=(9, 5.5), layout="constrained")
sg.plot.plot_independent_set(graph, chosen, sg.gallery.positions("us-counties"), ax=ax)
ax.set_title(f"{np.count_nonzero(chosen):,} counties of which no two touch, none of them in Texas")
plt.show()
