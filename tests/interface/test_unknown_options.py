"""Unknown options: the message names the closest option, or the replacement for an option of another library."""

from __future__ import annotations

import inspect
import pickle
import re
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import stablegraph as sg
from stablegraph._core import unknown_options
from stablegraph._core.unknown_options import suggests_options
from stablegraph._core.validation import nearest
from stablegraph.cluster.workers import InProcess
from tests.support.cases import each

GRID = sg.gallery.grid((3, 4))

# Not called by users: constructors of results, and methods for the package's own use.
INTERNAL = {
    *("DistributedForest.__init__", "DistributedGraph.__init__", "GaussSeidel.__init__", "Graph.__init__"),
    *("CompressionPlan.__init__", "IndependentSet.__init__", "Multigrid.__init__", "SparseDerivative.__init__"),
    *("GaussSeidel.before", "GaussSeidel.after", "GaussSeidel.forward", "GaussSeidel.backward"),
    *("DistributedGraph.map_partitions", "DistributedGraph.map_futures", "DistributedGraph.map_once"),
    *("DistributedGraph.map_and_store", "DistributedGraph.dask_array", "DistributedGraph.labels_array"),
    *("DistributedGraph.split", "DistributedGraph.split_vertices"),
    "num_threads",  # called at every launch of a kernel, so it has no wrapper
}


