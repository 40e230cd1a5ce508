"""Reading and writing graph files; detect.py lists the formats, and detects that of a file from the contents.

`read_graph` and `write_graph` are the entry points. A reader turns a `Source` (the uncompressed bytes) into `Contents`,
and `assemble` builds the Graph from them. A writer writes a Graph to a binary stream. Compiled code parses and prints
the numbers in text files (parse.py, render.py), at several hundred megabytes per second.
"""

from __future__ import annotations

import io
import os
from typing import Any

import numpy as np

from .._core.csr.merge import check_symmetrize
from .._core.option_names import Format, Merge
from .._core.progress import reported
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, choice, optional_boolean
from ..graph import Graph
from ..tables.columns import Columns, pyarrow_module
from . import parquet
from .contents import Contents, assemble
from .csr_files import NPZ_MAGIC, read_npz
from .detect import BINARY, FORMATS, NAMED_FORMATS, READERS, SUFFIXES, TEXT_TABLES, detect, may_be_egr
from .foreign import foreign_hint
from .source import Allowance, GraphFileError, Progress, Source, format_suffix, load, open_source
from .target import WriteOnly, compressed, replacing

__all__ = ["FORMATS", "GraphFileError", "read_graph", "write_graph"]


@suggests_options
def read_graph(
    path: Any,
    *,
    format: Format | None = None,
    symmetrize: bool | Merge = False,
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

    >>> import io, stablegraph as sg
    >>> sg.read_graph(io.BytesIO(b"0 1 2.5")).weights  # one edge and its weight
    array([2.5, 2.5])

    Parameters
    ----------
    path : str, os.PathLike, or binary file object
        File to read; "-" is standard input. Files compressed by gzip, bzip2 or xz are recognized by their first bytes.
        If the path is a folder that contains only Parquet files, all of them are read as one table, in the order of
        their names.
    format : {"mtx", "snap", "dimacs", "metis", "egr", "npz", "parquet", "feather", "csv", "tsv"}, optional
        Matrix Market, edge list, DIMACS (the shortest-path, the coloring and the PACE form), METIS, ECL's binary
        CSR, the native format, or a Parquet or Feather table of edges (these two need
        ``pip install "stablegraph[io]"``). "snap" includes tables of text with a title line, which need pyarrow, too,
        and may have texts as ids; "csv" means the same, and "tsv" a list or table with tabs between the fields. Ids of
        a table are read as integers only if all of them are canonical (no ``01``, no ``+1``). By default the format is
        detected from the contents, which may also be a Harwell-Boeing or Rutherford-Boeing matrix. A file that bears
        the mark of a format other than the stated one is refused. A list whose first line may be a line of sizes is
        read as an edge list only if "snap", "csv" or "tsv" is stated.
    symmetrize : bool or {"min", "max", "sum"}
        Make a directed graph or an unsymmetric matrix undirected: edge u-v exists if (u, v) or (v, u) does. True
        requires that the weights of (u, v) and (v, u) agree; a name states how to combine them. Edge lists and tables
        contain edges also without this option; for these, a name combines the weights of an edge that is listed several
        times.
    directed : bool, optional
        How to read the rows of an edge list or table that does not state its direction: as arcs if True, and otherwise
        as edges, each listed in one direction or in both. A statement in the file has precedence: METIS, PACE, ``.col``
        and symmetric Matrix Market files and edge lists with the header "# Undirected graph" are undirected, edge lists
        with the header "# Directed graph" are directed, and ``.npz`` files and tables from `write_graph` state their
        direction. All other formats list the entries of a matrix. Such a graph is undirected if each entry (u, v) has
        its partner (v, u) of the same weight. (Skew-symmetric matrices satisfy this only if read without weights.) True
        makes two arcs of each edge of an undirected graph. False refuses a directed graph, unless each arc has an
        opposite arc of the same weight.
    source, target : str, optional
        The columns of the two ends in a table (Parquet, Feather, or text with a title line). The default is the only
        pair of columns called source and target, u and v, from and to, or src and dst (case-insensitive). If there is
        no such pair, the table must have exactly two columns in addition to the weights.
    weight : str, optional
        The column of weights in a table. The default is the column called weight or w. If there is none, no other
        column may hold numbers, unless you name the ends or `weights` is False.
    weights : bool, optional
        False: ignore the weights in the file, which may then be any words (complex numbers, NaN, texts). True: refuse
        other columns of numbers even if you name the ends.
    mmap : bool
        Map the arrays of an uncompressed ``.npz`` file into memory instead of reading them. The file must not change
        while the graph exists, and its checksums are not verified.
    trusted : bool
        Read the file even if it needs far more memory than its size. By default a file is refused if it unpacks to
        more than 256 MiB and more than 200 times its size, or if the vertices that it announces would take that much
        (at 24 bytes each).
    progress : callable or bool, optional
        Called as ``progress(done, total)`` with numbers of (still compressed) bytes of the file; `total` is None if
        unknown. True shows a bar in a terminal or a notebook (needs ``pip install "stablegraph[cli]"``).

    Returns
    -------
    Graph
        Ids that have gaps (edge lists and tables) or are texts (tables) are numbered in ascending order and kept as
        ``graph.nodes``. Vertex weights of a METIS or DIMACS file are in ``graph.facts["vertex_weights"]``,
        int64 (n, k); pass this array as `weights` or `sizes` if k is 1, or one of its columns.

    Raises
    ------
    GraphFileError
        A ValueError. The file is damaged, truncated or ambiguous (such as a table with several columns that could be
        the ends or the weights; the message lists them), or its graph cannot be made undirected as requested. The
        message states the position of the error and a remedy. A partial graph is never returned.
    OSError
        The file cannot be opened or read, or is a folder that contains anything but Parquet files.
    TypeError
        `path` is neither a path nor a binary file, or `weights`, `mmap`, `trusted` or `directed` is not a bool.
    ModuleNotFoundError
        The file is a Parquet or Feather file or a table with a title line, and pyarrow is not installed.

    Notes
    -----
    Work memory: the uncompressed text, and 8 bytes for each number in it (16 if some are decimals) until the graph is
    built. A file that announces more vertices than fit into the free memory, at 24 bytes each, is refused before memory
    is allocated. A UTF-8 byte order mark is skipped. The result depends only on the file and the arguments.

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
    """Return the name of a file or stream, its contents, and its memory allowance."""
    with open_source(path, report) as (name, raw):
        head = raw.peek(2)[:2]
        allowance = Allowance(name, trusted)
        if head == NPZ_MAGIC and format in (None, "npz"):
            _refuse_columns(name, "npz", columns)
            file = _seekable(path, raw, mmap)
            allowance.size = os.path.getsize(file) if isinstance(file, (str, os.PathLike)) else len(file.getbuffer())
            contents = read_npz(name, file, weights=columns.may_have_weights, mapped=mmap, allowance=allowance)
            return name, contents, allowance
        if mmap:
            raise GraphFileError(f"{name}: only an uncompressed .npz file can be mapped; read it without mmap=True")
        return name, _read(load(name, raw, allowance), format, columns), allowance


def _moves(done: int, total: int | None) -> dict[str, Any]:
    """Return the fields of a progress bar for the number of bytes read."""
    return {"completed": done, "total": total, "text": f"{done / 1e6:,.1f} MB read"}


def _refuse_columns(name: str, format: str, columns: Columns) -> None:
    """Refuse named columns for a format that has no columns."""
    if columns.are_named:
        raise GraphFileError(
            f"{name}: source=, target= and weight= name the columns of a table, but the format is {format!r}; leave "
            "them out"
        )


def _read(source: Source, format: str | None, columns: Columns) -> Contents:
    """Read the contents of a file, or raise an error that names the package that reads its format."""
    try:
        return _read_known(source, format, columns)
    except GraphFileError:
        if hint := foreign_hint(source):
            raise source.error(hint) from None
        raise


def _read_known(source: Source, format: str | None, columns: Columns) -> Contents:
    if format not in BINARY and not may_be_egr(source):  # an .egr file's first number may look like a mark
        source = source.without_byte_order_mark()
    detected = detect(source, format, columns)
    if detected in NAMED_FORMATS and NAMED_FORMATS[detected].has_columns:
        return READERS[detected](source, columns)
    _refuse_columns(source.name, detected, columns)
    return READERS[detected](source, weights=columns.may_have_weights)


def _seekable(path: Any, raw: io.BufferedReader, mapped: bool) -> Any:
    """Return the path itself, or a stream's bytes in memory, because a zip archive is read from its end."""
    if isinstance(path, (str, os.PathLike)) and os.path.isfile(path):
        return path
    if mapped:
        raise ValueError("only a file that is given by its path can be mapped")
    return io.BytesIO(raw.read())


@suggests_options
def write_graph(path: Any, graph: Graph, *, format: Format | None = None) -> None:
    """Write a graph to a file.

    >>> import io, stablegraph as sg
    >>> sg.write_graph(file := io.BytesIO(), sg.gallery.grid((3,)), format="snap")
    >>> sg.read_graph(io.BytesIO(file.getvalue())).num_edges
    2

    The file appears under its name only when it is complete. Until then the bytes go to a temporary file in the same
    folder, which is removed if an error occurs.

    Parameters
    ----------
    path : str, os.PathLike, or binary file object
        File to write. A path that ends in ``.gz``, ``.bz2`` or ``.xz`` compresses the file. (A file object receives
        uncompressed bytes.)
    graph : Graph
        Graph to write. Only ``npz`` keeps everything (direction, dtypes, node names; names that are neither integers
        nor texts become texts). Edge lists keep ascending integer names. Tables (.csv, .tsv, .parquet, .feather) have
        the columns source, target and, with weights, weight, and keep all names; when a table is read, its vertices
        are numbered in ascending order of name. Text tables do not store the direction: read a directed graph with
        ``directed=True``. METIS and ``.col`` files keep the vertex weights in ``graph.facts["vertex_weights"]``.
    format : {"mtx", "snap", "dimacs", "metis", "egr", "npz", "parquet", "feather", "csv", "tsv"}, optional
        By default the suffix decides; a file object needs a format. "csv" and "tsv" give a table with a title line,
        "snap" an edge list without one. For "dimacs" the suffix ``.col`` gives "e" lines; otherwise an undirected graph
        without weights is written in the PACE form, and any other graph as arcs with weights.

    Raises
    ------
    TypeError
        `path` is not a path, or `graph` is not a Graph (`path` comes first; `as_graph` makes a Graph of a matrix).
    ValueError
        The format cannot hold the graph: a directed graph or self-loops in METIS; weights in a ``.col`` file; more than
        32 bits in ``.egr``; a directed graph in a ``.col`` file; weights that are NaN or complex, except in ``npz``;
        fractions in METIS and ``.egr``; in a text file integers that do not fit 64 bits with a sign; isolated vertices
        in an edge list whose ids have gaps, in a table with names, or in a text table; or names that would change when
        they are read, such as texts that are all integers in a text table.
    OSError
        The file cannot be written; an existing file of this name is unchanged.
    ModuleNotFoundError
        The format is Parquet or Feather, and pyarrow is not installed.

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
    is_target = isinstance(path, (str, os.PathLike)) or hasattr(path, "write")
    if not isinstance(graph, Graph) or not is_target:  # type: ignore[redundant-expr]
        raise TypeError(
            "write_graph(path, graph) takes a path or a binary file, then a Graph (as_graph makes one of a matrix); "
            f"got {type(path).__name__}, then {type(graph).__name__}"
        )
    if hasattr(path, "write"):
        _check_format(format)
        if format is None:
            known = ", ".join(map(repr, NAMED_FORMATS))
            raise ValueError(f"format= is needed to write to a file object: one of {known}")
        _refuse_mapped_file(path, graph)
        _write(WriteOnly(path), graph.to("cpu"), format, "")
        return
    name = os.fspath(path)
    suffix, chosen = format_suffix(name), format_to_write(name, format)
    with replacing(path) as file, compressed(file, name) as stream:
        _write(stream, graph.to("cpu"), chosen, suffix)


def format_to_write(name: str, format: Format | None) -> str:
    """Return the stated format, or that of the suffix; raise an error for no format, or if pyarrow is missing."""
    _check_format(format)
    suffix = format_suffix(name)
    chosen = format or (suffix[1:] if suffix[1:] in TEXT_TABLES else SUFFIXES.get(suffix))
    if chosen is None:
        raise ValueError(
            f"{name}: the suffix {suffix!r} names no format; "
            f"pass format=, one of {', '.join(map(repr, NAMED_FORMATS))}, or use one of {' '.join(SUFFIXES)}"
        )
    if chosen in ("parquet", "feather"):
        pyarrow_module()
    return chosen


def _refuse_mapped_file(stream: Any, graph: Graph) -> None:
    """Refuse an open file whose contents are the arrays of the graph; a path is safe, because it becomes a new file."""
    try:
        target = os.fstat(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return  # it is in memory
    for array in (graph.indptr, graph.indices, graph.weights):
        mapped = array
        while isinstance(mapped, np.ndarray) and not isinstance(mapped, np.memmap):
            mapped = mapped.base
        if isinstance(mapped, np.memmap) and mapped.filename and os.path.samestat(os.stat(mapped.filename), target):
            raise ValueError(f"the graph is mapped from this file, {mapped.filename}; pass the path instead")


def _write(stream: Any, graph: Graph, format: str, suffix: str) -> None:
    write = NAMED_FORMATS[format].write
    if format == "dimacs":
        write(stream, graph, suffix)
    else:
        write(stream, graph)


def _check_format(format: str | None) -> None:
    if format is not None:
        known = SUFFIXES.get(f".{format}")
        choice(format, "format", NAMED_FORMATS, where="" if known in (None, format) else f" ({format} is {known!r})")
