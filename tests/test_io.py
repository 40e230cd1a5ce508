"""Files: every format read, written, cut, and spoilt."""

from __future__ import annotations

import bz2
import csv
import gzip
import importlib.util
import io
import lzma
import os
import re
import signal
import stat
import subprocess
import sys
import zipfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph.host_memory import free_memory
from stablegraph.io import FORMATS, GraphFileError, parse, render
from stablegraph.io.source import Source
from stablegraph.io.target import replacing
from stablegraph.parallel import use_target

DATA = os.environ.get("STABLEGRAPH_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="the real graphs are not here: set STABLEGRAPH_DATA to their folder")
MANIFEST = list(csv.DictReader((Path(DATA) / "MANIFEST.tsv").open(), delimiter="\t")) if DATA else []


needs_pyarrow = pytest.mark.skipif(
    importlib.util.find_spec("pyarrow") is None, reason="Parquet tables need pyarrow; install the extra 'io'"
)
ALL_FORMATS = [pytest.param(name, marks=needs_pyarrow) if name == "parquet" else name for name in FORMATS]


def read(data: bytes | str, name: str = "", **options):
    """Read from memory; `name` lends a suffix."""
    stream = io.BytesIO(data.encode() if isinstance(data, str) else data)
    stream.name = name
    return sg.read_graph(stream, **options)


def written(graph, fmt: str) -> bytes:
    stream = io.BytesIO()
    sg.write_graph(stream, graph, format=fmt)
    return stream.getvalue()


def pairs(graph) -> list[tuple[int, int]]:
    """The entries of a graph, sorted."""
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


# ---------------------------------------------------------------------------------------------------- real files


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
    found = sg.read_graph(Path(DATA) / file).to_scipy()
    assert np.array_equal(found.indptr, expected.indptr)
    assert np.array_equal(found.indices, expected.indices)
    assert np.array_equal(found.data, expected.data)
    assert found.dtype == expected.dtype


@needs_data
def test_ids_of_a_real_edge_list_are_kept():
    graph = sg.read_graph(Path(DATA) / "wiki-Vote.txt.gz")
    nodes = np.asarray(graph.nodes)
    assert nodes.size == 7115
    assert (np.diff(nodes) > 0).all()
    first = int(np.searchsorted(nodes, 30))
    neighbours = nodes[graph.indices[graph.indptr[first] : graph.indptr[first + 1]]]
    assert {1412, 3352, 5254} <= set(neighbours.tolist())


# ------------------------------------------------------------------------------------------------ what is understood


def test_matrix_market_kinds():
    head = "%%MatrixMarket matrix coordinate "
    graph = read(head + "pattern symmetric\n% comment\n3 3 2\n2 1\n3 3\n")
    assert (graph.directed, graph.weights, pairs(graph)) == (False, None, [(0, 1), (1, 0), (2, 2)])
    graph = read(head + "integer general\n3 3 2\n2 1 5\n3 1 -4\n")
    assert graph.directed
    assert graph.weights.tolist() == [5, -4]
    graph = read(head + "real skew-symmetric\r\n2 2 1\r\n2 1 1.5e-1\r\n")
    assert graph.directed  # the weights of (0, 1) and (1, 0) differ
    assert dense(graph) == [[0, -0.15], [0.15, 0]]
    assert not read(head + "real skew-symmetric\n2 2 1\n2 1 1.5e-1\n", weights=False).directed
    graph = read("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n0\n0\n0\n3\n")
    assert dense(graph) == [[1, 2, 0], [2, 0, 0], [0, 0, 3]]
    graph = read("%%MatrixMarket matrix array real skew-symmetric\n2 2\n2\n")
    assert dense(graph) == [[0, -2], [2, 0]]
    graph = read("%%MatrixMarket matrix array real general\n2 2\n0\n7\n7\n0\n")
    assert dense(graph) == [[0, 7], [7, 0]]
    assert not graph.directed


def test_general_file_is_undirected_if_its_entries_are():
    head = "%%MatrixMarket matrix coordinate real general\n2 2 2\n"
    assert not read(head + "1 2 3\n2 1 3\n").directed
    assert read(head + "1 2 3\n2 1 4\n").directed
    assert not read(head + "1 2 3\n2 1 4\n", weights=False).directed
    assert read(head + "1 2 3\n2 1 3\n", directed=True).directed
    assert not read(head + "1 2 3\n2 1 3\n", directed=False).directed


@pytest.mark.parametrize(
    "data",
    [
        b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 4\n",
        b"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n",
        b"# a list\n0 1 3\n1 0 4\n",
        b"p sp 2 2\na 1 2 3\na 2 1 4\n",
    ],
)
def test_undirected_graph_of_a_file_has_one_weight_an_edge(data):
    with pytest.raises(GraphFileError, match=r"weights of entry \(0, 1\) differ: .*pass symmetrize='min', 'max'"):
        read(data, directed=False)
    assert read(data).directed
    assert read(data, symmetrize="max").weights.tolist() == [4, 4]


def test_undirected_file_with_weights_that_differ_obeys_symmetrize():
    data = written(sg.as_graph(sp.csr_array(np.array([[0, 2.0], [3.0, 0]]))), "npz")
    assert read(data).weights.tolist() == [2, 3]  # the native format keeps a matrix as it is
    assert read(data, symmetrize="max").weights.tolist() == [3, 3]
    with pytest.raises(GraphFileError, match=r"weights of entry .* differ"):
        read(data, directed=False)


def test_edge_list_with_gaps_comments_and_weights():
    graph = read("% one\n# two\r\n100\t7\t0.5\r\n\n# three\n7,100,0.5\r\n  7 3000000000 2e0")
    assert graph.nodes is not None
    assert [int(node) for node in graph.nodes] == [7, 100, 3000000000]
    assert dense(graph) == [[0, 0.5, 2], [0.5, 0, 0], [0, 0, 0]]
    assert graph.directed


def test_edge_list_header_keeps_isolated_vertices():
    graph = read("# Nodes: 5 Edges: 2\n1 2\n2 3\n")
    assert graph.num_vertices == 5
    assert graph.nodes is None


def test_edge_list_that_says_undirected():
    graph = read("# Undirected graph: some.txt\n# Nodes: 3 Edges: 2\n0 1\n1 2\n")
    assert not graph.directed
    assert pairs(graph) == [(0, 1), (1, 0), (1, 2), (2, 1)]


def test_edge_list_without_gaps_has_no_names():
    assert read("# x\n0 1\n1 2\n").nodes is None


def test_dimacs_forms():
    arcs = read("c x\np sp 3 3\na 1 2 5\nc between\na 2 1 5\na 2 3 7\n")
    assert arcs.directed
    assert dense(arcs) == [[0, 5, 0], [5, 0, 7], [0, 0, 0]]
    pace = read("p tw 4 2\n1 2\nc between\n3 2\n")
    assert not pace.directed
    assert pairs(pace) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    for word, count in (("edge", 2), ("col", 4), ("edges", 4)):
        lines = "e 1 2\ne 2 1\nn 1 9\ne 2 3\ne 3 2\n"
        assert pairs(read(f"c x\np {word} 4 {count}\n{lines}")) == pairs(pace)


def test_metis_weights_of_all_kinds():
    text = "% c\n3 2 111 2\n7 1 2 2 5\n\t8 3 4 1 5 3 6\n% c\n9 5 6 2 6\n\n"
    graph = read(text, "x.graph")
    assert dense(graph) == [[0, 5, 0], [5, 0, 6], [0, 6, 0]]
    assert graph.facts["vertex_sizes"].tolist() == [7, 8, 9]
    assert graph.facts["vertex_weights"].tolist() == [[1, 2], [3, 4], [5, 6]]
    assert_same(read(written(graph, "metis")), graph)
    back = read(written(graph, "metis"))
    assert back.facts["vertex_weights"].tolist() == [[1, 2], [3, 4], [5, 6]]


def test_metis_empty_lines_are_isolated_vertices():
    graph = read("4 1\n\n3\n2\n\n", format="metis")
    assert pairs(graph) == [(1, 2), (2, 1)]
    assert graph.num_vertices == 4


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("3 2\n2\n1 3\n2\n", "", 2),  # METIS by its header
        ("3 2\n2\n1 3\n2\n", "x.txt", 2),
        ("0 1\n1 2\n2 0\n", "", 3),  # no header that fits: edges
        ("2 1\n2\n1\n1\n", "", None),
        ("1 0\n0 1\n", "x.gr", None),
    ],
)
def test_format_is_told_from_content(text, name, expected):
    if expected is None:
        with pytest.raises(GraphFileError):
            read(text, name)
    else:
        graph = read(text, name)
        assert graph.num_edges == expected


