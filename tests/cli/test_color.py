"""``stablegraph color``."""

from __future__ import annotations

import json

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery

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
    result = facts("color", "random.npz", *options, "-o", "colors.npz")
    colors = sg.vertex_coloring(graph, **known)
    with np.load("colors.npz") as arrays:
        assert np.array_equal(arrays["color"], colors)
        assert json.loads(str(arrays["about"]))["colors"] == colors.max() + 1
    assert (result["colors"], result["crc32"]) == (colors.max() + 1, sg.fingerprint(colors))
    assert result["class_sizes"] == np.bincount(colors).tolist() and result["verified"] is True
    assert result["lower_bound"] <= result["colors"]
    distance = known.get("distance", 1)
    assert facts("verify", "random.npz", "colors.npz", "--as", "coloring", "--distance", distance)["verified"] is True


def test_color_says_when_fewer_are_impossible(folder):
    assert "2  (the fewest possible)" in ok("color", "path.mtx")
    sg.write_graph("cycle.mtx", sg.from_edges(range(5), [1, 2, 3, 4, 0], symmetrize=True))
    result = facts("color", "cycle.mtx")
    assert (result["colors"], result["lower_bound"], result["upper_bound"], result["optimal"]) == (3, 2, 3, False)
    assert "fewest" not in ok("color", "cycle.mtx")
    assert facts("color", "cycle.mtx", "--distance", 2)["lower_bound"] == 3


def test_color_names_what_to_try_where_fewer_colors_are_possible(folder):
    sg.write_graph("path.npz", sg.from_edges([0, 2, 3], [2, 3, 1], symmetrize=True))  # natural needs 3 colors
    natural = ["color", "path.npz", "--reduce", "none", "--order", "natural"]
    assert facts(*natural)["to_try"] == "--order smallest_last"
    assert "to try       --order smallest_last: at most 2 colors\n" in ok(*natural)
    assert facts(*natural[:4], "--order", "smallest_last")["to_try"] is None
    assert facts("color", "path.npz")["to_try"] is None and "to try" not in ok("color", "path.npz")
    sg.write_graph("random.npz", gallery.uniform_random(400, 8))
    result = facts("color", "random.npz")
    assert result["lower_bound"] < result["colors"] <= result["upper_bound"]
    assert result["to_try"] == "--reduce thorough"
    assert "--reduce thorough: takes longer, and may find fewer colors" in ok("color", "random.npz")
    assert facts("color", "random.npz", "--reduce", "thorough")["to_try"] is None
    assert facts("color", "random.npz", "--distance", 2)["to_try"] is None  # the bounds are not computed
    sg.write_graph("cycle.mtx", sg.from_edges(range(5), [1, 2, 3, 4, 0], symmetrize=True))
    assert facts("color", "cycle.mtx")["to_try"] is None  # quick finds two colors whenever two suffice


def test_a_hint_to_an_order_leaves_out_an_algorithm_without_orders(folder):
    sg.write_graph("path.npz", sg.from_edges(range(99), range(1, 100), symmetrize=True))
    result = facts("color", "path.npz", "--algorithm", "mis", "--reduce", "none")
    assert result["colors"] > result["upper_bound"]
    text = ok("color", "path.npz", "--algorithm", "mis", "--reduce", "none")
    assert f"--order smallest_last without --algorithm mis: at most {result['upper_bound']} colors" in text
    assert facts("color", "path.npz", "--order", "smallest_last")["colors"] <= result["upper_bound"]


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


def test_color_within_capacities(folder):
    graph = gallery.uniform_random(100, 8)
    sg.write_graph("random.npz", graph)
    sizes = np.arange(100) % 7
    np.savetxt("sizes.txt", sizes, fmt="%d")
    result = facts("color", "random.npz", "--colors", 12, "--capacity", 30, "--sizes", "sizes.txt", "-o", "colors.txt")
    colors = np.loadtxt("colors.txt", int)
    assert np.array_equal(colors, sg.vertex_coloring(graph, colors=12, capacity=30, sizes=sizes))
    assert (result["requested_colors"], result["capacity"], result["verified"]) == (12, 30, True)
    result = facts("color", "random.npz", "--capacity", 5)
    assert (result["colors"], result["lower_bound"], result["optimal"]) == (20, 20, True)
    assert "at least 20 colors: fewer colors do not have the capacity" in ok("color", "random.npz", "--capacity", 5)
    message = "100 vertices exceed the total capacity of 3 colors, 15"
    assert message in refused("color", "random.npz", "--colors", 3, "--capacity", 5, code=3)
    assert "has no option --capacity" in refused("color", "random.npz", "--algorithm", "mis", "--capacity", 5)
