"""Graphs from files and to files: one file per format here, chosen by what the file holds.

`read_graph` and `write_graph` are the two doors. A reader turns a `Source` (the uncompressed bytes) into `Contents`,
and `assemble` makes the Graph; a writer puts a Graph into a binary stream. Numbers in text are read and printed by
compiled code (parse.py, render.py), at some hundreds of megabytes a second.
"""

from __future__ import annotations

import io
import os
from typing import Any

from .._arguments import boolean, optional_boolean
from ..conversion import check_symmetrize
from ..graph import Graph
from ..progress import reported
from ..tables.columns import Columns
from ..unknown_options import suggests_options
from . import dimacs, egr, feather, matrix_market, metis, npz, parquet, snap, titled_table
from .contents import Contents, assemble
from .detect import BINARY, FORMATS, SUFFIXES, detect
from .errors import GraphFileError
from .proportion import Allowance
from .source import Progress, Source, format_suffix, load, opened
from .target import WriteOnly, compressed, replacing

__all__ = ["FORMATS", "GraphFileError", "read_graph", "write_graph"]

_READERS = {"mtx": matrix_market.read, "dimacs": dimacs.read, "metis": metis.read, "egr": egr.read}
_READERS_OF_TABLES = {"snap": snap.read, "parquet": parquet.read, "feather": feather.read}


@suggests_options
def read_graph(
    path: Any,
    *,
    format: str | None = None,
    symmetrize: bool | str = False,
    directed: bool | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    weights: bool | None = None,
    mmap: bool = False,
    trusted: bool = False,
    progress: Progress | bool | None = None,
) -> Graph:
    r"""Read a graph from a file.

    Parameters
    ----------
    path : str, os.PathLike, or binary file object
        "-" is standard input. Files compressed by gzip, bzip2 or xz are recognized by their first bytes. The path of a
        folder with nothing but Parquet files in it reads all of them as one table, in the order of their names.
    format : {"mtx", "snap", "dimacs", "metis", "egr", "npz", "parquet", "feather"}, optional
        Matrix Market, edge list, DIMACS (the shortest-path, the coloring and the PACE form), METIS, ECL's binary
        CSR, the native format, or a Parquet or Feather table of edges (which need
        ``pip install "stablegraph[io]"``). An edge list may be a .csv or .tsv table with a title line and ids that are
        texts (the same); they are integers only if all are canonical ones (no ``01``, no ``+1``). Found from the
        contents by default; contents that bear the mark of another format than the stated one are refused, and a
        list that may begin with a line of sizes is one only if "snap" is stated.
    symmetrize : bool or {"min", "max", "sum"}
        Make a graph undirected that the file calls directed, or an unsymmetric matrix: edge u-v is there if (u, v) or
        (v, u) is. True demands that their weights agree, a name says how to combine them. Edge lists and tables have
        edges without it; for these a name combines the weights of an edge that is listed several times.
    directed : bool, optional
        What the lines of an edge list or the rows of a table are that does not state it: arcs if True, and otherwise
        edges, each in one direction or in both. What a file states has precedence: METIS, PACE, ``.col`` and symmetric
        Matrix Market files and edge lists headed "# Undirected graph" are undirected, edge lists headed "# Directed
        graph" directed; ``.npz`` files and tables of `write_graph` state either. Other formats list the entries of
        a matrix, which is undirected if each entry (u, v) has its partner (v, u), of the same weight (which
        skew-symmetric ones have only if read without weights). True makes two arcs of each edge of an undirected graph;
        False refuses a directed one, unless each arc has its opposite, of the same weight.
    source, target : str, optional
        The columns of the two ends in a table (Parquet, Feather, or text with a title line). By default those called
        source and target, u and v, from and to, or src and dst (in any case of letters), if there is one such pair;
        else the only two columns, that of the weights not counted.
    weight : str, optional
        The column of weights in a table. By default the column called weight or w; if there is none, no other column
        may hold numbers, unless you name the ends or `weights` is False.
    weights : bool, optional
        False: read the file as if it had no weights. True: refuse other columns of numbers also if you name the ends.
    mmap : bool
        Map the arrays of an uncompressed ``.npz`` file instead of reading them: they are used where they lie, and the
        file must not change while the graph lives. The checksums of the file are then not verified.
    trusted : bool
        Read a file that takes much more memory than it has bytes: by default one that unpacks to more than 256 MiB and
        200 times its size is refused, and one that announces as many vertices (at 24 bytes each) without edges.
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
        A ValueError: the file is broken, cut short, ambiguous (such as a table with several columns that could be the
        ends or the weights, all of which are listed), or not undirected where that is asked for. The message says where
        and what to do. No partial graph is ever returned.
    OSError
        The file cannot be opened or read, or is a folder with anything but Parquet files in it.
    TypeError
        `path` is neither a path nor a binary file; `weights`, `mmap`, `trusted` or `directed` is no bool.
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
    >>> graph = sg.read_graph(io.BytesIO(b"# a path, and its ids have gaps\n10 20\n20 40\n"))
    >>> graph.num_vertices, graph.num_edges, graph.directed
    (3, 2, False)
    >>> [int(node) for node in graph.nodes]
    [10, 20, 40]
    """
    _check_format(format)
    weights, mmap, trusted = optional_boolean(weights, "weights"), boolean(mmap, "mmap"), boolean(trusted, "trusted")
    directed = optional_boolean(directed, "directed")
    check_symmetrize(symmetrize, directed)
    columns = Columns(source, target, weight, weights)
    with reported(progress, _moves, "bytes done, bytes in all") as report:
        if isinstance(path, (str, os.PathLike)) and os.path.isdir(path):
            name = os.fspath(path)
            allowance = Allowance(name, trusted)
            if mmap or format not in (None, "parquet"):
                raise GraphFileError(f"{name}: a folder is read as a Parquet table; leave out mmap=True and format=")
            contents = parquet.read_folder(name, columns, allowance, report)
        else:
            name, contents, allowance = _read_file(path, format, columns, mmap, trusted, report)
    return assemble(name, contents, allowance, symmetrize=symmetrize, directed=directed)


