"""Strong components: directed variants of the six graphs, all algorithms, compared with SciPy.

A sweep is that of the undirected graph, as in all studies, even for R4, whose directed variant is another graph. The
line "cfhp" excludes the transposed graph, which is cached after the first call; "transpose" is the time to make it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from scipy.sparse.csgraph import connected_components

import stablegraph as sg

from ..graphs import directed_variant, pattern_of, six_graphs
from ..judges import judge_of_labels
from ..study import Best, Case, Options, Part, Study


def cases(name: str, _: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield our labels by every algorithm, and SciPy's."""
    graph, threads = directed_variant(name), options.threads
    judge = judge_of_labels(graph, sg.is_strong_component_labeling)

    def transpose(again: sg.Graph) -> sg.Graph:
        return again.transpose()

    for algorithm in ("auto", "tarjan", "forward_backward", "cfhp"):
        for count in threads if algorithm == "auto" else [1 if algorithm == "tarjan" else max(threads)]:
            run = partial(sg.strongly_connected_components, graph, algorithm=algorithm)
            yield Case("strong", algorithm, lambda _, run=run: run(), judge, threads=count)
    for count in threads:
        fresh = partial(sg.as_graph, (graph.indptr, graph.indices), directed=True)
        yield Case("strong", "transpose", transpose, lambda _: {}, threads=count, prepare=fresh)
    matrix = pattern_of(graph)
    yield Case("strong", "SciPy", lambda _: connected_components(matrix, connection="strong"), judge)


BEST = (Best("strong components", "strong", "auto", "SciPy"),)
STUDY = Study(__name__, (Part("six", six_graphs, cases),), peers=("scipy",), turns=True, best=BEST)
