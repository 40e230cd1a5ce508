"""The colors of figures."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

MEMBER = "#D9480F"
OTHER = "#8CA6BD"
EDGE = "#B4C2CE"
EDGE_OF_MEMBER = "#F0A37F"
INK = "#243240"
FAINT = "#6B7B8A"
PAPER = "#FCFBF8"
FEW_COLORS = ("#D9480F", "#2A7F9E", "#EDB93D", "#3D3B72", "#86B36B", "#C27BA6", "#8A5A44", "#9AA7B3")
MANY_COLORS = ("#3D3B72", "#2A7F9E", "#86B36B", "#EDB93D", "#D9480F")


def palette(count: int) -> npt.NDArray[np.float64]:
    """Return one color (red, green, blue, alpha) per class: distinct colors for few classes, otherwise a scale."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba_array

    if count <= len(FEW_COLORS):
        return np.asarray(to_rgba_array(FEW_COLORS[:count]))
    scale = LinearSegmentedColormap.from_list("classes", MANY_COLORS)
    return np.asarray(scale(np.linspace(0, 1, count)))
