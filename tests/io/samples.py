"""Conversion of graphs to and from bytes, for the tests of files."""

from __future__ import annotations

import csv
import importlib.util
import io
import os
from pathlib import Path

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.io import FORMATS

DATA = os.environ.get("STABLEGRAPH_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="the real graphs are not here: set STABLEGRAPH_DATA to their folder")
MANIFEST = list(csv.DictReader((Path(DATA) / "MANIFEST.tsv").read_text().splitlines(), delimiter="\t")) if DATA else []


needs_pyarrow = pytest.mark.skipif(
    importlib.util.find_spec("pyarrow") is None, reason="Parquet tables need pyarrow; install the extra 'io'"
)
ALL_FORMATS = [pytest.param(name, marks=needs_pyarrow) if name in ("parquet", "feather") else name for name in FORMATS]


def read(data: bytes | str, name: str = "", **options):
    """Read from memory; `name` provides a suffix."""
    stream = io.BytesIO(data.encode() if isinstance(data, str) else data)
    stream.name = name
    return sg.read_graph(stream, **options)


def written(graph, fmt: str) -> bytes:
    stream = io.BytesIO()
    sg.write_graph(stream, graph, format=fmt)
    return stream.getvalue()


def pairs(graph) -> list[tuple[int, int]]:
    """Return the entries of a graph, sorted."""
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    return sorted(zip(rows.tolist(), graph.indices.tolist(), strict=True))


def dense(graph) -> list[list[float]]:
    return graph.to_scipy().toarray().tolist()


def assert_same(a, b) -> None:
    assert a.num_vertices == b.num_vertices
    assert a.directed == b.directed
    assert pairs(a) == pairs(b)
    assert (a.weights is None) == (b.weights is None)
    assert dense(a) == dense(b)
