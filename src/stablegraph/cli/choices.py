"""The names that options take. Words may be joined by hyphens or by underscores, as the user likes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, get_args

import click

from .. import names

PRIORITIES = get_args(names.Priority)
SETS = get_args(names.SetAlgorithm)
COLORINGS = get_args(names.ColoringAlgorithm)
ORDERS = get_args(names.Order)
TIES = get_args(names.Ties)
REDUCTIONS = get_args(names.Reduction)
COMPONENTS = get_args(names.ComponentAlgorithm)
STRONG_COMPONENTS = get_args(names.StrongAlgorithm)
FORESTS = get_args(names.ForestAlgorithm)
AGGREGATIONS = get_args(names.Aggregation)
SMOOTHERS = get_args(names.Smoother)
CYCLES = get_args(names.Cycle)


class Name(click.Choice):  # type: ignore[type-arg]
    """One of the library's names: ``smallest-last`` and ``smallest_last`` are the same, and give the library's own."""

    def __init__(self, known: Iterable[str]) -> None:
        super().__init__(list(known))
        self._known = {_joined(name): name for name in self.choices}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(self._known.get(_joined(str(value)), value), param, ctx)


def _joined(name: str) -> str:
    return name.replace("-", "_")


def name_option(flag: str, known: Iterable[str], default: str, help: str) -> Callable[..., Any]:
    """An option that takes one of the names."""
    return click.option(flag, type=Name(known), default=default, show_default=True, help=help)
