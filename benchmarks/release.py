"""A release: everything that the docs show, measured at one commit, with one file of lines for each machine.

A run can be ended and continued: it skips what its file already has. The file of an earlier commit is begun anew with
--new; it keeps the lines of studies whose programs are missing now, and their commit. On a machine that has only a copy
of the tree, the commit is that in build/commit.json, which `stamp` writes together with a checksum of the sources; a
copy with other sources is refused, and so is a checkout with changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from . import data
from .cases import NAMES, load
from .machine import ROOT, commit_of, installed_version
from .results import append, pack
from .study import Case, Options, Study, graphs_of, plan
from .tables import Line, read_lines

STAMP = ROOT / "build" / "commit.json"
SUFFIXES = (".py", ".pyi", ".c", ".h", ".cu", ".cuh", ".toml")
FIRST = ("first_page", "first_call")  # the shortest studies, and the most visible ones
UNKNOWN = 60.0  # seconds that are assumed for a graph that was never measured
PIECE = 9.0  # minutes of the pieces in a plan, unless --minutes says otherwise


def sources_checksum(root: Path = ROOT) -> str:
    """Return a checksum of the sources that are measured and of those that measure."""
    files = [root / "pyproject.toml"]
    for folder in ("src", "build_kernels", "benchmarks"):
        files += (path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return total.hexdigest()


def stamp(path: Path = STAMP) -> int:
    """Write the commit and the checksum of the sources for a copy of the tree without its history."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"commit": clean_commit(), "sources": sources_checksum()}), encoding="utf-8")
    print(path)
    return 0


def clean_commit(root: Path = ROOT, stamped: Path = STAMP) -> str:
    """Return the commit of the tree; raise if its sources differ from it, or if it is unknown."""
    commit = commit_of(root)
    if commit is None:
        if not stamped.exists():
            raise SystemExit("the commit is unknown: run `python -m benchmarks stamp` where the tree is copied from")
        facts = json.loads(stamped.read_text(encoding="utf-8"))
        if facts["sources"] != sources_checksum(root):
            raise SystemExit(f"the sources differ from those of commit {facts['commit']} in {stamped}")
        return str(facts["commit"])
    if commit.endswith("-dirty"):
        raise SystemExit(f"the sources differ from commit {commit.removesuffix('-dirty')}: commit them first")
    return commit


def studies_on(machine: str, names: list[str]) -> list[Study]:
    """Return the studies of a machine, those with the first numbers first."""
    chosen = [load(name) for name in sorted(NAMES, key=lambda name: name not in FIRST)]
    return [study for study in chosen if machine in study.machines and (not names or study.name in names)]


class State:
    """What the file of a machine contains: the keys of lines, the finished graphs, and the seconds spent."""

    def __init__(self, path: Path) -> None:
        self.keys: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)  # (study, graph): cases
        self.finished: dict[str, set[str]] = defaultdict(set)
        self.spent: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.expected: dict[str, dict[str, float]] = {}  # the seconds of an earlier file
        self.machine: Line = {}
        self.commits: dict[str, set[str]] = defaultdict(set)  # of the lines of each study
        for line in read_lines(path):
            if "machine" in line:
                self.machine = line["machine"]
            elif "expected" in line:
                self.expected = line["expected"]
            elif "spent" in line:
                study, graph = line["spent"]
                self.spent[study][graph] += line["seconds"]
                if line["finished"]:
                    self.finished[study].add(graph)
            else:
                self.keys[line["study"], line["graph"]][key_of(line)] += 1
                self.commits[line["study"]].add(str(self.machine.get("commit")))

    def whole(self, study: str) -> dict[str, float]:
        """Return the seconds of each graph of a study: those spent, or those expected until it is finished."""
        spent, known = dict(self.spent[study]), self.expected.get(study, {})
        return spent | {
            graph: max(spent.get(graph, 0.0), known[graph]) for graph in known.keys() - self.finished[study]
        }

    def seconds(self, study: str, graphs: Iterable[str]) -> tuple[float, float]:
        """Return the seconds of some graphs of a study, and of the remaining ones."""
        spent, known = self.spent[study], self.whole(study)
        whole = {graph: known.get(graph, UNKNOWN) for graph in graphs}
        return sum(whole.values()), sum(whole[g] - spent.get(g, 0.0) for g in whole.keys() - self.finished[study])


def key_of(line: Line) -> str:
    """Return the key of a line among those of a study and graph."""
    parts = (line.get(name) for name in ("problem", "algorithm", "threads", "objective"))
    return "|".join(str(part) for part in (*parts, "checksums" in line))


def key_of_case(case: Case) -> str:
    """Return the key of the line of a case."""
    return key_of({"problem": case.problem, "algorithm": case.algorithm, "threads": case.threads})


