"""Choose counties of the United States so that no two of them touch, with wishes of our own, and draw the choice.

    python examples/counties.py [PICTURE.png]

Shows: a graph with names, `include=` and `exclude=`, an order of one's own, verifying, drawing.
"""

import sys

import numpy as np

import stablegraph as sg
from stablegraph import gallery

graph = gallery.load("us-counties")
names = np.array([str(name) for name in graph.nodes])

# Anchorage must be chosen, nothing in Texas may be, and counties whose names begin late in the alphabet go first.
wanted = np.flatnonzero(names == "Anchorage Municipality, AK")
unwanted = np.char.endswith(names, ", TX")
late_first = np.argsort(np.argsort(names))

chosen = sg.maximal_independent_set(graph, priority=late_first, include=wanted, exclude=unwanted)

problem = sg.explain(sg.is_maximal_independent_set, graph, chosen, exclude=unwanted)
print(f"{np.count_nonzero(chosen):,} of {len(graph):,} counties; anything wrong: {problem}")
print("the first three by name:", "; ".join(sorted(names[chosen])[:3]))

if len(sys.argv) > 1:
    from stablegraph import plot

    figure = plot.independent_set_figure(graph, chosen, gallery.positions("us-counties"), title="No county in Texas")
    figure.savefig(sys.argv[1])
    print(f"see {sys.argv[1]}")
