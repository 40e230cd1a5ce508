"""Long test campaigns on many cores: the work is divided among several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from typing import Any


def prepare() -> None:
    """Prepare the process of a campaign for starting children.

    Children get no BLAS threads; BLAS reads the variable when it is loaded. SIGTERM and Ctrl-C end them, even in a
    background job of a shell.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    signal.signal(signal.SIGINT, signal.default_int_handler)


def in_processes(work: Callable[[int], Any], jobs: int) -> tuple[list[Any], list[str]]:
    """Run `work` for each part, 0 to jobs - 1, in separate processes; return the results and the list of crashes.

    A crash does not affect the results of the other processes. No process remains, however this function ends. If
    `jobs` is 1, the work is done in this process.
    """
    if jobs == 1:
        return [work(0)], []
    context = multiprocessing.get_context("spawn")
    children = []
    try:
        for share in range(jobs):
            receiver, sender = context.Pipe(duplex=False)
            child = context.Process(target=_work, args=(work, share, sender), daemon=True)
            child.start()
            sender.close()
            children.append((share, child, receiver))
        results, crashed = [], []
        for share, child, receiver in children:
            try:
                results.append(receiver.recv())
            except EOFError:
                child.join()
                crashed.append(f"process {share} of {jobs} ended with exit code {child.exitcode}")
        return results, crashed
    finally:
        for _, child, _ in children:
            child.kill()
            child.join()


def _work(work: Callable[[int], Any], share: int, sender: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent receives Ctrl-C and ends this process
    sender.send(work(share))
    sender.close()
