"""A dict by name, or by number if vertices have no names, means the same as the values in the order of the vertices."""

import numpy as np
import pytest

import stablegraph as sg
from tests.support.cases import each

ENDS = ([0, 0, 1, 3, 2], [1, 2, 3, 4, 4])
NAMES = ["Math 101", "Art", "Chemistry", "Lab 1", "Music"]
MIXED = ["Math 101", "Art", "Chemistry", (1, "lab"), 7]
NAMED, OTHER, PLAIN = (
    sg.from_edges(*([names[v] for v in end] for end in ENDS), nodes=names, symmetrize=True)
    if names
    else sg.from_edges(*ENDS, symmetrize=True)
    for names in (NAMES, MIXED, None)
)
FUNCTIONS = {
    "schedule sizes": lambda graph, values: sg.schedule(graph, capacity=9, sizes=values),
    "set weights": lambda graph, values: sg.maximal_independent_set(graph, weights=values),
    "large weights": lambda graph, values: sg.large_independent_set(graph, weights=values).mask,
    "set priority": lambda graph, values: sg.maximal_independent_set(graph, priority=values),
    "distant priority": lambda graph, values: sg.maximal_independent_set(graph, distance=2, priority=values),
    "coloring order": lambda graph, values: sg.vertex_coloring(graph, order=values, reduce="none"),
    "steps order": lambda graph, values: sg.coloring_steps(graph, order=values),
    "communities start": lambda graph, values: sg.communities(graph, start=values, max_size=3),
    "modularity labels": lambda graph, values: sg.modularity(graph, values),
    "components start": lambda graph, values: sg.connected_components(graph.subgraph([0, 1, 2, 3, 4]), start=values),
    "verified colors": lambda graph, values: sg.explain(sg.is_proper_coloring, graph, values),
    "verified sizes": lambda graph, values: sg.explain(
        sg.is_proper_coloring, graph, [0, 1, 1, 0, 2], capacity=3, sizes=values
    ),
    "table column": lambda graph, values: sg.to_table(graph, seats=values)["seats"].to_pylist(),
    "cluster labels": lambda graph, values: sg.cluster_table(graph, values)["size"].to_pylist(),
}


def text_of(answer):
    return str([one.tolist() if hasattr(one, "tolist") else one for one in answer] if type(answer) is list else answer)


@each(name=FUNCTIONS, named=[True, False], seed=[0, 1, 2])
def test_dicts_mean_the_values_in_order(name, named, seed):
    graph = NAMED if named else PLAIN
    values = np.random.default_rng(seed).permutation([2, 2, 1, 0, 3]).tolist()
    keys = graph.nodes if named else range(5)
    order = np.random.default_rng(seed + 9).permutation(5).tolist()
    expected, answer = (FUNCTIONS[name](graph, one) for one in (values, {keys[v]: values[v] for v in order}))
    assert text_of(answer) == text_of(expected)


@each(name=[name for name in FUNCTIONS if name != "components start"])
def test_missing_and_unknown_names(name):
    function, whole = FUNCTIONS[name], dict.fromkeys(NAMES, 2)
    less = {key: 2 for key in NAMES if key not in ("Art", "Math 101")}
    with pytest.raises(ValueError, match=r"has no value for vertex 'Math 101'.*pass one for every vertex"):
        function(NAMED, less)
    with pytest.raises(ValueError, match="no vertex is named 'Arts'"):
        function(NAMED, whole | {"Arts": 2})
    with pytest.raises(ValueError, match=r"at most 4, got 5"):
        function(PLAIN, dict.fromkeys(range(6), 2))
    with pytest.raises(TypeError, match="must be an integer, got 'Art'"):
        function(PLAIN, {"Art": 2})


def test_the_messages_have_an_example():
    with pytest.raises(ValueError, match=r"'Math 101' and 1 more: .*sizes=\{'Math 101': 1, \.\.\.\}"):
        sg.schedule(NAMED, capacity=3, sizes={"Art": 1, "Chemistry": 1, "Lab 1": 1})
    with pytest.raises(ValueError, match=r"sizes: no vertex is named 'x'; .*, such as 'Math 101'"):
        sg.schedule(NAMED, capacity=3, sizes={"x": 1})
    twice = NAMED._replace(nodes=["a", "a", "b", "c", "d"])
    with pytest.raises(ValueError, match="weights: several vertices are named 'a'"):
        sg.maximal_independent_set(twice, weights={"a": 1})


def test_earlier_components_by_name():
    grown = sg.from_edges(["d"], ["e"], nodes=["a", "b", "c", "d", "e"], symmetrize=True)
    assert sg.connected_components(grown, start={"c": "x", "a": "x", "e": 4})[1].tolist() == [0, 1, 0, 2, 2]
    for missing in (None, float("nan")):
        with pytest.raises(ValueError, match="start has no label for vertex 'b': leave it out"):
            sg.connected_components(grown, start={"a": 1, "b": missing})


def test_pairs_of_names():
    expected = sg.effective_resistance(PLAIN, [(0, 4), (3, 1), (2, 2)])
    named = [("Math 101", 4), ((1, "lab"), "Art"), ("Chemistry", 2)]  # an integer is the number of a vertex
    for pairs in (named, iter(named)):
        assert np.array_equal(sg.effective_resistance(OTHER, pairs), expected)
    texts = sg.from_edges(["a", "b"], ["b", "c"], symmetrize=True)
    assert sg.effective_resistance(texts, np.array([["a", "c"], ["b", "b"]])).round(9).tolist() == [2, 0]
    assert sg.effective_resistance(texts, []).size == 0
    with pytest.raises(ValueError, match="no vertex is named 'z'"):
        sg.effective_resistance(texts, [("a", "z")])
    with pytest.raises(ValueError, match="no vertex is named 'ac'"):
        sg.effective_resistance(texts, ["ac"])
    with pytest.raises(ValueError, match=r"pairs must have shape \(m, 2\), got \(1, 1\)"):
        sg.effective_resistance(texts, ["a"])
    with pytest.raises(ValueError, match=r"pairs must have shape \(m, 2\), got \(1, 3\)"):
        sg.effective_resistance(texts, [("a", "b", "c")])
    with pytest.raises(TypeError, match="not by a dict"):
        sg.effective_resistance(texts, {"a": "b"})
