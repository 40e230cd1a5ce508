"""
GPU against CPU
===============

The same functions return identical results on one thread and on many threads of a CPU, and on one NVIDIA H200. This
program draws recorded results of the benchmarks; it measures nothing, so no GPU is needed.
"""

import json
from pathlib import Path
from statistics import median

import matplotlib.pyplot as plt

root = Path.cwd() if Path("benchmarks").exists() else Path.cwd().parent  # the repository, also if run in examples/
results = root / "benchmarks" / "results"
measured = {}
for machine, study in ("cpu16", "cores"), ("gpu", "gpu"):
    for line in map(json.loads, (results / f"{machine}.jsonl").read_text().splitlines()):
        if (line.get("study"), line.get("graph")) == (study, "R4"):  # a million vertices with four random picks each
            where = "H200" if study == "gpu" else line["threads"]
            measured.setdefault(line["algorithm"], {})[where] = median(line["runs"]), line["quality"].get("crc32")
most = max(where for where in measured["components"] if where != "H200")

# %%
# A job is drawn if the checksum (crc32) of its result is the same on all three.

jobs = {
    "set, degree": "a maximal set",
    "set, distance 2": "a set at distance two",
    "coloring": "a coloring",
    "components": "components",
    "search": "a search",
    "aggregates": "aggregates",
}
figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
for row, (job, name) in enumerate(jobs.items()):
    (crc32,) = {measured[job][where][1] for where in (1, most, "H200")}
    for shift, where, color in ((-0.27, 1, "#c9c9c9"), (0, most, "#7fb0d3"), (0.27, "H200", "#1f5f8b")):
        milliseconds = 1e3 * measured[job][where][0]
        ax.barh(row + shift, milliseconds, 0.25, color=color)
        label = f" {milliseconds:.3g} ms, " + ("H200" if where == "H200" else f"{where} thread{'s' * (where > 1)}")
        ax.text(milliseconds, row + shift, label, va="center", fontsize=8)
    print(f"{name}: crc32 {crc32}, {measured[job][1][0] / measured[job]['H200'][0]:.0f} times one thread on the GPU")
ax.set_xscale("log")
ax.set_xlim(0.1, 3000)
ax.set_yticks(range(len(jobs)), jobs.values())
ax.invert_yaxis()
ax.set_xlabel("milliseconds, logarithmic")
ax.spines[["top", "right"]].set_visible(False)
ax.set_title("A graph with a million vertices and 4.2 million edges")
plt.show()
