"""Arguments of figures: their documentation, and the checks of the graph, a set or colors of its vertices, positions.

`with_shared_docs` replaces each ``{name}`` in a docstring by a text that several figures share.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from .._core.texts import printable
from .._core.validation import boolean, host_array, unmasked
from .._core.vertex_names import shown_vertex
from ..conversion import as_graph
from ..graph import Graph
from .multilevel import Positions, edges_once, layout

_Function = TypeVar("_Function", bound=Callable[..., object])

_RAISES = """Raises
------
ValueError
    If an array does not fit the graph, or the graph is too large to be drawn.
ModuleNotFoundError
    If Matplotlib is missing; it comes with ``pip install "stablegraph[plot]"``."""

_PARAMETERS = """Parameters
----------"""

_GRAPH = f"""{_PARAMETERS}
graph : Graph or anything `as_graph` takes"""

_TEXTS = {
    "parameters": _PARAMETERS,
    "parameters: graph": _GRAPH,
    "parameters: small graph": f"""{_GRAPH}
    At most 20,000 vertices.""",
    "mask": """mask : array of bool, shape (n,)
    True for the members of the set.""",
    "mask or none": """mask : array of bool, shape (n,), optional
    True for the members of the set. Without it only the graph is shown.""",
    "positions, names, ax, returns, raises": """positions : array of float, shape (n, 2), or dict, optional
    Where the vertices are; a dict has the names for keys, as NetworkX's layouts have. `layout(graph)` if not given.
{names}
{ax, returns, raises}""",
    "names": """names : bool, optional
    Whether names are drawn next to the vertices: `graph.nodes`, or numbers if there are none. By default they are drawn
    if vertices have names and are at most 100.""",
    "cells": """cells : int
    The picture has about this many rows and columns; each shows its number of entries (darker: more).""",
    "ax, returns, raises": f"""ax : matplotlib Axes, optional
    Where to draw; a new figure if not given.

Returns
-------
matplotlib Axes

{_RAISES}""",
    "title, returns, raises": f"""title : str
    Stands above the figure, such as the name of the graph.

Returns
-------
matplotlib Figure
    Not tied to a window: ``figure.savefig("picture.png")`` writes it to a file.

{_RAISES}""",
}


def with_shared_docs(function: _Function) -> _Function:
    """Replace the names in braces in a function's docstring by the shared texts."""
    text = inspect.getdoc(function)
    if text is not None:  # python -OO removes docstrings
        for name, shared in _TEXTS.items():
            text = text.replace(f"{{{name}}}", shared)
        function.__doc__ = text
    return function


Mask = npt.NDArray[np.bool_]

MAX_NAMED = 100  # vertices; the names of more vertices hide each other and the graph
MAX_DRAWN = 20_000  # vertices; a drawing of more is a gray cloud
THINNEST, ACROSS = 0.2, 468.0  # points: the thinnest line, and the width of the drawing in a complete figure


