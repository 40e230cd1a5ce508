"""Graphs that are not in this process, as those in partitions: public functions let them answer."""

from __future__ import annotations

import functools
from typing import Any, cast

from .unknown_options import Function, refuse_unknown


def or_elsewhere(function: Function) -> Function:
    """Make a function of a graph ask its first argument, if that has a method `_answer`, to compute the result.

    Like `suggests_options`, it names the option that was meant when the function does not have one.
    """

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        graph = arguments[0] if arguments else options.get("graph")
        answer = getattr(type(graph), "_answer", None)
        if answer is not None:
            if not arguments:
                del options["graph"]
            return answer(graph, function.__name__, *arguments[1:], **options)
        try:
            return function(*arguments, **options)
        except TypeError:
            refuse_unknown(function, options)
            raise

    return cast(Function, call)
