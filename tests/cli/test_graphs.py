"""Commands on graphs in files: info, convert, generate, bench."""

from __future__ import annotations

import os
from typing import get_args

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.option_names import Priority
from stablegraph.cli.commands import readme_numbers

from .invoking import PATH, facts, ok, refused


def test_info(folder):
    result = facts("info", "path.mtx")
    assert (result["vertices"], result["edges"], result["entries"], result["directed"]) == (5, 4, 8, False)
    assert (result["degree_min"], result["degree_max"], result["degree_mean"]) == (1, 2, 1.6)
    assert (result["loops"], result["weights"], result["isolated_vertices"]) == (0, None, 0)
    assert result["file_bytes"] == len(PATH)
    assert "5" in ok("info", "path.mtx")


def test_info_of_a_directed_graph(folder):
    assert facts("info", "arcs.txt")["directed"] is True
    result = facts("info", "arcs.txt", "--symmetrize")
    assert (result["directed"], result["edges"]) == (False, 3)


def test_a_file_that_takes_much_more_memory_than_it_has_bytes(folder, monkeypatch):
    monkeypatch.setattr("stablegraph.io.source.FREELY", 1 << 20)
    (folder / "few.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n50000 50000 1\n2 1\n")
    assert "the 50000 vertices that it announces would take" in refused("mis", "few.mtx")
    assert refused("mis", "few.mtx").endswith("pass --trusted\n")
    assert facts("mis", "few.mtx", "--trusted")["vertices"] == 50000


@pytest.mark.parametrize("command", ["mis", "color", "forest", "aggregate", "bench", "verify"])
def test_lines_are_edges_where_edges_are_needed(folder, command):
    (folder / "friends.txt").write_text("3 30\n30 7\n7 3\n3 7\n")
    (folder / "set.txt").write_text("1\n0\n0\n")
    more = {"verify": ["set.txt"], "bench": ["--repeat", "1"]}
    arguments = [command, "friends.txt", *more.get(command, [])]
    assert facts(*arguments)["edges"] == facts(*arguments, "--symmetrize")["edges"] == 3
    assert "3 edges" in ok(*arguments)
    assert "entry (3, 30) has no partner (30, 3); pass --symmetrize" in refused(*arguments, "--directed")


def test_lines_are_edges_where_arcs_may_be(folder):
    (folder / "friends.txt").write_text("3 30\n30 7\n7 3\n")
    assert facts("info", "friends.txt")["directed"] is False
    assert facts("info", "friends.txt", "--directed")["directed"] is True
    assert "3 edges" in ok("components", "friends.txt")
    assert facts("bfs", "friends.txt", "--sources", "0")["farthest"] == 1
    assert facts("bfs", "friends.txt", "--sources", "0", "--directed")["farthest"] == 2


def test_lines_are_arcs_where_arcs_are_needed(folder):
    (folder / "chain.txt").write_text("3 30\n30 7\n")
    assert facts("scc", "chain.txt", "-o", "labels.txt")["components"] == 3
    assert "2 arcs" in ok("scc", "chain.txt")
    assert facts("verify", "chain.txt", "labels.txt", "--as", "scc")["verified"] is True
    assert facts("scc", "chain.txt", "--symmetrize")["components"] == 1
    assert facts("scc", "path.mtx")["components"] == 1  # two arcs for each edge


def test_lines_are_arcs_if_they_are_called_so(folder):
    (folder / "both.txt").write_text("0 1\n1 0\n")
    assert facts("info", "both.txt")["directed"] is False
    assert facts("info", "both.txt", "--directed")["directed"] is True
    ok("convert", "both.txt", "arcs.npz", "--directed")
    assert sg.read_graph("arcs.npz").directed
    assert facts("mis", "both.txt", "--directed")["size"] == 1  # each arc has its reverse: they are edges


def test_info_of_weights_and_loops(folder):
    (folder / "w.mtx").write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n2 1 -1.5\n2 2 4\n")
    result = facts("info", "w.mtx")
    assert (result["loops"], result["weights"], result["edges"]) == (2, "float64", 1)
    assert "-1.5 to 4" in ok("info", "w.mtx")


def test_merge_says_what_becomes_of_weights(folder):
    (folder / "w.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 5\n")
    (folder / "out").mkdir()
    ok("convert", "w.mtx", "out/w.mtx", "--merge", "max")
    assert sg.read_graph("out/w.mtx").weights.tolist() == [5, 5]


