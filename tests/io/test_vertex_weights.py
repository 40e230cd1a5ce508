"""Weights of vertices in METIS and DIMACS files, and where they are used."""

from __future__ import annotations

import io
import itertools

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.io import GraphFileError

COL = b"c weights\np edge 4 3\nn 2 7\nn 1 -3\ne 1 2\ne 2 3\nn 4 12\ne 3 4\n"
METIS = b"% weights\n4 3 010\n-3 2\n7 1 3\n1 2 4\n12 3\n"
WEIGHTS = [[-3], [7], [1], [12]]


@pytest.mark.parametrize("data", [COL, METIS, COL.replace(b"\n", b"\r\n"), COL.replace(b"\nn", b"\n  n")])
def test_weights_are_facts(data):
    graph = sg.read_graph(io.BytesIO(data))
    assert graph.facts["vertex_weights"].tolist() == WEIGHTS and graph.facts["vertex_weights"].dtype == np.int64
    assert graph.num_edges == 3


@pytest.mark.parametrize("suffix", [".col", ".graph", ".npz", ".col.gz"])
def test_weights_survive_a_file(tmp_path, suffix):
    graph = sg.read_graph(io.BytesIO(METIS))
    sg.write_graph(tmp_path / f"g{suffix}", graph)
    again = sg.read_graph(tmp_path / f"g{suffix}")
    assert again.facts["vertex_weights"].tolist() == WEIGHTS and sg.fingerprint(again) == sg.fingerprint(graph)
    several = graph._replace(facts={**graph._facts, "vertex_weights": np.ones((4, 2), np.int64)})
    if suffix == ".col":
        with pytest.raises(ValueError, match="one weight per vertex; write the format 'metis'"):
            sg.write_graph(tmp_path / "g.col", several)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"n 2 7", b"n 5 7", "line 3: vertex 5 is out of range"),
        (b"n 2 7", b"n 0 7", "line 3: vertex 0 is out of range"),
        (b"n 2 7", b"n 1 7", "line 4: a second weight for vertex 1"),
        (b"n 2 7", b"n 2 7.5", "line 3: '7.5' is not an integer"),
        (b"n 2 7", b"n 2", "line 3: 1 number"),
        (b"n 2 7", b"n 2 x", "line 3: 'x' is not a number"),
        (b"n 2 7", b"n 2 7 8", "line 3: 3 numbers"),
    ],
)
def test_broken_lines(old, new, message):
    with pytest.raises(GraphFileError, match=message):
        sg.read_graph(io.BytesIO(COL.replace(old, new)))
    graph = sg.read_graph(io.BytesIO(COL.replace(old, new)), weights=False)  # then they may be any words
    assert graph.num_edges == 3 and "vertex_weights" not in graph.facts


def test_weights_reach_the_functions():
    """The column of weights is accepted as it is; the answer is the heaviest set, by trying all sets."""
    graph = sg.read_graph(io.BytesIO(COL.replace(b"-3", b"13")))
    column = graph.facts["vertex_weights"]
    edges = {(0, 1), (1, 2), (2, 3)}
    sets = [
        [v in chosen for v in range(4)]
        for size in range(5)
        for chosen in map(set, itertools.combinations(range(4), size))
        if not any({u, v} <= chosen for u, v in edges)
    ]
    best = max(sets, key=lambda mask: int(column[:, 0] @ mask))
    assert sg.large_independent_set(graph, weights=column).mask.tolist() == best == [True, False, False, True]
    for form in (column, column[:, 0]):
        assert sg.maximal_independent_set(graph, weights=form).tolist() == best
        assert sg.maximal_independent_set(graph, priority=form).tolist() == best
        assert sg.vertex_coloring(graph, sizes=form, capacity=20).max() == 1
    with pytest.raises(ValueError, match=r"shape \(4, 2\)"):
        sg.maximal_independent_set(graph, weights=np.ones((4, 2)))


@pytest.mark.parametrize("data", [COL.replace(b"-3", b"13"), METIS.replace(b"-3", b"13")])
def test_weights_reach_the_commands(tmp_path, monkeypatch, data):
    pytest.importorskip("click")
    from tests.cli.invoking import facts, ok, refused

    monkeypatch.chdir(tmp_path)
    (tmp_path / "g").write_bytes(data)
    assert facts("mis", "g", "--weights", "g")["weight"] == 25
    assert facts("mis", "g", "--large", "--weights", "g")["weight"] == 25
    assert facts("mis", "g", "--priority", "@g")["size"] == 2
    result = facts("color", "g", "--sizes", "g", "--capacity", 20, "-o", "c.csv")
    assert result["colors"] == 2
    assert facts("verify", "g", "c.csv", "--sizes", "g", "--capacity", 20)["verified"] is True
    assert facts("verify", "g", "c.csv", "--sizes", "g", "--capacity", 18, code=1)["verified"] is False
    assert facts("info", "g")["vertex_weights"] == 1 and "vertex weights  1 per vertex" in ok("info", "g")
    (tmp_path / "bare").write_bytes(b"p edge 4 3\ne 1 2\ne 2 3\ne 3 4\n")
    assert "expected one weight for each vertex of this graph file, got 0" in refused("mis", "g", "--weights", "bare")
    (tmp_path / "two").write_bytes(b"2 1 010 2\n1 2 2\n3 4 1\n")
    assert "got 2" in refused("mis", "g", "--weights", "two")
    (tmp_path / "small").write_bytes(b"2 1 10\n1 2\n3 1\n")
    assert "2 numbers, but the graph has 4 vertices" in refused("mis", "g", "--weights", "small")
