"""Text tables with a title line, and ids that may be strings."""

from __future__ import annotations

import csv
import gzip
import io
import math
from itertools import pairwise

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.io import GraphFileError
from tests.io.samples import dense, needs_pyarrow, pairs, read, written

pytestmark = needs_pyarrow


@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_names_of_a_table(separator, tmp_path):
    text = "source,target,since\nAnn,Bob,2010\nBob,Eve,2012\n".replace(",", separator)
    (tmp_path / "friends.csv").write_text(text)
    graph = sg.read_graph(tmp_path / "friends.csv", weights=False)
    assert (list(graph.nodes), graph.num_edges, graph.weights) == (["Ann", "Bob", "Eve"], 2, None)
    for same, name in (
        ("# friends\n" + text, "x.txt"),
        (text.replace("\n", "\r\n"), "x.tsv"),
        ("\ufeff" + text, "x.csv"),
    ):
        assert read(same, name, weights=False) == graph


def test_columns_by_their_names():
    graph = read("id,To,weight,from\n1,b,0.5,a\n2,c,1,b\n", "x.csv", directed=True)
    assert (list(graph.nodes), dense(graph)) == (["a", "b", "c"], [[0, 0.5, 0], [0, 0, 1], [0, 0, 0]])
    assert read("id,To,weight,from\n1,b,x,a\n", "x.csv", weights=False).num_edges == 1


def test_integers_below_a_title():
    graph = read('"a","b"\n10,20\n20,40\n', "x.csv", directed=True)
    assert (graph.nodes.tolist(), pairs(graph)) == ([10, 20, 40], [(0, 1), (1, 2)])
    assert list(read("u,v\n007,x\nNA,null\n", "x.csv").nodes) == ["007", "NA", "null", "x"]


@pytest.mark.parametrize(
    "ids",
    [
        ["01", "1", "2"],
        ["0x10", "1", "16"],
        ["0xFFFFFFFF", "1", "2"],
        ["+1", "1", "2"],
        ["-0", "0", "1"],
        ["1.0", "2", "3"],
        [" 1", "2", "3"],
        ["-1", "1", str(2**63)],
        ["0", "1", str(2**64)],
    ],
)
def test_ids_that_are_not_all_canonical_integers_are_texts(ids):
    """Ids are the strings in the file, in both columns, wherever the id is that is not an integer."""
    for k in range(3):
        a, b, c = ids[k:] + ids[:k]
        graph = read(f"source,target\n{a},{b}\n{b},{c}\n", "x.csv")
        assert list(graph.nodes) == sorted(ids)
        assert graph.num_edges == 2


@pytest.mark.parametrize("ids", [[-(2**63), -5, 0, 2**63 - 1], [10, 99, 100, 2**64 - 1], [0, 2**63]])
def test_canonical_integers_of_64_bits_are_integers(ids):
    rows = "".join(f"{u},{v}\n" for u, v in pairwise(ids))
    graph = read("source,target\n" + rows, "x.csv")
    assert graph.nodes.dtype == (np.uint64 if ids[-1] >= 2**63 else np.int64)
    assert graph.nodes.tolist() == ids
    assert [graph.index(name) for name in ids] == list(range(len(ids)))
    for format in ("parquet", "feather", "npz"):
        assert read(written(graph, format)).nodes.tolist() == ids


def test_ids_that_differ_only_in_blanks_are_refused():
    assert list(read("source,target\nAnn, Bob\n Bob,Cy\n", "x.csv").nodes) == [" Bob", "Ann", "Cy"]
    with pytest.raises(GraphFileError, match=r"x\.csv: ids '2' and ' 2' differ only in the blanks around them; remove"):
        read("source,target\n1, 2\n2, 3\n", "x.csv")


@pytest.mark.parametrize(
    "title", ["source,target\tweight", "source;target,weight", '"source",target;"x, y"', "source\ttarget;weight"]
)
def test_a_title_of_several_separators_is_refused(title):
    with pytest.raises(GraphFileError, match=r"line 1: the title line has several separators, '.*' and '.*'; separate"):
        read(title + "\n1,2\n", "x.csv", weights=False)
    assert read('source,target,"a;b""\t"\n1,2,3\n', "x.csv", weights=False).num_edges == 1


