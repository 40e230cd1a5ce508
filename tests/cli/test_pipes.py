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
    assert "pass --from csv" in line


def test_tables_on_standard_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = run("convert", "-", "-", *COLUMNS, "--weight", "score", "--to", "csv", input=TABLE).stdout
    assert table == TABLE.replace("a,b,score", "source,target,weight")
    assert run("convert", "-", "-", "--to", "tsv", input=table).stdout == table.replace(",", "\t")
    ok("forest", "-", "-o", "forest", "--to", "csv", input=table)
    assert (tmp_path / "forest").read_text() == table


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
