"""Text tables with a title line, and ids that may be texts."""

from __future__ import annotations

import pytest

import stablegraph as sg
from stablegraph.io import GraphFileError
from tests.io.samples import dense, needs_pyarrow, pairs, read

pytestmark = needs_pyarrow


@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_names_of_a_table(separator, tmp_path):
    text = "source,target,since\nAnn,Bob,2010\nBob, Eve ,2012\n".replace(",", separator)
    (tmp_path / "friends.csv").write_text(text)
    graph = sg.read_graph(tmp_path / "friends.csv", symmetrize=True)
    assert (list(graph.nodes), graph.num_edges, graph.weights) == (["Ann", "Bob", "Eve"], 2, None)
    assert (
        read("# friends\n" + text, "x.txt")
        == read(text.replace("\n", "\r\n"), "x.tsv")
        == sg.as_graph(read("\ufeff" + text, "x.csv"), directed=True)
    )


def test_columns_by_their_names():
    graph = read("id,To,weight,from\n1,b,0.5,a\n2,c,1,b\n", "x.csv")
    assert (list(graph.nodes), dense(graph)) == (["a", "b", "c"], [[0, 0.5, 0], [0, 0, 1], [0, 0, 0]])
    assert read("id,To,weight,from\n1,b,x,a\n", "x.csv", weights=False).num_edges == 1


def test_integers_below_a_title():
    graph = read('"a","b"\n10,20\n20,40\n', "x.csv")
    assert (graph.nodes.tolist(), pairs(graph)) == ([10, 20, 40], [(0, 1), (1, 2)])
    assert list(read("u,v\n007,x\nNA,null\n", "x.csv").nodes) == ["007", "NA", "null", "x"]


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
            r"line 1: .* put the line 'source\\ttarget', and in .* from_table\(table, 'source', 'other'\)",
        ),
        ("'\",v'\nAnn,Bob\n", "line 1: .* is not an edge"),
        ('";v\nAnn;Bob\n', r"from_table\(table, 'source', 'target'\)"),
        (f"Ann,{'B' * 41}\nBob,Cy\n", r"from_table\(table, 'source', 'target'\)"),
        ("Ann,Bob,7\nBob,Cy,8\n", "between names put the line 'source,target,column3'"),
        ("Ann,Bob" + ",7" * 50 + "\n", "'source,target,column3,column4,column5,column6' and so on, of 52 names, and"),
        ("source,source,target\nAnn,Bob,Cy\n", "two columns are called 'source'"),
        ("source,target\n", "no edges"),
        ("source,target,w\nAnn,Bob,heavy\n", "weights are numbers"),
        ("source,target\n-1,2\n", "column 'source', row 0 .*-1 is less than 0"),
    ],
)
def test_broken_tables(text, message):
    with pytest.raises(GraphFileError, match=message) as caught:
        read(text, "x.csv")
    assert "\n" not in str(caught.value)


def test_a_long_title_is_quoted_in_part():
    with pytest.raises(GraphFileError, match=r"row 1 .* vertex id -1 is less than 0") as refused:
        read(f"u{'x' * 5000},v\n0,1\n-1,2\n", "x.csv")
    assert len(str(refused.value)) < 400