def test_quoted_names():
    graph = read('source,target\n"Bloggs, Jo",""\n"say ""hi""",é\n', "x.csv")
    assert list(graph.nodes) == ["", "Bloggs, Jo", 'say "hi"', "é"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source,target\nAnn,Bob\nEve,\n", "column 'target', row 1 .*missing"),
        ("source,target\nAnn,Bob\nEve\n", "the table is damaged: .*Expected 2 columns, got 1"),
        (
            "source\tother\nAnn\tBob\n",
            r"line 1: .* put the line 'source\\ttarget' before it; .* such as source='source' and target='other'$",
        ),
        ("'\",v'\nAnn,Bob\n", "line 1: .* may be an edge between names or a title line"),
        ('";v\nAnn;Bob\n', "source='source' and target='target'$"),
        (f"Ann,{'B' * 41}\nBob,Cy\n", "source='source' and target='target'$"),
        ("Ann,Bob,7\nBob,Cy,8\n", "put the line 'source,target,column3' before"),
        ("Ann,Bob" + ",7" * 50 + "\n", "'source,target,column3,column4,column5,column6' and so on, of 52 names before"),
        ("source,source,target\nAnn,Bob,Cy\n", "two ends by source= and target=; the columns are 'source', 'source',"),
        ("a,b,cost\n1,2,3\n", "two ends by source= and target=; the columns are 'a', 'b', 'cost'"),
        ("source,target,w\nAnn,Bob,heavy\n", "weights are numbers"),
    ],
)
def test_broken_tables(text, message):
    with pytest.raises(GraphFileError, match=message) as caught:
        read(text, "x.csv")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["2", str(2**63)], "row 1 .*: '9223372036854775808' does not fit into a 64-bit integer"),
        (["2", str(-(2**64))], "row 1 .*: '-18446744073709551616' does not fit into a 64-bit integer"),
        (["2", "9" * 5000], "row 1 .*: '9{40}' does not fit into a 64-bit integer"),
        (["0.5", str(2**53 + 1)], "row 1 .*: weight 9007199254740993 is read as a 64-bit float, which cannot hold it"),
        ([f" {-(2**53) - 1} ", "1e3"], "row 0 .*: weight -9007199254740993 is read as a 64-bit float"),
        (["1", "-1e400"], "row 1 .*: '-1e400' is too large for a 64-bit float"),
        (["3", "0x10"], "row 1 .*: '0x10' is not a number"),
        (["3", "0XFF"], "row 1 .*: '0XFF' is not a number"),
    ],
)
def test_weights_that_a_parser_would_change_are_refused(weights, message):
    """They are rejected in a list without a title, too."""
    rows = list(zip("12", "23", weights, strict=True))
    for title, names in (
        ("source,target,weight\n", {}),
        ("a,b,cost\n", {"source": "a", "target": "b", "weight": "cost"}),
    ):
        column = names.get("weight", "weight")
        with pytest.raises(GraphFileError, match=f"column '{column}', {message}"):
            read(title + "".join(",".join(row) + "\n" for row in rows), "x.csv", **names)
    with pytest.raises(GraphFileError):
        read("".join(" ".join(row) + "\n" for row in rows), "x.txt", format="snap")


@pytest.mark.parametrize(
    "weights",
    [
        [2**63 - 1, 1 - 2**63],
        [2.0**53 + 2, 0.5],
        [1e300, -1e300],
        [math.inf, 1.0],
    ],
)
def test_large_weights_are_those_of_the_file(weights):
    text = "".join(f"{k},{k + 1},{weight}\n" for k, weight in enumerate(weights))
    result = read("source,target,weight\n" + text, "x.csv", directed=True).weights
    assert (result.tolist(), result.dtype.kind) == (weights, "i" if isinstance(weights[0], int) else "f")


def test_integers_that_a_float_holds_may_be_next_to_decimals():
    graph = read(f"source,target,weight\n0x1,b,{2**60}\nb,c,0.5\nc,d,{2**53}.\n", "x.csv", directed=True)
    assert sorted(graph.weights.tolist()) == [0.5, 2.0**53, 2.0**60]
    assert read("source,target,weight\n0x1,b,16\n", "x.csv", directed=True).weights.tolist() == [16]


@pytest.mark.parametrize("text", ["source,target", "source,target\n", "source,target,weight\n\n"])
def test_a_title_without_rows_is_an_empty_graph(text):
    graph = read(text, "x.csv")
    assert (graph.num_vertices, graph.num_edges, graph.weights is None) == (0, 0, "weight" not in text)


