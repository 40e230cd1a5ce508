"""A picture of the raw lines: for each graph, the time of each algorithm in edge sweeps, every run a dot.

python -m benchmarks.plot                               # every file in results/ -> docs/images/benchmarks.png
python -m benchmarks.plot results.jsonl -o figure.png
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .report import Line, in_order, read_lines

DEFAULT = Path(__file__).parents[1] / "docs" / "images" / "benchmarks.png"


def draw(lines: list[Line], path: Path) -> None:
    """One panel a graph, one row an algorithm and number of threads; logarithmic, smaller is better."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    lines = [line for line in lines if line["problem"] == "mis"]
    graphs = in_order(line["graph"] for line in lines)
    labels = in_order((line["algorithm"], line["threads"]) for line in lines)
    figure, panels = plt.subplots(
        1,
        len(graphs),
        figsize=(3 + 2.2 * len(graphs), 1 + 0.28 * len(labels)),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for panel, graph in zip(panels[0], graphs, strict=True):
        for line in (line for line in lines if line["graph"] == graph):
            row = labels.index((line["algorithm"], line["threads"]))
            sweep = line["sweep"]["seconds"]
            runs = [seconds / sweep for seconds in line["seconds"]["runs"]]
            colour = "#b5452c" if line["algorithm"].startswith("stablegraph") else "#5a6b7b"
            panel.plot(runs, [row] * len(runs), "o", markersize=2.5, alpha=0.45, color=colour)
            panel.plot(line["sweeps"]["median"], row, "|", markersize=11, markeredgewidth=2, color=colour)
        panel.set(title=graph, xscale="log", xlabel="edge sweeps")
        panel.grid(axis="x", which="both", linewidth=0.3)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0][0].set_yticks(range(len(labels)), [f"{name}, {threads} thr" for name, threads in labels])
    panels[0][0].invert_yaxis()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=140)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> int:
    """Draw the figure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plot", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, help="JSON lines (default: every file in results/)")
    parser.add_argument("-o", "--output", type=Path, default=DEFAULT)
    options = parser.parse_args(arguments)
    lines = read_lines(options.paths or sorted((Path(__file__).parent / "results").glob("*.jsonl")))
    if not lines:
        print("there are no measurements: run python -m benchmarks.mis first", file=sys.stderr)
        return 2
    draw(lines, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
