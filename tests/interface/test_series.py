"""A pandas Series with names in its index: read in the order of the vertices, or refused with advice that works.

The parameters are those that the docstrings of all functions of a graph describe as values per vertex. pandas is used
if it is installed, and otherwise a class with the same interface.
"""

from __future__ import annotations

import inspect
import re
from importlib.util import find_spec

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.plot import page
from tests.house.test_options import FUNCTIONS, documented
from tests.pins.checksums import checksum
from tests.support.cases import each

NODES = ["d", "a", "c", "b", "e"]
GRAPH = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [1.0, 2, 3, 4], n=5, symmetrize=True)._replace(nodes=NODES)
ORDER = [3, 0, 4, 2, 1]  # of the rows of a Series with the index "b", "d", "e", "c", "a"
MASK, ZEROS = np.array([True, False, True, False, False]), np.zeros(5, np.int64)
COLORS, LISTS = np.array([0, 1, 0, 1, 2]), np.ones((5, 3), bool)
VALUES = {
    **dict.fromkeys(("sources", "include", "exclude", "vertices", "mask"), MASK),
    **dict.fromkeys(("priority", "order", "weights", "sizes"), np.array([5, 1, 4, 2, 3])),
    **{"labels": np.array([0, 0, 1, 1, 2]), "start": np.array([0, 0, 2, 2, 4]), "origins": np.array([0, 1, 0, 1, 0])},
    **{"distance": np.array([0, 1, 0, 1, 2]), "parent": np.array([0, 0, 2, 2, 3]), "mate": np.array([1, 0, 3, 2, -1])},
    **{"colors": COLORS, "rounds": COLORS, "fixed": COLORS, "column": np.arange(5) * 0.5},
    **{"assigned": np.array(["x", "y", "y", "x", "x"], object), "allowed": LISTS, "forbidden": ~LISTS},
    **{"positions": np.arange(10.0).reshape(5, 2), "fixed vertices": MASK},
}
REQUIRED = {  # other arguments
    "communities": {"start": ZEROS},
    "is_community_labeling": {"labels": ZEROS},
    "is_maximal_independent_set": {"mask": MASK},
    "is_bfs_tree": {"sources": MASK, "distance": VALUES["distance"], "parent": VALUES["parent"]},
    "is_shortest_path_tree": {"sources": MASK, "distance": VALUES["distance"], "parent": VALUES["parent"]},
    "is_one_per_source": {"labels": VALUES["labels"], "origins": VALUES["origins"]},
    "is_proper_coloring": {"colors": COLORS},
}


class Index(list):
    def tolist(self):
        return list(self)

    def __getitem__(self, mask):
        return [label for label, chosen in zip(self, mask, strict=True) if chosen]


class Frame:
    """The part of pandas' Series and DataFrame that counts: rows with labels, which NumPy reads by position."""

    def __init__(self, values, index):
        self._values, self._index = np.asarray(values), Index(index)
        self.ndim, self.shape, self.dtype = self._values.ndim, self._values.shape, self._values.dtype

    def __getattr__(self, name):
        if name == "index":
            return self._index
        raise AttributeError(name)

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        return iter(self._values)

    def __array__(self, dtype=None, copy=None):
        return self._values.astype(dtype) if dtype else self._values

    def tolist(self):
        return self._values.tolist()

    def to_numpy(self):
        return self._values

    def reindex(self, labels):
        return Frame(self._values[[self._index.index(label) for label in labels]], labels)

    def to_dict(self):
        return dict(zip(self._index, self._values.tolist(), strict=True))


def stand_in(values, index):
    return Frame(values, list(index))


def of_pandas(values, index):
    import pandas as pd

    return (pd.Series if np.ndim(values) == 1 else pd.DataFrame)(values, index)


MAKERS = [stand_in, of_pandas] if find_spec("pandas") else [stand_in]


def parameters():
    """Yield the functions of a graph with their parameters that take values per vertex, as the docstrings say."""
    for name, function in FUNCTIONS.items():
        if next(iter(inspect.signature(function).parameters), "") not in ("graph", "self"):
            continue
        for parameter, text in documented(function).items():
            other = re.search(r"As (?:in|for) `(\w+)`", text)
            if other and hasattr(sg, other[1]):
                text = documented(getattr(sg, other[1])).get(parameter, "")
            first = text.partition("\n")[0]
            if re.search(r"\(n,\)|\(n, [k2]\)", first) and not first.startswith(("x :", "b :")):
                yield name, function, parameter
    yield "connected_components", sg.connected_components, "start"
    if find_spec("matplotlib"):  # the checks of all figures
        yield "plot", page.graph_and_set, "mask"
        yield "plot", page.graph_and_colors, "colors"
        yield "plot", page.checked_positions, "positions"


PARAMETERS = list(parameters())


def outcome(function, parameter, value):
    """Return the checksum of an answer, or the error."""
    options = dict(REQUIRED.get(function.__name__, {}))
    if parameter == "assigned":
        options["rooms"] = {"x": 9, "y": 9}
    if parameter == "sizes" and "coloring" in function.__name__:
        options["capacity"] = 20
    try:
        answer = function(GRAPH, **options | {"column" if parameter == "columns" else parameter: value})
        if function.__name__.endswith("_table"):
            return answer.to_pydict()
        if function.__module__ == page.__name__:
            answer = np.array(answer[-1] if isinstance(answer, tuple) else answer)
        return checksum(answer)
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def values_of(function, parameter):
    name = {"columns": "column"}.get(parameter, parameter)
    return VALUES["fixed vertices" if name == "fixed" and "communit" in function.__name__ else name]


def test_parameters_are_found():
    found = {parameter for _, _, parameter in PARAMETERS}
    assert found >= {"sources", "mask", "priority", "order", "weights", "sizes", "labels", "start", "fixed", "allowed"}
    assert len(PARAMETERS) >= 45


@each(make=MAKERS)
@pytest.mark.parametrize(("name", "function", "parameter"), PARAMETERS)
def test_names_in_the_index(name, function, parameter, make):
    if name.endswith("_table"):
        pytest.importorskip("pyarrow")
    values = values_of(function, parameter)
    expected = outcome(function, parameter, values)
    assert not str(expected).startswith(("TypeError", "ValueError")), expected
    for index in (NODES, range(5), [50, 60, 70, 80, 90], ["x", "y", "z", "u", "v"]):
        assert outcome(function, parameter, make(values, index)) == expected
    some = outcome(function, parameter, make(values[ORDER], ["a", "x", "y", "z", "u"]))
    assert re.match("ValueError: .* by names of vertices, but not in the order of graph.nodes: pass ", some)
    series = make(values[ORDER], [NODES[v] for v in ORDER])
    message = outcome(function, parameter, series)
    argument, advice = re.match(
        r"ValueError: (\w+) is indexed .*: pass (\S+) to match the names, or ", message
    ).groups()
    assert message.endswith(f"or {argument}.to_numpy() if the values are in the order of the vertices")
    assert outcome(function, parameter, eval(advice, {argument: series, "graph": GRAPH})) == expected
    assert outcome(function, parameter, series.to_numpy()) == outcome(function, parameter, values[ORDER])


def test_graphs_without_names_read_by_position():
    graph = GRAPH._replace(nodes=None)
    for index in ([4, 3, 2, 1, 0], NODES):
        series = stand_in(VALUES["weights"], index)
        assert np.array_equal(
            sg.maximal_independent_set(graph, weights=series),
            sg.maximal_independent_set(graph, weights=VALUES["weights"]),
        )