@pytest.mark.parametrize("note", ["", "7", "inf", "1_000"])
def test_all_rows_decide_whether_a_column_holds_numbers(note):
    assert read(f"source,target,note\nA,B,{note}\nB,C,hi\n", "x.csv").num_edges == 2
    with pytest.raises(GraphFileError, match="the weights could be in 'note'"):
        read("source,target,note\nA,B,\nB,C,7\n", "x.csv")


def test_a_long_title_is_quoted_in_part():
    with pytest.raises(GraphFileError, match=r"row 1 .* the value is missing") as refused:
        read(f"u{'x' * 5000},v\n0,1\n,2\n", "x.csv")
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(("suffix", "separator"), [(".csv", ","), (".tsv", "\t")])
def test_a_written_table_has_a_title_and_names(tmp_path, suffix, separator):
    path = tmp_path / f"x{suffix}"
    graph = sg.from_edges(["Cy", "Ann", "Ann"], ["Ann", "Bo, b", "Ann"], [0.1, 2, 7], symmetrize=True)
    sg.write_graph(path, graph)
    assert list(csv.reader(path.read_text().splitlines(), delimiter=separator)) == [
        ["source", "target", "weight"],
        ["Cy", "Ann", "0.1"],
        ["Ann", "Ann", "7.0"],
        ["Ann", "Bo, b", "2.0"],
    ]
    back = sg.read_graph(path, symmetrize=True)
    assert list(back.nodes) == ["Ann", "Bo, b", "Cy"]
    assert back.weights.tolist() == [7, 2, 0.1, 2, 0.1]
    sg.write_graph(path, sg.from_edges([0, 1], [1, 2], symmetrize=True))
    assert path.read_text() == f"source{separator}target\n0{separator}1\n1{separator}2\n"
    assert sg.read_graph(path, symmetrize=True) == sg.from_edges([0, 1], [1, 2], symmetrize=True)
    sg.write_graph(path, sg.from_edges([2, 0], [0, 1], directed=True))
    assert sg.read_graph(path, directed=True) == sg.from_edges([2, 0], [0, 1], directed=True)
    sg.write_graph(path, graph, format="snap")  # the stated format decides
    assert path.read_text().startswith("# Undirected graph")


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (sg.from_edges([0], [1], n=3, symmetrize=True), "cannot hold the isolated vertex 2; write the format 'npz'"),
        (sg.from_edges([0], [1], nodes=["a ", "b"], symmetrize=True), "cannot hold the name 'a '"),
        (sg.from_edges([0], [1], nodes=["a", ""], symmetrize=True), "cannot hold the name ''"),
        (sg.from_edges([0], [1], nodes=["a\nb", "c"], symmetrize=True), "cannot hold the name"),
        (sg.from_edges([0], [1], [np.nan], symmetrize=True), "weights in a text file are numbers"),
    ],
)
def test_a_text_table_that_would_lose_something_is_refused(tmp_path, graph, message):
    with pytest.raises(ValueError, match=message):
        sg.write_graph(tmp_path / "x.csv", graph)
    assert not list(tmp_path.iterdir())


def test_names_that_are_texts_of_integers_are_refused(tmp_path):
    graph = sg.from_edges(["1", "-2"], ["-2", "18446744073709551616"], symmetrize=True)  # 2**64 keeps all ids strings
    sg.write_graph(tmp_path / "x.csv", graph)
    assert set(sg.read_graph(tmp_path / "x.csv").nodes) == set(graph.nodes)
    with pytest.raises(ValueError, match=r"texts of integers only, such as '1', .* 'parquet' or 'npz' instead"):
        sg.write_graph(tmp_path / "x.csv", sg.from_edges(["1"], ["2"], symmetrize=True))


@pytest.mark.parametrize("suffix", ["csv", "npz", "parquet", "feather"])
def test_names_that_end_in_nul_are_refused(tmp_path, suffix):
    with pytest.raises(ValueError, match="NUL"):
        sg.write_graph(tmp_path / f"x.{suffix}", sg.from_edges(["a\0"], ["b"], symmetrize=True))