def require_matplotlib() -> None:
    """Raise an error that says how to install Matplotlib if it is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError(
                'figures need Matplotlib: pip install "stablegraph[plot]"', name="matplotlib"
            ) from None
        raise


def checked_graph(graph: Any) -> Graph:
    """Convert an object to a Graph, and check that Matplotlib is installed."""
    require_matplotlib()
    return graph if isinstance(graph, Graph) else as_graph(graph)


def undirected(graph: Graph) -> Graph:
    """Return the graph, with each arc as an edge if it is directed."""
    return as_graph(graph, symmetrize=True, weights=False) if graph.directed else graph


def graph_and_set(graph: Any, mask: Any) -> tuple[Graph, Mask]:
    """Return a graph and the members of a set, one bool per vertex."""
    graph = checked_graph(graph)
    array: Mask = host_array(mask, "mask")
    if array.dtype != bool or array.shape != (graph.num_vertices,):
        raise ValueError(
            f"mask must be a bool array of shape ({graph.num_vertices},), got {array.dtype} of shape {array.shape}"
        )
    return graph, array


def graph_and_colors(graph: Any, colors: Any, name: str = "colors") -> tuple[Graph, npt.NDArray[np.int64]]:
    """Return a graph and the colors of its vertices, or other non-negative numbers with this name."""
    graph = checked_graph(graph)
    array = host_array(colors, name)
    if array.dtype.kind not in "iu" or array.shape != (graph.num_vertices,):
        raise ValueError(
            f"{name} must be integers of shape ({graph.num_vertices},), got {array.dtype} of shape {array.shape}"
        )
    if (array < 0).any():
        v = int((array < 0).argmax())
        raise ValueError(f"vertex {v} has no {name[:-1]}, but {array[v]}: {name} are numbers from 0 on")
    return graph, array.astype(np.int64)


def class_sizes(numbers: Any, name: str) -> npt.NDArray[np.int64]:
    """Count the vertices of each color, or of each other number with this name."""
    array = host_array(numbers, name)
    return np.bincount(array) if array.size else np.zeros(0, np.int64)


def checked_positions(graph: Graph, positions: Any) -> Positions:
    """Return the given positions, or those of `layout`; raise ValueError if the graph is too large to be drawn."""
    n = graph.num_vertices
    if n > MAX_DRAWN:
        raise ValueError(
            f"a drawing of {n:,} vertices shows nothing (at most {MAX_DRAWN:,} are drawn); show its matrix, or draw "
            "graph.subgraph(...)"
        )
    if positions is None:
        return layout(graph)
    array = np.asarray(unmasked(by_number(graph, positions), "positions"), np.float64)
    if array.shape != (n, 2) or not np.isfinite(array).all():
        raise ValueError(f"positions must be finite numbers of shape ({n}, 2), got shape {array.shape}")
    return array


def drawn_at(graph: Graph, positions: Any = None) -> tuple[Positions | None, str]:
    """Return the positions for a drawing; or None, and the reason why the matrix shows more than a drawing."""
    n, edges = graph.num_vertices, graph.num_edges
    if n > MAX_DRAWN:
        return None, f"{n:,} vertices are too many to be drawn"
    if positions is not None:
        return checked_positions(graph, positions), ""
    too_many = f"its {edges:,} edges would hide each other in a drawing"
    # On average, the neighbors of a vertex are not nearer than if they filled a disc around it.
    if _covered(edges * 2 / 3 * np.sqrt(2 * edges / max(n, 1) / np.pi / max(n, 1)), 1.0) > 1:
        return None, too_many
    where = layout(graph)
    wide, high = np.ptp(where, axis=0) if n else (1.0, 1.0)
    u, v = edges_once(graph)
    length = float(np.hypot(*(where[u] - where[v]).T).sum()) / max(wide, high, 1.0)
    return (None, too_many) if _covered(length, min(wide, high) / max(wide, high, 1.0)) > 1 else (where, "")


def _covered(length: float, flatness: float) -> float:
    """Return how often the thinnest lines cover a drawing; `length` is in multiples of its longer side."""
    return length * THINNEST / ACROSS / max(flatness, THINNEST / ACROSS)


def by_number(graph: Graph, positions: Any) -> Any:
    """Convert a dict of positions by name, as from NetworkX's layouts, to an array; return other values unchanged."""
    if not isinstance(positions, Mapping):
        return positions
    nodes = range(graph.num_vertices) if graph.nodes is None else graph.nodes
    missing = next((v for v, name in enumerate(nodes) if name not in positions), None)
    if missing is not None:
        raise ValueError(f"positions has no vertex {shown_vertex(missing, graph.nodes)}")
    places = [positions[name] for name in nodes]
    return np.array(places, np.float64) if places else np.zeros((0, 2))


def checked_names(graph: Graph, names: Any) -> Sequence[str] | None:
    """Return the texts next to the vertices, or None."""
    n = graph.num_vertices
    wanted = graph.nodes is not None and n <= MAX_NAMED if names is None else boolean(names, "names")
    return [printable(str(name)) for name in (range(n) if graph.nodes is None else graph.nodes)] if wanted else None
