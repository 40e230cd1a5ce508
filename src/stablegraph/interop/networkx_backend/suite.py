"""Exceptions for NetworkX's own tests with this backend: tests that require one of several correct results."""

from __future__ import annotations

from typing import Any

# Reasons by file and test.
EXCEPTIONS = {
    ("test_mis.py", "test_random_seed"): "asks for the set that one stream of random numbers gives",
    ("test_coloring.py", "test_special_cases"): "asks for 5 colors by 'smallest_last', where 4 are found",
}


def on_start_tests(items: list[Any]) -> None:
    """Mark the exceptions as expected failures; NetworkX calls this before it runs its tests with the backend."""
    import pytest

    for item in items:
        reason = EXCEPTIONS.get((item.path.name, item.name))
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason))
