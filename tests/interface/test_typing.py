"""The types of the public functions, as seen by editors and type checkers."""

import inspect
import subprocess
import sys
from importlib.util import find_spec

import pytest

import stablegraph as sg
from stablegraph.independent_set import api as sets

CLIENT = """
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import stablegraph as sg
from stablegraph._core.option_names import Priority
from stablegraph._core.typing import GraphLike, Labels, Mask

A = sp.csr_array(np.eye(3))
graph = sg.as_graph(A)
like: list[GraphLike] = [graph, A, sp.csr_matrix(A), np.eye(3), [(0, 1), (1, 0)], (np.arange(2), np.arange(1))]

assert_type(sg.maximal_independent_set(graph), Mask)
assert_type(sg.maximal_independent_set(A, 2, priority="degree", return_info=True), tuple[Mask, dict[str, Any]])
sg.maximal_independent_set(graph, priority=[3, 1, 2], include=[0], exclude=np.zeros(3, bool))
sg.maximal_independent_set(graph, algorithm="luby-select")  # refused
sg.maximal_independent_set(graph, priority="largest")  # refused
sg.maximal_independent_set(graph, k=2)  # refused
order: Priority = "high_degree"
sg.dependence_depth(graph, priority=order)
large = sg.large_independent_set(graph, include=sg.large_independent_set(graph))
assert_type(large.mask, Mask)

colors = sg.vertex_coloring(graph, order=["natural", np.arange(3)], ties="hash", reduce="none")
offsets, vertices = sg.color_classes(colors)
sg.vertex_coloring(graph, ties="name")  # refused
sg.vertex_coloring(graph, order="largest")  # refused
sg.jacobian_coloring(A, "diagonals")  # refused

count, labels = sg.connected_components(graph, algorithm="fastsv")
assert_type(labels, Labels)
assert_type(sg.condensation(graph), sg.Graph)
assert_type(sg.condensation(graph, return_order=True), tuple[sg.Graph, Labels])
sg.strongly_connected_components(graph, algorithm="kosaraju")  # refused
forest = sg.minimum_spanning_forest(graph, algorithm="boruvka", symmetrize="min")
weight: float = sg.total_weight(forest)
count, names = sg.connected_components(graph, label="smallest", start=[0])
linkage: np.ndarray = sg.single_linkage(forest)
sg.minimum_spanning_forest(graph, symmetrize="mean")  # refused
assert_type(sg.communities(graph, resolution=0.5, min_size=2), tuple[int, Labels])
assert_type(sg.communities(graph, resolution=[0.5, 1]), list[tuple[int, Labels]])
assert_type(sg.communities(graph, resolution=(1.0, 2.0), return_info=True), list[tuple[int, Labels, dict[str, Any]]])
assert_type(sg.inherit_labels(labels, [0]), Labels)
assert_type(sg.mutual_reachability(graph, 5), sg.Graph)
sg.communities(graph, resolution="high")  # refused
distance, parent = sg.breadth_first_search(graph, 0)
way = sg.bfs_path(parent, 2)

assert_type(sg.aggregate(graph, priority="degree"), tuple[int, Labels])
assert_type(sg.aggregate(graph, return_roots=True), tuple[int, Labels, npt.NDArray[np.int64]])
sg.coarse_graph(graph, sg.aggregate(graph, algorithm="mis2_basic", strength=0.1)[1])
solver = sg.smoothed_aggregation(A, smoother=("jacobi", {"sweeps": 2}), aggregate="kokkos")
x = solver.solve(np.ones(3), cycle="W", accel=None)
solver.solve(np.ones(3), cycle="X")  # refused
sg.smoothed_aggregation(A, smoother="sor")  # refused
sg.gauss_seidel(A, clusters="mis2", symmetric=False)
sg.gauss_seidel(A, clusters="rows")  # refused
"""


@pytest.mark.slow
@pytest.mark.skipif(not (find_spec("mypy") and find_spec("scipy-stubs")), reason="mypy or scipy-stubs is not installed")
def test_a_client_is_checked(tmp_path):
    file = tmp_path / "client.py"
    file.write_text(CLIENT)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    refused = {number for number, line in enumerate(CLIENT.split("\n"), 1) if line.endswith("# refused")}
    errors = [line for line in done.stdout.split("\n") if "client.py" in line and ": error:" in line]
    assert {int(line.split(":")[1]) for line in errors} == refused, done.stdout + done.stderr


def test_the_options_of_the_overloads_are_all_there_are():
    options = inspect.signature(sg.maximal_independent_set).parameters.keys() - {"graph", "distance", "return_info"}
    assert sets._Options.__annotations__.keys() == options
