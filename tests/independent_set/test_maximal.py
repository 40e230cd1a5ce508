"""The public function: every kind of input, and the options of each algorithm."""

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from tests.independent_set.greedy import ALGORITHMS, PRIORITIES, crc, numbers_in, oracle
from tests.support.cases import each
from tests.support.set_oracles import ORACLES
from tests.support.zoo import ZOO, preferential, symmetric_csr

# ------------------------------------------------------------------------------------------------------ the inputs


def test_every_kind_of_input():
    matrix = ZOO["skewed"].copy()  # SciPy sums duplicates in place
    expected = sg.maximal_independent_set(matrix).tolist()
    assert sg.maximal_independent_set(sp.csr_matrix(matrix)).tolist() == expected
    for format in ("coo", "csc", "lil", "bsr"):
        assert sg.maximal_independent_set(matrix.asformat(format)).tolist() == expected
    assert sg.maximal_independent_set((matrix.indptr, matrix.indices)).tolist() == expected
    assert sg.maximal_independent_set(matrix.toarray().astype(bool)).tolist() == expected


def test_the_input_is_left_alone():
    matrix = ZOO["unsorted rows"].copy()
    before = [array.tobytes() for array in (matrix.data, matrix.indices, matrix.indptr)]
    values = np.arange(300.0)
    include, exclude = np.array([250, 3]), np.arange(300) == 7
    kept = [array.copy() for array in (values, include, exclude)]
    sg.maximal_independent_set(matrix, priority=values, exclude=exclude)
    sg.maximal_independent_set(matrix, include=include[:1])
    assert [array.tobytes() for array in (matrix.data, matrix.indices, matrix.indptr)] == before
    assert all((a == b).all() for a, b in zip(kept, (values, include, exclude), strict=True))


def test_read_only_input():
    matrix = symmetric_csr(300, preferential(300, 3))
    values = np.arange(300)
    for array in (matrix.indptr, matrix.indices, matrix.data, values):
        array.flags.writeable = False
    mask = sg.maximal_independent_set(matrix, priority=values)
    assert (mask == oracle(sg.as_graph(matrix), values)).all()
    assert mask.flags.writeable


def test_a_directed_graph_is_an_error_with_the_cure():
    with pytest.raises(ValueError, match="symmetrize=True"):
        sg.maximal_independent_set(sg.from_edges([0, 1, 2], [1, 2, 0], directed=True))


def test_an_unsymmetric_matrix_is_an_error_with_the_cure():
    matrix = sp.csr_array(([1.0], ([3], [7])), shape=(9, 9))
    with pytest.raises(ValueError, match=r"symmetrize=True") as error:
        sg.maximal_independent_set(matrix)
    assert {3, 7} <= numbers_in(error)


def test_options_that_are_not_there():
    matrix = ZOO["path"]
    with pytest.raises(ValueError, match=r"priority, lexicographic, luby.*; got 'bogus'"):
        sg.maximal_independent_set(matrix, algorithm="bogus")
    with pytest.raises(ValueError, match=r"degree.*ecl.*random.*natural|natural.*random"):
        sg.maximal_independent_set(matrix, priority="largest")
    with pytest.raises(TypeError):
        sg.maximal_independent_set(matrix, rounds=3)


@pytest.mark.parametrize("k", [0, -1])
def test_distances_that_are_not_there(k):
    with pytest.raises(ValueError, match="distance must be at least 1"):
        sg.maximal_independent_set(ZOO["path"], k)


@pytest.mark.parametrize("priority", PRIORITIES)
def test_return_info(priority):
    mask, info = sg.maximal_independent_set(ZOO["skewed"], priority=priority, return_info=True)
    assert (mask == sg.maximal_independent_set(ZOO["skewed"], priority=priority)).all()
    assert set(info) == {"algorithm", "rounds", "undecided", "edges", "seconds"}
    assert info["algorithm"] == "priority"
    assert info["undecided"][0] == 300 and len(info["undecided"]) == info["rounds"] + 1
    assert info["undecided"] == sorted(info["undecided"], reverse=True)
    assert set(info["seconds"]) == {"prepare", "rounds", "finish"} and min(info["seconds"].values()) >= 0


# ------------------------------------------------------------------------------------------------ other algorithms


def test_lexicographic_is_natural_by_its_own_name(zoo_graph, threads):
    mask = sg.maximal_independent_set(zoo_graph, algorithm="lexicographic")
    assert mask.tolist() == oracle(zoo_graph, "natural").tolist()


@each(algorithm=ALGORITHMS)
def test_every_algorithm_by_its_name(zoo_graph, algorithm):
    n = sg.as_graph(zoo_graph).num_vertices
    exclude = np.arange(n) % 7 == 2
    mask, info = sg.maximal_independent_set(zoo_graph, algorithm=algorithm, exclude=exclude, return_info=True)
    assert sg.explain(sg.is_maximal_independent_set, zoo_graph, mask, exclude=exclude) is None
    assert info["algorithm"] == algorithm
    assert info["undecided"][0] == n and len(info["undecided"]) == info["rounds"] + 1


def test_every_algorithm_has_an_oracle():
    greedy, by_chance = {"priority", "lexicographic"}, {"locked"}
    assert set(ALGORITHMS) == ORACLES.keys() | greedy | by_chance


def test_adaptive_is_a_truth_value():
    drawn = [
        sg.maximal_independent_set(ZOO["skewed"], algorithm="luby_select", adaptive=a) for a in (None, True, False)
    ]
    assert crc(drawn[0]) == crc(drawn[1]) != crc(drawn[2])
    with pytest.raises(TypeError, match="adaptive"):
        sg.maximal_independent_set(ZOO["path"], algorithm="luby_select", adaptive=1.5)
    with pytest.raises(TypeError, match="synchronous"):
        sg.maximal_independent_set(ZOO["path"], synchronous="yes")


@pytest.mark.parametrize(
    ("algorithm", "option"),
    [
        ("luby", {"priority": "degree"}),
        ("luby", {"synchronous": True}),
        ("locked", {"seed": 3}),
        ("lexicographic", {"seed": 0}),  # the default value, but the algorithm has no seed
        ("luby", {"synchronous": False}),
        ("lexicographic", {"priority": "natural"}),
        ("priority", {"adaptive": True}),
    ],
)
def test_an_option_that_the_algorithm_does_not_have(algorithm, option):
    with pytest.raises(
        ValueError, match=rf"{algorithm}.* has no option {next(iter(option))}; it has .*include, exclude"
    ):
        sg.maximal_independent_set(ZOO["path"], algorithm=algorithm, **option)
