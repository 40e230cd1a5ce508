"""Independent calls at the same time, each on one thread: their number must not be much below that of the threads.

Many small kernels on all threads wait for each other more often than independent calls do. While several Python threads
launch kernels, each launch runs on its own Python thread, without the global interpreter lock.
"""

from __future__ import annotations

import concurrent.futures
import ctypes
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from contextvars import copy_context
from typing import TypeVar

from .thread_count import in_block, num_threads

Result = TypeVar("Result")

_WAIT = 0.1  # seconds between two looks for Ctrl-C, which some systems do not deliver to a thread that waits


def call_concurrently(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """Return the results of calls that run at the same time; with few calls for the threads, one after another.

    The first error in the order of the calls is raised. An error or Ctrl-C ends the other calls.
    """
    if not 1 < num_threads() < 2 * len(calls):
        return [call() for call in calls]
    running: set[int] = set()

    def on_one_thread(call: Callable[[], Result]) -> Result:
        running.add(threading.get_ident())
        in_block.set(1)
        try:
            return call()
        finally:
            running.discard(threading.get_ident())

    with concurrent.futures.ThreadPoolExecutor(min(num_threads(), len(calls))) as pool:
        futures = [pool.submit(copy_context().run, on_one_thread, call) for call in calls]
        try:
            for future in futures:
                while wait([future], _WAIT).not_done:
                    pass
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            for thread in list(running):
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))
            raise
    return [future.result() for future in futures]
