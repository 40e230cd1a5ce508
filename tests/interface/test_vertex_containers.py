"""Vertices mean the same in every container: the items of a list, by number or by name.

The parameters are those that the docstrings of all public functions describe as vertices or names. The expected meaning
of each list of items is computed by `meaning`, and each container must give the answer of the list of its items.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Set
from fractions import Fraction
from importlib.util import find_spec
from numbers import Number

import numpy as np
import pytest

import stablegraph as sg
from tests.house.test_options import FUNCTIONS, documented
from tests.pins.checksums import checksum
from tests.support.cases import each
from tests.support.containers import CONTAINERS, contained

N = 5
CYCLE = sg.from_edges(range(N), [1, 2, 3, 4, 0], symmetrize=True)
NODES = {
    "numbers": None,
    "ids": [3, 1, 2, 0, 7],
    "texts": ["b", "1", "a", "0", "\0"],
    "bytes": [b"b", b"\x01", b"a", b"a\0", b"12"],
    "tuples": [(0, 1), (1, 0), ("a", 1), (2, 2), ()],
    "mixed": ["1", 1, b"1", (1,), frozenset("a")],
}
GRAPHS = {name: CYCLE._replace(nodes=nodes) for name, nodes in NODES.items()}
ITEMS = [
    *([1], [4, 0], [np.int8(3)], [np.uint64(1), np.int32(2)], [-1], [N], [2**70], [1, 2**63], [0, 0]),
    *(["1"], ["a", "b"], [np.str_("0")], ["\0"], ["zz"], [b"\x01"], [b"a\0", b"a"], [b"12"], ["a", b"a"]),
    *([True] + [False] * 4, [np.bool_(True)] + [np.bool_(False)] * 4, [True, 0], [True, False], [1, "1"], [True, "1"]),
    *([1.0], [np.float32(2)], [1, 2.0], [math.nan], [None], [1, None], [Fraction(1)], [1j], [frozenset("a")]),
    *([(0, 1)], [(1, 0), (2, 2)], [("a", 1), ()], [(1,), 1], [[0, 1]], [{"a"}], []),
]


def meaning(items, nodes):
    """Return the numbers of the vertices, or None if there is no single meaning."""
    if items and all(isinstance(x, (bool, np.bool_)) for x in items):
        return [v for v in range(N) if items[v]] if len(items) == N else None
    numbers = []
    for x in items:
        if isinstance(x, (int, np.integer)) and not isinstance(x, bool):
            numbers.append(int(x))
        elif nodes is None or isinstance(x, (Number, np.bool_, list, set)) or x not in nodes:
            return None
        else:
            numbers.append(next(v for v, name in enumerate(nodes) if name == x and type(name) in type(x).__mro__))
    return numbers if len(set(numbers)) == len(numbers) and all(0 <= v < N for v in numbers) else None


# ------------------------------------------------------------------------------------------------------ parameters

OTHERS = {"start": np.zeros(N, int), "labels": np.zeros(N, int), "distance": [0, 1, 2, 2, 1], "parent": [0, 0, 1, 4, 0]}


def parameters():
    """Return the functions with their parameters that take vertices, as the docstrings describe them."""
    pattern = re.compile(r"\bvertices\b.*\bname\b|\bnames(, optional)?$")
    found = []
    for name, function in FUNCTIONS.items():
        for parameter, text in documented(function).items():
            other = re.search(r"As (?:in|for) `(\w+)`", text)
            if other and hasattr(sg, other[1]):
                text = documented(getattr(sg, other[1])).get(parameter, "")
            if pattern.search(text.partition("\n")[0]):
                found.append((name, parameter))
    return found


PARAMETERS = parameters()


def outcome(name, parameter, graph, vertices):
    """Return the checksum of an answer, or the error."""
    function = FUNCTIONS[name]
    takes = inspect.signature(function).parameters
    options = {other: value for other, value in OTHERS.items() if other in takes}
    if "parent" not in takes:
        options.pop("distance", None)  # of members of a set, a number
    if parameter == "exclude" and "mask" in takes:
        options["mask"] = [2]
    try:
        return checksum(function(graph, **options | {parameter: vertices}))
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def test_parameters_are_found():
    assert len(PARAMETERS) >= 13, PARAMETERS
    assert {parameter for _, parameter in PARAMETERS} >= {"sources", "include", "exclude", "vertices", "fixed", "mask"}


@each(graph=GRAPHS)
@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_lists_mean_numbers_and_names(name, parameter, graph):
    assert not re.match("TypeError|ValueError", str(outcome(name, parameter, GRAPHS[graph], [1])))
    for items in ITEMS:
        numbers = meaning(items, NODES[graph])
        answer = outcome(name, parameter, GRAPHS[graph], items)
        if numbers is None:
            assert re.match("TypeError|ValueError", str(answer)), items
        else:
            assert answer == outcome(name, parameter, GRAPHS[graph], np.array(numbers, int)), items


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_containers_mean_their_items(name, parameter):
    tried, wrong = set(), []
    for k, items in enumerate(ITEMS):
        for container, _, _ in contained(items):
            tried.add(container)
        for graph in GRAPHS if parameter == "vertices" else list(GRAPHS)[k % 3 :: 3]:
            of_list = {}
            for container, vertices, in_order in contained(items):
                answer = outcome(name, parameter, GRAPHS[graph], vertices)
                if str(in_order) not in of_list:
                    of_list[str(in_order)] = outcome(name, parameter, GRAPHS[graph], in_order)
                expected = of_list[str(in_order)]
                if "bools in a set" in str(answer) and isinstance(items[0], (bool, np.bool_)):
                    continue  # it has no order, so it is no mask
                if answer != expected:
                    wrong.append((graph, container, items, answer, expected))
    assert not wrong, "\n".join(map(str, wrong))
    assert tried == CONTAINERS.keys()


# ------------------------------------------------------------------------------------------------- names, ends, values


def answer_or_error(function, *arguments):
    try:
        return function(*arguments)
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


@each(graph=GRAPHS)
def test_index_reads_every_container(graph):
    for items in ITEMS:
        expected = answer_or_error(GRAPHS[graph].index, items)
        for container, names, in_order in contained(items):
            if isinstance(names, (tuple, frozenset)) and names in (NODES[graph] or ()):
                continue
            answer = answer_or_error(GRAPHS[graph].index, names)
            if container in ("item", "array without a dimension", "Arrow's scalar") and isinstance(answer, int):
                answer = [answer]
            elif isinstance(names, Set):
                expected = answer_or_error(GRAPHS[graph].index, in_order)
            assert str(answer).replace(",", "") == str(expected).replace(",", ""), (container, items)


@each(nodes=[["b", "a"], [3, 1], [b"1", b""]])
def test_nodes_in_every_container(nodes):
    for container, listed, _ in contained(nodes):
        if container in UNORDERED:
            with pytest.raises(TypeError, match=r"^nodes must be in order, but a \w+ has no order: pass a list"):
                sg.from_edges([0], [1], nodes=listed, symmetrize=True)
            continue
        graph = sg.from_edges([0], [1], nodes=listed, symmetrize=True)
        assert list(graph.nodes) == nodes and graph.index(nodes).tolist() == [0, 1], container
        assert graph.subgraph([1]).nodes[0] == nodes[1], container


def test_bytes_are_one_name():
    with pytest.raises(ValueError, match=r"^no vertex is named b'zz'; the names"):
        GRAPHS["bytes"].index(b"zz")
    with pytest.raises(ValueError, match=r"got b'zz'$"):
        CYCLE.index(b"zz")
    assert GRAPHS["bytes"].index(b"\x01") == 1


def parts():
    """Return the cycle in two partitions, in this process."""
    from tests.support.serial_client import SerialClient

    return sg.distributed.from_graph(CYCLE, partitions=2, client=SerialClient())


@pytest.mark.skipif(not find_spec("dask"), reason="needs Dask")
def test_vertices_of_graphs_in_partitions():
    """Vertices of these graphs are numbers or masks; names are refused."""
    graph, tried = parts(), set()

    def search(graph, vertices):
        return np.asarray(sg.breadth_first_search(graph, vertices)[0])

    def greedy_set(graph, vertices):
        return np.asarray(sg.maximal_independent_set(graph, exclude=vertices))

    for k, items in enumerate(ITEMS):
        function = (search, greedy_set)[k % 2]
        for container, vertices, in_order in contained(items):
            expected = answer_or_error(function, CYCLE, in_order)
            answer = answer_or_error(function, graph, vertices)
            tried.add(container)
            if "bools in a set" not in str(answer):
                assert str(answer) == str(expected), (container, items)
    assert tried == CONTAINERS.keys()


UNORDERED = ("set", "frozenset", "nodes of NetworkX")


def test_ends_and_weights_of_edges_in_every_container():
    """Containers without an order are refused."""
    tried = set()
    for items in [*ITEMS, [5, 2, 9], [2.0, 3.0], [2**53 + 1, 2, 3], [2**63, 1]]:
        zeros = [0] * len(items)
        takers = [lambda ends, zeros=zeros: sg.from_edges(ends, zeros, directed=True)]
        if items and isinstance(items[0], Number) and items[0] == items[0]:
            takers.append(lambda weights, zeros=zeros: sg.from_edges(range(len(zeros)), zeros, weights, directed=True))
        for taker in takers:
            expected = answer_or_error(taker, items)
            for container, values, _ in contained(items):
                if container in ("item", "array without a dimension", "Arrow's scalar"):
                    continue
                answer = answer_or_error(taker, values)
                tried.add(container)
                if container in UNORDERED:
                    assert re.match(r"TypeError: (u|weights) must be in order, but a \w+ has no order: pass", answer)
                    continue
                if isinstance(expected, str):
                    assert isinstance(answer, str), (container, items, answer, expected)
                    continue
                assert answer == expected, (container, items, answer, expected)
    assert len(tried) >= len(CONTAINERS) - 3


@each(container=[name for name in CONTAINERS if name not in UNORDERED])
@pytest.mark.parametrize(
    "function",
    [
        lambda values: sg.maximal_independent_set(CYCLE, priority=values),
        lambda values: sg.maximal_independent_set(CYCLE, weights=values),
        lambda values: sg.vertex_coloring(CYCLE, order=values),
        lambda values: sg.communities(CYCLE, start=values),
        lambda values: sg.is_proper_coloring(CYCLE, values),
        lambda values: sg.coarse_graph(CYCLE, values),
        lambda values: sg.schedule(CYCLE, capacity=50, sizes=values),
        lambda values: sg.to_table(CYCLE, value=values)["value"].to_pylist(),
        lambda values: sg.solve(sg.gallery.laplacian((5,)), values),
        lambda values: sg.gauss_seidel(sg.gallery.laplacian((5,))).sweep(np.zeros(5), values),
        lambda values: sg.maximal_independent_set(parts(), priority=values, seed=1).compute(),
    ],
)
def test_values_of_vertices_in_every_container(function, container):
    for items in ([3, 1, 2, 0, 4], [2**53 + 1, 2**53, 7, 1, 0], [2**63, 1, 2, 3, 4], [0.5, 1, 2, 3, 2**53 + 1]):
        expected = answer_or_error(function, items)
        for name, values, _ in contained(items):
            if name == container:
                answer = answer_or_error(function, values)
                assert (checksum(answer) if not isinstance(answer, str) else answer) == (
                    checksum(expected) if not isinstance(expected, str) else expected
                ), items
