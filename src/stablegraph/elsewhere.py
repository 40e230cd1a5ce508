"""Graphs that are not in this process, as those in partitions: public functions let them answer."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def or_elsewhere(function: Function) -> Function:
    """Make a function of a graph ask its first argument, if that has a method `_answer`, to do the same elsewhere."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        graph = arguments[0] if arguments else options.get("graph")
        answer = getattr(type(graph), "_answer", None)
        if answer is None:
            return function(*arguments, **options)
        if not arguments:
            del options["graph"]
        return answer(graph, function.__name__, *arguments[1:], **options)

    return cast(Function, call)
