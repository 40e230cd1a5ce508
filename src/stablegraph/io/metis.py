"""METIS graphs: line i lists the neighbors of vertex i, counted from 1; "%" starts comments; always undirected.

The header is ``n m [fmt [ncon]]``. The three digits of fmt state whether there are vertex sizes, vertex weights (ncon
of them, 1 by default) and edge weights; each line is then ``[size] [weights ...] neighbor [weight] neighbor ...``. An
empty line is a vertex without neighbors. Edge weights become the graph's `weights`. Vertex weights are kept as
``graph.facts["vertex_weights"]``, int64 (n, ncon), and vertex sizes as ``graph.facts["vertex_sizes"]``; the writer
writes both.
"""

from __future__ import annotations

from dataclasses import replace
from typing import IO, Any

import numpy as np
import scipy

from .._core.vertex_names import shown_vertex
from .contents import Contents, check_text_weights, entries, has_symmetric_weights
from .parse import Layout, Numbers, check_range, parse
from .render import Tokens, render
from .source import Source

LAYOUT = Layout(comments="%", empty_lines_count=True)


def _header(source: Source) -> tuple[list[int], int, int] | None:
    """Return the numbers of the header line, its position, and the start of the next line; None without a header."""
    position = source.skip_comments(0, b"%")
    line, following = source.line(position)
    words = line.split()
    if not 2 <= len(words) <= 4 or not all(word.isdigit() for word in words):
        return None
    # fmt is read as decimal digits: "011" is 11.
    return [source.count(word, position) for word in words], position, min(following, len(source.data))


def has_fitting_header(source: Source, last_line: bool = True) -> bool:
    """Return whether the first line is a header whose number of vertices fits the number of lines.

    `last_line` says that the last line is not missing, which may be empty and have no end.
    """
    try:
        header = _header(source)
    except ValueError:
        return False
    if header is None:
        return False
    (n, *_), _, start = header
    lines = source.data.count(b"\n", start) + (not source.data.endswith(b"\n"))
    if lines + (not last_line) < n:
        return False
    # Each line is a vertex, except for comments and for empty lines at the end.
    end = max(map(source.data.rfind, b"0123456789"))
    return source.data.find(b"%", start) >= 0 or source.data.count(b"\n", start, end) < max(n, 1)


def is_readable(source: Source, weights: bool) -> bool:
    """Return whether the whole file is a METIS graph, with or without its weights."""
    try:
        read(source, weights=weights)
    except ValueError:
        return False
    return True


