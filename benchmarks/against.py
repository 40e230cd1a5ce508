"""Alternating runs of two checkouts of the package, each in its own process with the same graphs and cases.

Both sides run the cases of this checkout. Each checkout has its own library of compiled kernels. Each side judges its
own answers; then the checksums of both sides are compared. Result lines have a `side`: "before" is the other checkout,
"after" is this one. The yardsticks are those of this checkout.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import stablegraph as sg

from .cases import load
from .compare import SIDES
from .harness import (
    Harness,
    Yardsticks,
    case_facts,
    graph_facts,
    is_to_go_on,
    line_of,
    no_garbage_collected,
    threads,
    timed,
)
from .machine import ROOT, machine_facts
from .study import Case, Options, Study, plan

_PLAIN = (str, int, float, list, type(None))  # types of options that are sent to a process


class Side:
    """The process of one checkout."""

    def __init__(self, side: str, checkout: Path, python: str, study: Study, options: Options) -> None:
        self.side = side
        asked = {key: value for key, value in vars(options).items() if isinstance(value, _PLAIN)}
        self._process = subprocess.Popen(
            [python, "-m", __name__],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(checkout / "src")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        package = self.ask({"study": study.name, "options": asked, "checkout": str(checkout)})
        if Path(package) != (checkout / "src" / "stablegraph").resolve():
            raise SystemExit(f"{side}: stablegraph is from {package}, not from {checkout}")

    @cached_property
    def machine(self) -> dict[str, Any]:
        """Return the facts about the machine; call it after a first run, when the threading layer is known."""
        facts: dict[str, Any] = self.ask("machine")
        return facts

    def ask(self, question: Any) -> Any:
        """Send a question and return the answer; the answer of a failed case has an "error"."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.side}: the process has ended")
        return json.loads(answer)

    def end(self) -> None:
        """Close the input of the process and wait for its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def measure_against(study: Study, options: Options, harness: Harness) -> None:
    """Measure all cases on both sides, alternating run by run; the side that runs first changes from pair to pair."""
    checkouts = options.against.resolve(), ROOT
    pythons = options.against_python or sys.executable, sys.executable
    sides = [Side(*both, study, options) for both in zip(SIDES, checkouts, pythons, strict=True)]
    try:
        while None not in (heads := [side.ask("next") for side in sides]):
            if heads[0]["case"] != heads[1]["case"]:
                raise SystemExit(f"the two sides have different cases: {heads}")
            _measure_case(sides, heads, study, harness)
    finally:
        for side in sides:
            side.end()


def _measure_case(sides: list[Side], heads: list[dict[str, Any]], study: Study, harness: Harness) -> None:
    graph, name = heads[0]["graph"], f"{heads[0]['graph']}, {heads[0]['case']['algorithm']}"
    judged = [side.ask("judge") for side in sides]
    if wrong := [
        f"{side.side}: {reported['wrong']}" for side, reported in zip(sides, judged, strict=True) if "wrong" in reported
    ]:
        harness.fail(f"{name}: {'; '.join(wrong)}")
        return
    round_trip, before, all_threads = sides[1].ask("yardsticks")
    runs: list[list[float]] = [[], []]
    while is_to_go_on(max(runs, key=sum), harness.repeats, study):
        for i in (0, 1) if len(runs[0]) % 2 else (1, 0):
            runs[i].append(sides[i].ask("run"))
    sweeps = before, sides[1].ask("sweep"), all_threads
    for side, head, quality, seconds in zip(sides, heads, judged, runs, strict=True):
        line = line_of(graph, head["facts"], head["case"], quality, seconds, round_trip, sweeps, side.machine)
        harness.keep({**line, "side": side.side})
    if judged[0].get("crc32") != judged[1].get("crc32"):
        harness.fail(f"{name}: the two sides give different answers")


def serve() -> None:
    """Answer the questions of a `Side` about the cases of a study, one case after another."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # other output must not mix with the answers

    def answer(what: Any) -> None:
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    questions = map(json.loads, sys.stdin)
    asked = next(questions)
    study, options = load(asked["study"]), Options(**asked["options"])
    answer(str(Path(sg.__file__).resolve().parent))
    _prepare_kernels()
    yardsticks = Yardsticks.of(study, options)
    next(questions, None)
    for name, graph, cases in plan(study, options):
        for case in cases:
            if isinstance(case, dict):  # counted, not timed
                continue
            known: dict[str, Callable[[], Any]] = {
                "machine": partial(machine_facts, study.peers, Path(asked["checkout"])),
                "yardsticks": lambda graph=graph: (*yardsticks.before(graph), yardsticks.threads),
                "sweep": partial(yardsticks.after, graph),
                "judge": partial(_judged, case),
                "run": partial(_seconds, case),
            }
            answer({"graph": name, "facts": graph_facts(graph), "case": case_facts(case)})
            with no_garbage_collected():
                for question in questions:
                    if question == "next":
                        break
                    answer(known[question]())
                else:
                    return
    answer(None)


def _prepare_kernels() -> None:
    """Build the library of compiled kernels of this side's checkout, unless it matches the sources."""
    try:
        from stablegraph._core.runtime import library
    except ImportError:  # an older checkout, which compiles kernels when they are called
        return
    library.current()


def _seconds(case: Case) -> float:
    with threads(case.threads):
        return timed(case)[0]


def _judged(case: Case) -> dict[str, Any]:
    try:
        with threads(case.threads):
            return case.judge(case.run(case.prepare()))
    except Exception as error:  # reported to the other process, which continues with the next case
        return {"wrong": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    serve()
