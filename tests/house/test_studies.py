"""The benchmarks: answers must be correct, and every step from a case to a page must work. Speed is not tested."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.measured import needs_results

ROOT = Path(__file__).parents[2]

# The arguments of each study, and texts that its page must then contain.
STUDIES = {
    "headline": (
        ["--graphs", "G2"],
        ["| set, distance 2, 1 thr |", "coloring, natural", "strong components", "multigrid, setup", "*one sweep*"],
    ),
    "mis": (
        ["--graphs", "G2,R4", "--repeats", "1"],
        ["| time in edge sweeps (set size) |", "stablegraph degree", "stablegraph natural", "degree, SciPy matrix"],
    ),
    "distance_two": (
        ["--graphs", "KR"],
        ["| distance 2, random, 1 thr |", "distance 2, degree", "distance 3, random"],
    ),
    "large": (
        ["--graphs", "G2,DE"],
        ["in % of the largest known", "| residual |", "large, 10 rounds", "(**2,048**)", "upper bound"],
    ),
    "heavy_sets": ([], ["| graph | vertices | weight | gap to the bound |", "| 218,470 | proved |"]),
    "orders": (
        ["--graphs", "G2"],
        ["| largest / mean depth | G2 (small) |", "`random`, 12 seeds", "size by `random` |", "| `ecl` | "],
    ),
    "coloring": (
        ["--graphs", "KR"],
        ["largest_first, thorough", "smallest_last_in_rounds"],
    ),
    "components": (
        ["--graphs", "KR"],
        ["components, union", "fastsv", "search, SciPy"],
    ),
    "strong": (
        ["--graphs", "KR"],
        ["| auto, 1 thr |", "tarjan", "forward_backward", "cfhp", "transpose", "SciPy"],
    ),
    "forest": (
        ["--graphs", "KR"],
        ["filter_kruskal", "boruvka", "weights: all equal", "SciPy, upper triangle"],
    ),
    "matching": (
        ["--graphs", "KR,grid 600,bipartite 3"],
        ["| maximal_matching, 1 thr |", "weighted_matching, float64", "NetworkX, largest weight", "SciPy, maximum"],
    ),
    "aggregation": (
        ["--graphs", "KR"],
        ["| mis2, 1 thr |", "kokkos", "mis2_basic"],
    ),
    "multigrid": (
        ["--graphs", "Poisson*", "--cases", "mis2, chebyshev*;mis2, jacobi*"],
        ["| Poisson 20^3 (one sweep: ", "| mis2, chebyshev, 1 thr | ", "| mis2, jacobi, 1 thr | "],
    ),
    "cores": (
        ["--graphs", "KR"],
        ["| edge sweep | 1.0 |", "| set, degree | 1.0 (1.00) |", "strong components", "| symmetrize | 1.0 (1.00) |"],
    ),
    "networkx_backend": (
        ["--cases", "*components;greedy_color;from a matrix*"],
        [
            "| `connected_components` |",
            "| from a matrix: greedy_color |",
            "| `greedy_color` | ",
        ],
    ),
    "cluster": (
        ["--graphs", "KR,G3"],
        [
            "| graph | function | one process |",
            "set, distance 2",
            "| yes |",
            "| G3 (small) | forest | ",
        ],
    ),
    "laplacians": ([], ["embedding, seconds", "Fiedler vector", "| grid 30 x 30 (small) | 900 | "]),
    "solve": ([], ["| laplacian (small) | 900 | ", "| convection (small) | 400 | "]),
}
PICTURES = {
    "large": ["large-sets.png"],
    "coloring": ["coloring.png"],
    "components": ["components.png"],
}
QUICK = ("headline", "orders", "strong")  # all kinds of calls, a study of answers, and one with peers
PEERS = {"mis": ("pyamg", "PyAMG serial"), "coloring": ("pyamg", "PyAMG LDF"), "components": ("networkit", "NetworKit")}


@pytest.fixture(scope="module", autouse=True)
def _benchmarks_can_be_imported():
    sys.path.insert(0, str(ROOT))
    yield
    sys.path.remove(str(ROOT))


def benchmarks(*arguments):
    """Return the exit status of `python -m benchmarks` with some arguments, run in this process."""
    from benchmarks.__main__ import main

    return main([str(argument) for argument in arguments])


def make_page(folder, study):
    """Make a page with the markers of a study, as the only page in a documentation folder."""
    (folder / "docs").mkdir()
    page = folder / "docs" / "page.md"
    page.write_text(f"before\n<!-- {study}:begin -->\nto be replaced\n<!-- {study}:end -->\nafter\n", encoding="utf-8")
    return page


def text_of(page):
    """Return the text of a page in which a study has replaced its tables and changed nothing else."""
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- ")
    assert text.endswith(" -->\nafter\n")
    assert "to be replaced" not in text
    return text


def lines_in(folder):
    return [json.loads(line) for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]


def marks_of(study):
    """Return the marks of a study: all but the quick ones are slow."""
    return [pytest.mark.slow] * (study not in QUICK)


@pytest.mark.parametrize("study", [pytest.param(study, marks=marks_of(study)) for study in STUDIES])
def test_studies_are_measured_and_reported(study, tmp_path):
    arguments, parts = STUDIES[study]
    page = make_page(tmp_path, study)
    assert benchmarks("run", study, "--quick", "--threads", 1, "--results", tmp_path, *arguments) == 0
    assert benchmarks("report", study, "--results", tmp_path, "--write", tmp_path) == 0
    text = text_of(page)
    for part in parts:
        assert part in text
    for picture in PICTURES.get(study, ()):
        assert (tmp_path / "docs" / "images" / picture).stat().st_size > 1000
    if study in PEERS:  # peers may be missing
        package, shown = PEERS[study]
        assert (shown in text) == (find_spec(package) is not None)
    assert all("commit" in line["machine"] for line in lines_in(tmp_path))
    assert not any(str(ROOT) in str(fact) for line in lines_in(tmp_path) for fact in line["machine"].values())


def test_studies_that_are_listed_are_tested(capsys):
    from benchmarks.cases import NAMES, load

    assert sorted(NAMES) == sorted(
        [
            *STUDIES,
            "first_page",
            "first_call",
            "color_counts",
            "communities",
            "edge_tables",
            "gpu",
            "gpu_multigrid",
            "native",
        ]
    )
    assert benchmarks("list") == 0
    listed = capsys.readouterr().out
    for name in NAMES:
        assert f"{name} " in listed
        assert load(name).name == name
        assert load(name).text[-1] in ".?"
        assert load(name).text in listed


@needs_results
def test_cycles_on_a_gpu_are_shown_beside_their_floor():
    """The lines have the form that the study writes on a machine with a GPU."""
    from benchmarks.cases import gpu_multigrid
    from benchmarks.results import lines_of

    line = lines_of("gpu_multigrid", ROOT / "benchmarks" / "results")[0]
    seconds = line["seconds"] | {"median": 0.04}
    cycle = {"bytes": 10**9, "cycles": 20, "floor": 0.001}
    memory = {"hierarchy_bytes": 2_500_000_000, "peak_bytes": 9_000_000_000}
    lines = [
        line | {"algorithm": "solve, x", "seconds": seconds, "quality": {"iterations": 11}},
        line | {"algorithm": "cycle, x", "seconds": seconds, "quality": cycle},
        line | {"algorithm": "memory, x", "seconds": seconds, "quality": memory},
    ]
    table = gpu_multigrid.report(lines)
    for row in ("| solve, x | 40 (11) |", "| cycle, x | 2 (2.00 x) |", "| memory, x | 2,500 (9,000) |"):
        assert row in table


@pytest.mark.slow
@needs_results
def test_numbers_of_the_first_page_go_from_a_run_into_the_pages(tmp_path):
    from benchmarks.numbers import PAGES

    pytest.importorskip("networkx")
    pytest.importorskip("pyamg")
    for machine in ("cpu16", "gpu"):
        (tmp_path / f"{machine}.jsonl").symlink_to(ROOT / "benchmarks" / "results" / f"{machine}.jsonl")
    (tmp_path / "docs").mkdir()
    for page in PAGES:
        (tmp_path / page).write_text((ROOT / page).read_text(encoding="utf-8"), encoding="utf-8")
    assert benchmarks("run", "first_page", "first_call", "--quick", "--results", tmp_path) == 0
    assert benchmarks("report", "first_page", "--results", tmp_path, "--write", tmp_path) == 0
    for page in ("README.md", "docs/index.md"):
        text = (tmp_path / page).read_text(encoding="utf-8")
        for part in ("random graph, 125 vertices, 500 edges", "Poisson 20^3, 8,000 unknowns"):
            assert part in text
        for part in ("one call in a fresh process; CPU time", "medians of 2 runs", "processors, 20"):
            assert part in text
        assert " ms for a matrix on the GPU, after a first call |" in text
        assert "**" in text.partition("numbers:begin")[2].partition("numbers:end")[0]


def test_colors_are_counted(tmp_path, monkeypatch):
    data, page = tmp_path / "data", make_page(tmp_path, "color_counts")
    data.mkdir()
    (data / "wheel.col").write_text(
        "p edge 7 12\n" + "".join(f"e 7 {v}\ne {v} {v % 6 + 1}\n" for v in range(1, 7)), encoding="ascii"
    )
    (data / "MANIFEST.tsv").write_text("name\tfile\tkind\tvertices\nwheel\twheel.col\tmade, chromatic number 3\t7\n")
    monkeypatch.setenv("STABLEGRAPH_DATA", str(data))
    for _ in range(2):  # the second run finds the results of the first
        assert benchmarks("run", "color_counts", "--graphs", "wheel", "--results", tmp_path) == 0
    assert len(lines_in(tmp_path)) == 1
    assert benchmarks("report", "color_counts", "--results", tmp_path, "--write", tmp_path) == 0
    assert "1 of 1 known chromatic numbers are reached" in text_of(page)


def test_real_graphs_that_are_missing_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("STABLEGRAPH_DATA", raising=False)
    assert benchmarks("run", "large", "--parts", "real", "--results", tmp_path) == 0
    output = capsys.readouterr().err
    assert "BEST.tsv" in output
    assert "set STABLEGRAPH_DATA" in output
    assert not lines_in(tmp_path)
    assert benchmarks("report", "large", "--results", tmp_path) == 2


@pytest.mark.parametrize("arguments", [["run", "no-such"], ["run"], ["report"], ["run", "mis", "--threads", "0"]])
def test_what_cannot_be_run_is_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        benchmarks(*arguments)
    assert "error: " in capsys.readouterr().err


@pytest.mark.slow
def test_tables_of_edges_are_answered_and_reported(tmp_path):
    """Run the study in a separate process, which starts further ones."""
    pytest.importorskip("pyarrow")
    page = make_page(tmp_path, "edge_tables")
    chosen = ["--turns", "2", "--cases", "from pyarrow;read_graph", "--edge-files", tmp_path]
    subprocess.run(
        [sys.executable, "-m", "benchmarks", "run", "edge_tables", "--quick", "--results", tmp_path, *chosen],
        cwd=ROOT,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    lines = lines_in(tmp_path)
    assert [line["algorithm"] for line in lines] == ["from pyarrow", "read_graph"] * 2
    assert all(line["taken"] > 0 and line["answer"] == lines[0]["answer"] for line in lines)
    assert lines[0]["answer"][:2] == [2000, 1]
    assert benchmarks("report", "edge_tables", "--results", tmp_path, "--write", tmp_path) == 0
    assert "| read_graph | 0." in text_of(page)


def test_speed_ups_are_drawn_where_there_are_more_than_two_counts(tmp_path):
    from benchmarks.cases.cores import draw, page

    def line_with(algorithm, threads, seconds):
        return {
            **line(algorithm, "R4", 1.0, "aa"),
            "threads": threads,
            "round_trip_ns": 100.0,
            "sweeps": {"median": 1.0},
            "seconds": {"median": seconds, "min": seconds},
        }

    two = [line_with(job, count, 8.0 / count) for count in (1, 8) for job in ("edge sweep", "set")]
    draw(two, tmp_path / "cores.png")
    assert not (tmp_path / "cores.png").exists()
    assert "| set | 8.0 (1.00) |" in page(two)
    more = [*two, line_with("edge sweep", 4, 2.0), line_with("set", 4, 4.0)]
    draw(more, tmp_path / "cores.png")
    assert (tmp_path / "cores.png").stat().st_size > 1000
    assert "images/cores.png" in page(more)


# Before and after


@pytest.mark.skipif(
    not [*ROOT.glob("build/kernels/*.library"), *ROOT.glob("src/stablegraph/_core/runtime/stablegraph.kernels.*")],
    reason="the checkout has no library of kernels, and to compile it takes minutes",
)
def test_two_checkouts_take_turns(tmp_path, capsys):
    chosen = ["--quick", "--graphs", "KR", "--cases", "components", "--threads", 1, "--repeats", 2]
    assert benchmarks("run", "headline", *chosen, "--results", tmp_path, "--against", ROOT) == 0
    before, after = lines_in(tmp_path)
    assert (before["side"], after["side"]) == ("before", "after")
    assert before["quality"] == after["quality"]
    assert before["sweep"] == after["sweep"]
    assert len(before["seconds"]["runs"]) == len(after["seconds"]["runs"]) == 2
    output = capsys.readouterr().out
    assert "| after : before | KR (small) | mean |" in output
    assert "1 cases" in output
    assert "all answers are equal" in output


def line(algorithm, graph, sweeps, crc32):
    machine = {"processor": "P", "processors": 2, "python": "3", "numpy": "2", "scipy": "1", "numba": "0"}
    return {
        "algorithm": algorithm,
        "threads": 1,
        "graph": graph,
        "sweeps": {"min": sweeps},
        "quality": {"crc32": crc32},
        "time": "2026-01-01T00:00:00+00:00",
        "machine": {**machine, "threading layer": "omp", "peers": {}, "commit": "0123456789ab-dirty"},
    }


def test_files_are_compared(tmp_path, capsys):
    files = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    lines = (
        [line("set", "G2", 2.0, "aa"), line("set", "G3", 4.0, "bb"), line("old", "G3", 1.0, "bb")],
        [line("set", "G2", 4.0, "aa"), line("set", "G3", 2.0, "cc"), line("set", "G2", 5.0, "aa")],
    )
    for file, contents in zip(files, lines, strict=True):
        file.write_text("".join(json.dumps(one) + "\n" for one in contents))
    assert benchmarks("report", "--compare", *files) == 1  # an answer differs
    output = capsys.readouterr().out
    assert "| set, 1 thr | 2.00 | 0.50 ≠ | 1.000 |" in output
    assert "2 cases, geometric mean 1.000; 1 answers differ" in output
    assert "Worst: set on G2 2.00" in output
    assert "Not in both: old on G3." in output
    assert "commit 0123456789ab-dirty" in output
    assert benchmarks("report", "--compare", files[0], files[0]) == 0


def test_speed_ups_of_two_runs_of_a_release_are_compared_and_shown(tmp_path, capsys):
    def line_of(study, problem, algorithm, graph, seconds):
        facts = {"problem": problem, "algorithm": algorithm, "graph": graph, "threads": 1, "n": 9, "m": 9}
        return {"study": study, **facts, "runs": [seconds], "sweep": [0.001, 1], "round_trip_ns": 99, "quality": {}}

    for i, seconds in enumerate((0.02, 0.03)):
        lines = [line_of("strong", "strong", "auto", "G2", 0.01), line_of("strong", "strong", "SciPy", "G2", seconds)]
        lines += [line_of("strong", "strong", name, "G3", 0.01 + 0.0001 * i) for name in ("auto", "SciPy")]
        machine = {"processor": "P", "processors": 2, "commit": "0123456789ab", "peers": {}, "time": "2026-01-01"}
        text = "".join(json.dumps(one) + "\n" for one in [{"machine": machine}, *lines])
        (tmp_path / f"run{i}").write_text(text, encoding="utf-8")
    (tmp_path / "run1").rename(tmp_path / "cpu2.jsonl")
    files = tmp_path / "run0", tmp_path / "cpu2.jsonl"
    assert benchmarks("report", "--compare", *files, "--write", "--results", tmp_path) == 0
    output = capsys.readouterr().out
    assert "| strong: strong components, G2 | 2.0 | 3.0 | 2.5 |" in output
    assert "1 of 2 speed-ups differ by more than 10 %" in output

    from benchmarks.cases import load
    from benchmarks.report import blocks_of, overview_of

    table = blocks_of(load("strong"), tmp_path)["strong-best"]
    assert "| 2.5 (2.0 to 3.0) |" in table
    assert "| *strong components, geometric mean* |  |  | **1.6** |" in table  # of the medians 2.5 and 1.0
    assert "| strong components | cpu2 | 2 | 1.6 | 1.0 (G3; SciPy) | SciPy |" in overview_of(tmp_path)
    assert "| strong components, G3 | 10.1 ms | SciPy, 10.1 ms | 1.0 |" in table

    # Another study with the same problem and graph keeps its own speed-ups.
    lines = [
        line_of("native", "strong components", name, graph, seconds)
        for graph in ("G2", "G3")
        for name, seconds in (("strong", 0.01), ("PASGAL", 0.04))
    ]
    text = "".join(json.dumps(one) + "\n" for one in [{"machine": machine}, *lines])
    (tmp_path / "cpu16.jsonl").write_text(text, encoding="utf-8")
    (table,) = [block for name, block in blocks_of(load("native"), tmp_path).items() if "best" in name]
    assert "| strong components, G2 | 10 ms | PASGAL, 40 ms | 4.0 |" in table


def test_lines_tell_the_commit_and_whether_sources_differ_from_it(tmp_path):
    from benchmarks.machine import commit_of

    def git(*arguments):
        members = ["-c", "user.name=name", "-c", "user.email=name@example.org"]
        done = subprocess.run(["git", "-C", tmp_path, *members, *arguments], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert commit_of(tmp_path / "nowhere") is None
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "one.py").write_text("1\n")
    git("init", "--quiet")
    git("add", "src")
    git("commit", "--quiet", "--message", "One")
    commit = git("rev-parse", "HEAD")[:12]
    (tmp_path / "benchmarks" / "results").mkdir(parents=True)
    (tmp_path / "benchmarks" / "results" / "lines.jsonl").write_text("{}\n")  # results are not sources
    assert commit_of(tmp_path) == commit
    commit_of.cache_clear()
    (tmp_path / "src" / "one.py").write_text("2\n")
    assert commit_of(tmp_path) == f"{commit}-dirty"


LIMITS = """
import time
from benchmarks.limited import Limited, NotEnded

