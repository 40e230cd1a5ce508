"""The one way to measure here: a case in, a JSON line out.

What is promised of every line: the code was compiled and warmed up first, peers too; every result was judged, outside
the timer; median and minimum of several runs stand there, and all runs beside them. A time alone says little on a
shared machine, so two yardsticks are taken with it: the time of one *edge sweep* of the same graph, immediately before
and after the runs, and the *round trip* of a cache line between two cores, before them (`stablegraph.measure`).
A sweep always has all threads, whatever the case has: one unit for all.
"""

from __future__ import annotations

import gc
import importlib.metadata
import json
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import stablegraph as sg
from stablegraph.measure import edge_sweep_seconds, ping_pong_ns
from stablegraph.parallel.config import configuration

SWEEPS = 9
LONGEST = 30.0  # seconds of timed runs after which a case ends, however many runs were asked for


class WrongResult(Exception):
    """A case gave an answer that its judge refused: there is no time to report."""


@dataclass(frozen=True)
class Case:
    """One thing to measure: `run(prepare())`, where only `run` is timed and `judge` looks at what it gave.

    `judge` returns the quality (set size, rounds, bytes ...) or raises `WrongResult`. A run that takes its own time (in
    another process, say) has `seconds`, which finds it in the result.
    """

    problem: str
    algorithm: str
    run: Callable[[Any], Any]
    judge: Callable[[Any], dict[str, Any]]
    threads: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    prepare: Callable[[], Any] = lambda: None
    seconds: Callable[[Any], float] | None = None


class Harness:
    """Measures cases and writes the lines: to a file that they are appended to, and in short to the terminal.

    Where many short cases are compared with each other and not with a sweep, the yardsticks of a graph may be told to
    last for some seconds.
    """

    def __init__(
        self, output: Path | None, repeats: int, peers: tuple[str, ...] = (), yardsticks_last: float = 0.0
    ) -> None:
        self.output = output
        self.repeats = repeats
        self.peers = peers
        self.yardsticks_last = yardsticks_last
        self._taken: tuple[float, sg.Graph | None, tuple[float, float]] = (-math.inf, None, (math.nan, math.nan))
        self.all_threads = sg.num_threads()
        self.failures: list[str] = []
        if output:
            output.parent.mkdir(parents=True, exist_ok=True)

    def measure(self, name: str, graph: sg.Graph, case: Case) -> None:
        """Warm up, judge, take the yardsticks, time the runs, take the sweep again, write the line."""
        try:
            sg.set_num_threads(case.threads)
            quality = case.judge(case.run(case.prepare()))
            round_trip, before = self._yardsticks(graph)
            sg.set_num_threads(case.threads)
            runs = self._runs(case)
            after = before if self._last(graph) else self._sweep(graph)
        except WrongResult as wrong:
            self.failures.append(f"{name}, {case.algorithm}, {case.threads} threads: {wrong}")
            print(f"WRONG: {self.failures[-1]}", file=sys.stderr)
            return
        finally:
            sg.set_num_threads(self.all_threads)
        median, sweep = statistics.median(runs), min(before, after)
        line = {
            "problem": case.problem,
            "graph": name,
            "n": graph.num_vertices,
            "m": graph.num_entries,
            "algorithm": case.algorithm,
            "options": case.options,
            "seed": case.seed,
            "threads": case.threads,
            "device": graph.device,
            "seconds": {"median": median, "min": min(runs), "runs": runs},
            "sweep": {"seconds": sweep, "before": before, "after": after, "threads": self.all_threads},
            "sweeps": {"median": median / sweep, "min": min(runs) / sweep},
            "round_trip_ns": None if math.isnan(round_trip) else round(round_trip, 1),
            "quality": quality,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": _machine(self.peers),
        }
        if self.output:
            with self.output.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        told = " ".join(f"{key}={value}" for key, value in quality.items())
        print(
            f"{name:12} {case.algorithm:34} {case.threads} thr  {median * 1e3:10.3f} ms "
            f"{median / sweep:8.2f} sweeps (min {min(runs) / sweep:.2f})  {round_trip:4.0f} ns  {told}",
            flush=True,
        )

    def _last(self, graph: sg.Graph) -> bool:
        when, whose, _ = self._taken
        return whose is graph and time.perf_counter() < when + self.yardsticks_last

    def _yardsticks(self, graph: sg.Graph) -> tuple[float, float]:
        if not self._last(graph):
            sg.set_num_threads(self.all_threads)
            self._taken = (time.perf_counter(), graph, (ping_pong_ns(), self._sweep(graph)))
        return self._taken[2]

    def _sweep(self, graph: sg.Graph) -> float:
        sg.set_num_threads(self.all_threads)
        return edge_sweep_seconds(graph, SWEEPS)

    def _runs(self, case: Case) -> list[float]:
        """The runs follow one another directly; their results are judged when all are done."""
        runs: list[float] = []
        results = []
        gc.collect()
        gc.disable()
        try:
            while len(runs) < self.repeats and (len(runs) < 2 or sum(runs) < LONGEST):
                argument = case.prepare()
                start = time.perf_counter()
                result = case.run(argument)
                elapsed = time.perf_counter() - start
                runs.append(case.seconds(result) if case.seconds else elapsed)
                results.append(result)
        finally:
            gc.enable()
        for result in results:
            case.judge(result)
        return runs


def _machine(peers: tuple[str, ...]) -> dict[str, Any]:
    facts = configuration()
    for own_to_this_account_or_case in ("compiled code", "threads"):
        facts.pop(own_to_this_account_or_case, None)
    facts["processor"] = _processor()
    facts["processors"] = os.cpu_count()
    facts["peers"] = {peer: installed_version(peer) or "missing" for peer in peers}
    return facts


def installed_version(package: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
