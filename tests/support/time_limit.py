"""A plugin for pytest: no further test begins after so many seconds (PYTEST_SECONDS), and what has run counts."""

import math
import os
import time

_END = time.monotonic() + float(os.environ.get("PYTEST_SECONDS", math.inf))


def pytest_runtest_teardown(item):
    """Stop behind a test, once the time is up."""
    if time.monotonic() > _END:
        item.session.shouldstop = "the time is up"
