"""The project uses SciPy's sparse arrays; sparse matrices, their older form, occur only where old input is the subject.

SciPy will remove sparse matrices. As long as it has them, they are accepted, and functions that SciPy also has return a
matrix for a matrix (tests/interface/test_csgraph.py).
"""

from __future__ import annotations

import re

import pytest

from tests.support.processes import ROOT

# Classes and functions of SciPy, and functions that return a matrix because of their old name or default.
OLD = re.compile(
    r"\b(?:bsr|coo|csc|csr|dia|dok|lil)_matrix\b|\bis_?spmatrix\w*|\bsp(?:arse)?\.spmatrix\b"
    r"|\b(?:sp|sparse)\.(?:diags|eye|identity|rand|random|spdiags|bmat)\("
    r"|\b(?:mmread|hb_read|loadmat)\((?!.*spmatrix=False)"
)
WORDS = ("_matrix", "spmatrix", "sp.", "sparse.", "mmread", "hb_read", "loadmat")  # a fast test
CUPY = "CuPy has no sparse arrays in its releases"
INPUT = "accepts old input, or tests that it is accepted"
ALLOWED = {
    "docs/multigrid.md": CUPY,
    "docs/scipy.md": INPUT,
    "benchmarks/cases/gpu_multigrid.py": CUPY,
    "src/stablegraph/_core/converters.py": "a matrix for a matrix, as in SciPy",
    "src/stablegraph/_core/typing.py": INPUT,
    "src/stablegraph/csgraph.py": "the docstrings say when a matrix is returned",
    "src/stablegraph/derivatives/array_libraries.py": CUPY,
    "src/stablegraph/derivatives/evaluation.py": CUPY,
    "src/stablegraph/derivatives/plan.py": CUPY,
    "src/stablegraph/forest/api.py": INPUT,
    "src/stablegraph/forest/forest_state.py": CUPY,
    "tests/derivatives/test_plans.py": INPUT,
    "tests/first_gpu_calls.py": CUPY,
    "tests/fuzz/input_graphs.py": INPUT,
    "tests/graph/test_as_graph.py": INPUT,
    "tests/house/test_documented_use.py": CUPY,
    "tests/independent_set/test_maximal.py": INPUT,
    "tests/independent_set/test_priority.py": CUPY,
    "tests/interface/test_csgraph.py": INPUT,
    "tests/interface/test_typing.py": INPUT,
    "tests/interface/test_ways_in.py": INPUT,
    "tests/runtime/test_gpu.py": CUPY,
    "tests/solvers/test_multigrid_blocks.py": INPUT,
    "tests/support/compiled_operations.py": CUPY,
}
FOLDERS = ("src", "docs", "examples", "benchmarks", "tests", "build_kernels")


def test_sparse_matrices_occur_only_where_old_input_is_the_subject():
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".pyi", ".md")]
    files += [*ROOT.glob("*.md")]
    found = {}
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        if "generated" not in name and path.name not in ("CHANGELOG.md", "test_sparse_arrays.py"):
            text = path.read_text("utf-8")
            if any(word in text for word in WORDS) and (lines := [m[0] for m in OLD.finditer(text)]):
                found[name] = lines
    assert {name: lines for name, lines in found.items() if name not in ALLOWED} == {}
    assert ALLOWED.keys() - found.keys() == set()  # a reason without an occurrence


@pytest.mark.parametrize(
    ("line", "is_old"),
    [
        ("sp.csr_matrix(A)", True),
        ("scipy.sparse.eye(3)", True),
        ("scipy.io.mmread(path)", True),
        ("scipy.io.mmread(path, spmatrix=False)", False),
        ("sp.csr_array(A)", False),
        ("sp.eye_array(3)", False),
    ],
)
def test_old_forms_are_found(line, is_old):
    assert bool(OLD.search(line)) == is_old
