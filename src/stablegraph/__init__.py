"""Independent sets, colorings, components, communities, matchings, forests, solvers: fast, deterministic, checkable.

The public names are listed in ``__init__.pyi`` for editors and type checkers. This module reads the same list and loads
each name on first use, so that importing the package is fast.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

from ._core.environment import refuse_sub_interpreters
from ._version import __version__

refuse_sub_interpreters()

_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_HOME = {name: home for home, name in re.findall(r"^from \.([\w.]*) import (\w+) as", _STUB, re.MULTILINE)}

__all__ = ["__version__", *sorted(set(_HOME) - {"__version__"})]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'stablegraph' has no attribute {name!r}")
    if not _HOME[name]:  # a module
        return importlib.import_module(f".{name}", __name__)
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
