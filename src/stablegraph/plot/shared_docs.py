"""Shared parts of the docstrings of figures: `with_shared_docs` replaces each ``{name}`` by a text."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

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