def test_contents_that_fit_two_formats_need_a_word():
    text = "4 4\n2 4\n1 3\n2 4\n1 3\n"
    assert read(text, "ring.graph").num_vertices == 4
    assert read(text, "ring.txt").num_vertices == 4
    assert read(text, "ring.txt").num_entries == 3
    with pytest.raises(GraphFileError, match=r"'snap' or 'metis'.*format="):
        read(text)
    assert read(text, format="metis").num_edges == 4


def test_suffix_does_not_overrule_content():
    metis = "3 2\n2\n1 3\n2\n"
    assert read(metis, "a.txt").num_edges == 2
    assert read("p sp 2 1\na 1 2 3\n", "a.graph").weights.tolist() == [3]
    assert read("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", "a.gr").num_edges == 1


MATRIX = b"%%MatrixMarket matrix coordinate real general\n5 5 2\n1 2 7\n2 1 7\n"


def damaged_banners():
    """The matrix file with its banner spoilt by one byte, or by what stands before it."""
    yield from (before + MATRIX for before in (b"\n", b" \n\r\n", b" ", b"\t", b"# kept\n", b"%\n", b"\n% x\n\n"))
    end = MATRIX.index(b"\n")
    for place in range(end + 1):
        for new in (b"x", b" ", b"#", b"%", b"9", b"\n", bytes([MATRIX[place] ^ 1]), b""):
            yield MATRIX[:place] + new + MATRIX[place + 1 :]


@pytest.mark.parametrize(("name", "options"), [("x", {}), ("x.txt", {}), ("x.graph", {}), ("", {"format": "snap"})])
def test_damaged_banner_is_never_read_as_an_edge_list(name, options):
    whole = read(MATRIX)
    for data in damaged_banners():
        try:
            graph = read(data, name, **options)
        except GraphFileError:
            continue
        assert data.lower() == MATRIX.lower(), data
        assert_same(graph, whole)


def test_damaged_banner_is_named_with_its_cure():
    with pytest.raises(GraphFileError, match=r"^x, line 3: .*damaged Matrix Market banner.*must be the first line"):
        read(b"% a\n\n%MatrixMarket matrix coordinate real general\n5 5 1\n1 2 7\n", "x")
    with pytest.raises(GraphFileError, match=r"^x.txt, line 2: .*Matrix Market banner"):
        read(b"1 2 3\n" + MATRIX, "x.txt")  # two files in one
    with pytest.raises(GraphFileError, match=r"^x, line 1: .*damaged DIMACS header"):
        read(b"# tw 4 2\n1 2\n3 2\n", "x")


@pytest.mark.parametrize(
    "header",
    [b"% sym weighted", b"% bip unweighted\n% 3 2 2", b"# made from a MatrixMarket file", b"% matrix of real flights"],
)
def test_comments_of_edge_lists_are_no_banners(header):
    for options in ({}, {"format": "snap"}):
        assert read(header + b"\n1 2 5\n2 3 6\n", **options).weights.tolist() == [5, 6]


@pytest.mark.parametrize("fmt", ALL_FORMATS)
def test_stated_format_that_contradicts_the_contents_is_refused(fmt):
    data = written(sg.from_edges([0, 1, 1, 2], [1, 2, 3, 3], [2, 3, 4, 5], n=6, symmetrize=True), fmt)
    for stated in set(FORMATS) - {fmt, "parquet"}:
        with pytest.raises(GraphFileError) as caught:
            read(data, format=stated)
        if fmt not in ("snap", "metis"):  # which have no mark of their own
            assert f"the contents are in the format {fmt!r}, not {stated!r}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name", "reader"),
    [
        ('<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n', "", "read_graphml"),
        ("\n<graphml>", "lesmis.graphml", "read_graphml"),
        ("graph [\n node [\n id 0\n ]\n]\n", "x.gml.gz", "read_gml"),
        ("*Vertices 2\n*Edges\n1 2\n", "x.net", "read_pajek"),
    ],
)
def test_format_of_others_is_refused_with_its_reader(text, name, reader):
    with pytest.raises(GraphFileError, match=rf"networkx\.{reader}.*as_graph"):
        read(text, name)


@pytest.mark.parametrize("separator", [",", "\t", " "])
def test_names_in_a_table_are_refused_with_a_cure_that_works(separator, tmp_path):
    networkx = pytest.importorskip("networkx")
    path = tmp_path / "friends.csv"
    text = "source,target,since\nann,bob,2010\nbob,eve,2012\n".replace(",", separator)
    path.write_text(text)
    with pytest.raises(GraphFileError, match=r"line 1: .*; put '#' before a title line, and let as_graph") as caught:
        sg.read_graph(path)
    path.write_text("#" + text)
    call = re.search(r"let (as_graph\(.*\)) number vertices with names$", str(caught.value))[1]
    graph = eval(call, {"as_graph": sg.as_graph, "networkx": networkx})
    assert (graph.nodes, graph.num_edges) == (["ann", "bob", "eve"], 2)


@pytest.mark.parametrize("text", ["0 1 2\n1 2 3\n", "% sym\n0 1 2\n1 2 3\n", "0,1,2\n1,2,3\n", MATRIX.decode()])
def test_byte_order_mark_is_passed_over(text):
    assert_same(read(b"\xef\xbb\xbf" + text.encode()), read(text))
    assert_same(read(gzip.compress(b"\xef\xbb\xbf" + text.encode())), read(text))
    for codec in ("utf-16", "utf-16-be"):
        with pytest.raises(GraphFileError, match=r"UTF-16.*UTF-8"):
            read(("\ufeff" if codec != "utf-16" else "").encode(codec) + text.encode(codec), "x.txt")


def test_binary_graph_whose_size_begins_like_a_byte_order_mark():
    n = 0xFEFF
    data = written(sg.from_edges([0, n - 1], [n - 1, 0], n=n), "egr")
    assert data.startswith(b"\xff\xfe")
    assert read(data).num_vertices == n


# ------------------------------------------------------------------------------------------------------- broken files

