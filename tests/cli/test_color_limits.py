"""Fixed, allowed and forbidden colors in tables, of ``stablegraph color`` and ``verify --as coloring``."""

from __future__ import annotations

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery

from .invoking import facts, ok, refused

EXAMS = "source,target\nmath,art\nart,law\nlaw,math\nlaw,music\n"


def test_limits_by_name(folder):
    (folder / "exams.csv").write_text(EXAMS)
    (folder / "fixed.csv").write_text("id,color\nart,2\n")
    (folder / "allowed.tsv").write_text("id\tcolor\nmath\t0\nmath\t3\n\nlaw\t1\n")
    limits = ["--fixed", "fixed.csv", "--allowed", "allowed.tsv"]
    result = facts("color", "exams.csv", *limits, "-o", "slots.csv")
    graph = sg.read_graph("exams.csv")
    colors = sg.vertex_coloring(graph, reduce="quick", fixed={"art": 2}, allowed={"math": [0, 3], "law": [1]})
    rows = "".join(f"{name},{color}\n" for name, color in zip(graph.nodes, colors, strict=True))
    assert (folder / "slots.csv").read_text() == "id,color\n" + rows
    assert (result["verified"], result["fixed"], result["allowed"]) == (True, "fixed.csv", "allowed.tsv")
    assert facts("verify", "exams.csv", "slots.csv", "--as", "coloring", *limits)["verified"] is True
    (folder / "forbidden.csv").write_text("id,color\nart,2\n")
    wrong = facts("verify", "exams.csv", "slots.csv", "--as", "coloring", "--forbidden", "forbidden.csv", code=1)
    assert "'art'" in wrong["reason"] and "2" in wrong["reason"]
    assert facts("color", "exams.csv", "--forbidden", "forbidden.csv")["verified"] is True
    # A coloring in a file, as it was written, fixes all vertices.
    again = facts("color", "exams.csv", "--fixed", "slots.csv")
    assert again["crc32"] == result["crc32"]


def test_limits_by_number_and_gaps(folder):
    graph = gallery.uniform_random(60, 3)
    sg.write_graph("random.npz", graph)
    fixed = np.full(60, -1)
    fixed[:2] = [7, 9]
    np.savetxt("fixed.txt", fixed, fmt="%d")
    (folder / "fixed.csv").write_text("id,color\n0,7\n1,9\n")
    results = [facts("color", "random.npz", "--fixed", f"fixed.{kind}") for kind in ("txt", "csv")]
    colors = sg.vertex_coloring(graph, fixed=fixed, reduce="quick")
    assert results[0]["crc32"] == results[1]["crc32"] == facts("color", "random.npz", "--fixed", "fixed.txt")["crc32"]
    assert results[0]["colors"] == np.unique(colors).size  # gaps are no colors
    assert "color sizes  0 to" not in ok("color", "random.npz", "--fixed", "fixed.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,color\nart,2\nart,3\n", "line 3: a second line for vertex art"),
        ("id,color\nhistory,2\n", "line 2: the graph has no vertex history"),
        ("id,color\nart,-1\n", "line 2: expected an id and a color from 0 on, got 'art,-1'"),
        ("id,slot,room\nart,1,2\n", "line 1: the columns must be id and color, got 'id,slot,room'"),
    ],
)
def test_refused_tables(folder, text, message):
    (folder / "exams.csv").write_text(EXAMS)
    (folder / "fixed.csv").write_text(text)
    assert message in refused("color", "exams.csv", "--fixed", "fixed.csv")


def test_refused_limits(folder):
    (folder / "exams.csv").write_text(EXAMS)
    (folder / "none.csv").write_text("art 3\n")
    assert "expected a table with the columns id and color" in refused("color", "exams.csv", "--allowed", "none.csv")
    (folder / "one.csv").write_text("id,color\nart,0\nlaw,0\n")
    assert "both fixed to color 0" in refused("color", "exams.csv", "--fixed", "one.csv", code=3)
    assert "has no option --fixed" in refused("color", "exams.csv", "--algorithm", "mis", "--fixed", "one.csv")
    assert "--fixed goes with --as coloring" in refused("verify", "path.mtx", "path.mtx", "--fixed", "one.csv")


@pytest.mark.parametrize("distance", [1, 2])
def test_numbers_in_a_file_are_an_order(folder, distance):
    graph = gallery.uniform_random(90, 3)
    sg.write_graph("random.npz", graph)
    numbers = np.random.default_rng(0).random(90)
    np.save("numbers.npy", numbers)
    rows = "".join(f"{v},{number}\n" for v, number in reversed(list(enumerate(numbers.tolist()))))
    (folder / "numbers.csv").write_text("id,score\n" + rows)
    mask = sg.maximal_independent_set(graph, distance, priority=numbers)
    colors = sg.vertex_coloring(graph, distance=distance, order=numbers, reduce="none")
    for file in ("@numbers.npy", "@numbers.csv"):
        result = facts("mis", "random.npz", "--distance", distance, "--priority", file)
        assert (result["crc32"], result["priority"]) == (sg.fingerprint(mask), file)
        result = facts("color", "random.npz", "--distance", distance, "--order", file, "--reduce", "none")
        assert (result["crc32"], result["order"]) == (sg.fingerprint(colors), file)
