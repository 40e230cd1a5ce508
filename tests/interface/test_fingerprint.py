"""`fingerprint` has one definition for all answers, and the command line prints it."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from tests.cli.invoking import facts
from tests.pins.calls import CALLS
from tests.pins.graphs import Subject
from tests.support.cases import each

from .test_input_arrays import ARRAYS

EXPECTED = {  # the bytes that are hashed, from the notes of the docstring
    "mask": (np.array([True, False]), b"\1\0"),
    "int8": (np.array([1, -1], np.int8), b"\1\0\0\0\xff\xff\xff\xff"),
    "int64": (np.array([1, -1]), b"\1\0\0\0\xff\xff\xff\xff"),
    "wide": (np.array([1, 2**31]), np.array([1, 2**31], "<i8").tobytes()),
    "unsigned": (np.array([1, 2**63], np.uint64), np.array([1, 2**63], "<u8").tobytes()),
    "float32": (np.array([0.1], np.float32), np.array([np.float32(0.1)], "<f8").tobytes()),
    "complex64": (np.array([1j], np.complex64), np.array([1j], "<c16").tobytes()),
    "number": (3, np.array(3, "<i8").tobytes()),
    "float": (0.5, np.array(0.5, "<f8").tobytes()),
    "list": ([0, 1, 2**40], np.array([0, 1, 2**40], "<i8").tobytes()),
    "tuple": ((2, np.array([0, 1])), np.array(2, "<i8").tobytes() + np.array([0, 1], "<i4").tobytes()),
    "empty": (np.empty(0, int), b""),
    "nothing": ([], b""),
    "columns": (np.array([[1, 2], [3, 4]]), np.array([1, 2, 3, 4], "<i4").tobytes()),
    "sparse": (
        sp.csr_array(([5.0, 6.0], ([1, 0], [0, 2])), shape=(2, 3)),
        np.array([2, 3, 0, 1, 2, 0, 6, 5], "<i4").tobytes(),
    ),
    "fractions": (
        sp.csr_array(([5.0, 6.5], ([1, 0], [0, 2])), shape=(2, 3)),
        np.array([2, 3, 0, 1, 2, 0], "<i4").tobytes() + np.array([6.5, 5.0]).tobytes(),
    ),
    "large": (
        sp.csr_array(([1e300], ([0], [0])), shape=(1, 1)),
        np.array([1, 1, 0, 0], "<i4").tobytes() + np.array([1e300]).tobytes(),
    ),
    "graph": (sg.from_edges([0], [1], directed=True), np.array([2, 2, 0, 1], "<i4").tobytes()),
}


@each(name=EXPECTED)
def test_the_bytes_of_the_definition_are_hashed(name):
    answer, contents = EXPECTED[name]
    assert sg.fingerprint(answer) == f"{zlib.crc32(contents):08x}"


def stored_otherwise(answer, change):
    """Return the answer with each array changed, and integers and booleans unchanged in value."""
    if isinstance(answer, (tuple, list)):
        return type(answer)(stored_otherwise(part, change) for part in answer)
    if isinstance(answer, sg.Graph):
        return answer._with_dtypes(np.int64, np.int64)
    if sp.issparse(answer):
        return answer.tocsc()
    return change(answer) if getattr(answer, "ndim", 0) else answer


def test_answers_of_all_functions_have_fingerprints_that_do_not_depend_on_how_they_are_stored():
    subject, seen = Subject("grid", gallery.grid((12, 11), 9)), 0
    changes = {**ARRAYS, "wide": lambda array: array.astype(np.int64) if array.dtype.kind == "i" else array}
    for call in CALLS:
        if not call.least <= subject.entries <= call.limit:
            continue
        try:
            answer = call.answer(subject)
        except (ValueError, TypeError):
            continue  # a pinned refusal
        try:
            expected = sg.fingerprint(answer)
        except TypeError:
            continue  # a file's contents, or None
        seen += 1
        for name, change in changes.items():
            assert sg.fingerprint(stored_otherwise(answer, change)) == expected, (call.name, name)
    assert seen > 300


def test_fingerprints_of_graphs_and_matrices_depend_on_all_that_they_hold():
    graph = sg.from_edges([0, 1, 1], [1, 2, 2], [3.0, 4.0, 5.0], symmetrize=True, drop_duplicates=False)
    matrix = graph.to_scipy()
    assert sg.fingerprint(graph) == sg.fingerprint(matrix) == sg.fingerprint(matrix.tocoo())
    others = [
        sg.as_graph(graph, weights=False),
        sg.from_edges([0, 1, 1], [1, 2, 2], [3.0, 4.0, 6.0], symmetrize=True, drop_duplicates=False),
        sg.from_edges([0, 1, 1], [1, 2, 2], [3.0, 4.0, 5.0], symmetrize=True, drop_duplicates=False, n=4),
        sg.from_edges([0, 1], [1, 2], [3.0, 4.0], symmetrize=True),
    ]
    assert len({sg.fingerprint(answer) for answer in [graph, *others]}) == 5


COMMANDS = {
    "mis": sg.maximal_independent_set,
    "mis --distance 2": lambda graph: sg.maximal_independent_set(graph, distance=2),
    "mis --large --rounds 5": lambda graph: sg.large_independent_set(graph, rounds=5),
    "color": sg.vertex_coloring,
    "components": lambda graph: sg.connected_components(graph)[1],
    "scc": lambda graph: sg.strongly_connected_components(graph)[1],
    "bfs --sources 3,7": lambda graph: sg.breadth_first_search(graph, [3, 7]),
    "aggregate": lambda graph: sg.aggregate(graph)[1],
    "communities": lambda graph: sg.communities(graph)[1],
    "matching": sg.weighted_matching,
    "forest": sg.minimum_spanning_forest,
    "forest --no-weights": lambda graph: sg.minimum_spanning_forest(sg.as_graph(graph, weights=False)),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("graphs") / "random.npz"
    graph = gallery.uniform_random(300, 3, seed=1)
    rows = np.repeat(np.arange(300), np.diff(graph.indptr))
    weights = 1.0 + (rows + graph.indices) % 7
    sg.write_graph(path, sg.as_graph((graph.indptr, graph.indices, weights)))
    return path


@each(command=COMMANDS)
def test_commands_print_the_fingerprint_of_the_answer_of_the_function(file, command):
    name, *options = command.split()
    assert facts(name, file, *options)["crc32"] == sg.fingerprint(COMMANDS[command](sg.read_graph(file)))


def test_the_demo_prints_the_fingerprints_of_the_answers():
    counties = gallery.load("us-counties")
    by_step = {row["step"]: row["crc32"] for row in facts("demo", "--no-picture")["results"]}
    source = int(counties.degrees.argmax())
    assert by_step["search"] == sg.fingerprint(sg.breadth_first_search(counties, source))
    assert by_step["maximal set"] == sg.fingerprint(sg.maximal_independent_set(counties)) == "e92ca0e0"


WRONG = [None, "abc", {"a": 1}, {1}, np.array(["a"]), np.array([object()]), np.zeros(1, "M8[s]"), [1, "a"], b"x"]


@each(wrong=range(len(WRONG)))
def test_other_answers_are_refused(wrong):
    with pytest.raises(TypeError, match="a fingerprint is of"):
        sg.fingerprint(WRONG[wrong])


def test_a_forest_of_whole_numbers_has_one_fingerprint_for_integers_and_floats():
    """CuPy's sparse matrices hold no integers."""
    forest = sg.minimum_spanning_forest(gallery.grid((5, 4)))
    assert forest.dtype.kind == "i"
    assert sg.fingerprint(forest.astype(float)) == sg.fingerprint(forest)


def test_masked_elements_are_refused():
    with pytest.raises(ValueError, match="masked"):
        sg.fingerprint(np.ma.masked_array([1, 2], [True, False]))


@pytest.mark.gpu
def test_answers_on_a_gpu_have_the_same_fingerprints():
    graph = gallery.uniform_random(300, 3, seed=1)
    on_gpu = graph.to("cuda")
    assert sg.fingerprint(graph) == sg.fingerprint(on_gpu)
    for name in ("mis", "color", "components", "bfs --sources 3,7", "aggregate", "forest"):
        assert sg.fingerprint(COMMANDS[name](graph)) == sg.fingerprint(COMMANDS[name](on_gpu)), name
