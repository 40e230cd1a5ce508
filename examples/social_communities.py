"""
Communities of people
=====================

The characters of Victor Hugo's *Les Misérables* are joined if they appear in the same chapter; the weight is the number
of such chapters. Communities are the circles of the novel. Names come from the graph of NetworkX and appear in the
answer.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import stablegraph as sg
from stablegraph import plot

people = sg.as_graph(nx.les_miserables_graph())
count, labels, info = sg.communities(people, iterations=None, return_info=True)
assert sg.is_community_labeling(people, labels, objective="modularity")
print(f"{count} communities, modularity {info['objective']:.3f}")

chapters = people.to_scipy().sum(axis=1)
for community in range(count):
    members = np.flatnonzero(labels == community)
    members = members[np.argsort(-chapters[members], kind="stable")]
    print(f"{members.size:2} people:", ", ".join(people.nodes[v] for v in members[:5]))

# %%
# The picture shows all names. Lines between communities are gray.

figure, ax = plt.subplots(figsize=(11, 8), layout="constrained")
plot.plot_communities(people, labels, plot.layout(people), names=True, ax=ax)
ax.set_title(f"{count} communities of {len(people)} characters")
plt.show()

# %%
# Fixed vertices keep their community of `start`: here Valjean and Javert are kept apart, and all others may move.

pair = [people.index(name) for name in ("Valjean", "Javert")]
start = np.zeros(len(people), int)
start[pair[1]] = 1
_, apart = sg.communities(people, start=start, fixed=pair)
print("Valjean and Javert:", "together" if labels[pair[0]] == labels[pair[1]] else "apart", end=", ")
print("then", "together" if apart[pair[0]] == apart[pair[1]] else "apart", end=", ")
print(f"with modularity {sg.modularity(people, apart):.3f}")
