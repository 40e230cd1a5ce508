"""The studies after the papers' measurements: every answer must be right, and the way to the page must work."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(study, page, *arguments):
    """A quick study; it ends with an error if one of its answers was wrong. Gives what it put into the page."""
    page.write_text(f"before\n<!-- {study}:begin -->\nold\n<!-- {study}:end -->\nafter\n")
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{study}", "--quick", "--page", str(page), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    return text


def test_ablations_find_the_greedy_sets_of_their_orders(tmp_path):
    text = run("ablations", tmp_path / "page.md", "--graphs", "R4*", "--threads", "1")
    for variant in ("4-byte words", "synchronous", "two byte arrays", "all neighbours", "no randomisation", "Titan X"):
        assert variant in text


def test_curves_are_measured_and_drawn(tmp_path):
    text = run("curves", tmp_path / "page.md", "--threads", "1")
    for part in ("geometric mean", "Titan X", "average degree 16", "| 3,162 |", "serial, same order"):
        assert part in text
    for picture in ("throughput.png", "speedup.png"):
        assert (tmp_path / "images" / picture).stat().st_size > 1000


def test_colorings_are_measured_and_drawn(tmp_path):
    text = run("coloring", tmp_path / "page.md", "--graphs", "KR*", "--threads", "1")
    for part in ("largest_first, thorough", "smallest_last_in_rounds", "passes with shortcuts"):
        assert part in text
    assert ("PyAMG LDF" in text) == (find_spec("pyamg") is not None)  # a peer that need not be there
    assert (tmp_path / "images" / "coloring.png").stat().st_size > 1000


def test_colors_are_counted(tmp_path):
    data, page, lines = tmp_path / "data", tmp_path / "page.md", tmp_path / "lines.jsonl"
    data.mkdir()
    (data / "wheel.col").write_text(
        "p edge 7 12\n" + "".join(f"e 7 {v}\ne {v} {v % 6 + 1}\n" for v in range(1, 7)), encoding="ascii"
    )
    (data / "MANIFEST.tsv").write_text("name\tfile\tkind\tvertices\nwheel\twheel.col\tmade, chromatic number 3\t7\n")
    page.write_text("before\n<!-- colors:begin -->\nold\n<!-- colors:end -->\n")
    options = ["--graphs", "wheel", "-o", str(lines), "--page", str(page)]
    subprocess.run(
        [sys.executable, "-m", "benchmarks.colors", str(data), *options], cwd=ROOT, check=True, stdin=subprocess.DEVNULL
    )
    assert "| wheel | 7 | 3 | 3 | 3 | 3 | 3 | 3 | 3 | 3 |" in page.read_text()


def test_large_sets_are_measured_and_drawn(tmp_path):
    text = run("large", tmp_path / "page.md", "--graphs", "G2,DE", "--threads", "1")
    for part in (
        "in % of the largest known",
        "| residual |",
        "large, 10 rounds",
        "(**2,048**)",
        "LinearTime",
        "upper bound",
    ):
        assert part in text
    assert (tmp_path / "images" / "large-sets.png").stat().st_size > 1000


def test_sets_at_distance_two_are_measured(tmp_path):
    text = run("distance_two", tmp_path / "page.md", "--graphs", "KR*", "--threads", "1")
    for part in ("| distance 2, random, 1 thr |", "distance 2, degree", "distance 3, random"):
        assert part in text


def test_components_and_searches_are_measured_and_drawn(tmp_path):
    text = run("components", tmp_path / "page.md", "--graphs", "KR*,random 1000 0.1", "--threads", "1")
    for part in ("components, union", "fastsv", "search, SciPy", "| strong components, density 0.1, 1 thr |", "18.3"):
        assert part in text
    assert ("NetworKit" in text) == (find_spec("networkit") is not None)
    assert (tmp_path / "images" / "components.png").stat().st_size > 1000


def test_strong_components_are_measured(tmp_path):
    text = run("strong", tmp_path / "page.md", "--graphs", "KR*", "--threads", "1")
    for part in ("| auto, 1 thr |", "tarjan", "forward-backward", "cfhp", "transpose", "SciPy"):
        assert part in text


def test_forests_are_measured(tmp_path):
    text = run("forest", tmp_path / "page.md", "--graphs", "KR*", "--threads", "1")
    for part in ("filter-kruskal", "boruvka", "awerbuch-shiloach", "weights: all equal", "SciPy, upper triangle"):
        assert part in text


def test_aggregates_are_measured(tmp_path):
    text = run("aggregation", tmp_path / "page.md", "--graphs", "KR*", "--threads", "1")
    for part in ("| mis2, 1 thr |", "kokkos", "mis2-basic", "coarse graph"):
        assert part in text


def test_smoothers_are_compared(tmp_path):
    text = run("smoothers", tmp_path / "page.md", "--threads", "1")
    assert "| laplacian (small) | 900 | 8 (" in text


def test_calls_on_graphs_with_hubs_are_compared(tmp_path):
    calls = "maximal_independent_set(graph*;breadth_first_search(graph, leaf);is_proper_coloring*distance=2)"
    options = ["--graphs", "star,clique,arcs to a hub", "--calls", calls, "--but", "*algorithm*", "--threads", "1"]
    text = run("adversarial", tmp_path / "page.md", *options)
    for part in ("| `maximal_independent_set(graph)` |", "`breadth_first_search(graph, leaf)`", "star (2,000 vertices"):
        assert part in text
    assert "algorithm=" not in text


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
    told = subprocess.run(
        [sys.executable, script],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    ).stdout
    assert told.splitlines() == [
        "short short",
        "long the call took more than 0.1 s",
        "large the call took more than 4 GiB",
        "wrong ValueError: told",
        "short short",
    ]
