"""Compilation of kernels to PTX with numba-cuda, for the archive of GPU code, kernels outside the package, and tests.

numba-cuda queries the compute capability of the current device while it compiles a kernel. A stub answers this query,
so that no GPU is necessary.
"""

from __future__ import annotations

import builtins
import contextlib
import re
from types import SimpleNamespace
from typing import Any
from unittest import mock

from .. import device
from ..declaration import Declaration, rebuilt

_LOOPS = {
    "items": """
def {name}(count, {flat}):
    for item in range(cuda.grid(1), count, cuda.gridsize(1)):
        body(item, {grouped})
""",
    "workers": """
def {name}(count, {flat}):
    for worker in range(cuda.grid(1), count, cuda.gridsize(1)):
        body(worker, count, {grouped})
""",
    "single": """
def {name}({flat}):
    if cuda.grid(1) == 0:
        body({grouped})
""",
}
_LOOPS["edges"] = _LOOPS["items"]

_QUESTIONS = ("numba.cuda.api.get_current_device", "numba.cuda.dispatcher.get_current_device")


def compile_to_ptx(kernel: Declaration, words: tuple[str, ...], capability: int) -> str:
    """Return the PTX of a kernel for the types of its flattened arguments, without the count of items.

    `capability` is the compute capability times 10: 90 for 9.0.
    """
    from .entry import numba_type

    cuda = device.cuda_module()
    types = tuple(numba_type(word) for word in (words if kernel.by == "single" else ("int", *words)))
    stub = SimpleNamespace(compute_capability=divmod(capability, 10))
    with contextlib.ExitStack() as pretended:
        for question in _QUESTIONS:
            pretended.enter_context(mock.patch(question, lambda: stub, create=True))
        ptx, _ = cuda.compile_ptx(_loop(kernel), types, cc=stub.compute_capability)
    text = ptx.decode() if isinstance(ptx, bytes) else str(ptx)
    # Numba's names contain all types and a counter of earlier compilations. They are half of the text, so shorten them.
    names: dict[str, str] = {}
    return re.sub(r"\b_ZN\w+", lambda found: names.setdefault(found[0], f"{kernel.__name__}_{len(names)}"), text)


def _loop(kernel: Declaration) -> Any:
    """Return the CUDA function that runs a kernel's body for all items, with groups unpacked into plain arguments."""
    cuda = device.cuda_module()
    flat: list[str] = []
    grouped: list[str] = []
    for name in kernel.parameters:
        group = kernel.groups.get(name)
        members = [name] if group is None else [f"{name}_{field}" for field in group._fields]
        flat += members
        grouped.append(name if group is None else f"{group.__name__}({', '.join(members)})")
    text = _LOOPS[kernel.by].format(name=kernel.__name__, flat=", ".join(flat), grouped=", ".join(grouped))
    body = cuda.jit(device=True)(rebuilt(kernel.function, lambda rule: rule.cuda))
    place = kernel.function.__code__  # messages name the kernel's file and line
    code = compile("\n" * (place.co_firstlineno - 1) + text.lstrip(), place.co_filename, "exec")
    space = {"__name__": kernel.function.__module__, "__builtins__": builtins, "body": body, "cuda": cuda}
    space |= {group.__name__: group for group in kernel.groups.values()}
    exec(code, space)
    return space[kernel.__name__]
