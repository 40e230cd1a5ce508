"""The refusal to work in a sub-interpreter, in words.

NumPy keeps its types once a process. In a sub-interpreter NumPy is refused with a page on broken
installations, or loaded with a warning that bugs may be hard to find; the interpreter that comes second cannot load it.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

__all__ = ["refuse_sub_interpreters"]


def refuse_sub_interpreters() -> None:
    """Raise ImportError in any interpreter but the process's main one, where Python can tell."""
    interpreters = _interpreters()
    if interpreters is not None and interpreters.get_current() != interpreters.get_main():
        raise ImportError(
            "stablegraph works in the main interpreter of a process only, like NumPy, and this is a "
            "sub-interpreter; use threads or processes (with mod_wsgi, set WSGIApplicationGroup %{GLOBAL})"
        )


def _interpreters() -> Any:
    """Python's module on its interpreters, whose name depends on its version; None where there is none."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # since Python 3.13, and before
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    return None
