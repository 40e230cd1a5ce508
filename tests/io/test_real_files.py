"""Real files, compared with known facts and with the results of SciPy's readers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import stablegraph as sg
from tests.io.samples import DATA, MANIFEST, needs_data


@needs_data
@pytest.mark.parametrize("row", [pytest.param(row, id=row["file"]) for row in MANIFEST])
def test_real_file_has_the_size_its_manifest_says(row):
    graph = sg.read_graph(Path(DATA) / row["file"])
    assert graph.num_vertices == int(row["vertices"])
    assert graph.num_edges == int(row["edges"])


def twins() -> list[tuple[str, str]]:
    files: dict[str, list[str]] = {}
    for row in MANIFEST:
        files.setdefault(row["name"], []).append(row["file"])
    return [(first, other) for first, *others in files.values() for other in others]


@needs_data
@pytest.mark.parametrize(("first", "other"), twins())
def test_same_graph_in_two_formats_reads_equal(first, other):
    a, b = (sg.read_graph(Path(DATA) / file) for file in (first, other))
    assert a.directed == b.directed
    assert np.array_equal(a.indptr, b.indptr)
    assert np.array_equal(a.indices, b.indices)
    if a.weights is not None or b.weights is not None:
        assert np.array_equal(a.weights, b.weights)


@needs_data
@pytest.mark.parametrize("file", ["494_bus.mtx.gz", "trans-Sydney.mtx.gz", "EAT.mtx.gz", "adder_dcop_05.mtx.gz"])
def test_matrix_market_reads_as_scipy_reads_it(file):
    expected = sp.csr_array(scipy.io.mmread(Path(DATA) / file))
    expected.sum_duplicates()
    result = sg.read_graph(Path(DATA) / file).to_scipy()
    assert np.array_equal(result.indptr, expected.indptr)
    assert np.array_equal(result.indices, expected.indices)
    assert np.array_equal(result.data, expected.data)
    assert result.dtype == expected.dtype


@needs_data
def test_ids_of_a_real_edge_list_are_kept():
    graph = sg.read_graph(Path(DATA) / "wiki-Vote.txt.gz")
    nodes = np.asarray(graph.nodes)
    assert nodes.size == 7115
    assert (np.diff(nodes) > 0).all()
    first = int(np.searchsorted(nodes, 30))
    neighbors = nodes[graph.indices[graph.indptr[first] : graph.indptr[first + 1]]]
    assert {1412, 3352, 5254} <= set(neighbors.tolist())
