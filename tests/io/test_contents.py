"""The interpretation of file contents: kinds, directions, weights, names, and detection of the format."""

from __future__ import annotations

import gzip
import re

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph.io import FORMATS, GraphFileError
from tests.io.samples import ALL_FORMATS, assert_same, dense, pairs, read, written


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
        b"# Directed graph\n0 1 3\n1 0 4\n",
        b"p sp 2 2\na 1 2 3\na 2 1 4\n",
    ],
)
def test_undirected_graph_of_a_file_has_one_weight_an_edge(data):
    with pytest.raises(
        GraphFileError, match=r"weights of entry \(0, 1\) differ: .*pass symmetrize='min', 'max'.*pass weights=False$"
    ):
        read(data, directed=False)
    assert read(data, directed=False, weights=False).num_edges == 1
    assert read(data).directed
    assert read(data, symmetrize="max").weights.tolist() == [4, 4]


def test_undirected_file_with_weights_that_differ_obeys_symmetrize():
    data = written(sg.as_graph(sp.csr_array(np.array([[0, 2.0], [3.0, 0]]))), "npz")
    assert read(data).weights.tolist() == [2, 3]  # the native format keeps a matrix unchanged
    assert read(data, symmetrize="max").weights.tolist() == [3, 3]
    with pytest.raises(GraphFileError, match=r"weights of entry .* differ"):
        read(data, directed=False)


LISTS = {"txt": "7 3\n3 30\n7 7\n3 30\n", "csv": "source,target\nBob,Ann\nAnn,Cy\nBob,Bob\nAnn,Cy\n"}


@pytest.mark.parametrize("kind", LISTS)
def test_lines_are_edges_unless_the_caller_says_arcs(kind):
    if kind == "csv":
        pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")
    graph = read(LISTS[kind], f"x.{kind}")
    opposite = {"txt": "3 7\n", "csv": "Ann,Bob\n"}[kind]
    assert (graph.directed, graph.num_edges, graph.num_entries) == (False, 2, 5)
    for same in ({"directed": False}, {"symmetrize": True}, {"symmetrize": "sum"}):
        assert read(LISTS[kind], f"x.{kind}", **same) == graph
    assert read(LISTS[kind] + opposite, f"x.{kind}") == graph  # an edge in both directions is one edge
    arcs = read(LISTS[kind], f"x.{kind}", directed=True)
    assert (arcs.directed, arcs.num_entries) == (True, 3)


def test_weights_of_listed_edges():
    assert dense(read("3 30 5\n30 7 6\n7 30 6\n")) == [[0, 0, 5], [0, 0, 6], [5, 6, 0]]
    with pytest.raises(GraphFileError, match=r"weights of entry \(3, 30\) differ: .* pass symmetrize='min', 'max'"):
        read("3 30 5\n30 7 6\n30 3 9\n")  # one edge, two weights
    assert read("3 30 5\n30 3 9\n", symmetrize="sum").weights.tolist() == [14, 14]


@pytest.mark.parametrize("header", ["# Undirected graph: x", "% sym unweighted"])
def test_lists_that_are_called_undirected(header):
    graph = read(f"{header}\n0 1\n1 2\n")
    assert graph == read("0 1\n1 2\n", "x.txt")
    assert read(f"{header}\n0 1\n1 2\n", directed=True) == sg.as_graph(graph, directed=True)  # two arcs for each edge


@pytest.mark.parametrize("header", ["# Directed graph", "% asym positive"])
def test_lists_that_are_called_directed(header):
    assert read(f"{header}\n0 1\n1 0\n").directed  # although each arc has its reverse
    assert read(f"{header}\n0 1\n1 0\n", directed=False).num_edges == 1
    with pytest.raises(GraphFileError, match="both that the graph is directed and that it is undirected"):
        read(f"{header}\n% sym\n0 1\n")


@pytest.mark.parametrize(
    "data",
    [
        b"# Directed graph (each unordered pair of nodes is saved once)\n3 30\n30 7\n",
        b"% asym positive\n3 30\n30 7\n",
        b"% bip unweighted\n3 30\n7 30\n",
        b"p sp 3 2\na 1 2 5\na 2 3 5\n",  # "a" is an arc
        b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
    ],
)
def test_arcs_are_not_taken_for_edges(data):
    assert read(data).directed
    with pytest.raises(GraphFileError, match=r"has no partner .*; pass symmetrize=True to read_graph"):
        read(data, directed=False)
    assert read(data, symmetrize=True).num_edges == 2


