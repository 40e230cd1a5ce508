"""Figures of the convergence of iterations: one line per method, on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.unknown_options import suggests_options
from .._core.validation import host_array, number
from .checks import require_matplotlib, with_shared_docs
from .page import FAINT, FEW_COLORS, INK, PAPER, axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@with_shared_docs
@suggests_options
def plot_convergence(
    residuals: Sequence[float] | Mapping[str, Sequence[float]], *, target: float | None = None, ax: Axes | None = None
) -> Axes:
    """Plot the norms of residuals over the iterations.

    {parameters}
    residuals : list of float, or dict of such lists
        As filled by `Multigrid.solve`. Each entry of a dict is one line, labeled with its key.
    target : float, optional
        The norm to be reached, drawn as a horizontal line.
    {ax, returns, raises}

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> residuals = []
    >>> x = sg.smoothed_aggregation(sg.gallery.laplacian((20, 20))).solve(np.ones(400), residuals=residuals)
    >>> ax = sg.plot.plot_convergence(residuals)
    """
    require_matplotlib()
    ax = axes(ax)
    courses = residuals if isinstance(residuals, Mapping) else {"": residuals}
    for place, (name, course) in enumerate(courses.items()):
        ink = FEW_COLORS[place % len(FEW_COLORS)]
        sizes = np.array([number(size, "each residual") for size in host_array(course, "residuals").ravel().tolist()])
        sizes = np.where(sizes > 0, sizes, np.nan)  # the residual 0 has no logarithm
        ax.plot(sizes, color=ink, linewidth=1.8, marker="o", markersize=3.5)
        if name and sizes.size:
            ax.annotate(name, (sizes.size - 1, sizes[-1]), (6, 0), textcoords="offset points", color=ink, fontsize=9)
    if target is not None and number(target, "target") > 0:
        ax.axhline(number(target, "target"), color=FAINT, linewidth=0.8, linestyle="--")
    ax.set_yscale("log")
    ax.set_facecolor(PAPER)
    ax.set_xlabel("iterations", color=FAINT, fontsize=9)
    ax.set_ylabel("norm of the residual", color=FAINT, fontsize=9)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.tick_params(colors=FAINT, labelsize=8, which="both", length=0)
    ax.grid(axis="y", color=FAINT, alpha=0.2, linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(FAINT)
    return ax


@with_shared_docs
@suggests_options
def convergence_figure(
    residuals: Sequence[float] | Mapping[str, Sequence[float]], *, target: float | None = None, title: str = ""
) -> Figure:
    """Create a figure with `plot_convergence` and a title.

    {parameters}
    residuals, target
        As in `plot_convergence`.
    {title, returns, raises}
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(6.5, 4.2), facecolor=PAPER, layout="constrained")
    ax = plot_convergence(residuals, target=target, ax=figure.add_subplot())
    ax.set_title(title, color=INK, fontsize=11, loc="left")
    return figure  # type: ignore[no-any-return]