def _read_file(
    path: Any, format: str | None, columns: Columns, mmap: bool, trusted: bool, report: Progress | None
) -> tuple[str, Contents, Allowance]:
    """Return the name of a file or stream, its contents, and the memory that it may take."""
    with opened(path, report) as (name, raw):
        head = raw.peek(2)[:2]
        allowance = Allowance(name, trusted)
        if head == npz.MAGIC and format in (None, "npz"):
            _refuse_columns(name, "npz", columns)
            file = _seekable(path, raw, mmap)
            allowance.size = os.path.getsize(file) if isinstance(file, (str, os.PathLike)) else len(file.getbuffer())
            return (
                name,
                npz.read(name, file, weights=columns.may_have_weights, mapped=mmap, allowance=allowance),
                allowance,
            )
        if mmap:
            raise GraphFileError(f"{name}: only an uncompressed .npz file can be mapped; read it without mmap=True")
        return name, _read(load(name, raw, allowance), format, columns), allowance


def _moves(done: int, total: int | None) -> dict[str, Any]:
    """How a bar shows what has been read."""
    return {"completed": done, "total": total, "text": f"{done / 1e6:,.1f} MB read"}


def _refuse_columns(name: str, format: str, columns: Columns) -> None:
    """Refuse columns that are named for a format without any."""
    if columns.are_named:
        raise GraphFileError(
            f"{name}: source=, target= and weight= name the columns of a table, but the format is {format!r}; leave "
            "them out"
        )


def _read(source: Source, format: str | None, columns: Columns) -> Contents:
    if format not in BINARY and not egr.looks_like(source):  # whose first number may be that of a byte order mark
        source = source.without_byte_order_mark()
    found = detect(source, format)
    if found in _READERS_OF_TABLES:
        return _READERS_OF_TABLES[found](source, columns)
    _refuse_columns(source.name, found, columns)
    if found != "npz":
        return _READERS[found](source, weights=columns.may_have_weights)
    if not source.data.startswith(npz.MAGIC):
        raise source.error("not an .npz file, or its beginning is damaged")
    file = io.BytesIO(source.data)
    return npz.read(source.name, file, weights=columns.may_have_weights, mapped=False, allowance=source.allowance)


def _seekable(path: Any, raw: io.BufferedReader, mapped: bool) -> Any:
    """A zip archive is read from its end: the path itself, or all bytes of a stream."""
    if isinstance(path, (str, os.PathLike)) and os.path.isfile(path):
        return path
    if mapped:
        raise ValueError("only a file that is given by its path can be mapped")
    return io.BytesIO(raw.read())


@suggests_options
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
        integer names. Tables (.csv, .tsv, .parquet, .feather) have the columns source, target and, with
        weights, weight, and keep all names; vertices are numbered in ascending order of name when they are read.
        Text tables do not hold the direction: read a directed graph with ``directed=True``. METIS files keep the vertex
        weights in ``graph.facts["vertex_weights"]``.
    format : {"mtx", "snap", "dimacs", "metis", "egr", "npz", "parquet", "feather"}, optional
        By default the suffix decides; ``.csv`` and ``.tsv`` give a table with a title line, and "snap" an edge
        list of vertex numbers. For "dimacs" the suffix ``.col`` gives "e" lines; otherwise an undirected
        graph without weights is written in the PACE form, and any other one as arcs with weights.

    Raises
    ------
    TypeError
        `path` is no path, or `graph` is no Graph (the path comes first; `as_graph` makes a Graph of a matrix).
    ValueError
        The format cannot hold the graph: a directed graph or self-loops in METIS, weights in a ``.col`` file, more
        than 32 bits in ``.egr``, weights in a text that are not finite or do not fit 64 bits with a sign, isolated
        vertices in an edge list of ids with gaps, in a table with names, or in a text table; names that would come back
        as other ones, such as only texts of integers in a text table.
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
        if format is None and suffix in titled_table.SUFFIXES:
            titled_table.write(stream, graph.to("cpu"), titled_table.SUFFIXES[suffix])
        else:
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
