"""The forms of public functions for graphs in partitions, and the decorator of functions that may have one.

A public function checks its arguments in the same way for every graph. It then calls `in_partitions` for a graph in
partitions, and otherwise an algorithm of its table.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from .texts import short_repr
from .unknown_options import Function, call_public, with_readable_signature
from .validation import IN_PARTITIONS, PartitionedGraph, boolean, choice

Result = TypeVar("Result")


class Form(NamedTuple):
    """The form of a public function for a graph in partitions; it receives checked arguments."""

    run: Callable[..., Any]
    accepts_arcs: bool  # whether the graph may be directed
    adds_info: bool  # whether return_info= exists only in partitions: the form returns the answer and the statistics


# By the name of the public function. `stablegraph.distributed`, which makes such graphs, fills this table when it is
# imported, so that Dask is not imported without graphs in partitions.
FORMS: dict[str, Form] = {}


@dataclass(frozen=True)
class Supported:
    """What a public function supports for a graph in partitions, or for another kind of graph, named by `where`."""

    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # of the options that have other values, too
    without: Mapping[str, str] = field(default_factory=dict)  # the unsupported options, each with advice or ""
    where: str = IN_PARTITIONS

    def check(self, **options: Any) -> None:
        """Raise ValueError for the first option whose value is not supported; the values are valid on one machine."""
        for name, value in options.items():
            known = self.values.get(name, ())
            if name in self.without and value is not None and value is not False:
                advice = self.without[name]
                raise ValueError(f"{name}= is not supported{self.where}{advice and f'; {advice}'}")
            if known and isinstance(known[0], str):
                if value is None:
                    raise ValueError(f"{name} must not be omitted{self.where}: pass {name}={known[0]!r}")
                if not hasattr(value, "shape"):  # numbers instead of a name
                    choice(value, name, known, where=self.where)
            elif known and value not in known:
                raise ValueError(f"{name} must be {' or '.join(map(str, known))}{self.where}, got {short_repr(value)}")


def in_partitions(function: Callable[..., Result], graph: PartitionedGraph, *arguments: Any) -> Result:
    """Run the form of a public function for a graph in partitions, with checked arguments."""
    answer: Result = graph._with_progress(FORMS[function.__name__].run)(graph, *arguments)
    return answer


def dispatches_on_graph(function: Function) -> Function:
    """Like `suggests_options`, for a function whose first argument may be a graph in partitions.

    Raise an error if the function has no form for the graph.
    """

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        graph = arguments[0] if arguments else options.get("graph")
        if not isinstance(graph, PartitionedGraph) or not _form_for(graph, function.__name__).adds_info:
            return call_public(function, arguments, options)
        is_asked = boolean(options.pop("return_info", False), "return_info")
        answer, info = call_public(function, arguments, options)
        if not is_asked:
            return answer
        return (*answer, info) if isinstance(answer, tuple) else (answer, info)

    return with_readable_signature(call, function)


def _form_for(graph: PartitionedGraph, name: str) -> Form:
    """Return the form of a function for a graph in partitions, or raise an error if it does not accept this graph."""
    form = FORMS.get(name)
    if form is None:
        raise NotImplementedError(
            f"{name} does not support a graph in partitions; these functions do: {', '.join(FORMS)}"
        )
    if graph.directed and not form.accepts_arcs:
        raise ValueError(
            f"the graph is directed, but {name} is for undirected graphs in partitions; make it with "
            "symmetrize=True instead of directed=True"
        )
    return form
