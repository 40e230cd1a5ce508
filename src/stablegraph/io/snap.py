"""SNAP edge lists: one edge a line, two vertex ids and perhaps a weight, "#" or "%" for comments.

Numbers are separated by blanks or by commas. A field between two commas, or beside one at either end of a line, must
not be empty; in a file named .tsv this holds for tabs, too. What begins with words is a table with a title line
(titled_table.py).

Ids may have gaps: vertices are numbered in ascending order of id, and the ids are kept as the graph's `nodes`. A header
"# Nodes: N Edges: M" is checked against what follows; if all ids are below N, they are the vertices as they stand (so
that isolated ones survive). "# Undirected graph" says that each edge stands in one direction only; "# Directed graph"
that lines are arcs, as KONECT's "% asym" does (and "% bip", where an id at the left end is another vertex than the
same id at the right).

The writer gives every graph that header. Ids are the vertex numbers, or the graph's `nodes` where those are ascending
integers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import IO, Any

from . import titled_table
from .contents import Contents
from .edge_lists import edge_list, relabel
from .layout import Layout
from .parse import parse, row_position
from .render import Columns, render
from .source import Source
from .symmetry import check_text_weights
from .table import edge_table, last_column

__all__ = ["LAYOUT", "read", "write"]

LAYOUT = Layout(comments="#%", separators=",", decimals=True)
_TABS = replace(LAYOUT, separators=",\t")
_COUNTS = re.compile(rb"nodes:\s*(\d+)\D+?edges:\s*(\d+)", re.IGNORECASE)
_UNDIRECTED = re.compile(rb"^[#%]\s*undirected graph", re.IGNORECASE | re.MULTILINE)
_ARCS = re.compile(rb"^[#%]\s*(directed graph|asym\b|bip\b)", re.IGNORECASE | re.MULTILINE)


def read(source: Source, *, weights: bool) -> Contents:
    """Read an edge list."""
    start = source.skip_comments(0, b"#%")
    stated = _COUNTS.search(source.data, 0, start)
    nodes_stated, edges_stated = (source.count(stated[k], stated.start(k)) for k in (1, 2)) if stated else (None, None)
    if start >= len(source.data) and not stated:
        raise source.error("there are no edges in the file, and no header '# Nodes: N Edges: M' that says so")
    if titled_table.begins(source, start):
        return titled_table.read(source, start, weights=weights)
    layout = _TABS if source.suffix == ".tsv" else LAYOUT
    numbers = parse(source, start, layout)
    if stated and numbers.rows != edges_stated:
        cure = "get the whole file, or take the header out if it is wrong"
        raise source.miscount(f"{edges_stated} edges", f"{numbers.rows} lines", cure)
    width = int(numbers.row_ends[1]) if numbers.rows else 2
    if width not in (2, 3):
        first_row = row_position(source, start, layout, 0)
        raise source.error(f"{width} numbers, but an edge has two vertex ids and perhaps a weight", position=first_row)
    table = edge_table(source, start, layout, numbers, width, first=0)
    u, v, n, nodes = relabel(source, table[:, 0], table[:, 1], nodes_stated)
    return Contents(
        n,
        u,
        v,
        weights=last_column(source, start, layout, numbers, width) if weights and width == 3 else None,
        directed=False if _UNDIRECTED.search(source.data, 0, start) else None,
        mirrored=bool(_ARCS.search(source.data, 0, start)),
        nodes=nodes,
    )


def write(stream: IO[bytes], graph: Any) -> None:
    """Write an edge list."""
    u, v, w, undirected, names = edge_list(graph, "iu")
    check_text_weights(u, v, w)
    if names is not None:
        u, v = names[u], names[v]
    kind = (
        "Undirected graph (each unordered pair of nodes is saved once)"
        if undirected
        else "Directed graph (each pair of nodes as it is)"
    )
    stream.write(f"# {kind}\n# Nodes: {graph.num_vertices} Edges: {u.size}\n".encode())
    render(stream, Columns([u, v] if w is None else [u, v, w], separator=b"\t"))
