"""A soak test: mixed calls from many Python threads for a long time. Answers, memory and time must not change.

    python -m tests.soak                                     a minute, eight threads
    python -m tests.soak --seconds 3600                      an hour
    python -m tests.soak --calls 10000000 --threads 1        ten million calls, one after another

The calls are those of tests/pins, on graphs of 0 to 20,000 vertices, each with one, two or three threads. A graph with
ten times the entries is used a tenth as often, so that small and large graphs get about the same time. Each call is
first made in isolation, which gives the correct answer; later answers must have the same checksum.

The final verdict compares the second and the last third of the run. The resident memory of the process may grow by at
most 16 MiB. The CPU time of a call may grow by at most half, relative to that of a plain loop at the same time, since
other processes slow down both. A run of a minute only shows that answers are correct. The exit code is 1 if anything
was wrong. Memory is only measured on Linux.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import faulthandler
import math
import os
import sys
import threading
import time
import warnings
from itertools import accumulate
from random import Random
from statistics import median
from typing import NamedTuple

import stablegraph as sg

from . import conftest  # noqa: F401, three threads even on two cores
from .pins.calls import CALLS, Call
from .pins.graphs import LISTS, Subject
from .pins.lists import pin_of

RISE_OF_MEMORY = 16.0  # MiB
RISE_OF_TIME = 1.5
SAMPLES_TO_JUDGE = 30
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # glibc's malloc.h
PATIENCE = 120  # seconds that a call may take to end after the time is up


class Job(NamedTuple):
    """A call on a graph, and the checksum of its answer."""

    subject: Subject
    call: Call
    right: str


class Sample(NamedTuple):
    """The measurements at one time."""

    seconds: float
    calls: int
    memory: float  # MiB
    processor: float  # CPU seconds of the process so far
    loop: float  # seconds for a plain loop


class Soak:
    """Threads that make calls, and the observations."""

    def __init__(self, jobs: list[Job], threads: int, calls: float, seed: int) -> None:
        self.jobs, self.seed = jobs, seed
        self.cumulative = list(accumulate(1 / (1000 + job.subject.entries) for job in jobs))
        self.left = [calls / threads] * threads
        self.done = [0] * threads
        self.wrong: list[str] = []
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self._work, args=(k,), daemon=True) for k in range(threads)]
        self.samples: list[Sample] = []

    def run(self, seconds: float, every: float) -> None:
        """Run all threads until the time is up or all calls are done; report measurements regularly."""
        started, ends = time.monotonic(), time.monotonic() + seconds
        for thread in self.threads:
            thread.start()
        while any(thread.is_alive() for thread in self.threads) and time.monotonic() < ends:
            self.over.wait(min(every, max(0.0, ends - time.monotonic())))
            self._sample(time.monotonic() - started)
        self.over.set()
        for k, thread in enumerate(self.threads):
            thread.join(PATIENCE)
            if thread.is_alive():
                self.wrong.append(f"thread {k} does not end")
        self._sample(time.monotonic() - started)

    def _work(self, k: int) -> None:
        random = Random(f"{self.seed} {k}")
        while self.left[k] > 0 and not self.over.is_set():
            (job,) = random.choices(self.jobs, cum_weights=self.cumulative)
            try:
                with sg.threads(random.randint(1, 3)):
                    result = pin_of(job.call, job.subject)
            except BaseException as error:
                result = f"{type(error).__name__}: {error}"
            if result != job.right:
                self.wrong.append(f"{job.subject.name}: {job.call.name}: was {job.right}, is {result}")
            self.left[k] -= 1
            self.done[k] += 1
        if not any(remaining > 0 for remaining in self.left):
            self.over.set()

    def _sample(self, seconds: float) -> None:
        self.samples.append(Sample(seconds, sum(self.done), memory(), time.process_time(), plain_loop()))
        last = self.samples[-1]
        output = f"{seconds:7.0f} s  {last.calls:11,d} calls  {last.memory:8.1f} MiB"
        if self.times():
            output += (
                f"  {1e6 * self.times()[-1] * last.loop:6.0f} us of processor time a call, {self.times()[-1]:.3f} loops"
            )
        print(output, flush=True)

    def times(self) -> list[float]:
        """Return the CPU time of a call between successive samples, in plain loops."""
        spans = zip(self.samples, self.samples[1:], strict=False)
        return [(b.processor - a.processor) / (b.calls - a.calls) / b.loop for a, b in spans if b.calls > a.calls]

    def verdict(self) -> list[str]:
        """Return everything that was wrong."""
        wrong = list(dict.fromkeys(self.wrong))
        times = self.times()
        if len(times) < SAMPLES_TO_JUDGE:
            print(f"too short to judge memory and time: {len(times)} samples, {SAMPLES_TO_JUDGE} are needed")
            return wrong
        held = [sample.memory for sample in self.samples]
        _, second, last = map(median, thirds(held))
        print(f"memory: {second:.1f} MiB in the second third, {last:.1f} MiB in the last")
        if last - second > RISE_OF_MEMORY:
            wrong.append(f"memory rose by {last - second:.1f} MiB")
        first, _, last = map(median, thirds(times))
        print(f"processor time of a call: {first:.3f} plain loops in the first third, {last:.3f} in the last")
        if last > RISE_OF_TIME * first:
            wrong.append(f"a call takes {last / first:.2f} times as long")
        return wrong


def thirds(values: list[float]) -> tuple[list[float], list[float], list[float]]:
    """Split values into the beginning, the middle and the end."""
    k = len(values) // 3
    return values[:k], values[k : len(values) - k], values[len(values) - k :]


def plain_loop() -> float:
    """Return the CPU time of this thread for a loop of some milliseconds."""
    started = time.thread_time()
    sum(number & 1 for number in range(100_000))
    return time.thread_time() - started


def keep_nothing_for_later() -> None:
    """Configure glibc to return freed memory to the system; other C libraries are left unchanged.

    By default it keeps up to 64 MiB for each of several arenas that threads share. Then the memory of the process rises
    in steps in the first hour, although the memory in use does not.
    """
    with contextlib.suppress(AttributeError, OSError):
        library = ctypes.CDLL(None)
        library.mallopt(_ARENA_MAX, 1)
        library.mallopt(_MMAP_THRESHOLD, 1 << 16)


def memory() -> float:
    """Return the resident memory of the process in MiB; NaN where the system does not report it."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20
    except FileNotFoundError:
        return math.nan


