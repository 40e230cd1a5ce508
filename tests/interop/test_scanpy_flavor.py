"""The tests of examples/scanpy_flavor, which are written for the suite of scanpy; without scanpy, some are skipped."""

import runpy

from tests.support.processes import ROOT

_TESTS = runpy.run_path(str(ROOT / "examples" / "scanpy_flavor" / "test_flavor.py"))
globals().update({name: test for name, test in _TESTS.items() if name.startswith("test_")})
