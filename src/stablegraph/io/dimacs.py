"""DIMACS files, in the three forms that share a header "p WORD n m" and comments "c ...".

=======================  ===========================  ======================================================
header                   lines                        graph
=======================  ===========================  ======================================================
``p sp n m``             ``a u v w``                  m weighted arcs (9th challenge, shortest paths)
``p edge n m``, ``col``  ``e u v``                    m undirected edges (2nd challenge, coloring); some files
                                                      list each edge twice, and count it once or twice
``p tw n m``             ``u v``                      m undirected edges (PACE); also td, tdp, vc, ds, cep
=======================  ===========================  ======================================================

Vertices are counted from 1. The writer chooses the form from the suffix and the graph: ``.col`` gives "e" lines;
otherwise an undirected graph without weights is written as PACE, and every other graph as arcs (with weight 1 if it has
no weights).
"""

from __future__ import annotations

from dataclasses import replace
from typing import IO, Any

import numpy as np

from .contents import Contents
from .edge_lists import check_text_weights, entries, upper_half
from .parse import Layout, edge_table, last_column, parse, row_position
from .render import Columns, render
from .source import Source

PACE_WORDS = (b"tw", b"td", b"tdp", b"vc", b"ds", b"cep")
_FORMS = {
    "sp": Layout(bare=False, letters="a", comments="c", decimals=True),
    "edge": Layout(bare=False, letters="e", comments="cndvx"),
    "tw": Layout(comments="c"),
}
_FORM_OF = {b"sp": "sp", b"edge": "edge", b"edges": "edge", b"col": "edge", **dict.fromkeys(PACE_WORDS, "tw")}


def read(source: Source, *, weights: bool) -> Contents:
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
    table = edge_table(source, start, layout, numbers, width, first=1, n=n)
    if numbers.rows != m:
        _check_twofold(source, start, layout, table, m)
    return Contents(
        n,
        table[:, 0] - 1,
        table[:, 1] - 1,
        weights=last_column(source, start, layout, numbers, width) if weights and form == "sp" else None,
        directed=None if form == "sp" else False,
        is_list=form != "sp",
    )


def _check_twofold(source: Source, start: int, layout: Layout, edges: np.ndarray, m: int) -> None:
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
        raise source.error(
            f"the header announces {m} edges, but {len(edges)} lines follow, and edge {u}-{v} is not listed "
            "twice; correct the header",
            position=row_position(source, start, layout, row),
        )


def write(stream: IO[bytes], graph: Any, suffix: str) -> None:
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
        render(stream, Columns([u, v], add=1, prefix=b"e " if suffix == ".col" else b""))
    else:
        w = np.ones(u.size, np.int64) if w is None else w
        stream.write(f"p sp {n} {u.size}\n".encode())
        render(stream, Columns([u, v, w], add=1, prefix=b"a "))
