"""Several cases in one test item, so that thousands of short cases cost no items of their own.

    @each(seed=[0, 1, 2], form=FORMS)          # nine calls, if there are three forms
    def test_something(zoo_graph, seed, form): ...

The values of a decorator `each`, and of fixtures that return `Cases` (such as `zoo_graph` and `threads`), are looped
over inside the item: in all combinations or, with ``pairs=True``, in combinations that contain each pair of values of
two arguments at least once. A failure has a note that names its case. A skipped case skips nothing else. The fixtures
`monkeypatch` and `tmp_path` are new for each case.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from itertools import combinations, product
from typing import Any

import pytest


class Cases:
    """The values that a fixture takes in turn, with their labels; `use` returns a context to be in during a case."""

    def __init__(
        self, values: Mapping[str, Any] | Iterable[Any], use: Callable[[Any], AbstractContextManager[Any]] = nullcontext
    ) -> None:
        items = values.items() if isinstance(values, Mapping) else ((_label(value), value) for value in values)
        self.items = list(items)
        self.use = use


def each(*, pairs: bool = False, **values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that calls a test for all combinations of values of some arguments, within one item.

    The keys of a dict are the values, as in a loop. With `pairs`, combinations are chosen so that every two values of
    different arguments occur together; use it for arguments that do not interact.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(function)
        missing = values.keys() - signature.parameters.keys()
        assert not missing, f"{function.__name__} has no argument {missing}"
        kept = [parameter for name, parameter in signature.parameters.items() if name not in values]
        function.__signature__ = signature.replace(parameters=kept)  # pytest looks for no fixtures of these names
        earlier, earlier_pairs = getattr(function, "looped", ({}, False))
        loops = {name: Cases(list(_possible(choices))) for name, choices in values.items()}
        function.looped = loops | earlier, pairs or earlier_pairs
        return function

    return decorate


def _possible(choices: Iterable[Any]) -> Iterator[Any]:
    """Yield values without those whose mark `skipif` applies; other marks need an item of their own."""
    for choice in choices:
        marks = getattr(choice, "marks", ())
        assert all(mark.name == "skipif" for mark in marks), f"parametrize the test with {choice!r}"
        if not any(mark.args[0] for mark in marks):
            yield choice.values[0] if marks else choice


def run_cases(function: Callable[..., None], arguments: Mapping[str, Any]) -> bool:
    """Call a test once for each case, and return whether it has cases."""
    loops, pairs = getattr(function, "looped", ({}, False))
    loops = loops | {name: value for name, value in arguments.items() if isinstance(value, Cases)}
    if not loops:
        return False
    sizes = [len(cases.items) for cases in loops.values()]
    assert all(sizes), f"an argument has no values: {dict(zip(loops, sizes, strict=True))}"
    skipped, calls = None, 0
    for number, row in enumerate(covering_rows(sizes) if pairs else product(*map(range, sizes))):
        chosen = {name: cases.items[i] for (name, cases), i in zip(loops.items(), row, strict=True)}
        try:
            with ExitStack() as stack:
                for name, (_, value) in chosen.items():
                    stack.enter_context(loops[name].use(value))
                values = {name: value for name, (_, value) in chosen.items()}
                function(**{**arguments, **values, **_fresh(arguments, number, stack)})
            calls += 1
        except pytest.skip.Exception as reason:
            skipped = reason
        except BaseException as error:
            error.add_note("case: " + ", ".join(f"{name}={label}" for name, (label, _) in chosen.items()))
            raise
    if not calls and skipped is not None:
        raise skipped
    return True


def _fresh(arguments: Mapping[str, Any], number: int, stack: ExitStack) -> dict[str, Any]:
    """Return fixtures that a case must not leave changed for the next one."""
    fresh: dict[str, Any] = {}
    if "monkeypatch" in arguments:
        fresh["monkeypatch"] = stack.enter_context(pytest.MonkeyPatch.context())
    if "tmp_path" in arguments:
        fresh["tmp_path"] = arguments["tmp_path"] / f"case-{number}"
        fresh["tmp_path"].mkdir()
    return fresh


def covering_rows(sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield rows of indices below `sizes`, in which every two indices of different columns occur together."""
    uncovered = {
        ((a, i), (b, j))
        for a, b in combinations(range(len(sizes)), 2)
        for i in range(sizes[a])
        for j in range(sizes[b])
    }
    if len(sizes) < 2:
        yield from product(*map(range, sizes))
    for pair in sorted(uncovered):
        if pair not in uncovered:
            continue
        (a, i), (b, j) = pair
        row = {a: i, b: j}
        for column in sorted(set(range(len(sizes))) - {a, b}, key=lambda column: -sizes[column]):
            row[column] = max(
                range(sizes[column]),
                key=lambda value: (
                    sum(_pair((column, value), cell) in uncovered for cell in row.items()),
                    -((value - i - j) % sizes[column]),  # ties take turns
                ),
            )
        uncovered -= {_pair(*cells) for cells in combinations(row.items(), 2)}
        yield tuple(row[column] for column in range(len(sizes)))


def _pair(cell: tuple[int, int], other: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    return (cell, other) if cell < other else (other, cell)


def _label(value: Any) -> str:
    text = getattr(value, "__name__", None) or repr(value)
    return text if len(text) < 80 else f"{text[:76]} ..."
