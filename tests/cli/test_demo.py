"""``stablegraph demo``, and ``warmup``."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.cli import answer_files, demo, demo_steps

from .invoking import facts, ok, process, refused


def test_demo_draws_and_verifies(folder):
    pytest.importorskip("matplotlib")
    found = facts("demo")
    cpu = {row["step"]: row for row in found["results"] if row["device"] == "cpu"}
    assert found["verified"] and list(cpu) == list(demo_steps.STEPS)
    mask = sg.maximal_independent_set(gallery.load("us-counties"))
    known = cpu["maximal set"]
    assert (known["size"], known["crc32"]) == (int(mask.sum()), answer_files.fingerprint(mask))
    assert known["size"] < cpu["large set"]["size"] <= cpu["large set"]["upper_bound"]
    assert cpu["coloring"]["colors"] == cpu["coloring"]["lower_bound"] == 5
    assert (cpu["components"]["components"], cpu["spanning forest"]["edges"]) == (17, 3234 - 17)
    assert cpu["strong components"]["largest"] < cpu["components"]["largest"] == cpu["search"]["reached"]
    assert cpu["aggregates"]["aggregates"] == sg.aggregate(gallery.load("us-counties"))[0]
    assert cpu["multigrid"]["ohms"] == pytest.approx(3.404, abs=1e-3)
    assert found["pictures"] == [demo.PICTURE, "stablegraph-demo-colors.png"]
    for picture in found["pictures"]:
        assert (folder / picture).read_bytes().startswith(b"\x89PNG")
    told = ok("demo", "-o", "other.svg")
    assert "other.svg" in told and "compute" in told
    assert (folder / "other.svg").read_text().startswith("<?xml")
    assert "a picture can be" in refused("demo", "-o", "picture.bogus")


def test_demo_without_a_picture(folder, monkeypatch):
    assert facts("demo", "--no-picture")["pictures"] == []
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert 'pip install "stablegraph[plot]"' in ok("demo")
    assert sorted(os.listdir(folder)) == ["arcs.txt", "path.mtx"]


@pytest.mark.slow
def test_after_warmup_nothing_is_compiled(tmp_path):
    """In a fresh cache: files are written by warmup alone."""
    environment = {**os.environ, "STABLEGRAPH_CACHE_DIR": str(tmp_path)}
    warm = process("warmup", "--json", env=environment)
    told, errors = warm.communicate()
    assert (warm.returncode, errors) == (0, b"")
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert json.loads(told)["files"] == len(files) > 0
    doctor = process("doctor", "--json", env=environment).communicate()[0]
    cache = next(finding for finding in json.loads(doctor)["findings"] if finding["about"] == "cache")
    assert cache["state"] == "ok" and str(tmp_path) in cache["found"], cache
    work = """
import io, numpy as np, stablegraph as sg
from stablegraph import gallery
graph = gallery.uniform_random(50_000, 3, seed=9)
for priority in ("degree", "ecl", "random", "natural"):
    sg.maximal_independent_set(graph, priority=priority, seed=2)
    sg.maximal_independent_set(gallery.grid(300), priority=priority)
sg.maximal_independent_set(graph.to_scipy(), priority=np.arange(50_000), include=[3], exclude=[9])
sg.read_graph(io.BytesIO(b"1 2\\n2 1\\n"))
"""
    subprocess.run([sys.executable, "-c", work], env=environment, check=True)
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == files
