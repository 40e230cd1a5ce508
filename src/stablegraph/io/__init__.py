"""Graphs from files and to files: one file per format here, chosen by what the file holds.

`read_graph` and `write_graph` are the two doors. A reader turns a `Source` (the uncompressed bytes) into `Contents`,
and `assemble` makes the Graph; a writer puts a Graph into a binary stream. Numbers in text are read and printed by
compiled code (parse.py, render.py), at some hundreds of megabytes a second.
"""

from __future__ import annotations

import io
import os
from typing import Any

from ..conversion import check_symmetrize
from ..graph import Graph
from ..progress import reported
from . import dimacs, egr, feather, matrix_market, metis, npz, parquet, snap
from .contents import Contents, assemble
from .detect import BINARY, FORMATS, SUFFIXES, detect
from .errors import GraphFileError
from .source import Progress, Source, format_suffix, load, opened
from .target import WriteOnly, compressed, replacing

__all__ = ["FORMATS", "GraphFileError", "read_graph", "write_graph"]

_READERS = {
    "mtx": matrix_market.read,
    "snap": snap.read,
    "dimacs": dimacs.read,
    "metis": metis.read,
    "egr": egr.read,
    "parquet": parquet.read,
    "feather": feather.read,
}


def read_graph(
    path: Any,
    *,
    format: str | None = None,
    symmetrize: bool | str = False,
    directed: bool | None = None,
    weights: bool = True,
    mmap: bool = False,
    progress: Progress | bool | None = None,
) -> Graph:
    r"""Read a graph from a file.

    Parameters
    ----------
    path : str, os.PathLike, or binary file object
        "-" is standard input. Files compressed by gzip, bzip2 or xz are recognized by their first bytes.
    format : {"mtx", "snap", "dimacs", "metis", "egr", "npz", "parquet", "feather"}, optional
        Matrix Market, edge list, DIMACS (the shortest-path, the coloring and the PACE form), METIS, ECL's binary
        CSR, the native format, or a Parquet or Feather table of edges (which need
        ``pip install "stablegraph[io]"``). An edge list may be a .csv or .tsv table with a title line and ids that are
        texts (the same). Found from the contents unless stated; contents that bear the mark of another format than the
        stated one are refused.
    symmetrize : bool or {"min", "max", "sum"}
        Make a graph undirected that the file does not call undirected: edge u-v is there if (u, v) or (v, u) is. True
        demands that their weights agree, a name says how to combine them.
    directed : bool, optional
        True: a directed graph, whatever the file says. False: it must be undirected, with one weight an edge; in an
        edge list or table that does not say that it has arcs, either every edge stands in both directions or every one
        stands once (then ``facts["edges_once"]``). By default METIS, PACE, ``.col`` and symmetric Matrix Market files
        and edge lists headed "# Undirected graph" are undirected; ``.npz`` files and tables of `write_graph` say what
        they are; the others are undirected if each entry (u, v) has its partner (v, u), of the same weight (which
        skew-symmetric ones have only if read without weights).
    weights : bool
        False: read the file as if it had no weights.
    mmap : bool
        Map the arrays of an uncompressed ``.npz`` file instead of reading them: they are used where they lie, and the
        file must not change while the graph lives. The checksums of the file are then not verified.
    progress : callable or bool, optional
        Called as ``progress(done, total)`` with bytes of the file as it lies on the disk; `total` is None if unknown.
        True shows a bar, in a terminal or a notebook (with ``pip install "stablegraph[cli]"``).

    Returns
    -------
    Graph
        Ids that have gaps (edge lists and tables) or are texts (tables) are numbered in ascending order and kept as
        ``graph.nodes``. Weights of METIS vertices are in ``graph.facts["vertex_weights"]``.

    Raises
    ------
    GraphFileError
        A ValueError: the file is broken, cut short, ambiguous, or not undirected where that is asked for. The message
        says where and what to do. No partial graph is ever returned.
    OSError
        The file cannot be opened or read.
    ModuleNotFoundError
        It is a table with a title line, or in Parquet or Feather, and pyarrow is missing.

    Notes
    -----
    Needs memory for the uncompressed text, and 8 bytes for each number in it (16 where some are decimals) until the
    graph is built. More vertices than the free memory holds, at 24 bytes each, are refused before it is taken. A byte
    order mark of UTF-8 is passed over. The result depends on nothing but the file and the arguments.

    Examples
    --------
    >>> import io, stablegraph as sg
    >>> graph = sg.read_graph(io.BytesIO(b"# a path, and its ids have gaps\n10 20\n20 10\n20 40\n40 20\n"))
    >>> graph.num_vertices, graph.num_edges, graph.directed
    (3, 2, False)
    >>> [int(node) for node in graph.nodes]
    [10, 20, 40]
    """
    _check_format(format)
    check_symmetrize(symmetrize, directed)
    with reported(progress, _moves, "bytes done, bytes in all") as report, opened(path, report) as (name, raw):
        head = raw.peek(2)[:2]
        is_zip = format == "npz" or (format is None and head == npz.MAGIC)
        if is_zip and head == npz.MAGIC:
            contents = npz.read(name, _seekable(path, raw, mmap), weights=weights, mapped=mmap)
        else:
            if mmap:
                raise GraphFileError(f"{name}: only an uncompressed .npz file can be mapped; read it without mmap=True")
            contents = _read(load(name, raw), format, weights)
    return assemble(name, contents, symmetrize=symmetrize, directed=directed)


