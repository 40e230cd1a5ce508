"""Measurement of one case, written as one JSON line.

Before each measurement the code is warmed up, including peers. Every result is judged outside the timer. A line has the
median, the minimum and all of several runs. On a shared machine a time means little without a reference, so two
yardsticks are measured with it (reference_kernels.py): the time of one *edge sweep* of the same graph, immediately
before and after the runs, and the *round trip* of a cache line between two cores, before them. A sweep always uses all
threads, whatever the case uses, so that there is one unit for all.
"""

from __future__ import annotations

import gc
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import stablegraph as sg
from stablegraph.gallery import reference_kernels

from .machine import machine_facts
from .study import Case, Options, Study, WrongResult
from .tables import Line

SWEEPS = 9
LONG = 5.0  # seconds of a call from which its first run is timed, too: there is little that it could warm up
ONCE = 15  # seconds of a call from which it is run only once


class Yardsticks:
    """Edge sweeps and round trips; studies with many short cases reuse them for some seconds."""

    def __init__(self, last: float = 0.0) -> None:
        self.threads = sg.num_threads()
        self._last = last
        self._taken: tuple[float, sg.Graph | None, tuple[float, float]] = (-math.inf, None, (math.nan, math.nan))

    @classmethod
    def of(cls, study: Study, options: Options) -> Yardsticks:
        """Return the yardsticks of a study; with --quick they are measured once per graph."""
        return cls(math.inf if options.quick else study.yardsticks_last)

    def before(self, graph: sg.Graph) -> tuple[float, float]:
        """Return the nanoseconds of a round trip and the seconds of a sweep."""
        if not self._are_known(graph):
            with threads(self.threads):
                round_trip = reference_kernels.ping_pong_ns() if graph.device == "cpu" else math.nan
                self._taken = (time.perf_counter(), graph, (round_trip, self._sweep(graph)))
        return self._taken[2]

    def after(self, graph: sg.Graph) -> float:
        """Measure a sweep again and return its seconds."""
        return self._taken[2][1] if self._are_known(graph) else self._sweep(graph)

    def _are_known(self, graph: sg.Graph) -> bool:
        when, whose, _ = self._taken
        return whose is graph and time.perf_counter() < when + self._last

    def _sweep(self, graph: sg.Graph) -> float:
        with threads(self.threads):
            return reference_kernels.edge_sweep_seconds(graph, SWEEPS)


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Set the number of threads temporarily."""
    before = sg.num_threads()
    sg.set_num_threads(count)
    try:
        yield
    finally:
        sg.set_num_threads(before)


@contextmanager
def no_garbage_collected() -> Iterator[None]:
    """Run Python's garbage collector first, and disable it in the block."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Harness:
    """Measurement of cases: lines are appended to a file, and printed in short form."""

    def __init__(self, study: Study, output: Path, options: Options) -> None:
        self.study = study
        self.output = output
        self.repeats = options.repeats or (study.quick_repeats if options.quick else study.repeats)
        self.failures: list[str] = []
        self._yardsticks = Yardsticks.of(study, options)
        output.parent.mkdir(parents=True, exist_ok=True)

    @cached_property
    def machine(self) -> dict[str, Any]:
        """Return the facts about the machine; call it after a first run, when the threading layer is known."""
        return machine_facts(self.study.peers)

    def measure(self, name: str, graph: sg.Graph, *cases: Case) -> None:
        """Warm up, judge, measure the yardsticks, time the runs, repeat the sweep, and write the lines.

        Several cases alternate, run by run. A case whose answer is wrong, or whose program fails, has no line.
        """
        if not cases:
            return
        quality: dict[int, dict[str, Any]] = {}
        runs: dict[int, list[float]] = {}
        expected: type[Exception] = Exception if len(cases) > 1 else WrongResult  # a failing peer stops only itself

        def attempt(i: int, step: Callable[[Case], None]) -> None:
            case = cases[i]
            try:
                with threads(case.threads):
                    step(case)
            except expected as wrong:
                runs.pop(i, None)
                self.fail(f"{name}, {case.algorithm}, {case.threads} threads: {wrong}")

        for i in range(len(cases)):
            runs[i] = []

            def warm_up(case: Case, i: int = i) -> None:
                if not case.warm:
                    seconds, result = timed(case)
                    quality[i] = case.judge(result)
                    runs[i] += [seconds] if seconds > LONG else []

            attempt(i, warm_up)
        round_trip, before = self._yardsticks.before(graph)
        while going := [i for i in runs if is_to_go_on(runs[i], self.repeats, self.study)]:
            for i in going:

                def time_runs(case: Case, i: int = i) -> None:
                    count = self.repeats - len(runs[i]) if len(cases) == 1 else 1  # a single case has no pauses
                    measured, quality[i] = self._runs(case, count)
                    runs[i] += measured

                attempt(i, time_runs)
            if len(cases) == 1:
                break
        sweeps = before, self._yardsticks.after(graph), self._yardsticks.threads
        for i, seconds in runs.items():
            facts = case_facts(cases[i])
            self.keep(line_of(name, graph_facts(graph), facts, quality[i], seconds, round_trip, sweeps, self.machine))

    def measure_all(self, name: str, graph: sg.Graph, cases: Iterable[Case | Line]) -> Iterator[None]:
        """Measure cases and write lines, and yield after each; cases of one problem alternate if the study says so."""
        if self.study.turns:
            groups: dict[str, list[Case]] = {}
            for case in cases:
                assert not isinstance(case, dict)
                groups.setdefault(case.problem, []).append(case)
            for group in groups.values():
                self.measure(name, graph, *self.missing(name, group))
                yield
            return
        for case in cases:
            if isinstance(case, dict):
                self.count(name, graph, case)
            else:
                self.measure(name, graph, *self.missing(name, [case]))
            yield

    def missing(self, name: str, cases: list[Case]) -> list[Case]:
        """Return the cases that are to be measured: all, except in a run that continues an earlier one."""
        return cases

    def count(self, name: str, graph: sg.Graph, facts: Line) -> None:
        """Write a line that is counted, not timed."""
        self.keep({"graph": name, **graph_facts(graph), **facts, "time": now(), "machine": self.machine})

    def fail(self, what: str) -> None:
        """Report a wrong answer."""
        self.failures.append(what)
        print(f"WRONG: {what}", file=sys.stderr, flush=True)

    def keep(self, line: Line) -> None:
        """Append a line to the file, and print it in short form."""
        with self.output.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self.print(line)

    def print(self, line: Line) -> None:
        """Print a line in short form."""
        print(in_short(line), flush=True)

    def _runs(self, case: Case, count: int) -> tuple[list[float], dict[str, Any]]:
        """Time at most `count` runs without pauses, then judge their results; return the seconds and the quality."""
        runs: list[float] = []
        results = []
        with no_garbage_collected():
            while is_to_go_on(runs, count, self.study):
                seconds, result = timed(case)
                runs.append(seconds)
                results.append(result)
        qualities = [case.judge(result) for result in results]
        return runs, qualities[0]


