"""Aggregates: six graphs, three methods, compared with PyAMG's standard aggregation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg

from .. import peers
from ..graphs import pattern_of, six_graphs
from ..judges import judge_of_labels
from ..study import Best, Case, Options, Part, Study


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield our methods and PyAMG's."""
    judge = judge_of_labels(graph, sg.is_aggregation, "aggregates")
    for method in ("mis2", "kokkos", "mis2_basic"):
        run = partial(sg.aggregate, graph, algorithm=method)
        for count in options.threads if method == "mis2" else [max(options.threads)]:
            yield Case("aggregation", method, lambda _, run=run: run(), judge, threads=count)
    if pyamg := peers.module("pyamg.aggregation.aggregate"):
        matrix = pattern_of(graph, dtype=np.float64)
        yield Case("aggregation", "PyAMG standard", lambda _: pyamg.standard_aggregation(matrix), _aggregates)


def _aggregates(answer: tuple[Any, Any]) -> dict[str, Any]:
    return {"aggregates": int(answer[0].shape[1])}  # vertices without neighbors belong to no aggregate


BEST = (Best("aggregates", "aggregation", "mis2", "PyAMG *"),)
STUDY = Study(__name__, (Part("six", six_graphs, cases),), peers=("pyamg",), turns=True, best=BEST)
