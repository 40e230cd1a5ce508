"""GPU code that tests compiled before: code is compiled again only if one of its inputs has changed.

The name of a file is a hash of all inputs: the texts, the types or macros, the files that compile them, and the
versions of the compilers. Code that does not compile is not stored, so its test fails again.
"""

from __future__ import annotations

import functools
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from build_kernels import cache, gpu
from stablegraph._core import runtime

_FOLDER = Path(tempfile.gettempdir()) / "stablegraph-gpu-code"


def stored_code(compiled: Callable[[], bytes], *inputs: Any) -> bytes:
    """Return the code that `compiled` returns, possibly from an earlier run with equal inputs."""
    path = _FOLDER / f"{cache.key_of(_tools(), *inputs)}.code"
    if path.exists():
        path.touch()
        return path.read_bytes()
    code = compiled()
    cache.replace(path, code)
    return code


@functools.cache
def _tools() -> tuple[Any, ...]:
    """Return the versions of the compilers, and the texts of the files that call them."""
    cache.remove_old(_FOLDER, ".code", ())
    installed = [f"{package.name} {package.version}" for package in metadata.distributions()]
    compilers = sorted(text for text in installed if text.startswith(("numba", "llvmlite", "cuda", "nvidia")))
    files = [Path(gpu.__file__), *sorted(Path(runtime.__file__).parent.rglob("*.py"))]
    return (sys.version, compilers, *(file.read_text(encoding="utf-8") for file in files))
