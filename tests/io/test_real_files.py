"""Real files, compared with known facts and with the results of SciPy's readers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import stablegraph as sg
from tests.io.samples import DATA, MANIFEST, needs_data


def graphs() -> list[object]:
    """Return the rows of each graph, which may be in several files; a large file of a single graph is slow."""
    result, names = [], {}
    for row in MANIFEST:
        names.setdefault(row["name"], []).append(row)
    for name, rows in names.items():
        is_slow = len(rows) == 1 and (Path(DATA) / rows[0]["file"]).stat().st_size > 900_000
        result.append(pytest.param(rows, id=name, marks=[pytest.mark.slow] * is_slow))
    return result


@needs_data
@pytest.mark.parametrize("rows", graphs())
def test_real_files_have_the_size_that_the_manifest_says_and_are_equal_in_all_formats(rows):
    first, *others = (sg.read_graph(Path(DATA) / row["file"]) for row in rows)
    for row, graph in zip(rows, (first, *others), strict=True):
        assert (graph.num_vertices, graph.num_edges) == (int(row["vertices"]), int(row["edges"]))
        assert graph.directed == first.directed
        assert np.array_equal(graph.indptr, first.indptr)
        assert np.array_equal(graph.indices, first.indices)
        assert (graph.weights is None) == (first.weights is None)
        assert first.weights is None or np.array_equal(graph.weights, first.weights)


@needs_data
@pytest.mark.parametrize("file", ["494_bus.mtx.gz", "trans-Sydney.mtx.gz", "EAT.mtx.gz", "adder_dcop_05.mtx.gz"])
def test_matrix_market_reads_as_scipy_reads_it(file):
    expected = sp.csr_array(scipy.io.mmread(Path(DATA) / file, spmatrix=False))
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
