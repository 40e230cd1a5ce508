"""Common code of the pictures: Matplotlib without a screen, plain panels, the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def pyplot() -> Any:
    """Return Matplotlib's pyplot, which draws into files."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def make_plain(panel: Any, **grid: Any) -> None:
    """Draw a thin grid, and remove the frame at the top and at the right."""
    panel.grid(linewidth=0.3, **grid)
    panel.spines[["top", "right"]].set_visible(False)


def save(figure: Any, path: Path, dpi: int = 140) -> None:
    """Write a picture to a file, and free its memory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=dpi)
    pyplot().close(figure)
