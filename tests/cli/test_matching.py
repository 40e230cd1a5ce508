"""``stablegraph matching``, and the verification of its answers."""

from __future__ import annotations

import numpy as np
import pytest

import stablegraph as sg

from .invoking import facts, ok, refused, run

FRIENDS = "source,target,weight\nAnn,Bob,2\nBob,Cy,5\nCy,Dan,2\n"


@pytest.fixture
def friends(folder):
    (folder / "friends.csv").write_text(FRIENDS)
    return folder


@pytest.mark.parametrize("name", ["out.csv", "out.npz", "out.npy", "out.txt"])
def test_matching(friends, name):
    found = facts("matching", "friends.csv", "--seed", "3", "-o", name)
    assert (found["matched_edges"], found["weight"], found["verified"]) == (1, 5, True)
    assert facts("verify", "friends.csv", name, "--as", "matching")["matched_edges"] == 1


def test_without_weights(friends):
    found = facts("matching", "friends.csv", "--no-weights", "-o", "out.csv")
    mate = sg.maximal_matching(sg.read_graph("friends.csv"))
    assert found["matched_edges"] == found["weight"] == len(sg.matched_pairs(mate))
    rows = [row.split(",") for row in (friends / "out.csv").read_text().split()]
    assert rows[0] == ["id", "mate"]
    assert [row[1] for row in rows[1:]] == list(map(str, mate.tolist()))
    text = ok("matching", "friends.csv", "--no-weights")
    assert "weight" not in text
    assert facts("verify", "friends.csv", "out.csv", "--as", "matching", "--no-weights")["verified"] is True


def test_wrong_answers(friends):
    np.save("mates.npy", np.array([1, 0, 3, 2]))
    result = run("verify", "friends.csv", "mates.npy", "--as", "matching")
    assert result.exit_code == 1
    assert "edge ('Bob', 'Cy') of weight 5 is not matched" in " ".join(result.stdout.split())
    message = "--weight goes with --as forest or matching"
    assert message in refused("verify", "friends.csv", "mates.npy", "--weight", "w")
