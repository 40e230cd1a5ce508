"""All copies of an option agree: values, tables of algorithms, overloads, docstrings and the command line.

The values are declared in `option_names.py`, and the options of an algorithm in the table of its problem. Signatures,
overloads, docstrings and the command line repeat them for readers, type checkers and editors.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any, get_args, get_overloads, is_typeddict

import pytest

import stablegraph as sg
from stablegraph._core import option_names
from stablegraph._core.validation import Algorithm

VALUES = {name: get_args(literal) for name, literal in vars(option_names).items() if get_args(literal)}
SMALL = sg.from_edges([0, 1], [1, 2], [1.0, 2.0], symmetrize=True)
MATRIX = sg.gallery.laplacian((3, 3))
ARGUMENTS = {  # of functions that need more, or something else, than a graph
    "jacobian_coloring": (MATRIX,),
    "hessian_coloring": (MATRIX,),
    "sparse_jacobian": (abs, MATRIX),
    "sparse_hessian": (abs, MATRIX),
    "from_table": ({"u": [0, 1], "v": [1, 2]},),
    "from_edges": ([0, 1], [1, 2]),
    "gauss_seidel": (MATRIX,),
    "read_graph": ("graph.mtx",),
    "smoothed_aggregation": (MATRIX,),
    "solve": (sg.smoothed_aggregation(MATRIX), [1.0] * 9),
    "aspreconditioner": (sg.smoothed_aggregation(MATRIX),),
    "write_graph": ("graph.mtx", SMALL),
}
WORDS = {"None", "or", "labels", "False", "True"}  # in lists of values
CHECKED_WITHOUT_NAMES = {("minimum_spanning_forest", "symmetrize"), ("from_table", "merge")}  # their own tests exist


def public_functions() -> Iterator[Callable[..., Any]]:
    """Yield the public functions, and the public methods of classes."""
    for name in sg.__all__:
        public = getattr(sg, name)
        for function in vars(public).values() if inspect.isclass(public) else [public]:
            if inspect.isfunction(function) and not function.__name__.startswith("_"):
                yield function


FUNCTIONS = {f"{function.__module__}.{function.__qualname__}": function for function in public_functions()}


def named_values(annotation: object) -> list[tuple[str, ...]]:
    """Return the lists of values that an annotation names."""
    return [VALUES[word] for word in dict.fromkeys(re.findall(r"\w+", str(annotation))) if word in VALUES]


OPTIONS = [
    pytest.param(function, parameter.name, values, id=f"{function.__qualname__}-{parameter.name}")
    for function in FUNCTIONS.values()
    for parameter in inspect.signature(function).parameters.values()
    for values in named_values(parameter.annotation)
]


def documented(function: Callable[..., Any]) -> dict[str, str]:
    """Return the description of each parameter in a docstring."""
    text = inspect.getdoc(function) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n---|\Z)", text, re.MULTILINE | re.DOTALL)
    entries = re.split(r"^(?=\S)", section[1], flags=re.MULTILINE)[1:] if section else []
    names = [re.match(r"[\w*, ]+", entry)[0] for entry in entries]  # such as "order, ties, seed"
    return {name.strip(" *"): entry for group, entry in zip(names, entries, strict=True) for name in group.split(",")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_list_the_parameters(name):
    signature = [name for name in inspect.signature(FUNCTIONS[name]).parameters if name != "self"]
    if entries := list(documented(FUNCTIONS[name])):  # short methods have none
        assert sorted(entries) == sorted(signature)
        if not name.endswith(".coloring_steps"):  # which describes three parameters together
            assert entries == signature


@pytest.mark.parametrize(("function", "parameter", "values"), OPTIONS)
def test_docstrings_describe_the_values(function, parameter, values):
    text = documented(function)[parameter]
    if not re.search(r"\b[Aa]s (?:for|in) `", text):
        assert {value for value in values if f'"{value}"' not in text} == set()
        default = inspect.signature(function).parameters[parameter].default
        listed = re.match(r"\w+ : \{([^}]*)\}", text)
        if listed and isinstance(default, str):
            assert listed[1].partition(",")[0] == f'"{default}"', "the default is first"


@pytest.mark.parametrize(("function", "parameter", "values"), OPTIONS)
def test_checks_name_the_values(function, parameter, values):
    name = function.__name__
    if (name, parameter) not in CHECKED_WITHOUT_NAMES:
        more = {"weights": [1, 1, 1]} if values == VALUES["WeightedPriority"] else {}
        with pytest.raises(ValueError, match="zzz") as caught:
            function(*ARGUMENTS.get(name, (SMALL,)), **{parameter: "zzz"}, **more)
        listed = re.search(
            r"must be (?:one of )?(.*?)(?:, an array| with weights| or |; got|, got|$)", str(caught.value)
        )
        assert set(re.findall(r"\w+", listed[1])) - WORDS == set(values), caught.value


@pytest.mark.parametrize("name", [name for name, f in FUNCTIONS.items() if get_overloads(inspect.unwrap(f))])
def test_overloads_repeat_the_signature(name):
    """An overload lists a parameter, or has it in the TypedDict of its options; only its own type may be narrower."""
    function = inspect.unwrap(FUNCTIONS[name])
    expected = inspect.signature(function).parameters
    for overload in get_overloads(function):
        result: dict[str, str] = {}
        for parameter in inspect.signature(overload).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                (options,) = (
                    value
                    for value in vars(inspect.getmodule(function)).values()
                    if is_typeddict(value) and value.__name__ in str(parameter.annotation)
                )
                result |= {key: kind.__forward_arg__ for key, kind in options.__annotations__.items()}
            else:
                result[parameter.name] = parameter.annotation
                if parameter.default not in (parameter.empty, ...):
                    assert parameter.default == expected[parameter.name].default
        assert set(result) == set(expected)
        differ = {key for key, kind in result.items() if kind != expected[key].annotation}
        some = {key for key in differ if set(result[key].split(" | ")) < set(expected[key].annotation.split(" | "))}
        assert len(differ - some) <= 1
        assert all(re.fullmatch(r"Literal\[(?:True|False)\]", result[key]) for key in differ - some)


def tables() -> Iterator[tuple[str, dict[str, Algorithm]]]:
    """Yield the tables of algorithms of all modules, with the name of the list of values that has the same names."""
    for module in pkgutil.walk_packages(sg.__path__, "stablegraph."):
        if module.name.startswith(("stablegraph.independent_set", "stablegraph.coloring", "stablegraph.components")):
            for table in vars(importlib.import_module(module.name)).values():
                if isinstance(table, dict) and table and all(isinstance(x, Algorithm) for x in table.values()):
                    yield next(name for name, values in VALUES.items() if set(values) == set(table)), table


def test_options_in_tables_of_algorithms_are_those_of_the_signature():
    result = dict(tables())
    assert set(result) >= {"SetAlgorithm", "ColoringAlgorithm"}
    for name, table in result.items():
        (function,) = (f for f in FUNCTIONS.values() if re.search(rf"\b{name}\b", str(inspect.signature(f).parameters)))
        parameters = set(inspect.signature(function).parameters)
        supported = {option for algorithm in table.values() for option in algorithm.options}
        assert supported <= parameters
        common = {"graph", "distance", "algorithm", "include", "exclude", "return_info"}
        assert parameters - common <= supported, "an option that no algorithm supports"


def test_choices_of_the_command_line():
    click = pytest.importorskip("click")
    main = importlib.import_module("stablegraph.cli").main
    context, known, others = click.Context(main), {frozenset(values) for values in VALUES.values()}, set()
    known.add(frozenset(VALUES["Priority"] + VALUES["WeightedPriority"]))
    known.add(frozenset(importlib.import_module("stablegraph.cli.options").ANSWER_FORMS))  # of files
    for name in main.list_commands(context):
        for parameter in main.get_command(context, name).params:
            if isinstance(parameter.type, click.Choice) and frozenset(parameter.type.choices) not in known:
                others.add(f"{name} {parameter.name}")
    assert others == {"completion shell", "verify kind"}  # they choose nothing in the library
