"""CPU time of one call in a fresh process, above the imports, compared with SciPy.

Each run is a process that imports NumPy, scipy.sparse and one of the two libraries, reads the arrays of a CSR matrix,
and finds its connected components. The CPU time of all threads is measured for the imports and for the call. Processes
with stablegraph and with SciPy alternate; every answer is checked afterwards.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import stablegraph as sg

from ..judges import judge_of_labels
from ..study import Options, Part, Study
from ..tables import Line
from .first_page import SCIPY, random_edges, report
from .networkx_backend import Given

OURS, IMPORTS = "stablegraph", "imports"
ROUNDS = 15
LIBRARIES = {
    OURS: ("import stablegraph", "stablegraph.connected_components(matrix)"),
    SCIPY: ("from scipy.sparse import csgraph", "csgraph.connected_components(matrix, directed=False)"),
}
_PROCESS = """
import sys, time
import numpy as np, scipy.sparse as sp
{0}
imported = time.process_time()
data, indices, indptr = (np.load(f"{{sys.argv[1]}}/{{name}}.npy") for name in ("data", "indices", "indptr"))
matrix = sp.csr_array((data, indices, indptr))
start = time.process_time()
count, labels = {1}
end = time.process_time()
np.save(sys.argv[1] + "/labels.npy", labels)
print(imported, end - start, count)
"""


def first_calls(_: str, arguments: Given, options: Options) -> Iterator[Line]:
    """Yield one line: the CPU seconds of all processes."""
    matrix = arguments.matrix()
    check = judge_of_labels(sg.as_graph(matrix, weights=False), sg.is_component_labeling, dtype=np.int64)
    rounds = 2 if options.quick else options.repeats or ROUNDS
    runs: dict[str, list[float]] = {name: [] for way in LIBRARIES for name in (way, f"{way}, {IMPORTS}")}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("data", "indices", "indptr"):
            np.save(Path(folder, name), getattr(matrix, name))
        for _round in range(rounds):
            for way, parts in LIBRARIES.items():
                imports, call, count = _run(_PROCESS.format(*parts), folder)
                runs[way].append(call)
                runs[f"{way}, {IMPORTS}"].append(imports)
                check((int(count), np.load(Path(folder, "labels.npy"))))
    yield {
        "problem": "first call",
        "algorithm": "connected_components",
        "options": {},
        "seed": None,
        "threads": max(options.threads),
        "runs": runs,
        "told": ", ".join(f"{name}: {1e3 * min(times):.0f} ms" for name, times in runs.items()),
    }


def _run(program: str, folder: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


STUDY = Study(__name__, (Part("first call", random_edges, first_calls),), peers=("scipy",), report=report)
