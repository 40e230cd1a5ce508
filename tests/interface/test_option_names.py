"""The named values of options: one list for signatures, tables, and the command line."""

import inspect
import re
from typing import get_args

import pytest

import stablegraph as sg
from stablegraph._core import option_names as names
from stablegraph.coarsening import api as coarsening
from stablegraph.coloring import api as coloring
from stablegraph.coloring import order as coloring_order
from stablegraph.community import api as community
from stablegraph.components import api as components
from stablegraph.forest import api as forest
from stablegraph.independent_set import api as sets
from stablegraph.independent_set.greedy import order
from stablegraph.io.detect import NAMED_FORMATS
from stablegraph.solvers import api as solvers
from stablegraph.solvers import cycle

TABLES = {
    "SetAlgorithm": sets.ALGORITHMS,
    "Priority": order.NAMED_ORDERS,
    "ColoringAlgorithm": coloring.ALGORITHMS,
    "Order": coloring_order.ORDERS,
    "Reduction": coloring._REDUCTIONS,
    "CommunityAlgorithm": community.ALGORITHMS,
    "Objective": community.OBJECTIVES,
    "ComponentAlgorithm": components.ALGORITHMS,
    "StrongAlgorithm": components.STRONG_ALGORITHMS,
    "ForestAlgorithm": forest.ALGORITHMS,
    "Aggregation": coarsening.ALGORITHMS,
    "Smoother": solvers.SMOOTHERS,
    "Cycle": cycle.VISITS,
    "Format": NAMED_FORMATS,
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_names_that_are_promised(name):
    assert sorted(get_args(getattr(names, name))) == sorted(TABLES[name])


def promised(function, parameter):
    """Return the names that a parameter accepts, according to its annotation."""
    words = re.findall(r"\w+", inspect.signature(function).parameters[parameter].annotation)
    return [value for word in words for value in get_args(getattr(names, word, None))]


def test_docstrings_list_the_names_that_are_promised():
    result = 0
    for function in (getattr(sg, name) for name in sg.__all__ if inspect.isfunction(getattr(sg, name))):
        listed = re.findall(r"^(\w+) : \{([^}]*)\}", inspect.getdoc(function), re.MULTILINE)
        for parameter, values in listed:
            if known := promised(function, parameter):
                assert sorted(re.findall(r'"(\w+)"', values)) == sorted(known), f"{function.__name__}({parameter}=)"
                result += 1
    assert result > 8


def test_names_are_words_with_underscores():
    for values in vars(names).values():
        for value in get_args(values):
            assert value.isidentifier()
