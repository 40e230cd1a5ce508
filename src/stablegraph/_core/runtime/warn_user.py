"""A warning that shows the line of the user's program, at any depth of calls inside the package."""

from __future__ import annotations

import sys
import warnings

_BETWEEN = {__name__.partition(".")[0]}


def warn_user(message: str) -> None:
    """Issue a UserWarning at the line of the user's program that called the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
