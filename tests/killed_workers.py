"""A soak test of graphs in partitions: workers are killed at random, one or all at once, during calls of functions.

    python -m tests.killed_workers                           200 kills
    python -m tests.killed_workers --seconds 3600            an hour
    python -m tests.killed_workers --kills 1000 --seed 5     more kills at other times

A Dask cluster of three worker processes runs calls of every function that accepts a graph in partitions. Once per call,
up to 1.5 seconds after its beginning, SIGKILL ends a worker, or all workers in a third of the cases. Dask's nannies
start new ones. Each answer must have the checksum of the answer of one process. A call without an answer after three
minutes counts as failed, too. The exit code is 1 if a call failed.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, wait
from random import Random
from typing import Any

import stablegraph as sg
from stablegraph import distributed

from .support.partitioned import CALLS, OF_ARCS, arcs_of, checksum, fetched, weighted

LONGEST_PAUSE = 1.5  # seconds from the beginning of a call to a kill
PART_OF_ALL = 1 / 3  # of the kills end all workers
PATIENCE = 180.0  # seconds that a call may take
SETTINGS = {
    "distributed.scheduler.allowed-failures": 10**6,  # the kills are not the fault of the tasks
    "distributed.deploy.lost-worker-timeout": "1 day",
    "distributed.worker.multiprocessing-method": "forkserver",  # imports Dask once, not in each new worker
}


@contextlib.contextmanager
def cluster_of_processes(workers: int = 3, **options: Any) -> Iterator[Any]:
    """Yield a client with worker processes that nannies restart, and whose tasks do not fail after many kills.

    By default a nanny ends if its new worker needs more than 15 seconds to start, as it may on a busy machine.
    """
    import dask
    from distributed import Client

    with (
        dask.config.set(SETTINGS),
        Client(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", **options) as client,
    ):
        yield client


def kill_workers(client: Any, count: int | None = None, random: Random | None = None) -> int:
    """Kill all workers that the scheduler of this process knows, or some of them; return the number of kills."""
    pids = [worker.pid for worker in list(client.cluster.scheduler.workers.values())]
    if count is not None and random is not None:
        pids = random.sample(pids, min(count, len(pids)))
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(pids)


class Hang(Exception):
    """A call did not return an answer."""


def result_of(call: Any) -> Any:
    """Return the result of a call, or raise `Hang` and leave its thread behind."""
    future: Future[Any] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    if not wait([future], PATIENCE).done:
        raise Hang(f"no answer in {PATIENCE:g} s")
    return future.result()


class Killing:
    """Calls on a cluster, and a thread that kills its workers."""

    def __init__(self, client: Any, kills: float, seconds: float, seed: int) -> None:
        self.whole = whole = weighted(sg.gallery.rmat(10, seed=6))
        arcs = arcs_of(whole)
        self.client, self.random = client, Random(seed)
        self.graphs = {
            False: distributed.from_graph(whole, 6, client=client),
            True: distributed.from_graph(arcs, 6, directed=True, client=client),
        }
        self.jobs = [(name, False, call, checksum(call(whole))) for name, call in CALLS.items()]
        self.jobs += [(name, True, call, checksum(call(arcs))) for name, call in OF_ARCS.items()]
        self.kills, self.ends = kills, time.monotonic() + seconds
        self.begun, self.over = threading.Event(), threading.Event()
        self.calls = self.done = self.done_at_all = self.killed = self.right = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        """Make calls until all kills are done, the time is up, or a call hangs."""
        killer = threading.Thread(target=self._kill)
        killer.start()
        while self.done < self.kills and time.monotonic() < self.ends and not self.over.is_set():
            self.call(*self.random.choice(self.jobs))
            if self.calls % 20 == 0:
                print(self, flush=True)
        self.over.set()
        self.begun.set()
        killer.join()

    def call(self, name: str, directed: bool, call: Any, right: Any) -> None:
        """Make one call and compare its answer."""
        self.begun.set()
        self.calls += 1
        try:
            answer = result_of(lambda: checksum(fetched(call(self.graphs[directed]))))
        except Hang as error:
            answer = f"{error} after {self.done} kills: {self._waiting()}"
            self.over.set()
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        if answer == right:
            self.right += 1
        else:
            self.wrong.append(f"{name}: was {right}, is {answer}")

    def _kill(self) -> None:
        random = Random(self.random.random())
        while self.begun.wait() and not self.over.is_set() and self.done < self.kills:
            self.begun.clear()
            time.sleep(random.uniform(0, LONGEST_PAUSE))
            of_all = random.random() < PART_OF_ALL
            count = kill_workers(self.client, None if of_all else 1, random)
            self.done += bool(count)
            self.done_at_all += of_all and bool(count)
            self.killed += count

    def _waiting(self) -> str:
        """Describe the tasks that could run, and the workers."""
        scheduler = self.client.cluster.scheduler
        ready = [task for task in scheduler.tasks.values() if task.state in ("no-worker", "queued", "processing")]
        tasks = [f"{task.key} {task.state} {task.worker_restrictions} on {task.processing_on}" for task in ready[:20]]
        return "; ".join([f"{len(ready)} tasks", *tasks, *map(repr, scheduler.workers.values())])

    def __str__(self) -> str:
        return (
            f"{self.calls} calls, {self.done} kills ({self.done_at_all} of all workers, {self.killed} processes), "
            f"{self.right} right answers, {len(self.wrong)} failed"
        )


def main() -> int:
    """Run the test; return exit code 1 if a call failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.killed_workers", description=__doc__)
    parser.add_argument("--seconds", type=float, help="how long (as long as the kills take)")
    parser.add_argument("--kills", type=float, help="how many kills at most (200, or no limit with --seconds)")
    parser.add_argument("--workers", type=int, default=3, help="worker processes (3)")
    parser.add_argument("--seed", type=int, default=0, help="other seeds are other calls and other times (0)")
    arguments = parser.parse_args()
    kills = arguments.kills or (200 if arguments.seconds is None else math.inf)
    with cluster_of_processes(arguments.workers) as client:
        killing = Killing(client, kills, arguments.seconds or math.inf, arguments.seed)
        killing.run()
    print(*killing.wrong, killing, sep="\n", flush=True)
    return int(bool(killing.wrong))


if __name__ == "__main__":
    sys.exit(main())
