"""The long campaigns on many cores: one piece of work in several processes, each with its share of it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from typing import Any


def prepare() -> None:
    """What a campaign sets before it starts children.

    Children get no threads of BLAS, which reads the variable when it is loaded. SIGTERM ends them, and so does Ctrl-C,
    also in a background job of a shell.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    signal.signal(signal.SIGINT, signal.default_int_handler)


def in_processes(work: Callable[[int], Any], jobs: int) -> tuple[list[Any], list[str]]:
    """What `work` returns for each share, 0 to jobs - 1, each in a process of its own; and which of these crashed.

    One that crashes takes no other's results with it. However this ends, no process is left. A single share is worked
    on in this process.
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is heard by the parent, which ends this process
    sender.send(work(share))
    sender.close()
