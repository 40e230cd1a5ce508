"""``stablegraph mis``."""

from __future__ import annotations

import contextlib
from typing import get_args

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.option_names import Priority
from stablegraph.cli.commands import sets

from .invoking import facts, ok, refused, run


def test_mis_prints_what_it_found(folder):
    result = facts("mis", "path.mtx")
    mask = sg.maximal_independent_set(sg.read_graph("path.mtx"))
    assert (result["size"], result["share"], result["verified"]) == (int(mask.sum()), mask.mean(), True)
    assert result["crc32"] == sg.fingerprint(mask)
    assert set(result["seconds"]) == {"read", "compute", "verify"}
    output = ok("mis", "path.mtx")
    assert f"{mask.sum()}" in output and "yes: independent and maximal" in output


@pytest.mark.parametrize("priority", get_args(Priority))
@pytest.mark.parametrize("seed", [0, 7])
def test_mis_by_each_order(folder, priority, seed):
    graph = gallery.uniform_random(500, 3)
    sg.write_graph("random.npz", graph)
    ok("mis", "random.npz", "--priority", priority, "--seed", seed, "-o", "set.npy")
    assert np.array_equal(np.load("set.npy"), sg.maximal_independent_set(graph, priority=priority, seed=seed))


def test_mis_in_rounds_to_the_end_and_told(folder):
    graph = gallery.grid((30, 30))
    sg.write_graph("grid.npz", graph)
    result = facts("mis", "grid.npz", "--synchronous", "--info")
    _, info = sg.maximal_independent_set(graph, synchronous=True, return_info=True)
    assert {**result["info"], "seconds": 0} == {**info, "seconds": 0}
    assert f"{info['rounds']}, {info['edges']:,} entries read" in ok("mis", "grid.npz", "--synchronous", "--info")
    drawn = [
        facts("mis", "grid.npz", "--algorithm", "luby_select", how)["crc32"] for how in ("--adaptive", "--no-adaptive")
    ]
    assert drawn[0] != drawn[1]
    assert "has no option --synchronous" in refused("mis", "grid.npz", "--algorithm", "luby", "--synchronous")


def test_mis_at_distance_two(folder):
    graph = gallery.grid((20, 20))
    sg.write_graph("grid.npz", graph)
    result = facts("mis", "grid.npz", "--distance", "2", "--info", "-o", "set.npy")
    assert np.array_equal(np.load("set.npy"), sg.maximal_independent_set(graph, distance=2))
    assert (result["verified"], result["distance"], result["priority"]) == (True, 2, "random")
    assert facts("verify", "grid.npz", "set.npy", "--distance", "2")["verified"]
    assert run("verify", "grid.npz", "set.npy").exit_code == 1  # at distance 1 more vertices could join
    assert "at distance 2" in refused("mis", "grid.npz", "--distance", "2", "--algorithm", "luby")


def test_mis_include_and_exclude(folder):
    ok("mis", "path.mtx", "--include", "1", "--exclude", "3-4", "-o", "set.npy")
    assert np.load("set.npy").tolist() == [False, True, False, False, False]
    np.save("two.npy", np.array([3, 4]))
    ok("mis", "path.mtx", "--include", "1", "--exclude", "@two.npy", "-o", "again.npy")
    assert np.load("again.npy").tolist() == [False, True, False, False, False]
    ok("mis", "path.mtx", "--include", "1", "--exclude", " 3 - 4 ", "-o", "blanks.npy")
    assert np.load("blanks.npy").tolist() == [False, True, False, False, False]


def test_mis_without_verifying(folder):
    result = facts("mis", "path.mtx", "--no-verify")
    assert result["verified"] is None and "verify" not in result["seconds"]


def test_threads_do_not_change_the_set(folder):
    sg.write_graph("random.npz", gallery.uniform_random(5000, 3))
    result = [facts("mis", "random.npz", "--threads", threads) for threads in (1, 2)]
    assert [each["threads"] for each in result] == [1, 2]
    assert result[0]["crc32"] == result[1]["crc32"]


def test_mis_symmetrizes(folder):
    assert "--symmetrize" in refused("mis", "arcs.txt")
    assert facts("mis", "arcs.txt", "--symmetrize")["size"] == 1


