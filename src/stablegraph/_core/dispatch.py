"""Decorators of public functions: better errors for unknown options, and the form for a graph in partitions.

A call is not inspected: its keywords are compared with the signature only after a TypeError. A function with an unknown
keyword never starts, so errors raised inside a function pass through unchanged.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

from .unknown_options import refuse_unknown

Function = TypeVar("Function", bound=Callable[..., Any])


class Form(NamedTuple):
    """The form of a public function for a graph in partitions."""

    run: Callable[..., Any]
    accepts_arcs: bool  # whether the graph may be directed


# By the name of the public function. `stablegraph.distributed`, which makes such graphs, fills this table when it is
# imported, so that Dask is not imported without graphs in partitions.
FORMS: dict[str, Form] = {}


class PartitionedGraph:
    """Base class of graphs in partitions, by which public functions recognize them without importing Dask."""

    directed: bool

    def _with_progress(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of this graph that shows its progress; or the function itself."""
        return function


def _released(answer: Any) -> Any:
    """Return an answer with CuPy's own arrays, or as it is if a function of the package called."""
    if not isinstance(answer, tuple):
        is_kept = not hasattr(answer, "as_plain_array") or _in_package(sys._getframe(2))
        return answer if is_kept else answer.as_plain_array()
    are_arrays = [hasattr(part, "as_plain_array") for part in answer]
    if True not in are_arrays or _in_package(sys._getframe(2)):
        return answer
    parts = tuple(part.as_plain_array() if one else part for part, one in zip(answer, are_arrays, strict=True))
    return type(answer)(*parts) if hasattr(answer, "_fields") else parts


def _in_package(frame: Any) -> bool:
    """Return whether a function of the package has this frame."""
    caller: str = frame.f_globals.get("__name__", "")
    return caller.partition(".")[0] == __name__.partition(".")[0]


def suggests_options(function: Function) -> Function:
    """Make a function suggest options when it is called with a keyword that it does not have."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return _released(function(*arguments, **options))
        except TypeError:
            refuse_unknown(function, options)
            raise

    return cast(Function, call)


def dispatches_on_graph(function: Function) -> Function:
    """Combine a function with its form for a graph in partitions, if `FORMS` has one.

    Like `suggests_options`, the error for an unknown option suggests the closest option that exists.
    """

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        graph = arguments[0] if arguments else options.get("graph")
        form: Callable[..., Any] = function
        if isinstance(graph, PartitionedGraph):
            form = graph._with_progress(_form_for(graph, function.__name__))
        try:
            return _released(form(*arguments, **options))
        except TypeError:
            refuse_unknown(form, options)
            raise

    return cast(Function, call)


def _form_for(graph: PartitionedGraph, name: str) -> Callable[..., Any]:
    """Return a function's form for a graph in partitions, or raise an error if it does not accept this graph."""
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
    return form.run
