"""The exit codes, for all commands that can reach them, and errors as JSON."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import cli, gallery
from stablegraph.cli import failures
from stablegraph.coloring import constrained

from .invoking import facts, ok, refused, run

GRAPH = [["mis"], ["color"], ["components"], ["scc"], ["communities"], ["aggregate"], ["forest"], ["matching"]]
ANSWERS = [*GRAPH, ["bfs", "--sources", "0"], ["mis", "--large"]]
KINDS = {"mis": "set", "color": "coloring", "aggregate": "aggregation"}  # the other kinds are called as their commands


def call(command, *more):
    name, *options = command
    return [name, "path.mtx", *options, *more]


def test_the_page_lists_these_codes():
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
    rows = re.findall(r"^\| ([\d, ]+) \| .+ \|$", page, re.MULTILINE)
    codes = [int(code) for row in rows for code in row.split(",")]
    assert codes == [0, 1, 2, failures.IMPOSSIBLE, failures.NOT_FOUND, 130, 143, 129, 141]


@pytest.mark.parametrize("command", ANSWERS, ids=" ".join)
def test_0_if_the_answer_is_right_and_1_if_it_is_wrong(folder, monkeypatch, command):
    assert facts(*call(command))["verified"] is True
    monkeypatch.setattr(sg, "explain", lambda *arguments, **options: "vertex 3 is wrong")
    assert facts(*call(command), code=1)["verified"] is False
    assert "no: vertex 3 is wrong" in run(*call(command)).stdout


@pytest.mark.parametrize("command", [*GRAPH, ["bfs", "--sources", "0"]], ids=" ".join)
def test_1_if_verify_finds_the_answer_wrong(folder, command):
    name, *options = command
    arcs, kind = name == "scc", KINDS.get(name, name)
    cycle, stars = (range(9), [*range(1, 9), 0]), ([0, 0, 1, 1, 2, 2], [3, 6, 4, 7, 5, 8])
    for file, (u, v) in (("cycle.npz", cycle), ("stars.npz", stars)):
        sg.write_graph(file, sg.from_edges(u, v, symmetrize=not arcs, directed=arcs))
        ok(name, file, *options, "-o", f"answer-{file}")
    assert facts("verify", "cycle.npz", "answer-cycle.npz", "--as", kind)["verified"] is True
    assert facts("verify", "cycle.npz", "answer-stars.npz", "--as", kind, code=1)["verified"] is False


@pytest.mark.parametrize("name", sorted(set(cli.main.commands) - {"demo", "doctor", "completion", "generate", "bench"}))
def test_2_if_the_input_is_missing(folder, name):
    more = {"verify": ["path.mtx"], "convert": ["x.npz"], "bfs": ["--sources", "0"], "report": ["-o", "x.html"]}.get(
        name, []
    )
    if name == "report":
        pytest.importorskip("matplotlib")
    assert "nothing.mtx: No such file" in refused(name, "nothing.mtx", *more)


def test_2_of_the_other_commands(folder):
    for arguments in (
        ["demo", "x"],
        ["doctor", "x"],
        ["completion", "x"],
        ["generate", "x"],
        ["bench", "--graph", "x"],
    ):
        refused(*arguments)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--colors", "1"], "pairwise adjacent"),
        (["--colors", "2", "--capacity", "2"], "exceed the total capacity"),
        (["--fixed", "same.csv"], "both fixed to color 4"),
        (["--fixed", "same.csv", "--distance", "2"], "both fixed to color 4"),
        (["--allowed", "few.csv", "--capacity", "1"], "restricted to the colors 3"),
        (["--colors", "1", "--sizes", "sizes.npy"], "pairwise adjacent"),
    ],
)
def test_3_if_a_coloring_is_impossible(folder, options, reason):
    (folder / "same.csv").write_text("id,color\n1,4\n2,4\n")
    (folder / "few.csv").write_text("id,color\n0,3\n4,3\n")
    np.save("sizes.npy", np.ones(5, int))
    assert reason in refused("color", "path.mtx", *options, code=3)


@pytest.fixture
def crowd(folder, monkeypatch):
    """A graph for which first fit fails, and the search ends at once."""
    sg.write_graph("crowd.npz", gallery.uniform_random(300, 3))
    monkeypatch.setattr(constrained, "_MAX_PAIRS", 10)
    return ["color", "crowd.npz", "--colors", "4", "--capacity", "75"]


def test_4_if_a_search_ends_without_an_answer(crowd):
    line = refused(*crowd, code=4)
    assert "try another --seed, or relax --colors, --capacity, --allowed or --fixed" in line
    assert run(*crowd, "--seed", 1).exit_code == 4


@pytest.mark.parametrize("method", ["diagonal", "multigrid"])
def test_4_if_a_solver_does_not_reach_the_tolerance(folder, method):
    sg.write_graph("matrix.mtx", sg.as_graph(gallery.laplacian((40, 40))))
    output = facts("solve", "matrix.mtx", "--method", method, "--maxiter", "1", "-o", "x.npy", code=4)
    assert output["converged"] is False and np.load("x.npy").size == 1600
    assert facts("solve", "matrix.mtx", "--method", method)["converged"] is True


def failed(*arguments, code):
    """Return the error of a command with --json."""
    result = run(*arguments, "--json")
    error = json.loads(result.stdout)
    assert set(error) == {"error", "exit_code"} and error["exit_code"] == result.exit_code == code
    assert result.stderr == f"stablegraph: {error['error']}\n"
    return error["error"]


def test_errors_as_json(crowd, monkeypatch):
    assert "--priority" in failed("mis", "path.mtx", "--prioritty", "x", code=2)
    assert "did you mean 'color'" in failed("culor", "path.mtx", code=2)
    assert "nothing.mtx" in failed("info", "nothing.mtx", code=2)
    assert "pairwise adjacent" in failed("color", "path.mtx", "--colors", "1", code=3)
    assert "--seed" in failed(*crowd, code=4)

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("stablegraph.read_graph", interrupt)
    assert failed("info", "path.mtx", code=130) == "interrupted"


def test_an_error_without_standard_output_is_only_a_line(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["stablegraph", "info", "nothing.mtx", "--json"])
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SystemExit) as ended:
        cli.main(prog_name="stablegraph")
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("stablegraph: standard output is closed")
