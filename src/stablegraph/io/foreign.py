"""Formats that only other packages read: how a file is recognized, and the code that makes a graph of it.

The table is used after a file could not be read, so a mark may also occur in a file of a known format.
"""

from __future__ import annotations

import os
import re
import shlex
from typing import NamedTuple

from .source import Source

_PROBE = 1024  # bytes that are searched for a mark


class Foreign(NamedTuple):
    """A format: its name, the suffixes and the mark of its files, and an argument of `as_graph`, with {} for it."""

    name: str
    suffixes: tuple[str, ...]
    mark: str | None
    code: str
    needs: str = ""  # what else the code needs


FOREIGN = (
    Foreign("GraphML", (".graphml",), "<graphml", "networkx.read_graphml({})"),
    Foreign("GEXF", (".gexf",), "<gexf", "networkx.read_gexf({})"),
    Foreign("GML", (".gml",), r"\bgraph\s*\[", "networkx.read_gml({})"),
    Foreign("Pajek", (".net", ".paj"), r"^\*vertices", "networkx.read_pajek({})"),
    Foreign("graph6", (".g6",), r"\A>>graph6<<", "networkx.read_graph6({})"),
    Foreign("sparse6", (".s6",), r"\A>>sparse6<<", "networkx.read_sparse6({})"),
    Foreign("LEDA", (".lgr", ".gw"), r"^LEDA\.GRAPH", "networkx.read_leda({})"),
    Foreign(
        "DOT",
        (".dot", ".gv"),
        r"\A\s*(strict\s+)?(di)?graph\b[^\n]*\{",
        "networkx.nx_pydot.read_dot({})",
        ", after pip install pydot,",
    ),
    Foreign(
        "an edge list of NetworkX", (), r"^-?\d+[ \t]+-?\d+[ \t]+\{.*\}\r?$", "networkx.read_edgelist({}, nodetype=int)"
    ),
    Foreign("an edge list of NetworkX", (), r"^[^#\s]\S*[ \t]+\S+[ \t]+\{.*\}\r?$", "networkx.read_edgelist({})"),
    Foreign("NCOL", (".ncol",), None, "networkx.read_weighted_edgelist({})"),
    Foreign("LGL", (".lgl",), None, "igraph.Graph.Read_Lgl({}, directed=False)", ", after pip install igraph,"),
    Foreign("lists of neighbors", (".adjlist",), None, "networkx.read_adjlist({})"),
    Foreign("a NumPy array", (), r"\A\x93NUMPY", "numpy.load({})"),
    Foreign(
        "a MATLAB file",
        (),
        r"\AMATLAB 5\.0",
        "scipy.io.loadmat({0}, spmatrix=False)[name]",
        ", with a name that scipy.io.whosmat({0}) shows,",
    ),
)
_OTHERS = {
    r"\A\x28\xb5\x2f\xfd": "the file is compressed by Zstandard; decompress it first: zstd -d {0}, "
    "or in a pipe: zstd -dc {0}",
    r"\AMATLAB 7\.3": "this looks like a MATLAB file of version 7.3, which SciPy does not read; in MATLAB, save it by "
    "save(..., '-v7')",
    r"\A[\s\S]{257}ustar": "the file is a tar archive; unpack it first: tar -xf {0}",
}


def foreign_hint(source: Source) -> str | None:
    """Return how to read a file that another package reads; None for any other file."""
    head = bytes(source.data[:_PROBE]).decode("latin-1")
    for format in FOREIGN:
        if source.suffix in format.suffixes or (format.mark and _found(format.mark, head)):
            code = f"as_graph({format.code}){format.needs}".format(source.quoted_name)
            return f"this looks like {format.name}; in Python, {code} makes a graph of it, which write_graph saves"
    name = shlex.quote(source.name) if os.path.isfile(source.name) else "FILE"
    return next((text.format(name) for mark, text in _OTHERS.items() if _found(mark, head)), None)


def _found(mark: str, head: str) -> bool:
    return re.search(mark, head, re.IGNORECASE | re.MULTILINE) is not None
