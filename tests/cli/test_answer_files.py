"""Answers in files: written files can be read, and files that are no answers are rejected."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from .invoking import PATH, facts, ok, refused, run


@pytest.mark.parametrize("name", ["set.txt", "set", "set.npy", "set.npz", "set.txt.gz"])
def test_verify_reads_what_mis_writes(folder, name):
    ok("mis", "path.mtx", "-o", name)
    result = facts("verify", "path.mtx", name)
    assert (result["verified"], result["reason"], result["size"]) == (True, None, 3)
    assert [path for path in os.listdir(folder) if path.endswith(".part")] == []


def test_text_has_one_line_a_vertex(folder):
    ok("mis", "path.mtx", "--include", "0,2,4", "-o", "set.txt")
    assert (folder / "set.txt").read_text() == "1\n0\n1\n0\n1\n"


def test_npz_holds_the_names_and_how_it_was_made(folder):
    (folder / "gaps.txt").write_text("10 20\n20 10\n20 40\n40 20\n")
    ok("mis", "gaps.txt", "-o", "set.npz", "--seed", 3)
    with np.load("set.npz") as arrays:
        assert arrays["nodes"].tolist() == [10, 20, 40]
        assert arrays["mask"].tolist() == [True, False, True]
        assert json.loads(str(arrays["about"]))["seed"] == 3


def test_text_of_vertices_with_names_says_that_it_has_none(folder):
    (folder / "gaps.txt").write_text("10 20\n20 10\n20 40\n40 20\n")
    title = "one line a vertex, the first for 10, the last for 40: numbers, not names "
    title += "(-o FILE.csv and --to csv have both)\n"
    ok("mis", "gaps.txt", "-o", "set.txt")
    assert (folder / "set.txt").read_text() == f"# mask, {title}1\n0\n1\n"
    ok("verify", "gaps.txt", "set.txt")
    ok("bfs", "gaps.txt", "--sources", "1", "-o", "tree.txt")
    assert (folder / "tree.txt").read_text() == f"# distance parent, {title}1 1\n0 1\n1 1\n"
    ok("verify", "gaps.txt", "tree.txt", "--as", "bfs")
    (folder / "set.txt").write_text(f"# {title}1\n10\n1\n")
    assert "line 3: expected 0 or 1" in refused("verify", "gaps.txt", "set.txt")
    assert "line 2: expected 2 numbers" in refused("verify", "gaps.txt", "set.txt", "--as", "bfs")


@pytest.mark.parametrize(
    ("members", "reason"), [([0, 1], "vertices 0 and 1 are adjacent"), ([0, 2], "4"), ([], "vertex 0")]
)
def test_verify_says_what_is_wrong(folder, members, reason):
    np.save("set.npy", np.array(members, np.int64))
    result = run("verify", "path.mtx", "set.npy")
    assert result.exit_code == 1 and result.stderr == ""
    assert reason in result.stdout
    answer = run("verify", "path.mtx", "set.npy", "--json")
    assert answer.exit_code == 1
    assert json.loads(answer.stdout)["verified"] is False and reason in json.loads(answer.stdout)["reason"]


def test_verify_with_exclude(folder):
    np.save("set.npy", np.array([0, 2]))
    assert run("verify", "path.mtx", "set.npy").exit_code == 1
    assert facts("verify", "path.mtx", "set.npy", "--exclude", "4")["verified"] is True


@pytest.mark.parametrize("ends", ["\r\n", "\n\n"])
def test_sets_with_other_line_ends(folder, ends):
    (folder / "set.txt").write_bytes(ends.join("10101").encode())
    if ends == "\r\n":
        ok("verify", "path.mtx", "set.txt")
    else:
        assert "set.txt, line 2: expected 0 or 1" in refused("verify", "path.mtx", "set.txt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1\n0\n1\n", "a set of 3 vertices, but the graph has 5"),
        (b"1\n0\nx\n0\n1\n", "line 3: expected 0 or 1"),
        (b"", "a set of 0 vertices, but the graph has 5"),
        (b"\x93NUMPY\x01", "damaged"),
        (b"PK\x03\x04broken", "damaged"),
        (b"\x1f\x8b\x08\x00", "cut short"),
    ],
)
def test_broken_sets(folder, content, message):
    (folder / "set").write_bytes(content)
    assert message in refused("verify", "path.mtx", "set")


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([0, 5]), "vertex 5 is not one of the graph's 5 vertices"),
        (np.array([-1, 2]), "vertex -1 is not"),
        (np.zeros(4, bool), "a set of 4 vertices"),
        (np.zeros((5, 1), bool), "array of shape (5, 1)"),
        (np.array([0.5]), "array of float64"),
        (np.array([None]), "no plain array"),
    ],
)
def test_arrays_that_are_no_sets(folder, array, message):
    np.save("set.npy", array)
    assert message in refused("verify", "path.mtx", "set.npy")


def test_npz_without_a_mask(folder):
    np.savez("set.npz", other=np.zeros(5))
    assert "an array of float64" in refused("verify", "path.mtx", "set.npz", "--as", "set")
    assert "name the kind of answer by --as; by its columns other" in refused("verify", "path.mtx", "set.npz")


def test_a_set_never_replaces_its_graph(folder):
    assert "name another file" in refused("mis", "path.mtx", "-o", folder / "path.mtx")
    assert (folder / "path.mtx").read_text() == PATH


@pytest.mark.parametrize("name", ["c.txt", "c", "c.npy", "c.npz", "c.txt.gz"])
def test_verify_reads_what_color_writes(folder, name):
    ok("color", "path.mtx", "-o", name)
    result = facts("verify", "path.mtx", name, "--as", "coloring")
    assert (result["verified"], result["reason"], result["colors"]) == (True, None, 2)


def test_colors_in_files(folder):
    (folder / "same.txt").write_text("0\r\n1\r\n1\r\n0\r\n12\r\n")
    result = run("verify", "path.mtx", "same.txt", "--as", "coloring")
    assert result.exit_code == 1 and "vertices 1 and 2 are adjacent, but both have color 1" in result.stdout
    for text, message in (
        ("0\n1\n", "2 rows of color, but the graph has 5 vertices"),
        ("0\n1\nred\n", "line 3: expected a number (one line for each vertex), got 'red'"),
        ("9" * 30, "line 1: expected a number"),
        ("", "0 rows of color"),
    ):
        (folder / "bad.txt").write_text(text)
        assert message in refused("verify", "path.mtx", "bad.txt", "--as", "coloring")
    np.save("bad.npy", np.zeros(5))
    assert "expected integers" in refused("verify", "path.mtx", "bad.npy", "--as", "coloring")
    np.savez("set.npz", mask=np.zeros(5, bool))
    assert "no array 'color' in this .npz file; pass --as set" in refused(
        "verify", "path.mtx", "set.npz", "--as", "coloring"
    )


def test_tables_have_the_ids_of_the_file(folder):
    (folder / "gaps.txt").write_text("10 20\n20 10\n20 40\n40 20\n")
    ok("mis", "gaps.txt", "-o", "set.csv")
    assert (folder / "set.csv").read_text() == "id,mask\n10,1\n20,0\n40,1\n"
    ok("mis", "gaps.txt", "-o", "set.tsv")
    assert (folder / "set.tsv").read_text() == "id\tmask\n10\t1\n20\t0\n40\t1\n"
    assert facts("verify", "gaps.txt", "set.tsv")["verified"] is True
    ok("bfs", "gaps.txt", "--sources", "1", "-o", "tree.csv.gz")
    assert facts("verify", "gaps.txt", "tree.csv.gz", "--as", "bfs")["verified"] is True
    ok("color", "path.mtx", "-o", "colors.csv")
    assert (folder / "colors.csv").read_text() == "id,color\n0,1\n1,0\n2,1\n3,0\n4,1\n"
    assert facts("verify", "path.mtx", "colors.csv", "--as", "coloring")["colors"] == 2
    (folder / "sorted.csv").write_text("id,mask\n40,1\n10,1\n20,0\n")
    assert facts("verify", "gaps.txt", "sorted.csv")["verified"] is True


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_a_table_of_friends_in_and_a_table_of_answers_out(folder, suffix):
    pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")
    feather, parquet = pytest.importorskip("pyarrow.feather"), pytest.importorskip("pyarrow.parquet")
    (folder / "friends.csv").write_text("source,target,since\nBob,Cy,2010\nAnn,Bob,2012\nEve,Dan,2013\n")
    ok("components", "friends.csv", "-o", "out.csv")
    assert (folder / "out.csv").read_text() == "id,component\nAnn,0\nBob,0\nCy,0\nDan,1\nEve,1\n"
    ok("components", "friends.csv", "-o", f"out{suffix}")
    table = (parquet if suffix == ".parquet" else feather).read_table(f"out{suffix}")
    assert table.to_pydict() == {"id": ["Ann", "Bob", "Cy", "Dan", "Eve"], "component": [0, 0, 0, 1, 1]}
    assert facts("verify", "friends.csv", f"out{suffix}", "--as", "components")["verified"] is True
    ok("mis", "friends.csv", "--symmetrize", "-o", f"set{suffix}")
    assert facts("verify", "friends.csv", "--symmetrize", f"set{suffix}")["verified"] is True
    cut = (folder / f"set{suffix}").read_bytes()[:-9]
    (folder / "cut").write_bytes(cut)
    assert "damaged or cut short" in refused("verify", "friends.csv", "--symmetrize", "cut")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,color\n10,1\n", "no line for vertex 20"),
        ("id,mask\n10,1\n20,0\n", "no line for vertex 40"),
        ("id,mask\n10,1\n0,1\n", "line 3: the graph has no vertex 0"),
        ("id,mask\n10,1\n10,1\n", "line 3: a second line for vertex 10"),
        ("id,mask\n10,yes\n", "line 2: expected id,mask with integers"),
        ("id,mask\n10,1\n20,0\n40,7\n", "the column mask must be 0 or 1"),
    ],
)
def test_broken_tables(folder, content, message):
    (folder / "gaps.txt").write_text("10 20\n20 10\n20 40\n40 20\n")
    (folder / "set.csv").write_text(content)
    assert message in refused("verify", "gaps.txt", "set.csv")


def test_what_is_wrong_is_named_as_in_the_file(folder):
    (folder / "gaps.txt").write_text("10 20\n20 10\n20 40\n40 20\n")
    (folder / "set.txt").write_text("0\n1\n1\n")
    output = run("verify", "gaps.txt", "set.txt").stdout
    assert "vertices 20 and 40 are adjacent" in output
    assert "vertex 0 (10 in the file), at distance 1" in ok("bfs", "gaps.txt", "--sources", "1")
