"""Tables of edges in Parquet files."""

from __future__ import annotations

import io
import os
import sys
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.io import GraphFileError
from stablegraph.io.parquet import table_contents
from tests.io.samples import dense, needs_pyarrow, pairs, read, written


def table_bytes(columns, metadata: str | None = None) -> bytes:
    """Return a Parquet file as written by other programs; `columns` is a dict, or pairs if two columns share a name."""
    pa = pytest.importorskip("pyarrow", reason="Parquet tables need pyarrow; install the extra 'io'")
    pq = pytest.importorskip("pyarrow.parquet")
    names, arrays = zip(*(columns.items() if isinstance(columns, dict) else columns), strict=True)
    table = pa.table([pa.array(array) for array in arrays], names=list(names))
    if metadata is not None:
        table = table.replace_schema_metadata({"stablegraph": metadata})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def test_table_with_gaps_in_its_ids():
    graph = read(table_bytes({"a": [100, 7, 7], "b": [7, 100, 3_000_000_000]}), directed=True)
    assert graph.directed
    assert [int(node) for node in graph.nodes] == [7, 100, 3_000_000_000]
    assert pairs(graph) == [(0, 1), (0, 2), (1, 0)]
    assert read(table_bytes({"a": [0, 1], "b": [1, 2]})).nodes is None


@pytest.mark.parametrize("ends", [("source", "target"), ("U", "V"), ("From", "To"), ("src", "dst")])
def test_table_whose_columns_have_names(ends):
    graph = read(
        table_bytes({"id": [8, 9], ends[1]: ["b", "a"], "Weight": [0.5, 2.0], ends[0]: ["é", "b"]}), directed=True
    )
    assert graph.nodes == ["a", "b", "é"]
    assert dense(graph) == [[0, 0, 0], [2, 0, 0], [0, 0.5, 0]]


def test_rows_are_edges_unless_the_caller_says_arcs():
    columns = {"u": [0, 1], "v": [1, 0], "w": [3, 4]}
    with pytest.raises(GraphFileError, match=r"weights of entry .* differ"):
        read(table_bytes(columns))
    assert read(table_bytes(columns), directed=True).weights.tolist() == [3, 4]
    assert read(table_bytes(columns), weights=False).num_edges == 1
    assert read(table_bytes(columns), symmetrize="max").weights.tolist() == [4, 4]
    assert not read(table_bytes({"u": [0, 1], "v": [1, 2]})).directed


def test_table_columns_that_are_not_what_they_could_be():
    assert read(table_bytes({"v": [0, 1], "w": [1, 2]})).weights is None  # w is an end in this table
    graph = read(table_bytes({"weight": [5, 6], "a": [0, 1], "b": [1, 2]}), directed=True)
    assert (pairs(graph), graph.weights.tolist()) == ([(0, 1), (1, 2)], [5, 6])
    assert read(table_bytes({"a": [0], "b": [1], "w": ["red"]}), weights=False).num_edges == 1


def test_table_of_types_that_others_write():
    pa = pytest.importorskip("pyarrow", reason="Parquet tables need pyarrow; install the extra 'io'")
    names = pa.array(["x", "y", "x"]).dictionary_encode()  # the form in which pandas stores categories
    graph = read(
        table_bytes({"a": names, "b": pa.array(["y", "z", "z"], pa.large_string()), "w": [True, False, True]}),
        directed=True,
    )
    assert (graph.nodes, dense(graph)) == (["x", "y", "z"], [[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    small = {"a": pa.array([0, 1], pa.int8()), "b": pa.array([1, 2], pa.uint64()), "w": [Decimal("1.5"), Decimal("2")]}
    assert dense(read(table_bytes(small), directed=True)) == [[0, 1.5, 0], [0, 0, 2], [0, 0, 0]]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [1]}, "name the columns of the two ends by source= and target=; the columns are 'a'"),
        ({"weight": [1], "a": [1]}, "two ends"),
        ({"a": [1, None], "b": [1, 2]}, "column 'a', row 1 .*missing"),
        ({"a": [1, 2], "b": ["x", None]}, "both ends of an edge"),
        ({"a": ["y", "x"], "b": ["x", None]}, "column 'b', row 1 .*missing"),
        ({"a": [1, 2], "b": [1, 2], "w": [None, 1]}, "column 'w', row 0 .*missing"),
        ({"a": [1, 2], "b": [1, 2], "w": [1, float("nan")]}, "column 'w', row 1 .*not a number"),
        ({"a": [1], "b": [2], "weight": ["heavy"]}, "column 'weight' is of type string"),
        ({"a": [1.0], "b": [2]}, "column 'a' is of type double"),
        ({"a": [[1]], "b": [2]}, "column 'a' is of type list"),
        (
            {"a": [1, -4], "b": np.array([2**63, 0], np.uint64)},
            "column 'a', row 1 .* id -4 is negative and id 9223372036854775808 is 2\\*\\*63 or more.*; convert all ids",
        ),
        ([("a", [1]), ("a", [2])], "several columns are called 'a'"),
    ],
)
def test_broken_table_is_refused_with_its_place(columns, message):
    data = table_bytes(columns)
    with pytest.raises(GraphFileError, match=message) as caught:
        read(data, "x.parquet")
    assert str(caught.value).startswith("x.parquet: ")
    assert "\n" not in str(caught.value)