HUGE = "7" * 5000
BROKEN = [
    ("", "x.mtx", "empty"),
    ("%%MatrixMarket matrix coordinate pattern general\n", "", "line 2: the size line"),
    ("%%MatrixMarket matrix coordinate pattern gen", "", "line 1"),
    ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "", "line 1: .*complex"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n", "", "line 3: .*2 entries, but 1 line"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n2 3\n", "", "line 4: .*1 entries, but 2 line"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 9999999999999\n1 2\n", "", "line 3: .*cut short"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 x\n", "", "line 4: 'x' is not a number"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 4\n", "", "line 4: vertex 4 is out of range"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n0 1\n", "", "line 4: vertex id 0 is less than 1"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 2\n", "", "line 2: .*square matrix.*3 x 4"),
    ("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2 3\n", "", "line 3: 3 numbers, but 2 are needed"),
    ("%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 2 5.5\n", "", "line 3: '5.5' is not an integer"),
    ("%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 2 99999999999999999999\n", "", "line 3: "),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 nan\n", "", "line 3: 'nan' is not a number"),
    ("%%MatrixMarket matrix coordinate pattern symmetric\n12 12 2\n2 1\n12 11-", "", "line 4: '11-' is not a number"),
    ("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n2 1 5\n1 2 6\n", "", "weights of entry"),
    (
        "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 4\n",
        "",
        "line 3: .*below the diagonal, not at .1, 1",
    ),
    ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 4\n1 2 5\n", "", "line 4: .*not at .1, 2"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 -1e400\n", "", "line 3: '-1e400' is too large for"),
    ("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 9007199254740993\n", "", "line 3: weight 9007.*point"),
    ("%%MatrixMarket matrix array real general\n1 1\n9007199254740993\n", "", "line 3: weight 90071992547409"),
    ("%%MatrixMarket matrix array pattern general\n2 2\n0\n1\n1\n0", "", "line 1: .*unknown"),
    ("%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n", "", "line 5: .*4 numbers, but 3 follow"),
    ("hello\n", "x.mtx", "line 1: .*MatrixMarket"),
    ("\0\1\2\3\4\5", "x.mtx", "binary file of no known format"),
    ("hello world\n", "", "format="),
    ("0 1\n1 2 3\n", "x.txt", "line 2: 3 numbers where the lines before have 2"),
    ("0 1\n\n# c\n1\n", "x.txt", "line 4: 1 number where the lines before have 2"),
    ("0 1 2 3\n", "x.txt", "line 1: 4 numbers"),
    ("0\n", "x.txt", "line 1: 1 number"),
    ("source,target\n0,1\n", "x.csv", "line 1: 'source,target' is not an edge .*; put '#' before the title line"),
    ('"u","v"\n0,1\n', "x.csv", "line 1: .*; put '#' before the title line"),
    ("# names\nann bob\n", "x.txt", "line 2: 'ann bob' is not an edge .*networkx.read_edgelist.*names"),
    ("0,,1\n", "x.csv", "line 1: a field is empty"),
    ("0,1\n\n# a,,b\n,2,3\n", "x.csv", "line 4: a field is empty"),
    ("0,1, ,7\n", "x.csv", "line 1: a field is empty"),
    ("0,1\n1,2, \r\n", "x.csv", "line 2: a field is empty"),
    ("0,1\n1,2,", "x.csv", "line 2: a field is empty"),
    ("0,1\n,,\n", "x.csv", "line 2: a field is empty"),
    ("0\t1\t5\n0\t\t2\t5\n", "x.tsv", "line 2: a field is empty"),
    ("0 1 2.5\n1 2 1e400\n", "x.txt", "line 2: '1e400' is too large for a 64-bit float"),
    ("0 1 2.5\n1 2 -0.01e-400\n", "x.txt", "line 2: '-0.01e-400' is too near to zero for a 64-bit float"),
    ("0 1 2.5\n1 2 9007199254740993\n", "x.txt", "line 2: weight 9007199254740993 .*decimal point"),
    ("0 1\n1 two\n", "x.txt", "line 2: 'two' is not a number"),
    ("0 1\n1 2-3\n", "x.txt", "line 2: '2-3' is not a number"),
    ("0 1\n1 --2\n", "x.txt", "line 2: '--2' is not a number"),
    ("0 1 .\n", "x.txt", "line 1: '.' is not a number"),
    ("0 1 1e\n", "x.txt", "line 1: '1e' is not a number"),
    ("0 1\n1.5 2\n", "x.txt", "line 2: a vertex id must be an integer"),
    ("0 1\n1 -2\n", "x.txt", "line 2: vertex id -2"),
    ("0 9223372036854775808\n", "x.txt", "line 1: '9223372036854775808' does not fit"),
    ("# Nodes: 3 Edges: 3\n0 1\n1 2\n", "x.txt", "line 3: the header announces 3 edges, but 2 lines"),
    ("# Nodes: 3 Edges: 2\n0 1\n7 8\n", "x.txt", "3 nodes, but 4 different ids"),
    ("# nothing\n", "x.txt", "no edges"),
    ("c x\n", "x.gr", "line 2: a line 'p sp n m'"),
    ("p max 2 1\na 1 2 3\n", "x.gr", "line 1: problem 'max'"),
    ("p sp 2\na 1 2 3\n", "x.gr", "line 1: the header must be"),
    ("p sp 2 x\na 1 2 3\n", "x.gr", "line 1: the header must be"),
    ("p sp 2 2\na 1 2 3\n", "x.gr", "line 2: the header announces 2 arcs, but 1 lines"),
    ("p sp 2 1\na 1 3 3\n", "x.gr", "line 2: vertex 3 is out of range"),
    ("p sp 2 1\na 0 2 3\n", "x.gr", "line 2: vertex id 0 is less than 1"),
    ("p sp 2 1\na 1 2\n", "x.gr", "line 2: 2 numbers, but 3 are needed"),
    ("p sp 2 1\n1 2 3\n", "x.gr", "line 2: 'a' is missing"),
    ("p sp 2 1\ne 1 2 3\n", "x.gr", "line 2: a line starts with 'e', but must start with 'a'"),
    ("p edge 2 2\ne 1 2\n", "x.col", "line 2: the header announces 2 edges"),
    ("p edge 3 1\ne 1 2\ne 1 3\n", "x.col", "line 2: .*1 edges, but 2 lines follow.*edge 1-2 does not stand twice"),
    ("p col 3 2\ne 1 2\ne 3 1\nc\ne 2 1\ne 2 3\n", "x.col", "line 3: .*edge 3-1 does not stand twice"),
    ("p edge 2 1\ne 1 2.5\n", "x.col", "line 2: '2.5' is not an integer"),
    ("p tw 2 1\n1 5\n", "x.gr", "line 2: vertex 5"),
    ("p tw 2 1\np tw 2 1\n", "x.gr", "line 2: 'p' is not a number"),
    ("3\n2\n1 3\n2\n", "x.graph", "line 1: the first line must be"),
    ("3 2 2\n2\n1 3\n2\n", "x.graph", "line 1: fmt 2 is unknown"),
    ("3 2\n2\n1 3\n", "x.graph", "line 3: .*3 vertices, but only 2 lines"),
    ("3 2\n2\n1 3\n2\n1\n", "x.graph", "line 5: .*more lines follow"),
    ("3 3\n2\n1 3\n2\n", "x.graph", "line 1: .*3 edges, but the lines hold 4"),
    ("3 2\n2\n1 3\n1\n", "x.graph", "line 3: vertex 2 lists 3, but vertex 3 does not list 2"),
    ("3 2\n2\n1 4\n2\n", "x.graph", "line 3: vertex 4 is out of range"),
    ("3 2\n2\n1 b\n2\n", "x.graph", "line 3: 'b' is not a number"),
    ("2 1\n1 2\n1\n", "x.graph", "line 2: vertex 1 lists itself"),
    ("2 2\n% c\n2\n1 2\n", "x.graph", "line 4: vertex 2 lists itself"),
    ("3 2 001\n2 1\n1 1 3\n2 1\n", "x.graph", "line 3: vertex 2 lacks a number"),
    ("3 2 010\n1 2\n\n1 2\n", "x.graph", "line 3: vertex 2 lacks a number"),
    ("2 1 1\n2 5\n1 6\n", "x.graph", "line 2: the edge between 1 and 2 has weight 5 at 1, but 6 at 2"),
]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"%%MatrixMarket matrix coordinate pattern general\n{HUGE} {HUGE} 1\n1 2\n", "x.mtx"),
        (f"%%MatrixMarket matrix coordinate pattern general\n3 3 {HUGE}\n1 2\n", "x.mtx"),
        (f"%%MatrixMarket matrix array real general\n{HUGE} {HUGE}\n1\n", "x.mtx"),
        (f"p sp {HUGE} 1\na 1 2 3\n", "x.gr"),
        (f"p edge 3 {HUGE}\ne 1 2\n", "x.col"),
        (f"{HUGE} 1\n2\n1\n", "x.graph"),
        (f"2 1 {HUGE}\n2\n1\n", "x.graph"),
        (f"# Nodes: {HUGE} Edges: 1\n0 1\n", "x.txt"),
        (f"# Nodes: 2 Edges: {HUGE}\n0 1\n", "x.txt"),
    ],
)
def test_endless_number_in_a_header_is_refused(text, name):
    with pytest.raises(GraphFileError, match=r"^x\.\w+, line \d: the number 7777\S* has 5000 digits"):
        read(text, name)


