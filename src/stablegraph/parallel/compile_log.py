"""What is compiled, for the log: the logger ``stablegraph`` of Python's `logging`.

Level INFO has one line a process, before the first kernel is compiled; level DEBUG one more for each kernel, when it
has been. Kernels that are loaded from disk say nothing.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from .cache import cache_folder

_logger = logging.getLogger(__name__.partition(".")[0])


@contextlib.contextmanager
def logged(function: Callable[..., Any], types: tuple[Any, ...]) -> Iterator[None]:
    """Log that a kernel's function is compiled for these types meanwhile, if anybody wants to know."""
    if _logger.isEnabledFor(logging.INFO):
        _announce()
    start = time.perf_counter()
    yield
    if _logger.isEnabledFor(logging.DEBUG):
        name = f"{function.__module__}.{function.__qualname__.removesuffix('.cpu')}"
        seconds = time.perf_counter() - start
        _logger.debug("compiled %s for %s in %.2f s", name, ", ".join(map(_short, types)), seconds)


@cache
def _announce() -> None:
    folder = cache_folder()
    kept = f"kept for the next time in {folder}" if folder else "not kept: no folder can be written"
    _logger.info("compiling what is used for the first time, %s", kept)


def _short(kind: Any) -> str:
    """A type of Numba's, an array by its elements and dimensions: int32[:]."""
    ndim = getattr(kind, "ndim", 0)
    return f"{kind.dtype}[{', '.join(':' * ndim)}]" if ndim else str(kind)
