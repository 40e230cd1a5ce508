"""A clear error message for sub-interpreters, which are not supported.

NumPy can be loaded in only one interpreter per process. In a sub-interpreter the import of NumPy fails with a long text
about broken installations, or issues a warning about bugs that are hard to find; the second interpreter cannot load it.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import Any


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