def test_leading_zeros_in_a_header_are_no_digits():
    assert read(f"p sp {'0' * 5000}7 1\na 1 2 3\n").num_vertices == 7


@pytest.mark.parametrize(("text", "name", "message"), BROKEN)
def test_broken_file_is_refused_with_its_place(text, name, message):
    with pytest.raises(GraphFileError, match=message) as caught:
        read(text, name)
    assert str(caught.value).startswith(name or "the stream")
    assert "\n" not in str(caught.value)


def sample(fmt: str, weighted: bool) -> bytes:
    """A small file of every format whose counts are stated."""
    edges = [(0, 1, 12), (1, 2, 345), (3, 10, 67), (10, 11, 89)]
    u, v, w = (np.array(column) for column in zip(*edges, strict=True))
    return written(sg.from_edges(u, v, w if weighted else None, 12, symmetrize=True), fmt)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fmt", ALL_FORMATS)
def test_file_cut_anywhere_is_refused(fmt, weighted):
    data = sample(fmt, weighted)
    whole = read(data, format=fmt)
    text = data.rstrip(b"\n")
    last_number = (
        len(data)
        if fmt in ("egr", "npz", "parquet")
        else 1 + max(text.rfind(b" "), text.rfind(b"\t"), text.rfind(b"\n"))
    )
    for cut in range(len(data)):
        if fmt == "egr" and weighted and cut == len(data) - 4 * whole.num_entries:
            continue  # just the weights are gone: that is a whole file, too
        try:
            graph = read(data[:cut], format=fmt)
        except GraphFileError:
            continue
        # Nobody can see that the digits of the last number were more, nor that the last line end is missing.
        assert cut > last_number
        assert graph.num_vertices == whole.num_vertices
        assert graph.num_entries == whole.num_entries


@pytest.mark.parametrize("fmt", ["mtx", "snap", "dimacs", "metis"])
def test_cut_file_is_refused_whatever_format_its_content_suggests(fmt):
    data = sample(fmt, True)
    suffix = {"mtx": ".mtx", "snap": ".txt", "dimacs": ".gr", "metis": ".graph"}[fmt]
    for cut in range(0, len(data.rstrip(b"\n")) - 4):
        with pytest.raises(GraphFileError):
            read(data[:cut], "x" + suffix)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_file_is_read_and_its_damage_noticed(pack, tmp_path):
    text = b"# Nodes: 2000 Edges: 1000\n" + b"".join(b"%d %d\n" % (i, 2 * i) for i in range(1000))
    packed = pack(text)
    path = tmp_path / "edges.txt"  # told from the bytes, not from the suffix
    path.write_bytes(packed)
    assert sg.read_graph(path).num_vertices == 2000
    for cut in (len(packed) - 1, len(packed) - 9, len(packed) // 2, 20):
        path.write_bytes(packed[:cut])
        with pytest.raises(GraphFileError, match=r"edges\.txt: the compressed file is damaged or cut short"):
            sg.read_graph(path)
    spoilt = bytearray(packed)
    spoilt[len(packed) // 2] ^= 0xFF
    path.write_bytes(spoilt)
    with pytest.raises(GraphFileError):
        sg.read_graph(path)


def test_concatenated_gzip_members_are_one_file():
    assert read(gzip.compress(b"0 1\n") + gzip.compress(b"1 2\n"), "x.txt").num_edges == 2


def test_missing_file_and_folder_are_os_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        sg.read_graph(tmp_path / "none.mtx")
    with pytest.raises(IsADirectoryError):
        sg.read_graph(tmp_path)
    with pytest.raises(IsADirectoryError):
        sg.write_graph(tmp_path, sg.from_edges([0], [1], directed=True), format="mtx")


def test_options_that_make_no_sense():
    for options in (
        {"format": "xyz"},
        {"symmetrize": "mean"},
        {"symmetrize": True, "directed": True},
        {"mmap": True},
    ):
        with pytest.raises(ValueError):
            read("0 1\n", "x.txt", **options)
    with pytest.raises(TypeError, match="binary"):
        sg.read_graph(io.StringIO("0 1\n"))
    with pytest.raises(TypeError, match="path must be"):
        sg.read_graph(3)


def test_symmetrize_and_directed():
    text = "# arcs\n0 1 3\n1 2 4\n2 1 4\n"
    assert read(text).directed
    graph = read(text, symmetrize=True)
    assert not graph.directed
    assert graph.num_edges == 2
    with pytest.raises(GraphFileError, match="symmetrize"):
        read(text, directed=False)
    differing = "# arcs\n0 1 3\n1 0 4\n"
    assert read(differing, symmetrize="max").weights.tolist() == [4, 4]
    assert read(differing, symmetrize="min").weights.tolist() == [3, 3]
    assert read(differing, symmetrize="sum").weights.tolist() == [7, 7]
    with pytest.raises(ValueError):
        read(differing, symmetrize=True)
    assert read("# gaps\n5 7\n", symmetrize=True).nodes is not None
    assert read("p tw 2 1\n1 2\n", directed=True).directed
    assert not read("p tw 2 1\n1 2\n", symmetrize="sum").directed


# -------------------------------------------------------------------------------------------------------- the parser


def numbers_of(text: bytes, **layout):
    return parse.parse(Source("text", bytearray(text)), 0, parse.Layout(**layout))


@given(
    st.lists(st.lists(st.integers(-(2**63) + 1, 2**63 - 1), max_size=4), max_size=20), st.sampled_from(["\n", "\r\n"])
)
def test_parser_reads_integers(rows, line_end):
    text = line_end.join("\t ".join(map(str, row)) for row in rows) + line_end
    numbers = numbers_of(text.encode(), empty_lines_count=True)
    assert numbers.integers.tolist() == [value for row in rows for value in row]
    assert np.diff(numbers.row_ends).tolist()[: len(rows)] == [len(row) for row in rows]
    assert numbers.decimals is None


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1),
    st.sampled_from(["%r", "%.17g", "%.3f", "%e"]),
)
def test_parser_reads_decimals_exactly(values, style):
    words = [style % value for value in values] + ["1.5"]
    numbers = numbers_of("\n".join(words).encode(), decimals=True)
    assert numbers.decimals.tolist() == [float(word) for word in words]
    assert [math_sign(x) for x in numbers.decimals] == [math_sign(float(word)) for word in words]