def public_functions(module: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public functions and methods, with their qualified names, except for those with `**options`."""
    for name in module.__all__:
        public = getattr(module, name)
        if inspect.ismodule(public):
            yield from public_functions(public)
            continue
        functions = vars(public).values() if inspect.isclass(public) else [public]
        for function in functions:
            if not inspect.isfunction(function) or function.__qualname__ in INTERNAL:
                continue
            private = function.__name__.startswith("_") and function.__name__ != "__init__"
            parameters = inspect.signature(function).parameters.values()
            if not private and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
                yield f"{function.__module__}.{function.__qualname__}", function


FUNCTIONS = dict(public_functions(sg))


@each(name=FUNCTIONS)
def test_every_option_is_suggested_when_it_is_misspelled(name):
    function = FUNCTIONS[name]
    parameters = inspect.signature(function).parameters
    listed = r"its parameters are \w+" if set(parameters) - {"self"} else "it has no parameters$"
    with pytest.raises(TypeError, match=rf"^\w+ has no option 'zzz'; {listed}"):
        function(zzz=1)
    for option in parameters:
        misspelled = option + option[-1]
        if len(option) > 2 and option != "self":
            with pytest.raises(TypeError, match=f"^\\w+ has no option '{misspelled}': did you mean '{option}'\\?$"):
                function(**{misspelled: 1})


@each(name=FUNCTIONS)
def test_recommended_options_are_in_the_signature(name):
    function, tables = FUNCTIONS[name], (unknown_options._GENERAL, unknown_options.SYNONYMS)
    parameters = inspect.signature(function).parameters
    words = {word for table in (*tables, *unknown_options._REPLACEMENTS.values()) for word in table}
    for word in words - set(parameters):
        with pytest.raises(TypeError) as caught:
            function(**{word: 1})
        assert set(re.findall(r"use (\w+)=", str(caught.value))) <= set(parameters), caught.value


def test_functions_of_one_name_have_messages_of_their_own():
    with pytest.raises(TypeError, match="directions do not matter"):
        sg.connected_components(GRID, mode="strong")
    with pytest.raises(TypeError, match=r"^connected_components has no option 'mode'") as caught:
        sg.csgraph.connected_components(GRID, mode="strong")
    assert "do not matter" not in str(caught.value)


def test_functions_were_found():
    assert len(FUNCTIONS) > 100
    assert {"stablegraph.csgraph.connected_components", "stablegraph.solvers.multigrid.Multigrid.solve"} <= set(
        FUNCTIONS
    )


@pytest.mark.parametrize(
    ("function", "option", "message"),
    [
        (sg.vertex_coloring, "strategy", "use order=, for example order='saturation' for DSATUR"),
        (sg.vertex_coloring, "num_colors", "color_bounds gives its limits"),
        (sg.vertex_coloring, "weight", "weights are stored in the graph"),
        (sg.vertex_coloring, "n_jobs", "set_num_threads"),
        (sg.vertex_coloring, "random_state", "use seed="),
        (sg.maximal_independent_set, "k", "use distance=, for example distance=2"),
        (sg.maximal_independent_set, "method", "use algorithm="),
        (sg.large_independent_set, "weight", "use weights="),
        (sg.connected_components, "connection", "strongly_connected_components"),
        (sg.as_graph, "weight", "did you mean 'weights'"),
        (sg.breadth_first_search, "source", "did you mean 'sources'"),
        (sg.breadth_first_search, "max_depth", "use max_distance="),
        (sg.schedule, "seats", "use rooms="),
        (sg.smoothed_aggregation, "presmoother", "use smoother="),
        (sg.plot.plot_coloring, "pos", "use positions="),
        (sg.is_proper_coloring, "device", r"graph\.to\('cuda'\)"),
    ],
)
def test_options_of_other_libraries_lead_to_ours(function, option, message):
    with pytest.raises(TypeError, match=f"^{function.__name__} has no option '{option}'.*{message}"):
        function(GRID, **{option: 1})


def test_replacements_exist():
    """Each function in the table exists, lacks the listed option, and has the options that its replacements name."""
    known: dict[str, set[str]] = {}  # a function and a method may have the same name
    for path, function in FUNCTIONS.items():
        if not path.startswith(("stablegraph.csgraph.", "stablegraph.distributed.")):
            known.setdefault(function.__name__, set()).update(inspect.signature(function).parameters)
    for name, replacements in unknown_options._REPLACEMENTS.items():
        parameters = known[name]
        assert not parameters & set(replacements), name
        for text in replacements.values():
            members = re.sub(r"\w+\([^)]*\)|connection=\S+|mode=\S+|tol=atol", "", text)  # calls of other functions
            assert set(re.findall(r"\b(\w+)=", members)) <= parameters, (name, text)
    known = {option for f in FUNCTIONS.values() for option in inspect.signature(f).parameters}
    assert set(unknown_options.SYNONYMS.values()) <= known


@pytest.mark.parametrize(
    ("value", "known", "meant"),
    [
        ("DSATUR", sg.vertex_coloring, "saturation"),
        ("saturation_largest_first", sg.vertex_coloring, "saturation"),
        ("random_sequential", sg.vertex_coloring, "random"),
        ("smallest-last", sg.vertex_coloring, "smallest_last"),
    ],
)
def test_values_of_other_libraries_lead_to_ours(value, known, meant):
    with pytest.raises(ValueError, match=f"did you mean '{meant}'"):
        known(GRID, order=value)


def test_a_word_without_a_corresponding_name_is_compared_by_its_letters():
    assert nearest("gpu", ["cpu", "cuda"]) == "cuda"
    assert nearest("gpu", ["cpu", "degree"]) == "cpu"


def test_an_error_from_inside_passes_through():
    inner = TypeError("inside")

    @suggests_options
    def function(graph: Any, *, order: int = 0) -> None:
        raise inner

    with pytest.raises(TypeError) as caught:
        function(None, order=1)
    assert caught.value is inner
    assert [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)][-2:] == [
        "call_public",
        "function",
    ]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'graph'"):
        function()


def test_signatures_names_and_pickles_are_those_of_the_function():
    for function in FUNCTIONS.values():
        plain = inspect.unwrap(function)
        assert plain is not function
        assert inspect.signature(function) == inspect.signature(plain)
        assert (function.__module__, function.__qualname__) == (plain.__module__, plain.__qualname__)
    assert pickle.loads(pickle.dumps(sg.as_graph)) is sg.as_graph
    assert pickle.loads(pickle.dumps(sg.vertex_coloring)) is sg.vertex_coloring


def test_graphs_in_partitions():
    graph = sg.distributed.from_graph(GRID, 2, client=InProcess())
    with pytest.raises(TypeError, match=r"^vertex_coloring has no option 'sed': did you mean 'seed'"):
        sg.vertex_coloring(graph, reduce="none", sed=1)
    with pytest.raises(TypeError, match=r"^vertex_coloring has no option 'strategy'; use order="):
        sg.vertex_coloring(graph, strategy="largest_first")


CHAIN = sg.gallery.laplacian((30, 20))
UNFINISHED = {  # calls of public functions and methods that warn
    "solve": lambda: sg.solve(CHAIN, np.arange(600.0), method="diagonal", maxiter=3),
    "multigrid": lambda: sg.smoothed_aggregation(CHAIN).solve(np.arange(600.0), tol=1e-25),
    "embedding": lambda: sg.spectral_embedding(sg.gallery.grid((40, 40)), 3, maxiter=1),
    "Fiedler vector": lambda: sg.fiedler_vector(sg.gallery.grid((40, 40)), maxiter=1),
}


@pytest.mark.parametrize("name", UNFINISHED)
def test_a_warning_is_one_of_the_line_that_called_the_package(name):
    """Python shows a warning once per line, so lines of the package would hide those of later calls."""
    with pytest.warns(sg.ConvergenceWarning) as caught:
        UNFINISHED[name]()
    assert {warning.filename for warning in caught} == {__file__}