def test_a_table_without_rows_is_an_empty_graph():
    assert read(table_bytes({"a": np.zeros(0, int), "b": np.zeros(0, int)}), "x.parquet").num_vertices == 0


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ("five", "must be like .* not 'five'"),
        ("[]", "must be like"),
        ('{"vertices": 5}', "must be like"),
        ('{"vertices": -1, "directed": true}', "must be like"),
        ('{"vertices": 5, "directed": 0}', "must be like"),
        ('{"vertices": 3, "directed": true}', "announces 3 nodes, but 2 different ids"),
        ('{"vertices": 9000000000000000, "directed": true}', "vertices"),
    ],
)
def test_table_with_wrong_metadata_is_refused(metadata, message):
    with pytest.raises(GraphFileError, match=message):
        read(table_bytes({"a": [0], "b": [7]}, metadata))
    with pytest.raises(GraphFileError, match=message if "must" in message else "announces"):
        read(table_bytes({"a": ["x"], "b": ["y"]}, metadata))


def test_table_that_says_undirected():
    graph = read(table_bytes({"a": [0, 2], "b": [2, 2]}, '{"vertices": 5, "directed": false}'))
    assert (graph.directed, graph.num_vertices, pairs(graph)) == (False, 5, [(0, 2), (2, 0), (2, 2)])


@needs_pyarrow
def test_table_stores_one_half():
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(written(sg.from_edges([0, 1], [1, 2], [3, 4], n=4, symmetrize=True), "parquet")))
    assert table.to_pydict() == {"source": [0, 1], "target": [1, 2], "weight": [3, 4]}
    assert table.schema.metadata == {b"stablegraph": b'{"vertices": 4, "directed": false}'}


@needs_pyarrow
@pytest.mark.parametrize(
    ("nodes", "kept"),
    [
        ([3, 5, 2**40], [3, 5, 2**40]),
        (["", "b", "é"], ["", "b", "é"]),
        (["b", "a", "c"], ["a", "b", "c"]),  # numbered in ascending order when they are read
        ([5, 3, 9], [3, 5, 9]),
        ([-5, 3, 9], [-5, 3, 9]),
        ([-1, 0, 1], [-1, 0, 1]),
        ([2, 0, 1], None),  # ids 0 .. n - 1
        ([(0, 1), 2.5, "x"], ["(0, 1)", "2.5", "x"]),
    ],
)
def test_table_keeps_names(nodes, kept):
    graph = sg.from_edges([0, 1], [1, 2], nodes=nodes, symmetrize=True)
    back = read(written(graph, "parquet"))
    assert (None if back.nodes is None else list(back.nodes)) == kept
    assert named_edges(back) == named_edges(graph)


def named_edges(graph):
    names = range(len(graph)) if graph.nodes is None else graph.nodes
    return {(str(names[u]), str(names[v])) for u, v in pairs(graph)}


@needs_pyarrow
def test_table_keeps_bytes():
    pa = pytest.importorskip("pyarrow")
    graph = sg.from_table(pa.table({"source": [b"\xff", b"a"], "target": [b"a", b"\0"]}))
    assert list(read(written(graph, "parquet")).nodes) == [b"\0", b"a", b"\xff"]


@needs_pyarrow
def test_table_that_cannot_hold_the_graph():
    with pytest.raises(ValueError, match="a table of edges cannot hold the isolated vertex 'c'"):
        written(sg.from_edges([0], [1], nodes=["a", "b", "c"], symmetrize=True), "parquet")
    with pytest.raises(ValueError, match="several vertices are called '1'"):
        written(sg.from_edges([0], [1], nodes=[1, "1"], symmetrize=True), "parquet")
    with pytest.raises(ValueError, match="no weights of type complex128"):
        written(sg.from_edges([0], [1], [1j], directed=True), "parquet")


@needs_pyarrow
def test_damaged_table_is_refused():
    graph = sg.from_edges(np.arange(1000), np.arange(1, 1001), symmetrize=True)
    data = bytearray(written(graph, "parquet"))
    data[len(data) // 4] ^= 0xFF  # inside a page, which has a checksum
    with pytest.raises(GraphFileError, match="damaged or cut short"):
        read(bytes(data))
    with pytest.raises(GraphFileError, match="damaged or cut short"):
        read(b"\0\1\2\3", "x.parquet")
    for text in (b"Name", b"Text"):  # a column name, and an id, that are no longer UTF-8
        spoilt = table_bytes({"Name": ["Text"], "b": ["y"]}).replace(text, b"\xff" * 4)
        with pytest.raises(GraphFileError, match=r"damaged or cut short|is not UTF-8"):
            read(spoilt)


def test_table_without_pyarrow(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "stablegraph\[io\]"'):
        read(b"PAR1 and more")
    with pytest.raises(ModuleNotFoundError, match=r'pip install "stablegraph\[io\]"'):
        sg.write_graph(tmp_path / "g.parquet", sg.from_edges([0], [1], directed=True))
    assert os.listdir(tmp_path) == []


def test_a_column_that_a_damaged_file_lists_but_does_not_have_is_named():
    """The fuzzer found such a file: its footer lists a column that its schema lacks."""
    pa = pytest.importorskip("pyarrow")
    source = SimpleNamespace(error=GraphFileError)
    with pytest.raises(GraphFileError, match="the table is damaged: its column 'source' cannot be read"):
        table_contents(source, pa.table({"target": [1, 2]}), ["source", "target"], None)