def read(source: Source, *, weights: bool) -> Contents:
    """Read a METIS graph."""
    header = _header(source)
    if header is None:
        raise source.error(
            "the first line must be 'n m [fmt [ncon]]', the numbers of vertices and edges",
            position=source.skip_comments(0, b"%"),
        )
    (n, m, *options), position, start = header
    fmt = options[0] if options else 0
    if fmt not in (0, 1, 10, 11, 100, 101, 110, 111):
        raise source.error(f"fmt {fmt} is unknown, its digits must be 0 or 1", position=position)
    has_sizes, has_vertex_weights, has_edge_weights = fmt // 100, fmt // 10 % 10, fmt % 10
    constraints = (options[1] if len(options) > 1 else 1) if has_vertex_weights and n else 0
    leading, step = has_sizes + constraints, 1 + has_edge_weights
    layout = LAYOUT if weights or not has_edge_weights else replace(LAYOUT, unread=leading + 1, step=2)
    numbers = _vertex_lines(parse(source, start, layout), n, 0 if leading else 2 * m * step)
    starts = numbers.row_ends[:-1]
    lengths = np.diff(numbers.row_ends) - leading
    uneven = np.flatnonzero((lengths < 0) | (lengths % step != 0))
    if uneven.size:
        row = int(uneven[0])
        needed = f"{leading} number{'s' if leading != 1 else ''} for the vertex"
        wanted = needed if lengths[row] < 0 else "pairs of neighbor and weight"
        raise numbers.error(f"vertex {row + 1} lacks a number: fmt {fmt:03d} wants {wanted}", row)

    if leading:
        is_neighbor = np.ones(numbers.integers.size, bool)
        for i in range(leading):
            is_neighbor[starts + i] = False
        flat = numbers.integers[is_neighbor]
    else:
        flat = numbers.integers
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(lengths // step, out=indptr[1:])
    indices = flat[::step]
    check_range(numbers, indices, n, 1, lambda k: int(np.searchsorted(indptr, k, side="right")) - 1)
    indices = indices - 1
    _refuse_loops(numbers, indptr, indices)
    edge_weights = flat[1::2].copy() if has_edge_weights and weights else None
    if indices.size != 2 * m:
        raise source.error(
            f"the header announces {m} edges, but the lines hold {indices.size} neighbors where {2 * m} belong",
            position=position,
        )

    def explain() -> ValueError | None:
        return _one_sided(numbers, indptr, indices, edge_weights)

    if edge_weights is not None and (error := explain()):
        raise error
    facts = {}
    if has_sizes:
        facts["vertex_sizes"] = numbers.integers[starts]
    if constraints:
        places = starts[:, None] + has_sizes + np.arange(constraints)
        facts["vertex_weights"] = numbers.integers[places]
    return Contents(
        n,
        np.repeat(np.arange(n), np.diff(indptr)),
        indices,
        weights=edge_weights,
        directed=False,
        facts=facts,
        explain=explain,
    )


def _vertex_lines(numbers: Numbers, n: int, size: int) -> Numbers:
    """Return the numbers of the first n lines; only empty lines may follow.

    The last line may be empty and have no end, so that it seems to be missing: the lines before it have `size` numbers.
    """
    if numbers.rows == n - 1 and numbers.integers.size == size:
        return replace(numbers, row_ends=np.append(numbers.row_ends, size))
    if numbers.rows < n:
        raise numbers.source.miscount(f"{n} vertices", f"only {numbers.rows} lines", "the file is cut short")
    if numbers.row_ends[n] != numbers.integers.size:
        row = int(np.searchsorted(numbers.row_ends, numbers.row_ends[n], side="right")) - 1
        raise numbers.error(f"the header announces {n} vertices, but more lines follow", row)
    return replace(numbers, row_ends=numbers.row_ends[: n + 1])


def _refuse_loops(numbers: Numbers, indptr: np.ndarray, indices: np.ndarray) -> None:
    """Refuse self-loops, which METIS does not allow: the format does not define how the header counts them."""
    loops = np.flatnonzero(indices == np.repeat(np.arange(indptr.size - 1), np.diff(indptr)))
    if loops.size:
        u = int(indices[loops[0]])
        raise numbers.error(
            f"vertex {u + 1} lists itself, but METIS graphs have no loops; take it out, and out of the count of edges",
            u,
        )


def _one_sided(
    numbers: Numbers, indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray | None
) -> ValueError | None:
    """Return an error about the first edge that its other end lists not at all or with another weight, or None."""
    n = indptr.size - 1
    values = np.ones(indices.size, np.int64) if weights is None else weights
    columns = scipy.sparse.csr_array((values, indices, indptr), shape=(n, n)).T.tocsr()
    rows = columns.T.tocsr()  # the entries of the file, with each row sorted
    if not (np.array_equal(rows.indptr, columns.indptr) and np.array_equal(rows.indices, columns.indices)):
        keys, partners = (np.repeat(np.arange(n), np.diff(a.indptr)) * n + a.indices for a in (rows, columns))
        lonely = np.setdiff1d(keys, partners)
        if lonely.size:
            u, v = (int(i) for i in divmod(lonely[0], n))
            return numbers.error(f"vertex {u + 1} lists {v + 1}, but vertex {v + 1} does not list {u + 1}", u)
        if weights is None:
            return None  # the number of times that an edge is listed does not matter
        listed, counts = np.unique(keys, return_counts=True)
        others = np.unique(partners, return_counts=True)[1]
        k = int((counts != others).argmax())
        u, v = (int(i) for i in divmod(listed[k], n))
        return numbers.error(
            f"the edge between {u + 1} and {v + 1} is listed {counts[k]}x at {u + 1}, but {others[k]}x at {v + 1}: "
            "a weight is missing",
            u,
        )
    differing = np.flatnonzero(rows.data != columns.data)
    if differing.size:
        k = int(differing[0])
        u, v = int(np.searchsorted(rows.indptr, k, side="right")) - 1, int(rows.indices[k])
        return numbers.error(
            f"the edge between {u + 1} and {v + 1} has weight {int(rows.data[k])} at {u + 1}, "
            f"but {int(columns.data[k])} at {v + 1}",
            u,
        )
    return None


def write(stream: IO[bytes], graph: Any) -> None:
    """Write a METIS graph, with the weights and sizes of the vertices if the graph's facts contain them."""
    if graph.directed:
        raise ValueError("a METIS file holds undirected graphs; symmetrize this one first")
    u, v, w = entries(graph)
    check_text_weights(u, v, w)
    loops = np.flatnonzero(u == v)
    if loops.size:
        raise ValueError(
            f"a METIS file cannot hold self-loops, but vertex {shown_vertex(u[loops[0]], graph.nodes)} has one; "
            "write graph.simple() (--simple), which has no loops and no weights"
        )
    n = graph.num_vertices
    order = np.lexsort((v, u)) if not graph.facts.get("sorted", False) else slice(None)
    twice = np.flatnonzero((np.diff(u[order]) == 0) & (np.diff(v[order]) == 0))
    if twice.size:
        k = int(twice[0])
        raise ValueError(
            f"a METIS file cannot hold parallel edges, but entry ({int(u[order][k])}, {int(v[order][k])}) "
            "is listed twice; write graph.simple() (--simple)"
        )
    if w is not None:
        if w.dtype.kind not in "iub":
            raise ValueError("the edge weights of a METIS file are integers; round these first, or write a .mtx file")
        if not has_symmetric_weights(graph):
            raise ValueError("an edge of a METIS file has one weight, but some here differ by direction")
    sizes, vertex_weights = graph.facts.get("vertex_sizes"), graph.facts.get("vertex_weights")
    leading = [] if sizes is None else [np.asarray(sizes).reshape(n, 1)]
    constraints = 0
    if vertex_weights is not None:
        leading.append(np.asarray(vertex_weights).reshape(n, -1))
        constraints = leading[-1].shape[1]
    fmt = 100 * (sizes is not None) + 10 * (constraints > 0) + (w is not None)
    header = f"{n} {u.size // 2}"
    if fmt:
        header += f" {fmt:03d}" + (f" {constraints}" if constraints > 1 else "")
    stream.write(header.encode() + b"\n")
    render(stream, _tokens(graph.indptr, v, w, np.hstack(leading) if leading else np.empty((n, 0), np.int64)))


def _tokens(indptr: np.ndarray, v: np.ndarray, w: np.ndarray | None, leading: np.ndarray) -> Tokens:
    """Return the lines as one sequence of tokens; a vertex without numbers has one token that prints only a newline."""
    n, before = leading.shape
    step = 1 if w is None else 2
    lengths = before + step * np.diff(indptr).astype(np.int64)
    places = np.zeros(n + 1, np.int64)
    np.cumsum(np.maximum(lengths, 1), out=places[1:])
    values = np.zeros(places[-1], np.int64)
    shown = np.ones(places[-1], bool)
    shown[places[:-1][lengths == 0]] = False
    after = np.full(places[-1], ord(" "), np.uint8)
    after[places[1:] - 1] = ord("\n")
    for i in range(before):
        values[places[:-1] + i] = leading[:, i]
    rows = np.repeat(np.arange(n), np.diff(indptr))
    positions = places[rows] + before + step * (np.arange(v.size) - indptr[rows])
    values[positions] = v + 1
    if w is not None:
        values[positions + 1] = w
    return Tokens(values, shown, after)