def test_a_byte_order_mark_in_the_first_id_is_kept():
    assert list(read("source,target\n\ufeffAnn,Bob\n", "x.csv").nodes) == ["Bob", "\ufeffAnn"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('source,target\na,b\nb,"\nc,d\nd,e\n', 3),
        ('source,target\n"a\nx",b\nb,"c""\nc,d\n', 4),
        ('# a "comment\nsource;target;note\na;b;"x\nb;c;y\n', 3),
        ('u\tv\n"a\tb', 2),
    ],
)
def test_a_quotation_without_an_end_is_refused(text, line):
    """The lines after it would be a part of one name, or of a note, and their edges would be missing."""
    for options in ({}, {"weights": False}):
        with pytest.raises(GraphFileError, match=rf"line {line}: a quotation has no end"):
            read(text, "x.csv", **options)


def test_a_quote_in_a_name_is_a_character():
    assert read('source,target\na,5"\nb,5"6\nc,"d ""x"""\n', "x.csv").num_vertices == 6


# ----------------------------------------------------------------------------------------------------- without a suffix

STATED = {
    "named ends": ("source,target\nart,bio\nbio,chem\n", {}),
    "semicolons": ("Kind;From;TO\nx;art;bio\nx;bio;chem\n", {}),
    "tabs": ("u\tv\tw\nart\tbio\t2\nbio\tchem\t3\n", {}),
    "numbers below a title": ("first,second\n1,2\n2,30\n", {}),
    "a comment": ("# made by hand\nsource,target\nart,bio\nbio,chem\n", {}),
    "columns by name": ("first,second,score\nart,bio,0.5\nbio,chem,0.25\n", {"source": "first", "target": "second"}),
    "quotes": ('"source","target"\r\n"a b","c"\r\n"c","d"\r\n', {}),
}


@pytest.mark.parametrize("text", STATED)
def test_a_title_is_detected_in_a_stream_as_in_a_file(tmp_path, text):
    content, columns = STATED[text]
    suffix = ".tsv" if "\t" in content else ".csv"
    (tmp_path / f"g{suffix}").write_bytes(content.encode())
    expected = sg.read_graph(tmp_path / f"g{suffix}", **columns)
    for format in (None, "snap", suffix[1:]):
        for graph in (
            sg.read_graph(io.BytesIO(content.encode()), format=format, **columns),
            sg.read_graph(io.BytesIO(gzip.compress(content.encode())), format=format, **columns),
        ):
            assert sg.fingerprint(graph) == sg.fingerprint(expected)
            assert list(map(str, graph.nodes)) == list(map(str, expected.nodes))


def test_a_stream_that_may_be_no_table_is_refused():
    for text in ("Ann,Bob\nBob,Cy\n", "Dear reader, this is a letter.\nIt has lines, too.\n"):
        with pytest.raises(
            GraphFileError, match="name the columns of the two ends by source= and target=; if it is an edge"
        ):
            sg.read_graph(io.BytesIO(text.encode()))
        with pytest.raises(GraphFileError, match=r"may be an edge between names or a title line|several separators"):
            sg.read_graph(io.BytesIO(text.encode()), format="csv")


@pytest.mark.parametrize(("format", "separator"), [("csv", ","), ("tsv", "\t")])
def test_tables_by_the_name_of_their_format(tmp_path, format, separator):
    graph = sg.from_edges([0, 1], [1, 2], [5, 7], nodes=["art", "bio", "chem"], symmetrize=True)
    stream = io.BytesIO()
    sg.write_graph(stream, graph, format=format)
    text = "source,target,weight\nart,bio,5\nbio,chem,7\n".replace(",", separator)
    assert stream.getvalue().decode() == text
    sg.write_graph(tmp_path / "g.txt", graph, format=format)
    assert (tmp_path / "g.txt").read_text() == text
    assert sg.fingerprint(sg.read_graph(io.BytesIO(text.encode()), format=format)) == sg.fingerprint(graph)
    # Numbers without a title are an edge list; "tsv" refuses empty fields between tabs.
    numbers = "1 2\n2 3\n".replace(" ", separator).encode()
    assert sg.read_graph(io.BytesIO(numbers), format=format).num_edges == 2
    with pytest.raises(GraphFileError, match="a field is empty"):
        sg.read_graph(io.BytesIO(numbers.replace(b"2\n", b"2" + separator.encode() + b"\n", 1)), format=format)
    with pytest.raises(GraphFileError, match="the contents are in the format 'mtx'"):
        sg.read_graph(io.BytesIO(b"%%MatrixMarket matrix coordinate pattern general\n1 1 0\n"), format=format)
    with pytest.raises(GraphFileError, match="damaged Matrix Market banner"):
        sg.read_graph(io.BytesIO(b"%MatrixMarket matrix coordinate pattern general\n1 1 0\n"), format=format)
