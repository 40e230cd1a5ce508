"""Colorings of symmetric matrices: star and acyclic colorings, in one order or in the best of several.

Result: int32 colors from 0 on, without gaps. They depend only on the graph and the orders.

Rule: first fit in each order; the coloring with the fewest colors is returned, the first one in a tie. See star.py and
acyclic.py.

Cost and work memory: those of star.py or acyclic.py for each order, and those of the order (order.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from .._core.option_names import Order
from .._core.runtime.arrays import largest
from .._core.typing import GraphLike, Numbers
from .._core.unknown_options import suggests_options
from .._core.validation import seed_hash
from ..conversion import undirected
from ..graph import Graph
from .acyclic import color_acyclic
from .order import checked_orders, visiting_order
from .star import color_star

TRIED_ORDERS = ["natural", "smallest_last"]  # by default: neither is better on most matrices


@suggests_options
def star_coloring(
    graph: GraphLike, *, order: Order | Numbers | list[Any] | tuple[Any, ...] | None = None, seed: int = 0
) -> npt.NDArray[np.int32]:
    """Color the vertices so that adjacent ones differ and no path on four vertices has only two colors.

    A sparse Hessian is recovered directly from one product per color, if the columns of its matrix have such a
    coloring. `hessian_coloring` prepares the recovery.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops and repeated entries are ignored.
    order : str, array (n,), or a list of these, optional
        The order in which vertices are colored, as for `vertex_coloring`. With a list, every order is tried, and the
        coloring with the fewest colors is returned. The default is ``["natural", "smallest_last"]``.
    seed : int
        Seed of the order "random"; any integer.

    Returns
    -------
    int32 array (n,)
        Colors 0 .. K - 1, each of them in use. A CuPy array for a graph on a GPU.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern not symmetric, or an order is unknown, has a wrong shape or contains
        NaN.
    TypeError
        If an order has the wrong type.

    See Also
    --------
    is_star_coloring : Check a coloring with an independent method.
    acyclic_coloring : Fewer colors, recovery by substitution.

    Notes
    -----
    Deterministic: the same colors on every machine; one thread, on the CPU. The time is proportional to the sum, over
    all edges, of the number of colors around their ends. Work memory: 9 bytes per entry and 8 per vertex (13 and 12
    with 64-bit ids), and that of the order.

    References
    ----------
    A. Gebremedhin, A. Tarafdar, F. Manne, A. Pothen, "New Acyclic and Star Coloring Algorithms with Application to
    Computing Hessians", SIAM J. Sci. Comput. 29(3), 2007.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5], symmetrize=True)
    >>> sg.star_coloring(path)
    array([0, 1, 0, 2, 0, 1], dtype=int32)
    >>> sg.is_star_coloring(path, [0, 1, 0, 1, 2, 0])
    False
    """
    return _best(color_star, graph, order, seed)


@suggests_options
def acyclic_coloring(
    graph: GraphLike, *, order: Order | Numbers | list[Any] | tuple[Any, ...] | None = None, seed: int = 0
) -> npt.NDArray[np.int32]:
    """Color the vertices so that adjacent ones differ and every cycle has at least three colors.

    A sparse Hessian is recovered by substitution from one product per color, if the columns of its matrix have such a
    coloring. `hessian_coloring` prepares the recovery.

    Parameters
    ----------
    graph, order, seed
        As for `star_coloring`.

    Returns
    -------
    int32 array (n,)
        Colors 0 .. K - 1, each of them in use. A CuPy array for a graph on a GPU.

    Raises
    ------
    ValueError, TypeError
        As for `star_coloring`.

    See Also
    --------
    is_acyclic_coloring : Check a coloring with an independent method.

    Notes
    -----
    Deterministic: the same colors on every machine; one thread, on the CPU. The time is nearly proportional to the sum,
    over all edges, of the number of colors around their ends. Work memory: 12 bytes per entry and 8 per vertex (20 and
    12 with 64-bit ids and offsets), and that of the order.

    References
    ----------
    A. Gebremedhin, A. Tarafdar, F. Manne, A. Pothen, "New Acyclic and Star Coloring Algorithms with Application to
    Computing Hessians", SIAM J. Sci. Comput. 29(3), 2007.

    Examples
    --------
    >>> import stablegraph as sg
    >>> cycle = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    >>> sg.acyclic_coloring(cycle)
    array([0, 1, 0, 2], dtype=int32)
    """
    return _best(color_acyclic, graph, order, seed)


def _best(color: Callable[[Graph, Any], Any], graph: GraphLike, order: Any, seed: int) -> npt.NDArray[np.int32]:
    """Return the coloring with the fewest colors among those in the given orders."""
    hashed = seed_hash(seed)
    graph = undirected(graph)
    xp, simple = graph.xp, graph.to("cpu").simple()
    best: Any = None
    for one in checked_orders(TRIED_ORDERS if order is None else order, graph):
        colors = color(simple, np.ascontiguousarray(visiting_order(simple, one, "id", hashed)))
        if best is None or largest(colors, -1) < largest(best, -1):
            best = colors
    return cast("npt.NDArray[np.int32]", xp.asarray(best))
