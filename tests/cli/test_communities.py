"""``stablegraph communities``, and the verification of its answers."""

from __future__ import annotations

import numpy as np
import pytest

import stablegraph as sg

from .invoking import facts, ok, refused

FRIENDS = "source,target,weight\nAnn,Bob,2\nBob,Cy,1\nAnn,Cy,2\nDan,Eve,1\nEve,Fay,2\nDan,Fay,1\nCy,Dan,1\n"


@pytest.fixture
def friends(folder):
    (folder / "friends.csv").write_text(FRIENDS)
    return folder


def test_names_in_and_names_out(friends):
    result = facts("communities", "friends.csv", "-o", "out.csv")
    graph = sg.read_graph("friends.csv")
    count, labels = sg.communities(graph)
    assert (result["communities"], result["verified"], result["largest"]) == (count, True, 3)
    assert result["modularity"] == sg.modularity(graph, labels)
    rows = (friends / "out.csv").read_text().split()
    assert rows[0].replace('"', "").startswith("id,community")
    assert dict(row.replace('"', "").split(",") for row in rows[1:]) == {
        "Ann": "0", "Bob": "0", "Cy": "0", "Dan": "1", "Eve": "1", "Fay": "1"
    }  # fmt: skip
    assert facts("verify", "friends.csv", "out.csv", "--as", "communities")["verified"] is True


def test_options(friends):
    plain = sg.read_graph("friends.csv", weights=False)
    for arguments, options in (
        (("--algorithm", "louvain"), {"algorithm": "louvain"}),
        (("--objective", "cpm", "--resolution", "0.7"), {"objective": "cpm", "resolution": 0.7}),
        (("--iterations", "0", "--seed", "5"), {"iterations": None, "seed": 5}),
        (("--max-size", "2"), {"max_size": 2}),
        (("--min-size", "4", "--iterations", "0"), {"min_size": 4, "iterations": None}),
    ):
        result = facts("communities", "friends.csv", "--no-weights", "-o", "out.npz", *arguments)
        count, labels = sg.communities(plain, **options)
        assert (result["communities"], result["verified"]) == (count, True)
        assert np.array_equal(np.load("out.npz")["community"], labels)


def test_text_and_picture(friends):
    text = ok("communities", "friends.csv", "--plot", "picture.png")
    assert "communities" in text
    assert "modularity" in text
    assert (friends / "picture.png").stat().st_size > 1000


def test_negative_weights_are_refused(folder):
    (folder / "foes.csv").write_text("source,target,weight\nAnn,Bob,-1\n")
    assert "not negative" in refused("communities", "foes.csv")
