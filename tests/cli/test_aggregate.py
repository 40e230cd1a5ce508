"""``stablegraph aggregate``."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core import option_names as names

from .invoking import facts, ok, refused, run


@pytest.mark.parametrize("algorithm", get_args(names.Aggregation))
def test_aggregate(folder, algorithm):
    graph = gallery.uniform_random(300, 1)
    sg.write_graph("random.npz", graph)
    count, labels = sg.aggregate(graph, algorithm=algorithm)
    result = facts("aggregate", "random.npz", "--algorithm", algorithm, "-o", "labels.npz")
    assert (result["aggregates"], result["verified"]) == (count, True)
    assert result["aggregates_of_size"] == np.bincount(np.bincount(labels)).tolist()
    assert result["crc32"] == sg.fingerprint(labels)
    connected = [] if algorithm == "kokkos" else ["--connected"]
    assert facts("verify", "random.npz", "labels.npz", "--as", "aggregation", *connected)["labels"] == count


def test_aggregate_by_strength(folder):
    sg.write_graph("laplacian.mtx", sg.as_graph(gallery.laplacian((5, 5))))
    assert facts("aggregate", "laplacian.mtx", "--strength", "0.26")["aggregates"] == 25
    assert facts("aggregate", "laplacian.mtx", "--strength", "0.25")["aggregates"] < 10
    assert "at least 0 and below 1" in refused("aggregate", "laplacian.mtx", "--strength", "2")
    assert "has no weights" in refused("aggregate", "path.mtx", "--strength", "0.1")


def test_wrong_aggregates(folder):
    (folder / "torn.txt").write_text("0\n1\n0\n1\n1\n")
    ok("verify", "path.mtx", "torn.txt", "--as", "aggregation")
    torn = run("verify", "path.mtx", "torn.txt", "--as", "aggregation", "--connected")
    assert torn.exit_code == 1 and "vertices 0 and 2 are both in aggregate 0" in torn.stdout
    assert "--connected goes with --as aggregation" in refused("verify", "path.mtx", "torn.txt", "--connected")


def test_aggregates_of_an_empty_graph(folder):
    (folder / "empty.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    assert facts("aggregate", "empty.mtx", "-o", "labels.txt", "--plot", "empty.png")["aggregates"] == 0
    ok("verify", "empty.mtx", "labels.txt", "--as", "aggregation")


def test_picture_of_aggregates(folder):
    output = ok("aggregate", "path.mtx", "--plot", "path.png")
    assert "1 to" not in output and "picture" in output
    assert (folder / "path.png").read_bytes().startswith(b"\x89PNG")
