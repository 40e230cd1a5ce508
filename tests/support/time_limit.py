"""A pytest plugin with a time limit (PYTEST_SECONDS): no test begins after it; the tests so far are reported."""

import math
import os
import time

_END = time.monotonic() + float(os.environ.get("PYTEST_SECONDS", math.inf))


def pytest_runtest_teardown(item):
    """Stop after a test if the time is up."""
    if time.monotonic() > _END:
        item.session.shouldstop = "the time is up"
