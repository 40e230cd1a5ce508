"""Wrong arguments cause the same error for a graph in this process and for one in partitions."""

import inspect

import dask.array as da
import numpy as np
import pytest

import stablegraph as sg
from stablegraph import distributed, verify
from stablegraph._core.dispatch import FORMS
from stablegraph.cluster.workers import InProcess

GRAPH = sg.gallery.grid((3, 4))
N = len(GRAPH)
_LABELS = np.zeros(N, int)
_SET = sg.maximal_independent_set(GRAPH)
_TREE = sg.breadth_first_search(GRAPH, 0)

# Right values of the required parameters, by function.
REQUIRED = {
    "vertex_coloring": {"reduce": "none"},
    "breadth_first_search": {"sources": 0},
    "subgraph": {"vertices": _SET},
    "explain_independent_set": {"mask": _SET},
    "explain_maximal_independent_set": {"mask": _SET},
    "explain_coloring": {"colors": sg.vertex_coloring(GRAPH)},
    "explain_component_labeling": {"labels": _LABELS},
    "explain_strong_component_labeling": {"labels": _LABELS},
    "explain_aggregation": {"labels": sg.aggregate(GRAPH)[1]},
    "explain_bfs_tree": {"sources": 0, "distance": _TREE[0], "parent": _TREE[1]},
}
WRONG = (
    *("nonsense", 1.5, -1, 0, 3, 10**30, object, True, b"ecl", [], (0,), {}, {1, 2}, {0: 1}),
    *([0, 0], [0, N], [-1, 2], [1.5, 2], ["a"], [None], [[0], [1, 2]], np.ma.masked_equal([1, 2], 1)),
    *(np.ones(N), np.ones(N + 1, bool), np.ones(N, int), np.full(N, -1), np.full(N, "x"), np.ones((N, 1), int)),
    *(np.full(N, np.nan), np.ones(N, complex), np.ones(N, object), (np.ones(N), np.ones(N)), sg.gallery.grid(3)),
)
NAMES = [name for name in FORMS if "forest" not in name or name == "minimum_spanning_forest"]


def _function(name):
    return getattr(sg, name, None) or getattr(verify, name)


def _error(function, graph, arguments):
    """Return the type and the text of the error of a call, or None."""
    try:
        function(graph, **arguments)
    except (ValueError, TypeError) as error:
        return type(error), str(error)
    return None


def _text_of(value):
    return f"array {value.dtype} {value.shape}" if isinstance(value, np.ndarray) else repr(value)


@pytest.fixture(scope="module")
def split():
    return distributed.from_graph(GRAPH, 2, client=InProcess())


@pytest.mark.parametrize("name", NAMES)
def test_an_error_is_the_same_for_a_graph_in_partitions(split, name):
    function = _function(name)
    options = [option for option in inspect.signature(function).parameters if option != "graph"]
    compared = 0
    for option in options:
        for value in WRONG:
            arguments = {**REQUIRED.get(name, {}), option: value}
            expected, received = (_error(function, graph, arguments) for graph in (GRAPH, split))
            if received != expected:  # the value, or the option, is supported only in this process
                limit = "for a graph in partitions" if expected is None else f"{option}= is not supported for a graph"
                assert limit in received[1], f"{option}={_text_of(value)}: {received}, not {expected}"
            compared += received == expected is not None
    assert compared >= 3 * len(options) - 20


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_option_and_a_missing_argument_are_the_same(split, name):
    function = _function(name)
    for wrong in ({"algoritm": "x"}, {"gpu": True}, {"zzz": 1}):
        arguments = {**REQUIRED.get(name, {}), **wrong}
        assert _error(function, split, arguments) == _error(function, GRAPH, arguments)
    if name in REQUIRED and name != "vertex_coloring":
        assert _error(function, split, {}) == _error(function, GRAPH, {})


def test_arrays_on_the_cluster_are_checked_like_those_in_this_process(split):
    for name, required in REQUIRED.items():
        for option, right in required.items():
            if option in ("reduce", "sources"):
                continue
            for wrong in (np.ones(N + 1, right.dtype), np.ones(N), np.ones((N, 1), right.dtype)):
                calls = [{**required, option: value} for value in (wrong, da.from_array(wrong, chunks=5))]
                expected, received = (_error(_function(name), split, arguments) for arguments in calls)
                if right.dtype == bool and wrong.dtype != bool:
                    assert f"{option} must be a mask of bool if it is a Dask array, got dtype float64" == received[1]
                else:
                    assert received == expected is not None, (name, option, wrong.dtype, wrong.shape)
