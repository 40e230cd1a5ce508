"""Maximal independent sets at distance two: six graphs, both orders, also distance three, compared with PyAMG.

PyAMG draws its numbers from NumPy's global state, so its sets differ from run to run.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import stablegraph as sg

from .. import peers
from ..graphs import pattern_of, six_graphs
from ..judges import judge_of_sets
from ..study import Best, Case, Options, Part, Study


def cases(name: str, graph: sg.Graph, options: Options) -> Iterator[Case]:
    """Yield our cases, then PyAMG's with random numbers from NumPy's global state."""
    for k, priority in ((2, "random"), (2, "degree"), (3, "random")):
        chosen = {"distance": k, "priority": priority}
        find, judge = partial(sg.maximal_independent_set, graph, **chosen), judge_of_sets(graph, k)
        for count in options.threads if k == 2 else [max(options.threads)]:
            name = f"distance {k}, {priority}"
            yield Case("mis", name, lambda _, find=find: find(), judge, threads=count, options=chosen, seed=0)
    if pyamg := peers.module("pyamg.graph"):
        find, judge = partial(pyamg.maximal_independent_set, pattern_of(graph), k=2), judge_of_sets(graph, 2)
        yield Case("mis", "distance 2, PyAMG", lambda _: find(), judge, options={"k": 2})


BEST = (Best("a set at distance two", "mis", "distance 2, random", "distance 2, PyAMG"),)
STUDY = Study(__name__, (Part("six", six_graphs, cases),), peers=("pyamg",), turns=True, best=BEST)
