"""SciPy's own tests of the functions in the SciPy interface, run with the functions of stablegraph."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.processes import ROOT, run_interpreter
from tests.support.scipy_plugin import EXCEPTIONS

PACKAGE = "scipy.sparse.csgraph.tests"
PARTS = [
    "connected_components",
    "matching",
    "pydata_sparse",
    "reordering",
    "shortest_path",
    "spanning_tree",
    "traversal",
]


def test_the_tests_of_scipy_pass_with_ours():
    """Expected failures must fail: this shows that our functions were called, and that no exception is outdated."""
    pytest.importorskip(PACKAGE, reason="SciPy was installed without its tests")
    options = [
        "-q",
        "-rfEx",
        "-o",
        "addopts=",
        "-o",
        "filterwarnings=",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.support.scipy_plugin",
    ]
    files = [f"{PACKAGE}.test_{part}" for part in PARTS]
    done = run_interpreter("-m", "pytest", *options, "--pyargs", *files, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    # The files are read, because importing them here fails: they use markers that this suite does not declare.
    texts = [Path(find_spec(file).origin).read_text(encoding="utf-8") for file in files]
    present = {name for name in EXCEPTIONS if any(f"def {name}(" in text for text in texts)}
    assert "test_int64_indices_directed" in present
    assert all(EXCEPTIONS[name] in done.stdout for name in present)
