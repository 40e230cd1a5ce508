"""The flavor "stablegraph" of Leiden: groups by size, the stored fields, and agreement with the flavor of igraph."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg

sys.path.append(str(Path(__file__).parent))
from flavor import groups_of_cells, leiden


def cells():
    """Return the similarities of 90 cells in three groups, of 20, 40 and 30 cells."""
    group, rng = np.repeat([0, 1, 2], [20, 40, 30]), np.random.default_rng(0)
    near = rng.random((90, 90)) < np.where(group[:, None] == group, 0.4, 0.02)
    values = np.where(near, rng.random((90, 90)), 0)
    return sp.csr_array(np.maximum(values, values.T).astype(np.float32)), group


def test_groups_are_numbered_by_size():
    matrix, group = cells()
    for iterations in (-1, 2):
        found = groups_of_cells(matrix, n_iterations=iterations)
        assert np.bincount(found).tolist() == [40, 30, 20]
        assert np.array_equal(found, np.array([2, 0, 1])[group])


def test_options_reach_the_library():
    matrix, _ = cells()
    fine = groups_of_cells(matrix, resolution=9.0, random_state=5, n_iterations=3)
    expected = sg.communities(matrix, resolution=9.0, seed=5)[1]
    assert np.unique(fine).size == expected.max() + 1 == np.unique(fine * 90 + expected).size
    assert np.bincount(groups_of_cells(matrix, resolution=9.0, min_size=15)).min() >= 15
    pattern = groups_of_cells(matrix, use_weights=False, resolution=4.0)
    ones = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr))
    assert np.array_equal(pattern, groups_of_cells(ones, resolution=4.0))
    with pytest.raises(ValueError, match="iterations"):
        groups_of_cells(matrix, n_iterations=0)


def test_a_matrix_that_is_not_symmetric_is_refused_with_its_cure():
    matrix = sp.csr_array(np.array([[0, 0.5], [0, 0]]))
    with pytest.raises(ValueError, match="symmetrize='max'"):
        groups_of_cells(matrix)


def test_fields_of_adata():
    pytest.importorskip("pandas")
    matrix, group = cells()
    adata = SimpleNamespace(obsp={"connectivities": matrix, "other": matrix * 0}, obs={}, uns={})
    assert leiden(adata, 0.5, n_iterations=2) is None
    assert adata.obs["leiden"].codes.tolist() == np.array([2, 0, 1])[group].tolist()
    assert adata.obs["leiden"].categories.tolist() == ["0", "1", "2"]
    assert adata.uns["leiden"]["params"] == {"resolution": 0.5, "random_state": 0, "n_iterations": 2}
    assert adata.uns["leiden"]["modularity"] == sg.modularity(matrix, group, resolution=0.5)
    leiden(adata, key_added="pattern", use_weights=False, directed=False, flavor="stablegraph")
    assert adata.uns["pattern"]["modularity"] == sg.modularity(sg.as_graph(matrix, weights=False), group)
    leiden(adata, key_added="alone", obsp="other")
    assert adata.obs["alone"].codes.tolist() == list(range(90))
    with pytest.raises(ValueError, match="pass one of them"):
        leiden(adata, obsp="other", neighbors_key="neighbors")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"directed": True}, "is for undirected graphs: pass directed=False"),
        ({"partition_type": object}, "has no partition_type: pass objective='modularity'"),
        ({"restrict_to": ("leiden", ["0"])}, "does not support restrict_to: select the cells"),
        (
            {"resolution": [0.5, 1.0]},
            r"resolution must be a number, got \[0.5, 1.0\]: for several resolutions, call leiden",
        ),
        ({"resolution": None}, "resolution must be a number, got None"),
        ({"random_state": None}, "random_state must be an integer, got None: groups are a function of the matrix and"),
        ({"flavor": "igraph"}, "flavor must be 'stablegraph', got 'igraph': for other flavors, call scanpy.tl.leiden"),
        ({"obsp": "close"}, r"no matrix 'close': adata.obsp has \['other'\]"),
        ({"neighbors_key": "near"}, r"no matrix 'near': call scanpy.pp.neighbors"),
        ({}, r"no matrix 'connectivities': call scanpy.pp.neighbors\(adata\) first"),
    ],
)
def test_wrong_arguments_are_named_as_the_caller_wrote_them(arguments, message):
    adata = SimpleNamespace(obsp={"other": cells()[0]}, obs={}, uns={})
    with pytest.raises((ValueError, TypeError, KeyError), match=message):
        leiden(adata, **arguments)
    assert not adata.obs and not adata.uns


def test_modularity_is_that_of_igraph():
    igraph = pytest.importorskip("igraph")
    matrix, group = cells()
    upper = sp.triu(matrix, format="coo")
    graph = igraph.Graph(90, np.stack([upper.row, upper.col], axis=1).tolist())
    for resolution in (0.5, 1.0, 2.0):
        expected = graph.modularity(group.tolist(), weights=upper.data.tolist(), resolution=resolution)
        assert sg.modularity(matrix, group, resolution=resolution) == pytest.approx(expected)


def test_like_the_flavor_of_igraph():
    sc = pytest.importorskip("scanpy")
    pytest.importorskip("igraph")
    metrics = pytest.importorskip("sklearn.metrics")
    adata = sc.datasets.pbmc68k_reduced()
    sc.tl.leiden(adata, flavor="igraph", n_iterations=2, directed=False, key_added="igraph")
    result = leiden(adata, n_iterations=2, copy=True)
    assert "leiden" not in adata.uns
    assert metrics.adjusted_rand_score(adata.obs["igraph"], result.obs["leiden"]) > 0.8
    matrix = adata.obsp["connectivities"]
    if "modularity" in adata.uns["igraph"]:  # scanpy stores it since 1.12
        stored = sg.modularity(matrix, adata.obs["igraph"].cat.codes.to_numpy())
        assert stored == pytest.approx(adata.uns["igraph"]["modularity"])
    values = [sg.modularity(matrix, obs.cat.codes.to_numpy()) for obs in (adata.obs["igraph"], result.obs["leiden"])]
    assert values[1] > values[0] - 0.005
    assert result.obs["leiden"].value_counts().is_monotonic_decreasing
    assert all(np.array_equal(groups_of_cells(matrix, random_state=0), groups_of_cells(matrix)) for _ in range(3))
