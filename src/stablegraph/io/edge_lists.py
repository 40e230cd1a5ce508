"""Lists of edges, one on each line: SNAP's, and the three forms of DIMACS.

SNAP: two vertex ids and optionally a weight; "#" or "%" starts comments. Numbers are separated by blanks or by commas,
in the same way on the whole line. A field between two commas, or between a comma and either end of the line, must not
be empty; in a file named .tsv this also holds for tabs. A file whose first line consists of words is a table with a
title line (titled_table.py).

Ids are integers. An id with a sign or a leading zero is refused, because it may be a code, whose exact text would be
lost. A list that may be a Matrix Market file without its banner is refused unless the format is stated
(`refuse_size_line`).

Ids may have gaps: vertices are numbered in ascending order of id, and the ids are kept as the graph's `nodes`. A header
"# Nodes: N Edges: M" is checked against the lines that follow. If all ids are below N, they are used as vertex numbers,
so that isolated vertices are preserved. Headers "# Undirected graph" and (from KONECT) "% sym" state that lines are
edges. Headers "# Directed graph", "% asym" and "% bip" state that they are arcs. In a "% bip" file an id at the left
end and the same id at the right end are different vertices, so that a file with such an id is refused. Without such a
header lines are edges, unless the caller states that they are arcs.

The writer adds this header to every file. Its ids are the graph's `nodes` if these are ascending integers, otherwise
the vertex numbers.

DIMACS: the forms share a header "p WORD n m" and comments "c ...". Vertices are counted from 1.

=======================  ===========================  ======================================================
header                   lines                        graph
=======================  ===========================  ======================================================
``p sp n m``             ``a u v w``                  m weighted arcs (9th challenge, shortest paths)
``p edge n m``, ``col``  ``e u v``, ``n v weight``    m undirected edges (2nd challenge, coloring); some files
                                                      list each edge twice, and count it once or twice
``p tw n m``             ``u v``                      m undirected edges (PACE); also td, tdp, vc, ds, cep
=======================  ===========================  ======================================================

Lines ``n v weight`` contain integer weights of vertices, by default 1: ``graph.facts["vertex_weights"]``, int64 (n, 1).

The writer chooses the form from the suffix and the graph: ``.col`` gives "e" lines; otherwise an undirected graph
without weights is written as PACE, and every other graph as arcs (with weight 1 if it has no weights).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import IO, Any

import numpy as np

from ..tables.columns import Columns, numbered_integers
from . import titled_table
from .contents import Contents, check_text_weights, edge_list, entries, upper_half
from .parse import Layout, Numbers, check_range, parse
from .render import Lines, render
from .source import Source

EDGE_LIST = Layout(comments="#%", separators=",", decimals=True, ids=2)
_TABS = replace(EDGE_LIST, separators=",\t")
_COUNTS = re.compile(rb"nodes:\s*(\d+)\D+?edges:\s*(\d+)", re.IGNORECASE)
_DIRECTIONS = {
    False: re.compile(rb"^[#%]\s*(undirected graph|sym\b)", re.IGNORECASE | re.MULTILINE),
    True: re.compile(rb"^[#%]\s*(directed graph|asym\b|bip\b)", re.IGNORECASE | re.MULTILINE),
}
_BIPARTITE = re.compile(rb"^[#%]\s*bip\b", re.IGNORECASE | re.MULTILINE)
_TWO_SIDES = (
    "in a '% bip' list, equal ids at the left and at the right end are different vertices; make a table of them: "
    '(echo source,target; awk \'!/^%/ {print "u" $1 ",v" $2}\' FILE) > edges.csv'
)


def read_snap(source: Source, columns: Columns, tabs: bool = False) -> Contents:
    """Read an edge list; `columns` apply only to a list with a title line. With `tabs`, these separate the fields."""
    start = source.skip_comments(0, b"#%")
    stated = _COUNTS.search(source.data, 0, start)
    nodes_stated, edges_stated = (source.count(stated[k], stated.start(k)) for k in (1, 2)) if stated else (None, None)
    if start >= len(source.data) and not stated:
        raise source.error("there are no edges in the file, and no header '# Nodes: N Edges: M' that says so")
    if titled_table.begins(source, start):
        return titled_table.read(source, start, columns)
    if columns.are_named:
        raise source.error("source=, target= and weight= name the columns of a table, but this list has no title line")
    layout = _TABS if tabs or source.suffix == ".tsv" else EDGE_LIST
    layout = layout if columns.may_have_weights else replace(layout, unread=2)
    numbers = parse(source, start, layout)
    if stated and numbers.rows != edges_stated:
        cure = "get the whole file, or take the header out if it is wrong"
        raise source.miscount(f"{edges_stated} edges", f"{numbers.rows} lines", cure)
    width = int(numbers.row_ends[1]) if numbers.rows else 2
    is_bipartite = _BIPARTITE.search(source.data, 0, start) is not None
    if width not in (2, 3) or numbers.integers.size != width * numbers.rows:
        _refuse_other_rows(numbers, is_bipartite)
    table = numbers.edges(width, first=0)
    u, v, n, nodes = numbered_integers(source.error, table[:, 0], table[:, 1], nodes_stated)
    if is_bipartite and np.isin(v, u, kind="table").any():
        raise source.error(_TWO_SIDES)
    return Contents(
        n,
        u,
        v,
        weights=numbers.last_column(width) if columns.may_have_weights and width == 3 else None,
        directed=_stated_direction(source, start),
        is_list=True,
        nodes=nodes,
    )


def _refuse_other_rows(numbers: Numbers, is_bipartite: bool) -> None:
    """Refuse rows that have too few or too many numbers for an edge."""
    lengths = np.diff(numbers.row_ends)
    wrong = np.flatnonzero(lengths > 3)
    if is_bipartite and wrong.size:
        raise numbers.error(_TWO_SIDES, int(wrong[0]))
    if wrong.size or lengths[0] == 1:
        row, name = int(wrong[0]) if wrong.size else 0, numbers.source.quoted_name
        if numbers.rows != 4 and (lengths == 4).all():  # four rows may be a matrix
            separator = "," if b"," in numbers.source.line(numbers.position(0))[0] else None
            ends = f"numpy.loadtxt({name}, int, comments=['#', '%'], delimiter={separator!r}, usecols=(0, 1))"
            raise numbers.error(
                "4 numbers, but an edge has two vertex ids and perhaps a weight; in Python, from_edges("
                f"*{ends}.T, symmetrize=True) reads the edges without weights and times",
                row,
            )
        cure = f"; in Python, as_graph(networkx.read_adjlist({name}, nodetype=int)) reads lists of neighbors, and "
        cure += f"as_graph(numpy.loadtxt({name})) a dense matrix"
        raise numbers.error(
            f"{lengths[row]} number{'s' if wrong.size else ''}, but an edge has two vertex ids and perhaps a weight"
            f"{cure if wrong.size else ''}",
            row,
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
        numbers = parse(source, start, replace(EDGE_LIST, unread=2))
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


def write_snap(stream: IO[bytes], graph: Any) -> None:
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
    render(stream, Lines([u, v] if w is None else [u, v, w], separator=b"\t"))


PACE_WORDS = (b"tw", b"td", b"tdp", b"vc", b"ds", b"cep")
_FORMS = {
    "sp": Layout(bare=False, letters="a", comments="c", decimals=True),
    "edge": Layout(bare=False, letters="e", comments="cndvx"),
    "tw": Layout(comments="c"),
}
_VERTEX_LINE = re.compile(rb"\n[ \t\r\v\f]*n[ \t]")
_FORM_OF = {b"sp": "sp", b"edge": "edge", b"edges": "edge", b"col": "edge", **dict.fromkeys(PACE_WORDS, "tw")}


def read_dimacs(source: Source, *, weights: bool) -> Contents:
    """Read any of the three forms."""
    position = source.skip_comments(0, b"c")
    line, start = source.line(position)
    words = line.split()
    if len(words) < 2 or words[0] != b"p":
        raise source.error("a line 'p sp n m', 'p edge n m' or 'p tw n m' must come first", position=position)
    form = _FORM_OF.get(words[1])
    if form is None:
        raise source.error(
            f"problem {words[1][:40].decode('ascii', 'replace')!r} is not a graph that can be read; "
            f"known are {', '.join(word.decode() for word in _FORM_OF)}",
            position=position,
        )
    if len(words) != 4 or not (words[2].isdigit() and words[3].isdigit()):
        raise source.error("the header must be 'p', a word, and the numbers of vertices and edges", position=position)
    n, m = (source.count(word, position) for word in words[2:])
    start = min(start, len(source.data))
    layout = _FORMS[form] if weights else replace(_FORMS[form], unread=2)
    numbers = parse(source, start, layout)
    if numbers.rows != m and not (form == "edge" and numbers.rows == 2 * m):
        raise source.miscount(f"{m} {'arcs' if form == 'sp' else 'edges'}", f"{numbers.rows} lines")
    width = 3 if form == "sp" else 2
    table = numbers.edges(width, first=1, n=n)
    if numbers.rows != m:
        _check_twofold(numbers, table, m)
    has_vertex_weights = form == "edge" and weights and _VERTEX_LINE.search(source.data, start - 1)
    return Contents(
        n,
        table[:, 0] - 1,
        table[:, 1] - 1,
        weights=numbers.last_column(width) if weights and form == "sp" else None,
        directed=None if form == "sp" else False,
        is_list=form != "sp",
        facts={"vertex_weights": _vertex_weights(source, start, n)} if has_vertex_weights else {},
    )


def _vertex_weights(source: Source, start: int, n: int) -> np.ndarray:
    """Return the integers of the lines "n VERTEX WEIGHT", shape (n, 1); vertices without a line have the weight 1."""
    numbers = parse(source, start, Layout(bare=False, letters="n", comments="cedvx"))
    numbers.check_width(2)
    vertices, weights = numbers.integers.reshape(-1, 2).T
    check_range(numbers, vertices, n, 1, lambda row: row)
    first = np.unique(vertices, return_index=True)[1]
    if first.size < vertices.size:
        row = int(np.setdiff1d(np.arange(vertices.size), first)[0])
        raise numbers.error(f"a second weight for vertex {vertices[row]}; take one of the lines out", row)
    result = np.ones((n, 1), np.int64)
    result[vertices - 1, 0] = weights
    return result


def _check_twofold(numbers: Numbers, edges: np.ndarray, m: int) -> None:
    """Refuse the first edge that is not listed twice, counting both directions."""
    low, high = edges.min(axis=1), edges.max(axis=1)
    order = np.lexsort((high, low))
    first = np.ones(order.size, bool)
    first[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
    counts = np.bincount(np.cumsum(first) - 1)
    odd = order[first][counts % 2 == 1]
    if odd.size:
        row = int(odd.min())
        u, v = edges[row].tolist()
        raise numbers.error(
            f"the header announces {m} edges, but {len(edges)} lines follow, and edge {u}-{v} is not listed "
            "twice; correct the header",
            row,
        )


def write_dimacs(stream: IO[bytes], graph: Any, suffix: str) -> None:
    """Write the form that suits the suffix and the graph."""
    u, v, w = entries(graph)
    check_text_weights(u, v, w)
    n = graph.num_vertices
    if suffix == ".col" or not (graph.directed or w is not None):
        if graph.directed:
            raise ValueError("a .col file holds undirected graphs; symmetrize this one first, or write a .gr file")
        if w is not None:
            raise ValueError(
                "a .col file cannot hold weights; pass as_graph(graph, weights=False), or write a .gr file"
            )
        u, v, _ = upper_half(u, v, None)
        stream.write(f"p {'edge' if suffix == '.col' else 'tw'} {n} {u.size}\n".encode())
        vertex_weights = graph.facts.get("vertex_weights")
        if suffix == ".col" and vertex_weights is not None:
            if np.shape(vertex_weights) != (n, 1):
                raise ValueError("a .col file holds one weight per vertex; write the format 'metis' for several")
            render(stream, Lines([np.arange(1, n + 1), np.asarray(vertex_weights)[:, 0]], prefix=b"n "))
        render(stream, Lines([u, v], add=1, prefix=b"e " if suffix == ".col" else b""))
    else:
        w = np.ones(u.size, np.int64) if w is None else w
        stream.write(f"p sp {n} {u.size}\n".encode())
        render(stream, Lines([u, v, w], add=1, prefix=b"a "))