def test_info_of_an_empty_graph(folder):
    (folder / "empty.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    assert facts("info", "empty.mtx")["vertices"] == 0
    assert facts("mis", "empty.mtx")["size"] == 0
    ok("info", "empty.mtx")
    ok("mis", "empty.mtx", "-o", "set.txt")
    ok("verify", "empty.mtx", "set.txt")


def test_a_vertex_that_arcs_lead_to_is_not_isolated(folder):
    (folder / "arcs.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n4 4 2\n1 2\n2 3\n")
    assert facts("info", "arcs.mtx")["isolated_vertices"] == 1


@pytest.mark.parametrize(
    "target", ["g.mtx", "g.mtx.gz", "g.txt", "g.col", "g.graph", "g.egr", "g.npz", "g.gr", "g.parquet"]
)
def test_convert_keeps_the_graph(folder, target):
    if target == "g.parquet":
        pytest.importorskip("pyarrow", reason="Parquet tables need pyarrow; install the extra 'io'")
    result = facts("convert", "path.mtx", target)
    assert result["output_bytes"] == os.path.getsize(target)
    source, back = sg.read_graph("path.mtx"), sg.read_graph(target)
    assert np.array_equal(source.indptr, back.indptr) and np.array_equal(source.indices, back.indices)


def test_convert_without_loops(folder):
    """METIS files have no loops; the message names the vertex and the option."""
    sg.write_graph("matrix.mtx", sg.as_graph(gallery.laplacian((4, 4))))
    line = refused("convert", "matrix.mtx", "graph.metis")
    assert "vertex 0 has one" in line and "--simple" in line
    ok("convert", "matrix.mtx", "graph.metis", "--simple")
    assert sg.read_graph("graph.metis") == sg.read_graph("matrix.mtx").simple()
    (folder / "names.csv").write_text("source,target\nann,bob\nbob,bob\n")
    assert "vertex 'bob' has one" in refused("convert", "names.csv", "graph.metis")


def test_convert_with_stated_formats(folder):
    (folder / "text").write_text("1 2\n")
    ok("convert", "text", "other", "--from", "snap", "--to", "metis", "--symmetrize")
    assert (folder / "other").read_text().split() == ["2", "1", "2", "1"]
    assert "--to" in refused("convert", "path.mtx", "no.suffix")
    assert "must be one of mtx, " in refused("convert", "path.mtx", "x.mtx", "--from", "bogus")


@pytest.mark.parametrize(
    ("arguments", "vertices"),
    [
        (["grid", "4x5"], 20),
        (["grid", "3x3x3", "--stencil", "27"], 27),
        (["laplacian", "4x4"], 16),
        (["elasticity", "2x2x2"], 24),
        (["uniform", "100", "--picks", "3", "--seed", "1"], 100),
        (["rmat", "6", "--edges-per-vertex", "4"], 64),
        (["kronecker", "6"], 64),
        (["delaunay", "50"], 50),
        (["regular", "50", "--degree", "4"], 50),
        (["real", "us-counties"], 3234),
    ],
)
def test_generate(folder, arguments, vertices):
    result = facts("generate", *arguments, "-o", "g.npz")
    assert (result["vertices"], result["kind"]) == (vertices, arguments[0])
    assert sg.read_graph("g.npz").num_vertices == vertices


def test_generate_is_the_gallery(folder):
    ok("generate", "rmat", "7", "--seed", "5", "-o", "g.npz")
    assert np.array_equal(sg.read_graph("g.npz").indices, gallery.rmat(7, seed=5).indices)


def test_generate_lists_its_kinds(folder):
    printed = ok("generate", "--list")
    for kind in ("grid SHAPE", "elasticity SHAPE", "rmat SCALE", "delaunay POINTS"):
        assert kind in printed
    assert "say what to make: grid" in refused("generate")
    assert "100x100" in refused("generate", "grid", "3by3", "-o", "g.npz")
    assert "--output" in refused("generate", "grid", "3x3")
    assert "No such command" in refused("generate", "pyramid")


def test_bench(folder):
    result = facts("bench", "path.mtx", "--repeat", "1")
    assert [row["priority"] for row in result["results"]] == list(get_args(Priority))
    assert all(row["seconds"] > 0 and row["sweeps"] > 0 and row["size"] >= 2 for row in result["results"])
    assert result["sweep_seconds"] > 0
    assert "edge sweeps" in ok("bench", "path.mtx", "--repeat", "1")
    assert "not both" in refused("bench", "path.mtx", "--graph", "G2")
    assert "G3" in refused("bench", "--graph", "bogus")
    assert "leave out FILE" in refused("bench", "path.mtx", "--readme")


def test_comparisons_of_the_readme_without_the_packages(monkeypatch):
    monkeypatch.setattr(readme_numbers, "find_spec", lambda name: None)
    assert ok("bench", "--readme").count("not installed") == 3
    assert [row["missing"] for row in facts("bench", "--readme")["results"]] == [True] * 3


@pytest.mark.slow
def test_comparisons_of_the_readme(monkeypatch):
    pytest.importorskip("networkx")
    pytest.importorskip("pyamg")
    monkeypatch.setattr(readme_numbers, "EDGES", 2000)
    monkeypatch.setattr(readme_numbers, "SIDE", 12)
    results = facts("bench", "--readme")["results"]
    assert [row["call"].partition(".")[0] for row in results] == ["networkx", "scipy", "pyamg"]
    assert all(row["seconds"] > 0 and row["seconds_peer"] > 0 and row["ratio"] > 0 for row in results)
    with pytest.raises(RuntimeError, match="an answer of the comparison is wrong"):
        readme_numbers._timed(lambda: 1, (2).__eq__)


def test_a_list_that_may_begin_with_sizes_needs_its_format(folder):
    (folder / "sizes.txt").write_text("3 3 2\n1 2 1\n2 1 1\n")
    assert "pass --from snap if it is an edge" in refused("info", "sizes.txt")
    assert facts("info", "sizes.txt", "--from", "snap")["entries"] == 3
