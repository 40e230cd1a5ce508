"""Graph formats that only NetworkX reads, recognized by their suffix or by a mark in their first bytes."""

from __future__ import annotations

from .source import Source

__all__ = ["reader_elsewhere"]

_FORMATS = (
    ("GraphML", "read_graphml", (".graphml",), b"<graphml"),
    ("GEXF", "read_gexf", (".gexf",), b"<gexf"),
    ("GML", "read_gml", (".gml",), b"graph ["),
    ("Pajek", "read_pajek", (".net", ".paj"), b"*vertices"),
    ("graph6", "read_graph6", (".g6",), b">>graph6<<"),
    ("sparse6", "read_sparse6", (".s6",), b">>sparse6<<"),
    ("of adjacency lists", "read_adjlist", (".adjlist",), None),
)
_PROBE = 1024


def reader_elsewhere(source: Source) -> str | None:
    """Return a hint for a file that only NetworkX can read; None for any other file."""
    head = bytes(source.data[:_PROBE]).lower()
    for name, reader, suffixes, mark in _FORMATS:
        if source.suffix in suffixes or (mark and mark in head):
            return f"the format is {name}; networkx.{reader} reads it, and as_graph takes what that returns"
    return None
