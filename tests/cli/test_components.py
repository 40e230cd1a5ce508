"""``stablegraph components``, ``scc`` and ``forest``."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery, names
from stablegraph.cli import answer_files

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
        found = facts(command, "random.npz", "--algorithm", algorithm, "-o", "labels.npz")
        assert (found["components"], found["largest"]) == (count, np.bincount(labels).max())
        assert (found["verified"], found["crc32"]) == (True, answer_files.fingerprint(labels))
    with np.load("labels.npz") as arrays:
        assert np.array_equal(arrays["labels"], labels)
    assert facts("verify", "random.npz", "labels.npz", "--as", command)["labels"] == count
    np.savetxt("wrong.txt", np.zeros(300), fmt="%d")
    assert "no: vertices 0 and" in run("verify", "random.npz", "wrong.txt", "--as", command).stdout


def test_components_tell_weak_from_strong(folder):
    (folder / "arcs.txt").write_text("# arcs\n0 1\n1 0\n1 2\n")
    assert facts("components", "arcs.txt")["components"] == 1
    found = facts("scc", "arcs.txt")
    assert (found["components"], found["single_vertices"]) == (2, 1)
    assert "2  (1 of a single vertex)" in ok("scc", "arcs.txt")
    assert run("scc", "arcs.txt", "-o", "-").stdout == "0\n0\n1\n"


@pytest.mark.parametrize("algorithm", get_args(names.ForestAlgorithm))
@pytest.mark.parametrize("maximum", [False, True])
def test_forest(folder, algorithm, maximum):
    heaviest = ["--maximum"] if maximum else []
    triangle = sg.from_edges([0, 1, 2], [1, 2, 0], [5, 0, 2**62], n=4, symmetrize=True)
    sg.write_graph("triangle.npz", triangle)
    found = facts("forest", "triangle.npz", "--algorithm", algorithm, "-o", "forest.mtx", *heaviest)
    assert (found["forest_edges"], found["trees"], found["verified"]) == (2, 2, True)
    assert found["weight"] == (2**62 + 5 if maximum else 5)
    forest = sg.read_graph("forest.mtx")
    assert (forest.num_vertices, forest.num_edges, forest.directed) == (4, 2, False)
    assert facts("verify", "triangle.npz", "forest.mtx", "--as", "forest", *heaviest)["weight"] == found["weight"]
    other_way = [] if maximum else ["--maximum"]
    result = run("verify", "triangle.npz", "forest.mtx", "--as", "forest", *other_way)
    assert result.exit_code == 1 and "and is not in the forest, but edge" in result.stdout


def test_forests_without_weights_and_with_weights_that_differ(folder):
    assert facts("forest", "path.mtx", "-o", "forest.npz")["weight"] == 4
    assert sg.read_graph("forest.npz") == sg.read_graph("path.mtx")
    (folder / "w.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 5.5\n")
    assert refused("forest", "w.mtx").endswith("pass --merge min, max or sum, or combine them before\n")
    assert facts("forest", "w.mtx", "--merge", "max", "-o", "forest.npz")["weight"] == 5.5
    assert "5.5" in ok("verify", "w.mtx", "forest.npz", "--as", "forest", "--merge", "max")


def test_an_empty_graph_has_no_components(folder):
    (folder / "empty.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    (folder / "nobody.txt").write_text("")
    nobody = ["--sources", "@nobody.txt"]
    for command, options in (("components", []), ("scc", []), ("bfs", nobody), ("forest", ["--to", "npz"])):
        assert facts(command, "empty.mtx", *options, "-o", "answer")["verified"] is True
        assert facts("verify", "empty.mtx", "answer", "--as", command)["verified"] is True
