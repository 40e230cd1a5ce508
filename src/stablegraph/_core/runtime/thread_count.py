"""The number of threads: the requested number and its limit.

The first of these that is set applies: the innermost `threads` block around a call, `set_num_threads`,
STABLEGRAPH_NUM_THREADS, OMP_NUM_THREADS. By default there is one thread per processor that the process may use. One
setting should work on machines of all sizes, so requesting more threads than processors is not an error: a warning is
issued, and the number of processors is used. STABLEGRAPH_MAX_THREADS replaces that limit, for tests.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import cache
from typing import Any

import numpy as np

from ..environment import check_environment, setting
from ..unknown_options import suggests_options

in_block: ContextVar[int | None] = ContextVar("threads", default=None)  # the number of the innermost block
_in_process: int | None = None


@cache
def thread_limit() -> int:
    """Return the maximum number of threads: the number of processors that the process may use at the first call."""
    check_environment()  # each computation begins with this number
    if stated := setting("STABLEGRAPH_MAX_THREADS"):
        return int(stated)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@suggests_options
def set_num_threads(n: int) -> None:
    """Set the number of threads for all following calls of this process, except for those in a `threads` block.

    >>> import stablegraph as sg
    >>> sg.set_num_threads(1)
    >>> sg.num_threads()
    1

    Results never depend on it. Without this call, the environment variables STABLEGRAPH_NUM_THREADS and OMP_NUM_THREADS
    apply, in this order (for a list such as ``4,2``, its first number). If neither is set, the number of processors
    that the process may use applies.

    Parameters
    ----------
    n : int
        At least 1. If it exceeds the number of processors that the process may use, that number is used instead, with a
        UserWarning.

    Raises
    ------
    TypeError
        If `n` is not an integer.
    ValueError
        If `n` is less than 1.

    See Also
    --------
    threads : the same for a block of code.
    """
    global _in_process
    _in_process = _checked_count(n, "n")
    threads_by_default.cache_clear()


@suggests_options
def threads(n: int) -> AbstractContextManager[None]:
    """Set the number of threads for the calls in a ``with`` block; the previous setting applies again after it.

    >>> import stablegraph as sg
    >>> with sg.threads(1):
    ...     sg.num_threads()
    1

    It applies only to calls of the block itself, in its own Python thread or asynchronous task; concurrent code keeps
    its setting. Blocks can be nested; the innermost one applies. Results never depend on it.

    Parameters
    ----------
    n : int
        As for `set_num_threads`.

    Returns
    -------
    context manager
        For one ``with`` statement.

    Raises
    ------
    TypeError, ValueError
        As for `set_num_threads`.

    See Also
    --------
    set_num_threads : the same for the whole process.

    Examples
    --------
    >>> import stablegraph as sg
    >>> with sg.threads(1):
    ...     mask = sg.maximal_independent_set(sg.gallery.grid((3, 3)))
    ...     sg.num_threads()
    1
    """
    return _block(min(_checked_count(n, "n"), thread_limit()))


def num_threads() -> int:
    """Return the number of threads that a call at this point would use.

    >>> import stablegraph as sg
    >>> sg.num_threads() >= 1
    True

    Returns
    -------
    int
        The number of the innermost `threads` block; outside of blocks the last argument of `set_num_threads`, or
        STABLEGRAPH_NUM_THREADS, or OMP_NUM_THREADS, or the number of processors that the process may use. Never more
        than the limit.

    Raises
    ------
    ValueError
        If the environment variable that applies is not an integer, or less than 1.
    """
    return in_block.get() or threads_by_default()


@cache
def threads_by_default() -> int:
    """Return the number of threads for calls outside of `threads` blocks; `set_num_threads` changes it."""
    limit = thread_limit()
    return min(_in_process or _in_environment() or limit, limit)


@contextlib.contextmanager
def _block(n: int) -> Iterator[None]:
    before = in_block.get()
    in_block.set(n)
    try:
        yield
    finally:
        in_block.set(before)


def _in_environment() -> int | None:
    """Return the number of threads that the environment requests, or None."""
    for name in ("STABLEGRAPH_NUM_THREADS", "OMP_NUM_THREADS"):
        stated = os.environ.get(name, "").strip()
        # OMP_NUM_THREADS may be a list, with a number for each level of nested loops.
        first = stated.partition(",")[0] if name == "OMP_NUM_THREADS" else stated
        if stated:
            try:
                n = int(first)
            except ValueError:
                raise ValueError(f"{name} must be an integer, got {stated!r}") from None
            return _checked_count(n, name, f" ({name})")
    return None


def _checked_count(n: Any, name: str, source: str = "") -> int:
    """Return a number of threads after validation; issue a warning if it exceeds the limit."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {' '.join(repr(n).split())}")
    if n < 1:
        raise ValueError(f"{name} must be at least 1, got {n}")
    limit = thread_limit()
    if n > limit:
        warn_user(
            f"requested {n} threads{source}, but this process may use only {limit} processors; using {limit} threads "
            "(the environment variable STABLEGRAPH_MAX_THREADS, set before Python starts, raises this limit)"
        )
    return int(n)


_BETWEEN = {__name__.partition(".")[0]}


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the line of the user's program that called the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
