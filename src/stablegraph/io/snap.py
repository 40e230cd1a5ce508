"""SNAP edge lists: one edge per line, two vertex ids and optionally a weight; "#" or "%" starts comments.

Numbers are separated by blanks or by commas, in the same way on the whole line. A field between two commas, or between
a comma and either end of the line, must not be empty; in a file named .tsv this also holds for tabs. A file whose first
line consists of words is a table with a title line (titled_table.py).

Ids are integers. An id with a sign or a leading zero is refused, because it may be a code, whose exact text would be
lost. A list that may be a Matrix Market file without its banner is refused unless the format is stated
(`refuse_size_line`).

Ids may have gaps: vertices are numbered in ascending order of id, and the ids are kept as the graph's `nodes`. A header
"# Nodes: N Edges: M" is checked against the lines that follow. If all ids are below N, they are used as vertex numbers,
so that isolated vertices are preserved. Headers "# Undirected graph" and (from KONECT) "% sym" state that lines are
edges. Headers "# Directed graph", "% asym" and "% bip" state that they are arcs. (In a "% bip" file an id at the left
end and the same id at the right end are different vertices.) Without such a header lines are edges, unless the caller
states that they are arcs.

The writer adds this header to every file. Its ids are the graph's `nodes` if these are ascending integers, otherwise
the vertex numbers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import IO, Any

import numpy as np

from ..tables.columns import Columns, numbered_integers
from . import titled_table
from .contents import Contents
from .edge_lists import check_text_weights, edge_list
from .foreign import quoted_name
from .parse import Layout, Numbers, edge_table, last_column, parse, row_position
from .render import Columns as Printed
from .render import render
from .source import Source

LAYOUT = Layout(comments="#%", separators=",", decimals=True, ids=2)
_TABS = replace(LAYOUT, separators=",\t")
_COUNTS = re.compile(rb"nodes:\s*(\d+)\D+?edges:\s*(\d+)", re.IGNORECASE)
_DIRECTIONS = {
    False: re.compile(rb"^[#%]\s*(undirected graph|sym\b)", re.IGNORECASE | re.MULTILINE),
    True: re.compile(rb"^[#%]\s*(directed graph|asym\b|bip\b)", re.IGNORECASE | re.MULTILINE),
}


def read(source: Source, columns: Columns) -> Contents:
    """Read an edge list; `columns` apply only to a list with a title line."""
    start = source.skip_comments(0, b"#%")
    stated = _COUNTS.search(source.data, 0, start)
    nodes_stated, edges_stated = (source.count(stated[k], stated.start(k)) for k in (1, 2)) if stated else (None, None)
    if start >= len(source.data) and not stated:
        raise source.error("there are no edges in the file, and no header '# Nodes: N Edges: M' that says so")
    if titled_table.begins(source, start):
        return titled_table.read(source, start, columns)
    if columns.are_named:
        raise source.error("source=, target= and weight= name the columns of a table, but this list has no title line")
    layout = _TABS if source.suffix == ".tsv" else LAYOUT
    layout = layout if columns.may_have_weights else replace(layout, unread=2)
    numbers = parse(source, start, layout)
    if stated and numbers.rows != edges_stated:
        cure = "get the whole file, or take the header out if it is wrong"
        raise source.miscount(f"{edges_stated} edges", f"{numbers.rows} lines", cure)
    width = int(numbers.row_ends[1]) if numbers.rows else 2
    if width not in (2, 3) or numbers.integers.size != width * numbers.rows:
        _refuse_other_rows(source, start, layout, np.diff(numbers.row_ends))
    table = edge_table(source, start, layout, numbers, width, first=0)
    u, v, n, nodes = numbered_integers(source.error, table[:, 0], table[:, 1], nodes_stated)
    return Contents(
        n,
        u,
        v,
        weights=last_column(source, start, layout, numbers, width) if columns.may_have_weights and width == 3 else None,
        directed=_stated_direction(source, start),
        is_list=True,
        nodes=nodes,
    )


def _refuse_other_rows(source: Source, start: int, layout: Layout, lengths: Any) -> None:
    """Refuse rows that have too few or too many numbers for an edge."""
    wrong = np.flatnonzero(lengths > 3)
    if wrong.size or lengths[0] == 1:
        row, name = int(wrong[0]) if wrong.size else 0, quoted_name(source)
        cure = f"; in Python, as_graph(networkx.read_adjlist({name}, nodetype=int)) reads lists of neighbors, and "
        cure += f"as_graph(numpy.loadtxt({name})) a dense matrix"
        raise source.error(
            f"{lengths[row]} number{'s' if wrong.size else ''}, but an edge has two vertex ids and perhaps a weight"
            f"{cure if wrong.size else ''}",
            position=row_position(source, start, layout, row),
        )


def refuse_size_line(source: Source) -> None:
    """Refuse a list whose first line n n m may state its size, because m lines with ids up to n follow.

    The line could also be an edge of weight m.
    """
    start = source.skip_comments(0, b"#%")
    words = bytes(source.data[start : source.end_of_line(start)]).replace(b",", b" ").split()
    if len(words) != 3 or words[0] != words[1] or not all(map(bytes.isdigit, words)):
        return
    n, m = (source.count(word, start) for word in words[1:])
    if _COUNTS.search(source.data, 0, start) or m > len(source.data):
        return
    try:
        numbers = parse(source, start, replace(LAYOUT, unread=2))
    except ValueError:
        return  # `read` reports the error
    if numbers.rows == m + 1 and _largest_id(numbers) <= n:
        raise source.error(
            f"the first line, {n} {n} {m}, is an edge of weight {m}, or says that {m} edges between {n} vertices "
            "follow; pass format='snap' (--from snap) if it is an edge, and otherwise put the banner '%%MatrixMarket "
            "matrix coordinate FIELD SYMMETRY' before it",
            position=start,
        )


def _largest_id(numbers: Numbers) -> int:
    """Return the largest vertex id, that is of the first two numbers of each row, without the first row."""
    firsts, ends = numbers.row_ends[1:-1], numbers.row_ends[2:]
    seconds = np.minimum(firsts + 1, ends - 1)
    return int(max(numbers.integers[firsts].max(initial=0), numbers.integers[seconds].max(initial=0)))


def _stated_direction(source: Source, start: int) -> bool | None:
    """Return whether the comments before byte `start` state that lines are arcs; None if they do not state it."""
    stated = [direction for direction, pattern in _DIRECTIONS.items() if pattern.search(source.data, 0, start)]
    if len(stated) > 1:
        raise source.error("the header says both that the graph is directed and that it is undirected; correct it")
    return stated[0] if stated else None


def write(stream: IO[bytes], graph: Any) -> None:
    """Write an edge list."""
    u, v, w, undirected, names = edge_list(graph)
    check_text_weights(u, v, w)
    if names is not None:
        u, v = names[u], names[v]
    kind = (
        "Undirected graph (each unordered pair of nodes is saved once)"
        if undirected
        else "Directed graph (each pair of nodes as it is)"
    )
    stream.write(f"# {kind}\n# Nodes: {graph.num_vertices} Edges: {u.size}\n".encode())
    render(stream, Printed([u, v] if w is None else [u, v, w], separator=b"\t"))
