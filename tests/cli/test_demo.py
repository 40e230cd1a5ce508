"""``stablegraph demo``."""

from __future__ import annotations

import os
import sys

import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.cli.commands import demo

from .invoking import facts, ok, refused


def test_demo_draws_and_verifies(folder):
    pytest.importorskip("matplotlib")
    result = facts("demo")
    cpu = {row["step"]: row for row in result["results"] if row["device"] == "cpu"}
    assert result["verified"] and list(cpu) == list(demo.STEPS)
    mask = sg.maximal_independent_set(gallery.load("us-counties"))
    known = cpu["maximal set"]
    assert (known["size"], known["crc32"]) == (int(mask.sum()), sg.fingerprint(mask))
    assert known["size"] < cpu["large set"]["size"] <= cpu["large set"]["upper_bound"]
    assert cpu["coloring"]["colors"] == cpu["coloring"]["lower_bound"] == 5
    assert (cpu["components"]["components"], cpu["spanning forest"]["edges"]) == (17, 3234 - 17)
    assert cpu["strong components"]["largest"] < cpu["components"]["largest"] == cpu["search"]["reached"]
    assert cpu["aggregates"]["aggregates"] == sg.aggregate(gallery.load("us-counties"))[0]
    assert cpu["multigrid"]["ohms"] == pytest.approx(3.404, abs=1e-3)
    assert result["pictures"] == [demo.PICTURE, "stablegraph-demo-colors.png"]
    for picture in result["pictures"]:
        assert (folder / picture).read_bytes().startswith(b"\x89PNG")
    output = ok("demo", "-o", "other.svg")
    assert "other.svg" in output and "compute" in output
    assert (folder / "other.svg").read_text().startswith("<?xml")
    assert "a picture can be" in refused("demo", "-o", "picture.bogus")


def test_demo_without_a_picture(folder, monkeypatch):
    assert facts("demo", "--no-picture")["pictures"] == []
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert 'pip install "stablegraph[plot]"' in ok("demo")
    assert sorted(os.listdir(folder)) == ["arcs.txt", "path.mtx"]
