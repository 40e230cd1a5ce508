"""PyAMG's tests, run with the graph functions and aggregates of stablegraph."""

import pytest

from tests.support.processes import ROOT, run_interpreter


@pytest.mark.slow
def test_the_tests_of_pyamg_pass_with_ours():
    """Expected failures must fail, so no exception is outdated; and each of our functions must have been called."""
    pytest.importorskip("pyamg", minversion="5.4", reason="the exceptions are those of PyAMG 5.4")
    pytest.importorskip("pyamg.tests", reason="PyAMG was installed without its tests")
    from tests.support.pyamg_plugin import EXCEPTIONS, OURS

    options = ["-q", "-rfEx", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "tests.support.pyamg_plugin"]
    done = run_interpreter("-m", "pytest", *options, "--pyargs", "pyamg", check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-4000:]
    assert f"{len(EXCEPTIONS)} xfailed" in done.stdout
    called = next(line for line in done.stdout.splitlines() if line.startswith("ours were called: "))
    assert called.count(",") + 1 == sum(map(len, OURS.values()))
