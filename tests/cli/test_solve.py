"""``stablegraph solve``: its output, its files, and its rejections."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from stablegraph.cli import answer_files

from . import invoking

A = gallery.laplacian((30, 31))
N = A.shape[0]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scipy.io.mmwrite("A.mtx", A.tocoo(), symmetry="symmetric")
    return tmp_path


def run(*arguments, **options):
    return invoking.run("solve", *arguments, **options)


def facts(*arguments, **options):
    return invoking.facts("solve", *arguments, **options)


def refused(*arguments):
    return invoking.refused("solve", *arguments)


def test_a_random_right_hand_side():
    output = facts("A.mtx", "-o", "x.npy")
    b = np.random.default_rng(0).uniform(-1, 1, N)
    assert np.linalg.norm(A @ np.load("x.npy") - b) <= 1e-8 * np.linalg.norm(b)
    assert output["converged"]
    assert output["iterations"] == len(output["residuals"]) - 1
    assert output["residuals"][0] == 1
    assert output["residuals"][-1] <= 1e-8
    assert facts("A.mtx", "--threads", 1)["crc32"] == output["crc32"]
    assert facts("A.mtx", "--seed", 1)["crc32"] != output["crc32"]


def test_the_choice_is_that_of_python():
    b = np.random.default_rng(0).uniform(-1, 1, N)
    for method in ("auto", "multigrid", "diagonal", "direct"):
        x, info = sg.solve(A, b, method=method, return_info=True)
        output = facts("A.mtx", "-o", "x.npy", "--method", method)
        assert np.array_equal(np.load("x.npy"), x)
        assert output["method"] == info["method"]
        assert output["reason"] == info["reason"]
        assert output["residuals"] == pytest.approx(info["residuals"], rel=1e-5)
        assert output["residual"] == pytest.approx(info["residual"], rel=1e-5)
    assert facts("A.mtx")["method"] == "direct"
    output = facts("A.mtx", "--smoother", "jacobi")
    assert output["method"] == "multigrid"
    assert output["levels"][0] == {"unknowns": N, "entries": A.nnz}
    assert "--smoother is an option of multigrid, not of --method direct" in refused(
        "A.mtx", "--method", "direct", "--smoother", "jacobi"
    )


@pytest.mark.parametrize("file", ["b.npy", "b.npz", "b.mtx", "b.txt"])
def test_right_hand_sides_in_files(file):
    b = np.sin(np.arange(N))
    if file == "b.npy":
        np.save(file, b)
    elif file == "b.npz":
        np.savez(file, anything=b)
    elif file == "b.mtx":
        scipy.io.mmwrite(file, b[:, None], precision=17)
    else:
        np.savetxt(file, b, fmt="%.17g", header="a load")
    assert np.array_equal(answer_files.read_vector(file, N), b)
    assert facts("A.mtx", file, "-o", "x.txt", "--tol", 1e-12)["right_side"] == file
    np.testing.assert_allclose(A @ np.loadtxt("x.txt"), b, atol=1e-10)


def test_lines_for_people():
    result = run("A.mtx", "--smoother", "jacobi", "--cycle", "W")
    assert result.exit_code == 0
    assert "direct: a factorization costs less" in run("A.mtx").stdout
    assert f"A.mtx: {N} unknowns, {A.nnz:,} entries" in result.stdout
    for text in ("operator complexity", "jacobi, W-cycle", "random, seed 0", "converged   yes"):
        assert text in result.stdout
    assert result.stderr == ""


def test_exit_code_4_if_it_does_not_arrive():
    output = facts("A.mtx", "--method", "multigrid", "--maxiter", 2, code=4)
    assert not output["converged"]
    assert output["iterations"] == 2
    result = run("A.mtx", "--method", "diagonal", "--maxiter", 2)
    assert result.exit_code == 4
    assert "no: diagonal: --maxiter 2 iterations were not enough" in result.stdout


def test_other_warnings_are_shown(monkeypatch):
    from stablegraph.solvers.api import Multigrid

    solve = Multigrid.solve

    def warns(*arguments, **options):
        warnings.warn("something else", UserWarning, stacklevel=1)
        return solve(*arguments, **options)

    monkeypatch.setattr(Multigrid, "solve", warns)
    result = run("A.mtx", "--cycle", "V", "--maxiter", 2)
    assert result.exit_code == 4
    assert result.stderr == "stablegraph: warning: something else\n"


def test_a_floating_problem():
    neumann = A.copy()
    neumann.setdiag(A.diagonal() - A @ np.ones(N))
    scipy.io.mmwrite("N.mtx", neumann.tocoo(), symmetry="symmetric")
    assert facts("N.mtx", "--floating")["converged"]
    assert "column 0 of --floating is not in the null space" in refused("A.mtx", "--floating")


def test_a_strength():
    stiff = sp.csr_array(
        sp.kron(sp.eye_array(30), gallery.laplacian(30)) + 0.01 * sp.kron(gallery.laplacian(30), sp.eye_array(30))
    )
    scipy.io.mmwrite("stiff.mtx", stiff.tocoo(), symmetry="symmetric")
    assert facts("stiff.mtx", "--strength", 0.1)["iterations"] < facts("stiff.mtx", "--cycle", "V")["iterations"]
    assert "strength must be" in refused("A.mtx", "--strength", 2)


def test_the_picture():
    pytest.importorskip("matplotlib")
    assert facts("A.mtx", "--plot", "falls.png")["picture"] == "falls.png"
    with open("falls.png", "rb") as file:
        assert file.read(4) == b"\x89PNG"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n2\n", f"2 numbers, but A has {N} rows"),
        ("1\ntwo\n", "line 2: expected a number, got 'two'"),
        (
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
            "line 1: a right-hand side is a general real",
        ),
        ("%%MatrixMarket matrix array real general\n% note\n3\n", "line 3: expected the size of one column"),
        ("%%MatrixMarket matrix array real general\n3 1\n1\n2\n", "2 numbers, but its size line says 3"),
    ],
)
def test_right_hand_sides_that_are_refused(folder, text, message):
    (folder / "b.txt").write_text(text)
    assert message in refused("A.mtx", "b.txt")


def test_matrices_that_are_refused(folder):
    (folder / "pattern.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n")
    assert "a pattern without values" in refused("pattern.mtx")
    scipy.io.mmwrite("wind.mtx", (A + 0.1 * sp.triu(A, 1)).tocoo(), symmetry="general")
    assert facts("wind.mtx")["method"] == "direct"
    assert "A is not symmetric: A[0, 1]" in refused("wind.mtx", "--method", "multigrid")
    scipy.io.mmwrite("minus.mtx", (A - 3 * sp.eye_array(N)).tocoo(), symmetry="symmetric")
    assert "not positive definite" in refused("minus.mtx", "--method", "multigrid")
    np.save("b.npy", np.ones(N))
    assert "--seed is for a random" in refused("A.mtx", "b.npy", "--seed", 3)
    assert "--seed" in refused("A.mtx", "--seed", -1)
    for file in ("A.mtx", "b.npy"):
        assert f"-o {file} is read (" in refused("A.mtx", "b.npy", "-o", file)
    assert "--json and -o -" in run("A.mtx", "--json", "-o", "-").stderr