def _moves(done: int, total: int | None) -> dict[str, Any]:
    """How a bar shows what has been read."""
    return {"completed": done, "total": total, "text": f"{done / 1e6:,.1f} MB read"}


def _read(source: Source, format: str | None, weights: bool) -> Contents:
    if format not in BINARY and not egr.looks_like(source):  # whose first number may be that of a byte order mark
        source = source.without_byte_order_mark()
    found = detect(source, format)
    if found != "npz":
        return _READERS[found](source, weights=weights)
    if not source.data.startswith(npz.MAGIC):
        raise source.error("not an .npz file, or its beginning is damaged")
    return npz.read(source.name, io.BytesIO(source.data), weights=weights, mapped=False)


def _seekable(path: Any, raw: io.BufferedReader, mapped: bool) -> Any:
    """A zip archive is read from its end: the path itself, or all bytes of a stream."""
    if isinstance(path, (str, os.PathLike)) and os.path.isfile(path):
        return path
    if mapped:
        raise ValueError("only a file that is given by its path can be mapped")
    return io.BytesIO(raw.read())


def write_graph(path: Any, graph: Graph, *, format: str | None = None) -> None:
    """Write a graph to a file.

    The file appears under its name only when it is whole: until then the bytes go to a temporary file beside it, which
    is removed if anything goes wrong.

    Parameters
    ----------
    path : str, os.PathLike, or binary file object
        Ends in ``.gz``, ``.bz2`` or ``.xz``: the file is compressed. (A file object is written to as it is.)
    graph : Graph
        Graph to write. Nothing but ``npz`` keeps everything (direction, dtypes, node names;
        names that are neither integers nor texts become texts). Edge lists keep ascending
        integer names, tables ascending texts too; METIS files keep vertex weights that stand in
        ``graph.facts["vertex_weights"]``.
    format : {"mtx", "snap", "dimacs", "metis", "egr", "npz", "parquet", "feather"}, optional
        Taken from the suffix unless stated. For "dimacs" the suffix ``.col`` gives "e" lines; otherwise an undirected
        graph without weights is written in the PACE form, and any other one as arcs with weights.

    Raises
    ------
    TypeError
        `path` is no path, or `graph` is no Graph (the path comes first; `as_graph` makes a Graph of a matrix).
    ValueError
        The format cannot hold the graph: a directed graph or self-loops in METIS, weights in a ``.col`` file, more
        than 32 bits in ``.egr``, weights in a text that are not finite or do not fit 64 bits with a sign, isolated
        vertices beside ids with gaps in an edge list or table.
    OSError
        The file cannot be written; what stood under its name is still there.
    ModuleNotFoundError
        A Parquet or Feather table is asked for, and pyarrow is missing.

    Examples
    --------
    >>> import io, stablegraph as sg
    >>> file = io.BytesIO()
    >>> sg.write_graph(file, sg.from_edges([0, 1], [1, 2], symmetrize=True), format="metis")
    >>> print(file.getvalue().decode())
    3 2
    2
    1 3
    2
    <BLANKLINE>
    """
    if not isinstance(graph, Graph) or not (isinstance(path, (str, os.PathLike)) or hasattr(path, "write")):
        raise TypeError(
            "write_graph(path, graph) takes a path or a binary file, then a Graph (as_graph makes one of a matrix); "
            f"got {type(path).__name__}, then {type(graph).__name__}"
        )
    _check_format(format)
    if hasattr(path, "write"):
        if format is None:
            raise ValueError(f"format= is needed to write to a file object: one of {', '.join(map(repr, FORMATS))}")
        _write(WriteOnly(path), graph.to("cpu"), format, "")
        return
    name = os.fspath(path)
    suffix = format_suffix(name)
    chosen = format or SUFFIXES.get(suffix)
    if chosen is None:
        raise ValueError(
            f"{name}: the suffix {suffix!r} names no format; "
            f"pass format=, one of {', '.join(map(repr, FORMATS))}, or use one of {' '.join(SUFFIXES)}"
        )
    with replacing(path) as file, compressed(file, name) as stream:
        _write(stream, graph.to("cpu"), chosen, suffix)


def _write(stream: Any, graph: Graph, format: str, suffix: str) -> None:
    if format == "dimacs":
        dimacs.write(stream, graph, suffix)
    else:
        {
            "mtx": matrix_market.write,
            "snap": snap.write,
            "metis": metis.write,
            "egr": egr.write,
            "npz": npz.write,
            "parquet": parquet.write,
            "feather": feather.write,
        }[format](stream, graph)


def _check_format(format: str | None) -> None:
    if format is not None and format not in FORMATS:
        raise ValueError(f"format {format!r} is unknown; known are {', '.join(map(repr, FORMATS))}")