def math_sign(x: float) -> float:
    return float(np.copysign(1.0, x))


@pytest.mark.parametrize("word", ["+5", "-0", "007", "9223372036854775807", "-9223372036854775807", "0" * 30 + "12"])
def test_parser_reads_unusual_integers(word):
    assert numbers_of(word.encode()).integers.tolist() == [int(word)]


@pytest.mark.parametrize(
    "word", [".5", "5.", "1E+2", "-.5e-3", "-0e400", "0.0e-400", "5e-324", "0.1e1", "123456789012345678901.25"]
)
def test_parser_reads_unusual_decimals(word):
    assert numbers_of(word.encode(), decimals=True).decimals.tolist() == [float(word)]


@pytest.mark.parametrize("weight", [2**53, 2**53 + 2, -(2**62), 3 * 2**60, 10**18])
def test_integers_that_a_float_holds_are_read_beside_decimals(weight):
    assert read(f"# x\n0 1 0.1\n1 2 {weight}\n").weights.tolist() == [0.1, weight]
    assert read(f"%%MatrixMarket matrix array real general\n1 1\n{weight}\n").weights.tolist() == [weight]


def long_text() -> bytes:
    random = np.random.default_rng(3)
    lines = [b"# comment", b"", b"  ", b"1 2", b"-3 4.5", b"6", b"7 1.23456789012345678"]
    return b"\n".join(lines[i] for i in random.integers(0, len(lines), 500))


@pytest.mark.parametrize("workers", [2, 3, 7, 64])
def test_parser_gives_the_same_for_any_number_of_workers(workers, monkeypatch):
    layout = {"comments": "#", "decimals": True}
    alone = numbers_of(long_text(), **layout)
    monkeypatch.setattr(parse, "BYTES_PER_WORKER", 1)
    for target in ("cpu", "python"):
        with use_target(target, seed=workers, workers=workers):
            shared = numbers_of(long_text(), **layout)
        for name in ("integers", "decimals", "row_ends"):
            assert np.array_equal(getattr(alone, name), getattr(shared, name))


def test_parser_names_the_first_fault_of_many_workers(monkeypatch):
    monkeypatch.setattr(parse, "BYTES_PER_WORKER", 1)
    lines = [b"1 2"] * 100
    lines[40] = b"1 2-"
    lines[90] = b"--"
    with use_target("cpu", workers=8), pytest.raises(GraphFileError, match="line 41: '2-'"):
        numbers_of(b"\n".join(lines))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_printed_integers_are_right(values):
    stream = io.BytesIO()
    column = np.array(values, np.int64)
    render.render(stream, render.Columns([column, column[::-1]]))
    expected = "".join(f"{a} {b}\n" for a, b in zip(values, values[::-1], strict=True))
    assert stream.getvalue().decode() == expected


def test_printing_in_plain_python():
    graph = sg.from_edges([0, 1], [1, 11], [2.5, -1e-300], 12, directed=True)
    expected = written(graph, "snap")
    with use_target("python", seed=1):
        assert written(graph, "snap") == expected


def test_printing_over_block_borders(monkeypatch):
    graph = sg.from_edges(np.arange(50), np.arange(1, 51), np.arange(50) / 7, directed=True)
    expected = written(graph, "dimacs")
    monkeypatch.setattr(render, "_BLOCK", 16)
    assert written(graph, "dimacs") == expected


# ------------------------------------------------------------------------------------------------------- round trips


def zoo():
    u, v = np.array([0, 1, 4, 2]), np.array([1, 2, 2, 0])
    yield "undirected", sg.from_edges(u, v, n=5, symmetrize=True)
    yield "isolated at the end", sg.from_edges(u, v, n=9, symmetrize=True)
    yield "isolated everywhere", sg.from_edges([3], [5], n=9, symmetrize=True)
    yield "directed", sg.from_edges(u, v, n=5, directed=True)
    yield "integer weights", sg.from_edges(u, v, np.array([5, 0, -7, 2**40]), 6, symmetrize=True)
    yield "real weights", sg.from_edges(u, v, np.array([0.1, 1e-300, -2.0, 1 / 3]), 6, symmetrize=True)
    yield "directed, weights", sg.from_edges(u, v, np.array([0.1, 1e300, 2.0, 1 / 3]), 6, directed=True)
    yield "loop", sg.from_edges([0, 1, 2], [1, 1, 0], n=4, directed=True)
    yield "one vertex", sg.from_edges(np.zeros(0, int), np.zeros(0, int), n=1)
    yield "no vertex", sg.from_edges(np.zeros(0, int), np.zeros(0, int), n=0)
    yield "no edge", sg.from_edges(np.zeros(0, int), np.zeros(0, int), n=4)


CANNOT = {
    ("metis", "directed"),
    ("metis", "real weights"),
    ("metis", "directed, weights"),
    ("metis", "loop"),
    ("egr", "integer weights"),
    ("egr", "real weights"),
    ("egr", "directed, weights"),
}


@pytest.mark.parametrize("fmt", ALL_FORMATS)
@pytest.mark.parametrize(("name", "graph"), list(zoo()))
def test_round_trip(fmt, name, graph):
    if (fmt, name) in CANNOT:
        with pytest.raises(ValueError):
            written(graph, fmt)
        return
    back = read(written(graph, fmt), format=fmt)
    if fmt == "dimacs" and graph.directed and graph.weights is None:
        assert set(back.weights.tolist()) == {1}  # an arc of this format has a weight
        back = sg.as_graph(back, directed=True, weights=False)
    if graph.num_entries == 0 and fmt != "npz":
        assert (back.num_vertices, back.num_entries) == (graph.num_vertices, 0)
    else:
        assert_same(back, graph)


@pytest.mark.parametrize("fmt", ALL_FORMATS)
def test_format_of_a_written_file_is_recognised(fmt):
    graph = sg.from_edges([0, 1, 1, 2], [1, 2, 3, 3], n=6, symmetrize=True)
    assert_same(read(written(graph, fmt)), graph)


def test_symmetric_matrix_market_stores_one_half():
    text = written(sg.from_edges([0, 1], [1, 2], symmetrize=True), "mtx").decode().splitlines()
    assert text[0] == "%%MatrixMarket matrix coordinate pattern symmetric"
    assert text[-2:] == ["2 1", "3 2"]


