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


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".txt"])
def test_several_resolutions(friends, suffix):
    """A column for each value, equal to the answer of a single call; every column is verified."""
    values, more = (0.5, 1.25, 30), ["--min-size", 2, "--seed", 3]
    options = [word for value in values for word in ("--resolution", value)]
    result = facts("communities", "friends.csv", *options, *more, "-o", f"out{suffix}")
    if suffix == ".npz":
        single = [facts("communities", "friends.csv", "--resolution", value, *more) for value in values]
        for name in ("communities", "modularity", "largest", "single_vertices", "levels", "moves", "resolution"):
            assert result[name] == [one[name] for one in single]
    labels = [sg.communities(sg.read_graph("friends.csv"), resolution=r, min_size=2, seed=3)[1] for r in values]
    assert (result["crc32"], result["verified"]) == (sg.fingerprint(tuple(labels)), True)
    text = ok("communities", "friends.csv", *options, *more)
    assert f"resolution 1.25  {result['communities'][1]} communities, modularity" in text
    checked = facts("verify", "friends.csv", f"out{suffix}")
    assert (checked["labels"], checked["verified"]) == (result["communities"], True)
    if suffix == ".csv":
        rows = list(zip(sg.read_graph("friends.csv").nodes, *labels, strict=True))
        title = "id,community_0.5,community_1.25,community_30\n"
        assert (friends / "out.csv").read_text() == title + "".join(",".join(map(str, row)) + "\n" for row in rows)
        (friends / "out.csv").write_text(title + "".join(f"{name},0,0,{int(name < 'Bz')}\n" for name, *_ in rows))
        assert facts("verify", "friends.csv", "out.csv")["verified"] is True
        (friends / "out.csv").write_text(
            title + "".join(f"{name},0,0,{int(name in ('Ann', 'Fay'))}\n" for name, *_ in rows)
        )
        assert "are both in community 1" in facts("verify", "friends.csv", "out.csv", code=1)["reason"]


def test_one_resolution_twice_and_pictures_of_several(friends):
    single = facts("communities", "friends.csv", "--resolution", 2)
    twice = facts("communities", "friends.csv", "--resolution", 2, "--resolution", "2.0")
    assert twice | {"seconds": 0} == single | {"seconds": 0} and twice["resolution"] == 2
    stable = facts("communities", "friends.csv", "--resolution", 2, "--resolution", 1, "--iterations", 0)
    assert stable["verified"] is True and stable["iterations"] is None
    line = refused("communities", "friends.csv", "--resolution", 2, "--resolution", 1, "--plot", "x.png")
    assert "--plot draws one answer; pass one --resolution" in line
