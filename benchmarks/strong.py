"""Strong components: directed variants of the six graphs, all algorithms, with SciPy beside them.

    python -m benchmarks.strong                                  # measure; some minutes
    python -m benchmarks.strong --quick                          # small graphs, nothing is kept; seconds
    python -m benchmarks.strong --from-lines

A sweep is that of the undirected graph, as everywhere; of R4 too, whose directed variant is another graph. The line
"cfhp" is without the transposed graph, which is remembered after the first call; "transpose" is the time to make it.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

import stablegraph as sg
from stablegraph import gallery

from .harness import Case, WrongResult
from .mis import GRAPHS, SMALL
from .studies import Plan, measure_and_show


def judge_of_labels(graph: sg.Graph) -> Callable[[Any], dict[str, Any]]:
    """A judge: the verifier's word for all labels that it has not seen yet; the count is the quality."""
    accepted: set[int] = set()

    def judge(answer: tuple[int, Any]) -> dict[str, Any]:
        count, labels = answer
        checksum = zlib.crc32(labels.tobytes())
        if checksum not in accepted:
            wrong = sg.explain(sg.is_strong_component_labeling, graph, labels)
            if wrong:
                raise WrongResult(wrong)
            accepted.add(checksum)
        return {"components": int(count), "crc32": f"{checksum:08x}"}

    return judge


def cases(directed: Callable[[], sg.Graph], _: sg.Graph, threads: list[int]) -> Iterator[Case]:
    """Our own labels by every algorithm, and SciPy's."""
    graph = directed()
    judge = judge_of_labels(graph)
    arrays = graph.indptr, graph.indices

    def transpose(again: sg.Graph) -> sg.Graph:
        return again.transpose()

    for algorithm in ("auto", "tarjan", "forward-backward", "cfhp"):
        for count in threads[:1] if algorithm == "tarjan" else threads:
            run = partial(sg.strongly_connected_components, graph, algorithm=algorithm)
            yield Case("strong", algorithm, lambda _, run=run: run(), judge, threads=count)
    for count in threads:
        fresh = partial(sg.as_graph, arrays, directed=True)
        yield Case("strong", "transpose", transpose, lambda _: {}, threads=count, prepare=fresh)
    matrix = sp.csr_array((np.ones(graph.num_entries, np.int8), *arrays[::-1]), shape=(graph.num_vertices,) * 2)
    yield Case("strong", "SciPy", lambda _: connected_components(matrix, connection="strong"), judge)


def plan(options: argparse.Namespace) -> Plan:
    """The six graphs."""
    for name in GRAPHS:
        make = SMALL[name] if options.quick else partial(gallery.benchmark_graph, name)
        directed = (
            (lambda make=make: gallery.with_directions(make()))
            if options.quick
            else partial(gallery.benchmark_graph, name, directed=True)
        )
        label = f"{name} (small)" if options.quick else name
        yield label, make, partial(cases, directed, threads=options.threads)


def main(arguments: list[str] | None = None) -> None:
    measure_and_show("strong", __doc__ or "", plan, arguments)


if __name__ == "__main__":
    main()