def test_undirected_graph_with_one_sided_weights():
    matrix = sp.csr_array(np.array([[0, 2.5], [3.5, 0]]))
    graph = sg.as_graph(matrix)
    for fmt in ("mtx", "snap", "dimacs"):
        assert dense(read(written(graph, fmt))) == [[0, 2.5], [3.5, 0]]
    whole = sg.as_graph(sp.csr_array(np.array([[0, 2], [3, 0]])))
    with pytest.raises(ValueError, match="differ by direction"):
        written(whole, "metis")


def test_colouring_file(tmp_path):
    graph = sg.from_edges([0, 1], [1, 2], n=4, symmetrize=True)
    path = tmp_path / "x.col.gz"
    sg.write_graph(path, graph)
    assert gzip.decompress(path.read_bytes()) == b"p edge 4 2\ne 1 2\ne 2 3\n"
    assert_same(sg.read_graph(path), graph)
    with pytest.raises(ValueError, match="weights"):
        sg.write_graph(path, sg.from_edges([0], [1], [2], symmetrize=True))
    with pytest.raises(ValueError, match="undirected"):
        sg.write_graph(path, sg.from_edges([0], [1], directed=True))
    assert_same(sg.read_graph(path), graph)


def test_names_in_edge_lists():
    graph = read("# gaps\n10 400\n10 20\n")
    assert b"10\t400" in written(graph, "snap")
    back = read(written(graph, "snap"))
    assert [int(node) for node in back.nodes] == [10, 20, 400]
    assert_same(back, graph)
    lonely = sg.from_edges([0], [1], n=3, directed=True, nodes=np.array([5, 6, 70]))
    with pytest.raises(ValueError, match="isolated vertex 70"):
        written(lonely, "snap")


def test_parallel_edges_and_loops_in_metis():
    loops = sg.from_edges([0, 1], [1, 1], symmetrize=True)
    with pytest.raises(ValueError, match="self-loops, but vertex 1"):
        written(loops, "metis")
    twice = sg.from_edges([0, 0, 1, 1], [1, 1, 0, 0], drop_duplicates=False)
    with pytest.raises(ValueError, match=r"entry \(0, 1\) stands twice"):
        written(twice, "metis")


def test_egr_layout():
    graph = sg.from_edges([0, 1], [1, 2], [7, 8], symmetrize=True)
    numbers = np.frombuffer(written(graph, "egr"), "<i4").tolist()
    assert numbers == [3, 4, 0, 1, 3, 4, 1, 0, 2, 1, 7, 7, 8, 8]


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([2, 1, 0, 1, 1, 5], "vertex 5"),
        ([2, 2, 0, 3, 2, 1, 0], "row starts"),
        ([2, 2, 1, 1, 2, 1, 0], "row starts"),
        ([2, 3, 0, 1, 2, 1, 0], "28 bytes, but"),
        ([-2, 3, 0], "must begin"),
    ],
)
def test_broken_egr(numbers, message):
    data = np.array(numbers, "<i4").tobytes()
    with pytest.raises(GraphFileError, match=message):
        read(data, format="egr")


# --------------------------------------------------------------------------------------------------------------- npz


def native() -> sg.Graph:
    return sg.from_edges(
        [0, 1, 2], [1, 2, 0], [0.5, 1.5, 2.5], n=5, directed=True, nodes=np.array(["a", "b", "ç", "d", "e"])
    )


def test_npz_keeps_everything_and_numpy_reads_it(tmp_path):
    path = tmp_path / "g.npz"
    graph = native()
    sg.write_graph(path, graph)
    with np.load(path) as arrays:
        assert np.array_equal(arrays["indptr"], graph.indptr)
        assert np.array_equal(arrays["weights"], graph.weights)
        assert arrays["nodes"].tolist() == ["a", "b", "ç", "d", "e"]
    for mmap in (False, True):
        back = sg.read_graph(path, mmap=mmap)
        assert_same(back, graph)
        assert list(map(str, back.nodes)) == ["a", "b", "ç", "d", "e"]
        assert back.weights.dtype == graph.weights.dtype


def test_npz_members_are_aligned_and_mapped(tmp_path):
    path = tmp_path / "g.npz"
    sg.write_graph(path, native())
    raw = path.read_bytes()
    for array in (native().indptr, native().indices, native().weights):
        assert raw.find(array.tobytes()) % 64 == 0
    graph = sg.read_graph(path, mmap=True)
    for array in (graph.indptr, graph.indices, graph.weights):
        base = array
        while not isinstance(base, np.memmap) and base.base is not None:
            base = base.base
        assert isinstance(base, np.memmap)
        assert not array.flags.writeable


def test_npz_damage_is_noticed(tmp_path):
    path = tmp_path / "g.npz"
    sg.write_graph(path, native())
    raw = bytearray(path.read_bytes())
    raw[raw.find(native().weights.tobytes())] ^= 1
    path.write_bytes(raw)
    with pytest.raises(GraphFileError, match="damaged"):
        sg.read_graph(path)
    np.savez(path, indptr=np.array([0, 1]), indices=np.array([{}], object))
    with pytest.raises(GraphFileError, match="pickle"):
        sg.read_graph(path)
    with pytest.raises(GraphFileError, match="'indices'"):
        sg.read_graph(path)
    np.savez(path, a=np.arange(3))
    with pytest.raises(GraphFileError, match="'indptr' and 'indices'"):
        sg.read_graph(path)
    np.savez(path, indptr=np.array([0, 1, 2]), indices=np.array([1, 7]))
    with pytest.raises(GraphFileError):
        sg.read_graph(path)


def test_message_about_a_damaged_npz_is_text(tmp_path):
    path = tmp_path / "g.npz"
    sg.write_graph(path, native())
    whole = path.read_bytes()
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x81]) + whole[place + 1 :])
        for mmap in (False, True):
            try:
                sg.read_graph(path, mmap=mmap)
            except GraphFileError as error:
                message = str(error).removeprefix(f"{path}: ")
                assert "\\" not in message and "b'" not in message and message.isprintable(), message
                assert len(message) < 200


def test_npz_compressed(tmp_path):
    path = tmp_path / "g.npz"
    np.savez_compressed(path, indptr=np.array([0, 1, 2]), indices=np.array([1, 0]))
    assert sg.read_graph(path).num_edges == 1
    with pytest.raises(GraphFileError, match="cannot be mapped"):
        sg.read_graph(path, mmap=True)
    packed = tmp_path / "g.npz.gz"
    sg.write_graph(packed, native())
    assert_same(sg.read_graph(packed), native())


@pytest.mark.parametrize(
    ("nodes", "kept"),
    [([5, 3], [5, 3]), (["x", "yz"], ["x", "yz"]), ([(0, 1), 2.5], ["(0, 1)", "2.5"]), ([2**70, 1], [str(2**70), "1"])],
)
def test_npz_keeps_names_as_integers_or_texts(nodes, kept):
    back = read(written(sg.from_edges([0], [1], directed=True, nodes=nodes), "npz"))
    assert np.asarray(back.nodes).tolist() == kept


def test_npz_of_scipy(tmp_path):
    path = tmp_path / "m.npz"
    sp.save_npz(path, sp.csr_array(np.array([[0, 2], [2, 0]])))
    assert dense(sg.read_graph(path)) == [[0, 2], [2, 0]]


def test_npz_from_a_stream():
    assert_same(read(written(native(), "npz")), native())
    assert zipfile.ZipFile(io.BytesIO(written(native(), "npz"))).testzip() is None


