"""Figures from results: graphs with sets, colorings and aggregates, or their matrices; how solvers converge.

A drawing shows a graph of up to some thousands of vertices. A larger one is shown as its matrix, with the members of
the set put first, or color by color: that no two of them are adjacent is then an empty square.

Matplotlib is imported when a figure is drawn, not before. Colors can be told apart with any kind of color vision:
members of a set are dark and large, all others light and small; of many colors, neighboring ones look alike. Figures
bring their own light background, so that they can be read on a dark page too.
"""

from __future__ import annotations

from .aggregation import aggregates_figure, plot_aggregate_sizes, plot_aggregates
from .coloring import coloring_figure, plot_color_sizes, plot_coloring
from .convergence import convergence_figure, plot_convergence
from .forest import plot_forest
from .independent_set import independent_set_figure, plot_degrees, plot_independent_set
from .matrix import plot_color_matrix, plot_matrix
from .multilevel import layout

__all__ = [
    "aggregates_figure",
    "coloring_figure",
    "convergence_figure",
    "independent_set_figure",
    "layout",
    "plot_aggregate_sizes",
    "plot_aggregates",
    "plot_color_matrix",
    "plot_color_sizes",
    "plot_coloring",
    "plot_convergence",
    "plot_degrees",
    "plot_forest",
    "plot_independent_set",
    "plot_matrix",
]