def calls(what):
    numbers = []
    yield
    if what == "long":
        time.sleep(10_000)
    elif what == "large":
        numbers = bytearray(8 << 30)
    elif what == "wrong":
        raise ValueError("told")
    yield
    return what

if __name__ == "__main__":
    limited = Limited(calls, 4 << 30, 1)
    for what, seconds in (("short", 600), ("long", 0.1), ("large", 600), ("wrong", 600), ("short", 600)):
        try:
            print(what, limited(what, seconds=seconds)[1])
        except (NotEnded, RuntimeError) as error:
            print(what, error)
    limited.end()
"""


def test_calls_that_take_too_much_are_ended(tmp_path):
    script = tmp_path / "limits.py"
    script.write_text(LIMITS)
    output = subprocess.run(
        [sys.executable, script],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    ).stdout
    assert output.splitlines() == [
        "short short",
        "long the call took more than 0.1 s",
        "large the call took more than 4.0 GiB",
        "wrong ValueError: told",
        "short short",
    ]


@pytest.mark.gpu
def test_the_gpu_is_measured(tmp_path, capsys):
    page = make_page(tmp_path, "gpu")
    where = ("--graphs", "KR,RM*", "--results", tmp_path)
    assert benchmarks("run", "gpu", "--quick", "--threads", 1, *where) == 0
    assert benchmarks("report", "gpu", "--results", tmp_path, "--write", tmp_path) == 0
    for part in ("all entries read once", "| set |", "| strong components |", "| forest, float64 |"):
        assert part in text_of(page)


# Releases


@pytest.mark.slow
def test_a_release_continues_and_begins_anew(tmp_path, monkeypatch, capsys):
    from benchmarks import release

    path = tmp_path / "cpu2.jsonl"
    command = ("release", "aggregation", "--machine", "cpu2", "--quick", "--results", tmp_path)
    monkeypatch.setattr(release, "clean_commit", lambda: "0123456789ab")
    assert benchmarks(*command, "--minutes", 1e-6) == 0  # ends after the first measurement
    begun = path.read_text()
    assert "the same command continues" in capsys.readouterr().out
    assert benchmarks(*command) == 0
    assert path.read_text().startswith(begun)
    lines = [entry for entry in lines_in(tmp_path) if "study" in entry]
    keys = [(entry["graph"], entry["algorithm"], entry["threads"]) for entry in lines]
    assert len({graph for graph, _, _ in keys}) == 6
    assert len(set(keys)) == len(keys)
    complete = path.read_text()
    assert benchmarks(*command) == 0  # nothing is missing
    assert path.read_text() == complete
    assert benchmarks(*command, "--plan") == 0
    assert "   0.0 remain" in capsys.readouterr().out
    assert benchmarks("report", "aggregation", "--results", tmp_path) == 0
    assert "commit 0123456789ab" in capsys.readouterr().out
    monkeypatch.setattr(release, "clean_commit", lambda: "another")
    with pytest.raises(SystemExit, match="--new begins a file of another"):
        benchmarks(*command)
    assert benchmarks(*command, "--new", "--minutes", 1e-6) == 0
    assert json.loads(path.read_text().splitlines()[1])["machine"]["commit"] == "another"


def test_a_copy_with_other_sources_is_refused(tmp_path):
    from benchmarks.release import clean_commit, sources_checksum

    (tmp_path / "src").mkdir()
    for name in ("pyproject.toml", "src/one.py"):
        (tmp_path / name).write_text("1\n")
    stamped = tmp_path / "commit.json"
    with pytest.raises(SystemExit, match="benchmarks stamp"):
        clean_commit(tmp_path, stamped)
    stamped.write_text(json.dumps({"commit": "0123456789ab", "sources": sources_checksum(tmp_path)}))
    assert clean_commit(tmp_path, stamped) == "0123456789ab"
    (tmp_path / "src" / "one.py").write_text("2\n")
    with pytest.raises(SystemExit, match="differ from those of commit 0123456789ab"):
        clean_commit(tmp_path, stamped)


def test_lines_of_a_release_are_short_and_complete():
    from benchmarks.results import pack, unpack

    full = {
        **line("set", "G2", 2.0, "aa"),
        "problem": "mis",
        "device": "cpu",
        "seconds": {"median": 0.0200001, "min": 0.01, "runs": [0.01, 0.0200001, 0.03]},
        "sweep": {"seconds": 0.01, "before": 0.011, "after": 0.01, "threads": 2},
    }
    short = pack("mis", full)
    assert short["runs"] == [0.01, 0.02, 0.03] and short["sweep"] == [0.01, 2]
    assert not short.keys() & {"machine", "time", "device", "sweeps"}
    restored = unpack(short, {**full["machine"], "time": "2026-01-01"})
    assert restored["seconds"] == {"median": 0.02, "min": 0.01, "runs": [0.01, 0.02, 0.03]}
    assert restored["sweeps"] == {"median": 2.0, "min": 1.0}
    assert (restored["device"], restored["quality"]) == ("cpu", {"crc32": "aa"})
