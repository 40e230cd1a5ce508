"""The scripts in examples/ run as they are and say that their answers are right."""

from __future__ import annotations

import itertools

import pytest

from tests.support.processes import ROOT, run_interpreter

EXAMPLES = ROOT / "examples"


def run(name, *arguments):
    return run_interpreter(str(EXAMPLES / name), *arguments).stdout


def test_all_examples_are_tested():
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert {path.stem for path in EXAMPLES.glob("*.py")} == tested - {"all_examples_are_tested"}


def test_clusters():
    pytest.importorskip("sklearn", reason="the program is for users of scikit-learn")
    _, *levels, all_neighbors, tree = run("clusters.py").splitlines()
    assert len(levels) == 5
    assert all(line.endswith("the same as HDBSCAN's: True") for line in levels)
    assert all(float(line.split()[-1]) > 0.6 for line in (all_neighbors, tree))


def test_counties(tmp_path):
    pytest.importorskip("matplotlib")
    told = run("counties.py", str(tmp_path / "counties.png"))
    assert "anything wrong: None" in told
    assert (tmp_path / "counties.png").stat().st_size > 10_000


def test_eliminate():
    residual = run("eliminate.py").split("largest residual: ")[1]
    assert float(residual) < 1e-9


def test_finite_elements():
    pytest.importorskip("skfem", reason="scikit-fem assembles the system")
    *sizes, residual = run("finite_elements.py").splitlines()
    assert [int(line.split()[2]) < 40 for line in sizes] == [True] * 3
    assert float(residual.split()[-1]) < 1e-9


def test_jacobian():
    told = run("jacobian.py")
    assert "3,600 unknowns: 8 evaluations" in told
    assert float(told.split("entry of the Jacobian: ")[1]) < 1e-6


def test_jacobian_jax():
    pytest.importorskip("jax", reason="the products are JAX's")
    told = run("jacobian_jax.py")
    assert "3,600 unknowns: 7 products" in told
    assert float(told.split("dense Jacobian: ")[1]) < 1e-14


def test_kmis_pooling():
    *levels, connected = run("kmis_pooling.py").splitlines()
    vertices = [int(line.split()[0]) for line in levels]
    assert (len(levels), vertices[0]) == (5, 3600)
    assert all(3 * fewer < 2 * more for more, fewer in itertools.pairwise(vertices))
    assert connected == "connected as before: True"


def test_multigrid(tmp_path):
    pytest.importorskip("matplotlib")
    told = run("multigrid.py", str(tmp_path / "block.png"))
    nothing, three, modes = (int(line[24:28]) for line in told.splitlines()[:3])
    assert modes < three < nothing
    assert float(told.partition("Multigrid")[0].split()[-1]) < 1e-8
    assert (tmp_path / "block.png").stat().st_size > 10_000


def test_orders(tmp_path):
    path = tmp_path / "star.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 1\n4 1\n")
    lines = run("orders.py", str(path)).splitlines()
    assert lines[0] == "4 vertices, 3 edges"
    assert [line.split()[:4] for line in lines if line.startswith("degree")] == [["degree", "3", "3", "3"]]
    fingerprints = {line.split("crc32 ")[1] for line in lines if "crc32" in line}
    assert len(fingerprints) == 1


def test_schedule():
    _, lost, *whole = run("schedule.py").splitlines()
    area = lost.split()[-1]
    assert float(lost.split()[3]) < 0.5 * float(area)
    assert len(whole) == 2
    assert all(area in line for line in whole)


def test_stiff():
    *runs, difference = run("stiff.py").splitlines()
    nothing, theirs, ours = (int(line.split()[-2].replace(",", "")) for line in runs)
    assert max(theirs, ours) < nothing / 4  # SciPy's colors may be others than ours
    assert float(difference.split()[-1]) < 1e-6
