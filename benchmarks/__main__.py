"""Command line of all benchmarks: list the studies, run them, report on their result lines.

python -m benchmarks list
python -m benchmarks run mis coloring --quick           # small graphs, nothing is kept; seconds
python -m benchmarks run mis --graphs G2,R4             # appends lines to today's file in build/benchmarks/
python -m benchmarks run headline --against ../before   # alternates with another checkout
python -m benchmarks report mis                         # the tables of the release
python -m benchmarks report mis --results build/benchmarks
python -m benchmarks report --all --write               # into the pages that show them, with the pictures
python -m benchmarks report --html report.html          # an HTML page: one panel per job, one bar per library
python -m benchmarks report --compare before.jsonl after.jsonl    # of two releases: speed-ups that changed
python -m benchmarks release --machine cpu2 --programs FOLDER --minutes 9    # a release, or its next nine minutes
python -m benchmarks release --machine gpu --plan       # minutes of each study; measures nothing
python -m benchmarks stamp                              # the commit, for a copy of the tree
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from . import data
from .cases import NAMES, load
from .compare import changed_answers, changed_ratios, comparison, table_of_changes
from .machine import ROOT, installed_version
from .release import release, stamp
from .report import CHANGED, blocks_of, overview_of, write_pages, write_study
from .results import MACHINES
from .study import Options, Study, plan
from .tables import read_lines

RESULTS = ROOT / "benchmarks" / "results"
RUNS = ROOT / "build" / "benchmarks"  # lines of single runs, which are not part of a release


def list_all() -> int:
    """Print each study with its title, its parts, its peers and the real graphs that it needs."""
    for name in NAMES:
        study = load(name)
        print(f"{name:13} {study.text}")
        facts = {"parts": ", ".join(part.name for part in study.parts) if len(study.parts) > 1 else ""}
        facts |= {"peers": ", ".join(study.peers), "real graphs": study.data}
        print("".join(f"{'':13}   {what}: {reported}\n" for what, reported in facts.items() if reported), end="")
    return 0


def run(options: Options) -> int:
    """Measure the requested studies; return 1 if an answer was wrong or differed from that of the other checkout."""
    failed = False
    with tempfile.TemporaryDirectory() as nowhere:
        results = options.results or (Path(nowhere) if options.quick else RUNS)
        for name in options.names:
            failed |= not _measure(load(name), options, results / f"{name}-{datetime.now(UTC):%Y-%m-%d}.jsonl")
    return int(failed)


def _measure(study: Study, options: Options, output: Path) -> bool:
    from .harness import Harness  # imported late because reports do not need the package

    print(f"{study.name}: {study.text}", flush=True)
    if missing := [peer for peer in study.peers if not installed_version(peer)]:
        print(f"peers that are not installed: {', '.join(missing)}", file=sys.stderr)
    if study.data and not options.quick and data.folder() is None:
        print(f"left out: {study.data}; {data.MISSING}", file=sys.stderr)
    before = read_lines(output)
    harness = Harness(study, output, options)
    if options.against:
        from .against import measure_against

        measure_against(study, options, harness)
        print(study.report(read_lines(output)[len(before) :]))
        return not harness.failures
    for name, graph, cases in plan(study, options, frozenset(line["graph"] for line in before)):
        for _ in harness.measure_all(name, graph, cases):
            pass
    if len(read_lines(output)) == len(before) and not harness.failures:
        print(f"{study.name} has nothing that is asked for", file=sys.stderr)
    return not harness.failures


def report(options: Options) -> int:
    """Print the tables, or write them into the pages that show them; return 2 if there are no lines."""
    if options.compare:
        before, after = map(read_lines, options.compare)
        if any("study" in line for line in before):
            count, changed = changed_ratios(options.compare)
            print(table_of_changes(count, changed))
            if options.write:
                (options.results or RESULTS).joinpath(CHANGED).write_text(json.dumps(changed, indent=0), "utf-8")
            return 0
        print(comparison(before, after))
        return int(bool(changed_answers(before, after)))
    if options.html:
        from .page import write_html

        write_html(options.html, options.results or RESULTS)
    status = 0
    for name in options.names:
        study = load(name)
        results = options.results or RESULTS
        tables = blocks_of(study, results, report=True)
        if not tables:
            print(f"{name}: there are no lines yet; python -m benchmarks run {name}", file=sys.stderr)
            status = 0 if options.all else 2
            continue
        print("\n\n".join(tables.values()))
        if options.write:
            if name in ("first_page", "first_call"):
                from .numbers import write_numbers

                pages: object = write_numbers(options.write, results)
            else:
                pages = ", ".join(map(str, write_study(study, results, options.write)))
            print(f"{name}: {pages or 'no page has its markers'}", file=sys.stderr)
    if options.all and options.write:
        write_pages({"overview": overview_of(options.results or RESULTS)}, options.write)
    return status


def _parser(arguments: list[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list the studies")
    runs = commands.add_parser("run", help="measure", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    reports = commands.add_parser("report", help="tables of the measurements")
    commands.add_parser("stamp", help="write the commit for a copy of the tree into build/commit.json")
    releases = commands.add_parser("release", help="measure everything that the docs show, or continue to")
    for command in (runs, reports, releases):
        command.add_argument("names", nargs="*", metavar="NAME", help="see list")
        command.add_argument("--all", action="store_true", help="all of them")
        command.add_argument("--results", type=Path, help="a folder other than that of the release, or of runs")
    releases.add_argument("--machine", choices=MACHINES, required=True, help="two cores, 16 cores, or one GPU")
    releases.add_argument("--programs", type=Path, metavar="FOLDER", help="the C++ and CUDA programs of peers")
    releases.add_argument("--minutes", type=float, metavar="N", help="end between two measurements after so long")
    releases.add_argument("--plan", action="store_true", help="print the expected minutes, and measure nothing")
    releases.add_argument("--new", action="store_true", help="begin anew if the file is of another commit")
    releases.add_argument("--quick", action="store_true", help="small graphs, to try the command")
    runs.add_argument("--quick", action="store_true", help="small graphs; lines are only kept with --results")
    runs.add_argument("--graphs", default="*", help="only those that match one of these (G2,R4,'random 16 *',...)")
    runs.add_argument("--cases", default="*", help="only those that match one of these ('*coloring*;*Graph*')")
    runs.add_argument("--but", default="", help="without the cases that match one of these")
    runs.add_argument("--parts", default="*", help="only those parts (sets,peers,...)")
    runs.add_argument("--threads", type=lambda text: [int(count) for count in text.split(",")], default=[1, 2])
    runs.add_argument("--repeats", type=int, help="timed runs of a case, instead of the study's own number")
    runs.add_argument("--against", type=Path, metavar="CHECKOUT", help="another checkout, which is measured in turn")
    runs.add_argument("--against-python", metavar="PYTHON", help="its interpreter, where that is not this one")
    for name in NAMES if arguments[:1] == ["run"] else ():
        if name in arguments or "--all" in arguments:
            load(name).add_options(runs.add_argument_group(name))
    reports.add_argument("--write", type=Path, nargs="?", const=ROOT, metavar="ROOT", help="into README.md and docs/")
    reports.add_argument("--html", type=Path, metavar="FILE", help="a page of panels, which needs nothing else")
    reports.add_argument(
        "--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"), help="two files, of runs or of releases"
    )
    return parser


def main(arguments: list[str]) -> int:
    parser = _parser(arguments)
    options = parser.parse_args(arguments)
    if options.command == "list":
        return list_all()
    if options.command == "stamp":
        return stamp()
    options.names = list(NAMES) if options.all else options.names
    if unknown := [name for name in options.names if name not in NAMES]:
        parser.error(f"{', '.join(unknown)}: not among {', '.join(NAMES)}")
    if options.command == "report":
        if not options.names and not options.compare and not options.html:
            parser.error("name what to report on, or ask for --all, --html or --compare")
        return report(options)
    if options.command == "release":
        options.results = options.results or RESULTS
        return release(options, lambda name, given: _parser(["run", name]).parse_args(["run", name, *given]))
    import stablegraph as sg

    if not options.names:
        parser.error("name the studies to run; python -m benchmarks list lists them")
    options.threads = [count for count in options.threads if 1 <= count <= sg.num_threads()]
    if not options.threads:
        parser.error(f"--threads: there are 1 to {sg.num_threads()} here")
    return run(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
