"""Preconditioners of stablegraph in PETSc, with its type "python"."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.interop.petsc import GaussSeidel, SmoothedAggregation

PETSc = pytest.importorskip("petsc4py.PETSc", reason="petsc4py is not installed")

A = sg.gallery.laplacian((40, 40))
BLOCK, MODES = sg.gallery.elasticity_3d((6, 5, 5))


def matrix_of(A, block_size=1):
    matrix = PETSc.Mat().createAIJ(A.shape, bsize=block_size, csr=(A.indptr, A.indices, A.data))
    matrix.assemble()
    return matrix


def solver_of(matrix, context=None, options=None):
    ksp = PETSc.KSP().create()
    ksp.setOperators(matrix)
    ksp.setType("cg")
    ksp.setTolerances(rtol=1e-8, max_it=500)
    if context is not None:
        ksp.getPC().setType("python")
        ksp.getPC().setPythonContext(context)
    else:
        PETSc.Options().insertString(options)
        ksp.setFromOptions()
    return ksp


def iterations(ksp, A):
    """Return the iterations of a solve whose solution is correct."""
    b = np.random.default_rng(0).standard_normal(A.shape[0])
    x = np.zeros(A.shape[0])
    right, solution = PETSc.Vec().createWithArray(b), PETSc.Vec().createWithArray(x)
    ksp.solve(right, solution)
    assert ksp.getConvergedReason() > 0
    assert np.linalg.norm(b - A @ x) < 1e-6 * np.linalg.norm(b)
    return ksp.getIterationNumber()


@pytest.mark.parametrize(("context", "limit"), [(SmoothedAggregation(), 14), (GaussSeidel(clusters="mis2"), 60)])
def test_contexts(context, limit):
    assert iterations(solver_of(matrix_of(A), context), A) <= limit


def test_by_options():
    ksp = solver_of(
        matrix_of(A), options="-pc_type python -pc_python_type stablegraph.interop.petsc.SmoothedAggregation"
    )
    assert iterations(ksp, A) <= 14


def test_new_values_and_new_patterns():
    context, matrix = SmoothedAggregation(), matrix_of(A)
    ksp = solver_of(matrix, context)
    before = iterations(ksp, A)
    result = context._solver
    matrix.scale(2.0)
    assert iterations(ksp, 2 * A) == before
    assert context._solver is result  # updated
    other = sg.gallery.laplacian((30, 30))
    ksp.reset()
    ksp.setOperators(matrix_of(other))
    iterations(ksp, other)
    assert context._solver is not result


def test_blocks_and_modes_of_the_matrix():
    matrix = matrix_of(BLOCK, 3)
    vectors = [PETSc.Vec().createWithArray(mode.copy()) for mode in np.linalg.qr(MODES)[0].T]
    plain = iterations(solver_of(matrix_of(BLOCK), SmoothedAggregation(coarse_size=60)), BLOCK)
    matrix.setNearNullSpace(PETSc.NullSpace().create(vectors=vectors))
    context = SmoothedAggregation(coarse_size=60)
    assert iterations(solver_of(matrix, context), BLOCK) < plain
    assert context._solver.levels[1].A.shape[0] % MODES.shape[1] == 0