@pytest.mark.parametrize("fmt", ["snap", "parquet", "feather", "npz"])
def test_a_written_directed_graph_is_not_taken_for_edges(fmt):
    if fmt in ("parquet", "feather"):
        pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")
    data = written(sg.from_edges([0, 1], [1, 2], directed=True), fmt)
    with pytest.raises(GraphFileError, match="has no partner"):
        read(data, directed=False)


def test_edge_list_with_gaps_comments_and_weights():
    graph = read("% one\n# two\r\n100\t7\t0.5\r\n\n# three\n7,100,0.5\r\n  7 3000000000 2e0", directed=True)
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


@pytest.mark.parametrize("fmt", ALL_FORMATS)
def test_weights_are_left_out_where_none_are_asked_for(fmt):
    data = written(sg.from_edges([0, 1], [1, 2], [5, 6], symmetrize=True), fmt)
    assert read(data).weights is not None and read(data, weights=False).weights is None


def test_metis_weights_of_vertices_alone():
    text = "3 2 010\n7 2\n8 1 3\n9 2\n"
    assert written(read(text), "metis").decode() == text


def test_metis_empty_lines_are_isolated_vertices():
    graph = read("4 1\n\n3\n2\n\n", format="metis")
    assert pairs(graph) == [(1, 2), (2, 1)]
    assert graph.num_vertices == 4


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("3 2\n2\n1 3\n2\n", "", 2),  # METIS according to its header
        ("3 2\n2\n1 3\n2\n", "x.txt", 2),
        ("0 1\n1 2\n2 0\n", "", 3),  # the header does not match: edges
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
    assert read(text, "ring.txt", directed=True).num_entries == 3
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
    """Yield the matrix file with one damaged byte in its banner, or with text before it."""
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
    for mark in (b"#", b"q"):
        with pytest.raises(GraphFileError, match=r"^x, line 1: .*damaged DIMACS header"):
            read(mark + b" tw 4 2\n1 2\n3 2\n", "x")


@pytest.mark.parametrize(
    "header",
    [
        b"% sym weighted",
        b"% asym unweighted\n% 3 2 2",
        b"# made from a MatrixMarket file",
        b"% matrix of real flights",
        b"% real matrix in coordinate form, general",
        b"0 1 4\n# vc 3 2\n% matrix coordinate real general",  # after the first numbers
    ],
)
def test_comments_of_edge_lists_are_no_banners(header):
    for options in ({}, {"format": "snap"}):
        graph = read(header + b"\n1 2 5\n2 3 6\n", directed=True, **options)
        assert {5, 6} <= {*graph.weights.tolist()}


@pytest.mark.parametrize("fmt", ALL_FORMATS)
def test_stated_format_that_contradicts_the_contents_is_refused(fmt):
    data = written(sg.from_edges([0, 1, 1, 2], [1, 2, 3, 3], [2, 3, 4, 5], n=6, symmetrize=True), fmt)
    for stated in set(FORMATS) - {fmt, "parquet"}:
        with pytest.raises(GraphFileError) as caught:
            read(data, format=stated)
        if fmt not in ("snap", "metis"):  # these formats have no signature
            assert f"the contents are in the format {fmt!r}, not {stated!r}" in str(caught.value)


def test_names_between_blanks_are_refused_with_a_cure_that_works(tmp_path):
    networkx = pytest.importorskip("networkx")
    path = tmp_path / "friends.txt"
    text = "source target since\nann bob 2010\nbob eve 2012\n"
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


@pytest.mark.parametrize(
    ("name", "text", "weights"),
    [
        ("x.txt", "# Directed graph\n0 1 1\n0 1 1\n", [2, 2]),
        ("x.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 1\n1 2 1\n", [2, 2]),
        ("x.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 3\n", [3, 3]),
        ("x.gr", "p sp 2 2\na 1 2 1\na 1 2 1\n", [2, 2]),
    ],
)
def test_a_sum_has_all_parallel_arcs(tmp_path, name, text, weights):
    (tmp_path / name).write_text(text)
    assert sg.read_graph(tmp_path / name, symmetrize="sum").weights.tolist() == weights
