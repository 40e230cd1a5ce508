"""Tables of edges and compressed files from pipes."""

from __future__ import annotations

import re

import pytest

from stablegraph.cli import options

from .invoking import facts, ok, refused, run

pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")

TABLE = "a,b,score\nart,bio,0.5\nbio,chem,0.25\n"
COLUMNS = ["--source", "a", "--target", "b"]


def test_a_table_from_a_pipe():
    assert facts("mis", "-", input="source,target\nart,bio\nbio,chem\n")["size"] == 2
    for more in ([], ["--from", "csv"], ["--from", "snap"]):
        assert facts("mis", "-", *COLUMNS, *more, input=TABLE)["size"] == 2
        assert facts("forest", "-", *COLUMNS, "--weight", "score", *more, input=TABLE)["weight"] == 0.75
    tabs = TABLE.replace(",", "\t")
    assert facts("mis", "-", *COLUMNS, "--from", "tsv", input=tabs)["size"] == 2
    line = refused("mis", "-", input="art,bio\nbio,chem\n")
    assert "name the columns of the two ends by --source and --target; if it is an edge, put the line" in line
    assert facts("mis", "-", input="source,target\nart,bio\nbio,chem\n")["vertices"] == 3


def test_tables_on_standard_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = run("convert", "-", "-", *COLUMNS, "--weight", "score", "--to", "csv", input=TABLE).stdout
    assert table == TABLE.replace("a,b,score", "source,target,weight")
    assert run("convert", "-", "-", "--to", "tsv", input=table).stdout == table.replace(",", "\t")
    ok("forest", "-", "-o", "forest", "--to", "csv", input=table)
    assert (tmp_path / "forest").read_text() == table


@pytest.mark.parametrize("form", options.ANSWER_FORMS)
def test_answers_in_every_form_on_standard_output(tmp_path, monkeypatch, form):
    """The bytes are those of a file with this suffix; --to prevails over a suffix."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rooms.csv").write_text("room,seats\nhall,9\n")
    (tmp_path / "pairs.csv").write_text(TABLE)
    calls = {
        "mask": ["mis", "pairs.csv", *COLUMNS],
        "clusters": ["components", "pairs.csv", "--where", "score > 0.2", *COLUMNS, "--label", "smallest"],
        "slots": ["color", "pairs.csv", *COLUMNS, "--rooms", "rooms.csv"],
        "paths": ["bfs", "pairs.csv", *COLUMNS, "--sources", "bio"],
    }
    tables = {"csv": list(calls), "parquet": ["clusters", "slots"]}
    for name in tables.get(form, ["paths"]):
        call = calls[name]
        result = run(*call, "-o", "-", "--to", form)
        assert result.exit_code == 0 and result.stderr.startswith("pairs.csv: 3 vertices"), result.stderr
        ok(*call, "-o", f"{name}.{form}")
        assert result.stdout_bytes == (tmp_path / f"{name}.{form}").read_bytes()
    ok(*call, "-o", "other.tsv", "--to", form)
    assert result.stdout_bytes == (tmp_path / "other.tsv").read_bytes()
    if form == "csv":
        assert (tmp_path / "clusters.csv").read_text() == "id,cluster,size\nart,art,3\nbio,art,3\nchem,art,3\n"


def test_forms_that_no_answer_has(folder):
    assert "'json' is not one of 'text', 'csv'" in refused("color", "path.mtx", "-o", "-", "--to", "json")
    for command in ("color", "forest"):
        assert "--to goes with -o" in refused(command, "path.mtx", "--to", "csv")


@pytest.mark.parametrize("name", ["-", "g.csv.zst", "g"])
def test_zstandard_is_answered_with_ways_that_work(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    frame = b"\x28\xb5\x2f\xfd\x24\x05\x29\x00\x001 2\n\x00"
    (tmp_path / "g.csv.zst").write_bytes(frame)
    (tmp_path / "g").write_bytes(frame)
    line = refused("mis", name, input=frame)
    assert "compressed by Zstandard" in line and re.search("zstd -dc? ", line), line


@pytest.mark.parametrize("name", sorted(options._CALLED))
def test_each_synonym_leads_to_its_command(name):
    for spelling in (name, name.replace("-", "_"), name.capitalize()):
        line = refused(spelling, "x.mtx")
        assert line.endswith(f"No such command {spelling!r}; did you mean {options._CALLED[name]!r}?\n")


def test_the_synonyms_of_the_field():
    wanted = {"schedule": "color", "cluster": "components", "dedup": "components", "deduplicate": "components"}
    wanted |= {"shortest-path": "bfs", "mst": "forest", "louvain": "communities", "timetable": "color"}
    assert wanted.items() <= options._CALLED.items()