# ------------------------------------------------------------------------------------------------------------ Parquet


def table_bytes(columns, metadata: str | None = None) -> bytes:
    """A Parquet file as others write it; `columns` is a dict, or pairs where two columns have one name."""
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
    graph = read(table_bytes({"a": [100, 7, 7], "b": [7, 100, 3_000_000_000]}))
    assert graph.directed
    assert [int(node) for node in graph.nodes] == [7, 100, 3_000_000_000]
    assert pairs(graph) == [(0, 1), (0, 2), (1, 0)]
    assert read(table_bytes({"a": [0, 1], "b": [1, 2]})).nodes is None


@pytest.mark.parametrize("ends", [("source", "target"), ("U", "V"), ("From", "To"), ("src", "dst")])
def test_table_whose_columns_have_names(ends):
    graph = read(table_bytes({"id": [8, 9], ends[1]: ["b", "a"], "Weight": [0.5, 2.0], ends[0]: ["é", "b"]}))
    assert graph.nodes == ["a", "b", "é"]
    assert dense(graph) == [[0, 0, 0], [2, 0, 0], [0, 0.5, 0]]


def test_table_is_undirected_if_its_entries_are():
    columns = {"u": [0, 1], "v": [1, 0], "w": [3, 4]}
    assert read(table_bytes(columns)).directed
    assert not read(table_bytes(columns), weights=False).directed
    assert read(table_bytes(columns), symmetrize="max").weights.tolist() == [4, 4]
    assert not read(table_bytes({**columns, "w": [3, 3]})).directed
    assert read(table_bytes({**columns, "w": [3, 3]}), directed=True).directed


def test_table_columns_that_are_not_what_they_could_be():
    assert read(table_bytes({"v": [0, 1], "w": [1, 2]})).weights is None  # w is an end here
    graph = read(table_bytes({"weight": [5, 6], "a": [0, 1], "b": [1, 2]}))
    assert (pairs(graph), graph.weights.tolist()) == ([(0, 1), (1, 2)], [5, 6])
    assert read(table_bytes({"a": [0], "b": [1], "w": ["red"]}), weights=False).num_edges == 1


def test_table_of_types_that_others_write():
    pa = pytest.importorskip("pyarrow", reason="Parquet tables need pyarrow; install the extra 'io'")
    names = pa.array(["x", "y", "x"]).dictionary_encode()  # as pandas stores categories
    graph = read(table_bytes({"a": names, "b": pa.array(["y", "z", "z"], pa.large_string()), "w": [True, False, True]}))
    assert (graph.nodes, dense(graph)) == (["x", "y", "z"], [[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    small = {"a": pa.array([0, 1], pa.int8()), "b": pa.array([1, 2], pa.uint64()), "w": [Decimal("1.5"), Decimal("2")]}
    assert dense(read(table_bytes(small))) == [[0, 1.5, 0], [0, 0, 2], [0, 0, 0]]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [1]}, r"two ends, but the columns are \['a'\]"),
        ({"weight": [1], "a": [1]}, "two ends"),
        ({"a": [1, None], "b": [1, 2]}, "column 'a', row 1 .*missing"),
        ({"a": [1, 2], "b": ["x", None]}, "both ends of an edge"),
        ({"a": ["y", "x"], "b": ["x", None]}, "column 'b', row 1 .*missing"),
        ({"a": [1, 2], "b": [1, 2], "w": [None, 1]}, "column 'w', row 0 .*missing"),
        ({"a": [1, 2], "b": [1, 2], "w": [1, float("nan")]}, "column 'w', row 1 .*not a number"),
        ({"a": [1], "b": [2], "weight": ["heavy"]}, "column 'weight' is of type string"),
        ({"a": [1.0], "b": [2]}, "column 'a' is of type double"),
        ({"a": [[1]], "b": [2]}, "column 'a' is of type list"),
        ({"a": [b"x"], "b": [b"y"]}, "column 'a' is of type binary"),
        ({"a": [1, 2], "b": [3, -4]}, "column 'b', row 1 .*-4 is less than 0"),
        ({"a": [1], "b": np.array([2**63], np.uint64)}, "column 'b', row 0 .*9223372036854775808 does not fit"),
        ({"a": np.zeros(0, int), "b": np.zeros(0, int)}, "no edges"),
        ([("a", [1]), ("a", [2])], "two columns are called 'a'"),
    ],
)
def test_broken_table_is_refused_with_its_place(columns, message):
    data = table_bytes(columns)
    with pytest.raises(GraphFileError, match=message) as caught:
        read(data, "x.parquet")
    assert str(caught.value).startswith("x.parquet: ")
    assert "\n" not in str(caught.value)


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
        (["b", "a", "c"], None),  # not ascending: numbers are written
        ([5, 3, 9], None),
        ([(0, 1), 2.5, "x"], None),
    ],
)
def test_table_keeps_ascending_names(nodes, kept):
    graph = sg.from_edges([0, 1], [1, 2], nodes=nodes, symmetrize=True)
    back = read(written(graph, "parquet"))
    assert_same(back, graph)
    assert (None if back.nodes is None else list(back.nodes)) == kept


@needs_pyarrow
def test_table_that_cannot_hold_the_graph():
    with pytest.raises(ValueError, match="isolated vertex c beside"):
        written(sg.from_edges([0], [1], nodes=["a", "b", "c"], symmetrize=True), "parquet")
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
    for text in (b"Name", b"Text"):  # a column's name, and an id, that are no longer UTF-8
        spoilt = table_bytes({"Name": ["Text"], "b": ["y"]}).replace(text, b"\xff" * 4)
        with pytest.raises(GraphFileError, match="damaged or cut short"):
            read(spoilt)


