"""The studies after the papers' measurements: every answer must be right, and the way to the page must work."""

import subprocess
import sys
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
