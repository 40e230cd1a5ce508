"""SciPy's own tests of the functions in the SciPy interface, run with the functions of stablegraph."""

import importlib

import pytest

from tests.support.processes import ROOT, run_interpreter
from tests.support.scipy_plugin import EXCEPTIONS

PACKAGE = "scipy.sparse.csgraph.tests"
PARTS = ["connected_components", "matching", "pydata_sparse", "reordering", "spanning_tree", "traversal"]


def test_the_tests_of_scipy_pass_with_ours():
    """Expected failures must fail: this shows that our functions were called, and that no exception is outdated."""
    pytest.importorskip(PACKAGE, reason="SciPy was installed without its tests")
    options = ["-q", "-rfEx", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "tests.support.scipy_plugin"]
    files = [f"{PACKAGE}.test_{part}" for part in PARTS]
    done = run_interpreter("-m", "pytest", *options, "--pyargs", *files, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    modules = [importlib.import_module(file) for file in files]
    present = {name for name in EXCEPTIONS if any(hasattr(module, name) for module in modules)}
    assert "test_int64_indices_directed" in present
    assert all(EXCEPTIONS[name] in done.stdout for name in present)
