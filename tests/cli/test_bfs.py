"""``stablegraph bfs``."""

from __future__ import annotations

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.cli import answer_files

from .invoking import facts, ok, refused, run


@pytest.mark.parametrize("name", ["tree.npy", "tree.npz", "tree.txt"])
def test_bfs(folder, name):
    graph = gallery.uniform_random(300, 3)
    sg.write_graph("random.npz", graph)
    tree = np.stack(sg.breadth_first_search(graph, [3, 7]), axis=1)
    result = facts("bfs", "random.npz", "--sources", "3,7", "-o", name)
    assert (result["reached"], result["farthest"]) == ((tree[:, 0] >= 0).sum(), tree[:, 0].max())
    assert (result["verified"], result["crc32"]) == (True, sg.fingerprint(tuple(tree.T)))
    assert np.array_equal(answer_files.numbers_in(*answer_files.read_bytes(name), "distance parent", graph), tree)
    for sources in ([], ["--sources", "3,7"]):
        assert facts("verify", "random.npz", name, "--as", "bfs", *sources)["reached"] == result["reached"]
    assert run("verify", "random.npz", name, "--as", "bfs", "--sources", "3").exit_code == 1


@pytest.mark.parametrize(
    ("distances", "parents", "reason"),
    [
        ([0, 1, 2, 3, -1], [0, 0, 1, 2, -1], "but an edge leads there"),
        ([0, 1, 2, 3, 4], [0, 0, 3, 2, 3], "one step nearer"),
        ([0, 1, 2, 3, 0], [0, 0, 1, 2, 4], "is no source"),
        ([0, 1, 2, 3, 3], [0, 0, 1, 2, 2], "no edge leads from it"),
        ([0, 1, 2, 3, 4], [0, 0, 1, 2, 7], "which is no vertex"),
    ],
)
def test_verify_says_what_is_wrong_with_a_search(folder, distances, parents, reason):
    np.savez("tree.npz", distances=distances, parents=parents)
    result = run("verify", "path.mtx", "tree.npz", "--as", "bfs", "--sources", "0")
    assert result.exit_code == 1 and "no: vertex" in result.stdout and reason in result.stdout, result.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"0 0\n1 0\n2\n3 2\n4 3\n", "line 3: expected 2 numbers"),
        (b"0 0\n1 0\n", "2 rows of distance and parent, but the graph has 5 vertices"),
        (b"PK\x03\x04broken", "damaged"),
    ],
)
def test_broken_searches(folder, content, message):
    (folder / "tree").write_bytes(content)
    assert message in refused("verify", "path.mtx", "tree", "--as", "bfs")


def test_searches_need_two_columns(folder):
    np.save("parents.npy", np.array([0, 0, 1, 2, 3]))
    assert "columns of distance and parent" in refused("verify", "path.mtx", "parents.npy", "--as", "bfs")
    np.savez("parents.npz", parents=np.array([0, 0, 1, 2, 3]))
    assert "no array 'distance' or 'parent'" in refused("verify", "path.mtx", "parents.npz", "--as", "bfs")


def test_bfs_follows_arcs_and_may_begin_nowhere(folder):
    (folder / "arcs.txt").write_text("# arcs\n0 1\n1 2\n")
    assert facts("bfs", "arcs.txt", "--sources", "1")["reached"] == 3
    assert facts("bfs", "arcs.txt", "--sources", "1", "--directed")["reached"] == 2
    (folder / "nobody.txt").write_text("0\n0\n0\n")
    assert "reached   0 vertices" in ok("bfs", "arcs.txt", "--sources", "@nobody.txt")
    ok("bfs", "arcs.txt", "--sources", "1", "--directed", "-o", "tree.txt")
    assert (folder / "tree.txt").read_text() == "-1 -1\n0 1\n1 1\n"
    assert facts("verify", "arcs.txt", "tree.txt", "--as", "bfs", "--directed")["verified"] is True


def test_sources_by_name(folder):
    pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")
    (folder / "friends.csv").write_text("source,target\nAnn,Bob\nBob,Cy\nCy,3-4\n3-4,1\n")
    assert facts("bfs", "friends.csv", "--symmetrize", "--sources", "Ann")["reached"] == 5
    ids = ["1", "3-4", "Ann", "Bob", "Cy"]
    by_name, by_number = (
        facts("bfs", "friends.csv", "--symmetrize", "--sources", sources)["crc32"]
        for sources in ("Cy, Ann", f"{ids.index('Cy')},{ids.index('Ann')}")
    )
    assert by_name == by_number
    assert facts("mis", "friends.csv", "--symmetrize", "--include", "Cy", "--exclude", "Ann")["verified"] is True
    for ambiguous in ("3-4", "1"):
        assert "is a name, and also means vertex numbers" in refused(
            "bfs", "friends.csv", "--symmetrize", "--sources", ambiguous
        )
    assert "names of vertices, or @FILE, got 'Zoe'" in refused("bfs", "friends.csv", "--symmetrize", "--sources", "Zoe")


def test_a_search_ends_at_a_distance(folder):
    graph = gallery.uniform_random(300, 3)
    sg.write_graph("random.npz", graph)
    for limit in (0, 2):
        tree = np.stack(sg.breadth_first_search(graph, 3, max_distance=limit), axis=1)
        result = facts("bfs", "random.npz", "--sources", 3, "--max-distance", limit, "-o", "tree.npz")
        assert (result["verified"], result["farthest"], result["max_distance"]) == (True, limit, limit)
        assert result["crc32"] == sg.fingerprint(tuple(tree.T))
        known = ["verify", "random.npz", "tree.npz", "--as", "bfs"]
        assert facts(*known, "--max-distance", limit)["verified"] is True
        assert "but an edge leads there" in facts(*known, code=1)["reason"]
    assert "the search ends at distance 1" in facts(*known, "--max-distance", 1, code=1)["reason"]
    result = facts("verify", "random.npz", "tree.npz", "--max-distance", 1, code=1)  # recognized by its columns
    assert result["reason"] == facts(*known, "--max-distance", 1, code=1)["reason"]
    ok("mis", "random.npz", "-o", "set.npz")
    assert "--max-distance goes with --as bfs" in refused("verify", "random.npz", "set.npz", "--max-distance", 1)
