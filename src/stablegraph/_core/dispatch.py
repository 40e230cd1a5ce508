"""Graphs outside this process, such as partitioned ones: public functions delegate to a method of the graph."""

from __future__ import annotations

import functools
from typing import Any, cast

from .unknown_options import Function, suggests_options


def dispatches_on_graph(function: Function) -> Function:
    """Make a function delegate to the method `_answer` of its first argument, if its type has that method.

    Like `suggests_options`, the error for an unknown option suggests the closest option that exists.
    """
    in_process = suggests_options(function)

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        graph = arguments[0] if arguments else options.get("graph")
        answer = getattr(type(graph), "_answer", None)
        if answer is not None:
            if not arguments:
                del options["graph"]
            return answer(graph, function.__name__, *arguments[1:], **options)
        return in_process(*arguments, **options)

    return cast(Function, call)
