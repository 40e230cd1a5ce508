"""``--sources`` and ``--facts`` of ``stablegraph components``, and ``verify`` of their tables."""

from __future__ import annotations

import numpy as np
import pytest

import stablegraph as sg

from .invoking import facts, ok, refused

pa = pytest.importorskip("pyarrow")

SCORED = "source,target,score\na1,b1,0.98\na1,b2,0.95\na2,b2,0.91\nb2,a2,0.3\nc1,c1,1\n"
LISTS = "id,list\na1,A\na2,A\nb1,B\nb2,B\nc1,C\nz,A\n"
MATCHED = ["pairs.csv", "--where", "score >= 0.9", "--records", "lists.csv", "--sources", "list"]
TABLE = ["--label", "smallest", "-o", "out.csv"]


@pytest.fixture
def lists(folder):
    (folder / "pairs.csv").write_text(SCORED)
    (folder / "lists.csv").write_text(LISTS)
    return folder


def lines_of(table):
    """Return the lines of a table as the command line writes them."""
    rows = zip(*table.to_pydict().values(), strict=True)
    return [",".join(row) for row in [table.column_names, *([*map(shown, row)] for row in rows)]]


def shown(field):
    return "" if field is None else str(field)


@pytest.mark.parametrize(("seed", "suffix", "number"), [(0, "csv", 3), (1, "parquet", 9)])
def test_clusters_and_facts_are_those_of_python(folder, seed, suffix, number):
    """Repeated pairs with several scores, equal scores, loops; ids are integers or texts, as in other records."""
    random, parquet = np.random.default_rng(seed), pytest.importorskip("pyarrow.parquet")
    name = (lambda values: [f"r{i}" for i in values]) if seed % 2 else (lambda values: values)
    ends = [name(random.integers(0, 30, 50)) for _ in range(2)]
    pairs = pa.table([*ends, random.integers(0, 8, 50) / 8], ["source", "target", "score"])
    records = pa.table([name(range(35)), random.integers(0, number, 35)], ["id", "list"])
    for file, table in (("pairs", pairs), ("lists", records)):
        parquet.write_table(table, f"{file}.parquet")
        (folder / f"{file}.csv").write_text("\n".join(lines_of(table)) + "\n")
    limits = [f"pairs.{suffix}", "--where", "score > 0.2", "--records", f"lists.{suffix}"]
    for sources, with_facts in ((None, True), ("list", False), ("list", True)):
        options = [*limits, *(["--sources", sources] if sources else [])]
        expected = sg.cluster_pairs(pairs, records, threshold=0.25, sources=sources, id="id", facts=with_facts)
        out = [*TABLE[:3], f"out.{suffix}", *["--facts"] * with_facts]
        result = facts("components", *options, *out)
        assert (result["verified"], result["sources"]) == (True, sources)
        assert result["components"] == len(set(expected["cluster"].to_pylist()))
        if suffix == "csv":
            assert (folder / "out.csv").read_text().split() == lines_of(expected)
        else:
            assert parquet.read_table("out.parquet").to_pydict() == expected.to_pydict()
        assert facts("verify", options[0], f"out.{suffix}", *options[1:])["labels"] == result["components"]


def test_labels_of_sources_are_numbers_or_smallest_vertices(lists):
    ok("components", *MATCHED, "-o", "numbers.npz")
    ok("components", *MATCHED, "--label", "smallest", "-o", "smallest.npz")
    labels = [np.load(f"{name}.npz")["component"].tolist() for name in ("numbers", "smallest")]
    assert labels == [[0, 1, 0, 1, 2, 3], [0, 1, 0, 1, 4, 5]]
    assert "at most one record of each source in a cluster" in ok("components", *MATCHED)


