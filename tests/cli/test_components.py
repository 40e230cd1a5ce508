"""``stablegraph components``, ``scc`` and ``forest``."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core import option_names as names

from .invoking import facts, ok, refused, run


@pytest.mark.parametrize(
    ("command", "find", "algorithms"),
    [
        ("components", sg.connected_components, get_args(names.ComponentAlgorithm)),
        ("scc", sg.strongly_connected_components, get_args(names.StrongAlgorithm)),
    ],
)
def test_components(folder, command, find, algorithms):
    graph = gallery.with_directions(gallery.uniform_random(300, 1))
    sg.write_graph("random.npz", graph)
    count, labels = find(graph)
    for algorithm in algorithms:
        result = facts(command, "random.npz", "--algorithm", algorithm, "-o", "labels.npz")
        assert (result["components"], result["largest"]) == (count, np.bincount(labels).max())
        assert (result["verified"], result["crc32"]) == (True, sg.fingerprint(labels))
    with np.load("labels.npz") as arrays:
        assert np.array_equal(arrays["component" if command == "components" else "strong_component"], labels)
    assert facts("verify", "random.npz", "labels.npz", "--as", command)["labels"] == count
    np.savetxt("wrong.txt", np.zeros(300), fmt="%d")
    assert "no: vertices 0 and" in run("verify", "random.npz", "wrong.txt", "--as", command).stdout


def test_components_tell_weak_from_strong(folder):
    (folder / "arcs.txt").write_text("# arcs\n0 1\n1 0\n1 2\n")
    assert facts("components", "arcs.txt")["components"] == 1
    result = facts("scc", "arcs.txt")
    assert (result["components"], result["single_vertices"]) == (2, 1)
    assert "2  (1 of a single vertex)" in ok("scc", "arcs.txt")
    assert run("scc", "arcs.txt", "-o", "-").stdout == "0\n0\n1\n"


@pytest.mark.parametrize("algorithm", get_args(names.ForestAlgorithm))
@pytest.mark.parametrize("maximum", [False, True])
def test_forest(folder, algorithm, maximum):
    heaviest = ["--maximum"] if maximum else []
    triangle = sg.from_edges([0, 1, 2], [1, 2, 0], [5, 0, 2**62], n=4, symmetrize=True)
    sg.write_graph("triangle.npz", triangle)
    answer = facts("forest", "triangle.npz", "--algorithm", algorithm, "-o", "forest.mtx", *heaviest)
    assert (answer["forest_edges"], answer["trees"], answer["verified"]) == (2, 2, True)
    assert answer["weight"] == (2**62 + 5 if maximum else 5)
    forest = sg.read_graph("forest.mtx")
    assert (forest.num_vertices, forest.num_edges, forest.directed) == (4, 2, False)
    assert facts("verify", "triangle.npz", "forest.mtx", "--as", "forest", *heaviest)["weight"] == answer["weight"]
    other_way = [] if maximum else ["--maximum"]
    result = run("verify", "triangle.npz", "forest.mtx", "--as", "forest", *other_way)
    assert result.exit_code == 1 and "and is not in the forest, but edge" in result.stdout


def test_forests_without_weights_and_with_weights_that_differ(folder):
    assert facts("forest", "path.mtx", "-o", "forest.npz")["weight"] == 4
    assert sg.read_graph("forest.npz") == sg.read_graph("path.mtx")
    (folder / "w.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 5.5\n")
    assert refused("forest", "w.mtx").endswith(
        "pass --merge min, max or sum, or combine them before; where they do not matter, pass --no-weights\n"
    )
    assert facts("forest", "w.mtx", "--no-weights")["weight"] == 1
    assert facts("forest", "w.mtx", "--merge", "max", "-o", "forest.npz")["weight"] == 5.5
    assert "5.5" in ok("verify", "w.mtx", "forest.npz", "--as", "forest", "--merge", "max")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".parquet", ".feather"])
def test_a_forest_in_a_table_has_names_in_every_format(folder, suffix):
    pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")
    (folder / "roads.csv").write_text("source,target,weight\nBob,Cy,3\nAnn,Bob,1\nAnn,Cy,2\nEve,Eve,4\nDan,Ann,9\n")
    ok("forest", "roads.csv", "-o", f"tree{suffix}")
    if suffix == ".csv":
        assert (folder / "tree.csv").read_text() == "source,target,weight\nAnn,Bob,1\nAnn,Cy,2\nAnn,Dan,9\n"
    roads, tree = (sg.read_graph(file, symmetrize=True) for file in ("roads.csv", f"tree{suffix}"))
    table = sg.to_table(roads, forest=sg.minimum_spanning_forest(roads))
    assert table.to_pydict() == {"source": ["Ann"] * 3, "target": ["Bob", "Cy", "Dan"], "weight": [1, 2, 9]}
    assert sg.to_table(tree, forest=tree).equals(table)
    assert facts("verify", "roads.csv", f"tree{suffix}", "--as", "forest")["weight"] == 12


def test_a_forest_in_a_table_has_names_of_an_npz_graph_and_no_isolated_vertices(folder):
    pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")
    sg.write_graph("names.npz", sg.from_edges(["Cy", "Ann"], ["Ann", "Bob"], symmetrize=True))
    sg.write_graph("gaps.npz", sg.from_edges([4, 2], [2, 0], n=6, symmetrize=True))
    for suffix in (".csv", ".tsv", ".parquet", ".feather"):
        ok("forest", "names.npz", "-o", f"tree{suffix}")
        assert sorted(sg.read_graph(f"tree{suffix}", symmetrize=True).nodes) == ["Ann", "Bob", "Cy"]
        assert facts("verify", "names.npz", f"tree{suffix}", "--as", "forest")["verified"] is True
        ok("forest", "gaps.npz", "-o", f"gaps{suffix}")
        assert facts("verify", "gaps.npz", f"gaps{suffix}", "--as", "forest")["forest_edges"] == 2
    assert (folder / "gaps.csv").read_text() == "source,target\n0,2\n2,4\n"
    (folder / "other.csv").write_text("source,target\nCy,Zoe\n")
    assert "no vertex is named 'Zoe'" in refused("verify", "names.npz", "other.csv", "--as", "forest")
    (folder / "other.csv").write_text("source,target\n0,9\n")
    assert "vertex 9, but there are 6 vertices" in refused("verify", "gaps.npz", "other.csv", "--as", "forest")


def test_the_ids_of_a_forest_in_a_table_are_compared_as_texts(folder):
    """String ids of a Parquet file sort differently from the integers of a text table."""
    pa = pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")
    names = sorted(map(str, range(11)))  # 0, 1, 10, 2
    table = pa.table({"source": names[:-1], "target": names[1:]})
    pytest.importorskip("pyarrow.parquet").write_table(table, "texts.parquet")
    sg.write_graph("permuted.npz", sg.from_edges([0, 1, 1], [1, 2, 3], nodes=[2, 0, 3, 1], symmetrize=True))
    (folder / "mixed.csv").write_text("source,target,weight\n1,2,3\n2,2,4\nx,x,9\n")
    (folder / "loops.csv").write_text("source,target\nx,x\ny,y\n")
    edges = {"texts.parquet": 10, "permuted.npz": 3, "mixed.csv": 1, "loops.csv": 0}
    for suffix in (".csv", ".tsv", ".csv.gz", ".parquet", ".feather", ".npz", ".mtx"):
        for graph, count in edges.items():
            ok("forest", graph, "-o", f"tree{suffix}")
            result = facts("verify", graph, f"tree{suffix}", "--as", "forest")
            assert (result["verified"], result["forest_edges"]) == (True, count), (graph, suffix)
    rows = "".join(f"{v},{v + 1}\n" for v in range(10))
    (folder / "wrong.csv").write_text("source,target\n" + rows)
    assert facts("verify", "texts.parquet", "wrong.csv", "--as", "forest", code=1)["verified"] is False


def test_an_empty_graph_has_no_components(folder):
    (folder / "empty.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    (folder / "nobody.txt").write_text("")
    no_vertices = ["--sources", "@nobody.txt"]
    for command, options in (("components", []), ("scc", []), ("bfs", no_vertices), ("forest", ["--to", "npz"])):
        assert facts(command, "empty.mtx", *options, "-o", "answer")["verified"] is True
        assert facts("verify", "empty.mtx", "answer", "--as", command)["verified"] is True


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".parquet"])
def test_clusters_have_ids_and_grow(folder, suffix):
    pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")
    (folder / "pairs.csv").write_text("source,target\nb2,b1\na2,a1\nc1,c1\n")
    (folder / "more.csv").write_text("source,target\nc1,b2\nd2,d1\n")
    (folder / "all.csv").write_text("source,target\nb2,b1\na2,a1\nc1,c1\nc1,b2\nd2,d1\n")
    smallest = ["--label", "smallest", "-o"]
    first = facts("components", "pairs.csv", *smallest, f"clusters{suffix}")
    assert (first["components"], first["verified"], first["label"]) == (3, True, "smallest")
    if suffix == ".csv":
        assert (folder / "clusters.csv").read_text() == "id,cluster,size\na1,a1,2\na2,a1,2\nb1,b1,2\nb2,b1,2\nc1,c1,1\n"
    assert facts("verify", "pairs.csv", f"clusters{suffix}", "--as", "components")["labels"] == 3
    grown = facts("components", "more.csv", "--start", f"clusters{suffix}", *smallest, "grown.csv")
    whole = facts("components", "all.csv", *smallest, "whole.csv")
    assert (folder / "grown.csv").read_text() == (folder / "whole.csv").read_text()
    assert (grown["vertices"], grown["edges"], grown["crc32"]) == (7, 2, whole["crc32"])
    assert "7 vertices, 2 edges added to clusters" in ok("components", "more.csv", "--start", f"clusters{suffix}")
    numbers = facts("components", "pairs.csv", "-o", f"numbers{suffix}")
    assert numbers["crc32"] != first["crc32"]
    again = facts("components", "more.csv", "--start", f"numbers{suffix}", "--label", "smallest")
    assert again["crc32"] == whole["crc32"]


def test_refused_parquet_starts(folder):
    pa = pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")
    write, added = pytest.importorskip("pyarrow.parquet").write_table, ["components", "new.csv", "--start", "x.parquet"]
    (folder / "new.csv").write_text("source,target\n7,9\n")
    write(pa.table({"id": [7, 9, None], "cluster": [7, 9, 9]}), "x.parquet")
    assert "the columns id and cluster must not have missing values" in refused(*added)
    write(pa.table({"id": [7, 9, 7], "cluster": [7, 9, 9]}), "x.parquet")
    assert "vertex 7 has several lines" in refused(*added)
    for cluster in ([7, 7, 10], ["x", "x", "y"]):
        write(pa.table({"id": [8, 7, 10], "cluster": cluster}), "x.parquet")
        facts(*added, "--label", "smallest", "-o", "clusters.csv")
        assert (folder / "clusters.csv").read_text() == "id,cluster,size\n7,7,3\n8,7,3\n9,7,3\n10,10,1\n"
    write(pa.table({"id": ["a", "7"], "cluster": [7, 7]}), "x.parquet")
    facts(*added, "--label", "smallest", "-o", "clusters.csv")
    assert (folder / "clusters.csv").read_text() == "id,cluster,size\n7,7,3\n9,7,3\na,7,3\n"


@pytest.mark.parametrize("name", ["labels.txt", "labels.npy", "labels.npz", "labels.csv"])
@pytest.mark.parametrize("label", ["number", "smallest"])
def test_added_edges_of_numbered_vertices(folder, name, label):
    pytest.importorskip("pyarrow", reason="names need pyarrow; install the extra 'io'")
    places = np.random.default_rng(0).permutation(200)
    whole = sg.from_edges(places, np.roll(places, 1) // 2 * 2, symmetrize=True)
    entries = whole.to_scipy().tocoo()
    u, v = entries.row, entries.col
    early = (u < 150) & (v < 150)
    sg.write_graph("early.npz", sg.from_edges(u[early], v[early], n=150))
    sg.write_graph("late.npz", sg.from_edges(u[~early], v[~early], n=200))
    late = sg.read_graph("late.npz")
    facts("components", "early.npz", "--label", label, "-o", name)
    for file in ("late.npz", "late.txt"):
        if file == "late.txt":  # an edge list whose ids have gaps
            (folder / file).write_text("".join(f"{a} {b}\n" for a, b in zip(late._rows(), late.indices, strict=True)))
        result = facts("components", file, "--start", name, "--label", "smallest")
        assert result["crc32"] == sg.fingerprint(sg.connected_components(whole, label="smallest")[1])


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("id,cluster\na1,a1\na1,a1\n", "vertex a1 has several lines"),
        ("id,group,other\na1,1,2\n", "the columns must be id and cluster, got 'id,group,other'"),
        ("id,cluster\na1\n", "line 2: expected 2 values, got 1"),
        ("0\n0\n", "the vertices of the graph have names; pass a table"),
    ],
)
def test_refused_starts(folder, start, message):
    (folder / "pairs.csv").write_text("source,target\na1,a2\n")
    (folder / "start").write_text(start)
    assert message in refused("components", "pairs.csv", "--start", "start")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("a1,a1,2\na2,a1,2\n", "its ids are not those of the graph's 3 vertices"),
        ("a1,a1,2\na2,a1,2\na2,a1,2\n", "vertex a2 has several lines"),
    ],
)
def test_refused_clusters(folder, table, message):
    (folder / "pairs.csv").write_text("source,target\na1,a2\nb,b\n")
    (folder / "clusters.csv").write_text("id,cluster,size\n" + table)
    assert message in refused("verify", "pairs.csv", "clusters.csv", "--as", "components")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            "a1,a2,2\na2,a2,2\nb,b,1\n",
            "the smallest id in the cluster of a1 is a1, and its size 2, but the row is a1,a2,2",
        ),
        ("a1,a1,2\na2,a1,3\nb,b,1\n", "and its size 2, but the row is a2,a1,3"),
        ("a1,a1,2\na2,b,2\nb,b,1\n", "'a1' and 'a2' are adjacent"),
    ],
)
def test_wrong_clusters(folder, table, message):
    (folder / "pairs.csv").write_text("source,target\na1,a2\nb,b\n")
    (folder / "clusters.csv").write_text("id,cluster,size\n" + table)
    result = facts("verify", "pairs.csv", "clusters.csv", code=1)
    assert message in result["reason"] and result["verified"] is False
    (folder / "clusters.csv").write_text("id,cluster,size\na1,a1,1\na2,a2,2\nb,a2,2\n")
    result = run("verify", "pairs.csv", "clusters.csv", "--as", "components")
    assert result.exit_code == 1 and "no: " in result.stdout


PAIRS = "source,target,score\nb,a,0.9\nb,c,0.6\nc,d,0.5\ne,e,0.7\n"


@pytest.fixture
def pairs(folder):
    pytest.importorskip("pyarrow")
    (folder / "pairs.csv").write_text(PAIRS)
    (folder / "records.csv").write_text("name,id\nZoe,z\nAnn,a\nDan,d\n")
    (folder / "ids.csv").write_text("id\nd\nz\n")
    return folder


@pytest.mark.parametrize(
    ("condition", "clusters"),
    [
        ("score >= 0.6", "abc,e"),
        ("score>0.6", "ab,e"),
        (" score <= 6e-1 ", "bcd"),
        ("score < 0.6", "cd"),
        ("score == 0.5", "cd"),
        ("score != 0.5", "abc,e"),
        ("score > 1", ""),
    ],
)
def test_pairs_that_fulfil_a_condition(pairs, condition, clusters):
    """The ids of other pairs are only in the answer if the records have them."""
    for more, alone in (([], ""), (["--records", "records.csv"], "adz"), (["--records", "ids.csv"], "dz")):
        groups = [set(group) for group in clusters.split(",") if group]
        groups += [{name} for name in alone if not any(name in group for group in groups)]
        result = facts("components", "pairs.csv", "--where", condition, *more, "--label", "smallest", "-o", "out.csv")
        assert (result["components"], result["verified"], result["where"]) == (len(groups), True, condition)
        rows = sorted((name, min(group), str(len(group))) for group in groups for name in group)
        assert (pairs / "out.csv").read_text().split() == ["id,cluster,size", *map(",".join, rows)]
        checked = ["verify", "pairs.csv", "out.csv", "--where", condition, *more]
        assert facts(*checked)["labels"] == len(groups)
        if len(groups) > 1:  # one cluster for two
            joined = sorted({*groups[0], *groups[1]})
            rest = [row for row in rows if row[0] not in joined]
            merged = [*rest, *((name, joined[0], str(len(joined))) for name in joined)]
            (pairs / "out.csv").write_text("id,cluster,size\n" + "".join(",".join(row) + "\n" for row in merged))
            assert "have label 0, but are not connected" in facts(*checked, code=1)["reason"]
        (pairs / "out.csv").write_text("id,cluster,size\n" + "".join(",".join(row) + "\n" for row in rows[1:]))
        if rows:
            assert "pass --where and --records as for the answer" in refused(*checked)


def test_the_same_from_python_with_integers_and_parquet(pairs):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"a": [5, 7, 9], "b": [7, 9, 2], "rank": [1, 2, 3], "w": [0.5, 0.1, 0.2]})
    parquet.write_table(table, "pairs.parquet")
    parquet.write_table(pa.table({"key": pa.array([4, 5], pa.int32())}), "ids.parquet")
    ends = ["--source", "a", "--target", "b"]
    options = [*ends, "--where", "rank >= 2", "--records", "ids.parquet", "--label", "smallest", "-o", "out.parquet"]
    assert facts("components", "pairs.parquet", *options)["components"] == 3
    expected = sg.cluster_pairs(table, [4, 5], threshold=2, column="rank", source="a", target="b")
    assert parquet.read_table("out.parquet").to_pydict() == expected.to_pydict()
    (pairs / "texts.csv").write_text("id\nx\n5\n")
    assert facts("components", "pairs.parquet", *ends, "--records", "texts.csv")["components"] == 2
    sg.write_graph("grid.mtx", gallery.grid((3,)))
    (pairs / "more.csv").write_text("id\n1\n7\n")
    assert facts("components", "grid.mtx", "--records", "more.csv")["vertices"] == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--where", "score"], "expected a column, one of <= >= == != < >, and a number, such as 'score >= 0.6', got"),
        (["--where", "score >= nan"], "got 'score >= nan'"),
        (["--where", "score = 0.6"], "got 'score = 0.6'"),
        (["--where", "score >= __import__('os')"], "got \"score >= __import__('os')\""),
        (["--where", "rank >= 1"], "there is no column 'rank'; the columns are 'source', 'target', 'score'"),
        (["--where", "source >= 1"], "column 'source' is of type string"),
        (["--records", "pairs.txt"], "pairs.txt, line 1: put the title 'id' before the ids of the records"),
        (["--records", "holes.csv"], "holes.csv, line 3: the id is missing"),
        (["--records", "short.csv"], "short.csv, line 2: the id is missing"),
        (["--records", "keys.csv"], "keys.csv: rename the column of the ids to 'id'; the columns are 'key', 'name'"),
        (["--where", "score >= 1", "--dask", "local"], "--dask has no option --where of components"),
    ],
)
def test_refused_conditions_and_records(pairs, options, message):
    (pairs / "pairs.txt").write_text("a\nb\n")
    (pairs / "holes.csv").write_text("id,x\na,1\n,2\n")
    (pairs / "short.csv").write_text("x,id\na,\n")
    (pairs / "keys.csv").write_text("key,name\na,Ann\n")
    assert message in refused("components", "pairs.csv", *options)


def test_conditions_of_missing_values_and_without_columns(pairs):
    (pairs / "holes.csv").write_text(PAIRS.replace("0.6", ""))
    assert "column 'score', row 1 (the first is 0): the value is missing" in refused(
        "components", "holes.csv", "--where", "score >= 0.6"
    )
    (pairs / "nan.csv").write_text(PAIRS.replace("0.6", "nan"))
    assert "column 'score', row 1" in refused("components", "nan.csv", "--where", "score >= 0.6")
    sg.write_graph("grid.mtx", gallery.grid((3,)))
    assert "--where needs a table with the column 'score'" in refused(
        "components", "grid.mtx", "--where", "score >= 0.6"
    )
