"""A few cases of every function that verifies or makes graphs, fast enough for a run on each mutant (mutants.py)."""

import pytest

from . import sums
from .run import TARGETS, run

NAMES = [target.name for target in TARGETS if target.name.startswith("is_")] + ["as_graph", "from_edges"]
NAMES += [target.name for target in sums.TARGETS if not target.name.startswith("distributed")]


@pytest.mark.parametrize("name", NAMES)
def test_some_cases(name):
    reported = []
    first = [target.name for target in TARGETS].index(name)
    run(range(first, 40 * len(TARGETS), len(TARGETS)), seed=9, report_line=reported.append)
    assert not reported, "\n".join(reported)
