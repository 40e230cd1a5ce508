"""Maximal independent sets at distance two: the six graphs, both orders, distance three, and PyAMG beside them.

python -m benchmarks.distance_two                       # measure; some minutes
python -m benchmarks.distance_two --quick               # small graphs, nothing is kept; seconds
python -m benchmarks.distance_two --from-lines          # the table of the lines that are there

PyAMG draws its numbers from NumPy's global state, so its sets differ from run to run.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from functools import partial

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

from .harness import Case, installed_version
from .mis import GRAPHS, SMALL, judge_of_sets
from .studies import Plan, measure_and_show


def cases(graph: sg.Graph, threads: list[int]) -> Iterator[Case]:
    """Ours, then PyAMG's with the random numbers that NumPy's global state gives it."""
    for k, priority in ((2, "random"), (2, "degree"), (3, "random")):
        options = {"k": k, "priority": priority}
        find, judge = partial(sg.maximal_independent_set, graph, **options), judge_of_sets(graph, k)
        for count in threads:
            name = f"distance {k}, {priority}"
            yield Case("mis", name, lambda _, find=find: find(), judge, threads=count, options=options, seed=0)
    if installed_version("pyamg"):
        pyamg = importlib.import_module("pyamg.graph")
        n = graph.num_vertices
        matrix = sp.csr_array((np.ones(graph.num_entries, np.int8), graph.indices, graph.indptr), shape=(n, n))
        yield Case(
            "mis",
            "distance 2, PyAMG",
            lambda _: pyamg.maximal_independent_set(matrix, k=2),
            judge_of_sets(graph, 2),
            options={"k": 2},
        )


def plan(options: argparse.Namespace) -> Plan:
    """The six graphs."""
    for name in GRAPHS:
        label, make = (
            (f"{name} (small)", SMALL[name]) if options.quick else (name, partial(gallery.benchmark_graph, name))
        )
        yield label, make, partial(cases, threads=options.threads)


if __name__ == "__main__":
    measure_and_show("distance_two", __doc__ or "", plan, None)