def test_large_sets(folder):
    graph = gallery.uniform_random(400, 8)
    sg.write_graph("random.npz", graph)
    result = facts("mis", "random.npz", "--large", "--rounds", 3, "--seed", 5, "--include", 7, "-o", "set.npy")
    known = sg.large_independent_set(graph, rounds=3, seed=5, include=[7])
    assert np.array_equal(np.load("set.npy"), known.mask)
    assert (result["size"], result["upper_bound"], result["rounds"]) == (known.size, known.upper_bound, 3)
    assert (result["optimal"], result["stopped"], result["verified"]) == (False, False, True)
    output = ok("mis", "random.npz", "--large", "--rounds", 0)
    assert f"gap {result['gap']:.1%}"[:4] in output and "0 of 0 rounds" in output
    assert "a maximum independent set" in ok("mis", "path.mtx", "--large")


def test_a_search_that_is_stopped_gives_its_best_set(folder, monkeypatch):
    graph = gallery.uniform_random(400, 8)
    sg.write_graph("random.npz", graph)

    @contextlib.contextmanager
    def impatient(rounds):
        def progress(done, size, bound):
            if done == 2:
                raise KeyboardInterrupt

        yield progress

    monkeypatch.setattr(sets, "searching", impatient)
    result = facts("mis", "random.npz", "--large", "-o", "set.txt")
    assert (result["stopped"], result["verified"], result["rounds"]) == (True, True, 2)
    assert facts("verify", "random.npz", "set.txt")["size"] == result["size"]
    assert "(stopped)" in ok("mis", "random.npz", "--large")


WEIGHTS = {
    "weights.csv": "id,weight\nBob,5\nAnn,1\nCy,2\n",
    "more.tsv": "id\tname\tweight\nCy\tc\t2\nAnn\ta\t1\nBob\tb\t5\n",
    "people.csv": "id,people\nAnn,1.0\nBob,5.0\nCy,2.0\n",
    "lines.txt": "1\n5\n2\n",
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights(folder, name):
    (folder / "friends.csv").write_text("source,target\nAnn,Bob\nBob,Cy\n")
    (folder / name).write_text(WEIGHTS[name])
    found = facts("mis", "friends.csv", "--weights", name, "-o", "set.csv")
    assert (found["weight"], found["size"], found["priority"], found["verified"]) == (5, 1, "ratio", True)
    assert "Bob,1" in (folder / "set.csv").read_text()
    found = facts("mis", "friends.csv", "--weights", name, "--distance", "2", "--priority", "weight", "--info")
    assert (found["weight"], found["priority"]) == (5, "weight")
    assert "weight" in ok("mis", "friends.csv", "--weights", name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,a,b\nAnn,1,2\n", "the columns must be id and weight, got 'id,a,b'"),
        ("id,weight\nAnn,1\nBob,2\n", "no line for vertex Cy"),
        ("id,weight\nAnn,1\nBob,x\nCy,1\n", "expected a number, got 'x'"),
        ("id,weight\nAnn,1\nBob,2,3\nCy,1\n", "line 3: expected 2 values, got 3"),
        ("id,weight\nAnn,1\nBob,-2\nCy,1\n", "got -2 at vertex 1"),
        ("1\n2\n", "2 numbers, but the graph has 3 vertices"),
    ],
)
def test_wrong_weights(folder, text, message):
    (folder / "friends.csv").write_text("source,target\nAnn,Bob\nBob,Cy\n")
    (folder / "weights").write_text(text)
    assert message in refused("mis", "friends.csv", "--weights", "weights")
    assert message in refused("mis", "friends.csv", "--weights", "weights", "--large")


def test_heavy_sets(folder):
    graph = gallery.uniform_random(400, 8)
    weights = np.arange(400) % 13 + 1
    sg.write_graph("random.npz", graph)
    np.save("weights.npy", weights)
    result = facts("mis", "random.npz", "--large", "--weights", "weights.npy", "--rounds", 3, "-o", "set.npy")
    known = sg.large_independent_set(graph, weights=weights, rounds=3)
    assert np.array_equal(np.load("set.npy"), known.mask)
    assert (result["size"], result["weight"], result["upper_bound"]) == (known.size, known.weight, known.upper_bound)
    assert (result["optimal"], result["verified"]) == (False, True)
    output = ok("mis", "random.npz", "--large", "--weights", "weights.npy", "--rounds", 3)
    assert f"{known.weight:,}" in output and f"gap {result['gap']:.1%}"[:4] in output
    np.savetxt("weights.txt", np.full(graph.num_vertices, 0.5))
    sg.write_graph("grid.mtx", gallery.grid((20, 20)))
    output = ok("mis", "grid.mtx", "--large", "--weights", "weights.txt")
    assert "100" in output and "no set is heavier" in output
