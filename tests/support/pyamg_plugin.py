"""A pytest plugin that runs PyAMG's tests with functions of stablegraph instead of its own: those of docs/pyamg.md."""

import sys

import numpy as np
import pyamg.aggregation
import pyamg.graph
import pytest

import stablegraph as sg
from stablegraph import csgraph
from stablegraph.interop.pyamg import mis2_aggregation

# Tests that require behavior that differs from the documented one of stablegraph, and the reason.
ANOTHER = "it wants the aggregates of PyAMG's own algorithm"
LARGER = "its bound is for aggregates of three on a path, ours have four or five: {}, wanted is {}"
EXCEPTIONS = {
    ("TestAggregate", "test_standard_aggregation"): ANOTHER,
    ("TestComplexAggregate", "test_standard_aggregation"): ANOTHER,
    ("test_aggregation.py::TestSolverPerformance", "test_basic"): LARGER.format(0.469, 0.4),
    ("test_rootnode.py::TestSolverPerformance", "test_basic"): LARGER.format(0.460, 0.4),
    ("test_aggregation.py::TestComplexSolverPerformance", "test_basic"): "the error falls by 0.1208, wanted is 0.12",
    ("test_aggregation.py::TestSolverPerformance", "test_improve_candidates"): (
        "improving the candidates takes the fall of the error from 0.317 to 0.286, wanted is 0.285"
    ),
}


def maximal_independent_set(G, algo="serial", k=None):
    priority = "random" if algo == "parallel" or k else "natural"
    return sg.maximal_independent_set(_pattern(G), k or 1, priority=priority).astype(np.int32)


def vertex_coloring(G, method="MIS"):
    return sg.vertex_coloring(_pattern(G), order={"MIS": "natural", "JP": "random", "LDF": "largest_first"}[method])


def breadth_first_search(G, seed):
    order, _ = csgraph.breadth_first_order(G, seed, return_predecessors=True)
    return order, sg.breadth_first_search(_pattern(G), seed)[0]


def connected_components(G):
    return sg.connected_components(_pattern(G))[1]


def _pattern(G):
    return sg.as_graph(G, weights=False)


OURS = {
    pyamg.graph: (maximal_independent_set, vertex_coloring, breadth_first_search, connected_components),
    pyamg.aggregation.aggregate: (mis2_aggregation,),
}
CALLED = set()


def pytest_configure():
    for defined_in, functions in OURS.items():
        for function in functions:
            name = function.__name__.replace("mis2", "standard")
            theirs = getattr(defined_in, name)
            for module in list(sys.modules.values()):
                if getattr(module, name, None) is theirs and module.__name__.startswith("pyamg"):
                    setattr(module, name, _noted(name, function))


def _noted(name, function):
    def call(*args, **kwargs):
        CALLED.add(name)
        return function(*args, **kwargs)

    return call


def pytest_collection_modifyitems(items):
    for item in items:
        for (where, name), reason in EXCEPTIONS.items():
            if item.name == name and f"{item.path.name}::{item.parent.name}".endswith(where):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def pytest_terminal_summary(terminalreporter):
    terminalreporter.line(f"ours were called: {', '.join(sorted(CALLED))}")
