"""Formats of others that are not read here, by their suffix or a mark in their first bytes, and who reads them."""

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
    """What to do with a file that no reader here knows, if NetworkX reads it."""
    head = bytes(source.data[:_PROBE]).lower()
    for name, reader, suffixes, mark in _FORMATS:
        if source.suffix in suffixes or (mark and mark in head):
            return f"the format is {name}; networkx.{reader} reads it, and as_graph takes what that returns"
    return None