def is_to_go_on(runs: list[float], repeats: int, study: Study) -> bool:
    """Return whether a case needs another timed run."""
    fewest = study.fewest if max(runs, default=0.0) <= ONCE else 1
    return len(runs) < repeats and (len(runs) < fewest or sum(runs) < study.longest)


def timed(case: Case) -> tuple[float, Any]:
    """Return the seconds of one run, and its result."""
    argument = case.prepare()
    start = time.perf_counter()
    result = case.run(argument)
    elapsed = time.perf_counter() - start
    return case.seconds(result) if case.seconds else elapsed, result


def graph_facts(graph: sg.Graph) -> dict[str, Any]:
    return {"n": graph.num_vertices, "m": graph.num_entries, "device": graph.device}


def case_facts(case: Case) -> dict[str, Any]:
    return {
        "problem": case.problem,
        "algorithm": case.algorithm,
        "options": case.options,
        "seed": case.seed,
        "threads": case.threads,
    }


def line_of(
    name: str,
    graph: dict[str, Any],
    case: dict[str, Any],
    quality: dict[str, Any],
    runs: list[float],
    round_trip: float,
    sweeps: tuple[float, float, int],
    machine: dict[str, Any],
) -> Line:
    """Make the line of a measurement; `sweeps` are the seconds of a sweep before and after, and its threads."""
    before, after, all_threads = sweeps
    median, sweep = statistics.median(runs), min(before, after)
    return {
        "problem": case["problem"],
        "graph": name,
        **{key: graph[key] for key in ("n", "m")},
        **{key: case[key] for key in ("algorithm", "options", "seed", "threads")},
        "device": graph["device"],
        "seconds": {"median": median, "min": min(runs), "runs": runs},
        "sweep": {"seconds": sweep, "before": before, "after": after, "threads": all_threads},
        "sweeps": {"median": median / sweep, "min": min(runs) / sweep},
        "round_trip_ns": None if math.isnan(round_trip) else round(round_trip, 1),
        "quality": quality,
        "time": now(),
        "machine": machine,
    }


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def in_short(line: Line) -> str:
    """Format a line for the terminal."""
    if "seconds" not in line:
        return f"{line['graph']:12} {line.get('told', 'counted')}"
    reported = " ".join(f"{key}={value}" for key, value in line["quality"].items())
    round_trip = "" if line["round_trip_ns"] is None else f"{line['round_trip_ns']:.0f} ns"  # None: no free cores
    return (
        f"{line['graph']:12} {line['algorithm']:34} {line['threads']} thr  {line['seconds']['median'] * 1e3:10.3f} ms "
        f"{line['sweeps']['median']:8.2f} sweeps (min {line['sweeps']['min']:.2f})  "
        f"{round_trip:>6}  {line.get('side', '')} {reported}"
    )
