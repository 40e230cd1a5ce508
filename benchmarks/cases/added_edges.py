"""Components when edges are added: from the labels of a random graph, compared with all edges from scratch.

The graph has --vertices vertices and five random edges for each, so 10^7 vertices have about 10^8 entries. --added
random edges are added, as arcs (each edge stored once) and as an undirected graph (twice). Labels must be equal to
those from scratch. The study also measures the time to make the graph of the added edges from arrays.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import stablegraph as sg
from stablegraph import gallery

from ..study import Case, Graphs, Options, Part, Study, WrongResult

VERTICES, QUICK_VERTICES = 10**6, 10**4
PICKS = 5  # edges per vertex
RELEASE = {"cpu2": ("--vertices", "10000000", "--added", "10000000")}
ADDED = "labels and added edges"


def graphs(options: Options) -> Graphs:
    """Yield the earlier graph."""
    n = options.vertices or (QUICK_VERTICES if options.quick else VERTICES)
    yield f"random {n:,}", partial(gallery.uniform_random, n, PICKS)


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield the components of the graph, of all edges, and those that continue from labels."""
    n, draw = graph.num_vertices, np.random.default_rng(1)
    size = options.added or n
    u, v = draw.integers(0, n, (2, size), dtype=np.int32)
    arcs = sg.from_edges(u, v, n=n, directed=True, drop_duplicates=False)
    edges = sg.as_graph(arcs, symmetrize=True)
    every = sg.from_edges(np.r_[graph._rows(), u], np.r_[graph.indices, v], n=n, symmetrize=True)
    expected = sg.connected_components(every)
    start = sg.connected_components(graph)[1]

    def judge(answer: Any) -> dict[str, Any]:
        if answer[0] != expected[0] or not np.array_equal(answer[1], expected[1]):
            raise WrongResult("the labels are not those from scratch")
        return {"components": int(answer[0]), "added": size}

    def judge_size(added: sg.Graph) -> dict[str, Any]:
        return {"entries": added.num_entries, "added": size}

    arrays_to_arcs = partial(sg.from_edges, u, v, n=n, directed=True, drop_duplicates=False)
    for count in options.threads:
        yield Case("components", "all edges", lambda _: sg.connected_components(every), judge, threads=count)
        for kind, more in (("arcs", arcs), ("undirected", edges)):
            run = partial(sg.connected_components, more, start=start)
            yield Case("components", f"{ADDED}, {kind}", lambda _, run=run: run(), judge, threads=count)
        yield Case("conversion", "added edges: arrays to arcs", lambda _: arrays_to_arcs(), judge_size, threads=count)


def _add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--vertices", type=int, help=f"of the graph (default {VERTICES:,})")
    parser.add_argument("--added", type=int, help="edges that are added (default: as many as vertices)")


STUDY = Study(
    __name__,
    (Part("random", graphs, cases),),
    machines=RELEASE,
    add_options=_add_options,
)
