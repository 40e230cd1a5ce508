"""``stablegraph color``."""

from __future__ import annotations

import json

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.cli import answer_files

from .invoking import facts, ok, refused


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ([], {}),
        (
            ["--order", "smallest_last", "--ties", "hash", "--seed", 3],
            {"order": "smallest_last", "ties": "hash", "seed": 3},
        ),
        (["--order", "natural", "--order", "random"], {"order": ["natural", "random"]}),
        (["--distance", 2, "--reduce", "none"], {"distance": 2, "reduce": "none"}),
        (["--algorithm", "mis", "--balance"], {"algorithm": "mis", "balance": True}),
    ],
)
def test_color(folder, options, known):
    graph = gallery.uniform_random(400, 8)
    sg.write_graph("random.npz", graph)
    found = facts("color", "random.npz", *options, "-o", "colors.npz")
    colors = sg.vertex_coloring(graph, **known)
    with np.load("colors.npz") as arrays:
        assert np.array_equal(arrays["colors"], colors)
        assert json.loads(str(arrays["about"]))["colors"] == colors.max() + 1
    assert (found["colors"], found["crc32"]) == (colors.max() + 1, answer_files.fingerprint(colors))
    assert found["class_sizes"] == np.bincount(colors).tolist() and found["verified"] is True
    assert found["lower_bound"] <= found["colors"]
    distance = known.get("distance", 1)
    assert facts("verify", "random.npz", "colors.npz", "--as", "coloring", "--distance", distance)["verified"] is True


def test_color_says_when_fewer_are_impossible(folder):
    assert "2  (the fewest possible)" in ok("color", "path.mtx")
    sg.write_graph("cycle.mtx", sg.from_edges(range(5), [1, 2, 3, 4, 0], symmetrize=True))
    found = facts("color", "cycle.mtx")
    assert (found["colors"], found["lower_bound"], found["upper_bound"], found["optimal"]) == (3, 2, 3, False)
    assert "fewest" not in ok("color", "cycle.mtx")
    assert facts("color", "cycle.mtx", "--distance", 2)["lower_bound"] == 3


def test_color_draws(folder):
    pytest.importorskip("matplotlib")
    assert facts("color", "path.mtx", "--plot", "colors.png")["picture"] == "colors.png"
    assert (folder / "colors.png").read_bytes().startswith(b"\x89PNG")
    assert "a picture can be" in refused("color", "path.mtx", "--plot", "colors.bogus")


def test_colors_of_an_empty_graph(folder):
    (folder / "empty.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    assert facts("color", "empty.mtx", "-o", "colors.txt")["colors"] == 0
    ok("verify", "empty.mtx", "colors.txt", "--as", "coloring")
    assert facts("mis", "empty.mtx", "--large")["optimal"] is True