def test_table_without_pyarrow(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "stablegraph\[io\]"'):
        read(b"PAR1 and more")
    with pytest.raises(ModuleNotFoundError, match=r'pip install "stablegraph\[io\]"'):
        sg.write_graph(tmp_path / "g.parquet", sg.from_edges([0], [1], directed=True))
    assert os.listdir(tmp_path) == []


# ----------------------------------------------------------------------------------------------------- files and names


@pytest.mark.parametrize(
    "suffix", [".mtx", ".txt", ".gr", ".graph", ".egr", ".npz", pytest.param(".parquet", marks=needs_pyarrow)]
)
@pytest.mark.parametrize("packing", ["", ".gz", ".bz2", ".xz"])
def test_file_by_suffix(suffix, packing, tmp_path):
    graph = sg.from_edges([0, 1], [1, 2], n=4, symmetrize=True)
    path = tmp_path / f"g{suffix}{packing}"
    sg.write_graph(str(path), graph)
    assert_same(sg.read_graph(path), graph)
    magic = {"": b"", ".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ"}[packing]
    assert path.read_bytes().startswith(magic)
    assert os.listdir(tmp_path) == [path.name]


def test_scipy_reads_what_is_written(tmp_path):
    path = tmp_path / "g.mtx"
    graph = sg.from_edges([0, 1], [1, 2], [2.5, 1 / 3], symmetrize=True)
    sg.write_graph(path, graph)
    assert (scipy.io.mmread(path) != graph.to_scipy()).nnz == 0


@pytest.mark.parametrize("fmt", ["mtx", "snap", "dimacs", "metis"])
@pytest.mark.parametrize("weight", [np.uint64(2**63), np.int64(-(2**63)), np.inf, np.nan])
def test_weights_that_text_cannot_hold_are_refused(fmt, weight):
    graph = sg.from_edges([0, 1], [1, 2], np.array([weight, weight]), symmetrize=True)
    with pytest.raises(ValueError, match=r"entry \(0, 1\) weighs .*; write the format 'npz' instead"):
        sg.write_graph(io.BytesIO(), graph, format=fmt)
    graph = sg.from_edges([0, 1], [1, 2], np.array([1j, 2]), symmetrize=True)
    with pytest.raises(ValueError, match="real numbers, not complex128"):
        sg.write_graph(io.BytesIO(), graph, format=fmt)


def test_weights_that_a_table_cannot_hold_are_refused():
    pytest.importorskip("pyarrow")
    graph = sg.from_edges([0, 1], [1, 2], [1, np.nan], directed=True)
    with pytest.raises(ValueError, match=r"entry \(1, 2\) weighs nan; write the format 'npz' instead"):
        sg.write_graph(io.BytesIO(), graph, format="parquet")


def test_arguments_in_the_wrong_places_are_refused(tmp_path):
    graph = sg.from_edges([0], [1], directed=True)
    with pytest.raises(TypeError, match=r"takes a path .*, then a Graph .*got Graph, then str"):
        sg.write_graph(graph, str(tmp_path / "g.mtx"))
    with pytest.raises(TypeError, match=r"as_graph makes one of a matrix.*got str, then csr_array"):
        sg.write_graph(str(tmp_path / "g.mtx"), graph.to_scipy())
    assert os.listdir(tmp_path) == []


def test_unknown_suffix_is_refused(tmp_path):
    graph = sg.from_edges([0], [1], directed=True)
    with pytest.raises(ValueError, match="names no format"):
        sg.write_graph(tmp_path / "g.xyz", graph)
    with pytest.raises(ValueError, match="format= is needed"):
        sg.write_graph(io.BytesIO(), graph)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyboardInterrupt()])
def test_interrupted_write_leaves_the_old_file(error, tmp_path, monkeypatch):
    path = tmp_path / "g.txt"
    graph = sg.from_edges([0], [1], directed=True)
    sg.write_graph(path, graph)
    before = path.read_bytes()

    def fail(stream, graph):
        stream.write(b"half")
        raise error

    monkeypatch.setattr("stablegraph.io.snap.write", fail)
    with pytest.raises(type(error)):
        sg.write_graph(path, graph)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["g.txt"]


@pytest.mark.parametrize("stem", ["a" * 250, "\u00e9" * 125])
def test_longest_names_can_be_written(stem, tmp_path):
    path = tmp_path / f"{stem}.mtx"
    try:
        path.touch()
    except OSError:
        pytest.skip("this file system has shorter names")
    sg.write_graph(path, sg.from_edges([0], [1], directed=True))
    assert sg.read_graph(path).num_edges == 1
    assert len(os.listdir(tmp_path)) == 1


KILLED = """
import os, signal, sys
from stablegraph.io.target import replacing
with replacing(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")
def test_parts_of_killed_writers_are_removed_and_those_of_living_ones_are_not(tmp_path):
    path = tmp_path / "g.txt"
    graph = sg.from_edges([0], [1], directed=True)
    assert subprocess.run([sys.executable, "-c", KILLED, str(path)]).returncode == -signal.SIGKILL
    other = tmp_path / ".other.txt.0123abcd.part"
    other.write_bytes(b"of another file")
    assert len(os.listdir(tmp_path)) == 2
    with replacing(path) as slow:
        slow.write(b"0 1\n0 2\n")
        sg.write_graph(path, graph)
        assert sg.read_graph(path).num_edges == 1
        assert len(os.listdir(tmp_path)) == 3
    assert sg.read_graph(path).num_edges == 2
    assert sorted(os.listdir(tmp_path)) == [other.name, "g.txt"]


def test_refused_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "g.graph"
    path.write_bytes(b"old")
    with pytest.raises(ValueError):
        sg.write_graph(path, sg.from_edges([0], [1], directed=True))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["g.graph"]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions and links as on POSIX")
def test_permissions_and_links_are_kept(tmp_path):
    graph = sg.from_edges([0], [1], directed=True)
    path = tmp_path / "real.txt"
    path.write_bytes(b"")
    path.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    sg.write_graph(link, graph)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sg.read_graph(path).num_edges == 1
    sg.write_graph(os.devnull, graph, format="npz")
    assert not Path(os.devnull).is_file()


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"p tw 3 1\n1 3\n"))))
    assert sg.read_graph("-").num_edges == 1
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"p tw 3 1\n1 4\n")))
    with pytest.raises(GraphFileError, match=r"^standard input, line 2: vertex 4"):
        sg.read_graph("-")


@pytest.mark.parametrize("fmt", ALL_FORMATS)
def test_written_to_a_pipe(fmt):
    graph = sg.from_edges([0, 1], [1, 2], n=4, symmetrize=True)
    reading, writing = os.pipe()
    with open(writing, "wb") as stream:
        sg.write_graph(stream, graph, format=fmt)
    with open(reading, "rb") as stream:
        assert_same(sg.read_graph(stream, format=fmt), graph)


def test_parallel_edges_with_different_weights_are_kept():
    graph = read("p sp 2 3\na 1 2 5\na 1 2 7\na 1 2 5\n")
    assert graph.directed
    assert sorted(graph.weights.tolist()) == [5, 5, 7]
    assert graph.num_edges == 1
    assert read("p sp 2 2\na 1 2 5\na 1 2 7\n", symmetrize="min").weights.tolist() == [5, 5]


def test_sizes_beyond_all_memory_are_refused():
    with pytest.raises(GraphFileError, match="vertices"):
        read("p sp 9000000000000000 1\na 1 2 3\n")


@pytest.mark.parametrize(
    "text",
    [
        "%%MatrixMarket matrix coordinate pattern general\n1000000000 1000000000 1\n1 2\n",
        "p sp 1000000000 1\na 1 2 3\n",
        "# Nodes: 1000000000 Edges: 1\n0 1\n",
    ],
)
def test_more_vertices_than_the_memory_holds_are_refused_before_it_runs_out(text, monkeypatch):
    monkeypatch.setattr("stablegraph.io.contents.free_memory", lambda: 2**30)
    monkeypatch.setattr("stablegraph.io.contents.from_edges", None)
    with pytest.raises(
        GraphFileError, match=r"1000000000 vertices are .* take 22\.4 GiB .*, but only 1\.0 GiB .* free"
    ):
        read(text)


def test_free_memory_is_known_or_not_limited():
    assert free_memory() > 2**20


def test_progress_reports_bytes_of_the_file(tmp_path):
    path = tmp_path / "g.txt.gz"
    sg.write_graph(path, sg.from_edges(np.arange(1000), np.arange(1, 1001), directed=True))
    calls: list[tuple[int, int | None]] = []
    sg.read_graph(path, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (path.stat().st_size, path.stat().st_size)
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})


@pytest.mark.parametrize("fmt", ALL_FORMATS)
def test_64_bit_indices_can_be_written(fmt):
    graph = sg.from_edges([0, 1], [1, 2], n=4, symmetrize=True)
    wide = sg.as_graph((graph.indptr.astype(np.int64), graph.indices.astype(np.int64)))
    assert_same(read(written(wide, fmt), format=fmt), graph)
