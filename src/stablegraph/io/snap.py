"""SNAP edge lists: one edge a line, two vertex ids and perhaps a weight, "#" or "%" for comments.

Numbers are separated by blanks or by commas. A field between two commas, or beside one at either end of a line, must
not be empty; in a file named .tsv this holds for tabs, too.

Ids may have gaps: vertices are numbered in ascending order of id, and the ids are kept as the graph's `nodes`. A header
"# Nodes: N Edges: M" is checked against what follows; if all ids are below N, they are the vertices as they stand (so
that isolated ones survive). "# Undirected graph" says that each edge stands in one direction only.

The writer gives every graph that header. Ids are the vertex numbers, or the graph's `nodes` where those are ascending
integers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import IO, Any

import numpy as np

from .contents import Contents
from .layout import Layout
from .parse import parse, row_position
from .render import Columns, render
from .source import Source
from .symmetry import check_text_weights, entries, has_symmetric_weights, upper_half
from .table import edge_table, last_column

__all__ = ["LAYOUT", "read", "write"]

LAYOUT = Layout(comments="#%", separators=",", decimals=True)
_TABS = replace(LAYOUT, separators=",\t")
_COUNTS = re.compile(rb"nodes:\s*(\d+)\D+?edges:\s*(\d+)", re.IGNORECASE)
_UNDIRECTED = re.compile(rb"^[#%]\s*undirected graph", re.IGNORECASE | re.MULTILINE)


def read(source: Source, *, weights: bool) -> Contents:
    """Read an edge list."""
    start = source.skip_comments(0, b"#%")
    header = bytes(source.data[:start])
    stated = _COUNTS.search(header)
    nodes_stated, edges_stated = (source.count(stated[k], stated.start(k)) for k in (1, 2)) if stated else (None, None)
    if start >= len(source.data) and not stated:
        raise source.error("there are no edges in the file, and no header '# Nodes: N Edges: M' that says so")
    _refuse_words(source, start)
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
        directed=False if _UNDIRECTED.search(header) else None,
        mirrored=False,
        nodes=nodes,
    )


def _refuse_words(source: Source, start: int) -> None:
    """A first line of words is a title, or its ids are names; tell the cure."""
    line, following = source.line(start)
    line = line.strip()
    if not (line[:1].isalpha() or line[:1] in (b'"', b"'")):
        return
    shown = line[:40].decode("utf-8", "replace")
    if source.line(following)[0].strip()[:1].isdigit():
        cure = "put '#' before the title line"
    else:
        delimiter = next((f" delimiter={mark!r}," for mark in (",", "\t") if mark.encode() in line), "")
        cure = (
            "put '#' before a title line, and let "
            f"as_graph(networkx.read_edgelist({source.name!r},{delimiter} data=False)) number vertices with names"
        )
    raise source.error(f"{shown!r} is not an edge between integer ids; {cure}", position=start)


def relabel(
    source: Source, u: np.ndarray, v: np.ndarray, stated: int | None
) -> tuple[np.ndarray, np.ndarray, int, np.ndarray | None]:
    """Number the ids 0 .. n - 1 in ascending order; the ids themselves are returned too, if they differ from that."""
    most = max(int(u.max(initial=-1)), int(v.max(initial=-1)))
    if stated is not None and most < stated:
        return u, v, stated, None
    if most < max(1 << 24, 8 * u.size):
        present = np.zeros(most + 1, bool)
        present[u] = True
        present[v] = True
        ids = np.flatnonzero(present)
        if ids.size != most + 1:
            rank = np.cumsum(present) - 1
            u, v = rank[u], rank[v]
    else:
        ids, both = np.unique(np.concatenate([u, v]), return_inverse=True)
        u, v = both[: u.size], both[u.size :]
    check_node_count(source, stated, ids.size)
    return u, v, ids.size, None if ids.size == most + 1 else ids


def check_node_count(source: Source, stated: int | None, found: int) -> None:
    """Refuse another number of ids than the file announces."""
    if stated is not None and found != stated:
        raise source.error(
            f"the file announces {stated} nodes, but {found} different ids follow; "
            "get the whole file, or take that number out if it is wrong"
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


def edge_list(graph: Any, kinds: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, bool, np.ndarray | None]:
    """What an edge list says: ends, weights, whether each edge stands once, and the names of these dtype kinds."""
    u, v, w = entries(graph)
    undirected = not graph.directed and has_symmetric_weights(graph)
    if undirected:
        u, v, w = upper_half(u, v, w)
    names = _ascending_names(graph, kinds)
    if names is not None:
        isolated = np.ones(names.size, bool)
        isolated[u] = isolated[v] = False
        if isolated.any():
            raise ValueError(
                f"an edge list cannot hold the isolated vertex {names[isolated][0]} beside ids with gaps; "
                "write the format 'npz' instead"
            )
    return u, v, w, undirected, names


def _ascending_names(graph: Any, kinds: str) -> np.ndarray | None:
    """The nodes, if they are ascending texts, or ascending integers from 0 on that are not just 0 .. n - 1."""
    if graph.nodes is None:
        return None
    try:
        names = np.asarray(graph.nodes)
    except ValueError:
        return None
    if names.dtype.kind not in kinds or names.ndim != 1 or not names.size or (names[1:] <= names[:-1]).any():
        return None
    return names if names.dtype.kind == "U" or (int(names[0]) >= 0 and int(names[-1]) >= names.size) else None
