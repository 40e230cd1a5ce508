"""Figures of results: graphs with sets, colorings and aggregates, or their matrices, and the convergence of solvers.

A drawing can show a graph of up to some thousands of vertices. A larger one is shown as its matrix, with the members of
the set first, or sorted by color. An empty square on the diagonal then shows that no two of these vertices are
adjacent.

Matplotlib is imported only when a figure is drawn. The colors can be distinguished with any type of color vision:
members of a set are dark and large, and other vertices light and small; of many colors, neighboring ones look similar.
Figures have their own light background, so that they can also be read on a dark page.
"""

from __future__ import annotations

from .charts import (
    convergence_figure,
    plot_aggregate_sizes,
    plot_color_matrix,
    plot_color_sizes,
    plot_community_sizes,
    plot_convergence,
    plot_degrees,
    plot_matrix,
)
from .drawings import (
    aggregates_figure,
    coloring_figure,
    communities_figure,
    independent_set_figure,
    plot_aggregates,
    plot_coloring,
    plot_communities,
    plot_forest,
    plot_independent_set,
)
from .multilevel import layout
from .timetables import schedule_figure

__all__ = [
    "aggregates_figure",
    "coloring_figure",
    "communities_figure",
    "convergence_figure",
    "independent_set_figure",
    "layout",
    "plot_aggregate_sizes",
    "plot_aggregates",
    "plot_color_matrix",
    "plot_color_sizes",
    "plot_coloring",
    "plot_communities",
    "plot_community_sizes",
    "plot_convergence",
    "plot_degrees",
    "plot_forest",
    "plot_independent_set",
    "plot_matrix",
    "schedule_figure",
]
