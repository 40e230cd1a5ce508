"""Half a minute of the fuzzer, and tests of the fuzzer: detection, completeness, shrinking, repetition of cases."""

import re
from random import Random
from typing import Literal, get_args, get_origin

import networkx as nx
import numpy as np
import pytest

import stablegraph as sg
from stablegraph._core import option_names as names
from stablegraph._core.csr import merge
from stablegraph.coarsening import quotient
from stablegraph.interop.networkx_info import FUNCTIONS

from ..support import networkx_calls
from . import files, ids, large, sums
from .cases import failure
from .run import TARGETS, all_tiny, drawn, report, run
from .tiny import COUNT, tiny

CASES = 1500
QUICK = 250  # cases in a quick run; the other ones are a slow test
FILES = 3000
TABLES = 60
TINY = 64  # number of disjoint tiny graphs per case

NOT_CALLED = {  # public names that no target calls, and the reason
    "CompressionPlan": "made by jacobian_coloring and hessian_coloring",
    "ColoringNotFound": "raised by vertex_coloring",
    "GaussSeidel": "made by gauss_seidel",
    "ImpossibleColoring": "raised by vertex_coloring",
    "IndependentSet": "made by large_independent_set",
    "Multigrid": "made by smoothed_aggregation",
    "__version__": "a text",
    "SparseDerivative": "made by sparse_jacobian and sparse_hessian",
    "plot": "figures: tests/plot",
    "set_num_threads": "called before each case",
    "sparse_hessian": "needs JAX or PyTorch: tests/derivatives",
    "show_config": "prints: tests/runtime/test_kernels.py",
    "verify": "its functions are public names themselves",
}


def test_every_public_function_is_tried():
    called = {name for target in TARGETS for name in re.findall(r"\bsg\.(\w+)", target.code + f" sg.{target.name}")}
    assert set(sg.__all__) - called == set(NOT_CALLED)


def test_every_function_of_the_networkx_backend_is_called():
    pytest.importorskip("pandas")
    called = set()
    for kind in (nx.Graph, nx.DiGraph):
        for calls in (networkx_calls.exact_calls, networkx_calls.checked_calls):
            names = [text for seed in range(9) for text, _ in calls(nx.path_graph(3, kind), Random(seed))]
            called |= {name.partition("(")[0] for name in names}
    assert called == set(FUNCTIONS)


def test_every_algorithm_is_tried():
    """Each value of the options that `names` lists occurs in some case."""
    options = {name: kind for name, kind in vars(names).items() if get_origin(kind) is Literal}
    for name in ("Device", "Acceleration", "Format", "DerivativeLibrary", "HessianLibrary", "Layout"):
        options.pop(name)  # it has tests of its own
    missing = {f"{name}: {value}" for name, kind in options.items() for value in get_args(kind)}
    for number in range(120 * len(TARGETS)):
        if missing:
            program = drawn(0, number).program()
            missing = {value for value in missing if repr(value.split(": ")[1]) not in program}
    assert missing == set()


def test_tiny_graphs_are_all_there():
    assert COUNT == 33868 + 4166 + 1098 + 530 + 759
    assert len({(g.n, g.directed, tuple(g.edges)) for g in map(tiny, range(COUNT))}) >= 33868 + 4166


def test_all_tiny_graphs_beside_each_other():
    """Test some functions on some of the graphs; all functions on all graphs take half an hour."""
    reported = []
    counts = run(all_tiny(TINY)[::838], seed=0, report_line=reported.append, tiny=TINY)
    assert not reported, "\n".join(reported)
    assert counts.total() > 25


@pytest.mark.parametrize("number", range(len(large.SHAPES)), ids=list(large.SHAPES))
def test_larger_graphs(number):
    shape, n, seed = large.case(0, number, largest=3000)
    assert large.report(shape, n, seed) is None


def test_damaged_files():
    reported = []
    _, kinds = files.run(range(FILES), seed=0, report_line=reported.append)
    assert not reported, "\n".join(reported)
    assert len(kinds) > FILES / 40  # outcomes guide it to new outcomes


def test_ids_of_all_kinds_through_all_interfaces():
    pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")
    reported = []
    counts = ids.run(range(TABLES), seed=0, report_line=reported.append)
    assert not reported, "\n".join(reported)
    assert set(counts) == ids.available()
    assert {ids.drawn(0, number).kind for number in range(TABLES)} == set(ids.KINDS)


