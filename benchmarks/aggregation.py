"""Aggregates: the six graphs, three methods and the coarse graph, with PyAMG's standard aggregation beside them.

python -m benchmarks.aggregation                             # measure; a minute
python -m benchmarks.aggregation --quick                     # small graphs, nothing is kept; seconds
python -m benchmarks.aggregation --from-lines                # the table of what was measured
"""

from __future__ import annotations

import argparse
import importlib
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

from .harness import Case, WrongResult, installed_version
from .mis import GRAPHS, SMALL
from .studies import Plan, measure_and_show


def judge_of_labels(graph: sg.Graph) -> Callable[[tuple[int, Any]], dict[str, Any]]:
    """A judge of (count, labels): the verifier's word for all labels that it has not seen yet."""
    accepted: set[int] = set()

    def judge(answer: tuple[int, Any]) -> dict[str, Any]:
        count, labels = answer
        checksum = zlib.crc32(labels.tobytes())
        if checksum not in accepted:
            wrong = sg.explain(sg.is_aggregation, graph, labels)
            if wrong:
                raise WrongResult(wrong)
            accepted.add(checksum)
        return {"aggregates": int(count), "crc32": f"{checksum:08x}"}

    return judge


def cases(graph: sg.Graph, threads: list[int]) -> Iterator[Case]:
    """Our own, and PyAMG's."""
    judge = judge_of_labels(graph)
    for method in ("mis2", "kokkos", "mis2-basic"):
        run = partial(sg.aggregate, graph, method=method)
        for count in threads:
            yield Case("aggregation", method, lambda _, run=run: run(), judge, threads=count)
    contract = partial(sg.coarse_graph, graph, sg.aggregate(graph)[1])
    for count in threads:
        yield Case("aggregation", "coarse graph", lambda _: contract(), _edges, threads=count)
    if installed_version("pyamg"):
        standard = importlib.import_module("pyamg.aggregation.aggregate").standard_aggregation
        n = graph.num_vertices
        matrix = sp.csr_matrix((np.ones(graph.num_entries), graph.indices, graph.indptr), shape=(n, n))
        yield Case("aggregation", "PyAMG standard", lambda _: standard(matrix), _aggregates)


def _edges(coarse: sg.Graph) -> dict[str, Any]:
    return {"edges": coarse.num_edges}


def _aggregates(answer: tuple[Any, Any]) -> dict[str, Any]:
    return {"aggregates": int(answer[0].shape[1])}  # vertices without neighbours are in none


def plan(options: argparse.Namespace) -> Plan:
    """The six graphs."""
    for name in GRAPHS:
        label, make = (
            (f"{name} (small)", SMALL[name]) if options.quick else (name, partial(gallery.benchmark_graph, name))
        )
        yield label, make, partial(cases, threads=options.threads)


def main(arguments: list[str] | None = None) -> None:
    measure_and_show("aggregation", __doc__ or "", plan, arguments)


if __name__ == "__main__":
    main()
