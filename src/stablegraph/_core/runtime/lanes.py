"""The number of lanes of a warp that process one item together, in kernels for which the host chooses it."""

from __future__ import annotations

LANES = (1, 4, 8, 16, 32)


def lanes_for(wanted: float, choices: tuple[int, ...] = LANES) -> int:
    """Return the smallest choice that is at least `wanted`, or the largest choice if none is.

    Examples
    --------
    >>> lanes_for(0.3), lanes_for(4.1), lanes_for(1000.0)
    (1, 8, 32)
    """
    return next((lanes for lanes in choices if wanted <= lanes), choices[-1])