@pytest.mark.parametrize(
    ("row", "wrong", "message"),
    [
        ("b2,a2,2,1,1.0,1", "b2,a2,2,1,1.0,0", "density and bridges 1,1.0,1, but the row is b2,a2,2,1,1.0,0"),
        ("b2,a2,2,1,1.0,1", "b2,a2,2,1,0.5,1", "but the row is b2,a2,2,1,0.5,1"),
        ("z,z,1,0,,0", "z,z,1,1,,0", "bridges 0,,0, but the row is z,z,1,1,,0"),
        ("z,z,1,0,,0", "z,z,1,0,0.0,0", "but the row is z,z,1,0,0.0,0"),
        ("c1,c1,1,", "c1,z,1,", "'c1' and 'z' both have label"),
        ("b1,a1,2,", "b1,a2,2,", "are of the same source"),
    ],
)  # fmt: skip
def test_wrong_clusters_and_facts(lists, row, wrong, message):
    ok("components", *MATCHED, *TABLE, "--facts")
    text = (lists / "out.csv").read_text()
    assert row in text
    (lists / "out.csv").write_text(text.replace(row, wrong))
    assert message in facts("verify", MATCHED[0], "out.csv", *MATCHED[1:], code=1)["reason"]


def test_verification_needs_the_sources(lists):
    """Without --sources, a table must have the connected components; the facts of either are checked."""
    ok("components", *MATCHED[:-2], *TABLE, "--facts")
    assert facts("verify", "pairs.csv", "out.csv", *MATCHED[1:-2])["verified"] is True
    assert "of the same source" in facts("verify", "pairs.csv", "out.csv", *MATCHED[1:], code=1)["reason"]
    ok("components", *MATCHED, *TABLE)
    assert "are adjacent" in facts("verify", "pairs.csv", "out.csv", *MATCHED[1:-2], code=1)["reason"]


def test_facts_of_graphs(folder):
    ok("components", "path.mtx", *TABLE, "--facts")
    assert (folder / "out.csv").read_text().split()[1:3] == ["0,0,5,4,0.4,4", "1,0,5,4,0.4,4"]
    assert facts("verify", "path.mtx", "out.csv")["verified"] is True
    assert "directed" in refused("components", "arcs.txt", "--directed", *TABLE, "--facts")
    (folder / "empty.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n")
    ok("components", "empty.mtx", *TABLE, "--facts")
    assert facts("verify", "empty.mtx", "out.csv")["verified"] is True


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sources", "list"], "--sources needs --records, a table with the sources, and --where 'SCORE >= NUMBER'"),
        (["--where", "score >= 0", "--sources", "list"], "--sources needs --records"),
        ([*MATCHED[3:], "--where", "score <= 1"], "joins the pairs with the largest score first: pass >= or >"),
        ([*MATCHED[1:-1], "source"], "--sources must name one column next to the ids; the columns are 'id', 'list'"),
        ([*MATCHED[1:-1], "id"], "--sources must name one column next to the ids"),
        ([*MATCHED[1:3], "--records", "twice.csv", *MATCHED[5:]], "--records has the id 'a1' with several sources"),
        ([*MATCHED[1:3], "--records", "few.csv", *MATCHED[5:]], "the id 'b1' is not in --records, so its source is"),
        ([*MATCHED[1:3], "--records", "holes.csv", *MATCHED[5:]], "holes.csv, line 3: the source is missing"),
        ([*MATCHED[1:], "--algorithm", "fastsv"], "--algorithm cannot be combined with --sources"),
        ([*MATCHED[1:], "--start", "out.csv"], "--start cannot be combined with --sources"),
        (["--facts"], "--facts needs --label smallest and -o FILE.csv or another table, and no --start"),
        (["--facts", "-o", "out.csv"], "--facts needs --label smallest"),
        (["--facts", "--label", "smallest", "-o", "out.npz"], "--facts needs --label smallest and -o FILE.csv"),
        (["--facts", *TABLE, "--start", "lists.csv"], "and no --start"),
    ],
)  # fmt: skip
def test_refusals(lists, options, message):
    (lists / "twice.csv").write_text(LISTS + "a1,B\n")
    (lists / "few.csv").write_text("id,list\na1,A\na2,B\nb2,B\nc1,C\n")
    (lists / "holes.csv").write_text("id,list\na1,A\na2,\n")
    assert message in refused("components", "pairs.csv", *options)


def test_sources_of_a_search_and_of_clusters_are_different_options(lists):
    ok("components", *MATCHED, *TABLE)
    assert "--sources goes with --as components or bfs" in refused(
        "verify", "pairs.csv", "out.csv", "--as", "scc", "--sources", "list"
    )
    assert "--sources needs --records" in refused("verify", "pairs.csv", "out.csv", "--sources", "list")
