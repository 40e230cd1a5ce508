"""The names that options take. Words may be joined by hyphens or by underscores, as the user likes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import click


class Name(click.Choice):  # type: ignore[type-arg]
    """One of the library's names: ``smallest-last`` and ``smallest_last`` are the same, and give the library's own."""

    def __init__(self, known: Any) -> None:
        """`known` is one of the Literals in names.py, or any names."""
        super().__init__(get_args(known) or list(known))
        self._known = {_joined(name): name for name in self.choices}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(self._known.get(_joined(str(value)), value), param, ctx)


def _joined(name: str) -> str:
    return name.replace("-", "_")


def name_option(flag: str, known: Any, default: str, help: str) -> Callable[..., Any]:
    """An option that takes one of the names."""
    return click.option(flag, type=Name(known), default=default, show_default=True, help=help)
