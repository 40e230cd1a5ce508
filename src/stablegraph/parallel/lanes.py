"""How many lanes of a warp work together on something, in kernels that leave that to the host."""

from __future__ import annotations

LANES = (1, 4, 8, 16, 32)


def lanes_for(wanted: float, choices: tuple[int, ...] = LANES) -> int:
    """The least number of lanes that is at least what is wanted, or the largest there is.

    Examples
    --------
    >>> lanes_for(0.3), lanes_for(4.1), lanes_for(1000.0)
    (1, 8, 32)
    """
    return next((lanes for lanes in choices if wanted <= lanes), choices[-1])