def chosen_jobs(count: int, seed: int) -> list[Job]:
    """Draw `count` of all pairs of a call and a graph that fits, and run each once."""
    subjects = [*LISTS["zoo"](), Subject("random", sg.gallery.uniform_random(20_000))]
    pairs = [(s, call) for s in subjects for call in CALLS if call.least <= s.entries <= call.limit]
    pairs = Random(seed).sample(pairs, min(count, len(pairs)))
    return [Job(subject, call, pin_of(call, subject)) for subject, call in pairs]


def main() -> int:
    """Run the soak test; return exit code 1 if anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, help="how long (60, or as long as the calls take)")
    parser.add_argument("--calls", type=float, default=math.inf, help="how many calls at most")
    parser.add_argument("--threads", type=int, default=8, help="of Python's (8)")
    parser.add_argument("--pairs", type=int, default=10**9, help="how many different pairs of a call and a graph (all)")
    parser.add_argument("--every", type=float, default=30, help="seconds from one look at memory to the next (30)")
    parser.add_argument("--seed", type=int, default=0, help="other seeds are other orders (0)")
    arguments = parser.parse_args()
    faulthandler.enable()
    keep_nothing_for_later()
    warnings.simplefilter("ignore")  # blocks that catch warnings are not thread-safe
    seconds = arguments.seconds or (60 if arguments.calls == math.inf else math.inf)
    jobs = chosen_jobs(arguments.pairs, arguments.seed)
    soak = Soak(jobs, arguments.threads, arguments.calls, arguments.seed)
    print(f"{len(jobs)} different calls, {arguments.threads} threads", flush=True)
    soak.run(seconds, arguments.every)
    wrong = soak.verdict()
    if any(thread.is_alive() for thread in soak.threads):
        faulthandler.dump_traceback()
    print(*wrong, f"{sum(soak.done)} calls: {len(wrong)} failed", sep="\n", flush=True)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
