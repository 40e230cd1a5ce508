"""The environment of the package: its variables and their values, and the interpreter; by the standard library only.

A wrong value is an error when the package first computes something, and the exit code 2 of the command line.

Sub-interpreters are not supported. NumPy can be loaded in only one interpreter per process. In a sub-interpreter the
import of NumPy fails with a long text about broken installations, or issues a warning about bugs that are hard to find;
the second interpreter cannot load it.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from typing import Any

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


def refuse_sub_interpreters() -> None:
    """Raise ImportError in every interpreter except the main one of the process, where Python can detect this."""
    interpreters = _interpreters()
    if interpreters is not None and interpreters.get_current() != interpreters.get_main():
        raise ImportError(
            "stablegraph works in the main interpreter of a process only, like NumPy, and this is a "
            "sub-interpreter; use threads or processes (with mod_wsgi, set WSGIApplicationGroup %{GLOBAL})"
        )


def _interpreters() -> Any:
    """Return Python's module for interpreters, whose name depends on the version; None if there is none."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # the latter before Python 3.13
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    return None
