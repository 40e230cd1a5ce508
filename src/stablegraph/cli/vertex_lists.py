"""Lists of vertices on the command line: numbers and ranges, names, or a set in a file."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import stablegraph as sg

from .answer_files import Numbers, read_set


def _vertex_called(name: str | int, graph: Any) -> int | None:
    """Return the number of the vertex with this name, or None."""
    names = graph.nodes
    if names is None:
        return None
    if not hasattr(graph, "index"):  # a partitioned graph
        matches = np.flatnonzero((names == name).compute())
        return int(matches[0]) if matches.size else None
    try:
        return int(graph.index(name))
    except ValueError:
        return None


def vertices_from(text: str | None, option: str, graph: sg.Graph) -> Numbers | None:
    """Parse vertices on the command line: "3,7,10-12", "Ann,Bob", or "@FILE" with a set as `verify` reads it."""
    n = graph.num_vertices
    if text is None:
        return None
    if text.startswith("@"):
        return read_set(text[1:], graph)
    vertices: list[int] = []
    for part in text.split(","):
        numbers = re.fullmatch(r"\s*(\d{1,18})\s*(?:-\s*(\d{1,18})\s*)?", part)
        named = _vertex_called(part.strip(), graph)
        if numbers and named is not None and (named,) != tuple(map(int, filter(None, numbers.groups()))):
            raise ValueError(
                f"{option}: {part} is a name, and also means vertex numbers; pass @FILE, a table with the columns id "
                "and mask, or a line of 0 or 1 for each vertex"
            )
        if named is not None:
            vertices.append(named)
            continue
        if not numbers:
            raise ValueError(
                f"{option}: expected vertex numbers such as 3,7,10-12, names of vertices, or @FILE, got {part[:30]!r}"
            )
        low, high = int(numbers[1]), int(numbers[2] or numbers[1])
        if not low <= high < n:
            known = _vertex_called(low, graph) if low == high else None
            hint = "" if known is None else f"; for the vertex with the id {low} in the file, pass {known}"
            raise ValueError(f"{option}: {part} is not among the graph's {n:,} vertices, numbered from 0{hint}")
        vertices.extend(range(low, high + 1))
    return np.unique(np.array(vertices, np.int64))
