"""The named values of options: one list for signatures, tables, and the command line."""

from typing import get_args

import pytest

from stablegraph import coarsening, coloring, components, forest, io, names
from stablegraph.coloring import order as coloring_order
from stablegraph.components import strong
from stablegraph.independent_set import maximal
from stablegraph.independent_set.greedy import order
from stablegraph.solvers import cycle, smoothers

TABLES = {
    "SetAlgorithm": maximal.ALGORITHMS,
    "Priority": order.NAMED_ORDERS,
    "ColoringAlgorithm": coloring._ALGORITHMS,
    "Order": coloring_order.ORDERS,
    "Reduction": coloring._REDUCTIONS,
    "ComponentAlgorithm": components._ALGORITHMS,
    "StrongAlgorithm": strong._ALGORITHMS,
    "ForestAlgorithm": forest._ALGORITHMS,
    "Aggregation": coarsening.ALGORITHMS,
    "Smoother": smoothers.SMOOTHERS,
    "Cycle": cycle.VISITS,
    "Format": io.FORMATS,
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_names_that_are_promised(name):
    assert sorted(get_args(getattr(names, name))) == sorted(TABLES[name])


def test_names_are_words_with_underscores():
    for values in vars(names).values():
        for value in get_args(values):
            assert value.isidentifier()
