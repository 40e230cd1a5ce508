"""What an order does to depths and set sizes: the tables of docs/orders.md, from a folder of real graphs.

    python -m benchmarks.orders DATA                      # print the tables
    python -m benchmarks.orders DATA --page docs/orders.md  # and put them into the page, between its markers

DATA holds a MANIFEST.tsv with the columns name, file and vertices, and the files. Each graph is taken once, made
undirected.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterator
from pathlib import Path

import stablegraph as sg
from stablegraph import gallery

SMALLEST = 10_000  # vertices; below, sizes scatter too much to mean anything
RANDOM_ORDERS = 12
# Table 5 of the paper (ECL-MIS, 2018): depth of its own order, and of one random permutation, as largest / mean.
PAPER = {
    "USA-road-d.NY": ("12 / 2.4", "10 / 2.5"),
    "internet": ("33 / 2.0", "26 / 3.4"),
    "1024 x 1024 grid": ("15 / 3.3", "15 / 3.3"),
}
BEGIN, END = "<!-- tables:begin -->", "<!-- tables:end -->"


def files(data: Path) -> dict[str, tuple[Path, int]]:
    """Name to file and number of vertices; Matrix Market first where a graph is there in several formats."""
    found: dict[str, tuple[Path, int]] = {}
    with (data / "MANIFEST.tsv").open(encoding="utf-8", newline="") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t"):
            if row["name"] not in found or ".mtx" in row["file"]:
                found[row["name"]] = data / row["file"], int(row["vertices"])
    return found


def undirected(file: Path) -> sg.Graph:
    """Read the pattern alone, with both directions of each edge."""
    return sg.read_graph(file, weights=False, symmetrize=True)


def depth_table(data: Path) -> Iterator[str]:
    """Depths of the orders on the paper's three graphs that are at hand, the paper's own beside them."""
    known = files(data)
    yield "| largest / mean depth | " + " | ".join(PAPER) + " |"
    yield "| --- |" + " ---: |" * len(PAPER)
    graphs = [gallery.grid((1024, 1024)) if name not in known else undirected(known[name][0]) for name in PAPER]
    for priority in ("ecl", "degree", "high-degree"):
        cells = ["{} / {:.3f}".format(*sg.dependence_depth(graph, priority=priority)) for graph in graphs]
        yield f"| `{priority}` | " + " | ".join(cells) + " |"
    cells = []
    for graph in graphs:
        drawn = [sg.dependence_depth(graph, priority="random", seed=seed) for seed in range(RANDOM_ORDERS)]
        largest, means = [d for d, _ in drawn], [mean for _, mean in drawn]
        cells.append(f"{min(largest)}-{max(largest)} / {min(means):.2f}-{max(means):.2f}")
    yield f"| `random`, {RANDOM_ORDERS} seeds | " + " | ".join(cells) + " |"
    for label, column in (("the paper: ECL", 0), ("the paper: random", 1)):
        yield f"| {label} | " + " | ".join(row[column] for row in PAPER.values()) + " |"


def size_table(data: Path) -> Iterator[str]:
    """Set sizes by order on every graph with more than `SMALLEST` vertices, and the mean ratios."""
    yield "| graph | vertices | `degree` | `ecl` | `high-degree` | `random` | `degree` : `random` |"
    yield "| --- |" + " ---: |" * 6
    logarithms: dict[str, list[float]] = {"degree": [], "ecl": [], "high-degree": []}
    for name, (file, n) in sorted(files(data).items()):
        if n <= SMALLEST:
            continue
        graph = undirected(file)
        sizes = {
            order: int(sg.maximal_independent_set(graph, priority=order).sum()) for order in (*logarithms, "random")
        }
        for order, values in logarithms.items():
            values.append(math.log(sizes[order] / sizes["random"]))
        cells = " | ".join(f"{size:,}" for size in sizes.values())
        yield f"| {name} | {graph.num_vertices:,} | {cells} | {sizes['degree'] / sizes['random']:.3f} |"
    means = {order: math.exp(sum(values) / len(values)) for order, values in logarithms.items() if values}
    for order, mean in means.items():
        yield f"| *geometric mean, `{order}` : `random`, {len(logarithms[order])} graphs* | | | | | | {mean:.3f} |"


def main() -> None:
    """Print the tables; on request put them into the page."""
    parser = argparse.ArgumentParser(description="Tables of depths and set sizes by order.")
    parser.add_argument("data", type=Path, help="a folder with MANIFEST.tsv and the graphs")
    parser.add_argument("--page", type=Path, help="a page whose part between the markers is replaced")
    options = parser.parse_args()
    text = "\n".join(["## Depth", "", *depth_table(options.data), "", "## Set sizes", "", *size_table(options.data)])
    print(text)
    if options.page:
        page = options.page.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        after = rest.split(END)[1]
        options.page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