def release(options: Options, parse: Callable[[str, Iterable[str]], Options]) -> int:
    """Measure all studies of a machine, or the rest of them, until `options.minutes` have passed."""
    path = options.results / f"{options.machine}.jsonl"
    studies = studies_on(options.machine, options.names)

    def given(study: Study) -> Options:
        chosen = parse(study.name, study.machines[options.machine])
        chosen.quick, chosen.programs = options.quick, options.programs
        return chosen

    list_missing(studies, options.programs)
    idle = {name for name in NAMES if (one := load(name)).programs and not programs_in(one, options.programs)}
    studies = [study for study in studies if study.name not in idle]
    state = State(path)
    if options.plan:
        print_plan({study.name: list(graphs_of(study, given(study))) for study in studies}, state, options)
        return 0
    commit = clean_commit()
    if others := {one for name, commits in state.commits.items() if name not in idle for one in commits - {commit}}:
        if not options.new:
            raise SystemExit(f"{path} is of commit {', '.join(sorted(others))}; --new begins a file of {commit}")
        _begin_anew(path, state, idle)
        state = State(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    failures: list[str] = []
    for study in studies:
        if not _measure(study, given(study), path, state, commit, end, failures):
            print(f"the time is over in {study.name}; the same command continues", flush=True)
            break
    else:
        print("complete", flush=True)
    for failure in failures:
        print(f"WRONG: {failure}", file=sys.stderr)
    return int(bool(failures))


def _measure(
    study: Study, options: Options, path: Path, state: State, commit: str, end: float, failures: list[str]
) -> bool:
    """Measure what a study lacks; return whether it is complete."""
    from .harness import Harness  # imported late because a plan does not need the package

    class Continued(Harness):
        """A harness that leaves out the cases of the file, and writes short lines."""

        done: Counter[str]

        def missing(self, name: str, cases: list[Case]) -> list[Case]:
            return [case for case in cases if not self.done[key_of_case(case)]]

        def keep(self, line: Line) -> None:
            if self.done[key_of(line)] > 0:  # a line that is computed with missing ones
                self.done[key_of(line)] -= 1
                return
            facts = {**line["machine"], "commit": commit, "time": line["time"][:10]}
            if facts != state.machine:
                append(path, {"machine": facts})
                state.machine = facts
            append(path, pack(study.name, line))
            self.print(line)

    harness = Continued(study, path, options)
    print(f"{study.name}: {study.text}", flush=True)
    for name, graph, cases in plan(study, options, frozenset(state.finished[study.name]), whole=True):
        harness.done = state.keys[study.name, name]
        options.but = ";".join(part for key in harness.done if (part := _literal(key.split("|")[1])))
        begin, finished = _clocks(), True
        for _ in harness.measure_all(name, graph, cases):
            if time.monotonic() > end:
                finished = False
                break
        seconds = round(min(after - before for before, after in zip(begin, _clocks(), strict=True)), 1)
        append(path, {"spent": [study.name, name], "seconds": seconds, "finished": finished})
        if time.monotonic() > end:
            failures += harness.failures
            return False
    failures += harness.failures
    return True


def _clocks() -> tuple[float, float]:
    """Return the time, and the CPU time with that of ended processes, which is less where other work disturbs."""
    return time.monotonic(), sum(os.times()[:4])


def _begin_anew(path: Path, state: State, idle: set[str]) -> None:
    """Replace a file by the expected seconds, and by its lines of idle studies after those of their machines."""
    lines, machine = read_lines(path), None
    path.unlink()
    append(path, {"expected": {name: state.whole(name) for name in state.expected.keys() | state.spent.keys()}})
    for line in lines:
        if "machine" in line:
            machine = line
        elif line.get("study") in idle:
            for kept in filter(None, (machine, line)):
                append(path, kept)
            machine = None


def _literal(name: str) -> str:
    """Return a pattern that matches only this name."""
    return "" if name == "None" else "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def programs_in(study: Study, folder: Path | None) -> list[str]:
    """Return the names of the programs of a study that are in a folder."""
    return [name for name in study.programs if folder and os.access(folder / name, os.X_OK)]


def list_missing(studies: list[Study], programs: Path | None) -> None:
    """Print the peers, the programs and the graphs that are left out."""
    missing = {
        "peers that are not installed": [p for study in studies for p in study.peers if not installed_version(p)],
        "programs that are not there": [
            name for study in studies for name in study.programs if name not in programs_in(study, programs)
        ],
        "real graphs (set STABLEGRAPH_DATA)": [s.name for s in studies if s.data and data.folder() is None],
    }
    for what, names in missing.items():
        if names:
            print(f"left out: {what}: {', '.join(dict.fromkeys(names))}", flush=True)


def print_plan(graphs: dict[str, list[str]], state: State, options: Options) -> None:
    """Print the minutes of each study by the last measurements, what remains, and the pieces of a complete run.

    Without a GPU, a study for one has no graphs; the plan then has those of its earlier file.
    """
    piece, total, remaining = 60 * (options.minutes or PIECE), 0.0, 0.0
    for study, names in graphs.items():
        seconds, rest = state.seconds(study, names or state.whole(study))
        first, last = int(total // piece) + 1, int((total + seconds) // piece) + 1
        pieces = f"piece {first}" + (f" to {last}" if last > first else "")
        print(f"{study:18} {seconds / 60:6.1f} min, {rest / 60:6.1f} remain, {pieces}")
        total, remaining = total + seconds, remaining + rest
    count = int(total // piece) + 1
    print(f"{'all':18} {total / 60:6.1f} min, {remaining / 60:6.1f} remain; {count} pieces of {piece / 60:g} min")
