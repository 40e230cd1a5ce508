"""The results of the benchmarks, which a checkout has and an sdist has not."""

import pytest

from .processes import ROOT

RESULTS = ROOT / "benchmarks" / "results"
needs_results = pytest.mark.skipif(not RESULTS.exists(), reason="the results of the benchmarks are not in an sdist")
