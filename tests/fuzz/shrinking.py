"""Smaller cases that fail in the same way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .cases import Case, Code, Edges, Numbers, Options, Run, Vertices, failure

ATTEMPTS = 2000


def shrunk(case: Case) -> Case:
    """Remove vertices, edges and options as long as the case fails, large pieces first."""
    failed, remaining = kind(failure(case)), ATTEMPTS
    progress = failed is not None
    while progress and remaining > 0:
        progress = False
        for smaller in _smaller(case):
            remaining -= 1
            if _fails(smaller, failed):
                case, progress = smaller, True
                break
            if remaining <= 0:
                break
    return case


def kind(what: str | None) -> str | None:
    """Return the kind of a failure, without the parts that differ in a smaller case."""
    return None if what is None else re.sub(r"[\d.\[\]()]+.*", "", what.splitlines()[0])[:40]


def _fails(case: Case, failed: str | None) -> bool:
    try:
        return kind(failure(case)) == failed
    except Exception:  # an oracle that cannot handle the remaining options
        return False


def _pieces(size: int) -> Iterator[set[int]]:
    """Yield all positions, then halves, quarters, and so on down to single ones."""
    length = size
    while length:
        for start in range(0, size, length):
            yield set(range(start, min(start + length, size)))
        length //= 2


def _smaller(case: Case) -> Iterator[Case]:
    input_graph, options = case.input_graph, case.options
    simple = Run()
    for runs in ((simple, simple), (simple, case.runs[1]), (case.runs[0], case.runs[0])):
        if runs != case.runs:
            yield replace(case, runs=runs)
    for removed in _pieces(input_graph.n):
        yield replace(
            case, input_graph=input_graph.without_vertices(removed), options=_without(options, removed, input_graph.n)
        )
    for removed in _pieces(len(input_graph.edges)):
        yield replace(case, input_graph=input_graph.without_edges(removed))
    for form in ("csr",):
        if (input_graph.form, input_graph.reverse) != (form, False):
            yield replace(case, input_graph=replace(input_graph, form=form, reverse=False))
    if input_graph.weights is not None:
        yield replace(case, input_graph=replace(input_graph, weights=None))
        for e, weight in enumerate(input_graph.weights):
            for simpler in (0, 1):
                if weight not in (0, 1):
                    weights = [*input_graph.weights[:e], simpler, *input_graph.weights[e + 1 :]]
                    yield replace(case, input_graph=replace(input_graph, weights=weights))
    for option, value in options.items():
        if option != case.wrong:
            yield replace(case, options={key: one for key, one in options.items() if key != option})
            for simpler in _simpler(value):
                yield replace(case, options={**options, option: simpler})


def _simpler(value: Any) -> Iterator[Any]:
    if isinstance(value, (Vertices, Edges)):
        for i in range(len(value)):
            yield type(value)(value[:i] + value[i + 1 :])
    elif type(value) is int and value not in (0, 1):
        yield from (0, 1, value // 2)


def _without(options: Options, removed: set[int], n: int) -> Options:
    """Return the options for the graph without some vertices."""
    number = {v: i for i, v in enumerate(v for v in range(n) if v not in removed)}

    def kept(value: Any) -> Any:
        if isinstance(value, Vertices):
            return Vertices(number[v] for v in value if v in number)
        if isinstance(value, Edges):
            return Edges((number[u], number[v], w) for u, v, w in value if u in number and v in number)
        if isinstance(value, Numbers) and len(value) == n:
            return Numbers(one for v, one in enumerate(value) if v in number)
        return value

    smaller = {option: kept(value) for option, value in options.items()}
    if type(options.get("n")) is int:
        smaller["n"] = len(number)
    return {option: Code(value) if isinstance(value, Code) else value for option, value in smaller.items()}
