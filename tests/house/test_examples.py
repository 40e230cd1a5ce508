"""The scripts in examples/ run unchanged, and report that their answers are correct."""

from __future__ import annotations

import ast
import itertools
import json
import re
import runpy
import sys
import warnings

import numpy as np
import pytest

import stablegraph as sg
from tests.support.measured import needs_results
from tests.support.processes import ROOT

pytest.importorskip("matplotlib", reason="they draw")
EXAMPLES = ROOT / "examples"


@pytest.fixture
def run(monkeypatch, capsys):
    """Return a function that runs a program in this process, draws its pictures, and returns its output."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    plt.close("all")
    threads = sg.num_threads()

    def run_program(name, *arguments, pictures=1):
        monkeypatch.setattr(sys, "argv", [str(EXAMPLES / name), *arguments])
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*non-interactive")
            runpy.run_path(sys.argv[0], run_name="__main__")
        for figure in map(plt.figure, plt.get_fignums()):
            assert figure.get_suptitle() or any(ax.get_title() for ax in figure.axes), "this picture has no title"
            figure.canvas.draw()
        assert len(plt.get_fignums()) == pictures
        return capsys.readouterr().out

    yield run_program
    plt.close("all")
    sg.set_num_threads(threads)


def test_all_examples_are_tested_and_in_the_gallery():
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    programs = {path.stem for path in EXAMPLES.glob("*.py")}
    assert programs == tested - {"all_examples_are_tested_and_in_the_gallery", "the_outputs_of_the_notebook"}
    conf = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    listed = conf.partition("\nEXAMPLES = {")[2].partition("\n}\n")[0]
    assert programs == set(re.findall(r'^    "(\w+)": \[', listed, re.MULTILINE))


def test_clusters(run):
    pytest.importorskip("sklearn", reason="the program is for users of scikit-learn")
    _, *levels, all_neighbors, tree = run("clusters.py").splitlines()
    assert len(levels) == 5
    assert all(line.endswith("the same as HDBSCAN's: True") for line in levels)
    assert all(float(line.split()[-1]) > 0.6 for line in (all_neighbors, tree))


def test_hdbscan_tree(run):
    pytest.importorskip("hdbscan", reason="the program is for users of hdbscan")
    size, clusters, agreement = run("hdbscan_tree.py").splitlines()
    assert int(size.split()[4]) > 1
    assert clusters.startswith("5 clusters")
    assert float(agreement.split()[-1]) > 0.999


def test_aggregates_by_level(run):
    aggregates = [int(line.split()[3]) for line in run("aggregates_by_level.py").splitlines()]
    assert aggregates == sorted(aggregates, reverse=True)


def test_counties(run):
    assert "anything wrong: None" in run("counties.py")


def test_current_flow(run):
    output = run("current_flow.py", pictures=2)
    assert "together 1.0" in output
    assert float(output.split("resistances: ")[1]) < 0.3


def test_near_duplicates(run):
    pytest.importorskip("pyarrow", reason="tables need pyarrow")
    output = run("near_duplicates.py")
    assert "of 4,000 copies are with their originals" in output
    assert "0 texts without copies are in a cluster" in output


def test_eliminate(run):
    residual = run("eliminate.py").split("largest residual: ")[1]
    assert float(residual) < 1e-9


def test_finite_elements(run):
    pytest.importorskip("skfem", reason="scikit-fem assembles the system")
    *sizes, residual = run("finite_elements.py").splitlines()
    assert [int(line.split()[2]) < 40 for line in sizes] == [True] * 3
    assert float(residual.split()[-1]) < 1e-9


def test_forest_of_cities(run):
    assert "3,109 places" in run("forest_of_cities.py")


def test_gauss_seidel(run):
    *bandwidths, nothing, points, clusters = run("gauss_seidel.py", pictures=2).splitlines()
    numbered, rcm, _ = (int(line.split()[-1].replace(",", "")) for line in bandwidths)
    assert 10 * rcm < numbered
    steps = [int(line.split(": ")[1].split()[0]) for line in (clusters, points, nothing)]
    assert steps == sorted(steps)


@needs_results
def test_gpu_against_cpu(run):
    lines = run("gpu_against_cpu.py").splitlines()
    assert len(lines) == 6
    assert all(re.search(r"crc32 [0-9a-f]{8}, ", line) for line in lines)


def test_jacobian(run):
    output = run("jacobian.py")
    assert "3,600 unknowns: 8 evaluations" in output
    assert float(output.split("entry of the Jacobian: ")[1]) < 1e-6


def test_jacobian_jax(run):
    pytest.importorskip("jax", reason="the products are JAX's")
    output = run("jacobian_jax.py", pictures=0)
    assert "3,600 unknowns: 7 products" in output
    assert float(output.split("dense Jacobian: ")[1]) < 1e-14


def test_springs(run):
    heading, *numbers, force = run("springs.py").splitlines()
    products = [int(line.split(": ")[1]) for line in numbers]
    assert "1,587 unknowns" in heading
    assert products == sorted(products, reverse=True)
    assert float(force.split(": ")[1]) < 1e-9


def test_kmis_pooling(run):
    *levels, connected, two = run("kmis_pooling.py").splitlines()
    assert int(two.split()[4]) < 3600 // 5
    vertices = [int(line.split()[0]) for line in levels]
    assert (len(levels), vertices[0]) == (5, 3600)
    assert all(3 * fewer < 2 * more for more, fewer in itertools.pairwise(vertices))
    assert connected == "connected as before: True"


def test_large_sets(run):
    sizes = [
        [int(word) for word in re.findall(r"\d+", line.replace(",", ""))] for line in run("large_sets.py").splitlines()
    ]
    assert all(size <= bound for _, size, bound in sizes)
    assert sizes[-1][1] >= sizes[0][1] > 1000


def test_mesh_coloring(run):
    _, numbers, default, two = run("mesh_coloring.py").splitlines()
    counts = [int(line.split(": ")[1].split()[0]) for line in (default, numbers, two)]
    assert counts == sorted(counts)


@pytest.mark.parametrize(
    ("counties", "borders"), [(500, 592), pytest.param(3234, 9237, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_mesh_embedding(run, monkeypatch, counties, borders):
    """Drawing the lines of all counties takes seconds."""
    whole = sg.gallery.load("us-counties")
    monkeypatch.setattr(sg.gallery, "load", lambda name: whole.subgraph(np.arange(counties)))
    eigenvalues, cut = run("mesh_embedding.py", pictures=2).splitlines()
    values = [float(word) for word in eigenvalues.split()[1:]]
    assert values == sorted(values)
    assert f"of {borders:,} borders" in cut


def test_multigrid(run):
    output = run("multigrid.py")
    nothing, three, modes = (int(line[24:28]) for line in output.splitlines()[:3])
    assert modes < three < nothing
    assert float(output.partition("Multigrid")[0].split()[-1]) < 1e-8


def test_orders(run, tmp_path):
    path = tmp_path / "star.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 1\n4 1\n")
    lines = run("orders.py", str(path)).splitlines()
    assert lines[0] == "4 vertices, 3 edges"
    assert [line.split()[:4] for line in lines if line.startswith("degree")] == [["degree", "3", "3", "3"]]
    fingerprints = {line.split("crc32 ")[1] for line in lines if "crc32" in line}
    assert len(fingerprints) == 1


def test_partitions(run):
    pytest.importorskip("distributed", reason="the partitions are Dask's")
    fingerprints = {line.split()[-1] for line in run("partitions.py").splitlines()}
    assert len(fingerprints) == 1


def test_search_waves(run):
    assert "61 borders" in run("search_waves.py")


def test_schedule(run):
    _, lost, *whole = run("schedule.py").splitlines()
    area = lost.split()[-1]
    assert float(lost.split()[3]) < 0.5 * float(area)
    assert len(whole) == 2
    assert all(area in line for line in whole)


def test_spectral_clusters(run):
    pytest.importorskip("sklearn", reason="k-means and the points are scikit-learn's")
    assert float(run("spectral_clusters.py").split("Rand index ")[1].split(";")[0]) > 0.9


def test_stiff(run):
    *runs, difference = run("stiff.py").splitlines()
    nothing, theirs, ours = (int(line.split()[-2].replace(",", "")) for line in runs)
    assert max(theirs, ours) < nothing / 4  # SciPy's colors may differ from ours
    assert float(difference.split()[-1]) < 1e-6


def test_timetable(run):
    assert run("timetable.py").strip().endswith("exams that a student misses: 0")


def test_rooms(run):
    fewest, wishes, impossible, in_rooms = run("rooms.py", pictures=2).splitlines()
    assert in_rooms.startswith("with rooms 1") and in_rooms.endswith("violated constraints: None")
    assert fewest.startswith("14 slots; at least 14 colors: fewer colors do not have the capacity")
    assert wishes.endswith("violated constraints: None")
    assert "exceed the total capacity of 10 colors" in impossible


def test_communities(run):
    assert "no county can improve it by moving" in run("communities.py")


def test_map_labels(run):
    plain, *weighted = (int(line.split()[-1].replace(",", "")) for line in run("map_labels.py").splitlines())
    assert min(weighted) > 2 * plain


def test_matching(run):
    by_hashes, near = (float(line.split()[-2]) for line in run("matching.py").splitlines())
    assert near < by_hashes


def test_social_communities(run):
    pytest.importorskip("networkx")
    assert "Valjean and Javert: together, then apart" in run("social_communities.py")


def test_web_communities(run):
    _, _, folders, *_, sites = run("web_communities.py").splitlines()
    assert "purity for folders 1.000" in folders
    assert "60 parts" in sites
    assert "for sites 0.999" in sites


def test_digits_communities(run):
    pytest.importorskip("sklearn")
    assert float(run("digits_communities.py").splitlines()[0].split()[-1]) > 0.85


def test_web_components(run):
    assert "the largest of 19,131 pages" in run("web_components.py")


def test_the_outputs_of_the_notebook(capsys):
    """`jupyter execute --inplace docs/tutorial.ipynb` writes them."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    namespace: dict[str, object] = {}
    for cell in json.loads((ROOT / "docs" / "tutorial.ipynb").read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            *lines, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module(lines, []), "cell", "exec"), namespace)
            exec(compile(ast.Interactive([last]), "cell", "single"), namespace)  # prints the value of an expression
            stored = [part.get("text") or part["data"]["text/plain"] for part in cell["outputs"]]
            assert capsys.readouterr().out.strip() == "".join(itertools.chain(*stored)).strip(), cell["id"]
    assert plt.get_fignums()
    plt.close("all")
