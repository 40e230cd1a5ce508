"""The environment variables of this package, and their values; it uses the standard library only.

A wrong value is an error when the package first computes something, and the exit code 2 of the command line.
"""

from __future__ import annotations

import os

_WORDS = {
    "STABLEGRAPH_TARGET": ("cpu", "python"),
    "STABLEGRAPH_JIT": ("0", "1"),
    "STABLEGRAPH_CPU_LEVEL": ("0", "1", "2"),
    "STABLEGRAPH_TRACEBACK": ("0", "1"),
}
_OF_THE_BUILD = {"STABLEGRAPH_BUILD_CUDA": ("0", "1")}  # STABLEGRAPH_BUILD has the names of targets
_LARGEST = {"STABLEGRAPH_NUM_THREADS": None, "STABLEGRAPH_MAX_THREADS": 4096}  # integers from 1 on


def setting(name: str) -> str:
    """Return the value of a variable, empty if it is not set; raise ValueError for a wrong value."""
    value = os.environ.get(name, "").strip()
    if not value:
        return value
    if name in _LARGEST:
        try:
            number = int(value)
        except ValueError:
            raise ValueError(f"{name} must be an integer, got {value[:60]!r}") from None
        limit = _LARGEST[name]
        if number < 1 or (limit is not None and number > limit):
            raise ValueError(f"{name} must be at {'least 1' if number < 1 else f'most {limit}'}, got {number}")
        return str(number)
    words = (_WORDS | _OF_THE_BUILD)[name]
    if value not in words:
        raise ValueError(f"{name} must be {' or '.join(words)}, or not be set, got {value[:60]!r}")
    return value


def check_environment() -> None:
    """Raise ValueError if a variable has a wrong value."""
    for name in (*_WORDS, *_LARGEST):
        setting(name)