@pytest.mark.parametrize("name", ["text files", "command line, text"])
def test_ids_that_lose_their_text_are_seen(monkeypatch, name):
    pytest.importorskip("pyarrow", reason="tables need pyarrow; install the extra 'io'")
    case = ids.Case("zero-padded", ["01", "1"], ["2", "3"], Random(0))
    assert ids.failure(case, name) is None
    monkeypatch.setattr(ids, "as_delimited", lambda texts: {text: int(text) for text in texts})
    assert ids.failure(case, name).startswith("names ['01', '1', '2', '3'], expected [1, 2, 3]")


def test_a_file_that_is_read_wrongly_is_seen(monkeypatch):
    graph = sg.from_edges([0, 1], [1, 2], symmetrize=True)
    monkeypatch.setattr(sg, "read_graph", lambda *_, **__: graph)
    assert files.failure(files.File(b"0 1\n1 2\n2 1\n1 0\n", "snap"), b"")[0] is None
    assert files.failure(files.File(b"0 1\n1 0\n", "snap"), b"")[0].startswith("other edges: [(1, 2, None)]")


@pytest.mark.parametrize(
    "numbers", [range(QUICK), pytest.param(range(QUICK, CASES), marks=pytest.mark.slow)], ids=["quick", "rest"]
)
def test_nothing_fails(numbers):
    failures = []
    counts = run(numbers, seed=0, report_line=failures.append)
    assert not failures, "\n".join(failures)
    assert counts.total() == len(numbers)


def test_a_case_depends_on_the_seed_and_its_number_alone():
    for number in range(3 * len(TARGETS)):
        first, again = drawn(5, number), drawn(5, number)
        assert first.program(first.runs[0]) == again.program(again.runs[0])
    assert drawn(5, 0).program() != drawn(6, 0).program()


def numbers_of(name):
    """Return the numbers of a function's cases."""
    return range([target.name for target in TARGETS].index(name), 10**5, len(TARGETS))


def test_a_wrong_answer_is_seen_and_made_smaller(monkeypatch):
    """The mutated search reports vertex 0 as unreachable wherever it has another parent."""
    right = sg.breadth_first_search

    def wrong(graph, sources, **options):
        distance, parent = right(graph, sources, **options)
        return np.where((parent != 0) & (np.arange(parent.size) == 0), -1, distance), parent

    monkeypatch.setattr(sg, "breadth_first_search", wrong)
    cases = ((number, drawn(3, number)) for number in numbers_of("breadth_first_search"))
    number, case = next((number, case) for number, case in cases if not case.wrong and failure(case))
    text = report(3, number, case)
    assert f"python -m tests.fuzz --seed 3 --case {number}" in text
    assert "wrong answer: distance" in text
    assert "shape=(2, 2)" in text  # only a source and vertex 0 remain


@pytest.mark.parametrize("door", sums.PROGRAMS)
@pytest.mark.parametrize("defect", ["the check is missing", "the check is too quick", "sums are narrow"])
def test_sums_that_wrap_around_are_seen(monkeypatch, door, defect):
    def first_failure():
        cases = (drawn(4, number) for number in numbers_of(f"{door}, sums near the limits")[:150])
        return next(filter(None, map(failure, cases)), None)

    if defect == "the check is too quick":
        monkeypatch.setattr(merge, "may_overflow", lambda weights, sums, longest: longest > 8)
    else:
        for module in (merge, quotient):
            monkeypatch.setattr(module, "refuse_overflow", lambda *_, **__: None)
    if defect == "sums are narrow":
        monkeypatch.setattr(merge, "sum_type", np.dtype)
    assert first_failure().startswith("wrong answer: ")


@pytest.mark.parametrize("error", [IndexError, ZeroDivisionError])
def test_an_error_of_another_kind_is_seen(monkeypatch, error):
    def fails(*_, **__):
        raise error("inside")

    number = next(number for number in numbers_of("vertex_coloring") if not drawn(3, number).wrong)
    case = drawn(3, number)
    monkeypatch.setattr(sg, "vertex_coloring", fails)
    assert failure(case).startswith(f"{error.__name__}: inside")
    assert "shape=(0, 0)" in report(3, number, case)


def test_an_argument_that_is_not_refused_is_seen(monkeypatch):
    number = next(number for number in numbers_of("color_bounds") if drawn(3, number).wrong)
    assert failure(drawn(3, number)) is None
    monkeypatch.setattr(sg, "color_bounds", lambda graph: (0, 0))
    assert failure(drawn(3, number)).startswith("not refused: graph=")
