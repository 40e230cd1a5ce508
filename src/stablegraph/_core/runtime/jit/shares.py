"""Generation of the function that is compiled for a kernel: the work of one worker, with groups unpacked.

``share(worker, workers, ...)`` runs one worker. Its further arguments are those of the kernel's call, with each group
replaced by its members, since Numba passes plain arguments much faster than tuples. Constants of groups are literal
numbers in its text.
"""

from __future__ import annotations

import builtins
import types
from functools import cache
from typing import Any

from ..declaration import Declaration, Rule, constants_of, edge_split, rebuilt
from .intrinsics import FORMS
from .pipeline import compiled_part

_SHARES = {
    "items": """
def share(worker, workers, count, {flat}):
    for item in range(count * worker // workers, count * (worker + 1) // workers):
        body(item, {grouped})
""",
    "edges": """
def share(worker, workers, count, {flat}):
    for item in range(split({indptr}, count, worker, workers), split({indptr}, count, worker + 1, workers)):
        body(item, {grouped})
""",
    "workers": """
def share(worker, workers, {flat}):
    body(worker, workers, {grouped})
""",
    "single": """
def share(worker, workers, {flat}):
    body({grouped})
""",
}


@cache
def compiled_rule(rule: Rule) -> Any:
    """Return the Numba function of a rule."""
    return FORMS.get(rule) or compiled_part(rebuilt(rule.function, compiled_rule), inline=rule.inline)


@cache
def _compiled_body(kernel: Declaration) -> Any:
    return compiled_part(rebuilt(kernel.function, compiled_rule))


def compiled_share(kernel: Declaration, constants: tuple[int, ...] = ()) -> Any:
    """Return the Numba function of one worker's share; without `constants`, the constants of groups are arguments."""
    values = iter(constants)
    flat: list[str] = []
    grouped: list[str] = []
    for name in kernel.parameters:
        group = kernel.groups.get(name)
        if group is None:
            flat.append(name)
            grouped.append(name)
            continue
        fixed = constants_of(group) if constants else ()
        members = [repr(next(values)) if field in fixed else f"{name}_{field}" for field in group._fields]
        flat += [member for member, field in zip(members, group._fields, strict=True) if field not in fixed]
        grouped.append(f"{group.__name__}({', '.join(members)})")
    indptr = "indptr" if "indptr" in flat else f"{(kernel.parameters or [''])[0]}_indptr"
    text = _SHARES[kernel.by].format(flat=", ".join(flat), grouped=", ".join(grouped), indptr=indptr)
    names = {"body": _compiled_body(kernel), "split": compiled_rule(edge_split)}
    names |= {group.__name__: group for group in kernel.groups.values()}
    return compiled_part(_function(kernel, text, names))


def _function(kernel: Declaration, text: str, names: dict[str, Any]) -> types.FunctionType:
    """Return the function `chunk_bounds` defined by a text; Numba's messages name the kernel's file and line."""
    place = kernel.function.__code__
    code = compile("\n" * (place.co_firstlineno - 1) + text.lstrip(), place.co_filename, "exec")
    namespace = {"__name__": kernel.function.__module__, "__builtins__": builtins, **names}
    exec(code, namespace)
    share: types.FunctionType = namespace["share"]
    share.__qualname__ = f"{kernel.__name__}.share"
    return share
